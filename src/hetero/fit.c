#include "hetero/fit.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A scaled column this close to an earlier one counts as equal. */
#define SAME_COLUMN 1e-12
/* Columns have the same norm, so rounding would decide which is the first pivot, and with it which
 * of several dependent columns is dropped: differently with each BLAS. Each column is shorter by
 * this share than the one before, which is far more than rounding and changes no fit. */
#define TIE_BREAK 1e-10
/* If |R_ii| is below this share of |R_11|, the column depends on those before it. */
#define DEPENDENT 1e-8

/* The system being solved; column-major, as LAPACK requires. */
struct system {
    uint32_t n_rows, n_columns;
    double *a;      /* n_rows x n_columns */
    double *b;      /* n_rows */
    double *norms;  /* per column, before scaling */
    uint32_t *term; /* per column: which term */
    lapack_int *pivot;
    double *tau;
};

static double norm_of(const double *x, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static bool is_near_earlier(const struct system *s, const double *column)
{
    for (uint32_t c = 0; c < s->n_columns; c++) {
        double sum = 0;
        const double *other = s->a + (size_t)c * s->n_rows;
        for (uint32_t i = 0; i < s->n_rows && sum <= SAME_COLUMN * SAME_COLUMN; i++)
            sum += (other[i] - column[i]) * (other[i] - column[i]);
        if (sum <= SAME_COLUMN * SAME_COLUMN)
            return true;
    }
    return false;
}

uint32_t hetero_find_overflow(const struct hetero_model *m, const struct hetero_rows *rows)
{
    for (uint32_t t = 0; t < m->n_terms; t++) {
        double sum = 0;
        for (uint32_t r = 0; r < rows->n_rows; r++) {
            const double *values = rows->values + (size_t)r * rows->n_features;
            double value = hetero_term_value(&m->terms[t], values);
            sum += value * value;
        }
        if (!isfinite(sum))
            return t;
    }
    return HETERO_NO_TERM;
}

/* Adds the column of a term, unless it is all 0 or repeats an earlier one. */
static void add_column(struct system *s, const struct hetero_model *m, uint32_t term,
                       const struct hetero_rows *rows, const bool *use)
{
    double *column = s->a + (size_t)s->n_columns * s->n_rows;
    uint32_t n = 0;
    for (uint32_t r = 0; r < rows->n_rows; r++)
        if (!use || use[r])
            column[n++] =
                hetero_term_value(&m->terms[term], rows->values + (size_t)r * rows->n_features);
    double norm = norm_of(column, n);
    if (norm == 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        column[i] /= norm;
    if (is_near_earlier(s, column))
        return;
    s->norms[s->n_columns] = norm;
    s->term[s->n_columns++] = term;
}

/* Only when all columns are there: until then they are compared with each other. */
static void break_ties(struct system *s)
{
    for (uint32_t c = 0; c < s->n_columns; c++) {
        double longer = 1 + c * TIE_BREAK, *column = s->a + (size_t)c * s->n_rows;
        for (uint32_t i = 0; i < s->n_rows; i++)
            column[i] /= longer;
        s->norms[c] *= longer;
    }
}

static void build(struct system *s, const struct hetero_model *m, const struct hetero_rows *rows,
                  const bool *use)
{
    for (uint32_t r = 0; r < rows->n_rows; r++)
        s->n_rows += !use || use[r];
    s->a = xalloc((size_t)s->n_rows * m->n_terms + 1, sizeof *s->a);
    s->b = xalloc((size_t)s->n_rows + 1, sizeof *s->b);
    s->norms = xalloc(m->n_terms + 1, sizeof *s->norms);
    s->term = xalloc(m->n_terms + 1, sizeof *s->term);
    s->pivot = xcalloc(m->n_terms + 1, sizeof *s->pivot);
    s->tau = xalloc(m->n_terms + 1, sizeof *s->tau);
    for (uint32_t t = 0; t < m->n_terms; t++)
        add_column(s, m, t, rows, use);
    break_ties(s);
    uint32_t n = 0;
    for (uint32_t r = 0; r < rows->n_rows; r++)
        if (!use || use[r])
            s->b[n++] = rows->times[r];
}

static void release(struct system *s)
{
    free(s->a);
    free(s->b);
    free(s->norms);
    free(s->term);
    free(s->pivot);
    free(s->tau);
}

/* The number of columns that do not depend on those before them, in pivot order. */
static uint32_t rank_of(const struct system *s)
{
    uint32_t rank = 0, most = s->n_rows < s->n_columns ? s->n_rows : s->n_columns;
    while (rank < most && fabs(s->a[(size_t)rank * s->n_rows + rank]) >= DEPENDENT * fabs(s->a[0]))
        rank++;
    return rank;
}

/* Leaves the solution of the first `rank` pivots in b; returns the rank. */
static uint32_t solve(struct system *s)
{
    lapack_int m = (lapack_int)s->n_rows, n = (lapack_int)s->n_columns;
    if (m == 0 || n == 0)
        return 0;
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, m, n, s->a, m, s->pivot, s->tau) != 0)
        return 0;
    lapack_int rank = (lapack_int)rank_of(s), reflectors = m < n ? m : n;
    LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', m, 1, reflectors, s->a, m, s->tau, s->b, m);
    LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', rank, 1, s->a, m, s->b, m);
    return (uint32_t)rank;
}

uint32_t hetero_fit(struct hetero_model *m, const struct hetero_rows *rows, const bool *use,
                    bool *dropped)
{
    struct system s = {0};
    build(&s, m, rows, use);
    uint32_t rank = solve(&s);
    for (uint32_t t = 0; t < m->n_terms; t++) {
        m->terms[t].coefficient = 0;
        m->terms[t].printed = NULL;
        if (dropped)
            dropped[t] = true;
    }
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t column = (uint32_t)s.pivot[k] - 1, term = s.term[column];
        m->terms[term].coefficient = s.b[k] / s.norms[column];
        if (dropped)
            dropped[term] = false;
    }
    release(&s);
    return rank;
}

double hetero_predict_row(const struct hetero_model *m, const struct hetero_rows *rows,
                          uint32_t row)
{
    return hetero_model_evaluate(m, rows->values + (size_t)row * rows->n_features);
}

/* Equal times have no variance, and sums of them have only rounding errors. */
#define EXACT 1e-9

static double r_squared_of_equal(const double *predicted, double time, uint32_t n)
{
    bool is_exact = true;
    for (uint32_t i = 0; i < n; i++)
        is_exact &= fabs(predicted[i] - time) <= EXACT * fabs(time);
    return is_exact ? 1 : -INFINITY;
}

double hetero_r_squared(const double *predicted, const double *times, uint32_t n)
{
    double mean = 0, sse = 0, sst = 0;
    bool all_equal = true;
    for (uint32_t i = 1; i < n; i++)
        all_equal &= times[i] == times[0];
    if (n && all_equal)
        return r_squared_of_equal(predicted, times[0], n);
    for (uint32_t i = 0; i < n; i++)
        mean += times[i] / n;
    for (uint32_t i = 0; i < n; i++) {
        sse += (predicted[i] - times[i]) * (predicted[i] - times[i]);
        sst += (times[i] - mean) * (times[i] - mean);
    }
    return sse == 0 ? 1 : 1 - sse / sst;
}
