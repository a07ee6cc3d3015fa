/* Watches the L1 data caches of a machine and writes what it sees. Memory is bounded: a block per
 * SM, written out at the first multiple of so many cycles at which it is full; so the file depends
 * neither on the quantum nor on the engine. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"
#include "base/arena.h"
#include "gpu/machine.h"

enum { LOOK_CYCLES = 1024, LEVEL = 3 };

/* One SM's part. */
struct lane {
    struct l1d_recorder *recorder;
    uint32_t sm;
    struct l1d_table accesses, rest; /* of the block at hand */
    uint64_t n_accesses, n_rest;     /* written */
    uint64_t now; /* cycle of the latest event: of those that do not say theirs */
    bool flushing;
    /* A load that misses may yet turn out to be bypassed: the next event tells. */
    bool has_pending;
    struct l1d_event pending;
};

struct l1d_recorder {
    struct machine *machine;
    struct sink sink;
    ZSTD_CCtx *zstd;
    uint8_t *content, *packed;
    size_t content_cap, packed_cap;
    bool failed;
    struct lane *lanes;
    uint32_t n_lanes;
    uint32_t line_bytes;
    bool has_criticality;
};

static void write_frame(struct l1d_recorder *r, const void *content, size_t bytes)
{
    r->failed = r->failed || bytes > L1D_MAX_FRAME_BYTES;
    if (r->failed)
        return;
    ARRAY_RESERVE(r->packed, r->packed_cap, ZSTD_compressBound(bytes));
    size_t n = ZSTD_compress2(r->zstd, r->packed, r->packed_cap, content, bytes);
    r->failed = ZSTD_isError(n) || !r->sink.write(r->sink.user, r->packed, n);
}

/* A table behind a head of so many bytes. */
static void write_table(struct l1d_recorder *r, const uint8_t *head, size_t head_bytes,
                        struct l1d_table *t)
{
    ARRAY_RESERVE(r->content, r->content_cap, head_bytes + l1d_table_bound(t));
    memcpy(r->content, head, head_bytes);
    uint8_t *end = l1d_table_pack(t, r->content + head_bytes);
    write_frame(r, r->content, (size_t)(end - r->content));
}

static void write_block(struct lane *l)
{
    uint8_t head[L1D_ACCESSES_HEAD_BYTES] = {L1D_TAG_ACCESSES};
    if (!l->accesses.n && !l->rest.n)
        return;
    l->n_accesses += l->accesses.n;
    l->n_rest += l->rest.n;
    put_u32(head + 1, l->sm);
    put_u32(head + 5, l->accesses.n);
    write_table(l->recorder, head, L1D_ACCESSES_HEAD_BYTES, &l->accesses);
    head[0] = L1D_TAG_REST;
    put_u32(head + 1, l->rest.n);
    write_table(l->recorder, head, L1D_REST_HEAD_BYTES, &l->rest);
}

static void put_rest(struct lane *l, const struct l1d_event *e)
{
    struct l1d_table *t = &l->rest;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT);
    t->columns[L1D_PLACE][t->n] = l->accesses.n;
    t->columns[L1D_REST_CYCLE][t->n] = e->cycle;
    t->columns[L1D_REST_LINE][t->n++] = e->line / l->recorder->line_bytes;
}

static void put_access(struct lane *l, const struct l1d_event *e)
{
    struct l1d_table *t = &l->accesses;
    bool is_critical = l->recorder->has_criticality && e->is_critical;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] =
        (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT | (is_critical ? L1D_CRITICAL : 0));
    t->columns[L1D_CYCLE][t->n] = e->cycle;
    t->columns[L1D_LINE][t->n] = e->line / l->recorder->line_bytes;
    t->columns[L1D_LAUNCH][t->n] = e->launch;
    t->columns[L1D_PC][t->n] = e->pc;
    t->columns[L1D_WARP][t->n] = e->warp_uid;
    t->columns[L1D_THREAD][t->n] = e->thread;
    t->columns[L1D_OFFSET][t->n] = e->address - e->line;
    if (l->recorder->has_criticality)
        t->columns[L1D_CRITICALITY][t->n] = (uint64_t)e->criticality;
    t->n++;
}

/* As the access before it in all but the cycle, which is no difference to write. */
static void put_flush(struct lane *l, uint64_t cycle)
{
    struct l1d_table *t = &l->accesses;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = L1D_FLUSH;
    for (uint32_t c = 0; c < t->n_columns; c++)
        t->columns[c][t->n] = t->n ? t->columns[c][t->n - 1] : 0;
    t->columns[L1D_CYCLE][t->n++] = cycle;
}

/* All the lines that a flush removes are one flush. */
static void put_event(struct lane *l, const struct l1d_event *e)
{
    bool is_flush = e->kind == L1D_EVICT && e->outcome == EVICT_FLUSH;
    if (is_flush && !l->flushing)
        put_flush(l, e->cycle);
    l->flushing = is_flush;
    if (e->kind == L1D_FILL || e->kind == L1D_EVICT)
        put_rest(l, e);
    else
        put_access(l, e);
}

static void settle(struct lane *l)
{
    if (l->has_pending)
        put_event(l, &l->pending);
    l->has_pending = false;
}

static struct l1d_event access_event(struct lane *l, enum l1d_event_kind kind, uint32_t outcome,
                                     const struct mem_access *a)
{
    l->now = a->cycle;
    return (struct l1d_event){.kind = kind,
                              .outcome = outcome,
                              .cycle = a->cycle,
                              .line = a->line,
                              .launch = a->launch,
                              .pc = a->pc,
                              .warp_uid = a->warp_uid,
                              .thread = a->first_thread,
                              .address = a->address,
                              .is_critical = a->is_critical,
                              .criticality = a->criticality};
}

static void add(struct lane *l, const struct l1d_event *e)
{
    settle(l);
    put_event(l, e);
}

static void add_access(struct lane *l, enum l1d_outcome outcome, const struct mem_access *a)
{
    struct l1d_event e = access_event(l, L1D_LOAD, outcome, a);
    add(l, &e);
}

/* A bypass comes after the miss or the store it belongs to, unless the program asked for it. */
static void add_bypass(struct lane *l, const struct cache_event_info *e)
{
    if (e->reason == BYPASS_NO_CACHE) {
        add_access(l, L1D_BYPASS, e->access);
        return;
    }
    l->pending.outcome = L1D_BYPASS;
    settle(l);
}

static void wait_for_more(struct lane *l, enum l1d_event_kind kind, enum l1d_outcome outcome,
                          const struct mem_access *a)
{
    settle(l);
    l->pending = access_event(l, kind, outcome, a);
    l->has_pending = true;
}

static void on_event(void *user, const struct cache_event_info *e)
{
    struct lane *l = user;
    struct l1d_event other = {.line = e->line ? e->line->line : 0};
    switch (e->event) {
    case CE_HIT:
        add_access(l, L1D_HIT, e->access);
        break;
    case CE_MERGE:
        add_access(l, L1D_MERGE, e->access);
        break;
    case CE_MISS:
        wait_for_more(l, L1D_LOAD, L1D_MISS, e->access);
        break;
    case CE_STORE:
        wait_for_more(l, L1D_STORE, e->line ? L1D_HIT : L1D_MISS, e->access);
        break;
    case CE_BYPASS:
        add_bypass(l, e);
        break;
    case CE_FILL:
        l->now = e->cycle;
        other.kind = L1D_FILL;
        other.cycle = l->now;
        add(l, &other);
        break;
    case CE_EVICT:
        if (e->access && e->access->cycle > l->now)
            l->now = e->access->cycle;
        other.kind = L1D_EVICT;
        other.outcome = e->cause;
        other.cycle = l->now;
        add(l, &other);
        break;
    case CE_DROP:
    case CE_RESERVE: /* a miss that is kept says so by its fill */
        break;
    }
}

static void on_atomic(void *user, const struct mem_access *a)
{
    struct lane *l = user;
    struct l1d_event e = access_event(l, L1D_ATOMIC, L1D_BYPASS, a);
    add(l, &e);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    (void)m, (void)cycle;
    struct l1d_recorder *r = user;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        if (r->lanes[i].accesses.n >= L1D_BLOCK_EVENTS || r->lanes[i].rest.n >= L1D_BLOCK_EVENTS) {
            settle(&r->lanes[i]);
            write_block(&r->lanes[i]);
        }
}

static void add_u32(struct strbuf *out, uint32_t v)
{
    uint8_t bytes[4];
    put_u32(bytes, v);
    strbuf_add_n(out, (const char *)bytes, sizeof bytes);
}

static void add_u64(struct strbuf *out, uint64_t v)
{
    add_u32(out, (uint32_t)v);
    add_u32(out, (uint32_t)(v >> 32));
}

static void add_text(struct strbuf *out, const char *text)
{
    add_u32(out, (uint32_t)strlen(text));
    strbuf_add(out, text);
}

static void write_header(struct l1d_recorder *r)
{
    const struct machine_config *c = r->machine->config;
    struct strbuf head = {0};
    strbuf_add(&head, L1D_MAGIC);
    add_u32(&head, L1D_STREAM_VERSION);
    add_u32(&head, r->n_lanes);
    add_u32(&head, r->line_bytes);
    add_u32(&head, c->sm.l1d.n_sets);
    add_u32(&head, c->sm.l1d.n_ways);
    add_text(&head, c->gpu->name);
    add_text(&head, c->scheduler->name);
    add_text(&head, c->l1d_policy->name);
    add_text(&head, r->has_criticality ? c->criticality->name : "");
    write_frame(r, head.text, head.len);
    strbuf_destroy(&head);
}

static void watch_sm(struct l1d_recorder *r, uint32_t i)
{
    struct lane *l = &r->lanes[i];
    *l = (struct lane){.recorder = r,
                       .sm = i,
                       .accesses.n_columns = N_L1D_ACCESS_COLUMNS - !r->has_criticality,
                       .rest.n_columns = N_L1D_REST_COLUMNS};
    cache_observe(r->machine->sms[i].l1d, on_event, l);
    r->machine->sms[i].on_atomic = on_atomic;
    r->machine->sms[i].on_atomic_user = l;
}

struct l1d_recorder *l1d_recorder_create(struct machine *m, bool has_criticality, struct sink sink)
{
    struct l1d_recorder *r = xcalloc(1, sizeof *r);
    r->machine = m;
    r->has_criticality = has_criticality;
    r->sink = sink;
    r->zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(r->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(r->zstd, ZSTD_c_checksumFlag, 1);
    r->line_bytes = m->config->sm.l1d.line_bytes;
    r->n_lanes = m->config->gpu->n_sms;
    r->lanes = xcalloc(r->n_lanes, sizeof *r->lanes);
    for (uint32_t i = 0; i < r->n_lanes; i++)
        watch_sm(r, i);
    machine_watch(m,
                  (struct machine_watcher){.period_cycles = LOOK_CYCLES, .look = look, .user = r});
    write_header(r);
    return r;
}

bool l1d_recorder_finish(struct l1d_recorder *r)
{
    struct strbuf end = {0};
    strbuf_add_char(&end, L1D_TAG_END);
    for (uint32_t i = 0; i < r->n_lanes; i++) {
        settle(&r->lanes[i]);
        write_block(&r->lanes[i]);
        add_u64(&end, r->lanes[i].n_accesses);
        add_u64(&end, r->lanes[i].n_rest);
    }
    write_frame(r, end.text, end.len);
    strbuf_destroy(&end);
    return !r->failed;
}

void l1d_recorder_destroy(struct l1d_recorder *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_lanes; i++) {
        l1d_table_destroy(&r->lanes[i].accesses);
        l1d_table_destroy(&r->lanes[i].rest);
    }
    ZSTD_freeCCtx(r->zstd);
    free(r->content);
    free(r->packed);
    free(r->lanes);
    free(r);
}
