/* Cache-Conscious Wavefront Scheduling (S4 section 3.3): warps that lose locality in L1D are given
 * more of it, by keeping others from issuing loads.
 *
 * A line that is replaced leaves its tag in the victim tag array of the warp that reserved it. A
 * warp that misses a line whose tag is there has lost locality: its score rises to LLDS, and falls
 * by 1 a cycle from then on, down to the base. Of the warps sorted by score, those before which the
 * scores already sum up to the cutoff, live warps x base, may not issue loads. Everything else may
 * issue, in the order of another scheduler.
 *
 * In a cycle scores fall first; VTA hits of a cycle act on the issue from the next one on. All
 * state is of the SM, whatever the number of its issue slots. MODEL: a miss of sectors in a line
 * that is there lost no locality; a load sent around the cache by the program is not looked at. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "cache/cache.h"
#include "sched/order.h"
#include "sched/vta.h"

extern const struct scheduler_desc scheduler_gto, scheduler_lrr, scheduler_two_level;

enum { VTA_TAG_BITS = 40 }; /* of a 48-bit address space (S4 section 5.7) */

struct ccws_params {
    uint32_t k_throttle, base_score, score_bits, vta_entries_per_warp, vta_ways;
    uint32_t prioritise;
};

static const char *const order_names[] = {"gto", "lrr", "two_level", NULL};
static const struct scheduler_desc *const orders[] = {&scheduler_gto, &scheduler_lrr,
                                                      &scheduler_two_level};

static const struct param ccws_params[] = {
    PARAM_U32(struct ccws_params, k_throttle, "8", 0, 1 << 20, NULL,
              "how much lost locality throttles: K_THROTTLE"),
    PARAM_U32(struct ccws_params, base_score, "100", 1, 1 << 20, NULL,
              "score of a warp that has lost no locality"),
    PARAM_U32(struct ccws_params, score_bits, "10", 1, 30, "bits", "scores saturate at these"),
    PARAM_U32(struct ccws_params, vta_entries_per_warp, "16", 1, 1024, "tags",
              "of a warp's victim tag array"),
    PARAM_U32(struct ccws_params, vta_ways, "8", 1, 1024, "ways",
              "of a warp's victim tag array, as far as it has entries"),
    PARAM_ENUM(struct ccws_params, prioritise, "gto", order_names,
               "order among the warps that may issue"),
};

/* A load that has missed, until its victim has left. */
struct probe {
    bool due;
    uint32_t warp;
    uint64_t uid, id, line, cycle;
};

struct ccws {
    uint32_t score[SCHED_MAX_WARPS]; /* after the decay of `time` */
    uint32_t raise[SCHED_MAX_WARPS]; /* by VTA hits of `time`: act from the next cycle on */
    bool raised;
    bool above_base;         /* some score may be */
    uint64_t time, advanced; /* cycle of the scores; cycle that advance() has told */
    uint64_t may_load;
    uint64_t vta_hits, insts_issued;
    struct probe probe;
    struct vta vta;
    uint32_t tags_at; /* in `store`: of each warp's array */
    struct scheduler order;
    _Alignas(16) unsigned char store[]; /* the order's parameters and state, then the tags */
};

static uint32_t round_up(size_t bytes)
{
    return (uint32_t)((bytes + 15) / 16 * 16);
}

static size_t order_bytes(const struct scheduler_desc *d, uint32_t n_warps, uint32_t n_slots,
                          const void *params)
{
    return d->state_bytes ? round_up(d->state_bytes(n_warps, n_slots, params)) : 0;
}

static void order_defaults(const struct scheduler_desc *d, void *values)
{
    struct strbuf why = {0};
    for (uint32_t i = 0; i < d->n_params; i++)
        param_store(&d->params[i], values, d->params[i].default_text, NULL, &why);
    strbuf_destroy(&why);
}

static size_t ccws_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    const struct ccws_params *c = params;
    const struct scheduler_desc *order = orders[c->prioritise];
    char values[256] = {0};
    assert(order->params_bytes <= sizeof values);
    order_defaults(order, values);
    return sizeof(struct ccws) + round_up(order->params_bytes) +
           order_bytes(order, n_warps, n_slots, values) +
           (size_t)n_warps * c->vta_entries_per_warp * sizeof(uint64_t);
}

static uint64_t ccws_cost_bits(const struct sched_geometry *g, const void *params,
                               struct strbuf *parts)
{
    const struct ccws_params *c = params;
    uint64_t tags = (uint64_t)g->n_warps * c->vta_entries_per_warp;
    return plugin_cost(parts, "victim tags", tags * VTA_TAG_BITS) +
           plugin_cost(parts, "warp of each line",
                       (uint64_t)g->l1d_lines * plugin_index_bits(g->n_warps)) +
           plugin_cost(parts, "scores", (uint64_t)g->n_warps * c->score_bits) +
           plugin_cost(parts, "VTA hits and instructions", 2 * 32);
}

static uint64_t *tags_of(const struct ccws *c, uint32_t warp)
{
    uint64_t *all = (uint64_t *)(c->store + c->tags_at);
    return all + (size_t)warp * c->vta.n_sets * c->vta.n_ways;
}

static void ccws_init(struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    const struct scheduler_desc *order = orders[params->prioritise];
    uint32_t ways = params->vta_ways < params->vta_entries_per_warp ? params->vta_ways
                                                                    : params->vta_entries_per_warp;
    uint32_t line_bytes = s->view->l1d_line_bytes;
    c->vta = (struct vta){.n_sets = params->vta_entries_per_warp / ways,
                          .n_ways = ways,
                          .line_shift = line_bytes ? (uint32_t)__builtin_ctz(line_bytes) : 0};
    c->order = *s;
    c->order.desc = order;
    c->order.params = c->store;
    c->order.state = c->store + round_up(order->params_bytes);
    order_defaults(order, c->store);
    c->tags_at = round_up(order->params_bytes) +
                 (uint32_t)order_bytes(order, s->view->n_warps, s->view->n_slots, c->store);
    if (order->init)
        order->init(&c->order);
}

/* --- scores --- */

static uint32_t cutoff(const struct scheduler *s)
{
    const struct ccws_params *params = s->params;
    return (uint32_t)__builtin_popcountll(s->view->live) * params->base_score;
}

/* Live warps from the highest score to the lowest, the older first among equals. */
static uint32_t sort_warps(const struct scheduler *s, uint8_t *sorted)
{
    const struct ccws *c = s->state;
    uint32_t n = 0;
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1) {
        uint32_t warp = lowest_warp(rest), at = n++;
        for (; at > 0; at--) {
            uint32_t before = sorted[at - 1];
            if (c->score[before] > c->score[warp] ||
                (c->score[before] == c->score[warp] &&
                 s->view->warps[before].age < s->view->warps[warp].age))
                break;
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = (uint8_t)warp;
    }
    return n;
}

static void test_cutoff(struct scheduler *s)
{
    struct ccws *c = s->state;
    uint8_t sorted[SCHED_MAX_WARPS];
    uint32_t n = sort_warps(s, sorted), limit = cutoff(s);
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

/* Brings the scores to what they are in cycle `now`, before its VTA hits. */
static void decay_to(struct scheduler *s, uint64_t now)
{
    struct ccws *c = s->state;
    uint32_t base = ((const struct ccws_params *)s->params)->base_score;
    if (now <= c->time)
        return;
    raise_scores(c);
    uint64_t fall = now - c->time;
    c->time = now;
    if (!c->above_base)
        return;
    c->above_base = false;
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1) {
        uint32_t *score = &c->score[lowest_warp(rest)];
        if (*score > base)
            *score = *score - base > fall ? (uint32_t)(*score - fall) : base;
        c->above_base |= *score > base;
    }
    test_cutoff(s);
}

/* --- lost locality --- */

static void vta_hit(struct scheduler *s, uint32_t warp)
{
    const struct ccws_params *params = s->params;
    struct ccws *c = s->state;
    uint64_t top = (1ull << params->score_bits) - 1;
    c->vta_hits++;
    uint64_t llds =
        c->vta_hits * params->k_throttle * cutoff(s) / (c->insts_issued ? c->insts_issued : 1);
    uint32_t raise = (uint32_t)(llds < top ? llds : top);
    if (raise > c->raise[warp])
        c->raise[warp] = raise;
    c->raised = true;
}

/* Once per miss, after its victim has entered. */
static void do_probe(struct scheduler *s)
{
    struct ccws *c = s->state;
    if (!c->probe.due)
        return;
    c->probe.due = false;
    decay_to(s, c->probe.cycle);
    const struct sched_warp *warp = &s->view->warps[c->probe.warp];
    if (!warp->live || warp->uid != c->probe.uid)
        return; /* it has ended without waiting for its load */
    if (vta_remove(&c->vta, tags_of(c, c->probe.warp), c->probe.line))
        vta_hit(s, c->probe.warp);
}

static void remove_everywhere(struct scheduler *s, uint64_t line)
{
    struct ccws *c = s->state;
    for (uint32_t w = 0; w < s->view->n_warps; w++)
        vta_remove(&c->vta, tags_of(c, w), line);
}

static void ccws_on_l1d(struct scheduler *s, const struct cache_event_info *e)
{
    struct ccws *c = s->state;
    const struct mem_access *a = e->access;
    if (e->event == CE_DROP) /* nothing changes for lines that warps could have lost */
        return;
    if (c->probe.due && (!a || a->id != c->probe.id))
        do_probe(s);
    switch (e->event) {
    case CE_MISS:
        if (!e->line)
            c->probe = (struct probe){true, a->warp_slot, a->warp_uid, a->id, a->line, e->cycle};
        break;
    case CE_EVICT:
        if (e->cause == EVICT_REPLACE)
            vta_insert(&c->vta, tags_of(c, e->line->reserver_slot), e->line->line);
        break;
    case CE_RESERVE:
    case CE_BYPASS:
        do_probe(s);
        break;
    case CE_STORE:
        if (a->space != MEM_LOCAL)
            remove_everywhere(s, a->line);
        break;
    case CE_HIT:
    case CE_MERGE:
    case CE_FILL:
    case CE_DROP:
        break;
    }
}

/* --- issue --- */

static struct sched_pick ccws_pick(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                   uint64_t ready_loads, uint64_t now)
{
    const struct ccws *c = s->state;
    return c->order.desc->pick(&c->order, slot, ready, ready_loads, now);
}

static uint64_t ccws_may_issue(const struct scheduler *s, enum issue_class class)
{
    const struct ccws *c = s->state;
    return class == ISSUE_LOAD ? c->may_load : ~0ull;
}

static void ccws_on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                          uint32_t pc, uint64_t now)
{
    struct ccws *c = s->state;
    c->insts_issued++;
    if (c->order.desc->on_issue)
        c->order.desc->on_issue(&c->order, slot, warp, class, pc, now);
}

static void ccws_advance(struct scheduler *s, uint64_t dt)
{
    struct ccws *c = s->state;
    do_probe(s);
    c->advanced += dt;
    decay_to(s, c->advanced);
}

/* The scores of warps above the base fall together, so their order stays until the first reaches
 * the base; till then sums only shrink, and the first change is a warp that is let through. */
static uint64_t ccws_next_change(const struct scheduler *s, uint64_t now)
{
    const struct ccws *c = s->state;
    uint32_t base = ((const struct ccws_params *)s->params)->base_score, limit = cutoff(s);
    uint8_t sorted[SCHED_MAX_WARPS];
    if (c->raised || c->probe.due)
        return now + 1;
    if (!c->above_base)
        return UINT64_MAX;
    uint32_t n = sort_warps(s, sorted), above = 0;
    uint64_t sum = 0, soonest = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t score = c->score[sorted[i]];
        if (sum >= limit && above > 0) {
            uint64_t wait = (sum - limit) / above + 1;
            soonest = wait < soonest ? wait : soonest;
        }
        if (score > base) {
            above++;
            soonest = score - base < soonest ? score - base : soonest;
        }
        sum += score;
    }
    return soonest == UINT64_MAX ? UINT64_MAX : c->time + soonest;
}

/* --- warps come and go; the order is told all that it may want to know --- */

static void ccws_on_warp_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    struct ccws *c = s->state;
    do_probe(s);
    decay_to(s, now);
    c->score[warp] = ((const struct ccws_params *)s->params)->base_score;
    c->raise[warp] = 0;
    vta_clear(&c->vta, tags_of(c, warp));
    if (c->order.desc->on_warp_start)
        c->order.desc->on_warp_start(&c->order, warp, now);
    test_cutoff(s);
}

static void ccws_on_warp_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    struct ccws *c = s->state;
    do_probe(s);
    decay_to(s, now);
    c->raise[warp] = 0;
    if (c->order.desc->on_warp_end)
        c->order.desc->on_warp_end(&c->order, warp, now);
    test_cutoff(s);
}

static void ccws_on_stall(struct scheduler *s, uint32_t warp, enum stall_cause cause, uint64_t now)
{
    struct ccws *c = s->state;
    if (c->order.desc->on_stall)
        c->order.desc->on_stall(&c->order, warp, cause, now);
}

static void ccws_on_wake(struct scheduler *s, uint32_t warp, uint64_t now)
{
    struct ccws *c = s->state;
    if (c->order.desc->on_wake)
        c->order.desc->on_wake(&c->order, warp, now);
}

static void ccws_describe_wait(const struct scheduler *s, struct strbuf *out)
{
    const struct ccws *c = s->state;
    uint64_t held = s->view->live & ~c->may_load;
    if (held)
        strbuf_addf(out, "ccws: may not issue loads: mask 0x%" PRIx64 "\n", held);
    if (c->order.desc->describe_wait)
        c->order.desc->describe_wait(&c->order, out);
}

/* On a copy, brought to the cycle: when the scores were last worked out depends on the engine. */
static void ccws_observe(const struct scheduler *s, uint64_t now, struct sched_throttle *out)
{
    struct ccws then = *(const struct ccws *)s->state;
    struct scheduler copy = *s;
    copy.state = &then;
    decay_to(&copy, now);
    *out = (struct sched_throttle){
        .vta_hits = then.vta_hits,
        .may_load = (uint32_t)__builtin_popcountll(then.may_load & s->view->live)};
    for (uint64_t rest = s->view->live; rest; rest &= rest - 1) {
        uint32_t score = then.score[lowest_warp(rest)];
        out->score_sum += score;
        out->top_score = score > out->top_score ? score : out->top_score;
    }
}

const struct scheduler_desc scheduler_ccws = {
    .abi_version = SCHEDULER_ABI,
    .struct_size = sizeof(struct scheduler_desc),
    .name = "ccws",
    .summary = "keeps warps from loading when others lose locality in L1D",
    .citation = "T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-Conscious Wavefront Scheduling. "
                "MICRO 2012, section 3.3",
    .params = ccws_params,
    .n_params = sizeof ccws_params / sizeof ccws_params[0],
    .params_bytes = sizeof(struct ccws_params),
    .state_bytes = ccws_state_bytes,
    .cost_bits = ccws_cost_bits,
    .init = ccws_init,
    .pick = ccws_pick,
    .may_issue = ccws_may_issue,
    .on_issue = ccws_on_issue,
    .on_stall = ccws_on_stall,
    .on_wake = ccws_on_wake,
    .on_warp_start = ccws_on_warp_start,
    .on_warp_end = ccws_on_warp_end,
    .on_l1d = ccws_on_l1d,
    .advance = ccws_advance,
    .next_change = ccws_next_change,
    .describe_wait = ccws_describe_wait,
    .observe = ccws_observe,
};
