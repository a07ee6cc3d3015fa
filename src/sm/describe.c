/* What an SM reports when a launch does not end: the wording of the functional reports, plus what a
 * machine adds. */
#include <string.h>

#include "sm/sm.h"

uint32_t sm_warp_pc(const struct sm *sm, uint32_t slot)
{
    const struct emu_warp *w = sm->warps[slot].emu;
    /* The warps that wait at a barrier have executed it. */
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

/* What the warp does, and where. */
static void describe_doing(const struct sm *sm, uint32_t slot, struct strbuf *out)
{
    const struct sm_warp *w = &sm->warps[slot];
    if (w->emu->state == WARP_AT_BARRIER)
        emu_describe_barrier(w->emu, out);
    else
        strbuf_addf(out, "%s%s", cause_words[sm->issue.ready & w->bit ? STALLED_NONE : w->cause],
                    w->emu->state == WARP_AT_HEAP ? " (it has called malloc or free)" : "");
    strbuf_add(out, ", ");
    emu_describe_inst(&sm->emu, sm_warp_pc(sm, slot), out);
    emu_describe_apart(w->emu, " ", "", out);
}

/* The warps among `slots` that do what the text says. */
static uint64_t who_does(const struct sm *sm, uint64_t slots, const char *text)
{
    uint64_t found = 0;
    struct strbuf other = {0};
    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        strbuf_clear(&other);
        describe_doing(sm, slot, &other);
        if (strcmp(strbuf_text(&other), text) == 0)
            found |= 1ull << slot;
    }
    strbuf_destroy(&other);
    return found;
}

/* Every warp once: those that do the same share a line. */
static void describe_warps(const struct sm *sm, struct strbuf *out)
{
    struct strbuf doing = {0};
    for (uint64_t left = sm->view.live, group; left; left &= ~group) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const struct emu_warp *w = sm->warps[slot].emu;
        strbuf_clear(&doing);
        describe_doing(sm, slot, &doing);
        group = who_does(sm, left, strbuf_text(&doing));
        int n_others = __builtin_popcountll(group) - 1;
        strbuf_addf(out, "  warp %u (CTA %llu, warp %u of it", slot,
                    (unsigned long long)w->cta->number, w->id);
        if (n_others)
            strbuf_addf(out, "; %d other%s on this SM likewise", n_others, n_others > 1 ? "s" : "");
        strbuf_addf(out, ") %s\n", strbuf_text(&doing));
    }
    strbuf_destroy(&doing);
}

/* Not yet, if it was only foreseen. */
static bool is_stalled(const struct sm *sm)
{
    return sm->ldst.stalled && sm->ldst.stalled_since < sm_cycle_at(sm, sm->shard.engine->now);
}

void sm_describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct sm *sm = (const struct sm *)s;
    struct strbuf parts = {0};
    strbuf_addf(out,
                "SM %u: CTAs on it: %u; requests in flight: %llu, in the miss queue: %u; "
                "instructions in the load/store unit: %u%s\n",
                sm->index, sm->n_resident, (unsigned long long)sm->out.n_out, sm->out.n, sm->ldst.n,
                is_stalled(sm) ? " (stalled)" : "");
    describe_warps(sm, out);
    strbuf_add(&parts, "L1D: ");
    cache_describe_wait(sm->l1d, &parts);
    if (sm->sched->describe_wait)
        sm->sched->describe_wait(sm->scheduler, &parts);
    if (sm->atomics.mutexes)
        mutex_unit_describe(sm->atomics.mutexes, &parts);
    strbuf_add_indented(out, strbuf_text(&parts), 2);
    strbuf_destroy(&parts);
}
