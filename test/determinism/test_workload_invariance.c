/* Every workload at `tiny`: all statistics and all results are the same whatever the quantum, the
 * engine, the threads and the host's vector instructions, on the default machine and on hostile
 * ones.
 *
 * By default every workload runs under one other quantum and on three threads, and some of them
 * under everything;
 * HEDDLE_MATRIX=1 runs all of them under everything (`make matrix`). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/testbeds.h"

static bool whole_matrix;

static const struct manner reference = {.name = "skip, longest quantum", .attribute = true};
static const struct manner others[] = {
    {.name = "skip, quantum 1, not attributed", .quantum = 1, .host_isa = "generic"},
    {.name = "skip, longest quantum, 3 threads, not attributed", .threads = 3},
    {.name = "skip, quantum 2, 2 threads", .quantum = 2, .attribute = true, .threads = 2},
    {.name = "skip, longest quantum, 7 threads", .attribute = true, .threads = 7},
    {.name = "cycle, longest quantum", .every_cycle = true, .attribute = true},
    {.name = "cycle, longest quantum, not attributed", .every_cycle = true},
    {.name = "skip, longest quantum, not attributed"}, /* what users run */
    {.name = "skip, longest quantum, fast paths off", .no_fast_paths = true},
};
enum { N_OTHERS = sizeof others / sizeof others[0] };

static void compare(const struct workload *w, const struct testbed *bed, const struct manner *list,
                    uint32_t n)
{
    struct strbuf first = {0}, other = {0}, why = {0};
    enum heddle_status s = observe_workload(w, bed, &reference, &first);
    if (s != HEDDLE_OK)
        fail_msg("%s on '%s': %s", w->name, bed->name, strbuf_text(&first));
    for (uint32_t i = 0; i < n; i++) {
        strbuf_clear(&other);
        observe_workload(w, bed, &list[i], &other);
        if (!observations_agree(&first, &other, &why))
            fail_msg("%s on '%s': %s\n%s", w->name, bed->name, list[i].name, strbuf_text(&why));
    }
    strbuf_destroy(&first);
    strbuf_destroy(&other);
    strbuf_destroy(&why);
}

static bool is_long(const struct workload *w)
{
    return strcmp(w->name, "kmn") == 0 || strcmp(w->name, "sssp") == 0;
}

static void no_workload_depends_on_quantum_or_threads(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < workload_count; i++)
        if (whole_matrix || (!is_long(workload_list[i]) && is_of_this_build(i)))
            compare(workload_list[i], &testbeds[0], others, 2);
}

static void no_workload_depends_on_how_it_is_run(void **state)
{
    static const char *const some[] = {"nw", "sc_small", "hg"};
    (void)state;
    for (uint32_t i = 0; i < workload_count; i++) {
        bool chosen = whole_matrix;
        for (uint32_t k = 0; k < sizeof some / sizeof some[0]; k++)
            chosen |= strcmp(workload_list[i]->name, some[k]) == 0;
        for (uint32_t b = 0; chosen && b < N_TESTBEDS; b++)
            if (whole_matrix || b % 3 == i % 3)
                compare(workload_list[i], &testbeds[b], others, N_OTHERS);
    }
}

/* A quantum in which DRAM gives commands, their data fill L2, and L2 asks DRAM for more. */
static void memory_may_answer_within_a_quantum(void **state)
{
    (void)state;
    static const struct testbed bed = {"far memory",
                                       "gtx480",
                                       {"n_sms=3", "l2.n_sets=4", "memory.n_partitions=1",
                                        "memory.dram_latency=0", "memory.rop_latency=1",
                                        "noc.latency_cycles=100", "dispatch_cycles=100"}};
    compare(workload_find("bp"), &bed, others, 2);
}

/* What they receive on the fast path through issue equals what the attributed run, which takes the
 * general path, sends them. */
static void schedulers_hear_the_same_on_the_short_way(void **state)
{
    (void)state;
    static const struct testbed beds[] = {
        {"ccws", "gtx480", {"n_sms=5", "scheduler=ccws"}},
        {"ccws_authors", "gtx480", {"n_sms=5", "scheduler=ccws_authors"}},
        {"two_level", "gtx480", {"n_sms=5", "scheduler=two_level"}},
        {"gcaws", "gtx480", {"n_sms=5", "scheduler=gcaws"}},
        {"cawa", "gtx480-cawa", {"n_sms=5", "scheduler=cawa"}},
        {"dlp", /* whose samples end amid hits */
         "gtx480",
         {"n_sms=5", "l1d.policy=dlp", "l1d.policy.max_sample_insns=333"}},
    };
    for (uint32_t i = 0; i < sizeof beds / sizeof beds[0]; i++)
        compare(workload_find("bfs"), &beds[i], others, 1);
}

int main(void)
{
    whole_matrix = getenv("HEDDLE_MATRIX") != NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_workload_depends_on_quantum_or_threads),
        cmocka_unit_test(no_workload_depends_on_how_it_is_run),
        cmocka_unit_test(memory_may_answer_within_a_quantum),
        cmocka_unit_test(schedulers_hear_the_same_on_the_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
