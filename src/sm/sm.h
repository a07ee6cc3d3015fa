/* A streaming multiprocessor: CTA slots, fetch, scoreboard, issue, units, load/store, L1 caches.
 *
 * In a cycle, the SM does, in this order: take messages; finish what is due (results, replies,
 * fetched instructions); send one request; one step of the load/store unit; issue; fetch. The
 * per-cycle engine does every cycle and recomputes which warps can issue; the skipping engine skips
 * cycles in which nothing can change and keeps these warps up to date. Both give the same results.
 */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "atomics/atomics.h"
#include "base/divider.h"
#include "base/occupancy.h"
#include "cache/cache.h"
#include "crit/criticality.h"
#include "dram/dram.h"
#include "emu/warp.h"
#include "noc/part_graph.h"
#include "request/request.h"
#include "sched/scheduler.h"
#include "sm/attribution.h"
#include "sm/coalesce.h"
#include "sm/free_times.h"
#include "sm/op_timing.h"
#include "sm/register_bank.h"
#include "sm/scoreboard.h"
#include "sm/sm_config.h"
#include "sm/wheel.h"

enum { SM_MAX_WARPS = 64, SM_MAX_CTAS = 32, MAX_WARP_ATOMICS = 64 };

/* A load or atomic between issue and the release of its registers. */
struct load_record {
    uint32_t slot, pc;
    uint32_t outstanding; /* replies that have not arrived, plus one until all_performed */
    bool all_performed;   /* the unit has performed all accesses of the instruction */
    uint64_t done_at;     /* when the data of its last hit so far are available */
    struct load_record *next;
};

struct sm_warp {
    struct emu_warp *emu; /* NULL = the slot is free */
    uint64_t bit;         /* mask bit of the slot */
    uint32_t slot;        /* its number */
    uint32_t ibuf;        /* instructions in the buffer, from emu->pc on */
    /* Why it cannot issue; NONE = it can, if a unit is free. issue_part.ready takes precedence:
     * waking a sleeping warp (see issue_part.plans_results) does not update `cause`. */
    enum stall_cause cause;
    struct op_kind kind; /* the masks its bit is set in; see issue_part.by_unit */
    bool fetching;       /* a fetch is in flight */
    uint8_t bank_turn;   /* offset of its registers, in banks */
    uint32_t fetch_pc;   /* what it fetches */
    uint32_t n_atomics;  /* requests not performed yet */
    struct scoreboard scoreboard;
    struct sub_core *core; /* the sub-core that executes it */
    uint32_t cta_slot;
    uint32_t scheduler;           /* the scheduler that issues it */
    uint64_t *atomic_lines;       /* of its atomics; stored separately, as most warps have none */
    uint64_t *result_at;          /* see issue_part.plans_results */
    uint64_t visible_at;          /* cycle from which its stores are visible to all */
    uint64_t wake_at;             /* cycle of the EV_WAKE that order_hazard() added last */
    const struct op_timing *next; /* of the instruction at emu->pc */
};

_Static_assert(sizeof(struct sm_warp) == 128, "a shift finds the warp of a slot");

_Static_assert((int)SM_MAX_COLLECTORS <= FREE_TIMES_MAX && (int)SM_MAX_UNITS <= FREE_TIMES_MAX &&
                   (int)SM_MAX_BANKS <= REGISTER_BANKS_MAX,
               "free_times and register_banks have room for the largest configuration");

/* The resources that execute a scheduler's instructions. Without sub-cores all schedulers share
 * one. */
struct sub_core {
    uint64_t warps; /* mask of the slots it serves */
    /* One bit per kind of unit. Set: no collector of the kind is free before opens_at; issue clears
     * the bit some time after that cycle. */
    uint32_t closed;
    uint64_t opens_at[N_ARITHMETIC_UNITS];
    struct arithmetic_unit {
        struct free_times units, collectors;
    } * units[N_ARITHMETIC_UNITS], unit_store[N_ARITHMETIC_UNITS];
    struct register_banks banks;
};

/* For sm_out.chunk_shift, if routes are not found by a shift: partitions are hashed, chunks are
 * no power of two, or fast paths are off. */
enum { NO_CHUNK_SHIFT = 64 };

/* The route of a line. */
struct route {
    uint32_t to;        /* shard of the slice that serves it */
    uint32_t partition; /* index of that slice */
    uint64_t local;     /* the line's address in the slice */
};

/* The route of lines if partitions are hashed. */
struct hashed_route {
    uint32_t chunk_shift;    /* log2 of the bytes per chunk */
    uint32_t partition_bits; /* width of the groups of a chunk's bits that are xored; 0: see
                              * address_hash() */
};

/* A memory instruction in the load/store unit. */
struct ldst_op {
    uint32_t slot, pc;
    const struct op *op;
    uint64_t entered;       /* the cycle of its issue */
    uint64_t ready_at;      /* its operands are collected */
    uint32_t shared_passes; /* still to begin */
    uint32_t n, next;       /* accesses, and the one to do next */
    struct line_access access[MAX_LINE_ACCESSES];
    struct line_detail detail[MAX_LINE_ACCESSES];
    bool in_detail; /* `detail` is filled in, because something may read it */
    enum mem_kind kind;
    enum mem_space space;
    struct cache *l1;                     /* the L1 of its space */
    const struct cache_config *l1_config; /* its configuration */
    uint32_t hit_latency;                 /* of that cache */
    bool uncached;
    bool looks_up;              /* a load whose lines are looked up in its L1 */
    uint64_t *access_counter;   /* the counter of its accesses */
    struct load_record *record; /* NULL for stores */
    struct emu_atomic atomic;
    uint64_t address[WARP_LANES]; /* of an atomic's lanes */
    uint64_t first_id, first_thread_of_warp;
    struct mem_access current; /* the next access; most of it is the same for all of them */
    /* `current` describes the access with this number, counted from 1; 0 = none. */
    uint32_t prepared;
    bool routed; /* `route` is that access's route */
    /* If the next access waits for an MSHR: the set in which its line is absent; no look-up is
     * needed until the access is accepted. Otherwise NULL. */
    struct cache_set *absent_from;
    struct route route;
};

#define SM_COUNTERS(COUNTER)                                                                       \
    COUNTER(issued, "sm.issued", "instructions", "instructions issued")                            \
    COUNTER(active_cycles, "sm.active_cycles", "cycles",                                           \
            "cycles with a warp on the SM, over all SMs")                                          \
    COUNTER(warp_cycles, "sm.warp_cycles", "cycles", "cycles of all resident warps")               \
    COUNTER(shared_passes, "shared.passes", "passes", "passes of shared memory accesses")          \
    COUNTER(atomic_requests, "atomics.requests", "requests",                                       \
            "requests of atomics; one for the lanes of an instruction that access one line")       \
    COUNTER(load_requests, "sm.load_requests", "requests",                                         \
            "line accesses of global and local loads")                                             \
    COUNTER(store_requests, "sm.store_requests", "requests",                                       \
            "line accesses of global and local stores")

struct sm_stats {
#define COUNTER(field, name, unit, help) uint64_t field;
    SM_COUNTERS(COUNTER)
#undef COUNTER
    uint64_t other_requests;               /* line accesses of atomics and of constants */
    uint64_t atomic_fetches;               /* loads of L1D for atomics that the SM performs */
    uint64_t stall_cycles[N_CACHE_STALLS]; /* of the load/store unit, by cause */
    uint64_t bytes_asked[N_ORIGINS];       /* requested from L2, by the kind of requester */
    uint64_t bytes_got;                    /* from L2 */
};

/* An instruction that issues, for observers that draw charts and write traces. */
struct sm_issue {
    uint64_t cycle;
    uint32_t sm, scheduler, slot, pc;
};

/* Callbacks for what no event of the cache reports: atomics, and the issue of instructions. */
struct sm_l1d_watcher {
    /* An atomic goes to L2, or the mutex unit drops a line: called before the line is removed. */
    void (*on_atomic)(void *user, const struct mem_access *a);
    /* An instruction issues with `n_lanes` lanes; the policy has already been notified if it counts
     * them. */
    void (*on_issue)(void *user, uint32_t n_lanes);
    void *user;
};
enum { SM_MAX_L1D_WATCHERS = 4 };

/* Replies in the order in which they pass through the port. */
struct timed_reply {
    uint64_t at; /* core cycle */
    struct mem_request *request;
};
/* An array in time order; the entry after the last one is a sentinel that never becomes due
 * (UINT64_MAX). */
struct reply_queue {
    struct timed_reply *first, *end;
    uint64_t due; /* when the first arrives; UINT64_MAX = there is none */
    struct timed_reply *items, *last_place;
};

/* --- an SM by concern --- */

/* Which warps issue (issue.c, ready.c, alone.c). Masks are of warp slots. */
struct issue_part {
    uint64_t due;   /* the cycle in which it has something to do; see sm.planned */
    uint64_t ready; /* next instruction is free of hazards */
    /* The ready warps by the unit and by the class of their next instruction. Other warps keep
     * their last bits. */
    uint64_t by_unit[N_UNITS], by_class[N_ISSUE_CLASSES];
    uint64_t slot_mask[SM_MAX_SCHEDULERS]; /* of each scheduler */
    /* The scheduler's function of this name; NULL = it has none, or the per-cycle engine calls its
     * functions one by one. */
    int (*pick_and_issue)(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now);
    uint64_t scheduler_time; /* cycle up to which the scheduler has been advanced */
    bool drifts;             /* the scheduler's answers may change with time alone */
    bool keeps_hold;         /* scheduler.hold has the warps it holds back, and until when */
    /* Does the scheduler or the criticality provider listen? */
    bool tells_stalls, tells_long_stalls, tells_commits, tells_branches, tells_criticality;
    bool commits_ahead; /* only the provider listens to commits, and can count them ahead */
    bool counts_lanes;  /* a listener counts how many lanes issue */
    bool tells_issues;  /* counts_lanes, or tells branches, criticality or commits */
    bool has_listeners; /* tells_issues, tells_long_stalls or keeps_hold */
    /* Fast paths are on, no scheduler listens to every stall, and a mask of registers fits into one
     * word. */
    bool is_simple;
    bool releases_simply; /* is_simple, and nothing listens to commits */
    /* is_simple, and nothing examines every cycle. Arithmetic results are then not events: a warp
     * stores the cycle in which each of its registers gets its value, and sleeps until it can
     * continue. */
    bool plans_results;
    /* is_simple, the scheduler's answers change by events only, schedulers do not rotate, neither
     * an observer of issues, nor attribution, nor a recording is attached, and the scheduler has
     * pick_and_issue() or nothing listens to criticality */
    bool takes_short_path;
    bool may_issue_alone; /* the scheduler need not receive every issue; see sm_issue_alone() */
    void (*watcher)(void *user, const struct sm_issue *i); /* NULL = no observer */
    void *watcher_user;
};

/* Registers, and the units that instructions execute on (issue.h, register_bank.h). */
struct operand_part {
    uint64_t result_store[SM_MAX_WARPS][64]; /* sm_warp.result_at */
    uint64_t *pending_store;                 /* of the scoreboards of all warps */
    uint32_t pending_words;                  /* per warp and kind */
    uint8_t *bank_of;                        /* see sm_bank_of() */
    struct sub_core cores[SM_MAX_SCHEDULERS];
    uint32_t n_cores;
    struct sub_core *core_of[SM_MAX_SCHEDULERS]; /* of each scheduler */
};

/* Instruction fetch (fetch.c). Masks are of warp slots. */
struct fetch_part {
    uint64_t ready; /* warps whose buffers are empty */
    /* L1I refused the next one. Retried after a line has arrived, a request has left the miss
     * queue, or another warp may be next. */
    bool stalled;
    uint32_t last;    /* slot that fetched last */
    uint64_t arrived; /* warps whose instructions arrive from the cache in the next cycle */
};

/* The load/store unit (ldst.c, ldst_other.c, ldst_push.c). */
struct ldst_part {
    uint64_t due;          /* the cycle in which it has something to do; see sm.planned */
    struct ldst_op *ops;   /* ring */
    struct ldst_op *first; /* at its head */
    uint32_t head, n;
    uint64_t busy_until; /* shared memory passes, or hits that were done ahead */
    bool stalled;
    enum cache_stall cause;
    uint64_t stalled_since;
    uint64_t next_access_id;
    uint64_t stores_visible_at; /* cycle from which all its stores are visible to all */
    struct load_record *free_records;
    /* The bypass slots. The numbers of the free ones are free_bypass[n_bypass], ...; n_bypass are
     * in use. */
    struct load_record **bypass;
    uint32_t *free_bypass, n_bypass;
    uint32_t all_lanes;   /* of a full warp; 0, which no access has, if none is to count as full */
    bool notifies_loads;  /* the policy or an observer of L1D is notified of loads */
    bool describes_loads; /* loads are described in full: something may read the description */
    bool rates_accesses;  /* the criticality of L1D accesses is determined: something reads it */
    bool rates_if_found;  /* only loads that find their line need it (cache_policy.h) */
    bool rates_no_value;  /* of the criticality, only is_critical is needed (cache_policy.h) */
    bool varies_by_warp;  /* the scheduler listens to more L1D events for some warps */
    bool notifies_all;    /* the scheduler is notified of all of them at present */
    /* What a hit does to the policy may depend on the instructions that issue before it. */
    bool hits_depend_on_issue;
    bool may_bypass;        /* L1D's policy may bypass a load */
    bool stalls_may_bypass; /* L1D's policy may bypass a load that would otherwise stall */
    bool answers_drift;     /* L1D's policy decides by a criticality that changes with time */
    bool counts_insts;      /* L1D's policy listens to instructions */
    bool hears_fills;       /* L1D's policy listens to fills */
    bool changes_alone;     /* L1D's policy has next_change() */
    struct queue_account account;
};

/* Requests to memory (send.c): where they go, and the miss queue in which they wait for the port.
 */
struct sm_out {
    uint64_t due; /* the cycle in which one can leave; see sm.planned */
    struct tx_port port;
    const struct address_map *map;
    struct divider n_partitions;
    uint32_t chunk_shift; /* log2 of a chunk's bytes; or NO_CHUNK_SHIFT */
    struct hashed_route hashed;
    uint32_t first_partition;
    const struct noc_config *noc;
    uint32_t header_flits;      /* of a request without data */
    struct mem_request **queue; /* ring */
    uint32_t head, n;
    bool is_deep;        /* the queue's capacity covers all that may enter it in two cycles */
    bool sends_ahead;    /* is_deep, and the SM looks ahead */
    bool l2_sees_loads;  /* L2's policy reads more of a load than its address and sectors */
    uint64_t left_ahead; /* the cycle for which the last request was sent ahead of time */
    struct mem_request *free_requests;
    uint64_t n_out; /* sent and not answered or freed */
    struct queue_account account;
};

/* Replies of memory (reply.c). */
struct sm_in {
    struct rx_port port;
    struct reply_queue queue; /* replies that have passed or will pass through the port, in order */
    bool in_step;             /* replies arrive at the start of the SM's own cycles */
    /* The number of writes in the last reply that was not a fill of L1D; the mutex unit reads it.
     */
    uint64_t n_writes;
    uint32_t n_put_off; /* replies on the wheel, because they had to wait for a miss queue entry */
};

/* When the SM was active, and when it became idle. */
struct activity_part {
    uint64_t active_since; /* for active_cycles */
    uint64_t fault_cycle;
    sim_time last_event; /* when it became idle, or the last message arrived */
    bool was_busy;
};

/* The address layout of the local memory of an SM's warps (see add_local()); sized by what the
 * kernel needs. */
struct local_layout {
    uint64_t first_warp; /* of the SM, among the warps that the machine holds */
    uint64_t stride;     /* words between two consecutive words of a thread */
};

struct sm;

/* Takes a message in cycle `now`, before anything else happens in it. It may change what belongs to
 * this SM, and nothing else: other SMs may run on other threads. */
struct sm_handler {
    void (*take)(void *user, struct sm *sm, const struct message *m, uint64_t now);
    void *user;
};

/* Starts on a cache line boundary: its neighbour may run on another thread. */
struct sm {
    _Alignas(64) struct shard shard;
    const struct sm_config *config;
    const struct clock_domain *clock;
    struct divider period;
    uint32_t index, dispatcher;
    sim_time dispatch_latency, visibility;
    struct atomics_sm atomics;
    sim_time atomics_lead;    /* an atomic is performed at least this long after its issue */
    bool every_cycle;         /* the per-cycle engine */
    bool looks_ahead;         /* see sm_looks_ahead() */
    bool skips_units_not_due; /* a cycle skips units that are not due; the SM looks ahead */
    uint64_t cycle;           /* the last one done + 1 */
    /* The first cycle that may not be simulated yet: the end of the quantum, or the cycle of the
     * next message that must be taken exactly when it is due (any but a reply or a returned store;
     * without look-ahead, any). */
    uint64_t end;
    /* The next cycle with something to do, as far as known now; UINT64_MAX = none. issue, ldst and
     * out have their own `due`: a cycle skips those that are not due, and whatever gives one
     * earlier work lowers its `due`. The per-cycle engine ignores them. */
    uint64_t planned;

    struct issue_part issue;
    struct fetch_part fetch;
    struct ldst_part ldst;
    struct sm_out out;
    struct sm_in in;
    struct activity_part activity;
    struct wheel wheel;
    struct cache *l1d, *l1i, *l1c;

    /* The kernel. */
    struct emu emu;
    struct run_stats run_stats;
    struct overlay overlay;
    struct heap_calls heap;
    struct strbuf printed; /* by the kernel, since the memory image changed last */
    struct mem_range *ranges;
    const struct op_timing *timing;
    uint32_t launch;
    struct local_layout local;

    /* CTAs and warps (cta.c). */
    struct emu_cta *ctas;            /* slots */
    uint32_t cta_warps[SM_MAX_CTAS]; /* live warps; 0 = free */
    uint32_t n_cta_slots, n_warps;   /* warp slots */
    uint32_t n_resident;             /* CTAs */
    uint64_t next_age;
    struct sm_warp warps[SM_MAX_WARPS];
    uint64_t atomic_store[SM_MAX_WARPS][MAX_WARP_ATOMICS]; /* sm_warp.atomic_lines */
    struct operand_part operands;

    /* Mechanisms. */
    struct sched_warp sched_warps[SM_MAX_WARPS];
    struct sched_view view;
    struct scheduler *scheduler;
    const struct scheduler_desc *sched; /* the scheduler's */
    struct criticality *criticality;
    bool criticality_matters; /* the provider does more than rate every warp as not critical */

    /* Observers. */
    struct sm_l1d_watcher l1d_watchers[SM_MAX_L1D_WATCHERS];
    uint32_t n_l1d_watchers;
    struct attribution *attribution; /* NULL = latencies are not attributed */
    struct sm_sampler *sampler;      /* NULL = it does not sample */
    struct sm_stats stats;
    struct arena pool;                             /* of requests and records */
    struct sm_handler handlers[MAX_MESSAGE_KINDS]; /* by kind; see sm_set_handler() */
};

/* --- set-up (sm_create.c) --- */
struct sm_setup {
    const struct sm_config *config;
    const struct clock_domain *clock, *noc_clock;
    const struct noc_config *noc;
    const struct address_map *map;
    const struct part_position *place;
    uint32_t first_partition, dispatcher; /* shard ids */
    uint32_t n_warps, n_cta_slots;
    sim_time dispatch_latency, visibility, latency_to_l2;
    bool every_cycle;
    const struct scheduler_desc *scheduler;
    const void *scheduler_params;
    const struct criticality_desc *criticality;
    const void *criticality_params, *criticality_input;
    const struct cache_policy_desc *l1d_policy;
    const void *l1d_params;
    const struct atomics_desc *atomics;
    const void *atomics_params;
    /* These three are used only if SMs perform atomics. */
    uint32_t atomics_per_cycle, n_sms;
    struct write_ledger *ledger;
    bool l2_is_lru; /* L2 uses LRU and no applications share it: it needs no description of loads */
    uint64_t seed;
};
/* In zeroed memory. */
void sm_create(struct sm *sm, const struct sm_setup *setup);
void sm_destroy(struct sm *sm);
/* Call it before the first kernel. */
void sm_watch_l1d(struct sm *sm, struct sm_l1d_watcher w);
/* Likewise: messages of kind `kind` go to the handler `h`. */
void sm_set_handler(struct sm *sm, uint32_t kind, struct sm_handler h);
/* Likewise: from now on it reports to the controller of the last-level cache (sampler.c). */
void sm_sample(struct sm *sm, sim_time period, uint32_t controller);
/* Makes the SM ready for CTAs of a kernel; it must be idle. `emu` carries memory, program, launch.
 */
struct sm_kernel {
    const struct emu *emu;
    const struct op_timing *timing;
    uint32_t launch, l1d_ways;
    uint32_t n_sms, warps_per_sm; /* SMs of the machine; warps of the kernel that an SM can hold */
    bool flush_l1;
};
void sm_start_kernel(struct sm *sm, const struct sm_kernel *k);
/* The kernel's atomics are performed in SMs. Call it after sm_start_kernel(); lasts until the next
 * kernel starts. */
void sm_use_mutexes(struct sm *sm);

/* --- cycles (sm.c) --- */
extern const struct shard_ops sm_ops;

/* --- reports (describe.c) --- */
/* What it waits for and what each of its warps does, for shard_ops. */
void sm_describe_wait(const struct shard *s, struct strbuf *out);
/* The instruction that a live warp executes next, or waits at. */
uint32_t sm_warp_pc(const struct sm *sm, uint32_t slot);
/* A warp for a report to name: one that does not wait at a barrier, if possible; SM_MAX_WARPS if no
 * warp is live. */
uint32_t sm_find_warp(const struct sm *sm);

/* --- pieces (ready.c, issue.c, fetch.c, ldst.c, reply.c) --- */
/* The bank of one of a warp's registers. */
static inline uint32_t sm_bank_of(const struct sm *sm, const struct sm_warp *w, uint32_t row)
{
    return sm->operands.bank_of[row + w->bank_turn];
}
/* The warp of a slot, for code that uses much of it. The empty asm hides where the pointer comes
 * from; otherwise the compiler would recompute it from `sm` at every access. */
static inline struct sm_warp *sm_warp_of(struct sm *sm, uint32_t slot)
{
    struct sm_warp *w = &sm->warps[slot];
    __asm__("" : "+r"(w));
    return w;
}
/* Performs the heap calls of its warps in the visibility period that ended at t; true if something
 * was freed. */
bool sm_perform_heap_calls(struct sm *sm, sim_time t);
/* Determines whether a warp can issue, and why not, and updates the masks. */
void sm_refresh(struct sm *sm, uint32_t slot, uint64_t now);
void sm_issue(struct sm *sm, uint64_t now);
/* The same if only one warp can issue. Continues with the following cycles before `end`, as long as
 * only this warp and the load/store unit have anything to do. Returns the last cycle done, in which
 * fetch must still run, and issue too if it is due then (alone.c). */
uint64_t sm_issue_alone(struct sm *sm, uint64_t now, uint64_t end);
/* Advances the scheduler to cycle `now`. */
void sm_advance_scheduler(struct sm *sm, uint64_t now);
/* The warps that a scheduler would pick and visit now; changes nothing. */
struct sched_pick sm_pick(const struct sm *sm, uint32_t scheduler, uint64_t now);
/* The first cycle in which the unit accepts an instruction of that warp; UINT64_MAX = unknown. */
uint64_t sm_unit_next(const struct sm *sm, uint32_t slot, enum sm_unit unit);
/* Fetches for up to fetch_warps warps; at least one can fetch. */
void sm_fetch(struct sm *sm, uint64_t now);
/* Finishes what is due now: mainly results; also instructions fetched from the cache. */
void sm_finish_events(struct sm *sm, uint64_t now);
void sm_take_fetched(struct sm *sm, uint64_t now);
static inline bool ldst_has_room(const struct sm *sm)
{
    return sm->ldst.n < sm->config->ldst_queue;
}
/* Records the memory instruction that the emulator has just executed. */
void ldst_push(struct sm *sm, uint32_t slot, uint32_t pc, uint64_t ready_at, uint64_t now);
/* The unit's part of a cycle, and of the following cycles before `end` if nothing else happens in
 * them. Returns the last one done. */
uint64_t ldst_step(struct sm *sm, uint64_t now, uint64_t end);
/* From now on the scheduler receives all its L1D events (`notifies_all`), or only those that matter
 * for every warp (without l1d_events_of_some_warps). */
void sm_change_l1d_events(struct sm *sm, bool notifies_all);
void sm_free_record(struct sm *sm, struct load_record *r);
struct load_record *sm_new_record(struct sm *sm, uint32_t slot, uint32_t pc);
/* The first-level cache of a space: lanes are coalesced into its lines. */
static inline const struct cache_config *sm_l1_of(const struct sm *sm, enum mem_space space)
{
    return space == MEM_CONST ? &sm->config->l1c : &sm->config->l1d;
}
/* Schedules a retry of the stalled access if `causes`, a mask of 1 << enum cache_stall, includes
 * the cause of its stall, or if the policy may bypass a stalled load. Any other retry would fail
 * again, and each costs as much as an access. */
static inline void ldst_wake(struct sm *sm, uint32_t causes)
{
    if (sm->ldst.stalled && (causes >> sm->ldst.cause & 1 || sm->ldst.stalls_may_bypass))
        sm->ldst.due = sm->ldst.stalled_since;
}
/* Schedules a retry of the stalled access after a fill of a line of L1D's set `set`. An access that
 * waits for a way (STALL_LINE) or for room in the MSHR of its line (STALL_MERGE) is retried only if
 * its line belongs to that set, or if the policy listens to fills: such a policy may now decide
 * differently. */
static inline void ldst_wake_for_fill(struct sm *sm, uint32_t set)
{
    bool waits_for_set = sm->ldst.cause == STALL_LINE || sm->ldst.cause == STALL_MERGE;
    if (!waits_for_set || sm->ldst.hears_fills || sm->ldst.first->current.set == set)
        ldst_wake(sm, ~0u);
}
/* Removes a line from L1D in this cycle, for a handler of messages or a unit of the SM; see
 * cache_invalidate_line(). */
void sm_remove_line(struct sm *sm, uint64_t line);
/* Called when a reply brings the count of a load's outstanding replies to 0. */
void sm_record_done(struct sm *sm, struct load_record *r, uint64_t now);
/* Called when a load has received a reply. */
static inline void sm_record_reply(struct sm *sm, struct load_record *r, uint64_t now)
{
    if (!--r->outstanding)
        sm_record_done(sm, r, now);
}
/* Releases the registers that the instruction at `pc` writes, and re-examines the warp. */
void sm_release(struct sm *sm, struct sm_warp *w, uint32_t pc, uint64_t now);
void sm_make_room_for_replies(struct reply_queue *q);
/* Queues a reply that has passed through the port in cycle `at`. Call it in the order of arrival.
 */
static inline void sm_await_reply(struct sm *sm, struct mem_request *r, uint64_t at)
{
    struct reply_queue *q = &sm->in.queue;
    if (q->end == q->last_place)
        sm_make_room_for_replies(q);
    struct timed_reply *end = q->end;
    end[0] = (struct timed_reply){at, r};
    end[1].at = UINT64_MAX;
    q->end = end + 1;
    if (at < q->due) /* there is no other */
        q->due = at;
}
/* Removes the first queued reply. */
static inline void sm_drop_reply(struct reply_queue *q)
{
    struct timed_reply *next = q->first + 1;
    q->first = next;
    q->due = next->at;
}
/* Takes the replies that have passed through the port by now; there must be some. Continues with
 * the following cycles before `end`, while nothing else is due in the SM. Returns the last one
 * done. */
uint64_t sm_finish_replies(struct sm *sm, uint64_t now, uint64_t end);
/* Takes a reply that had been put off (EV_REPLY), or puts it off again. */
void sm_retry_put_off_reply(struct sm *sm, struct mem_request *r, uint64_t now);
/* Hands out the results of an atomic that the SM performed. */
void sm_answer_atomic(struct sm *sm, struct mem_request *r, uint64_t now);
/* Finishes an atomic whose effect is visible to all from now on. */
void sm_atomic_visible(struct sm *sm, struct mem_request *r, uint64_t now);
/* The cycle from which a store issued, or an atomic performed, at `t` is visible to all: the end of
 * its visibility period. */
uint64_t sm_visible_cycle(const struct sm *sm, sim_time t);
/* Starts a CTA that the dispatcher has sent; ends a warp whose lanes have all exited (cta.c). */
void sm_start_cta(struct sm *sm, uint64_t number, uint64_t now);
void sm_warp_done(struct sm *sm, uint32_t slot, uint64_t now);
/* The launch is cut off before cycle `now`: completes the counts of what lasts until then (live
 * warps, active time, a stall). Nothing may follow. */
void sm_cut(struct sm *sm, uint64_t now);
/* Warps of the CTA may have started to wait at a barrier, or been released. */
void sm_barriers_changed(struct sm *sm, uint32_t cta_slot, uint64_t now);

/* --- requests --- */
/* A request for the access's line, ready to be queued or sent. `id` is the number of an MSHR, of a
 * bypass slot or of a record, as `origin` requires (request.h). */
struct mem_request *sm_new_request(struct sm *sm, const struct mem_access *a,
                                   const struct route *route, enum request_origin origin,
                                   uint32_t id, uint32_t bytes);
/* The same for a load that bypasses L1D. It takes a bypass slot, which must be free, for `record`.
 */
struct mem_request *sm_new_bypass(struct sm *sm, const struct mem_access *a,
                                  const struct route *route, struct load_record *record);
struct mem_request *sm_make_request(struct sm *sm); /* when none is left */
static inline void sm_free_request(struct sm *sm, struct mem_request *r)
{
    r->next = sm->out.free_requests;
    sm->out.free_requests = r;
}
/* One entry more than configured, for a dirty line that must be evicted before its way is reused.
 * MODEL: the miss queue has this entry so that a miss of an L1 needs only one free entry, whatever
 * it evicts. */
static inline uint32_t sm_miss_queue_places(const struct sm *sm)
{
    return sm->config->miss_queue + 1;
}
static inline bool sm_miss_queue_full(const struct sm *sm)
{
    return sm->out.n >= sm->config->miss_queue;
}
void sm_queue_request(struct sm *sm, struct mem_request *r, uint64_t now);
/* The same for a request made after the queue's turn in a cycle. It leaves in the next cycle at the
 * earliest; if that is certain, it is handed to the port now. */
void sm_submit(struct sm *sm, struct mem_request *r, uint64_t now);
static inline uint32_t sm_segment_bytes(uint32_t segments)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcount(segments) * SEGMENT_BYTES;
#else
    uint32_t n = 0; /* usually a whole line or a single segment: calling popcount would take
                     * longer */
    if (segments == 15)
        return 4 * SEGMENT_BYTES;
    for (; segments; segments &= segments - 1)
        n++;
    return n * SEGMENT_BYTES;
#endif
}
/* Prepares routing by the map. */
void sm_plan_routes(struct sm *sm, const struct address_map *map);
struct route sm_route_by_map(const struct sm *sm, uint64_t line); /* for any map; slower */
/* The first cycle of the core's clock at or after t. */
static inline uint64_t sm_cycle_at(const struct sm *sm, sim_time t)
{
    return divider_div_up_multiple(&sm->period, t);
}
void sm_send(struct sm *sm, struct mem_request *r, uint64_t now);
void sm_queue_writeback(struct sm *sm, const struct mem_access *cause,
                        const struct cache_victim *victim, uint64_t now);
void sm_drain_miss_queue(struct sm *sm, uint64_t now);
/* The same for the next cycle, ahead of time, if its outcome is known now. */
void sm_drain_ahead(struct sm *sm, uint64_t next);
/* May this cycle compute what the next one does? Not if an observer looks at every cycle. */
static inline bool sm_looks_ahead(const struct sm *sm)
{
    return sm->looks_ahead;
}

/* --- atomics that the SM performs (mutexes.c); sm.atomics.mutexes is NULL if it does not --- */
void sm_create_mutexes(struct sm *sm, const struct sm_setup *setup);
void sm_destroy_mutexes(struct sm *sm);
/* The unit's part of a cycle. */
void sm_step_mutexes(struct sm *sm, uint64_t now);
/* Its fetched data have arrived: sm.in.n_writes is the number of writes they include. */
void sm_mutex_data(struct sm *sm, const struct load_record *record, uint64_t now);
/* The SM's own plain store has been accepted: what atomics changed in its line is written first. */
void sm_store_under_mutex(struct sm *sm, uint64_t line, uint64_t now);
/* The stores of the period that ends at t become visible. */
void sm_note_stores(struct sm *sm, sim_time t);

/* What is due. After the semicolon: body and value of struct wheel_event. */
enum sm_event {
    EV_RELEASE,   /* results of a warp's instruction arrive; warp, PC of the instruction */
    EV_FETCHED,   /* instructions of a warp arrive; warp */
    EV_REPLY,     /* a reply that had to wait is tried again; request */
    EV_ANSWER,    /* the results of an atomic that the SM performed arrive; request */
    EV_PERFORMED, /* an atomic becomes visible to all; request */
    EV_WAKE,      /* a warp may continue; warp */
    EV_WRITE,     /* a result that its register bank did not expect; banks, which of them */
    EV_COMMIT,    /* an instruction with planned results ends; NULL, slot of the warp */
    N_SM_EVENTS
};

#endif
