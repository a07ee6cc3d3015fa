/* A recording as a list of accesses and of the instructions between them. Fills and evictions
 * belong to the recorded cache and are skipped. */
#include "analysis/lab_stream.h"

#include <stdlib.h>

static void reserve(struct lab_stream *s, size_t n)
{
    if (s->n + n <= s->cap)
        return;
    ARRAY_RESERVE(s->items, s->cap, s->n + n);
    if (s->has_criticality)
        s->criticality = xrealloc(s->criticality, s->cap * sizeof *s->criticality);
    if (s->tells_bytes)
        s->bytes = xrealloc(s->bytes, s->cap * sizeof *s->bytes);
}

void lab_stream_add(struct lab_stream *s, const struct lab_access *a)
{
    reserve(s, 1);
    s->items[s->n++] = *a;
    if (a->sm >= s->n_sms)
        s->n_sms = a->sm + 1;
}

void lab_stream_add_bytes(struct lab_stream *s, const struct lab_access *a, struct lab_bytes bytes)
{
    lab_stream_add(s, a);
    s->bytes[s->n - 1] = bytes;
}

static void add_insts(struct lab_stream *s, struct lab_insts run, uint32_t n_issues)
{
    struct lab_insts *last = s->n_insts ? &s->insts[s->n_insts - 1] : NULL;
    if (last && last->before == run.before && last->sm == run.sm && last->n_lanes == run.n_lanes &&
        last->n_issues + n_issues <= UINT16_MAX) {
        last->n_issues = (uint16_t)(last->n_issues + n_issues);
        return;
    }
    ARRAY_RESERVE(s->insts, s->cap_insts, s->n_insts + 1);
    run.n_issues = (uint16_t)n_issues;
    s->insts[s->n_insts++] = run;
}

void lab_stream_add_insts(struct lab_stream *s, uint32_t sm, uint32_t n_issues, uint32_t n_lanes)
{
    add_insts(s, (struct lab_insts){.before = s->n, .sm = sm, .n_lanes = (uint8_t)n_lanes},
              n_issues);
    if (sm >= s->n_sms)
        s->n_sms = sm + 1;
}

void lab_stream_destroy(struct lab_stream *s)
{
    l1d_reader_close(s->reader);
    l1d_table_destroy(&s->block);
    free(s->items);
    free(s->criticality);
    free(s->bytes);
    free(s->insts);
    arena_destroy(&s->arena);
    *s = (struct lab_stream){0};
}

static void take_header(struct lab_stream *s, const struct l1d_header *h)
{
    const char **params = ARENA_ARRAY(&s->arena, const char *, h->params.n + 1);
    for (uint32_t i = 0; i < h->params.n; i++)
        params[i] = arena_strdup(&s->arena, h->params.items[i]);
    s->params = (struct l1d_params){h->params.are_told, params, h->params.n};
    s->n_sms = h->n_sms;
    s->n_sets = h->l1d.n_sets;
    s->n_ways = s->least_ways = h->l1d.n_ways;
    s->line_bytes = h->l1d.line_bytes;
    s->sector_bytes = h->l1d.sector_bytes;
    s->index = h->l1d.index;
    s->stores_keep = !h->l1d.write_evict;
    s->gpu = arena_strdup(&s->arena, h->gpu);
    s->policy = arena_strdup(&s->arena, h->policy);
    s->has_criticality = h->criticality[0] != 0;
    s->has_insts = h->has_insts;
}

/* How many loads had that outcome, critical or not. */
static uint32_t count_outcome(const struct l1d_table *t, uint32_t outcome)
{
    uint32_t first = L1D_LOAD | outcome << L1D_OUTCOME_SHIFT;
    return t->n_of[first] + t->n_of[first | L1D_CRITICAL];
}

static void convert(const struct l1d_table *t, uint32_t sm, uint64_t line_bytes,
                    struct lab_access *restrict to)
{
    /* Column pointers, hoisted out of the loop. */
    const uint64_t *cycles = t->columns[L1D_CYCLE], *lines = t->columns[L1D_LINE];
    const uint64_t *launches = t->columns[L1D_LAUNCH], *pcs = t->columns[L1D_PC];
    const uint64_t *warps = t->columns[L1D_WARP], *threads = t->columns[L1D_THREAD];
    const uint64_t *offsets = t->columns[L1D_OFFSET], *sectors = t->columns[L1D_SECTORS];
    const uint8_t *firsts = t->kinds;
    for (uint32_t i = 0, n = t->n; i < n; i++)
        to[i] = (struct lab_access){.cycle = cycles[i],
                                    .warp = warps[i],
                                    .thread = threads[i],
                                    .address = lines[i] * line_bytes + offsets[i],
                                    .sm = sm,
                                    .pc = (uint32_t)pcs[i],
                                    .launch = (uint32_t)launches[i],
                                    .kind = lab_kind_of(firsts[i]),
                                    .is_critical = firsts[i] & L1D_CRITICAL,
                                    .sectors = (uint8_t)sectors[i]};
}

static void note_outcomes(struct lab_stream *s, const struct l1d_table *t)
{
    for (uint32_t i = 0; i < N_L1D_OUTCOMES; i++)
        s->recorded[i] += count_outcome(t, i);
    if (!t->n_of[L1D_RESIZE])
        return;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->kinds[i] == L1D_RESIZE && t->columns[L1D_LINE][i] < s->least_ways)
            s->least_ways = (uint32_t)t->columns[L1D_LINE][i];
}

/* Fills and evictions between runs are skipped. */
static void take_insts(struct lab_stream *s, uint32_t sm, const struct l1d_table *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        add_insts(s,
                  (struct lab_insts){.before = s->n + t->columns[L1D_INSTS_PLACE][i],
                                     .sm = sm,
                                     .n_lanes = t->kinds[i]},
                  (uint32_t)t->columns[L1D_ISSUES][i]);
}

static void take_accesses(struct lab_stream *s, uint32_t sm, const struct l1d_table *t)
{
    reserve(s, t->n);
    if (t->n)
        convert(t, sm, s->line_bytes, s->items + s->n);
    for (uint32_t i = 0; i < t->n && s->has_criticality; i++)
        s->criticality[s->n + i] = (int64_t)t->columns[L1D_CRITICALITY][i];
    s->n += t->n;
}

static void take_block(struct lab_stream *s, uint32_t sm)
{
    l1d_reader_trade(s->reader, &s->block);
    s->block_sm = sm;
}

bool lab_stream_open_recording(struct lab_stream *s, const char *path, struct strbuf *why)
{
    s->path = arena_strdup(&s->arena, path);
    s->reader = l1d_reader_open(path, why);
    if (s->reader)
        take_header(s, l1d_reader_header(s->reader));
    return s->reader;
}

void lab_stream_spare(struct lab_stream *s)
{
    if (!s->reader)
        return;
    s->is_lean = true;
    l1d_reader_skip_details(s->reader);
    l1d_reader_skip_insts(s->reader);
}

void lab_stream_skip_insts(struct lab_stream *s)
{
    if (s->reader)
        l1d_reader_skip_insts(s->reader);
}

bool lab_stream_more(struct lab_stream *s, struct strbuf *why)
{
    const struct l1d_table *accesses, *insts;
    uint32_t sm;
    enum l1d_read got = l1d_reader_next_accesses(s->reader, &sm, &accesses, &insts, why);
    if (got == L1D_READ_EVENT) {
        note_outcomes(s, accesses);
        take_insts(s, sm, insts);
        if (s->is_lean)
            take_block(s, sm);
        else
            take_accesses(s, sm, accesses);
        return true;
    }
    s->block.n = 0;
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
