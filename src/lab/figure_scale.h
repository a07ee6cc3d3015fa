/* The axes of a drawing: their ranges, their numbers, and where bars begin.
 *
 * Bars of relative numbers begin at 1, no difference, and go up or down from there; the axis is
 * as long as they need. Others begin at 0. An axis is logarithmic if the figure says so, and if
 * relative numbers differ by more than a factor of 5: otherwise one bar would flatten the
 * others. */
#ifndef HEDDLE_LAB_FIGURE_SCALE_H
#define HEDDLE_LAB_FIGURE_SCALE_H

#include "lab/figure.h"

struct figure_scale {
    double min, max;
    double base; /* where bars begin */
    double step; /* for a linear axis */
    bool is_log;
};

/* Are the bars stacked? A series on the right axis is a curve in front of them. */
bool figure_is_stacked(const struct figure *f, uint32_t series);
/* Where a stacked bar begins: on top of the previous series. */
double figure_stack_below(const struct figure *f, uint32_t series, uint32_t x);

/* For all values on one side, and the paper's numbers for them. */
struct figure_scale figure_scale_make(const struct figure *f, bool is_right);
/* 0 at the lower end of the axis, 1 at the upper; values outside are clamped. */
double figure_scale_at(const struct figure_scale *s, double value);
/* The first number on the axis, and the next one; above max after the last. */
double figure_scale_first(const struct figure_scale *s);
double figure_scale_next(const struct figure_scale *s, double tick);

#endif
