/* CCWS once more, from its description (Rogers et al., MICRO 2012, section 3.3, and for the
 * variants the behaviour of their simulator) and not from src/sched: every score is kept in every
 * cycle, tags are lists, and sorting finds the warps that may load. It receives accesses of a
 * reference L1D, never of the cache under test. */
#ifndef HEDDLE_TEST_NAIVE_CCWS_H
#define HEDDLE_TEST_NAIVE_CCWS_H

#include "sched/scheduler.h"
#include "unit/cache/policy_refs.h"

enum { NAIVE_VTA_SETS = 16, NAIVE_VTA_WAYS = 16 };

struct naive_tags {
    uint64_t lines[NAIVE_VTA_WAYS]; /* in the order in which they came */
    uint32_t n;
};

struct naive_warp {
    bool live;
    uint64_t age, score, hits, issued;
    struct naive_tags tags[NAIVE_VTA_SETS];
};

struct naive_ccws {
    uint32_t n_warps, k_throttle, base_score, vta_sets, vta_ways;
    uint64_t score_max, all_hits;
    /* Where the simulator of the authors does something else. */
    uint32_t decay_cycles;
    bool caps, keeps_tags, keeps_vta, live_totals, probes_merges, starts_at_zero, slot_ties;
    uint64_t now, dead_hits, dead_issued; /* of warps that have ended */
    struct naive_warp warps[SCHED_MAX_WARPS];
    int greedy; /* the warp that issued last, -1 = none that lives */
    bool turns; /* the order underneath is round robin, from the slot after `last` on */
    int last;
};

static inline void naive_ccws_start(struct naive_ccws *c, uint32_t warp, uint64_t age)
{
    struct naive_warp *w = &c->warps[warp];
    w->live = true;
    w->age = age;
    w->score = c->starts_at_zero ? 0 : c->base_score;
    w->hits = w->issued = 0;
    if (!c->keeps_vta)
        memset(w->tags, 0, sizeof w->tags);
}

static inline void naive_ccws_end(struct naive_ccws *c, uint32_t warp)
{
    c->warps[warp].live = false;
    c->dead_hits += c->warps[warp].hits;
    c->dead_issued += c->warps[warp].issued;
    if (c->greedy == (int)warp)
        c->greedy = -1;
}

static inline uint64_t naive_ccws_cutoff(const struct naive_ccws *c)
{
    uint64_t n_live = 0;
    for (uint32_t w = 0; w < c->n_warps; w++)
        n_live += c->warps[w].live;
    return n_live * c->base_score;
}

/* Instructions that count, those of the whole life of the SM or of live warps. */
static inline uint64_t naive_ccws_issued(const struct naive_ccws *c)
{
    uint64_t n = c->live_totals ? 0 : c->dead_issued;
    for (uint32_t w = 0; w < c->n_warps; w++)
        n += c->warps[w].live ? c->warps[w].issued : 0;
    return n;
}

static inline uint64_t naive_ccws_llds(const struct naive_ccws *c)
{
    uint64_t hits = c->live_totals ? 0 : c->dead_hits, issued = naive_ccws_issued(c);
    for (uint32_t w = 0; w < c->n_warps; w++)
        hits += c->warps[w].live ? c->warps[w].hits : 0;
    return hits * c->k_throttle * naive_ccws_cutoff(c) / (issued ? issued : 1);
}

static inline void naive_ccws_cycle(struct naive_ccws *c)
{
    if (++c->now % c->decay_cycles)
        return;
    for (uint32_t w = 0; w < c->n_warps; w++) {
        uint64_t *score = &c->warps[w].score;
        if (*score <= c->base_score)
            continue;
        --*score;
        if (c->caps && *score > naive_ccws_llds(c))
            *score = naive_ccws_llds(c);
        if (*score < c->base_score)
            *score = c->base_score;
    }
}

/* Comes warp x before warp y when scores are sorted? */
static inline bool naive_ccws_before(const struct naive_ccws *c, uint32_t x, uint32_t y)
{
    const struct naive_warp *a = &c->warps[x], *b = &c->warps[y];
    bool is_first = c->slot_ties ? x < y : a->age < b->age;
    return a->score > b->score || (a->score == b->score && is_first);
}

/* The live warps that may issue a load. */
static inline uint64_t naive_ccws_loaders(const struct naive_ccws *c)
{
    uint64_t may = 0;
    for (uint32_t w = 0; w < c->n_warps; w++) {
        uint64_t before = 0;
        for (uint32_t v = 0; v < c->n_warps; v++)
            if (c->warps[v].live && naive_ccws_before(c, v, w))
                before += c->warps[v].score;
        if (c->warps[w].live && before < naive_ccws_cutoff(c))
            may |= UINT64_C(1) << w;
    }
    return may;
}

static inline struct naive_tags *naive_ccws_tags(struct naive_ccws *c, uint32_t warp, uint64_t line)
{
    return &c->warps[warp].tags[line / REF_LINE_BYTES % c->vta_sets];
}

static inline bool naive_tags_have(const struct naive_tags *t, uint64_t line)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->lines[i] == line)
            return true;
    return false;
}

static inline bool naive_tags_remove(struct naive_tags *t, uint64_t line)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->lines[i] == line) {
            memmove(t->lines + i, t->lines + i + 1, (t->n - i - 1) * sizeof *t->lines);
            t->n--;
            return true;
        }
    return false;
}

static inline void naive_ccws_victim(struct naive_ccws *c, uint32_t reserver, uint64_t line)
{
    struct naive_tags *t = naive_ccws_tags(c, reserver, line);
    if (naive_tags_have(t, line))
        return;
    if (t->n == c->vta_ways)
        naive_tags_remove(t, t->lines[0]);
    t->lines[t->n++] = line;
}

static inline void naive_ccws_probe(struct naive_ccws *c, uint32_t warp, uint64_t line)
{
    struct naive_tags *t = naive_ccws_tags(c, warp, line);
    if (!naive_tags_have(t, line))
        return;
    if (!c->keeps_tags)
        naive_tags_remove(t, line);
    c->warps[warp].hits++;
    c->all_hits++;
    uint64_t llds = naive_ccws_llds(c);
    uint64_t raised = c->warps[warp].score > llds ? c->warps[warp].score : llds;
    c->warps[warp].score = raised > c->score_max ? c->score_max : raised;
}

/* A warp that had no score yet has the base from its first access on. */
static inline void naive_ccws_touch(struct naive_ccws *c, uint32_t warp)
{
    if (c->warps[warp].score < c->base_score)
        c->warps[warp].score = c->base_score;
}

static inline void naive_ccws_load(struct naive_ccws *c, const struct mem_access *a,
                                   const struct ref_decision *d)
{
    if (d->answer == REF_STALL)
        return;
    naive_ccws_touch(c, a->warp_slot);
    if (d->has_victim)
        naive_ccws_victim(c, d->victim_warp, d->victim);
    if (d->answer == REF_INSERT || d->answer == REF_BYPASS ||
        (d->answer == REF_MERGE && c->probes_merges))
        naive_ccws_probe(c, a->warp_slot, a->line);
}

static inline void naive_ccws_store(struct naive_ccws *c, uint32_t warp, uint64_t line)
{
    naive_ccws_touch(c, warp);
    for (uint32_t w = 0; w < c->n_warps; w++)
        naive_tags_remove(naive_ccws_tags(c, w, line), line);
}

/* Greedy, then oldest; or by turns. */
static inline int naive_ccws_pick(const struct naive_ccws *c, uint64_t ready)
{
    for (uint32_t i = 1; c->turns && i <= c->n_warps; i++)
        if (ready >> (c->last + i) % c->n_warps & 1)
            return (int)((c->last + i) % c->n_warps);
    if (c->greedy >= 0 && ready >> c->greedy & 1)
        return c->greedy;
    int oldest = -1;
    for (uint32_t w = 0; w < c->n_warps; w++)
        if (ready >> w & 1 && (oldest < 0 || c->warps[w].age < c->warps[oldest].age))
            oldest = (int)w;
    return oldest;
}

#endif
