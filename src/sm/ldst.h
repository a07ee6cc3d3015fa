/* An access of the load/store unit: how it is described to L1, and how it waits. Only for ldst.c
 * and ldst_other.c. */
#ifndef HEDDLE_SM_LDST_H
#define HEDDLE_SM_LDST_H

#include <string.h>

#include "cache/fast.h"
#include "sm/send.h"

/* The fields in which access i differs from the others of its instruction; they do not change
 * between tries. */
static inline void ldst_describe(const struct sm *sm, struct ldst_op *l, uint32_t i, uint32_t set,
                                 uint32_t sectors)
{
    const struct line_access *x = &l->access[i];
    struct mem_access *a = &l->current;
    a->line = x->line;
    a->segments = x->segments;
    a->sector_mask = sectors;
    a->set = set;
    if (l->in_detail || sm->ldst.notifies_loads) {
        a->active_mask = x->lanes;
        a->id = l->first_id + i;
        a->first_lane = (uint32_t)__builtin_ctz(x->lanes);
        a->first_thread = l->first_thread_of_warp + a->first_lane;
    }
    if (l->in_detail) {
        const struct line_detail *d = &l->detail[i];
        a->address = d->address;
        memcpy(a->byte_mask, d->bytes, sizeof d->bytes);
    }
}

static inline void ldst_prepare(const struct sm *sm, struct ldst_op *l, uint32_t set)
{
    uint32_t i = l->next;
    if (l->prepared == i + 1)
        return;
    ldst_describe(sm, l, i, set, cache_sectors_for(l->l1, l->access[i].segments));
    l->prepared = i + 1;
    l->routed = false;
}

/* The slice of its line. Computed only when needed: hits do not need it. */
static inline __attribute__((always_inline)) const struct route *ldst_route(const struct sm *sm,
                                                                            struct ldst_op *l)
{
    if (!l->routed)
        l->route = sm_route(sm, l->current.line);
    l->routed = true;
    return &l->route;
}

/* How critical its warp is, if that matters; `found`: the line of the load has a way. Returns the
 * first cycle in which that may be different, although nothing has happened. */
static inline uint64_t ldst_rate(const struct sm *sm, struct ldst_op *l, bool found, uint64_t now)
{
    const struct criticality *crit = sm->criticality;
    struct mem_access *a = &l->current;
    if (!sm->ldst.rates_accesses)
        return UINT64_MAX;
    bool matters = sm->warps[l->slot].emu && (!sm->ldst.rates_if_found || found);
    if (!sm->ldst.rates_no_value)
        a->criticality = matters ? crit->desc->value(crit, l->slot, now) : 0;
    a->is_critical = matters && crit->desc->is_critical(crit, l->slot, now);
    bool is_steady = matters && sm->ldst.rates_no_value && crit->desc->steady_until;
    return (is_steady ? crit->desc->steady_until(crit, l->slot, now) : now) + 1;
}

/* The fields that change with each try. */
static inline struct mem_access *ldst_try(const struct sm *sm, struct ldst_op *l, bool found,
                                          uint64_t now)
{
    l->current.cycle = now;
    ldst_rate(sm, l, found, now);
    return &l->current;
}

static inline bool ldst_stall(struct sm *sm, enum cache_stall cause)
{
    sm->ldst.cause = cause;
    return false;
}

static inline struct cache_resources ldst_room(const struct sm *sm, struct ldst_op *l, uint64_t now)
{
    uint32_t to = ldst_route(sm, l)->to;
    return (struct cache_resources){
        .miss_queue = !sm_miss_queue_full(sm),
        .port = tx_can_send(&sm->out.port, now * sm->clock->period, to, sm->out.header_flits),
        .bypass_table = sm->ldst.n_bypass < sm->config->bypass_slots,
    };
}

/* Sends the access past L1D. */
void ldst_send_bypass(struct sm *sm, struct ldst_op *l, const struct mem_access *a, uint64_t now);
/* Stores, atomics, and loads that the program marks as uncached: does the next access; false if it
 * has to wait. */
bool ldst_do_other(struct sm *sm, struct ldst_op *l, uint64_t now);
/* Schedules sm_release() of a load whose results have arrived or will at a known time, and frees
 * its record. Data of a mutex are passed on at once. */
void sm_schedule_release(struct sm *sm, struct load_record *r, uint64_t now);

#endif
