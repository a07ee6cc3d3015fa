#include "lab/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- means --- */

double mean_geometric(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += log(values[i]);
    return n ? exp(sum / n) : 0;
}

double mean_harmonic(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += 1 / values[i];
    return n ? n / sum : 0;
}

double mean_arithmetic(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / n : 0;
}

/* --- partners --- */

static bool are_partners(const struct result *a, const struct result *b)
{
    return strcmp(a->workload, b->workload) == 0 && strcmp(a->size, b->size) == 0 &&
           a->seed == b->seed;
}

static struct compare_row *row_of(struct comparison *c, const struct result *r)
{
    for (uint32_t i = 0; i < c->n_rows; i++)
        for (uint32_t s = 0; s < c->n_sets; s++)
            if (c->rows[i].of[s] && are_partners(c->rows[i].of[s], r))
                return &c->rows[i];
    ARRAY_RESERVE(c->rows, c->cap_rows, c->n_rows + 1);
    c->rows[c->n_rows] = (struct compare_row){{0}};
    return &c->rows[c->n_rows++];
}

/* The first word of `settings` that `other` lacks; false = there is none. */
static bool word_apart(const char *settings, const char *other, struct strbuf *out)
{
    while (*settings) {
        size_t n = strcspn(settings, " ");
        bool is_shared = false;
        for (const char *o = other; *o && !is_shared; o += strcspn(o, " "), o += *o == ' ')
            is_shared = strcspn(o, " ") == n && strncmp(o, settings, n) == 0;
        if (!is_shared) {
            strbuf_add_n(out, settings, n);
            return true;
        }
        settings += n;
        settings += *settings == ' ';
    }
    return false;
}

/* A condition that one of two results meets and the other does not; their ids if there is none. */
static void tell_apart(const struct result *a, const struct result *b, const char *label,
                       struct strbuf *out)
{
    const struct {
        const char *name, *of_a, *of_b;
    } coordinates[] = {{"model", a->model, b->model},
                       {"mode", a->mode, b->mode},
                       {"gpu", a->gpu, b->gpu},
                       {"scheduler", a->scheduler, b->scheduler},
                       {"l1d", a->l1d, b->l1d}};
    struct strbuf word = {0};
    for (size_t i = 0; i < sizeof coordinates / sizeof coordinates[0]; i++)
        if (strcmp(coordinates[i].of_a, coordinates[i].of_b) != 0) {
            strbuf_addf(out, "  they differ in %s: add it, as in %s,%s=%s\n", coordinates[i].name,
                        label, coordinates[i].name, coordinates[i].of_b);
            return;
        }
    if (word_apart(b->settings, a->settings, &word) || word_apart(a->settings, b->settings, &word))
        strbuf_addf(out, "  they differ in %.*s: add it, as in %s,%s\n",
                    (int)strcspn(strbuf_text(&word), "="), strbuf_text(&word), label,
                    strbuf_text(&word));
    else
        strbuf_addf(out,
                    "  they differ in something that conditions cannot express (a file or a "
                    "plug-in that changed): name one by its id, %" PRId64 " or %" PRId64 "\n",
                    a->id, b->id);
    strbuf_destroy(&word);
}

/* Without timing nothing was measured that could be compared. */
static bool has_cycles(const struct result_set *set, const struct result *r, struct strbuf *error)
{
    const struct result_stat *cycles = result_find(r, "cycles");
    if (cycles && cycles->value > 0)
        return true;
    strbuf_addf(error, "'%s': the run of %s (%s) has no cycles to compare%s\n", set->label,
                r->workload, r->size,
                strcmp(r->mode, "functional") == 0 ? ": it was run without timing, --functional"
                                                   : "");
    return false;
}

/* Are they results of one point that differ only in what was measured (`measure`)? */
static bool are_the_same_run(const struct result *a, const struct result *b)
{
    return a->n_stats != b->n_stats && strcmp(a->machine, b->machine) == 0 &&
           strcmp(a->model, b->model) == 0 && strcmp(a->mode, b->mode) == 0 &&
           result_find(a, "cycles")->value == result_find(b, "cycles")->value;
}

static enum heddle_status add_set(struct comparison *c, uint32_t set, struct strbuf *error)
{
    const struct result_set *results = &c->sets[set];
    for (uint32_t i = 0; i < results->n; i++) {
        const struct result *r = &results->items[i];
        if (!has_cycles(results, r, error))
            return HEDDLE_BAD_INPUT;
        struct compare_row *row = row_of(c, r);
        if (row->of[set] && !are_the_same_run(row->of[set], r)) {
            strbuf_addf(error,
                        "'%s' has two results of %s (%s), seed %" PRIu64 ": %" PRId64 " (%s) and "
                        "%" PRId64 " (%s)\n",
                        results->label, r->workload, r->size, r->seed, row->of[set]->id,
                        row->of[set]->machine, r->id, r->machine);
            tell_apart(row->of[set], r, results->label, error);
            return HEDDLE_BAD_INPUT;
        }
        if (!row->of[set] || r->n_stats > row->of[set]->n_stats)
            row->of[set] = r;
    }
    return HEDDLE_OK;
}

enum { MAX_NOTED = 5 };

/* Rows that not all sets have are noted and left out: means over different rows are not
 * comparable. */
static void keep_whole_rows(struct comparison *c)
{
    uint32_t n = 0, n_lacking = 0;
    for (uint32_t i = 0; i < c->n_rows; i++) {
        const struct result *some = NULL;
        const char *lacking = NULL;
        for (uint32_t s = 0; s < c->n_sets; s++) {
            if (c->rows[i].of[s])
                some = c->rows[i].of[s];
            else
                lacking = c->sets[s].label;
        }
        if (lacking && n_lacking++ < MAX_NOTED)
            strbuf_addf(&c->notes,
                        "%s (%s), seed %" PRIu64 " is left out: '%s' has no result of it\n",
                        some->workload, some->size, some->seed, lacking);
        else if (!lacking)
            c->rows[n++] = c->rows[i];
    }
    if (n_lacking > MAX_NOTED)
        strbuf_addf(&c->notes, "and %u more are left out for the same reason\n",
                    n_lacking - MAX_NOTED);
    c->n_rows = n;
}

/* Rows of a workload and size are consecutive, in the order of the first of them. */
static void make_groups(struct comparison *c)
{
    struct compare_row *sorted = xcalloc(c->n_rows + 1, sizeof *sorted);
    bool *is_taken = xcalloc(c->n_rows + 1, sizeof *is_taken);
    uint32_t n = 0;
    c->groups = xcalloc(c->n_rows + 1, sizeof *c->groups);
    for (uint32_t i = 0; i < c->n_rows; i++) {
        struct compare_group *g = &c->groups[c->n_groups];
        const struct result *first = c->rows[i].of[0];
        *g = (struct compare_group){.rows = &sorted[n]};
        for (uint32_t k = i; k < c->n_rows; k++) {
            const struct result *r = c->rows[k].of[0];
            if (is_taken[k] || strcmp(r->workload, first->workload) != 0 ||
                strcmp(r->size, first->size) != 0)
                continue;
            is_taken[k] = true;
            sorted[n++] = c->rows[k];
            g->n_rows++;
        }
        c->n_groups += g->n_rows > 0;
    }
    free(is_taken);
    free(c->rows);
    c->rows = sorted;
}

static void note_clocks(struct comparison *c)
{
    for (uint32_t i = 0; i < c->n_rows && !c->clocks_differ; i++)
        for (uint32_t s = 1; s < c->n_sets && !c->clocks_differ; s++) {
            double first = c->rows[i].of[0]->core_clock_mhz, its = c->rows[i].of[s]->core_clock_mhz;
            c->clocks_differ = first > 0 && its > 0 && first != its;
            if (c->clocks_differ)
                strbuf_addf(&c->notes,
                            "warning: '%s' is clocked at %g MHz, '%s' at %g MHz: 'speed-up' "
                            "compares core cycles, 'in time' compares seconds\n",
                            c->sets[0].label, first, c->sets[s].label, its);
        }
}

enum heddle_status compare_sets(const struct result_set *sets, uint32_t n, struct comparison *c,
                                struct strbuf *error)
{
    enum heddle_status status = HEDDLE_OK;
    c->sets = sets;
    c->n_sets = n;
    for (uint32_t i = 0; status == HEDDLE_OK && i < n; i++)
        status = add_set(c, i, error);
    if (status != HEDDLE_OK)
        return status;
    keep_whole_rows(c);
    make_groups(c);
    note_clocks(c);
    if (c->n_rows)
        return HEDDLE_OK;
    strbuf_addf(error, "no workload has a result with the same input in all of them\n%s",
                strbuf_text(&c->notes));
    return HEDDLE_BAD_INPUT;
}

void comparison_destroy(struct comparison *c)
{
    free(c->rows);
    free(c->groups);
    strbuf_destroy(&c->notes);
    *c = (struct comparison){0};
}

/* --- speed --- */

double compare_speedup(const struct compare_row *row, uint32_t set)
{
    double before = result_value(row->of[0], "cycles"),
           after = result_value(row->of[set], "cycles");
    return before > 0 && after > 0 ? before / after : 0;
}

double compare_speedup_in_time(const struct compare_row *row, uint32_t set)
{
    double before = row->of[0]->core_clock_mhz, after = row->of[set]->core_clock_mhz;
    return before > 0 && after > 0 ? compare_speedup(row, set) * after / before : 0;
}

struct confidence compare_group_ratio(const struct compare_group *g, uint32_t set,
                                      compare_ratio *ratio)
{
    double *values = xcalloc(g->n_rows + 1, sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_rows; i++) {
        values[n] = ratio(&g->rows[i], set);
        n += values[n] > 0;
    }
    struct confidence c = confidence_of(values, n);
    free(values);
    return c;
}

struct confidence compare_group_stat(const struct compare_group *g, uint32_t set, const char *name)
{
    double *values = xcalloc(g->n_rows + 1, sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_rows; i++) {
        const struct result_stat *s = result_find(g->rows[i].of[set], name);
        if (s)
            values[n++] = s->value;
    }
    struct confidence c = confidence_of(values, n == g->n_rows ? n : 0);
    free(values);
    return c;
}

static double mean_ratio(const struct comparison *c, uint32_t set, compare_ratio *ratio,
                         double (*mean)(const double *values, uint32_t n))
{
    double *values = xcalloc(c->n_groups + 1, sizeof *values);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_groups; i++) {
        struct confidence over_seeds = compare_group_ratio(&c->groups[i], set, ratio);
        if (over_seeds.n)
            values[n++] = over_seeds.mean;
    }
    double result = mean(values, n);
    free(values);
    return result;
}

double compare_geometric_mean(const struct comparison *c, uint32_t set, compare_ratio *ratio)
{
    return mean_ratio(c, set, ratio, mean_geometric);
}

double compare_harmonic_mean(const struct comparison *c, uint32_t set, compare_ratio *ratio)
{
    return mean_ratio(c, set, ratio, mean_harmonic);
}
