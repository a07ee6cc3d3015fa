#include <math.h>
#include <string.h>

#include "cli/cache_reuse.h"
#include "cli/output.h"
#include "lab/figure.h"

/* "bfs" of "/tmp/bfs.zst" */
static const char *stem(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return arena_strndup(arena, name, strcspn(name, "."));
}

static uint32_t n_bars(const struct reuse_of_files *f)
{
    return f->n > 1 ? f->n : f->of[0].n_pcs;
}

static const struct lab_distances *bar_at(const struct reuse_of_files *f, uint32_t x)
{
    return f->n > 1 ? &f->of[x].all : &f->of[0].pcs[x];
}

/* Range i, or the median after the last range. */
static double height_of(const struct reuse_of_files *f, const struct lab_distances *d, uint32_t i)
{
    if (i > f->ranges.n)
        return d->n ? (double)d->median[f->drawn] : (double)NAN;
    return reuse_percent(d->in_range[f->drawn][i], d->n);
}

static void fill(struct figure *chart, const struct reuse_of_files *f)
{
    struct arena *arena = &chart->arena;
    chart->n_xs = n_bars(f);
    chart->xs = ARENA_ARRAY(arena, const char *, chart->n_xs + 1);
    for (uint32_t x = 0; x < chart->n_xs; x++)
        chart->xs[x] =
            f->n > 1 ? stem(arena, f->paths[x]) : arena_printf(arena, "%u", f->of[0].pcs[x].pc);
    chart->n_series = f->ranges.n + 2;
    for (uint32_t i = 0; i < chart->n_series; i++) {
        bool is_median = i > f->ranges.n;
        char name[REUSE_NAME_BYTES] = "median";
        if (!is_median)
            reuse_range_name(&f->ranges, i, name);
        double *values = ARENA_ARRAY(arena, double, chart->n_xs + 1);
        for (uint32_t x = 0; x < chart->n_xs; x++)
            values[x] = height_of(f, bar_at(f, x), i);
        chart->series[i] = (struct figure_series){
            .title = arena_strdup(arena, name), .values = values, .is_right = is_median};
    }
}

enum heddle_status reuse_draw(const struct reuse_of_files *f, const char *path)
{
    struct figure chart = {.title = "Reuse distances of L1D",
                           .chart = FIGURE_STACKED,
                           .x_title = f->n > 1 ? "recording" : "PC of the earlier load",
                           .y_title = "share of the reuses, %",
                           .right_title = "median"};
    if (f->ranges.n + 2 > FIGURE_MAX_SERIES) {
        output_error("--svg can draw at most %d ranges", FIGURE_MAX_SERIES - 1);
        return HEDDLE_BAD_INPUT;
    }
    struct strbuf text = {0};
    const char *what = f->drawn == LAB_S3 ? "distinct other lines of the set in between"
                                          : "loads of the set in between";
    chart.source =
        f->n > 1 ? what
                 : arena_printf(&chart.arena, "%s: %s", stem(&chart.arena, f->paths[0]), what);
    fill(&chart, f);
    figure_svg(&chart, &text);
    enum heddle_status status = output_file(path, strbuf_text(&text), text.len);
    strbuf_destroy(&text);
    arena_destroy(&chart.arena);
    return status;
}
