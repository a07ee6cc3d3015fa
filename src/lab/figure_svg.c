/* A chart as SVG: axes with round numbers, light grid lines, a legend, and marks below the x axis
 * where the paper says a series peaks. The colours can be distinguished by colour-blind readers
 * (Okabe and Ito); series also differ in their markers. All xs have the same width, as in the
 * papers' charts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/figure_internal.h"
#include "lab/figure_scale.h"
#include "lab/figure_svg.h"

/* What is drawn: the xs, and after them the means of groups. */
struct plot {
    const struct figure *f;
    struct figure_groups groups;
    struct figure_scale scales[2]; /* left, right */
};

static uint32_t n_places(const struct plot *p)
{
    return p->f->n_xs + (p->f->chart == FIGURE_BARS ? p->groups.n : 0);
}

static double x_at(const struct plot *p, uint32_t x)
{
    return LEFT + (x + 0.5) * PLOT_W / n_places(p);
}

static double value_at(const struct plot *p, uint32_t series, uint32_t x)
{
    const struct figure_series *line = &p->f->series[series];
    return x < p->f->n_xs ? line->values[x]
                          : figure_claimed_value(p->f, p->groups.of[x - p->f->n_xs], line);
}

/* With the title of the figure's axis, or a table's name of a group. */
static void name_place(const struct plot *p, uint32_t x, bool is_whole, struct strbuf *out)
{
    struct strbuf members = {0};
    if (x < p->f->n_xs) {
        strbuf_add(out, p->f->xs[x]);
        return;
    }
    figure_group_members(p->f, p->groups.of[x - p->f->n_xs], &members);
    strbuf_addf(out, "%smean of %s", is_whole ? "geometric " : "", strbuf_text(&members));
    strbuf_destroy(&members);
}

static double y_at(const struct figure_scale *s, double value)
{
    return TOP + PLOT_H * (1 - figure_scale_at(s, value));
}

static void add_number(struct strbuf *out, double x, double y, const char *anchor, double value)
{
    char text[32], attributes[64];
    snprintf(text, sizeof text, "%.6g", value);
    snprintf(attributes, sizeof attributes, "class=\"n\" text-anchor=\"%s\"", anchor);
    svg_add_text(out, x, y, attributes, text);
}

static void add_axes(const struct plot *p, bool has_right, struct strbuf *out)
{
    const struct figure_scale *left = &p->scales[0], *right = &p->scales[1];
    for (double v = figure_scale_first(left); v <= left->max * 1.0001;
         v = figure_scale_next(left, v)) {
        bool is_axis = v == left->min || fabs(v - left->base) < 1e-9 * left->max;
        strbuf_addf(out, "<path class=\"%s\" d=\"M%d %.1fh%d\"/>\n", is_axis ? "axis" : "grid",
                    LEFT, y_at(left, v), PLOT_W);
        add_number(out, LEFT - 8, y_at(left, v) + 4, "end", v);
    }
    for (double v = figure_scale_first(right); has_right && v <= right->max * 1.0001;
         v = figure_scale_next(right, v))
        add_number(out, LEFT + PLOT_W + 8, y_at(right, v) + 4, "start", v);
    strbuf_addf(out, "<path class=\"axis\" d=\"M%d %dv%d\"/>\n", LEFT, TOP, PLOT_H);
    if (has_right)
        strbuf_addf(out, "<path class=\"axis\" d=\"M%d %dv%d\"/>\n", LEFT + PLOT_W, TOP, PLOT_H);
}

static void add_titles(const struct figure *f, bool has_right, struct strbuf *out)
{
    double middle = TOP + PLOT_H / 2.0;
    char turn[96];
    svg_add_fitted(out, LEFT, 26, TITLE_W, &svg_title_letters, "class=\"title\"", f->title);
    struct strbuf origin = {0};
    strbuf_add(&origin, f->source);
    if (f->spec.n_points) {
        strbuf_add(&origin, ", by Heddle: ");
        figure_describe_inputs(f, &origin);
    }
    svg_add_fitted(out, LEFT, 44, TITLE_W, &svg_small_letters, "class=\"n\"", strbuf_text(&origin));
    strbuf_destroy(&origin);
    svg_add_fitted(out, LEFT + PLOT_W / 2.0, HEIGHT - 14, PLOT_W, &svg_text_letters,
                   "text-anchor=\"middle\"", f->x_title);
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(-90 15 %.1f)\"", middle);
    svg_add_fitted(out, 15, middle, SIDE_W, &svg_text_letters, turn, f->y_title);
    if (!has_right || !f->right_title)
        return;
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(90 %d %.1f)\"",
             WIDTH - 22, middle);
    svg_add_fitted(out, WIDTH - 22, middle, SIDE_W, &svg_text_letters, turn, f->right_title);
}

/* The maximum length of slanted names: down to the axis title if a name would touch it
 * otherwise. */
static double slanted_room(const struct plot *p, const char *const *names, double y)
{
    static const double sine = 0.643; /* of 40 degrees */
    double room = (HEIGHT - 28 - y) / sine;
    double title_half = svg_text_letters.width * (double)strlen(p->f->x_title) / 2;
    for (uint32_t x = 0; x < n_places(p); x++) {
        double length = svg_small_letters.width * (double)strlen(names[x]);
        double right_of_middle = x_at(p, x) - (LEFT + PLOT_W / 2.0);
        if (length > room && right_of_middle > -title_half && right_of_middle < title_half + length)
            return room;
    }
    return WIDTH;
}

/* Long names are slanted; all have the same font size. */
static void add_names(const struct plot *p, const char *const *names, struct strbuf *out)
{
    size_t longest = 0;
    for (uint32_t x = 0; x < n_places(p); x++)
        longest = strlen(names[x]) > longest ? strlen(names[x]) : longest;
    bool is_slanted = longest * 7 * n_places(p) > PLOT_W;
    double y = TOP + PLOT_H + 18, room = is_slanted ? slanted_room(p, names, y) : WIDTH;
    for (uint32_t x = 0; x < n_places(p); x++) {
        double at = x_at(p, x);
        char attributes[96];
        if (is_slanted)
            snprintf(attributes, sizeof attributes,
                     "class=\"n\" text-anchor=\"end\" transform=\"rotate(-40 %.1f %.1f)\"", at, y);
        else
            snprintf(attributes, sizeof attributes, "class=\"n\" text-anchor=\"middle\"");
        svg_add_fitted(out, at, y, room * (double)strlen(names[x]) / (double)longest,
                       &svg_small_letters, attributes, names[x]);
    }
}

static void add_x_names(const struct plot *p, struct strbuf *out)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, n_places(p) + 1);
    for (uint32_t x = 0; x < n_places(p); x++) {
        struct strbuf name = {0};
        name_place(p, x, false, &name);
        names[x] = arena_strdup(&arena, strbuf_text(&name));
        strbuf_destroy(&name);
    }
    if (n_places(p))
        add_names(p, names, out);
    arena_destroy(&arena);
}

/* --- data --- */

/* A gap where a value is missing. */
static void add_line(const struct plot *p, uint32_t series, struct strbuf *out)
{
    const struct figure *f = p->f;
    const struct figure_series *line = &f->series[series];
    const struct figure_scale *s = &p->scales[line->is_right];
    bool is_drawing = false;
    strbuf_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"",
                svg_colour(series), line->is_right ? " stroke-dasharray=\"6 4\"" : "");
    for (uint32_t x = 0; x < f->n_xs; x++) {
        if (!isnan(line->values[x]))
            strbuf_addf(out, "%c%.1f %.1f", is_drawing ? 'L' : 'M', x_at(p, x),
                        y_at(s, line->values[x]));
        is_drawing = !isnan(line->values[x]);
    }
    strbuf_add(out, "\"/>\n");
    for (uint32_t x = 0; x < f->n_xs; x++)
        if (!isnan(line->values[x]))
            svg_add_marker(out, series, x_at(p, x), y_at(s, line->values[x]));
}

/* The position and width of a series' bars at an x. */
static double bar_at(const struct plot *p, uint32_t series, uint32_t x, double *width)
{
    bool stands_on_others = figure_is_stacked(p->f, series);
    double room = 0.8 * PLOT_W / n_places(p);
    *width = stands_on_others ? room : room / p->f->n_series;
    return x_at(p, x) - room / 2 + (stands_on_others ? 0 : series * *width);
}

/* The number at the end of a bar that is wide enough, moved if there is an interval. */
static void add_value(const struct plot *p, uint32_t series, double middle, double width,
                      double value, double end, struct strbuf *out)
{
    enum { LEAST_WIDTH = 26 };
    const struct figure_series *line = &p->f->series[series];
    bool is_above = value >= p->scales[line->is_right].base;
    if (width >= LEAST_WIDTH && !line->halves && !figure_is_stacked(p->f, series))
        strbuf_addf(out,
                    "<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"middle\">%.2f"
                    "</text>\n",
                    middle, is_above ? end - 4 : end + 11, value);
}

static void add_bar(const struct plot *p, uint32_t series, uint32_t x, struct strbuf *out)
{
    const struct figure_scale *s = &p->scales[p->f->series[series].is_right];
    double value = value_at(p, series, x), width, left = bar_at(p, series, x, &width);
    if (isnan(value))
        return;
    bool stands_on_others = figure_is_stacked(p->f, series);
    double base = stands_on_others ? figure_stack_below(p->f, series, x) : s->base;
    double from = y_at(s, base), to = y_at(s, stands_on_others ? base + value : value);
    struct strbuf place = {0};
    name_place(p, x, true, &place);
    strbuf_addf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">"
                "<title>",
                left, fmin(from, to), width * 0.92, fabs(from - to), svg_colour(series));
    svg_add_escaped(out, strbuf_text(&place));
    strbuf_add(out, ", ");
    svg_add_escaped(out, p->f->series[series].title);
    strbuf_addf(out, ": %.3f</title></rect>\n", value);
    strbuf_destroy(&place);
    add_value(p, series, left + width * 0.46, width, value, to, out);
}

/* From one end of the 95 % confidence interval to the other, with a short line across each. */
static void add_interval(const struct plot *p, uint32_t series, uint32_t x, double at,
                         struct strbuf *out)
{
    const struct figure_series *line = &p->f->series[series];
    const struct figure_scale *s = &p->scales[line->is_right];
    if (x >= p->f->n_xs || !line->halves || isnan(line->halves[x]) ||
        figure_is_stacked(p->f, series))
        return;
    double low = line->values[x] - line->halves[x], high = line->values[x] + line->halves[x];
    low = fmax(low, s->min);
    high = fmin(high, s->max);
    strbuf_addf(out,
                "<path class=\"interval\" d=\"M%.1f %.1fV%.1fm-4 0h8M%.1f %.1fh8\"><title>95 %% "
                "confidence: +/- %.3f</title></path>\n",
                at, y_at(s, low), y_at(s, high), at - 4, y_at(s, low), line->halves[x]);
}

static void add_intervals(const struct plot *p, uint32_t series, struct strbuf *out)
{
    for (uint32_t x = 0; x < p->f->n_xs; x++) {
        double width, left = bar_at(p, series, x, &width);
        add_interval(p, series, x, svg_has_bars(p->f, series) ? left + width * 0.46 : x_at(p, x),
                     out);
    }
}

static void add_bars(const struct plot *p, uint32_t series, struct strbuf *out)
{
    for (uint32_t x = 0; x < n_places(p); x++)
        add_bar(p, series, x, out);
}

/* --- what the paper states --- */

/* The x in the drawing of a number from the paper; n_places if it has none. */
static uint32_t place_of_claim(const struct plot *p, const struct figure_claim *c)
{
    const char *x = figure_is_of_all(p->f, c) ? figure_mean_titles[FIGURE_GEOMETRIC] : c->at;
    for (uint32_t i = 0; x && i < p->f->n_xs; i++)
        if (strcmp(p->f->xs[i], x) == 0)
            return i;
    uint32_t group = c->n_all_at > 1 ? figure_group_of(&p->groups, c) : p->groups.n;
    return group < p->groups.n ? p->f->n_xs + group : n_places(p);
}

static uint32_t series_of_claim(const struct figure *f, const struct figure_claim *c)
{
    uint32_t i = 0;
    while (i < f->n_series && strcmp(f->series[i].title, c->series) != 0)
        i++;
    return i;
}

/* A black line across the bar, or a ring around the marker. */
static void add_stated(const struct plot *p, const struct figure_claim *c, uint32_t series,
                       uint32_t x, struct strbuf *out)
{
    const struct figure_scale *s = &p->scales[p->f->series[series].is_right];
    double width, y = y_at(s, c->about), left = bar_at(p, series, x, &width);
    if (svg_has_bars(p->f, series))
        strbuf_addf(out, "<path class=\"stated\" d=\"M%.1f %.1fh%.1f\">", left - 2, y, width + 3);
    else
        strbuf_addf(out, "<path class=\"stated\" d=\"M%.1f %.1fl7 7l-7 7l-7 -7z\">", x_at(p, x),
                    y - 7);
    strbuf_add(out, "<title>the paper: ");
    svg_add_escaped(out, c->says);
    strbuf_addf(out, " (%.4g)</title></path>\n", c->about);
}

static uint32_t add_all_stated(const struct plot *p, struct strbuf *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->f->n_claims; i++) {
        const struct figure_claim *c = &p->f->claims[i];
        if (!figure_claims_drawn(c))
            continue;
        uint32_t x = place_of_claim(p, c), series = series_of_claim(p->f, c);
        if (x == n_places(p) || series == p->f->n_series || figure_is_stacked(p->f, series))
            continue;
        add_stated(p, c, series, x, out);
        n++;
    }
    return n;
}

/* Where the paper says a series is highest: below the axis, in the series' colour. */
static uint32_t add_claims(const struct plot *p, struct strbuf *out)
{
    const struct figure *f = p->f;
    uint32_t n = 0;
    uint32_t n_at[256] = {0};
    for (uint32_t i = 0; i < f->n_claims; i++) {
        const struct figure_claim *c = &f->claims[i];
        for (uint32_t x = 0; c->kind == CLAIM_HIGHEST_AT && x < f->n_xs && x < 256; x++)
            for (uint32_t k = 0; k < f->n_series; k++)
                if (strcmp(f->xs[x], c->at) == 0 && strcmp(f->series[k].title, c->series) == 0) {
                    double y = TOP + PLOT_H + 26 + 14 * n_at[x]++;
                    strbuf_addf(out,
                                "<path d=\"M%.1f %.1fl6 11h-12z\" fill=\"%s\"><title>the paper's "
                                "best for ",
                                x_at(p, x), y, svg_colour(k));
                    svg_add_escaped(out, f->series[k].title);
                    strbuf_add(out, "</title></path>\n");
                    n++;
                }
    }
    return n;
}

void figure_svg(const struct figure *f, struct strbuf *out)
{
    struct plot p = {
        f, figure_find_groups(f), {figure_scale_make(f, false), figure_scale_make(f, true)}};
    bool has_right = false;
    for (uint32_t i = 0; i < f->n_series; i++)
        has_right |= f->series[i].is_right;
    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
                "<style>.title{font-size:16px;font-weight:bold}.n{font-size:12px;fill:#444}"
                ".grid{stroke:#ddd;fill:none}.axis{stroke:#444;fill:none}"
                ".interval{fill:none;stroke:#333}.claim{fill:none;stroke:#444}.stated{fill:none;"
                "stroke:#000;stroke-width:2.5}"
                "</style>\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_axes(&p, has_right, out);
    add_titles(f, has_right, out);
    add_x_names(&p, out);
    for (uint32_t i = 0; f->n_xs && i < f->n_series; i++)
        (svg_has_bars(f, i) ? add_bars : add_line)(&p, i, out);
    for (uint32_t i = 0; f->n_xs && i < f->n_series; i++)
        add_intervals(&p, i, out);
    struct svg_marks marks = {add_claims(&p, out) > 0, add_all_stated(&p, out) > 0};
    svg_add_legend(f, &marks, out);
    strbuf_add(out, "</svg>\n");
}
