/* Set dueling between SRRIP and BRRIP, for DRRIP and TAP-RRIP. In a cache that applications share,
 * each application duels by itself:
 *
 *     leader sets of application k: i * stride + 2k for SRRIP, i * stride + 2k + 1 for BRRIP,
 *     modulo the sets, i < 32, stride = sets / 32; a set that would lead both leads SRRIP
 *     a miss of k in its leader set of SRRIP: PSEL + 1; of BRRIP: PSEL - 1
 *     all other sets follow PSEL, leader sets of other applications too
 *
 * MODEL: leader sets of a shared cache are chosen from all its sets, counted bank by bank, as those
 * of utility monitors are. Each bank has a PSEL of its own, trained by the leader sets that it
 * holds. */
#ifndef HEDDLE_CACHE_POLICIES_DUEL_H
#define HEDDLE_CACHE_POLICIES_DUEL_H

#include "cache/policies/rrip.h"

enum { DUEL_LEADERS = 32 };
enum duel { DUEL_OPEN, DUEL_SRRIP, DUEL_BRRIP };

/* One per application. */
struct duel_state {
    uint32_t psel;
    uint64_t brrip_insertions;
};

/* Does the set lie `offset` sets after a leader set of SRRIP of application 0? */
static inline bool duel_is_leader(uint32_t n_sets, uint32_t set, uint32_t offset)
{
    uint32_t leaders = n_sets < DUEL_LEADERS ? n_sets : DUEL_LEADERS, stride = n_sets / leaders;
    uint32_t from = (set + n_sets - offset % n_sets) % n_sets;
    return from % stride == 0 && from / stride < leaders;
}

/* Which policy a set of this bank leads for the application, if any. */
static inline enum duel duel_leads(const struct cache_geometry *g, uint32_t set, uint32_t app)
{
    uint32_t n_sets = cache_geometry_all_sets(g);
    set += g->first_set;
    if (duel_is_leader(n_sets, set, 2 * app))
        return DUEL_SRRIP;
    return duel_is_leader(n_sets, set, 2 * app + 1) ? DUEL_BRRIP : DUEL_OPEN;
}

static inline void duel_train(struct duel_state *d, enum duel leader, uint32_t psel_bits)
{
    if (leader == DUEL_SRRIP && d->psel < (1u << psel_bits) - 1)
        d->psel++;
    else if (leader == DUEL_BRRIP && d->psel > 0)
        d->psel--;
}

static inline enum duel duel_winner(const struct duel_state *d, uint32_t psel_bits)
{
    return d->psel >> (psel_bits - 1) ? DUEL_BRRIP : DUEL_SRRIP;
}

#endif
