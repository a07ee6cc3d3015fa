/* Two-level scheduling. V. Narasiman et al.: Improving GPU performance via large warps and
 * two-level warp scheduling. MICRO 2011, as described in S4 = T. G. Rogers, M. O'Connor, T. M.
 * Aamodt: Cache-conscious wavefront scheduling. MICRO 2012, section 5.1:
 *
 * "subdivides wavefronts waiting to be scheduled on a core into fetch groups (FG) and executes from
 * only one fetch group until all wavefronts in that group are stalled."
 * two_level:     "a fetch group size of 8 and a round-robin scheduling policy to select among
 *                wavefronts in a fetch group as well as among fetch groups"
 * two_level_gto: "a fetch group size of 2 using GTO for both intra-FG and inter-FG selection"
 *
 * The warps of an issue slot, in the order of their warp slots, are divided into groups of
 * `group_size`. The active group is the one that issued last. While all its warps are stalled, it
 * is the turn of the next group in the outer order with a warp that is not stalled. Each group
 * keeps its own inner order and resumes where it stopped.
 *
 * switch_on says which warps count as stalled: `any`, those that cannot issue; `long`, those that
 * wait for memory, at a barrier or at a fence. Such waits are long, or only another group can end
 * them: if barriers did not count, a group at a barrier could wait forever for a group that never
 * gets its turn. The preset `two_level` switches on `long`, as in Narasiman et al.; `two_level_gto`
 * switches on `any`. S4's 2LVL-LRR is `two_level` with switch_on = `any`: in S4's published
 * simulator, as soon as no warp of the last group can issue, another group issues. Outer order:
 * `lrr`, the next group in the order of warp slots; `gto`, the group with the oldest live warp.
 *
 * MODEL: switching groups costs no cycles. The group whose turn it is becomes active only when it
 * issues: if a warp of the old group wakes before that, the old group continues. So the choice
 * depends on which warps are stalled at a pick, never on the order of events within a cycle. A
 * group whose warps have all ended is deactivated. */
#include <inttypes.h>

#include "sched/order.h"

enum turn_order { TURN_LRR, TURN_GTO };
enum switch_cause { SWITCH_LONG, SWITCH_ANY };

struct two_level_params {
    uint32_t group_size;
    enum turn_order inner, outer;
    enum switch_cause switch_on;
};

static const char *const order_names[] = {"lrr", "gto", NULL};
static const char *const switch_names[] = {"long", "any", NULL};

/* clang-format off */
#define TWO_LEVEL_PARAMS(size, inner_order, outer_order, cause)                                    \
    {                                                                                              \
        PARAM_U32(struct two_level_params, group_size, size, 1, SCHED_MAX_WARPS, "warps",          \
                  "warps of a fetch group"),                                                       \
        PARAM_ENUM(struct two_level_params, inner, inner_order, order_names,                       \
                   "order among the warps of a group"),                                            \
        PARAM_ENUM(struct two_level_params, outer, outer_order, order_names,                       \
                   "order among groups"),                                                          \
        PARAM_ENUM(struct two_level_params, switch_on, cause, switch_names,                        \
                   "stalls that deactivate a group: long-latency ones, or any"),                \
    }
/* clang-format on */

static const struct param two_level_params[] = TWO_LEVEL_PARAMS("8", "lrr", "lrr", "long");
static const struct param two_level_gto_params[] = TWO_LEVEL_PARAMS("2", "gto", "gto", "any");

struct two_level_stats {
    uint64_t group_switches;
};

static const struct plugin_stat two_level_stats[] = {
    STAT_COUNT(struct two_level_stats, group_switches, "switches",
               "issues by a warp whose fetch group was not the slot's active group"),
};

struct two_level {
    struct age_order ages;
    uint64_t members[SCHED_MAX_WARPS];     /* warps of each group */
    uint8_t group_of[SCHED_MAX_WARPS];     /* group of each warp */
    uint64_t slot_groups[SCHED_MAX_SLOTS]; /* groups of each issue slot */
    uint64_t stalled;                      /* warps in a long stall */
    uint64_t greedy, ahead;        /* state of the inner orders; each group is a domain (order.h) */
    uint64_t active, groups_ahead; /* state of the outer order; the groups of an issue slot are a
                                    * domain */
};

static uint32_t groups_per_slot(uint32_t n_warps, uint32_t n_slots, uint32_t group_size)
{
    uint32_t warps_per_slot = (n_warps + n_slots - 1) / n_slots;
    return (warps_per_slot + group_size - 1) / group_size;
}

static size_t two_level_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct two_level);
}

static uint64_t two_level_cost_bits(const struct sched_geometry *g, const void *params,
                                    struct strbuf *parts)
{
    const struct two_level_params *p = params;
    uint64_t n_groups = groups_per_slot(g->n_warps, g->n_slots, p->group_size);
    uint64_t bits =
        plugin_cost(parts, "active group", g->n_slots * plugin_index_bits(n_groups)) +
        plugin_cost(parts, "last warps", g->n_slots * n_groups * plugin_index_bits(p->group_size));
    if (p->switch_on == SWITCH_LONG)
        bits += plugin_cost(parts, "stalled warps", g->n_warps);
    if (p->inner == TURN_GTO || p->outer == TURN_GTO)
        bits += plugin_cost(parts, "age order", age_order_cost_bits(g->n_warps, g->n_slots));
    return bits;
}

/* Groups are numbered so that those of an issue slot are consecutive, in the order of issue
 * slots. */
static void two_level_init(struct scheduler *s)
{
    const struct two_level_params *params = s->params;
    const struct sched_view *view = s->view;
    struct two_level *t = s->state;
    uint32_t first_group = 0;
    s->hears = params->switch_on == SWITCH_LONG ? HEARS_LONG_STALLS : HEARS_NO_STALLS;
    for (uint32_t slot = 0; slot < view->n_slots; slot++) {
        uint32_t n = 0;
        for (uint32_t warp = slot; warp < view->n_warps; warp += view->n_slots, n++) {
            uint32_t group = first_group + n / params->group_size;
            t->group_of[warp] = (uint8_t)group;
            t->members[group] |= warp_bit(warp);
            t->slot_groups[slot] |= UINT64_C(1) << group;
        }
        first_group += (n + params->group_size - 1) / params->group_size;
    }
}

/* The group with the oldest live warp. */
static uint32_t oldest_group(const struct two_level *t, uint64_t groups, uint64_t live)
{
    uint64_t heads = 0;
    for (; groups; groups &= groups - 1)
        heads |= warp_bit(age_order_oldest(&t->ages, t->members[lowest_warp(groups)] & live));
    return t->group_of[age_order_oldest(&t->ages, heads)];
}

/* The group that may issue; -1 if no group has a warp awake. */
static int active_group(const struct scheduler *s, uint32_t slot, uint64_t awake)
{
    const struct two_level_params *params = s->params;
    const struct two_level *t = s->state;
    uint64_t active = t->active & t->slot_groups[slot], candidates = 0;
    if (active && t->members[lowest_warp(active)] & awake)
        return (int)lowest_warp(active);
    for (uint64_t rest = t->slot_groups[slot]; rest; rest &= rest - 1)
        if (t->members[lowest_warp(rest)] & awake)
            candidates |= rest & -rest;
    if (!candidates)
        return -1;
    return (int)(params->outer == TURN_LRR ? round_robin_first(t->groups_ahead, candidates)
                                           : oldest_group(t, candidates, s->view->live));
}

/* The group whose turn it is. `any`: -1 if no warp in `ready` belongs to the slot. `long`: -1 if
 * all live warps of the slot are in long stalls; the group returned may have no ready warp, and
 * then the slot issues nothing. */
static int group_in_turn(const struct scheduler *s, uint32_t slot, uint64_t ready)
{
    const struct two_level_params *params = s->params;
    const struct two_level *t = s->state;
    return active_group(s, slot,
                        params->switch_on == SWITCH_ANY ? ready : s->view->live & ~t->stalled);
}

/* The warp that issues, among the ready warps of one group. */
static uint32_t warp_in_turn(const struct scheduler *s, uint64_t ready)
{
    const struct two_level_params *params = s->params;
    const struct two_level *t = s->state;
    if (params->inner == TURN_LRR)
        return round_robin_first(t->ahead, ready);
    return ready & t->greedy ? lowest_warp(ready & t->greedy) : age_order_oldest(&t->ages, ready);
}

static struct sched_pick two_level_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                        uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct two_level_params *params = s->params;
    const struct two_level *t = s->state;
    int group = group_in_turn(s, slot, ready);
    if (group < 0)
        return (struct sched_pick){.warp = -1};
    uint64_t domain = t->members[group] & s->view->live;
    ready &= domain;
    if (!ready)
        return (struct sched_pick){.warp = -1, .visited = domain};
    uint32_t warp = warp_in_turn(s, ready);
    if (params->inner == TURN_LRR)
        return pick_warp(warp, round_robin_before(t->ahead, domain, warp));
    if (ready & t->greedy)
        return pick_warp(warp, 0);
    return pick_warp(warp, (t->greedy | t->ages.older[warp]) & domain);
}

static void note_issue(struct scheduler *s, uint32_t slot, uint32_t warp)
{
    struct two_level *t = s->state;
    uint32_t group = t->group_of[warp];
    ((struct two_level_stats *)s->stats)->group_switches += !(t->active >> group & 1);
    greedy_issue(&t->active, t->slot_groups[slot], group);
    round_robin_issue(&t->groups_ahead, t->slot_groups[slot], group);
    greedy_issue(&t->greedy, t->members[group], warp);
    round_robin_issue(&t->ahead, t->members[group], warp);
}

static void two_level_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp,
                               enum issue_class class, uint32_t pc, uint64_t now)
{
    (void)class, (void)pc, (void)now;
    note_issue(s, slot, warp);
}

static int two_level_pick_and_issue(struct scheduler *s, uint32_t slot, uint64_t ready,
                                    uint64_t now)
{
    (void)now;
    const struct two_level *t = s->state;
    int group = group_in_turn(s, slot, ready);
    if (group < 0 || !(ready &= t->members[group]))
        return -1;
    uint32_t warp = warp_in_turn(s, ready);
    note_issue(s, slot, warp);
    return (int)warp;
}

static void two_level_on_stall(struct scheduler *s, uint32_t warp, enum stall_cause cause,
                               uint64_t now)
{
    (void)now;
    struct two_level *t = s->state;
    bool is_long = cause == STALLED_MEMORY || cause == STALLED_BARRIER || cause == STALLED_FENCE;
    t->stalled = (t->stalled & ~warp_bit(warp)) | (is_long ? warp_bit(warp) : 0);
}

static void two_level_on_wake(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct two_level *t = s->state;
    t->stalled &= ~warp_bit(warp);
}

static void two_level_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct two_level *t = s->state;
    t->stalled &= ~warp_bit(warp);
    age_order_start(&t->ages, s->view, warp);
}

static void two_level_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    struct two_level *t = s->state;
    uint32_t group = t->group_of[warp];
    age_order_end(&t->ages, warp);
    t->greedy &= ~warp_bit(warp);
    if (!(t->members[group] & s->view->live))
        t->active &= ~(UINT64_C(1) << group);
}

/* Lists the warps outside the group whose turn it is that are not in a long stall; they cannot
 * issue until it is the turn of their group. With switch_on `any` nothing is listed. */
static void two_level_describe_wait(const struct scheduler *s, struct strbuf *out)
{
    const struct two_level_params *params = s->params;
    const struct two_level *t = s->state;
    uint64_t awake = s->view->live & ~t->stalled;
    for (uint32_t slot = 0; params->switch_on == SWITCH_LONG && slot < s->view->n_slots; slot++) {
        int group = active_group(s, slot, awake);
        uint64_t held = group < 0 ? 0 : awake & s->slot_warps[slot] & ~t->members[group];
        if (held)
            strbuf_addf(out,
                        "two_level: issue slot %" PRIu32 ": warps outside of the active group: "
                        "mask 0x%" PRIx64 "\n",
                        slot, held);
    }
}

/* clang-format off */
#define TWO_LEVEL_PRESET(id, text, source)                                                         \
    const struct scheduler_desc scheduler_##id = {                                                 \
        .abi_version = SCHEDULER_ABI,                                                              \
        .struct_size = sizeof(struct scheduler_desc),                                              \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .citation = source,                                                                        \
        .params = id##_params,                                                                     \
        .n_params = sizeof id##_params / sizeof id##_params[0],                                    \
        .params_bytes = sizeof(struct two_level_params),                                           \
        PLUGIN_STATS(two_level_stats, struct two_level_stats),                                     \
        .state_bytes = two_level_state_bytes,                                                      \
        .cost_bits = two_level_cost_bits,                                                          \
        .init = two_level_init,                                                                    \
        .pick = two_level_pick,                                                                    \
        .pick_and_issue = two_level_pick_and_issue,                                                \
        .hears_each_issue = true,                                                                  \
        .on_issue = two_level_on_issue,                                                            \
        .on_stall = two_level_on_stall,                                                            \
        .on_wake = two_level_on_wake,                                                              \
        .on_warp_start = two_level_on_warp_start,                                                  \
        .on_warp_end = two_level_on_warp_end,                                                      \
        .describe_wait = two_level_describe_wait,                                                  \
    }
/* clang-format on */

TWO_LEVEL_PRESET(two_level, "fetch groups of 8; round-robin within a group and among groups",
                 "Narasiman et al., Improving GPU Performance via Large Warps and Two-Level Warp "
                 "Scheduling, MICRO 2011");
TWO_LEVEL_PRESET(two_level_gto,
                 "fetch groups of 2; greedy then oldest within a group and among groups",
                 "Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, section 5.1");
