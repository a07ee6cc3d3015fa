/* Both are measured as accesses arrive, with memory proportional to the number of lines, not of
 * accesses: distances with LRU stacks, the unbounded cache with a table of owners. */
#include "analysis/lab_reuse.h"

#include <stdlib.h>

#include "analysis/lab_map.h"
#include "cache/set_index.h"

/* --- distances --- */

#define NO_LINE UINT32_MAX

/* The last load of a line by an SM. */
struct last_load {
    uint64_t number; /* index among the loads of its set */
    uint32_t time;   /* in the stack of its set */
    uint32_t pc;
};

/* A binary indexed tree over times, with a mark where a line was last loaded: depths are sums of
 * marks. When all times are used up, the marks are renumbered. */
struct stack {
    uint32_t *tree;    /* 1 to n_times */
    uint32_t *line_at; /* index of the line marked there, or NO_LINE */
    uint32_t n_times, now;
    uint64_t n_loads;
};

/* --- the unbounded cache --- */

/* The first to load a line since it was last removed. */
struct owner {
    uint64_t warp, thread;
    bool is_removed;
};

#define NOT_SEEN UINT64_MAX

struct lab_reuse_run {
    struct lab_config config;
    struct lab_ranges ranges;
    struct set_indexer indexer;
    uint32_t n_sms;
    struct stack *stacks;   /* those of an SM are adjacent */
    struct lab_map *loaded; /* per SM: a line's index in `lasts` */
    struct last_load *lasts;
    size_t n_lasts, cap_lasts;
    struct lab_map counts[N_LAB_DISTANCES]; /* reuses by PC and distance, see key_of() */
    struct lab_map *owned;                  /* per SM: a line's index in `owners` */
    struct owner *owners;
    size_t n_owners, cap_owners;
    struct lab_reuse found;
};

static void mark(struct stack *s, uint32_t time, uint32_t change)
{
    for (; time <= s->n_times; time += time & -time)
        s->tree[time] += change;
}

static uint32_t marks_until(const struct stack *s, uint32_t time)
{
    uint32_t n = 0;
    for (; time; time -= time & -time)
        n += s->tree[time];
    return n;
}

/* Renumbers the marks from 1 and makes room for as many more. */
static void renumber(struct stack *s, struct last_load *lasts)
{
    enum { LEAST_TIMES = 64 };
    uint32_t n = 0;
    for (uint32_t time = 1; time <= s->now; time++)
        if (s->line_at[time] != NO_LINE) {
            s->line_at[++n] = s->line_at[time];
            lasts[s->line_at[n]].time = n;
        }
    s->now = n;
    s->n_times = n < LEAST_TIMES / 2 ? LEAST_TIMES : 2 * n;
    s->line_at = xrealloc(s->line_at, (s->n_times + 1) * sizeof *s->line_at);
    s->tree = xrealloc(s->tree, (s->n_times + 1) * sizeof *s->tree);
    for (uint32_t time = 1; time <= s->n_times; time++)
        s->tree[time] = time <= n;
    for (uint32_t time = 1; time <= s->n_times; time++)
        if (time + (time & -time) <= s->n_times)
            s->tree[time + (time & -time)] += s->tree[time];
}

static uint64_t key_of(uint32_t pc, uint32_t distance)
{
    return (uint64_t)pc << 32 | distance;
}

static void count_reuse(struct lab_reuse_run *r, const struct last_load *last, uint64_t n_accesses,
                        uint32_t depth)
{
    uint32_t accesses = n_accesses < UINT32_MAX ? (uint32_t)n_accesses : UINT32_MAX - 1;
    ++*lab_map_at(&r->counts[LAB_S2], key_of(last->pc, accesses), 0);
    ++*lab_map_at(&r->counts[LAB_S3], key_of(last->pc, depth), 0);
}

static void load_distances(struct lab_reuse_run *r, const struct lab_access *a, uint64_t line)
{
    uint32_t set = set_index_of(&r->indexer, line);
    struct stack *s = &r->stacks[(size_t)a->sm * r->config.n_sets + set];
    uint64_t *place = lab_map_at(&r->loaded[a->sm], line, NOT_SEEN);
    bool is_first = *place == NOT_SEEN;
    if (is_first) {
        ARRAY_RESERVE(r->lasts, r->cap_lasts, r->n_lasts + 1);
        *place = r->n_lasts++;
    }
    if (s->now == s->n_times)
        renumber(s, r->lasts);
    struct last_load *last = &r->lasts[*place];
    if (!is_first) {
        if (a->is_critical || !r->ranges.is_critical_only)
            count_reuse(r, last, s->n_loads - last->number - 1,
                        marks_until(s, s->now) - marks_until(s, last->time));
        mark(s, last->time, -1u);
        s->line_at[last->time] = NO_LINE;
    }
    *last = (struct last_load){.number = s->n_loads++, .time = ++s->now, .pc = a->pc};
    mark(s, s->now, 1);
    s->line_at[s->now] = (uint32_t)*place;
}

/* --- results --- */

static int by_key(const void *x, const void *y)
{
    const struct lab_entry *a = x, *b = y;
    return (a->key > b->key) - (a->key < b->key);
}

static int by_distance(const void *x, const void *y)
{
    const struct lab_entry *a = x, *b = y;
    uint32_t left = (uint32_t)a->key, right = (uint32_t)b->key;
    return (left > right) - (left < right);
}

/* The counts as a list, sorted by key: PC, then distance. */
static struct lab_entry *list_counts(const struct lab_map *m)
{
    struct lab_entry *list = xcalloc(m->n + 1, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < m->cap; i++)
        if (m->entries[i].key)
            list[n++] = (struct lab_entry){m->entries[i].key - 1, m->entries[i].value};
    qsort(list, n, sizeof *list, by_key);
    return list;
}

/* `counts` are sorted by distance. */
static void summarise(const struct lab_entry *counts, size_t n, const struct lab_ranges *ranges,
                      enum lab_distance kind, struct lab_distances *d)
{
    uint64_t total = 0, before = 0;
    for (size_t i = 0; i < n; i++)
        total += counts[i].value;
    d->n = total;
    for (size_t i = 0; i < n; i++) {
        uint32_t distance = (uint32_t)counts[i].key, range = 0;
        while (range < ranges->n && distance > ranges->ends[range])
            range++;
        d->in_range[kind][range] += counts[i].value;
        if (before <= (total - 1) / 2 && before + counts[i].value > (total - 1) / 2)
            d->median[kind] = distance;
        before += counts[i].value;
    }
}

static void summarise_all(struct lab_reuse_run *r, enum lab_distance kind)
{
    struct lab_reuse *out = &r->found;
    struct lab_entry *list = list_counts(&r->counts[kind]);
    size_t n = r->counts[kind].n;
    uint32_t n_pcs = 0, cap = out->n_pcs;
    for (size_t first = 0, end; first < n; first = end) {
        uint32_t pc = (uint32_t)(list[first].key >> 32);
        for (end = first; end < n && list[end].key >> 32 == pc;)
            end++;
        if (n_pcs == out->n_pcs) { /* only for the first kind: the others have the same PCs */
            ARRAY_RESERVE(out->pcs, cap, out->n_pcs + 1);
            out->pcs[out->n_pcs++] = (struct lab_distances){.pc = pc};
        }
        summarise(list + first, end - first, &r->ranges, kind, &out->pcs[n_pcs++]);
    }
    qsort(list, n, sizeof *list, by_distance);
    summarise(list, n, &r->ranges, kind, &out->all);
    free(list);
}

/* --- the unbounded cache, access by access --- */

static void load_unbounded(struct lab_reuse_run *r, const struct lab_access *a, uint64_t *place)
{
    struct owner *o = *place == NOT_SEEN ? NULL : &r->owners[*place];
    if (o && !o->is_removed) {
        if (a->warp != o->warp)
            r->found.hits[LAB_INTER_WARP]++;
        else
            r->found.hits[a->thread == o->thread ? LAB_INTRA_THREAD : LAB_INTER_THREAD]++;
        return;
    }
    r->found.compulsory_misses += !o;
    r->found.other_misses += o != NULL;
    if (!o) {
        ARRAY_RESERVE(r->owners, r->cap_owners, r->n_owners + 1);
        o = &r->owners[ *place = r->n_owners++];
    }
    *o = (struct owner){.warp = a->warp, .thread = a->thread};
}

static void flush_unbounded(struct lab_reuse_run *r, uint32_t sm)
{
    const struct lab_map *owned = &r->owned[sm];
    for (size_t i = 0; i < owned->cap; i++)
        if (owned->entries[i].key && owned->entries[i].value != NOT_SEEN)
            r->owners[owned->entries[i].value].is_removed = true;
}

static void take_unbounded(struct lab_reuse_run *r, const struct lab_access *a, uint64_t line)
{
    uint64_t *place = lab_map_at(&r->owned[a->sm], line, NOT_SEEN);
    r->found.n_loads += a->kind == LAB_LOAD;
    r->found.n_stores += a->kind == LAB_STORE;
    r->found.n_atomics += a->kind == LAB_ATOMIC;
    if (a->kind == LAB_LOAD)
        load_unbounded(r, a, place);
    else if (*place != NOT_SEEN && (a->kind == LAB_ATOMIC || !r->config.stores_keep))
        r->owners[*place].is_removed = true; /* a line that was never loaded still counts its first
                                              * load */
}

/* --- runs --- */

struct lab_reuse_run *lab_reuse_begin(uint32_t n_sms, const struct lab_config *config,
                                      const struct lab_ranges *ranges)
{
    struct lab_reuse_run *r = xcalloc(1, sizeof *r);
    r->config = *config;
    r->n_sms = n_sms;
    r->owned = xcalloc((size_t)n_sms + 1, sizeof *r->owned);
    if (!ranges)
        return r;
    r->ranges = *ranges;
    r->indexer = set_indexer_make(config->n_sets, config->line_bytes, config->index);
    r->loaded = xcalloc((size_t)n_sms + 1, sizeof *r->loaded);
    r->stacks = xcalloc((size_t)n_sms * config->n_sets + 1, sizeof *r->stacks);
    return r;
}

void lab_reuse_take(struct lab_reuse_run *r, const struct lab_access *items, size_t n)
{
    uint64_t line_mask = ~(uint64_t)(r->config.line_bytes - 1);
    for (size_t i = 0; i < n; i++) {
        const struct lab_access *a = &items[i];
        if (a->kind == LAB_FLUSH) {
            flush_unbounded(r, a->sm);
            continue;
        }
        take_unbounded(r, a, a->address & line_mask);
        if (r->stacks && a->kind == LAB_LOAD)
            load_distances(r, a, a->address & line_mask);
    }
}

void lab_reuse_end(struct lab_reuse_run *r, struct lab_reuse *out)
{
    for (enum lab_distance kind = 0; kind < N_LAB_DISTANCES; kind++)
        summarise_all(r, kind);
    *out = r->found;
    for (size_t i = 0; r->stacks && i < (size_t)r->n_sms * r->config.n_sets; i++) {
        free(r->stacks[i].tree);
        free(r->stacks[i].line_at);
    }
    for (uint32_t sm = 0; sm < r->n_sms; sm++) {
        lab_map_destroy(&r->owned[sm]);
        if (r->loaded)
            lab_map_destroy(&r->loaded[sm]);
    }
    for (int kind = 0; kind < N_LAB_DISTANCES; kind++)
        lab_map_destroy(&r->counts[kind]);
    free(r->stacks);
    free(r->loaded);
    free(r->lasts);
    free(r->owned);
    free(r->owners);
    free(r);
}

void lab_unbounded_measure(const struct lab_stream *s, const struct lab_config *config,
                           struct lab_reuse *out)
{
    struct lab_reuse_run *r = lab_reuse_begin(s->n_sms, config, NULL);
    lab_reuse_take(r, s->items, s->n);
    lab_reuse_end(r, out);
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
    struct lab_reuse_run *r = lab_reuse_begin(s->n_sms, config, ranges);
    lab_reuse_take(r, s->items, s->n);
    lab_reuse_end(r, out);
}

void lab_reuse_destroy(struct lab_reuse *r)
{
    free(r->pcs);
    *r = (struct lab_reuse){0};
}
