#include "analysis/l1d_writer.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/l1d_checksum.h"
#include "base/arena.h"

enum { LEVEL = 3 };

/* --- frames --- */

static void write_frame(struct l1d_writer *w, const void *content, size_t bytes)
{
    w->failed = w->failed || bytes > L1D_MAX_FRAME_BYTES;
    if (w->failed)
        return;
    ARRAY_RESERVE(w->packed, w->packed_cap, ZSTD_compressBound(bytes));
    size_t n = ZSTD_compress2(w->zstd, w->packed, w->packed_cap, content, bytes);
    if (!ZSTD_isError(n))
        w->sum = l1d_checksum(w->sum, w->packed, n);
    w->failed = ZSTD_isError(n) || !w->sink.write(w->sink.user, w->packed, n);
}

/* Writes a head of `head_bytes` bytes, then the columns of a table. */
static void write_columns(struct l1d_writer *w, const uint8_t *head, size_t head_bytes,
                          struct l1d_table *t, uint32_t first, uint32_t end)
{
    ARRAY_RESERVE(w->content, w->content_cap, head_bytes + l1d_table_bound(t));
    memcpy(w->content, head, head_bytes);
    uint8_t *to = l1d_table_pack(t, first, end, w->content + head_bytes);
    write_frame(w, w->content, (size_t)(to - w->content));
}

/* A table in its own frame, preceded by its number of rows. */
static void write_table(struct l1d_writer *w, uint8_t tag, struct l1d_table *t)
{
    uint8_t head[L1D_TABLE_HEAD_BYTES] = {tag};
    l1d_put_u32(head + 1, t->n);
    write_columns(w, head, sizeof head, t, 0, t->n_columns);
}

static void add_u32(struct strbuf *out, uint32_t v)
{
    uint8_t bytes[4];
    l1d_put_u32(bytes, v);
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

static void write_header(struct l1d_writer *w, const struct l1d_header *h)
{
    const struct cache_config *c = &h->l1d;
    const uint32_t numbers[] = {L1D_STREAM_VERSION, h->n_sms,       c->line_bytes,
                                c->sector_bytes,    c->n_sets,      c->n_ways,
                                c->n_mshrs,         c->mshr_merges, flags_of(c)};
    struct strbuf head = {0};
    strbuf_add(&head, L1D_MAGIC);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u32(&head, numbers[i]);
    add_text(&head, h->gpu);
    add_text(&head, h->scheduler);
    add_text(&head, h->policy);
    add_text(&head, h->criticality);
    add_u32(&head, h->params.n);
    for (uint32_t i = 0; i < h->params.n; i++)
        add_text(&head, h->params.items[i]);
    write_frame(w, head.text, head.len);
    strbuf_destroy(&head);
}

void l1d_writer_begin(struct l1d_writer *w, const struct l1d_header *h, struct sink sink)
{
    *w = (struct l1d_writer){.sink = sink,
                             .zstd = ZSTD_createCCtx(),
                             .line_bytes = h->l1d.line_bytes,
                             .has_criticality = h->criticality[0]};
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    write_header(w, h);
}

void l1d_writer_put(struct l1d_writer *w, struct l1d_block *b)
{
    uint8_t head[L1D_ACCESSES_HEAD_BYTES] = {L1D_TAG_ACCESSES};
    if (!b->accesses.n && !b->rest.n && !b->insts.n)
        return;
    b->n_accesses += b->accesses.n;
    b->n_rest += b->rest.n;
    l1d_put_u32(head + 1, b->sm);
    l1d_put_u32(head + 5, b->accesses.n);
    write_columns(w, head, L1D_ACCESSES_HEAD_BYTES, &b->accesses, 0, L1D_FIRST_DETAIL);
    head[0] = L1D_TAG_DETAILS;
    write_columns(w, head, L1D_DETAILS_HEAD_BYTES, &b->accesses, L1D_FIRST_DETAIL,
                  b->accesses.n_columns);
    write_table(w, L1D_TAG_REST, &b->rest);
    write_table(w, L1D_TAG_INSTS, &b->insts);
    b->accesses.n = b->rest.n = b->insts.n = 0;
}

bool l1d_writer_end(struct l1d_writer *w, struct l1d_block *blocks, uint32_t n)
{
    struct strbuf end = {0};
    strbuf_add_char(&end, L1D_TAG_END);
    for (uint32_t i = 0; i < n; i++) {
        l1d_writer_put(w, &blocks[i]);
        add_u64(&end, blocks[i].n_accesses);
        add_u64(&end, blocks[i].n_rest);
        add_u64(&end, blocks[i].n_thread_insts);
    }
    add_u64(&end, w->sum);
    write_frame(w, end.text, end.len);
    strbuf_destroy(&end);
    return !w->failed;
}

void l1d_writer_destroy(struct l1d_writer *w)
{
    ZSTD_freeCCtx(w->zstd);
    free(w->content);
    free(w->packed);
}

/* --- blocks --- */

void l1d_block_init(struct l1d_block *b, const struct l1d_writer *w, uint32_t sm)
{
    *b = (struct l1d_block){.sm = sm,
                            .accesses.n_columns = N_L1D_ACCESS_COLUMNS - !w->has_criticality,
                            .rest.n_columns = N_L1D_REST_COLUMNS,
                            .insts.n_columns = N_L1D_INSTS_COLUMNS};
}

void l1d_block_destroy(struct l1d_block *b)
{
    l1d_table_destroy(&b->accesses);
    l1d_table_destroy(&b->rest);
    l1d_table_destroy(&b->insts);
}

bool l1d_block_is_full(const struct l1d_block *b)
{
    return b->accesses.n >= L1D_BLOCK_EVENTS || b->rest.n >= L1D_BLOCK_EVENTS ||
           b->insts.n >= L1D_BLOCK_RUNS;
}

static void add_rest(struct l1d_block *b, const struct l1d_writer *w, const struct l1d_event *e)
{
    struct l1d_table *t = &b->rest;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT);
    t->columns[L1D_PLACE][t->n] = b->accesses.n;
    t->columns[L1D_REST_CYCLE][t->n] = e->cycle;
    t->columns[L1D_REST_LINE][t->n] = e->line / w->line_bytes;
    bool is_told = e->kind == L1D_FILL && !e->answers_oldest;
    t->columns[L1D_ANSWERED][t->n++] = is_told ? 1 + e->cycle - e->asked : 0;
}

static void add_access(struct l1d_block *b, const struct l1d_writer *w, const struct l1d_event *e)
{
    struct l1d_table *t = &b->accesses;
    bool is_critical = w->has_criticality && e->is_critical;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] =
        (uint8_t)(e->kind | e->outcome << L1D_OUTCOME_SHIFT | (is_critical ? L1D_CRITICAL : 0));
    t->columns[L1D_CYCLE][t->n] = e->cycle;
    t->columns[L1D_LINE][t->n] = e->line / w->line_bytes;
    t->columns[L1D_LAUNCH][t->n] = e->launch;
    t->columns[L1D_PC][t->n] = e->pc;
    t->columns[L1D_WARP][t->n] = e->warp_uid;
    t->columns[L1D_THREAD][t->n] = e->thread;
    t->columns[L1D_OFFSET][t->n] = e->address - e->line;
    t->columns[L1D_SECTORS][t->n] = e->sectors;
    t->columns[L1D_HOW][t->n] =
        (e->is_local ? L1D_HOW_LOCAL : 0) | (e->goes_around ? L1D_HOW_AROUND : 0) |
        (e->is_whole ? L1D_HOW_WHOLE : 0) | (e->had_to_wait ? L1D_HOW_STALLED : 0);
    if (w->has_criticality)
        t->columns[L1D_CRITICALITY][t->n] = (uint64_t)e->criticality;
    t->n++;
}

/* A flush or a resize. Its unused fields repeat the access before it, so that their differences are
 * zero. */
static void add_change(struct l1d_block *b, const struct l1d_event *e)
{
    struct l1d_table *t = &b->accesses;
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = (uint8_t)e->kind;
    for (uint32_t c = 0; c < t->n_columns; c++)
        t->columns[c][t->n] = t->n ? t->columns[c][t->n - 1] : 0;
    if (e->kind == L1D_RESIZE)
        t->columns[L1D_LINE][t->n] = e->n_ways;
    t->columns[L1D_CYCLE][t->n++] = e->cycle;
}

/* All lines that a flush removes belong to one flush event. */
void l1d_block_add(struct l1d_block *b, const struct l1d_writer *w, const struct l1d_event *e)
{
    bool is_flush = e->kind == L1D_EVICT && e->outcome == EVICT_FLUSH;
    if (is_flush && !b->is_flushing)
        add_change(b, &(struct l1d_event){.kind = L1D_FLUSH, .cycle = e->cycle});
    b->is_flushing = is_flush;
    if (e->kind == L1D_FILL || e->kind == L1D_EVICT)
        add_rest(b, w, e);
    else if (e->kind == L1D_RESIZE)
        add_change(b, e);
    else
        add_access(b, w, e);
}

/* Does the latest run have the same number of lanes, with nothing since? */
static bool goes_on(const struct l1d_block *b, uint32_t n_lanes)
{
    const struct l1d_table *t = &b->insts;
    return t->n && t->kinds[t->n - 1] == n_lanes &&
           t->columns[L1D_INSTS_PLACE][t->n - 1] == b->accesses.n &&
           t->columns[L1D_INSTS_REST_PLACE][t->n - 1] == b->rest.n &&
           t->columns[L1D_ISSUES][t->n - 1] < L1D_MAX_ISSUES;
}

void l1d_block_add_issue(struct l1d_block *b, uint32_t n_lanes)
{
    struct l1d_table *t = &b->insts;
    b->n_thread_insts += n_lanes;
    if (goes_on(b, n_lanes)) {
        t->columns[L1D_ISSUES][t->n - 1]++;
        return;
    }
    l1d_table_reserve(t, t->n + 1);
    t->kinds[t->n] = (uint8_t)n_lanes;
    t->columns[L1D_INSTS_PLACE][t->n] = b->accesses.n;
    t->columns[L1D_INSTS_REST_PLACE][t->n] = b->rest.n;
    t->columns[L1D_ISSUES][t->n++] = 1;
}
