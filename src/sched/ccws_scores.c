/* The scores of CCWS and what follows from them (S4 section 3.3.4; S4 and its algorithm: ccws.c).
 * They fall with time, VTA hits raise them, and in descending order they determine which warps may
 * load.
 *
 * The order is maintained, never sorted. All scores above the base fall together, so such a warp
 * stores its level, score plus falls so far, which does not change. Its rank changes only when a
 * VTA hit raises it and when it has fallen to the base. Warps at the base follow in tie-break
 * order. Which warps may load is recomputed when a warp starts, ends or is raised, and in the cycle
 * in which time alone lets the next one through. */
#include <stddef.h>
#include <string.h>

#include "sched/ccws.h"

#include <assert.h>

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

static uint32_t score_after(const struct scheduler *s, uint32_t warp, uint64_t falls)
{
    const struct ccws_params *params = s->params;
    const struct ccws *c = s->state;
    if (c->unscored & warp_bit(warp))
        return 0;
    bool is_above = c->is_high & warp_bit(warp) && c->level[warp] > falls + params->base_score;
    return is_above ? (uint32_t)(c->level[warp] - falls) : params->base_score;
}

/* --- the order --- */

static bool wins_tie(const struct scheduler *s, uint32_t a, uint32_t b)
{
    return ((const struct ccws_params *)s->params)->ties == TIES_SLOT
               ? a < b
               : s->view->warps[a].age < s->view->warps[b].age;
}

static bool comes_before(const struct scheduler *s, uint32_t a, uint32_t b)
{
    const struct ccws *c = s->state;
    return c->level[a] != c->level[b] ? c->level[a] > c->level[b] : wins_tie(s, a, b);
}

static void take_out(struct ccws_queue *q, uint32_t warp)
{
    uint32_t i = 0;
    while (q->warps[i] != warp)
        i++;
    for (q->n--; i < q->n; i++)
        q->warps[i] = q->warps[i + 1];
}

/* Inserts a warp, or moves it up if it is in the queue already. Most such warps have risen to the
 * top. */
static void put_in(struct ccws_queue *q, const struct scheduler *s, uint32_t warp,
                   bool (*before)(const struct scheduler *s, uint32_t a, uint32_t b))
{
    uint32_t at = 0;
    while (at < q->n && q->warps[at] != warp && !before(s, warp, q->warps[at]))
        at++;
    uint32_t from = at;
    while (from < q->n && q->warps[from] != warp)
        from++;
    q->n += from == q->n;
    for (; from > at; from--)
        q->warps[from] = q->warps[from - 1];
    q->warps[at] = (uint8_t)warp;
}

static void leave_high(struct ccws *c, uint32_t warp)
{
    if (!(c->is_high & warp_bit(warp)))
        return;
    c->is_high &= ~warp_bit(warp);
    take_out(&c->high, warp);
}

void ccws_start_score(struct scheduler *s, uint32_t warp)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    ccws_end_score(s, warp); /* in case the end of the previous warp was not reported */
    put_in(&c->tied, s, warp, wins_tie);
    c->known |= warp_bit(warp);
    c->unscored |= params->starts_at_zero ? warp_bit(warp) : 0;
}

void ccws_end_score(struct scheduler *s, uint32_t warp)
{
    struct ccws *c = s->state;
    c->raised &= ~warp_bit(warp);
    if (!(c->known & warp_bit(warp)))
        return;
    leave_high(c, warp);
    take_out(&c->tied, warp);
    c->known &= ~warp_bit(warp);
    c->unscored &= ~warp_bit(warp);
}

/* --- what the SM needs to know --- */

/* Sets hold.until to the time when time alone changes something, and l1d_warps to the warps whose
 * first access is still to come. Call it after any change. */
static void ccws_plan(struct scheduler *s)
{
    const struct ccws *c = s->state;
    uint64_t until = c->next < c->cap_falls ? c->next : c->cap_falls;
    if (c->raised && c->time + 1 < until)
        until = c->time + 1;
    s->hold.until = until;
    s->l1d_warps = c->unscored;
}

/* --- the cap --- */

/* The highest level that the next fall leaves unchanged: no score is above LLDS then. */
static uint64_t capped_level(const struct scheduler *s, uint64_t falls)
{
    const struct ccws_params *params = s->params;
    uint64_t cap = ccws_llds(s);
    return (cap > params->base_score ? cap : params->base_score) + falls + 1;
}

void ccws_cap_has_fallen(struct scheduler *s, uint64_t now)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    if (params->llds_caps && c->high.n && c->cap_falls == UINT64_MAX &&
        c->level[c->high.warps[0]] > capped_level(s, c->falls)) {
        c->cap_falls = (now / params->decay_cycles + 1) * params->decay_cycles;
        ccws_plan(s);
    }
}

/* --- which warps may load --- */

/* The first cycle in which time alone lets another warp load, given that some may not. Those that
 * may load sum to `sum`; the first `n_high` of them are above the base. Either the sum falls below
 * the cutoff, or the lowest of these falls to the base, where ties decide its rank. Warps that may
 * not load may change ranks among themselves in the meantime. */
static uint64_t next_let_through(const struct scheduler *s, uint64_t sum, uint32_t n_high,
                                 uint64_t falls)
{
    const struct ccws_params *params = s->params;
    const struct ccws *c = s->state;
    if (!n_high)
        return UINT64_MAX;
    uint64_t crosses = (sum - ccws_cutoff(s)) / n_high + 1;
    uint64_t ties = c->level[c->high.warps[n_high - 1]] - falls - params->base_score;
    return (falls + (crosses < ties ? crosses : ties)) * params->decay_cycles;
}

static void drop_fallen(struct ccws *c, uint64_t lowest_level)
{
    while (c->high.n && c->level[c->high.warps[c->high.n - 1]] <= lowest_level)
        c->is_high &= ~warp_bit(c->high.warps[--c->high.n]);
}

/* The first `n` of the warps at the base. */
static uint64_t first_at_base(const struct ccws *c, uint64_t n)
{
    uint64_t warps = 0;
    for (uint32_t i = 0; n; i++) {
        uint64_t bit = warp_bit(c->tied.warps[i]) & ~(c->is_high | c->unscored);
        warps |= bit;
        n -= bit != 0;
    }
    return warps;
}

void ccws_test_cutoff(struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    uint64_t falls = c->falls, limit = ccws_cutoff(s), sum = 0;
    uint32_t base = params->base_score, n_high = 0;
    drop_fallen(c, falls + base);
    c->may_load = 0;
    for (; n_high < c->high.n && sum < limit; n_high++) {
        uint32_t warp = c->high.warps[n_high];
        c->may_load |= warp_bit(warp);
        sum += c->level[warp] - falls;
    }
    if (sum < limit) {
        uint64_t at_base = c->known & ~(c->is_high | c->unscored),
                 room = (limit - sum + base - 1) / base;
        uint64_t n = (uint64_t)__builtin_popcountll(at_base);
        bool has_room = n <= room;
        c->may_load |= has_room ? at_base : first_at_base(c, room);
        sum += base * (has_room ? n : room);
        c->may_load |= sum < limit ? c->unscored : 0;
    }
    bool some_may_not = (c->known & ~c->may_load) != 0;
    c->next = some_may_not ? next_let_through(s, sum, n_high, falls) : UINT64_MAX;
    s->hold.loads = ~c->may_load;
    ccws_plan(s);
}

/* --- time --- */

/* Lets VTA hits take effect, before the scores fall the next time. */
static void raise_scores(struct scheduler *s, uint64_t falls)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    for (; c->raised; c->raised &= c->raised - 1) {
        uint32_t warp = lowest_warp(c->raised), to = c->raise[warp];
        if (to <= score_after(s, warp, falls))
            continue;
        assert(to >= params->base_score); /* a warp without a score gets at least the base */
        c->unscored &= ~warp_bit(warp);
        if (to == params->base_score)
            continue;
        c->level[warp] = to + falls;
        c->is_high |= warp_bit(warp);
        put_in(&c->high, s, warp, comes_before);
    }
}

/* Lowers the scores above the cap so far that the next fall takes them to it. */
static void cap_scores(struct scheduler *s, uint64_t falls)
{
    struct ccws *c = s->state;
    struct ccws_queue *q = &c->high;
    uint64_t level = capped_level(s, falls);
    if (!q->n || c->level[q->warps[0]] <= level)
        return;
    for (uint32_t i = 0; i < q->n && c->level[q->warps[i]] > level; i++)
        c->level[q->warps[i]] = level;
    uint32_t n = q->n;
    for (q->n = 0; q->n < n;) /* ties are recomputed */
        put_in(q, s, q->warps[q->n], comes_before);
}

/* Scores are above the cap only if they were raised to one that has fallen since, or if
 * ccws_cap_has_fallen() was called. */
void ccws_change_to(struct scheduler *s, uint64_t now)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    uint64_t falls = c->falls;
    if (c->raised)
        raise_scores(s, falls);
    c->falls = ccws_falls_by(s, now);
    c->time = now;
    if (now >= c->cap_falls)
        c->cap_falls = UINT64_MAX;
    if (params->llds_caps && c->falls > falls)
        cap_scores(s, falls);
    else
        ccws_cap_has_fallen(s, now);
    ccws_test_cutoff(s);
}

void ccws_raise_score(struct scheduler *s, uint32_t warp, uint32_t to)
{
    struct ccws *c = s->state;
    if (!(c->raised & warp_bit(warp)) || to > c->raise[warp])
        c->raise[warp] = to;
    c->raised |= warp_bit(warp);
    ccws_plan(s);
}

uint64_t ccws_next_change(const struct scheduler *s, uint64_t now)
{
    return s->hold.until > now ? s->hold.until : now + 1;
}

/* --- statistics --- */

/* The state in cycle `now`, for statistics: when the scores were last updated depends on the
 * engine. Returns the instance itself if no score rises or is capped and no warp is let through
 * until then; otherwise a copy. */
static const struct scheduler *ccws_look_at(const void *instance, uint64_t now,
                                            struct scheduler *copy, struct ccws *state)
{
    const struct scheduler *s = instance;
    if (!ccws_changes_by(s->state, now))
        return s;
    *copy = *s;
    memcpy(state, s->state, offsetof(struct ccws, n_tags)); /* scores do not use the rest */
    copy->state = state;
    ccws_decay_to(copy, now);
    return copy;
}

static struct stat_reading ccws_may_load(const void *instance, uint64_t now)
{
    struct scheduler copy;
    struct ccws state;
    const struct scheduler *s = ccws_look_at(instance, now, &copy, &state);
    return may_load_reading(s->view, ((const struct ccws *)s->state)->may_load);
}

static struct stat_reading ccws_score_sum(const void *instance, uint64_t now)
{
    struct scheduler copy;
    struct ccws state;
    struct stat_reading sum = {0};
    const struct scheduler *s = ccws_look_at(instance, now, &copy, &state);
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1)
        sum.value += score_after(s, lowest_warp(rest), ccws_falls_by(s, now));
    return sum;
}

static struct stat_reading ccws_top_score(const void *instance, uint64_t now)
{
    struct scheduler copy;
    struct ccws state;
    struct stat_reading top = {0};
    const struct scheduler *s = ccws_look_at(instance, now, &copy, &state);
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1) {
        uint32_t score = score_after(s, lowest_warp(rest), ccws_falls_by(s, now));
        top.value = score > top.value ? score : top.value;
    }
    return top;
}

const struct plugin_stat ccws_stats[N_CCWS_STATS] = {
    STAT_COUNT(struct ccws_stats, vta_hits, "hits",
               "misses of lines that the warp had lost, according to its victim tags"),
    MAY_LOAD_STATS(ccws_may_load),
    STAT_WHILE_RUNNING("score_sum", "points", "lost-locality scores of the live warps of all SMs",
                       STAT_SUM, ccws_score_sum),
    STAT_WHILE_RUNNING("top_score", "points", "the highest lost-locality score of all SMs",
                       STAT_MAX, ccws_top_score),
};
