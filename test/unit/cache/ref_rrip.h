/* The family of RRIP (Jaleel et al., ISCA 2010; Wu et al., MICRO 2011). */
#ifndef HEDDLE_TEST_REF_RRIP_H
#define HEDDLE_TEST_REF_RRIP_H

#include "unit/cache/ref_cache.h"

/* The lowest way at 3 of those from `first` to before `end`; while there is none all grow by 1. */
static inline int ref_rrip_search(struct ref_line *ways, int first, int end)
{
    bool any = false;
    for (int w = first; w < end; w++)
        any = any || !ways[w].reserved;
    while (any) {
        for (int w = first; w < end; w++)
            if (!ways[w].reserved && ways[w].rrpv == 3)
                return w;
        for (int w = first; w < end; w++)
            ways[w].rrpv = ref_up(ways[w].rrpv, 1, 3);
    }
    return REF_WAITS;
}

static inline int ref_rrip_victim(const struct ref_cache *r, uint32_t set,
                                  const struct mem_access *a)
{
    (void)a;
    struct ref_line copy[REF_WAYS];
    memcpy(copy, r->lines[set], sizeof copy);
    return ref_rrip_search(copy, 0, (int)r->n_ways);
}

static inline void ref_rrip_replaced(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    (void)way;
    (void)a;
    ref_rrip_search(r->lines[set], 0, (int)r->n_ways);
}

static inline void ref_rrip_hit(struct ref_cache *r, uint32_t set, int way,
                                const struct mem_access *a)
{
    (void)a;
    r->lines[set][way].rrpv = 0;
}

static inline void ref_srrip_inserted(struct ref_cache *r, uint32_t set, int way,
                                      const struct mem_access *a)
{
    (void)a;
    r->lines[set][way].rrpv = 2;
}

static inline void ref_brrip_init(struct ref_cache *r)
{
    r->brrip_period = ref_param(r, "brrip_period", 32);
}

static inline void ref_brrip_inserted(struct ref_cache *r, uint32_t set, int way,
                                      const struct mem_access *a)
{
    (void)a;
    r->n_brrip_insertions++;
    r->lines[set][way].rrpv = r->n_brrip_insertions % r->brrip_period == 0 ? 2 : 3;
}

static inline void ref_drrip_init(struct ref_cache *r)
{
    ref_brrip_init(r);
    uint32_t eighth = r->n_sets / 8 ? r->n_sets / 8 : 1;
    uint32_t bits = ref_param(r, "psel_bits", 10);
    r->leader_sets = ref_param(r, "leader_sets", eighth);
    r->psel_max = (1u << bits) - 1;
    r->psel_middle = 1u << (bits - 1);
    r->psel = ref_param(r, "psel_init", 512);
}

enum ref_leader { REF_FOLLOWS, REF_LEADS_SRRIP, REF_LEADS_BRRIP };

static inline enum ref_leader ref_drrip_leader(const struct ref_cache *r, uint32_t set)
{
    uint32_t stride = r->n_sets / r->leader_sets;
    for (uint32_t i = 0; i < r->leader_sets; i++)
        if (set == i * stride)
            return REF_LEADS_SRRIP;
    for (uint32_t i = 0; i < r->leader_sets; i++)
        if (set == i * stride + stride / 2)
            return REF_LEADS_BRRIP;
    return REF_FOLLOWS;
}

static inline void ref_drrip_miss(struct ref_cache *r, uint32_t set, const struct mem_access *a)
{
    (void)a;
    if (ref_drrip_leader(r, set) == REF_LEADS_SRRIP)
        r->psel = ref_up(r->psel, 1, r->psel_max);
    if (ref_drrip_leader(r, set) == REF_LEADS_BRRIP)
        r->psel = ref_down(r->psel, 1);
}

static inline void ref_drrip_inserted(struct ref_cache *r, uint32_t set, int way,
                                      const struct mem_access *a)
{
    enum ref_leader leader = ref_drrip_leader(r, set);
    bool is_brrip = leader == REF_FOLLOWS ? r->psel >= r->psel_middle : leader == REF_LEADS_BRRIP;
    if (is_brrip)
        ref_brrip_inserted(r, set, way, a);
    else
        ref_srrip_inserted(r, set, way, a);
}

static inline void ref_ship_init(struct ref_cache *r)
{
    r->n_rows = ref_param(r, "entries", 256);
    r->counter_max = (1u << ref_param(r, "counter_bits", 2)) - 1;
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].counter = ref_param(r, "counter_init", 1);
}

static inline void ref_ship_hit(struct ref_cache *r, uint32_t set, int way,
                                const struct mem_access *a)
{
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    ref_rrip_hit(r, set, way, a);
    row->counter = ref_up(row->counter, 1, r->counter_max);
}

static inline void ref_ship_replaced(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    ref_rrip_replaced(r, set, way, a);
    if (!r->lines[set][way].reused)
        row->counter = ref_down(row->counter, 1);
}

static inline void ref_ship_inserted(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    r->lines[set][way].rrpv = ref_row(r, a->pc)->counter == 0 ? 3 : 2;
}

#endif
