/* Greedy then round-robin, one of the "other greedy schemes" that S4 tried. S4 = T. G. Rogers, M.
 * O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling. MICRO 2012, section 5.1.
 *
 * The same warp issues until it cannot, then the first ready one after it in the order of warp
 * slots. A warp is no longer greedy once it ends: the next warp in its slot waits for its turn. */
#include "sched/order.h"

struct gtrr {
    uint64_t greedy, ahead;
};

static size_t gtrr_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct gtrr);
}

static uint64_t gtrr_cost_bits(const struct sched_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "last warp",
                       g->n_slots * sched_warp_number_bits(g->n_warps, g->n_slots)) +
           plugin_cost(parts, "last warp lives", g->n_slots);
}

static struct sched_pick gtrr_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                   uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct gtrr *g = s->state;
    if (ready & g->greedy)
        return pick_warp(lowest_warp(ready & g->greedy), 0);
    uint64_t domain = s->slot_warps[slot] & s->view->live;
    uint32_t warp = round_robin_first(g->ahead, ready);
    return pick_warp(warp, (g->greedy & domain) | round_robin_before(g->ahead, domain, warp));
}

static void gtrr_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                          uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    struct gtrr *g = s->state;
    greedy_issue(&g->greedy, s->slot_warps[slot], warp);
    round_robin_issue(&g->ahead, s->slot_warps[slot], warp);
}

static int gtrr_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    (void)now;
    struct gtrr *g = s->state;
    uint64_t greedy = ready & g->greedy;
    if (greedy)
        return (int)lowest_warp(greedy);
    uint32_t warp = round_robin_first(g->ahead, ready);
    greedy_issue(&g->greedy, s->slot_warps[slot], warp);
    round_robin_issue(&g->ahead, s->slot_warps[slot], warp);
    return (int)warp;
}

static void gtrr_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct gtrr *g = s->state;
    g->greedy &= ~warp_bit(warp);
}

const struct scheduler_desc scheduler_gtrr = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "gtrr",
    .summary = "greedy then round-robin: the same warp until it stalls, then the next ready one",
    .citation = "Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, section 5.1",
    .state_bytes = gtrr_state_bytes,
    .cost_bits = gtrr_cost_bits,
    .pick = gtrr_pick,
    .pick_and_issue = gtrr_pick_and_issue,
    .on_issue = gtrr_on_issue,
    .on_warp_end = gtrr_on_warp_end,
};
