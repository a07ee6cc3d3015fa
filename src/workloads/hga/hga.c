/* HGA: a histogram counted with atomics on global memory.
 *
 * For atomics units (S1 section 3): HG of S2 counts in local memory. `bins` controls contention:
 * few bins share a line, many are spread over lines and mutexes; `work_groups` controls how many
 * SMs take part. The words are uniform, drawn from the seed. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_hga_source[];

enum { GROUP = 256, MAX_BINS = 1 << 20 };

struct hga {
    struct arena memory;
    uint32_t words, groups, bins;
    uint32_t *data, *histogram, *expected;
};

static void hga_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct hga *s = state;
    struct workload_rng rng = {seed};
    s->words = (uint32_t)size->p[0];
    s->groups = (uint32_t)size->p[1];
    s->bins = (uint32_t)size->p[2];
    s->data = ARENA_ARRAY(&s->memory, uint32_t, s->words);
    s->histogram = ARENA_ARRAY(&s->memory, uint32_t, s->bins);
    s->expected = ARENA_ARRAY(&s->memory, uint32_t, s->bins);
    for (uint32_t i = 0; i < s->words; i++)
        s->data[i] = (uint32_t)workload_rng_u64(&rng);
}

static void hga_run(void *state, struct device *d)
{
    struct hga *s = state;
    for (uint32_t i = 0; i < s->bins; i++)
        s->histogram[i] = 0;
    device_buffer data = device_alloc_from(d, s->data, s->words * sizeof *s->data, "data");
    device_buffer histogram =
        device_alloc_from(d, s->histogram, s->bins * sizeof *s->histogram, "histogram");
    DEVICE_LAUNCH_1D(d, "histogram_global", s->groups * GROUP, GROUP, device_arg_buffer(data),
                     device_arg_u32(s->words), device_arg_u32(s->bins),
                     device_arg_buffer(histogram));
    device_download(d, histogram, 0, s->histogram, s->bins * sizeof *s->histogram);
}

static void hga_reference(void *state)
{
    struct hga *s = state;
    for (uint32_t i = 0; i < s->bins; i++)
        s->expected[i] = 0;
    for (uint32_t i = 0; i < s->words; i++)
        s->expected[s->data[i] % s->bins]++;
}

static bool hga_check(const void *state, struct strbuf *why)
{
    const struct hga *s = state;
    return workload_check_u32(why, "histogram", s->histogram, s->expected, s->bins);
}

static void hga_teardown(void *state)
{
    struct hga *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {1 << 18, 60, 4096}},
    {"small", {1 << 20, 240, 65536}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"words", NULL, 1, 1 << 26, "counted"},
    {"work_groups", NULL, 1, 4096, "of 256 work-items; with few of them, few SMs take part"},
    {"bins", NULL, 1, MAX_BINS, "of the histogram; 32 of them share a line of 128 bytes"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_hga = {
    .name = "hga",
    .paper_name = "HGA",
    .title = "Histogram with global atomics",
    .summary = "One atomic increment of global memory for each word: contended with few bins, "
               "spread with many.",
    .origin = "own, for S1 section 3",
    .source = workload_hga_source,
    .param_names = {"words", "work_groups", "bins"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct hga),
    .setup = hga_setup,
    .run = hga_run,
    .reference = hga_reference,
    .check = hga_check,
    .teardown = hga_teardown,
};
