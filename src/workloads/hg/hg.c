/* HG: how often each byte value occurs.
 *
 * Used by S2 (67,108,864 bytes). As in the CUDA Samples' histogram256: work-groups of six warps
 * with a sub-histogram per warp in local memory, 240 partial histograms, one work-group per bin to
 * merge them. Local atomics stand for the sample's tagged counters of devices without them.
 *
 * Simplified: the data is uniform, drawn from the seed. */
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_hg_source[];

enum { GROUP = 192, BINS = 256, MERGE_GROUP = 256 /* as in hg.cl */ };

struct hg {
    struct arena memory;
    uint32_t words, groups;
    uint64_t *data; /* an even number of words */
    uint32_t histogram[BINS], expected[BINS];
};

static void hg_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct hg *s = state;
    struct workload_rng rng = {seed};
    size_t pairs = (size_t)size->p[0] / sizeof *s->data;
    s->words = (uint32_t)(2 * pairs);
    s->groups = (uint32_t)size->p[1];
    s->data = ARENA_ARRAY(&s->memory, uint64_t, pairs);
    for (size_t i = 0; i < pairs; i++)
        s->data[i] = workload_rng_u64(&rng);
}

static void hg_run(void *state, struct device *d)
{
    struct hg *s = state;
    device_buffer data = device_alloc_from(d, s->data, s->words * sizeof(uint32_t), "data");
    device_buffer partial = device_alloc(d, (size_t)s->groups * sizeof s->histogram, "partial");
    device_buffer histogram = device_alloc(d, sizeof s->histogram, "histogram");

    DEVICE_LAUNCH_1D(d, "histogram_partial", s->groups * GROUP, GROUP, device_arg_buffer(data),
                     device_arg_u32(s->words), device_arg_buffer(partial));
    DEVICE_LAUNCH_1D(d, "histogram_merge", BINS * MERGE_GROUP, MERGE_GROUP,
                     device_arg_buffer(partial), device_arg_u32(s->groups),
                     device_arg_buffer(histogram));
    device_download(d, histogram, 0, s->histogram, sizeof s->histogram);
}

static void hg_reference(void *state)
{
    struct hg *s = state;
    const unsigned char *byte = (const unsigned char *)s->data;
    memset(s->expected, 0, sizeof s->expected);
    for (size_t i = 0; i < s->words * sizeof(uint32_t); i++)
        s->expected[byte[i]]++;
}

static bool hg_check(const void *state, struct strbuf *why)
{
    const struct hg *s = state;
    return workload_check_u32(why, "histogram", s->histogram, s->expected, BINS);
}

static void hg_teardown(void *state)
{
    struct hg *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {1 << 20, 60}},
    {"small", {1 << 25, 240}},
    {"paper-s2", {1 << 26, 240}},
    {NULL, {0}},
};

const struct workload workload_hg = {
    .name = "hg",
    .paper_name = "HG",
    .title = "Histogram",
    .summary = "256-bin histogram of bytes: a sub-histogram per warp in local memory with local "
               "atomics, then a merge; one streaming, coalesced read.",
    .origin = "CUDA Samples",
    .categories = {.s2 = "cache-sufficient", .s3_ch6 = "memory-intensive"},
    .source = workload_hg_source,
    .param_names = {"bytes", "work_groups"},
    .sizes = sizes,
    .state_bytes = sizeof(struct hg),
    .setup = hg_setup,
    .run = hg_run,
    .reference = hg_reference,
    .check = hg_check,
    .teardown = hg_teardown,
};
