/* Oldest first, one of the "other greedy schemes" that S4 tried. S4 = T. G. Rogers, M. O'Connor, T.
 * M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012, section 5.1.
 *
 * In every cycle, issues the ready warp that was assigned to the SM first. */
#include "sched/order.h"

static size_t oldest_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct age_order);
}

static uint64_t oldest_cost_bits(const struct sched_geometry *g, const void *params,
                                 struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "age order", age_order_cost_bits(g->n_warps, g->n_slots));
}

static struct sched_pick oldest_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                     uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct age_order *ages = s->state;
    uint32_t warp = age_order_oldest(ages, ready);
    return pick_warp(warp, ages->older[warp] & s->slot_warps[slot]);
}

static int oldest_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    (void)slot, (void)now;
    return (int)age_order_oldest(s->state, ready);
}

static void oldest_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    age_order_start(s->state, s->view, warp);
}

static void oldest_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    age_order_end(s->state, warp);
}

const struct scheduler_desc scheduler_oldest = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "oldest",
    .summary = "oldest first: the ready warp assigned to the SM first",
    .citation = "Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, section 5.1",
    .state_bytes = oldest_state_bytes,
    .cost_bits = oldest_cost_bits,
    .pick = oldest_pick,
    .pick_and_issue = oldest_pick_and_issue,
    .on_warp_start = oldest_on_warp_start,
    .on_warp_end = oldest_on_warp_end,
};
