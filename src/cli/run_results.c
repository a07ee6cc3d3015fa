/* The results of a run, as tables and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/locality.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/table.h"
#include "gpu/sim.h"
#include "lab/result_json.h"

static void add_value(struct table *t, const struct heddle_stat *s)
{
    if (s->is_real && s->real < 1000)
        table_cell(t, "%.3f", s->real);
    else
        table_count(t, s->is_real ? (uint64_t)(s->real + 0.5) : s->count);
}

void run_json_machine(const struct run_context *run, struct json_writer *w)
{
    result_json_machine(run->gpu, run->options->functional ? NULL : run->machine, w);
    param_set_json_values(&run->gpu->params, w, "config");
}

/* --- how it ended --- */

enum run_extent run_extent(const struct heddle_sim *sim, enum heddle_status status)
{
    if (status == HEDDLE_OK || status == HEDDLE_WRONG_RESULT)
        return RUN_WHOLE;
    if (output_has_failed()) /* that is why it was stopped: the partial statistics are of no use */
        return RUN_UNKNOWN;
    bool is_cut = status == HEDDLE_STOPPED || (sim && sim->emu.fault.kind == FAULT_LIMIT);
    return is_cut ? RUN_PARTIAL : RUN_UNKNOWN;
}

void run_print_extent(enum run_extent extent, enum heddle_status status, struct strbuf *out)
{
    if (extent == RUN_PARTIAL)
        strbuf_add(out, "  PARTIAL statistics, up to where the launch was stopped; waits that had "
                        "not ended are not included:\n");
    else if (extent == RUN_WHOLE && status == HEDDLE_WRONG_RESULT)
        strbuf_add(out, "  statistics of a run with a WRONG result:\n");
}

void run_json_outcome(const struct heddle_sim *sim, enum heddle_status status, const char *error,
                      struct json_writer *w)
{
    json_uint(w, "status", (uint64_t)status);
    json_string(w, "error", error);
    json_bool(w, "partial", run_extent(sim, status) == RUN_PARTIAL);
}

void run_json_failure(const struct run_context *run, const struct heddle_sim *sim,
                      enum heddle_status status, struct json_writer *w)
{
    run_json_outcome(sim, status, heddle_error(sim), w);
    if (run_extent(sim, status) == RUN_UNKNOWN) {
        json_string(w, "gpu", run->gpu->name);
        return;
    }
    run_json_machine(run, w);
    run_json_stats(sim, NULL, w);
    run_json_kernels(sim, w);
}

/* Did the L1D policy have an effect? The first access for which LRU would have chosen differently,
 * and its SM; NULL if there is none. */
static const struct mem_access *first_unlike_lru(const struct heddle_sim *sim, uint32_t *sm)
{
    const struct mem_access *first = NULL;
    for (uint32_t i = 0; sim->machine && i < sim->gpu->n_sms; i++) {
        const struct mem_access *a = cache_first_lru_difference(machine_sm(sim->machine, i)->l1d);
        if (a && (!first || a->cycle < first->cycle)) {
            first = a;
            *sm = i;
        }
    }
    return first;
}

static void print_first_unlike_lru(const struct heddle_sim *sim, struct strbuf *out)
{
    uint32_t sm = 0;
    const struct mem_access *a = first_unlike_lru(sim, &sm);
    if (!sim->machine || sim->config->l1d_policy == cache_policy_find("lru"))
        return;
    strbuf_addf(out, "  L1D policy %s ", sim->config->l1d_policy->name);
    if (a)
        strbuf_addf(out,
                    "first differed from lru at cycle %" PRIu64 " on SM %u: warp %" PRIu64
                    ", PC %u, line 0x%" PRIx64 "\n",
                    a->cycle, sm, a->warp_uid, a->pc, a->line);
    else
        strbuf_add(out, "never differed from lru\n");
}

static void json_first_unlike_lru(const struct heddle_sim *sim, struct json_writer *w)
{
    uint32_t sm = 0;
    const struct mem_access *a = first_unlike_lru(sim, &sm);
    if (!a)
        return;
    json_begin_object(w, "first_lru_difference");
    json_uint(w, "sm", sm);
    json_uint(w, "cycle", a->cycle);
    json_uint(w, "warp", a->warp_uid);
    json_uint(w, "pc", a->pc);
    json_uint(w, "line", a->line);
    json_end_object(w);
}

static void add_row(struct table *t, const struct heddle_stat *s)
{
    if (s->is_real ? s->real == 0 : s->count == 0)
        return;
    table_cell(t, "  %s", s->name);
    add_value(t, s);
    table_cell(t, "%s", s->unit);
}

static bool is_measured(const struct locality *l, uint32_t i)
{
    return l && l->parts & locality_stat_part(i);
}

static void add_locality_rows(struct table *t, const struct locality *l)
{
    for (uint32_t i = 0; i < locality_stat_count(); i++) {
        struct heddle_stat s = locality_stat_at(l, i);
        if (is_measured(l, i))
            add_row(t, &s);
    }
}

void run_print_beside_attribution(const struct heddle_sim *sim, const struct locality *l,
                                  struct strbuf *out)
{
    struct table t = {.n_columns = 3, .right = "lrl"};
    for (uint32_t i = machine_first_declared_stat(sim->machine);
         i < machine_stat_count(sim->machine); i++) {
        struct heddle_stat s = heddle_stat_at(sim, i);
        add_row(&t, &s);
    }
    add_locality_rows(&t, l);
    table_print(&t, out);
    table_destroy(&t);
}

/* All of them at once: each single query sums up the whole machine. */
static struct heddle_stat *take_stats(const struct heddle_sim *sim)
{
    struct heddle_stat *stats = xalloc(heddle_stat_count(sim), sizeof *stats);
    sim_take_stats(sim, stats);
    return stats;
}

/* The program of a CPU core, above its first statistic. */
static void add_cpu_program(struct table *t, const struct heddle_sim *sim, const char *stat)
{
    const struct cpu_programs *p = sim->machine ? &sim->config->cpu_programs : NULL;
    for (uint32_t i = 0; p && i < p->n; i++) {
        char first[24];
        snprintf(first, sizeof first, "cpu%u.ipc", i);
        if (strcmp(stat, first) != 0)
            continue;
        table_cell(t, "  cpu%u", i);
        table_cell(t, "%s", p->names[i]);
        table_cell(t, "program");
    }
}

void run_print_stats(const struct heddle_sim *sim, const struct locality *l, struct strbuf *out)
{
    struct table t = {.n_columns = 3, .right = "lrl"};
    struct heddle_stat *stats = take_stats(sim);
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        add_cpu_program(&t, sim, stats[i].name);
        add_row(&t, &stats[i]);
    }
    free(stats);
    add_locality_rows(&t, l);
    table_print(&t, out);
    table_destroy(&t);
    print_first_unlike_lru(sim, out);
}

void run_json_stats(const struct heddle_sim *sim, const struct locality *l, struct json_writer *w)
{
    result_json_stats(sim, l, w);
    if (sim)
        json_first_unlike_lru(sim, w);
}

/* --- by kernel --- */

/* The columns of the table, without those that a functional run lacks. */
static const char *const kernel_columns[] = {"launches", "cycles",     "warp_insts", "thread_insts",
                                             "ipc",      "l1d.loads",  "l1d.hits",   "l1d.misses",
                                             "l1d.mpki", "dram.bytes", "occupancy"};
enum { N_KERNEL_COLUMNS = sizeof kernel_columns / sizeof kernel_columns[0] };
_Static_assert(N_KERNEL_COLUMNS + 1 <= (int)TABLE_MAX_COLUMNS, "a column more is for the name");

/* The number of a statistic; heddle_stat_count() if there is none. */
static uint32_t stat_index(const struct heddle_sim *sim, const char *name)
{
    uint32_t i = 0;
    while (i < heddle_stat_count(sim) && strcmp(heddle_stat_at(sim, i).name, name) != 0)
        i++;
    return i;
}

void run_print_kernels(const struct heddle_sim *sim, struct strbuf *out)
{
    const char *titles[TABLE_MAX_COLUMNS] = {"kernel"};
    uint32_t columns[N_KERNEL_COLUMNS], n = 0;
    for (int i = 0; i < N_KERNEL_COLUMNS; i++) {
        uint32_t at = stat_index(sim, kernel_columns[i]);
        if (at == heddle_stat_count(sim))
            continue;
        titles[n + 1] = kernel_columns[i];
        columns[n++] = at;
    }
    struct table t = {.titles = titles, .n_columns = n + 1, .right = "lrrrrrrrrrrr"};
    for (uint32_t k = 0; k < heddle_launched_count(sim); k++) {
        table_cell(&t, "%s", heddle_launched_name(sim, k));
        for (uint32_t i = 0; i < n; i++) {
            struct heddle_stat s = heddle_launched_stat_at(sim, k, columns[i]);
            add_value(&t, &s);
        }
    }
    table_print(&t, out);
    table_destroy(&t);
}

void run_json_kernels(const struct heddle_sim *sim, struct json_writer *w)
{
    json_begin_array(w, "kernels");
    for (uint32_t k = 0; sim && k < heddle_launched_count(sim); k++) {
        json_begin_object(w, NULL);
        json_string(w, "kernel", heddle_launched_name(sim, k));
        for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
            struct heddle_stat s = heddle_launched_stat_at(sim, k, i);
            result_json_stat(w, &s);
        }
        json_end_object(w);
    }
    json_end_array(w);
}
