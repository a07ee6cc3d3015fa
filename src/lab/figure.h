/* A figure of a paper as an experiment: its sweep, how its curves or bars are derived from the
 * results, and the paper's statements beside ours. The files of figures/ define all of it
 * (doc/experiments.md). They give a paper's numbers with their sources, and only numbers that are
 * printed somewhere.
 *
 * Order of calls: read; make keys and run the points if a store is to be filled; derive; print. A
 * figure of a table has no points: take the table instead. */
#ifndef HEDDLE_LAB_FIGURE_H
#define HEDDLE_LAB_FIGURE_H

#include "lab/spec.h"
#include "lab/store.h"

enum figure_chart { FIGURE_LINES, FIGURE_BARS, FIGURE_STACKED };
enum figure_mean { FIGURE_NO_MEAN, FIGURE_ARITHMETIC, FIGURE_GEOMETRIC, FIGURE_HARMONIC };

/* How a series is derived from results: the statistic `value` of each point, possibly as a share of
 * another statistic, divided by that of the point that differs in one coordinate only. Then one
 * series per value of a coordinate; or, for all points of an x, their mean, or the point whose
 * statistic `best` is highest. */
struct figure_rule {
    const char *title; /* NULL: the value of `over` */
    const char *value;
    const char *per; /* NULL = 1 */
    const char *over;
    enum figure_mean mean;
    const char *best;
    const char *relative_name, *relative_value; /* NULL = not relative */
    const char *where_name;                     /* only points with one of these values; NULL =
                                                 * all */
    const char **where_values;
    uint32_t n_where_values;
    enum figure_mean with_mean; /* an additional x: the mean over all */
    bool is_right;              /* measured on the right axis */
    bool is_relative;           /* a column of a table in which 1 means no difference */
    yaml_node_t *names;         /* titles by the value of `over`, or NULL */
    yaml_node_t *node;          /* its position in the file */
};

/* Statements of the paper. */
enum claim_kind {
    CLAIM_WORDS,
    CLAIM_HIGHEST_AT,
    CLAIM_LOWEST_AT,
    CLAIM_HIGHEST_BETWEEN,
    CLAIM_BEST_AT, /* the series is the highest of all */
    CLAIM_ABOUT,
    CLAIM_AT_LEAST,
    CLAIM_AT_MOST,
    CLAIM_LESS_THAN,
    CLAIM_ABOVE, /* higher than at other xs */
    CLAIM_BELOW
};
/* What a claim about several xs is about. */
enum claim_scope {
    CLAIM_OF_MEAN, /* or about one x */
    CLAIM_OF_EACH,
    CLAIM_OF_MOST, /* more than half */
    CLAIM_OF_SOME,
    CLAIM_OF_LARGEST /* the largest value */
};
struct figure_claim {
    enum claim_kind kind;
    const char *says, *source;
    const char *series;
    const char *at, *below; /* x values: `at`, or the range between both */
    const char **all_at;    /* several x that the claim is about, instead of `at` */
    uint32_t n_all_at;
    enum claim_scope scope;
    const char **others; /* LESS_THAN: series; ABOVE and BELOW: xs, none = all others */
    uint32_t n_others;
    double about;
    const char *times, *times_at; /* the number is relative to this series, or to this x; or NULL */
    bool is_variation;            /* judges another claim again, with another reading */
    yaml_node_t *node;            /* its position in the file */
};

struct figure_series {
    const char *title;
    double *values; /* by x; NAN = missing. With several seeds, their mean */
    double *halves; /* by x: half the 95 % confidence interval; NAN = one seed. NULL = a table */
    bool is_right;
    bool is_relative; /* relative to another point: 1 = no difference */
};

enum { FIGURE_MAX_SERIES = 16 };

struct figure {
    const char *name, *title, *source, *note;
    enum figure_chart chart;
    const char *x_axis, *x_title, *y_title, *right_title;
    const char *sort_by; /* the series by whose values the xs are sorted, or NULL */
    bool is_log;         /* applies to the left axis */
    const char *table;   /* how the table that it is drawn from is produced; NULL = from a sweep */
    struct figure_rule *rules;
    uint32_t n_rules;
    struct figure_claim *claims;
    uint32_t n_claims;
    struct spec spec;
    /* From results. */
    uint32_t n_found; /* points that the store has */
    bool is_of_seeds; /* values are means over seeds */
    const char **xs;
    uint32_t n_xs, cap_xs;
    struct figure_series series[FIGURE_MAX_SERIES];
    uint32_t n_series;

    struct arena arena;
    struct yaml_doc doc;
    bool has_doc;
};

extern const char *const figure_names[];
extern const uint32_t n_figure_names;

/* Is it the path of a file rather than the name of a shipped figure? It contains a '/', or ends in
 * .yaml. */
bool figure_is_file(const char *name);

/* Reads a shipped figure by its name, or a file. HEDDLE_BAD_INPUT on errors, which are in
 * `diags`. */
enum heddle_status figure_read(struct figure *f, const char *name,
                               const struct spec_changes *changes, struct diag_list *diags);
void figure_destroy(struct figure *f);

/* Fills xs and series from the store's results of the points, which must have keys. */
enum heddle_status figure_derive(struct figure *f, struct store *s);

/* Fills xs and series of a figure of a table from a CSV file. HEDDLE_BAD_INPUT on errors. */
enum heddle_status figure_take_table(struct figure *f, const char *path, struct diag_list *diags);

/* The paper's statement in a claim and ours, as texts, and whether they agree: "yes", "direction",
 * "no", "missing" (says what is needed), or "look" where only a person can judge.
 *
 * One rule for all numbers, including those of tables. It compares effect sizes: for a number
 * relative to another (1 = no difference), its distance from 1; for others, the number itself.
 * "about": "yes" within a tenth of the paper's effect; if that is none, within 0.05 of 1.
 * "at least", "at most", "less than": "yes" if it holds.
 * "direction": none of these, but a relative number whose effect has the sign of the paper's and at
 * least a tenth of its size. */
const char *figure_verdict(const struct figure *f, const struct figure_claim *c,
                           struct strbuf *paper, struct strbuf *ours);

/* "inputs of size paper-s2 (hg: small) on m2090"; there must be points. */
void figure_describe_inputs(const struct figure *f, struct strbuf *out);
bool figure_has_one_size(const struct figure *f);
/* The size of the points at an x; NULL if they differ or there are none. */
const char *figure_size_at(struct figure *f, const char *x);

/* One column per series, then one for each series for which the paper gives numbers. */
void figure_csv(const struct figure *f, struct strbuf *out);
/* Everything: series, the paper's statements, verdicts, what is missing. */
void figure_json(struct figure *f, struct strbuf *out);
/* The content of its file, without results, and the paper's statements. */
struct json_writer;
void figure_json_definition(struct json_writer *w, struct figure *f);
/* The value of a series that a claim is about: at an x, or the geometric mean over several; NAN if
 * a result is missing. */
double figure_claimed_value(const struct figure *f, const struct figure_claim *c,
                            const struct figure_series *line);
void figure_svg(const struct figure *f, struct strbuf *out);

#endif
