/* The interface of a warp scheduler: which warp issues. One instance per SM serves all its issue
 * slots;  warp slot w belongs to issue slot w mod n_slots.
 *
 * Contract, cycle by cycle:
 * 1. advance(dt), with the cycles since the last call, if any time passed.
 * 2. The events of the cycle, each exactly once. The view is updated before the event: a warp that
 *    starts is live, one that ends is not (the rest of its entry stays until the slot is reused),
 *    one that arrives at a barrier has at_barrier set. Events of different warps in one cycle may
 *    come in any order.
 * 3. For each issue slot in order, pick() is called with the warps of that slot that can issue and
 *    that may_issue() permits, unless there are none. pick() is const and may be called any number
 *    of times. If it names a warp, that warp issues: on_issue() follows, then the consequences of
 *    the instruction (on_branch, on_barrier_arrive, on_warp_end, ...), all before may_issue() and
 *    pick() of the next issue slot. pick() and may_issue() give the same answer until an event, or
 *    until next_change() if there is one. So an engine may skip the cycles in between, and a slot
 *    that pick() left idle stays idle.
 *
 * on_stall(cause) says that the next instruction of a warp cannot issue, and why; on_wake() says
 * that it can again. They report changes only: a new cause is another on_stall() without a wake in
 * between. A warp starts awake. A warp that only may_issue() holds back, or that lost its unit to
 * another issue slot in the same cycle, is awake. */
#ifndef HEDDLE_SCHED_SCHEDULER_H
#define HEDDLE_SCHED_SCHEDULER_H

#include "base/mem_access.h"
#include "base/strbuf.h"
#include "config/plugin.h"

#define SCHEDULER_ABI                                                                              \
    PLUGIN_ABI(4, sizeof(struct scheduler) + sizeof(struct sched_view) + sizeof(struct sched_warp))
enum { SCHED_MAX_WARPS = 64, SCHED_MAX_SLOTS = 8 };

/* The kind of an instruction, as far as schedulers need it. */
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

/* Why a warp does not issue. POLICY, held back by may_issue() or pick(), is for latency
 * attribution; schedulers do not receive it. */
enum stall_cause {
    STALLED_NONE,
    STALLED_BARRIER,
    STALLED_FETCH,
    STALLED_BRANCH,
    STALLED_DATA,
    STALLED_MEMORY /* an operand comes from memory: long latency */,
    STALLED_UNIT,
    STALLED_POLICY,
    STALLED_FENCE
};

/* What schedulers can see of a warp slot; the SM updates it. */
struct sched_warp {
    bool live;
    uint64_t age; /* order of assignment to the SM; smaller is older, no two are equal */
    uint64_t uid, cta;
    /* launch, cta and warp_in_cta identify the warp in any run, whatever the GPU and scheduler. */
    uint32_t launch, cta_slot, warp_in_cta;
    uint64_t start_cycle;
    bool at_barrier;
};

/* What the hardware cost of a scheduler depends on. */
struct sched_geometry {
    uint32_t n_warps, n_slots; /* warp slots, issue slots of an SM */
    uint32_t l1d_lines;        /* of its L1D */
};

struct criticality; /* crit/criticality.h */

struct sched_view {
    uint32_t n_warps, n_slots; /* warp slots, issue slots */
    const struct sched_warp *warps;
    uint64_t live; /* mask of live warp slots */
    uint32_t l1d_line_bytes;
    bool l1d_allocates_on_fill; /* a miss has no victim before its data arrive */
    /* How critical a warp is (larger = more), from the SM's provider. Call it only in pick() or
     * on_issue(): earlier in a cycle, the value may or may not include that cycle's commits. */
    const struct criticality *provider;
    int64_t (*criticality_of)(const struct criticality *provider, uint32_t warp, uint64_t now);
    bool criticality_is_fixed; /* it does not change during a warp's life */
};

/* The warps that a scheduler holds back, kept by the scheduler; see scheduler_desc.keeps_hold. */
struct sched_hold {
    uint64_t all, loads; /* warps held back from all instructions; from global and local loads */
    uint64_t until;      /* the first cycle for which advance() must be called; 0 = every cycle */
};

/* Which stalls a scheduler receives. LONG: only stalls on memory, barriers and fences, and
 * on_wake() when such a wait is over; the exact cycle is not defined, but it is before the next
 * pick(). */
enum stall_hearing { HEARS_ALL_STALLS, HEARS_LONG_STALLS, HEARS_NO_STALLS };

struct scheduler {
    const struct scheduler_desc *desc;
    const void *params;
    void *state; /* desc->state_bytes(), zeroed by the framework */
    const struct sched_view *view;
    uint64_t slot_warps[SCHED_MAX_SLOTS]; /* the warps of each issue slot */
    uint64_t seed;
    void *stats;              /* counters, desc->stats_bytes bytes, zeroed once */
    struct sched_hold hold;   /* the scheduler updates it, the SM reads it */
    enum stall_hearing hears; /* init() may set this and the following: */
    uint32_t l1d_events;      /* events that on_l1d() receives, one bit per enum cache_event; 0 =
                               * all */
    /* Those of l1d_events that are needed only for accesses of some warps, and these warps; for
     * other warps they may or may not be sent. */
    uint32_t l1d_events_of_some_warps;
    uint64_t l1d_warps;
};

struct sched_pick {
    int warp; /* -1 = none: the policy leaves the slot idle */
    /* The live warps of the slot that precede the picked one in the policy's current order, and the
     * picked one; all that are in the order if none is picked. For latency attribution. */
    uint64_t visited;
};

struct branch_info {
    uint32_t pc, target, fallthrough, reconvergence;
    uint32_t taken_mask, active_mask;
};

struct cache_event_info; /* cache/cache.h: the events the L1D's policy sees */

struct scheduler_desc {
    PLUGIN_HEAD; /* abi_version = SCHEDULER_ABI */
    /* Optional: names of the criticality provider it needs, and of its L1D policy, used unless
     * another one is configured. */
    const char *criticality, *l1d_policy;
    /* Optional: NULL = 0. */
    size_t (*state_bytes)(uint32_t n_warps, uint32_t n_slots, const void *params);
    /* Required. Bits of storage that the policy needs in hardware; see plugin_cost(). */
    uint64_t (*cost_bits)(const struct sched_geometry *g, const void *params, struct strbuf *parts);
    /* Optional. The state is zeroed, no warp is live. */
    void (*init)(struct scheduler *s);

    /* Required. `ready`: warps of this slot that can and may issue, at least one; `ready_loads`:
     * those among them whose instruction is a global or local load. */
    struct sched_pick (*pick)(const struct scheduler *s, uint32_t slot, uint64_t ready,
                              uint64_t ready_loads, uint64_t now);

    /* Optional. pick() and on_issue() in one, for callers that do not need the visited warps:
     * returns the warp that issues, or -1. Requires pick(), and on_issue() may depend only on the
     * slot, the warp and the cycle. If a warp has issued and is the only one ready in its slot, it
     * issues again without a call, unless hears_each_issue is set. With asks_at_issue, on_issue()
     * asks how critical warps are and must be called after the provider has seen the issue:
     * pick_and_issue() is not called if the provider listens to issues. */
    int (*pick_and_issue)(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now);
    bool hears_each_issue, asks_at_issue;

    /* Optional. Warps that may issue an instruction of that class now; NULL = all may. Const. */
    uint64_t (*may_issue)(const struct scheduler *s, enum issue_class class);
    /* s->hold always has exactly the warps that may_issue() does not permit, and hold.until is not
     * after next_change(). Then the SM does not call next_change(), and calls may_issue() only in
     * the per-cycle engine; advance() may be omitted in cycles before hold.until, except when the
     * view shows that a warp has started or ended. Without keeps_hold, hold is not used. */
    bool keeps_hold;
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
    /* Which warps the policy holds back, as lines of text; nothing if it holds back none. */
    void (*describe_wait)(const struct scheduler *s, struct strbuf *out);
};

/* --- registry (registry.c): built-in from schedulers.def, then plug-ins --- */
uint32_t scheduler_count(void);
const struct scheduler_desc *scheduler_at(uint32_t i);
const struct scheduler_desc *scheduler_find(const char *name);
/* Is the descriptor complete, with valid defaults? Otherwise `why` says what is missing. */
bool scheduler_is_sound(const struct scheduler_desc *d, struct strbuf *why);
bool scheduler_register(const struct scheduler_desc *d, struct strbuf *why);
/* Registers what a shared object exports as `const struct scheduler_desc heddle_scheduler`. */
bool scheduler_load(const char *path, struct strbuf *why);

/* `params` NULL = defaults; otherwise they are copied. The view must outlive the scheduler. */
struct scheduler *scheduler_create(const struct scheduler_desc *d, const void *params,
                                   const struct sched_view *view, uint64_t seed);
void scheduler_destroy(struct scheduler *s);

#endif
