/* Loose round-robin.
 * S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront scheduling.
 * MICRO 2012, section 5.1:
 *
 * "Wavefronts are prioritized for scheduling in round-robin order. However, if a wavefront cannot
 * issue during its turn, the next wavefront in round-robin order is given the chance to issue."
 *
 * In each issue slot, the search starts after the warp that this slot issued last, in the order of
 * warp slots, and the first ready warp wins. A warp that is not ready loses its turn. */
#include "sched/order.h"

struct lrr {
    uint64_t ahead;
};

static size_t lrr_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct lrr);
}

static uint64_t lrr_cost_bits(const struct sched_geometry *g, const void *params,
                              struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "last warp",
                       g->n_slots * sched_warp_number_bits(g->n_warps, g->n_slots));
}

static struct sched_pick lrr_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                  uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct lrr *l = s->state;
    uint64_t domain = s->slot_warps[slot] & s->view->live;
    uint32_t warp = round_robin_first(l->ahead, ready);
    return pick_warp(warp, round_robin_before(l->ahead, domain, warp));
}

static void lrr_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                         uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    struct lrr *l = s->state;
    round_robin_issue(&l->ahead, s->slot_warps[slot], warp);
}

static int lrr_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    (void)now;
    struct lrr *l = s->state;
    uint32_t warp = round_robin_first(l->ahead, ready);
    round_robin_issue(&l->ahead, s->slot_warps[slot], warp);
    return (int)warp;
}

const struct scheduler_desc scheduler_lrr = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "lrr",
    .summary = "loose round-robin: the first ready warp after the one issued last",
    .citation = "Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, section 5.1",
    .state_bytes = lrr_state_bytes,
    .cost_bits = lrr_cost_bits,
    .pick = lrr_pick,
    .pick_and_issue = lrr_pick_and_issue,
    .on_issue = lrr_on_issue,
};
