/* Sets of results side by side. The first is what the others are compared with; results of one
 * workload, size and seed are partners. */
#ifndef HEDDLE_LAB_COMPARE_H
#define HEDDLE_LAB_COMPARE_H

#include "lab/confidence.h"
#include "lab/result.h"

enum { COMPARE_MAX_SETS = 16 };

/* One workload with one input. */
struct compare_row {
    const struct result *of[COMPARE_MAX_SETS]; /* by set; NULL = it has none */
};

/* How a statistic moved from the first set to another, over the rows where both have it: the
 * geometric mean of the ratios where both are above zero. */
struct compare_move {
    const char *name, *unit;
    double ratio;
    double from, to;      /* sums over these rows; of a rate, arithmetic means */
    bool is_from_nothing; /* 0 in every row before; ratio is then infinite */
    double weight;        /* how much of a run's work it moved by, 0 to 1: compare_moves() */
};

/* Rows of one workload and size, which differ in their seeds and follow each other. */
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
    bool clocks_differ;  /* of partners: cycles of one are not as long as the other's */
    struct strbuf notes; /* what has no partner and what to beware of, a line each */
};

/* HEDDLE_BAD_INPUT if a set has two results for one row, a result has no cycles or there are no
 * partners at all; `error` then says how to tell them apart. The sets must outlive the comparison.
 */
enum heddle_status compare_sets(const struct result_set *sets, uint32_t n, struct comparison *c,
                                struct strbuf *error);
void comparison_destroy(struct comparison *c);

/* Cycles of the first set's result over those of the other's; 0 = one of them has none. */
double compare_speedup(const struct compare_row *row, uint32_t set);
/* The same in seconds, by the clocks of the cores; 0 also if one is not known. */
double compare_speedup_in_time(const struct compare_row *row, uint32_t set);
typedef double compare_ratio(const struct compare_row *row, uint32_t set);
/* Over the seeds of a group. */
struct confidence compare_group_ratio(const struct compare_group *g, uint32_t set,
                                      compare_ratio *ratio);
/* The same of a statistic; of none if a row lacks it. */
struct confidence compare_group_stat(const struct compare_group *g, uint32_t set, const char *name);
/* Over the groups that have it, each by its mean over seeds; 0 = none has. */
double compare_geometric_mean(const struct comparison *c, uint32_t set, compare_ratio *ratio);
double compare_harmonic_mean(const struct comparison *c, uint32_t set, compare_ratio *ratio);

/* The statistics that moved; those of the host are left out. The first are those that matter most
 * for cycles: by how much of the run's work they moved, in the mean over the rows. For cycles of
 * warps that work is `sm.warp_cycles`, for events the loads and stores of L1D, and so on: a rare
 * event may be a hundred times as frequent and still cost nothing. The array is the caller's to
 * free. */
struct compare_move *compare_moves(const struct comparison *c, uint32_t set, uint32_t *n);

/* The statistics that results of set `in` have and their partners in set `but_not_in` lack, as
 * those of runs that were asked for more do. The array is the caller's to free, the names are not.
 */
const char **compare_only_in(const struct comparison *c, uint32_t in, uint32_t but_not_in,
                             uint32_t *n);

/* Means of plain numbers, which must be above zero. 0 of none. */
double mean_geometric(const double *values, uint32_t n);
double mean_harmonic(const double *values, uint32_t n);
double mean_arithmetic(const double *values, uint32_t n);

#endif
