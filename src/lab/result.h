/* Results in the form used for comparison: read from a store, or from files of `heddle run
 * --json`. */
#ifndef HEDDLE_LAB_RESULT_H
#define HEDDLE_LAB_RESULT_H

#include "base/arena.h"
#include "lab/store.h"

struct result_stat {
    const char *name, *unit;
    double value;
    bool is_real;
};

struct result {
    int64_t id; /* id in its store */
    const char *workload, *size;
    uint64_t seed;
    const char *machine; /* "gtx480 lrr lru l1d.n_ways=8": the rest of its description */
    const char *gpu, *scheduler, *l1d, *mode, *model, *settings; /* "" = not known */
    double core_clock_mhz;                                       /* 0 = not known */
    struct result_stat *stats;
    uint32_t n_stats;
};

/* Results that belong together: what one operand of `heddle compare` names. */
struct result_set {
    const char *label;
    struct result *items;
    uint32_t n, cap;
};

/* NULL if it has none of that name. */
const struct result_stat *result_find(const struct result *r, const char *name);
/* Its value; 0 if there is none. */
double result_value(const struct result *r, const char *name);

/* Adds one result of the store. */
enum heddle_status result_load(struct store *s, int64_t id, struct result_set *set,
                               struct arena *arena);

/* A statistic of the result's kernels, in the order of their first launches. */
struct result_kernel {
    const char *name;
    double value;
};
enum heddle_status result_load_kernels(struct store *s, int64_t id, const char *stat,
                                       struct arena *arena, struct result_kernel **out,
                                       uint32_t *n);

/* The results that `word` names: the id of a result; a file of `heddle run --json`, with one result
 * or a list; or `name=value,...`, all results of the store with these coordinates (workload, size,
 * seed, gpu, scheduler, l1d, mode, model, or a parameter), of this Heddle's model unless they name
 * one. `s` may be NULL if only files are named. Texts live in the arena. On failure `error` says
 * what is wrong. */
enum heddle_status result_set_read(struct store *s, const char *word, struct result_set *set,
                                   struct arena *arena, struct strbuf *error);

#endif
