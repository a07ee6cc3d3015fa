#include "trace/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"
#include "trace/watch.h"

enum { MAX_SMS = 1024 }; /* the most that a configuration may have */

struct warp_record {
    struct stream_writer stream;
    struct cta_record *cta;
    uint32_t id;
    uint32_t n_barriers; /* barriers of the whole CTA it has reached */
};

struct cta_record {
    uint64_t number;
    struct warp_record *warps;
    uint32_t n_warps;
    struct cta_record *next;      /* free ones */
    struct cta_record *next_made; /* list of all records of the SM */
    struct shared_watch shared;
};

/* A piece that waits to be written; its bytes are in the SM's pile. */
struct sealed {
    uint64_t cycle, cta;
    size_t at, n;
    uint32_t warp;
    bool ends_cta; /* not a piece: the CTA has ended */
};

struct sm_record {
    struct cta_record *free, *made;
    struct bytes pile;
    struct sealed *sealed;
    uint32_t n_sealed, cap_sealed, next; /* next: index of the next one to be gathered */
    struct strbuf printed;               /* text printed by the current instruction */
    void (*print)(void *user, const char *text, size_t len);
    void *print_user;
    struct access_log log;
    struct time_reasons reasons; /* those that the SM itself found */
};

struct trace_recorder {
    struct emu_tracer tracer; /* must be first: the emulator's view of it */
    struct trace_writer *writer;
    struct sm_record *sms;
    uint32_t n_sms;
    /* The current launch. */
    warp_runner run;
    const struct program *program; /* the program that `ops` describes */
    struct trace_ops ops;
    struct memory_watch *memory;
    struct time_reasons reasons;
    /* Modules already written to the file. */
    const struct ptx_module **modules;
    uint32_t n_modules, cap_modules;
};

static struct trace_recorder *recorder_of(const struct emu *e)
{
    return (struct trace_recorder *)e->tracer;
}

/* --- pieces --- */

static void seal(struct sm_record *s, struct warp_record *w, uint64_t cycle)
{
    struct bytes *out = &w->stream.out;
    stream_write_piece_end(&w->stream);
    ARRAY_RESERVE(s->sealed, s->cap_sealed, s->n_sealed + 1);
    s->sealed[s->n_sealed++] = (struct sealed){
        .cycle = cycle, .cta = w->cta->number, .at = s->pile.n, .n = out->n, .warp = w->id};
    bytes_put_raw(&s->pile, out->data, out->n);
    out->n = 0;
}

/* --- answers --- */

static uint32_t rows_value(const struct emu_warp *w, uint32_t row, uint32_t lane)
{
    return ((const uint32_t *)warp_row(w, row))[lane];
}

/* Where the lanes of an indirect branch or call go first, and which lanes; false if it faults. */
static bool find_target(const struct emu_warp *w, const struct op *op, uint32_t mask,
                        uint64_t *target, uint32_t *lanes)
{
    const struct program *p = w->emu->program;
    bool is_call = p->info[op - w->code].exec_id == EXEC_CALL_INDIRECT;
    uint32_t lead = (uint32_t)__builtin_ctz(mask);
    *lanes = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t to;
        if (is_call) {
            to = op->flags & OP_SRC64 ? ((const uint64_t *)warp_row(w, op->a))[i]
                                      : rows_value(w, op->a, i);
            to = (to - program_func_address(0)) / 16;
        } else {
            uint32_t index = rows_value(w, op->a, i);
            if (index >= op->imm)
                return false;
            to = p->extra[op->extra + index];
        }
        if (i == lead)
            *target = to;
        *lanes |= (uint32_t)(to == *target) << i;
    }
    return true;
}

static uint64_t barrier_operands(const struct emu_warp *w, const struct op *op, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint64_t threads = op->imm ? rows_value(w, op->b, lane) : 0;
    return rows_value(w, op->a, lane) | threads << 32;
}

static void keep_text(void *user, const char *text, size_t len)
{
    struct sm_record *s = user;
    strbuf_add_n(&s->printed, text, len);
    if (s->print)
        s->print(s->print_user, text, len);
}

/* Executes an instruction whose printed text is recorded. */
static uint64_t run_printing(struct trace_recorder *r, struct sm_record *s, struct emu_warp *w)
{
    struct emu *e = w->emu;
    strbuf_clear(&s->printed);
    s->print = e->print;
    s->print_user = e->print_user;
    e->print = keep_text;
    e->print_user = s;
    uint64_t n = r->run(w, 1);
    e->print = s->print;
    e->print_user = s->print_user;
    return n;
}

/* The inputs of the questions, before the instruction overwrites its operands. */
struct question {
    const struct op *op;
    const struct trace_op *t;
    uint32_t pc, active, mask;
    uint64_t zeros; /* counted so far */
    uint64_t target;
    uint32_t target_lanes;
    uint64_t barrier;
};

static void prepare(const struct emu_warp *w, const struct trace_ops *ops, struct question *q)
{
    q->pc = w->pc;
    q->active = q->mask = w->active;
    q->op = &w->code[w->pc];
    q->t = &ops->ops[w->pc];
    if (q->t->asks & ASK_GUARD)
        q->mask &= warp_pred(w, q->op->guard);
    q->zeros = w->emu->stats->div_by_zero;
    if (!q->mask)
        return;
    if (q->t->asks & ASK_TARGET)
        find_target(w, q->op, q->mask, &q->target, &q->target_lanes);
    if (q->t->asks & ASK_BARRIER)
        q->barrier = barrier_operands(w, q->op, q->mask);
}

/* A guarded brx first makes its lanes return separately; no question is asked then. */
static bool asks_target(const struct emu_warp *w, const struct question *q)
{
    return q->t->asks & ASK_TARGET &&
           (q->mask == q->active || w->emu->program->info[q->pc].exec_id == EXEC_CALL_INDIRECT);
}

static void answer(struct emu_warp *w, struct sm_record *s, struct stream_writer *out,
                   const struct question *q)
{
    const struct emu *e = w->emu;
    if (q->t->asks & ASK_GUARD)
        stream_write_guard(out, q->op, q->pc, q->active, q->mask);
    if (!q->mask)
        return;
    if (q->t->asks & ASK_ADDRESS)
        stream_write_address(out, q->pc, q->mask, e->last.address);
    if (asks_target(w, q))
        stream_write_value(out, q->pc, q->mask, q->target, q->target_lanes);
    if (q->t->asks & ASK_BARRIER)
        stream_write_value(out, q->pc, q->mask, q->barrier, q->mask);
    if (q->t->asks & ASK_TEXT)
        stream_write_text(out, strbuf_text(&s->printed), s->printed.len);
    if (q->t->asks & ASK_ZEROS)
        stream_write_zeros(out, (uint32_t)(e->stats->div_by_zero - q->zeros));
}

static uint64_t record_warp(struct emu_warp *w, uint64_t slice)
{
    struct emu *e = w->emu;
    struct trace_recorder *r = recorder_of(e);
    struct sm_record *s = &r->sms[e->smid];
    struct warp_record *record = w->trace;
    struct question q = {0};
    (void)slice; /* SMs request one */
    prepare(w, &r->ops, &q);
    uint64_t n = q.t->asks & ASK_TEXT ? run_printing(r, s, w) : r->run(w, 1);
    if (w->state == WARP_FAULTED) /* there will be no trace */
        return n;
    if (q.t->asks)
        answer(w, s, &record->stream, &q);
    watch_instruction(w, q.pc, q.mask, q.t, record->n_barriers, &record->cta->shared, &s->log,
                      &s->reasons);
    if (q.mask && q.op->klass == PTX_CLASS_BARRIER)
        record->n_barriers += watch_is_full_barrier(w, q.op, q.mask);
    if (record->stream.out.n >= PIECE_BYTES)
        seal(s, record, e->cycle);
    return n;
}

/* --- CTAs --- */

static struct cta_record *new_cta(struct trace_recorder *r, struct sm_record *s, uint32_t n_warps,
                                  uint32_t shared_bytes)
{
    struct cta_record *c = s->free;
    if (c) {
        s->free = c->next;
    } else {
        c = xcalloc(1, sizeof *c);
        c->next_made = s->made;
        s->made = c;
        c->n_warps = n_warps;
        c->warps = xcalloc(n_warps, sizeof *c->warps);
        for (uint32_t i = 0; i < n_warps; i++)
            model_create(&c->warps[i].stream.model, &r->ops);
    }
    shared_watch_begin(&c->shared, shared_bytes);
    return c;
}

static void cta_begins(struct emu *e, struct emu_cta *cta)
{
    struct trace_recorder *r = recorder_of(e);
    struct cta_record *c = new_cta(r, &r->sms[e->smid], cta->n_warps, cta->shared_bytes);
    c->number = cta->number;
    for (uint32_t i = 0; i < c->n_warps; i++) {
        struct warp_record *w = &c->warps[i];
        model_begin(&w->stream.model);
        w->stream.out.n = 0;
        w->stream.n_expected = 0;
        w->cta = c;
        w->id = i;
        w->n_barriers = 0;
        cta->warps[i].trace = w;
    }
}

static void cta_ends(struct emu *e, struct emu_cta *cta)
{
    struct sm_record *s = &recorder_of(e)->sms[e->smid];
    struct cta_record *c = ((struct warp_record *)cta->warps[0].trace)->cta;
    for (uint32_t i = 0; i < c->n_warps; i++)
        seal(s, &c->warps[i], e->cycle);
    ARRAY_RESERVE(s->sealed, s->cap_sealed, s->n_sealed + 1);
    s->sealed[s->n_sealed++] =
        (struct sealed){.cycle = e->cycle, .cta = c->number, .ends_cta = true};
    c->next = s->free;
    s->free = c;
}

static void free_ctas(struct trace_recorder *r)
{
    for (uint32_t i = 0; i < r->n_sms; i++) {
        for (struct cta_record *c = r->sms[i].made, *next; c; c = next) {
            next = c->next_made;
            for (uint32_t k = 0; k < c->n_warps; k++) {
                model_destroy(&c->warps[k].stream.model);
                free(c->warps[k].stream.out.data);
            }
            shared_watch_destroy(&c->shared);
            free(c->warps);
            free(c);
        }
        r->sms[i].free = r->sms[i].made = NULL;
    }
}

/* --- gathering: in time order; at equal times, lower SM numbers first --- */

static struct sm_record *first_sealed(struct trace_recorder *r)
{
    struct sm_record *first = NULL;
    for (uint32_t i = 0; i < r->n_sms; i++) {
        struct sm_record *s = &r->sms[i];
        if (s->next < s->n_sealed &&
            (!first || s->sealed[s->next].cycle < first->sealed[first->next].cycle))
            first = s;
    }
    return first;
}

static void gather_pieces(struct trace_recorder *r)
{
    for (struct sm_record *s; (s = first_sealed(r));) {
        const struct sealed *p = &s->sealed[s->next++];
        if (p->ends_cta)
            trace_writer_end_cta(r->writer, p->cta);
        else
            trace_writer_piece(r->writer, p->cta, p->warp, s->pile.data + p->at, p->n);
    }
    for (uint32_t i = 0; i < r->n_sms; i++)
        r->sms[i].n_sealed = r->sms[i].next = 0, r->sms[i].pile.n = 0;
}

void trace_recorder_gather(struct trace_recorder *r)
{
    struct access_log *logs[MAX_SMS];
    for (uint32_t i = 0; i < r->n_sms; i++) {
        logs[i] = &r->sms[i].log;
        time_reasons_join(&r->reasons, &r->sms[i].reasons);
    }
    memory_watch_take(r->memory, logs, r->n_sms, r->program, &r->reasons);
    gather_pieces(r);
}

/* --- launches --- */

static uint32_t module_number(struct trace_recorder *r, const struct program *p, const char *ptx,
                              size_t ptx_bytes)
{
    for (uint32_t i = 0; i < r->n_modules; i++)
        if (r->modules[i] == p->module)
            return i;
    ARRAY_RESERVE(r->modules, r->cap_modules, r->n_modules + 1);
    r->modules[r->n_modules++] = p->module;
    struct trace_module m = {.name = p->module->name,
                             .text = ptx,
                             .text_bytes = ptx_bytes,
                             .addresses = p->var_addresses,
                             .n_addresses = p->module->n_vars};
    return trace_writer_module(r->writer, &m);
}

void trace_recorder_begin(struct trace_recorder *r, struct emu *emu, const char *ptx,
                          size_t ptx_bytes)
{
    const struct emu_launch *l = &emu->launch;
    struct trace_launch t = {.module = module_number(r, emu->program, ptx, ptx_bytes),
                             .kernel = l->func->func->name,
                             .work_dim = l->work_dim,
                             .shared_bytes = l->shared_bytes,
                             .dynamic_shared_bytes = l->dynamic_shared_bytes};
    memcpy(t.grid, l->grid, sizeof t.grid);
    memcpy(t.block, l->block, sizeof t.block);
    memcpy(t.offset, l->offset, sizeof t.offset);
    trace_writer_begin_launch(r->writer, &t);
    free_ctas(r); /* for another program, or with other numbers of warps */
    trace_ops_destroy(&r->ops);
    trace_ops_build(&r->ops, emu->program);
    r->program = emu->program;
    time_reasons_clear(&r->reasons);
    memory_watch_begin(r->memory);
    r->run = emu->run_warp;
    emu->run_warp = record_warp;
    emu->tracer = &r->tracer;
}

void trace_recorder_end(struct trace_recorder *r, struct emu *emu, uint64_t warp_insts)
{
    trace_recorder_gather(r);
    struct trace_launch_end end = {.warp_insts = warp_insts};
    for (uint32_t i = 0; i < N_TRACE_REASONS; i++)
        if (r->reasons.found[i])
            end.reasons[i] = strbuf_text(&r->reasons.where[i]);
    trace_writer_end_launch(r->writer, &end);
    emu->run_warp = r->run;
    emu->tracer = NULL;
}

struct trace_recorder *trace_recorder_create(struct sink sink, const struct trace_about *about,
                                             uint32_t n_sms)
{
    struct trace_recorder *r = xcalloc(1, sizeof *r);
    r->tracer = (struct emu_tracer){.cta_begins = cta_begins, .cta_ends = cta_ends};
    r->writer = trace_writer_create(sink, about);
    r->n_sms = n_sms;
    r->sms = xcalloc(n_sms, sizeof *r->sms);
    r->memory = memory_watch_create();
    return r;
}

void trace_recorder_note(struct trace_recorder *r, const char *name, const char *value)
{
    trace_writer_note(r->writer, name, value);
}

bool trace_recorder_finish(struct trace_recorder *r)
{
    return trace_writer_finish(r->writer);
}

void trace_recorder_destroy(struct trace_recorder *r)
{
    if (!r)
        return;
    free_ctas(r);
    for (uint32_t i = 0; i < r->n_sms; i++) {
        struct sm_record *s = &r->sms[i];
        free(s->pile.data);
        free(s->sealed);
        strbuf_destroy(&s->printed);
        access_log_destroy(&s->log);
        time_reasons_destroy(&s->reasons);
    }
    time_reasons_destroy(&r->reasons);
    memory_watch_destroy(r->memory);
    trace_ops_destroy(&r->ops);
    trace_writer_destroy(r->writer);
    free(r->modules);
    free(r->sms);
    free(r);
}
