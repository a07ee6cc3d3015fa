/* A recording as a list of accesses: fills and evictions are the recorded cache's own affair, but
 * for the ones that tell of a flush. */
#include "analysis/lab_stream.h"

#include <stdlib.h>

#include "analysis/l1d_format.h"
#include "cache/cache_policy.h"

static void reserve(struct lab_stream *s, size_t n)
{
    if (s->n + n <= s->cap)
        return;
    ARRAY_RESERVE(s->items, s->cap, s->n + n);
    if (s->has_criticality)
        s->criticality = xrealloc(s->criticality, s->cap * sizeof *s->criticality);
}

void lab_stream_add(struct lab_stream *s, const struct lab_access *a)
{
    reserve(s, 1);
    s->items[s->n++] = *a;
    if (a->sm >= s->n_sms)
        s->n_sms = a->sm + 1;
}

void lab_stream_destroy(struct lab_stream *s)
{
    free(s->items);
    free(s->criticality);
    arena_destroy(&s->arena);
    *s = (struct lab_stream){0};
}

static void take_header(struct lab_stream *s, const struct l1d_header *h)
{
    s->n_sms = h->n_sms;
    s->n_sets = h->n_sets;
    s->n_ways = h->n_ways;
    s->line_bytes = h->line_bytes;
    s->gpu = arena_strdup(&s->arena, h->gpu);
    s->policy = arena_strdup(&s->arena, h->policy);
    s->has_criticality = h->criticality[0] != 0;
}

/* All the lines that a flush removes are one flush: `flushing` says of each SM that it is in one.
 */
static bool take_block(struct lab_stream *s, struct l1d_block *b, bool *flushing)
{
    struct l1d_event e;
    bool was_flush = flushing[b->sm], ok = true;
    reserve(s, b->n_left);
    while (b->n_left && (ok = l1d_get_event(b, &e))) {
        bool is_flush = e.kind == L1D_EVICT && e.outcome == EVICT_FLUSH;
        bool counts = is_flush ? !was_flush : e.kind != L1D_FILL && e.kind != L1D_EVICT;
        was_flush = is_flush;
        if (!counts)
            continue;
        static const uint8_t kinds[] = {[L1D_LOAD] = LAB_LOAD,
                                        [L1D_STORE] = LAB_STORE,
                                        [L1D_ATOMIC] = LAB_ATOMIC,
                                        [L1D_EVICT] = LAB_FLUSH};
        if (s->has_criticality)
            s->criticality[s->n] = e.criticality;
        s->items[s->n++] = (struct lab_access){.cycle = e.cycle,
                                               .warp = e.warp_uid,
                                               .thread = e.thread,
                                               .address = e.address,
                                               .sm = b->sm,
                                               .pc = e.pc,
                                               .launch = e.launch,
                                               .kind = kinds[e.kind],
                                               .is_critical = e.is_critical};
        s->recorded[e.outcome] += e.kind == L1D_LOAD;
    }
    flushing[b->sm] = was_flush;
    return ok;
}

bool lab_stream_read_recording(struct lab_stream *s, const char *path, struct strbuf *why)
{
    struct l1d_reader *r = l1d_reader_open(path, why);
    if (!r)
        return false;
    take_header(s, l1d_reader_header(r));
    bool *flushing = xcalloc(s->n_sms, sizeof *flushing);
    struct l1d_block b;
    enum l1d_read got;
    while ((got = l1d_reader_next_block(r, &b, why)) == L1D_READ_EVENT)
        if (!take_block(s, &b, flushing)) {
            got = l1d_reader_bad_block(r, why);
            break;
        }
    free(flushing);
    l1d_reader_close(r);
    return got == L1D_READ_END;
}
