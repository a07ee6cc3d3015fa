/* A scheduler with its warps, for examples that are computed by hand from a paper's text. There is
 * one issue slot unless an example says otherwise.
 *
 * Each decision is made twice: by pick() and on_issue(), and in a second instance with the same
 * history by pick_and_issue(), which runs without observers use. Both must choose the same. */
#ifndef HEDDLE_TEST_SCHED_STAGE_H
#define HEDDLE_TEST_SCHED_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "crit/criticality.h"
#include "unit/plugin_params.h"
#include "unit/random_bits.h"

struct stage {
    struct arena arena;
    struct sched_warp warps[SCHED_MAX_WARPS];
    struct sched_view view;
    struct scheduler *scheduler; /* by pick() and on_issue() */
    struct scheduler *twin;      /* by pick_and_issue() */
    struct criticality *cpl;
    int64_t times[SCHED_MAX_WARPS]; /* what the criticality provider says about the warps */
};

static inline int64_t told_time(const struct criticality *stage, uint32_t warp, uint64_t now)
{
    (void)now;
    return ((const struct stage *)(const void *)stage)->times[warp];
}

/* CTAs of `cta_warps` warps that have not started. Warps are older the higher their slot, so that
 * slots cannot be mistaken for ages. */
static inline void stage_init(struct stage *s, uint32_t n_warps, uint32_t cta_warps)
{
    *s = (struct stage){.view = {.n_warps = n_warps, .n_slots = 1}};
    s->view.warps = s->warps;
    s->view.provider = (const struct criticality *)(const void *)s;
    s->view.criticality_of = told_time;
    for (uint32_t w = 0; w < n_warps; w++)
        s->warps[w] = (struct sched_warp){.age = n_warps - w,
                                          .uid = w,
                                          .cta = w / cta_warps,
                                          .cta_slot = w / cta_warps,
                                          .warp_in_cta = w % cta_warps};
}

static inline void show_live(struct stage *s, uint32_t warp)
{
    s->warps[warp].live = true;
    s->view.live |= UINT64_C(1) << warp;
}

static inline void tell_start(struct stage *s, uint32_t warp, uint64_t now)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    if (!d->on_warp_start)
        return;
    d->on_warp_start(s->scheduler, warp, now);
    d->on_warp_start(s->twin, warp, now);
}

static inline void start_in_slots(struct stage *s, const char *name, const char *words,
                                  uint32_t n_warps, uint32_t cta_warps, uint32_t n_slots)
{
    const struct scheduler_desc *d = scheduler_find(name);
    stage_init(s, n_warps, cta_warps);
    s->view.n_slots = n_slots;
    const void *params = plugin_params(&d->plugin, words, &s->arena);
    s->scheduler = scheduler_create(d, params, &s->view, 1);
    s->twin = scheduler_create(d, params, &s->view, 1);
    for (uint32_t w = n_warps; w-- > 0;) { /* the oldest starts first */
        show_live(s, w);
        tell_start(s, w, 0);
    }
}

static inline void start_with(struct stage *s, const char *name, const char *words,
                              uint32_t n_warps, uint32_t cta_warps)
{
    start_in_slots(s, name, words, n_warps, cta_warps, 1);
}

static inline void start_scheduler(struct stage *s, const char *name, uint32_t n_warps,
                                   uint32_t cta_warps)
{
    start_with(s, name, "", n_warps, cta_warps);
}

static inline void stage_destroy(struct stage *s)
{
    scheduler_destroy(s->scheduler);
    scheduler_destroy(s->twin);
    arena_destroy(&s->arena);
}

/* The warps that may issue anything. Runs go by the hold, if the scheduler keeps it. */
static inline uint64_t allowed(const struct stage *s)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    uint64_t live = s->view.live;
    if (!d->may_issue)
        return live;
    uint64_t warps = d->may_issue(s->scheduler, ISSUE_ALU) & live;
    assert_int_equal(d->may_issue(s->twin, ISSUE_ALU) & live, warps);
    if (d->keeps_hold)
        assert_int_equal(live & ~s->twin->hold.all, warps);
    return warps;
}

/* Of the warps `ready` that belong to the issue slot one issues, as the scheduler picks it: which
 * one; -1 = none. */
static inline int issue_or_idle(struct stage *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    struct scheduler *x = s->scheduler, *twin = s->twin;
    ready &= allowed(s) & x->slot_warps[slot];
    assert_true(ready != 0);
    int warp = x->desc->pick(x, slot, ready, 0, now).warp;
    if (warp >= 0 && x->desc->on_issue)
        x->desc->on_issue(x, slot, (uint32_t)warp, ISSUE_ALU, 1, now);
    if (x->desc->pick_and_issue)
        assert_int_equal(twin->desc->pick_and_issue(twin, slot, ready, now), warp);
    else if (warp >= 0 && x->desc->on_issue)
        x->desc->on_issue(twin, slot, (uint32_t)warp, ISSUE_ALU, 1, now);
    assert_true(warp < 0 || ready >> warp & 1);
    return warp;
}

static inline uint32_t issue_in_slot(struct stage *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    int warp = issue_or_idle(s, slot, ready, now);
    assert_in_range(warp, 0, s->view.n_warps - 1);
    return (uint32_t)warp;
}

static inline uint32_t issue_next(struct stage *s, uint64_t ready, uint64_t now)
{
    return issue_in_slot(s, 0, ready, now);
}

/* A warp ends; or one starts in a slot that has none, the youngest of all. */
static inline void turn_over(struct stage *s, uint32_t warp, uint64_t now)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    bool starts = !s->warps[warp].live;
    s->warps[warp].live = starts;
    s->warps[warp].age += starts ? SCHED_MAX_WARPS : 0; /* ages stay different */
    s->view.live ^= UINT64_C(1) << warp;
    if (starts)
        tell_start(s, warp, now);
    if (!starts && d->on_warp_end) {
        d->on_warp_end(s->scheduler, warp, now);
        d->on_warp_end(s->twin, warp, now);
    }
}

#endif
