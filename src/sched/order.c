#include "sched/order.h"

void age_order_end(struct age_order *o, uint32_t warp)
{
    o->older[warp] = 0;
    o->known &= ~warp_bit(warp);
    uint64_t others = ~warp_bit(warp);
#pragma GCC unroll 8
    for (uint32_t w = 0; w < SCHED_MAX_WARPS; w++)
        o->older[w] &= others;
}

static void compare_ages(struct age_order *o, const struct sched_view *view, uint32_t warp,
                         uint64_t others)
{
    for (; others; others &= others - 1) {
        uint32_t other = lowest_warp(others);
        if (view->warps[other].age < view->warps[warp].age)
            o->older[warp] |= warp_bit(other);
        else
            o->older[other] |= warp_bit(warp);
    }
}

/* Uses the ages in the view, not the order of calls: the warps of a CTA may be announced in any
 * order, and the view may show some of them earlier. Usually the youngest warp comes last, which
 * avoids comparing it with each of the others. */
void age_order_start(struct age_order *o, const struct sched_view *view, uint32_t warp)
{
    uint64_t others = view->live & ~warp_bit(warp), age = view->warps[warp].age;
    if (o->known & warp_bit(warp))
        age_order_end(o, warp);
    if (age > o->highest_age && !(others & ~o->known))
        o->older[warp] = others;
    else
        compare_ages(o, view, warp, others);
    o->known |= warp_bit(warp);
    if (age > o->highest_age)
        o->highest_age = age;
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
