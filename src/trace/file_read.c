/* Reads traces. Every chunk is unpacked and its checksum verified before any of it is used; every
 * number in it is checked against its limits. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/file_internal.h"

bool trace_bad(uint64_t at, struct strbuf *why, const char *what)
{
    strbuf_addf(why, "byte %llu: %s", (unsigned long long)at, what);
    return false;
}

bool trace_read_at(const struct trace_reader *r, uint64_t at, void *to, size_t n,
                   struct strbuf *why)
{
    if (at > r->bytes || n > r->bytes - at)
        return trace_bad(at, why, "the file ends in the middle of this part");
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(r->fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return trace_bad(at, why, got ? strerror(errno) : "the file has become shorter");
        }
    }
    return true;
}

/* Reads the head of the chunk at that offset: the sizes of its frame and its content. */
static bool take_chunk_head(const struct trace_reader *r, uint64_t at, uint8_t *tag,
                            uint64_t *packed, uint64_t *bytes, struct strbuf *why)
{
    uint8_t head[TRACE_CHUNK_HEAD];
    if (!trace_read_at(r, at, head, sizeof head, why))
        return false;
    struct cursor in = {head + 1, head + sizeof head, false};
    *tag = head[0];
    *packed = cursor_get_fixed(&in, 4);
    *bytes = cursor_get_fixed(&in, 4);
    if (*bytes > TRACE_MAX_CHUNK || *packed > ZSTD_compressBound(TRACE_MAX_CHUNK))
        return trace_bad(at, why, "this part exceeds the size limit");
    if (*packed > r->bytes - at - sizeof head)
        return trace_bad(at, why, "the file ends in the middle of this part");
    return true;
}

static bool unpack(struct trace_reader *r, uint64_t at, uint64_t packed, uint64_t bytes,
                   struct chunk *c, struct strbuf *why)
{
    r->packed.n = 0;
    if (!trace_read_at(r, at + TRACE_CHUNK_HEAD, bytes_reserve(&r->packed, packed), packed, why))
        return false;
    c->content.n = 0;
    bytes_reserve(&c->content, bytes + 1);
    size_t n = ZSTD_decompressDCtx(r->zstd, c->content.data, bytes, r->packed.data, packed);
    if (ZSTD_isError(n)) {
        strbuf_addf(why, "byte %llu: this part is damaged: %s", (unsigned long long)at,
                    ZSTD_getErrorName(n));
        return false;
    }
    if (n != bytes)
        return trace_bad(at, why, "the size of this part differs from the size in its head");
    c->content.n = n;
    c->at = at;
    c->end = at + TRACE_CHUNK_HEAD + packed;
    return true;
}

bool trace_load_any_chunk(struct trace_reader *r, uint64_t at, uint8_t *tag, struct chunk *c,
                          struct strbuf *why)
{
    uint64_t packed, bytes;
    c->at = 0;
    return take_chunk_head(r, at, tag, &packed, &bytes, why) &&
           unpack(r, at, packed, bytes, c, why);
}

bool trace_load_chunk(struct trace_reader *r, uint64_t at, enum trace_tag tag, struct chunk *c,
                      struct strbuf *why)
{
    uint64_t packed, bytes;
    uint8_t found;
    c->at = 0;
    if (!take_chunk_head(r, at, &found, &packed, &bytes, why))
        return false;
    if (found != tag)
        return trace_bad(at, why, "another kind of part was expected here");
    return unpack(r, at, packed, bytes, c, why);
}

/* A text as a terminated copy, which replaces *copy. */
static const char *get_text(struct cursor *in, char **copy, size_t *n)
{
    uint64_t len = cursor_get_varint(in);
    const uint8_t *data = cursor_get_raw(in, len);
    free(*copy);
    *copy = xcalloc(1, data ? len + 1 : 1);
    if (data)
        memcpy(*copy, data, len);
    if (n)
        *n = data ? len : 0;
    return *copy;
}

/* --- modules and launches --- */

bool trace_reader_module(struct trace_reader *r, uint32_t i, struct trace_module *m,
                         struct strbuf *why)
{
    if (!trace_load_chunk(r, r->modules[i], TAG_MODULE, &r->module, why))
        return false;
    struct cursor in = content_of(&r->module);
    m->name = get_text(&in, &r->texts[0], NULL);
    m->text = get_text(&in, &r->texts[1], &m->text_bytes);
    uint64_t n = cursor_get_limited(&in, (uint64_t)(in.end - in.at));
    free(r->module_addresses);
    m->addresses = r->module_addresses = xcalloc(n + 1, sizeof *r->module_addresses);
    m->n_addresses = (uint32_t)n;
    for (uint64_t k = 0; k < n; k++)
        r->module_addresses[k] = cursor_get_varint(&in);
    if (in.bad || in.at != in.end)
        return trace_bad(r->modules[i], why, "this module is not valid");
    return true;
}

static bool take_launch(struct trace_reader *r, uint64_t at, struct trace_launch *l,
                        struct strbuf *why)
{
    if (!trace_load_chunk(r, at, TAG_LAUNCH, &r->launch, why))
        return false;
    struct cursor in = content_of(&r->launch);
    l->module = (uint32_t)cursor_get_limited(&in, UINT32_MAX);
    l->kernel = get_text(&in, &r->texts[2], NULL);
    const uint64_t most_ctas = 1ull << 40;
    r->n_ctas = 1;
    for (int i = 0; i < 3; i++) {
        l->grid[i] = (uint32_t)cursor_get_limited(&in, UINT32_MAX);
        l->block[i] = (uint32_t)cursor_get_limited(&in, UINT32_MAX);
        l->offset[i] = (uint32_t)cursor_get_limited(&in, UINT32_MAX);
        in.bad |= !l->grid[i] || !l->block[i] || l->grid[i] > most_ctas / r->n_ctas;
        r->n_ctas = in.bad ? 1 : r->n_ctas * l->grid[i];
    }
    l->work_dim = (uint32_t)cursor_get_limited(&in, 3);
    l->shared_bytes = (uint32_t)cursor_get_limited(&in, UINT32_MAX);
    l->dynamic_shared_bytes = (uint32_t)cursor_get_limited(&in, UINT32_MAX);
    if (in.bad || in.at != in.end || l->module >= r->n_modules)
        return trace_bad(at, why, "this launch is not valid");
    return true;
}

static void take_pages(struct trace_reader *r, struct cursor *in)
{
    uint64_t n = cursor_get_limited(in, (uint64_t)(in->end - in->at)), before = 0;
    free(r->pages);
    r->pages = xcalloc(n + 1, sizeof *r->pages);
    r->n_pages = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++)
        before = r->pages[i] = before + cursor_get_varint(in);
}

bool trace_reader_launch(struct trace_reader *r, uint32_t i, struct trace_launch *l,
                         struct trace_launch_end *end, struct strbuf *why)
{
    uint64_t at = r->launches[i];
    if (!trace_load_chunk(r, at, TAG_LAUNCH_END, &r->launch_end, why))
        return false;
    struct cursor in = content_of(&r->launch_end);
    uint64_t launch_at = cursor_get_varint(&in);
    end->warp_insts = cursor_get_varint(&in);
    end->piece_bytes = cursor_get_varint(&in);
    for (uint32_t k = 0; k < N_TRACE_REASONS; k++) {
        const char *where = get_text(&in, &r->texts[4 + k], NULL);
        end->reasons[k] = where[0] ? where : NULL;
    }
    take_pages(r, &in);
    r->page.at = 0;
    if (in.bad || in.at != in.end)
        return trace_bad(at, why, "the end of this launch is not valid");
    if (!take_launch(r, launch_at, l, why))
        return false;
    if (r->n_pages != (r->n_ctas + TRACE_INDEX_CTAS - 1) / TRACE_INDEX_CTAS)
        return trace_bad(at, why,
                         "the index of this launch has the wrong number of pages for its CTAs");
    return true;
}

/* --- CTAs --- */

/* Reads the places of a CTA, or skips them (`out` NULL). */
static void take_places(struct cursor *in, uint64_t *first_chunk, struct trace_cta *out)
{
    uint64_t n = cursor_get_limited(in, (uint64_t)(in->end - in->at)), chunk = *first_chunk;
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        chunk += i ? cursor_get_varint(in) : cursor_get_signed(in);
        if (!i)
            *first_chunk = chunk;
        struct trace_place p = {.chunk = chunk};
        p.at = (uint32_t)cursor_get_limited(in, TRACE_MAX_CHUNK);
        p.n = (uint32_t)cursor_get_limited(in, TRACE_MAX_CHUNK);
        if (!out)
            continue;
        ARRAY_RESERVE(out->places, out->cap, out->n + 1);
        out->places[out->n++] = p;
    }
}

static bool find_places(struct trace_reader *r, uint64_t number, struct trace_cta *out,
                        struct strbuf *why)
{
    uint64_t page = number / TRACE_INDEX_CTAS;
    bool is_loaded = r->page.at && r->page_number == page;
    if (!is_loaded && !trace_load_chunk(r, r->pages[page], TAG_INDEX, &r->page, why))
        return false;
    r->page_number = page;
    if (!is_loaded || number < r->page_next) { /* rare, because CTAs start in order */
        r->page_cursor = content_of(&r->page);
        r->page_next = page * TRACE_INDEX_CTAS;
        r->page_chunk = 0;
    }
    for (; r->page_next < number; r->page_next++)
        take_places(&r->page_cursor, &r->page_chunk, NULL);
    take_places(&r->page_cursor, &r->page_chunk, out);
    r->page_next++;
    return !r->page_cursor.bad || trace_bad(r->page.at, why, "this page of the index is not valid");
}

bool trace_reader_cta(struct trace_reader *r, uint64_t number, struct trace_cta *out,
                      struct strbuf *why)
{
    out->number = number;
    out->n = 0;
    pthread_mutex_lock(&r->lock);
    bool ok = find_places(r, number, out, why);
    pthread_mutex_unlock(&r->lock);
    return ok;
}

static struct chunk *find_chunk(struct trace_reader *r, uint64_t at, struct strbuf *why)
{
    struct chunk *oldest = &r->cache[0];
    for (uint32_t i = 0; i < CACHED_CHUNKS; i++) {
        struct chunk *c = &r->cache[i];
        if (c->at == at && at) {
            c->used = ++r->clock;
            return c;
        }
        oldest = c->used < oldest->used ? c : oldest;
    }
    oldest->used = ++r->clock;
    return trace_load_chunk(r, at, TAG_PIECES, oldest, why) ? oldest : NULL;
}

/* Searches the pieces of one place. `*done` counts pieces from the CTA's first. */
static bool find_piece(const struct trace_place *p, const struct chunk *c, uint64_t first,
                       uint32_t warp, uint64_t *done, struct bytes *out, struct strbuf *why)
{
    struct cursor in = content_of(c);
    in.at = p->at <= c->content.n ? in.at + p->at : in.end;
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t whose = cursor_get_varint(&in), n = cursor_get_limited(&in, TRACE_MAX_PIECE);
        const uint8_t *data = cursor_get_raw(&in, n);
        if (in.bad)
            return trace_bad(c->at, why, "the pieces in this part are not valid");
        if (first + i < *done || whose != warp)
            continue;
        *done = first + i + 1;
        out->n = 0;
        bytes_reserve(out, n + 1); /* an empty piece needs a pointer too */
        bytes_put_raw(out, data, n);
        return true;
    }
    return false;
}

bool trace_reader_piece(struct trace_reader *r, const struct trace_cta *c, uint32_t warp,
                        uint64_t *done, struct bytes *out, struct strbuf *why)
{
    uint64_t first = 0;
    bool found = false;
    pthread_mutex_lock(&r->lock);
    for (uint32_t i = 0; i < c->n && !found && !why->len; first += c->places[i++].n) {
        const struct trace_place *p = &c->places[i];
        if (first + p->n <= *done)
            continue;
        const struct chunk *chunk = find_chunk(r, p->chunk, why);
        found = chunk && find_piece(p, chunk, first, warp, done, out, why);
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

void trace_cta_destroy(struct trace_cta *c)
{
    free(c->places);
}
