/* Texts, markers and the legend of a drawing. */
#include "lab/figure_svg.h"

#include <stdio.h>
#include <string.h>

#include "lab/figure_scale.h"

const struct svg_letters svg_title_letters = {16, 9.4}, svg_text_letters = {13, 7.2},
                         svg_small_letters = {12, 6.7};

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#999933",
                                      "#882255", "#117733", "#999999", "#4B3F9E"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

const char *svg_colour(uint32_t series)
{
    return colours[series % N_COLOURS];
}

void svg_add_escaped(struct strbuf *out, const char *text)
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

void svg_add_text(struct strbuf *out, double x, double y, const char *attributes, const char *text)
{
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    svg_add_escaped(out, text);
    strbuf_add(out, "</text>\n");
}

/* The same for a text that may be too long: then the font is smaller. (Not every viewer supports
 * textLength; those that do not would cut the text off.) */
void svg_add_fitted(struct strbuf *out, double x, double y, double room,
                    const struct svg_letters *letters, const char *attributes, const char *text)
{
    char all[192];
    double width = letters->width * (double)strlen(text);
    if (width > room)
        snprintf(all, sizeof all, "style=\"font-size:%.1fpx\" %s", letters->size * room / width,
                 attributes);
    else
        snprintf(all, sizeof all, "%s", attributes);
    svg_add_text(out, x, y, all, text);
}

/* One shape per series: circle, square, triangle, diamond. */
void svg_add_marker(struct strbuf *out, uint32_t series, double x, double y)
{
    const char *colour = svg_colour(series);
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

bool svg_has_bars(const struct figure *f, uint32_t series)
{
    return f->chart == FIGURE_BARS || figure_is_stacked(f, series);
}

/* --- the legend --- */

enum { LEGEND_GAP = 40, LEGEND_LINE = 18 };
static const double legend_letter = 6.6;
/* Below the series: the meaning of the paper's marks. */
static const char best_legend[] = "the paper's best", stated_legend[] = "stated by the paper";

/* The position of the next name in the legend, and the scale of all names. */
struct legend {
    double x, y, shrink;
    bool may_wrap;
};

static double legend_room(const struct legend *l, const char *name)
{
    return LEGEND_GAP + legend_letter * l->shrink * (double)strlen(name);
}

/* One line if the names fit, otherwise two, with smaller names if necessary. */
static struct legend legend_begin(const struct figure *f, const struct svg_marks *marks)
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
    if (all > 2 * TITLE_W - widest) /* allows for the empty end of the first line */
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
    svg_add_fitted(out, l->x + 18, l->y + 10,
                   l->shrink < 1 ? legend_room(l, name) - LEGEND_GAP : TITLE_W, &svg_text_letters,
                   "", name);
    l->x += legend_room(l, name);
}

void svg_add_legend(const struct figure *f, const struct svg_marks *marks, struct strbuf *out)
{
    struct legend l = legend_begin(f, marks);
    for (uint32_t i = 0; i < f->n_series; i++) {
        const char *title = f->series[i].title;
        legend_wrap(&l, title);
        if (svg_has_bars(f, i))
            strbuf_addf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n",
                        l.x, l.y, svg_colour(i));
        else
            svg_add_marker(out, i, l.x + 6, l.y + 6);
        svg_add_fitted(out, l.x + 18, l.y + 10,
                       l.shrink < 1 ? legend_room(&l, title) - LEGEND_GAP : TITLE_W,
                       &svg_text_letters, "", title);
        l.x += legend_room(&l, title);
    }
    if (marks->has_best)
        add_mark(&l, best_legend, "<path class=\"claim\" d=\"M%.1f %.1fl6 11h-12z\"/>\n", out);
    if (marks->has_stated)
        add_mark(&l, stated_legend, "<path class=\"stated\" d=\"M%.1f %.1fm-8 0h16\"/>\n", out);
}
