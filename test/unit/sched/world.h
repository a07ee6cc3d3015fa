/* Random traffic for schedulers: CTAs that start, warps that stall, wake, wait at barriers and end,
 * without any sense but within the contract of scheduler.h. What happened is kept in a log, so that
 * references can work out from it what a rule says. */
#ifndef HEDDLE_TEST_SCHED_WORLD_H
#define HEDDLE_TEST_SCHED_WORLD_H

#include "sched/scheduler.h"
#include "unit/random_bits.h"

enum { WORLD_MAX_EVENTS = 20000, WORLD_CTA_SLOTS = 32 };

enum world_event_kind { EV_CTA_START, EV_END, EV_STALL, EV_WAKE, EV_ARRIVE, EV_RELEASE, EV_ISSUE };

struct world_event {
    enum world_event_kind kind;
    uint32_t slot, warp; /* slot of ISSUE; cta slot of CTA_START */
    uint64_t uid;        /* of the warp */
    uint64_t warps;      /* CTA_START, RELEASE: which; END: those that still live */
    enum stall_cause cause;
};

struct world {
    uint64_t random;
    struct sched_view view;
    struct sched_warp warps[SCHED_MAX_WARPS];
    uint64_t stalled, stalled_briefly; /* the second: neither by memory nor by other warps */
    uint64_t now, n_started;
    uint64_t touched; /* warps that had their event of this cycle */
    struct world_event log[WORLD_MAX_EVENTS];
    uint32_t n_log;
};

/* Any number will do, if it is the same until the warp's next event. */
static inline int64_t world_criticality(const struct criticality *world, uint32_t warp,
                                        uint64_t now)
{
    (void)now;
    return (int64_t)(((const struct world *)(const void *)world)->warps[warp].uid * 7919 % 13);
}

static inline void world_init(struct world *w, uint64_t seed, uint32_t n_warps, uint32_t n_slots)
{
    *w = (struct world){.random = seed};
    w->view = (struct sched_view){.n_warps = n_warps,
                                  .n_slots = n_slots,
                                  .warps = w->warps,
                                  .l1d_line_bytes = 128,
                                  .provider = (const struct criticality *)(const void *)w,
                                  .criticality_of = world_criticality,
                                  .criticality_is_fixed = seed % 2 == 0};
}

static inline uint32_t world_random(struct world *w, uint32_t below)
{
    return (uint32_t)(random_u64(&w->random) % below);
}

static inline void world_log(struct world *w, struct world_event e)
{
    e.uid = w->warps[e.warp].uid;
    w->log[w->n_log++] = e;
}

static inline uint64_t world_cta(const struct world *w, uint32_t cta_slot)
{
    uint64_t warps = 0;
    for (uint32_t i = 0; i < w->view.n_warps; i++)
        if (w->warps[i].live && w->warps[i].cta_slot == cta_slot)
            warps |= UINT64_C(1) << i;
    return warps;
}

/* Starts a CTA of up to 6 warps in random free slots, if there are enough. */
static inline void world_start_cta(struct world *w)
{
    uint32_t cta_slot = world_random(w, WORLD_CTA_SLOTS), wanted = 1 + world_random(w, 6), n = 0;
    struct world_event e = {.kind = EV_CTA_START, .slot = cta_slot};
    if (world_cta(w, cta_slot))
        return;
    for (uint32_t i = 0; i < w->view.n_warps && n < wanted; i++) {
        uint64_t bit = UINT64_C(1) << i;
        if ((w->view.live | w->touched) & bit || world_random(w, 3) == 0)
            continue;
        w->warps[i] = (struct sched_warp){.live = true,
                                          .age = w->n_started,
                                          .uid = w->n_started,
                                          .cta_slot = cta_slot,
                                          .warp_in_cta = n++,
                                          .start_cycle = w->now};
        w->n_started++;
        w->view.live |= bit;
        w->stalled &= ~bit;
        w->stalled_briefly &= ~bit;
        e.warps |= bit;
        e.warp = i;
    }
    w->touched |= e.warps;
    if (e.warps)
        world_log(w, e);
}

static inline void world_end(struct world *w, uint32_t warp)
{
    w->warps[warp].live = w->warps[warp].at_barrier = false;
    w->view.live &= ~(UINT64_C(1) << warp);
    world_log(w, (struct world_event){.kind = EV_END, .warp = warp, .warps = w->view.live});
}

static inline void world_release(struct world *w, uint32_t warp)
{
    uint64_t waiting = 0;
    for (uint64_t rest = world_cta(w, w->warps[warp].cta_slot); rest; rest &= rest - 1) {
        struct sched_warp *member = &w->warps[__builtin_ctzll(rest)];
        waiting |= member->at_barrier ? rest & -rest : 0;
        member->at_barrier = false;
    }
    w->stalled &= ~waiting;
    w->touched |= waiting;
    world_log(w, (struct world_event){.kind = EV_RELEASE, .warp = warp, .warps = waiting});
}

/* Something random happens to a live warp. */
static inline void world_disturb(struct world *w, uint32_t warp)
{
    uint64_t bit = UINT64_C(1) << warp;
    uint32_t what = world_random(w, 40);
    if (w->warps[warp].at_barrier) {
        if (what < 4)
            world_release(w, warp);
    } else if (what == 0) {
        world_end(w, warp);
    } else if (what == 1 && !(w->stalled & bit)) {
        w->warps[warp].at_barrier = true;
        w->stalled |= bit;
        world_log(w, (struct world_event){.kind = EV_ARRIVE, .warp = warp});
    } else if (what < 12) {
        static const enum stall_cause causes[] = {STALLED_FETCH,  STALLED_BRANCH, STALLED_DATA,
                                                  STALLED_MEMORY, STALLED_MEMORY, STALLED_MEMORY,
                                                  STALLED_UNIT,   STALLED_FENCE};
        enum stall_cause cause = causes[world_random(w, 8)];
        bool is_brief = cause != STALLED_MEMORY && cause != STALLED_FENCE;
        w->stalled |= bit;
        w->stalled_briefly = (w->stalled_briefly & ~bit) | (is_brief ? bit : 0);
        world_log(w, (struct world_event){.kind = EV_STALL, .warp = warp, .cause = cause});
    } else if (w->stalled & bit && what < 20) {
        w->stalled &= ~bit;
        w->stalled_briefly &= ~bit;
        world_log(w, (struct world_event){.kind = EV_WAKE, .warp = warp});
    }
    w->touched |= bit;
}

/* A cycle's events, at most one for each warp. False when the log is nearly full. */
static inline bool world_step(struct world *w)
{
    w->now += 1 + world_random(w, 3);
    w->touched = 0;
    if (world_random(w, 4) == 0)
        world_start_cta(w);
    for (uint32_t i = 0; i < w->view.n_warps; i++)
        if (w->view.live & ~w->touched & UINT64_C(1) << i)
            world_disturb(w, i);
    return w->n_log + 4 * SCHED_MAX_WARPS < WORLD_MAX_EVENTS;
}

static inline void world_issue(struct world *w, uint32_t slot, uint32_t warp)
{
    world_log(w, (struct world_event){.kind = EV_ISSUE, .slot = slot, .warp = warp});
}

/* Sends one event of the log to a scheduler. */
static inline void world_tell(const struct world *w, const struct world_event *e,
                              struct scheduler *s)
{
    const struct scheduler_desc *d = s->desc;
    uint64_t rest = e->warps;
    switch (e->kind) {
    case EV_CTA_START:
        if (d->on_cta_start)
            d->on_cta_start(s, e->slot, w->now);
        for (; d->on_warp_start && rest; rest &= rest - 1)
            d->on_warp_start(s, (uint32_t)__builtin_ctzll(rest), w->now);
        break;
    case EV_END:
        if (d->on_warp_end)
            d->on_warp_end(s, e->warp, w->now);
        break;
    case EV_STALL:
        if (d->on_stall)
            d->on_stall(s, e->warp, e->cause, w->now);
        break;
    case EV_WAKE:
        if (d->on_wake)
            d->on_wake(s, e->warp, w->now);
        break;
    case EV_ARRIVE:
        if (d->on_barrier_arrive)
            d->on_barrier_arrive(s, e->warp, w->now);
        if (d->on_stall)
            d->on_stall(s, e->warp, STALLED_BARRIER, w->now);
        break;
    case EV_RELEASE:
        if (d->on_barrier_release)
            d->on_barrier_release(s, e->warps, w->now);
        for (; d->on_wake && rest; rest &= rest - 1)
            d->on_wake(s, (uint32_t)__builtin_ctzll(rest), w->now);
        break;
    case EV_ISSUE:
        if (d->on_issue)
            d->on_issue(s, e->slot, e->warp, ISSUE_ALU, 0, w->now);
        break;
    }
}

/* Warps of an issue slot that could issue if the scheduler let them: awake ones. */
static inline uint64_t world_awake(const struct world *w, uint32_t slot)
{
    uint64_t warps = 0;
    for (uint32_t i = slot; i < w->view.n_warps; i += w->view.n_slots)
        warps |= UINT64_C(1) << i;
    return warps & w->view.live & ~w->stalled;
}

#endif
