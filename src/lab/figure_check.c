/* Checks that a figure's rules fit its points: whatever could only be drawn wrongly or not at all
 * is an error at its position in the file. Mechanisms that Heddle lacks are not errors here: they
 * are noted as missing. */
#include <stdlib.h>
#include <string.h>

#include "analysis/locality.h"
#include "gpu/machine.h"
#include "lab/figure_internal.h"
#include "stats/run_stats.h"

/* Does the experiment request it although Heddle does not have it? */
static bool is_missing(const struct figure *f, const char *name)
{
    struct strbuf quoted = {0};
    bool found = false;
    strbuf_addf(&quoted, "'%s'", name);
    for (uint32_t i = 0; i < f->spec.n_missing; i++)
        found |= strstr(f->spec.missing[i], strbuf_text(&quoted)) != NULL;
    strbuf_destroy(&quoted);
    return found;
}

static const yaml_node_t *place_of(struct figure *f, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = yaml_find(&f->doc, map, key);
    return node ? node : map;
}

/* --- statistics and coordinates --- */

/* Is it a statistic that runs have only on request? Then the experiment must request it. */
static bool check_measure(struct figure *f, const yaml_node_t *at, const char *name)
{
    uint32_t i = 0;
    while (i < locality_stat_count() && strcmp(locality_stat_at(NULL, i).name, name) != 0)
        i++;
    if (i == locality_stat_count())
        return false;
    if (!(f->spec.measures & locality_stat_part(i)))
        yaml_complain(&f->doc, at,
                      locality_stat_part(i) == LOCALITY_RUN
                          ? "add measure: [locality] to the experiment"
                          : "add measure: [belady] to the experiment",
                      "no run of this experiment has '%s'", name);
    return true;
}

static void check_statistic(struct figure *f, const struct figure_rule *rule, const char *key,
                            const char *name)
{
    const struct run_stats none = {0};
    uint32_t n_machine = machine_stat_count(NULL), n_own = n_machine + run_stats_count(), n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&f->arena, &n_listed);
    uint32_t n = n_own + n_listed;
    const char **names = ARENA_ARRAY(&f->arena, const char *, n);
    bool is_known = false;
    for (uint32_t i = 0; i < n; i++) {
        names[i] = i < n_machine ? machine_stat_at(NULL, i).name
                   : i < n_own   ? run_stats_at(&none, i - n_machine).name
                                 : listed[i - n_own].stat.name;
        is_known |= strcmp(names[i], name) == 0;
    }
    if (is_known || check_measure(f, place_of(f, rule->node, key), name))
        return;
    const char *near = suggest_hint(&f->doc.diags->arena, name, names, n);
    yaml_complain(&f->doc, place_of(f, rule->node, key),
                  near ? near : "`heddle show stats` lists them", "there is no statistic '%s'",
                  name);
}

/* Every point that a rule draws must have the coordinate. NULL: any rule. */
static bool check_coordinate(struct figure *f, const struct figure_rule *rule,
                             const yaml_node_t *at, const char *name)
{
    const struct point *lacking = NULL;
    uint32_t n_having = 0;
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const struct point *p = &f->spec.points[i];
        if (figure_coordinate(f, p, name))
            n_having++;
        else if (rule ? figure_draws(f, rule, p) : figure_draws_somewhere(f, p))
            lacking = p;
    }
    if (!lacking)
        return true;
    struct strbuf who = {0};
    point_describe(lacking, &who);
    if (n_having)
        yaml_complain(&f->doc, at, NULL, "the point '%s' has no '%s'", strbuf_text(&who), name);
    else
        yaml_complain(&f->doc, at,
                      "coordinates are workload, size, seed, gpu, scheduler, l1d, llc, cpu, "
                      "atomics, the parameters "
                      "that the experiment sets, and the inputs and classes of workloads",
                      "no point of the experiment has '%s'", name);
    strbuf_destroy(&who);
    return false;
}

static bool some_point_has(struct figure *f, const char *name, const char *value)
{
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const char *its = figure_coordinate(f, &f->spec.points[i], name);
        if (its && strcmp(its, value) == 0)
            return true;
    }
    return false;
}

/* --- series --- */

static void check_reference(struct figure *f, const struct figure_rule *rule)
{
    const yaml_node_t *at = place_of(f, rule->node, "relative_to");
    if (is_missing(f, rule->relative_value))
        return;
    if (!some_point_has(f, rule->relative_name, rule->relative_value)) {
        yaml_complain(&f->doc, at, "write it as the axis has it", "no point has %s '%s'",
                      rule->relative_name, rule->relative_value);
        return;
    }
    for (uint32_t i = 0; !f->spec.n_missing && i < f->spec.n_points; i++) {
        if (!figure_draws(f, rule, &f->spec.points[i]) ||
            figure_reference(f, i, rule) < f->spec.n_points)
            continue;
        struct strbuf who = {0};
        point_describe(&f->spec.points[i], &who);
        yaml_complain(&f->doc, at, NULL,
                      "nothing to relate '%s' to: no other point that differs from it only in %s "
                      "has %s there",
                      strbuf_text(&who), rule->relative_name, rule->relative_value);
        strbuf_destroy(&who);
        return;
    }
}

static void complain_of_pair(struct figure *f, const struct figure_rule *rule, uint32_t a,
                             uint32_t b)
{
    struct strbuf first = {0}, second = {0};
    point_describe(&f->spec.points[a], &first);
    point_describe(&f->spec.points[b], &second);
    yaml_complain(&f->doc, place_of(f, rule->node, "over"),
                  "draw over the coordinate in which they differ, take a mean, or leave one out "
                  "with `except`",
                  "two points would coincide in the figure, with the same %s and %s: '%s' and '%s'",
                  f->x_axis, rule->over, strbuf_text(&first), strbuf_text(&second));
    strbuf_destroy(&first);
    strbuf_destroy(&second);
}

struct place {
    const char *x, *value;
    uint32_t point;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int order = strcmp(p->x, q->x);
    order = order ? order : strcmp(p->value, q->value);
    return order ? order : (p->point > q->point) - (p->point < q->point);
}

/* No two points of a rule may have the same x in one series. */
static void check_places(struct figure *f, const struct figure_rule *rule)
{
    uint32_t n = 0;
    struct place *places = xcalloc(f->spec.n_points + 1, sizeof *places);
    for (uint32_t i = 0; i < f->spec.n_points; i++)
        if (figure_draws(f, rule, &f->spec.points[i]))
            places[n++] = (struct place){figure_coordinate(f, &f->spec.points[i], f->x_axis),
                                         figure_coordinate(f, &f->spec.points[i], rule->over), i};
    qsort(places, n, sizeof *places, compare_places);
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(places[i - 1].x, places[i].x) == 0 &&
            strcmp(places[i - 1].value, places[i].value) == 0 &&
            !figure_are_seeds(f, places[i - 1].point, places[i].point)) {
            complain_of_pair(f, rule, places[i - 1].point, places[i].point);
            break;
        }
    free(places);
}

static void check_names(struct figure *f, const struct figure_rule *rule)
{
    uint32_t n = rule->names ? yaml_pairs(&f->doc, rule->names, "{VALUE: title}") : 0;
    for (uint32_t i = 0; i < n; i++) {
        const yaml_node_t *key = yaml_key(&f->doc, rule->names, i);
        const char *value = yaml_scalar(&f->doc, key, "a value");
        if (value && !is_missing(f, value) && !some_point_has(f, rule->over, value))
            yaml_complain(&f->doc, key, "write it as the axis has it", "no point has %s '%s'",
                          rule->over, value);
    }
}

static void check_rule(struct figure *f, const struct figure_rule *rule, bool x_is_known)
{
    check_statistic(f, rule, "value", rule->value);
    if (rule->per)
        check_statistic(f, rule, "per", rule->per);
    if (rule->best)
        check_statistic(f, rule, "best", rule->best);
    if (!f->spec.attribute && strncmp(rule->value, "attribution.", 12) == 0)
        yaml_complain(&f->doc, place_of(f, rule->node, "value"), "add it to the sweep",
                      "no point has '%s' without `measure: [attribution]`", rule->value);
    if (rule->with_mean && rule->with_mean != f->rules[0].with_mean)
        yaml_complain(&f->doc, place_of(f, rule->node, "with_mean"), NULL,
                      "all series of a figure must have the same mean; the first has another");
    if (rule->relative_name)
        check_reference(f, rule);
    for (uint32_t i = 0; i < rule->n_where_values; i++)
        if (!is_missing(f, rule->where_values[i]) &&
            !some_point_has(f, rule->where_name, rule->where_values[i]))
            yaml_complain(&f->doc, place_of(f, rule->node, "where"), "write it as the axis has it",
                          "no point has %s '%s'", rule->where_name, rule->where_values[i]);
    if (!rule->over || !check_coordinate(f, rule, place_of(f, rule->node, "over"), rule->over))
        return;
    check_names(f, rule);
    if (x_is_known)
        check_places(f, rule);
}

/* --- what the paper says --- */

static uint32_t count_series(struct figure *f, const char **titles)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < f->n_rules; r++) {
        const struct figure_rule *rule = &f->rules[r];
        uint32_t first = n;
        for (uint32_t i = 0; i < (rule->over ? f->spec.n_points : 1); i++) {
            if (rule->over && !figure_draws(f, rule, &f->spec.points[i]))
                continue;
            const char *title =
                rule->over
                    ? figure_title(f, rule, figure_coordinate(f, &f->spec.points[i], rule->over))
                    : rule->title;
            bool is_new = true;
            for (uint32_t k = first; k < n; k++)
                is_new &= strcmp(titles[k], title) != 0;
            if (is_new && n < FIGURE_MAX_SERIES)
                titles[n] = title;
            else if (is_new)
                return n + 1;
            n += is_new;
        }
    }
    return n;
}

static bool makes_series(struct figure *f, const struct figure_rule *rule, const char *series)
{
    if (!rule->over)
        return strcmp(rule->title ? rule->title : rule->value, series) == 0;
    for (uint32_t i = 0; i < f->spec.n_points; i++) {
        const struct point *p = &f->spec.points[i];
        const char *value = figure_coordinate(f, p, rule->over);
        if (value && figure_draws(f, rule, p) && strcmp(figure_title(f, rule, value), series) == 0)
            return true;
    }
    return false;
}

const struct figure_rule *figure_rule_of(struct figure *f, const char *series)
{
    for (uint32_t i = 0; i < f->n_rules; i++)
        if (makes_series(f, &f->rules[i], series))
            return &f->rules[i];
    return NULL;
}

static void check_x(struct figure *f, const struct figure_claim *c, const char *x)
{
    bool is_known = is_missing(f, x) || some_point_has(f, f->x_axis, x);
    for (uint32_t i = 0; i < f->n_rules; i++)
        is_known |=
            f->rules[i].with_mean && strcmp(x, figure_mean_titles[f->rules[i].with_mean]) == 0;
    if (!is_known)
        yaml_complain(&f->doc, c->node, "write it as the axis has it",
                      "no point has %s '%s', which this is about", f->x_axis, x);
}

static void check_series(struct figure *f, const yaml_node_t *at, const char *series,
                         const char **titles, uint32_t n_titles)
{
    bool is_known = !series || is_missing(f, series);
    for (uint32_t i = 0; !is_known && i < n_titles; i++)
        is_known = strcmp(titles[i], series) == 0;
    if (!is_known)
        yaml_complain(&f->doc, at, suggest_hint(&f->doc.diags->arena, series, titles, n_titles),
                      "the figure has no series '%s'", series);
}

static void check_claim(struct figure *f, const struct figure_claim *c, const char **titles,
                        uint32_t n_titles)
{
    check_series(f, place_of(f, c->node, "series"), c->series, titles, n_titles);
    if (c->times)
        check_series(f, place_of(f, c->node, "times"), c->times, titles, n_titles);
    for (uint32_t i = 0; i < c->n_others; i++)
        if (c->kind == CLAIM_LESS_THAN)
            check_series(f, place_of(f, c->node, "less_than"), c->others[i], titles, n_titles);
        else
            check_x(f, c, c->others[i]);
    if (c->times_at)
        check_x(f, c, c->times_at);
    if (c->at)
        check_x(f, c, c->at);
    if (c->below)
        check_x(f, c, c->below);
    for (uint32_t i = 0; i < c->n_all_at; i++)
        check_x(f, c, c->all_at[i]);
}

static void check_row(struct figure *f, const struct figure_claim *c, const char *x)
{
    for (uint32_t i = 0; i < f->n_xs; i++)
        if (strcmp(f->xs[i], x) == 0)
            return;
    yaml_complain(&f->doc, c->node, NULL, "the table has no %s '%s', which this is about",
                  f->x_axis, x);
}

static void check_column(struct figure *f, const struct figure_claim *c, const char *series)
{
    bool is_known = !series;
    for (uint32_t k = 0; series && k < f->n_series; k++)
        is_known |= strcmp(f->series[k].title, series) == 0;
    if (!is_known)
        yaml_complain(&f->doc, c->node, NULL, "the figure has no series '%s'", series);
}

void figure_check_claims(struct figure *f)
{
    for (uint32_t i = 0; i < f->n_claims; i++) {
        const struct figure_claim *c = &f->claims[i];
        check_column(f, c, c->series);
        check_column(f, c, c->times);
        for (uint32_t k = 0; k < c->n_others; k++)
            (c->kind == CLAIM_LESS_THAN ? check_column : check_row)(f, c, c->others[k]);
        if (c->times_at)
            check_row(f, c, c->times_at);
        for (uint32_t k = 0; k < c->n_all_at; k++)
            check_row(f, c, c->all_at[k]);
        if (c->at)
            check_row(f, c, c->at);
    }
}

/* Is it sorted by one of its series? */
static void check_order(struct figure *f, yaml_node_t *root, const char **titles, uint32_t n)
{
    bool is_known = !f->sort_by;
    for (uint32_t i = 0; !is_known && i < n; i++)
        is_known = strcmp(titles[i], f->sort_by) == 0;
    if (!is_known)
        yaml_complain(&f->doc, place_of(f, yaml_find(&f->doc, root, "x"), "sort_by"),
                      suggest_hint(&f->doc.diags->arena, f->sort_by, titles, n),
                      "the figure has no series '%s'", f->sort_by);
}

void figure_check(struct figure *f, yaml_node_t *root)
{
    const char *titles[FIGURE_MAX_SERIES];
    uint32_t errors_before = f->doc.diags->n_errors;
    if (!f->spec.n_points)
        return;
    bool x_is_known =
        check_coordinate(f, NULL, place_of(f, yaml_find(&f->doc, root, "x"), "axis"), f->x_axis);
    for (uint32_t i = 0; i < f->n_rules; i++)
        check_rule(f, &f->rules[i], x_is_known);
    if (f->doc.diags->n_errors != errors_before)
        return;
    uint32_t n_titles = count_series(f, titles);
    if (n_titles > FIGURE_MAX_SERIES)
        yaml_complain(&f->doc, place_of(f, root, "series"), NULL, "more than %d series",
                      FIGURE_MAX_SERIES);
    else
        check_order(f, root, titles, n_titles);
    for (uint32_t i = 0; n_titles <= FIGURE_MAX_SERIES && i < f->n_claims; i++)
        check_claim(f, &f->claims[i], titles, n_titles);
}
