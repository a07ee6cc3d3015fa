/* Shared by the files of figures. */
#ifndef HEDDLE_LAB_FIGURE_INTERNAL_H
#define HEDDLE_LAB_FIGURE_INTERNAL_H

#include "lab/figure.h"

/* Titles of the additional x for the mean over all x. */
extern const char *const figure_mean_titles[];

/* NAN if a value is missing. */
double figure_mean_of(enum figure_mean mean, const double *values, uint32_t n);

/* Does it claim about, at least or at most a number? */
static inline bool figure_claims_number(const struct figure_claim *c)
{
    return c->kind == CLAIM_ABOUT || c->kind == CLAIM_AT_LEAST || c->kind == CLAIM_AT_MOST;
}

/* Is the number relative to another series or x? */
static inline bool figure_claims_ratio(const struct figure_claim *c)
{
    return c->times || c->times_at;
}

/* Is it about the number that a drawing shows at the claim's place? */
static inline bool figure_claims_drawn(const struct figure_claim *c)
{
    return c->kind == CLAIM_ABOUT && c->scope == CLAIM_OF_MEAN && !figure_claims_ratio(c);
}

/* Is the x the mean over all others? */
bool figure_is_mean(const char *x);

/* A coordinate of a point, in the figure's arena; NULL if the point does not have it. `workload +
 * l1d.policy.pc` combines two. */
const char *figure_coordinate(struct figure *f, const struct point *p, const char *name);
/* The title of the rule's series with the points that have `value`. */
const char *figure_title(struct figure *f, const struct figure_rule *rule, const char *value);
/* The point that a rule relates another one to; n_points if there is none. */
uint32_t figure_reference(struct figure *f, uint32_t point, const struct figure_rule *rule);
/* Do two points differ only in their seeds? Then a figure shows their mean. */
bool figure_are_seeds(struct figure *f, uint32_t point, uint32_t other);
/* Does any series have a confidence interval at any x? */
bool figure_has_intervals(const struct figure *f);
/* Does the rule draw the point? */
bool figure_draws(struct figure *f, const struct figure_rule *rule, const struct point *p);
/* Does any rule draw it? A point that none draws serves as a reference. */
bool figure_draws_somewhere(struct figure *f, const struct point *p);

/* Groups of xs whose geometric mean claims are about, each with the first claim that has it. */
enum { FIGURE_MAX_GROUPS = 8 };
struct figure_groups {
    const struct figure_claim *of[FIGURE_MAX_GROUPS];
    uint32_t n;
};
struct figure_groups figure_find_groups(const struct figure *f);
/* The group that a claim is about; n if none. */
uint32_t figure_group_of(const struct figure_groups *g, const struct figure_claim *c);
/* Is it about all xs, whose mean is itself an x? */
bool figure_is_of_all(const struct figure *f, const struct figure_claim *c);
/* "cfd to str" */
void figure_group_members(const struct figure *f, const struct figure_claim *c, struct strbuf *out);

/* The rule that makes the series with that title; NULL if none does. */
const struct figure_rule *figure_rule_of(struct figure *f, const char *series);

/* Reports everything that cannot be drawn as written: statistics, coordinates and series that do
 * not exist, and points that would coincide. Call it after the points have been made. */
void figure_check(struct figure *f, yaml_node_t *root);
/* Reports claims about series and xs that a figure of a table does not have. */
void figure_check_claims(struct figure *f);

#endif
