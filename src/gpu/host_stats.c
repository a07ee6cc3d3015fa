/* Statistics of a discrete GPU's host: its memory, and the launches of kernels on either side. */
#include <string.h>

#include "gpu/machine_totals.h"

struct host_memory_counts host_memory_take(const struct machine *m)
{
    struct host_memory_counts c = {0};
    uint32_t n = machine_is_discrete(m) ? m->graph.groups[m->host_memory.group].n : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct slice *p = (const struct slice *)part_at(&m->graph, m->host_memory.group, i);
        for (uint32_t b = 0; b < p->config->memory.banks; b++)
            cache_stats_add(&c.llc, cache_stats(p->banks[b].cache));
        c.reads_around += p->stats.reads_around;
        c.writes_around += p->stats.writes_around;
        dram_stats_add(&c.dram, dram_stats(p->dram));
    }
    return c;
}

/* What cores got, if they agree with themselves. */
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

struct row {
    const char *name, *unit, *help;
    size_t at; /* of a counter in struct machine_totals */
    double (*get)(const struct machine_totals *t);
};

#define COUNT(name, unit, help, field)                                                             \
    {                                                                                              \
        name, unit, help, offsetof(struct machine_totals, field), NULL                             \
    }

static const struct row rows[] = {
    {"testbed.ns", "ns", "time of timed launches: kernel, and transfers of its buffers", 0, get_ns},
    COUNT("testbed.launches", "launches", "that were timed", host.testbed.launches),
    COUNT("testbed.kernel_ns", "ns", "of kernels alone", host.testbed.kernel_ns),
    COUNT("testbed.upload_ns", "ns", "of transfers of the buffers that kernels read, to the GPU",
          host.testbed.upload_ns),
    COUNT("testbed.readback_ns", "ns",
          "of transfers of the buffers that kernels write, from the GPU", host.testbed.readback_ns),
    COUNT("testbed.bytes_up", "bytes", "moved to the GPU for these launches",
          host.testbed.bytes_up),
    COUNT("testbed.bytes_down", "bytes", "moved back", host.testbed.bytes_down),
    COUNT("testbed.repeats", "times",
          "that the launch began again, because CPU programs had not ended yet",
          host.testbed.repeats),
    COUNT("testbed.longest_launch", "launch", "the first that took longest, counted from 1",
          longest.launch),
    COUNT("testbed.longest_ns", "ns", "its time", longest.ns),
    COUNT("testbed.sample_llc_misses", "accesses",
          "of CPU programs, in the last whole testbed.sample_us before a launch",
          sample.llc_misses),
    COUNT("testbed.sample_dram_bytes", "bytes", "of the host's DRAM, in the same time",
          sample.dram_bytes),
#define COUNTER(field, unit, help)                                                                 \
    COUNT("cmp." #field, unit, "of all CPU cores that run kernels: " help, host.workers.field),
    CPU_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, unit, help)                                                           \
    COUNT("host_dram." name, unit, help, host.memory.dram.field),
        DRAM_COUNTERS(COUNTER)
#undef COUNTER
            COUNT("host_dram.reads_past_llc", "lines", "read by transfers",
                  host.memory.reads_around),
    COUNT("host_dram.writes_past_llc", "lines", "written by transfers", host.memory.writes_around),
};
const uint32_t n_host_rows = sizeof rows / sizeof rows[0];

struct heddle_stat host_row(const struct machine_totals *t, uint32_t i)
{
    const struct row *r = &rows[i];
    struct heddle_stat s = {
        .name = r->name, .unit = r->unit, .help = r->help, .is_real = r->get != NULL};
    if (r->get)
        s.real = r->get(t);
    else
        memcpy(&s.count, (const char *)t + r->at, sizeof s.count);
    return s;
}
