/* A recording as a list of accesses: fills and evictions are the recorded cache's own affair. */
#include "analysis/lab_stream.h"

#include <stdlib.h>

#include "analysis/l1d_format.h"

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
    l1d_reader_close(s->reader);
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

/* How many loads had that outcome, their warps critical or not. */
static uint32_t count_outcome(const struct l1d_table *t, uint32_t outcome)
{
    uint8_t first = (uint8_t)(L1D_LOAD | outcome << L1D_OUTCOME_SHIFT);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++)
        n += (t->kinds[i] & (uint8_t)~L1D_CRITICAL) == first;
    return n;
}

static void take_accesses(struct lab_stream *s, uint32_t sm, const struct l1d_table *t)
{
    static const uint8_t kinds[] = {[L1D_LOAD] = LAB_LOAD,
                                    [L1D_STORE] = LAB_STORE,
                                    [L1D_ATOMIC] = LAB_ATOMIC,
                                    [L1D_FLUSH] = LAB_FLUSH};
    uint64_t *const *c = t->columns;
    reserve(s, t->n);
    struct lab_access *to = s->items + s->n;
    for (uint32_t i = 0; i < t->n; i++) {
        uint8_t first = t->kinds[i];
        to[i] = (struct lab_access){.cycle = c[L1D_CYCLE][i],
                                    .warp = c[L1D_WARP][i],
                                    .thread = c[L1D_THREAD][i],
                                    .address = c[L1D_LINE][i] * s->line_bytes + c[L1D_OFFSET][i],
                                    .sm = sm,
                                    .pc = (uint32_t)c[L1D_PC][i],
                                    .launch = (uint32_t)c[L1D_LAUNCH][i],
                                    .kind = kinds[first & L1D_KIND_MASK],
                                    .is_critical = first & L1D_CRITICAL};
    }
    for (uint32_t i = 0; i < t->n && s->has_criticality; i++)
        s->criticality[s->n + i] = (int64_t)c[L1D_CRITICALITY][i];
    for (uint32_t i = 0; i < N_L1D_OUTCOMES; i++)
        s->recorded[i] += count_outcome(t, i);
    s->n += t->n;
}

bool lab_stream_open_recording(struct lab_stream *s, const char *path, struct strbuf *why)
{
    s->path = arena_strdup(&s->arena, path);
    s->reader = l1d_reader_open(path, why);
    if (s->reader)
        take_header(s, l1d_reader_header(s->reader));
    return s->reader;
}

bool lab_stream_more(struct lab_stream *s, struct strbuf *why)
{
    const struct l1d_table *accesses;
    uint32_t sm;
    enum l1d_read got = l1d_reader_next_accesses(s->reader, &sm, &accesses, why);
    if (got == L1D_READ_EVENT) {
        take_accesses(s, sm, accesses);
        return true;
    }
    l1d_reader_close(s->reader);
    s->reader = NULL;
    return got == L1D_READ_END;
}

bool lab_stream_load(struct lab_stream *s, struct strbuf *why)
{
    bool ok = true;
    while (s->reader && ok)
        ok = lab_stream_more(s, why);
    return ok;
}

bool lab_stream_read_recording(struct lab_stream *s, const char *path, struct strbuf *why)
{
    return lab_stream_open_recording(s, path, why) && lab_stream_load(s, why);
}
