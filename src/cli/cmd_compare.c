/* heddle compare: compares results, and finds where two runs diverge. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/compare_why.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/why_check.h"
#include "lab/compare.h"
#include "lab/first_difference.h"

struct compare_command {
    const char *store;
    uint64_t top;
    bool json, first_difference, why;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct compare_command, store, "FILE",
                "the store with the results that ids and conditions name"),
    OPTION_U64("top", struct compare_command, top, "N",
               "how many of the differing statistics to show; 10 if not given"),
    OPTION_FLAG("first-difference", struct compare_command, first_difference,
                "the operands are two runs, each the arguments of `heddle run` in one word: runs "
                "both and shows the first decision in which they differ"),
    OPTION_FLAG("why", struct compare_command, why,
                "the operands are two such runs: runs both and shows where their cycles went, what "
                "L1D did, whose lines were hit and how many warps could load, over time"),
    OPTION_FLAG("json", struct compare_command, json, "print the comparison as JSON"),
};

/* The columns of a result besides its speed-up. */
static const struct column {
    const char *title, *stat, *key;
} columns[] = {
    {"cycles", "cycles", "cycles"},
    {"L1D MPKI", "l1d.mpki", "l1d_mpki"},
    {"flits to SMs", "noc.flits_down", "noc_flits_down"},
    {"DRAM bytes", "dram.bytes", "dram_bytes"},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

/* --- text --- */

/* A single run as it is, several as their mean. */
static void add_stat(struct table *t, const struct compare_group *g, uint32_t set, const char *name)
{
    const struct result_stat *s = result_find(g->rows[0].of[set], name);
    struct confidence c = compare_group_stat(g, set, name);
    if (!s || !c.n)
        table_cell(t, "-");
    else if (s->is_real)
        table_cell(t, "%.2f", c.mean);
    else
        table_count(t, (uint64_t)(c.mean + 0.5));
}

/* What a table of this comparison has besides the statistics. */
static bool has_seeds(const struct comparison *c)
{
    return c->n_groups < c->n_rows;
}

static void add_ratio(struct table *t, const struct comparison *c, struct confidence ratio)
{
    table_cell(t, "%.3f", ratio.n ? ratio.mean : 0);
    if (!has_seeds(c))
        return;
    if (ratio.n > 1)
        table_cell(t, "%.3f", ratio.half);
    else
        table_cell(t, "-");
}

static void add_mean(struct table *t, const char *title, const struct comparison *c, uint32_t set,
                     double (*mean)(const struct comparison *c, uint32_t set, compare_ratio *ratio))
{
    table_cell(t, "%s", title);
    table_cell(t, "-");
    if (has_seeds(c))
        table_cell(t, "-");
    table_cell(t, "%s", c->sets[set].label);
    add_ratio(t, c, (struct confidence){1, mean(c, set, compare_speedup), 0});
    if (c->clocks_differ)
        add_ratio(t, c, (struct confidence){1, mean(c, set, compare_speedup_in_time), 0});
    for (int i = 0; i < N_COLUMNS; i++)
        table_cell(t, "-");
}

static void add_group(struct table *t, const struct comparison *c, const struct compare_group *g)
{
    for (uint32_t s = 0; s < c->n_sets; s++) {
        table_cell(t, "%s", s ? "" : g->rows[0].of[0]->workload);
        table_cell(t, "%s", s ? "" : g->rows[0].of[0]->size);
        if (has_seeds(c) && s)
            table_cell(t, "%s", "");
        else if (has_seeds(c))
            table_cell(t, "%u", g->n_rows);
        table_cell(t, "%s", c->sets[s].label);
        add_ratio(t, c, compare_group_ratio(g, s, compare_speedup));
        if (c->clocks_differ)
            add_ratio(t, c, compare_group_ratio(g, s, compare_speedup_in_time));
        for (int i = 0; i < N_COLUMNS; i++)
            add_stat(t, g, s, columns[i].stat);
    }
}

enum { MAX_TITLES = 8 + N_COLUMNS };
_Static_assert(MAX_TITLES <= (int)TABLE_MAX_COLUMNS, "the table is too wide");

static uint32_t make_titles(const struct comparison *c, const char **titles, char *right)
{
    static const char interval[] = "+/- 95 %";
    const struct {
        const char *title;
        bool is_there, is_text;
    } first[] = {{"workload", true, true},
                 {"size", true, true},
                 {"seeds", has_seeds(c), false},
                 {"result", true, true},
                 {"speed-up", true, false},
                 {interval, has_seeds(c), false},
                 {"in time", c->clocks_differ, false},
                 {interval, c->clocks_differ && has_seeds(c), false}};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (first[i].is_there) {
            right[n] = first[i].is_text ? 'l' : 'r';
            titles[n++] = first[i].title;
        }
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        right[n] = 'r';
        titles[n++] = columns[i].title;
    }
    return n;
}

static void print_speed(const struct comparison *c, struct strbuf *out)
{
    const char *titles[MAX_TITLES];
    char right[MAX_TITLES + 1] = "";
    uint32_t n = make_titles(c, titles, right);
    struct table t = {.titles = titles, .n_columns = n, .right = right};
    for (uint32_t i = 0; i < c->n_groups; i++)
        add_group(&t, c, &c->groups[i]);
    for (uint32_t s = 1; c->n_groups > 1 && s < c->n_sets; s++) {
        add_mean(&t, "geometric mean", c, s, compare_geometric_mean);
        add_mean(&t, "harmonic mean", c, s, compare_harmonic_mean);
    }
    table_print(&t, out);
    if (has_seeds(c))
        strbuf_add(out, "numbers are means over seeds, +/- half the 95 % confidence interval by "
                        "Student's t; only runs with the same seed are compared with each other\n");
    table_destroy(&t);
}

static void add_amount(struct table *t, double value)
{
    if (value == (double)(uint64_t)value)
        table_count(t, (uint64_t)value);
    else
        table_cell(t, "%.3f", value);
}

static void print_moves(const struct comparison *c, uint32_t set, uint32_t top, struct strbuf *out)
{
    static const char *const titles[] = {"statistic", "before", "after", "ratio", "unit"};
    static const char *const titles_of_many[] = {"statistic", "before, all", "after, all",
                                                 "ratio, geometric mean", "unit"};
    uint32_t n;
    struct compare_move *moves = compare_moves(c, set, &n);
    strbuf_addf(out, "\n%u statistics differ between %s and %s", n, c->sets[0].label,
                c->sets[set].label);
    strbuf_addf(out, n > top ? "; the %u that matter most for cycles:\n" : n ? ":\n" : "\n", top);
    struct table t = {
        .titles = c->n_rows > 1 ? titles_of_many : titles, .n_columns = 5, .right = "lrrrl"};
    for (uint32_t i = 0; i < n && i < top; i++) {
        table_cell(&t, "%s", moves[i].name);
        add_amount(&t, moves[i].from);
        add_amount(&t, moves[i].to);
        if (moves[i].is_from_nothing)
            table_cell(&t, "new");
        else
            table_cell(&t, "%.3f", moves[i].ratio);
        table_cell(&t, "%s", moves[i].unit);
    }
    if (n)
        table_print(&t, out);
    table_destroy(&t);
    free(moves);
}

/* Nothing moved there: one of the runs measured more than the other. */
static void print_only_in(const struct comparison *c, uint32_t in, uint32_t but_not_in,
                          struct strbuf *out)
{
    enum { SHOWN = 3 };
    uint32_t n;
    const char **names = compare_only_in(c, in, but_not_in, &n);
    if (n)
        strbuf_addf(out, "%u statistic%s of %s %s missing in %s and not compared:", n,
                    n == 1 ? "" : "s", c->sets[in].label, n == 1 ? "is" : "are",
                    c->sets[but_not_in].label);
    for (uint32_t i = 0; i < n && i < SHOWN; i++)
        strbuf_addf(out, "%s %s", i ? "," : "", names[i]);
    if (n > SHOWN)
        strbuf_addf(out, " and %u more", n - SHOWN);
    if (n)
        strbuf_add(out, "\n");
    free(names);
}

/* --- JSON --- */

static void json_row(struct json_writer *w, const struct comparison *c,
                     const struct compare_row *row)
{
    json_begin_object(w, NULL);
    json_string(w, "workload", row->of[0]->workload);
    json_string(w, "size", row->of[0]->size);
    json_uint(w, "seed", row->of[0]->seed);
    json_begin_array(w, "results");
    for (uint32_t s = 0; s < c->n_sets; s++) {
        json_begin_object(w, NULL);
        json_string(w, "label", c->sets[s].label);
        json_string(w, "machine", row->of[s]->machine);
        json_double(w, "speedup", compare_speedup(row, s));
        if (row->of[0]->core_clock_mhz > 0 && row->of[s]->core_clock_mhz > 0)
            json_double(w, "speedup_in_time", compare_speedup_in_time(row, s));
        else
            json_null(w, "speedup_in_time");
        for (int i = 0; i < N_COLUMNS; i++) {
            const struct result_stat *stat = result_find(row->of[s], columns[i].stat);
            if (stat)
                json_double(w, columns[i].key, stat->value);
            else
                json_null(w, columns[i].key);
        }
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void json_confidence(struct json_writer *w, const char *key, struct confidence c)
{
    json_begin_object(w, key);
    if (c.n)
        json_double(w, "mean", c.mean);
    else
        json_null(w, "mean");
    if (c.n > 1)
        json_double(w, "half_width_95", c.half);
    else
        json_null(w, "half_width_95");
    json_end_object(w);
}

static void json_group(struct json_writer *w, const struct comparison *c,
                       const struct compare_group *g)
{
    json_begin_object(w, NULL);
    json_string(w, "workload", g->rows[0].of[0]->workload);
    json_string(w, "size", g->rows[0].of[0]->size);
    json_uint(w, "seeds", g->n_rows);
    json_begin_array(w, "results");
    for (uint32_t s = 0; s < c->n_sets; s++) {
        json_begin_object(w, NULL);
        json_string(w, "label", c->sets[s].label);
        json_confidence(w, "speedup", compare_group_ratio(g, s, compare_speedup));
        for (int i = 0; i < N_COLUMNS; i++)
            json_confidence(w, columns[i].key, compare_group_stat(g, s, columns[i].stat));
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void json_only_in(struct json_writer *w, const char *key, const struct comparison *c,
                         uint32_t in, uint32_t but_not_in)
{
    uint32_t n;
    const char **names = compare_only_in(c, in, but_not_in, &n);
    json_begin_array(w, key);
    for (uint32_t i = 0; i < n; i++)
        json_string(w, NULL, names[i]);
    json_end_array(w);
    free(names);
}

static void json_against(struct json_writer *w, const struct comparison *c, uint32_t set,
                         uint32_t top)
{
    uint32_t n;
    struct compare_move *moves = compare_moves(c, set, &n);
    json_begin_object(w, NULL);
    json_string(w, "label", c->sets[set].label);
    json_double(w, "geometric_mean", compare_geometric_mean(c, set, compare_speedup));
    json_double(w, "harmonic_mean", compare_harmonic_mean(c, set, compare_speedup));
    json_bool(w, "clocks_differ", c->clocks_differ);
    if (c->clocks_differ) {
        json_double(w, "geometric_mean_in_time",
                    compare_geometric_mean(c, set, compare_speedup_in_time));
        json_double(w, "harmonic_mean_in_time",
                    compare_harmonic_mean(c, set, compare_speedup_in_time));
    }
    json_uint(w, "n_moved", n);
    json_begin_array(w, "moved");
    for (uint32_t i = 0; i < n && i < top; i++) {
        json_begin_object(w, NULL);
        json_string(w, "name", moves[i].name);
        json_string(w, "unit", moves[i].unit);
        json_double(w, "before", moves[i].from);
        json_double(w, "after", moves[i].to);
        if (moves[i].is_from_nothing)
            json_null(w, "ratio");
        else
            json_double(w, "ratio", moves[i].ratio);
        json_double(w, "weight", moves[i].weight);
        json_end_object(w);
    }
    json_end_array(w);
    json_only_in(w, "only_before", c, 0, set);
    json_only_in(w, "only_after", c, set, 0);
    json_end_object(w);
    free(moves);
}

static void print_json(const struct comparison *c, uint32_t top, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_string(&w, "baseline", c->sets[0].label);
    json_begin_array(&w, "rows");
    for (uint32_t i = 0; i < c->n_rows; i++)
        json_row(&w, c, &c->rows[i]);
    json_end_array(&w);
    json_begin_array(&w, "over_seeds");
    for (uint32_t i = 0; i < c->n_groups; i++)
        json_group(&w, c, &c->groups[i]);
    json_end_array(&w);
    json_begin_array(&w, "against");
    for (uint32_t s = 1; s < c->n_sets; s++)
        json_against(&w, c, s, top);
    json_end_array(&w);
    json_end_object(&w);
}

/* --- results --- */

static enum heddle_status print_comparison(const struct compare_command *o,
                                           const struct comparison *c)
{
    struct strbuf text = {0};
    uint32_t top = o->top > 10000 ? 10000 : (uint32_t)o->top;
    output_warnings(strbuf_text(&c->notes));
    if (o->json) {
        print_json(c, top, &text);
    } else {
        print_speed(c, &text);
        for (uint32_t s = 1; s < c->n_sets; s++) {
            print_moves(c, s, top, &text);
            print_only_in(c, 0, s, &text);
            print_only_in(c, s, 0, &text);
        }
    }
    return output_take(&text);
}

static enum heddle_status compare_results(const struct compare_command *o,
                                          const struct text_list *operands)
{
    struct arena arena = {0};
    struct store *s = NULL;
    struct strbuf error = {0};
    struct result_set sets[COMPARE_MAX_SETS] = {{0}};
    struct comparison c = {0};
    enum heddle_status status = HEDDLE_OK;
    if (o->store)
        status = lab_open_store(o->store, STORE_READ, &s);
    bool is_open = status == HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < operands->n; i++)
        status = result_set_read(s, operands->items[i], &sets[i], &arena, &error);
    if (status == HEDDLE_OK)
        status = compare_sets(sets, operands->n, &c, &error);
    if (is_open && status != HEDDLE_OK)
        output_failure(strbuf_text(&error));
    if (status == HEDDLE_OK)
        status = print_comparison(o, &c);
    comparison_destroy(&c);
    for (uint32_t i = 0; i < operands->n; i++)
        free(sets[i].items);
    strbuf_destroy(&error);
    store_close(s);
    arena_destroy(&arena);
    return status;
}

/* --- first difference --- */

static void print_items(const char *title, const struct difference_item *items, uint32_t n,
                        struct strbuf *out)
{
    strbuf_addf(out, "%s\n", title);
    for (uint32_t i = 0; i < n; i++) {
        strbuf_add(out, "  cycle ");
        text_count(out, items[i].cycle);
        strbuf_addf(out, ", launch %u, SM %u: %s\n", items[i].launch + 1, items[i].sm,
                    items[i].text);
    }
    if (!n)
        strbuf_add(out, "  nothing more: the run has ended\n");
}

static void print_difference(const struct first_difference *d, const struct text_list *runs,
                             struct strbuf *out)
{
    static const char names[] = {'A', 'B'};
    for (int i = 0; i < DIFFERENCE_SIDES; i++)
        strbuf_addf(out, "%c: %s\n", names[i], runs->items[i]);
    text_count(out, d->n_common);
    if (d->is_same) {
        strbuf_add(out, " decisions, all the same\n");
        return;
    }
    strbuf_add(out, " decisions are the same, then the runs diverge.\n");
    if (d->n_before)
        print_items("The last common ones:", d->before, d->n_before, out);
    print_items("Then A:", d->after[0], d->n_after[0], out);
    print_items("Then B:", d->after[1], d->n_after[1], out);
}

static void json_items(struct json_writer *w, const char *key, const struct difference_item *items,
                       uint32_t n)
{
    json_begin_array(w, key);
    for (uint32_t i = 0; i < n; i++) {
        json_begin_object(w, NULL);
        json_uint(w, "cycle", items[i].cycle);
        json_uint(w, "launch", items[i].launch + 1);
        json_uint(w, "sm", items[i].sm);
        json_string(w, "decision", items[i].text);
        json_end_object(w);
    }
    json_end_array(w);
}

static void json_difference(const struct first_difference *d, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_bool(&w, "same", d->is_same);
    json_uint(&w, "common_decisions", d->n_common);
    json_items(&w, "before", d->before, d->n_before);
    json_items(&w, "a", d->after[0], d->n_after[0]);
    json_items(&w, "b", d->after[1], d->n_after[1]);
    json_end_object(&w);
}

static enum heddle_status compare_decisions(const struct compare_command *o,
                                            const struct text_list *runs)
{
    struct first_difference d = {0};
    struct strbuf error = {0}, text = {0};
    if (runs->n != DIFFERENCE_SIDES) {
        output_error("--first-difference needs two runs");
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = first_difference_find("/proc/self/exe", runs->items, &d, &error);
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&error));
    else if (o->json)
        json_difference(&d, &text);
    else
        print_difference(&d, runs, &text);
    if (status == HEDDLE_OK)
        status = output_take(&text);
    first_difference_destroy(&d);
    strbuf_destroy(&error);
    return status;
}

static enum heddle_status compare_why(const struct compare_command *o, const struct text_list *runs)
{
    struct why w = {0};
    struct strbuf error = {0}, text = {0};
    if (runs->n != WHY_SIDES || o->first_difference) {
        output_error("--why needs two runs and no other option of this kind");
        return HEDDLE_BAD_INPUT;
    }
    if (o->store) {
        output_error(
            "--store has no effect with --why: both runs are repeated, and none is stored");
        return HEDDLE_BAD_INPUT;
    }
    enum heddle_status status = why_check_runs(runs->items);
    if (status == HEDDLE_OK)
        status = why_find("/proc/self/exe", runs->items, &w, &error);
    if (status == HEDDLE_OK) {
        (o->json ? why_json : why_print)(&w, runs->items, &text);
        status = output_take(&text);
    } else if (error.len) {
        output_failure(strbuf_text(&error));
    }
    why_destroy(&w);
    strbuf_destroy(&error);
    return status;
}

static enum heddle_status run_compare(const void *values, const struct text_list *operands)
{
    const struct compare_command *o = values;
    if (o->why)
        return compare_why(o, operands);
    return o->first_difference ? compare_decisions(o, operands) : compare_results(o, operands);
}

static const char *const examples[] = {
    "heddle compare --store results.db scheduler=lrr,l1d=lru scheduler=gto,l1d=lru",
    "two sets of results, workload by workload, with means of the speed-up",
    "heddle compare --store results.db 3 7 12",
    "three results by their ids",
    "heddle compare lrr.json gto.json",
    "files that `heddle run --json` wrote",
    "heddle compare --first-difference 'kmn --size tiny --scheduler lrr' "
    "'kmn --size tiny --scheduler gto'",
    "the cycle and the decision where two runs diverge",
    "heddle compare --why 'kmn --gpu ccws --scheduler gto' 'kmn --gpu ccws --scheduler ccws'",
    "why one scheduler is faster than another",
    NULL,
};

static const struct compare_command defaults = {.top = 10};

const struct command command_compare = {
    .name = "compare",
    .operands = "RESULT RESULT...",
    .summary = "compare results, or find where two runs diverge",
    .description =
        "Compares results with the first: speed-up by workload with geometric and harmonic mean, "
        "over several seeds the mean with its 95 % confidence interval (Student's t), L1D misses "
        "and bypasses per 1,000 thread instructions, traffic, and the statistics that moved, with "
        "those that matter most for cycles first: ordered by the share of a run's work by which "
        "they moved (doc/experiments.md). A result is an id of the store, a .json file of `heddle "
        "run`, or conditions on results of the store, name=value,name=value, where a name is "
        "workload, size, seed, gpu, scheduler, l1d, l2, atomics, criticality, mode, model, a "
        "parameter of the GPU or an input of the workload; only results of this Heddle's model are "
        "used unless model is named.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct compare_command),
    .defaults = &defaults,
    .min_operands = 2,
    .max_operands = COMPARE_MAX_SETS,
    .examples = examples,
    .run = run_compare,
};
