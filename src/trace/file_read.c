/* Reads traces. Every chunk is unpacked and its checksum proved right before anything of it is
 * used; every number in it is held against what can be. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file_status.h"
#include "trace/bytes.h"
#include "trace/file.h"

enum { CACHED_CHUNKS = 16 };

struct chunk {
    uint64_t at;   /* in the file; 0 = empty */
    uint64_t used; /* when it was used last */
    struct bytes content;
};

struct trace_reader {
    int fd;
    uint64_t bytes;
    ZSTD_DCtx *zstd;
    struct bytes packed;
    struct arena arena; /* of the footer */
    struct trace_about about;
    uint32_t version;
    struct trace_note *notes;
    uint32_t n_notes;
    uint64_t *modules, *launches; /* where they are */
    uint32_t n_modules, n_launches;
    struct chunk module, launch, launch_end; /* the present ones */
    uint64_t *module_addresses;
    char *texts[4 + N_TRACE_REASONS]; /* terminated copies of what the present ones name */
    uint64_t n_ctas;
    uint64_t *pages;
    uint32_t n_pages;
    pthread_mutex_t lock; /* of what follows and of the unpacker */
    struct chunk page;
    uint64_t page_number, page_next; /* page_next: the CTA that page_cursor stands before */
    struct cursor page_cursor;
    uint64_t page_chunk; /* the first of the CTA before it */
    struct chunk cache[CACHED_CHUNKS];
    uint64_t clock;
};

static bool bad(uint64_t at, struct strbuf *why, const char *what)
{
    strbuf_addf(why, "byte %llu: %s", (unsigned long long)at, what);
    return false;
}

static bool read_at(const struct trace_reader *r, uint64_t at, void *to, size_t n,
                    struct strbuf *why)
{
    if (at > r->bytes || n > r->bytes - at)
        return bad(at, why, "the file ends in the middle of this part");
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(r->fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return bad(at, why, got ? strerror(errno) : "the file has become shorter");
        }
    }
    return true;
}

/* Unpacks the chunk at that place. */
static bool load_chunk(struct trace_reader *r, uint64_t at, enum trace_tag tag, struct chunk *c,
                       struct strbuf *why)
{
    uint8_t head[TRACE_CHUNK_HEAD];
    c->at = 0;
    if (!read_at(r, at, head, sizeof head, why))
        return false;
    struct cursor in = {head + 1, head + sizeof head, false};
    uint64_t packed = get_fixed(&in, 4), bytes = get_fixed(&in, 4);
    if (head[0] != tag)
        return bad(at, why, "another kind of part was expected here");
    if (bytes > TRACE_MAX_CHUNK || packed > ZSTD_compressBound(TRACE_MAX_CHUNK))
        return bad(at, why, "this part is larger than any that was ever written");
    if (packed > r->bytes - at - sizeof head)
        return bad(at, why, "the file ends in the middle of this part");
    r->packed.n = 0;
    if (!read_at(r, at + sizeof head, bytes_room(&r->packed, packed), packed, why))
        return false;
    c->content.n = 0;
    bytes_room(&c->content, bytes + 1);
    size_t n = ZSTD_decompressDCtx(r->zstd, c->content.data, bytes, r->packed.data, packed);
    if (ZSTD_isError(n)) {
        strbuf_addf(why, "byte %llu: this part is damaged: %s", (unsigned long long)at,
                    ZSTD_getErrorName(n));
        return false;
    }
    if (n != bytes)
        return bad(at, why, "this part has not the size it says");
    c->content.n = n;
    c->at = at;
    return true;
}

static struct cursor content_of(const struct chunk *c)
{
    return (struct cursor){c->content.data, c->content.data + c->content.n, false};
}

/* A text as a terminated copy, which replaces *copy. */
static const char *get_text(struct cursor *in, char **copy, size_t *n)
{
    uint64_t len = get_varint(in);
    const uint8_t *data = get_raw(in, len);
    free(*copy);
    *copy = xcalloc(1, data ? len + 1 : 1);
    if (data)
        memcpy(*copy, data, len);
    if (n)
        *n = data ? len : 0;
    return *copy;
}

/* --- opening --- */

static const char *get_footer_text(struct trace_reader *r, struct cursor *in)
{
    uint64_t len = get_varint(in);
    const uint8_t *data = get_raw(in, len);
    return arena_strndup(&r->arena, data ? (const char *)data : "", data ? len : 0);
}

static uint64_t *get_places(struct trace_reader *r, struct cursor *in, uint32_t *n)
{
    uint64_t count = get_limited(in, (uint64_t)(in->end - in->at)); /* each takes a byte or more */
    uint64_t *places = ARENA_ARRAY(&r->arena, uint64_t, count + 1);
    for (uint64_t i = 0; i < count; i++)
        places[i] = get_varint(in);
    *n = (uint32_t)count;
    return places;
}

static void take_notes(struct trace_reader *r, struct cursor *in)
{
    uint64_t n = get_limited(in, (uint64_t)(in->end - in->at)); /* each takes a byte or more */
    r->notes = ARENA_ARRAY(&r->arena, struct trace_note, n + 1);
    r->n_notes = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++) {
        r->notes[i].name = get_footer_text(r, in);
        r->notes[i].value = get_footer_text(r, in);
    }
}

static bool take_footer(struct trace_reader *r, uint64_t at, struct strbuf *why)
{
    struct chunk c = {0};
    bool ok = load_chunk(r, at, TAG_FOOTER, &c, why);
    if (ok) {
        struct cursor in = content_of(&c);
        r->about.heddle_version = get_footer_text(r, &in);
        r->about.origin = get_footer_text(r, &in);
        r->about.gpu = get_footer_text(r, &in);
        r->about.machine = get_footer_text(r, &in);
        if (r->version > TRACE_FIRST_VERSION)
            take_notes(r, &in);
        r->modules = get_places(r, &in, &r->n_modules);
        r->launches = get_places(r, &in, &r->n_launches);
        ok = !in.bad && in.at == in.end;
        if (!ok)
            bad(at, why, "the footer makes no sense");
    }
    free(c.content.data);
    return ok;
}

static bool check_head(struct trace_reader *r, struct strbuf *why)
{
    uint8_t head[TRACE_HEAD_BYTES];
    if (r->bytes < sizeof head)
        return bad(0, why, r->bytes ? "this is no trace of Heddle" : "the file is empty");
    if (!read_at(r, 0, head, sizeof head, why))
        return false;
    if (memcmp(head, TRACE_MAGIC, 12) != 0)
        return bad(0, why, "this is no trace of Heddle");
    struct cursor in = {head + 12, head + 16, false};
    r->version = (uint32_t)get_fixed(&in, 4);
    if (r->version >= TRACE_FIRST_VERSION && r->version <= TRACE_VERSION)
        return true;
    strbuf_addf(why, "byte 12: version %u of the format; this Heddle reads versions %d to %d",
                r->version, TRACE_FIRST_VERSION, TRACE_VERSION);
    return false;
}

/* Is there a whole trace, with something behind it? Then `why` says where it ends. */
static bool is_followed(const struct trace_reader *r, struct strbuf *why)
{
    uint64_t end = trace_find_end(r->fd, r->bytes);
    if (!end || end == r->bytes)
        return false;
    strbuf_addf(why, "byte %llu: the trace ends here, but %llu bytes follow that are no part of it",
                (unsigned long long)end, (unsigned long long)(r->bytes - end));
    return true;
}

static bool find_footer(struct trace_reader *r, uint64_t *at, struct strbuf *why)
{
    uint8_t tail[TRACE_TAIL_BYTES];
    if (r->bytes < TRACE_HEAD_BYTES + sizeof tail)
        return bad(r->bytes, why, "the file ends here, without its footer: it was cut off");
    uint64_t tail_at = r->bytes - sizeof tail;
    if (!read_at(r, tail_at, tail, sizeof tail, why))
        return false;
    if (is_followed(r, why))
        return false;
    if (memcmp(tail + 8, TRACE_END_MAGIC, 8) != 0)
        return bad(r->bytes, why, "the file ends here, without its footer: it was cut off");
    struct cursor in = {tail, tail + 8, false};
    *at = get_fixed(&in, 8);
    return *at < tail_at || bad(tail_at, why, "the footer is said to be after the end");
}

struct trace_reader *trace_reader_open(const char *path, bool *cannot_read, struct strbuf *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    *cannot_read = false;
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        *cannot_read = fd < 0 && file_read_status(errno) == HEDDLE_ENVIRONMENT;
        strbuf_addf(why, "cannot read it: %s", fd < 0 ? strerror(errno) : "it is no plain file");
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct trace_reader *r = xcalloc(1, sizeof *r);
    r->fd = fd;
    r->bytes = (uint64_t)info.st_size;
    r->zstd = ZSTD_createDCtx();
    pthread_mutex_init(&r->lock, NULL);
    uint64_t footer;
    if (check_head(r, why) && find_footer(r, &footer, why) && take_footer(r, footer, why))
        return r;
    trace_reader_close(r);
    return NULL;
}

void trace_reader_close(struct trace_reader *r)
{
    if (!r)
        return;
    close(r->fd);
    ZSTD_freeDCtx(r->zstd);
    arena_destroy(&r->arena);
    free(r->packed.data);
    free(r->module.content.data);
    free(r->launch.content.data);
    free(r->launch_end.content.data);
    free(r->page.content.data);
    for (uint32_t i = 0; i < CACHED_CHUNKS; i++)
        free(r->cache[i].content.data);
    for (uint32_t i = 0; i < sizeof r->texts / sizeof r->texts[0]; i++)
        free(r->texts[i]);
    free(r->module_addresses);
    free(r->pages);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

const struct trace_about *trace_reader_about(const struct trace_reader *r)
{
    return &r->about;
}

uint32_t trace_reader_version(const struct trace_reader *r)
{
    return r->version;
}

const struct trace_note *trace_reader_notes(const struct trace_reader *r, uint32_t *n)
{
    *n = r->n_notes;
    return r->notes;
}

uint32_t trace_reader_modules(const struct trace_reader *r)
{
    return r->n_modules;
}

uint32_t trace_reader_launches(const struct trace_reader *r)
{
    return r->n_launches;
}

uint64_t trace_reader_bytes(const struct trace_reader *r)
{
    return r->bytes;
}

/* --- modules and launches --- */

bool trace_reader_module(struct trace_reader *r, uint32_t i, struct trace_module *m,
                         struct strbuf *why)
{
    if (!load_chunk(r, r->modules[i], TAG_MODULE, &r->module, why))
        return false;
    struct cursor in = content_of(&r->module);
    m->name = get_text(&in, &r->texts[0], NULL);
    m->text = get_text(&in, &r->texts[1], &m->text_bytes);
    uint64_t n = get_limited(&in, (uint64_t)(in.end - in.at));
    free(r->module_addresses);
    m->addresses = r->module_addresses = xcalloc(n + 1, sizeof *r->module_addresses);
    m->n_addresses = (uint32_t)n;
    for (uint64_t k = 0; k < n; k++)
        r->module_addresses[k] = get_varint(&in);
    if (in.bad || in.at != in.end)
        return bad(r->modules[i], why, "this module makes no sense");
    return true;
}

static bool take_launch(struct trace_reader *r, uint64_t at, struct trace_launch *l,
                        struct strbuf *why)
{
    if (!load_chunk(r, at, TAG_LAUNCH, &r->launch, why))
        return false;
    struct cursor in = content_of(&r->launch);
    l->module = (uint32_t)get_limited(&in, UINT32_MAX);
    l->kernel = get_text(&in, &r->texts[2], NULL);
    const uint64_t most_ctas = 1ull << 40;
    r->n_ctas = 1;
    for (int i = 0; i < 3; i++) {
        l->grid[i] = (uint32_t)get_limited(&in, UINT32_MAX);
        l->block[i] = (uint32_t)get_limited(&in, UINT32_MAX);
        l->offset[i] = (uint32_t)get_limited(&in, UINT32_MAX);
        in.bad |= !l->grid[i] || !l->block[i] || l->grid[i] > most_ctas / r->n_ctas;
        r->n_ctas = in.bad ? 1 : r->n_ctas * l->grid[i];
    }
    l->work_dim = (uint32_t)get_limited(&in, 3);
    l->shared_bytes = (uint32_t)get_limited(&in, UINT32_MAX);
    l->dynamic_shared_bytes = (uint32_t)get_limited(&in, UINT32_MAX);
    if (in.bad || in.at != in.end || l->module >= r->n_modules)
        return bad(at, why, "this launch makes no sense");
    return true;
}

static void take_pages(struct trace_reader *r, struct cursor *in)
{
    uint64_t n = get_limited(in, (uint64_t)(in->end - in->at)), before = 0;
    free(r->pages);
    r->pages = xcalloc(n + 1, sizeof *r->pages);
    r->n_pages = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++)
        before = r->pages[i] = before + get_varint(in);
}

bool trace_reader_launch(struct trace_reader *r, uint32_t i, struct trace_launch *l,
                         struct trace_launch_end *end, struct strbuf *why)
{
    uint64_t at = r->launches[i];
    if (!load_chunk(r, at, TAG_LAUNCH_END, &r->launch_end, why))
        return false;
    struct cursor in = content_of(&r->launch_end);
    uint64_t launch_at = get_varint(&in);
    end->warp_insts = get_varint(&in);
    end->piece_bytes = get_varint(&in);
    for (uint32_t k = 0; k < N_TRACE_REASONS; k++) {
        const char *where = get_text(&in, &r->texts[4 + k], NULL);
        end->reasons[k] = where[0] ? where : NULL;
    }
    take_pages(r, &in);
    r->page.at = 0;
    if (in.bad || in.at != in.end)
        return bad(at, why, "the end of this launch makes no sense");
    if (!take_launch(r, launch_at, l, why))
        return false;
    if (r->n_pages != (r->n_ctas + TRACE_INDEX_CTAS - 1) / TRACE_INDEX_CTAS)
        return bad(at, why, "the index of this launch has not as many pages as its CTAs need");
    return true;
}

/* --- CTAs --- */

/* Reads the places of a CTA, or passes over them (`out` NULL). */
static void take_places(struct cursor *in, uint64_t *first_chunk, struct trace_cta *out)
{
    uint64_t n = get_limited(in, (uint64_t)(in->end - in->at)), chunk = *first_chunk;
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        chunk += i ? get_varint(in) : get_signed(in);
        if (!i)
            *first_chunk = chunk;
        struct trace_place p = {.chunk = chunk};
        p.at = (uint32_t)get_limited(in, TRACE_MAX_CHUNK);
        p.n = (uint32_t)get_limited(in, TRACE_MAX_CHUNK);
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
    if (!is_loaded && !load_chunk(r, r->pages[page], TAG_INDEX, &r->page, why))
        return false;
    r->page_number = page;
    if (!is_loaded || number < r->page_next) { /* CTAs are started in order: this is rare */
        r->page_cursor = content_of(&r->page);
        r->page_next = page * TRACE_INDEX_CTAS;
        r->page_chunk = 0;
    }
    for (; r->page_next < number; r->page_next++)
        take_places(&r->page_cursor, &r->page_chunk, NULL);
    take_places(&r->page_cursor, &r->page_chunk, out);
    r->page_next++;
    return !r->page_cursor.bad || bad(r->page.at, why, "this page of the index makes no sense");
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
    return load_chunk(r, at, TAG_PIECES, oldest, why) ? oldest : NULL;
}

/* Looks through the pieces of one place. `*done` counts pieces from the CTA's first. */
static bool find_piece(const struct trace_place *p, const struct chunk *c, uint64_t first,
                       uint32_t warp, uint64_t *done, struct bytes *out, struct strbuf *why)
{
    struct cursor in = content_of(c);
    in.at = p->at <= c->content.n ? in.at + p->at : in.end;
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t whose = get_varint(&in), n = get_limited(&in, TRACE_MAX_PIECE);
        const uint8_t *data = get_raw(&in, n);
        if (in.bad)
            return bad(c->at, why, "the pieces in this part make no sense");
        if (first + i < *done || whose != warp)
            continue;
        *done = first + i + 1;
        out->n = 0;
        bytes_room(out, n + 1); /* an empty one lies somewhere too */
        put_raw(out, data, n);
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
