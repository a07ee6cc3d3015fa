/* A chart as SVG: axes with round numbers, light grid lines, a legend, and marks below the x axis
 * where the paper says a series peaks. Colours that colour-blind readers can tell apart (Okabe and
 * Ito); series differ in their markers too. Every x has the same room, as in the papers' charts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/figure.h"

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

struct scale {
    double step, max;
};

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

/* Bars that stand on each other; what is measured on the right is a curve before them. */
static bool is_stacked(const struct figure *f, uint32_t series)
{
    return f->chart == FIGURE_STACKED && !f->series[series].is_right;
}

static bool has_bars(const struct figure *f, uint32_t series)
{
    return f->chart == FIGURE_BARS || is_stacked(f, series);
}

/* Where a bar begins: on those of the series before it. */
static double base_of(const struct figure *f, uint32_t series, uint32_t x)
{
    double base = 0;
    for (uint32_t i = 0; is_stacked(f, series) && i < series; i++)
        if (is_stacked(f, i) && !isnan(f->series[i].values[x]))
            base += f->series[i].values[x];
    return base;
}

/* From 0 to a round number above the largest value, in about five steps of 1, 2 or 5. */
static struct scale make_scale(const struct figure *f, bool is_right)
{
    double top = 0;
    for (uint32_t i = 0; i < f->n_series; i++)
        for (uint32_t x = 0; f->series[i].is_right == is_right && x < f->n_xs; x++)
            if (base_of(f, i, x) + f->series[i].values[x] > top)
                top = base_of(f, i, x) + f->series[i].values[x];
    if (top <= 0)
        return (struct scale){0.2, 1};
    /* Shares add up to 100 but for rounding, and end where the axis does. */
    bool is_sum = f->chart == FIGURE_STACKED && !is_right;
    top *= is_sum ? 1 - 1e-9 : 1;
    double power = pow(10, floor(log10(top / 5)));
    double digit = top / 5 / power;
    double step = (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
    return (struct scale){step, step * ceil(top / step * (is_sum ? 1 : 1.02))};
}

static double x_at(const struct figure *f, uint32_t x)
{
    return LEFT + (x + 0.5) * PLOT_W / f->n_xs;
}

static double y_at(const struct scale *s, double value)
{
    return TOP + PLOT_H * (1 - value / s->max);
}

static void add_number(struct strbuf *out, double x, double y, const char *anchor, double value)
{
    char text[32], attributes[64];
    snprintf(text, sizeof text, "%.6g", value);
    snprintf(attributes, sizeof attributes, "class=\"n\" text-anchor=\"%s\"", anchor);
    add_text(out, x, y, attributes, text);
}

static void add_axes(const struct scale *left, const struct scale *right, struct strbuf *out)
{
    for (int i = 0; i * left->step <= left->max * 1.0001; i++) {
        double y = y_at(left, i * left->step);
        strbuf_addf(out, "<path class=\"%s\" d=\"M%d %.1fh%d\"/>\n", i ? "grid" : "axis", LEFT, y,
                    PLOT_W);
        add_number(out, LEFT - 8, y + 4, "end", i * left->step);
    }
    for (int i = 0; right && i * right->step <= right->max * 1.0001; i++)
        add_number(out, LEFT + PLOT_W + 8, y_at(right, i * right->step) + 4, "start",
                   i * right->step);
    strbuf_addf(out, "<path class=\"axis\" d=\"M%d %dv%d\"/>\n", LEFT, TOP, PLOT_H);
    if (right)
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
        strbuf_add(&origin, ", made anew by Heddle: ");
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
static double slanted_room(const struct figure *f, double y)
{
    static const double sine = 0.643; /* of 40 degrees */
    double room = (HEIGHT - 28 - y) / sine;
    double title_half = text_letters.width * (double)strlen(f->x_title) / 2;
    for (uint32_t x = 0; x < f->n_xs; x++) {
        double length = small_letters.width * (double)strlen(f->xs[x]);
        double right_of_middle = x_at(f, x) - (LEFT + PLOT_W / 2.0);
        if (length > room && right_of_middle > -title_half && right_of_middle < title_half + length)
            return room;
    }
    return WIDTH;
}

/* Long names are slanted; all have letters of one size. */
static void add_x_names(const struct figure *f, struct strbuf *out)
{
    size_t longest = 0;
    for (uint32_t x = 0; x < f->n_xs; x++)
        longest = strlen(f->xs[x]) > longest ? strlen(f->xs[x]) : longest;
    bool is_slanted = longest * 7 * f->n_xs > PLOT_W;
    double y = TOP + PLOT_H + 18, room = is_slanted ? slanted_room(f, y) : WIDTH;
    for (uint32_t x = 0; x < f->n_xs; x++) {
        double at = x_at(f, x);
        char attributes[96];
        if (is_slanted)
            snprintf(attributes, sizeof attributes,
                     "class=\"n\" text-anchor=\"end\" transform=\"rotate(-40 %.1f %.1f)\"", at, y);
        else
            snprintf(attributes, sizeof attributes, "class=\"n\" text-anchor=\"middle\"");
        add_fitted(out, at, y, room * (double)strlen(f->xs[x]) / (double)longest, &small_letters,
                   attributes, f->xs[x]);
    }
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
static void add_line(const struct figure *f, uint32_t series, const struct scale *s,
                     struct strbuf *out)
{
    const struct figure_series *line = &f->series[series];
    bool is_drawing = false;
    strbuf_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"",
                colours[series % N_COLOURS], line->is_right ? " stroke-dasharray=\"6 4\"" : "");
    for (uint32_t x = 0; x < f->n_xs; x++) {
        if (!isnan(line->values[x]))
            strbuf_addf(out, "%c%.1f %.1f", is_drawing ? 'L' : 'M', x_at(f, x),
                        y_at(s, line->values[x]));
        is_drawing = !isnan(line->values[x]);
    }
    strbuf_add(out, "\"/>\n");
    for (uint32_t x = 0; x < f->n_xs; x++)
        if (!isnan(line->values[x]))
            add_marker(out, series, x_at(f, x), y_at(s, line->values[x]));
}

static void add_bars(const struct figure *f, uint32_t series, const struct scale *s,
                     struct strbuf *out)
{
    bool stands_on_others = is_stacked(f, series);
    double room = 0.8 * PLOT_W / f->n_xs, width = stands_on_others ? room : room / f->n_series;
    for (uint32_t x = 0; x < f->n_xs; x++) {
        double value = f->series[series].values[x], base = base_of(f, series, x);
        if (isnan(value))
            continue;
        double y = y_at(s, base + value);
        strbuf_addf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">"
                    "<title>",
                    x_at(f, x) - room / 2 + (stands_on_others ? 0 : series * width), y,
                    width * 0.92, y_at(s, base) - y, colours[series % N_COLOURS]);
        add_escaped(out, f->xs[x]);
        strbuf_add(out, ", ");
        add_escaped(out, f->series[series].title);
        strbuf_addf(out, ": %.3f</title></rect>\n", value);
    }
}

enum { LEGEND_GAP = 40, LEGEND_LINE = 18 };
static const double legend_letter = 6.6;
static const char claim_legend[] = "the paper's best";

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
static struct legend legend_begin(const struct figure *f, bool has_claims)
{
    struct legend l = {.x = LEFT, .y = 58, .shrink = 1};
    double widest = 0, all = has_claims ? legend_room(&l, claim_legend) : 0;
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

static void add_legend(const struct figure *f, bool has_claims, struct strbuf *out)
{
    struct legend l = legend_begin(f, has_claims);
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
    if (!has_claims)
        return;
    legend_wrap(&l, claim_legend);
    strbuf_addf(out, "<path class=\"claim\" d=\"M%.1f %.1fl6 11h-12z\"/>\n", l.x + 6, l.y);
    add_text(out, l.x + 18, l.y + 10, "", claim_legend);
}

/* Where the paper says a series is highest: below the axis, in the series' colour. */
static uint32_t add_claims(const struct figure *f, struct strbuf *out)
{
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
                                x_at(f, x), y, colours[k % N_COLOURS]);
                    add_escaped(out, f->series[k].title);
                    strbuf_add(out, "</title></path>\n");
                    n++;
                }
    }
    return n;
}

void figure_svg(const struct figure *f, struct strbuf *out)
{
    struct scale left = make_scale(f, false), right = make_scale(f, true);
    bool has_right = false;
    for (uint32_t i = 0; i < f->n_series; i++)
        has_right |= f->series[i].is_right;
    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
                "<style>.title{font-size:16px;font-weight:bold}.n{font-size:12px;fill:#444}"
                ".grid{stroke:#ddd;fill:none}.axis{stroke:#444;fill:none}"
                ".claim{fill:none;stroke:#444}</style>\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_axes(&left, has_right ? &right : NULL, out);
    add_titles(f, has_right, out);
    if (f->n_xs)
        add_x_names(f, out);
    for (uint32_t i = 0; f->n_xs && i < f->n_series; i++) {
        const struct scale *s = f->series[i].is_right ? &right : &left;
        (has_bars(f, i) ? add_bars : add_line)(f, i, s, out);
    }
    add_legend(f, add_claims(f, out) > 0, out);
    strbuf_add(out, "</svg>\n");
}
