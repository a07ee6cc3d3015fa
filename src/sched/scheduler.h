/* The interface of a warp scheduler: which warp issues. One instance per SM serves all its issue
 * slots; warp slot w belongs to issue slot w mod n_slots. One scheduler = one file.
 *
 * Contract. Each cycle, for each issue slot in order, the SM calls pick() with the warps of that
 * slot that can issue now. pick() is const; with nothing ready it is not called. Mutation happens
 * in the events, each called exactly once. What changes with time is closed-form: advance(dt) is
 * called before the events and picks of a cycle with the cycles since the last call, and
 * next_change() announces when may_issue() or pick() could answer differently without an event. */
#ifndef HEDDLE_SCHED_SCHEDULER_H
#define HEDDLE_SCHED_SCHEDULER_H

#include "base/mem_access.h"
#include "base/strbuf.h"
#include "config/param.h"

#define SCHEDULER_ABI 1
enum { SCHED_MAX_WARPS = 64 };

/* What an instruction is, as far as schedulers care. */
enum issue_class {
    ISSUE_ALU,
    ISSUE_SFU,
    ISSUE_LOAD /* global or local */,
    ISSUE_STORE,
    ISSUE_SHARED,
    ISSUE_ATOMIC,
    ISSUE_BRANCH,
    ISSUE_BARRIER,
    ISSUE_OTHER,
    N_ISSUE_CLASSES
};

/* Why a warp does not issue. */
enum stall_cause {
    STALLED_NONE,
    STALLED_BARRIER,
    STALLED_FETCH,
    STALLED_BRANCH,
    STALLED_DATA,
    STALLED_MEMORY /* long latency */,
    STALLED_UNIT,
    STALLED_POLICY,
    STALLED_FENCE
};

/* What the SM tells about a warp slot; kept by the SM, read by schedulers. */
struct sched_warp {
    bool live;
    uint64_t age; /* order of assignment to the SM; smaller is older */
    uint64_t uid, cta;
    uint32_t cta_slot, warp_in_cta;
    uint64_t start_cycle;
    bool at_barrier;
};

struct sched_view {
    uint32_t n_warps, n_slots; /* warp slots, issue slots */
    const struct sched_warp *warps;
    uint64_t live; /* mask of live warp slots */
};

struct scheduler {
    const struct scheduler_desc *desc;
    const void *params;
    void *state; /* desc->state_bytes(), zeroed by the framework */
    const struct sched_view *view;
    uint64_t seed;
};

struct sched_pick {
    int warp;         /* -1 = none */
    uint64_t visited; /* warps looked at, in the order of the policy; for latency attribution */
};

struct branch_info {
    uint32_t pc, target, fallthrough, reconvergence;
    uint32_t taken_mask, active_mask;
};

struct cache_event_info; /* cache/cache.h: the events the L1D's policy sees */

struct scheduler_desc {
    uint32_t abi_version; /* SCHEDULER_ABI */
    size_t struct_size;
    const char *name, *summary, *citation;
    const struct param *params;
    uint32_t n_params;
    size_t params_bytes;
    size_t (*state_bytes)(uint32_t n_warps, uint32_t n_slots, const void *params);
    uint64_t (*cost_bits)(uint32_t n_warps, uint32_t n_slots, const void *params,
                          struct strbuf *parts);
    void (*init)(struct scheduler *s);

    /* Required. `ready`: warps of this slot that can issue; `ready_loads`: those whose instruction
     * is a global or local load. */
    struct sched_pick (*pick)(const struct scheduler *s, uint32_t slot, uint64_t ready,
                              uint64_t ready_loads, uint64_t now);

    /* Optional. Warps that may issue an instruction of that class now; NULL = all may. Const. */
    uint64_t (*may_issue)(const struct scheduler *s, enum issue_class class);
    void (*on_issue)(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                     uint32_t pc, uint64_t now);
    void (*on_commit)(struct scheduler *s, uint32_t warp, uint64_t now);
    void (*on_branch)(struct scheduler *s, uint32_t warp, const struct branch_info *b);
    void (*on_stall)(struct scheduler *s, uint32_t warp, enum stall_cause cause, uint64_t now);
    void (*on_wake)(struct scheduler *s, uint32_t warp, uint64_t now);
    void (*on_barrier_arrive)(struct scheduler *s, uint32_t warp, uint64_t now);
    void (*on_barrier_release)(struct scheduler *s, uint64_t warps, uint64_t now);
    void (*on_warp_start)(struct scheduler *s, uint32_t warp, uint64_t now);
    void (*on_warp_end)(struct scheduler *s, uint32_t warp, uint64_t now);
    void (*on_cta_start)(struct scheduler *s, uint32_t cta_slot, uint64_t now);
    void (*on_cta_end)(struct scheduler *s, uint32_t cta_slot, uint64_t now);
    void (*on_l1d)(struct scheduler *s, const struct cache_event_info *e);
    void (*advance)(struct scheduler *s, uint64_t dt);
    uint64_t (*next_change)(const struct scheduler *s, uint64_t now);
    void (*describe_wait)(const struct scheduler *s, struct strbuf *out);
};

/* --- registry (registry.c): built-in from schedulers.def, then plug-ins --- */
uint32_t scheduler_count(void);
const struct scheduler_desc *scheduler_at(uint32_t i);
const struct scheduler_desc *scheduler_find(const char *name);
bool scheduler_register(const struct scheduler_desc *d, struct strbuf *why);

/* `params` NULL = defaults. */
struct scheduler *scheduler_create(const struct scheduler_desc *d, const void *params,
                                   const struct sched_view *view, uint64_t seed);
void scheduler_destroy(struct scheduler *s);

#endif
