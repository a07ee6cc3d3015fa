/* What native programs do before a launch, as HeteroPDP sees it (S3 section 6.4.3): misses of the
 * last-level cache and bytes of the host's DRAM in the last whole sample before the first timed
 * launch. */
#include "gpu/machine_totals.h"

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct testbed_sample *s = user;
    uint64_t misses = 0, bytes = host_memory_take(m).dram.bytes;
    if (s->is_over || !cycle)
        return;
    for (uint32_t i = 0; i < m->n_cpus; i++)
        misses += machine_cpu(m, i)->caches.llc_misses;
    s->llc_misses = misses - s->llc_misses_before;
    s->dram_bytes = bytes - s->dram_bytes_before;
    s->llc_misses_before = misses;
    s->dram_bytes_before = bytes;
    s->n++;
}

void testbed_sample_watch(struct machine *m)
{
    uint64_t us = m->config->testbed.sample_us;
    if (us && machine_is_discrete(m) && m->n_cpus)
        machine_watch(m, (struct machine_watcher){.period_cycles = us * m->clocks[CLOCK_CORE].mhz,
                                                  .look = look,
                                                  .user = &m->sample});
}
