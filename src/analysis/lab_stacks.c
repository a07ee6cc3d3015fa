/* A stack is a binary indexed tree over the loads of its set in order, with a mark where a line was
 * last touched and where a hole is: depths are sums of marks, in time logarithmic in the loads. */
#include "analysis/lab_stacks.h"

#include <stdlib.h>

#include "analysis/lab_map.h"
#include "cache/set_index.h"

struct stack {
    uint32_t *tree; /* 1 to n_loads */
    uint32_t n_loads, now;
    uint32_t *holes; /* a heap with the most recent one on top */
    uint32_t n_holes, cap_holes;
};

struct lab_stacks {
    const struct lab_stream *stream;
    struct set_indexer indexer;
    uint32_t n_sets;
    uint64_t line_mask;
    struct stack *stacks; /* those of an SM are adjacent */
    struct lab_map
        *touched;    /* per SM: where a line was last touched; LAB_NOWHERE if it was removed */
    uint32_t *times; /* per position: its time in its set */
    uint32_t *trees;
};

static uint64_t line_at(const struct lab_stacks *k, size_t position)
{
    return k->stream->items[position].address & k->line_mask;
}

static struct stack *stack_at(const struct lab_stacks *k, size_t position)
{
    uint32_t set = set_index_of(&k->indexer, line_at(k, position));
    return &k->stacks[(size_t)k->stream->items[position].sm * k->n_sets + set];
}

static void mark(struct stack *s, uint32_t time, uint32_t change)
{
    for (; time <= s->n_loads; time += time & -time)
        s->tree[time] += change;
}

static uint32_t marks_until(const struct stack *s, uint32_t time)
{
    uint32_t n = 0;
    for (; time; time -= time & -time)
        n += s->tree[time];
    return n;
}

static void hole_add(struct stack *s, uint32_t time)
{
    ARRAY_RESERVE(s->holes, s->cap_holes, s->n_holes + 1);
    uint32_t i = s->n_holes++;
    for (; i && s->holes[(i - 1) / 2] < time; i = (i - 1) / 2)
        s->holes[i] = s->holes[(i - 1) / 2];
    s->holes[i] = time;
}

/* Takes the most recent hole. */
static uint32_t hole_take(struct stack *s)
{
    uint32_t top = s->holes[0], last = s->holes[--s->n_holes], i = 0;
    for (uint32_t child = 1; child < s->n_holes; child = 2 * i + 1) {
        if (child + 1 < s->n_holes && s->holes[child + 1] > s->holes[child])
            child++;
        if (s->holes[child] <= last)
            break;
        s->holes[i] = s->holes[child];
        i = child;
    }
    s->holes[i] = last;
    return top;
}

struct lab_touch lab_stacks_touch(struct lab_stacks *k, size_t position)
{
    struct stack *s = stack_at(k, position);
    uint64_t *touched =
        lab_map_at(&k->touched[k->stream->items[position].sm], line_at(k, position), LAB_NOWHERE);
    struct lab_touch t = {.previous = (size_t)*touched};
    uint32_t from = 0, now = ++s->now;
    if (t.previous != LAB_NOWHERE) {
        from = k->times[t.previous];
        t.depth = marks_until(s, now) - marks_until(s, from);
    }
    if (s->n_holes && s->holes[0] > from) {
        mark(s, hole_take(s), -1u);
        if (from)
            hole_add(s, from);
    } else if (from) {
        mark(s, from, -1u);
    }
    mark(s, now, 1);
    k->times[position] = now;
    *touched = position;
    return t;
}

void lab_stacks_remove(struct lab_stacks *k, size_t position)
{
    uint64_t *touched =
        lab_map_at(&k->touched[k->stream->items[position].sm], line_at(k, position), LAB_NOWHERE);
    if (*touched != LAB_NOWHERE)
        hole_add(stack_at(k, position), k->times[*touched]);
    *touched = LAB_NOWHERE;
}

/* Old marks and holes may stay: depths count only younger ones. */
void lab_stacks_clear(struct lab_stacks *k, uint32_t sm)
{
    lab_map_destroy(&k->touched[sm]);
}

struct lab_stacks *lab_stacks_create(const struct lab_stream *s, uint32_t n_sets,
                                     uint32_t line_bytes, uint32_t index)
{
    struct lab_stacks *k = xcalloc(1, sizeof *k);
    size_t n_stacks = (size_t)s->n_sms * n_sets;
    k->stream = s;
    k->indexer = set_indexer_make(n_sets, line_bytes, index);
    k->n_sets = n_sets;
    k->line_mask = ~(uint64_t)(line_bytes - 1);
    k->stacks = xcalloc(n_stacks + 1, sizeof *k->stacks);
    k->touched = xcalloc((size_t)s->n_sms + 1, sizeof *k->touched);
    k->times = xcalloc(s->n + 1, sizeof *k->times);
    k->trees = xcalloc(s->n + n_stacks + 1, sizeof *k->trees);
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].kind == LAB_LOAD)
            stack_at(k, i)->n_loads++;
    uint32_t *tree = k->trees;
    for (size_t i = 0; i < n_stacks; i++) {
        k->stacks[i].tree = tree;
        tree += k->stacks[i].n_loads + 1;
    }
    return k;
}

void lab_stacks_destroy(struct lab_stacks *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < (size_t)k->stream->n_sms * k->n_sets; i++)
        free(k->stacks[i].holes);
    for (uint32_t sm = 0; sm < k->stream->n_sms; sm++)
        lab_map_destroy(&k->touched[sm]);
    free(k->stacks);
    free(k->touched);
    free(k->times);
    free(k->trees);
    free(k);
}
