/* What attribution knows about warps; private to attribution.c and attribution_visit.c. */
#ifndef HEDDLE_SM_ATTRIBUTION_ACCOUNT_H
#define HEDDLE_SM_ATTRIBUTION_ACCOUNT_H

#include "sm/pace.h"
#include "sm/sm.h"

/* A load that a register waits for. There is at most one in flight for each register, so a record
 * of the same warp and PC belongs to the load; any other was freed when the data arrived. */
struct pending_load {
    const struct load_record *record;
    uint32_t pc;
    uint64_t number; /* among all loads of the SM, from 1 */
};

/* The account of a live warp. */
struct account {
    uint64_t next; /* the first cycle not attributed yet */
    uint64_t cycles[N_LATENCIES];
    uint64_t missed_load; /* the last load that was seen to miss, by number */
    bool has_issued;
    uint32_t issued_pc;
    struct latency_span span; /* still growing; empty while from == to */
};

struct attribution {
    struct account accounts[SM_MAX_WARPS];
    struct pending_load *loads; /* by warp slot and register */
    uint32_t n_registers;       /* per slot */
    uint64_t n_loads;
    uint64_t next;   /* cycles before this one have been attributed, or belong to no warp */
    uint64_t queued; /* warps: see visit_queued() */
    enum latency queued_cause;
    struct latency_stats stats;
    struct pace *pace;
    struct attribution_listener listeners[ATTRIBUTION_MAX_LISTENERS];
    uint32_t n_listeners;
    bool wants_spans;
};

/* Counts the cycles of the warp from its current position up to `to`. */
void attribution_add(struct sm *sm, uint32_t slot, enum latency latency, uint64_t to);
/* Reports the current span, and begins an empty one. */
void attribution_close_span(struct attribution *a, struct account *w);
/* These warps no longer wait for the load/store unit, from cycle `now` on. */
void attribution_leave_queue(struct sm *sm, uint64_t warps, uint64_t now);

#endif
