/* CCWS once more, from its description (Rogers et al., MICRO 2012, section 3.3) and not from
 * src/sched: every score is kept in every cycle, tags are lists, and who may load is found by
 * sorting. Told of accesses to a reference L1D, never of the cache under test. */
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
    uint64_t age, score;
    struct naive_tags tags[NAIVE_VTA_SETS];
};

struct naive_ccws {
    uint32_t n_warps, k_throttle, base_score, vta_sets, vta_ways;
    uint64_t score_max, vta_hits, issued;
    struct naive_warp warps[SCHED_MAX_WARPS];
    int greedy; /* the warp that issued last, -1 = none that lives */
    bool turns; /* the order underneath is round robin, from the slot after `last` on */
    int last;
};

static inline void naive_ccws_start(struct naive_ccws *c, uint32_t warp, uint64_t age)
{
    c->warps[warp] = (struct naive_warp){.live = true, .age = age, .score = c->base_score};
}

static inline void naive_ccws_end(struct naive_ccws *c, uint32_t warp)
{
    c->warps[warp].live = false;
    if (c->greedy == (int)warp)
        c->greedy = -1;
}

static inline void naive_ccws_cycle(struct naive_ccws *c)
{
    for (uint32_t w = 0; w < c->n_warps; w++)
        if (c->warps[w].score > c->base_score)
            c->warps[w].score--;
}

static inline uint64_t naive_ccws_cutoff(const struct naive_ccws *c)
{
    uint64_t n_live = 0;
    for (uint32_t w = 0; w < c->n_warps; w++)
        n_live += c->warps[w].live;
    return n_live * c->base_score;
}

/* Comes warp x before warp y when scores are sorted? */
static inline bool naive_ccws_before(const struct naive_warp *x, const struct naive_warp *y)
{
    return x->score > y->score || (x->score == y->score && x->age < y->age);
}

/* The live warps that may issue a load. */
static inline uint64_t naive_ccws_loaders(const struct naive_ccws *c)
{
    uint64_t may = 0;
    for (uint32_t w = 0; w < c->n_warps; w++) {
        uint64_t before = 0;
        for (uint32_t v = 0; v < c->n_warps; v++)
            if (c->warps[v].live && naive_ccws_before(&c->warps[v], &c->warps[w]))
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
    if (t->n == c->vta_ways)
        naive_tags_remove(t, t->lines[0]);
    t->lines[t->n++] = line;
}

static inline void naive_ccws_probe(struct naive_ccws *c, uint32_t warp, uint64_t line)
{
    if (!naive_tags_remove(naive_ccws_tags(c, warp, line), line))
        return;
    c->vta_hits++;
    uint64_t llds = c->vta_hits * c->k_throttle * naive_ccws_cutoff(c) / c->issued;
    uint64_t raised = c->warps[warp].score > llds ? c->warps[warp].score : llds;
    c->warps[warp].score = raised > c->score_max ? c->score_max : raised;
}

static inline void naive_ccws_load(struct naive_ccws *c, const struct mem_access *a,
                                   const struct ref_decision *d)
{
    if (d->has_victim)
        naive_ccws_victim(c, d->victim_warp, d->victim);
    if (d->answer == REF_INSERT || d->answer == REF_BYPASS)
        naive_ccws_probe(c, a->warp_slot, a->line);
}

static inline void naive_ccws_store(struct naive_ccws *c, uint64_t line)
{
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
