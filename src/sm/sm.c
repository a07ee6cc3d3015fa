#include "sm/sm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cache/late.h"
#include "cache/simple.h"
#include "emu/barrier.h"
#include "emu/run.h"
#include "sm/issue.h"

/* --- CTAs --- */

static uint32_t free_cta_slot(const struct sm *sm)
{
    uint32_t i = 0;
    while (sm->cta_warps[i])
        i++;
    return i;
}

static void start_warp(struct sm *sm, struct emu_cta *cta, uint32_t cta_slot, uint32_t warp,
                       uint64_t now)
{
    uint32_t slot = (uint32_t)__builtin_ctzll(~sm->view.live);
    struct sm_warp *w = &sm->warps[slot];
    struct scoreboard scoreboard = {.wide_pending = w->scoreboard.wide_pending,
                                    .wide_memory = w->scoreboard.wide_memory};
    if (sm->pending_words > 1) { /* otherwise nobody looks there */
        memset(scoreboard.wide_pending, 0, sm->pending_words * sizeof *scoreboard.wide_pending);
        memset(scoreboard.wide_memory, 0, sm->pending_words * sizeof *scoreboard.wide_memory);
    }
    *w = (struct sm_warp){.emu = &cta->warps[warp],
                          .next = &sm->timing[cta->warps[warp].pc],
                          .bit = 1ull << slot,
                          .slot = slot,
                          .cta_slot = cta_slot,
                          .atomic_lines = sm->atomic_store[slot],
                          .result_at = sm->result_store[slot],
                          .core = &sm->cores[slot % sm->n_cores],
                          .bank_turn = (uint8_t)(slot / sm->n_cores),
                          .kind = w->kind,
                          .scoreboard = scoreboard};
    sm->sched_warps[slot] = (struct sched_warp){.live = true,
                                                .age = sm->next_age,
                                                .uid = sm->next_age,
                                                .cta = cta->number,
                                                .launch = sm->launch,
                                                .cta_slot = cta_slot,
                                                .warp_in_cta = warp,
                                                .start_cycle = now};
    sm->next_age++;
    sm->view.live |= 1ull << slot;
    if (sm->criticality->desc->on_warp_start)
        sm->criticality->desc->on_warp_start(sm->criticality, slot, now);
    if (sm->sched->on_warp_start)
        sm->sched->on_warp_start(sm->scheduler, slot, now);
    if (sm->attribution)
        attribution_start(sm, slot, now);
    sm_refresh(sm, slot, now);
}

static void start_cta(struct sm *sm, uint64_t number, uint64_t now)
{
    uint32_t cta_slot = free_cta_slot(sm);
    struct emu_cta *cta = &sm->ctas[cta_slot];
    cta_start(&sm->emu, cta, number);
    if (sm->emu.tracer)
        sm->emu.tracer->cta_begins(&sm->emu, cta);
    if (!sm->n_resident++)
        sm->active_since = now;
    sm->was_busy = true;
    sm->cta_warps[cta_slot] = cta->n_warps;
    if (sm->sched->on_cta_start)
        sm->sched->on_cta_start(sm->scheduler, cta_slot, now);
    for (uint32_t i = 0; i < cta->n_warps; i++)
        start_warp(sm, cta, cta_slot, i, now);
}

static void end_cta(struct sm *sm, uint32_t cta_slot, uint64_t now)
{
    if (sm->sched->on_cta_end)
        sm->sched->on_cta_end(sm->scheduler, cta_slot, now);
    if (sm->emu.tracer)
        sm->emu.tracer->cta_ends(&sm->emu, &sm->ctas[cta_slot]);
    sm->run_stats.ctas++;
    if (!--sm->n_resident)
        sm->stats.active_cycles += now + 1 - sm->active_since;
    sim_time t = now * sm->clock->period;
    shard_send(&sm->shard, t,
               (struct message){
                   .at = t + sm->dispatch_latency, .to = sm->dispatcher, .kind = MSG_CTA_DONE});
}

void sm_warp_done(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct sm_warp *w = &sm->warps[slot];
    struct emu_cta *cta = w->emu->cta;
    uint32_t cta_slot = w->cta_slot;
    sm->run_stats.warps++;
    sm->stats.warp_cycles += now + 1 - sm->sched_warps[slot].start_cycle;
    if (sm->attribution)
        attribution_end(sm, slot, now);
    sm->view.live &= ~(1ull << slot);
    sm->sched_warps[slot].live = false;
    if (sm->criticality->desc->on_warp_end)
        sm->criticality->desc->on_warp_end(sm->criticality, slot, now);
    if (sm->sched->on_warp_end)
        sm->sched->on_warp_end(sm->scheduler, slot, now);
    w->emu = NULL;
    sm_refresh(sm, slot, now);
    cta->n_live--;
    if (cta->n_arrived) {
        barrier_warp_done(cta);
        sm_barriers_changed(sm, cta_slot, now);
    }
    if (!--sm->cta_warps[cta_slot])
        end_cta(sm, cta_slot, now);
}

/* --- one cycle --- */

static void plan(struct sm *sm, uint64_t cycle)
{
    if (cycle < sm->planned)
        sm->planned = cycle;
}

/* There is always room: whoever asked has kept a place. */
static inline __attribute__((always_inline)) void take_reply(struct sm *sm, const struct message *m,
                                                             sim_time t)
{
    uint64_t at = sm_cycle_at(sm, rx_pass(&sm->down, t, m));
    sm_await_reply(sm, m->body, at);
}

static inline void take_back(struct sm *sm, struct mem_request *r)
{
    sm->requests_out--;
    sm_free_request(sm, r);
}

/* Many messages change nothing in the cycle in which they come: a reply is of use only when its
 * last flit is through the port. So each says when the SM has to look. */
static void take_message(struct sm *sm, const struct message *m, uint64_t now)
{
    sim_time t = now * sm->clock->period;
    switch (m->kind) {
    case MSG_REPLY:
        take_reply(sm, m, t);
        plan(sm, sm->replies.due);
        break;
    case MSG_FREE:
        take_back(sm, m->body);
        break;
    default: /* MSG_CTA_START */
        plan(sm, now);
        start_cta(sm, (uint64_t)(uintptr_t)m->body, now);
    }
}

/* The cycle in which it is taken. */
static uint64_t message_cycle(const struct sm *sm, const struct message *m)
{
    uint64_t cycle = sm_cycle_at(sm, m->at);
    return cycle > sm->cycle ? cycle : sm->cycle;
}

/* Replies that begin cycles of the SM, up to a message that is none: mostly that is all there is.
 */
static inline const struct message *take_replies(struct sm *sm, const struct message *m,
                                                 sim_time until)
{
    for (; m->at < until && m->kind == MSG_REPLY; m++)
        take_reply(sm, m, m->at);
    return m;
}

/* Those of the quantum are all here when it begins. What only takes its way through the port, or
 * gives a request back, need not wait for its cycle; a CTA does. */
static inline void take_messages_ahead(struct sm *sm, sim_time until)
{
    const struct message *first = sm->shard.inbox.first, *m = first;
    if (m->at >= until)
        return;
    sim_time now = sm->cycle * sm->period.divisor;
    if (sm->down_in_step && (m = take_replies(sm, m, until)) != first) {
        assert(first->at >= now);
        now = m[-1].at;
    }
    for (; m->at < until && m->kind != MSG_CTA_START; m++) {
        sim_time t = sm_cycle_at(sm, m->at) * sm->period.divisor;
        now = t > now ? t : now;
        if (m->kind == MSG_REPLY)
            take_reply(sm, m, now);
        else /* MSG_FREE: when L2 has done with it, not through the network */
            take_back(sm, m->body);
    }
    if (m == first)
        return;
    shard_take_until(&sm->shard, m);
    sm->last_event = now;
    plan(sm, sm->replies.due);
}

static void take_messages(struct sm *sm, uint64_t now)
{
    const struct message *m;
    while ((m = shard_peek(&sm->shard, now * sm->clock->period + 1))) {
        struct message copy = *m;
        shard_take(&sm->shard);
        sm->last_event = now * sm->clock->period;
        take_message(sm, &copy, now);
    }
}

static inline void finish_due(struct sm *sm, uint64_t now)
{
    if (sm->replies.due <= now)
        sm_finish_replies(sm, now);
    if (sm->wheel.due <= now)
        sm_finish_events(sm, now);
    if (sm->fetched)
        sm_take_fetched(sm, now);
}

static bool sm_has_replies(const struct sm *sm)
{
    return sm->replies.first != sm->replies.end;
}

static bool sm_is_idle(const struct shard *s)
{
    const struct sm *sm = (const struct sm *)s;
    return !sm->n_resident && !sm->requests_out && !sm->miss_n && !sm->ldst_n &&
           !sm_has_replies(sm) && wheel_is_empty(&sm->wheel);
}

/* Remembers when the SM, which has no CTA, came to rest: the same cycle in both engines. */
static __attribute__((noinline)) void note_rest(struct sm *sm, uint64_t now)
{
    bool idle = sm_is_idle(&sm->shard);
    sim_time t = now * sm->clock->period;
    if (idle && sm->was_busy && t > sm->last_event) /* a message may have been taken ahead */
        sm->last_event = t;
    sm->was_busy = !idle;
}

/* Every part, every cycle; no mask is trusted. */
static void tick_plainly(struct sm *sm, uint64_t now)
{
    finish_due(sm, now);
    for (uint64_t live = sm->view.live; live; live &= live - 1)
        sm_refresh(sm, (uint32_t)__builtin_ctzll(live), now);
    sm_drain_miss_queue(sm, now);
    ldst_step(sm, now, now + 1);
    sm_issue(sm, now);
    sm_fetch_plainly(sm, now);
}

static inline bool fetches(const struct sm *sm)
{
    return sm->can_fetch && !sm->fetch_stalled;
}

/* The same, without the parts that would do nothing. */
static void tick(struct sm *sm, uint64_t now)
{
    finish_due(sm, now);
    if (sm->drain_due <= now)
        sm_drain_miss_queue(sm, now);
    if (sm->ldst_due <= now || (sm->ldst_stalled && sm->answers_drift))
        ldst_step(sm, now, now + 1);
    if (sm->issue_due <= now || sm->issue_drifts || sm->attribution)
        sm_issue(sm, now);
    if (fetches(sm))
        sm_fetch(sm, now);
    if (sm->drain_due <= now + 1 && sm_looks_ahead(sm))
        sm_drain_ahead(sm, now + 1);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Can only a message change anything? The plain engine asks nothing else, to see a deadlock. */
static bool only_waits(const struct sm *sm)
{
    return !sm->can_issue && !sm->can_fetch && !sm->fetched && !sm->ldst_n && !sm->miss_n &&
           !sm_has_replies(sm) && wheel_is_empty(&sm->wheel);
}

/* The next cycle in which something is due; nothing is fetched or has been. */
static inline uint64_t next_due(const struct sm *sm, uint64_t now)
{
    uint64_t next = min_u64(sm->issue_due, min_u64(sm->ldst_due, sm->drain_due));
    next = min_u64(next, min_u64(sm->wheel.due, sm->replies.due));
    return next > now ? next : now + 1;
}

/* The next cycle in which something can happen without a message. */
static inline uint64_t next_cycle(const struct sm *sm, uint64_t now)
{
    if (sm->fetched || fetches(sm) || sm->issue_due <= now + 1)
        return now + 1; /* no need to look further */
    return next_due(sm, now);
}

static bool has_fault(const struct sm *sm)
{
    return sm->emu.fault.kind != FAULT_NONE;
}

static uint64_t next_cycle_plainly(const struct sm *sm, uint64_t now)
{
    return only_waits(sm) ? UINT64_MAX : now + 1;
}

/* One cycle, messages apart. */
static void do_cycle(struct sm *sm, uint64_t now)
{
    if (sm->attribution)
        attribution_catch_up(sm, now);
    if (sm->every_cycle) {
        tick_plainly(sm, now);
        sm->planned = next_cycle_plainly(sm, now);
    } else if (sm->planned <= now) {
        tick(sm, now);
        sm->planned = next_cycle(sm, now);
    }
    if (has_fault(sm))
        sm->planned = UINT64_MAX;
    if (!sm->n_resident)
        note_rest(sm, now);
    sm->cycle = now + 1;
}

/* The next cycle with something to do: what was planned for one that is over comes now. */
static uint64_t planned_cycle(const struct sm *sm)
{
    return sm->planned > sm->cycle ? sm->planned : sm->cycle;
}

/* The first half of tick() where all parts go by their dues, from `now` on and before `end`.
 * Returns the cycle that is still to be ended; `end` if all that it did are. */
static inline __attribute__((always_inline)) uint64_t begin_by_dues(struct sm *sm, uint64_t now,
                                                                    uint64_t end)
{
    if (sm->replies.due <= now) {
        enum refill done = sm->awaits_refill ? sm_refill(sm, now, end) : REFILL_NOT;
        if (done != REFILL_NOT)
            return done == REFILL_ALL ? end : sm->cycle - 1;
        sm_finish_replies(sm, now);
    }
    if (sm->wheel.due <= now) {
        if (wheel_only_wakes(&sm->wheel, now)) {
            wake_warps(sm, now);
            sm->wheel.due = wheel_next(&sm->wheel, now + 1);
        } else {
            sm_finish_events(sm, now);
        }
    }
    if (sm->fetched)
        sm_take_fetched(sm, now);
    if (sm->drain_due <= now)
        sm_drain_miss_queue(sm, now);
    return sm->ldst_due <= now ? ldst_step(sm, now, end) : now;
}

/* The second half. Returns the next cycle with something to do. */
static inline __attribute__((always_inline)) uint64_t end_by_dues(struct sm *sm, uint64_t now)
{
    bool idles = true; /* so that nothing is fetched either, nor will be */
    if (sm->issue_due <= now) {
        issue(sm, now, BY_PLAN); /* as it looks ahead */
        idles = false;
    }
    if (fetches(sm)) {
        sm_fetch(sm, now);
        idles = false;
    }
    if (sm->drain_due <= now + 1) {
        sm_drain_ahead(sm, now + 1); /* a fetch may have waited for that */
        idles = false;
    }
    if (!sm->n_resident)
        note_rest(sm, now);
    sm->cycle = now + 1;
    if (idles)
        return next_due(sm, now);
    return has_fault(sm) ? UINT64_MAX : next_cycle(sm, now);
}

static inline void do_cycles_by_dues(struct sm *sm, uint64_t end)
{
    uint64_t now = planned_cycle(sm);
    while (now < end) {
        now = begin_by_dues(sm, now, end);
        now = now < end ? end_by_dues(sm, now) : planned_cycle(sm);
    }
    sm->planned = now;
}

/* The cycles before `end`, in which no message comes. */
static inline void do_cycles_before(struct sm *sm, uint64_t end)
{
    if (sm->goes_by_dues) {
        do_cycles_by_dues(sm, end);
        return;
    }
    uint64_t now;
    while ((now = planned_cycle(sm)) < end)
        do_cycle(sm, now);
}

/* One in which a message comes: not often, as most are taken ahead. */
static __attribute__((noinline)) void do_cycle_with_mail(struct sm *sm, uint64_t now)
{
    if (sm->attribution)
        attribution_catch_up(sm, now);
    take_messages(sm, now);
    do_cycle(sm, now);
}

/* Credits that something waited for will be back. */
static void see_credits(struct sm *sm)
{
    if (sm->shard.credit_at == TIME_NEVER)
        return;
    uint64_t at = sm_cycle_at(sm, sm->shard.credit_at);
    sm->drain_due = min_u64(sm->drain_due, sm->miss_n ? at : UINT64_MAX);
    if (sm->ldst_stalled && (sm->ldst_cause == STALL_PORT || sm->answers_drift))
        sm->ldst_due = min_u64(sm->ldst_due, at);
    plan(sm, min_u64(sm->drain_due, sm->ldst_due));
}

/* The cycle of the next message that has to be taken in its own; `end`, that of `until`, if there
 * is none before. */
static inline uint64_t next_mail(struct sm *sm, sim_time until, uint64_t end)
{
    if (has_fault(sm))
        return end;
    if (sm_looks_ahead(sm))
        take_messages_ahead(sm, until);
    const struct message *m = shard_peek(&sm->shard, until);
    return m ? min_u64(message_cycle(sm, m), end) : end;
}

static void sm_advance(struct shard *s, sim_time until)
{
    struct sm *sm = (struct sm *)s;
    uint64_t end = sm_cycle_at(sm, until), mail;
    sm->end = end;
    see_credits(sm);
    do {
        mail = next_mail(sm, until, end);
        do_cycles_before(sm, mail);
        if (mail < end)
            do_cycle_with_mail(sm, mail);
    } while (mail < end);
    uint64_t next = planned_cycle(sm);
    s->next = next == UINT64_MAX ? TIME_NEVER : next * sm->period.divisor;
    if (has_fault(sm))
        shard_fail(s);
    if (sm->overlay.n | sm->printed.len | sm->heap.n | (uintptr_t)sm->emu.tracer)
        shard_await_boundary(s);
}

static const struct shard_ops sm_ops = {"sm", sm_advance, sm_is_idle, sm_describe_wait};

/* --- set-up --- */

static void observe_l1d(void *user, const struct cache_event_info *e)
{
    struct sm *sm = user;
    sm->sched->on_l1d(sm->scheduler, e);
}

static void create_caches(struct sm *sm, const struct sm_setup *setup)
{
    const struct cache_policy_desc *lru = cache_policy_find("lru");
    sm->l1d = cache_create(&setup->config->l1d, setup->l1d_policy, setup->l1d_params,
                           setup->n_warps, setup->seed);
    sm->l1i = cache_create(&setup->config->l1i, lru, NULL, 0, 0);
    sm->l1c = cache_create(&setup->config->l1c, lru, NULL, 0, 0);
    if (sm->sched->on_l1d)
        cache_observe(sm->l1d, observe_l1d, sm);
    sm->may_bypass = setup->l1d_policy != lru;
    sm->queue_is_deep = setup->config->miss_queue > 2 * (setup->config->fetch_warps + 2);
    sm->l1d_counts_insts = setup->l1d_policy->on_insts != NULL;
}

static bool criticality_drifts(const struct criticality_desc *c)
{
    return c->on_issue || c->on_commit || c->on_branch || c->on_warp_start || c->on_warp_end;
}

static void create_cores(struct sm *sm)
{
    const struct sm_config *c = sm->config;
    sm->n_cores = c->sub_cores ? c->n_schedulers : 1;
    for (uint32_t i = 0; i < sm->n_cores; i++) {
        banks_init(&sm->cores[i].banks, c->register_banks);
        for (uint32_t u = 0; u < N_ARITHMETIC_UNITS; u++) {
            struct arithmetic_unit *unit = &sm->cores[i].unit_store[u];
            unit->units = free_times_of(c->n_units[u]);
            unit->collectors = free_times_of(c->collectors[u]);
            sm->cores[i].units[u] = unit;
        }
    }
    for (uint32_t s = 0; s < c->n_schedulers; s++)
        sm->core_of[s] = &sm->cores[s % sm->n_cores];
    for (uint32_t s = 0; s < sm->n_warps; s++) {
        sm->slot_mask[s % c->n_schedulers] |= 1ull << s;
        sm->cores[s % sm->n_cores].warps |= 1ull << s;
    }
    sm->by_unit[0] = sm->by_class[0] = ~0ull; /* as the warps, zeroed, have it */
}

void sm_create(struct sm *sm, const struct sm_setup *setup)
{
    const struct sm_config *c = setup->config;
    memset(sm, 0, sizeof *sm);
    sm->shard = (struct shard){
        .ops = &sm_ops, .id = setup->shard_id, .next = TIME_NEVER, .tick = setup->clock->period};
    sm->config = c;
    sm->clock = setup->clock;
    sm_plan_routes(sm, setup->map);
    sm->period = divider_make(setup->clock->period);
    sm->down_in_step = setup->noc_clock->period % setup->clock->period == 0;
    sm->noc = setup->noc;
    sm->header_flits = noc_flits(setup->noc, 0);
    sm->line_segments = all_segments(c->l1d.line_bytes);
    sm->describes_loads = !setup->l2_is_lru || setup->every_cycle;
    sm->index = setup->index;
    sm->first_partition = setup->first_partition;
    sm->dispatcher = setup->dispatcher;
    sm->dispatch_latency = setup->dispatch_latency;
    sm->visibility = setup->visibility;
    sm->way_to_l2 = setup->way_to_l2;
    sm->every_cycle = setup->every_cycle;
    sm->n_warps = setup->n_warps;
    sm->n_cta_slots = setup->n_cta_slots;
    sm->ctas = xcalloc(setup->n_cta_slots, sizeof *sm->ctas);
    sm->ldst = xcalloc(c->ldst_queue, sizeof *sm->ldst);
    sm->miss_queue = xcalloc(sm_miss_queue_places(sm), sizeof *sm->miss_queue);
    sm->bypass = xcalloc(c->bypass_slots + 1, sizeof *sm->bypass);
    tx_init(&sm->up, NET_UP, &sm->shard, setup->noc_clock, setup->noc,
            setup->noc->flits_per_cycle_up, setup->first_partition, setup->map->n_partitions);
    rx_init(&sm->down, NET_DOWN, &sm->shard, setup->noc_clock, setup->noc,
            setup->noc->flits_per_cycle_down);
    overlay_init(&sm->overlay);
    sm->view = (struct sched_view){.n_warps = setup->n_warps,
                                   .n_slots = c->n_schedulers,
                                   .warps = sm->sched_warps,
                                   .l1d_line_bytes = c->l1d.line_bytes};
    sm->scheduler =
        scheduler_create(setup->scheduler, setup->scheduler_params, &sm->view, setup->seed);
    sm->sched = setup->scheduler;
    sm->pick_and_issue = setup->every_cycle ? NULL : setup->scheduler->pick_and_issue;
    sm->criticality = criticality_create(setup->criticality, setup->criticality_params,
                                         setup->criticality_input, &sm->view);
    sm->criticality_counts = setup->criticality != criticality_find("none");
    sm->view.provider = sm->criticality;
    sm->view.criticality_of = sm->criticality->desc->value;
    wheel_init(&sm->wheel);
    sm->replies.due = UINT64_MAX;
    sm_make_room_for_replies(&sm->replies);
    create_cores(sm);
    create_caches(sm, setup);
    sm->answers_drift =
        cache_answers_drift(setup->l1d_policy) || criticality_drifts(sm->criticality->desc);
    sm->loads_are_plain = !sm->may_bypass && !sm->criticality_counts && !sm->answers_drift;
    sm->planned = UINT64_MAX;
    sm->issue_due = sm->ldst_due = sm->drain_due = UINT64_MAX;
    const struct scheduler_desc *d = setup->scheduler;
    sm->issue_drifts = d->may_issue || d->advance || d->next_change;
    const struct criticality_desc *crit = sm->criticality->desc;
    sm->tells_stalls = d->on_wake || d->on_stall;
    sm->tells_commits = d->on_commit || crit->on_commit;
    sm->tells_branches = d->on_branch || crit->on_branch;
    sm->tells_criticality = crit->on_issue;
    sm->wants_lanes = sm->tells_branches || sm->l1d_counts_insts;
}

void sm_watch_l1d(struct sm *sm, struct sm_l1d_watcher w)
{
    assert(sm->n_l1d_watchers < SM_MAX_L1D_WATCHERS);
    sm->l1d_watchers[sm->n_l1d_watchers++] = w;
    sm->wants_lanes = true;
}

void sm_destroy(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->n_cta_slots; i++)
        cta_destroy(&sm->ctas[i]);
    free(sm->ctas);
    free(sm->ldst);
    free(sm->miss_queue);
    free(sm->replies.items);
    free(sm->bypass);
    free(sm->pending_store);
    free(sm->bank_of);
    free(sm->ranges);
    tx_destroy(&sm->up);
    rx_destroy(&sm->down);
    overlay_destroy(&sm->overlay);
    scheduler_destroy(sm->scheduler);
    criticality_destroy(sm->criticality);
    attribution_destroy(sm->attribution);
    cache_destroy(sm->l1d);
    cache_destroy(sm->l1i);
    cache_destroy(sm->l1c);
    wheel_destroy(&sm->wheel);
    arena_destroy(&sm->pool);
    strbuf_destroy(&sm->emu.fault.text);
    strbuf_destroy(&sm->emu.warning);
    strbuf_destroy(&sm->printed);
    free(sm->heap.items);
}

/* Room for the registers of any function of the program. */
static void size_scoreboards(struct sm *sm, const struct program *p)
{
    sm->pending_words = op_timing_words(p);
    free(sm->pending_store);
    sm->pending_store = xcalloc((size_t)sm->pending_words * 2 * SM_MAX_WARPS, sizeof(uint64_t));
    for (uint32_t s = 0; s < SM_MAX_WARPS; s++) {
        uint64_t *pending = sm->pending_store + (size_t)s * 2 * sm->pending_words;
        sm->warps[s].scoreboard = (struct scoreboard){.wide_pending = pending,
                                                      .wide_memory = pending + sm->pending_words};
    }
    uint32_t n_banks = sm->config->register_banks, n = sm->pending_words * 64 + SM_MAX_WARPS;
    sm->bank_of = xrealloc(sm->bank_of, n);
    for (uint32_t i = 0; i < n; i++)
        sm->bank_of[i] = (uint8_t)(i % n_banks);
}

static void drop_line(void *user, uint64_t line, uint32_t sectors)
{
    (void)user;
    (void)line;
    (void)sectors;
}

static void keep_text(void *user, const char *text, size_t len)
{
    struct sm *sm = user;
    strbuf_add_n(&sm->printed, text, len);
}

void sm_start_kernel(struct sm *sm, const struct emu *emu, const struct op_timing *timing,
                     uint32_t launch, uint32_t l1d_ways, bool flush_l1)
{
    struct strbuf text = sm->emu.fault.text, warning = sm->emu.warning;
    sm->emu = *emu;
    sm->emu.fault = (struct emu_fault){.text = text};
    sm->emu.warning = warning;
    strbuf_clear(&sm->emu.fault.text);
    strbuf_clear(&sm->emu.warning);
    sm->emu.stats = &sm->run_stats;
    sm->emu.print = keep_text;
    sm->emu.print_user = sm;
    sm->ranges = xrealloc(sm->ranges, emu->program->n_ops * sizeof *sm->ranges);
    memset(sm->ranges, 0, emu->program->n_ops * sizeof *sm->ranges);
    sm->emu.ranges = sm->ranges;
    sm->emu.overlay = &sm->overlay;
    sm->emu.heap = &sm->heap;
    sm->emu.smid = sm->index;
    sm->timing = timing;
    sm->launch = launch;
    size_scoreboards(sm, emu->program);
    sm->is_simple = sm->pending_words == 1 && !sm->tells_stalls && !sm->tells_commits;
    sm->issues_simply = sm->is_simple && !sm->wants_lanes && !sm->tells_criticality &&
                        !sm->on_issue && !sm->issue_drifts && !sm->attribution && !emu->tracer &&
                        !sm->config->rotate_schedulers;
    /* Local memory dies with its threads: nothing of it need be written back. */
    cache_resize(sm->l1d, l1d_ways, drop_line, NULL);
    if (flush_l1)
        cache_flush(sm->l1d, drop_line, NULL);
    sm->looks_ahead = !sm->every_cycle && !sm->attribution;
    sm->plans_results = sm->is_simple && sm->looks_ahead;
    sm->goes_by_dues = sm->looks_ahead && !sm->issue_drifts && !sm->answers_drift;
    sm->may_refill = sm_may_refill(sm);
    sm->asks_shortly = sm_may_ask_shortly(sm);
    sm->l1d_is_late = cache_is_late(sm->l1d);
    sm->l1d_is_simple = cache_is_simple(sm->l1d);
    struct cache_policy *policy = cache_get_policy(sm->l1d);
    if (policy->desc->on_kernel_start)
        policy->desc->on_kernel_start(policy, launch);
}
