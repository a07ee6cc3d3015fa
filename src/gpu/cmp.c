/* Executes work-groups in order and logs what their warps do. */
#include "gpu/cmp.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/run.h"
#include "gpu/cmp_log.h"
#include "ptx/lower.h"

/* Maximum warp operations of a work-group: beyond that it would never end. */
static const uint64_t most_insts = 1ull << 27;

/* --- buffers --- */

static void note_touched(struct cmp *c, const struct mem_alloc *a, const struct cmp_op *op)
{
    uint32_t i = 0;
    while (i < c->n_buffers && c->buffers[i].start < a->start)
        i++;
    if (i == c->n_buffers || c->buffers[i].start != a->start) {
        if (c->n_buffers == CMP_MAX_BUFFERS)
            return; /* cmp_buffers() reports that there are too many */
        memmove(&c->buffers[i + 1], &c->buffers[i], (c->n_buffers - i) * sizeof c->buffers[0]);
        c->buffers[i] = (struct cmp_buffer){.start = a->start, .bytes = a->bytes};
        c->n_buffers++;
    }
    c->buffers[i].is_read |= op->loads;
    c->buffers[i].is_written |= op->stores;
}

/* Records that an operation has accessed an address in global memory. */
static void touch(struct cmp *c, uint32_t pc, uint64_t address)
{
    const struct mem_alloc *a;
    if (c->seen[pc] && address - c->seen[pc] < c->emu.ranges[pc].bytes &&
        c->emu.ranges[pc].start == c->seen[pc])
        return;
    if (!(a = mem_find(c->emu.mem, address, 1)) || a->internal)
        return;
    note_touched(c, a, &c->ops[pc]);
    c->seen[pc] = a->start;
}

/* --- the log --- */

static void put(struct group_log *l, uint64_t word)
{
    if (l->n == l->cap)
        ARRAY_RESERVE(l->words, l->cap, l->n + 1);
    l->words[l->n++] = word;
}

/* The core's address for an address in local memory. Elements of lanes are adjacent. */
static uint64_t local_address(const struct cmp *c, const struct emu_warp *w, uint64_t at,
                              uint32_t lane, uint32_t bytes)
{
    return CMP_LOCAL_BASE + ((uint64_t)w->id * c->local_stride + at) * WARP_LANES + lane * bytes;
}

static uint64_t place_generic(const struct cmp *c, const struct emu_warp *w, uint64_t a,
                              uint32_t lane, uint32_t bytes)
{
    if (a >= GENERIC_SHARED_BASE && a < GENERIC_LOCAL_BASE)
        return CMP_SCRATCH_BASE + (a - GENERIC_SHARED_BASE);
    if (a >= GENERIC_LOCAL_BASE && a < GENERIC_LOCAL_END)
        return local_address(c, w, a - GENERIC_LOCAL_BASE, lane, bytes);
    return a;
}

/* The core's address for a lane's access. */
static uint64_t place_of(const struct cmp *c, const struct emu_warp *w, const struct op *op,
                         uint32_t exec_id, uint32_t lane)
{
    uint64_t a = c->emu.last.address[lane];
    uint32_t bytes = (uint32_t)op->width * op->vec;
    switch (exec_id) {
    case EXEC_LD_SHARED:
    case EXEC_ST_SHARED:
        return CMP_SCRATCH_BASE + a;
    case EXEC_LD_LOCAL:
    case EXEC_ST_LOCAL:
        return local_address(c, w, a, lane, bytes);
    case EXEC_LD_FRAME:
    case EXEC_ST_FRAME:
        return local_address(c, w, w->frames[w->n_frames - 1].local_at + (uint64_t)op->imm, lane,
                             bytes);
    case EXEC_ATOM_ANY:
        return op->sub2 == PTX_SHARED ? CMP_SCRATCH_BASE + a : place_generic(c, w, a, lane, bytes);
    case EXEC_LD_GENERIC:
    case EXEC_ST_GENERIC:
        return place_generic(c, w, a, lane, bytes);
    default:
        return a;
    }
}

static void log_access(struct cmp *c, const struct emu_warp *w, uint32_t pc, uint32_t mask)
{
    const struct op *op = &c->emu.program->ops[pc];
    uint32_t exec_id = c->emu.program->info[pc].exec_id;
    bool is_global = op->klass == PTX_CLASS_LD_GLOBAL || op->klass == PTX_CLASS_ST_GLOBAL ||
                     op->klass == PTX_CLASS_LD_CONST || op->klass == PTX_CLASS_ATOMIC;
    bool is_flat = exec_id != EXEC_LD_FRAME && exec_id != EXEC_ST_FRAME;
    bool is_run = is_flat && mask == ~0u && c->emu.last.shape >= CONSECUTIVE;
    uint64_t flags = !is_run ? 0 : c->emu.last.shape == CONSECUTIVE ? LOG_CONSECUTIVE : LOG_EQUAL;
    if (c->log)
        put(c->log, (uint64_t)mask << 32 | flags | pc);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t at = place_of(c, w, op, exec_id, lane);
        if (is_global && at < CMP_SCRATCH_BASE)
            touch(c, pc, at);
        if (c->log && (!is_run || m == mask))
            put(c->log, at);
    }
}

static void log_step(struct cmp *c, struct emu_warp *w)
{
    uint32_t pc = w->pc, mask = w->active;
    const struct op *op = &w->code[pc];
    const struct cmp_op *o = &c->ops[pc];
    if (op->guard != OP_NO_PRED)
        mask &= warp_pred(w, op->guard);
    emu_step_begin(w, &c->stats);
    bool accesses = o->loads || o->stores;
    if (accesses && mask && w->state != WARP_FAULTED)
        log_access(c, w, pc, mask);
    else if (c->log) /* one that failed has no addresses: none of its lanes counts */
        put(c->log, (uint64_t)(accesses ? 0 : mask) << 32 | pc);
    emu_step_end(w);
}

/* For emu.run_warp. */
static uint64_t run_warp(struct emu_warp *w, uint64_t slice)
{
    struct cmp *c = (struct cmp *)w->emu;
    uint64_t n = 0;
    if (c->log)
        put(c->log, (uint64_t)w->id << 32 | LOG_WARP);
    for (; w->state == WARP_RUNNING && n < slice; n++)
        log_step(c, w);
    return n;
}

/* --- work-groups --- */

static void refuse_endless(struct cmp *c)
{
    for (uint32_t i = 0; i < c->cta.n_warps; i++) {
        struct emu_warp *w = &c->cta.warps[i];
        if (w->state == WARP_DONE)
            continue;
        emu_fault(w, FAULT_LIMIT, w->active ? (uint32_t)__builtin_ctz(w->active) : 0,
                  "a work-group does not end within %llu warp instructions; on CPU cores it runs "
                  "to its end before the next one begins, so it must not wait for another",
                  (unsigned long long)most_insts);
        return;
    }
}

static void execute_next(struct cmp *c)
{
    cta_start(&c->emu, &c->cta, c->next_group++);
    if (!cta_run(&c->emu, &c->cta, most_insts) && c->emu.fault.kind == FAULT_NONE)
        refuse_endless(c);
    c->stats.ctas += c->emu.fault.kind == FAULT_NONE;
}

static struct group_log *new_log(struct cmp *c)
{
    struct group_log *l = c->free;
    if (l)
        c->free = l->next;
    else
        l = xcalloc(1, sizeof *l);
    l->n = 0;
    l->group = c->next_group;
    return l;
}

static void execute_kept(struct cmp *c)
{
    c->log = new_log(c);
    execute_next(c);
    c->log->failed = c->emu.fault.kind != FAULT_NONE;
    c->log->next = c->kept;
    c->kept = c->log;
    c->log = NULL;
}

struct group_log *cmp_take_group(struct cmp *c, uint64_t group)
{
    pthread_mutex_lock(&c->lock);
    while (c->next_group <= group && c->emu.fault.kind == FAULT_NONE)
        execute_kept(c);
    struct group_log **at = &c->kept;
    while (*at && (*at)->group != group)
        at = &(*at)->next;
    struct group_log *l = *at;
    if (l)
        *at = l->next;
    pthread_mutex_unlock(&c->lock);
    return l;
}

void cmp_give_back(struct cmp *c, struct group_log *l)
{
    pthread_mutex_lock(&c->lock);
    l->next = c->free;
    c->free = l;
    pthread_mutex_unlock(&c->lock);
}

void cmp_execute_all(struct cmp *c)
{
    while (c->next_group < c->n_groups && c->emu.fault.kind == FAULT_NONE)
        execute_next(c);
}

uint32_t cmp_buffers(const struct cmp *c, struct cmp_buffer out[CMP_MAX_BUFFERS])
{
    memcpy(out, c->buffers, c->n_buffers * sizeof *out);
    return c->n_buffers;
}

/* --- life --- */

static void free_logs(struct group_log *l)
{
    for (struct group_log *next; l; l = next) {
        next = l->next;
        free(l->words);
        free(l);
    }
}

static void measure(struct cmp *c, const struct emu *emu)
{
    const struct emu_launch *l = &emu->launch;
    c->n_groups = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    c->n_warps = (l->block[0] * l->block[1] * l->block[2] + WARP_LANES - 1) / WARP_LANES;
    c->local_stride = (l->func->local_bytes + 79) / 16 * 16;
    c->n_regs = 0;
    for (uint32_t f = 0; f < emu->program->module->n_funcs; f++) {
        const struct program_func *p = &emu->program->funcs[f];
        uint32_t n = p->n_64 + p->n_32 + p->n_preds + FRAME_EXTRA_PREDS;
        c->n_regs = n > c->n_regs ? n : c->n_regs;
    }
}

void cmp_start(struct cmp *c, const struct emu *emu)
{
    uint32_t n_ops = emu->program->n_ops;
    strbuf_destroy(&c->emu.fault.text);
    strbuf_destroy(&c->emu.warning);
    c->emu = *emu;
    c->emu.run_warp = run_warp;
    c->emu.tracer = NULL;
    c->emu.overlay = NULL;
    c->emu.heap = NULL;
    c->emu.stats = &c->stats;
    c->emu.fault = (struct emu_fault){0};
    c->emu.warning = (struct strbuf){0};
    c->emu.ranges = xcalloc(n_ops, sizeof *c->emu.ranges);
    c->seen = xcalloc(n_ops, sizeof *c->seen);
    c->ops = cmp_ops_build(emu->program, emu->launch.func, c->config->math_insts);
    c->stats = (struct run_stats){0};
    c->next_group = c->n_buffers = 0;
    measure(c, emu);
    for (uint32_t i = 0; i < c->n_workers; i++)
        cmp_source_start(c->sources[i]);
}

void cmp_end(struct cmp *c)
{
    free_logs(c->kept);
    c->kept = NULL;
    cta_destroy(&c->cta);
    free(c->emu.ranges);
    free(c->seen);
    free(c->ops);
    c->emu.ranges = NULL;
    c->seen = NULL;
    c->ops = NULL;
}

const struct emu_fault *cmp_fault(const struct cmp *c)
{
    return &c->emu.fault;
}

const struct run_stats *cmp_stats(const struct cmp *c)
{
    return &c->stats;
}

const struct emu *cmp_emu(const struct cmp *c)
{
    return &c->emu;
}

struct cmp *cmp_create(const struct cpu_config *config, uint32_t n_workers)
{
    struct cmp *c = xcalloc(1, sizeof *c);
    c->config = config;
    c->n_workers = n_workers;
    c->sources = xcalloc(n_workers + 1, sizeof(struct cpu_source *));
    pthread_mutex_init(&c->lock, NULL);
    for (uint32_t i = 0; i < n_workers; i++)
        c->sources[i] = cmp_source_create(c, i);
    return c;
}

void cmp_destroy(struct cmp *c)
{
    if (!c)
        return;
    cmp_end(c);
    for (uint32_t i = 0; i < c->n_workers; i++)
        cpu_source_close(c->sources[i]);
    free_logs(c->free);
    strbuf_destroy(&c->emu.fault.text);
    strbuf_destroy(&c->emu.warning);
    pthread_mutex_destroy(&c->lock);
    free(c->sources);
    free(c);
}

struct cpu_source *cmp_source(struct cmp *c, uint32_t worker)
{
    return c->sources[worker];
}
