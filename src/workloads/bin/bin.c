/* BIN: binary search of many keys in a sorted array (AMD SDK; S3 Table 6.3).
 *
 * AMD's sample narrows the range for one key over several launches; a kernel of S3's length needs
 * many keys, so each work-item searches for its own. Access pattern: a chain of dependent loads,
 * broadcasts at first, gathers at the end. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_bin_source[];

enum { GROUP = 256, MEAN_GAP = 16 };

struct bin {
    struct arena arena;
    uint32_t n, n_keys;
    uint32_t *sorted, *keys, *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bin *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->n_keys = device_round_up((uint32_t)size->p[1], GROUP);
    s->sorted = ARENA_ARRAY(&s->arena, uint32_t, s->n);
    s->keys = ARENA_ARRAY(&s->arena, uint32_t, s->n_keys);
    s->got = ARENA_ARRAY(&s->arena, uint32_t, s->n_keys);
    s->want = ARENA_ARRAY(&s->arena, uint32_t, s->n_keys);
    uint32_t value = 0;
    for (uint32_t i = 0; i < s->n; i++)
        s->sorted[i] = value += workload_rng_below(&rng, 2 * MEAN_GAP); /* equal neighbours occur */
    for (uint32_t i = 0; i < s->n_keys; i++)
        s->keys[i] = workload_rng_below(&rng, value + 2);
}

static void run(void *state, struct device *d)
{
    struct bin *s = state;
    size_t key_bytes = s->n_keys * sizeof *s->keys;
    device_buffer sorted = device_alloc_from(d, s->sorted, s->n * sizeof *s->sorted, "sorted");
    device_buffer keys = device_alloc_from(d, s->keys, key_bytes, "keys");
    device_buffer found = device_alloc(d, key_bytes, "found");
    DEVICE_LAUNCH_1D(d, "binary_search", s->n_keys, GROUP, device_arg_buffer(sorted),
                     device_arg_u32(s->n), device_arg_buffer(keys), device_arg_buffer(found));
    device_download(d, found, 0, s->got, key_bytes);
}

/* Descends from the largest power of two: another algorithm with the same result. */
static void reference(void *state)
{
    struct bin *s = state;
    uint32_t top = 1;
    while (top <= s->n / 2)
        top *= 2;
    for (uint32_t k = 0; k < s->n_keys; k++) {
        uint32_t below = 0; /* this many elements are known to be below the key */
        for (uint32_t step = top; step > 0; step /= 2)
            if (below + step <= s->n && s->sorted[below + step - 1] < s->keys[k])
                below += step;
        s->want[k] = below;
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct bin *s = state;
    return workload_check_u32(why, "key", s->got, s->want, s->n_keys);
}

static void teardown(void *state)
{
    struct bin *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {1 << 16, 1 << 14}},
    {"small", {1 << 22, 1 << 19}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"elements", NULL, 1, 1 << 26, "of the sorted array"},
    {"keys", NULL, 1, 1 << 26, "searched for, one work-item each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_bin = {
    .name = "bin",
    .paper_name = "BIN",
    .title = "Binary search",
    .summary = "One key per work-item in a sorted array: dependent loads, broadcasts at first and "
               "gathers at the end.",
    .origin = "AMD SDK",
    .categories = {.s3_ch6 = "memory-intensive"},
    .source = workload_bin_source,
    .param_names = {"elements", "keys"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct bin),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
