/* A recording as a list of accesses: fills and evictions are the recorded cache's own affair, but
 * for the ones that tell of a flush. */
#include "analysis/lab_stream.h"

#include <stdlib.h>

#include "cache/cache_policy.h"

void lab_stream_add(struct lab_stream *s, const struct lab_access *a)
{
    ARRAY_RESERVE(s->items, s->cap, s->n + 1);
    s->items[s->n++] = *a;
    if (a->sm >= s->n_sms)
        s->n_sms = a->sm + 1;
}

void lab_stream_destroy(struct lab_stream *s)
{
    free(s->items);
    arena_destroy(&s->arena);
    *s = (struct lab_stream){0};
}

static void take_header(struct lab_stream *s, const struct l1d_header *h)
{
    s->n_sets = h->n_sets;
    s->n_ways = h->n_ways;
    s->line_bytes = h->line_bytes;
    s->gpu = arena_strdup(&s->arena, h->gpu);
    s->policy = arena_strdup(&s->arena, h->policy);
}

/* All the lines that a flush removes are one flush: `flushing` says of each SM that it is in one.
 */
static void take_event(struct lab_stream *s, const struct l1d_event *e, bool *flushing)
{
    bool is_access = e->kind == L1D_LOAD || e->kind == L1D_STORE || e->kind == L1D_ATOMIC;
    bool is_flush = e->kind == L1D_EVICT && e->outcome == EVICT_FLUSH;
    if (is_access || (is_flush && !flushing[e->sm]))
        lab_stream_add(s, &(struct lab_access){.cycle = e->cycle,
                                               .warp = e->warp_uid,
                                               .thread = e->thread,
                                               .address = e->address,
                                               .sm = e->sm,
                                               .pc = e->pc,
                                               .launch = e->launch,
                                               .kind = e->kind == L1D_LOAD     ? LAB_LOAD
                                                       : e->kind == L1D_STORE  ? LAB_STORE
                                                       : e->kind == L1D_ATOMIC ? LAB_ATOMIC
                                                                               : LAB_FLUSH});
    flushing[e->sm] = is_flush;
    if (e->kind == L1D_LOAD)
        s->recorded[e->outcome]++;
}

bool lab_stream_read_recording(struct lab_stream *s, const char *path, struct strbuf *why)
{
    struct l1d_reader *r = l1d_reader_open(path, why);
    if (!r)
        return false;
    take_header(s, l1d_reader_header(r));
    bool *flushing = xcalloc(l1d_reader_header(r)->n_sms, sizeof *flushing);
    struct l1d_event e;
    enum l1d_read got;
    while ((got = l1d_reader_next(r, &e, why)) == L1D_READ_EVENT)
        take_event(s, &e, flushing);
    free(flushing);
    l1d_reader_close(r);
    return got == L1D_READ_END;
}
