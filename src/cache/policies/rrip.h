/* Re-reference interval prediction, for policies that build on it.
 * A. Jaleel et al.: High performance cache replacement using re-reference interval prediction
 * (RRIP). ISCA 2010, with hit priority (RRIP-HP) and M = 2 bits:
 *
 *     hit:    RRPV of the line := 0
 *     victim: the first line (lowest way) whose RRPV is 3; while there is none, all RRPVs of the
 *             set grow by 1
 *     insert: SRRIP at 2 ("long"); BRRIP at 3 ("distant"), seldom at 2; DRRIP: set dueling
 *
 * MODEL: reserved lines age with the others, but cannot be victims. */
#ifndef HEDDLE_CACHE_POLICIES_RRIP_H
#define HEDDLE_CACHE_POLICIES_RRIP_H

#include "cache/cache_policy.h"

enum { RRPV_BITS = 2, RRPV_DISTANT = 3, RRPV_LONG = 2 };

/* Comes first in a policy's data of a line. */
struct rrip_line {
    uint8_t rrpv;
};

static inline struct rrip_line *rrip_line(const struct cache_set *s, uint32_t way)
{
    return s->line_state[way];
}

/* The victim among the ways of a mask: of the lines that are not reserved and have the largest
 * RRPV, the one in the lowest way. It would be the first whose RRPV reaches 3. */
static inline int rrip_victim(const struct cache_set *s, uint64_t ways)
{
    int victim = CACHE_STALL, highest = -1;
    for (uint64_t rest = ways & ~s->reserved; rest; rest &= rest - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(rest);
        if (rrip_line(s, way)->rrpv > highest) {
            highest = rrip_line(s, way)->rrpv;
            victim = (int)way;
        }
    }
    return victim;
}

/* Called when the victim has been chosen: the RRPVs of all ways in the mask grow by what the
 * victim's RRPV lacks to 3. */
static inline void rrip_age(const struct cache_set *s, uint64_t ways, uint32_t victim)
{
    uint8_t growth = (uint8_t)(RRPV_DISTANT - rrip_line(s, victim)->rrpv);
    for (uint64_t rest = growth ? ways : 0; rest; rest &= rest - 1) {
        struct rrip_line *line = rrip_line(s, (uint32_t)__builtin_ctzll(rest));
        int grown = line->rrpv + growth;
        line->rrpv = (uint8_t)(grown > RRPV_DISTANT ? RRPV_DISTANT : grown);
    }
}

/* --- Events that the policies of the family share (rrip.c) --- */
int rrip_decide(const struct cache_policy *p, const struct cache_set *s,
                const struct mem_access *a);
void rrip_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                 const struct mem_access *a);
enum cache_hit_effect rrip_hit_effect(const struct cache_policy *p, const struct cache_set *s,
                                      uint32_t way);
/* A load that finds the line without its sectors, or a store that keeps the line. */
void rrip_on_lookup(struct cache_policy *p, const struct cache_set *s, int way,
                    const struct mem_access *a);
void rrip_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                   enum cache_evict_cause cause, const struct mem_access *a);
uint64_t rrip_cost(const struct cache_geometry *g, struct strbuf *parts);

/* BRRIP's insertions: most at the top, every period-th below it. */
static inline uint8_t brrip_position(uint64_t *insertions, uint64_t period)
{
    return ++*insertions % period == 0 ? RRPV_LONG : RRPV_DISTANT;
}

#endif
