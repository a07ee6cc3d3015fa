/* Statistics of a discrete GPU's host: its memory, and the launches of kernels on either side. */
#include "gpu/stat_row.h"

struct host_memory_counts host_memory_take(const struct machine *m)
{
    struct host_memory_counts c = {0};
    uint32_t n = machine_is_discrete(m) ? m->graph.groups[m->host_memory.group].n : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct slice *p = (const struct slice *)part_at(&m->graph, m->host_memory.group, i);
        for (uint32_t b = 0; b < p->config->memory.banks; b++)
            cache_stats_add(&c.llc, cache_stats(p->banks[b].cache));
        c.bypass_reads += p->stats.bypass_reads;
        c.bypass_writes += p->stats.bypass_writes;
        dram_stats_add(&c.dram, dram_stats(p->dram));
    }
    return c;
}

/* What the cores received, if their counters are consistent. */
static bool check_cores(const struct machine *m, struct memory_users *users, struct strbuf *why)
{
    bool ok = true;
    for (uint32_t i = 0; i < m->n_cpus + m->n_workers; i++) {
        const struct cpu_core *c =
            i < m->n_cpus ? machine_cpu(m, i) : machine_worker(m, i - m->n_cpus);
        ok &= cpu_core_check(c, why);
        users->bytes_got += c->caches.bytes_got;
    }
    return ok;
}

bool machine_check_host(const struct machine *m, struct strbuf *why)
{
    const struct pcie *p = machine_pcie(m);
    const struct part_group *slices = &m->graph.groups[m->host_memory.group];
    struct memory_users users = {.bytes_got = p->bytes_got, .transfers = p->lines_asked};
    struct machine_totals t = {.up_tx = part_graph_tx_stats(&m->graph, NET_HOST),
                               .up_rx = part_graph_rx_stats(&m->graph, NET_HOST),
                               .down_tx = part_graph_tx_stats(&m->graph, NET_HOST_DOWN),
                               .down_rx = part_graph_rx_stats(&m->graph, NET_HOST_DOWN)};
    for (uint32_t i = 0; i < slices->n; i++)
        totals_add_slice(part_at(&m->graph, m->host_memory.group, i), &t, m->engine.now);
    bool ok = check_cores(m, &users, why);
    ok &= memory_totals_check(&t, &users, m->host_memory.slices.l2.sector_bytes, why);
    if (!ok)
        strbuf_add(why, "  in the memory system of the host\n");
    return ok;
}

static double get_ns(const struct machine_totals *t)
{
    const struct testbed_counts *c = &t->host.testbed;
    return (double)(c->kernel_ns + c->upload_ns + c->readback_ns);
}

const struct stat_row host_rows[] = {
    ROW_RATIO("testbed.ns", "ns", "time of timed launches: kernel, and transfers of its buffers",
              get_ns),
    ROW_COUNT("testbed.launches", "launches", "timed launches", host.testbed.launches),
    ROW_COUNT("testbed.kernel_ns", "ns", "time of kernels alone", host.testbed.kernel_ns),
    ROW_COUNT("testbed.upload_ns", "ns",
              "time of transfers to the GPU of the buffers that kernels read",
              host.testbed.upload_ns),
    ROW_COUNT("testbed.readback_ns", "ns",
              "time of transfers from the GPU of the buffers that kernels write",
              host.testbed.readback_ns),
    ROW_COUNT("testbed.bytes_up", "bytes", "moved to the GPU for these launches",
              host.testbed.bytes_up),
    ROW_COUNT("testbed.bytes_down", "bytes", "moved back", host.testbed.bytes_down),
    ROW_COUNT("testbed.repeats", "times",
              "times that the launch was repeated because CPU programs had not ended yet",
              host.testbed.repeats),
    ROW_COUNT("testbed.longest_launch", "launch",
              "the first of the longest launches, counted from 1", longest.launch),
    ROW_COUNT("testbed.longest_ns", "ns", "its time", longest.ns),
    ROW_COUNT("testbed.sample_llc_misses", "accesses",
              "last-level cache misses of CPU programs in the last whole testbed.sample_us before "
              "a launch",
              sample.llc_misses),
    ROW_COUNT("testbed.sample_dram_bytes", "bytes", "bytes of the host's DRAM in the same time",
              sample.dram_bytes),
#define COUNTER(field, unit, help)                                                                 \
    ROW_COUNT("cmp." #field, unit, "of all CPU cores that run kernels: " help, host.workers.field),
    CPU_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, unit, help)                                                           \
    ROW_COUNT("host_dram." name, unit, help, host.memory.dram.field),
        DRAM_COUNTERS(COUNTER)
#undef COUNTER
            ROW_COUNT("host_dram.reads_past_llc", "lines", "read by transfers",
                      host.memory.bypass_reads),
    ROW_COUNT("host_dram.writes_past_llc", "lines", "written by transfers",
              host.memory.bypass_writes),
};
const uint32_t n_host_rows = sizeof host_rows / sizeof host_rows[0];
