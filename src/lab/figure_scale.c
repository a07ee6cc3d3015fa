#include "lab/figure_scale.h"

#include <math.h>
#include <string.h>

/* Relative numbers that differ by more are drawn on a logarithmic axis. */
static const double crushing_ratio = 5;
/* The margin of an axis beyond its values, and its least length around 1. */
static const double slack = 0.02, least_span = 0.02;

bool figure_is_stacked(const struct figure *f, uint32_t series)
{
    return f->chart == FIGURE_STACKED && !f->series[series].is_right;
}

double figure_stack_below(const struct figure *f, uint32_t series, uint32_t x)
{
    double base = 0;
    for (uint32_t i = 0; figure_is_stacked(f, series) && i < series; i++)
        if (figure_is_stacked(f, i) && !isnan(f->series[i].values[x]))
            base += f->series[i].values[x];
    return base;
}

/* The range of the values on one side. */
struct extent {
    double low, high, least_positive;
    bool is_relative; /* all of them */
};

static void extend(struct extent *e, double value)
{
    if (isnan(value))
        return;
    e->low = value < e->low ? value : e->low;
    e->high = value > e->high ? value : e->high;
    if (value > 0 && value < e->least_positive)
        e->least_positive = value;
}

static void extend_by_claims(const struct figure *f, struct extent *e,
                             const struct figure_series *line)
{
    for (uint32_t i = 0; i < f->n_claims; i++)
        if (f->claims[i].kind == CLAIM_ABOUT && strcmp(f->claims[i].series, line->title) == 0)
            extend(e, f->claims[i].about);
}

static struct extent find_extent(const struct figure *f, bool is_right)
{
    struct extent e = {INFINITY, -INFINITY, INFINITY, true};
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_series; i++) {
        if (f->series[i].is_right != is_right)
            continue;
        n++;
        e.is_relative &= f->series[i].is_relative;
        for (uint32_t x = 0; x < f->n_xs; x++)
            extend(&e, figure_stack_below(f, i, x) + f->series[i].values[x]);
        if (!figure_is_stacked(f, i))
            extend_by_claims(f, &e, &f->series[i]);
    }
    e.is_relative &= n > 0;
    return e;
}

/* 1, 2 or 5 times a power of ten, not below `value`. */
static double round_up(double value)
{
    double power = pow(10, floor(log10(value))), digit = value / power;
    return (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
}

static double round_down(double value)
{
    double power = pow(10, floor(log10(value))), digit = value / power;
    return (digit < 2 ? 1 : digit < 5 ? 2 : 5) * power;
}

static struct figure_scale make_log(const struct extent *e)
{
    struct figure_scale s = {.is_log = true};
    s.min = round_down(e->least_positive * (1 - slack));
    s.max = round_up(e->high * (1 + slack));
    s.base = e->is_relative ? 1 : s.min;
    return s;
}

/* Around 1, as far as the values go. */
static struct figure_scale make_relative(const struct extent *e)
{
    double low = fmin(e->low, 1), high = fmax(e->high, 1), span = fmax(high - low, least_span);
    struct figure_scale s = {.base = 1, .step = round_up(span / 5)};
    s.min = fmax(s.step * floor((low - slack * span) / s.step), 0);
    s.max = s.step * ceil((high + slack * span) / s.step);
    return s;
}

/* From 0 to a round number above the largest value, in about five steps. */
static struct figure_scale make_from_zero(const struct extent *e, bool is_sum)
{
    /* Shares add up to 100 except for rounding, and end where the axis does. */
    double top = e->high * (is_sum ? 1 - 1e-9 : 1), step = round_up(top / 5);
    return (struct figure_scale){.max = step * ceil(top / step * (is_sum ? 1 : 1 + slack)),
                                 .step = step};
}

struct figure_scale figure_scale_make(const struct figure *f, bool is_right)
{
    struct extent e = find_extent(f, is_right);
    if (!(e.high > 0))
        return (struct figure_scale){.max = 1, .step = 0.2};
    bool is_sum = f->chart == FIGURE_STACKED && !is_right;
    bool is_crushed = e.is_relative && e.low > 0 && e.high / e.low > crushing_ratio;
    if (!is_sum && ((f->is_log && !is_right) || is_crushed))
        return make_log(&e);
    return e.is_relative && !is_sum ? make_relative(&e) : make_from_zero(&e, is_sum);
}

double figure_scale_at(const struct figure_scale *s, double value)
{
    value = fmin(fmax(value, s->min), s->max);
    if (s->is_log)
        return log(value / s->min) / log(s->max / s->min);
    return (value - s->min) / (s->max - s->min);
}

double figure_scale_first(const struct figure_scale *s)
{
    return s->min;
}

double figure_scale_next(const struct figure_scale *s, double tick)
{
    if (s->is_log)
        return round_up(tick * 1.5);
    return s->min + s->step * (floor((tick - s->min) / s->step + 0.5) + 1);
}
