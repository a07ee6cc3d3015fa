/* HTW: tracking of a heart's walls in ultrasonic video by template matching (Rodinia heartwall; S3
 * Tables 3.2, 4.2 and 5.3, a video of 656x744).
 *
 * As in Rodinia: one work-group per point, one launch per frame, which runs through all stages with
 * barriers between them: the search window, running sums down its columns and along its rows for
 * the mean and variance of every place, the correlation, the best place; templates are renewed now
 * and then. 51 points on two walls, templates of 51x51 in windows of 81x81. Access pattern: heavy
 * arithmetic on a private part of global memory per group, which stages walk in different
 * directions; few groups, much waiting at barriers.
 *
 * Simplified: the prior on small motions and the convolution's padding are left out. The video is
 * drawn from the seed: a texture that shrinks, widens and sways, under noise; grey levels have six
 * bits, so that sums are exact. S3 gives no number of frames; 20 is Rodinia's example. */
#include <math.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_htw_source[];

enum { GROUP = 256, RENEW_EVERY = 10, GREY_LEVELS = 60, NOISE = 4, GRAIN = 3 };

struct shape { /* as in htw.cl */
    int32_t rows, cols, template_radius, search_radius;
};

struct point {
    int32_t x, y;
};

struct htw {
    struct arena arena;
    struct shape shape;
    uint32_t n_points, n_frames;
    size_t pixels;
    uint8_t *frames;
    /* n_frames x n_points each; of the first frame, only the points are known. */
    struct point *points;
    float *score, *want_score;         /* the best score that the device found, and ours at the same
                                * place */
    float *chosen, *best;              /* the correlation of that place, and that of the best one */
    float *templates, *want_templates; /* at the end */
};

/* --- The video --- */

static uint8_t texture(uint64_t seed, int32_t y, int32_t x)
{
    struct workload_rng rng = {seed ^
                               ((uint64_t)(uint32_t)(y / GRAIN) << 32 | (uint32_t)(x / GRAIN))};
    return (uint8_t)workload_rng_below(&rng, GREY_LEVELS);
}

/* 0 to 5 and back: the phase of the heartbeat. */
static int32_t phase_of(uint32_t frame)
{
    int32_t phase = (int32_t)(frame % 10);
    return phase < 5 ? phase : 10 - phase;
}

/* A beat shrinks the picture around its centre, by 3/256 a frame, and moves it. */
static void draw_frames(struct htw *s, struct workload_rng *rng, uint64_t seed)
{
    int32_t mid_y = s->shape.rows / 2, mid_x = s->shape.cols / 2;
    for (uint32_t f = 0; f < s->n_frames; f++)
        for (size_t i = 0; i < s->pixels; i++) {
            int32_t phase = phase_of(f), scale = 256 + 3 * phase;
            int32_t y = (int32_t)(i / (size_t)s->shape.cols) - mid_y;
            int32_t x = (int32_t)(i % (size_t)s->shape.cols) - mid_x;
            uint8_t level = texture(seed, 4 * mid_y + y * scale / 256 - phase,
                                    4 * mid_x + x * scale / 256 + 2 * phase);
            s->frames[f * s->pixels + i] = (uint8_t)(level + workload_rng_below(rng, NOISE));
        }
}

static int32_t margin(const struct shape *s)
{
    return s->template_radius + s->search_radius;
}

static size_t template_values(const struct shape *s)
{
    return (size_t)(2 * s->template_radius + 1) * (size_t)(2 * s->template_radius + 1);
}

static int32_t within(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Two in five on an inner ellipse, the others on an outer one. */
static void place_points(struct htw *s)
{
    uint32_t inner = 2 * s->n_points / 5;
    int32_t edge = margin(&s->shape);
    for (uint32_t p = 0; p < s->n_points; p++) {
        bool is_inner = p < inner;
        double part = is_inner ? (double)p / inner : (double)(p - inner) / (s->n_points - inner);
        double angle = 2 * 3.14159265358979323846 * part, reach = is_inner ? 0.2 : 0.32;
        int32_t x = s->shape.cols / 2 + (int32_t)lround(reach * s->shape.cols * cos(angle));
        int32_t y = s->shape.rows / 2 + (int32_t)lround(reach * s->shape.rows * sin(angle));
        s->points[p] = (struct point){within(x, edge, s->shape.cols - 1 - edge),
                                      within(y, edge, s->shape.rows - 1 - edge)};
    }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct htw *s = state;
    struct workload_rng rng = {seed};
    s->shape = (struct shape){(int32_t)size->p[0], (int32_t)size->p[1], (int32_t)size->p[3],
                              (int32_t)size->p[4]};
    s->n_points = (uint32_t)size->p[2];
    s->n_frames = (uint32_t)size->p[5];
    s->pixels = (size_t)s->shape.rows * (size_t)s->shape.cols;
    size_t positions = (size_t)s->n_frames * s->n_points;
    s->frames = ARENA_ARRAY(&s->arena, uint8_t, s->pixels * s->n_frames);
    s->points = ARENA_ARRAY(&s->arena, struct point, positions);
    float **scores[] = {&s->score, &s->want_score, &s->chosen, &s->best};
    for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++)
        *scores[i] = ARENA_ARRAY(&s->arena, float, positions);
    s->templates = ARENA_ARRAY(&s->arena, float, s->n_points *template_values(&s->shape));
    s->want_templates = ARENA_ARRAY(&s->arena, float, s->n_points *template_values(&s->shape));
    draw_frames(s, &rng, seed);
    place_points(s);
}

/* --- The device --- */

static bool renews(uint32_t frame)
{
    return frame % RENEW_EVERY == 1;
}

static void run(void *state, struct device *d)
{
    struct htw *s = state;
    size_t template_bytes = s->n_points * template_values(&s->shape) * sizeof(float);
    size_t window = (size_t)(2 * margin(&s->shape) + 1);
    size_t point_bytes = s->n_points * sizeof *s->points;
    device_buffer frame = device_alloc(d, s->pixels, "frame");
    device_buffer points = device_alloc_from(d, s->points, point_bytes, "points");
    device_buffer scores = device_alloc(d, s->n_points * sizeof(float), "scores");
    device_buffer templates = device_alloc(d, template_bytes, "templates");
    device_buffer scratch =
        device_alloc(d, s->n_points * 6 * window * window * sizeof(float), "scratch");
    const struct device_arg shape[] = {device_arg_i32(s->shape.rows), device_arg_i32(s->shape.cols),
                                       device_arg_i32(s->shape.template_radius),
                                       device_arg_i32(s->shape.search_radius)};

    device_upload(d, frame, 0, s->frames, s->pixels);
    DEVICE_LAUNCH_1D(d, "htw_template", s->n_points * GROUP, GROUP, shape[0], shape[1], shape[2],
                     shape[3], device_arg_buffer(frame), device_arg_buffer(points),
                     device_arg_buffer(templates));
    for (uint32_t f = 1; f < s->n_frames && device_ok(d); f++) {
        device_upload(d, frame, 0, s->frames + f * s->pixels, s->pixels);
        DEVICE_LAUNCH_1D(d, "htw_track", s->n_points * GROUP, GROUP, shape[0], shape[1], shape[2],
                         shape[3], device_arg_buffer(frame), device_arg_buffer(points),
                         device_arg_buffer(templates), device_arg_buffer(scratch),
                         device_arg_buffer(scores), device_arg_i32(renews(f)));
        device_download(d, points, 0, s->points + (size_t)f * s->n_points, point_bytes);
        device_download(d, scores, 0, s->score + (size_t)f * s->n_points,
                        s->n_points * sizeof(float));
    }
    device_download(d, templates, 0, s->templates, template_bytes);
}

/* --- The reference: from where the device had each point in the frame before, the correlation of
 * every place by its definition. Of places that are as good as each other either may be taken. ---
 */

struct match {
    double *template;       /* side x side */
    double mean, deviation; /* of the template; the latter is the root of the sum of squares */
    int32_t side;
};

static double correlation(const struct match *m, const uint8_t *corner, int32_t cols)
{
    double mean = 0, product = 0, square = 0;
    for (int32_t i = 0; i < m->side * m->side; i++)
        mean += corner[i / m->side * cols + i % m->side] / (double)(m->side * m->side);
    for (int32_t i = 0; i < m->side * m->side; i++) {
        double w = corner[i / m->side * cols + i % m->side] - mean;
        product += (m->template[i] - m->mean) * w;
        square += w * w;
    }
    return product / (m->deviation * sqrt(square));
}

/* Keeps a part of the template; the rest is taken from `corner`. */
static void renew_template(struct match *m, const uint8_t *corner, int32_t cols, double keep)
{
    m->mean = m->deviation = 0;
    for (int32_t i = 0; i < m->side * m->side; i++) {
        double now = corner[i / m->side * cols + i % m->side];
        m->template[i] = keep * m->template[i] + (1 - keep) * now;
        m->mean += m->template[i] / (double)(m->side * m->side);
    }
    for (int32_t i = 0; i < m->side * m->side; i++)
        m->deviation += (m->template[i] - m->mean) * (m->template[i] - m->mean);
    m->deviation = sqrt(m->deviation);
}

/* A point from frame f - 1 to f. The device's scores are correlations up to a factor, the
 * template's size and deviation. */
static void follow(struct htw *s, struct match *m, uint32_t f, uint32_t p)
{
    const struct shape *shape = &s->shape;
    const size_t at = (size_t)f * s->n_points + p;
    const struct point *was = &s->points[at - s->n_points], *is = &s->points[at];
    int32_t reach = 2 * shape->search_radius, edge = margin(shape);
    int32_t x = within(was->x, edge, shape->cols - 1 - edge) - edge;
    int32_t y = within(was->y, edge, shape->rows - 1 - edge) - edge;
    const uint8_t *first = s->frames + f * s->pixels + y * shape->cols + x;
    s->best[at] = -1;
    for (int32_t dy = 0; dy <= reach; dy++)
        for (int32_t dx = 0; dx <= reach; dx++)
            s->best[at] = fmaxf(s->best[at],
                                (float)correlation(m, first + dy * shape->cols + dx, shape->cols));

    int32_t dx = is->x - shape->template_radius - x, dy = is->y - shape->template_radius - y;
    s->chosen[at] = -2;
    if (dx < 0 || dx > reach || dy < 0 || dy > reach)
        return;
    const uint8_t *corner = first + dy * shape->cols + dx;
    double chosen = correlation(m, corner, shape->cols);
    s->chosen[at] = (float)chosen;
    s->want_score[at] = (float)(chosen * m->deviation * m->side);
    if (renews(f))
        renew_template(m, corner, shape->cols, 0.5);
}

static void reference(void *state)
{
    struct htw *s = state;
    int32_t radius = s->shape.template_radius, side = 2 * radius + 1;
    size_t values = template_values(&s->shape);
    struct match m = {.side = side, .template = ARENA_ARRAY(&s->arena, double, values)};
    for (uint32_t p = 0; p < s->n_points; p++) {
        const struct point *start = &s->points[p];
        renew_template(&m, s->frames + (start->y - radius) * s->shape.cols + start->x - radius,
                       s->shape.cols, 0);
        for (uint32_t f = 1; f < s->n_frames; f++)
            follow(s, &m, f, p);
        for (size_t i = 0; i < values; i++)
            s->want_templates[p * values + i] = (float)m.template[i];
    }
}

/* Sums of grey levels, of six bits, and of their squares are exact, and so are means of templates.
 * What remains are differences of large products. */
static bool check(const void *state, struct strbuf *why)
{
    const struct htw *s = state;
    size_t positions = (size_t)s->n_frames * s->n_points;
    return workload_check_f32(why, "correlation", s->chosen, s->best, positions, 0.0f, 2e-5f) &&
           workload_check_f32(why, "score", s->score, s->want_score, positions, 2e-5f, 0.0f) &&
           workload_check_f32(why, "template", s->templates, s->want_templates,
                              s->n_points * template_values(&s->shape), 0.0f, 0.0f);
}

static void teardown(void *state)
{
    struct htw *s = state;
    arena_destroy(&s->arena);
}

/* S3 gives the size of a frame, not how many there are. */
static const struct workload_size sizes[] = {
    {"tiny", {96, 112, 15, 5, 4, 3}},
    {"small", {328, 372, 51, 9, 7, 3}},
    {"paper-s3", {656, 744, 51, 25, 15, 5}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"frames", NULL, 2, 1000, "of the video; points are tracked from the second on"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_htw = {
    .name = "htw",
    .paper_name = "HTW",
    .title = "Heart wall tracking",
    .summary = "One work-group per point of a heart's walls finds its template in the next frame: "
               "running sums and correlations over private scratch memory, with barriers.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive",
                   .s3_ch6 = "computation-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "not cache-sensitive"},
    .source = workload_htw_source,
    .param_names = {"rows", "cols", "points", "template_radius", "search_radius", "frames"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct htw),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
