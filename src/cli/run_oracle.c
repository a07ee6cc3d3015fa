#include "cli/run_oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "gpu/sim.h"

/* --- the file: the first columns of `heddle run --attribute-out` --- */

enum { RECORD, LAUNCH, KERNEL, N_FIELDS };
static const char *const titles[N_FIELDS] = {"record", "launch", "kernel"};

struct launched {
    const char *kernel; /* NULL = no row has it */
    uint32_t line;
};

struct recorded {
    struct strbuf text;
    struct launched *launches; /* number 1 is the first */
    uint32_t n_launches, cap_launches;
    const char *origin; /* from the row of the run; NULL = an older file has none */
    uint32_t origin_line;
};

/* Later launches are rejected: no file has that many rows. */
enum { MAX_LAUNCHES = 1 << 24 };

static void split(char *line, const char *fields[N_FIELDS])
{
    for (int i = 0; i < N_FIELDS; i++) {
        const char *field = strsep(&line, ",");
        fields[i] = field ? field : "";
    }
}

static void add_warp(struct recorded *r, const char *const *fields, uint32_t line)
{
    uint64_t launch = strtoull(fields[LAUNCH], NULL, 10);
    if (launch < 1 || launch > MAX_LAUNCHES)
        return;
    ARRAY_RESERVE(r->launches, r->cap_launches, (uint32_t)launch);
    while (r->n_launches < launch)
        r->launches[r->n_launches++] = (struct launched){0};
    struct launched *l = &r->launches[launch - 1];
    if (!l->kernel)
        *l = (struct launched){fields[KERNEL], line};
}

/* False if the file has other columns, about which nothing is known here. */
static bool read_recorded(const char *path, struct recorded *r)
{
    if (strbuf_read_file(&r->text, path) != 0 || !r->text.len)
        return false;
    const char *fields[N_FIELDS];
    char *rest = r->text.text, *line = strsep(&rest, "\n");
    split(line, fields);
    for (int i = 0; i < N_FIELDS; i++)
        if (strcmp(fields[i], titles[i]) != 0)
            return false;
    for (uint32_t number = 2; (line = strsep(&rest, "\n")); number++) {
        split(line, fields);
        if (strcmp(fields[RECORD], "warp") == 0)
            add_warp(r, fields, number);
        if (strcmp(fields[RECORD], "run") == 0) {
            r->origin = fields[KERNEL];
            r->origin_line = number;
        }
    }
    return true;
}

static void recorded_destroy(struct recorded *r)
{
    strbuf_destroy(&r->text);
    free(r->launches);
}

/* --- comparison with the run --- */

static bool is_of_kernel(const struct launched *l, const char *kernel)
{
    return l->kernel && strcmp(l->kernel, kernel) == 0;
}

/* The first launch of a kernel that is not among the run's first `n` kernels; NULL if there is
 * none. */
static const struct launched *first_other(const struct recorded *r, const struct heddle_sim *sim,
                                          uint32_t n)
{
    for (uint32_t i = 0; i < r->n_launches; i++) {
        bool is_known = !r->launches[i].kernel;
        for (uint32_t k = 0; k < n; k++)
            is_known |= is_of_kernel(&r->launches[i], heddle_launched_name(sim, k));
        if (!is_known)
            return &r->launches[i];
    }
    return NULL;
}

/* Are the kernels, in the order of their first launches, the run's? */
static bool check_names(const char *path, const struct recorded *r, const struct heddle_sim *sim)
{
    uint32_t n = heddle_launched_count(sim);
    for (uint32_t k = 0; k <= n; k++) {
        const struct launched *next = first_other(r, sim, k);
        const char *expected = k < n ? heddle_launched_name(sim, k) : NULL;
        if (!next ? !expected : expected && is_of_kernel(next, expected))
            continue;
        if (!next)
            output_error("%s: no launch of kernel '%s', which this run has: the times belong to "
                         "another program",
                         path, expected);
        else
            output_error("%s:%u: times of kernel '%s', where this run launches %s%s%s: they belong "
                         "to another program",
                         path, next->line, next->kernel, expected ? "'" : "no further one",
                         expected ? expected : "", expected ? "'" : "");
        return false;
    }
    return true;
}

static uint64_t launches_of(const struct heddle_sim *sim, uint32_t kernel)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_launched_stat_at(sim, kernel, i);
        if (strcmp(s.name, "launches") == 0)
            return s.count;
    }
    return 0;
}

static bool check_counts(const char *path, const struct recorded *r, const struct heddle_sim *sim)
{
    for (uint32_t k = 0; k < heddle_launched_count(sim); k++) {
        uint64_t theirs = 0, ours = launches_of(sim, k);
        for (uint32_t i = 0; i < r->n_launches; i++)
            theirs += is_of_kernel(&r->launches[i], heddle_launched_name(sim, k));
        if (theirs == ours)
            continue;
        output_error("%s: %" PRIu64 " launches of kernel '%s', but this run has %" PRIu64
                     ": the times belong to another input",
                     path, theirs, heddle_launched_name(sim, k), ours);
        return false;
    }
    return true;
}

static bool check_input(const char *path, const struct recorded *r, const char *input_hash)
{
    static const char key[] = "input_hash=";
    const char *told = r->origin ? strstr(r->origin, key) : NULL;
    if (!told || !input_hash || strcmp(told + sizeof key - 1, input_hash) == 0)
        return true;
    output_error("%s:%u: the times belong to another input (%s) than this run's (%s%s)", path,
                 r->origin_line, r->origin, key, input_hash);
    return false;
}

enum heddle_status run_oracle_check(const struct heddle_sim *sim, const char *input_hash)
{
    const struct bound_param *file =
        sim->machine ? param_set_find(&sim->gpu->params, "criticality.file") : NULL;
    if (!file)
        return HEDDLE_OK;
    struct recorded r = {0};
    struct strbuf path = {0};
    param_print(file->param, file->values, &path);
    bool ok =
        !read_recorded(strbuf_text(&path), &r) ||
        (check_names(strbuf_text(&path), &r, sim) && check_counts(strbuf_text(&path), &r, sim) &&
         check_input(strbuf_text(&path), &r, input_hash));
    strbuf_destroy(&path);
    recorded_destroy(&r);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}
