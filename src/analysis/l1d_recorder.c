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

/* A load that waits for its data. */
struct unanswered {
    uint64_t line, cycle;
};

/* One SM's part. */
struct lane {
    struct l1d_recorder *recorder;
    uint32_t sm;
    struct l1d_table accesses, rest; /* of the block at hand */
    uint64_t n_accesses, n_rest;     /* written */
    uint64_t now; /* cycle of the latest event: of those that do not say theirs */
    bool flushing;
    /* A load that misses may yet turn out to be bypassed, and when a line makes room for data that
     * arrive is known when they do: the next event tells. */
    bool has_pending;
    struct l1d_event pending;
    struct unanswered *misses; /* oldest first; no more than MSHRs */
    uint32_t n_misses, cap_misses;
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
    const struct cache_config *l1d;
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

/* Columns of a table behind a head of so many bytes. */
static void write_columns(struct l1d_recorder *r, const uint8_t *head, size_t head_bytes,
                          struct l1d_table *t, uint32_t first, uint32_t end)
{
    ARRAY_RESERVE(r->content, r->content_cap, head_bytes + l1d_table_bound(t));
    memcpy(r->content, head, head_bytes);
    uint8_t *to = l1d_table_pack(t, first, end, r->content + head_bytes);
    write_frame(r, r->content, (size_t)(to - r->content));
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
    write_columns(l->recorder, head, L1D_ACCESSES_HEAD_BYTES, &l->accesses, 0, L1D_FIRST_DETAIL);
    head[0] = L1D_TAG_DETAILS;
    write_columns(l->recorder, head, L1D_DETAILS_HEAD_BYTES, &l->accesses, L1D_FIRST_DETAIL,
                  l->accesses.n_columns);
    head[0] = L1D_TAG_REST;
    put_u32(head + 1, l->rest.n);
    write_columns(l->recorder, head, L1D_REST_HEAD_BYTES, &l->rest, 0, l->rest.n_columns);
    l->accesses.n = l->rest.n = 0;
}

static void put_rest(struct lane *l, const struct l1d_event *e)
{
    struct l1d_table *t = &l->rest;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT);
    t->columns[L1D_PLACE][t->n] = l->accesses.n;
    t->columns[L1D_REST_CYCLE][t->n] = e->cycle;
    t->columns[L1D_REST_LINE][t->n] = e->line / l->recorder->l1d->line_bytes;
    bool is_told = e->kind == L1D_FILL && !e->answers_oldest;
    t->columns[L1D_ANSWERED][t->n++] = is_told ? 1 + e->cycle - e->asked : 0;
}

static void put_access(struct lane *l, const struct l1d_event *e)
{
    struct l1d_table *t = &l->accesses;
    bool is_critical = l->recorder->has_criticality && e->is_critical;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] =
        (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT | (is_critical ? L1D_CRITICAL : 0));
    t->columns[L1D_CYCLE][t->n] = e->cycle;
    t->columns[L1D_LINE][t->n] = e->line / l->recorder->l1d->line_bytes;
    t->columns[L1D_LAUNCH][t->n] = e->launch;
    t->columns[L1D_PC][t->n] = e->pc;
    t->columns[L1D_WARP][t->n] = e->warp_uid;
    t->columns[L1D_THREAD][t->n] = e->thread;
    t->columns[L1D_OFFSET][t->n] = e->address - e->line;
    t->columns[L1D_SECTORS][t->n] = e->sectors;
    t->columns[L1D_HOW][t->n] = (e->is_local ? L1D_HOW_LOCAL : 0) |
                                (e->goes_around ? L1D_HOW_AROUND : 0) |
                                (e->is_whole ? L1D_HOW_WHOLE : 0);
    if (l->recorder->has_criticality)
        t->columns[L1D_CRITICALITY][t->n] = (uint64_t)e->criticality;
    t->n++;
}

/* A flush or a resize: as the access before it in what it does not tell, which is no difference to
 * write. */
static void put_change(struct lane *l, const struct l1d_event *e)
{
    struct l1d_table *t = &l->accesses;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = (uint8_t)e->kind;
    for (uint32_t c = 0; c < t->n_columns; c++)
        t->columns[c][t->n] = t->n ? t->columns[c][t->n - 1] : 0;
    if (e->kind == L1D_RESIZE)
        t->columns[L1D_LINE][t->n] = e->n_ways;
    t->columns[L1D_CYCLE][t->n++] = e->cycle;
}

/* All the lines that a flush removes are one flush. */
static void put_event(struct lane *l, const struct l1d_event *e)
{
    bool is_flush = e->kind == L1D_EVICT && e->outcome == EVICT_FLUSH;
    if (is_flush && !l->flushing)
        put_change(l, &(struct l1d_event){.kind = L1D_FLUSH, .cycle = e->cycle});
    l->flushing = is_flush;
    if (e->kind == L1D_FILL || e->kind == L1D_EVICT)
        put_rest(l, e);
    else if (e->kind == L1D_RESIZE)
        put_change(l, e);
    else
        put_access(l, e);
}

static void settle(struct lane *l)
{
    const struct l1d_event *e = &l->pending;
    if (!l->has_pending)
        return;
    l->has_pending = false;
    put_event(l, e);
    if (e->kind == L1D_LOAD && e->outcome == L1D_MISS) {
        ARRAY_RESERVE(l->misses, l->cap_misses, l->n_misses + 1);
        l->misses[l->n_misses++] = (struct unanswered){e->line, e->cycle};
    }
}

/* The miss of that line in that cycle waits no longer, if it is a load's. Was it the oldest one of
 * the line? */
static bool answer_miss(struct lane *l, uint64_t line, uint64_t cycle)
{
    bool is_oldest = true;
    for (uint32_t i = 0; i < l->n_misses; i++) {
        const struct unanswered *m = &l->misses[i];
        if (m->line == line && m->cycle == cycle) {
            l->n_misses--;
            memmove(&l->misses[i], &l->misses[i + 1], (l->n_misses - i) * sizeof *m);
            return is_oldest;
        }
        is_oldest = is_oldest && m->line != line;
    }
    return false;
}

/* Does the store write every byte of the sectors it touches? */
static bool writes_whole_sectors(const struct cache_config *c, const struct mem_access *a)
{
    if (a->full_line || c->sector_bytes == c->line_bytes)
        return a->full_line;
    uint64_t whole = c->sector_bytes == 64 ? UINT64_MAX : (1ull << c->sector_bytes) - 1;
    for (uint32_t left = a->sector_mask; left; left &= left - 1) {
        uint32_t byte = (uint32_t)__builtin_ctz(left) * c->sector_bytes;
        if ((a->byte_mask[byte / 64] >> byte % 64 & whole) != whole)
            return false;
    }
    return true;
}

/* Could the store bring its line? */
static bool may_allocate(const struct cache_config *c, const struct mem_access *a)
{
    return c->write_allocate && (!c->write_evict || a->space == MEM_LOCAL);
}

static struct l1d_event access_event(struct lane *l, enum l1d_event_kind kind, uint32_t outcome,
                                     const struct mem_access *a)
{
    const struct cache_config *c = l->recorder->l1d;
    bool is_sectored = c->sector_bytes < c->line_bytes;
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
                              .sectors = is_sectored ? a->sector_mask : 0,
                              .is_local = a->space == MEM_LOCAL,
                              .is_whole = kind == L1D_STORE && may_allocate(c, a) &&
                                          writes_whole_sectors(c, a),
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
        struct l1d_event around = access_event(l, L1D_LOAD, L1D_BYPASS, e->access);
        around.goes_around = true;
        add(l, &around);
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

static void add_fill(struct lane *l, const struct cache_event_info *e)
{
    l->now = e->cycle;
    if (l->has_pending && l->pending.kind == L1D_EVICT)
        l->pending.cycle = e->cycle;
    settle(l);
    add(l, &(struct l1d_event){.kind = L1D_FILL,
                               .outcome = e->event == CE_FILL ? L1D_KEPT : L1D_NOT_KEPT,
                               .cycle = e->cycle,
                               .line = e->fetched_line,
                               .answers_oldest = answer_miss(l, e->fetched_line, e->asked_cycle),
                               .asked = e->asked_cycle});
}

/* A load that replaces a line where lines are allocated on fills does so now, not when it missed.
 */
static void add_eviction(struct lane *l, const struct cache_event_info *e)
{
    bool is_late = l->recorder->l1d->allocate_on_fill && e->cause == EVICT_REPLACE &&
                   e->access->kind != MEM_STORE;
    if (e->access && e->access->cycle > l->now)
        l->now = e->access->cycle;
    settle(l);
    l->pending = (struct l1d_event){
        .kind = L1D_EVICT, .outcome = e->cause, .cycle = l->now, .line = e->line->line};
    l->has_pending = true;
    if (!is_late)
        settle(l);
}

static void on_event(void *user, const struct cache_event_info *e)
{
    struct lane *l = user;
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
    case CE_DROP:
        add_fill(l, e);
        break;
    case CE_EVICT:
        add_eviction(l, e);
        break;
    case CE_RESIZE:
        add(l, &(struct l1d_event){.kind = L1D_RESIZE, .cycle = l->now, .n_ways = e->n_ways});
        break;
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

static void on_issue(void *user, uint32_t n_lanes)
{
    (void)user, (void)n_lanes;
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

static uint32_t flags_of(const struct cache_config *c)
{
    return (c->index == INDEX_HASH ? L1D_IS_HASHED : 0u) |
           (c->allocate_on_fill ? L1D_ALLOCATES_ON_FILL : 0u) |
           (c->write_back ? L1D_WRITES_BACK : 0u) | (c->write_allocate ? L1D_WRITE_ALLOCATES : 0u) |
           (c->write_evict ? L1D_WRITE_EVICTS : 0u);
}

static void write_header(struct l1d_recorder *r)
{
    const struct machine_config *c = r->machine->config;
    const uint32_t numbers[] = {L1D_STREAM_VERSION,   r->n_lanes,          r->l1d->line_bytes,
                                r->l1d->sector_bytes, r->l1d->n_sets,      r->l1d->n_ways,
                                r->l1d->n_mshrs,      r->l1d->mshr_merges, flags_of(r->l1d)};
    struct strbuf head = {0};
    strbuf_add(&head, L1D_MAGIC);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u32(&head, numbers[i]);
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
    sm_watch_l1d(&r->machine->sms[i], (struct sm_l1d_watcher){on_atomic, on_issue, l});
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
    r->l1d = &m->config->sm.l1d;
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
        free(r->lanes[i].misses);
    }
    ZSTD_freeCCtx(r->zstd);
    free(r->content);
    free(r->packed);
    free(r->lanes);
    free(r);
}
