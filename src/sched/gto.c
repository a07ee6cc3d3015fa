/* Greedy then oldest. S4 = T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-conscious wavefront
 * scheduling. MICRO 2012, section 5.1:
 *
 * "GTO runs a single wavefront until it stalls then picks the oldest ready wavefront. The age of a
 * wavefront is determined by the time it is assigned to the core. For wavefronts that are assigned
 * to a core at the same time [...], wavefronts with the smallest threads IDs are prioritized."
 *
 * Each issue slot has its own greedy warp, which stays the greedy one through cycles in which no
 * warp is ready. */
#include "sched/gto.h"

uint64_t gto_cost(uint32_t n_warps, uint32_t n_slots, struct strbuf *parts)
{
    return plugin_cost(parts, "age order", age_order_cost_bits(n_warps, n_slots)) +
           plugin_cost(parts, "last warp", n_slots * sched_warp_number_bits(n_warps, n_slots)) +
           plugin_cost(parts, "last warp lives", n_slots);
}

void gto_start(struct gto *g, const struct sched_view *view, uint32_t warp)
{
    age_order_start(&g->ages, view, warp);
}

void gto_end(struct gto *g, uint32_t warp)
{
    age_order_end(&g->ages, warp);
    g->greedy &= ~warp_bit(warp);
}

static size_t gto_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct gto);
}

static uint64_t gto_cost_bits(const struct sched_geometry *g, const void *params,
                              struct strbuf *parts)
{
    (void)params;
    return gto_cost(g->n_warps, g->n_slots, parts);
}

static struct sched_pick gto_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                  uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    return gto_choose(s->state, s->slot_warps[slot], ready);
}

static void gto_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                         uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    struct gto *g = s->state;
    greedy_issue(&g->greedy, s->slot_warps[slot], warp);
}

static int gto_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    (void)now;
    return (int)gto_take(s->state, s->slot_warps[slot], ready);
}

static void gto_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    gto_start(s->state, s->view, warp);
}

static void gto_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    gto_end(s->state, warp);
}

const struct scheduler_desc scheduler_gto = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "gto",
    .summary = "greedy then oldest: the same warp until it stalls, then the oldest ready one",
    .citation = "Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, section 5.1",
    .state_bytes = gto_state_bytes,
    .cost_bits = gto_cost_bits,
    .pick = gto_pick,
    .pick_and_issue = gto_pick_and_issue,
    .on_issue = gto_on_issue,
    .on_warp_start = gto_on_warp_start,
    .on_warp_end = gto_on_warp_end,
};
