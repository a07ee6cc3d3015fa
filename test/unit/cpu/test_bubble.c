/* Bubbles: what they load, how often, and that a core under them takes the bandwidth it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/programs.h"
#include "unit/cpu/core_bench.h"

static const struct bubble_machine machine = {
    .llc_bytes = 1 << 20, .cpu_mhz = 2000, .width = 4, .memory_mb_per_s = 16000};

struct counts {
    uint64_t insts, accesses, first, last, longest_gap;
};

/* For that many instructions, across the ends of its runs. */
static struct counts count(const char *name, uint64_t n)
{
    struct cpu_source *s = cpu_bubble_open(name, &machine, 0);
    struct counts c = {.first = UINT64_MAX};
    uint64_t gap = 0;
    assert_non_null(s);
    while (c.insts < n) {
        const struct cpu_inst *inst = cpu_source_next(s);
        if (!inst) {
            assert_null(s->error);
            assert_int_equal(c.insts % BUBBLE_INSTS, 0);
            cpu_source_rewind(s);
            continue;
        }
        c.insts++;
        gap++;
        uint64_t address = inst->source_memory[0] + inst->dest_memory[0];
        if (!address)
            continue;
        assert_true(!c.accesses || address == c.last + 64 || address == c.first);
        c.first = c.accesses ? c.first : address;
        c.last = address;
        c.accesses++;
        c.longest_gap = gap > c.longest_gap ? gap : c.longest_gap;
        gap = 0;
    }
    cpu_source_close(s);
    return c;
}

static void names_have_a_pressure_of_0_to_8(void **state)
{
    (void)state;
    assert_true(cpu_is_bubble("cache_bubble_0"));
    assert_true(cpu_is_bubble("bandwidth_bubble_8"));
    const char *const others[] = {"cache_bubble_9",     "cache_bubble_", "cache_bubble_10",
                                  "bandwidth_bubble_x", "bubble_1",      "bzip2"};
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(cpu_is_bubble(others[i]));
        assert_null(cpu_bubble_open(others[i], &machine, 0));
    }
}

/* 3/8 of 1 MB are 6144 lines: after as many loads it begins again. */
static void a_cache_bubble_walks_over_its_share_of_the_cache(void **state)
{
    (void)state;
    assert_int_equal(count("cache_bubble_0", 5000).accesses, 0);
    struct counts once = count("cache_bubble_3", 6144), again = count("cache_bubble_3", 6145);
    assert_int_equal(once.accesses, 6144);
    assert_int_equal(once.last - once.first, 6143 * 64);
    assert_int_equal(again.last, again.first);
}

/* 8 instructions per ns: at 16 GB/s, 128 bytes every 8 ns are one store in 64; at half of it one in
 * 128. The stream continues across the end of a run: 4 MB are 65536 lines. */
static void a_bandwidth_bubble_keeps_its_pace(void **state)
{
    (void)state;
    struct counts full = count("bandwidth_bubble_8", 2 * BUBBLE_INSTS);
    assert_int_equal(full.accesses, 2 * BUBBLE_INSTS / 64);
    assert_int_equal(full.longest_gap, 64);
    assert_int_equal(full.last - full.first, (2 * BUBBLE_INSTS / 64 - 1) * 64);
    assert_int_equal(count("bandwidth_bubble_4", 128 * 1000).accesses, 1000);
    assert_int_equal(count("bandwidth_bubble_3", 64 * 8000).accesses, 3000);
    assert_int_equal(count("bandwidth_bubble_0", 5000).accesses, 0);
    struct counts round = count("bandwidth_bubble_8", 64 * 65537);
    assert_int_equal(round.last, round.first);
}

/* The next run continues after it. */
static void a_run_has_as_many_instructions_as_it_is_told(void **state)
{
    (void)state;
    struct cpu_source *s = cpu_bubble_open("cache_bubble_3", &machine, 300);
    uint64_t at = 0;
    for (uint32_t i = 0; i < 900; i++) {
        if (i && i % 300 == 0) {
            assert_null(cpu_source_next(s));
            cpu_source_rewind(s);
        }
        uint64_t next = cpu_source_next(s)->source_memory[0];
        assert_true(!at || next == at + 64);
        at = next;
    }
    cpu_source_close(s);
}

/* On a core: a store every 16 cycles, or every 32. Up to 8 misses of 112 cycles bring a line every
 * 14 cycles, so both paces are kept; with 4 misses, every 28 cycles, only the second one is. */
static void a_core_reaches_the_pace_as_far_as_its_misses_allow(void **state)
{
    (void)state;
    static struct core_bench b;
    static struct cpu_inst insts[64 * 500];
    const struct {
        const char *name;
        uint32_t mlp;
        double cycles_per_line;
    } cases[] = {{"bandwidth_bubble_8", 8, 16},
                 {"bandwidth_bubble_4", 8, 32},
                 {"bandwidth_bubble_8", 4, 28},
                 {"bandwidth_bubble_4", 4, 32}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpu_source *s = cpu_bubble_open(cases[i].name, &machine, 0);
        for (uint32_t k = 0; k < sizeof insts / sizeof insts[0]; k++)
            insts[k] = *cpu_source_next(s);
        cpu_source_close(s);
        memset(&b, 0, sizeof b);
        b.config = bench_config();
        b.config.mlp = cases[i].mlp;
        b.round_trip = 100;
        b.program.insts = insts;
        b.program.n = sizeof insts / sizeof insts[0];
        struct cpu_stats stats = bench_run(&b);
        double cycles = (double)stats.cycles / (double)stats.l2_misses;
        assert_true(cycles > 0.97 * cases[i].cycles_per_line);
        assert_true(cycles < 1.03 * cases[i].cycles_per_line);
    }
}

static void programs_are_opened_by_name_or_path(void **state)
{
    (void)state;
    struct strbuf why = {0};
    enum heddle_status status;
    struct cpu_open o = {.machine = machine};
    struct cpu_source *s = cpu_program_open("cache_bubble_2", &o, &status, &why);
    assert_int_equal(status, HEDDLE_OK);
    cpu_source_close(s);
    assert_null(cpu_program_open("cache_bubbel_2", &o, &status, &why));
    assert_int_equal(status, HEDDLE_BAD_INPUT);
    assert_non_null(strstr(strbuf_text(&why), "there is no CPU program 'cache_bubbel_2'"));
    strbuf_clear(&why);
    assert_null(cpu_program_open("./nothing.cpu", &o, &status, &why));
    assert_int_equal(status, HEDDLE_BAD_INPUT);
    assert_non_null(strstr(strbuf_text(&why), "cannot read ./nothing.cpu"));
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_a_pressure_of_0_to_8),
        cmocka_unit_test(a_cache_bubble_walks_over_its_share_of_the_cache),
        cmocka_unit_test(a_bandwidth_bubble_keeps_its_pace),
        cmocka_unit_test(a_run_has_as_many_instructions_as_it_is_told),
        cmocka_unit_test(a_core_reaches_the_pace_as_far_as_its_misses_allow),
        cmocka_unit_test(programs_are_opened_by_name_or_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
