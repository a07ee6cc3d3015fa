/* Checks that a trace is undamaged. Every part is unpacked, which verifies its checksum. The letter
 * that gives its kind has no checksum, so every reference to a part is checked against it too. */
#include <stdlib.h>

#include "trace/file_internal.h"

struct part {
    uint64_t at;
    uint8_t tag;
};

struct parts {
    struct part *items;
    size_t n, cap;
};

static int compare_places(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    return (left->at > right->at) - (left->at < right->at);
}

static bool expect(const struct parts *parts, uint64_t at, enum trace_tag tag, struct strbuf *why)
{
    const struct part wanted = {.at = at};
    const struct part *p =
        parts->n ? bsearch(&wanted, parts->items, parts->n, sizeof wanted, compare_places) : NULL;
    if (!p)
        return trace_bad(at, why, "a part was expected to begin here");
    return p->tag == tag || trace_bad(at, why, "another kind of part was expected here");
}

/* Parts are contiguous, from the head to the tail. */
static bool read_parts(struct trace_reader *r, struct parts *parts, struct trace_check *found,
                       void (*progress)(void *user, uint64_t bytes), void *user, struct strbuf *why)
{
    enum { TOLD_EVERY = 64 };
    const uint64_t end = r->bytes - TRACE_TAIL_BYTES;
    struct chunk c = {0};
    bool ok = true;
    for (uint64_t at = TRACE_HEAD_BYTES; ok && at < end; at = c.end) {
        ARRAY_RESERVE(parts->items, parts->cap, parts->n + 1);
        struct part *p = &parts->items[parts->n++];
        p->at = at;
        ok = trace_load_any_chunk(r, at, &p->tag, &c, why) &&
             (c.end <= end || trace_bad(at, why, "this part overlaps the end of the file"));
        found->n_parts++;
        found->content_bytes += c.content.n;
        if (progress && parts->n % TOLD_EVERY == 0)
            progress(user, c.end);
    }
    free(c.content.data);
    return ok;
}

static bool check_launch(struct trace_reader *r, uint32_t i, const struct parts *parts,
                         struct strbuf *why)
{
    struct trace_launch launch;
    struct trace_launch_end end;
    struct trace_cta cta = {0};
    bool ok = trace_reader_launch(r, i, &launch, &end, why);
    for (uint64_t k = 0; ok && k < r->n_ctas; k++) {
        ok = trace_reader_cta(r, k, &cta, why);
        for (uint32_t p = 0; ok && p < cta.n; p++)
            ok = expect(parts, cta.places[p].chunk, TAG_PIECES, why);
    }
    trace_cta_destroy(&cta);
    return ok;
}

bool trace_reader_check(struct trace_reader *r, struct trace_check *found,
                        void (*progress)(void *user, uint64_t bytes), void *user,
                        struct strbuf *why)
{
    struct parts parts = {0};
    *found = (struct trace_check){0};
    bool ok = read_parts(r, &parts, found, progress, user, why);
    for (uint32_t i = 0; ok && i < r->n_modules; i++)
        ok = expect(&parts, r->modules[i], TAG_MODULE, why);
    for (uint32_t i = 0; ok && i < r->n_launches; i++)
        ok = check_launch(r, i, &parts, why);
    free(parts.items);
    return ok;
}
