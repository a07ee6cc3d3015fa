#include "trace/player.h"

#include <stdlib.h>
#include <string.h>

#include "emu/hostcall.h"
#include "trace/stream.h"

struct warp_play {
    struct stream_reader stream; /* must be first: refill() receives it */
    struct cta_play *cta;
    uint32_t id;
    uint64_t n_pieces;       /* pieces of the CTA that it has read */
    struct bytes piece;      /* the current one */
    uint32_t mask;           /* lanes that execute the next instruction */
    const uint64_t *address; /* of the next instruction */
};

struct cta_play {
    struct trace_player *player;
    struct sm_play *sm;
    struct trace_cta source;
    struct warp_play *warps;
    uint32_t n_warps;
    struct cta_play *next;      /* free ones */
    struct cta_play *next_made; /* all of the SM's */
};

struct sm_play {
    struct cta_play *free, *made;
    struct strbuf why; /* why the trace cannot be read */
};

struct trace_player {
    struct emu_tracer tracer; /* must be first: the emulator's view of it */
    struct trace_reader *reader;
    struct sm_play *sms;
    uint32_t n_sms;
    /* The current launch. */
    warp_runner run;
    const struct program *program; /* the program that `ops` describes */
    uint32_t n_warps;              /* of a CTA */
    struct trace_ops ops;
    uint64_t warp_insts;
};

static struct trace_player *player_of(const struct emu *e)
{
    return (struct trace_player *)e->tracer;
}

static bool next_piece(struct stream_reader *s)
{
    struct warp_play *w = (struct warp_play *)s;
    struct cta_play *c = w->cta;
    if (!trace_reader_piece(c->player->reader, &c->source, w->id, &w->n_pieces, &w->piece,
                            &c->sm->why))
        return false;
    s->in = (struct cursor){w->piece.data, w->piece.data + w->piece.n, false};
    return true;
}

/* --- the next instruction --- */

/* Puts addresses where the scoreboard reads them: it must know whether an atomic is in the way. */
static void show_addresses(struct emu_warp *w, const struct op *op, const uint64_t *address)
{
    void *row = warp_row(w, op->a);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t base = address[i] - (uint64_t)op->imm;
        if (op->flags & OP_ADDR32)
            ((uint32_t *)row)[i] = (uint32_t)base;
        else
            ((uint64_t *)row)[i] = base;
    }
}

/* Finds which lanes execute the next instruction, and the addresses it accesses. */
static void look_ahead(struct emu_warp *w, struct warp_play *play, const struct trace_ops *ops)
{
    const struct op *op = &w->code[w->pc];
    const struct trace_op *t = &ops->ops[w->pc];
    play->mask = w->active;
    if (t->asks & ASK_GUARD) {
        play->mask = stream_read_guard(&play->stream, op, w->pc, w->active);
        w->preds[op->guard & ~OP_NEGATED] = op->guard & OP_NEGATED ? ~play->mask : play->mask;
    }
    if (!play->mask || !(t->asks & ASK_ADDRESS))
        return;
    play->address = stream_read_address(&play->stream, w->pc, play->mask);
    if (ops->has_atomics)
        show_addresses(w, op, play->address);
}

/* --- what instructions do --- */

/* A constant address is in the program. */
static void find_constant(struct emu_warp *w, const struct op *op)
{
    const void *row = warp_row(w, op->a);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        w->emu->last.address[i] = op->flags & OP_ADDR32
                                      ? (uint32_t)(((const uint32_t *)row)[i] + (uint32_t)op->imm)
                                      : ((const uint64_t *)row)[i] + (uint64_t)op->imm;
}

/* Usually all of them, so popcount, which some hosts lack, is not needed. */
static inline uint32_t lanes_of(uint32_t mask)
{
    return mask == ~0u ? WARP_LANES : (uint32_t)__builtin_popcount(mask);
}

static void count(uint64_t *counter, uint32_t mask, const struct op *op)
{
    *counter += (uint64_t)lanes_of(mask) * op->width * op->vec;
}

/* Lanes whose generic address is one of shared or of local memory. */
static void split_spaces(const uint64_t *address, uint32_t mask, uint32_t *shared, uint32_t *local)
{
    *shared = *local = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (address[i] >= GENERIC_LOCAL_END || address[i] < GENERIC_SHARED_BASE)
            continue;
        *(address[i] < GENERIC_LOCAL_BASE ? shared : local) |= 1u << i;
    }
}

static void play_generic(struct emu_warp *w, const struct op *op, uint32_t mask, bool load)
{
    struct run_stats *s = w->emu->stats;
    uint32_t shared, local;
    split_spaces(w->emu->last.address, mask, &shared, &local);
    count(load ? &s->global_load_bytes : &s->global_store_bytes, mask & ~shared & ~local, op);
    count(load ? &s->shared_load_bytes : &s->shared_store_bytes, shared, op);
    count(load ? &s->local_load_bytes : &s->local_store_bytes, local, op);
}

/* The machine orders and times the atomic; nothing is computed. */
static void play_atomic(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct emu *e = w->emu;
    uint32_t shared = op->sub2 == PTX_SHARED ? mask : 0, local;
    if (op->sub2 == PTX_GENERIC)
        split_spaces(e->last.address, mask, &shared, &local);
    e->stats->atomics += (uint32_t)__builtin_popcount(mask);
    e->atomic.op = op;
    e->atomic.mask = mask & ~shared;
}

static void play_branch_table(struct emu_warp *w, struct warp_play *play, const struct op *op,
                              uint32_t mask)
{
    const struct program *p = w->emu->program;
    uint32_t here = w->pc - 1, meet = p->info[here].reconverge, group;
    if (mask != w->active) {
        simt_branch_by_table(w, here, mask, mask, meet);
        return;
    }
    uint64_t target = stream_read_value(&play->stream, here, mask, &group);
    bool is_known = false;
    for (int64_t i = 0; i < op->imm; i++)
        is_known |= p->extra[op->extra + i] == target;
    if (!is_known || !group) {
        play->stream.failed = true;
        return;
    }
    simt_branch_by_table(w, (uint32_t)target, group, mask, meet);
}

static void play_indirect_call(struct emu_warp *w, struct warp_play *play, const struct op *op,
                               uint32_t mask)
{
    const struct program *p = w->emu->program;
    uint32_t now;
    uint64_t callee = stream_read_value(&play->stream, w->pc - 1, mask, &now);
    const struct call_site *site = &p->calls[op->extra];
    if (!now || callee >= p->module->n_funcs || !p->funcs[callee].func->has_body ||
        p->funcs[callee].func->n_params != site->n_args) {
        play->stream.failed = true;
        return;
    }
    if (now != mask) {
        uint32_t next = w->pc, frame = w->stack[w->depth - 1].frame;
        simt_push(w, next - 1, next, mask & ~now, frame);
        simt_push(w, next, next, now, frame);
    }
    simt_call(w, &p->funcs[callee], site, now);
}

/* Restores the operands of a barrier that were in registers. */
static void play_barrier(struct emu_warp *w, struct warp_play *play, const struct op *op,
                         uint32_t mask, bool asks)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask), unused;
    if (asks) {
        uint64_t v = stream_read_value(&play->stream, w->pc - 1, mask, &unused);
        if (!(op->a & OP_POOL))
            ((uint32_t *)warp_row(w, op->a))[lane] = (uint32_t)v;
        if (op->imm && !(op->b & OP_POOL))
            ((uint32_t *)warp_row(w, op->b))[lane] = (uint32_t)(v >> 32);
    }
    emu_x_BAR(w, op, mask);
}

static void play_host_call(struct emu_warp *w, struct warp_play *play, const struct op *op)
{
    struct emu *e = w->emu;
    const struct call_site *site = &e->program->calls[op->extra];
    size_t n;
    if (is_heap_call(site))
        heap_put_off(w, site, 0); /* it takes its time; no lane receives an address */
    const char *text = stream_read_text(&play->stream, &n);
    if (text && e->print)
        e->print(e->print_user, text, n);
    e->stats->printf_bytes += n;
}

static void play_control(struct emu_warp *w, struct warp_play *play, const struct op *op,
                         const struct trace_op *t, uint32_t mask, enum exec_id id)
{
    switch (id) {
    case EXEC_BRA:
        emu_x_BRA(w, op, mask);
        break;
    case EXEC_BRA_SPIN:
        emu_x_BRA_SPIN(w, op, mask);
        break;
    case EXEC_BRX:
        play_branch_table(w, play, op, mask);
        break;
    case EXEC_CALL:
        emu_x_CALL(w, op, mask);
        break;
    case EXEC_CALL_INDIRECT:
        play_indirect_call(w, play, op, mask);
        break;
    case EXEC_CALL_HOST:
        play_host_call(w, play, op);
        break;
    case EXEC_RET:
        emu_x_RET(w, op, mask);
        break;
    case EXEC_EXIT:
        emu_x_EXIT(w, op, mask);
        break;
    case EXEC_TRAP:
        emu_x_TRAP(w, op, mask);
        break;
    case EXEC_REFUSED:
        emu_x_REFUSED(w, op, mask);
        break;
    case EXEC_BAR:
        play_barrier(w, play, op, mask, t->asks & ASK_BARRIER);
        break;
    default: /* it computes something: only its timing matters */
        if (t->asks & ASK_ZEROS)
            w->emu->stats->div_by_zero += stream_read_zeros(&play->stream);
    }
}

static void play_memory(struct emu_warp *w, struct warp_play *play, const struct op *op,
                        const struct trace_op *t, uint32_t mask)
{
    struct emu *e = w->emu;
    e->last.mask = mask;
    e->last.shape = SCATTERED;
    if (t->asks & ASK_ADDRESS)
        memcpy(e->last.address, play->address, sizeof e->last.address);
    else
        find_constant(w, op);
}

/* A named variable in local memory; parameters of calls need no access. */
static void play_frame(struct emu_warp *w, const struct op *op, uint32_t mask)
{
    struct run_stats *s = w->emu->stats;
    if (op->klass != PTX_CLASS_LD_LOCAL && op->klass != PTX_CLASS_ST_LOCAL)
        return;
    w->emu->last.mask = mask;
    count(op->klass == PTX_CLASS_LD_LOCAL ? &s->local_load_bytes : &s->local_store_bytes, mask, op);
}

static void play(struct emu_warp *w, struct warp_play *play, const struct op *op,
                 const struct trace_op *t, uint32_t mask)
{
    struct run_stats *s = w->emu->stats;
    enum exec_id id = t->exec_id;
    if (t->unit)
        play_memory(w, play, op, t, mask);
    switch (id) {
    case EXEC_LD_GLOBAL:
        count(op->klass == PTX_CLASS_LD_CONST ? &s->const_load_bytes : &s->global_load_bytes, mask,
              op);
        break;
    case EXEC_LD_SHARED:
        count(&s->shared_load_bytes, mask, op);
        break;
    case EXEC_LD_LOCAL:
        count(&s->local_load_bytes, mask, op);
        break;
    case EXEC_LD_GENERIC:
        play_generic(w, op, mask, true);
        break;
    case EXEC_ST_GLOBAL:
        count(&s->global_store_bytes, mask, op);
        break;
    case EXEC_ST_SHARED:
        count(&s->shared_store_bytes, mask, op);
        break;
    case EXEC_ST_LOCAL:
        count(&s->local_store_bytes, mask, op);
        break;
    case EXEC_ST_GENERIC:
        play_generic(w, op, mask, false);
        break;
    case EXEC_ATOM_ANY:
        play_atomic(w, op, mask);
        break;
    case EXEC_LD_FRAME:
    case EXEC_ST_FRAME:
        play_frame(w, op, mask);
        break;
    default:
        play_control(w, play, op, t, mask, id);
    }
}

static void report(struct emu_warp *w, const struct warp_play *play, const char *what)
{
    const char *why = strbuf_text(&play->cta->sm->why);
    emu_fault(w, FAULT_TRACE, 0, "%s%s%s", what, why[0] ? ": " : "", why);
}

static uint64_t play_warp(struct emu_warp *w, uint64_t slice)
{
    struct warp_play *p = w->trace;
    const struct trace_ops *ops = &p->cta->player->ops;
    const struct op *op = &w->code[w->pc];
    const struct trace_op *t = &ops->ops[w->pc];
    struct run_stats *s = w->emu->stats;
    (void)slice; /* SMs request one */
    w->pc++;
    s->warp_insts++;
    s->insts[op->klass]++;
    s->thread_insts += lanes_of(p->mask);
    if (p->mask && t->acts)
        play(w, p, op, t, p->mask);
    if (w->pc == w->rpc)
        simt_reconverge(w);
    if (w->state != WARP_DONE && w->state != WARP_FAULTED)
        look_ahead(w, p, ops);
    if (p->stream.failed)
        report(w, p, "the trace does not say how this warp continues");
    else if (w->state == WARP_DONE && !stream_read_is_over(&p->stream))
        report(w, p, "the trace has more of this warp than it can execute");
    return 1;
}

/* --- CTAs --- */

static struct cta_play *new_cta(struct trace_player *p, struct sm_play *sm, uint32_t n_warps)
{
    struct cta_play *c = sm->free;
    if (c) {
        sm->free = c->next;
        return c;
    }
    c = xcalloc(1, sizeof *c);
    c->next_made = sm->made;
    sm->made = c;
    c->player = p;
    c->sm = sm;
    c->n_warps = n_warps;
    c->warps = xcalloc(n_warps, sizeof *c->warps);
    for (uint32_t i = 0; i < n_warps; i++) {
        struct warp_play *w = &c->warps[i];
        model_create(&w->stream.model, &p->ops);
        w->stream.refill = next_piece;
        w->cta = c;
        w->id = i;
    }
    return c;
}

static void cta_begins(struct emu *e, struct emu_cta *cta)
{
    struct trace_player *p = player_of(e);
    struct sm_play *sm = &p->sms[e->smid];
    struct cta_play *c = new_cta(p, sm, cta->n_warps);
    bool ok = trace_reader_cta(p->reader, cta->number, &c->source, &sm->why);
    for (uint32_t i = 0; i < c->n_warps; i++) {
        struct warp_play *w = &c->warps[i];
        w->n_pieces = 0;
        w->stream.most = p->warp_insts;
        stream_read_begin(&w->stream);
        cta->warps[i].trace = w;
        w->stream.failed = !ok;
        if (ok)
            look_ahead(&cta->warps[i], w, &p->ops);
        else
            w->mask = 0;
    }
}

static void cta_ends(struct emu *e, struct emu_cta *cta)
{
    struct sm_play *sm = &player_of(e)->sms[e->smid];
    struct cta_play *c = ((struct warp_play *)cta->warps[0].trace)->cta;
    c->next = sm->free;
    sm->free = c;
}

static void free_ctas(struct trace_player *p)
{
    for (uint32_t i = 0; i < p->n_sms; i++) {
        for (struct cta_play *c = p->sms[i].made, *next; c; c = next) {
            next = c->next_made;
            for (uint32_t k = 0; k < c->n_warps; k++) {
                model_destroy(&c->warps[k].stream.model);
                free(c->warps[k].piece.data);
            }
            trace_cta_destroy(&c->source);
            free(c->warps);
            free(c);
        }
        p->sms[i].free = p->sms[i].made = NULL;
    }
}

/* --- launches --- */

void trace_player_begin(struct trace_player *p, struct emu *emu, uint64_t warp_insts)
{
    const uint32_t *block = emu->launch.block;
    uint32_t n_warps = (block[0] * block[1] * block[2] + WARP_LANES - 1) / WARP_LANES;
    if (p->program != emu->program || p->n_warps != n_warps) { /* the models were made for other
                                                                * ones */
        free_ctas(p);
        trace_ops_destroy(&p->ops);
        trace_ops_build(&p->ops, emu->program);
    }
    p->program = emu->program;
    p->n_warps = n_warps;
    p->warp_insts = warp_insts;
    p->run = emu->run_warp;
    emu->run_warp = play_warp;
    emu->tracer = &p->tracer;
}

void trace_player_end(struct trace_player *p, struct emu *emu)
{
    emu->run_warp = p->run;
    emu->tracer = NULL;
}

struct trace_player *trace_player_create(struct trace_reader *reader, uint32_t n_sms)
{
    struct trace_player *p = xcalloc(1, sizeof *p);
    p->tracer =
        (struct emu_tracer){.cta_begins = cta_begins, .cta_ends = cta_ends, .replays = true};
    p->reader = reader;
    p->n_sms = n_sms;
    p->sms = xcalloc(n_sms, sizeof *p->sms);
    return p;
}

void trace_player_destroy(struct trace_player *p)
{
    if (!p)
        return;
    free_ctas(p);
    trace_ops_destroy(&p->ops);
    for (uint32_t i = 0; i < p->n_sms; i++)
        strbuf_destroy(&p->sms[i].why);
    free(p->sms);
    free(p);
}
