/* Greedy criticality-aware warp scheduling.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 4.2.2. In S3's order
 * (3 is applied first; 1 and 2 choose when the selected warp is not ready):
 *
 * 1. "At each cycle, gCAWS selects a ready warp for execution based on the degree of warp
 *    criticality determined by the per-warp criticality counter in CPL": the largest first.
 * 2. "If there are multiple warps having the same criticality, [...] the oldest one."
 * 3. "Then gCAWS greedily executes instructions from the selected critical warp until this
 *    particular warp has no further available instructions", even if another warp becomes more
 *    critical meanwhile.
 *
 * S3 does not say whether a cycle without a ready warp ends the selection. Here it does not, as
 * under GTO: a warp stays selected until another warp of its issue slot issues in its place,
 * because the selected one was not ready, or until it ends.
 *
 * CAWA is gCAWS with the cache policy CACP. */
#include "sched/gto.h"

static size_t gcaws_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct gto);
}

static uint64_t gcaws_cost_bits(const struct sched_geometry *g, const void *params,
                                struct strbuf *parts)
{
    (void)params;
    return gto_cost(g->n_warps, g->n_slots, parts);
}

/* The warps that come before `warp`, for sched_pick.visited: live warps of `domain`, ready or not,
 * that are more critical, or equally critical and older. `value` is the criticality of `warp`. */
static uint64_t warps_before(const struct scheduler *s, uint64_t domain, uint32_t warp,
                             int64_t value, uint64_t now)
{
    const struct gto *g = s->state;
    const struct sched_view *view = s->view;
    uint64_t before = 0;
    for (uint64_t rest = domain & view->live & ~warp_bit(warp); rest; rest &= rest - 1) {
        uint32_t other = lowest_warp(rest);
        int64_t theirs = view->criticality_of(view->provider, other, now);
        if (theirs > value || (theirs == value && g->ages.older[warp] & warp_bit(other)))
            before |= warp_bit(other);
    }
    return before;
}

static uint32_t most_critical(const struct scheduler *s, uint64_t ready, uint64_t now,
                              int64_t *value)
{
    const struct gto *g = s->state;
    const struct sched_view *view = s->view;
    uint32_t best = lowest_warp(ready);
    *value = view->criticality_of(view->provider, best, now);
    for (uint64_t rest = ready & (ready - 1); rest; rest &= rest - 1) {
        uint32_t warp = lowest_warp(rest);
        int64_t theirs = view->criticality_of(view->provider, warp, now);
        if (theirs > *value || (theirs == *value && g->ages.older[best] & warp_bit(warp))) {
            best = warp;
            *value = theirs;
        }
    }
    return best;
}

static struct sched_pick gcaws_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                    uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads;
    const struct gto *g = s->state;
    if (ready & g->greedy)
        return pick_warp(lowest_warp(ready & g->greedy), 0);
    int64_t value;
    uint32_t warp = most_critical(s, ready, now, &value);
    uint64_t domain = s->slot_warps[slot];
    return pick_warp(warp, (g->greedy & domain) | warps_before(s, domain, warp, value, now));
}

static void gcaws_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,
                           enum issue_class class, uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    struct gto *g = s->state;
    greedy_issue(&g->greedy, s->slot_warps[slot], warp);
}

static int gcaws_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    struct gto *g = s->state;
    uint64_t greedy = ready & g->greedy;
    if (greedy)
        return (int)lowest_warp(greedy);
    int64_t value;
    uint32_t warp = ready & (ready - 1) ? most_critical(s, ready, now, &value) : lowest_warp(ready);
    greedy_issue(&g->greedy, s->slot_warps[slot], warp);
    return (int)warp;
}

static void gcaws_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    gto_start(s->state, s->view, warp);
}

static void gcaws_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    gto_end(s->state, warp);
}

#define GCAWS(id, text, policy)                                                                    \
    const struct scheduler_desc scheduler_##id = {                                                 \
        .abi_version = SCHEDULER_ABI,                                                              \
        .struct_size = sizeof(struct scheduler_desc),                                              \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .citation = "S.-Y. Lee, A. Arunkumar, C.-J. Wu: CAWA: coordinated warp scheduling and "    \
                    "cache prioritization for critical warp acceleration of GPGPU workloads. "     \
                    "ISCA 2015",                                                                   \
        .criticality = "cpl",                                                                      \
        .l1d_policy = policy,                                                                      \
        .state_bytes = gcaws_state_bytes,                                                          \
        .cost_bits = gcaws_cost_bits,                                                              \
        .pick = gcaws_pick,                                                                        \
        .pick_and_issue = gcaws_pick_and_issue,                                                    \
        .on_issue = gcaws_on_issue,                                                                \
        .on_warp_start = gcaws_on_warp_start,                                                      \
        .on_warp_end = gcaws_on_warp_end,                                                          \
    }

GCAWS(gcaws, "the most critical warp, then the same warp until it stalls", NULL);
GCAWS(cawa, "gcaws together with the cache policy cacp", "cacp");
