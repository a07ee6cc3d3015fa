/* An example warp scheduler: the youngest ready warp, the one assigned to the SM last.
 * Warps that have run for long wait, which is what `oldest` and `gto` avoid: CTAs end late, and
 * their lines leave L1D before they are used again. */
#include "sched/order.h"

/* What it counts: every result has it, as scheduler.issues and scheduler.switches. */
struct youngest_stats {
    uint64_t issues, switches;
};

static const struct plugin_stat youngest_stats[] = {
    STAT_COUNT(struct youngest_stats, issues, "instructions", "that warps issued"),
    STAT_COUNT(struct youngest_stats, switches, "instructions",
               "of another warp than the one before in its issue slot"),
};

struct youngest {
    struct age_order ages; /* the age order of warps, kept by order.h */
    uint64_t last;         /* the warp of each issue slot that issued last, as a mask */
};

static size_t youngest_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct youngest);
}

static uint64_t youngest_cost_bits(const struct sched_geometry *g, const void *params,
                                   struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "age order", age_order_cost_bits(g->n_warps, g->n_slots));
}

/* Only looks: it may be asked any number of times before a warp issues. */
static struct sched_pick youngest_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                       uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct youngest *state = s->state;
    uint32_t warp = lowest_warp(ready);
    for (uint64_t others = ready; others; others &= others - 1)
        if (state->ages.older[lowest_warp(others)] & warp_bit(warp))
            warp = lowest_warp(others);
    uint64_t younger = s->slot_warps[slot] & s->view->live & ~state->ages.older[warp];
    return pick_warp(warp, younger);
}

/* Called once for every instruction. */
static void youngest_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,
                              enum issue_class class, uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    struct youngest *state = s->state;
    struct youngest_stats *stats = s->stats;
    stats->issues++;
    stats->switches += !(state->last & warp_bit(warp));
    greedy_issue(&state->last, s->slot_warps[slot], warp);
}

static void youngest_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct youngest *state = s->state;
    age_order_start(&state->ages, s->view, warp);
}

static void youngest_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct youngest *state = s->state;
    age_order_end(&state->ages, warp);
}

PLUGIN_EXPORT const struct scheduler_desc heddle_scheduler = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "youngest",
    .summary = "youngest first: the ready warp assigned to the SM last",
    .citation = "doc/schedulers.md",
    PLUGIN_STATS(youngest_stats, struct youngest_stats),
    .state_bytes = youngest_state_bytes,
    .cost_bits = youngest_cost_bits,
    .pick = youngest_pick,
    .on_issue = youngest_on_issue,
    .on_warp_start = youngest_on_warp_start,
    .on_warp_end = youngest_on_warp_end,
};
