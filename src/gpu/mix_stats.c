/* Statistics of machines with CPU cores. Those of programs are taken at their first ends, the GPU's
 * at the end of its workload (machine_freeze_gpu()). */
#include <string.h>

#include "gpu/mix.h"
#include "gpu/stat_row.h"
#include "slice/llc.h"

/* --- taking --- */

/* Application k of the machine, as rows count them. */
static uint32_t row_app(const struct machine *m, uint32_t k)
{
    return k == m->llc.gpu_app ? 0 : k + 1;
}

static bool has_ended(const struct machine *m, uint32_t k)
{
    return k == m->llc.gpu_app ? m->frozen != NULL : cpu_core_has_ended(machine_cpu(m, k));
}

static void take_slices(const struct machine *m, struct mix_counts *c, struct mix_state *s)
{
    uint32_t group = machine_cpu_memory(m)->group;
    for (uint32_t i = 0; i < m->graph.groups[group].n; i++) {
        const struct slice_llc *l = ((const struct slice *)part_at(&m->graph, group, i))->llc;
        for (uint32_t k = 0; k < m->llc.n_apps; k++) {
            c->accesses[row_app(m, k)] += l->apps[k].accesses;
            c->misses[row_app(m, k)] += l->apps[k].misses;
            s->lines[row_app(m, k)] += l->apps[k].lines;
        }
    }
}

static void take_cpus(const struct machine *m, struct mix_counts *c, struct mix_state *s)
{
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        const struct cpu_core *core = machine_cpu(m, i);
        c->cpus[i] = cpu_core_first_stats(core, m->engine.now);
        s->restarts[i + 1] = core->restarts;
    }
}

static void take_controller(const struct machine *m, struct mix_counts *c, struct mix_state *s)
{
    const struct llc_controller *l = machine_llc_controller(m);
    s->caching_helps = s->xs_ratio = 1;
    if (!l)
        return;
    c->periods = l->n_periods;
    c->judged = l->n_judged;
    c->helps = l->n_helps;
    c->quota_changes = l->n_quota_changes;
    c->xs_sum = l->xs_sum;
    s->xs_ratio = l->decision.xs_ratio;
    s->caching_helps = l->decision.caching_helps;
    for (uint32_t k = 0; l->decision.has_quotas && k < m->llc.n_apps; k++)
        s->quotas[row_app(m, k)] = l->decision.quotas[k];
}

void mix_totals_take(const struct machine *m, struct machine_totals *t)
{
    const struct machine_config *config = m->config;
    memset(&t->mix, 0, sizeof t->mix);
    memset(&t->mix_now, 0, sizeof t->mix_now);
    if (!machine_is_mixed(m))
        return;
    t->mix_now.n_apps = m->llc.n_apps;
    t->mix_now.capacity =
        (uint64_t)machine_config_llc(config)->all_sets * machine_config_llc(config)->n_ways;
    take_slices(m, &t->mix, &t->mix_now);
    take_cpus(m, &t->mix, &t->mix_now);
    take_controller(m, &t->mix, &t->mix_now);
    for (uint32_t k = 0; k < m->llc.n_apps; k++)
        t->mix_now.ended[row_app(m, k)] = has_ended(m, k);
    memcpy(t->mix.samples, m->mix_samples.samples, sizeof t->mix.samples);
    memcpy(t->mix.sampled_lines, m->mix_samples.lines, sizeof t->mix.sampled_lines);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct mix_samples *into = user;
    struct mix_counts counts = {0};
    struct mix_state now = {0};
    (void)cycle;
    take_slices(m, &counts, &now);
    for (uint32_t k = 0; k < m->llc.n_apps; k++)
        if (!has_ended(m, k)) {
            into->samples[row_app(m, k)]++;
            into->lines[row_app(m, k)] += now.lines[row_app(m, k)];
        }
}

void mix_watch(struct machine *m)
{
    machine_watch(m, (struct machine_watcher){.period_cycles = STAT_SAMPLE_CYCLES,
                                              .look = look,
                                              .user = &m->mix_samples});
}

void machine_freeze_gpu(struct machine *m)
{
    struct machine_totals *t = ARENA_ARRAY(&m->arena, struct machine_totals, 1);
    if (m->frozen)
        return;
    machine_totals_take(m, machine_cycle(m), t);
    m->frozen = t;
}

void machine_freeze_mix(struct machine *m)
{
    machine_freeze_gpu(m);
    machine_totals_take(m, machine_cycle(m), m->frozen);
    m->is_settled = true;
}

/* --- rows --- */

static double get_ipc(const struct machine_totals *t, uint32_t app)
{
    return stat_ratio(t->mix.cpus[app - 1].insts, t->mix.cpus[app - 1].cycles);
}

static double get_miss_rate(const struct machine_totals *t, uint32_t app)
{
    return stat_ratio(t->mix.misses[app], t->mix.accesses[app]);
}

static double get_occupancy(const struct machine_totals *t, uint32_t app)
{
    return stat_ratio(t->mix.sampled_lines[app], t->mix.samples[app] * t->mix_now.capacity);
}

static double get_access_ratio(const struct machine_totals *t, uint32_t app)
{
    uint64_t most = 0;
    for (uint32_t k = 1; k < MIX_MAX_APPS; k++)
        most = t->mix.accesses[k] > most ? t->mix.accesses[k] : most;
    return stat_ratio(t->mix.accesses[app], most);
}

static double get_mean_xs_ratio(const struct machine_totals *t, uint32_t app)
{
    (void)app;
    return stat_ratio(t->mix.xs_sum, t->mix.periods);
}

/* Of application `app`, called `who`. */
#define APP_ROWS(app, who)                                                                         \
    ROW_COUNT("llc." who ".accesses", "accesses",                                                  \
              "accesses to the last-level cache, without write-backs of CPU cores",                \
              mix.accesses[app]),                                                                  \
        ROW_COUNT("llc." who ".misses", "accesses", "of these, misses of the line or of sectors",  \
                  mix.misses[app]),                                                                \
        ROW_RATIO_OF(app, "llc." who ".miss_rate", "fraction", "misses / accesses",                \
                     get_miss_rate),                                                               \
        ROW_COUNT("llc." who ".lines", "lines", "its current lines in the last-level cache",       \
                  mix_now.lines[app]),                                                             \
        ROW_RATIO_OF(app, "llc." who ".occupancy", "fraction",                                     \
                     "its mean share of the lines of the last-level cache until its first end",    \
                     get_occupancy),                                                               \
        ROW_COUNT("llc." who ".quota", "ways",                                                     \
                  "lines that the controller has assigned to it; 0 = no quotas",                   \
                  mix_now.quotas[app])
#define CPU_ROWS(i)                                                                                \
    ROW_RATIO_OF((i) + 1, "cpu" #i ".ipc", "instructions/cycle",                                   \
                 "instructions per CPU cycle up to the program's first end", get_ipc),             \
        ROW_COUNT("cpu" #i ".ended", "programs", "1 once it has ended", mix_now.ended[(i) + 1]),   \
        ROW_COUNT("cpu" #i ".restarts", "times", "times that the program has begun again",         \
                  mix_now.restarts[(i) + 1]),                                                      \
        ROW_COUNT("cpu" #i ".insts", "instructions", "retired up to its first end",                \
                  mix.cpus[i].insts),                                                              \
        ROW_COUNT("cpu" #i ".cycles", "CPU cycles", "up to its first end", mix.cpus[i].cycles),    \
        ROW_COUNT("cpu" #i ".loads", "loads", "memory operands read", mix.cpus[i].loads),          \
        ROW_COUNT("cpu" #i ".stores", "stores", "memory operands written", mix.cpus[i].stores),    \
        ROW_COUNT("cpu" #i ".l1_misses", "accesses", "misses of its L1", mix.cpus[i].l1_misses),   \
        ROW_COUNT("cpu" #i ".l2_misses", "accesses", "misses of its L2: accesses to the LLC",      \
                  mix.cpus[i].l2_misses),                                                          \
        ROW_COUNT("cpu" #i ".llc_misses", "accesses", "of these, answered from memory",            \
                  mix.cpus[i].llc_misses),                                                         \
        ROW_COUNT("cpu" #i ".writebacks", "lines", "dirty lines that it sent to the LLC",          \
                  mix.cpus[i].writebacks),                                                         \
        APP_ROWS((i) + 1, "cpu" #i)

const struct stat_row mix_rows[] = {
    ROW_COUNT("llc.periods", "periods", "decisions of the controller of the last-level cache",
              mix.periods),
    ROW_COUNT("llc.periods_judged", "periods",
              "periods in which both sampling SMs were busy enough to judge by", mix.judged),
    ROW_COUNT("llc.periods_caching_helps", "periods", "periods after which caching helps the GPU",
              mix.helps),
    ROW_COUNT("llc.caching_helps", "decision",
              "1 = caching helps the GPU, according to the last decision", mix_now.caching_helps),
    ROW_COUNT("llc.xs_ratio", "ratio", "XSRATIO of the last decision", mix_now.xs_ratio),
    ROW_RATIO_OF(0, "llc.mean_xs_ratio", "ratio", "XSRATIO, the mean of all periods",
                 get_mean_xs_ratio),
    ROW_COUNT("llc.quota_changes", "periods", "periods after which the quotas changed",
              mix.quota_changes),
    ROW_RATIO_OF(0, "llc.access_ratio", "ratio",
                 "accesses of the GPU / those of the CPU program with most accesses",
                 get_access_ratio),
    APP_ROWS(0, "gpu"),
    CPU_ROWS(0),
    CPU_ROWS(1),
    CPU_ROWS(2),
    CPU_ROWS(3),
};
enum {
    N_MIX_ROWS = sizeof mix_rows / sizeof mix_rows[0],
    N_CPU_ROWS = 17,
    N_COMMON_ROWS = N_MIX_ROWS - MACHINE_MAX_CPUS * N_CPU_ROWS
};
_Static_assert(N_COMMON_ROWS == 14, "rows of a CPU core");

uint32_t mix_row_count(uint32_t n_apps)
{
    return n_apps ? N_COMMON_ROWS + (n_apps - 1) * N_CPU_ROWS : 0;
}
