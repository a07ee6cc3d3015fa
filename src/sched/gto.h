/* Greedy then oldest, for schedulers that build on it. */
#ifndef HEDDLE_SCHED_GTO_H
#define HEDDLE_SCHED_GTO_H

#include "sched/order.h"

struct gto {
    struct age_order ages;
    uint64_t greedy;
};

uint64_t gto_cost(uint32_t n_warps, uint32_t n_slots, struct strbuf *parts);
void gto_start(struct gto *g, const struct sched_view *view, uint32_t warp);
void gto_end(struct gto *g, uint32_t warp);

/* If the greedy warp is ready, no other warp is visited; otherwise the greedy warp is visited
 * first. */
static inline struct sched_pick gto_choose(const struct gto *g, uint64_t domain, uint64_t ready)
{
    if (ready & g->greedy)
        return pick_warp(lowest_warp(ready & g->greedy), 0);
    uint32_t warp = age_order_oldest(&g->ages, ready);
    return pick_warp(warp, (g->greedy | g->ages.older[warp]) & domain);
}

/* The same for callers that do not need the visited warps: the warp issues. */
static inline uint32_t gto_take(struct gto *g, uint64_t domain, uint64_t ready)
{
    uint64_t greedy = ready & g->greedy; /* a warp that continues stays the greedy one */
    if (greedy)
        return lowest_warp(greedy);
    uint32_t warp = age_order_oldest(&g->ages, ready);
    greedy_issue(&g->greedy, domain, warp);
    return warp;
}

#endif
