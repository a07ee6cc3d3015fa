#include <stdlib.h>
#include <string.h>

#include "lab/figure_internal.h"

#define FIGURE(identifier, text) extern const char figure_##identifier##_text[];
#include "lab/figures.def"
#undef FIGURE

const char *const figure_names[] = {
#define FIGURE(identifier, text) text,
#include "lab/figures.def"
#undef FIGURE
};
const uint32_t n_figure_names = sizeof figure_names / sizeof figure_names[0];

static const char *const figure_texts[] = {
#define FIGURE(identifier, text) figure_##identifier##_text,
#include "lab/figures.def"
#undef FIGURE
};

static const char *text_of(struct figure *f, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = yaml_find(&f->doc, map, key);
    return node ? yaml_scalar(&f->doc, node, "a text") : NULL;
}

/* The same for a required key. */
static const char *needed_text(struct figure *f, const yaml_node_t *map, const char *key)
{
    if (yaml_find(&f->doc, map, key))
        return text_of(f, map, key);
    yaml_complain(&f->doc, map, NULL, "'%s' is missing here", key);
    return NULL;
}

static int choice_of(struct figure *f, const yaml_node_t *map, const char *key,
                     const char *const *names, int n)
{
    const yaml_node_t *node = yaml_find(&f->doc, map, key);
    const char *text = node ? yaml_scalar(&f->doc, node, "a word") : NULL;
    for (int i = 0; text && i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    if (text)
        yaml_complain(&f->doc, node, suggest_hint(&f->doc.diags->arena, text, names, (uint32_t)n),
                      "there is no %s '%s'", key, text);
    return 0;
}

/* A text, or a list of them. */
static const char **read_texts(struct figure *f, yaml_node_t *node, uint32_t *n)
{
    const char **texts = ARENA_ARRAY(&f->arena, const char *, yaml_count(node) + 1);
    *n = 0;
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const char *text = yaml_scalar(&f->doc, yaml_item(&f->doc, node, i), "a value");
        if (text)
            texts[(*n)++] = text;
    }
    return texts;
}

/* --- series --- */

static void read_coordinate(struct figure *f, yaml_node_t *node, const char *key, const char **name,
                            const char **value)
{
    yaml_node_t *at = yaml_find(&f->doc, node, key);
    if (at && yaml_pairs(&f->doc, at, "one coordinate: {scheduler.limit: 32}") == 1) {
        *name = yaml_scalar(&f->doc, yaml_key(&f->doc, at, 0), "a name");
        *value = yaml_scalar(&f->doc, yaml_value(&f->doc, at, 0), "a value");
    }
    if (at && !*name)
        yaml_complain(&f->doc, at, NULL, "expected one coordinate: {scheduler.limit: 32}");
}

/* A series of a table is a column of it. */
static void check_table_rule(struct figure *f, const struct figure_rule *rule)
{
    static const char *const others[] = {"per",       "over",  "mean",        "names",
                                         "with_mean", "where", "relative_to", "best"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const yaml_node_t *node = yaml_find(&f->doc, rule->node, others[i]);
        if (node)
            yaml_complain(&f->doc, node, NULL, "a series of a table cannot have '%s'", others[i]);
    }
}

/* {scheduler: gto}, or one of several: {scheduler: [gto, ccws]}. */
static void read_where(struct figure *f, yaml_node_t *node, struct figure_rule *rule)
{
    yaml_node_t *at = yaml_find(&f->doc, node, "where");
    if (!at)
        return;
    if (yaml_pairs(&f->doc, at, "one coordinate: {scheduler: [gto, ccws]}") == 1) {
        rule->where_name = yaml_scalar(&f->doc, yaml_key(&f->doc, at, 0), "a name");
        rule->where_values = read_texts(f, yaml_value(&f->doc, at, 0), &rule->n_where_values);
    }
    if (!rule->where_name || !rule->n_where_values)
        yaml_complain(&f->doc, at, NULL, "expected one coordinate: {scheduler: [gto, ccws]}");
}

static void read_rule(struct figure *f, yaml_node_t *node)
{
    static const char *const keys[] = {"title", "value", "per",         "over",
                                       "mean",  "best",  "names",       "with_mean",
                                       "side",  "where", "relative_to", "relative"};
    static const char *const means[] = {"none", "arithmetic", "geometric", "harmonic"};
    static const char *const sides[] = {"left", "right"}, *const truths[] = {"false", "true"};
    struct figure_rule *rule = &f->rules[f->n_rules++];
    rule->node = node;
    yaml_check_keys(&f->doc, node, keys, sizeof keys / sizeof keys[0]);
    rule->title = text_of(f, node, "title");
    rule->value = needed_text(f, node, "value");
    rule->per = text_of(f, node, "per");
    rule->over = text_of(f, node, "over");
    rule->mean = (enum figure_mean)choice_of(f, node, "mean", means, 4);
    rule->best = text_of(f, node, "best");
    rule->with_mean = (enum figure_mean)choice_of(f, node, "with_mean", means, 4);
    rule->is_right = choice_of(f, node, "side", sides, 2) == 1;
    rule->names = yaml_find(&f->doc, node, "names");
    read_coordinate(f, node, "relative_to", &rule->relative_name, &rule->relative_value);
    read_where(f, node, rule);
    rule->is_relative = choice_of(f, node, "relative", truths, 2) == 1;
    if (f->table) {
        check_table_rule(f, rule);
        return;
    }
    if ((rule->over != NULL) + (rule->mean != FIGURE_NO_MEAN) + (rule->best != NULL) != 1)
        yaml_complain(&f->doc, node, NULL, "a series needs one of 'over', 'mean' and 'best'");
    if (yaml_find(&f->doc, node, "relative"))
        yaml_complain(&f->doc, yaml_find(&f->doc, node, "relative"), NULL,
                      "only a series of a table can have this; others have 'relative_to'");
    if (!rule->over && !rule->title)
        yaml_complain(&f->doc, node, NULL, "a %s needs a title", rule->best ? "best" : "mean");
}

/* --- what the paper says --- */

static const char *const scope_keys[] = {[CLAIM_OF_MEAN] = "at",
                                         [CLAIM_OF_EACH] = "every",
                                         [CLAIM_OF_MOST] = "most",
                                         [CLAIM_OF_SOME] = "some",
                                         [CLAIM_OF_LARGEST] = "largest_of"};

static void read_place(struct figure *f, yaml_node_t *node, struct figure_claim *c)
{
    yaml_node_t *at = NULL;
    for (int scope = CLAIM_OF_LARGEST; scope >= CLAIM_OF_MEAN && !at; scope--) {
        at = yaml_find(&f->doc, node, scope_keys[scope]);
        c->scope = (enum claim_scope)scope;
    }
    if (c->scope == CLAIM_OF_MEAN && (!at || at->type != YAML_SEQUENCE_NODE)) {
        c->at = needed_text(f, node, "at");
        return;
    }
    c->all_at = read_texts(f, at, &c->n_all_at);
    if (!c->n_all_at)
        yaml_complain(&f->doc, at, NULL, "this claim is about no x; give at least one");
}

/* `key` is about, at_least or at_most. */
static void read_number(struct figure *f, yaml_node_t *node, struct figure_claim *c,
                        const char *key)
{
    const char *text = text_of(f, node, key);
    char *end = NULL;
    c->about = text ? strtod(text, &end) : 0;
    if (text && (!(c->about > 0) || *end))
        yaml_complain(&f->doc, yaml_find(&f->doc, node, key), NULL,
                      "expected a number above 0, not '%s'", text);
    c->times = text_of(f, node, "times");
    c->times_at = text_of(f, node, "times_at");
    read_place(f, node, c);
}

/* Compared with other series, or other xs: one, a list, or for xs `others`, all that the claim is
 * not about. */
static void read_others(struct figure *f, yaml_node_t *node, struct figure_claim *c,
                        const char *key)
{
    yaml_node_t *list = yaml_find(&f->doc, node, key);
    c->others = read_texts(f, list, &c->n_others);
    bool is_of_all =
        c->kind != CLAIM_LESS_THAN && c->n_others == 1 && strcmp(c->others[0], "others") == 0;
    if (is_of_all)
        c->n_others = 0;
    else if (!c->n_others)
        yaml_complain(&f->doc, list, NULL, "give the %s",
                      c->kind == CLAIM_LESS_THAN ? "series that it is less than"
                                                 : "xs that it is compared with, or `others`");
    read_place(f, node, c);
    if (c->scope == CLAIM_OF_LARGEST)
        yaml_complain(&f->doc, node, NULL, "only a number can be about the largest value");
}

/* What is said, in one of several ways; none: only a person can judge. */
static void read_condition(struct figure *f, yaml_node_t *node, struct figure_claim *c)
{
    static const struct {
        const char *key;
        enum claim_kind kind;
    } kinds[] = {{"highest_at", CLAIM_HIGHEST_AT},
                 {"lowest_at", CLAIM_LOWEST_AT},
                 {"best_at", CLAIM_BEST_AT},
                 {"about", CLAIM_ABOUT},
                 {"at_least", CLAIM_AT_LEAST},
                 {"at_most", CLAIM_AT_MOST},
                 {"less_than", CLAIM_LESS_THAN},
                 {"above", CLAIM_ABOVE},
                 {"below", CLAIM_BELOW}};
    yaml_node_t *between = yaml_find(&f->doc, node, "highest_between");
    if (between && yaml_count(between) == 2) {
        c->kind = CLAIM_HIGHEST_BETWEEN;
        c->at = yaml_scalar(&f->doc, yaml_item(&f->doc, between, 0), "a value");
        c->below = yaml_scalar(&f->doc, yaml_item(&f->doc, between, 1), "a value");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && c->kind == CLAIM_WORDS; i++)
        if (yaml_find(&f->doc, node, kinds[i].key)) {
            c->kind = kinds[i].kind;
            if (figure_claims_number(c))
                read_number(f, node, c, kinds[i].key);
            else if (c->kind >= CLAIM_LESS_THAN)
                read_others(f, node, c, kinds[i].key);
            else
                c->at = text_of(f, node, kinds[i].key);
        }
    bool has_place = between != NULL;
    for (int scope = CLAIM_OF_MEAN; scope <= CLAIM_OF_LARGEST; scope++)
        has_place |= yaml_find(&f->doc, node, scope_keys[scope]) != NULL;
    if (c->kind == CLAIM_WORDS && has_place)
        yaml_complain(&f->doc, node,
                      "at: X, about: VALUE; at: X, less_than: SERIES; or highest_between: [X, X]",
                      "give what the paper says here");
}

static void read_claim(struct figure *f, yaml_node_t *node)
{
    static const char *const keys[] = {
        "says",  "source", "series",   "highest_at", "lowest_at", "highest_between", "best_at",
        "at",    "about",  "at_least", "at_most",    "less_than", "above",           "below",
        "every", "most",   "some",     "largest_of", "times",     "times_at",        "variation"};
    static const char *const truths[] = {"false", "true"};
    struct figure_claim *c = &f->claims[f->n_claims++];
    c->node = node;
    yaml_check_keys(&f->doc, node, keys, sizeof keys / sizeof keys[0]);
    c->says = needed_text(f, node, "says");
    c->source = needed_text(f, node, "source");
    c->series = text_of(f, node, "series");
    c->is_variation = choice_of(f, node, "variation", truths, 2) == 1;
    read_condition(f, node, c);
    if (figure_claims_ratio(c) !=
        (yaml_find(&f->doc, node, "times") || yaml_find(&f->doc, node, "times_at")))
        yaml_complain(&f->doc, node, NULL, "only a number can be `times` another");
    if (c->kind != CLAIM_WORDS && !c->series)
        yaml_complain(&f->doc, node, NULL, "give the series that this claim is about");
}

static void read_list(struct figure *f, yaml_node_t *list,
                      void (*read)(struct figure *f, yaml_node_t *node))
{
    for (uint32_t i = 0; i < yaml_count(list); i++) {
        yaml_node_t *item = yaml_item(&f->doc, list, i);
        if (yaml_pairs(&f->doc, item, "a map"))
            read(f, item);
    }
}

/* --- the file --- */

static void read_top(struct figure *f, yaml_node_t *root)
{
    static const char *const keys[] = {"title", "source", "note",   "chart", "x",     "y",
                                       "right", "sweep",  "series", "paper", "table", "scale"};
    static const char *const charts[] = {"lines", "bars", "stacked"}, *const scales[] = {"linear",
                                                                                         "log"};
    yaml_check_keys(&f->doc, root, keys, sizeof keys / sizeof keys[0]);
    f->title = needed_text(f, root, "title");
    f->source = needed_text(f, root, "source");
    f->note = text_of(f, root, "note");
    f->y_title = needed_text(f, root, "y");
    f->right_title = text_of(f, root, "right");
    f->table = text_of(f, root, "table");
    f->chart = (enum figure_chart)choice_of(f, root, "chart", charts, 3);
    f->is_log = choice_of(f, root, "scale", scales, 2) == 1;
    const yaml_node_t *x = yaml_find(&f->doc, root, "x");
    if (x) {
        f->x_axis = needed_text(f, x, "axis");
        f->x_title = needed_text(f, x, "title");
        f->sort_by = text_of(f, x, "sort_by");
    } else {
        yaml_complain(&f->doc, root, "x: {axis: workload, title: workload}", "'x' is missing here");
    }
}

static void read_root(struct figure *f, yaml_node_t *root, const struct spec_changes *changes)
{
    struct spec_changes lenient = *changes;
    lenient.notes_missing = true;
    read_top(f, root);
    yaml_node_t *sweep = yaml_find(&f->doc, root, "sweep");
    yaml_node_t *series = yaml_find(&f->doc, root, "series");
    yaml_node_t *paper = yaml_find(&f->doc, root, "paper");
    if ((!sweep && !f->table) || !series) {
        yaml_complain(&f->doc, root, NULL, "'%s' is missing here", series ? "sweep" : "series");
        return;
    }
    if (sweep && f->table)
        yaml_complain(&f->doc, root, NULL, "a figure is of a sweep or of a table, not both");
    if (f->table && f->sort_by)
        yaml_complain(&f->doc, root, NULL, "the rows of a table are already in order");
    f->rules = ARENA_ARRAY(&f->arena, struct figure_rule, yaml_count(series) + 1);
    read_list(f, series, read_rule);
    if (paper) {
        f->claims = ARENA_ARRAY(&f->arena, struct figure_claim, yaml_count(paper) + 1);
        read_list(f, paper, read_claim);
    }
    if (sweep && spec_read(&f->spec, &f->doc, sweep, &lenient) && !f->doc.diags->n_errors)
        figure_check(f, root);
}

bool figure_is_file(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}

/* The file's text, in the arena; NULL after an error. */
static const char *find_text(struct figure *f, const char *name, enum heddle_status *status,
                             struct diag_list *diags)
{
    for (uint32_t i = 0; i < n_figure_names; i++)
        if (strcmp(figure_names[i], name) == 0)
            return figure_texts[i];
    if (!figure_is_file(name)) {
        const char *near = suggest_hint(&diags->arena, name, figure_names, n_figure_names);
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, near ? near : "`heddle figure` lists them",
                 "there is no figure '%s'", name);
        return NULL;
    }
    struct strbuf text = {0};
    *status = yaml_file_read(name, &text, diags);
    const char *kept = arena_strndup(&f->arena, strbuf_text(&text), text.len);
    strbuf_destroy(&text);
    return *status == HEDDLE_OK ? kept : NULL;
}

enum heddle_status figure_read(struct figure *f, const char *name,
                               const struct spec_changes *changes, struct diag_list *diags)
{
    uint32_t errors_before = diags->n_errors;
    f->name = arena_strdup(&f->arena, name);
    enum heddle_status status = HEDDLE_BAD_INPUT;
    const char *text = find_text(f, name, &status, diags);
    if (!text)
        return status;
    f->has_doc = yaml_doc_load(&f->doc, f->name, text, diags);
    if (!f->has_doc)
        return HEDDLE_BAD_INPUT;
    yaml_node_t *root = yaml_doc_root(&f->doc);
    if (!root)
        diag_add(diags, DIAG_ERROR, f->name, NULL, 0, 0, NULL, "the figure is empty");
    else if (yaml_pairs(&f->doc, root, "a map such as title: ..."))
        read_root(f, root, changes);
    return diags->n_errors == errors_before ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

void figure_destroy(struct figure *f)
{
    spec_destroy(&f->spec);
    if (f->has_doc)
        yaml_doc_destroy(&f->doc);
    free(f->xs);
    arena_destroy(&f->arena);
    *f = (struct figure){0};
}
