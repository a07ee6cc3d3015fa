/* The interface of a criticality provider: how critical a warp is. One instance per SM serves both
 * the scheduler (through sched_view.criticality_of) and the L1D policy (through
 * mem_access.criticality), so neither needs to know the other. The rules are those of scheduler.h:
 * value() and is_critical() are const and depend only on events and `now`; events change the state,
 * each is called exactly once, and the view is updated before the event. The provider receives an
 * event before the scheduler does. */
#ifndef HEDDLE_CRIT_CRITICALITY_H
#define HEDDLE_CRIT_CRITICALITY_H

#include "sched/scheduler.h"

#define CRITICALITY_ABI                                                                            \
    PLUGIN_ABI(4,                                                                                  \
               sizeof(struct criticality) + sizeof(struct sched_view) + sizeof(struct sched_warp))

struct criticality {
    const struct criticality_desc *desc;
    const void *params;
    const void *input; /* what desc->load() returned */
    void *state;       /* desc->state_bytes(), zeroed by the framework */
    const struct sched_view *view;
    void *stats; /* counters, desc->stats_bytes bytes, zeroed once */
};

struct criticality_desc {
    PLUGIN_HEAD; /* abi_version = CRITICALITY_ABI */
    /* Optional. Reads what the parameters name (a file of recorded warp times) into the arena, once
     * per machine; the instances of all SMs share it, unchanged. NULL on failure, with the reason
     * in `why`. */
    const void *(*load)(const void *params, struct arena *arena, struct strbuf *why);
    /* Optional: NULL = 0. */
    size_t (*state_bytes)(uint32_t n_warps, const void *params);
    /* Required. Bits of storage that it needs in hardware; see plugin_cost(). */
    uint64_t (*cost_bits)(uint32_t n_warps, const void *params, struct strbuf *parts);
    /* Optional. The state is zeroed, no warp is live. */
    void (*init)(struct criticality *c);
    /* value() does not change during a warp's life. */
    bool is_fixed;
    /* Required. Larger = more critical. */
    int64_t (*value)(const struct criticality *c, uint32_t warp, uint64_t now);
    bool (*is_critical)(const struct criticality *c, uint32_t warp, uint64_t now);
    /* Optional. Asked after is_critical(): the last cycle in which its answer is still the same if
     * no event comes; NULL = `now`. */
    uint64_t (*steady_until)(const struct criticality *c, uint32_t warp, uint64_t now);
    /* Optional: NULL = no action. */
    void (*on_issue)(struct criticality *c, uint32_t warp, uint32_t pc, uint64_t now);
    void (*on_commit)(struct criticality *c, uint32_t warp, uint64_t now);
    /* In the cycle in which the warp issues, after on_issue(): that instruction commits in cycle
     * `at`, a later one. True if value() and is_critical() will count it from then on; otherwise
     * on_commit() is called in that cycle. */
    bool (*commit_ahead)(struct criticality *c, uint32_t warp, uint64_t at);
    void (*on_branch)(struct criticality *c, uint32_t warp, const struct branch_info *b);
    void (*on_warp_start)(struct criticality *c, uint32_t warp, uint64_t now);
    void (*on_warp_end)(struct criticality *c, uint32_t warp, uint64_t now);
    /* At the end of a launch: did it know every warp? If not, false and the reason. */
    bool (*check)(const struct criticality *c, struct strbuf *why);
};

/* --- registry (registry.c): built-in from providers.def, then plug-ins --- */
uint32_t criticality_count(void);
const struct criticality_desc *criticality_at(uint32_t i);
const struct criticality_desc *criticality_find(const char *name);
/* Is the descriptor complete, with valid defaults? Otherwise `why` says what is missing. */
bool criticality_is_sound(const struct criticality_desc *d, struct strbuf *why);
bool criticality_register(const struct criticality_desc *d, struct strbuf *why);
/* Registers what a shared object exports as `const struct criticality_desc heddle_criticality`. */
bool criticality_load(const char *path, struct strbuf *why);

/* `params` NULL = defaults; otherwise they are copied. `input` is the result of desc->load(), NULL
 * if there is none; it and the view must outlive the provider. */
struct criticality *criticality_create(const struct criticality_desc *d, const void *params,
                                       const void *input, const struct sched_view *view);
void criticality_destroy(struct criticality *c);

#endif
