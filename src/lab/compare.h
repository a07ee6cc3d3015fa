/* Compares sets of results. The others are compared with the first set; results of one workload,
 * size and seed are partners. */
#ifndef HEDDLE_LAB_COMPARE_H
#define HEDDLE_LAB_COMPARE_H

#include "lab/confidence.h"
#include "lab/result.h"

enum { COMPARE_MAX_SETS = 16 };

/* One workload with one input. */
struct compare_row {
    const struct result *of[COMPARE_MAX_SETS]; /* by set; NULL = the set has none */
};

/* How a statistic moved from the first set to another, over the rows in which both have it: the
 * geometric mean of the ratios where both are above zero. */
struct compare_move {
    const char *name, *unit;
    double ratio;
    double from, to;      /* sums over these rows; for a rate, arithmetic means */
    bool is_from_nothing; /* it was 0 in every row before; ratio is then infinite */
    double weight;        /* the share of a run's work by which it moved, 0 to 1: compare_moves() */
};

/* Consecutive rows of one workload and size that differ in their seeds. */
struct compare_group {
    const struct compare_row *rows;
    uint32_t n_rows;
};

/* A zeroed struct is empty and valid. */
struct comparison {
    const struct result_set *sets;
    uint32_t n_sets;
    struct compare_row *rows;
    uint32_t n_rows, cap_rows;
    struct compare_group *groups; /* of all rows */
    uint32_t n_groups;
    bool clocks_differ;  /* partners have different clocks: their cycles differ in length */
    struct strbuf notes; /* rows without a partner and warnings, one per line */
};

/* HEDDLE_BAD_INPUT if a set has two results for one row, a result has no cycles, or there are no
 * partners at all; `error` then says how to distinguish them. The sets must outlive the
 * comparison. */
enum heddle_status compare_sets(const struct result_set *sets, uint32_t n, struct comparison *c,
                                struct strbuf *error);
void comparison_destroy(struct comparison *c);

/* Cycles of the first set's result divided by the other's; 0 = one of them has none. */
double compare_speedup(const struct compare_row *row, uint32_t set);
/* The same in seconds, by the core clocks; 0 also if one is unknown. */
double compare_speedup_in_time(const struct compare_row *row, uint32_t set);
typedef double compare_ratio(const struct compare_row *row, uint32_t set);
/* Over the seeds of a group. */
struct confidence compare_group_ratio(const struct compare_group *g, uint32_t set,
                                      compare_ratio *ratio);
/* The same for a statistic; empty if a row lacks it. */
struct confidence compare_group_stat(const struct compare_group *g, uint32_t set, const char *name);
/* Over the groups that have it, each with its mean over seeds; 0 = none has. */
double compare_geometric_mean(const struct comparison *c, uint32_t set, compare_ratio *ratio);
double compare_harmonic_mean(const struct comparison *c, uint32_t set, compare_ratio *ratio);

/* The statistics that moved, except those of the host. Those that matter most for cycles come
 * first: ordered by the share of the run's work by which they moved, averaged over the rows. For
 * warp cycles that work is `sm.warp_cycles`, for events the loads and stores of L1D, and so on: a
 * rare event may become a hundred times as frequent and still cost nothing. The caller frees the
 * array. */
struct compare_move *compare_moves(const struct comparison *c, uint32_t set, uint32_t *n);

/* The statistics that results of set `in` have and their partners in set `but_not_in` lack, for
 * example because more was measured. The caller frees the array, not the names. */
const char **compare_only_in(const struct comparison *c, uint32_t in, uint32_t but_not_in,
                             uint32_t *n);

/* Means of numbers above zero. 0 if there are none. */
double mean_geometric(const double *values, uint32_t n);
double mean_harmonic(const double *values, uint32_t n);
double mean_arithmetic(const double *values, uint32_t n);

#endif
