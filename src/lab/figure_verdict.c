/* A paper's statements beside our measurements: how verdicts are reached (figure.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/figure_internal.h"

/* n_xs if there is no such x. */
static uint32_t place_of(const struct figure *f, const char *x)
{
    uint32_t i = 0;
    while (i < f->n_xs && strcmp(f->xs[i], x) != 0)
        i++;
    return i;
}

static const struct figure_series *find_series(const struct figure *f, const char *title)
{
    for (uint32_t i = 0; i < f->n_series; i++)
        if (strcmp(f->series[i].title, title) == 0)
            return &f->series[i];
    return NULL;
}

/* The x of the largest value times `sign`; n_xs if a value is missing. */
static uint32_t extreme(const struct figure *f, const struct figure_series *line, double sign)
{
    uint32_t best = 0;
    for (uint32_t x = 0; x < f->n_xs; x++) {
        if (isnan(line->values[x]))
            return f->n_xs;
        if (sign * line->values[x] > sign * line->values[best])
            best = x;
    }
    return best;
}

enum verdict { CLAIM_HOLDS, CLAIM_GOES_THE_SAME_WAY, CLAIM_DIFFERS, CLAIM_LACKS_DATA };

static enum verdict answer_extreme(const struct figure *f, const struct figure_claim *c,
                                   const struct figure_series *line, struct strbuf *ours)
{
    uint32_t best = extreme(f, line, c->kind == CLAIM_LOWEST_AT ? -1 : 1);
    if (best == f->n_xs)
        return CLAIM_LACKS_DATA;
    strbuf_addf(ours, "%s (%.3f)", f->xs[best], line->values[best]);
    bool holds = strcmp(f->xs[best], c->at) == 0;
    if (c->kind == CLAIM_HIGHEST_BETWEEN)
        holds = best > place_of(f, c->at) && best < place_of(f, c->below);
    return holds ? CLAIM_HOLDS : CLAIM_DIFFERS;
}

/* Of equals, the first series is the best. */
static enum verdict answer_best(const struct figure *f, const struct figure_claim *c,
                                struct strbuf *ours)
{
    uint32_t x = place_of(f, c->at), best = 0;
    for (uint32_t i = 0; i < f->n_series; i++) {
        if (x == f->n_xs || isnan(f->series[i].values[x]))
            return CLAIM_LACKS_DATA;
        if (f->series[i].values[x] > f->series[best].values[x])
            best = i;
    }
    strbuf_addf(ours, "%s (%.3f)", f->series[best].title, f->series[best].values[x]);
    return strcmp(f->series[best].title, c->series) == 0 ? CLAIM_HOLDS : CLAIM_DIFFERS;
}

double figure_claimed_value(const struct figure *f, const struct figure_claim *c,
                            const struct figure_series *line)
{
    const char *const *xs = c->n_all_at ? c->all_at : &c->at;
    uint32_t n = c->n_all_at ? c->n_all_at : 1;
    double *values = xcalloc(n, sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = place_of(f, xs[i]);
        values[i] = x < f->n_xs ? line->values[x] : NAN;
    }
    double value = n == 1 ? values[0] : figure_mean_of(FIGURE_GEOMETRIC, values, n);
    free(values);
    return value;
}

/* The rule of figure.h. */
static const double about_tolerance = 0.1; /* of the paper's effect */
static const double least_effect = 0.1;    /* of the paper's effect, to count as the same
                                            * direction */
static const double no_difference = 0.05;

/* Is 1 no difference? */
static bool is_relative(const struct figure_claim *c, const struct figure_series *line)
{
    return line->is_relative || figure_claims_ratio(c);
}

/* The number that a claim is about, NAN if a result is missing. */
static double value_of(const struct figure *f, const struct figure_claim *c,
                       const struct figure_series *line)
{
    double value = figure_claimed_value(f, c, line);
    if (c->times) {
        const struct figure_series *other = find_series(f, c->times);
        value /= other ? figure_claimed_value(f, c, other) : NAN;
    }
    if (c->times_at) {
        uint32_t x = place_of(f, c->times_at);
        value /= x < f->n_xs ? line->values[x] : NAN;
    }
    return value;
}

/* One x of several. */
static struct figure_claim claim_at(const struct figure_claim *c, uint32_t i)
{
    struct figure_claim one = *c;
    one.all_at = &c->all_at[i];
    one.n_all_at = 1;
    one.scope = CLAIM_OF_MEAN;
    return one;
}

/* The largest value of those that a claim is about, and where it is. */
static double largest_of(const struct figure *f, const struct figure_claim *c,
                         const struct figure_series *line, const char **where)
{
    double largest = NAN;
    for (uint32_t i = 0; i < c->n_all_at; i++) {
        struct figure_claim one = claim_at(c, i);
        double value = value_of(f, &one, line);
        if (isnan(value))
            return NAN;
        if (!(value <= largest)) {
            largest = value;
            *where = c->all_at[i];
        }
    }
    return largest;
}

/* Does a number satisfy a claim with a bound? */
static bool holds_bound(const struct figure_claim *c, double value)
{
    return c->kind == CLAIM_AT_LEAST ? value >= c->about : value <= c->about;
}

static enum verdict answer_about(const struct figure *f, const struct figure_claim *c,
                                 const struct figure_series *line, struct strbuf *ours)
{
    const char *where = NULL;
    double value =
        c->scope == CLAIM_OF_LARGEST ? largest_of(f, c, line, &where) : value_of(f, c, line);
    if (isnan(value))
        return CLAIM_LACKS_DATA;
    strbuf_addf(ours, "%.3f", value);
    if (where)
        strbuf_addf(ours, " (%s)", where);
    if (c->kind != CLAIM_ABOUT && holds_bound(c, value))
        return CLAIM_HOLDS;
    double none = is_relative(c, line) ? 1 : 0, claimed = c->about - none, found = value - none;
    if (claimed == 0)
        return c->kind == CLAIM_ABOUT && fabs(found) <= no_difference ? CLAIM_HOLDS : CLAIM_DIFFERS;
    if (c->kind == CLAIM_ABOUT && fabs(found / claimed - 1) <= about_tolerance)
        return CLAIM_HOLDS;
    return none != 0 && found / claimed >= least_effect ? CLAIM_GOES_THE_SAME_WAY : CLAIM_DIFFERS;
}

/* Less than every other series at that x. */
static enum verdict answer_less(const struct figure *f, const struct figure_claim *c,
                                const struct figure_series *line, struct strbuf *ours)
{
    double value = figure_claimed_value(f, c, line);
    enum verdict verdict = isnan(value) ? CLAIM_LACKS_DATA : CLAIM_HOLDS;
    strbuf_addf(ours, "%.3f", value);
    for (uint32_t i = 0; i < c->n_others && verdict != CLAIM_LACKS_DATA; i++) {
        const struct figure_series *other = find_series(f, c->others[i]);
        double more = other ? figure_claimed_value(f, c, other) : NAN;
        strbuf_addf(ours, "%s%.3f", i ? ", " : " against ", more);
        if (isnan(more))
            verdict = CLAIM_LACKS_DATA;
        else if (!(value < more))
            verdict = CLAIM_DIFFERS;
    }
    if (verdict == CLAIM_LACKS_DATA)
        strbuf_clear(ours);
    return verdict;
}

static bool is_among(const char *x, const char *const *xs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(x, xs[i]) == 0)
            return true;
    return false;
}

/* Is the claim's value compared with that at an x? `whole` has all xs that it is about. */
static bool is_beside(const struct figure_claim *c, const struct figure_claim *whole, const char *x)
{
    if (c->n_others)
        return is_among(x, c->others, c->n_others);
    return !figure_is_mean(x) && !is_among(x, whole->all_at, whole->n_all_at) &&
           !(whole->at && strcmp(x, whole->at) == 0);
}

/* Higher (or lower) than at each of the other xs; names the nearest of several. */
static enum verdict answer_beside(const struct figure *f, const struct figure_claim *c,
                                  const struct figure_claim *whole,
                                  const struct figure_series *line, struct strbuf *ours)
{
    double value = figure_claimed_value(f, c, line), sign = c->kind == CLAIM_ABOVE ? 1 : -1;
    uint32_t n = 0, nearest = f->n_xs;
    for (uint32_t x = 0; x < f->n_xs; x++) {
        if (!is_beside(c, whole, f->xs[x]))
            continue;
        if (isnan(line->values[x]))
            return CLAIM_LACKS_DATA;
        if (!n++ || sign * line->values[x] > sign * line->values[nearest])
            nearest = x;
    }
    if (isnan(value) || nearest == f->n_xs)
        return CLAIM_LACKS_DATA;
    strbuf_addf(ours, "%.3f against %.3f", value, line->values[nearest]);
    if (n > 1)
        strbuf_addf(ours, " (%s)", f->xs[nearest]);
    return sign * value > sign * line->values[nearest] ? CLAIM_HOLDS : CLAIM_DIFFERS;
}

/* A claim about one x or about a mean; `whole`: the claim that it is a part of, or itself. */
static enum verdict answer_one(const struct figure *f, const struct figure_claim *c,
                               const struct figure_claim *whole, const struct figure_series *line,
                               struct strbuf *ours)
{
    if (c->kind == CLAIM_LESS_THAN)
        return answer_less(f, c, line, ours);
    if (c->kind == CLAIM_ABOVE || c->kind == CLAIM_BELOW)
        return answer_beside(f, c, whole, line, ours);
    return answer_about(f, c, line, ours);
}

/* A name of several words is quoted. */
static void add_name(struct strbuf *names, const char *x)
{
    const char *quote = strchr(x, ' ') ? "\"" : "";
    strbuf_addf(names, "%s%s%s%s", names->len ? ", " : "", quote, x, quote);
}

static bool holds_scope(const struct figure_claim *c, uint32_t n)
{
    return c->scope == CLAIM_OF_SOME   ? n > 0
           : c->scope == CLAIM_OF_MOST ? 2 * n > c->n_all_at
                                       : n == c->n_all_at;
}

/* A claim about each, most or some of several xs: at how many it holds, and where it does not. */
static enum verdict answer_several(const struct figure *f, const struct figure_claim *c,
                                   const struct figure_series *line, struct strbuf *ours)
{
    struct strbuf fails = {0}, text = {0};
    uint32_t n = 0;
    bool is_known = true;
    for (uint32_t i = 0; i < c->n_all_at && is_known; i++) {
        struct figure_claim one = claim_at(c, i);
        strbuf_clear(&text);
        enum verdict here = answer_one(f, &one, c, line, &text);
        n += here == CLAIM_HOLDS;
        is_known = here != CLAIM_LACKS_DATA;
        if (here != CLAIM_HOLDS)
            add_name(&fails, c->all_at[i]);
    }
    if (is_known) {
        strbuf_addf(ours, "%u of %u", n, c->n_all_at);
        if (fails.len)
            strbuf_addf(ours, ", not %s", strbuf_text(&fails));
    }
    strbuf_destroy(&fails);
    strbuf_destroy(&text);
    return !is_known ? CLAIM_LACKS_DATA : holds_scope(c, n) ? CLAIM_HOLDS : CLAIM_DIFFERS;
}

/* --- the condition, as a text --- */

static bool is_about_several(const struct figure_claim *c)
{
    return c->scope == CLAIM_OF_EACH || c->scope == CLAIM_OF_MOST || c->scope == CLAIM_OF_SOME;
}

static const char *const scope_words[] = {[CLAIM_OF_EACH] = "each",
                                          [CLAIM_OF_MOST] = "most",
                                          [CLAIM_OF_SOME] = "some",
                                          [CLAIM_OF_LARGEST] = "largest"};

/* "each: SERIES "; the series is left out if the figure has no other. */
static void write_scope(const struct figure *f, const struct figure_claim *c, struct strbuf *paper)
{
    if (is_about_several(c) && f->n_series > 1)
        strbuf_addf(paper, "%s: %s ", scope_words[c->scope], c->series);
    else if (c->scope != CLAIM_OF_MEAN)
        strbuf_addf(paper, "%s ", scope_words[c->scope]);
}

static void write_list(const char *const *names, uint32_t n, struct strbuf *paper)
{
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(paper, "%s%s", i ? ", " : "", names[i]);
}

static void write_series(const struct figure_claim *c, struct strbuf *paper)
{
    if (c->scope != CLAIM_OF_MEAN)
        strbuf_addf(paper, "%s: ", scope_words[c->scope]);
    strbuf_addf(paper, "%s less than ", c->series);
    write_list(c->others, c->n_others, paper);
}

static void write_beside(const struct figure *f, const struct figure_claim *c, struct strbuf *paper)
{
    write_scope(f, c, paper);
    strbuf_add(paper, c->kind == CLAIM_ABOVE ? "above " : "below ");
    if (c->n_others)
        write_list(c->others, c->n_others, paper);
    else
        strbuf_add(paper, "all others");
}

static void write_number(const struct figure *f, const struct figure_claim *c, struct strbuf *paper)
{
    static const char *const words[] = {
        [CLAIM_ABOUT] = "about", [CLAIM_AT_LEAST] = "at least", [CLAIM_AT_MOST] = "at most"};
    write_scope(f, c, paper);
    strbuf_addf(paper, "%s %.4g", words[c->kind], c->about);
    if (c->times)
        strbuf_addf(paper, " times %s", c->times);
    if (c->times_at)
        strbuf_addf(paper, " times %s", c->times_at);
}

static void write_claim(const struct figure *f, const struct figure_claim *c, struct strbuf *paper)
{
    if (c->kind == CLAIM_LESS_THAN)
        write_series(c, paper);
    else if (c->kind == CLAIM_ABOVE || c->kind == CLAIM_BELOW)
        write_beside(f, c, paper);
    else if (figure_claims_number(c))
        write_number(f, c, paper);
    else if (c->kind == CLAIM_BEST_AT)
        strbuf_add(paper, c->series);
    else if (c->kind == CLAIM_HIGHEST_BETWEEN)
        strbuf_addf(paper, "between %s and %s", c->at, c->below);
    else
        strbuf_add(paper, c->kind == CLAIM_WORDS ? "-" : c->at);
}

const char *figure_verdict(const struct figure *f, const struct figure_claim *c,
                           struct strbuf *paper, struct strbuf *ours)
{
    static const char *const words[] = {"yes", "direction", "no", "missing"};
    const struct figure_series *line = c->series ? find_series(f, c->series) : NULL;
    write_claim(f, c, paper);
    if (c->kind == CLAIM_WORDS)
        return "look";
    if (!line)
        return words[CLAIM_LACKS_DATA];
    if (is_about_several(c))
        return words[answer_several(f, c, line, ours)];
    if (c->kind == CLAIM_BEST_AT)
        return words[answer_best(f, c, ours)];
    if (figure_claims_number(c) || c->kind >= CLAIM_LESS_THAN)
        return words[answer_one(f, c, c, line, ours)];
    return words[answer_extreme(f, c, line, ours)];
}
