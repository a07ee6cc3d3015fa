/* The SIMT stack: which lanes run where, and where they reconverge (immediate post-dominators).
 *
 * The top entry's pc, rpc and mask are kept in the warp itself. MODEL: of the two sides of a
 * divergent branch the fall-through runs first, except at the branches of spin loops (ptx/spin.h),
 * where the side that leaves does; paths of a warp that spin take turns.
 *
 * An entry whose path would begin at its own reconvergence point is never pushed: its lanes are
 * already in the entry below. */
#include <stdlib.h>
#include <string.h>

#include "emu/warp.h"

enum { MAX_CALL_DEPTH = 4096, MAX_ROWS_BYTES = 1 << 30 };

/* --- room --- */

enum { LINE_BYTES = 64, SMALL_ARRAY_BYTES = 16 * 1024 };

struct store_block {
    struct store_block *older;
};

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Not zeroed: frames are cleared when they are entered. The block is large enough for all warps of
 * the CTA, which usually need as much as the first. */
static void add_block(struct emu_cta *cta, size_t bytes)
{
    if (bytes <= SMALL_ARRAY_BYTES)
        bytes *= cta->n_warps;
    struct store_block *b = xrealloc(NULL, sizeof *b + LINE_BYTES + bytes);
    b->older = cta->store.blocks;
    cta->store.blocks = b;
    cta->store.next = (char *)whole_lines((uintptr_t)(b + 1));
    cta->store.end = cta->store.next + bytes;
}

static char *take_room(struct emu_cta *cta, size_t bytes)
{
    if ((size_t)(cta->store.end - cta->store.next) < bytes)
        add_block(cta, bytes);
    char *room = cta->store.next;
    cta->store.next += bytes;
    return room;
}

void simt_free_store(struct emu_cta *cta)
{
    for (struct store_block *b = cta->store.blocks, *older; b; b = older) {
        older = b->older;
        free(b);
    }
    cta->store = (struct cta_store){0};
}

/* An array for at least `need` items of that size, which begins with the items of `old`. The old
 * one stays allocated until the CTA's slot is released: sizes double, so this at most doubles the
 * memory. */
static void *reserve(const struct emu_warp *w, const void *old, uint32_t *cap, uint32_t need,
                     size_t item_bytes)
{
    uint32_t n = *cap > need / 2 ? *cap * 2 : need;
    size_t bytes = whole_lines(n * item_bytes);
    char *array = take_room(w->cta, bytes);
    if (*cap)
        memcpy(array, old, *cap * item_bytes);
    *cap = (uint32_t)(bytes / item_bytes);
    return array;
}

#define RESERVE(w, array, cap, need)                                                               \
    do {                                                                                           \
        if ((need) > (cap))                                                                        \
            (array) = reserve((w), (array), &(cap), (uint32_t)(need), sizeof *(array));            \
    } while (0)

/* A new warp gets what the kernel itself needs in one block. */
void simt_give_room(struct emu_warp *w, const struct program_func *kernel)
{
    size_t n_preds = kernel->n_preds + FRAME_EXTRA_PREDS;
    size_t rows = whole_lines(kernel->frame_bytes), preds = whole_lines(n_preds * sizeof *w->preds);
    char *room = take_room(w->cta, rows + preds + 2 * (size_t)LINE_BYTES);
    w->rows = room;
    w->rows_cap = (uint32_t)rows;
    w->pred_store = (uint32_t *)(room + rows);
    w->preds_cap = (uint32_t)(preds / sizeof *w->pred_store);
    w->frames = (struct call_frame *)(room + rows + preds);
    w->cap_frames = LINE_BYTES / sizeof *w->frames;
    w->stack = (struct simt_entry *)(room + rows + preds + LINE_BYTES);
    w->cap_stack = LINE_BYTES / sizeof *w->stack;
}

/* --- paths --- */

static void save_top(struct emu_warp *w)
{
    w->stack[w->depth - 1].pc = w->pc;
    w->stack[w->depth - 1].mask = w->active;
}

static void enter_frame(struct emu_warp *w, uint32_t frame)
{
    const struct call_frame *f = &w->frames[frame];
    w->n_frames = frame + 1;
    w->bank[0] = w->rows + f->rows_at;
    w->preds = w->pred_store + f->preds_at;
}

static void load_top(struct emu_warp *w)
{
    struct simt_entry *e = &w->stack[w->depth - 1];
    e->parked = false;
    w->pc = e->pc;
    w->rpc = e->rpc;
    w->active = e->mask;
    if (e->frame + 1 != w->n_frames)
        enter_frame(w, e->frame);
}

void simt_push(struct emu_warp *w, uint32_t pc, uint32_t rpc, uint32_t mask, uint32_t frame)
{
    if (w->depth)
        save_top(w);
    RESERVE(w, w->stack, w->cap_stack, w->depth + 1);
    w->stack[w->depth++] = (struct simt_entry){pc, rpc, mask, frame, false};
    load_top(w);
}

/* Removes paths that have ended or have no lanes. */
static void pop_finished(struct emu_warp *w)
{
    while (w->depth && (w->stack[w->depth - 1].mask == 0 ||
                        w->stack[w->depth - 1].pc == w->stack[w->depth - 1].rpc))
        w->depth--;
    if (w->depth) {
        load_top(w);
    } else {
        w->active = 0;
        w->rpc = PROGRAM_NO_PC; /* nothing is left that could reconverge here */
        w->state = WARP_DONE;
    }
}

void simt_reconverge(struct emu_warp *w)
{
    save_top(w);
    pop_finished(w);
}

struct side {
    uint32_t pc, mask;
};

static void split(struct emu_warp *w, struct side first, struct side last, uint32_t meet)
{
    uint32_t frame = w->stack[w->depth - 1].frame;
    if (meet ==
        PROGRAM_NO_PC) /* the paths meet only at the end of the function: entries below are not affected */
        meet = w->rpc;
    if (w->rpc != meet) { /* the current entry waits at the reconvergence point for both sides */
        w->pc = meet;
        if (last.pc != meet)
            simt_push(w, last.pc, meet, last.mask, frame);
        if (first.pc != meet)
            simt_push(w, first.pc, meet, first.mask, frame);
        return;
    }
    /* The entry below already waits at that point for all of them: split this one. */
    bool one_is_there = first.pc == meet || last.pc == meet;
    struct side stays = last.pc == meet ? first : last;
    w->pc = stays.pc;
    w->active = stays.mask;
    if (!one_is_there)
        simt_push(w, first.pc, meet, first.mask, frame);
}

void simt_branch(struct emu_warp *w, uint32_t target, uint32_t taken, uint32_t meet,
                 bool target_first)
{
    struct side to = {target, taken}, next = {w->pc, w->active & ~taken};
    if (!next.mask) {
        w->pc = target;
        return;
    }
    w->emu->stats->divergent_branches++;
    if (target_first)
        split(w, to, next, meet);
    else
        split(w, next, to, meet);
}

void simt_branch_by_table(struct emu_warp *w, uint32_t target, uint32_t group, uint32_t mask,
                          uint32_t meet)
{
    w->by_table = (struct table_step){target, group};
    if (group != mask)
        w->pc--;
    simt_branch(w, target, group, meet, false);
}

/* Makes entry `i` the top one; its lanes must be in none above it. */
static void bring_up(struct emu_warp *w, uint32_t i)
{
    struct simt_entry next = w->stack[i];
    save_top(w);
    memmove(&w->stack[i], &w->stack[i + 1], (w->depth - 1 - i) * sizeof next);
    w->stack[w->depth - 1] = next;
    load_top(w);
}

void simt_yield(struct emu_warp *w)
{
    uint32_t top = w->depth - 1, frame = w->stack[top].frame, next = top, above = w->active;
    for (uint32_t i = top; i-- > 0 && w->stack[i].frame == frame;) {
        const struct simt_entry *e = &w->stack[i];
        if (e->mask && !(e->mask & above) && !e->parked && e->pc != e->rpc)
            next = i;
        above |= e->mask;
    }
    if (next != top)
        bring_up(w, next);
}

/* MODEL: a barrier is a reconvergence point too. The compiler may join paths after a barrier that
 * all of them pass: in `if (t == 0) { ...; if (n) ... } if (n) { ...; barrier }` thread 0 does not
 * test n twice, and the immediate post-dominator of its branch is then behind the barrier. */
bool simt_meet_at_barrier(struct emu_warp *w)
{
    uint32_t top = w->depth - 1, frame = w->stack[top].frame, first = top, at = w->pc - 1;
    uint32_t arrived = w->active;
    while (first && w->stack[first - 1].frame == frame)
        first--;
    for (uint32_t i = first; i < top; i++)
        if (w->stack[i].parked && w->stack[i].pc == at)
            arrived |= w->stack[i].mask;
    if (arrived == w->live) {
        w->depth = first + 1;
        w->stack[first].pc = w->pc;
        w->stack[first].mask = arrived;
        load_top(w);
        return true;
    }
    for (uint32_t i = top; i-- > first;) {
        const struct simt_entry *next = &w->stack[i];
        if (next->mask & arrived || next->parked || !next->mask || next->pc == next->rpc)
            continue;
        w->pc = at;
        w->stack[top].parked = true;
        bring_up(w, i);
        return true;
    }
    return false;
}

void simt_exit(struct emu_warp *w, uint32_t lanes)
{
    w->live &= ~lanes;
    save_top(w);
    for (uint32_t i = 0; i < w->depth; i++)
        w->stack[i].mask &= ~lanes;
    pop_finished(w);
}

static void copy_words(struct emu_warp *w, const struct call_copy *c, uint32_t from_base,
                       uint32_t to_base, uint32_t mask)
{
    for (uint32_t b = 0; b < c->bytes; b += 4) {
        const char *from = w->local + (size_t)(from_base + c->from + b) * WARP_LANES;
        char *to = w->local + (size_t)(to_base + c->to + b) * WARP_LANES;
        for (uint32_t i = 0; i < WARP_LANES; i++)
            if (mask >> i & 1)
                memcpy(to + i * 4, from + i * 4, 4);
    }
}

void simt_return(struct emu_warp *w, uint32_t lanes)
{
    uint32_t frame = w->stack[w->depth - 1].frame;
    if (frame == 0) {
        simt_exit(w, lanes);
        return;
    }
    const struct call_frame *callee = &w->frames[frame], *caller = &w->frames[frame - 1];
    for (uint32_t i = 0; i < callee->site->n_rets; i++) {
        struct call_copy c = callee->site->rets[i];
        if (i < callee->func->func->n_rets)
            c.from = callee->func->ret_at[i];
        copy_words(w, &c, callee->local_at, caller->local_at, lanes);
    }
    save_top(w);
    for (uint32_t i = w->depth; i-- > 0 && w->stack[i].frame == frame;)
        w->stack[i].mask &= ~lanes;
    pop_finished(w);
}

static bool grow_frames(struct emu_warp *w, const struct program_func *f,
                        const struct call_frame *next)
{
    uint64_t rows = (uint64_t)next->rows_at + f->frame_bytes;
    if (rows > MAX_ROWS_BYTES)
        return false;
    RESERVE(w, w->rows, w->rows_cap, rows);
    RESERVE(w, w->pred_store, w->preds_cap, next->preds_at + f->n_preds + FRAME_EXTRA_PREDS);
    if (next->local_end > w->local_cap)
        w->local = reserve(w, w->local, &w->local_cap, next->local_end, WARP_LANES);
    return true;
}

/* Makes room for a call of `f` above the existing frames; its contents are zero. */
static bool push_frame(struct emu_warp *w, const struct program_func *f,
                       const struct call_site *site)
{
    struct call_frame next = {.func = f, .site = site};
    if (w->n_frames) {
        const struct call_frame *top = &w->frames[w->n_frames - 1];
        next.rows_at = top->rows_at + top->func->frame_bytes;
        next.preds_at = top->preds_at + top->func->n_preds + FRAME_EXTRA_PREDS;
        next.local_at = (top->local_end + f->local_align - 1) / f->local_align * f->local_align;
    }
    if (next.local_at > w->emu->max_local_bytes ||
        f->local_bytes > w->emu->max_local_bytes - next.local_at || w->n_frames >= MAX_CALL_DEPTH)
        return false;
    next.local_end = next.local_at + f->local_bytes;
    if (!grow_frames(w, f, &next))
        return false;
    RESERVE(w, w->frames, w->cap_frames, w->n_frames + 1);
    w->frames[w->n_frames++] = next;
    return true;
}

/* Undefined values are 0, whatever ran there before. No other lanes have anything there: waiting
 * lanes continue in this frame's caller or below. */
static void clear_frame(struct emu_warp *w, const struct call_frame *f)
{
    memset(w->rows + f->rows_at, 0, f->func->frame_bytes);
    memset(w->pred_store + f->preds_at, 0, f->func->n_preds * sizeof(uint32_t));
    if (f->func->local_bytes)
        memset(w->local + (size_t)f->local_at * WARP_LANES, 0,
               (size_t)f->func->local_bytes * WARP_LANES);
    uint32_t *extra = w->pred_store + f->preds_at + f->func->n_preds;
    extra[FRAME_PRED_TRUE] = ~0u;
    extra[FRAME_PRED_FALSE] = extra[FRAME_PRED_SCRATCH] = 0;
}

void simt_call(struct emu_warp *w, const struct program_func *callee, const struct call_site *site,
               uint32_t lanes)
{
    if (!push_frame(w, callee, site)) {
        emu_fault(w, FAULT_STACK, (uint32_t)__builtin_ctz(lanes),
                  "call of '%s' at depth %u needs too much local memory; a thread has %u bytes",
                  callee->func->name, w->n_frames, w->emu->max_local_bytes);
        return;
    }
    uint32_t frame = w->n_frames - 1;
    clear_frame(w, &w->frames[frame]);
    for (uint32_t i = 0; site && i < site->n_args; i++) {
        struct call_copy c = site->args[i];
        if (i < callee->func->n_params)
            c.to = callee->param_at[i];
        copy_words(w, &c, w->frames[frame - 1].local_at, w->frames[frame].local_at, lanes);
    }
    simt_push(w, callee->entry, PROGRAM_NO_PC, lanes, frame);
    enter_frame(w, frame);
}
