#include "cli/run_timeline.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gzip.h"
#include "cli/output.h"

/* A decimal number at *text, which advances past it. */
static bool read_number(const char **text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* "100-200", "100-" and "-200". */
static bool parse_cycles(const char *text, struct timeline_window *out, struct strbuf *why)
{
    const char *at = text;
    bool ok = *at == '-' || read_number(&at, &out->from_cycle);
    ok = ok && *at++ == '-';
    if (ok && *at)
        ok = read_number(&at, &out->to_cycle) && !*at && out->to_cycle > out->from_cycle;
    if (!ok || text[1] == '\0')
        strbuf_addf(
            why,
            "--timeline-cycles %s: expected FIRST-END, such as 1000-2000; either may be omitted",
            text);
    return why->len == 0;
}

static bool parse_sms(const char *text, uint32_t n_sms, struct arena *arena,
                      struct timeline_window *out, struct strbuf *why)
{
    uint32_t *sms = ARENA_ARRAY(arena, uint32_t, n_sms);
    const char *at = text;
    do {
        uint64_t sm;
        if (!read_number(&at, &sm) || (*at && *at != ',')) {
            strbuf_addf(why, "--timeline-sms %s: expected numbers of SMs, such as 0,1", text);
        } else if (sm >= n_sms || out->n_sms == n_sms) {
            strbuf_addf(why, "--timeline-sms %s: the SMs of this GPU are 0 to %u, each once", text,
                        n_sms - 1);
        } else {
            sms[out->n_sms++] = (uint32_t)sm;
        }
    } while (!why->len && *at++);
    out->sms = sms;
    return why->len == 0;
}

bool timeline_window_parse(const char *cycles, const char *sms, uint32_t n_sms, struct arena *arena,
                           struct timeline_window *out, struct strbuf *why)
{
    *out = (struct timeline_window){0};
    return (!cycles || parse_cycles(cycles, out, why)) &&
           (!sms || parse_sms(sms, n_sms, arena, out, why));
}

/* --- the file --- */

/* Perfetto holds a trace in the memory of a browser tab. */
enum { LARGE_BYTES = 100 << 20 };

struct timeline_file {
    struct output_stream *file;
    struct gzip *gzip; /* NULL = uncompressed */
    const char *path;
    uint64_t n_bytes; /* before compression */
    bool is_warned;
};

static bool ends_in_gz(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

struct timeline_file *timeline_file_open(const char *path)
{
    struct output_stream *file = output_open(path);
    if (!file)
        return NULL;
    struct timeline_file *f = xcalloc(1, sizeof *f);
    f->file = file;
    f->path = path;
    if (ends_in_gz(path))
        f->gzip = gzip_create((struct sink){output_add, file});
    return f;
}

static void warn_of_size(struct timeline_file *f)
{
    struct strbuf text = {0};
    strbuf_addf(&text,
                "heddle: warning: the timeline in %s is larger than %d MB and grows; "
                "--timeline-sms 0, --timeline-cycles FIRST-END and --timeline-limit SIZE draw less "
                "of the run%s\n",
                f->path, LARGE_BYTES >> 20,
                f->gzip ? "" : ", and a name that ends in .gz compresses it");
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
    f->is_warned = true;
}

bool timeline_file_add(void *file, const void *data, size_t bytes)
{
    struct timeline_file *f = file;
    f->n_bytes += bytes;
    if (f->n_bytes > LARGE_BYTES && !f->is_warned)
        warn_of_size(f);
    return f->gzip ? gzip_add(f->gzip, data, bytes) : output_add(f->file, data, bytes);
}

void timeline_file_abandon(struct timeline_file *f)
{
    if (!f)
        return;
    gzip_destroy(f->gzip);
    output_abandon(f->file);
    free(f);
}

enum heddle_status timeline_file_finish(struct timeline_file *f, bool is_complete)
{
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    if (is_complete && (!f->gzip || gzip_finish(f->gzip))) {
        status = output_finish(f->file);
        f->file = NULL;
    }
    timeline_file_abandon(f);
    return status;
}
