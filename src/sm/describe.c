/* What an SM says of itself when a launch does not end: the words of the functional reports, with
 * what a machine adds to them. */
#include "sm/sm.h"

uint32_t sm_warp_pc(const struct sm *sm, uint32_t slot)
{
    const struct emu_warp *w = sm->warps[slot].emu;
    /* A barrier has been executed by those who wait at it. */
    return w->state == WARP_AT_BARRIER && w->pc > 0 ? w->pc - 1 : w->pc;
}

uint32_t sm_find_warp(const struct sm *sm)
{
    for (uint64_t live = sm->view.live; live; live &= live - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(live);
        if (sm->warps[slot].emu->state != WARP_AT_BARRIER)
            return slot;
    }
    return sm->view.live ? (uint32_t)__builtin_ctzll(sm->view.live) : SM_MAX_WARPS;
}

static const char *const cause_words[] = {[STALLED_NONE] = "could issue",
                                          [STALLED_BARRIER] = "waits at a barrier",
                                          [STALLED_FETCH] = "waits for its instructions",
                                          [STALLED_BRANCH] = "waits for a branch",
                                          [STALLED_DATA] = "waits for a result",
                                          [STALLED_MEMORY] = "waits for data from memory",
                                          [STALLED_UNIT] = "waits for a unit",
                                          [STALLED_POLICY] = "is held back by the scheduler",
                                          [STALLED_FENCE] =
                                              "waits until its stores and atomics are visible"};

static void describe_warp(const struct sm *sm, uint32_t slot, struct strbuf *out)
{
    const struct sm_warp *w = &sm->warps[slot];
    strbuf_addf(out, "  warp %u (CTA %llu, warp %u of it) ", slot,
                (unsigned long long)w->emu->cta->number, w->emu->id);
    if (w->emu->state == WARP_AT_BARRIER)
        emu_describe_barrier(w->emu, out);
    else
        strbuf_addf(out, "%s%s", cause_words[w->cause],
                    w->emu->state == WARP_AT_HEAP ? " (it has called malloc or free)" : "");
    strbuf_add(out, ", ");
    emu_describe_inst(&sm->emu, sm_warp_pc(sm, slot), out);
    emu_describe_apart(w->emu, " ", "", out);
    strbuf_add_char(out, '\n');
}

void sm_describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct sm *sm = (const struct sm *)s;
    struct strbuf parts = {0};
    strbuf_addf(out,
                "SM %u: CTAs on it: %u; requests under way: %llu, in the miss queue: %u; "
                "instructions in the load/store unit: %u%s\n",
                sm->index, sm->n_resident, (unsigned long long)sm->requests_out, sm->miss_n,
                sm->ldst_n, sm->ldst_stalled ? " (stalled)" : "");
    for (uint64_t live = sm->view.live; live; live &= live - 1)
        describe_warp(sm, (uint32_t)__builtin_ctzll(live), out);
    strbuf_add(&parts, "L1D: ");
    cache_describe_wait(sm->l1d, &parts);
    if (sm->sched->describe_wait)
        sm->sched->describe_wait(sm->scheduler, &parts);
    strbuf_add_indented(out, strbuf_text(&parts), 2);
    strbuf_destroy(&parts);
}
