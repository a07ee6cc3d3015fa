/* A figure of a paper as an experiment: its sweep, how its curves or bars follow from the results,
 * and what the paper says, beside ours. Files of figures/ say all of it (doc/experiments.md); the
 * numbers of a paper stand there with their sources, and only those that are printed somewhere.
 *
 * Order of calls: read; make keys and run the points, if a store is to be filled; derive; print. A
 * figure of a table has no points: take the table in place of all that. */
#ifndef HEDDLE_LAB_FIGURE_H
#define HEDDLE_LAB_FIGURE_H

#include "lab/spec.h"
#include "lab/store.h"

enum figure_chart { FIGURE_LINES, FIGURE_BARS, FIGURE_STACKED };
enum figure_mean { FIGURE_NO_MEAN, FIGURE_ARITHMETIC, FIGURE_GEOMETRIC, FIGURE_HARMONIC };

/* How a series follows from results: of each point the statistic `value`, perhaps as a share of
 * another statistic, over that of the point that differs in one coordinate alone; then one series
 * per value of a coordinate, or of all points of an x the mean, or the one whose statistic `best`
 * is highest. */
struct figure_rule {
    const char *title; /* NULL: the value of `over` */
    const char *value;
    const char *per; /* NULL = 1 */
    const char *over;
    enum figure_mean mean;
    const char *best;
    const char *relative_name, *relative_value; /* NULL = as it is */
    const char *where_name;                     /* only points that have one of these; NULL = all */
    const char **where_values;
    uint32_t n_where_values;
    enum figure_mean with_mean; /* one more x: the mean over all */
    bool is_right;              /* measured on the axis to the right */
    bool is_relative;           /* a column of a table whose 1 is no difference */
    yaml_node_t *names;         /* titles by the value of `over`, or NULL */
    yaml_node_t *node;          /* where it was written */
};

/* What the paper says. */
enum claim_kind {
    CLAIM_WORDS,
    CLAIM_HIGHEST_AT,
    CLAIM_LOWEST_AT,
    CLAIM_HIGHEST_BETWEEN,
    CLAIM_BEST_AT, /* the series is the highest of all */
    CLAIM_ABOUT,
    CLAIM_AT_LEAST,
    CLAIM_AT_MOST,
    CLAIM_LESS_THAN
};
struct figure_claim {
    enum claim_kind kind;
    const char *says, *source;
    const char *series;
    const char *at, *below; /* x values: `at`, or between both */
    const char **all_at;    /* several x whose geometric mean it is about, in place of `at` */
    uint32_t n_all_at;
    bool is_every;       /* about each of them, not their mean */
    const char **others; /* series that have more than this one has */
    uint32_t n_others;
    double about;
    yaml_node_t *node; /* where it was written */
};

struct figure_series {
    const char *title;
    double *values; /* by x; NAN = missing. Over several seeds, their mean */
    double
        *halves; /* by x: half of its 95 % confidence interval; NAN = one seed. NULL = of a table */
    bool is_right;
    bool is_relative; /* to another point: 1 = no difference */
};

enum { FIGURE_MAX_SERIES = 16 };

struct figure {
    const char *name, *title, *source, *note;
    enum figure_chart chart;
    const char *x_axis, *x_title, *y_title, *right_title;
    const char *sort_by; /* series by whose values the xs are sorted, or NULL */
    bool is_log;         /* the axis on the left */
    const char *table;   /* how the table is made that it is drawn from; NULL = from a sweep */
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

/* Is it the path of a file, and not the name of a shipped figure? It has a '/', or ends in .yaml.
 */
bool figure_is_file(const char *name);

/* A shipped figure by its name, or a file. HEDDLE_BAD_INPUT after mistakes, which are in `diags`.
 */
enum heddle_status figure_read(struct figure *f, const char *name,
                               const struct spec_changes *changes, struct diag_list *diags);
void figure_destroy(struct figure *f);

/* Fills xs and series from what the store has of the points, whose keys must be made. */
enum heddle_status figure_derive(struct figure *f, struct store *s);

/* Fills xs and series of a figure of a table from a CSV file. HEDDLE_BAD_INPUT after mistakes. */
enum heddle_status figure_take_table(struct figure *f, const char *path, struct diag_list *diags);

/* What the paper says in a claim and what ours are, as texts, and whether they agree: "yes",
 * "direction", "no", "missing" (what it would take), or "look" where only people can say.
 *
 * One rule for all numbers, those of tables too. It compares sizes of effects: of a number that is
 * relative to another (1 = no difference) how far it is from 1, of others the number itself.
 * "about": "yes" within a tenth of the paper's effect; if that is none, within 0.05 of 1.
 * "at least", "at most", "less than": "yes" if it holds.
 * "direction": not that, but a relative number whose effect has the sign of the paper's and at
 * least a tenth of its size. */
const char *figure_verdict(const struct figure *f, const struct figure_claim *c,
                           struct strbuf *paper, struct strbuf *ours);

/* "inputs of size paper-s2 (hg: small) on m2090"; there must be points. */
void figure_describe_inputs(const struct figure *f, struct strbuf *out);
bool figure_has_one_size(const struct figure *f);
/* Of the points at an x; NULL if they differ or there are none. */
const char *figure_size_at(struct figure *f, const char *x);

/* A column a series, then one for each series of which the paper gives numbers. */
void figure_csv(const struct figure *f, struct strbuf *out);
/* All of it: series, what the paper says, verdicts, what is missing. */
void figure_json(struct figure *f, struct strbuf *out);
/* What its file says, without results, and what the paper says. */
struct json_writer;
void figure_json_definition(struct json_writer *w, struct figure *f);
/* The value that a claim is about, of a series: at an x, or the geometric mean over several; NAN if
 * a result is missing. */
double figure_claimed_value(const struct figure *f, const struct figure_claim *c,
                            const struct figure_series *line);
void figure_svg(const struct figure *f, struct strbuf *out);

#endif
