/* The axes of a drawing: from where to where, which numbers stand beside them, and where bars
 * begin.
 *
 * Bars of numbers that are relative to others begin at 1, no difference, and go up or down from
 * there; the axis is as long as they need. Others begin at 0. An axis is logarithmic where the
 * figure says so, and where numbers relative to others differ by more than a factor of 5: a single
 * bar would crush the others otherwise. */
#ifndef HEDDLE_LAB_FIGURE_SCALE_H
#define HEDDLE_LAB_FIGURE_SCALE_H

#include "lab/figure.h"

struct figure_scale {
    double min, max;
    double base; /* where bars begin */
    double step; /* of a linear axis */
    bool is_log;
};

/* Bars that stand on each other; what is measured on the right is a curve before them. */
bool figure_is_stacked(const struct figure *f, uint32_t series);
/* Where a bar of them begins: on those of the series before it. */
double figure_stack_below(const struct figure *f, uint32_t series, uint32_t x);

/* For all values of a side, and what the paper states of them. */
struct figure_scale figure_scale_make(const struct figure *f, bool is_right);
/* 0 at the lower end of the axis, 1 at the upper; what lies outside is at the end. */
double figure_scale_at(const struct figure_scale *s, double value);
/* The first number beside the axis, and the one after another; above max after the last. */
double figure_scale_first(const struct figure_scale *s);
double figure_scale_next(const struct figure_scale *s, double tick);

#endif
