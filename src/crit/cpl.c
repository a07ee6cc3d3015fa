/* Criticality prediction logic (CPL): how far a warp is behind.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 4.2.1. In S3's order:
 *
 * Algorithm 5, instructions ahead. After a branch at currPC the target is known, and nInst grows by
 *     the size of the path to be executed: of a branch at PC_1 to PC_4 whose paths meet at PC_5
 *     2 if it is not taken (PC_2, PC_3), 1 if it is taken (PC_4), 3 if the warp diverges.
 *     A backward branch that is taken adds the instructions of another round.
 *     "CPL also decrements the criticality counter whenever an instruction is committed."
 * Algorithm 6, line 7, when a warp issues: nStall += stallCycles, "total stall cycles between
 *     executing two consecutive instructions"; the first of them since the warp's start.
 * Equation 4.1: nCriticality = nInst * CPI_avg + nStall, CPI_avg of the warp so far.
 *
 * The formulas in the comments of Algorithm 5 (PC_4 - PC_1 + 1) do not give the counts that its
 * text does (one, two and three instructions); the text's are used. nInst may be negative.
 * MODEL: the cycles since a warp's last issue count in its CPI (parameter `waiting`), which S3
 * leaves open; without them a warp that waits long looks no worse than one that has just issued.
 * MODEL: paths that meet only at the end of their function, and the target of an unconditional
 * branch, add nothing: what follows them is counted by later branches.
 * MODEL: a warp is critical if its value is above the median of the live warps of its CTA, the
 * lower one of two. */
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
               "cycles since a warp's last issue count in its CPI; not yet; or in its CPI and "
               "already as a stall"),
};

struct cpl_stats {
    uint64_t stall_cycles, branch_insts;
};

static const struct plugin_stat cpl_stats[] = {
    STAT_COUNT(struct cpl_stats, stall_cycles, "warp cycles",
               "cycles between consecutive issues of a warp: nStall"),
    STAT_COUNT(struct cpl_stats, branch_insts, "instructions",
               "instructions that branches put before warps: the increments of nInst"),
};

struct progress {
    int64_t n_inst, n_issued;
    uint64_t n_stall, start;
    uint64_t waits_since; /* the cycle after its last issue; before the first, its start */
};

struct cpl {
    uint64_t mates[SCHED_MAX_WARPS]; /* the live warps of each CTA slot */
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

static struct progress *progress_of(const struct criticality *c, uint32_t warp)
{
    return &((struct cpl *)c->state)->warps[warp];
}

/* Equation 4.1. */
static inline int64_t value_of(const struct progress *p, uint32_t waiting, uint64_t now)
{
    bool counts = waiting != WAITING_NOTHING && now > p->waits_since;
    uint64_t until = counts ? now : p->waits_since, stall = p->n_stall;
    if (waiting == WAITING_STALL)
        stall += until - p->waits_since;
    int64_t cycles = (int64_t)(until - p->start);
    return (p->n_issued ? p->n_inst * cycles / p->n_issued : 0) + (int64_t)stall;
}

static int64_t cpl_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    return value_of(progress_of(c, warp), ((const struct cpl_params *)c->params)->waiting, now);
}

/* Above the lower median: of n values at most half, rounded down, are as large or larger. Compares
 * only as many as necessary. */
static bool cpl_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    const struct cpl *s = c->state;
    uint32_t waiting = ((const struct cpl_params *)c->params)->waiting;
    uint64_t mates = s->mates[c->view->warps[warp].cta_slot];
    uint32_t n = (uint32_t)__builtin_popcountll(mates), half = n / 2;
    uint32_t n_as_large = 0, n_smaller = 0;
    int64_t mine = value_of(&s->warps[warp], waiting, now);
    for (; n_as_large <= half && n_smaller < n - half; mates &= mates - 1) {
        bool is_smaller = value_of(&s->warps[__builtin_ctzll(mates)], waiting, now) < mine;
        n_smaller += is_smaller;
        n_as_large += !is_smaller;
    }
    return n_as_large <= half;
}

static void cpl_on_warp_start(struct criticality *c, uint32_t warp, uint64_t now)
{
    struct cpl *s = c->state;
    assert(c->view->warps[warp].cta_slot < SCHED_MAX_WARPS);
    s->mates[c->view->warps[warp].cta_slot] |= UINT64_C(1) << warp;
    s->warps[warp] = (struct progress){.start = now, .waits_since = now};
}

/* The rest of the view's entry stays until the slot is reused. */
static void cpl_on_warp_end(struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    struct cpl *s = c->state;
    s->mates[c->view->warps[warp].cta_slot] &= ~(UINT64_C(1) << warp);
}

/* Algorithm 6, line 7. */
static void cpl_on_issue(struct criticality *c, uint32_t warp, uint32_t pc, uint64_t now)
{
    (void)pc;
    struct progress *p = progress_of(c, warp);
    uint64_t stall = now > p->waits_since ? now - p->waits_since : 0;
    p->n_stall += stall;
    ((struct cpl_stats *)c->stats)->stall_cycles += stall;
    p->waits_since = now + 1;
    p->n_issued++;
}

static void cpl_on_commit(struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    progress_of(c, warp)->n_inst--;
}

/* Instructions between two places, if the second comes after the first. */
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
    progress_of(c, warp)->n_inst += insts;
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
    .on_issue = cpl_on_issue,
    .on_commit = cpl_on_commit,
    .on_branch = cpl_on_branch,
    .on_warp_start = cpl_on_warp_start,
    .on_warp_end = cpl_on_warp_end,
};
