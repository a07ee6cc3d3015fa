/* Building blocks of drawings: dimensions, texts, markers and the legend. */
#ifndef HEDDLE_LAB_FIGURE_SVG_H
#define HEDDLE_LAB_FIGURE_SVG_H

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
    SIDE_W = HEIGHT - 20, /* space for the title of a vertical axis */
};

/* A font size and the average width of a letter, at most. */
struct svg_letters {
    double size, width;
};

extern const struct svg_letters svg_title_letters, svg_text_letters, svg_small_letters;

const char *svg_colour(uint32_t series);
/* Are its values bars rather than a curve? */
bool svg_has_bars(const struct figure *f, uint32_t series);

void svg_add_escaped(struct strbuf *out, const char *text);
void svg_add_text(struct strbuf *out, double x, double y, const char *attributes, const char *text);
/* Uses a smaller font if the text is too long. */
void svg_add_fitted(struct strbuf *out, double x, double y, double room,
                    const struct svg_letters *letters, const char *attributes, const char *text);
void svg_add_marker(struct strbuf *out, uint32_t series, double x, double y);

/* The series, and the meaning of the paper's marks if there are any. */
struct svg_marks {
    bool has_best, has_stated;
};
void svg_add_legend(const struct figure *f, const struct svg_marks *marks, struct strbuf *out);

#endif
