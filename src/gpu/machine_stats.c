/* The statistics of a machine: sums over its parts, ratios, and the identities that must hold. */
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

/* What a kind counts for itself. */
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

/* What a miss of the cache asks for, if it is the same for all. */
static uint32_t fetch_bytes(const struct cache_config *c)
{
    return c->sector_bytes == c->line_bytes ? c->line_bytes : 0;
}

/* Whatever was frozen. */
static void take_live(const struct machine *m, uint64_t cycle, struct machine_totals *t)
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
        take_live(m, cycle, t);
        return;
    }
    *t = *m->frozen;
    if (!m->is_settled) {
        t->host.memory = host_memory_take(m);
        t->sample = m->sample;
        mix_totals_take(m, t);
    }
}

/* All that is counted comes before what only describes the machine. */
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
    if (m->frozen) { /* launches that are repeated do not count */
        run_stats_add(into, &m->frozen->run);
        return;
    }
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->add_run_stats)
            p.kind->add_run_stats(p.shard, into);
}

/* --- rows --- */

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static double get_ipc(const struct machine_totals *t)
{
    return ratio(t->run.thread_insts, t->cycles);
}

static double get_mpki(const struct machine_totals *t)
{
    return 1000 * ratio(t->l1d.misses + t->l1d.bypasses, t->run.thread_insts);
}

static double get_mpki_no_bypass(const struct machine_totals *t)
{
    return 1000 * ratio(t->l1d.misses, t->run.thread_insts);
}

static double get_hit_rate(const struct machine_totals *t)
{
    return ratio(t->l1d.hits + t->l1d.merges, t->l1d.loads - t->l1d.bypasses);
}

static double get_kept_loads(const struct machine_totals *t)
{
    return (double)(t->l1d.loads - t->l1d.bypasses);
}

static double get_access_ratio(const struct machine_totals *t)
{
    return ratio(t->l1d.loads + t->l1d.stores, t->run.thread_insts);
}

static double get_zero_reuse(const struct machine_totals *t)
{
    return ratio(t->l1d.evictions_unused, t->l1d.evictions);
}

static double get_disparity(const struct machine_totals *t)
{
    const struct pace_stats *p = &t->latency.pace;
    return ratio(p->slowest_cycles - p->fastest_cycles, p->fastest_cycles);
}

static double get_idle(const struct machine_totals *t)
{
    return ratio(t->latency.pace.idle_cycles, t->latency.pace.cta_warp_cycles);
}

static double get_accuracy(const struct machine_totals *t)
{
    return ratio(t->latency.pace.slow, t->latency.pace.samples);
}

/* A warp that is alone is slow whatever is predicted. */
static double get_accuracy_among_others(const struct machine_totals *t)
{
    const struct pace_stats *p = &t->latency.pace;
    return ratio(p->slow_among_others, p->samples - p->samples_alone);
}

static double get_inversion(const struct machine_totals *t)
{
    return ratio(t->latency.pace.inversions, t->latency.pace.ctas);
}

static double get_inversion_by_fast(const struct machine_totals *t)
{
    return ratio(t->latency.pace.inversions_by_fast, t->latency.pace.ctas);
}

static double get_critical_hit_rate(const struct machine_totals *t)
{
    return ratio(t->latency.critical_hits, t->latency.critical_loads);
}

static double get_occupancy(const struct machine_totals *t)
{
    return ratio(t->sm.warp_cycles, t->cycles * t->n_sms * t->warps_per_sm);
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
#define RATIO(name, unit, help, fn)                                                                \
    {                                                                                              \
        name, unit, help, 0, fn                                                                    \
    }
#define STALL(name, cause, help)                                                                   \
    COUNT("l1d.reservation_fails." name, "cycles", help, sm.stall_cycles[cause])

static const struct row rows[] = {
    COUNT("cycles", "core cycles", "time of all launches, overheads included", cycles),
    COUNT("wait_cycles", "core cycles",
          "time after launches: from the end of each until stores, write-backs and credits have "
          "come to rest and the next one may begin",
          wait_cycles),
    COUNT("elapsed_cycles", "core cycles",
          "cycles + wait_cycles: where the time axis of --series, --timeline and --attribute-out "
          "ends",
          elapsed_cycles),
    RATIO("ipc", "instructions/cycle", "thread instructions per core cycle", get_ipc),
    RATIO("occupancy", "fraction", "resident warps against what the machine holds", get_occupancy),
#define COUNTER(field, name, unit, help) COUNT(name, unit, help, sm.field),
    SM_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, help) COUNT("l1d." name, "accesses", help, l1d.field),
        CACHE_COUNTERS(COUNTER)
#undef COUNTER
            RATIO("l1d.mpki", "per 1000 instructions",
                  "misses and bypasses per 1000 thread instructions", get_mpki),
    RATIO("l1d.mpki_no_bypass", "per 1000 instructions", "misses per 1000 thread instructions",
          get_mpki_no_bypass),
    RATIO("l1d.hit_rate", "fraction", "hits and merges among loads that were not bypassed",
          get_hit_rate),
    RATIO("l1d.kept_loads", "accesses", "loads that were not bypassed: L1D's traffic in S2",
          get_kept_loads),
    RATIO("l1d.access_ratio", "fraction",
          "L1D loads and stores per thread instruction: S2's memory access ratio",
          get_access_ratio),
    RATIO("l1d.zero_reuse", "fraction", "replaced lines that were never hit or merged with",
          get_zero_reuse),
    COUNT("l1d.lru_differences", "decisions", "decisions that differed from LRU's",
          lru_differences),
    COUNT("l1d.reservation_fails", "cycles", "cycles accesses waited at L1D, for any cause",
          reservation_fails),
    STALL("mshr", STALL_MSHR, "cycles an access waited for a free MSHR"),
    STALL("merge", STALL_MERGE, "cycles an access waited for room in its line's MSHR"),
    STALL("line", STALL_LINE, "cycles an access waited for a line that is not reserved"),
    STALL("miss_queue", STALL_MISS_QUEUE, "cycles an access waited for the miss queue"),
    STALL("port", STALL_PORT, "cycles an access waited for the interconnect"),
    STALL("bypass_table", STALL_BYPASS_TABLE, "cycles an access waited for a bypass slot"),
    STALL("atomics", STALL_ATOMICS,
          "cycles an atomic waited for the queue of those that the SM performs"),
#define COUNTER(field, name, help) COUNT("l1i." name, "accesses", help, l1i.field),
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, help) COUNT("l1c." name, "accesses", help, l1c.field),
        CACHE_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, unit, help) COUNT(name, unit, help, slice.field),
            SLICE_COUNTERS(COUNTER)
#undef COUNTER
#define COUNTER(field, name, help) COUNT("l2." name, "accesses", help, l2.field),
                CACHE_COUNTERS(COUNTER)
#undef COUNTER
                    COUNT("noc.messages_up", "messages", "requests sent to partitions",
                          up_tx.messages),
    COUNT("noc.flits_up", "flits", "flits sent to partitions", up_tx.flits),
    COUNT("noc.messages_down", "messages", "replies sent to SMs", down_tx.messages),
    COUNT("noc.flits_down", "flits", "flits sent to SMs", down_tx.flits),
#define COUNTER(field, name, unit, help) COUNT("dram." name, unit, help, dram.field),
    DRAM_COUNTERS(COUNTER)
#undef COUNTER
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* These follow, on machines that attribute latencies. */
#define STRUCTURAL(name, unit, help)                                                               \
    COUNT("attribution.structural_hazard." name, "warp cycles", help, latency.structural[unit])
static const struct row attribution_rows[] = {
#define LATENCY(id, name, title, help)                                                             \
    COUNT("attribution." name, "warp cycles", help, latency.cycles[LATENCY_##id]),
    LATENCIES(LATENCY)
#undef LATENCY
        STRUCTURAL("sp", UNIT_SP, "no SP unit takes it"),
    STRUCTURAL("int", UNIT_INT, "no unit for integers takes it"),
    STRUCTURAL("fp64", UNIT_FP64, "no unit for 64-bit floating point takes it"),
    STRUCTURAL("sfu", UNIT_SFU, "no SFU takes it"),
    STRUCTURAL("ldst", UNIT_LDST, "the load/store unit is full"),
    COUNT("attribution.live_warps", "warps",
          "warps that a launch which was cut off left alive; their cycles till then are counted",
          latency.cut),
    COUNT("attribution.cta.ctas", "CTAs", "CTAs of more than one warp, whose warps are compared",
          latency.pace.ctas),
    COUNT("attribution.cta.idle_cycles", "warp cycles",
          "from the exits of warps to that of the slowest one of their CTA",
          latency.pace.idle_cycles),
    COUNT("attribution.cta.slowest_cycles", "warp cycles", "lives of the slowest warps of CTAs",
          latency.pace.slowest_cycles),
    COUNT("attribution.cta.fastest_cycles", "warp cycles", "lives of the fastest warps of CTAs",
          latency.pace.fastest_cycles),
#define LATENCY(id, name, title, help)                                                             \
    COUNT("attribution.cta.slowest." name, "warp cycles", "of the slowest warps of CTAs: " help,   \
          latency.pace.slowest[LATENCY_##id]),
    LATENCIES(LATENCY)
#undef LATENCY
#define LATENCY(id, name, title, help)                                                             \
    COUNT("attribution.cta.fastest." name, "warp cycles", "of the fastest warps of CTAs: " help,   \
          latency.pace.fastest[LATENCY_##id]),
        LATENCIES(LATENCY)
#undef LATENCY
            RATIO("attribution.cta.disparity", "fraction",
                  "slowest against fastest warps of CTAs: (slowest - fastest) / fastest "
                  "(S3 section 4.1.1)",
                  get_disparity),
    RATIO("attribution.cta.idle", "fraction",
          "idle_cycles against the time in which their CTAs were resident (S3 Fig. 3.3)", get_idle),
    COUNT("attribution.criticality.samples", "samples",
          "of the slowest warp of each CTA, every 256 cycles, with a criticality provider",
          latency.pace.samples),
    COUNT("attribution.criticality.samples_alone", "samples",
          "of these, with no other warp of the CTA alive", latency.pace.samples_alone),
    COUNT("attribution.criticality.slow", "samples",
          "in which it was more critical than at least half of the other warps of its CTA, those "
          "that have ended among them",
          latency.pace.slow),
    COUNT("attribution.criticality.slow_among_others", "samples",
          "in which others were alive and it was more critical than at least half of them",
          latency.pace.slow_among_others),
    RATIO("attribution.criticality.accuracy", "fraction", "slow / samples (S3 section 4.3.3)",
          get_accuracy),
    RATIO("attribution.criticality.accuracy_among_others", "fraction",
          "slow_among_others / (samples - samples_alone): warps that have ended count for nothing",
          get_accuracy_among_others),
    COUNT("attribution.criticality.inversions", "CTAs",
          "with the provider oracle, of CTAs of more than one warp: whose slowest warp is not the "
          "slowest of the recorded run",
          latency.pace.inversions),
    RATIO("attribution.criticality.inversion", "fraction",
          "inversions / attribution.cta.ctas (S3 Table 3.3)", get_inversion),
    COUNT("attribution.criticality.inversions_by_fast", "CTAs",
          "with the provider oracle, of CTAs of more than one warp: whose slowest warp was faster "
          "than the mean of its CTA in the recorded run",
          latency.pace.inversions_by_fast),
    RATIO("attribution.criticality.inversion_by_fast", "fraction",
          "inversions_by_fast / attribution.cta.ctas", get_inversion_by_fast),
    COUNT("attribution.criticality.l1d_loads", "accesses",
          "loads of L1D, not bypassed, by warps that are critical as the provider then says",
          latency.critical_loads),
    COUNT("attribution.criticality.l1d_hits", "accesses", "of these, hits and merges",
          latency.critical_hits),
    RATIO("attribution.criticality.l1d_hit_rate", "fraction", "l1d_hits / l1d_loads (S3 Fig. 4.14)",
          get_critical_hit_rate),
};
enum { N_ATTRIBUTION_ROWS = sizeof attribution_rows / sizeof attribution_rows[0] };

static uint32_t plain_rows(bool is_attributed)
{
    return is_attributed ? N_ROWS + N_ATTRIBUTION_ROWS : N_ROWS;
}

/* Of machines with CPU cores others follow. */
static uint32_t own_rows(bool is_attributed, uint32_t n_apps, bool is_discrete)
{
    return plain_rows(is_attributed) + mix_row_count(n_apps) + (is_discrete ? n_host_rows : 0);
}

/* Behind those of kinds of parts. */
uint32_t machine_first_mechanism_stat(const struct machine *m)
{
    uint32_t n = own_rows(m->options.attribute, m->llc.n_apps, machine_is_discrete(m));
    for (uint32_t group = 0; group < m->graph.n_groups; group++)
        n += machine_kind(m, group)->n_counters;
    return n;
}

uint32_t machine_stat_count(const struct machine *m)
{
    return m ? machine_first_mechanism_stat(m) + m->mechanisms.n
             : own_rows(true, MIX_MAX_APPS, true);
}

static struct heddle_stat counter_stat(const struct machine_totals *t, uint32_t i)
{
    const struct part_counter *c = t->counters[i];
    return (struct heddle_stat){
        .name = c->name, .unit = c->unit, .help = c->help, .count = t->counted[i]};
}

struct heddle_stat machine_totals_stat(const struct machine_totals *t, uint32_t i)
{
    uint32_t n_apps = t->mechanisms.of ? t->mix_now.n_apps : MIX_MAX_APPS;
    bool is_discrete = !t->mechanisms.of || t->is_discrete;
    uint32_t n_own = own_rows(t->is_attributed, n_apps, is_discrete), n_parts = t->n_counters;
    if (t->mechanisms.of && i >= n_own + n_parts)
        return mechanism_totals_stat(&t->mechanisms, i - n_own - n_parts);
    if (n_parts && i >= n_own)
        return counter_stat(t, i - n_own);
    if (is_discrete && i >= n_own - n_host_rows)
        return host_row(t, i - (n_own - n_host_rows));
    if (i >= plain_rows(t->is_attributed))
        return mix_row(t, i - plain_rows(t->is_attributed));
    const struct row *r = i < N_ROWS ? &rows[i] : &attribution_rows[i - N_ROWS];
    struct heddle_stat s = {
        .name = r->name, .unit = r->unit, .help = r->help, .is_real = r->get != NULL};
    if (r->get)
        s.real = r->get(t);
    else
        memcpy(&s.count, (const char *)t + r->at, sizeof s.count);
    return s;
}

struct heddle_stat machine_stat_at(const struct machine *m, uint32_t i)
{
    struct machine_totals t = {.is_attributed = !m}; /* all that there may be */
    if (m)
        machine_totals_take(m, machine_cycle(m), &t);
    return machine_totals_stat(&t, i);
}

/* --- identities --- */

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
                    "latencies of the slowest and fastest warps sum up to their lives", why);
    ok &= check(p->samples_alone <= p->slow && p->slow <= p->samples,
                "a warp that is alone is slow, and a slow one is sampled", why);
    ok &= check(p->slow_among_others + p->samples_alone <= p->slow,
                "who is slow among the live warps of a CTA is slow among all of them", why);
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
    bool ok = check(t->latency.broken == 0, "the latencies of a warp sum up to its lifetime", why);
    ok &= check(t->latency.warps == t->run.warps, "every warp's latencies are attributed", why);
    ok &= check(t->latency.cycles[LATENCY_EXEC] == t->sm.issued, "attribution.exec == sm.issued",
                why);
    ok &= check(sum == t->sm.warp_cycles + t->latency.twice, "latencies sum up to sm.warp_cycles",
                why);
    ok &= check(structural == t->latency.cycles[LATENCY_STRUCTURAL_HAZARD],
                "structural hazards of all units sum up", why);
    ok &= check(t->latency.critical_loads <= t->l1d.loads - t->l1d.bypasses &&
                    t->latency.critical_hits <= t->l1d.hits + t->l1d.merges,
                "loads and hits of critical warps are among those of all", why);
    ok &= check_pace(&t->latency.pace, why);
    return ok;
}

/* Did the misses of an L1 ask for what has filled it? */
static bool check_fetches(uint64_t asked, const struct cache_stats *s, uint32_t bytes,
                          const char *what, struct strbuf *why)
{
    return check(!bytes || asked == (s->fills + s->fills_dropped) * bytes, what, why);
}

/* From L2 to the registers and back nothing is lost, doubled or made up. */
static bool check_bytes(const struct machine_totals *t, struct strbuf *why)
{
    const uint64_t *asked = t->sm.bytes_asked;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N_ORIGINS; i++)
        sum += asked[i];
    bool ok = check(sum == t->sm.bytes_got, "SMs get the bytes they ask for", why);
    ok &= check_fetches(asked[FROM_L1D] + asked[FROM_ATOMIC_FETCH], &t->l1d, t->l1d_fetch_bytes,
                        "L1D is filled with the bytes it asks for", why);
    ok &= check_fetches(asked[FROM_L1I], &t->l1i, t->l1i_fetch_bytes,
                        "L1I is filled with the bytes it asks for", why);
    ok &= check_fetches(asked[FROM_L1C], &t->l1c, t->l1c_fetch_bytes,
                        "L1C is filled with the bytes it asks for", why);
    return ok;
}

/* From DRAM to those who ask and back. */
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
                "SMs and CPU cores get the bytes that L2 sends", why);
    ok &= check(t->dram.bytes == sectors * sector_bytes, "DRAM moves whole sectors", why);
    ok &= check(t->slice.sectors_read >= t->l2.sectors_fetched, "sectors that L2 asks for are read",
                why);
    ok &= check(t->dram.reads == t->l2.fills + t->l2.fills_dropped + t->slice.reads_around,
                "DRAM reads == L2 fills + reads around it", why);
    ok &=
        check(t->dram.writes == t->l2.writebacks - t->slice.lines_flushed + t->slice.writes_around,
              "DRAM writes == L2 write-backs + writes around it", why);
    ok &= check(t->l2_area == t->l2_stays, "L2 input queues: length x time == stays", why);
    ok &= check(t->l2_mshr_area == t->l2_mshr_stays, "MSHRs of L2: number x time == stays", why);
    ok &= check(t->misses_under_way == 0, "no miss is under way between kernels", why);
    return ok;
}

/* What holds at the end of a launch while CPU cores go on. */
static bool check_of_gpu(const struct machine_totals *t, struct strbuf *why)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N_ORIGINS; i++)
        sum += t->sm.bytes_asked[i];
    bool ok = cache_stats_check(&t->l1d, why);
    ok &= cache_stats_check(&t->l1i, why);
    ok &= cache_stats_check(&t->l1c, why);
    ok &= cache_stats_check(&t->l2, why);
    ok &= check(sum == t->sm.bytes_got, "SMs get the bytes they ask for", why);
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
    take_live(m, machine_cycle(m), &t);
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
