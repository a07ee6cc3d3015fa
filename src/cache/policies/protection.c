#include "cache/policies/protection.h"

#include <string.h>

/* A tag in the VTA. In each set the most recent one comes first, empty entries come last. */
struct vta_tag {
    uint64_t line;
    uint32_t id;
};
#define NO_TAG UINT64_MAX /* no line has this address: it is not aligned */
enum { TAG_BUCKET_BITS = 11, TAG_BUCKETS = 1 << TAG_BUCKET_BITS };

/* The prediction table, by column: at the end of a sample there is one pass over each column.
 * Entries from n_entries on stay 0. */
struct pdpt {
    uint16_t tda_hits[PDPT_MAX], vta_hits[PDPT_MAX];
    uint8_t pd[PDPT_MAX];
};

struct protection {
    struct pdpt pdpt;
    uint32_t n_entries;
    uint32_t n_loads; /* in this sample */
    uint64_t insts;   /* thread instructions in this sample */
    uint32_t n_sets, vta_ways;
    uint16_t n_tags[TAG_BUCKETS]; /* tags in the VTA, counted by a hash of their lines: mostly 0 */
    uint64_t loads[];             /* per set; followed by struct vta_tag, sets x ways */
};

static uint32_t ways_of_vta(const struct cache_geometry *g, const struct protection_params *params)
{
    return params->vta_ways ? params->vta_ways : g->n_ways;
}

size_t protection_state_bytes(const struct cache_geometry *g, const void *params)
{
    size_t of_set = sizeof(uint64_t) + ways_of_vta(g, params) * sizeof(struct vta_tag);
    return sizeof(struct protection) + g->n_sets * of_set;
}

static struct vta_tag *all_tags(struct protection *d)
{
    return (struct vta_tag *)(d->loads + d->n_sets);
}

void protection_init(struct cache_policy *p, uint32_t n_entries)
{
    const struct protection_params *params = p->params;
    struct protection *d = p->state;
    d->n_entries = n_entries;
    d->n_sets = p->geometry.n_sets;
    d->vta_ways = ways_of_vta(&p->geometry, params);
    for (uint32_t i = 0; i < d->n_sets * d->vta_ways; i++)
        all_tags(d)[i].line = NO_TAG;
    for (uint32_t i = 0; i < n_entries; i++)
        d->pdpt.pd[i] =
            (uint8_t)(params->pd_init < params->pd_max ? params->pd_init : params->pd_max);
}

uint64_t protection_cost_bits(const struct cache_geometry *g, const void *params,
                              uint32_t n_entries, struct strbuf *parts)
{
    uint64_t lines = (uint64_t)g->n_sets * g->n_ways;
    uint64_t tags = (uint64_t)g->n_sets * ways_of_vta(g, params);
    uint32_t id_bits = plugin_index_bits(n_entries);
    return plugin_cost(parts, "line ids and protected lives", lines * (id_bits + PD_BITS)) +
           plugin_cost(parts, "victim tag array", tags * (g->tag_bits + id_bits)) +
           plugin_cost(parts, "protection distances",
                       (uint64_t)n_entries * (id_bits + TDA_BITS + VTA_BITS + PD_BITS));
}

/* If each use of a line is by a load that fills at once, the least recently used of n ways has seen
 * n - 1 loads since its own, and the next load may replace it. */
void protection_remark(const struct cache_geometry *g, const void *params, struct strbuf *out)
{
    const struct protection_params *p = params;
    if (g->n_ways < p->pd_max)
        return;
    strbuf_addf(out,
                "a line is protected from at most the next %u loads of its set, and the set has %u "
                "ways, so the policy behaves like lru, except for lines in flight and lines that "
                "stores use or allocate",
                p->pd_max ? p->pd_max - 1 : 0, g->n_ways);
}

static struct protection_stats *stats_of(const struct cache_policy *p)
{
    return p->stats;
}

static uint8_t id_of(const struct protection *d, const struct mem_access *a)
{
    return (uint8_t)(a->pc % d->n_entries);
}

static struct protected_line *line_of(const struct cache_set *s, uint32_t way)
{
    return s->line_state[way];
}

/* Counts up to what `bits` bits can hold. */
static void count_to(uint16_t *counter, uint32_t bits)
{
    if (*counter < (1u << bits) - 1)
        ++*counter;
}

/* --- 4.1.1: the state of a line in the TDA --- */

/* Each load of a set lowers the lives of all its lines by 1. So a line stores the number of the
 * load at which its life ends. */
static uint64_t loads_of(const struct cache_policy *p, const struct cache_set *s)
{
    return ((const struct protection *)p->state)->loads[s->set];
}

/* By how much the access lowers the lives of the lines in its set: by 1 if it is a load, because
 * lives fall before they are tested. decide() may be called several times for an access, so it adds
 * this to the loads counted so far, and changes nothing. */
static uint32_t loads_counted_by(const struct mem_access *a)
{
    return a->kind != MEM_STORE;
}

/* Gives the line the PD of the access's instruction as its PL; 0 if the access is a store. */
static void protect_line(const struct protection *d, const struct cache_set *s, uint32_t way,
                         const struct mem_access *a)
{
    struct protected_line *line = line_of(s, way);
    uint64_t load = d->loads[s->set];
    uint8_t id = id_of(d, a);
    line->id = id;
    line->ends = load + (a->kind == MEM_STORE ? 0 : d->pdpt.pd[id]);
}

/* Attributes the hit to the previous instruction that used the line. */
static void credit_tda_hit(struct cache_policy *p, const struct protected_line *line)
{
    struct protection *d = p->state;
    count_to(&d->pdpt.tda_hits[line->id], TDA_BITS);
    stats_of(p)->tda_hits++;
}

/* --- 4.1.2: the victim tag array --- */

static struct vta_tag *tags_of(struct protection *d, const struct cache_set *s)
{
    return all_tags(d) + (size_t)s->set * d->vta_ways;
}

/* The number of tags in the VTA whose lines have the same hash as this one. */
static uint16_t *tags_like(struct protection *d, uint64_t line)
{
    return &d->n_tags[line * 0x9e3779b97f4a7c15ull >> (64 - TAG_BUCKET_BITS)];
}

/* The position of the line's tag in its set; -1 = absent. */
static int find_tag(struct protection *d, const struct cache_set *s, uint64_t line)
{
    if (!*tags_like(d, line))
        return -1;
    const struct vta_tag *v = tags_of(d, s);
    for (uint32_t i = 0; i < d->vta_ways; i++)
        if (v[i].line == line)
            return (int)i;
    return -1;
}

static void remove_tag(struct protection *d, const struct cache_set *s, uint64_t line)
{
    struct vta_tag *v = tags_of(d, s);
    int at = find_tag(d, s, line);
    if (at < 0)
        return;
    --*tags_like(d, line);
    memmove(v + at, v + at + 1, (d->vta_ways - (uint32_t)at - 1) * sizeof *v);
    v[d->vta_ways - 1].line = NO_TAG;
}

/* Inserts a tag in front of the others of its set. If the set is full, the last one leaves. */
static void add_tag(struct protection *d, const struct cache_set *s, struct vta_tag new)
{
    struct vta_tag *v = tags_of(d, s), *last = &v[d->vta_ways - 1];
    if (last->line != NO_TAG)
        --*tags_like(d, last->line);
    ++*tags_like(d, new.line);
    memmove(v + 1, v, (d->vta_ways - 1) * sizeof *v);
    v[0] = new;
}

/* Looks up the line of a load that missed in the TDA in the VTA. */
static void search_vta(struct cache_policy *p, const struct cache_set *s, uint64_t line)
{
    struct protection *d = p->state;
    int at = find_tag(d, s, line);
    if (at < 0)
        return;
    count_to(&d->pdpt.vta_hits[tags_of(d, s)[at].id], VTA_BITS);
    stats_of(p)->vta_hits++;
}

/* --- 4.2: protection distances --- */

/* By how much a PD rises: N_asc * Hit_VTA / Hit_TDA, by step comparison. N_asc is the associativity
 * of the VTA. */
static uint32_t pd_rise(uint32_t hit_vta, uint32_t hit_tda, uint32_t n_asc)
{
    if (!hit_vta)
        return 0;
    if (hit_vta >= hit_tda << 2)
        return n_asc << 2;
    if (hit_vta >= hit_tda << 1)
        return n_asc << 1;
    if (hit_vta >= hit_tda)
        return n_asc;
    return hit_vta >= hit_tda >> 1 ? n_asc >> 1 : 0;
}

static void raise_pds(const struct cache_policy *p)
{
    const struct protection_params *params = p->params;
    struct protection *d = p->state;
    struct pdpt *t = &d->pdpt;
    for (uint32_t i = 0; i < d->n_entries; i++) {
        uint32_t pd = t->pd[i] + pd_rise(t->vta_hits[i], t->tda_hits[i], d->vta_ways);
        t->pd[i] = (uint8_t)(pd < params->pd_max ? pd : params->pd_max);
    }
}

static void lower_pds(const struct cache_policy *p)
{
    const struct protection_params *params = p->params;
    struct protection *d = p->state;
    uint32_t step = params->pd_step_down ? params->pd_step_down : d->vta_ways;
    uint8_t *pd = d->pdpt.pd, down = (uint8_t)(step < UINT8_MAX ? step : UINT8_MAX);
    for (uint32_t i = 0; i < PDPT_MAX; i++)
        pd[i] = (uint8_t)(pd[i] > down ? pd[i] - down : 0);
}

static void compute_pds(const struct cache_policy *p)
{
    const struct pdpt *t = &((struct protection *)p->state)->pdpt;
    uint32_t global_vta = 0, global_tda = 0;
    for (uint32_t i = 0; i < PDPT_MAX; i++) {
        global_vta += t->vta_hits[i];
        global_tda += t->tda_hits[i];
    }
    bool rises = global_vta > global_tda, falls = 2 * global_vta < global_tda;
    if (rises)
        raise_pds(p);
    else if (falls)
        lower_pds(p);
}

/* --- 4.1.4: samples --- */

/* Ends a sample: computes the PDs for the next one (4.1.3). All hits are counted from 0 again. */
static void end_sample(struct cache_policy *p)
{
    struct protection *d = p->state;
    compute_pds(p);
    memset(d->pdpt.tda_hits, 0, sizeof d->pdpt.tda_hits);
    memset(d->pdpt.vta_hits, 0, sizeof d->pdpt.vta_hits);
    d->n_loads = 0;
    d->insts = 0;
    stats_of(p)->samples++;
}

/* The last load of a sample still uses the old PDs, until it has been served completely. That is
 * certain when the next load comes or the next instruction issues, so the new PDs are computed
 * then. (With allocation on fill, a line gets its PD later still.) */
static bool sample_is_full(const struct cache_policy *p)
{
    const struct protection *d = p->state;
    return d->n_loads >= ((const struct protection_params *)p->params)->sample_accesses;
}

/* New PDs concern lines inserted or used from now on; decisions still use the lives that lines
 * have. */
bool protection_on_insts(struct cache_policy *p, uint64_t n_thread_insts)
{
    struct protection *d = p->state;
    if (sample_is_full(p))
        end_sample(p);
    d->insts += n_thread_insts;
    if (d->insts >= ((const struct protection_params *)p->params)->max_sample_insns)
        end_sample(p);
    return false;
}

/* --- accesses, in the order in which they happen --- */

/* Among the lines of a full set whose lives are over: the least recently used one. If no life is
 * over, the load bypasses. If all lines whose lives are over are in flight, it stalls, as without
 * protection, or bypasses with bypass_reserved. */
static __attribute__((noinline)) int search_set(const struct cache_policy *p,
                                                const struct cache_set *s, uint64_t load)
{
    const struct protection_params *params = p->params;
    uint64_t oldest = UINT64_MAX;
    int victim = CACHE_BYPASS;
    bool any_protected = false;
    for (uint32_t way = 0; way < s->n_ways; way++) {
        if (line_of(s, way)->ends > load) {
            any_protected = true;
            continue;
        }
        if (s->reserved >> way & 1) {
            victim = victim == CACHE_BYPASS ? CACHE_STALL : victim;
        } else if (s->last_use[way] < oldest) {
            oldest = s->last_use[way];
            victim = (int)way;
        }
    }
    if (victim == CACHE_STALL && any_protected && params->bypass_reserved)
        return CACHE_BYPASS;
    return victim;
}

/* Replaces the least recently used line whose life is over. In sets with many ways that is nearly
 * always the least recently used line of all. */
int protection_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a)
{
    int empty = cache_set_empty_way(s);
    if (empty >= 0)
        return empty;
    uint64_t load = loads_of(p, s) + loads_counted_by(a);
    int lru = cache_full_set_lru(s);
    return lru >= 0 && line_of(s, (uint32_t)lru)->ends <= load ? lru : search_set(p, s, load);
}

/* Called for every accepted load, including bypassed ones. */
static void count_load(struct protection *d, const struct cache_set *s)
{
    d->n_loads++;
    d->loads[s->set]++;
}

/* Not inlined, so that other hits need not save registers for a call. */
static __attribute__((noinline)) void hit_after_sample(struct cache_policy *p,
                                                       const struct cache_set *s, uint32_t way,
                                                       const struct mem_access *a)
{
    end_sample(p);
    protection_on_hit(p, s, way, a);
}

void protection_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       const struct mem_access *a)
{
    if (sample_is_full(p)) {
        hit_after_sample(p, s, way, a);
        return;
    }
    count_load(p->state, s);
    credit_tda_hit(p, line_of(s, way));
    protect_line(p->state, s, way, a);
}

void protection_on_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         const struct mem_access *a)
{
    if (sample_is_full(p))
        end_sample(p);
    count_load(p->state, s);
    if (way == ~0u)
        return;
    if (((const struct protection_params *)p->params)->count_merges)
        credit_tda_hit(p, line_of(s, way));
    protect_line(p->state, s, way, a);
}

void protection_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                        const struct mem_access *a)
{
    if (way >= 0) {
        protection_on_hit(p, s, (uint32_t)way, a);
        return;
    }
    if (sample_is_full(p))
        end_sample(p);
    count_load(p->state, s);
    search_vta(p, s, a->line);
}

/* A tag that a bypassed load found stays in the VTA, as the most recent one. */
void protection_on_bypass(struct cache_policy *p, const struct cache_set *s,
                          const struct mem_access *a, enum cache_bypass_reason reason)
{
    struct protection *d = p->state;
    int at = reason == BYPASS_NO_CACHE ? -1 : find_tag(d, s, a->line);
    if (at < 0 || a->kind == MEM_STORE)
        return;
    struct vta_tag *v = tags_of(d, s), found = v[at];
    memmove(v + 1, v, (uint32_t)at * sizeof *v);
    v[0] = found;
}

/* The tag of the line that is inserted leaves the VTA before the victim's tag enters it. */
void protection_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         enum cache_evict_cause cause, const struct mem_access *a)
{
    struct protection *d = p->state;
    if (cause != EVICT_REPLACE || a->kind == MEM_STORE)
        return;
    remove_tag(d, s, a->line);
    add_tag(d, s, (struct vta_tag){s->lines[way].line, line_of(s, way)->id});
}

void protection_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                           const struct mem_access *a)
{
    protect_line(p->state, s, way, a);
    if (a->kind !=
        MEM_STORE) /* an empty way had no victim, so on_evict() has not removed the tag */
        remove_tag(p->state, s, a->line);
}

/* --- statistics --- */

/* The sum of all PDs above 0, and how many there are. */
static struct stat_reading protecting(const void *instance, uint64_t now)
{
    (void)now;
    const struct protection *d = ((const struct cache_policy *)instance)->state;
    struct stat_reading r = {0};
    for (uint32_t i = 0; i < d->n_entries; i++) {
        r.value += d->pdpt.pd[i];
        r.n += d->pdpt.pd[i] > 0;
    }
    return r;
}

static struct stat_reading n_protecting(const void *instance, uint64_t now)
{
    return (struct stat_reading){.value = protecting(instance, now).n};
}

static struct stat_reading longest(const void *instance, uint64_t now)
{
    (void)now;
    const struct protection *d = ((const struct cache_policy *)instance)->state;
    struct stat_reading r = {0};
    for (uint32_t i = 0; i < d->n_entries; i++)
        r.value = d->pdpt.pd[i] > r.value ? d->pdpt.pd[i] : r.value;
    return r;
}

const struct plugin_stat protection_stats[N_PROTECTION_STATS] = {
    STAT_COUNT(struct protection_stats, vta_hits, "hits",
               "load misses whose tag is in the victim tag array"),
    STAT_COUNT(struct protection_stats, tda_hits, "hits",
               "hits in the cache that were credited to an instruction"),
    STAT_COUNT(struct protection_stats, samples, "samples",
               "samples after which protection distances were recomputed"),
    STAT_NOW("protection_distance", "loads", "mean of the protection distances above 0", STAT_MEAN,
             protecting),
    STAT_NOW("longest_protection", "loads", "the longest protection distance", STAT_MAX, longest),
    STAT_NOW("protecting_entries", "entries", "protection distances above 0", STAT_SUM,
             n_protecting),
};
