/* A figure as CSV and as JSON: our measurements and the paper's statements. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "lab/figure_internal.h"
#include "lab/model.h"
#include "lab/query.h"

/* --- CSV --- */

/* The paper's number for a series at an x; NAN = none. x == NULL: anywhere. */
static double number_of_paper(const struct figure *f, const char *series, const char *x)
{
    for (uint32_t i = 0; i < f->n_claims; i++) {
        const struct figure_claim *c = &f->claims[i];
        if (figure_claims_drawn(c) && c->at && strcmp(c->series, series) == 0 &&
            (!x || strcmp(c->at, x) == 0))
            return c->about;
    }
    return NAN;
}

static void add_number(struct strbuf *out, double value)
{
    strbuf_add_char(out, ',');
    if (!isnan(value))
        strbuf_addf(out, "%.17g", value);
}

/* "SERIES (what)" */
static void add_title(const struct figure *f, uint32_t series, const char *what, struct strbuf *out)
{
    struct strbuf title = {0};
    strbuf_addf(&title, "%s (%s)", f->series[series].title, what);
    strbuf_add_char(out, ',');
    csv_field(out, strbuf_text(&title));
    strbuf_destroy(&title);
}

static void add_head(const struct figure *f, struct strbuf *out)
{
    csv_field(out, f->x_axis);
    for (uint32_t i = 0; i < f->n_series; i++) {
        strbuf_add_char(out, ',');
        csv_field(out, f->series[i].title);
    }
    for (uint32_t i = 0; figure_has_intervals(f) && i < f->n_series; i++)
        add_title(f, i, "+/- 95 %", out);
    for (uint32_t i = 0; i < f->n_series; i++)
        if (!isnan(number_of_paper(f, f->series[i].title, NULL)))
            add_title(f, i, "paper", out);
    strbuf_add(out, "\n");
}

void figure_csv(const struct figure *f, struct strbuf *out)
{
    add_head(f, out);
    for (uint32_t x = 0; x < f->n_xs; x++) {
        csv_field(out, f->xs[x]);
        for (uint32_t i = 0; i < f->n_series; i++)
            add_number(out, f->series[i].values[x]);
        for (uint32_t i = 0; figure_has_intervals(f) && i < f->n_series; i++)
            add_number(out, f->series[i].halves[x]);
        for (uint32_t i = 0; i < f->n_series; i++)
            if (!isnan(number_of_paper(f, f->series[i].title, NULL)))
                add_number(out, number_of_paper(f, f->series[i].title, f->xs[x]));
        strbuf_add(out, "\n");
    }
}

/* --- JSON --- */

static void json_numbers(struct json_writer *w, const char *key, const double *values, uint32_t n)
{
    json_begin_array(w, key);
    for (uint32_t i = 0; i < n; i++)
        if (isnan(values[i]))
            json_null(w, NULL);
        else
            json_double(w, NULL, values[i]);
    json_end_array(w);
}

static void json_series(struct json_writer *w, const struct figure *f)
{
    json_begin_array(w, "series");
    for (uint32_t i = 0; i < f->n_series; i++) {
        json_begin_object(w, NULL);
        json_string(w, "title", f->series[i].title);
        json_string(w, "side", f->series[i].is_right ? "right" : "left");
        json_bool(w, "relative", f->series[i].is_relative);
        json_numbers(w, "values", f->series[i].values, f->n_xs);
        if (figure_has_intervals(f))
            json_numbers(w, "half_widths_95", f->series[i].halves, f->n_xs);
        json_end_object(w);
    }
    json_end_array(w);
}

/* The claim and its source, as in the file. */
static void json_claim_itself(struct json_writer *w, const struct figure_claim *c)
{
    static const char *const kinds[] = {
        [CLAIM_WORDS] = "words",         [CLAIM_HIGHEST_AT] = "highest_at",
        [CLAIM_LOWEST_AT] = "lowest_at", [CLAIM_HIGHEST_BETWEEN] = "highest_between",
        [CLAIM_BEST_AT] = "best_at",     [CLAIM_ABOUT] = "about",
        [CLAIM_AT_LEAST] = "at_least",   [CLAIM_AT_MOST] = "at_most",
        [CLAIM_LESS_THAN] = "less_than", [CLAIM_ABOVE] = "above",
        [CLAIM_BELOW] = "below"};
    static const char *const scopes[] = {[CLAIM_OF_MEAN] = "mean",
                                         [CLAIM_OF_EACH] = "every",
                                         [CLAIM_OF_MOST] = "most",
                                         [CLAIM_OF_SOME] = "some",
                                         [CLAIM_OF_LARGEST] = "largest"};
    json_string(w, "says", c->says);
    json_string(w, "source", c->source);
    json_string(w, "kind", kinds[c->kind]);
    json_string(w, "series", c->series);
    json_begin_array(w, "at");
    if (c->at)
        json_string(w, NULL, c->at);
    if (c->below)
        json_string(w, NULL, c->below);
    for (uint32_t i = 0; i < c->n_all_at; i++)
        json_string(w, NULL, c->all_at[i]);
    json_end_array(w);
    json_string(w, "scope", scopes[c->scope]);
    json_bool(w, "variation", c->is_variation);
    if (figure_claims_number(c))
        json_double(w, "about", c->about);
    if (c->times)
        json_string(w, "times", c->times);
    if (c->times_at)
        json_string(w, "times_at", c->times_at);
    if (c->kind < CLAIM_LESS_THAN)
        return;
    json_begin_array(w, "others");
    for (uint32_t i = 0; i < c->n_others; i++)
        json_string(w, NULL, c->others[i]);
    json_end_array(w);
}

static void json_claim(struct json_writer *w, const struct figure *f, const struct figure_claim *c)
{
    struct strbuf paper = {0}, ours = {0};
    const char *verdict = figure_verdict(f, c, &paper, &ours);
    json_begin_object(w, NULL);
    json_claim_itself(w, c);
    json_string(w, "paper", c->kind == CLAIM_WORDS ? NULL : strbuf_text(&paper));
    json_string(w, "heddle", ours.len ? strbuf_text(&ours) : NULL);
    json_string(w, "agrees", verdict);
    json_end_object(w);
    strbuf_destroy(&paper);
    strbuf_destroy(&ours);
}

void figure_json_definition(struct json_writer *w, struct figure *f)
{
    json_begin_object(w, NULL);
    json_string(w, "figure", f->name);
    json_string(w, "source", f->source);
    json_string(w, "title", f->title);
    json_string(w, "model", lab_model_version);
    json_uint(w, "points", f->spec.n_points);
    json_begin_array(w, "paper");
    for (uint32_t i = 0; i < f->n_claims; i++) {
        const struct figure_rule *rule =
            f->claims[i].series ? figure_rule_of(f, f->claims[i].series) : NULL;
        json_begin_object(w, NULL);
        json_claim_itself(w, &f->claims[i]);
        json_bool(w, "relative",
                  figure_claims_ratio(&f->claims[i]) ||
                      (rule && (rule->relative_name || rule->is_relative)));
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

/* The geometric means of groups of xs that claims are about. */
static void json_groups(struct json_writer *w, const struct figure *f)
{
    struct figure_groups g = figure_find_groups(f);
    json_begin_array(w, "groups");
    for (uint32_t i = 0; i < g.n; i++) {
        struct strbuf members = {0};
        figure_group_members(f, g.of[i], &members);
        json_begin_object(w, NULL);
        json_string(w, "of", strbuf_text(&members));
        json_begin_array(w, "values");
        for (uint32_t k = 0; k < f->n_series; k++) {
            double value = figure_claimed_value(f, g.of[i], &f->series[k]);
            if (isnan(value))
                json_null(w, NULL);
            else
                json_double(w, NULL, value);
        }
        json_end_array(w);
        json_end_object(w);
        strbuf_destroy(&members);
    }
    json_end_array(w);
}

/* The common size, or the size of each x if some differ. */
static void json_sizes(struct json_writer *w, struct figure *f)
{
    if (!f->spec.n_points)
        return;
    if (figure_has_one_size(f)) {
        json_string(w, "size", f->spec.points[0].size->name);
        return;
    }
    json_begin_array(w, "sizes");
    for (uint32_t x = 0; x < f->n_xs; x++)
        json_string(w, NULL, figure_size_at(f, f->xs[x]));
    json_end_array(w);
}

/* How it is drawn. */
static void json_drawing(struct json_writer *w, const struct figure *f)
{
    static const char *const charts[] = {
        [FIGURE_LINES] = "lines", [FIGURE_BARS] = "bars", [FIGURE_STACKED] = "stacked"};
    json_string(w, "chart", charts[f->chart]);
    json_string(w, "x_title", f->x_title);
    json_string(w, "y_title", f->y_title);
    json_string(w, "right_title", f->right_title);
    json_string(w, "scale", f->is_log ? "log" : "linear");
    json_string(w, "note", f->note);
}

void figure_json(struct figure *f, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "figure", f->name);
    json_string(&w, "title", f->title);
    json_string(&w, "source", f->source);
    json_uint(&w, "points", f->spec.n_points);
    json_uint(&w, "points_stored", f->n_found);
    json_drawing(&w, f);
    json_string(&w, "x_axis", f->x_axis);
    json_begin_array(&w, "x");
    for (uint32_t x = 0; x < f->n_xs; x++)
        json_string(&w, NULL, f->xs[x]);
    json_end_array(&w);
    json_sizes(&w, f);
    json_series(&w, f);
    json_groups(&w, f);
    json_begin_array(&w, "paper");
    for (uint32_t i = 0; i < f->n_claims; i++)
        json_claim(&w, f, &f->claims[i]);
    json_end_array(&w);
    json_begin_array(&w, "missing");
    for (uint32_t i = 0; i < f->spec.n_missing; i++)
        json_string(&w, NULL, f->spec.missing[i]);
    json_end_array(&w);
    json_end_object(&w);
}
