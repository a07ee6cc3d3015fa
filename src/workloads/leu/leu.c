/* LEU: detection and tracking of leukocytes in a video (S3 Table 3.2; Rodinia's Leukocyte).
 *
 * The three kernels of Rodinia: a score for every pixel as the centre of a cell (GICOV: the
 * gradient inverse coefficient of variation along circles), the best score of the surroundings
 * (dilation by a disc), and for every cell the motion gradient vector flow field in local memory.
 * Access pattern: all lanes of a warp read gradients at the same offset, so loads are nearly
 * coalesced and lines are read again for the next sample; tables come from constant memory.
 *
 * Differences from the original: one frame, made from the seed, where S3 has a video of 640x480;
 * scores for the whole frame; a disc of half the radius; the field takes a fixed number of steps
 * instead of stopping when it changes little, and the contour itself, which Rodinia finds on the
 * host, is left out. */
#include <math.h>
#include <stdlib.h>

#include "workloads/leu/leu_frame.h"

extern const char workload_leu_source[];

enum { GROUP_X = 16, GROUP_Y = 8, TRACK_GROUP = 256 /* as in the kernel text */ };

struct leu {
    struct arena arena;
    struct leu_frame frame;
    uint32_t steps;
    float *score, *dilated, *field, *change;
    float *expected_score, *expected_dilated, *expected_field, *expected_change;
};

static void leu_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct leu *s = state;
    struct workload_rng rng = {seed};
    leu_frame_create(&s->frame, &s->arena, (uint32_t)size->p[0], (uint32_t)size->p[1],
                     (uint32_t)size->p[2], &rng);
    s->steps = (uint32_t)size->p[3];
    size_t n_pixels = (size_t)s->frame.width * s->frame.height, n_cells = s->frame.n_cells;
    float **const frames[] = {&s->score, &s->dilated, &s->expected_score, &s->expected_dilated};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        *frames[i] = ARENA_ARRAY(&s->arena, float, n_pixels);
    s->field = ARENA_ARRAY(&s->arena, float, n_cells *LEU_TILE_PIXELS);
    s->expected_field = ARENA_ARRAY(&s->arena, float, n_cells *LEU_TILE_PIXELS);
    s->change = ARENA_ARRAY(&s->arena, float, n_cells);
    s->expected_change = ARENA_ARRAY(&s->arena, float, n_cells);
}

/* --- The device part --- */

static void detect(struct leu *s, struct device *d)
{
    const struct leu_frame *f = &s->frame;
    size_t bytes = (size_t)f->width * f->height * sizeof(float);
    uint32_t across = device_round_up(f->width, GROUP_X),
             down = device_round_up(f->height, GROUP_Y);
    device_buffer gradient_x = device_alloc_from(d, f->gradient_x, bytes, "gradient_x");
    device_buffer gradient_y = device_alloc_from(d, f->gradient_y, bytes, "gradient_y");
    device_buffer offsets = device_alloc_from(d, f->offset, sizeof f->offset, "offsets");
    device_buffer directions =
        device_alloc_from(d, f->direction, sizeof f->direction, "directions");
    device_buffer scores = device_alloc(d, bytes, "scores");
    device_buffer dilated = device_alloc(d, bytes, "dilated");
    DEVICE_LAUNCH_2D(d, "leu_gicov", across, down, GROUP_X, GROUP_Y, device_arg_buffer(gradient_x),
                     device_arg_buffer(gradient_y), device_arg_buffer(offsets),
                     device_arg_buffer(directions), device_arg_u32(f->width),
                     device_arg_u32(f->height), device_arg_u32(LEU_MARGIN),
                     device_arg_buffer(scores));
    DEVICE_LAUNCH_2D(d, "leu_dilate", across, down, GROUP_X, GROUP_Y, device_arg_buffer(scores),
                     device_arg_u32(f->width), device_arg_u32(f->height),
                     device_arg_buffer(dilated));
    device_download(d, scores, 0, s->score, bytes);
    device_download(d, dilated, 0, s->dilated, bytes);
}

static void track(struct leu *s, struct device *d)
{
    const struct leu_frame *f = &s->frame;
    size_t bytes = (size_t)f->n_cells * LEU_TILE_PIXELS * sizeof(float);
    device_buffer edges = device_alloc_from(d, f->edge, bytes, "edges");
    device_buffer motions =
        device_alloc_from(d, f->motion, f->n_cells * sizeof *f->motion, "motions");
    device_buffer fields = device_alloc(d, bytes, "fields");
    device_buffer changes = device_alloc(d, f->n_cells * sizeof(float), "changes");
    DEVICE_LAUNCH_1D(d, "leu_track", f->n_cells * TRACK_GROUP, TRACK_GROUP,
                     device_arg_buffer(edges), device_arg_buffer(motions), device_arg_u32(s->steps),
                     device_arg_buffer(fields), device_arg_buffer(changes));
    device_download(d, fields, 0, s->field, bytes);
    device_download(d, changes, 0, s->change, f->n_cells * sizeof(float));
}

static void leu_run(void *state, struct device *d)
{
    detect(state, d);
    track(state, d);
}

/* --- The reference: in double; samples are kept, and their variance is computed in a second pass
 * --- */

static double score_circle(const struct leu_frame *f, uint32_t x, uint32_t y, uint32_t circle)
{
    double sample[LEU_SAMPLES], mean = 0, squares = 0;
    for (uint32_t i = 0; i < LEU_SAMPLES; i++) {
        struct leu_offset o = f->offset[circle][i];
        size_t at = (size_t)((int32_t)y + o.y) * f->width + (size_t)((int32_t)x + o.x);
        sample[i] = (double)f->gradient_x[at] * (double)f->direction[i].x +
                    (double)f->gradient_y[at] * (double)f->direction[i].y;
        mean += sample[i] / LEU_SAMPLES;
    }
    for (uint32_t i = 0; i < LEU_SAMPLES; i++)
        squares += (sample[i] - mean) * (sample[i] - mean);
    return mean * mean / (squares / (LEU_SAMPLES - 1));
}

static void expect_scores(struct leu *s)
{
    const struct leu_frame *f = &s->frame;
    for (uint32_t y = LEU_MARGIN; y + LEU_MARGIN < f->height; y++)
        for (uint32_t x = LEU_MARGIN; x + LEU_MARGIN < f->width; x++) {
            double best = 0;
            for (uint32_t circle = 0; circle < LEU_CIRCLES; circle++)
                best = fmax(best, score_circle(f, x, y, circle));
            s->expected_score[(size_t)y * f->width + x] = (float)best;
        }
}

static void offer(float *best, float score)
{
    *best = score > *best ? score : *best;
}

/* Every score is propagated to the pixels around it, instead of being gathered. */
static void expect_dilated(struct leu *s)
{
    int32_t width = (int32_t)s->frame.width, height = (int32_t)s->frame.height;
    for (int32_t i = 0; i < width * height; i++) {
        for (int32_t dy = -LEU_DISC; dy <= LEU_DISC; dy++) {
            int32_t reach = 0, y = i / width + dy;
            while ((reach + 1) * (reach + 1) + dy * dy <= LEU_DISC * LEU_DISC)
                reach++;
            if (y < 0 || y >= height)
                continue;
            for (int32_t x = i % width - reach; x <= i % width + reach; x++)
                if (x >= 0 && x < width)
                    offer(&s->expected_dilated[y * width + x], s->expected_score[i]);
        }
    }
}

/* A field with a rim of copies of its outermost pixels. */
enum { RIMMED = LEU_TILE + 2 };

static void copy_rim(double field[RIMMED][RIMMED])
{
    for (int i = 1; i <= LEU_TILE; i++) {
        field[i][0] = field[i][1];
        field[i][RIMMED - 1] = field[i][RIMMED - 2];
    }
    for (int x = 0; x < RIMMED; x++) {
        field[0][x] = field[1][x];
        field[RIMMED - 1][x] = field[RIMMED - 2][x];
    }
}

static double relax_pixel(double field[RIMMED][RIMMED], int y, int x, double edge,
                          struct leu_point motion)
{
    static const int around[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0},
                                     {1, 0},   {-1, 1}, {0, 1},  {1, 1}};
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        int dx = around[i][0], dy = around[i][1];
        double rise = field[y + dy][x + dx] - field[y][x];
        double angle = atan(20 * rise * (dx * (double)motion.x + dy * (double)motion.y));
        sum += rise * (0.5 + angle / 3.14159265358979323846);
    }
    double spread = field[y][x] + 0.1 * sum;
    return spread - 0.2 * edge * (spread - edge);
}

static double relax_field(double from[RIMMED][RIMMED], double to[RIMMED][RIMMED], const float *edge,
                          struct leu_point motion)
{
    double change = 0;
    for (int y = 1; y <= LEU_TILE; y++)
        for (int x = 1; x <= LEU_TILE; x++) {
            double e = (double)edge[(y - 1) * LEU_TILE + x - 1];
            to[y][x] = relax_pixel(from, y, x, e, motion);
            change += fabs(to[y][x] - from[y][x]);
        }
    copy_rim(to);
    return change / LEU_TILE_PIXELS;
}

static void expect_field(struct leu *s, uint32_t cell)
{
    double field[2][RIMMED][RIMMED], change = 0;
    const float *edge = s->frame.edge + (size_t)cell * LEU_TILE_PIXELS;
    float *out = s->expected_field + (size_t)cell * LEU_TILE_PIXELS;
    for (int i = 0; i < LEU_TILE_PIXELS; i++)
        field[0][1 + i / LEU_TILE][1 + i % LEU_TILE] = (double)edge[i];
    copy_rim(field[0]);
    for (uint32_t step = 0; step < s->steps; step++)
        change = relax_field(field[step % 2], field[1 - step % 2], edge, s->frame.motion[cell]);
    for (int i = 0; i < LEU_TILE_PIXELS; i++)
        out[i] = (float)field[s->steps % 2][1 + i / LEU_TILE][1 + i % LEU_TILE];
    s->expected_change[cell] = (float)change;
}

static void leu_reference(void *state)
{
    struct leu *s = state;
    expect_scores(s);
    expect_dilated(s);
    for (uint32_t cell = 0; cell < s->frame.n_cells; cell++)
        expect_field(s, cell);
}

/* Scores are squares of sums of 150 terms, of which a few cancel; values of the field are below 1.
 */
static bool leu_check(const void *state, struct strbuf *why)
{
    const struct leu *s = state;
    size_t n_pixels = (size_t)s->frame.width * s->frame.height, n_cells = s->frame.n_cells;
    return workload_check_f32(why, "score", s->score, s->expected_score, n_pixels, 2e-5f, 1e-6f) &&
           workload_check_f32(why, "dilated", s->dilated, s->expected_dilated, n_pixels, 2e-5f,
                              1e-6f) &&
           workload_check_f32(why, "field", s->field, s->expected_field, n_cells * LEU_TILE_PIXELS,
                              2e-6f, 2e-6f) &&
           workload_check_f32(why, "change", s->change, s->expected_change, n_cells, 1e-4f, 1e-8f);
}

static void leu_teardown(void *state)
{
    struct leu *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size leu_sizes[] = {
    {"tiny", {56, 52, 2, 3}},
    {"small", {160, 120, 8, 20}},
    {"paper-s3", {640, 480, 36, 100}},
    {NULL, {0}},
};

static const struct workload_input leu_inputs[] = {
    {"width", NULL, 2 * LEU_MARGIN + 1, 4096, "of the frame, in pixels"},
    {"height", NULL, 2 * LEU_MARGIN + 1, 4096, "of the frame, in pixels"},
    {"cells", NULL, 1, 1000, "in the frame, each tracked by a work-group"},
    {"steps", NULL, 1, 10000, "of the field's relaxation"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_leu = {
    .name = "leu",
    .paper_name = "LEU",
    .title = "Leukocyte detection and tracking",
    .summary = "Scores every pixel by the gradients along circles around it, takes the best of the "
               "surroundings, and relaxes a field around each cell in local memory.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive", .s3_ch6 = "computation-intensive"},
    .source = workload_leu_source,
    .param_names = {"width", "height", "cells", "steps"},
    .sizes = leu_sizes,
    .inputs = leu_inputs,
    .state_bytes = sizeof(struct leu),
    .setup = leu_setup,
    .run = leu_run,
    .reference = leu_reference,
    .check = leu_check,
    .teardown = leu_teardown,
};
