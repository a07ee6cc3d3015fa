/* PF: a particle filter that tracks an object in a video (Rodinia particlefilter; S3 Tables 3.2,
 * 4.2 and 5.3, 128x128x10, which 5.3 prints as 28x128x10).
 *
 * As in Rodinia's version that stays on the GPU: particles move by a model with noise, are weighed
 * by the pixels around them, normalised, and resampled by their weights; sums over all particles
 * are a single thread's work, and the search of the distribution function is linear. Access
 * pattern: small data; gathers from a frame; a long walk over the same words by all warps.
 *
 * The video is drawn from the seed. S3 gives no number of particles; 1000 is Rodinia's example. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_pf_source[];

enum { GROUP = 128, BACKGROUND = 100, FOREGROUND = 228, RADIUS = 5 }; /* as in pf.cl */
enum { DISC_MAX = (2 * RADIUS + 1) * (2 * RADIUS + 1), NOISE = 21 };

/* What the device made of the particles in one frame, one value each. */
struct step {
    float *x, *y;  /* after the move */
    float *weight; /* normalised */
    float *cdf;
    float *new_x, *new_y; /* after the draw */
    float *want_x, *want_y, *want_weight, *want_cdf;
    float start; /* of the draw, in [0, 1) */
};

struct pf {
    struct arena arena;
    uint32_t rows, cols, n_frames, n;
    uint8_t *frames;
    int32_t disc[DISC_MAX][2]; /* columns and rows from the centre */
    uint32_t n_disc;
    uint32_t *seed;
    float start_x, start_y;
    struct step *step; /* one per frame but the first */
};

struct buffers {
    device_buffer frames, disc, seeds, x, y, weight, partial, total, cdf, new_x, new_y;
};

static void draw_disc(struct pf *s)
{
    for (int32_t y = -RADIUS; y <= RADIUS; y++)
        for (int32_t x = -RADIUS; x <= RADIUS; x++)
            if (x * x + y * y < RADIUS * RADIUS) {
                s->disc[s->n_disc][0] = x;
                s->disc[s->n_disc++][1] = y;
            }
}

/* The disc moves a column to the right and two rows up per frame, and ends in the middle of an edge
 * of the frame at the latest. */
static void draw_frames(struct pf *s, struct workload_rng *rng)
{
    for (uint32_t f = 0; f < s->n_frames; f++) {
        uint8_t *frame = s->frames + (size_t)f * s->rows * s->cols;
        for (uint32_t i = 0; i < s->rows * s->cols; i++)
            frame[i] = (uint8_t)(BACKGROUND - NOISE / 2 + workload_rng_below(rng, NOISE));
        for (uint32_t k = 0; k < s->n_disc; k++) {
            int32_t col = (int32_t)(s->cols / 2 + f) + s->disc[k][0];
            int32_t row = (int32_t)(s->rows / 2) - 2 * (int32_t)f + s->disc[k][1];
            if (row >= 0 && row < (int32_t)s->rows && col >= 0 && col < (int32_t)s->cols)
                frame[(uint32_t)row * s->cols + (uint32_t)col] += FOREGROUND - BACKGROUND;
        }
    }
}

static void setup_step(struct pf *s, struct step *step, struct workload_rng *rng)
{
    float **arrays[] = {&step->x,           &step->y,       &step->weight, &step->cdf,
                        &step->new_x,       &step->new_y,   &step->want_x, &step->want_y,
                        &step->want_weight, &step->want_cdf};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = ARENA_ARRAY(&s->arena, float, s->n);
    step->start = workload_rng_unit(rng);
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct pf *s = state;
    struct workload_rng rng = {seed};
    s->cols = (uint32_t)size->p[0];
    s->rows = (uint32_t)size->p[1];
    s->n_frames = (uint32_t)size->p[2];
    s->n = (uint32_t)size->p[3];
    s->frames = ARENA_ARRAY(&s->arena, uint8_t, (size_t)s->rows * s->cols * s->n_frames);
    s->seed = ARENA_ARRAY(&s->arena, uint32_t, s->n);
    s->step = ARENA_ARRAY(&s->arena, struct step, s->n_frames - 1);
    s->start_x = (float)(s->cols / 2);
    s->start_y = (float)(s->rows / 2);
    draw_disc(s);
    draw_frames(s, &rng);
    for (uint32_t i = 0; i < s->n; i++)
        s->seed[i] = (uint32_t)workload_rng_u64(&rng);
    for (uint32_t f = 0; f + 1 < s->n_frames; f++)
        setup_step(s, &s->step[f], &rng);
}

static struct buffers make_buffers(struct pf *s, struct device *d)
{
    size_t bytes = s->n * sizeof(float);
    float *start = ARENA_ARRAY(&s->arena, float, 2 * (size_t)s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        start[i] = s->start_x;
        start[s->n + i] = s->start_y;
    }
    return (struct buffers){
        .frames = device_alloc(d, (size_t)s->rows * s->cols, "frame"),
        .disc = device_alloc_from(d, s->disc, s->n_disc * sizeof s->disc[0], "disc"),
        .seeds = device_alloc_from(d, s->seed, s->n * sizeof(uint32_t), "seeds"),
        .x = device_alloc_from(d, start, bytes, "x"),
        .y = device_alloc_from(d, start + s->n, bytes, "y"),
        .weight = device_alloc(d, bytes, "weight"),
        .partial = device_alloc(d, bytes, "partial sums"),
        .total = device_alloc(d, sizeof(float), "total"),
        .cdf = device_alloc(d, bytes, "cdf"),
        .new_x = device_alloc(d, bytes, "new x"),
        .new_y = device_alloc(d, bytes, "new y"),
    };
}

static void download_step(const struct pf *s, struct device *d, const struct buffers *b,
                          struct step *step)
{
    size_t bytes = s->n * sizeof(float);
    device_download(d, b->x, 0, step->x, bytes);
    device_download(d, b->y, 0, step->y, bytes);
    device_download(d, b->weight, 0, step->weight, bytes);
    device_download(d, b->cdf, 0, step->cdf, bytes);
    device_download(d, b->new_x, 0, step->new_x, bytes);
    device_download(d, b->new_y, 0, step->new_y, bytes);
}

static void track(struct pf *s, struct device *d, struct buffers *b, uint32_t frame)
{
    size_t pixels = (size_t)s->rows * s->cols;
    struct step *step = &s->step[frame - 1];
    uint32_t items = device_round_up(s->n, GROUP);
    struct device_arg n = device_arg_u32(s->n);
    device_upload(d, b->frames, 0, s->frames + frame * pixels, pixels);
    DEVICE_LAUNCH_1D(d, "pf_move", items, GROUP, device_arg_buffer(b->x), device_arg_buffer(b->y),
                     device_arg_buffer(b->seeds), n);
    DEVICE_LAUNCH_1D(d, "pf_weigh", items, GROUP, device_arg_buffer(b->frames),
                     device_arg_u32(s->rows), device_arg_u32(s->cols), device_arg_buffer(b->disc),
                     device_arg_u32(s->n_disc), device_arg_buffer(b->x), device_arg_buffer(b->y),
                     device_arg_buffer(b->weight), device_arg_buffer(b->partial), n);
    DEVICE_LAUNCH_1D(d, "pf_total", 1, 1, device_arg_buffer(b->partial),
                     device_arg_u32(items / GROUP), device_arg_buffer(b->total));
    DEVICE_LAUNCH_1D(d, "pf_normalise", items, GROUP, device_arg_buffer(b->weight),
                     device_arg_buffer(b->total), n);
    DEVICE_LAUNCH_1D(d, "pf_accumulate", 1, 1, device_arg_buffer(b->weight),
                     device_arg_buffer(b->cdf), n);
    DEVICE_LAUNCH_1D(d, "pf_resample", items, GROUP, device_arg_buffer(b->cdf),
                     device_arg_buffer(b->x), device_arg_buffer(b->y), device_arg_buffer(b->new_x),
                     device_arg_buffer(b->new_y), device_arg_f32(step->start), n);
    download_step(s, d, b, step);
    struct buffers old = *b;
    b->x = old.new_x;
    b->y = old.new_y;
    b->new_x = old.x;
    b->new_y = old.y;
}

static void run(void *state, struct device *d)
{
    struct pf *s = state;
    struct buffers b = make_buffers(s, d);
    for (uint32_t frame = 1; frame < s->n_frames && device_ok(d); frame++)
        track(s, d, &b, frame);
}

/* --- The reference: each stage in double precision, from the device's previous stage. A draw at an
 * edge of the distribution may go either way, so a filter that ran independently would soon follow
 * other particles. --- */

static double uniform(uint32_t *seed)
{
    *seed = *seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return ((double)(*seed >> 9) + 0.5) / (1 << 23);
}

static double normal(uint32_t *seed)
{
    const double pi = 3.14159265358979323846;
    double u = uniform(seed), v = uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * pi * v);
}

static int32_t clamp(double v, int32_t shift, uint32_t limit)
{
    return (int32_t)fmin(fmax(round(v) + shift, 0), limit - 1.0);
}

/* The difference of squares written out: twice the contrast times the distance from the middle. */
static double log_weight(const struct pf *s, const uint8_t *frame, double x, double y)
{
    const double contrast = FOREGROUND - BACKGROUND, middle = (FOREGROUND + BACKGROUND) / 2.0;
    double mean = 0;
    for (uint32_t k = 0; k < s->n_disc; k++) {
        int32_t col = clamp(x, s->disc[k][0], s->cols), row = clamp(y, s->disc[k][1], s->rows);
        mean += frame[(uint32_t)row * s->cols + (uint32_t)col] / (double)s->n_disc;
    }
    return 2 * contrast * (mean - middle) / 50;
}

static void reference_step(struct pf *s, const struct step *before, struct step *step,
                           const uint8_t *frame)
{
    double sum = 0, cdf = 0, highest = -INFINITY;
    double *logs = ARENA_ARRAY(&s->arena, double, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        double x = (double)(before ? before->new_x[i] : s->start_x);
        double y = (double)(before ? before->new_y[i] : s->start_y);
        step->want_x[i] = (float)(x + 1 + 5 * normal(&s->seed[i]));
        step->want_y[i] = (float)(y - 2 + 2 * normal(&s->seed[i]));
        logs[i] = log_weight(s, frame, (double)step->x[i], (double)step->y[i]);
        highest = fmax(highest, logs[i]);
    }
    for (uint32_t i = 0; i < s->n; i++)
        sum += exp(logs[i] - highest);
    for (uint32_t i = 0; i < s->n; i++) {
        step->want_weight[i] = (float)(exp(logs[i] - highest) / sum);
        cdf += (double)step->weight[i];
        step->want_cdf[i] = (float)cdf;
    }
}

static void reference(void *state)
{
    struct pf *s = state;
    for (uint32_t f = 1; f < s->n_frames; f++)
        reference_step(s, f > 1 ? &s->step[f - 2] : NULL, &s->step[f - 1],
                       s->frames + (size_t)f * s->rows * s->cols);
}

/* True if particle i may be the one that was drawn for `wanted`, give or take a rounding. */
static bool may_be_drawn(const struct pf *s, const struct step *step, uint32_t i, double wanted)
{
    const double slack = 1e-6;
    bool reached = i + 1 == s->n || (double)step->cdf[i] >= wanted - slack;
    return reached && (i == 0 || (double)step->cdf[i - 1] < wanted + slack);
}

static bool check_draw(const struct pf *s, const struct step *step, struct strbuf *why)
{
    for (uint32_t p = 0; p < s->n; p++) {
        double wanted = ((double)step->start + p) / s->n;
        bool found = false;
        for (uint32_t i = 0; i < s->n && !found; i++)
            found = may_be_drawn(s, step, i, wanted) && step->new_x[p] == step->x[i] &&
                    step->new_y[p] == step->y[i];
        if (found)
            continue;
        strbuf_addf(why, "particle %u at %g, %g is not a copy of the one drawn for it", p,
                    (double)step->new_x[p], (double)step->new_y[p]);
        return false;
    }
    return true;
}

/* A step of the model has the rounding errors of logarithm and cosine, times five; a weight those
 * of an exponent of up to 600. */
static bool check(const void *state, struct strbuf *why)
{
    const struct pf *s = state;
    for (uint32_t f = 0; f + 1 < s->n_frames; f++) {
        const struct step *t = &s->step[f];
        if (!workload_check_f32(why, "x", t->x, t->want_x, s->n, 0.0f, 2e-4f) ||
            !workload_check_f32(why, "y", t->y, t->want_y, s->n, 0.0f, 2e-4f) ||
            !workload_check_f32(why, "weight", t->weight, t->want_weight, s->n, 3e-4f, 1e-12f) ||
            !workload_check_f32(why, "cdf", t->cdf, t->want_cdf, s->n, 1e-5f, 1e-12f) ||
            !check_draw(s, t, why)) {
            strbuf_addf(why, " in frame %u", f + 1);
            return false;
        }
    }
    return true;
}

static void teardown(void *state)
{
    struct pf *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {64, 64, 4, 500}},
    {"small", {128, 128, 10, 1000}},
    {"paper-s3", {128, 128, 10, 1000}},
    {NULL, {0}},
};

const struct workload workload_pf = {
    .name = "pf",
    .paper_name = "PF",
    .title = "Particle filter",
    .summary = "Particles follow a disc through a video: gathers from a frame, sums by a single "
               "thread, and a linear search of the same array by every particle.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive",
                   .s3_ch4 = "non-sensitive",
                   .s3_ch5 = "not cache-sensitive"},
    .source = workload_pf_source,
    .param_names = {"cols", "rows", "frames", "particles"},
    .sizes = sizes,
    .state_bytes = sizeof(struct pf),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
