/* Machines that tests share: the default one, cut down, and hostile ones. */
#ifndef HEDDLE_TEST_TESTBEDS_H
#define HEDDLE_TEST_TESTBEDS_H

#include "determinism/observe.h"

/* Every resource that can be scarce is. */
#define SCARCE                                                                                     \
    "l1d.n_mshrs=1", "l1d.mshr_merges=1", "l1d.n_sets=2", "l1d.n_ways=1", "l1i.n_mshrs=1",         \
        "l1i.n_sets=1", "l1i.n_ways=1", "l1c.n_mshrs=1", "l1c.n_sets=1", "l2.n_mshrs=1",           \
        "l2.mshr_merges=1", "l2.n_sets=4", "l2.n_ways=1", "sm.miss_queue=1", "sm.ldst_queue=1",    \
        "sm.bypass_slots=1", "memory.input_queue=1", "memory.dram_queue=1",                        \
        "memory.reply_queue=1", "dram.queue_entries=1", "noc.buffer_flits=20"
#define ODD_CLOCKS                                                                                 \
    "core_clock_mhz=700", "noc_clock_mhz=330", "l2_clock_mhz=460", "dram_clock_mhz=510"

static const struct testbed testbeds[] = {
    {"default", "gtx480", {NULL}},
    {"small", "gtx480", {"n_sms=2", "memory.n_partitions=2", "scheduler=lrr"}},
    {"scarce", "gtx480", {"n_sms=3", "memory.n_partitions=2", "scheduler=two_level", SCARCE}},
    {"odd clocks", "m2090", {"n_sms=3", "sm.n_schedulers=4", "scheduler=swl", ODD_CLOCKS}},
    {"scarce, odd clocks",
     "gtx480",
     {"n_sms=2", "memory.n_partitions=3", "sm.n_schedulers=1", "l1d.policy=plru", SCARCE,
      ODD_CLOCKS}},
    {"bypassed, hasty", "ccws", {"n_sms=2", "l1d.policy=none", "visibility_cycles=1"}},
    {"sectors and sub-cores",
     "v100",
     {"n_sms=4", "memory.n_partitions=16", "sm.carveout=0,16K,64K"}},
    {"slow to show", "gtx480", {"n_sms=2", "visibility_cycles=3001", "l1d.policy=random"}},
};
enum { N_TESTBEDS = sizeof testbeds / sizeof testbeds[0] };

#endif
