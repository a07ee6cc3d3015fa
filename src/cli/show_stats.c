/* The statistics of a run: names, units, meanings, and their names in GPGPU-Sim. */
#include <string.h>

#include "analysis/locality.h"
#include "base/json.h"
#include "cli/show.h"
#include "cli/table.h"
#include "gpu/machine_totals.h"
#include "stats/run_stats.h"

/* GPGPU-Sim's names, and what to consider when comparing. */
static const struct known_name {
    const char *ours, *theirs, *remark;
} known_names[] = {
    {"cycles", "gpu_tot_sim_cycle", "`gpu_sim_cycle` of one kernel is `cycles` in `kernels`"},
    {"thread_insts", "gpu_tot_sim_insn", "both count PTX instructions of active lanes"},
    {"ipc", "gpu_tot_ipc", "`gpu_ipc` of one kernel is `ipc` in `kernels`"},
    {"warp_insts", "gpgpu_n_tot_w_icount", ""},
    {"occupancy", "gpu_tot_occupancy", "theirs counts the cycles of busy SMs only"},
    {"l1d.loads", "L1D_total_cache_accesses", "theirs adds the stores: `l1d.stores`"},
    {"l1d.misses", "L1D_total_cache_misses", "theirs adds store misses: `l1d.store_misses`"},
    {"l1d.merges", "L1D_total_cache_pending_hits", ""},
    {"l1d.reservation_fails", "L1D_total_cache_reservation_fails",
     "a failed attempt there is a cycle waited here"},
    {"l2.accesses", "L2_total_cache_accesses", ""},
    {"l2.misses", "L2_total_cache_misses", "theirs adds store misses: `l2.store_misses`"},
    {"l2.merges", "L2_total_cache_pending_hits", ""},
    {"dram.reads", "total dram reads", ""},
    {"dram.writes", "total dram writes", ""},
};
enum { N_KNOWN_NAMES = sizeof known_names / sizeof known_names[0] };

static const struct known_name *find_known(const char *ours)
{
    for (int i = 0; i < N_KNOWN_NAMES; i++)
        if (strcmp(known_names[i].ours, ours) == 0)
            return &known_names[i];
    return NULL;
}

/* In the order of results: those of the machine, which only timed runs have, come first. */
static uint32_t stat_count(void)
{
    return machine_stat_count(NULL) + run_stats_count();
}

/* Those that runs have only on request come last. */
static uint32_t all_count(void)
{
    return stat_count() + locality_stat_count();
}

static bool is_timed(uint32_t i)
{
    return i < machine_stat_count(NULL) || i >= stat_count();
}

/* The option of `heddle run` that requests it; NULL = it is always there. */
static const char *asked_for_by(uint32_t i, struct arena *arena)
{
    if (i >= stat_count())
        return locality_stat_part(i - stat_count()) == LOCALITY_RUN ? "--locality" : "--belady";
    const char *gpu = i < machine_stat_count(NULL) ? machine_stat_gpu(i) : NULL;
    return gpu ? arena_printf(arena, "--gpu %s", gpu) : NULL;
}

static struct heddle_stat stat_at(uint32_t i)
{
    const struct run_stats none = {0};
    return i >= stat_count()              ? locality_stat_at(NULL, i - stat_count())
           : i < machine_stat_count(NULL) ? machine_stat_at(NULL, i)
                                          : run_stats_at(&none, i - machine_stat_count(NULL));
}

static void json_listed(const struct mechanism_listed *m, struct json_writer *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", m->stat.name);
    json_string(j, "unit", m->stat.unit);
    json_string(j, "help", m->stat.help);
    json_bool(j, "timed", true);
    json_string(j, "asked_for_by", NULL);
    json_string(j, "gpgpu_sim", NULL);
    json_string(j, "of", m->owners);
    json_end_object(j);
}

static void json_stats(struct strbuf *out)
{
    struct json_writer j = {.out = out};
    struct arena arena = {0};
    uint32_t n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&arena, &n_listed);
    json_begin_array(&j, NULL);
    for (uint32_t i = 0; i < all_count(); i++) {
        struct heddle_stat s = stat_at(i);
        const struct known_name *known = find_known(s.name);
        json_begin_object(&j, NULL);
        json_string(&j, "name", s.name);
        json_string(&j, "unit", s.unit);
        json_string(&j, "help", s.help);
        json_bool(&j, "timed", is_timed(i));
        json_string(&j, "asked_for_by", asked_for_by(i, &arena));
        json_string(&j, "gpgpu_sim", known ? known->theirs : NULL);
        json_string(&j, "of", NULL);
        json_end_object(&j);
    }
    for (uint32_t i = 0; i < n_listed; i++)
        json_listed(&listed[i], &j);
    json_end_array(&j);
    arena_destroy(&arena);
}

static void list_mechanisms(struct table *t)
{
    struct arena arena = {0};
    uint32_t n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&arena, &n_listed);
    for (uint32_t i = 0; i < n_listed; i++) {
        table_cell(t, "%s", listed[i].stat.name);
        table_cell(t, "%s", listed[i].stat.unit);
        table_cell(t, "%s (%s)", listed[i].stat.help, listed[i].owners);
    }
    arena_destroy(&arena);
}

enum heddle_status show_stats(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    if (o->json) {
        json_stats(out);
        return HEDDLE_OK;
    }
    struct table t = {.n_columns = 3};
    for (uint32_t i = 0; i < all_count(); i++) {
        struct heddle_stat s = stat_at(i);
        table_cell(&t, "%s", s.name);
        table_cell(&t, "%s", s.unit);
        table_cell(&t, "%s", s.help);
    }
    list_mechanisms(&t);
    table_print(&t, out);
    table_destroy(&t);
    return HEDDLE_OK;
}

static void add_rows(uint32_t from, uint32_t to, struct strbuf *out)
{
    strbuf_add(out, "| name | unit | meaning |\n|---|---|---|\n");
    for (uint32_t i = from; i < to; i++) {
        struct heddle_stat s = stat_at(i);
        strbuf_addf(out, "| `%s` | %s | %s |\n", s.name, s.unit, s.help);
    }
}

static void add_mechanism_rows(struct strbuf *out)
{
    struct arena arena = {0};
    uint32_t n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&arena, &n_listed);
    strbuf_add(out, "| name | unit | meaning | of |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < n_listed; i++)
        strbuf_addf(out, "| `%s` | %s | %s | %s |\n", listed[i].stat.name, listed[i].stat.unit,
                    listed[i].stat.help, listed[i].owners);
    arena_destroy(&arena);
}

void show_stats_markdown(struct strbuf *out)
{
    strbuf_add(
        out,
        "# Statistics of a run\n\n<!-- Written by `heddle show stats --markdown`; a test fails "
        "when it drifts. -->\n\n`heddle run --json` has them under `stats`, summed over all "
        "launches, and for each kernel under `kernels`; `--kernels` prints the most important ones "
        "of each kernel. `--per-pc` counts by static load, `--series N` over time, including waits "
        "between launches (`elapsed_cycles`). Ratios are computed from the sums, never averaged. "
        "At the end of every run the counters are checked against each other. In addition, "
        "`status` is the exit status and `error` says what went wrong, if anything. A run that was "
        "stopped, at a limit or by Ctrl-C, has `\"partial\": true` and the statistics up to that "
        "point; one that failed otherwise has no statistics.\n\n## Of every run\n\n");
    add_rows(machine_stat_count(NULL), stat_count(), out);
    strbuf_add(out, "\n## Of timed runs\n\nCycles are cycles of the core clock. Times in "
                    "`l1d.reservation_fails` are waits of the access at the head of an SM's "
                    "load/store unit, by what it waited for.\n\n");
    add_rows(0, machine_stat_count(NULL), out);
    strbuf_addf(out,
                "\n## Of mechanisms\n\nSchedulers, cache policies and criticality providers, "
                "including plug-ins, declare their own ([adding-a-policy.md](adding-a-policy.md)); "
                "a run has those of its own machine. Counters are summed over SMs or L2 banks, and "
                "belong to the kernel in which they were counted. A state is that at the end of "
                "the run or the kernel; a state of running warps is the mean of samples every %d "
                "cycles. In a row of a time series both are as at the end of its interval.\n\n",
                STAT_SAMPLE_CYCLES);
    add_mechanism_rows(out);
    strbuf_add(
        out, "\n## On request\n\n`heddle run --locality` adds `locality.*`, `--belady` the rest: "
             "computed after the run from the accesses of its L1Ds ([cache-lab.md](cache-lab.md)), "
             "and only for the whole run, not for kernels. The run itself is unchanged.\n\n");
    add_rows(stat_count(), all_count(), out);
    strbuf_add(out, "\n## Names in GPGPU-Sim\n\n| GPGPU-Sim | Heddle | note |\n|---|---|---|\n");
    for (int i = 0; i < N_KNOWN_NAMES; i++)
        strbuf_addf(out, "| `%s` | `%s` | %s |\n", known_names[i].theirs, known_names[i].ours,
                    known_names[i].remark);
}
