/* GC: a tracing mark-and-compact garbage collector (S4 Table 2; after Barabash and Petrank, ISMM
 * 2010).
 *
 * One thread per object: tracing in steps from the roots until no step reaches anything, then a
 * prefix sum over the sizes of what was reached, then every object is copied to its new place and
 * its references are changed to the new places. Access pattern: a thread walks its own object word
 * by word, an object apart from its neighbours, and follows references to anywhere.
 *
 * Differences from the original: the heap is made from the seed, where S4 has benchmarks of
 * Spoonhower et al. Objects live and die in equal parts, most references are to objects that were
 * allocated about the same time, and dead objects also refer to living ones. Objects are moved to a
 * second heap, in the order of the first. S4 gives no size. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_gc_source[];

enum {
    GROUP = 256, /* as in the kernel text */
    MAX_REFERENCES = 6,
    MAX_DATA_WORDS = 8,
    NEAR = 64, /* objects */
    OBJECTS_PER_ROOT = 512,
    FAR_PER_16 = 3, /* references to any object */
};

struct gc {
    struct arena arena;
    uint32_t n_objects, n_words;
    uint32_t *heap, *start; /* word 0 of the heap is no object's */
    uint32_t *root, n_roots;
    uint32_t n_compacted, expected_compacted; /* words */
    uint32_t *compacted, *expected;
};

static uint32_t header_of(uint32_t words, uint32_t references)
{
    return references << 16 | words;
}

static uint32_t words_of(uint32_t header)
{
    return header & 0xffff;
}

static uint32_t references_of(uint32_t header)
{
    return header >> 16;
}

/* --- The heap --- */

static void allocate_objects(struct gc *s, struct workload_rng *rng)
{
    s->start = ARENA_ARRAY(&s->arena, uint32_t, s->n_objects);
    s->heap = ARENA_ARRAY(&s->arena, uint32_t,
                          1 + (size_t)s->n_objects * (1 + MAX_REFERENCES + MAX_DATA_WORDS));
    s->n_words = 1;
    for (uint32_t i = 0; i < s->n_objects; i++) {
        uint32_t references = workload_rng_below(rng, MAX_REFERENCES + 1);
        uint32_t data = workload_rng_below(rng, MAX_DATA_WORDS + 1);
        uint32_t *object = &s->heap[s->n_words];
        object[0] = header_of(1 + references + data, references);
        for (uint32_t d = 0; d < data; d++)
            object[1 + references + d] = (uint32_t)workload_rng_u64(rng);
        s->start[i] = s->n_words;
        s->n_words += 1 + references + data;
    }
}

/* An object to refer to: mostly one allocated about the same time. */
static uint32_t pick_target(const struct gc *s, uint32_t from, struct workload_rng *rng)
{
    if (workload_rng_below(rng, 16) < FAR_PER_16)
        return workload_rng_below(rng, s->n_objects);
    uint32_t first = from > NEAR ? from - NEAR : 0;
    uint32_t end = from + NEAR < s->n_objects ? from + NEAR : s->n_objects;
    return first + workload_rng_below(rng, end - first);
}

/* Live objects refer only to live objects; a reference that would not is omitted. */
static void refer(struct gc *s, const bool *is_alive, struct workload_rng *rng)
{
    for (uint32_t i = 0; i < s->n_objects; i++) {
        uint32_t *object = &s->heap[s->start[i]];
        for (uint32_t slot = 1; slot <= references_of(object[0]); slot++) {
            uint32_t target = pick_target(s, i, rng);
            if (is_alive[target] || !is_alive[i])
                object[slot] = s->start[target];
        }
    }
}

static void pick_roots(struct gc *s, const bool *is_alive, struct workload_rng *rng)
{
    s->n_roots = 1 + s->n_objects / OBJECTS_PER_ROOT;
    s->root = ARENA_ARRAY(&s->arena, uint32_t, s->n_roots);
    for (uint32_t i = 0; i < s->n_roots; i++) {
        uint32_t object;
        do
            object = workload_rng_below(rng, s->n_objects);
        while (!is_alive[object]);
        s->root[i] = s->start[object];
    }
}

static void gc_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct gc *s = state;
    struct workload_rng rng = {seed};
    s->n_objects = (uint32_t)size->p[0];
    bool *is_alive = xcalloc(s->n_objects, sizeof *is_alive);
    for (uint32_t i = 0; i < s->n_objects; i++)
        is_alive[i] = i == 0 || workload_rng_below(&rng, 2) == 0;
    allocate_objects(s, &rng);
    refer(s, is_alive, &rng);
    pick_roots(s, is_alive, &rng);
    s->compacted = ARENA_ARRAY(&s->arena, uint32_t, s->n_words);
    s->expected = ARENA_ARRAY(&s->arena, uint32_t, s->n_words);
    free(is_alive);
}

/* --- The device part --- */

struct gc_device {
    struct device *d;
    device_buffer heap, starts, reached;
    uint32_t items;
};

static void trace(struct gc *s, const struct gc_device *on)
{
    const uint32_t first_step = 1;
    for (uint32_t i = 0; i < s->n_roots; i++)
        device_upload(on->d, on->reached, s->root[i] * sizeof(uint32_t), &first_step,
                      sizeof first_step);
    device_buffer more = device_alloc(on->d, sizeof(int32_t), "more");
    int32_t has_more = 1;
    /* No object is further from the roots than there are objects. */
    for (uint32_t step = first_step; has_more && step <= s->n_objects && device_ok(on->d); step++) {
        has_more = 0;
        device_upload(on->d, more, 0, &has_more, sizeof has_more);
        DEVICE_LAUNCH_1D(on->d, "gc_mark", on->items, GROUP, device_arg_buffer(on->heap),
                         device_arg_buffer(on->starts), device_arg_u32(s->n_objects),
                         device_arg_buffer(on->reached), device_arg_u32(step),
                         device_arg_buffer(more));
        device_download(on->d, more, 0, &has_more, sizeof has_more);
    }
}

/* Turns the groups' words into where each begins, from word 1 on; returns the end. */
static uint32_t sum_groups(struct device *d, device_buffer group_words, uint32_t n_groups)
{
    uint32_t *words = xcalloc(n_groups, sizeof *words), at = 1;
    device_download(d, group_words, 0, words, n_groups * sizeof *words);
    for (uint32_t g = 0; g < n_groups; g++) {
        uint32_t here = words[g];
        words[g] = at;
        at += here;
    }
    device_upload(d, group_words, 0, words, n_groups * sizeof *words);
    free(words);
    return at;
}

static void compact(struct gc *s, const struct gc_device *on)
{
    struct device *d = on->d;
    uint32_t n_groups = on->items / GROUP;
    device_buffer before = device_alloc(d, s->n_objects * sizeof(uint32_t), "before");
    device_buffer groups = device_alloc(d, n_groups * sizeof(uint32_t), "groups");
    device_buffer forward = device_alloc(d, s->n_words * sizeof(uint32_t), "forward");
    device_buffer compacted = device_alloc(d, s->n_words * sizeof(uint32_t), "compacted");
    DEVICE_LAUNCH_1D(d, "gc_measure", on->items, GROUP, device_arg_buffer(on->heap),
                     device_arg_buffer(on->starts), device_arg_u32(s->n_objects),
                     device_arg_buffer(on->reached), device_arg_buffer(before),
                     device_arg_buffer(groups));
    s->n_compacted = sum_groups(d, groups, n_groups);
    DEVICE_LAUNCH_1D(d, "gc_place", on->items, GROUP, device_arg_buffer(on->starts),
                     device_arg_u32(s->n_objects), device_arg_buffer(on->reached),
                     device_arg_buffer(before), device_arg_buffer(groups),
                     device_arg_buffer(forward));
    DEVICE_LAUNCH_1D(d, "gc_move", on->items, GROUP, device_arg_buffer(on->heap),
                     device_arg_buffer(on->starts), device_arg_u32(s->n_objects),
                     device_arg_buffer(on->reached), device_arg_buffer(forward),
                     device_arg_buffer(compacted));
    device_download(d, compacted, 0, s->compacted, s->n_words * sizeof(uint32_t));
}

static void gc_run(void *state, struct device *d)
{
    struct gc *s = state;
    struct gc_device on = {
        .d = d,
        .heap = device_alloc_from(d, s->heap, s->n_words * sizeof(uint32_t), "heap"),
        .starts = device_alloc_from(d, s->start, s->n_objects * sizeof(uint32_t), "starts"),
        .reached = device_alloc(d, s->n_words * sizeof(uint32_t), "reached"),
        .items = device_round_up(s->n_objects, GROUP),
    };
    trace(s, &on);
    compact(s, &on);
}

/* --- The reference: depth first with a stack, then one walk over the heap --- */

static void mark_depth_first(const struct gc *s, bool *is_marked)
{
    uint32_t *stack = xcalloc(s->n_words, sizeof *stack), depth = 0;
    for (uint32_t i = 0; i < s->n_roots; i++) {
        if (!is_marked[s->root[i]])
            stack[depth++] = s->root[i];
        is_marked[s->root[i]] = true;
    }
    while (depth > 0) {
        const uint32_t *object = &s->heap[stack[--depth]];
        for (uint32_t slot = 1; slot <= references_of(object[0]); slot++) {
            uint32_t target = object[slot];
            if (target == 0 || is_marked[target])
                continue;
            is_marked[target] = true;
            stack[depth++] = target;
        }
    }
    free(stack);
}

static void gc_reference(void *state)
{
    struct gc *s = state;
    bool *is_marked = xcalloc(s->n_words, sizeof *is_marked);
    uint32_t *moved_to = xcalloc(s->n_words, sizeof *moved_to), end = 1;
    mark_depth_first(s, is_marked);
    for (uint32_t at = 1; at < s->n_words; at += words_of(s->heap[at])) {
        if (!is_marked[at])
            continue;
        memcpy(&s->expected[end], &s->heap[at], words_of(s->heap[at]) * sizeof(uint32_t));
        moved_to[at] = end;
        end += words_of(s->heap[at]);
    }
    for (uint32_t at = 1; at < end; at += words_of(s->expected[at]))
        for (uint32_t slot = at + 1; slot <= at + references_of(s->expected[at]); slot++)
            s->expected[slot] = moved_to[s->expected[slot]]; /* none stays none */
    s->expected_compacted = end;
    free(is_marked);
    free(moved_to);
}

static bool gc_check(const void *state, struct strbuf *why)
{
    const struct gc *s = state;
    return workload_check_u32(why, "compacted words", &s->n_compacted, &s->expected_compacted, 1) &&
           workload_check_u32(why, "compacted", s->compacted, s->expected, s->n_words);
}

static void gc_teardown(void *state)
{
    struct gc *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size gc_sizes[] = {
    {"tiny", {8192}},
    {"small", {262144}},
    {NULL, {0}},
};

static const struct workload_input gc_inputs[] = {
    {"objects", NULL, 2, 10000000, "objects in the heap, living and dead"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_gc = {
    .name = "gc",
    .paper_name = "GC",
    .title = "Garbage collection (mark and compact)",
    .summary = "One thread per object: tracing in steps from the roots, each thread walking its "
               "own object and following references anywhere, then live objects are moved.",
    .origin = "Barabash and Petrank 2010",
    .categories = {.s4 = "highly sensitive"},
    .source = workload_gc_source,
    .param_names = {"objects"},
    .sizes = gc_sizes,
    .inputs = gc_inputs,
    .state_bytes = sizeof(struct gc),
    .setup = gc_setup,
    .run = gc_run,
    .reference = gc_reference,
    .check = gc_check,
    .teardown = gc_teardown,
};
