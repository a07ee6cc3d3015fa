#include "trace/watch.h"

#include <stdlib.h>
#include <string.h>

/* --- who: CTA + 1, warp, barriers so far --- */

enum { MANY_WARPS = 0xff, PAGE_BYTES = 4096 };
#define MANY_CTAS 0xffffffffull

static uint64_t pack_who(uint64_t cta, uint32_t warp, uint32_t n_barriers)
{
    return (cta + 1) << 32 | (uint64_t)warp << 24 | (n_barriers & 0xffffff);
}

static uint64_t cta_of(uint64_t who)
{
    return who >> 32;
}

static uint32_t warp_of(uint64_t who)
{
    return who >> 24 & 0xff;
}

static bool same_stage(uint64_t a, uint64_t b)
{
    return (a & 0xffffff) == (b & 0xffffff);
}

/* Might the access of `who` have come before that of `earlier`? */
static bool is_unordered(uint64_t earlier, uint64_t who)
{
    if (!earlier)
        return false;
    if (cta_of(earlier) != cta_of(who))
        return true;
    return same_stage(earlier, who) && warp_of(earlier) != warp_of(who);
}

/* Adds an accessor to those so far, as far as later checks need it. What a CTA did before its last
 * barrier is ordered within the CTA; other CTAs only see the CTA. */
static uint64_t join_who(uint64_t before, uint64_t who)
{
    if (!before)
        return who;
    if (cta_of(before) != cta_of(who))
        return MANY_CTAS << 32;
    if (!same_stage(before, who) || warp_of(before) == warp_of(who))
        return who;
    return (who & ~(0xffull << 24)) | (uint64_t)MANY_WARPS << 24;
}

/* --- reasons --- */

void time_reasons_clear(struct time_reasons *t)
{
    for (uint32_t i = 0; i < N_TRACE_REASONS; i++) {
        t->found[i] = false;
        strbuf_clear(&t->where[i]);
    }
}

void time_reasons_destroy(struct time_reasons *t)
{
    for (uint32_t i = 0; i < N_TRACE_REASONS; i++)
        strbuf_destroy(&t->where[i]);
}

void time_reasons_join(struct time_reasons *into, struct time_reasons *from)
{
    for (uint32_t i = 0; i < N_TRACE_REASONS; i++) {
        if (!from->found[i] || (into->found[i] && into->cycle[i] <= from->cycle[i]))
            continue;
        into->found[i] = true;
        into->cycle[i] = from->cycle[i];
        strbuf_clear(&into->where[i]);
        strbuf_add(&into->where[i], strbuf_text(&from->where[i]));
    }
    time_reasons_clear(from);
}

/* An access, or another event at a place of the program. */
struct event {
    const struct program *program;
    uint64_t cycle, who, address;
    uint32_t pc;
    struct time_reasons *reasons;
};

static void found(const struct event *e, enum trace_reason reason)
{
    struct time_reasons *t = e->reasons;
    if (t->found[reason] && t->cycle[reason] <= e->cycle)
        return;
    t->found[reason] = true;
    t->cycle[reason] = e->cycle;
    struct strbuf *out = &t->where[reason];
    const struct op_info *info = &e->program->info[e->pc];
    const struct ptx_inst *inst = info->inst;
    strbuf_clear(out);
    if (inst) {
        strbuf_addf(out, "%s:%u", e->program->module->name, inst->line);
        if (inst->loc_line && inst->loc_file < e->program->module->n_files &&
            e->program->module->files[inst->loc_file])
            strbuf_addf(out, " (%s:%u)", e->program->module->files[inst->loc_file], inst->loc_line);
        strbuf_add(out, ": ");
        ptx_print_inst(info->func, inst, out);
        strbuf_add(out, " in ");
    }
    strbuf_addf(out, "CTA %llu, warp %u", (unsigned long long)cta_of(e->who) - 1, warp_of(e->who));
    if (e->address)
        strbuf_addf(out, ", address 0x%llx", (unsigned long long)e->address);
}

/* --- cells --- */

/* FETCH is an atomic whose result is used: it also reads. */
enum access_kind { LOAD, STORE, ATOMIC, FETCH };

static void read_cell(struct shadow_cell *c, const struct event *e, bool is_atomic)
{
    if (is_unordered(c->writer, e->who))
        found(e, is_atomic ? REASON_ATOMIC : REASON_LOAD);
    c->reader = join_who(c->reader, e->who);
    c->atomic_reader |= is_atomic;
}

static void write_cell(struct shadow_cell *c, const struct event *e, bool is_atomic, uint32_t value,
                       uint8_t operation)
{
    bool meets_writer = is_unordered(c->writer, e->who);
    if (is_unordered(c->reader, e->who))
        found(e, c->atomic_reader ? REASON_ATOMIC : REASON_LOAD);
    if (meets_writer && !is_atomic && (c->operation || c->value != value))
        found(e, REASON_STORE);
    if (meets_writer && is_atomic && (c->operation != operation || operation == UINT8_MAX))
        found(e, REASON_ORDER);
    c->writer = meets_writer ? join_who(c->writer, e->who) : e->who;
    c->value = value;
    c->operation = operation;
}

static void touch_cell(struct shadow_cell *c, const struct event *e, enum access_kind kind,
                       uint32_t value, uint8_t operation)
{
    if (kind == LOAD || kind == FETCH)
        read_cell(c, e, kind == FETCH);
    if (kind != LOAD)
        write_cell(c, e, kind != STORE, value, operation);
}

/* Splits words into bytes, which inherit the word's writers and readers. */
static void split_cells(const struct shadow_cell *words, struct shadow_cell *bytes, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;) {
        struct shadow_cell word = words[i];
        for (uint32_t k = 0; k < 4; k++) {
            bytes[4 * i + k] = word;
            bytes[4 * i + k].value = word.value >> 8 * k & 0xff;
        }
    }
}

/* The accesses of one lane, cell by cell. */
static void touch_cells(struct shadow_cell *cells, uint32_t log_bytes, uint64_t offset,
                        uint32_t bytes, const struct event *e, enum access_kind kind,
                        const uint8_t *data, uint8_t operation)
{
    uint32_t size = 1u << log_bytes;
    for (uint32_t at = 0; at < bytes; at += size) {
        uint32_t value = 0;
        if (kind == STORE)
            memcpy(&value, data + at, size);
        touch_cell(&cells[(offset + at) >> log_bytes], e, kind, value, operation);
    }
}

/* --- shared memory --- */

void shared_watch_begin(struct shared_watch *s, uint32_t bytes)
{
    uint32_t n = (bytes + 3) / 4;
    s->log_bytes = 2;
    s->n_cells = n;
    ARRAY_RESERVE(s->cells, s->cap_cells, n);
    if (n)
        memset(s->cells, 0, n * sizeof *s->cells);
}

void shared_watch_destroy(struct shared_watch *s)
{
    free(s->cells);
}

static void touch_shared(struct shared_watch *s, uint64_t offset, uint32_t bytes,
                         const struct event *e, enum access_kind kind, const uint8_t *data,
                         uint8_t operation)
{
    if (bytes < 4 && s->log_bytes) {
        ARRAY_RESERVE(s->cells, s->cap_cells, 4 * s->n_cells);
        split_cells(s->cells, s->cells, s->n_cells);
        s->n_cells *= 4;
        s->log_bytes = 0;
    }
    touch_cells(s->cells, s->log_bytes, offset, bytes, e, kind, data, operation);
}

/* --- the log of an SM --- */

struct log_entry {
    uint64_t cycle, who;
    uint32_t pc;
    uint8_t n, bytes, kind, operation; /* n lanes: addresses and, for a store, data follow */
};

void access_log_destroy(struct access_log *l)
{
    free(l->bytes.data);
}

/* The bytes a lane stores, as they lie in memory. */
static void stored_bytes(const struct emu_warp *w, const struct op *op, uint32_t lane, uint8_t *to)
{
    const uint32_t *rows = &w->emu->program->extra[op->extra];
    for (uint32_t k = 0; k < op->vec; k++) {
        const void *row = warp_row(w, rows[k]);
        uint64_t v =
            op->flags & OP_SRC64 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
        memcpy(to + k * op->width, &v, op->width);
    }
}

struct access {
    const struct op *op;
    enum access_kind kind;
    uint8_t operation;
    uint32_t bytes;
};

static void log_global(const struct emu_warp *w, struct access_log *log, const struct event *e,
                       const struct access *a, uint32_t mask)
{
    struct log_entry entry = {.cycle = e->cycle,
                              .who = e->who,
                              .pc = e->pc,
                              .n = (uint8_t)__builtin_popcount(mask),
                              .bytes = (uint8_t)a->bytes,
                              .kind = (uint8_t)a->kind,
                              .operation = a->operation};
    bytes_put_raw(&log->bytes, &entry, sizeof entry);
    for (uint32_t m = mask; m; m &= m - 1)
        bytes_put_raw(&log->bytes, &w->emu->last.address[__builtin_ctz(m)], sizeof(uint64_t));
    for (uint32_t m = a->kind == STORE ? mask : 0; m; m &= m - 1) {
        stored_bytes(w, a->op, (uint32_t)__builtin_ctz(m), bytes_reserve(&log->bytes, a->bytes));
        log->bytes.n += a->bytes;
    }
}

/* --- instructions --- */

static bool describe_access(const struct op_info *info, const struct op *op,
                            const struct trace_op *t, struct access *a, enum ptx_space *space)
{
    *a = (struct access){.op = op, .kind = LOAD, .bytes = t->unit};
    switch (info->exec_id) {
    case EXEC_ST_GLOBAL:
        a->kind = STORE;
        *space = PTX_GLOBAL;
        return true;
    case EXEC_LD_GLOBAL: /* constants are never written */
        *space = PTX_GLOBAL;
        return op->klass != PTX_CLASS_LD_CONST;
    case EXEC_ST_SHARED:
        a->kind = STORE;
        *space = PTX_SHARED;
        return true;
    case EXEC_LD_SHARED:
        *space = PTX_SHARED;
        return true;
    case EXEC_ST_GENERIC:
        a->kind = STORE;
        *space = PTX_GENERIC;
        return true;
    case EXEC_LD_GENERIC:
        *space = PTX_GENERIC;
        return true;
    case EXEC_ATOM_ANY:
        a->kind = t->uses_result ? FETCH : ATOMIC;
        a->operation = t->commutes ? (uint8_t)(op->sub + 1) : UINT8_MAX;
        *space = op->sub2;
        return true;
    default:
        return false;
    }
}

static void watch_access(const struct emu_warp *w, uint32_t mask, const struct access *a,
                         enum ptx_space space, struct event *e, struct shared_watch *shared,
                         struct access_log *log)
{
    const uint64_t *address = w->emu->last.address;
    uint32_t global = space == PTX_GLOBAL ? mask : 0;
    uint8_t data[64];
    for (uint32_t m = mask & ~global; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t at = address[i];
        if (space == PTX_GENERIC) {
            if (at >= GENERIC_LOCAL_END || at < GENERIC_SHARED_BASE)
                global |= 1u << i;
            if (at >= GENERIC_LOCAL_BASE || at < GENERIC_SHARED_BASE)
                continue;
            at -= GENERIC_SHARED_BASE;
        }
        if (a->kind == STORE)
            stored_bytes(w, a->op, i, data);
        e->address = GENERIC_SHARED_BASE + at;
        touch_shared(shared, at, a->bytes, e, a->kind, data, a->operation);
    }
    if (global)
        log_global(w, log, e, a, global);
}

void watch_instruction(const struct emu_warp *w, uint32_t pc, uint32_t mask,
                       const struct trace_op *t, uint32_t n_barriers, struct shared_watch *shared,
                       struct access_log *log, struct time_reasons *reasons)
{
    static const uint8_t reason_of[] = {[TIME_CLOCK] = REASON_CLOCK, [TIME_HEAP] = REASON_HEAP};
    const struct emu *emu = w->emu;
    struct event e = {.program = emu->program,
                      .cycle = emu->cycle,
                      .who = pack_who(w->cta->number, w->id, n_barriers),
                      .pc = pc,
                      .reasons = reasons};
    struct access a;
    enum ptx_space space;
    if (!mask)
        return;
    if (t->time_source)
        found(&e, reason_of[t->time_source]);
    if (t->unit && describe_access(&emu->program->info[pc], &w->code[pc], t, &a, &space))
        watch_access(w, mask, &a, space, &e, shared, log);
}

bool watch_is_full_barrier(const struct emu_warp *w, const struct op *op, uint32_t mask)
{
    if (w->emu->program->info[op - w->code].exec_id != EXEC_BAR || op->sub == PTX_MOD_BAR_ARRIVE)
        return false;
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t threads = op->imm ? ((const uint32_t *)warp_row(w, op->b))[lane] : 0;
    return !threads || (threads + WARP_LANES - 1) / WARP_LANES == w->cta->n_warps;
}

/* --- global memory: pages of cells, by words until a byte is accessed --- */

struct page {
    uint64_t number; /* address / PAGE_BYTES + 1; 0 = no page */
    uint32_t launch; /* the launch that the cells belong to */
    uint32_t log_bytes, cap_cells;
    struct shadow_cell *cells;
};

struct memory_watch {
    struct page *pages; /* open addressing */
    uint32_t n_pages, size;
    uint32_t launch;
};

struct memory_watch *memory_watch_create(void)
{
    struct memory_watch *m = xcalloc(1, sizeof *m);
    m->size = 1024;
    m->pages = xcalloc(m->size, sizeof *m->pages);
    return m;
}

void memory_watch_destroy(struct memory_watch *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->size; i++)
        free(m->pages[i].cells);
    free(m->pages);
    free(m);
}

void memory_watch_begin(struct memory_watch *m)
{
    m->launch++;
}

static struct page *find_slot(const struct memory_watch *m, uint64_t number)
{
    uint32_t i = (uint32_t)((number * 0x9e3779b97f4a7c15ull) >> 32) & (m->size - 1);
    while (m->pages[i].number && m->pages[i].number != number)
        i = (i + 1) & (m->size - 1);
    return &m->pages[i];
}

static void grow_pages(struct memory_watch *m)
{
    struct page *old = m->pages;
    uint32_t n = m->size;
    m->size *= 2;
    m->pages = xcalloc(m->size, sizeof *m->pages);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].number)
            *find_slot(m, old[i].number) = old[i];
    free(old);
}

static struct page *find_page(struct memory_watch *m, uint64_t address)
{
    struct page *p = find_slot(m, address / PAGE_BYTES + 1);
    if (!p->number) {
        if (2 * m->n_pages >= m->size) {
            grow_pages(m);
            p = find_slot(m, address / PAGE_BYTES + 1);
        }
        m->n_pages++;
        p->number = address / PAGE_BYTES + 1;
    }
    if (p->launch != m->launch) {
        p->launch = m->launch;
        p->log_bytes = 2;
        ARRAY_RESERVE(p->cells, p->cap_cells, PAGE_BYTES / 4);
        memset(p->cells, 0, PAGE_BYTES / 4 * sizeof *p->cells);
    }
    return p;
}

static void touch_global(struct memory_watch *m, struct event *e, const struct log_entry *entry,
                         const uint8_t *data)
{
    struct page *p = find_page(m, e->address);
    if (entry->bytes < 4 && p->log_bytes) {
        ARRAY_RESERVE(p->cells, p->cap_cells, PAGE_BYTES);
        split_cells(p->cells, p->cells, PAGE_BYTES / 4);
        p->log_bytes = 0;
    }
    touch_cells(p->cells, p->log_bytes, e->address % PAGE_BYTES, entry->bytes, e, entry->kind, data,
                entry->operation);
}

static void take_entry(struct memory_watch *m, struct access_log *l, const struct program *p,
                       struct time_reasons *reasons)
{
    struct log_entry entry;
    memcpy(&entry, l->bytes.data + l->next, sizeof entry);
    const uint8_t *addresses = l->bytes.data + l->next + sizeof entry;
    const uint8_t *data = addresses + entry.n * sizeof(uint64_t);
    struct event e = {
        .program = p, .cycle = entry.cycle, .who = entry.who, .pc = entry.pc, .reasons = reasons};
    for (uint32_t i = 0; i < entry.n; i++) {
        memcpy(&e.address, addresses + i * sizeof e.address, sizeof e.address);
        touch_global(m, &e, &entry, data + (size_t)i * entry.bytes);
    }
    l->next += sizeof entry + entry.n * sizeof(uint64_t) +
               (entry.kind == STORE ? (size_t)entry.n * entry.bytes : 0);
}

static uint64_t next_cycle(const struct access_log *l)
{
    uint64_t cycle = UINT64_MAX;
    if (l->next < l->bytes.n)
        memcpy(&cycle, l->bytes.data + l->next + offsetof(struct log_entry, cycle), sizeof cycle);
    return cycle;
}

void memory_watch_take(struct memory_watch *m, struct access_log *const *logs, uint32_t n_logs,
                       const struct program *p, struct time_reasons *reasons)
{
    for (;;) {
        struct access_log *first = logs[0];
        uint64_t cycle = next_cycle(first);
        for (uint32_t i = 1; i < n_logs; i++)
            if (next_cycle(logs[i]) < cycle) {
                first = logs[i];
                cycle = next_cycle(first);
            }
        if (cycle == UINT64_MAX)
            break;
        while (next_cycle(first) == cycle)
            take_entry(m, first, p, reasons);
    }
    for (uint32_t i = 0; i < n_logs; i++)
        logs[i]->bytes.n = logs[i]->next = 0;
}
