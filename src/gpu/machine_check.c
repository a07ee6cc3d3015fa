/* The identities that must hold between the counters of a machine. */
#include "gpu/machine_totals.h"

static bool check(bool holds, const char *what, struct strbuf *why)
{
    if (!holds)
        strbuf_addf(why, "  %s\n", what);
    return holds;
}

static bool check_pace(const struct pace_stats *p, struct strbuf *why)
{
    uint64_t slowest = 0, fastest = 0;
    for (uint32_t i = 0; i < N_LATENCIES; i++) {
        slowest += p->slowest[i];
        fastest += p->fastest[i];
    }
    bool ok = check(slowest == p->slowest_cycles + p->slowest_twice &&
                        fastest == p->fastest_cycles + p->fastest_twice,
                    "latencies of the slowest and fastest warps sum to their lifetimes", why);
    ok &= check(p->samples_alone <= p->slow && p->slow <= p->samples,
                "a warp that is alone is slow, and a slow one is sampled", why);
    ok &= check(p->slow_among_others + p->samples_alone <= p->slow,
                "a warp that is slow among the live warps of a CTA is slow among all of them", why);
    ok &= check(p->inversions_by_fast <= p->inversions && p->inversions <= p->ctas,
                "a warp faster than the mean is not the slowest", why);
    return ok;
}

static bool check_latency(const struct machine_totals *t, struct strbuf *why)
{
    uint64_t sum = 0, structural = 0;
    for (uint32_t i = 0; i < N_LATENCIES; i++)
        sum += t->latency.cycles[i];
    for (uint32_t i = 0; i < N_UNITS; i++)
        structural += t->latency.structural[i];
    bool ok = check(t->latency.broken == 0, "the latencies of a warp sum to its lifetime", why);
    ok &= check(t->latency.warps == t->run.warps, "every warp's latencies are attributed", why);
    ok &= check(t->latency.cycles[LATENCY_EXEC] == t->sm.issued, "attribution.exec == sm.issued",
                why);
    ok &=
        check(sum == t->sm.warp_cycles + t->latency.twice, "latencies sum to sm.warp_cycles", why);
    ok &= check(structural == t->latency.cycles[LATENCY_STRUCTURAL_HAZARD],
                "structural hazards of all units sum to the total", why);
    ok &= check(t->latency.critical_loads <= t->l1d.loads - t->l1d.bypasses &&
                    t->latency.critical_hits <= t->l1d.hits + t->l1d.merges,
                "loads and hits of critical warps are among those of all", why);
    ok &= check_pace(&t->latency.pace, why);
    return ok;
}

/* Did the misses of an L1 request what has filled it? */
static bool check_fetches(uint64_t asked, const struct cache_stats *s, uint32_t bytes,
                          const char *what, struct strbuf *why)
{
    return check(!bytes || asked == (s->fills + s->fills_dropped) * bytes, what, why);
}

/* Between L2 and the registers nothing is lost, duplicated or invented. */
static bool check_bytes(const struct machine_totals *t, struct strbuf *why)
{
    const uint64_t *asked = t->sm.bytes_asked;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N_ORIGINS; i++)
        sum += asked[i];
    bool ok = check(sum == t->sm.bytes_got, "SMs receive the bytes they request", why);
    ok &= check_fetches(asked[FROM_L1D] + asked[FROM_ATOMIC_FETCH], &t->l1d, t->l1d_fetch_bytes,
                        "L1D is filled with the bytes it requests", why);
    ok &= check_fetches(asked[FROM_L1I], &t->l1i, t->l1i_fetch_bytes,
                        "L1I is filled with the bytes it requests", why);
    ok &= check_fetches(asked[FROM_L1C], &t->l1c, t->l1c_fetch_bytes,
                        "L1C is filled with the bytes it requests", why);
    return ok;
}

/* Between DRAM and the requesters. */
bool memory_totals_check(const struct machine_totals *t, const struct memory_users *users,
                         uint32_t sector_bytes, struct strbuf *why)
{
    uint64_t sectors = t->slice.sectors_read + t->slice.sectors_written;
    bool ok = cache_stats_check(&t->l2, why);
    ok &= dram_stats_check(&t->dram, why);
    ok &= noc_is_conserved(&t->up_tx, &t->up_rx, why);
    ok &= noc_is_conserved(&t->down_tx, &t->down_rx, why);
    ok &= check(t->slice.accesses + users->transfers == t->up_tx.messages,
                "every request is served by L2 once", why);
    ok &= check(t->l2.loads + t->l2.stores == t->slice.accesses,
                "l2.loads + l2.stores == l2.accesses", why);
    ok &= check(users->bytes_got == t->slice.bytes_sent,
                "SMs and CPU cores receive the bytes that L2 sends", why);
    ok &= check(t->dram.bytes == sectors * sector_bytes, "DRAM moves whole sectors", why);
    ok &= check(t->slice.sectors_read >= t->l2.sectors_fetched, "sectors that L2 requests are read",
                why);
    ok &= check(t->dram.reads == t->l2.fills + t->l2.fills_dropped + t->slice.bypass_reads,
                "DRAM reads == L2 fills + reads that bypass it", why);
    ok &=
        check(t->dram.writes == t->l2.writebacks - t->slice.lines_flushed + t->slice.bypass_writes,
              "DRAM writes == L2 write-backs + writes that bypass it", why);
    ok &= check(t->l2_area == t->l2_stays, "L2 input queues: length x time == stays", why);
    ok &= check(t->l2_mshr_area == t->l2_mshr_stays, "MSHRs of L2: number x time == stays", why);
    ok &= check(t->misses_under_way == 0, "no miss is in flight between kernels", why);
    return ok;
}

/* What holds at the end of a launch while CPU cores continue. */
static bool check_of_gpu(const struct machine_totals *t, struct strbuf *why)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N_ORIGINS; i++)
        sum += t->sm.bytes_asked[i];
    bool ok = cache_stats_check(&t->l1d, why);
    ok &= cache_stats_check(&t->l1i, why);
    ok &= cache_stats_check(&t->l1c, why);
    ok &= cache_stats_check(&t->l2, why);
    ok &= check(sum == t->sm.bytes_got, "SMs receive the bytes they request", why);
    ok &= check(t->sm.issued == t->run.warp_insts, "issued == warp_insts", why);
    ok &= check(t->ldst_area == t->ldst_stays, "load/store queue: length x time == stays", why);
    ok &= check(t->miss_area == t->miss_stays, "miss queues: length x time == stays", why);
    ok &= check(t->l1_mshr_area == t->l1_mshr_stays, "MSHRs of L1: number x time == stays", why);
    ok &= !t->is_attributed || check_latency(t, why);
    return ok;
}

bool machine_check(const struct machine *m, struct strbuf *why)
{
    struct machine_totals t;
    machine_totals_take_live(m, machine_cycle(m), &t);
    bool ok = machine_is_mixed(m) && !m->is_settled
                  ? check_of_gpu(&t, why)
                  : machine_totals_check(&t, m->config->l2.sector_bytes, why);
    if (machine_is_discrete(m) && m->is_settled)
        ok &= machine_check_host(m, why);
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        ok &= !p.kind->check || p.kind->check(p.shard, why);
    return ok;
}

bool machine_totals_check(const struct machine_totals *t, uint32_t l2_sector_bytes,
                          struct strbuf *why)
{
    const struct memory_users users = {.bytes_got = t->sm.bytes_got + t->cpu_bytes_got};
    bool ok = cache_stats_check(&t->l1d, why);
    ok &= cache_stats_check(&t->l1i, why);
    ok &= cache_stats_check(&t->l1c, why);
    ok &= check(t->elapsed_cycles == t->cycles + t->wait_cycles,
                "elapsed_cycles == cycles + wait_cycles", why);
    ok &= check(t->sm.issued == t->run.warp_insts, "issued == warp_insts", why);
    ok &= check(t->l1d.loads == t->sm.load_requests + t->sm.atomic_fetches,
                "l1d.loads == line accesses of loads + fetches for atomics", why);
    ok &=
        check(t->l1d.stores == t->sm.store_requests, "l1d.stores == line accesses of stores", why);
    ok &= check_bytes(t, why);
    ok &= memory_totals_check(t, &users, l2_sector_bytes, why);
    ok &= check(t->ldst_area == t->ldst_stays, "load/store queue: length x time == stays", why);
    ok &= check(t->miss_area == t->miss_stays, "miss queues: length x time == stays", why);
    ok &= check(t->l1_mshr_area == t->l1_mshr_stays, "MSHRs of L1: number x time == stays", why);
    ok &= !t->is_attributed || check_latency(t, why);
    return ok;
}
