#include "emu/run.h"

#include <stdlib.h>
#include <string.h>

#include "emu/barrier.h"

/* How long a warp and a CTA run before others get their turn. Only kernels whose warps wait for
 * each other by spinning notice; others finish or reach a barrier first. */
enum { WARP_SLICE = 4096, CTA_SLICE = 65536 };

static void start_tids(struct emu_warp *w, const uint32_t block[3])
{
    uint32_t t = w->id * WARP_LANES;
    uint32_t x = t % block[0], y = t / block[0] % block[1], z = t / block[0] / block[1];
    if (block[0] - x >= WARP_LANES) { /* the whole warp lies in one row */
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            w->tid[0][i] = x + i;
            w->tid[1][i] = y;
            w->tid[2][i] = z;
        }
        return;
    }
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        w->tid[0][i] = x;
        w->tid[1][i] = y;
        w->tid[2][i] = z;
        if (++x == block[0]) {
            x = 0;
            if (++y == block[1]) {
                y = 0;
                z++;
            }
        }
    }
}

static void start_warp(struct emu *e, struct emu_cta *cta, uint32_t id, bool keeps_tids)
{
    struct emu_warp *w = &cta->warps[id];
    const uint32_t *block = e->launch.block;
    uint32_t threads = block[0] * block[1] * block[2] - id * WARP_LANES;
    w->emu = e;
    w->cta = cta;
    w->id = id;
    w->bank[1] = e->program->pool;
    w->code = e->program->ops;
    w->state = WARP_RUNNING;
    w->live = threads >= WARP_LANES ? ~0u : (1u << threads) - 1;
    w->cc = 0;
    w->depth = w->n_frames = 0;
    if (!keeps_tids)
        start_tids(w, block);
    if (!w->cap_stack)
        simt_give_room(w, e->launch.func);
    simt_call(w, e->launch.func, NULL, w->live);
}

void cta_start(struct emu *e, struct emu_cta *cta, uint64_t number)
{
    const uint32_t *grid = e->launch.grid, *block = e->launch.block;
    uint32_t threads = block[0] * block[1] * block[2];
    uint32_t n = (threads + WARP_LANES - 1) / WARP_LANES;
    if (n > cta->cap_warps) {
        cta->warps = xrealloc(cta->warps, n * sizeof *cta->warps);
        for (; cta->cap_warps < n; cta->cap_warps++) /* tids are set whenever one starts */
            memset(&cta->warps[cta->cap_warps], 0, offsetof(struct emu_warp, tid));
    }
    if (e->launch.shared_bytes > cta->cap_shared) {
        cta->shared = xrealloc(cta->shared, e->launch.shared_bytes);
        cta->cap_shared = e->launch.shared_bytes;
    }
    cta->shared_bytes = e->launch.shared_bytes;
    if (cta->shared_bytes)
        memset(cta->shared, 0, cta->shared_bytes);
    cta->number = number;
    cta->id[0] = (uint32_t)(number % grid[0]);
    cta->id[1] = (uint32_t)(number / grid[0] % grid[1]);
    cta->id[2] = (uint32_t)(number / grid[0] / grid[1]);
    cta->n_arrived = 0;
    for (uint32_t i = 0; i < MAX_BARRIERS; i++)
        cta->barriers[i] = (struct cta_barrier){.all = 1};
    cta->n_warps = cta->n_live = n;
    bool same_block = memcmp(cta->block, block, sizeof cta->block) == 0;
    memcpy(cta->block, block, sizeof cta->block);
    for (uint32_t i = 0; i < n; i++)
        start_warp(e, cta, i, same_block);
}

void cta_destroy(struct emu_cta *cta)
{
    simt_free_store(cta);
    free(cta->warps);
    free(cta->shared);
    memset(cta, 0, sizeof *cta);
}

static void finish_warp(struct emu_cta *cta, struct emu *e)
{
    cta->n_live--;
    e->stats->warps++;
    barrier_warp_done(cta);
}

/* No warp of the CTA can continue, and nothing will change that. */
static void report_deadlock(struct emu *e, struct emu_cta *cta)
{
    struct emu_warp *w = NULL;
    for (uint32_t i = 0; i < cta->n_warps && !w; i++)
        if (cta->warps[i].state == WARP_AT_BARRIER)
            w = &cta->warps[i];
    emu_fault(w, FAULT_DEADLOCK, (uint32_t)__builtin_ctz(w->active),
              "deadlock: every warp of the CTA that has not ended waits at a barrier that cannot "
              "open");
    for (uint32_t i = 0; i < cta->n_warps; i++) {
        const struct emu_warp *o = &cta->warps[i];
        if (o->state != WARP_AT_BARRIER && o != w)
            continue;
        strbuf_addf(&e->fault.text, "  warp %u ", i);
        emu_describe_barrier(o, &e->fault.text);
        strbuf_add(&e->fault.text, ": ");
        emu_describe_inst(e, o->pc - 1, &e->fault.text);
        strbuf_add_char(&e->fault.text, '\n');
    }
}

bool cta_run(struct emu *e, struct emu_cta *cta, uint64_t slice)
{
    while (cta->n_live && e->fault.kind == FAULT_NONE) {
        uint64_t ran = 0;
        for (uint32_t i = 0; i < cta->n_warps && e->fault.kind == FAULT_NONE; i++) {
            struct emu_warp *w = &cta->warps[i];
            if (w->state != WARP_RUNNING)
                continue;
            ran += e->run_warp(w, WARP_SLICE < slice ? WARP_SLICE : slice);
            if (w->state == WARP_DONE)
                finish_warp(cta, e);
        }
        if (!ran && cta->n_live && e->fault.kind == FAULT_NONE)
            report_deadlock(e, cta);
        if (ran >= slice)
            return false;
        slice -= ran;
    }
    return true;
}

static void report_limit(struct emu_cta *ctas, uint32_t n, uint64_t max_insts)
{
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t i = 0; i < ctas[c].n_warps; i++) {
            struct emu_warp *w = &ctas[c].warps[i];
            if (w->state != WARP_RUNNING)
                continue;
            w->pc++; /* reports name the instruction before pc: here, the next one */
            emu_fault(
                w, FAULT_LIMIT, (uint32_t)__builtin_ctz(w->active),
                "the launch was stopped after %llu warp instructions (--max-insts) before it ended",
                (unsigned long long)max_insts);
            emu_describe_apart(w, "  ", "\n", &w->emu->fault.text);
            return;
        }
}

void emu_run(struct emu *e, uint32_t resident, uint64_t max_insts)
{
    const uint32_t *grid = e->launch.grid;
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2], next = 0;
    uint64_t limit = max_insts ? e->stats->warp_insts + max_insts : 0;
    struct emu_cta *ctas = xcalloc(resident, sizeof *ctas);
    uint32_t n = 0, turn = 0; /* slots in use are 0..n-1 */
    while ((n || next < total) && e->fault.kind == FAULT_NONE) {
        if (turn == n && n < resident && next < total)
            cta_start(e, &ctas[n++], next++); /* all others have had their turn: one more */
        else if (turn == n)
            turn = 0;
        uint64_t slice = CTA_SLICE;
        /* The last slice may have exceeded the limit: each of its warps was allowed all of it. */
        uint64_t left = limit > e->stats->warp_insts ? limit - e->stats->warp_insts : 0;
        if (limit && left < slice)
            slice = left;
        if (limit && slice == 0) {
            report_limit(ctas, n, max_insts);
            break;
        }
        if (e->fault.kind != FAULT_NONE || !cta_run(e, &ctas[turn], slice)) {
            turn++;
            continue;
        }
        if (e->fault.kind != FAULT_NONE)
            break;
        e->stats->ctas++;
        if (next < total) {
            cta_start(e, &ctas[turn], next++);
        } else { /* the last slot replaces the one that is now empty */
            struct emu_cta ended = ctas[turn];
            ctas[turn] = ctas[--n];
            ctas[n] = ended;
            for (uint32_t i = 0; turn < n && i < ctas[turn].n_warps; i++)
                ctas[turn].warps[i].cta = &ctas[turn];
        }
    }
    for (uint32_t i = 0; i < resident; i++)
        cta_destroy(&ctas[i]);
    free(ctas);
}
