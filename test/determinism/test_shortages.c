/* Machines that are short of one thing each; the fuzz draws many at once, and seldom the one in
 * question. Whoever waits must be woken by everything that changes what it waits for, or why: the
 * engine that skips is compared with the plain one, which tries again in every cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "determinism/random_testbed.h"

enum { N_KERNELS = 3 };

#define SMALL "n_sms=2", "memory.n_partitions=2"

static const struct testbed beds[] = {
    {"bypass slots", "gtx480", {SMALL, "l1d.policy=none", "sm.bypass_slots=1"}},
    {"bypass slots and credits",
     "gtx480",
     {SMALL, "l1d.policy=none", "sm.bypass_slots=1", "noc.buffer_flits=5", "memory.rop_latency=1",
      "memory.input_queue=1", "dram.queue_entries=1", "l2.n_mshrs=1"}},
    {"MSHRs", "gtx480", {SMALL, "l1d.n_mshrs=1"}},
    {"places in an MSHR", "gtx480", {SMALL, "l1d.mshr_merges=1"}},
    {"lines", "gtx480", {SMALL, "l1d.n_sets=1", "l1d.n_ways=1"}},
    {"places in the miss queue", "gtx480", {SMALL, "sm.miss_queue=1"}},
    {"credits", "gtx480", {SMALL, "noc.buffer_flits=20"}},
    {"MSHRs of L2", "gtx480", {SMALL, "l2.n_mshrs=1"}},
    {"places before L2", "gtx480", {SMALL, "memory.rop_latency=1", "memory.input_queue=1"}},
    {"places before DRAM", "gtx480", {SMALL, "memory.dram_queue=1", "dram.queue_entries=1"}},
    {"places behind L2", "gtx480", {SMALL, "memory.l2_latency=1", "memory.reply_queue=1"}},
    {"stages between the network and DRAM",
     "gtx480",
     {"n_sms=3", "l2.n_sets=4", "memory.n_partitions=1", "memory.dram_latency=0",
      "memory.rop_latency=1", "noc.latency_cycles=100", "dispatch_cycles=100"}},
};

static void compare_engines(const struct testbed *bed, uint64_t seed)
{
    static const struct manner skip = {.name = "skip"},
                               plain = {.name = "cycle", .every_cycle = true};
    struct random_case *c = calloc(1, sizeof *c);
    struct strbuf skipped = {0}, stepped = {0}, why = {0};
    random_case_make(c, seed, false);
    if (observe_kernel(&c->k, bed, &plain, &stepped) != HEDDLE_OK)
        fail_msg("short of %s: %s", bed->name, strbuf_text(&stepped));
    observe_kernel(&c->k, bed, &skip, &skipped);
    if (!observations_agree(&stepped, &skipped, &why))
        fail_msg("short of %s, kernel %llu:\n%s", bed->name, (unsigned long long)seed,
                 strbuf_text(&why));
    strbuf_destroy(&skipped);
    strbuf_destroy(&stepped);
    strbuf_destroy(&why);
    random_case_destroy(c);
    free(c);
}

static void who_waits_is_woken_as_if_it_tried_every_cycle(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof beds / sizeof beds[0]; b++)
        for (uint64_t seed = 1; seed <= N_KERNELS; seed++)
            compare_engines(&beds[b], seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_is_woken_as_if_it_tried_every_cycle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
