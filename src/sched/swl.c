/* Static wavefront limiting.
 * S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling.
 * MICRO 2012, section 3.2:
 *
 * "a register is used to determine how many wavefronts are actively issued, independent of
 * workgroup size": the `limit` oldest live warps of the SM issue, by GTO (section 5.1).
 * "In benchmarks that make use of work group level synchronization, SWL limits the number of
 * wavefronts running until a barrier, allows the rest of the work-group to reach the barrier, then
 * continues with the same multithreading constraints": while warps of a CTA wait at a barrier, the
 * other warps of that CTA may run whatever their age.
 *
 * MODEL: warps that wait at a barrier still count towards the limit. */
#include <assert.h>
#include <inttypes.h>

#include "sched/gto.h"

struct swl_params {
    uint32_t limit;
};

static const struct param swl_params[] = {
    PARAM_U32(struct swl_params, limit, "8", 1, SCHED_MAX_WARPS, "warps",
              "live warps of an SM that may issue, the oldest ones"),
};

struct swl {
    struct gto gto;
    uint64_t allowed;
};

static size_t swl_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct swl);
}

/* The order of age must span the issue slots, as the limit does. */
static uint64_t swl_cost_bits(const struct sched_geometry *g, const void *params,
                              struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "age order", age_order_cost_bits(g->n_warps, 1)) +
           plugin_cost(parts, "last warp",
                       g->n_slots * sched_warp_number_bits(g->n_warps, g->n_slots)) +
           plugin_cost(parts, "last warp lives", g->n_slots) +
           plugin_cost(parts, "limit", plugin_index_bits((uint64_t)g->n_warps + 1));
}

/* Computed from the view alone, so that the order of a cycle's events does not matter. */
static void swl_update(struct scheduler *s)
{
    const struct swl_params *params = s->params;
    const struct sched_view *view = s->view;
    struct swl *l = s->state;
    uint64_t waiting_ctas = 0;
    for (uint64_t rest = view->live; rest; rest &= rest - 1) {
        const struct sched_warp *w = &view->warps[lowest_warp(rest)];
        assert(w->cta_slot < SCHED_MAX_WARPS);
        waiting_ctas |= (uint64_t)w->at_barrier << w->cta_slot;
    }
    l->allowed = 0;
    for (uint64_t rest = view->live; rest; rest &= rest - 1) {
        uint32_t warp = lowest_warp(rest);
        bool is_within = (uint32_t)__builtin_popcountll(l->gto.ages.older[warp]) < params->limit;
        if (is_within || waiting_ctas >> view->warps[warp].cta_slot & 1)
            l->allowed |= warp_bit(warp);
    }
    s->hold.all = ~l->allowed;
}

static void swl_init(struct scheduler *s)
{
    s->hold.all = ~0ull; /* equivalent to `allowed` */
}

static struct sched_pick swl_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                  uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct swl *l = s->state;
    return gto_choose(&l->gto, s->slot_warps[slot] & l->allowed, ready);
}

static uint64_t swl_may_issue(const struct scheduler *s, enum issue_class class)
{
    (void)class;
    const struct swl *l = s->state;
    return l->allowed;
}

static void swl_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                         uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    struct swl *l = s->state;
    greedy_issue(&l->gto.greedy, s->slot_warps[slot], warp);
}

static int swl_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    (void)now;
    struct swl *l = s->state;
    return (int)gto_take(&l->gto, s->slot_warps[slot], ready);
}

static void swl_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct swl *l = s->state;
    gto_start(&l->gto, s->view, warp);
    swl_update(s);
}

static void swl_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct swl *l = s->state;
    gto_end(&l->gto, warp);
    swl_update(s);
}

static void swl_on_barrier_arrive(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)warp, (void)now;
    swl_update(s);
}

static void swl_on_barrier_release(struct scheduler *s, uint64_t warps, uint64_t now)
{
    (void)warps, (void)now;
    swl_update(s);
}

static void swl_describe_wait(const struct scheduler *s, struct strbuf *out)
{
    const struct swl_params *params = s->params;
    const struct swl *l = s->state;
    uint64_t held = s->view->live & ~l->allowed;
    if (held)
        strbuf_addf(out, "swl: beyond the limit of %" PRIu32 " warps: mask 0x%" PRIx64 "\n",
                    params->limit, held);
}

static struct stat_reading swl_may_load(const void *instance, uint64_t now)
{
    (void)now;
    const struct scheduler *s = instance;
    const struct swl *l = s->state;
    return may_load_reading(s->view, l->allowed);
}

static const struct plugin_stat swl_stats[] = {MAY_LOAD_STATS(swl_may_load)};

const struct scheduler_desc scheduler_swl = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "swl",
    .summary = "static warp limiting: only the oldest warps issue, greedy then oldest",
    .citation = "Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, section 3.2",
    .params = swl_params,
    .n_params = sizeof swl_params / sizeof swl_params[0],
    .params_bytes = sizeof(struct swl_params),
    .stats = swl_stats,
    .n_stats = sizeof swl_stats / sizeof swl_stats[0],
    .init = swl_init,
    .state_bytes = swl_state_bytes,
    .cost_bits = swl_cost_bits,
    .pick = swl_pick,
    .pick_and_issue = swl_pick_and_issue,
    .may_issue = swl_may_issue,
    .keeps_hold = true,
    .on_issue = swl_on_issue,
    .on_warp_start = swl_on_warp_start,
    .on_warp_end = swl_on_warp_end,
    .on_barrier_arrive = swl_on_barrier_arrive,
    .on_barrier_release = swl_on_barrier_release,
    .describe_wait = swl_describe_wait,
};
