#include "lab/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- means --- */

double mean_geometric(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += log(values[i]);
    return n ? exp(sum / n) : 0;
}

double mean_harmonic(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += 1 / values[i];
    return n ? n / sum : 0;
}

double mean_arithmetic(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / n : 0;
}

/* --- partners --- */

static bool are_partners(const struct result *a, const struct result *b)
{
    return strcmp(a->workload, b->workload) == 0 && strcmp(a->size, b->size) == 0 &&
           a->seed == b->seed;
}

static struct compare_row *row_of(struct comparison *c, const struct result *r)
{
    for (uint32_t i = 0; i < c->n_rows; i++)
        for (uint32_t s = 0; s < c->n_sets; s++)
            if (c->rows[i].of[s] && are_partners(c->rows[i].of[s], r))
                return &c->rows[i];
    ARRAY_RESERVE(c->rows, c->cap_rows, c->n_rows + 1);
    c->rows[c->n_rows] = (struct compare_row){{0}};
    return &c->rows[c->n_rows++];
}

static enum heddle_status add_set(struct comparison *c, uint32_t set, struct strbuf *error)
{
    const struct result_set *results = &c->sets[set];
    for (uint32_t i = 0; i < results->n; i++) {
        const struct result *r = &results->items[i];
        struct compare_row *row = row_of(c, r);
        if (row->of[set]) {
            strbuf_addf(error,
                        "'%s' has two results of %s (%s), seed %" PRIu64 ": %" PRId64 " (%s) and "
                        "%" PRId64 " (%s)\n  add what tells them apart, as in %s,gpu=NAME\n",
                        results->label, r->workload, r->size, r->seed, row->of[set]->id,
                        row->of[set]->machine, r->id, r->machine, results->label);
            return HEDDLE_BAD_INPUT;
        }
        row->of[set] = r;
    }
    return HEDDLE_OK;
}

/* Rows that not all sets have are noted and left out: means over different rows do not compare. */
static void keep_whole_rows(struct comparison *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        const struct result *some = NULL;
        const char *lacking = NULL;
        for (uint32_t s = 0; s < c->n_sets; s++) {
            if (c->rows[i].of[s])
                some = c->rows[i].of[s];
            else
                lacking = c->sets[s].label;
        }
        if (lacking)
            strbuf_addf(&c->notes,
                        "%s (%s), seed %" PRIu64 " is left out: '%s' has no result of it\n",
                        some->workload, some->size, some->seed, lacking);
        else
            c->rows[n++] = c->rows[i];
    }
    c->n_rows = n;
}

enum heddle_status compare_sets(const struct result_set *sets, uint32_t n, struct comparison *c,
                                struct strbuf *error)
{
    enum heddle_status status = HEDDLE_OK;
    c->sets = sets;
    c->n_sets = n;
    for (uint32_t i = 0; status == HEDDLE_OK && i < n; i++)
        status = add_set(c, i, error);
    if (status != HEDDLE_OK)
        return status;
    keep_whole_rows(c);
    if (c->n_rows)
        return HEDDLE_OK;
    strbuf_addf(error, "there is no workload with the same input in all of them\n%s",
                strbuf_text(&c->notes));
    return HEDDLE_BAD_INPUT;
}

void comparison_destroy(struct comparison *c)
{
    free(c->rows);
    strbuf_destroy(&c->notes);
    *c = (struct comparison){0};
}

/* --- speed --- */

static double value_of(const struct result *r, const char *name)
{
    const struct result_stat *s = result_find(r, name);
    return s ? s->value : 0;
}

double compare_speedup(const struct compare_row *row, uint32_t set)
{
    double before = value_of(row->of[0], "cycles"), after = value_of(row->of[set], "cycles");
    return before > 0 && after > 0 ? before / after : 0;
}

static double mean_speedup(const struct comparison *c, uint32_t set,
                           double (*mean)(const double *values, uint32_t n))
{
    double *values = xcalloc(c->n_rows + 1, sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        values[n] = compare_speedup(&c->rows[i], set);
        n += values[n] > 0;
    }
    double result = mean(values, n);
    free(values);
    return result;
}

double compare_geometric_mean(const struct comparison *c, uint32_t set)
{
    return mean_speedup(c, set, mean_geometric);
}

double compare_harmonic_mean(const struct comparison *c, uint32_t set)
{
    return mean_speedup(c, set, mean_harmonic);
}

/* --- what moved --- */

/* How far, either way: twice as much is as far as half as much. */
static double distance(const struct compare_move *m)
{
    if (m->is_from_nothing || m->ratio == 0)
        return HUGE_VAL;
    return fabs(log(m->ratio));
}

static int by_distance(const void *a, const void *b)
{
    const struct compare_move *x = a, *y = b;
    double dx = distance(x), dy = distance(y);
    if (dx != dy)
        return dx < dy ? 1 : -1;
    double sx = fabs(x->to - x->from), sy = fabs(y->to - y->from);
    return sx != sy ? (sx < sy ? 1 : -1) : strcmp(x->name, y->name);
}

/* False if it did not move. */
static bool measure(const struct comparison *c, uint32_t set, const struct result_stat *stat,
                    struct compare_move *m)
{
    double logs = 0;
    uint32_t n = 0;
    *m = (struct compare_move){.name = stat->name, .unit = stat->unit};
    for (uint32_t i = 0; i < c->n_rows; i++) {
        double from = value_of(c->rows[i].of[0], stat->name);
        double to = value_of(c->rows[i].of[set], stat->name);
        m->from += from;
        m->to += to;
        if (from > 0 && to > 0) {
            logs += log(to / from);
            n++;
        }
    }
    m->is_from_nothing = m->from == 0;
    m->ratio = m->to == 0 ? 0 : n ? exp(logs / n) : 1;
    if (stat->is_real) {
        m->from /= c->n_rows;
        m->to /= c->n_rows;
    }
    return m->from != m->to;
}

struct compare_move *compare_moves(const struct comparison *c, uint32_t set, uint32_t *n)
{
    const struct result *first = c->rows[0].of[0];
    struct compare_move *moves = xcalloc(first->n_stats + 1, sizeof *moves);
    *n = 0;
    for (uint32_t i = 0; i < first->n_stats; i++)
        if (strncmp(first->stats[i].name, "host.", 5) != 0)
            *n += measure(c, set, &first->stats[i], &moves[*n]);
    qsort(moves, *n, sizeof *moves, by_distance);
    return moves;
}
