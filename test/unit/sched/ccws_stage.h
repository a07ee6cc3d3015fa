/* CCWS with an L1D that feeds it, and nothing else: tests issue, load, store, start and end warps
 * by hand, cycle by cycle. */
#ifndef HEDDLE_TEST_CCWS_STAGE_H
#define HEDDLE_TEST_CCWS_STAGE_H

#include "cache/cache.h"
#include "unit/sched/sched_params.h"

enum { STAGE_LINE_BYTES = 128, STAGE_MSHRS = 4, STAGE_MERGES = 3 };

struct ccws_stage {
    struct arena arena;
    struct sched_view view;
    struct sched_warp warps[SCHED_MAX_WARPS];
    struct scheduler *scheduler;
    struct cache *l1d;
    uint64_t now, n_accesses, n_started, n_issued;
    bool is_lazy;     /* advance() is left out where hold.until says that it may be */
    uint64_t told_of; /* the cycle of the last advance() */
};

/* Events that the scheduler needs of some warps only are not sent for the others. */
static inline void stage_tell(void *user, const struct cache_event_info *e)
{
    struct scheduler *x = ((struct ccws_stage *)user)->scheduler;
    bool is_of_some = e->access && x->l1d_events_of_some_warps >> e->event & 1;
    if (!is_of_some || x->l1d_warps >> e->access->warp_slot & 1)
        x->desc->on_l1d(x, e);
}

/* False if a word is not understood. */
static inline bool stage_init(struct ccws_stage *s, const char *words, uint32_t n_warps,
                              const char *policy, const char *policy_words, uint32_t n_sets,
                              uint32_t n_ways)
{
    *s = (struct ccws_stage){
        .view = {.n_warps = n_warps, .n_slots = 1, .l1d_line_bytes = STAGE_LINE_BYTES}};
    s->view.warps = s->warps;
    struct cache_config config = {.n_sets = n_sets,
                                  .n_ways = n_ways,
                                  .line_bytes = STAGE_LINE_BYTES,
                                  .sector_bytes = STAGE_LINE_BYTES,
                                  .n_mshrs = STAGE_MSHRS,
                                  .mshr_merges = STAGE_MERGES,
                                  .policy = policy,
                                  .write_evict = true};
    const struct scheduler_desc *d = scheduler_find("ccws");
    const struct cache_policy_desc *p = cache_policy_find(policy);
    const void *params = sched_params(d, words, &s->arena);
    const void *policy_params = plugin_params(&p->plugin, policy_words, &s->arena);
    if (!params || !policy_params)
        return false;
    s->scheduler = scheduler_create(d, params, &s->view, 1);
    s->l1d = cache_create(&config, p, policy_params, n_warps, 1);
    cache_observe_some(s->l1d, s->scheduler->l1d_events, stage_tell, s);
    return true;
}

static inline void stage_destroy(struct ccws_stage *s)
{
    scheduler_destroy(s->scheduler);
    cache_destroy(s->l1d);
    arena_destroy(&s->arena);
}

/* It may not be left out any longer. */
static inline void stage_catch_up(struct ccws_stage *s)
{
    if (s->now > s->told_of)
        s->scheduler->desc->advance(s->scheduler, s->now - s->told_of);
    s->told_of = s->now;
}

static inline void stage_start(struct ccws_stage *s, uint32_t warp, uint64_t age)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    stage_catch_up(s);
    s->warps[warp] =
        (struct sched_warp){.live = true, .age = age, .uid = s->n_started++, .start_cycle = s->now};
    s->view.live |= UINT64_C(1) << warp;
    if (d->on_warp_start)
        d->on_warp_start(s->scheduler, warp, s->now);
}

static inline void stage_end(struct ccws_stage *s, uint32_t warp)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    stage_catch_up(s);
    s->warps[warp].live = false;
    s->view.live &= ~(UINT64_C(1) << warp);
    if (d->on_warp_end)
        d->on_warp_end(s->scheduler, warp, s->now);
}

static inline void stage_advance(struct ccws_stage *s, uint64_t dt)
{
    s->now += dt;
    if (!s->is_lazy || s->now >= s->scheduler->hold.until)
        stage_catch_up(s);
}

/* Every second instruction issues by pick_and_issue(), which runs without observers use. */
static inline void stage_issue(struct ccws_stage *s, uint32_t warp)
{
    const struct scheduler_desc *d = s->scheduler->desc;
    if (s->n_issued++ % 2)
        assert_int_equal(d->pick_and_issue(s->scheduler, 0, UINT64_C(1) << warp, s->now), warp);
    else
        d->on_issue(s->scheduler, 0, warp, ISSUE_LOAD, 1, s->now);
}

static inline struct mem_access stage_access(struct ccws_stage *s, uint32_t warp, uint64_t line,
                                             enum mem_kind kind)
{
    struct mem_access a = {.id = s->n_accesses++,
                           .cycle = s->now,
                           .warp_slot = warp,
                           .warp_uid = s->warps[warp].uid,
                           .warp_age = s->warps[warp].age,
                           .address = line,
                           .line = line,
                           .sector_mask = 1,
                           .kind = kind};
    a.set = cache_set_of(s->l1d, line);
    return a;
}

static inline struct cache_result stage_load(struct ccws_stage *s, const struct mem_access *a)
{
    return cache_load(s->l1d, a, (struct cache_resources){true, true, true}, NULL);
}

static inline void stage_fill(struct ccws_stage *s, uint32_t mshr)
{
    cache_fill(s->l1d, mshr, s->now);
}

static inline void stage_store(struct ccws_stage *s, const struct mem_access *a)
{
    cache_store(s->l1d, a, (struct cache_resources){true, true, true}, NULL);
}

/* Live warps that may not issue an instruction of that class. Runs go by the hold. */
static inline uint64_t stage_blocked(const struct ccws_stage *s, enum issue_class class)
{
    const struct sched_hold *hold = &s->scheduler->hold;
    uint64_t held = hold->all | (class == ISSUE_LOAD ? hold->loads : 0),
             blocked = ~s->scheduler->desc->may_issue(s->scheduler, class);
    assert_int_equal(s->view.live & held, s->view.live & blocked);
    return s->view.live & blocked;
}

#endif
