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

static double effect_of(const struct figure_series *line, double value)
{
    return line->is_relative ? value - 1 : value;
}

/* Does a number satisfy a claim with a bound? */
static bool holds_bound(const struct figure_claim *c, double value)
{
    return c->kind == CLAIM_AT_LEAST ? value >= c->about : value <= c->about;
}

static enum verdict answer_about(const struct figure *f, const struct figure_claim *c,
                                 const struct figure_series *line, struct strbuf *ours)
{
    double value = figure_claimed_value(f, c, line);
    if (isnan(value))
        return CLAIM_LACKS_DATA;
    strbuf_addf(ours, "%.3f", value);
    if (c->kind != CLAIM_ABOUT && holds_bound(c, value))
        return CLAIM_HOLDS;
    double claimed = effect_of(line, c->about), found = effect_of(line, value);
    if (claimed == 0)
        return c->kind == CLAIM_ABOUT && fabs(found) <= no_difference ? CLAIM_HOLDS : CLAIM_DIFFERS;
    if (c->kind == CLAIM_ABOUT && fabs(found / claimed - 1) <= about_tolerance)
        return CLAIM_HOLDS;
    return line->is_relative && found / claimed >= least_effect ? CLAIM_GOES_THE_SAME_WAY
                                                                : CLAIM_DIFFERS;
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

/* A name of several words is quoted. */
static void add_name(struct strbuf *names, const char *x)
{
    const char *quote = strchr(x, ' ') ? "\"" : "";
    strbuf_addf(names, "%s%s%s%s", names->len ? ", " : "", quote, x, quote);
}

/* A claim about each of several xs: at how many it holds, and where it does not. */
static enum verdict answer_every(const struct figure *f, const struct figure_claim *c,
                                 const struct figure_series *line, struct strbuf *ours)
{
    struct strbuf fails = {0}, one = {0};
    uint32_t n = 0;
    enum verdict verdict = CLAIM_HOLDS;
    for (uint32_t i = 0; i < c->n_all_at && verdict != CLAIM_LACKS_DATA; i++) {
        struct figure_claim at = *c;
        at.all_at = &c->all_at[i];
        at.n_all_at = 1;
        strbuf_clear(&one);
        enum verdict here =
            (c->kind == CLAIM_LESS_THAN ? answer_less : answer_about)(f, &at, line, &one);
        n += here == CLAIM_HOLDS;
        if (here == CLAIM_LACKS_DATA)
            verdict = CLAIM_LACKS_DATA;
        else if (here != CLAIM_HOLDS)
            add_name(&fails, c->all_at[i]);
    }
    if (verdict == CLAIM_HOLDS) {
        strbuf_addf(ours, "%u of %u", n, c->n_all_at);
        if (fails.len)
            strbuf_addf(ours, ", not %s", strbuf_text(&fails));
        verdict = fails.len ? CLAIM_DIFFERS : CLAIM_HOLDS;
    }
    strbuf_destroy(&fails);
    strbuf_destroy(&one);
    return verdict;
}

static void write_others(const struct figure_claim *c, struct strbuf *paper)
{
    strbuf_addf(paper, "%s%s less than ", c->is_every ? "each: " : "", c->series);
    for (uint32_t i = 0; i < c->n_others; i++)
        strbuf_addf(paper, "%s%s", i ? ", " : "", c->others[i]);
}

/* About each of several entries: names the series, if the figure has others. */
static void write_number(const struct figure *f, const struct figure_claim *c, struct strbuf *paper)
{
    static const char *const words[] = {
        [CLAIM_ABOUT] = "about", [CLAIM_AT_LEAST] = "at least", [CLAIM_AT_MOST] = "at most"};
    if (c->is_every && f->n_series > 1)
        strbuf_addf(paper, "each: %s ", c->series);
    else if (c->is_every)
        strbuf_add(paper, "each ");
    strbuf_addf(paper, "%s %.3g", words[c->kind], c->about);
}

static void write_claim(const struct figure *f, const struct figure_claim *c, struct strbuf *paper)
{
    if (c->kind == CLAIM_LESS_THAN)
        write_others(c, paper);
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
    return words[c->is_every                  ? answer_every(f, c, line, ours)
                 : figure_claims_number(c)    ? answer_about(f, c, line, ours)
                 : c->kind == CLAIM_BEST_AT   ? answer_best(f, c, ours)
                 : c->kind == CLAIM_LESS_THAN ? answer_less(f, c, line, ours)
                                              : answer_extreme(f, c, line, ours)];
}
