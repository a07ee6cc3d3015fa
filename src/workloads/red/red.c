/* RED: a sum that ends in atomics on a few totals.
 *
 * For atomics units (S1 section 3): with one total this is the most contended case, in which all
 * lanes of all warps update one word. Each total has its own line. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_red_source[];

enum { GROUP = 256, LINE_WORDS = 32 };

struct red {
    struct arena memory;
    uint32_t words, groups, totals;
    uint32_t *data, *total;
    uint32_t sum, expected;
};

static void red_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct red *s = state;
    struct workload_rng rng = {seed};
    s->words = (uint32_t)size->p[0];
    s->groups = (uint32_t)size->p[1];
    s->totals = (uint32_t)size->p[2];
    s->data = ARENA_ARRAY(&s->memory, uint32_t, s->words);
    s->total = ARENA_ARRAY(&s->memory, uint32_t, (size_t)s->totals * LINE_WORDS);
    for (uint32_t i = 0; i < s->words; i++)
        s->data[i] = (uint32_t)workload_rng_u64(&rng);
}

static void red_run(void *state, struct device *d)
{
    struct red *s = state;
    size_t bytes = (size_t)s->totals * LINE_WORDS * sizeof *s->total;
    for (uint32_t i = 0; i < s->totals * LINE_WORDS; i++)
        s->total[i] = 0;
    device_buffer data = device_alloc_from(d, s->data, s->words * sizeof *s->data, "data");
    device_buffer total = device_alloc_from(d, s->total, bytes, "total");
    DEVICE_LAUNCH_1D(d, "reduce_atomic", s->groups * GROUP, GROUP, device_arg_buffer(data),
                     device_arg_u32(s->words), device_arg_u32(s->totals), device_arg_buffer(total));
    device_download(d, total, 0, s->total, bytes);
    s->sum = 0;
    for (uint32_t i = 0; i < s->totals; i++)
        s->sum += s->total[i * LINE_WORDS];
}

static void red_reference(void *state)
{
    struct red *s = state;
    s->expected = 0;
    for (uint32_t i = 0; i < s->words; i++)
        s->expected += s->data[i];
}

static bool red_check(const void *state, struct strbuf *why)
{
    const struct red *s = state;
    return workload_check_u32(why, "sum", &s->sum, &s->expected, 1);
}

static void red_teardown(void *state)
{
    struct red *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {1 << 19, 60, 1}},
    {"small", {1 << 22, 480, 1}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"words", NULL, 1, 1 << 26, "added up"},
    {"work_groups", NULL, 1, 4096, "of 256 work-items; with few of them, few SMs take part"},
    {"totals", NULL, 1, 4096, "that warps add to in turn, one line each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_red = {
    .name = "red",
    .paper_name = "RED",
    .title = "Reduction with global atomics",
    .summary = "Streaming reads, then one atomic addition by each work-item to a shared total.",
    .origin = "own, for S1 section 3",
    .source = workload_red_source,
    .param_names = {"words", "work_groups", "totals"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct red),
    .setup = red_setup,
    .run = red_run,
    .reference = red_reference,
    .check = red_check,
    .teardown = red_teardown,
};
