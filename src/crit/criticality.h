/* The interface of a criticality provider: how critical a warp is. One instance per SM feeds both
 * the scheduler and the L1D policy (through mem_access.criticality), so neither needs to know the
 * other. Same rules as scheduler.h: values are const to ask for, events mutate. */
#ifndef HEDDLE_CRIT_CRITICALITY_H
#define HEDDLE_CRIT_CRITICALITY_H

#include "sched/scheduler.h"

#define CRITICALITY_ABI 1

struct criticality {
    const struct criticality_desc *desc;
    const void *params;
    void *state;
    const struct sched_view *view;
};

struct criticality_desc {
    uint32_t abi_version;
    size_t struct_size;
    const char *name, *summary, *citation;
    const struct param *params;
    uint32_t n_params;
    size_t params_bytes;
    size_t (*state_bytes)(uint32_t n_warps, const void *params);
    uint64_t (*cost_bits)(uint32_t n_warps, const void *params, struct strbuf *parts);
    void (*init)(struct criticality *c);
    /* Required. Larger = more critical. */
    int64_t (*value)(const struct criticality *c, uint32_t warp, uint64_t now);
    bool (*is_critical)(const struct criticality *c, uint32_t warp, uint64_t now);
    void (*on_issue)(struct criticality *c, uint32_t warp, uint32_t pc, uint64_t now);
    void (*on_commit)(struct criticality *c, uint32_t warp, uint64_t now);
    void (*on_branch)(struct criticality *c, uint32_t warp, const struct branch_info *b);
    void (*on_warp_start)(struct criticality *c, uint32_t warp, uint64_t now);
    void (*on_warp_end)(struct criticality *c, uint32_t warp, uint64_t now);
};

uint32_t criticality_count(void);
const struct criticality_desc *criticality_at(uint32_t i);
const struct criticality_desc *criticality_find(const char *name);
bool criticality_register(const struct criticality_desc *d, struct strbuf *why);
struct criticality *criticality_create(const struct criticality_desc *d, const void *params,
                                       const struct sched_view *view);
void criticality_destroy(struct criticality *c);

#endif
