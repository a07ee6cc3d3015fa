/* The orders in which schedulers visit warps, kept as masks so that picking takes a few
 * instructions: bit w stands for warp slot w. A domain is a set of warps that is scheduled
 * separately (those of an issue slot, those of a fetch group). Domains do not overlap, so one mask
 * holds the state of all of them. Schedulers from shared objects may use all of this. */
#ifndef HEDDLE_SCHED_ORDER_H
#define HEDDLE_SCHED_ORDER_H

#include "sched/scheduler.h"

static inline uint64_t warp_bit(uint32_t warp)
{
    return UINT64_C(1) << warp;
}

static inline uint32_t lowest_warp(uint64_t warps)
{
    return (uint32_t)__builtin_ctzll(warps);
}

static inline uint64_t warps_above(uint32_t warp)
{
    return ~UINT64_C(1) << warp;
}

static inline struct sched_pick pick_warp(uint32_t warp, uint64_t visited)
{
    return (struct sched_pick){.warp = (int)warp, .visited = visited | warp_bit(warp)};
}

/* --- Round robin: `ahead` holds the warps of each domain after the one that issued last --- */

static inline uint32_t round_robin_first(uint64_t ahead, uint64_t ready)
{
    uint64_t next = ready & ahead;
    return lowest_warp(next ? next : ready);
}

/* The warps of `domain` that come before `warp`. */
static inline uint64_t round_robin_before(uint64_t ahead, uint64_t domain, uint32_t warp)
{
    uint64_t below = warp_bit(warp) - 1;
    return domain & (ahead & warp_bit(warp) ? ahead & below : ahead | below);
}

static inline void round_robin_issue(uint64_t *ahead, uint64_t domain, uint32_t warp)
{
    *ahead = (*ahead & ~domain) | (domain & warps_above(warp));
}

/* --- Greed: `greedy` holds the warp of each domain that issued last, while it lives --- */

static inline void greedy_issue(uint64_t *greedy, uint64_t domain, uint32_t warp)
{
    *greedy = (*greedy & ~domain) | warp_bit(warp);
}

/* --- Age: which warps are older, updated when warps start and end --- */

struct age_order {
    uint64_t older[SCHED_MAX_WARPS]; /* for a live warp, the live warps that are older */
    uint64_t known;                  /* the warps that have started and not ended */
    uint64_t highest_age;            /* the highest age seen */
};

void age_order_start(struct age_order *o, const struct sched_view *view, uint32_t warp)
    PLUGIN_CALLABLE(age_order_start);
void age_order_end(struct age_order *o, uint32_t warp) PLUGIN_CALLABLE(age_order_end);

/* Ages mostly follow the slots, so a step or two suffice. Any order needs few on average, since
 * each step leaves only warps older than the previous one. */
static inline uint32_t age_order_oldest(const struct age_order *o, uint64_t warps)
{
    uint32_t warp;
    do {
        warp = lowest_warp(warps);
        warps &= o->older[warp];
    } while (warps);
    return warp;
}

/* Hardware: a queue of warp numbers from old to young per issue slot. Returns the bits of all. */
uint64_t age_order_cost_bits(uint32_t n_warps, uint32_t n_slots)
    PLUGIN_CALLABLE(age_order_cost_bits);
uint64_t sched_warp_number_bits(uint32_t n_warps, uint32_t n_slots)
    PLUGIN_CALLABLE(sched_warp_number_bits);

/* --- statistics of schedulers that hold warps back --- */

/* Live warps that may issue loads, out of all live warps. */
static inline struct stat_reading may_load_reading(const struct sched_view *view, uint64_t may_load)
{
    return (struct stat_reading){(uint64_t)__builtin_popcountll(may_load & view->live),
                                 (uint64_t)__builtin_popcountll(view->live)};
}

#define MAY_LOAD_STATS(function)                                                                   \
    STAT_WHILE_RUNNING("warps_may_load", "warps", "live warps of all SMs that may issue loads",    \
                       STAT_SUM, function),                                                        \
        STAT_WHILE_RUNNING("may_load_share", "fraction",                                           \
                           "live warps that may issue loads among all live warps", STAT_MEAN,      \
                           function)

#endif
