/* Memory order: kernels of test/litmus/order.ptx, whose threads write 1 where they found memory
 * ordered as it must be, on friendly and hostile machines, with every atomics unit, under every
 * quantum and both engines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/testbeds.h"

enum { CTAS = 5, THREADS = 64, OUT_WORDS = CTAS * THREADS };

static struct strbuf program;

static const struct manner manners[] = {
    {.name = "skip, longest quantum"},
    {.name = "skip, quantum 1", .quantum = 1},
    {.name = "skip, quantum 2", .quantum = 2},
    {.name = "skip, longest quantum, 2 threads", .threads = 2},
    {.name = "skip, quantum 2, 3 threads", .quantum = 2, .threads = 3},
    {.name = "skip, longest quantum, 7 threads", .threads = 7},
    {.name = "cycle", .every_cycle = true},
};

static bool all_ones(const struct strbuf *contents)
{
    uint32_t word;
    assert_int_equal(contents->len, OUT_WORDS * 4);
    for (uint32_t i = 0; i < OUT_WORDS; i++) {
        memcpy(&word, contents->text + i * 4, 4);
        if (word != 1)
            return false;
    }
    return true;
}

/* Every atomics unit, with its options. */
static const char *const units[][4] = {
    {"atomics.unit=at_l2"},
    {"atomics.unit=atom_naive"},
    {"atomics.unit=atom_dir"},
    {"atomics.unit=atom_hybrid"},
    {"atomics.unit=atom_dir", "atomics.spec_fetch=true"},
    {"atomics.unit=atom_hybrid", "atomics.spec_fetch=true"},
    {"atomics.unit=atom_naive", "atomics.mutexes=1", "atomics.hold_max=1", "atomics.busy_wires=0"},
    {"atomics.unit=atom_dir", "atomics.mutexes=1", "atomics.spec_fetch=true",
     "atomics.epoch_cycles=5000"},
};
enum { N_UNITS_TRIED = sizeof units / sizeof units[0] };

/* The machine with one of them. */
static struct testbed with_unit(const struct testbed *bed, uint32_t unit)
{
    struct testbed with = *bed;
    uint32_t n = 0;
    while (with.settings[n])
        n++;
    for (uint32_t i = 0; i < 4 && units[unit][i]; i++)
        with.settings[n++] = units[unit][i];
    return with;
}

/* All manners with the first unit, and with each other unit in turn: each unit runs on each machine
 * in some of them. */
static bool is_tried(uint32_t unit, uint32_t bed, uint32_t how)
{
    return unit == 0 || (unit + bed + how) % 3 == 0;
}

static void try_unit(const struct kernel_case *k, const char *kernel, uint32_t b, uint32_t unit)
{
    struct testbed bed = with_unit(&testbeds[b], unit);
    for (uint32_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        struct strbuf contents = {0}, error = {0};
        if (!is_tried(unit, b, i))
            continue;
        enum heddle_status s = run_kernel_case(k, &bed, &manners[i], &contents, &error);
        if (s != HEDDLE_OK || !all_ones(&contents))
            fail_msg("%s on '%s', %s, %s: %s", kernel, bed.name, units[unit][0], manners[i].name,
                     s == HEDDLE_OK ? "a thread saw what it must not" : strbuf_text(&error));
        strbuf_destroy(&contents);
        strbuf_destroy(&error);
    }
}

static void run_litmus(const char *const *kernels, uint32_t n)
{
    const struct kernel_buffer buffers[] = {{4096, NULL, false}, {OUT_WORDS * 4, NULL, true}};
    struct kernel_launch launches[2];
    for (uint32_t i = 0; i < n; i++)
        launches[i] = (struct kernel_launch){kernels[i], CTAS, THREADS};
    struct kernel_case k = {"order.ptx", strbuf_text(&program), buffers, 2, launches, n, 5000000};
    for (uint32_t b = 0; b < N_TESTBEDS; b++)
        for (uint32_t unit = 0; unit < N_UNITS_TRIED; unit++)
            try_unit(&k, kernels[0], b, unit);
}

#define LITMUS(name, ...)                                                                          \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        const char *const kernels[] = {__VA_ARGS__};                                               \
        run_litmus(kernels, sizeof kernels / sizeof kernels[0]);                                   \
    }
LITMUS(a_load_after_a_barrier_sees_the_atomics_before_it, "atomic_then_barrier")
LITMUS(a_counter_can_be_reset_between_reductions, "reset_after_reduction")
LITMUS(one_threads_accesses_to_a_word_keep_their_order, "own_word")
LITMUS(one_threads_atomics_on_a_word_keep_their_order, "own_atomics")
LITMUS(a_warp_sees_its_stores_in_each_line_that_it_loads_from, "own_lines")
LITMUS(who_sees_the_flag_sees_the_data, "message")
LITMUS(a_fence_keeps_loads_behind_stores, "store_fence_load", "one_found_it")
LITMUS(who_sees_an_atomic_flag_by_plain_loads_sees_the_data, "message_by_atomic")
LITMUS(a_lock_protects_plain_data, "lock", "sees_all")
LITMUS(the_next_kernel_sees_additions_nobody_waited_for, "add_and_exit", "sees_all")
LITMUS(ctas_that_wait_for_each_other_finish, "ring")

/* Races are decided as well (ADR 12): of what a period brings, stores count after atomics, and
 * those of a higher SM after those of a lower one, whichever came first. */
static void races_are_decided_by_kind_and_sm(void **state)
{
    (void)state;
    static const struct testbed bed = {
        "three SMs", "gtx480", {"n_sms=3", "visibility_cycles=100000"}};
    const struct kernel_buffer buffers[] = {{4096, NULL, true}, {OUT_WORDS * 4, NULL, false}};
    const struct kernel_launch launch = {"races", 3, 32};
    struct kernel_case k = {"order.ptx", strbuf_text(&program), buffers, 2, &launch, 1, 5000000};
    for (uint32_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        struct strbuf contents = {0}, error = {0};
        uint32_t words[33];
        assert_int_equal(run_kernel_case(&k, &bed, &manners[i], &contents, &error), HEDDLE_OK);
        memcpy(words, contents.text, sizeof words);
        assert_int_equal(words[0], 2);
        assert_int_equal(words[32], 9);
        strbuf_destroy(&contents);
        strbuf_destroy(&error);
    }
}

int main(void)
{
    if (strbuf_read_file(&program, HEDDLE_SOURCE_DIR "/test/litmus/order.ptx") != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_after_a_barrier_sees_the_atomics_before_it),
        cmocka_unit_test(a_counter_can_be_reset_between_reductions),
        cmocka_unit_test(one_threads_accesses_to_a_word_keep_their_order),
        cmocka_unit_test(one_threads_atomics_on_a_word_keep_their_order),
        cmocka_unit_test(a_warp_sees_its_stores_in_each_line_that_it_loads_from),
        cmocka_unit_test(who_sees_the_flag_sees_the_data),
        cmocka_unit_test(a_fence_keeps_loads_behind_stores),
        cmocka_unit_test(who_sees_an_atomic_flag_by_plain_loads_sees_the_data),
        cmocka_unit_test(a_lock_protects_plain_data),
        cmocka_unit_test(the_next_kernel_sees_additions_nobody_waited_for),
        cmocka_unit_test(ctas_that_wait_for_each_other_finish),
        cmocka_unit_test(races_are_decided_by_kind_and_sm),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    strbuf_destroy(&program);
    return failed;
}
