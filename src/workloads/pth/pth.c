/* PTH: PathFinder, the cheapest path from the bottom to the top row of a grid, moving straight or
 * diagonally.
 *
 * Used by S3 (100,000 nodes: Rodinia's wall of 100,000 columns and 100 rows, 20 rows a launch). As
 * in Rodinia the costs of one row live in local memory, several rows are computed per launch with
 * ghost zones at the edges of each work-group, and two cost arrays alternate. Nothing is
 * simplified. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_pth_source[];

enum { GROUP = 256 /* as in pth.cl */, DEAREST = 10 };

struct pth {
    struct arena memory;
    uint32_t cols, rows, height; /* height: rows per launch */
    int32_t *wall;               /* rows x cols */
    int32_t *cost, *expected;    /* of the cheapest path to each column of the last row */
};

static void pth_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct pth *s = state;
    struct workload_rng rng = {seed};
    s->cols = (uint32_t)size->p[0];
    s->rows = (uint32_t)size->p[1];
    s->height = (uint32_t)size->p[2];
    size_t cells = (size_t)s->cols * s->rows;
    s->wall = ARENA_ARRAY(&s->memory, int32_t, cells);
    s->cost = ARENA_ARRAY(&s->memory, int32_t, s->cols);
    s->expected = ARENA_ARRAY(&s->memory, int32_t, s->cols);
    for (size_t i = 0; i < cells; i++)
        s->wall[i] = (int32_t)workload_rng_below(&rng, DEAREST);
}

static void pth_run(void *state, struct device *d)
{
    struct pth *s = state;
    size_t row_bytes = s->cols * sizeof(int32_t);
    uint32_t useful_cols = GROUP - 2 * s->height;
    uint32_t groups = (s->cols + useful_cols - 1) / useful_cols;
    device_buffer wall = device_alloc_from(d, s->wall, s->rows * row_bytes, "wall");
    device_buffer cost_in = device_alloc_from(d, s->wall, row_bytes, "cost a");
    device_buffer cost_out = device_alloc(d, row_bytes, "cost b");

    for (uint32_t row = 1; row < s->rows; row += s->height) {
        uint32_t left = s->rows - row;
        uint32_t steps = left < s->height ? left : s->height;
        DEVICE_LAUNCH_1D(d, "pathfinder", groups * GROUP, GROUP, device_arg_buffer(wall),
                         device_arg_buffer(cost_in), device_arg_buffer(cost_out),
                         device_arg_u32(s->cols), device_arg_u32(row), device_arg_u32(steps),
                         device_arg_u32(s->height));
        device_buffer swap = cost_in;
        cost_in = cost_out;
        cost_out = swap;
    }
    device_download(d, cost_in, 0, s->cost, row_bytes);
}

/* One row after the other; the diagonal predecessors are tried where they exist. */
static void pth_reference(void *state)
{
    struct pth *s = state;
    int32_t *before = xcalloc(s->cols, sizeof *before);
    memcpy(s->expected, s->wall, s->cols * sizeof *before);
    for (size_t row = 1; row < s->rows; row++) {
        memcpy(before, s->expected, s->cols * sizeof *before);
        for (size_t col = 0; col < s->cols; col++) {
            int32_t cheapest = before[col];
            if (col > 0 && before[col - 1] < cheapest)
                cheapest = before[col - 1];
            if (col + 1 < s->cols && before[col + 1] < cheapest)
                cheapest = before[col + 1];
            s->expected[col] = cheapest + s->wall[row * s->cols + col];
        }
    }
    free(before);
}

static bool pth_check(const void *state, struct strbuf *why)
{
    const struct pth *s = state;
    return workload_check_i32(why, "cost", s->cost, s->expected, s->cols);
}

static void pth_teardown(void *state)
{
    struct pth *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {10000, 40, 12}},
    {"small", {100000, 100, 20}},
    {"paper-s3", {100000, 100, 20}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"cols", NULL, 1000, 10000000, "of the wall"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_pth = {
    .name = "pth",
    .paper_name = "PTH",
    .title = "PathFinder",
    .summary = "Dynamic programming over the rows of a grid: several rows per launch in local "
               "memory, with ghost zones; streaming reads of the grid.",
    .origin = "Rodinia",
    .categories = {.s3_ch3 = "computation-intensive",
                   .s3_ch6 = "computation-intensive",
                   .s3_ch4 = "non-sensitive",
                   .s3_ch5 = "not cache-sensitive"},
    .source = workload_pth_source,
    .param_names = {"cols", "rows", "rows_per_launch"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct pth),
    .setup = pth_setup,
    .run = pth_run,
    .reference = pth_reference,
    .check = pth_check,
    .teardown = pth_teardown,
};
