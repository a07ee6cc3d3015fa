/* Two passes: distances by LRU stacks, then the cache without bounds by a table of owners. */
#include "analysis/lab_reuse.h"

#include <stdlib.h>

#include "analysis/lab_map.h"
#include "analysis/lab_stacks.h"

struct reuse {
    uint32_t pc;
    uint32_t distance[N_LAB_DISTANCES];
};

static int by_pc(const void *x, const void *y)
{
    const struct reuse *a = x, *b = y;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

static int by_value(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static uint32_t range_of(const struct lab_ranges *ranges, uint32_t distance)
{
    uint32_t i = 0;
    while (i < ranges->n && distance > ranges->ends[i])
        i++;
    return i;
}

/* `scratch` has room for n numbers. */
static struct lab_distances summarise(const struct reuse *reuses, size_t n,
                                      const struct lab_ranges *ranges, uint32_t *scratch)
{
    struct lab_distances d = {.pc = n ? reuses[0].pc : 0, .n = n};
    for (int kind = 0; kind < N_LAB_DISTANCES && n; kind++) {
        for (size_t i = 0; i < n; i++) {
            scratch[i] = reuses[i].distance[kind];
            d.in_range[kind][range_of(ranges, scratch[i])]++;
        }
        qsort(scratch, n, sizeof *scratch, by_value);
        d.median[kind] = scratch[(n - 1) / 2];
    }
    return d;
}

static void split_by_pc(struct reuse *reuses, size_t n, const struct lab_ranges *ranges,
                        uint32_t *scratch, struct lab_reuse *out)
{
    uint32_t cap = 0;
    qsort(reuses, n, sizeof *reuses, by_pc);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && reuses[end].pc == reuses[first].pc;)
            end++;
        ARRAY_RESERVE(out->pcs, cap, out->n_pcs + 1);
        out->pcs[out->n_pcs++] = summarise(reuses + first, end - first, ranges, scratch);
    }
}

static void measure_distances(const struct lab_stream *s, const struct lab_config *c,
                              const struct lab_ranges *ranges, struct lab_reuse *out)
{
    struct lab_stacks *stacks = lab_stacks_create(s, c->n_sets, c->line_bytes, c->index);
    struct reuse *reuses = xcalloc(s->n + 1, sizeof *reuses);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].kind != LAB_LOAD)
            continue;
        struct lab_touch t = lab_stacks_touch(stacks, i);
        bool counts = s->items[i].is_critical || !ranges->is_critical_only;
        if (t.previous != LAB_NOWHERE && counts)
            reuses[n++] = (struct reuse){.pc = s->items[t.previous].pc,
                                         .distance = {[LAB_S2] = t.n_accesses, [LAB_S3] = t.depth}};
    }
    lab_stacks_destroy(stacks);
    uint32_t *scratch = xcalloc(n + 1, sizeof *scratch);
    out->all = summarise(reuses, n, ranges, scratch);
    split_by_pc(reuses, n, ranges, scratch, out);
    free(scratch);
    free(reuses);
}

/* What a table of owners says of a line besides a position. */
#define NOT_SEEN UINT64_MAX
#define REMOVED  (UINT64_MAX - 1)

static void load_unbounded(const struct lab_stream *s, size_t position, uint64_t *owner,
                           struct lab_reuse *out)
{
    if (*owner == NOT_SEEN || *owner == REMOVED) {
        out->compulsory_misses += *owner == NOT_SEEN;
        out->other_misses += *owner == REMOVED;
        *owner = position;
        return;
    }
    const struct lab_access *a = &s->items[position], *first = &s->items[*owner];
    if (a->warp != first->warp)
        out->hits[LAB_INTER_WARP]++;
    else
        out->hits[a->thread == first->thread ? LAB_INTRA_THREAD : LAB_INTER_THREAD]++;
}

static void flush_unbounded(struct lab_map *owners)
{
    for (size_t i = 0; i < owners->cap; i++)
        if (owners->entries[i].key && owners->entries[i].value != NOT_SEEN)
            owners->entries[i].value = REMOVED;
}

void lab_unbounded_measure(const struct lab_stream *s, const struct lab_config *config,
                           struct lab_reuse *out)
{
    *out = (struct lab_reuse){0};
    struct lab_map *owners = xcalloc((size_t)s->n_sms + 1, sizeof *owners);
    for (size_t i = 0; i < s->n; i++) {
        const struct lab_access *a = &s->items[i];
        if (a->kind == LAB_FLUSH) {
            flush_unbounded(&owners[a->sm]);
            continue;
        }
        uint64_t line = a->address & ~(uint64_t)(config->line_bytes - 1);
        uint64_t *owner = lab_map_at(&owners[a->sm], line, NOT_SEEN);
        out->n_loads += a->kind == LAB_LOAD;
        out->n_stores += a->kind == LAB_STORE;
        out->n_atomics += a->kind == LAB_ATOMIC;
        if (a->kind == LAB_LOAD)
            load_unbounded(s, i, owner, out);
        else if (*owner != NOT_SEEN && (a->kind == LAB_ATOMIC || !config->stores_keep))
            *owner = REMOVED; /* and a line never loaded is still to be loaded first */
    }
    for (uint32_t sm = 0; sm < s->n_sms; sm++)
        lab_map_destroy(&owners[sm]);
    free(owners);
}

uint64_t lab_compulsory_misses(const struct lab_stream *s, uint32_t line_bytes)
{
    struct lab_map *loaded = xcalloc((size_t)s->n_sms + 1, sizeof *loaded);
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct lab_access *a = &s->items[i];
        if (a->kind == LAB_LOAD)
            lab_map_at(&loaded[a->sm], a->address & ~(uint64_t)(line_bytes - 1), 0);
    }
    for (uint32_t sm = 0; sm < s->n_sms; sm++) {
        n += loaded[sm].n;
        lab_map_destroy(&loaded[sm]);
    }
    free(loaded);
    return n;
}

void lab_reuse_measure(const struct lab_stream *s, const struct lab_config *config,
                       const struct lab_ranges *ranges, struct lab_reuse *out)
{
    lab_unbounded_measure(s, config, out);
    measure_distances(s, config, ranges, out);
}

void lab_reuse_destroy(struct lab_reuse *r)
{
    free(r->pcs);
    *r = (struct lab_reuse){0};
}
