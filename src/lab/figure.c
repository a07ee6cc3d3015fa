#include "lab/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/compare.h"
#include "lab/confidence.h"
#include "lab/figure_internal.h"
#include "lab/query.h"

/* The store's results of the points. */
struct source {
    struct figure *figure;
    struct result_set found;
    const struct result **of; /* by point; NULL = none */
};

static uint32_t index_of(const char *const *items, uint32_t n, const char *text)
{
    uint32_t i = 0;
    while (i < n && strcmp(items[i], text) != 0)
        i++;
    return i;
}

/* Separates combined coordinates. */
static const char and_then[] = " + ";

const char *figure_coordinate(struct figure *f, const struct point *p, const char *name)
{
    const char *kept = "", *next;
    for (; kept && name; name = next ? next + strlen(and_then) : NULL) {
        next = strstr(name, and_then);
        struct strbuf text = {0};
        const char *one = next ? arena_strndup(&f->arena, name, (size_t)(next - name)) : name;
        if (!point_coordinate(p, one, &text))
            kept = NULL;
        else
            kept = arena_printf(&f->arena, "%s%s%s", kept, *kept ? " " : "", strbuf_text(&text));
        strbuf_destroy(&text);
    }
    return kept;
}

/* --- values of points --- */

/* Is a word of a machine part of the coordinate `name`? A scheduler or policy comes with its own
 * parameters, `scheduler=swl scheduler.limit=4`, and so do atomics units, `atomics.unit=atom_dir
 * atomics.spec_fetch=true`. */
static bool is_part(const char *word, const char *name)
{
    if (strcmp(name, "atomics") == 0)
        return strncmp(word, "atomics.", strlen("atomics.")) == 0;
    bool is_llc = strcmp(name, "llc") == 0, is_l1d = strcmp(name, "l1d") == 0;
    bool is_plugin = strcmp(name, "scheduler") == 0 || is_l1d || is_llc;
    const char *parameter = is_l1d                     ? "l1d.policy"
                            : is_llc                   ? "l2.policy"
                            : strcmp(name, "cpu") == 0 ? "cpu.programs"
                                                       : name;
    size_t n = strlen(parameter);
    return strncmp(word, parameter, n) == 0 && (word[n] == '=' || (is_plugin && word[n] == '.'));
}

/* The next word from `at` on that is not part of the coordinate. */
static uint32_t next_other(const struct point *p, uint32_t at, const char *name)
{
    while (at < p->n_words && is_part(p->words[at].text, name))
        at++;
    return at;
}

static bool are_alike_but_for(const struct point *p, const struct point *q, const char *name)
{
    uint32_t a = next_other(p, 0, name), b = next_other(q, 0, name);
    while (a < p->n_words && b < q->n_words && strcmp(p->words[a].text, q->words[b].text) == 0) {
        a = next_other(p, a + 1, name);
        b = next_other(q, b + 1, name);
    }
    return a == p->n_words && b == q->n_words;
}

/* Do two points differ only in the coordinate `name`, with the second having `value` there? */
static bool is_reference(struct figure *f, const struct point *p, const struct point *other,
                         const char *name, const char *value)
{
    if ((other->workload != p->workload && strcmp(name, "workload") != 0) ||
        (strcmp(other->size->name, p->size->name) != 0 && strcmp(name, "size") != 0) ||
        (other->seed != p->seed && strcmp(name, "seed") != 0) ||
        (strcmp(other->gpu.text, p->gpu.text) != 0 && strcmp(name, "gpu") != 0) ||
        !are_alike_but_for(p, other, name))
        return false;
    const char *its = figure_coordinate(f, other, name);
    return its && strcmp(its, value) == 0;
}

bool figure_are_seeds(struct figure *f, uint32_t point, uint32_t other)
{
    const struct point *p = &f->spec.points[point], *q = &f->spec.points[other];
    struct strbuf seed = {0};
    bool are = p->seed != q->seed && point_coordinate(q, "seed", &seed) &&
               is_reference(f, p, q, "seed", strbuf_text(&seed));
    strbuf_destroy(&seed);
    return are;
}

bool figure_has_intervals(const struct figure *f)
{
    for (uint32_t i = 0; i < f->n_series; i++)
        for (uint32_t x = 0; f->series[i].halves && x < f->n_xs; x++)
            if (!isnan(f->series[i].halves[x]))
                return true;
    return false;
}

uint32_t figure_reference(struct figure *f, uint32_t point, const struct figure_rule *rule)
{
    uint32_t i = 0;
    while (i < f->spec.n_points && !is_reference(f, &f->spec.points[point], &f->spec.points[i],
                                                 rule->relative_name, rule->relative_value))
        i++;
    return i;
}

bool figure_draws(struct figure *f, const struct figure_rule *rule, const struct point *p)
{
    if (!rule->where_name)
        return true;
    const char *its = figure_coordinate(f, p, rule->where_name);
    return its && index_of(rule->where_values, rule->n_where_values, its) < rule->n_where_values;
}

bool figure_draws_somewhere(struct figure *f, const struct point *p)
{
    for (uint32_t i = 0; i < f->n_rules; i++)
        if (figure_draws(f, &f->rules[i], p))
            return true;
    return false;
}

static double statistic(const struct source *s, uint32_t point, const char *stat)
{
    const struct result *r = s->of[point];
    const struct result_stat *found = r ? result_find(r, stat) : NULL;
    return found ? found->value : NAN;
}

static double plain_value(const struct source *s, uint32_t point, const struct figure_rule *rule)
{
    double value = statistic(s, point, rule->value);
    if (!rule->per)
        return value;
    double per = statistic(s, point, rule->per);
    return per > 0 ? value / per : NAN;
}

static double value_of(const struct source *s, uint32_t point, const struct figure_rule *rule)
{
    struct figure *f = s->figure;
    double value = plain_value(s, point, rule);
    if (!rule->relative_name)
        return value;
    uint32_t at = figure_reference(f, point, rule);
    double reference = at < f->spec.n_points ? plain_value(s, at, rule) : NAN;
    return reference > 0 ? value / reference : NAN;
}

/* --- series --- */

double figure_mean_of(enum figure_mean mean, const double *values, uint32_t n)
{
    if (!n)
        return NAN;
    for (uint32_t i = 0; i < n; i++)
        if (isnan(values[i]) || (mean != FIGURE_ARITHMETIC && values[i] <= 0))
            return NAN; /* a mean over whatever happens to be stored would not be comparable */
    return mean == FIGURE_GEOMETRIC  ? mean_geometric(values, n)
           : mean == FIGURE_HARMONIC ? mean_harmonic(values, n)
                                     : mean_arithmetic(values, n);
}

static struct figure_series *add_series(struct figure *f, const struct figure_rule *rule,
                                        const char *title)
{
    if (f->n_series == FIGURE_MAX_SERIES)
        return NULL;
    struct figure_series *line = &f->series[f->n_series++];
    *line = (struct figure_series){.title = title,
                                   .values = ARENA_ARRAY(&f->arena, double, f->n_xs + 2),
                                   .halves = ARENA_ARRAY(&f->arena, double, f->n_xs + 2),
                                   .is_right = rule->is_right,
                                   .is_relative = rule->relative_name != NULL};
    for (uint32_t i = 0; i < f->n_xs + 2; i++)
        line->values[i] = line->halves[i] = NAN;
    return line;
}

/* The value of the point whose statistic `best` is highest; NAN if a point is missing, because it
 * might be that one. */
static double best_of(const struct source *s, const struct figure_rule *rule,
                      const uint32_t *points, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (isnan(statistic(s, points[i], rule->best)))
            return NAN;
        if (statistic(s, points[i], rule->best) > statistic(s, points[best], rule->best))
            best = i;
    }
    return n ? value_of(s, points[best], rule) : NAN;
}

static double joined_value(const struct source *s, const struct figure_rule *rule,
                           const uint32_t *points, uint32_t n)
{
    if (rule->best)
        return best_of(s, rule, points, n);
    double *values = xcalloc(n + 1, sizeof *values);
    for (uint32_t i = 0; i < n; i++)
        values[i] = value_of(s, points[i], rule);
    double mean = figure_mean_of(rule->mean, values, n);
    free(values);
    return mean;
}

/* One value for all points of an x. */
static void derive_joined(const struct source *s, const struct figure_rule *rule)
{
    struct figure *f = s->figure;
    struct figure_series *line = add_series(f, rule, rule->title);
    uint32_t *points = xcalloc(f->spec.n_points + 1, sizeof *points);
    for (uint32_t x = 0; line && x < f->n_xs; x++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < f->spec.n_points; i++)
            if (figure_draws(f, rule, &f->spec.points[i]) &&
                strcmp(figure_coordinate(f, &f->spec.points[i], f->x_axis), f->xs[x]) == 0)
                points[n++] = i;
        line->values[x] = joined_value(s, rule, points, n);
    }
    if (line && rule->with_mean)
        line->values[f->n_xs] = figure_mean_of(rule->with_mean, line->values, f->n_xs);
    free(points);
}

const char *figure_title(struct figure *f, const struct figure_rule *rule, const char *value)
{
    const yaml_node_t *name = rule->names ? yaml_find(&f->doc, rule->names, value) : NULL;
    const char *text = name ? yaml_scalar(&f->doc, name, "a title") : NULL;
    return text ? text : value;
}

/* Of the point and of those that differ from it only in their seeds. Missing if one of them is. */
static struct confidence value_over_seeds(const struct source *s, uint32_t point,
                                          const struct figure_rule *rule)
{
    struct figure *f = s->figure;
    double *values = xcalloc(f->spec.n_points + 1, sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->spec.n_points; i++)
        if (i == point || figure_are_seeds(f, point, i))
            values[n++] = value_of(s, i, rule);
    struct confidence c = confidence_of(values, n);
    free(values);
    return c;
}

static void derive_over(const struct source *s, const struct figure_rule *rule)
{
    struct figure *f = s->figure;
    const char *values[FIGURE_MAX_SERIES];
    uint32_t n_values = 0, first = f->n_series;
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const struct point *p = &f->spec.points[i];
        if (!figure_draws(f, rule, p))
            continue;
        const char *value = figure_coordinate(f, p, rule->over);
        uint32_t at = index_of(values, n_values, value);
        if (at == n_values) {
            if (!add_series(f, rule, figure_title(f, rule, value)))
                continue;
            values[n_values++] = value;
        }
        uint32_t x = index_of(f->xs, f->n_xs, figure_coordinate(f, p, f->x_axis));
        if (f->is_of_seeds) {
            struct confidence c = value_over_seeds(s, i, rule);
            f->series[first + at].values[x] = c.mean;
            f->series[first + at].halves[x] = c.half;
        } else {
            f->series[first + at].values[x] = value_of(s, i, rule);
        }
    }
    for (uint32_t k = first; rule->with_mean && k < f->n_series; k++)
        f->series[k].values[f->n_xs] =
            figure_mean_of(rule->with_mean, f->series[k].values, f->n_xs);
}

/* Adds the x of the points that have `value` at `axis`. */
static void find_xs_of(struct figure *f, const char *axis, const char *value)
{
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const struct point *p = &f->spec.points[i];
        if (!figure_draws_somewhere(f, p) || strcmp(figure_coordinate(f, p, axis), value) != 0)
            continue;
        const char *x = figure_coordinate(f, p, f->x_axis);
        if (index_of(f->xs, f->n_xs, x) < f->n_xs)
            continue;
        ARRAY_RESERVE(f->xs, f->cap_xs, f->n_xs + 2);
        f->xs[f->n_xs++] = x;
    }
}

/* In the order of points; for combined coordinates, xs with the same first part are adjacent. */
static void find_xs(struct figure *f)
{
    const char *plus = strstr(f->x_axis, and_then);
    const char *axis =
        plus ? arena_strndup(&f->arena, f->x_axis, (size_t)(plus - f->x_axis)) : f->x_axis;
    const char **seen = ARENA_ARRAY(&f->arena, const char *, f->spec.n_points + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        if (!figure_draws_somewhere(f, &f->spec.points[i]))
            continue;
        const char *value = figure_coordinate(f, &f->spec.points[i], axis);
        if (index_of(seen, n, value) < n)
            continue;
        seen[n++] = value;
        find_xs_of(f, axis, value);
    }
}

const char *const figure_mean_titles[] = {"", "mean", "geometric mean", "harmonic mean"};

static void add_mean_x(struct figure *f)
{
    for (uint32_t i = 0; i < f->n_rules; i++)
        if (f->rules[i].with_mean && f->n_xs) {
            f->xs[f->n_xs++] = figure_mean_titles[f->rules[i].with_mean];
            return;
        }
}

static enum heddle_status find_results(struct source *s, struct store *store)
{
    struct figure *f = s->figure;
    enum heddle_status status = HEDDLE_OK;
    uint32_t *at = xcalloc(f->spec.n_points + 1, sizeof *at);
    for (uint32_t i = 0; status == HEDDLE_OK && i < f->spec.n_points; i++) {
        enum store_state state;
        int64_t id;
        at[i] = UINT32_MAX;
        status = store_find(store, f->spec.points[i].key, &state, &id);
        if (status != HEDDLE_OK || state != STORE_DONE)
            continue;
        at[i] = s->found.n;
        f->n_found++;
        status = result_load(store, id, &s->found, &f->arena);
    }
    for (uint32_t i = 0; status == HEDDLE_OK && i < f->spec.n_points; i++)
        s->of[i] = at[i] == UINT32_MAX ? NULL : &s->found.items[at[i]];
    free(at);
    return status;
}

static void swap_xs(struct figure *f, uint32_t a, uint32_t b)
{
    const char *x = f->xs[a];
    f->xs[a] = f->xs[b];
    f->xs[b] = x;
    for (uint32_t i = 0; i < f->n_series; i++) {
        struct figure_series *line = &f->series[i];
        double value = line->values[a], half = line->halves[a];
        line->values[a] = line->values[b];
        line->values[b] = value;
        line->halves[a] = line->halves[b];
        line->halves[b] = half;
    }
}

/* Ascending by the values of a series; missing values stay in place. */
static void sort_xs(struct figure *f)
{
    uint32_t by = 0;
    while (by < f->n_series && strcmp(f->series[by].title, f->sort_by) != 0)
        by++;
    for (uint32_t i = 1; by < f->n_series && i < f->n_xs; i++)
        for (uint32_t k = i; k && f->series[by].values[k] < f->series[by].values[k - 1]; k--)
            swap_xs(f, k, k - 1);
}

/* Are there several seeds that are not a coordinate of the figure? */
static bool has_seeds_in_one_place(const struct figure *f)
{
    bool are_shown = strstr(f->x_axis, "seed") != NULL, are_several = false;
    for (uint32_t i = 0; i < f->n_rules; i++)
        are_shown |= f->rules[i].over && strstr(f->rules[i].over, "seed");
    for (uint32_t i = 1; i < f->spec.n_points; i++)
        are_several |= f->spec.points[i].seed != f->spec.points[0].seed;
    return are_several && !are_shown;
}

enum heddle_status figure_derive(struct figure *f, struct store *store)
{
    struct source s = {.figure = f, .of = xcalloc(f->spec.n_points + 1, sizeof *s.of)};
    enum heddle_status status = find_results(&s, store);
    f->is_of_seeds = has_seeds_in_one_place(f);
    if (status == HEDDLE_OK) {
        find_xs(f);
        for (uint32_t i = 0; i < f->n_rules; i++)
            (f->rules[i].over ? derive_over : derive_joined)(&s, &f->rules[i]);
        if (f->sort_by)
            sort_xs(f);
        add_mean_x(f);
    }
    free(s.found.items);
    free(s.of);
    return status;
}
