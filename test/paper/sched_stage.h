/* A scheduler of one issue slot with its warps, for examples that are computed by hand from a
 * paper's text. */
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
    struct scheduler *scheduler;
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

static inline void start_with(struct stage *s, const char *name, const char *words,
                              uint32_t n_warps, uint32_t cta_warps)
{
    const struct scheduler_desc *d = scheduler_find(name);
    stage_init(s, n_warps, cta_warps);
    s->scheduler = scheduler_create(d, plugin_params(&d->plugin, words, &s->arena), &s->view, 1);
    for (uint32_t w = n_warps; w-- > 0;) { /* the oldest starts first */
        show_live(s, w);
        if (d->on_warp_start)
            d->on_warp_start(s->scheduler, w, 0);
    }
}

static inline void start_scheduler(struct stage *s, const char *name, uint32_t n_warps,
                                   uint32_t cta_warps)
{
    start_with(s, name, "", n_warps, cta_warps);
}

static inline void stage_destroy(struct stage *s)
{
    scheduler_destroy(s->scheduler);
    arena_destroy(&s->arena);
}

/* Of the warps `ready` one issues, as the scheduler picks it; which one. */
static inline uint32_t issue_next(struct stage *s, uint64_t ready, uint64_t now)
{
    struct scheduler *x = s->scheduler;
    uint64_t may = x->desc->may_issue ? x->desc->may_issue(x, ISSUE_ALU) : ~0ull;
    int warp = x->desc->pick(x, 0, ready & may, 0, now).warp;
    assert_in_range(warp, 0, s->view.n_warps - 1);
    assert_true(ready >> warp & 1);
    if (x->desc->on_issue)
        x->desc->on_issue(x, 0, (uint32_t)warp, ISSUE_ALU, 1, now);
    return (uint32_t)warp;
}

/* A warp ends; or one starts in a slot that has none, the youngest of all. */
static inline void turn_over(struct stage *s, uint32_t warp, uint64_t now)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    bool starts = !s->warps[warp].live;
    s->warps[warp].live = starts;
    s->warps[warp].age += starts ? SCHED_MAX_WARPS : 0; /* ages stay different */
    s->view.live ^= UINT64_C(1) << warp;
    if (starts && d->on_warp_start)
        d->on_warp_start(s->scheduler, warp, now);
    if (!starts && d->on_warp_end)
        d->on_warp_end(s->scheduler, warp, now);
}

#endif
