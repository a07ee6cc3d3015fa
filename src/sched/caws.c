/* Criticality-aware warp scheduling with an oracle (S3 section 3.4): critical warps get more turns.
 *
 * Each warp has a counter; the ready warp with the smallest goes, the oldest of equals. When one
 * issues, the counters of the others of its issue slot fall by 1, not below 0, and its own becomes
 * its period: as many issues as the slot has live warps, 40/48 of that for a critical warp, 60/48
 * for a fast one. Which is which follows from what the criticality provider (the oracle: cycles
 * that each warp took in a recorded run) says of the warps that are resident now:
 *
 * caws_blk: the slowest warp of each CTA is critical;
 *
 * caws_sm: the N slowest of the SM are critical, N = resident CTAs;
 *
 * caws_avg: those above the mean of the SM by more than a fifth are critical, those below fast.
 *
 * A warp starts with its place in the slot's pool as its counter. As all counters of a slot fall
 * together, what is kept of one is the number of issues of the slot at which it is 0. How fast a
 * warp is counts as known until a warp starts or ends, if the provider does not change its mind
 * before. */
#include "sched/order.h"

enum { POOL = 48, CRITICAL_PERIOD = 40, FAST_PERIOD = 60 };
enum speed { WARP_NORMAL, WARP_CRITICAL, WARP_FAST };

struct caws {
    struct age_order ages;
    uint64_t n_issued[SCHED_MAX_SLOTS]; /* by each issue slot */
    uint64_t due[SCHED_MAX_WARPS];      /* the counter of a warp + n_issued of its slot then */
    uint64_t known;                     /* warps whose speed is */
    uint8_t speed[SCHED_MAX_WARPS];     /* enum speed */
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

static uint64_t counter(const struct caws *c, uint32_t slot, uint32_t warp)
{
    return c->due[warp] > c->n_issued[slot] ? c->due[warp] - c->n_issued[slot] : 0;
}

/* The one with the smallest counter, the oldest of equals; all are of the slot. */
static uint32_t first_of(const struct caws *c, uint32_t slot, uint64_t warps)
{
    uint32_t best = lowest_warp(warps);
    uint64_t least = counter(c, slot, best);
    for (uint64_t rest = warps & (warps - 1); rest; rest &= rest - 1) {
        uint32_t w = lowest_warp(rest);
        uint64_t mine = counter(c, slot, w);
        if (mine < least || (mine == least && c->ages.older[best] >> w & 1)) {
            best = w;
            least = mine;
        }
    }
    return best;
}

static struct sched_pick caws_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                   uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct caws *c = s->state;
    uint32_t best = first_of(c, slot, ready);
    uint64_t least = counter(c, slot, best), before = 0;
    for (uint64_t rest = s->slot_warps[slot] & s->view->live; rest; rest &= rest - 1) {
        uint32_t w = lowest_warp(rest);
        uint64_t mine = counter(c, slot, w);
        if (mine < least || (mine == least && c->ages.older[best] >> w & 1))
            before |= warp_bit(w);
    }
    return pick_warp(best, before);
}

typedef enum speed speed_function(const struct scheduler *s, uint32_t warp, uint64_t now);

static enum speed known_speed(struct scheduler *s, uint32_t warp, uint64_t now, speed_function *of)
{
    struct caws *c = s->state;
    if (!s->view->criticality_is_fixed)
        return of(s, warp, now);
    if (!(c->known & warp_bit(warp)))
        c->speed[warp] = (uint8_t)of(s, warp, now);
    c->known |= warp_bit(warp);
    return (enum speed)c->speed[warp];
}

static void issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum speed speed)
{
    struct caws *c = s->state;
    uint32_t n = (uint32_t)__builtin_popcountll(s->slot_warps[slot] & s->view->live);
    uint32_t of = speed == WARP_CRITICAL ? CRITICAL_PERIOD
                  : speed == WARP_FAST   ? FAST_PERIOD
                                         : POOL;
    c->due[warp] = ++c->n_issued[slot] + n * of / POOL;
}

static void caws_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct caws *c = s->state;
    age_order_start(&c->ages, s->view, warp);
    c->due[warp] = c->n_issued[warp % s->view->n_slots] + warp / s->view->n_slots;
    c->known = 0;
}

static void caws_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct caws *c = s->state;
    age_order_end(&c->ages, warp);
    c->known = 0;
}

#define CAWS(id, text, speed_of)                                                                   \
    static void id##_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,                   \
                              enum issue_class class, uint32_t pc, uint64_t now)                   \
    {                                                                                              \
        (void)class, (void)pc;                                                                     \
        issue(s, slot, warp, known_speed(s, warp, now, speed_of));                                 \
    }                                                                                              \
    static int id##_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready,             \
                                   uint64_t now)                                                   \
    {                                                                                              \
        uint32_t warp = first_of(s->state, slot, ready);                                           \
        issue(s, slot, warp, known_speed(s, warp, now, speed_of));                                 \
        return (int)warp;                                                                          \
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
        .pick_and_issue = id##_pick_and_issue,                                                     \
        .hears_each_issue = true,                                                                  \
        .asks_at_issue = true,                                                                     \
        .on_issue = id##_on_issue,                                                                 \
        .on_warp_start = caws_on_warp_start,                                                       \
        .on_warp_end = caws_on_warp_end,                                                           \
    }

CAWS(caws_blk, "more turns for the slowest warp of each CTA, by an oracle", speed_in_cta);
CAWS(caws_sm, "more turns for the slowest warps of the SM, by an oracle", speed_in_sm);
CAWS(caws_avg, "more turns for warps slower than the mean, fewer for faster ones, by an oracle",
     speed_against_mean);
