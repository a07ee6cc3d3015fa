/* Criticality prediction logic (CPL): how far a warp is behind.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 4.2.1. In S3's order:
 *
 * Algorithm 5, nInst: instructions that the warp still has to execute. After a branch at currPC the
 *     target is known, and nInst grows by the size of the path to be executed. A branch at PC_1
 *     with target PC_4, whose paths meet at PC_5, adds
 *         2 if it is not taken (PC_2, PC_3), 1 if it is taken (PC_4), 3 if the warp diverges.
 *     A backward branch that is taken adds the instructions of another iteration.
 *     "CPL also decrements the criticality counter [nInst] whenever an instruction is committed."
 * Algorithm 6, line 7, when a warp issues: nStall += stallCycles, "total stall cycles between
 *     executing two consecutive instructions"; the first stall counts from the warp's start.
 * Equation 4.1: nCriticality = nInst * CPI_avg + nStall, CPI_avg of the warp so far.
 *
 * The formulas in the comments of Algorithm 5 (PC_4 - PC_1 + 1) do not give the counts that its
 * text does (one, two and three instructions); the text's are used. nInst may be negative.
 * MODEL: the cycles since a warp's last issue count in its CPI (parameter `waiting`), which S3
 * leaves open; without them a warp that waits long looks no worse than one that has just issued.
 * The default was chosen after the accuracies of the three values had been measured (CHANGELOG).
 * MODEL: the taken path of a forward branch adds nothing if the paths meet only at the end of the
 * function, or if the branch is unconditional: what follows is counted by later branches.
 * MODEL: a warp is critical if its value is above the median value of its CTA's live warps; if
 * their number is even, the lower of the two middle values. */
#include "crit/criticality.h"

#include <assert.h>

enum { COUNTER_BITS = 32 }; /* chosen: the source gives no sizes */

/* How the cycles since a warp's last issue count. */
enum waiting { WAITING_CPI, WAITING_NOTHING, WAITING_STALL };
static const char *const waiting_names[] = {"cpi", "nothing", "stall", NULL};

struct cpl_params {
    uint32_t waiting;
};

static const struct param cpl_params[] = {
    PARAM_ENUM(struct cpl_params, waiting, "cpi", waiting_names,
               "what the cycles since a warp's last issue count as: part of its CPI; nothing until "
               "it issues; or both part of its CPI and stall cycles"),
};

struct cpl_stats {
    uint64_t stall_cycles, branch_insts;
};

static const struct plugin_stat cpl_stats[] = {
    STAT_COUNT(struct cpl_stats, stall_cycles, "warp cycles",
               "cycles between consecutive issues of a warp: nStall"),
    STAT_COUNT(struct cpl_stats, branch_insts, "instructions",
               "instructions that branches added to nInst"),
};

/* Whether a warp is critical, for the cycles `from` to `until`, and why. In these cycles the warp's
 * value is at least `bound` if it is critical, and at most `bound` if it is not. The answer rests
 * on witnesses, live warps of the CTA:
 *
 * not critical  in these cycles their values are never below the warp's, and with the warp they are
 *               more than half of the CTA's live warps
 * critical      in these cycles their values are always below the warp's; the live warps that are
 *               not witnesses, the warp itself among them, are at most half of the CTA's
 *
 * So only events of the warp and of its witnesses, and starts and ends of warps of the CTA, can
 * change the answer. */
struct answer {
    uint64_t from, until;
    uint64_t event; /* number of the last event that has been considered */
    uint64_t witnesses;
    int64_t bound;
    bool is_critical;
};

struct progress {
    int64_t n_inst, n_issued; /* n_inst: `commits` are not yet subtracted */
    uint64_t n_stall, start;
    uint64_t waits_since; /* the cycle after its last issue; before the first, its start */
    uint64_t commits;     /* bit c % 64: an instruction commits in cycle c, from waits_since */
    uint64_t event;       /* number of its last event */
    struct answer answer;
};

struct cta {
    uint64_t mates; /* the live warps */
    uint64_t event; /* when one started or ended last */
};

struct cpl {
    uint64_t n_events; /* issues, branches, commits that were not known before, starts, ends */
    struct cta ctas[SCHED_MAX_WARPS];
    struct progress warps[];
};

static size_t cpl_state_bytes(uint32_t n_warps, const void *params)
{
    (void)params;
    return sizeof(struct cpl) + n_warps * sizeof(struct progress);
}

static uint64_t cpl_cost_bits(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "instructions ahead", (uint64_t)n_warps * COUNTER_BITS) +
           plugin_cost(parts, "stall cycles", (uint64_t)n_warps * COUNTER_BITS) +
           plugin_cost(parts, "cycles and instructions so far",
                       (uint64_t)n_warps * 2 * COUNTER_BITS);
}

/* The warp's progress, which is about to change. */
static struct progress *change_progress(const struct criticality *c, uint32_t warp)
{
    struct cpl *s = c->state;
    s->warps[warp].event = ++s->n_events;
    return &s->warps[warp];
}

static uint32_t waiting_of(const struct criticality *c)
{
    return ((const struct cpl_params *)c->params)->waiting;
}

/* The cycles from waits_since to `now` in which an instruction commits, as in progress.commits. */
static inline uint64_t commits_until(const struct progress *p, uint64_t now)
{
    if (!p->commits || now < p->waits_since)
        return 0;
    uint32_t turn = (uint32_t)(p->waits_since % 64), n = (uint32_t)(now - p->waits_since);
    uint64_t cycles = now - p->waits_since < 63 ? (UINT64_C(2) << n) - 1 : ~UINT64_C(0);
    return p->commits & (cycles << turn | cycles >> (64 - turn) % 64);
}

/* Equation 4.1 with the given nInst. */
static inline int64_t value_with(const struct progress *p, int64_t n_inst, uint32_t waiting,
                                 uint64_t now)
{
    bool counts = waiting != WAITING_NOTHING && now > p->waits_since;
    uint64_t until = counts ? now : p->waits_since, stall = p->n_stall;
    if (waiting == WAITING_STALL)
        stall += until - p->waits_since;
    int64_t cycles = (int64_t)(until - p->start);
    return (p->n_issued ? n_inst * cycles / p->n_issued : 0) + (int64_t)stall;
}

static inline int64_t value_of(const struct progress *p, uint32_t waiting, uint64_t now)
{
    return value_with(p, p->n_inst - __builtin_popcountll(commits_until(p, now)), waiting, now);
}

static int64_t cpl_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    const struct cpl *s = c->state;
    return value_of(&s->warps[warp], waiting_of(c), now);
}

/* --- above the lower median of the CTA: at most n / 2 of the n values, the warp's own included,
 * are at least as large as the warp's --- */

enum { WINDOW_CYCLES = 64 }; /* of an answer; results do not depend on it */

/* Bounds of a value in the cycles `from` to `until`, if no event comes. With a fixed number of
 * instructions ahead, a value only grows or only falls with time, so its first and last values
 * bound it. Fewer instructions ahead make it smaller: all commits give the least value, none the
 * greatest. */
static inline int64_t least_value(const struct progress *p, uint32_t waiting, uint64_t from,
                                  uint64_t until)
{
    int64_t n_inst = p->n_inst - __builtin_popcountll(p->commits);
    int64_t first = value_with(p, n_inst, waiting, from);
    int64_t last = value_with(p, n_inst, waiting, until);
    return first < last ? first : last;
}

static inline int64_t greatest_value(const struct progress *p, uint32_t waiting, uint64_t from,
                                     uint64_t until)
{
    int64_t first = value_with(p, p->n_inst, waiting, from);
    int64_t last = value_with(p, p->n_inst, waiting, until);
    return first > last ? first : last;
}

static inline bool is_witness(const struct progress *p, const struct answer *a, uint32_t waiting,
                              uint64_t now)
{
    return a->is_critical ? greatest_value(p, waiting, now, a->until) < a->bound
                          : least_value(p, waiting, now, a->until) >= a->bound;
}

/* The answer for this cycle only: any event ends it. */
static void answer_now(const struct cpl *s, uint64_t mates, uint32_t warp, uint32_t waiting,
                       struct answer *a)
{
    uint32_t n_as_large = 0, half = (uint32_t)__builtin_popcountll(mates) / 2;
    int64_t mine = value_of(&s->warps[warp], waiting, a->from);
    for (uint64_t m = mates; m; m &= m - 1)
        n_as_large += value_of(&s->warps[__builtin_ctzll(m)], waiting, a->from) >= mine;
    a->is_critical = n_as_large <= half;
    a->bound = a->is_critical ? INT64_MIN : INT64_MAX;
    a->witnesses = mates;
    a->until = a->from;
}

/* Finds an answer for the cycles `from` to `until`, or else for `from` alone. Compares with no more
 * warps than necessary. */
static inline __attribute__((always_inline)) void
find_answer(const struct cpl *s, uint64_t mates, uint32_t warp, uint32_t waiting, struct answer *a)
{
    const struct progress *me = &s->warps[warp];
    int64_t least = least_value(me, waiting, a->from, a->until);
    int64_t greatest = greatest_value(me, waiting, a->from, a->until);
    uint32_t n = (uint32_t)__builtin_popcountll(mates), n_as_large = 1, n_smaller = 0;
    uint64_t as_large = 0, smaller = 0, rest = mates & ~(UINT64_C(1) << warp);
    for (; n_as_large <= n / 2 && n_smaller < n - n / 2 && rest; rest &= rest - 1) {
        const struct progress *p = &s->warps[__builtin_ctzll(rest)];
        if (least_value(p, waiting, a->from, a->until) >= greatest) {
            as_large |= rest & -rest;
            n_as_large++;
        } else if (greatest_value(p, waiting, a->from, a->until) < least) {
            smaller |= rest & -rest;
            n_smaller++;
        }
    }
    a->is_critical = n_smaller >= n - n / 2;
    a->witnesses = a->is_critical ? smaller : as_large;
    a->bound = a->is_critical ? least : greatest;
    if (!a->is_critical && n_as_large <= n / 2)
        answer_now(s, mates, warp, waiting, a);
}

/* Has the warp had no event, and do witnesses that had one still support the answer? */
static inline bool holds(const struct cpl *s, const struct answer *a, uint32_t warp,
                         uint32_t waiting, uint64_t now)
{
    if (now < a->from || now > a->until || s->warps[warp].event > a->event)
        return false;
    for (uint64_t m = a->witnesses; m; m &= m - 1) {
        const struct progress *p = &s->warps[__builtin_ctzll(m)];
        if (p->event > a->event && !is_witness(p, a, waiting, now))
            return false;
    }
    return true;
}

/* Brings the answer up to date. Inline, so that the compiler knows `waiting`. */
static inline __attribute__((always_inline)) bool
update_answer(const struct criticality *c, uint32_t warp, uint32_t waiting, uint64_t now)
{
    struct cpl *s = c->state;
    struct answer *a = &s->warps[warp].answer;
    const struct cta *t = &s->ctas[c->view->warps[warp].cta_slot];
    if (t->event > a->event || !holds(s, a, warp, waiting, now)) {
        a->from = now;
        a->until = now + WINDOW_CYCLES;
        find_answer(s, t->mates, warp, waiting, a);
    }
    a->event = s->n_events;
    return a->is_critical;
}

static __attribute__((noinline)) bool check_answer(const struct criticality *c, uint32_t warp,
                                                   uint64_t now)
{
    uint32_t waiting = waiting_of(c);
    return waiting == WAITING_CPI ? update_answer(c, warp, WAITING_CPI, now)
                                  : update_answer(c, warp, waiting, now);
}

static bool cpl_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    const struct cpl *s = c->state;
    const struct answer *a = &s->warps[warp].answer;
    if (a->event != s->n_events || now < a->from || now > a->until)
        return check_answer(c, warp, now);
    return a->is_critical;
}

static uint64_t cpl_steady_until(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    return ((const struct cpl *)c->state)->warps[warp].answer.until;
}

static void cpl_on_warp_start(struct criticality *c, uint32_t warp, uint64_t now)
{
    struct cpl *s = c->state;
    assert(c->view->warps[warp].cta_slot < SCHED_MAX_WARPS);
    struct cta *t = &s->ctas[c->view->warps[warp].cta_slot];
    t->mates |= UINT64_C(1) << warp;
    t->event = ++s->n_events;
    s->warps[warp] = (struct progress){.start = now, .waits_since = now};
}

/* The view's entry still has the warp's cta_slot: it stays until the warp slot is reused. */
static void cpl_on_warp_end(struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    struct cpl *s = c->state;
    struct cta *t = &s->ctas[c->view->warps[warp].cta_slot];
    t->mates &= ~(UINT64_C(1) << warp);
    t->event = ++s->n_events;
}

/* Algorithm 6, line 7. */
static void cpl_on_issue(struct criticality *c, uint32_t warp, uint32_t pc, uint64_t now)
{
    (void)pc;
    struct progress *p = change_progress(c, warp);
    uint64_t committed = commits_until(p, now);
    p->n_inst -= __builtin_popcountll(committed);
    p->commits &= ~committed;
    uint64_t stall = now > p->waits_since ? now - p->waits_since : 0;
    p->n_stall += stall;
    ((struct cpl_stats *)c->stats)->stall_cycles += stall;
    p->waits_since = now + 1;
    p->n_issued++;
}

static void cpl_on_commit(struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    change_progress(c, warp)->n_inst--;
}

/* Records that an instruction will commit in cycle `at`. False if it cannot be recorded: the cycle
 * is too far ahead for the 64 bits, or another instruction of the warp commits in it. This is no
 * event, because the issue in this cycle was one. */
static bool cpl_commit_ahead(struct criticality *c, uint32_t warp, uint64_t at)
{
    struct progress *p = &((struct cpl *)c->state)->warps[warp];
    uint64_t bit = UINT64_C(1) << at % 64;
    bool fits = at - p->waits_since < 64 && !(p->commits & bit);
    p->commits |= fits ? bit : 0;
    return fits;
}

/* Instructions from one place to another; 0 if the second is not after the first, or is none. */
static int64_t distance(uint32_t from, uint32_t to)
{
    return to != UINT32_MAX && to > from ? (int64_t)to - from : 0;
}

/* Algorithm 5: the number of instructions of the path to be executed. */
static int64_t path_of(const struct branch_info *b)
{
    bool taken = b->taken_mask != 0, passed = (b->active_mask & ~b->taken_mask) != 0;
    if (b->target <= b->pc)
        return taken ? (int64_t)b->pc - b->target + 1 : 0;
    return (passed ? (int64_t)b->target - b->pc - 1 : 0) +
           (taken ? distance(b->target, b->reconvergence) : 0);
}

static void cpl_on_branch(struct criticality *c, uint32_t warp, const struct branch_info *b)
{
    int64_t insts = path_of(b);
    change_progress(c, warp)->n_inst += insts;
    ((struct cpl_stats *)c->stats)->branch_insts += (uint64_t)insts;
}

const struct criticality_desc criticality_cpl = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "cpl",
    .summary = "predicts from branches and stalls which warps are behind",
    .citation = "S.-Y. Lee, A. Arunkumar, C.-J. Wu: CAWA: coordinated warp scheduling and cache "
                "prioritization for critical warp acceleration of GPGPU workloads. ISCA 2015",
    .params = cpl_params,
    .n_params = sizeof cpl_params / sizeof cpl_params[0],
    .params_bytes = sizeof(struct cpl_params),
    PLUGIN_STATS(cpl_stats, struct cpl_stats),
    .state_bytes = cpl_state_bytes,
    .cost_bits = cpl_cost_bits,
    .value = cpl_value,
    .is_critical = cpl_is_critical,
    .steady_until = cpl_steady_until,
    .on_issue = cpl_on_issue,
    .on_commit = cpl_on_commit,
    .commit_ahead = cpl_commit_ahead,
    .on_branch = cpl_on_branch,
    .on_warp_start = cpl_on_warp_start,
    .on_warp_end = cpl_on_warp_end,
};
