/* Least squares for the coefficients of a model: QR with column pivoting (LAPACK dgeqp3) on columns
 * scaled to norm 1. Columns that depend on others get the coefficient 0: this is the basic
 * solution, not the minimum-norm one, like the zeros of S3's tables. */
#ifndef HEDDLE_HETERO_FIT_H
#define HEDDLE_HETERO_FIT_H

#include "hetero/model.h"
#include "hetero/rows.h"

/* Sets the coefficients of `m`, whose features are those of `rows`, from the rows that `use` marks
 * (NULL = all). `dropped` (a flag per term, may be NULL) tells which columns depend on others.
 * Returns the number of columns kept. */
uint32_t hetero_fit(struct hetero_model *m, const struct hetero_rows *rows, const bool *use,
                    bool *dropped);

/* A term of the model whose column has a norm beyond the range of doubles, or HETERO_NO_TERM. Then
 * no fit is possible. */
uint32_t hetero_find_overflow(const struct hetero_model *m, const struct hetero_rows *rows);

/* The prediction for a row; may be negative. */
double hetero_predict_row(const struct hetero_model *m, const struct hetero_rows *rows,
                          uint32_t row);

/* R^2 = 1 - SSE / SST, SST about the mean, of that many times; 1 if all times are equal and
 * predicted within 1e-9, -infinity if they are equal and one prediction is wrong. */
double hetero_r_squared(const double *predicted, const double *times, uint32_t n);

#endif
