/* Trains a model (S3 section 6.4.4): K-fold cross-validation over kernels, which also prunes the
 * training set, as S3 went from 63 kernels to 45 with 32 passes. S3 does not say which kernels are
 * removed. Here the kernel with the largest mean held-out error |p - t| / (|p| + t) is removed
 * repeatedly, and the stage with the highest mean held-out R^2 wins (of equals, the one with more
 * kernels). */
#ifndef HEDDLE_HETERO_TRAIN_H
#define HEDDLE_HETERO_TRAIN_H

#include "hetero/fit.h"

struct train_options {
    uint32_t folds, passes;
    uint64_t seed;
    bool prune;
    bool pairs; /* terms of two features, as S3 has them */
};
extern const struct train_options train_defaults; /* 7 folds, 32 passes, seed 1, pruning, pairs */

struct train_stage {
    uint32_t n_kernels;
    double r_squared; /* mean over the passes, held out */
    /* The kernel removed after this stage, and its error; HETERO_NO_FEATURE at the last. */
    uint32_t goes;
    double error;
};

struct train_result {
    struct hetero_model *model;
    bool *dropped_terms; /* a flag a term */
    uint32_t n_kept_terms;
    bool *kept_kernels; /* a flag a kernel */
    uint32_t n_kept_kernels;
    struct train_stage *stages; /* none without cross-validation */
    uint32_t n_stages, best_stage;
    uint32_t least_kernels; /* the last stage should have so many; with more, pruning ended early */
    const char *ended_because; /* ... for this reason, in words; NULL = it did not */
    double r_squared_kept, r_squared_all;
};

/* False, with the reason in `why`, if it refuses; call train_result_destroy() in either case. */
bool hetero_train(const struct hetero_rows *rows, const struct train_options *options,
                  struct train_result *result, struct strbuf *why);
void train_result_destroy(struct train_result *result);

#endif
