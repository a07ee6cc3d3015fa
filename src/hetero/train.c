#include "hetero/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

const struct train_options train_defaults = {
    .folds = 7, .passes = 32, .seed = 1, .prune = true, .pairs = true};

struct training {
    const struct hetero_rows *rows;
    const struct train_options *options;
    bool *kept; /* per kernel */
    uint32_t n_kept;
    uint64_t random;
    struct hetero_model *model;
    uint32_t n_terms_kept; /* by the fit on all rows */
    /* Of a stage: */
    uint32_t *fold_of; /* per kernel, in a pass */
    bool *use;         /* per row: in the training part */
    double *predicted; /* per row: when it was held out */
    double *error;     /* per kernel: sum over its rows and all passes */
    uint32_t *n_errors;
    double *times, *held_out; /* of the rows in use, one after the other */
};

/* The same folds on every host. */
static uint64_t draw(struct training *t)
{
    return splitmix(t->random += SPLITMIX_STEP);
}

/* Shuffles the remaining kernels and distributes them to folds. */
static void deal(struct training *t)
{
    uint32_t n = 0, *order = xalloc(t->rows->n_kernels, sizeof *order);
    for (uint32_t k = 0; k < t->rows->n_kernels; k++)
        if (t->kept[k])
            order[n++] = k;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(draw(t) % i), kernel = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kernel;
    }
    for (uint32_t i = 0; i < n; i++)
        t->fold_of[order[i]] = i % t->options->folds;
    free(order);
}

/* Predicts the rows of a fold from the others. False if those are too few for the model. */
static bool hold_out(struct training *t, uint32_t fold)
{
    const struct hetero_rows *rows = t->rows;
    uint32_t n = 0;
    for (uint32_t r = 0; r < rows->n_rows; r++) {
        uint32_t k = rows->kernel_of[r];
        t->use[r] = t->kept[k] && t->fold_of[k] != fold;
        n += t->use[r];
    }
    if (n < t->n_terms_kept)
        return false;
    hetero_fit(t->model, rows, t->use, NULL);
    for (uint32_t r = 0; r < rows->n_rows; r++)
        if (t->kept[rows->kernel_of[r]] && !t->use[r])
            t->predicted[r] = hetero_predict_row(t->model, rows, r);
    return true;
}

/* R^2 over all held-out rows of a pass together. */
static double judge_pass(struct training *t)
{
    const struct hetero_rows *rows = t->rows;
    uint32_t n = 0;
    for (uint32_t r = 0; r < rows->n_rows; r++) {
        uint32_t k = rows->kernel_of[r];
        if (!t->kept[k])
            continue;
        double p = t->predicted[r], time = rows->times[r];
        t->error[k] += fabs(p - time) / (fabs(p) + time);
        t->n_errors[k]++;
        t->held_out[n] = p;
        t->times[n++] = time;
    }
    return hetero_r_squared(t->held_out, t->times, n);
}

/* The kernel with the largest mean held-out error; of equals, the first. */
static uint32_t find_worst(const struct training *t, double *error)
{
    uint32_t worst = HETERO_NO_FEATURE;
    for (uint32_t k = 0; k < t->rows->n_kernels; k++) {
        if (!t->kept[k])
            continue;
        double mean = t->error[k] / t->n_errors[k];
        if (worst == HETERO_NO_FEATURE || mean > *error) {
            worst = k;
            *error = mean;
        }
    }
    return worst;
}

/* Cross-validates with the remaining kernels. False if a fold leaves too few rows. */
static bool run_stage(struct training *t, struct train_stage *stage)
{
    memset(t->error, 0, t->rows->n_kernels * sizeof *t->error);
    memset(t->n_errors, 0, t->rows->n_kernels * sizeof *t->n_errors);
    *stage = (struct train_stage){.n_kernels = t->n_kept};
    for (uint32_t pass = 0; pass < t->options->passes; pass++) {
        deal(t);
        for (uint32_t fold = 0; fold < t->options->folds; fold++)
            if (!hold_out(t, fold))
                return false;
        stage->r_squared += judge_pass(t) / t->options->passes;
    }
    stage->goes = find_worst(t, &stage->error);
    return true;
}

/* S3 kept 45 of 63. */
static uint32_t least_kernels(const struct training *t)
{
    uint32_t n = t->rows->n_kernels;
    return t->options->prune ? (uint32_t)lround(45.0 * n / 63.0) : n;
}

static void end_early(struct train_result *result, const char *why)
{
    result->ended_because = why;
    result->stages[result->n_stages - 1].goes = HETERO_NO_FEATURE;
}

/* Runs the stages and marks the kernels of the best one. */
static bool cross_validate(struct training *t, struct train_result *result)
{
    uint32_t n_kernels = t->rows->n_kernels, least = least_kernels(t), best_n = 0;
    result->least_kernels = least;
    result->stages = xcalloc(n_kernels + 1, sizeof *result->stages);
    bool *best = xcalloc(n_kernels, sizeof *best);
    for (;;) {
        struct train_stage *stage = &result->stages[result->n_stages];
        if (!run_stage(t, stage)) {
            *stage = (struct train_stage){0};
            if (result->n_stages)
                end_early(result, "with one fewer, a fold leaves too few rows for the terms");
            break;
        }
        if (!result->n_stages || stage->r_squared > result->stages[result->best_stage].r_squared) {
            result->best_stage = result->n_stages;
            memcpy(best, t->kept, n_kernels * sizeof *best);
            best_n = t->n_kept;
        }
        result->n_stages++;
        if (t->n_kept == least) {
            stage->goes = HETERO_NO_FEATURE;
            break;
        }
        if (t->n_kept == t->options->folds) {
            end_early(result, "each fold needs a kernel");
            break;
        }
        t->kept[stage->goes] = false;
        t->n_kept--;
    }
    memcpy(t->kept, best, n_kernels * sizeof *best);
    t->n_kept = best_n;
    free(best);
    return result->n_stages > 0;
}

static double r_squared_of(const struct training *t, const bool *kernels)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < t->rows->n_rows; r++)
        if (!kernels || kernels[t->rows->kernel_of[r]]) {
            t->held_out[n] = hetero_predict_row(t->model, t->rows, r);
            t->times[n++] = t->rows->times[r];
        }
    return hetero_r_squared(t->held_out, t->times, n);
}

static void fit_kept(struct training *t, struct train_result *result)
{
    for (uint32_t r = 0; r < t->rows->n_rows; r++)
        t->use[r] = t->kept[t->rows->kernel_of[r]];
    result->n_kept_terms = hetero_fit(t->model, t->rows, t->use, result->dropped_terms);
    result->r_squared_kept = r_squared_of(t, t->kept);
    result->r_squared_all = r_squared_of(t, NULL);
    result->n_kept_kernels = t->n_kept;
}

/* Doubles must hold the sums of squares of all columns and of the times. */
static bool check_range(const struct training *t, struct strbuf *why)
{
    const struct hetero_rows *rows = t->rows;
    uint32_t term = hetero_find_overflow(t->model, rows);
    double sum = 0;
    for (uint32_t r = 0; r < rows->n_rows; r++)
        sum += rows->times[r] * rows->times[r];
    if (term != HETERO_NO_TERM) {
        strbuf_add(why, "the values of ");
        hetero_term_name(t->model, term, why);
        strbuf_add(why, " are too large: their squares are beyond the range of numbers");
    } else if (!isfinite(sum)) {
        strbuf_add(why, "the times are too large: their squares are beyond the range of numbers");
    }
    return why->len == 0;
}

static bool check_coefficients(const struct training *t, struct strbuf *why)
{
    uint32_t term = hetero_model_find_infinite(t->model);
    if (term == HETERO_NO_TERM)
        return true;
    strbuf_add(why, "the coefficient of ");
    hetero_term_name(t->model, term, why);
    strbuf_add(why, " is beyond the range of numbers");
    return false;
}

/* What can be checked before any cross-validation. */
static bool check(const struct training *t, struct strbuf *why)
{
    uint32_t n_terms = t->model->n_terms, folds = t->options->folds;
    if (folds && t->rows->n_kernels < folds)
        strbuf_addf(why, "%u kernel%s cannot be distributed to %u folds", t->rows->n_kernels,
                    t->rows->n_kernels == 1 ? "" : "s", folds);
    else if (2 * (n_terms - t->n_terms_kept) > n_terms)
        strbuf_addf(why,
                    "%u of %u terms depend on others or are 0 everywhere, more than half: the rows "
                    "do not distinguish the features",
                    n_terms - t->n_terms_kept, n_terms);
    return why->len == 0;
}

bool hetero_train(const struct hetero_rows *rows, const struct train_options *options,
                  struct train_result *result, struct strbuf *why)
{
    struct arena scratch = {0};
    *result = (struct train_result){
        .model = hetero_model_of_features(rows->features, rows->n_features, options->pairs)};
    result->dropped_terms = xcalloc(result->model->n_terms, sizeof(bool));
    result->kept_kernels = xcalloc(rows->n_kernels, sizeof(bool));
    struct training t = {
        .rows = rows,
        .options = options,
        .kept = result->kept_kernels,
        .n_kept = rows->n_kernels,
        .random = options->seed,
        .model = result->model,
        .fold_of = ARENA_ARRAY(&scratch, uint32_t, rows->n_kernels),
        .use = ARENA_ARRAY(&scratch, bool, rows->n_rows),
        .predicted = ARENA_ARRAY(&scratch, double, rows->n_rows),
        .error = ARENA_ARRAY(&scratch, double, rows->n_kernels),
        .n_errors = ARENA_ARRAY(&scratch, uint32_t, rows->n_kernels),
        .times = ARENA_ARRAY(&scratch, double, rows->n_rows),
        .held_out = ARENA_ARRAY(&scratch, double, rows->n_rows),
    };
    memset(t.kept, true, rows->n_kernels * sizeof *t.kept);
    bool ok = check_range(&t, why);
    if (ok)
        t.n_terms_kept = hetero_fit(t.model, rows, NULL, result->dropped_terms);
    ok = ok && check_coefficients(&t, why) && check(&t, why);
    if (ok && options->folds && !cross_validate(&t, result)) {
        strbuf_addf(why, "a fold leaves fewer rows than the %u terms to fit", t.n_terms_kept);
        ok = false;
    }
    if (ok) {
        fit_kept(&t, result);
        ok = check_coefficients(&t, why);
    }
    arena_destroy(&scratch);
    return ok;
}

void train_result_destroy(struct train_result *result)
{
    hetero_model_destroy(result->model);
    free(result->dropped_terms);
    free(result->kept_kernels);
    free(result->stages);
}
