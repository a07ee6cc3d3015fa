/* Criticality-aware warp scheduling with an oracle.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 3.4. In S3's order:
 *
 * 3.4.1 Which warps are critical, by the times that the oracle gives for the resident warps:
 *       CAWS-blk: the slowest warp of each thread block.
 *       CAWS-SM:  the N slowest warps of the SM, N = thread blocks on it.
  *       CAWS-avg: those more than 20 % above the average of the SM; more than 20 % below are fast.
 *       MODEL: S3 says "within either a thread block or a SM"; the average is that of the SM.
 * 3.4.2 Per-warp priority counters, for a pool of 48 warps:
 *       start:    counters are 0 to 47, in the order of the pool.
 *       schedule: the warp whose counter is 0 has its turn; its counter is reset to its period,
 *                 the counters of the others fall by 1.
 *       period:   48 = each warp once a round, which is round robin; critical 40; fast 60.
 *
 * A warp that cannot issue when it has its turn loses the turn: its counter is reset, the others
 * fall by 1, and the next warp is visited (the loop of S3's Algorithm 1). With equal periods this
 * is loose round robin, as S3 defines RR by these counters, whichever warps stall. If no warp can
 * issue, no turn is taken or lost. Two warps whose counters are 0 have their turns one after the
 * other, in the order of the pool.
 *
 * The pool consists of the warp slots of an issue slot. The normal period is one turn per warp
 * slot; the turn of an empty slot is lost. The first turn of a new warp is the next turn of its
 * warp slot.
 *
 * All counters of a pool fall together. So a warp does not store its counter but the time of one of
 * its turns; its later turns follow from that, each a period after the one before. A turn takes
 * POOL units of time, so that the periods of pools smaller than POOL need no rounding. Times are
 * counted in fractions of a unit (UNIT of them), one for each place in the pool, so that no two
 * warps have their turns at the same time.
 *
 * The speed of a warp, once determined, is kept until a warp starts or ends, if the provider's
 * values do not change during a warp's life. */
#include "sched/order.h"

enum { POOL = 48, CRITICAL_PERIOD = 40, FAST_PERIOD = 60 };
enum speed { WARP_NORMAL, WARP_CRITICAL, WARP_FAST };
static const uint32_t periods[] = {POOL, CRITICAL_PERIOD, FAST_PERIOD};

enum { UNIT = SCHED_MAX_WARPS };

struct caws {
    struct age_order ages;
    uint64_t now[SCHED_MAX_SLOTS];  /* per issue slot: the time of its last turn */
    uint64_t turn[SCHED_MAX_WARPS]; /* per warp: the time of one turn; all later turns follow from
                                     * it */
    uint64_t known;                 /* warps whose speed is known */
    uint8_t speed[SCHED_MAX_WARPS]; /* enum speed */
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

/* The number of live warps in the mask that are slower, or equally slow and older. */
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

typedef enum speed speed_function(const struct scheduler *s, uint32_t warp, uint64_t now);

static inline enum speed known_speed(const struct scheduler *s, uint32_t warp, uint64_t now,
                                     speed_function *of)
{
    const struct caws *c = s->state;
    return c->known & warp_bit(warp) ? (enum speed)c->speed[warp] : of(s, warp, now);
}

/* Determines the speeds of all live warps of the slot. Not called by pick(), which must not change
 * the state. */
static inline void learn_speeds(struct scheduler *s, uint32_t slot, uint64_t now,
                                speed_function *of)
{
    struct caws *c = s->state;
    uint64_t unknown = s->slot_warps[slot] & s->view->live & ~c->known;
    if (!unknown || !s->view->criticality_is_fixed)
        return;
    for (uint64_t rest = unknown; rest; rest &= rest - 1)
        c->speed[lowest_warp(rest)] = (uint8_t)of(s, lowest_warp(rest), now);
    c->known |= unknown;
}

static uint32_t pool_size(const struct sched_view *view)
{
    return view->n_slots == 1 ? view->n_warps : (view->n_warps + view->n_slots - 1) / view->n_slots;
}

static inline uint64_t period_of(const struct scheduler *s, uint32_t warp, uint64_t now,
                                 speed_function *of)
{
    return (uint64_t)pool_size(s->view) * periods[known_speed(s, warp, now, of)] * UNIT;
}

/* The first turn of the warp after the last turn that was taken. */
static inline uint64_t next_turn(const struct scheduler *s, uint32_t slot, uint32_t warp,
                                 uint64_t now, speed_function *of)
{
    const struct caws *c = s->state;
    uint64_t turn = c->turn[warp], last = c->now[slot];
    if (turn > last)
        return turn;
    uint64_t period = period_of(s, warp, now, of);
    return turn + ((last - turn) / period + 1) * period;
}

static inline uint32_t first_of(const struct scheduler *s, uint32_t slot, uint64_t warps,
                                uint64_t now, speed_function *of, uint64_t *turn)
{
    uint32_t first = lowest_warp(warps);
    *turn = next_turn(s, slot, first, now, of);
    for (uint64_t rest = warps & (warps - 1); rest; rest &= rest - 1) {
        uint64_t other = next_turn(s, slot, lowest_warp(rest), now, of);
        if (other < *turn) {
            first = lowest_warp(rest);
            *turn = other;
        }
    }
    return first;
}

static struct sched_pick pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                              uint64_t now, speed_function *of)
{
    uint64_t turn, before = 0;
    uint32_t first = first_of(s, slot, ready, now, of, &turn);
    for (uint64_t rest = s->slot_warps[slot] & s->view->live; rest; rest &= rest - 1)
        if (next_turn(s, slot, lowest_warp(rest), now, of) < turn)
            before |= rest & -rest;
    return pick_warp(first, before);
}

/* Gives the warp its turn; the warps before it have lost theirs. */
static inline void issue(struct scheduler *s, uint32_t slot, uint32_t warp, uint64_t turn,
                         uint64_t now, speed_function *of)
{
    struct caws *c = s->state;
    c->now[slot] = turn;
    c->turn[warp] = turn + period_of(s, warp, now, of);
}

/* The first turn of a warp is the next turn of its place in the pool, be that in this round or in
 * the next. */
static void caws_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct caws *c = s->state;
    uint64_t place = warp / s->view->n_slots, last = c->now[warp % s->view->n_slots];
    uint64_t round = (uint64_t)pool_size(s->view) * POOL * UNIT;
    uint64_t turn = (1 + place) * POOL * UNIT + place;
    age_order_start(&c->ages, s->view, warp);
    c->turn[warp] = turn > last ? turn : turn + ((last - turn) / round + 1) * round;
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
    static struct sched_pick id##_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,   \
                                       uint64_t ready_loads, uint64_t now)                         \
    {                                                                                              \
        (void)ready_loads;                                                                         \
        return pick(s, slot, ready, now, speed_of);                                                \
    }                                                                                              \
    static void id##_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,                   \
                              enum issue_class class, uint32_t pc, uint64_t now)                   \
    {                                                                                              \
        (void)class, (void)pc;                                                                     \
        learn_speeds(s, slot, now, speed_of);                                                      \
        issue(s, slot, warp, next_turn(s, slot, warp, now, speed_of), now, speed_of);              \
    }                                                                                              \
    static int id##_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready,             \
                                   uint64_t now)                                                   \
    {                                                                                              \
        uint64_t turn;                                                                             \
        learn_speeds(s, slot, now, speed_of);                                                      \
        uint32_t warp = first_of(s, slot, ready, now, speed_of, &turn);                            \
        issue(s, slot, warp, turn, now, speed_of);                                                 \
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
        .pick = id##_pick,                                                                         \
        .pick_and_issue = id##_pick_and_issue,                                                     \
        .hears_each_issue = true,                                                                  \
        .asks_at_issue = true,                                                                     \
        .on_issue = id##_on_issue,                                                                 \
        .on_warp_start = caws_on_warp_start,                                                       \
        .on_warp_end = caws_on_warp_end,                                                           \
    }

CAWS(caws_blk, "more issue slots for the slowest warp of each CTA, by an oracle", speed_in_cta);
CAWS(caws_sm, "more issue slots for the slowest warps of the SM, by an oracle", speed_in_sm);
CAWS(caws_avg,
     "more issue slots for warps slower than the mean, fewer for faster ones, by an oracle",
     speed_against_mean);
