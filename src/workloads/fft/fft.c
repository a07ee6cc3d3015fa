/* FFT: a one-dimensional complex transform in global memory, one launch per radix-2 stage
 * (Stockham).
 *
 * S1 section 4 uses an FFT, of a size it does not give, for communication between thread blocks:
 * all a stage writes is read by the next launch, by other blocks, so an L2 that keeps the written
 * lines saves the way to memory and back. Reads of the data are coalesced, writes too except in the
 * first stages, and the table of twiddle factors is read at a stride that halves from stage to
 * stage. Left out on purpose: higher radices and stages within a block's shared memory, which would
 * shorten the communication that is the point. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_fft_source[];

enum { GROUP = 256 };

struct cplx {
    double re, im;
};

struct fft {
    struct arena arena;
    uint32_t log2_n, n;
    float *in; /* pairs (re, im), as all arrays of floats here */
    float *twiddle;
    float *got, *want;
};

/* e^(-2 pi i k / n) */
static struct cplx root_of_unity(uint32_t k, uint32_t n)
{
    double angle = -2.0 * M_PI * (double)k / (double)n;
    return (struct cplx){cos(angle), sin(angle)};
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct fft *s = state;
    struct workload_rng rng = {seed};
    s->log2_n = (uint32_t)size->p[0];
    s->n = 1u << s->log2_n;
    s->in = ARENA_ARRAY(&s->arena, float, 2 * (size_t)s->n);
    s->twiddle = ARENA_ARRAY(&s->arena, float, s->n);
    s->got = ARENA_ARRAY(&s->arena, float, 2 * (size_t)s->n);
    s->want = ARENA_ARRAY(&s->arena, float, 2 * (size_t)s->n);
    for (size_t i = 0; i < 2 * (size_t)s->n; i++)
        s->in[i] = 2.0f * workload_rng_unit(&rng) - 1.0f;
    for (uint32_t k = 0; k < s->n / 2; k++) {
        struct cplx w = root_of_unity(k, s->n);
        s->twiddle[2 * k] = (float)w.re;
        s->twiddle[2 * k + 1] = (float)w.im;
    }
}

static void run(void *state, struct device *d)
{
    struct fft *s = state;
    size_t bytes = 2 * (size_t)s->n * sizeof(float);
    uint32_t half = s->n / 2;
    device_buffer from = device_alloc_from(d, s->in, bytes, "signal");
    device_buffer to = device_alloc(d, bytes, "scratch");
    device_buffer twiddle = device_alloc_from(d, s->twiddle, bytes / 2, "twiddle");
    for (uint32_t span = 1; span < s->n && device_ok(d); span *= 2) {
        DEVICE_LAUNCH_1D(d, "fft_stage", device_round_up(half, GROUP), GROUP,
                         device_arg_buffer(from), device_arg_buffer(to), device_arg_buffer(twiddle),
                         device_arg_u32(half), device_arg_u32(span));
        device_buffer written = to;
        to = from;
        from = written;
    }
    device_download(d, from, 0, s->got, bytes);
}

/* The transform of x[0], x[stride], ... in double: of the even-numbered points, of the odd-numbered
 * ones, and the two combined. `root` holds the n_root-th roots of unity. */
static void transform(const struct cplx *x, uint32_t stride, struct cplx *out, uint32_t n,
                      const struct cplx *root)
{
    if (n == 1) {
        *out = *x;
        return;
    }
    uint32_t half = n / 2;
    transform(x, 2 * stride, out, half, root);
    transform(x + stride, 2 * stride, out + half, half, root);
    for (uint32_t k = 0; k < half; k++) {
        struct cplx w = root[k * stride], e = out[k], o = out[k + half];
        struct cplx t = {o.re * w.re - o.im * w.im, o.re * w.im + o.im * w.re};
        out[k] = (struct cplx){e.re + t.re, e.im + t.im};
        out[k + half] = (struct cplx){e.re - t.re, e.im - t.im};
    }
}

/* One point of the spectrum by the definition of the transform. */
static struct cplx bin_by_definition(const struct fft *s, uint32_t bin)
{
    struct cplx sum = {0.0, 0.0};
    for (uint32_t i = 0; i < s->n; i++) {
        double turns = (double)((uint64_t)bin * i % s->n) / (double)s->n;
        double c = cos(2.0 * M_PI * turns), minus_s = -sin(2.0 * M_PI * turns);
        sum.re += s->in[2 * i] * c - s->in[2 * i + 1] * minus_s;
        sum.im += s->in[2 * i] * minus_s + s->in[2 * i + 1] * c;
    }
    return sum;
}

/* Some points come from the definition, so that a mistake both fast algorithms share would show. */
static void reference(void *state)
{
    struct fft *s = state;
    struct cplx *x = ARENA_ARRAY(&s->arena, struct cplx, s->n);
    struct cplx *out = ARENA_ARRAY(&s->arena, struct cplx, s->n);
    struct cplx *root = ARENA_ARRAY(&s->arena, struct cplx, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        x[i] = (struct cplx){s->in[2 * i], s->in[2 * i + 1]};
        root[i] = root_of_unity(i, s->n);
    }
    transform(x, 1, out, s->n, root);
    for (uint32_t bin = 1; bin < s->n; bin += s->n / 5)
        out[bin] = bin_by_definition(s, bin);
    for (uint32_t i = 0; i < s->n; i++) {
        s->want[2 * i] = (float)out[i].re;
        s->want[2 * i + 1] = (float)out[i].im;
    }
}

/* Every stage adds a few roundings (2^-24 each) relative to the signal at that stage, whose root
 * mean square grows to about sqrt(n): 2 * 2^-24 * log2(n) * sqrt(n) bounds them, and stays below a
 * millionth of a typical output per stage. */
static bool check(const void *state, struct strbuf *why)
{
    const struct fft *s = state;
    float tolerance = (float)(0x1p-23 * s->log2_n * sqrt((double)s->n));
    return workload_check_f32(why, "spectrum", s->got, s->want, 2 * (size_t)s->n, 0.0f, tolerance);
}

static void teardown(void *state)
{
    struct fft *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {14}},
    {"small", {18}},
    {NULL, {0}},
};

const struct workload workload_fft = {
    .name = "fft",
    .paper_name = "FFT",
    .title = "Fast Fourier transform",
    .summary = "A radix-2 transform in global memory, one launch per stage: each launch reads what "
               "other thread blocks wrote in the launch before.",
    .origin = "Choi et al. 2012 (suite not named)",
    .categories = {0},
    .source = workload_fft_source,
    .param_names = {"log2_points"},
    .sizes = sizes,
    .state_bytes = sizeof(struct fft),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
