/* Opens traces: the head, the tail, the footer, and what the footer says about the whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_status.h"
#include "trace/file_internal.h"

static const char *get_footer_text(struct trace_reader *r, struct cursor *in)
{
    uint64_t len = cursor_get_varint(in);
    const uint8_t *data = cursor_get_raw(in, len);
    return arena_strndup(&r->arena, data ? (const char *)data : "", data ? len : 0);
}

static uint64_t *get_places(struct trace_reader *r, struct cursor *in, uint32_t *n)
{
    uint64_t count =
        cursor_get_limited(in, (uint64_t)(in->end - in->at)); /* each takes at least a byte */
    uint64_t *places = ARENA_ARRAY(&r->arena, uint64_t, count + 1);
    for (uint64_t i = 0; i < count; i++)
        places[i] = cursor_get_varint(in);
    *n = (uint32_t)count;
    return places;
}

static void take_notes(struct trace_reader *r, struct cursor *in)
{
    uint64_t n =
        cursor_get_limited(in, (uint64_t)(in->end - in->at)); /* each takes at least a byte */
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
    bool ok = trace_load_chunk(r, at, TAG_FOOTER, &c, why);
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
            trace_bad(at, why, "the footer is not valid");
    }
    free(c.content.data);
    return ok;
}

static bool check_head(struct trace_reader *r, struct strbuf *why)
{
    uint8_t head[TRACE_HEAD_BYTES];
    if (r->bytes < sizeof head)
        return trace_bad(0, why, r->bytes ? "this is not a Heddle trace" : "the file is empty");
    if (!trace_read_at(r, 0, head, sizeof head, why))
        return false;
    if (memcmp(head, TRACE_MAGIC, 12) != 0)
        return trace_bad(0, why, "this is not a Heddle trace");
    struct cursor in = {head + 12, head + 16, false};
    r->version = (uint32_t)cursor_get_fixed(&in, 4);
    if (r->version >= TRACE_FIRST_VERSION && r->version <= TRACE_VERSION)
        return true;
    strbuf_addf(why, "byte 12: version %u of the format; this Heddle reads versions %d to %d",
                r->version, TRACE_FIRST_VERSION, TRACE_VERSION);
    return false;
}

/* Is there a complete trace with something after it? Then `why` says where it ends. */
static bool is_followed(const struct trace_reader *r, struct strbuf *why)
{
    uint64_t end = trace_find_end(r->fd, r->bytes);
    if (!end || end == r->bytes)
        return false;
    strbuf_addf(why,
                "byte %llu: the trace ends here, but %llu bytes follow that are not part of it",
                (unsigned long long)end, (unsigned long long)(r->bytes - end));
    return true;
}

static bool find_footer(struct trace_reader *r, uint64_t *at, struct strbuf *why)
{
    uint8_t tail[TRACE_TAIL_BYTES];
    if (r->bytes < TRACE_HEAD_BYTES + sizeof tail)
        return trace_bad(r->bytes, why, "the file ends here, without its footer: it was cut off");
    uint64_t tail_at = r->bytes - sizeof tail;
    if (!trace_read_at(r, tail_at, tail, sizeof tail, why))
        return false;
    if (is_followed(r, why))
        return false;
    if (memcmp(tail + 8, TRACE_END_MAGIC, 8) != 0)
        return trace_footer_ends_at(r->fd, r->bytes)
                   ? trace_bad(tail_at + 8, why, "the mark at the end of the file is damaged")
                   : trace_bad(r->bytes, why,
                               "the file ends here, without its footer: it was cut off");
    struct cursor in = {tail, tail + 8, false};
    *at = cursor_get_fixed(&in, 8);
    return *at < tail_at || trace_bad(tail_at, why, "the offset of the footer is after the end");
}

struct trace_reader *trace_reader_open(const char *path, bool *cannot_read, struct strbuf *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    *cannot_read = false;
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        *cannot_read = fd < 0 && file_read_status(errno) == HEDDLE_ENVIRONMENT;
        strbuf_addf(why, "cannot read it: %s",
                    fd < 0 ? strerror(errno) : "it is not a regular file");
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct trace_reader *r = xcalloc(1, sizeof *r);
    r->fd = fd;
    r->bytes = (uint64_t)info.st_size;
    r->zstd = ZSTD_createDCtx();
    pthread_mutex_init(&r->lock, NULL);
    uint64_t footer = 0;
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
