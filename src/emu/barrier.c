#include "emu/barrier.h"

static void write_reduction(struct emu_warp *w, const struct cta_barrier *b)
{
    const struct op *op = &w->code[w->pc - 1];
    if (op->sub != PTX_MOD_BAR_RED || (w->emu->tracer && w->emu->tracer->replays))
        return;
    if (op->sub2 == PTX_MOD_BARRED_POPC) {
        uint32_t *d = warp_row(w, op->dst);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            d[i] = w->arrived_mask >> i & 1 ? b->popc : d[i];
        return;
    }
    bool yes = op->sub2 == PTX_MOD_BARRED_AND ? b->all : b->any;
    warp_set_pred(w, op->pdst, yes ? ~0u : 0, w->arrived_mask);
}

static void open_if_complete(struct emu_cta *cta, uint32_t number)
{
    struct cta_barrier *b = &cta->barriers[number];
    if (!b->arrived || b->arrived < (b->expected ? b->expected : cta->n_live))
        return;
    for (uint32_t i = 0; i < cta->n_warps; i++) {
        struct emu_warp *w = &cta->warps[i];
        if (w->state != WARP_AT_BARRIER || w->barrier != number)
            continue;
        w->state = WARP_RUNNING;
        write_reduction(w, b);
    }
    cta->n_arrived -= b->arrived;
    *b = (struct cta_barrier){.all = 1};
}

void barrier_warp_done(struct emu_cta *cta)
{
    for (uint32_t i = 0; cta->n_arrived && i < MAX_BARRIERS; i++)
        if (!cta->barriers[i].expected)
            open_if_complete(cta, i);
}

/* Barriers act on whole warps. A warp with threads on another path would hang or, on machines that
 * count warps, release the others too early. Either way it is a bug in the kernel. */
static bool check_arrival(struct emu_warp *w, uint32_t mask, uint32_t number, uint32_t expected)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    if (mask != w->live) {
        emu_fault(w, FAULT_BARRIER, lane,
                  "barrier divergence: %d of the warp's %d threads reach the barrier, the others "
                  "are on another path",
                  __builtin_popcount(mask), __builtin_popcount(w->live));
        return false;
    }
    if (number >= MAX_BARRIERS) {
        emu_fault(w, FAULT_BARRIER, lane, "barrier %u does not exist: a CTA has %d barriers",
                  number, MAX_BARRIERS);
        return false;
    }
    if (expected > w->cta->n_warps) {
        emu_fault(w, FAULT_BARRIER, lane, "the barrier waits for %u warps, but the CTA has only %u",
                  expected, w->cta->n_warps);
        return false;
    }
    return true;
}

void barrier_arrive(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    if (mask != w->live && mask == w->active && op->sub == PTX_MOD_BAR_SYNC &&
        simt_meet_at_barrier(w)) {
        if (w->active != w->live)
            return;
        mask = w->live;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t number = ((const uint32_t *)warp_row(w, op->a))[lane];
    uint32_t threads = op->imm ? ((const uint32_t *)warp_row(w, op->b))[lane] : 0;
    uint32_t expected = (threads + WARP_LANES - 1) / WARP_LANES;
    if (!check_arrival(w, mask, number, expected))
        return;
    struct cta_barrier *b = &w->cta->barriers[number];
    w->emu->stats->barriers++;
    b->expected = expected;
    b->arrived++;
    w->cta->n_arrived++;
    if (op->sub == PTX_MOD_BAR_RED) {
        uint32_t yes = warp_pred(w, op->psrc) & mask;
        b->popc += (uint32_t)__builtin_popcount(yes);
        b->all &= yes == mask;
        b->any |= yes != 0;
    }
    if (op->sub != PTX_MOD_BAR_ARRIVE) {
        w->state = WARP_AT_BARRIER;
        w->barrier = number;
        w->arrived_mask = mask;
    }
    open_if_complete(w->cta, number);
}
