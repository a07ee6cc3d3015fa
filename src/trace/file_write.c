#include <stdlib.h>
#include <zstd.h>

#include "trace/bytes.h"
#include "trace/file.h"

enum { LEVEL = 9 };

const char *const trace_reason_words[N_TRACE_REASONS] = {
#define REASON(id, word, sentence) word,
    TRACE_REASONS(REASON)
#undef REASON
};
const char *const trace_reason_texts[N_TRACE_REASONS] = {
#define REASON(id, word, sentence) sentence,
    TRACE_REASONS(REASON)
#undef REASON
};

/* Where the pieces of a CTA have been written. */
struct index_cta {
    struct bytes places; /* chunk (relative to the one before), place, pieces: encoded as in
                          * doc/traces.md */
    uint64_t chunk;      /* of the last place */
    uint32_t n_places;
    bool is_open; /* pieces go to the current chunk: `n_pieces` of them so far */
    uint32_t at, n_pieces;
};

/* A page is kept until its last CTA has ended. */
struct index_page {
    struct index_cta ctas[TRACE_INDEX_CTAS];
    uint32_t n_ended;
};

struct trace_writer {
    struct sink sink;
    ZSTD_CCtx *zstd;
    struct bytes packed;
    uint64_t at; /* offset in the file so far */
    bool failed;
    struct bytes about;
    struct bytes notes, modules, launches; /* parts of the footer */
    uint32_t n_notes, n_modules, n_launches;
    /* The current launch. */
    uint64_t launch_at, n_ctas, piece_bytes;
    struct bytes pieces; /* the current chunk */
    uint64_t last_cta;   /* in it */
    struct index_page **pages;
    uint64_t *page_at;
    uint32_t n_pages;
    uint64_t *open; /* CTAs with pieces in the current chunk */
    uint32_t n_open, cap_open;
};

static void write_raw(struct trace_writer *w, const void *data, size_t n)
{
    if (!w->failed)
        w->failed = !w->sink.write(w->sink.user, data, n);
    w->at += n;
}

static void write_chunk(struct trace_writer *w, enum trace_tag tag, const struct bytes *content)
{
    struct bytes head = {0};
    w->packed.n = 0;
    size_t bound = ZSTD_compressBound(content->n);
    size_t n =
        ZSTD_compress2(w->zstd, bytes_reserve(&w->packed, bound), bound, content->data, content->n);
    if (ZSTD_isError(n) || content->n > TRACE_MAX_CHUNK) {
        w->failed = true;
        return;
    }
    bytes_put_byte(&head, (uint8_t)tag);
    bytes_put_fixed(&head, n, 4);
    bytes_put_fixed(&head, content->n, 4);
    write_raw(w, head.data, head.n);
    write_raw(w, w->packed.data, n);
    free(head.data);
}

static void put_string(struct bytes *b, const char *text)
{
    bytes_put_text(b, text ? text : "", text ? strlen(text) : 0);
}

struct trace_writer *trace_writer_create(struct sink sink, const struct trace_about *about)
{
    struct trace_writer *w = xcalloc(1, sizeof *w);
    struct bytes head = {0};
    w->sink = sink;
    w->zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    put_string(&w->about, about->heddle_version);
    put_string(&w->about, about->origin);
    put_string(&w->about, about->gpu);
    put_string(&w->about, about->machine);
    bytes_put_raw(&head, TRACE_MAGIC, 12);
    bytes_put_fixed(&head, TRACE_VERSION, 4);
    write_raw(w, head.data, head.n);
    free(head.data);
    return w;
}

void trace_writer_note(struct trace_writer *w, const char *name, const char *value)
{
    put_string(&w->notes, name);
    put_string(&w->notes, value);
    w->n_notes++;
}

uint32_t trace_writer_module(struct trace_writer *w, const struct trace_module *m)
{
    struct bytes b = {0};
    put_string(&b, m->name);
    bytes_put_text(&b, m->text, m->text_bytes);
    bytes_put_varint(&b, m->n_addresses);
    for (uint32_t i = 0; i < m->n_addresses; i++)
        bytes_put_varint(&b, m->addresses[i]);
    bytes_put_varint(&w->modules, w->at);
    write_chunk(w, TAG_MODULE, &b);
    free(b.data);
    return w->n_modules++;
}

void trace_writer_begin_launch(struct trace_writer *w, const struct trace_launch *l)
{
    struct bytes b = {0};
    bytes_put_varint(&b, l->module);
    put_string(&b, l->kernel);
    w->n_ctas = 1;
    for (int i = 0; i < 3; i++) {
        bytes_put_varint(&b, l->grid[i]);
        bytes_put_varint(&b, l->block[i]);
        bytes_put_varint(&b, l->offset[i]);
        w->n_ctas *= l->grid[i];
    }
    bytes_put_varint(&b, l->work_dim);
    bytes_put_varint(&b, l->shared_bytes);
    bytes_put_varint(&b, l->dynamic_shared_bytes);
    w->launch_at = w->at;
    write_chunk(w, TAG_LAUNCH, &b);
    free(b.data);
    w->piece_bytes = w->last_cta = 0;
    w->n_pages = (uint32_t)((w->n_ctas + TRACE_INDEX_CTAS - 1) / TRACE_INDEX_CTAS);
    w->pages = xcalloc(w->n_pages, sizeof *w->pages);
    w->page_at = xcalloc(w->n_pages, sizeof *w->page_at);
}

/* --- the index --- */

static struct index_cta *index_of(struct trace_writer *w, uint64_t cta)
{
    struct index_page **page = &w->pages[cta / TRACE_INDEX_CTAS];
    if (!*page)
        *page = xcalloc(1, sizeof **page);
    return &(*page)->ctas[cta % TRACE_INDEX_CTAS];
}

/* The chunk with the CTA's pieces is complete, or the CTA is. */
static void close_place(struct index_cta *c, uint64_t chunk)
{
    if (!c->is_open)
        return;
    bytes_put_varint(&c->places, chunk - c->chunk);
    bytes_put_varint(&c->places, c->at);
    bytes_put_varint(&c->places, c->n_pieces);
    c->chunk = chunk;
    c->n_places++;
    c->is_open = false;
}

static void write_page(struct trace_writer *w, uint64_t number)
{
    struct index_page *p = w->pages[number];
    struct bytes b = {0};
    uint64_t before = 0;
    for (uint32_t i = 0; i < TRACE_INDEX_CTAS; i++) {
        struct index_cta *c = &p->ctas[i];
        bytes_put_varint(&b, c->n_places);
        if (c->n_places) { /* the first chunk of a CTA is usually that of the previous CTA */
            struct cursor in = {c->places.data, c->places.data + c->places.n, false};
            uint64_t first = cursor_get_varint(&in);
            bytes_put_signed(&b, first - before);
            bytes_put_raw(&b, in.at, (size_t)(in.end - in.at));
            before = first;
        }
        free(c->places.data);
    }
    w->page_at[number] = w->at;
    write_chunk(w, TAG_INDEX, &b);
    free(b.data);
    free(p);
    w->pages[number] = NULL;
}

/* --- pieces --- */

static void write_pieces(struct trace_writer *w)
{
    if (!w->pieces.n)
        return;
    for (uint32_t i = 0; i < w->n_open; i++)
        close_place(index_of(w, w->open[i]), w->at);
    w->n_open = 0;
    write_chunk(w, TAG_PIECES, &w->pieces);
    w->pieces.n = 0;
    w->last_cta = 0;
}

void trace_writer_piece(struct trace_writer *w, uint64_t cta, uint32_t warp, const uint8_t *data,
                        size_t n)
{
    if (n > TRACE_MAX_PIECE) {
        w->failed = true;
        return;
    }
    if (w->pieces.n >= TRACE_CHUNK_BYTES)
        write_pieces(w);
    struct index_cta *c = index_of(w, cta);
    /* A CTA's pieces in one place are contiguous. */
    if (c->is_open && w->last_cta != cta)
        close_place(c, w->at);
    if (!c->is_open) {
        c->is_open = true;
        c->at = (uint32_t)w->pieces.n;
        c->n_pieces = 0;
        ARRAY_RESERVE(w->open, w->cap_open, w->n_open + 1);
        w->open[w->n_open++] = cta;
    }
    w->last_cta = cta;
    c->n_pieces++;
    bytes_put_varint(&w->pieces, warp);
    bytes_put_text(&w->pieces, (const char *)data, n);
    w->piece_bytes += n;
}

void trace_writer_end_cta(struct trace_writer *w, uint64_t cta)
{
    uint64_t page = cta / TRACE_INDEX_CTAS;
    uint64_t left = w->n_ctas - page * TRACE_INDEX_CTAS;
    uint32_t in_page = left < TRACE_INDEX_CTAS ? (uint32_t)left : TRACE_INDEX_CTAS;
    index_of(w, cta);
    if (++w->pages[page]->n_ended < in_page)
        return;
    write_pieces(w); /* the index says where they are */
    write_page(w, page);
}

static void put_launch_end(const struct trace_writer *w, const struct trace_launch_end *end,
                           struct bytes *b)
{
    uint64_t before = 0;
    bytes_put_varint(b, w->launch_at);
    bytes_put_varint(b, end->warp_insts);
    bytes_put_varint(b, w->piece_bytes);
    for (uint32_t i = 0; i < N_TRACE_REASONS; i++)
        put_string(b, end->reasons[i]);
    bytes_put_varint(b, w->n_pages);
    for (uint32_t i = 0; i < w->n_pages; i++) {
        bytes_put_varint(b, w->page_at[i] - before);
        before = w->page_at[i];
    }
}

void trace_writer_end_launch(struct trace_writer *w, const struct trace_launch_end *end)
{
    struct bytes b = {0};
    put_launch_end(w, end, &b);
    bytes_put_varint(&w->launches, w->at);
    w->n_launches++;
    write_chunk(w, TAG_LAUNCH_END, &b);
    free(b.data);
    free(w->pages);
    free(w->page_at);
    w->pages = NULL;
    w->page_at = NULL;
    w->n_pages = 0;
}

bool trace_writer_finish(struct trace_writer *w)
{
    struct bytes b = {0}, tail = {0};
    uint64_t footer_at = w->at;
    bytes_put_raw(&b, w->about.data, w->about.n);
    bytes_put_varint(&b, w->n_notes);
    bytes_put_raw(&b, w->notes.data, w->notes.n);
    bytes_put_varint(&b, w->n_modules);
    bytes_put_raw(&b, w->modules.data, w->modules.n);
    bytes_put_varint(&b, w->n_launches);
    bytes_put_raw(&b, w->launches.data, w->launches.n);
    write_chunk(w, TAG_FOOTER, &b);
    bytes_put_fixed(&tail, footer_at, 8);
    bytes_put_raw(&tail, TRACE_END_MAGIC, 8);
    write_raw(w, tail.data, tail.n);
    free(b.data);
    free(tail.data);
    return !w->failed;
}

void trace_writer_destroy(struct trace_writer *w)
{
    if (!w)
        return;
    for (uint32_t p = 0; p < w->n_pages; p++) {
        for (uint32_t i = 0; w->pages[p] && i < TRACE_INDEX_CTAS; i++)
            free(w->pages[p]->ctas[i].places.data);
        free(w->pages[p]);
    }
    free(w->pages);
    free(w->page_at);
    free(w->open);
    free(w->pieces.data);
    free(w->packed.data);
    free(w->about.data);
    free(w->notes.data);
    free(w->modules.data);
    free(w->launches.data);
    ZSTD_freeCCtx(w->zstd);
    free(w);
}
