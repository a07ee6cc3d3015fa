/* A regression model of HeteroPDP (S3 section 6.4, Appendix A): the predicted time of a kernel is
 *     Time = sum of coefficient_i x factor_1_i x factor_2_i          (S3 Equations 6.5 and A.2)
 * over single features (factor_2 is 1) and pairs of different features. No squares, no constant.
 *
 * A model file has one term per line, as printed in the tables of Appendix A:
 *     # comment
 *     target: cmp
 *     threads   1            0.000000009173792
 *     threads   scalar_alu  -0.000000000858425
 * Lines of the form `word: text` above the terms describe the model: its target, its scenario,
 * where it comes from and how it fits. The features are those of the single terms, in their order;
 * every single term precedes the pairs that use it. */
#ifndef HEDDLE_HETERO_MODEL_H
#define HEDDLE_HETERO_MODEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"

enum { HETERO_NO_FEATURE = 0xffffffffu, HETERO_NO_TERM = 0xffffffffu };

struct hetero_term {
    uint32_t first, second; /* features; `second` is HETERO_NO_FEATURE for a single */
    double coefficient;
    const char *printed; /* the coefficient as written in the file; NULL = fitted here */
};

struct hetero_note {
    const char *word, *text;
    uint32_t line; /* in the file; 0 = none */
};

enum hetero_scenario { HETERO_ALONE, HETERO_CO_LOCATED, HETERO_N_SCENARIOS };
extern const char *const hetero_scenario_names[HETERO_N_SCENARIOS];

struct hetero_model {
    struct arena arena;
    const char **features;
    uint32_t n_features, cap_features;
    struct hetero_term *terms;
    uint32_t n_terms, cap_terms;
    struct hetero_note *notes;
    uint32_t n_notes, cap_notes;
};

/* NULL on errors, which are in `diags`. */
struct hetero_model *hetero_model_read(const char *file, const char *text, struct diag_list *diags);
void hetero_model_destroy(struct hetero_model *m); /* NULL is fine */

/* All single features and, with `pairs`, all pairs of them, coefficients 0. */
struct hetero_model *hetero_model_of_features(const char *const *names, uint32_t n, bool pairs);
/* `word` is target, scenario, source or fit. A note is one line of the file, so line breaks in
 * `text`, as in the name of a file, become '?'. */
void hetero_model_note(struct hetero_model *m, const char *word, const char *text);
const char *hetero_model_find_note(const struct hetero_model *m, const char *word); /* or NULL */
/* Is the model one for this target and scenario? A file that does not name them may be. Otherwise
 * an error is added to `diags`; `file` and `text` are those it was read from. */
bool hetero_model_is_for(const struct hetero_model *m, const char *target, const char *scenario,
                         const char *file, const char *text, struct diag_list *diags);
uint32_t hetero_model_find_feature(const struct hetero_model *m, const char *name);
/* Is `name` a valid feature name: a letter first, no blank and no ':'? */
bool hetero_is_feature_name(const char *name);

/* "threads", "threads x mem". */
void hetero_term_name(const struct hetero_model *m, uint32_t term, struct strbuf *out);
/* The first term whose coefficient is not finite, or HETERO_NO_TERM. */
uint32_t hetero_model_find_infinite(const struct hetero_model *m);

/* `values` has one number per feature. */
double hetero_term_value(const struct hetero_term *t, const double *values);
/* In doubles, in the order of the terms; may be negative. */
double hetero_model_evaluate(const struct hetero_model *m, const double *values);

/* Text from which hetero_model_read() restores the same model. */
void hetero_model_write(const struct hetero_model *m, struct strbuf *out);

/* Shipped models. */
struct hetero_shipped {
    const char *name, *text;
};
extern const struct hetero_shipped hetero_shipped_models[];
extern const uint32_t n_hetero_shipped_models;

/* A predicted time that is not positive is replaced by this where it is used, never in training. */
#define HETERO_MIN_TIME_S 1e-6

#endif
