/* Criticality-aware cache prioritisation: S.-Y. Lee, thesis 2017, Algorithms 7 to 9. */
#ifndef HEDDLE_TEST_REF_CACP_H
#define HEDDLE_TEST_REF_CACP_H

#include "unit/cache/ref_rrip.h"

static inline void ref_cacp_init(struct ref_cache *r)
{
    r->n_rows = 256;
    r->critical_ways = ref_param(r, "critical_ways", r->n_ways / 2);
    r->ccbp_threshold = ref_param(r, "ccbp_threshold", 1);
    r->region_bits = ref_param(r, "region_bits", 12);
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].ccbp = r->rows[i].counter = 1;
}

static inline uint32_t ref_cacp_signature(const struct ref_cache *r, const struct mem_access *a)
{
    if (ref_says(r, "signature=pc"))
        return a->pc % 256;
    if (ref_says(r, "signature=pc_region"))
        return (uint32_t)((a->pc ^ a->line / (UINT64_C(1) << r->region_bits)) % 256);
    return (uint32_t)((a->pc ^ a->line) % 256);
}

static inline int ref_cacp_search(const struct ref_cache *r, struct ref_line *ways, bool critical)
{
    return critical ? ref_rrip_search(ways, 0, (int)r->critical_ways)
                    : ref_rrip_search(ways, (int)r->critical_ways, (int)r->n_ways);
}

static inline int ref_cacp_victim(const struct ref_cache *r, uint32_t set,
                                  const struct mem_access *a)
{
    struct ref_line copy[REF_WAYS];
    memcpy(copy, r->lines[set], sizeof copy);
    return ref_cacp_search(r, copy, r->rows[ref_cacp_signature(r, a)].ccbp > r->ccbp_threshold);
}

static inline void ref_cacp_hit(struct ref_cache *r, uint32_t set, int way,
                                const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    struct ref_row *row = &r->rows[l->signature];
    l->rrpv = 0;
    if (a->is_critical) {
        l->c_reused = true;
        row->ccbp = ref_up(row->ccbp, 1, 3);
    } else {
        l->nc_reused = true;
    }
    row->counter = ref_up(row->counter, 1, 3);
}

static inline void ref_cacp_replaced(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    (void)a;
    struct ref_line *l = &r->lines[set][way];
    struct ref_row *row = &r->rows[l->signature];
    bool is_critical = way < (int)r->critical_ways;
    ref_cacp_search(r, r->lines[set], is_critical);
    if (!l->c_reused && l->nc_reused && is_critical)
        row->ccbp = ref_down(row->ccbp, 1);
    else if (!l->c_reused && !l->nc_reused)
        row->counter = ref_down(row->counter, 1);
}

static inline void ref_cacp_inserted(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    l->signature = ref_cacp_signature(r, a);
    l->rrpv = r->rows[l->signature].counter > 0 ? 2 : 3;
}

#endif
