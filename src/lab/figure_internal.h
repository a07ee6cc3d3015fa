/* What the files of figures share. */
#ifndef HEDDLE_LAB_FIGURE_INTERNAL_H
#define HEDDLE_LAB_FIGURE_INTERNAL_H

#include "lab/figure.h"

/* The mean over all x is one more x, called so. */
extern const char *const figure_mean_titles[];

/* NAN if a value is missing. */
double figure_mean_of(enum figure_mean mean, const double *values, uint32_t n);

/* About, at least or at most a number? */
static inline bool figure_claims_number(const struct figure_claim *c)
{
    return c->kind == CLAIM_ABOUT || c->kind == CLAIM_AT_LEAST || c->kind == CLAIM_AT_MOST;
}

/* Of a point, in the figure's arena; NULL if it does not say it. `workload + l1d.policy.pc` is both
 * together. */
const char *figure_coordinate(struct figure *f, const struct point *p, const char *name);
/* Of the series of a rule that holds the points with `value`. */
const char *figure_title(struct figure *f, const struct figure_rule *rule, const char *value);
/* The point that a rule relates another one to; n_points if there is none. */
uint32_t figure_reference(struct figure *f, uint32_t point, const struct figure_rule *rule);
/* Do two points differ in nothing but their seeds? Then they are one in a figure: their mean. */
bool figure_are_seeds(struct figure *f, uint32_t point, uint32_t other);
/* Has any series an interval of confidence at any x? */
bool figure_has_intervals(const struct figure *f);
/* Does the rule draw the point? */
bool figure_draws(struct figure *f, const struct figure_rule *rule, const struct point *p);
/* Does any? A point that none draws is there to be related to. */
bool figure_draws_somewhere(struct figure *f, const struct point *p);

/* Groups of xs whose geometric mean a claim is about, each by the first claim that has it. */
enum { FIGURE_MAX_GROUPS = 8 };
struct figure_groups {
    const struct figure_claim *of[FIGURE_MAX_GROUPS];
    uint32_t n;
};
struct figure_groups figure_find_groups(const struct figure *f);
/* Which of them a claim is about; n if none. */
uint32_t figure_group_of(const struct figure_groups *g, const struct figure_claim *c);
/* Is it about all xs, whose mean is an x itself? */
bool figure_is_of_all(const struct figure *f, const struct figure_claim *c);
/* "cfd to str" */
void figure_group_members(const struct figure *f, const struct figure_claim *c, struct strbuf *out);

/* The rule that makes the series of a title; NULL if none does. */
const struct figure_rule *figure_rule_of(struct figure *f, const char *series);

/* Complains of all that could not be drawn as it is written: statistics, coordinates and series
 * that do not exist, and points that would share one place. The points must have been made. */
void figure_check(struct figure *f, yaml_node_t *root);
/* Complains of claims about series and xs that a figure of a table does not have. */
void figure_check_claims(struct figure *f);

#endif
