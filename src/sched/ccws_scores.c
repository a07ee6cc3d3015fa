/* The scores of CCWS and what follows from them (S4 section 3.3.4): they fall with time, VTA hits
 * raise them, and from the highest to the lowest they say which warps may load. */
#include "sched/ccws.h"

uint32_t ccws_cutoff(const struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    return (uint32_t)__builtin_popcountll(s->view->live) * params->base_score;
}

uint64_t ccws_llds(const struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    const struct ccws *c = s->state;
    return c->vta_hits * params->k_throttle * ccws_cutoff(s) /
           (c->insts_issued ? c->insts_issued : 1);
}

static bool comes_before(const struct scheduler *s, uint32_t a, uint32_t b)
{
    const struct ccws *c = s->state;
    if (c->score[a] != c->score[b])
        return c->score[a] > c->score[b];
    return ((const struct ccws_params *)s->params)->ties == TIES_SLOT
               ? a < b
               : s->view->warps[a].age < s->view->warps[b].age;
}

/* Live warps from the highest score to the lowest. */
static uint32_t sort_warps(const struct scheduler *s, uint8_t *sorted)
{
    uint32_t n = 0;
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1) {
        uint32_t warp = lowest_warp(rest), at = n++;
        for (; at > 0 && comes_before(s, warp, sorted[at - 1]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = (uint8_t)warp;
    }
    return n;
}

void ccws_test_cutoff(struct scheduler *s)
{
    struct ccws *c = s->state;
    uint8_t sorted[SCHED_MAX_WARPS];
    uint32_t n = sort_warps(s, sorted), limit = ccws_cutoff(s);
    uint64_t sum = 0;
    c->may_load = 0;
    for (uint32_t i = 0; i < n && sum < limit; i++) {
        c->may_load |= warp_bit(sorted[i]);
        sum += c->score[sorted[i]];
    }
}

static void raise_scores(struct ccws *c)
{
    for (uint32_t w = 0; c->raised && w < SCHED_MAX_WARPS; w++) {
        if (c->raise[w] > c->score[w])
            c->score[w] = c->raise[w];
        c->raise[w] = 0;
        c->above_base = true;
    }
    c->raised = false;
}

/* What no score is above after it has fallen. */
static uint64_t score_cap(const struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    uint64_t cap = params->llds_caps ? ccws_llds(s) : UINT64_MAX;
    return cap > params->base_score ? cap : params->base_score;
}

/* After `falls` times, which are at least one; nothing else happened meanwhile. */
static uint32_t fallen(uint32_t score, uint64_t falls, uint32_t base, uint64_t cap)
{
    if (score <= base)
        return score;
    uint64_t first = score - 1 < cap ? score - 1 : cap;
    return first - base > falls - 1 ? (uint32_t)(first - (falls - 1)) : base;
}

/* They fall in the cycles that `decay_cycles` divides. */
void ccws_decay_to(struct scheduler *s, uint64_t now)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    if (now <= c->time)
        return;
    raise_scores(c);
    uint64_t falls = now / params->decay_cycles - c->time / params->decay_cycles;
    c->time = now;
    if (!c->above_base)
        return;
    uint64_t cap = score_cap(s);
    c->above_base = false;
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1) {
        uint32_t *score = &c->score[lowest_warp(rest)];
        if (falls)
            *score = fallen(*score, falls, params->base_score, cap);
        c->above_base |= *score > params->base_score;
    }
    ccws_test_cutoff(s);
}

void ccws_raise_score(struct ccws *c, uint32_t warp, uint32_t to)
{
    if (to > c->raise[warp])
        c->raise[warp] = to;
    c->raised = true;
}

/* The scores of warps above the base fall together, so their order stays until the first reaches
 * the base or falls to the cap; till then sums only shrink, and the first change is a warp that is
 * let through. */
uint64_t ccws_next_change(const struct scheduler *s, uint64_t now)
{
    const struct ccws_params *params = s->params;
    const struct ccws *c = s->state;
    uint32_t base = params->base_score, limit = ccws_cutoff(s);
    uint8_t sorted[SCHED_MAX_WARPS];
    if (c->raised || c->probe.due)
        return now + 1;
    if (!c->above_base)
        return UINT64_MAX;
    uint32_t n = sort_warps(s, sorted), above = 0;
    uint64_t sum = 0, falls = UINT64_MAX;
    if (n && c->score[sorted[0]] > base && c->score[sorted[0]] - 1 > score_cap(s))
        falls = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t score = c->score[sorted[i]];
        if (sum >= limit && above > 0) {
            uint64_t wait = (sum - limit) / above + 1;
            falls = wait < falls ? wait : falls;
        }
        if (score > base) {
            above++;
            falls = score - base < falls ? score - base : falls;
        }
        sum += score;
    }
    uint32_t period = params->decay_cycles;
    return falls == UINT64_MAX ? UINT64_MAX : (c->time / period + falls) * period;
}

/* --- statistics --- */

/* A copy as it will be in that cycle: when the scores were last worked out depends on the engine.
 */
static void ccws_look_at(const void *instance, uint64_t now, struct scheduler *copy,
                         struct ccws *state)
{
    *copy = *(const struct scheduler *)instance;
    *state = *(const struct ccws *)copy->state;
    copy->state = state;
    ccws_decay_to(copy, now);
}

static struct stat_reading ccws_may_load(const void *instance, uint64_t now)
{
    struct scheduler s;
    struct ccws c;
    ccws_look_at(instance, now, &s, &c);
    return may_load_reading(s.view, c.may_load);
}

static struct stat_reading ccws_score_sum(const void *instance, uint64_t now)
{
    struct scheduler s;
    struct ccws c;
    struct stat_reading sum = {0};
    ccws_look_at(instance, now, &s, &c);
    for (uint64_t rest = s.view->live; rest; rest &= rest - 1)
        sum.value += c.score[lowest_warp(rest)];
    return sum;
}

static struct stat_reading ccws_top_score(const void *instance, uint64_t now)
{
    struct scheduler s;
    struct ccws c;
    struct stat_reading top = {0};
    ccws_look_at(instance, now, &s, &c);
    for (uint64_t rest = s.view->live; rest; rest &= rest - 1) {
        uint32_t score = c.score[lowest_warp(rest)];
        top.value = score > top.value ? score : top.value;
    }
    return top;
}

const struct plugin_stat ccws_stats[N_CCWS_STATS] = {
    STAT_COUNT(struct ccws_stats, vta_hits, "hits",
               "misses of lines that the warp had lost, as its victim tags tell"),
    MAY_LOAD_STATS(ccws_may_load),
    STAT_WHILE_RUNNING("score_sum", "points", "lost-locality scores of the live warps of all SMs",
                       STAT_SUM, ccws_score_sum),
    STAT_WHILE_RUNNING("top_score", "points", "the highest lost-locality score of all SMs",
                       STAT_MAX, ccws_top_score),
};
