/* Fetch, issue and the arithmetic units: when instructions issue, read from the SM itself. Kernels
 * are written here as text: the same instruction several times in a loop that runs twice; the
 * second iteration, with a warm instruction cache, is examined. */
#include "probe.h"

static struct issue_trace trace;
static const char *gpu = "gtx480"; /* the one that is looked at */

enum { N_SETUP = 7, N_TAIL = 3, N_BODY = 48, N_RESULTS = 24 };

/* A loop that runs twice. Its `n` lines may name a result by %u; results are added up at the end,
 * so that none shares a register with another. */
static struct strbuf loop_of(const char *line, uint32_t n)
{
    struct strbuf s = {0};
    strbuf_add(&s, ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry loop()\n{\n"
                   ".reg .u32 %x, %y, %z, %n, %u<24>;\n.reg .f32 %f, %g, %h, %v<24>;\n"
                   ".reg .f64 %d, %e, %w<24>;\n.reg .pred %p;\n"
                   "mov.u32 %x, %tid.x;\nmov.u32 %y, 3;\nmov.f32 %f, 0f3f800000;\n"
                   "mov.f32 %g, 0f3f800000;\nmov.f32 %h, 0f3f800000;\n"
                   "mov.f64 %d, 0d3ff0000000000000;\n"
                   "mov.u32 %n, 2;\nagain:\n");
    for (uint32_t i = 0; i < n; i++) {
        for (const char *c = line; *c; c++)
            if (*c == '#')
                strbuf_addf(&s, "%u", i % N_RESULTS);
            else
                strbuf_add_char(&s, *c);
        strbuf_add_char(&s, '\n');
    }
    strbuf_add(&s, "sub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra again;\n");
    for (uint32_t i = 0; i < N_RESULTS; i++)
        strbuf_addf(&s,
                    "add.u32 %%x, %%x, %%u%u;\nadd.f32 %%f, %%f, %%v%u;\n"
                    "add.f64 %%d, %%d, %%w%u;\n",
                    i, i, i);
    strbuf_add(&s, "ret;\n}\n");
    return s;
}

/* Runs the loop with that many warps; the trace has its issues. */
static void run_loop(const char *line, uint32_t n, uint32_t n_warps, const char *const *settings)
{
    struct strbuf text = loop_of(line, n);
    struct probe p = probe_open_text(gpu, settings, strbuf_text(&text));
    probe_trace(&p, &trace);
    probe_launch(&p, "loop", 1, 32 * n_warps, 0, NULL);
    probe_close(&p);
    strbuf_destroy(&text);
}

/* Issue cycles of the second pass of one warp. */
static void second_pass(const char *line, const char *const *settings, uint64_t *at)
{
    run_loop(line, N_BODY, 1, settings);
    assert_int_equal(trace.n, N_SETUP + 2 * (N_BODY + N_TAIL) + 3 * N_RESULTS + 1);
    for (uint32_t i = 0; i < N_BODY; i++)
        at[i] = trace.items[N_SETUP + N_BODY + N_TAIL + i].cycle;
}

struct operation {
    const char *chain, *apart; /* each needs the one before; none needs another */
    enum sm_operation class;
};

static const struct operation operations[] = {
    {"add.u32 %x, %x, %y;", "add.u32 %u#, %x, %y;", SM_OP_INT_ADD},
    {"max.u32 %x, %x, %y;", "max.u32 %u#, %x, %y;", SM_OP_INT_MAX},
    {"mul.lo.u32 %x, %x, %y;", "mul.lo.u32 %u#, %x, %y;", SM_OP_INT_MUL},
    {"mad.lo.u32 %x, %x, %y, %n;", "mad.lo.u32 %u#, %x, %y, %n;", SM_OP_INT_MAD},
    {"div.u32 %x, %x, %y;", "div.u32 %u#, %x, %y;", SM_OP_INT_DIV},
    {"add.f32 %f, %f, %g;", "add.f32 %v#, %f, %g;", SM_OP_FP32_ADD},
    {"max.f32 %f, %f, %g;", "max.f32 %v#, %f, %g;", SM_OP_FP32_MAX},
    {"mul.f32 %f, %f, %g;", "mul.f32 %v#, %f, %g;", SM_OP_FP32_MUL},
    {"fma.rn.f32 %f, %f, %g, %h;", "fma.rn.f32 %v#, %f, %g, %h;", SM_OP_FP32_MAD},
    {"div.rn.f32 %f, %f, %g;", "div.rn.f32 %v#, %f, %g;", SM_OP_FP32_DIV},
    {"add.f64 %d, %d, 0d3ff0000000000000;", "add.f64 %w#, %d, 0d3ff0000000000000;", SM_OP_FP64_ADD},
    {"mul.f64 %d, %d, 0d3ff0000000000000;", "mul.f64 %w#, %d, 0d3ff0000000000000;", SM_OP_FP64_MUL},
    {"div.rn.f64 %d, %d, 0d3ff0000000000000;", "div.rn.f64 %w#, %d, 0d3ff0000000000000;",
     SM_OP_FP64_DIV},
    {"sqrt.approx.f32 %f, %f;", "sqrt.approx.f32 %v#, %f;", SM_OP_SFU},
};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

/* One cycle to read operands, one on the way to the unit: a result can be used two cycles and the
 * latency after issue. */
static void a_chain_takes_the_latency_of_each(void **state)
{
    (void)state;
    struct probe p = probe_open(gpu, NULL);
    for (size_t k = 0; k < N_OPERATIONS; k++) {
        uint64_t at[N_BODY], latency = p.config->sm.latency[operations[k].class];
        second_pass(operations[k].chain, NULL, at);
        for (uint32_t i = 1; i < N_BODY; i++)
            assert_int_equal(at[i] - at[i - 1], 2 + latency);
    }
    probe_close(&p);
}

/* With one unit, and once the collectors in front of it are full. */
static void others_follow_at_the_unit_s_interval(void **state)
{
    (void)state;
    static const char *const one_unit[] = {"sm.n_sp_units=1", NULL};
    struct probe p = probe_open("gtx480", one_unit);
    for (size_t k = 0; k < N_OPERATIONS; k++) {
        uint64_t at[N_BODY], interval = p.config->sm.interval[operations[k].class];
        second_pass(operations[k].apart, one_unit, at);
        assert_int_equal(at[N_BODY - 1] - at[N_BODY - 9], 8 * interval);
    }
    probe_close(&p);
}

/* Three operands in three banks are read at once, in one bank one after the other. */
static void operands_in_one_bank_are_read_in_turn(void **state)
{
    (void)state;
    static const char *const one_bank[] = {"sm.register_banks=1", "l1i.n_sets=64", NULL};
    uint64_t spread[N_BODY], same[N_BODY], narrow[N_BODY];
    second_pass("fma.rn.f32 %f, %f, %g, %h;", NULL, spread);
    second_pass("fma.rn.f32 %f, %f, %f, %f;", NULL, same);
    second_pass("fma.rn.f32 %f, %f, %g, %h;", one_bank, narrow);
    assert_int_equal(same[9] - same[8], spread[9] - spread[8] + 2);
    assert_int_equal(narrow[9] - narrow[8], spread[9] - spread[8] + 2);
}

/* --- several warps --- */

/* Instructions per cycle of eight concurrent warps in the second pass of a loop of 192 lines with
 * that many instructions each. */
static double rate_of(const char *line, uint32_t n_insts, const char *const *settings)
{
    uint32_t n_long = 192 * n_insts, window = 8 * n_long / 2;
    run_loop(line, 192, 8, settings);
    uint32_t first = 8 * (N_SETUP + n_long + N_TAIL + n_long / 4);
    assert_true(first + window < trace.n);
    return (double)window / (double)(trace.items[first + window].cycle - trace.items[first].cycle);
}

static double issue_rate(const char *const *settings)
{
    return rate_of("add.u32 %u#, %x, %y;", 1, settings);
}

static void each_scheduler_issues_one_a_cycle(void **state)
{
    (void)state;
    static const char *const one[] = {"scheduler=lrr", "sm.n_schedulers=1", NULL};
    static const char *const two[] = {"scheduler=lrr", "sm.n_schedulers=2", NULL};
    double rate_one = issue_rate(one), rate_two = issue_rate(two);
    print_message("%.3f and %.3f instructions a cycle\n", rate_one, rate_two);
    assert_true(rate_one > 0.97 && rate_one <= 1);
    assert_true(rate_two > 1.9 && rate_two <= 2);
}

/* Four schedulers whose units accept an instruction every other cycle. With separate units each
 * keeps its own busy; an integer unit doubles that for a mixture. */
#define FOUR_SLOW                                                                                  \
    "scheduler=lrr", "sm.n_schedulers=4", "sm.fetch_warps=4", "sm.n_sp_units=1",                   \
        "sm.n_fp64_units=1", "sm.fp32_add_interval=2", "sm.int_add_interval=2", "l1i.n_sets=64"
static void sub_cores_have_units_of_their_own(void **state)
{
    (void)state;
    static const char *const shared[] = {FOUR_SLOW, NULL};
    static const char *const own[] = {FOUR_SLOW, "sm.sub_cores=true", NULL};
    static const char *const own_int[] = {FOUR_SLOW, "sm.sub_cores=true", "sm.n_int_units=1", NULL};
    static const char *const one_int[] = {FOUR_SLOW, "sm.n_int_units=1", NULL};
    const char *floats = "add.f32 %v#, %f, %g;";
    const char *mixed = "add.f32 %v#, %f, %g;\nadd.u32 %u#, %x, %y;";
    const struct {
        const char *line;
        uint32_t n_insts;
        const char *const *settings;
        double want;
    } cases[] = {
        {floats, 1, own, 2}, {mixed, 2, own, 2}, {mixed, 2, own_int, 4}, {floats, 1, own_int, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double got = rate_of(cases[i].line, cases[i].n_insts, cases[i].settings);
        print_message("%.3f of %.1f instructions a cycle\n", got, cases[i].want);
        assert_true(got > 0.95 * cases[i].want && got < 1.01 * cases[i].want);
    }
    /* Shared, the unit gives half an instruction a cycle to all of them. (The first scheduler comes
     * first, and its warps are through with the loop before the others.) */
    assert_true(rate_of(floats, 1, shared) < 0.6 && rate_of(mixed, 2, shared) < 0.6);
    assert_true(rate_of(mixed, 2, one_int) < 1.1);
}

/* Warps of one sub-core wait for its banks; those of another do not. */
static void sub_cores_have_register_banks_of_their_own(void **state)
{
    (void)state;
    const char *line = "add.u32 %u#, %x, %y;";
    static const char *const shared[] = {"scheduler=lrr",
                                         "sm.n_schedulers=4",
                                         "sm.fetch_warps=4",
                                         "sm.n_sp_units=4",
                                         "sm.register_banks=1",
                                         "l1i.n_sets=64",
                                         NULL};
    static const char *const own[] = {"scheduler=lrr",
                                      "sm.n_schedulers=4",
                                      "sm.fetch_warps=4",
                                      "sm.n_sp_units=1",
                                      "sm.sub_cores=true",
                                      "sm.register_banks=1",
                                      NULL};
    double one = rate_of(line, 1, shared), four = rate_of(line, 1, own); /* three registers each */
    assert_true(one < 0.4);
    assert_true(four > 1.27 && four < 1.35);
}

/* Eight warps with a buffer of two instructions: one fetch a cycle feeds two a cycle. */
static void fetches_limit_what_can_issue(void **state)
{
    (void)state;
    static const char *const one[] = {"scheduler=lrr",        "sm.n_schedulers=4",
                                      "sm.n_sp_units=4",      "sm.sp_collectors=16",
                                      "sm.register_banks=64", NULL};
    static const char *const two[] = {"scheduler=lrr",
                                      "sm.n_schedulers=4",
                                      "sm.n_sp_units=4",
                                      "sm.fetch_warps=2",
                                      "sm.sp_collectors=16",
                                      "sm.register_banks=64",
                                      NULL};
    double narrow = issue_rate(one), wide = issue_rate(two);
    print_message("%.3f and %.3f instructions a cycle\n", narrow, wide);
    assert_true(narrow > 1.9 && narrow < 2.02);
    assert_true(wide > 2.05 && wide <= 4);
}

/* A bank reads or writes one register a cycle. With a single bank an instruction takes as many
 * cycles as it names registers. */
static void a_bank_does_one_thing_a_cycle(void **state)
{
    (void)state;
    static const char *const one_bank[] = {"scheduler=lrr", "sm.n_schedulers=1",
                                           "sm.register_banks=1", NULL};
    static const char *const lines[] = {"mov.u32 %u#, 7;", "add.u32 %u#, %x, 7;",
                                        "add.u32 %u#, %x, %y;", "mad.lo.u32 %u#, %x, %y, %n;"};
    for (uint32_t n = 1; n <= 4; n++) {
        double cycles = 1 / rate_of(lines[n - 1], 1, one_bank);
        print_message("%u registers: %.3f cycles\n", n, cycles);
        assert_true(cycles > 0.99 * n && cycles < 1.03 * n);
    }
}

/* V2 Table 4.1: a dependent instruction follows after that many cycles. V1: 16 lanes for floats and
 * 16 for integers, 8 for doubles and 4 for special functions in each of four blocks. */
static void the_v100_issues_as_its_papers_say(void **state)
{
    static const struct {
        const char *chain;
        uint64_t cycles;
    } chains[] = {{"fma.rn.f32 %f, %f, %g, %h;", 4},          {"add.u32 %x, %x, %y;", 4},
                  {"mad.lo.u32 %x, %x, %y, %n;", 5},          {"max.f32 %f, %f, %g;", 5},
                  {"add.f64 %d, %d, 0d3ff0000000000000;", 8}, {"sqrt.approx.f32 %f, %f;", 14}};
    static const struct {
        const char *line;
        uint32_t n_insts;
        double rate;
    } rates[] = {{"add.f32 %v#, %f, %g;", 1, 2},
                 {"add.u32 %u#, %x, %y;", 1, 2},
                 {"add.f32 %v#, %f, %g;\nadd.u32 %u#, %x, %y;", 2, 4},
                 {"add.f64 %w#, %d, 0d3ff0000000000000;", 1, 1},
                 {"sqrt.approx.f32 %v#, %f;", 1, 0.5}};
    static const char *const lrr[] = {"scheduler=lrr", NULL};
    gpu = "v100";
    a_chain_takes_the_latency_of_each(state);
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        uint64_t at[N_BODY];
        second_pass(chains[i].chain, NULL, at);
        assert_int_equal(at[N_BODY - 1] - at[N_BODY - 2], chains[i].cycles);
    }
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double got = rate_of(rates[i].line, rates[i].n_insts, lrr);
        print_message("v100: %.3f of %.1f instructions a cycle\n", got, rates[i].rate);
        assert_true(got > 0.95 * rates[i].rate && got < 1.01 * rates[i].rate);
    }
    gpu = "gtx480";
}

/* Once the last of four warps has arrived, all continue at once: within two cycles, because each of
 * two schedulers has two of them. */
static void a_barrier_costs_no_more_than_its_issue(void **state)
{
    (void)state;
    run_loop("bar.sync 0;", 1, 4, NULL);
    uint64_t arrived = 0, n_after = 0;
    uint32_t i = 0, n_barriers = 0;
    for (; i < trace.n && n_barriers < 8; i++) /* the second pass */
        if (trace.items[i].pc == N_SETUP && ++n_barriers == 8)
            arrived = trace.items[i].cycle;
    for (; i < trace.n && trace.items[i].pc == N_SETUP + 1; i++) {
        assert_in_range(trace.items[i].cycle, arrived, arrived + 2);
        n_after++;
    }
    assert_int_equal(n_after, 4);
}

/* --- the instruction cache: 2 KB, 16 lines of 16 instructions --- */

static uint64_t instruction_misses(uint32_t n_insts, uint32_t n_passes)
{
    struct strbuf text = loop_of("add.u32 %x, %x, %y;", n_insts - N_TAIL);
    char *two = strstr(text.text, "mov.u32 %n, 2");
    two[strlen("mov.u32 %n, ")] = (char)('0' + n_passes);
    struct probe p = probe_open_text("gtx480", NULL, strbuf_text(&text));
    probe_launch(&p, "loop", 1, 32, 0, NULL);
    uint64_t misses = probe_count(&p, "l1i.misses");
    probe_close(&p);
    strbuf_destroy(&text);
    return misses;
}

static void a_loop_stays_in_the_instruction_cache_if_it_fits(void **state)
{
    (void)state;
    uint64_t small[2] = {instruction_misses(208, 2), instruction_misses(208, 8)};
    assert_int_equal(small[1], small[0]);
    /* Five lines in each set of four ways: least recently used, each is gone when it is wanted. */
    uint64_t large[2] = {instruction_misses(336, 2), instruction_misses(336, 8)};
    assert_in_range(large[1] - large[0], 6 * 20, 6 * 22);
}

/* A fetch brings six instructions, or what is left of its line of 16: 34 of them take those from 0,
 * 6, 12 (four), 16, 22, 28 (four) and 32 on. */
static void a_fetch_ends_with_its_line(void **state)
{
    (void)state;
    static const char *const six[] = {"n_sms=1", "sm.fetch_insts=6", "sm.ibuffer_entries=6", NULL};
    struct strbuf text = {0};
    strbuf_add(&text, ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry line()\n{\n"
                      ".reg .u32 %x;\n");
    for (uint32_t i = 0; i < 33; i++)
        strbuf_add(&text, "mov.u32 %x, 1;\n");
    strbuf_add(&text, "ret;\n}\n");
    struct probe p = probe_open_text("gtx480", six, strbuf_text(&text));
    probe_launch(&p, "line", 1, 32, 0, NULL);
    assert_int_equal(probe_count(&p, "l1i.loads"), 7);
    probe_close(&p);
    strbuf_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_the_latency_of_each),
        cmocka_unit_test(others_follow_at_the_unit_s_interval),
        cmocka_unit_test(operands_in_one_bank_are_read_in_turn),
        cmocka_unit_test(each_scheduler_issues_one_a_cycle),
        cmocka_unit_test(a_bank_does_one_thing_a_cycle),
        cmocka_unit_test(sub_cores_have_units_of_their_own),
        cmocka_unit_test(sub_cores_have_register_banks_of_their_own),
        cmocka_unit_test(fetches_limit_what_can_issue),
        cmocka_unit_test(the_v100_issues_as_its_papers_say),
        cmocka_unit_test(a_barrier_costs_no_more_than_its_issue),
        cmocka_unit_test(a_loop_stays_in_the_instruction_cache_if_it_fits),
        cmocka_unit_test(a_fetch_ends_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
