/* Criticality-aware warp scheduling with an oracle (S3 section 3.4): critical warps get more turns.
 *
 * Each warp has a counter; the ready warp with the smallest goes, the oldest of equals. When one
 * issues, the counters of the others of its issue slot fall by 1, not below 0, and its own becomes
 * its period: as many issues as the slot has live warps, 40/48 of that for a critical warp, 60/48
 * for a fast one. Which is which follows from what the criticality provider (the oracle: cycles
 * that each warp took in a recorded run) says of the warps that are resident now: caws_blk  the
 * slowest warp of each CTA is critical caws_sm   the N slowest of the SM are critical, N = resident
 * CTAs caws_avg  those above the mean of the SM by more than a fifth are critical, those below fast
 * A warp starts with its place in the slot's pool as its counter. */
#include "sched/order.h"

enum { POOL = 48, CRITICAL_PERIOD = 40, FAST_PERIOD = 60 };
enum speed { WARP_NORMAL, WARP_CRITICAL, WARP_FAST };

struct caws {
    struct age_order ages;
    uint8_t counter[SCHED_MAX_WARPS];
};

static size_t caws_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct caws);
}

static uint64_t caws_cost_bits(const struct sched_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)params;
    uint64_t largest = (uint64_t)g->n_warps * FAST_PERIOD / POOL;
    return plugin_cost(parts, "age order", age_order_cost_bits(g->n_warps, g->n_slots)) +
           plugin_cost(parts, "counters", g->n_warps * (uint64_t)plugin_index_bits(largest + 1));
}

static int64_t value_of(const struct scheduler *s, uint32_t warp, uint64_t now)
{
    return s->view->criticality_of(s->view->provider, warp, now);
}

/* How many live warps of the mask are slower, or as slow and older. */
static uint32_t n_slower(const struct scheduler *s, uint64_t warps, uint32_t warp, uint64_t now)
{
    const struct caws *c = s->state;
    int64_t mine = value_of(s, warp, now);
    uint32_t n = 0;
    for (uint64_t rest = warps & ~warp_bit(warp); rest; rest &= rest - 1) {
        uint32_t other = lowest_warp(rest);
        int64_t theirs = value_of(s, other, now);
        n += theirs > mine || (theirs == mine && c->ages.older[warp] >> other & 1);
    }
    return n;
}

static uint64_t warps_of_cta(const struct sched_view *view, uint32_t cta_slot)
{
    uint64_t warps = 0;
    for (uint64_t rest = view->live; rest; rest &= rest - 1)
        if (view->warps[lowest_warp(rest)].cta_slot == cta_slot)
            warps |= rest & -rest;
    return warps;
}

static enum speed speed_in_cta(const struct scheduler *s, uint32_t warp, uint64_t now)
{
    uint64_t mates = warps_of_cta(s->view, s->view->warps[warp].cta_slot);
    return n_slower(s, mates, warp, now) == 0 ? WARP_CRITICAL : WARP_NORMAL;
}

static enum speed speed_in_sm(const struct scheduler *s, uint32_t warp, uint64_t now)
{
    uint64_t ctas = 0;
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1)
        ctas |= 1ull << s->view->warps[lowest_warp(rest)].cta_slot;
    uint32_t n_ctas = (uint32_t)__builtin_popcountll(ctas);
    return n_slower(s, s->view->live, warp, now) < n_ctas ? WARP_CRITICAL : WARP_NORMAL;
}

static enum speed speed_against_mean(const struct scheduler *s, uint32_t warp, uint64_t now)
{
    int64_t sum = 0, n = __builtin_popcountll(s->view->live), mine = value_of(s, warp, now);
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1)
        sum += value_of(s, lowest_warp(rest), now);
    if (5 * n * mine > 6 * sum)
        return WARP_CRITICAL;
    return 5 * n * mine < 4 * sum ? WARP_FAST : WARP_NORMAL;
}

static struct sched_pick caws_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                   uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct caws *c = s->state;
    uint32_t best = lowest_warp(ready);
    for (uint64_t rest = ready; rest; rest &= rest - 1) {
        uint32_t w = lowest_warp(rest);
        if (c->counter[w] < c->counter[best] ||
            (c->counter[w] == c->counter[best] && c->ages.older[best] >> w & 1))
            best = w;
    }
    uint64_t before = 0;
    for (uint64_t rest = s->slot_warps[slot] & s->view->live; rest; rest &= rest - 1) {
        uint32_t w = lowest_warp(rest);
        if (c->counter[w] < c->counter[best] ||
            (c->counter[w] == c->counter[best] && c->ages.older[best] >> w & 1))
            before |= warp_bit(w);
    }
    return pick_warp(best, before);
}

static void issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum speed speed)
{
    struct caws *c = s->state;
    uint64_t pool = s->slot_warps[slot] & s->view->live;
    uint32_t n = (uint32_t)__builtin_popcountll(pool);
    for (uint64_t rest = pool; rest; rest &= rest - 1)
        if (c->counter[lowest_warp(rest)] > 0)
            c->counter[lowest_warp(rest)]--;
    uint32_t of = speed == WARP_CRITICAL ? CRITICAL_PERIOD
                  : speed == WARP_FAST   ? FAST_PERIOD
                                         : POOL;
    c->counter[warp] = (uint8_t)(n * of / POOL);
}

static void caws_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct caws *c = s->state;
    age_order_start(&c->ages, s->view, warp);
    c->counter[warp] = (uint8_t)(warp / s->view->n_slots);
}

static void caws_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct caws *c = s->state;
    age_order_end(&c->ages, warp);
}

#define CAWS(id, text, speed_of)                                                                   \
    static void id##_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,                   \
                              enum issue_class class, uint32_t pc, uint64_t now)                   \
    {                                                                                              \
        (void)class, (void)pc;                                                                     \
        issue(s, slot, warp, speed_of(s, warp, now));                                              \
    }                                                                                              \
    const struct scheduler_desc scheduler_##id = {                                                 \
        .abi_version = SCHEDULER_ABI,                                                              \
        .struct_size = sizeof(struct scheduler_desc),                                              \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .citation = "S.-Y. Lee, C.-J. Wu: CAWS: criticality-aware warp scheduling for GPGPU "      \
                    "workloads. PACT 2014",                                                        \
        .criticality = "oracle",                                                                   \
        .state_bytes = caws_state_bytes,                                                           \
        .cost_bits = caws_cost_bits,                                                               \
        .pick = caws_pick,                                                                         \
        .on_issue = id##_on_issue,                                                                 \
        .on_warp_start = caws_on_warp_start,                                                       \
        .on_warp_end = caws_on_warp_end,                                                           \
    }

CAWS(caws_blk, "more turns for the slowest warp of each CTA, by an oracle", speed_in_cta);
CAWS(caws_sm, "more turns for the slowest warps of the SM, by an oracle", speed_in_sm);
CAWS(caws_avg, "more turns for warps slower than the mean, fewer for faster ones, by an oracle",
     speed_against_mean);
