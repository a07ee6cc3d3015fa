/* What moved from one set of results to another, and what only one of them has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/compare.h"

/* What a number with that unit is a part of: a statistic of the run, or its maximum. Events with
 * other units count as a part of the accesses to L1D. */
static const struct scale {
    const char *unit, *stat;
    double most;
} scales[] = {
    {"core cycles", "elapsed_cycles", 0},
    {"cycles", "sm.warp_cycles", 0},
    {"requests x cycles", "sm.warp_cycles", 0},
    {"instructions", "warp_insts", 0},
    {"bytes", "global.load_bytes", 0},
    {"fraction", NULL, 1},
    {"per 1000 instructions", NULL, 1000},
    {"instructions/cycle", NULL, 0}, /* part of itself: it moves as cycles do */
};

static double scale_of(const struct result *r, const char *unit)
{
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if (strcmp(scales[i].unit, unit) == 0)
            return scales[i].stat ? result_value(r, scales[i].stat) : scales[i].most;
    return result_value(r, "l1d.loads") + result_value(r, "l1d.stores");
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The share of the work of the two runs by which it differs. */
static double weight_in(const struct result *a, const struct result *b, const char *unit,
                        double from, double to)
{
    double work =
        larger(larger(fabs(from), fabs(to)), larger(scale_of(a, unit), scale_of(b, unit)));
    return work > 0 ? fabs(to - from) / work : 0;
}

static int by_weight(const void *a, const void *b)
{
    const struct compare_move *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    double sx = fabs(x->to - x->from), sy = fabs(y->to - y->from);
    return sx != sy ? (sx < sy ? 1 : -1) : strcmp(x->name, y->name);
}

/* False if it did not move. */
static bool measure(const struct comparison *c, uint32_t set, const struct result_stat *stat,
                    struct compare_move *m)
{
    double logs = 0;
    uint32_t n = 0, n_both = 0;
    *m = (struct compare_move){.name = stat->name, .unit = stat->unit};
    for (uint32_t i = 0; i < c->n_rows; i++) {
        const struct result_stat *from = result_find(c->rows[i].of[0], stat->name);
        const struct result_stat *to = result_find(c->rows[i].of[set], stat->name);
        if (!from || !to)
            continue;
        n_both++;
        m->from += from->value;
        m->to += to->value;
        m->weight +=
            weight_in(c->rows[i].of[0], c->rows[i].of[set], stat->unit, from->value, to->value);
        if (from->value > 0 && to->value > 0) {
            logs += log(to->value / from->value);
            n++;
        }
    }
    if (n_both)
        m->weight /= n_both;
    m->is_from_nothing = m->from == 0;
    m->ratio = m->to == 0 ? 0 : n ? exp(logs / n) : 1;
    if (stat->is_real && n_both) {
        m->from /= n_both;
        m->to /= n_both;
    }
    return m->from != m->to;
}

static bool is_of_host(const char *name)
{
    return strncmp(name, "host.", 5) == 0;
}

/* Does an earlier row have it too, in that set? */
static bool was_seen(const struct comparison *c, uint32_t set, uint32_t row, const char *name)
{
    for (uint32_t i = 0; i < row; i++)
        if (result_find(c->rows[i].of[set], name))
            return true;
    return false;
}

static uint32_t most_stats(const struct comparison *c, uint32_t set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_rows; i++)
        n += c->rows[i].of[set]->n_stats;
    return n;
}

struct compare_move *compare_moves(const struct comparison *c, uint32_t set, uint32_t *n)
{
    struct compare_move *moves = xcalloc(most_stats(c, 0) + 1, sizeof *moves);
    *n = 0;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        const struct result *first = c->rows[i].of[0];
        for (uint32_t k = 0; k < first->n_stats; k++)
            if (!is_of_host(first->stats[k].name) && !was_seen(c, 0, i, first->stats[k].name))
                *n += measure(c, set, &first->stats[k], &moves[*n]);
    }
    qsort(moves, *n, sizeof *moves, by_weight);
    return moves;
}

static bool is_among(const char **names, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const char **compare_only_in(const struct comparison *c, uint32_t in, uint32_t but_not_in,
                             uint32_t *n)
{
    const char **names = xcalloc(most_stats(c, in) + 1, sizeof *names);
    *n = 0;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        const struct result *r = c->rows[i].of[in];
        for (uint32_t k = 0; k < r->n_stats; k++) {
            const char *name = r->stats[k].name;
            if (!is_of_host(name) && !result_find(c->rows[i].of[but_not_in], name) &&
                !is_among(names, *n, name))
                names[(*n)++] = name;
        }
    }
    return names;
}
