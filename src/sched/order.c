#include "sched/order.h"

void age_order_end(struct age_order *o, uint32_t warp)
{
    o->older[warp] = 0;
    for (uint32_t w = 0; w < SCHED_MAX_WARPS; w++)
        o->older[w] &= ~warp_bit(warp);
}

/* Goes by the ages in the view, not by the order of calls: the warps of a CTA may be announced in
 * any order, and the view may show some of them before they are. */
void age_order_start(struct age_order *o, const struct sched_view *view, uint32_t warp)
{
    age_order_end(o, warp);
    for (uint64_t rest = view->live & ~warp_bit(warp); rest; rest &= rest - 1) {
        uint32_t other = lowest_warp(rest);
        if (view->warps[other].age < view->warps[warp].age)
            o->older[warp] |= warp_bit(other);
        else
            o->older[other] |= warp_bit(warp);
    }
}

static uint32_t warps_per_slot(uint32_t n_warps, uint32_t n_slots)
{
    return (n_warps + n_slots - 1) / n_slots;
}

uint64_t sched_warp_number_bits(uint32_t n_warps, uint32_t n_slots)
{
    return plugin_index_bits(warps_per_slot(n_warps, n_slots));
}

uint64_t age_order_cost_bits(uint32_t n_warps, uint32_t n_slots)
{
    return n_warps * sched_warp_number_bits(n_warps, n_slots);
}
