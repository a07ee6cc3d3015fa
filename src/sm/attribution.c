/* Where the cycles of warps go: their accounts from start to end, and their listeners. */
#include <stdlib.h>
#include <string.h>

#include "sm/attribution_account.h"

const char *const latency_unit_titles[N_UNITS] = {[UNIT_SP] = "SP units",
                                                  [UNIT_INT] = "integer units",
                                                  [UNIT_FP64] = "FP64 units",
                                                  [UNIT_SFU] = "SFUs",
                                                  [UNIT_LDST] = "load/store"};

/* --- warps --- */

void attribution_issued(struct sm *sm, uint32_t slot, uint32_t pc)
{
    struct attribution *a = sm->attribution;
    const struct op_info *info = &sm->emu.program->info[pc];
    a->accounts[slot].has_issued = true;
    a->accounts[slot].issued_pc = pc;
    if (sm->timing[pc].kind.unit != UNIT_LDST || !info->n_writes)
        return;
    const struct ldst_op *l =
        &sm->ldst.ops[(sm->ldst.head + sm->ldst.n - 1) % sm->config->ldst_queue];
    struct pending_load load = {.record = l->record, .pc = pc, .number = ++a->n_loads};
    for (uint32_t i = info->n_reads; i < (uint32_t)info->n_reads + info->n_writes; i++)
        a->loads[(size_t)slot * a->n_registers + info->regs[i]] = load;
}

static void resize_loads(struct sm *sm)
{
    struct attribution *a = sm->attribution;
    uint32_t n = sm->operands.pending_words * 64;
    if (a->n_registers == n)
        return;
    free(a->loads);
    a->loads = xcalloc((size_t)n * SM_MAX_WARPS, sizeof *a->loads);
    a->n_registers = n;
}

void attribution_start(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct attribution *a = sm->attribution;
    resize_loads(sm);
    memset(a->loads + (size_t)slot * a->n_registers, 0, a->n_registers * sizeof *a->loads);
    a->accounts[slot] = (struct account){.next = now};
    pace_start(a->pace, &sm->view, slot, sm->view.criticality_of(sm->criticality, slot, now));
    for (uint32_t i = 0; i < a->n_listeners; i++)
        if (a->listeners[i].on_warp_start)
            a->listeners[i].on_warp_start(a->listeners[i].user, slot, now);
}

/* The sums, and whether they add up. */
static void take_account(struct attribution *a, const struct warp_latency *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N_LATENCIES; i++) {
        sum += w->cycles[i];
        a->stats.cycles[i] += w->cycles[i];
    }
    a->stats.warps++;
    a->stats.cut += w->is_cut;
    a->stats.twice += w->twice;
    a->stats.broken += sum != w->end - w->start + w->twice;
}

/* Algorithm 2 as printed: each visit adds another cycle to Scheduling. Every cycle is either a
 * visit or Scheduling already. */
static void count_as_printed(struct warp_latency *w)
{
    w->twice = w->end - w->start - w->cycles[LATENCY_SCHEDULING];
    w->cycles[LATENCY_SCHEDULING] += w->twice;
}

/* The warp's account ends before cycle `end`. */
static struct warp_latency close_account(struct sm *sm, uint32_t slot, uint64_t end)
{
    struct attribution *a = sm->attribution;
    const struct sched_warp *s = &sm->sched_warps[slot];
    attribution_leave_queue(sm, a->queued & 1ull << slot, end);
    attribution_add(sm, slot, LATENCY_SCHEDULING, end);
    attribution_close_span(a, &a->accounts[slot]);
    struct warp_latency w = {.sm = sm->index,
                             .slot = slot,
                             .cta_slot = s->cta_slot,
                             .launch = s->launch,
                             .warp_in_cta = s->warp_in_cta,
                             .cta = s->cta,
                             .start = s->start_cycle,
                             .end = end};
    memcpy(w.cycles, a->accounts[slot].cycles, sizeof w.cycles);
    if (sm->config->scheduling_delay == DELAY_AS_PRINTED)
        count_as_printed(&w);
    return w;
}

static void tell_of_warp(const struct attribution *a, const struct warp_latency *w)
{
    for (uint32_t i = 0; i < a->n_listeners; i++)
        if (a->listeners[i].on_warp_end)
            a->listeners[i].on_warp_end(a->listeners[i].user, w);
}

void attribution_end(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct attribution *a = sm->attribution;
    struct warp_latency w = close_account(sm, slot, now + 1);
    w.is_last_of_cta = sm->cta_warps[w.cta_slot] == 1;
    take_account(a, &w);
    pace_end(a->pace, &w, &a->stats.pace);
    tell_of_warp(a, &w);
}

void attribution_cut(struct sm *sm, uint64_t now)
{
    attribution_catch_up(sm, now);
    for (uint64_t live = sm->view.live; live; live &= live - 1) {
        struct warp_latency w = close_account(sm, (uint32_t)__builtin_ctzll(live), now);
        w.is_cut = true;
        take_account(sm->attribution, &w);
        tell_of_warp(sm->attribution, &w);
    }
}

void attribution_sample(struct sm *sm, uint64_t now)
{
    pace_sample(sm->attribution->pace, &sm->view, now);
}

static void count_critical(void *user, const struct cache_event_info *e)
{
    struct latency_stats *s = user;
    bool hits = e->event == CE_HIT || e->event == CE_MERGE;
    bool goes_around = e->event == CE_BYPASS && e->reason != BYPASS_NO_CACHE;
    if (!(hits || goes_around || e->event == CE_MISS) || e->access->kind != MEM_LOAD ||
        !e->access->is_critical)
        return;
    if (goes_around) /* its miss has just been counted */
        s->critical_loads--;
    else
        s->critical_loads++;
    s->critical_hits += hits;
}

/* --- set-up --- */

void attribution_create(struct sm *sm)
{
    if (sm->attribution)
        return;
    sm->attribution = xcalloc(1, sizeof *sm->attribution);
    if (sm->criticality->desc != criticality_find("none")) /* otherwise no access is critical */
        cache_observe(sm->l1d, count_critical, &sm->attribution->stats);
    sm->attribution->pace = pace_create(sm->criticality->desc == criticality_find("oracle"));
}

void attribution_destroy(struct attribution *a)
{
    if (!a)
        return;
    pace_destroy(a->pace);
    free(a->loads);
    free(a);
}

void attribution_listen(struct attribution *a, const struct attribution_listener *l)
{
    assert(a->n_listeners < ATTRIBUTION_MAX_LISTENERS);
    a->listeners[a->n_listeners++] = *l;
    a->wants_spans |= l->on_span != NULL;
}

const struct latency_stats *attribution_stats(const struct attribution *a)
{
    return &a->stats;
}
