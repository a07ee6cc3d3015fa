/* How CTAs and their warps begin and end on an SM. */
#include <string.h>

#include "emu/barrier.h"
#include "emu/run.h"
#include "sm/sm.h"

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
    if (sm->operands.pending_words > 1) { /* otherwise it is not used */
        memset(scoreboard.wide_pending, 0,
               sm->operands.pending_words * sizeof *scoreboard.wide_pending);
        memset(scoreboard.wide_memory, 0,
               sm->operands.pending_words * sizeof *scoreboard.wide_memory);
    }
    *w = (struct sm_warp){.emu = &cta->warps[warp],
                          .next = &sm->timing[cta->warps[warp].pc],
                          .bit = 1ull << slot,
                          .slot = slot,
                          .cta_slot = cta_slot,
                          .scheduler = slot % sm->config->n_schedulers,
                          .atomic_lines = sm->atomic_store[slot],
                          .result_at = sm->operands.result_store[slot],
                          .core = &sm->operands.cores[slot % sm->operands.n_cores],
                          .bank_turn = (uint8_t)(slot / sm->operands.n_cores),
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
    if (sm->issue.keeps_hold) /* it may release other warps */
        sm->issue.due = 0;
    if (sm->attribution)
        attribution_start(sm, slot, now);
    sm_refresh(sm, slot, now);
}

void sm_start_cta(struct sm *sm, uint64_t number, uint64_t now)
{
    uint32_t cta_slot = free_cta_slot(sm);
    struct emu_cta *cta = &sm->ctas[cta_slot];
    cta_start(&sm->emu, cta, number);
    if (sm->emu.tracer)
        sm->emu.tracer->cta_begins(&sm->emu, cta);
    if (sm->issue.keeps_hold && now) /* the hold of this cycle comes with its issue */
        sm_advance_scheduler(sm, now - 1);
    if (!sm->n_resident++)
        sm->activity.active_since = now;
    sm->activity.was_busy = true;
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
        sm->stats.active_cycles += now + 1 - sm->activity.active_since;
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
    if (sm->issue.keeps_hold)
        sm_advance_scheduler(sm, now);
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

void sm_cut(struct sm *sm, uint64_t now)
{
    for (uint64_t live = sm->view.live; live; live &= live - 1)
        sm->stats.warp_cycles += now - sm->sched_warps[__builtin_ctzll(live)].start_cycle;
    if (sm->n_resident)
        sm->stats.active_cycles += now - sm->activity.active_since;
    if (sm->ldst.stalled)
        sm->stats.stall_cycles[sm->ldst.cause] += now - sm->ldst.stalled_since;
    if (sm->attribution)
        attribution_cut(sm, now);
}
