/* Bypassing by PC: S.-Y. Lee, thesis 2017, chapter 5. */
#ifndef HEDDLE_TEST_REF_BYPASS_H
#define HEDDLE_TEST_REF_BYPASS_H

#include "unit/cache/ref_cache.h"

/* --- Bypassing by PC (section 5.3.1) --- */

static inline void ref_pc_bypass_init(struct ref_cache *r)
{
    r->n_rows = ref_param(r, "entries", 128);
    r->counter_max = (1u << ref_param(r, "conf_bits", 3)) - 1;
}

static inline bool ref_pc_bypass_goes_around(const struct ref_cache *r, uint32_t set,
                                             const struct mem_access *a)
{
    (void)set;
    return r->rows[a->pc % r->n_rows].counter == r->counter_max;
}

static inline void ref_pc_bypass_hit(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    (void)a;
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    row->counter = ref_down(row->counter, 1);
}

static inline void ref_pc_bypass_replaced(struct ref_cache *r, uint32_t set, int way,
                                          const struct mem_access *a)
{
    (void)a;
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    if (!r->lines[set][way].reused)
        row->counter = ref_up(row->counter, 1, r->counter_max);
}

/* The coin itself is the policy's; all that follows from it is not. */
static inline void ref_pc_prob_init(struct ref_cache *r)
{
    r->chosen_pc = ref_param(r, "pc", UINT32_MAX);
    r->second_pc = ref_param(r, "also", UINT32_MAX);
}

static inline bool ref_pc_prob_goes_around(const struct ref_cache *r, uint32_t set,
                                           const struct mem_access *a)
{
    (void)set;
    bool is_chosen = r->chosen_pc == UINT32_MAX || r->chosen_pc == a->pc || r->second_pc == a->pc;
    return r->coin_says_around && is_chosen;
}

/* --- Ctrl-C (Algorithms 11 and 12) --- */

static inline void ref_ctrl_c_init(struct ref_cache *r)
{
    r->n_rows = 128;
    r->sample_period = ref_param(r, "sample_period", 1024);
    r->agg_max = ref_param(r, "agg_max", 7);
    r->agg_hold = ref_param(r, "agg_hold", 0);
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].agg = ref_param(r, "agg_init", 0);
}

static inline bool ref_ctrl_c_goes_around(const struct ref_cache *r, uint32_t set,
                                          const struct mem_access *a)
{
    (void)set;
    const struct ref_row *ctrl = &r->rows[a->pc % r->n_rows];
    return ctrl->byp < (1u << ctrl->agg) - 1;
}

static inline void ref_ctrl_c_around(struct ref_cache *r, uint32_t set, const struct mem_access *a)
{
    (void)set;
    ref_row(r, a->pc)->byp++;
}

static inline void ref_ctrl_c_replaced(struct ref_cache *r, uint32_t set, int way,
                                       const struct mem_access *a)
{
    (void)a;
    struct ref_row *ctrl = ref_row(r, r->lines[set][way].insert_pc);
    ctrl->insert++;
    if (!r->lines[set][way].reused)
        ctrl->zero++;
    if (ctrl->insert < r->sample_period >> ctrl->agg)
        return;
    if (!r->agg_hold && 5 * ctrl->zero > 2 * ctrl->insert)
        ctrl->agg = ref_up(ctrl->agg, 1, r->agg_max);
    else if (!r->agg_hold && 10 * ctrl->zero < ctrl->insert)
        ctrl->agg = ref_down(ctrl->agg, 1);
    ctrl->insert = ctrl->zero = 0;
}

static inline void ref_ctrl_c_inserted(struct ref_cache *r, uint32_t set, int way,
                                       const struct mem_access *a)
{
    (void)set;
    (void)way;
    ref_row(r, a->pc)->byp = 0;
}

#endif
