/* A chart as SVG: axes with round numbers, light grid lines, a legend, and marks below the x axis
 * where the paper says a series peaks. Colours that colour-blind readers can tell apart (Okabe and
 * Ito); series differ in their markers too. Every x has the same room, as in the papers' charts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/figure_internal.h"
#include "lab/figure_scale.h"

enum {
    WIDTH = 800,
    HEIGHT = 460,
    LEFT = 70,
    RIGHT_MARGIN = 70,
    TOP = 92,
    BOTTOM = 96,
    PLOT_W = WIDTH - LEFT - RIGHT_MARGIN,
    PLOT_H = HEIGHT - TOP - BOTTOM,
    TITLE_W = WIDTH - LEFT - 10,
    SIDE_W = HEIGHT - 20, /* room for a title along an axis that stands */
};

/* A size of letters, and how wide one is at most, on average. */
struct letters {
    double size, width;
};

static const struct letters title_letters = {16, 9.4}, text_letters = {13, 7.2},
                            small_letters = {12, 6.7};

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#999933",
                                      "#882255", "#117733", "#999999", "#4B3F9E"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

static void add_escaped(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            strbuf_add(out, "&lt;");
        else if (*text == '>')
            strbuf_add(out, "&gt;");
        else if (*text == '&')
            strbuf_add(out, "&amp;");
        else
            strbuf_add_char(out, *text);
    }
}

static void add_text(struct strbuf *out, double x, double y, const char *attributes,
                     const char *text)
{
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    add_escaped(out, text);
    strbuf_add(out, "</text>\n");
}

/* The same for a text that may be too long for its room: then its letters are smaller. (Not every
 * viewer narrows letters by textLength; those that do not would cut the text off.) */
static void add_fitted(struct strbuf *out, double x, double y, double room,
                       const struct letters *letters, const char *attributes, const char *text)
{
    char all[192];
    double width = letters->width * (double)strlen(text);
    if (width > room)
        snprintf(all, sizeof all, "style=\"font-size:%.1fpx\" %s", letters->size * room / width,
                 attributes);
    else
        snprintf(all, sizeof all, "%s", attributes);
    add_text(out, x, y, all, text);
}

static bool has_bars(const struct figure *f, uint32_t series)
{
    return f->chart == FIGURE_BARS || figure_is_stacked(f, series);
}

/* What is drawn: the xs, and after them the means of groups of them. */
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

/* In the words of the figure's axis, or with what a table calls a group. */
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
    add_text(out, x, y, attributes, text);
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
    add_fitted(out, LEFT, 26, TITLE_W, &title_letters, "class=\"title\"", f->title);
    struct strbuf origin = {0};
    strbuf_add(&origin, f->source);
    if (f->spec.n_points) {
        strbuf_add(&origin, ", by Heddle: ");
        figure_describe_inputs(f, &origin);
    }
    add_fitted(out, LEFT, 44, TITLE_W, &small_letters, "class=\"n\"", strbuf_text(&origin));
    strbuf_destroy(&origin);
    add_fitted(out, LEFT + PLOT_W / 2.0, HEIGHT - 14, PLOT_W, &text_letters,
               "text-anchor=\"middle\"", f->x_title);
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(-90 22 %.1f)\"", middle);
    add_fitted(out, 22, middle, SIDE_W, &text_letters, turn, f->y_title);
    if (!has_right || !f->right_title)
        return;
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" transform=\"rotate(90 %d %.1f)\"",
             WIDTH - 22, middle);
    add_fitted(out, WIDTH - 22, middle, SIDE_W, &text_letters, turn, f->right_title);
}

/* How long slanted names may be: down to the title of the axis, if one would touch it otherwise. */
static double slanted_room(const struct plot *p, const char *const *names, double y)
{
    static const double sine = 0.643; /* of 40 degrees */
    double room = (HEIGHT - 28 - y) / sine;
    double title_half = text_letters.width * (double)strlen(p->f->x_title) / 2;
    for (uint32_t x = 0; x < n_places(p); x++) {
        double length = small_letters.width * (double)strlen(names[x]);
        double right_of_middle = x_at(p, x) - (LEFT + PLOT_W / 2.0);
        if (length > room && right_of_middle > -title_half && right_of_middle < title_half + length)
            return room;
    }
    return WIDTH;
}

/* Long names are slanted; all have letters of one size. */
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
        add_fitted(out, at, y, room * (double)strlen(names[x]) / (double)longest, &small_letters,
                   attributes, names[x]);
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

/* One shape a series: circle, square, triangle, diamond. */
static void add_marker(struct strbuf *out, uint32_t series, double x, double y)
{
    const char *colour = colours[series % N_COLOURS];
    switch (series % 4) {
    case 0:
        strbuf_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x, y, colour);
        break;
    case 1:
        strbuf_addf(out, "<path d=\"M%.1f %.1fh8v8h-8z\" fill=\"%s\"/>\n", x - 4, y - 4, colour);
        break;
    case 2:
        strbuf_addf(out, "<path d=\"M%.1f %.1fl5 9h-10z\" fill=\"%s\"/>\n", x, y - 5, colour);
        break;
    default:
        strbuf_addf(out, "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"%s\"/>\n", x, y - 5,
                    colour);
    }
}

/* A gap where a value is missing. */
static void add_line(const struct plot *p, uint32_t series, struct strbuf *out)
{
    const struct figure *f = p->f;
    const struct figure_series *line = &f->series[series];
    const struct figure_scale *s = &p->scales[line->is_right];
    bool is_drawing = false;
    strbuf_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"",
                colours[series % N_COLOURS], line->is_right ? " stroke-dasharray=\"6 4\"" : "");
    for (uint32_t x = 0; x < f->n_xs; x++) {
        if (!isnan(line->values[x]))
            strbuf_addf(out, "%c%.1f %.1f", is_drawing ? 'L' : 'M', x_at(p, x),
                        y_at(s, line->values[x]));
        is_drawing = !isnan(line->values[x]);
    }
    strbuf_add(out, "\"/>\n");
    for (uint32_t x = 0; x < f->n_xs; x++)
        if (!isnan(line->values[x]))
            add_marker(out, series, x_at(p, x), y_at(s, line->values[x]));
}

/* Where the bars of a series are at a place, and how wide. */
static double bar_at(const struct plot *p, uint32_t series, uint32_t x, double *width)
{
    bool stands_on_others = figure_is_stacked(p->f, series);
    double room = 0.8 * PLOT_W / n_places(p);
    *width = stands_on_others ? room : room / p->f->n_series;
    return x_at(p, x) - room / 2 + (stands_on_others ? 0 : series * *width);
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
                left, fmin(from, to), width * 0.92, fabs(from - to), colours[series % N_COLOURS]);
    add_escaped(out, strbuf_text(&place));
    strbuf_add(out, ", ");
    add_escaped(out, p->f->series[series].title);
    strbuf_addf(out, ": %.3f</title></rect>\n", value);
    strbuf_destroy(&place);
}

static void add_bars(const struct plot *p, uint32_t series, struct strbuf *out)
{
    for (uint32_t x = 0; x < n_places(p); x++)
        add_bar(p, series, x, out);
}

/* --- what the paper states --- */

/* Where in the drawing a number of the paper belongs; n_places if nowhere. */
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

/* A black line across the bar, or a ring around the marker's place. */
static void add_stated(const struct plot *p, const struct figure_claim *c, uint32_t series,
                       uint32_t x, struct strbuf *out)
{
    const struct figure_scale *s = &p->scales[p->f->series[series].is_right];
    double width, y = y_at(s, c->about), left = bar_at(p, series, x, &width);
    if (has_bars(p->f, series))
        strbuf_addf(out, "<path class=\"stated\" d=\"M%.1f %.1fh%.1f\">", left - 2, y, width + 3);
    else
        strbuf_addf(out, "<path class=\"stated\" d=\"M%.1f %.1fl7 7l-7 7l-7 -7z\">", x_at(p, x),
                    y - 7);
    strbuf_add(out, "<title>the paper: ");
    add_escaped(out, c->says);
    strbuf_addf(out, " (%.3g)</title></path>\n", c->about);
}

static uint32_t add_all_stated(const struct plot *p, struct strbuf *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->f->n_claims; i++) {
        const struct figure_claim *c = &p->f->claims[i];
        if (c->kind != CLAIM_ABOUT || c->is_every)
            continue;
        uint32_t x = place_of_claim(p, c), series = series_of_claim(p->f, c);
        if (x == n_places(p) || series == p->f->n_series || figure_is_stacked(p->f, series))
            continue;
        add_stated(p, c, series, x, out);
        n++;
    }
    return n;
}

enum { LEGEND_GAP = 40, LEGEND_LINE = 18 };
static const double legend_letter = 6.6;
/* Below the series: what marks of the paper mean. */
static const char best_legend[] = "the paper's best", stated_legend[] = "stated by the paper";
struct marks {
    bool has_best, has_stated;
};

/* Where the next name of the legend stands, and by how much all of them are shrunk. */
struct legend {
    double x, y, shrink;
    bool may_wrap;
};

static double legend_room(const struct legend *l, const char *name)
{
    return LEGEND_GAP + legend_letter * l->shrink * (double)strlen(name);
}

/* One line if the names fit, else two, and smaller names where these are too short as well. */
static struct legend legend_begin(const struct figure *f, const struct marks *marks)
{
    struct legend l = {.x = LEFT, .y = 58, .shrink = 1};
    double widest = 0, all = marks->has_best ? legend_room(&l, best_legend) : 0;
    all += marks->has_stated ? legend_room(&l, stated_legend) : 0;
    for (uint32_t i = 0; i < f->n_series; i++) {
        double room = legend_room(&l, f->series[i].title);
        widest = room > widest ? room : widest;
        all += room;
    }
    if (all <= TITLE_W)
        return l;
    l.may_wrap = true;
    l.y -= LEGEND_LINE / 3.0;
    if (all > 2 * TITLE_W - widest) /* what the end of the first line may leave empty */
        l.shrink = (2 * TITLE_W - widest) / all;
    return l;
}

/* Makes room for a name. */
static void legend_wrap(struct legend *l, const char *name)
{
    if (!l->may_wrap || l->x + legend_room(l, name) <= LEFT + TITLE_W)
        return;
    l->x = LEFT;
    l->y += LEGEND_LINE;
    l->may_wrap = false;
}

static void add_mark(struct legend *l, const char *name, const char *shape, struct strbuf *out)
{
    legend_wrap(l, name);
    strbuf_addf(out, shape, l->x + 6, l->y + (name == stated_legend ? 6 : 0));
    add_fitted(out, l->x + 18, l->y + 10,
               l->shrink < 1 ? legend_room(l, name) - LEGEND_GAP : TITLE_W, &text_letters, "",
               name);
    l->x += legend_room(l, name);
}

static void add_legend(const struct figure *f, const struct marks *marks, struct strbuf *out)
{
    struct legend l = legend_begin(f, marks);
    for (uint32_t i = 0; i < f->n_series; i++) {
        const char *title = f->series[i].title;
        legend_wrap(&l, title);
        if (has_bars(f, i))
            strbuf_addf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n",
                        l.x, l.y, colours[i % N_COLOURS]);
        else
            add_marker(out, i, l.x + 6, l.y + 6);
        add_fitted(out, l.x + 18, l.y + 10,
                   l.shrink < 1 ? legend_room(&l, title) - LEGEND_GAP : TITLE_W, &text_letters, "",
                   title);
        l.x += legend_room(&l, title);
    }
    if (marks->has_best)
        add_mark(&l, best_legend, "<path class=\"claim\" d=\"M%.1f %.1fl6 11h-12z\"/>\n", out);
    if (marks->has_stated)
        add_mark(&l, stated_legend, "<path class=\"stated\" d=\"M%.1f %.1fm-8 0h16\"/>\n", out);
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
                                x_at(p, x), y, colours[k % N_COLOURS]);
                    add_escaped(out, f->series[k].title);
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
                ".claim{fill:none;stroke:#444}.stated{fill:none;stroke:#000;stroke-width:2.5}"
                "</style>\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_axes(&p, has_right, out);
    add_titles(f, has_right, out);
    add_x_names(&p, out);
    for (uint32_t i = 0; f->n_xs && i < f->n_series; i++)
        (has_bars(f, i) ? add_bars : add_line)(&p, i, out);
    struct marks marks = {add_claims(&p, out) > 0, add_all_stated(&p, out) > 0};
    add_legend(f, &marks, out);
    strbuf_add(out, "</svg>\n");
}
