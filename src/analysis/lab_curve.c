/* A cumulative histogram of depths. */
#include "analysis/lab_curve.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/lab_stacks.h"

/* Counts a load that hits with more than `depth` ways. */
static void count(struct lab_curve *c, uint32_t *cap, uint32_t depth)
{
    uint32_t before = c->n_ways;
    if (depth + 1 > before) {
        ARRAY_RESERVE(c->hits, *cap, depth + 2);
        memset(c->hits + before + 1, 0, (depth + 1 - before) * sizeof *c->hits);
        c->n_ways = depth + 1;
    }
    c->hits[depth + 1]++;
}

void lab_curve_make(const struct lab_stream *s, uint32_t n_sets, uint32_t line_bytes,
                    uint32_t index, struct lab_curve *out)
{
    uint32_t cap = 1;
    *out = (struct lab_curve){.hits = xcalloc(1, sizeof *out->hits)};
    struct lab_stacks *stacks = lab_stacks_create(s, n_sets, line_bytes, index);
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].kind == LAB_FLUSH) {
            lab_stacks_clear(stacks, s->items[i].sm);
        } else if (s->items[i].kind != LAB_LOAD) {
            lab_stacks_remove(stacks, i);
        } else {
            struct lab_touch t = lab_stacks_touch(stacks, i);
            out->n_loads++;
            if (t.previous != LAB_NOWHERE)
                count(out, &cap, t.depth);
        }
    }
    lab_stacks_destroy(stacks);
    for (uint32_t w = 1; w <= out->n_ways; w++)
        out->hits[w] += out->hits[w - 1];
}

uint64_t lab_curve_hits(const struct lab_curve *c, uint64_t n_ways)
{
    return c->hits[n_ways < c->n_ways ? n_ways : c->n_ways];
}

void lab_curve_destroy(struct lab_curve *c)
{
    free(c->hits);
    *c = (struct lab_curve){0};
}
