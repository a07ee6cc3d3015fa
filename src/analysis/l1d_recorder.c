/* Watches the L1 data caches of a machine and writes what it sees. Memory is bounded: a block per
 * SM, written out when it is full, at cycles that depend neither on the quantum nor on the engine;
 * so the file is the same whatever those are. */
#include <stdlib.h>
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
    uint8_t *block; /* L1D_MAX_FRAME_BYTES */
    size_t bytes;   /* filled, the head included */
    uint32_t n_events;
    uint64_t n_written;
    uint64_t now; /* cycle of the latest event: of those that do not say theirs */
    struct l1d_previous previous;
    /* A load that misses may yet turn out to be bypassed: the next event tells. */
    bool has_pending;
    struct l1d_event pending;
};

struct l1d_recorder {
    struct machine *machine;
    struct sink sink;
    ZSTD_CCtx *zstd;
    void *packed;
    size_t packed_cap;
    bool failed;
    struct lane *lanes;
    uint32_t n_lanes;
    uint32_t line_bytes;
    bool has_criticality;
};

static void write_frame(struct l1d_recorder *r, const void *content, size_t bytes)
{
    if (r->failed)
        return;
    size_t n = ZSTD_compress2(r->zstd, r->packed, r->packed_cap, content, bytes);
    r->failed = ZSTD_isError(n) || !r->sink.write(r->sink.user, r->packed, n);
}

static void write_block(struct lane *l)
{
    if (!l->n_events)
        return;
    l->block[0] = L1D_TAG_BLOCK;
    put_u32(l->block + 1, l->sm);
    put_u32(l->block + 5, l->n_events);
    write_frame(l->recorder, l->block, l->bytes);
    l->n_written += l->n_events;
    l->n_events = 0;
    l->bytes = L1D_BLOCK_HEAD_BYTES;
    l->previous = (struct l1d_previous){0};
}

static bool is_access(enum l1d_event_kind kind)
{
    return kind == L1D_LOAD || kind == L1D_STORE || kind == L1D_ATOMIC;
}

static void put_event(struct lane *l, const struct l1d_event *e)
{
    struct l1d_previous *p = &l->previous;
    uint32_t line_bytes = l->recorder->line_bytes;
    uint8_t *at = l->block + l->bytes;
    bool is_critical = l->recorder->has_criticality && e->is_critical;
    *at++ = (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT | (is_critical ? L1D_CRITICAL : 0));
    at = put_varint(at, e->cycle - p->cycle);
    p->cycle = e->cycle;
    at = put_difference(at, e->line / line_bytes, &p->line_number);
    if (is_access(e->kind)) {
        at = put_difference(at, e->launch, &p->launch);
        at = put_difference(at, e->pc, &p->pc);
        at = put_difference(at, e->warp_uid, &p->warp_uid);
        at = put_difference(at, e->thread, &p->thread);
        at = put_varint(at, e->address - e->line);
        if (l->recorder->has_criticality)
            at = put_difference(at, (uint64_t)e->criticality, &p->criticality);
    }
    l->bytes = (size_t)(at - l->block);
    l->n_events++;
    if (l->bytes + L1D_MAX_EVENT_BYTES > L1D_MAX_FRAME_BYTES)
        write_block(l);
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
        if (r->lanes[i].bytes >= L1D_BLOCK_BYTES) {
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
                       .block = xcalloc(1, L1D_MAX_FRAME_BYTES),
                       .bytes = L1D_BLOCK_HEAD_BYTES};
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
    r->packed_cap = ZSTD_compressBound(L1D_MAX_FRAME_BYTES);
    r->packed = xcalloc(1, r->packed_cap);
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
        add_u32(&end, (uint32_t)r->lanes[i].n_written);
        add_u32(&end, (uint32_t)(r->lanes[i].n_written >> 32));
    }
    write_frame(r, end.text, end.len);
    strbuf_destroy(&end);
    return !r->failed;
}

void l1d_recorder_destroy(struct l1d_recorder *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        free(r->lanes[i].block);
    ZSTD_freeCCtx(r->zstd);
    free(r->packed);
    free(r->lanes);
    free(r);
}
