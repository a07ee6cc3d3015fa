/* What a machine has counted, summed over its parts. */
#include <stddef.h>
#include <string.h>

#include "gpu/machine_totals.h"

static void add_words(void *into, const void *from, size_t bytes)
{
    uint64_t *a = into;
    const uint64_t *b = from;
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        a[i] += b[i];
}

static void add_mshrs(const struct cache *c, uint64_t *area, uint64_t *stays)
{
    struct queue_account q = cache_mshr_account(c);
    *area += occupancy_area(&q.occupancy);
    *stays += q.stays;
}

void totals_add_sm(const struct shard *part, struct machine_totals *t, sim_time now)
{
    const struct sm *sm = (const struct sm *)part;
    uint64_t n, first;
    (void)now;
    run_stats_add(&t->run, &sm->run_stats);
    add_words(&t->sm, &sm->stats, sizeof t->sm);
    cache_stats_add(&t->l1d, cache_stats(sm->l1d));
    cache_stats_add(&t->l1i, cache_stats(sm->l1i));
    cache_stats_add(&t->l1c, cache_stats(sm->l1c));
    if (sm->attribution)
        add_words(&t->latency, attribution_stats(sm->attribution), sizeof t->latency);
    cache_lru_differences(sm->l1d, &n, &first);
    t->lru_differences += n;
    t->ldst_area += occupancy_area(&sm->ldst.account.occupancy);
    t->ldst_stays += sm->ldst.account.stays;
    t->miss_area += occupancy_area(&sm->out.account.occupancy);
    t->miss_stays += sm->out.account.stays;
    add_mshrs(sm->l1d, &t->l1_mshr_area, &t->l1_mshr_stays);
    add_mshrs(sm->l1i, &t->l1_mshr_area, &t->l1_mshr_stays);
    add_mshrs(sm->l1c, &t->l1_mshr_area, &t->l1_mshr_stays);
    t->misses_under_way += sm->ldst.n_bypass + cache_mshrs_in_use(sm->l1d) +
                           cache_mshrs_in_use(sm->l1i) + cache_mshrs_in_use(sm->l1c);
}

void totals_add_slice(const struct shard *part, struct machine_totals *t, sim_time now)
{
    const struct slice *p = (const struct slice *)part;
    struct slice_ahead ahead = slice_ahead(p, now);
    for (uint32_t b = 0; b < p->config->memory.banks; b++) {
        const struct l2_bank *bank = &p->banks[b];
        cache_stats_add(&t->l2, cache_stats(bank->cache));
        t->l2_area += occupancy_area(&bank->account.occupancy);
        t->l2_stays += bank->account.stays;
        add_mshrs(bank->cache, &t->l2_mshr_area, &t->l2_mshr_stays);
        t->misses_under_way += cache_mshrs_in_use(bank->cache);
    }
    add_words(&t->slice, &p->stats, sizeof t->slice);
    t->down_tx.messages -= ahead.messages;
    t->down_tx.flits -= ahead.flits;
    dram_stats_add(&t->dram, dram_stats(p->dram));
}

/* What a kind counts itself. */
static void add_counters(struct machine_totals *t, const struct machine *m, uint32_t group)
{
    const struct machine_part_kind *kind = machine_kind(m, group);
    assert(t->n_counters + kind->n_counters <= MACHINE_MAX_PART_COUNTERS);
    for (uint32_t c = 0; c < kind->n_counters; c++) {
        const struct part_counter *counter = &kind->counters[c];
        for (uint32_t i = 0; i < m->graph.groups[group].n; i++) {
            const char *part = (const char *)part_at(&m->graph, group, i);
            t->counted[t->n_counters] += *(const uint64_t *)(const void *)(part + counter->at);
        }
        t->counters[t->n_counters++] = counter;
    }
}

static void add_ports(struct machine_totals *t, const struct part_graph *g)
{
    t->up_tx = part_graph_tx_stats(g, NET_UP);
    t->up_rx = part_graph_rx_stats(g, NET_UP);
    t->down_tx = part_graph_tx_stats(g, NET_DOWN);
    t->down_rx = part_graph_rx_stats(g, NET_DOWN);
}

/* What a miss of the cache requests, if it is the same for all. */
static uint32_t fetch_bytes(const struct cache_config *c)
{
    return c->sector_bytes == c->line_bytes ? c->line_bytes : 0;
}

void machine_totals_take_live(const struct machine *m, uint64_t cycle, struct machine_totals *t)
{
    memset(t, 0, sizeof *t);
    t->l1d_fetch_bytes = fetch_bytes(&m->config->sm.l1d);
    t->l1i_fetch_bytes = fetch_bytes(&m->config->sm.l1i);
    t->l1c_fetch_bytes = fetch_bytes(&m->config->sm.l1c);
    t->cycles = m->stats.cycles;
    t->wait_cycles = m->stats.wait_cycles;
    t->elapsed_cycles = m->kernel_free_at / m->clocks[CLOCK_CORE].period;
    t->n_sms = machine_n_sms(m);
    t->warps_per_sm = m->config->gpu->warps_per_sm;
    t->is_attributed = m->options.attribute;
    add_ports(t, &m->graph);
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->add_totals)
            p.kind->add_totals(p.shard, t, m->engine.now);
    for (uint32_t group = 0; group < m->graph.n_groups; group++)
        add_counters(t, m, group);
    for (uint32_t cause = 0; cause < N_CACHE_STALLS; cause++)
        t->reservation_fails += t->sm.stall_cycles[cause];
    for (uint32_t i = 0; i < m->n_cpus && !machine_is_discrete(m); i++)
        t->cpu_bytes_got += machine_cpu(m, i)->caches.bytes_got;
    mechanism_totals_take(m, cycle, &t->mechanisms);
    t->host.testbed = m->testbed;
    t->host.memory = host_memory_take(m);
    t->is_discrete = machine_is_discrete(m);
    t->longest = m->longest;
    t->sample = m->sample;
    mix_totals_take(m, t);
}

void machine_totals_take(const struct machine *m, uint64_t cycle, struct machine_totals *t)
{
    if (!m->frozen) {
        machine_totals_take_live(m, cycle, t);
        return;
    }
    *t = *m->frozen;
    if (!m->is_settled) {
        t->host.memory = host_memory_take(m);
        t->sample = m->sample;
        mechanism_totals_take_host(m, cycle, &t->mechanisms);
        mix_totals_take(m, t);
    }
}

/* All counters precede the fields that only describe the machine. */
enum { COUNTED_BYTES = offsetof(struct machine_totals, n_sms) };
_Static_assert(COUNTED_BYTES % sizeof(uint64_t) == 0, "totals are words");

void machine_totals_add(struct machine_totals *into, const struct machine_totals *from)
{
    add_words(into, from, COUNTED_BYTES);
    memcpy((char *)into + COUNTED_BYTES, (const char *)from + COUNTED_BYTES,
           offsetof(struct machine_totals, mechanisms) - COUNTED_BYTES);
    mechanism_totals_add(&into->mechanisms, &from->mechanisms);
}

void machine_totals_subtract(struct machine_totals *from, const struct machine_totals *before)
{
    uint64_t *a = (uint64_t *)from;
    const uint64_t *b = (const uint64_t *)before;
    for (size_t i = 0; i < COUNTED_BYTES / sizeof *a; i++)
        a[i] -= b[i];
    mechanism_totals_subtract(&from->mechanisms, &before->mechanisms);
}

void machine_run_stats(const struct machine *m, struct run_stats *into)
{
    if (m->frozen) { /* repeated launches do not count */
        run_stats_add(into, &m->frozen->run);
        return;
    }
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->add_run_stats)
            p.kind->add_run_stats(p.shard, into);
}
