#include "gpu/spin_watch.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN_STATES = 128 }; /* per warp: the maximum length of a spin loop that is detected */

/* The states of the warp in a slot. */
struct known {
    struct known_state {
        uint64_t hash;
        uint32_t pc;
    } states[KNOWN_STATES];
    uint32_t n, next;
    uint32_t n_repeats; /* consecutive samples that found it in a known state */
    uint64_t last;      /* hash at the last sample */
    uint32_t n_still;   /* consecutive samples with the same hash */
};

/* Changes whenever a warp starts or ends. */
struct comings {
    uint64_t ctas_done, ctas_started, warps_done;
    uint32_t launch;
};

struct spin_watch {
    void (*tell)(void *user, const char *text);
    void *user;
    struct comings last;
    uint64_t quiet_since; /* cycle */
    bool has_told;        /* of this launch */
    struct known *known;  /* n_sms x SM_MAX_WARPS; NULL until there is a suspicion */
    uint32_t n_repeats;
    uint64_t memory; /* hash at the first of them */
};

/* --- hashes: to find equal states among few, not for security --- */

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t hash_bytes(uint64_t h, const void *data, uint64_t bytes)
{
    const char *at = data;
    uint64_t word;
    for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        h = mix(h, word);
    }
    word = 0;
    if (bytes)
        memcpy(&word, at, bytes);
    return mix(h, word);
}

/* The registers of a call. Each file has a row at its end for unused results. */
static uint64_t hash_frame(uint64_t h, const struct emu_warp *w, const struct call_frame *f)
{
    const char *rows_64 = w->rows + f->rows_at;
    const char *rows_32 = rows_64 + (size_t)(f->func->n_64 + 1) * ROW64_BYTES;
    h = mix(h, (uint64_t)f->rows_at << 32 | f->func->entry);
    h = hash_bytes(h, rows_64, (uint64_t)f->func->n_64 * ROW64_BYTES);
    h = hash_bytes(h, rows_32, (uint64_t)f->func->n_32 * ROW32_BYTES);
    return hash_bytes(h, w->pred_store + f->preds_at, f->func->n_preds * sizeof *w->pred_store);
}

static uint64_t hash_local(uint64_t h, const struct emu_warp *w)
{
    uint32_t used = w->frames[w->n_frames - 1].local_end;
    uint32_t bytes = used < w->local_cap ? used : w->local_cap;
    return w->local ? hash_bytes(h, w->local, (uint64_t)bytes * WARP_LANES) : h;
}

/* Everything that determines what the warp does next, except for memory shared with others. */
static uint64_t hash_warp(const struct emu_warp *w)
{
    uint64_t h = mix((uint64_t)w->pc << 32 | w->rpc, (uint64_t)w->active << 32 | w->live);
    h = mix(h, (uint64_t)w->state << 32 | w->cc);
    for (uint32_t i = 0; i + 1 < w->depth; i++) /* the top entry is in the warp itself */
        h = hash_bytes(h, &w->stack[i], sizeof w->stack[i]);
    for (uint32_t i = 0; i < w->n_frames; i++)
        h = hash_frame(h, w, &w->frames[i]);
    return w->n_frames ? hash_local(h, w) : h;
}

static uint64_t hash_memory(const struct dev_mem *m)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < m->n; i++)
        h = hash_bytes(h, mem_host(m, m->allocs[i].start), m->allocs[i].bytes);
    return h;
}

/* --- detecting new states --- */

/* Is the warp at a known instruction, but in another state? Records its state. An instruction at
 * which it has not been seen proves nothing: it may be part of the loop. */
static bool is_elsewhere(struct known *k, uint64_t hash, uint32_t pc)
{
    bool was_here = false;
    k->n_still = hash == k->last ? k->n_still + 1 : 1;
    k->last = hash;
    for (uint32_t i = 0; i < k->n; i++) {
        if (k->states[i].hash == hash) {
            k->n_repeats++;
            return false;
        }
        was_here |= k->states[i].pc == pc;
    }
    k->states[k->next] = (struct known_state){hash, pc};
    k->next = (k->next + 1) % KNOWN_STATES;
    k->n += k->n < KNOWN_STATES;
    return was_here;
}

/* Does a warp of the SM make progress? Shared memory counts as part of the state of the first warp
 * of its CTA. */
static bool sm_gets_on(struct known *known, const struct sm *sm)
{
    bool any = false;
    uint64_t seen_ctas = 0;
    for (uint64_t live = sm->view.live; live; live &= live - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(live);
        const struct sm_warp *w = &sm->warps[slot];
        const struct emu_cta *cta = w->emu->cta;
        uint64_t state = hash_warp(w->emu);
        if (!(seen_ctas >> w->cta_slot & 1))
            state = hash_bytes(state, cta->shared, cta->shared_bytes);
        seen_ctas |= 1ull << w->cta_slot;
        any |= is_elsewhere(&known[slot], state, w->emu->pc);
    }
    return any;
}

/* Was every warp mostly in a known state during the last consecutive samples? */
static bool all_repeat(const struct spin_watch *w, const struct machine *m)
{
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        for (uint64_t live = machine_sm(m, i)->view.live; live; live &= live - 1) {
            size_t slot = (size_t)i * SM_MAX_WARPS + (uint32_t)__builtin_ctzll(live);
            if (w->known[slot].n_repeats < SPIN_REPEATS / 2)
                return false;
        }
    return true;
}

static void begin_row(struct spin_watch *w, uint32_t n_sms)
{
    w->n_repeats = 0;
    for (size_t i = 0; i < (size_t)n_sms * SM_MAX_WARPS; i++)
        w->known[i].n_repeats = 0;
}

static struct comings comings_of(const struct machine *m)
{
    struct comings c = {.ctas_done = m->dispatcher->done,
                        .ctas_started = m->dispatcher->next_cta,
                        .launch = machine_sm(m, 0)->launch};
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        c.warps_done += machine_sm(m, i)->run_stats.warps;
    return c;
}

static bool is_same(const struct comings *a, const struct comings *b)
{
    return a->ctas_done == b->ctas_done && a->ctas_started == b->ctas_started &&
           a->warps_done == b->warps_done && a->launch == b->launch;
}

static void begin_anew(struct spin_watch *w, const struct comings *now, uint64_t cycle)
{
    w->has_told &= now->launch == w->last.launch;
    w->last = *now;
    w->quiet_since = cycle;
    w->n_repeats = 0;
    free(w->known);
    w->known = NULL;
}

/* Has the warp not moved at all, although only the scheduler's choice or a busy unit kept it from
 * issuing? */
static bool is_starved(const struct known *k, const struct sm *sm, uint32_t slot)
{
    const struct sm_warp *w = &sm->warps[slot];
    bool may_issue = sm->issue.ready & w->bit || w->cause == STALLED_NONE ||
                     w->cause == STALLED_UNIT || w->cause == STALLED_POLICY;
    return k->n_still >= SPIN_REPEATS && w->emu->state != WARP_AT_BARRIER && may_issue;
}

static uint32_t count_at(const struct sm *sm, uint32_t pc)
{
    uint32_t n = 0;
    for (uint64_t live = sm->view.live; live; live &= live - 1)
        n += sm->warps[__builtin_ctzll(live)].emu->pc == pc;
    return n;
}

/* Others may spin for such a warp, for example on a lock that it holds. It is most likely the one
 * at a position with the fewest other warps. */
static void describe_starved(const struct spin_watch *w, const struct machine *m,
                             struct strbuf *out)
{
    const struct sm *its_sm = NULL;
    uint32_t its_slot = 0, n_starved = 0, fewest = UINT32_MAX;
    for (uint32_t i = 0; i < machine_n_sms(m); i++) {
        const struct sm *sm = machine_sm(m, i);
        for (uint64_t live = sm->view.live; live; live &= live - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(live);
            if (!is_starved(&w->known[(size_t)i * SM_MAX_WARPS + slot], sm, slot))
                continue;
            n_starved++;
            uint32_t n = count_at(sm, sm->warps[slot].emu->pc);
            if (n < fewest) {
                fewest = n;
                its_sm = sm;
                its_slot = slot;
            }
        }
    }
    if (!its_sm)
        return;
    const struct emu_warp *warp = its_sm->warps[its_slot].emu;
    strbuf_addf(out,
                "Warps that could issue but were not chosen by '%s' during all that time: %u. If "
                "others wait for them, another scheduler may help. One of them, on SM %u:\n",
                its_sm->sched->name, n_starved, its_sm->index);
    emu_describe_place(warp, sm_warp_pc(its_sm, its_slot), (uint32_t)__builtin_ctz(warp->active),
                       out);
}

static void warn(struct spin_watch *w, const struct machine *m, uint64_t cycle)
{
    struct strbuf text = {0};
    strbuf_addf(&text,
                "warning: launch %u seems to spin forever: no warp has started or ended for %llu "
                "cycles; in the last %llu none has made progress, and memory has not changed. The "
                "launch continues (--max-cycles limits it). A spinning warp:\n",
                w->last.launch + 1, (unsigned long long)(cycle - w->quiet_since),
                (unsigned long long)SPIN_REPEATS * SPIN_LOOK_CYCLES);
    machine_describe_warp(m, &text);
    describe_starved(w, m, &text);
    w->has_told = true;
    w->tell(w->user, strbuf_text(&text));
    strbuf_destroy(&text);
}

static void compare_states(struct spin_watch *w, const struct machine *m, uint64_t cycle)
{
    uint32_t n_sms = machine_n_sms(m);
    bool gets_on = false;
    if (!w->known)
        w->known = xcalloc((size_t)n_sms * SM_MAX_WARPS, sizeof *w->known);
    for (uint32_t i = 0; i < n_sms; i++)
        gets_on |= sm_gets_on(&w->known[(size_t)i * SM_MAX_WARPS], machine_sm(m, i));
    if (gets_on) {
        begin_row(w, n_sms);
        return;
    }
    if (w->n_repeats++ == 0)
        w->memory = hash_memory(m->mem);
    if (w->n_repeats < SPIN_REPEATS)
        return;
    if (all_repeat(w, m) && hash_memory(m->mem) == w->memory)
        warn(w, m, cycle);
    begin_row(w, n_sms);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct spin_watch *w = user;
    const struct emu_tracer *tracer = machine_sm(m, 0)->emu.tracer;
    struct comings now = comings_of(m);
    if (!is_same(&now, &w->last))
        begin_anew(w, &now, cycle);
    /* A replay has no values to compare, and ends with its trace. */
    bool is_over = now.ctas_done == m->dispatcher->n_ctas;
    if (w->has_told || is_over || (tracer && tracer->replays))
        return;
    if (cycle - w->quiet_since >= SPIN_QUIET_CYCLES)
        compare_states(w, m, cycle);
}

struct spin_watch *spin_watch_create(struct machine *m, void (*tell)(void *user, const char *text),
                                     void *user)
{
    struct spin_watch *w = xcalloc(1, sizeof *w);
    w->tell = tell;
    w->user = user;
    machine_watch(
        m, (struct machine_watcher){.period_cycles = SPIN_LOOK_CYCLES, .look = look, .user = w});
    return w;
}

void spin_watch_destroy(struct spin_watch *w)
{
    if (!w)
        return;
    free(w->known);
    free(w);
}
