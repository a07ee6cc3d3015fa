/* MF: median filter of 3x3 pixels over an image (Intel SDK; S3 Table 6.3).
 *
 * A pixel per work-item, four channels of a byte each; the edge repeats. Access pattern: nine
 * coalesced reads of three rows per pixel, of which L1D serves most, and one coalesced write. */
#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_mf_source[];

enum { GROUP_X = 32, GROUP_Y = 8, CHANNELS = 4, WINDOW = 9 };

struct mf {
    struct arena arena;
    uint32_t width, height;
    size_t bytes;
    uint8_t *image, *got, *want;
};

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct mf *s = state;
    struct workload_rng rng = {seed};
    s->width = (uint32_t)size->p[0];
    s->height = (uint32_t)size->p[1];
    s->bytes = (size_t)s->width * s->height * CHANNELS;
    s->image = ARENA_ARRAY(&s->arena, uint8_t, s->bytes);
    s->got = ARENA_ARRAY(&s->arena, uint8_t, s->bytes);
    s->want = ARENA_ARRAY(&s->arena, uint8_t, s->bytes);
    for (size_t i = 0; i < s->bytes; i++)
        s->image[i] = (uint8_t)workload_rng_u64(&rng);
}

static void run(void *state, struct device *d)
{
    struct mf *s = state;
    device_buffer in = device_alloc_from(d, s->image, s->bytes, "image");
    device_buffer out = device_alloc(d, s->bytes, "result");
    DEVICE_LAUNCH_2D(d, "median_filter", device_round_up(s->width, GROUP_X),
                     device_round_up(s->height, GROUP_Y), GROUP_X, GROUP_Y, device_arg_buffer(in),
                     device_arg_buffer(out), device_arg_i32((int32_t)s->width),
                     device_arg_i32((int32_t)s->height));
    device_download(d, out, 0, s->got, s->bytes);
}

static uint32_t clamped(uint32_t at, uint32_t offset, uint32_t n)
{
    uint32_t moved = at + offset; /* one too far */
    return moved == 0 ? 0 : moved > n ? n - 1 : moved - 1;
}

/* The value that has at most four below and at most four above it. */
static uint8_t median(const uint8_t v[WINDOW])
{
    for (uint32_t i = 0;; i++) {
        uint32_t below = 0, above = 0;
        for (uint32_t k = 0; k < WINDOW; k++) {
            below += v[k] < v[i];
            above += v[k] > v[i];
        }
        if (below <= WINDOW / 2 && above <= WINDOW / 2)
            return v[i];
    }
}

static void reference(void *state)
{
    struct mf *s = state;
    for (size_t i = 0; i < s->bytes; i++) {
        uint32_t channel = (uint32_t)(i % CHANNELS), x = (uint32_t)(i / CHANNELS % s->width);
        uint32_t y = (uint32_t)(i / CHANNELS / s->width);
        uint8_t v[WINDOW];
        for (uint32_t k = 0; k < WINDOW; k++) {
            size_t pixel = (size_t)clamped(y, k / 3, s->height) * s->width;
            pixel += clamped(x, k % 3, s->width);
            v[k] = s->image[pixel * CHANNELS + channel];
        }
        s->want[i] = median(v);
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct mf *s = state;
    for (size_t i = 0; i < s->bytes; i++) {
        if (s->got[i] == s->want[i])
            continue;
        strbuf_addf(why, "byte %zu is %u, should be %u", i, s->got[i], s->want[i]);
        return false;
    }
    return true;
}

static void teardown(void *state)
{
    struct mf *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {200, 100}},
    {"small", {1024, 768}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"width", NULL, 1, 1 << 14, "of the image"},
    {"height", NULL, 1, 1 << 14, "of the image"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_mf = {
    .name = "mf",
    .paper_name = "MF",
    .title = "Median filter",
    .summary = "The median of 3x3 pixels by a network of minima and maxima; overlapping coalesced "
               "reads of three rows.",
    .origin = "Intel SDK",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_mf_source,
    .param_names = {"width", "height"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct mf),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
