/* BIT: bitonic sort (Intel SDK; S3 Table 6.3).
 *
 * A launch per step: log2(n) * (log2(n) + 1) / 2 of them. Access pattern: two coalesced streams
 * whose distance halves from step to step; below a line's length both are in the same line. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_bit_source[];

enum { GROUP = 256 };

struct bit {
    struct arena arena;
    uint32_t n;   /* a power of two */
    uint32_t run; /* keys that are sorted together, a power of two; all, if it is n */
    uint32_t *keys, *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bit *s = state;
    struct workload_rng rng = {seed};
    s->n = 1u << size->p[0];
    s->run = size->p[1] && size->p[1] < size->p[0] ? 1u << size->p[1] : s->n;
    s->keys = ARENA_ARRAY(&s->arena, uint32_t, s->n);
    s->got = ARENA_ARRAY(&s->arena, uint32_t, s->n);
    s->want = ARENA_ARRAY(&s->arena, uint32_t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        s->keys[i] = workload_rng_below(&rng, 4 * s->n); /* some keys occur twice */
}

static void run(void *state, struct device *d)
{
    struct bit *s = state;
    size_t bytes = s->n * sizeof *s->keys;
    device_buffer keys = device_alloc_from(d, s->keys, bytes, "keys");
    for (uint32_t span = 2; span <= s->run; span *= 2)
        for (uint32_t distance = span / 2; distance > 0 && device_ok(d); distance /= 2)
            DEVICE_LAUNCH_1D(d, "bitonic_step", s->n / 2, GROUP, device_arg_buffer(keys),
                             device_arg_u32(distance), device_arg_u32(span));
    device_download(d, keys, 0, s->got, bytes);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Every other run, as the network leaves it for the next span. */
static int compare_down(const void *a, const void *b)
{
    return compare(b, a);
}

static void reference(void *state)
{
    struct bit *s = state;
    memcpy(s->want, s->keys, s->n * sizeof *s->want);
    for (uint32_t i = 0; i < s->n; i += s->run)
        qsort(s->want + i, s->run, sizeof *s->want, i & s->run ? compare_down : compare);
}

static bool check(const void *state, struct strbuf *why)
{
    const struct bit *s = state;
    return workload_check_u32(why, "key", s->got, s->want, s->n);
}

static void teardown(void *state)
{
    struct bit *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {13}},
    {"small", {17}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"log2_keys", NULL, 9, 24, "number of keys to sort, as a power of two"},
    {"log2_run", NULL, 0, 24, "only runs of so many keys are sorted; 0: all keys"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_bit = {
    .name = "bit",
    .paper_name = "BIT",
    .title = "Bitonic sort",
    .summary = "One launch per step of the network: each work-item compares two keys of two "
               "coalesced streams and exchanges them if necessary.",
    .origin = "Intel SDK",
    .categories = {.s3_ch6 = "memory-intensive"},
    .source = workload_bit_source,
    .param_names = {"log2_keys", "log2_run"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct bit),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
