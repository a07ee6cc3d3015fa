/* Memory systems of random machines: address maps, DRAM's schedulers, ports back to SMs, and L2s
 * with short lines. */
#include "determinism/random_testbed.h"

#include <string.h>

#include "config/gpu.h"

enum { MAX_GROUPS = 4, MAX_GROUP = 10 };

/* One machine in `one_in` gets one group of settings of each kind. */
static const struct kind {
    uint32_t one_in;
    const char *groups[MAX_GROUPS][MAX_GROUP];
} kinds[] = {
    {4,
     {{"memory.hash_partitions=true", "memory.n_partitions=16"},
      {"memory.hash_partitions=true", "memory.n_partitions=32"},
      {"memory.hash_partitions=false", "memory.n_partitions=16"},
      {"memory.hash_partitions=false", "memory.n_partitions=5"}}},
    {3,
     {{"memory.interleave_bytes=128"},
      {"memory.interleave_bytes=384"},
      {"memory.interleave_bytes=512"},
      {"memory.interleave_bytes=2048"}}},
    {3, {{"dram.scheduler=fcfs"}}},
    {3,
     {{"dram.bank_interleave_bytes=0"},
      {"dram.bank_interleave_bytes=128"},
      {"dram.bank_interleave_bytes=384"},
      {"dram.bank_interleave_bytes=2048"}}},
    {2, {{"dram.permute_banks=false"}, {"dram.permute_banks=true"}}},
    {4, {{"dram.n_banks=6"}, {"dram.row_bytes=1536"}}},
    {3, {{"noc.flits_per_cycle_down=2"}, {"noc.flits_per_cycle_down=4"}}},
    {2, {{"l2.index=hash"}, {"l2.index=linear"}}},
    {4,
     {{"l1i.line_bytes=64", "l1i.sector_bytes=64", "l1c.line_bytes=64", "l1c.sector_bytes=64",
       "l1d.line_bytes=64", "l1d.sector_bytes=64", "sm.bypass_bytes=64", "l2.line_bytes=64",
       "l2.sector_bytes=64"},
      {"l1i.line_bytes=64", "l1i.sector_bytes=64", "l1c.line_bytes=32", "l1c.sector_bytes=32",
       "l1d.line_bytes=32", "l1d.sector_bytes=32", "sm.bypass_bytes=32", "l2.line_bytes=64",
       "l2.sector_bytes=32"},
      {"l1i.line_bytes=32", "l1i.sector_bytes=32", "l1c.line_bytes=32", "l1c.sector_bytes=32",
       "l1d.line_bytes=32", "l1d.sector_bytes=32", "sm.bypass_bytes=32", "l2.line_bytes=32",
       "l2.sector_bytes=32"}}},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static uint32_t n_groups(const struct kind *k)
{
    uint32_t n = 0;
    while (n < MAX_GROUPS && k->groups[n][0])
        n++;
    return n;
}

/* Adds the settings, if the machine can then still be built. */
static void add_group(struct testbed *bed, const char *const *group)
{
    uint32_t n = 0, most = sizeof bed->settings / sizeof bed->settings[0] - 1;
    while (bed->settings[n])
        n++;
    for (uint32_t i = 0; group[i] && n + i < most; i++)
        bed->settings[n + i] = group[i];
    if (!testbed_is_accepted(bed))
        memset(bed->settings + n, 0, (most - n) * sizeof bed->settings[0]);
}

void random_testbed_set_memory(struct testbed *bed, uint64_t seed)
{
    struct workload_rng rng = {seed ^ UINT64_C(0x3e3069)};
    for (uint32_t i = 0; i < N_KINDS; i++) {
        bool drawn = workload_rng_below(&rng, kinds[i].one_in) == 0;
        uint32_t group = workload_rng_below(&rng, n_groups(&kinds[i]));
        if (drawn)
            add_group(bed, kinds[i].groups[group]);
    }
}
