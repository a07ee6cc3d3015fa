/* Statistics by kernel: each launch's share of the sums is added to its kernel. */
#include <string.h>

#include "gpu/sim.h"

struct run_stats sim_run_stats(const struct heddle_sim *sim)
{
    struct run_stats s = sim->stats;
    if (sim->machine)
        machine_run_stats(sim->machine, &s);
    return s;
}

void kernel_stats_mark(const struct heddle_sim *sim, struct kernel_mark *mark)
{
    memset(mark, 0, sizeof *mark);
    mark->run = sim_run_stats(sim);
    if (sim->machine)
        sim_machine_totals(sim, &mark->machine);
}

void sim_machine_totals(const struct heddle_sim *sim, struct machine_totals *t)
{
    if (!sim->past_cycles) {
        memset(t, 0, sizeof *t);
        machine_totals_take(sim->machine, machine_cycle(sim->machine), t);
        return;
    }
    struct machine_totals now = {0};
    machine_totals_take(sim->machine, machine_cycle(sim->machine), &now);
    *t = sim->past;
    machine_totals_add(t, &now); /* gauges have their current values */
}

struct kernel_record *kernel_stats_of(struct heddle_sim *sim, const struct program_func *func)
{
    for (uint32_t i = 0; i < sim->n_kernels; i++)
        if (sim->kernels[i].func == func)
            return &sim->kernels[i];
    for (uint32_t i = 0; i < sim->n_kernels; i++) {
        struct kernel_record *r = &sim->kernels[i];
        if (!r->func && strcmp(r->name, func->func->name) == 0) {
            r->func = func;
            return r;
        }
    }
    ARRAY_RESERVE(sim->kernels, sim->cap_kernels, sim->n_kernels + 1);
    struct kernel_record *r = &sim->kernels[sim->n_kernels++];
    memset(r, 0, sizeof *r);
    r->func = func;
    r->name = strdup(func->func->name);
    return r;
}

void kernel_stats_forget(struct heddle_sim *sim, const struct heddle_module *module)
{
    const struct program *p = module->program;
    for (uint32_t i = 0; i < sim->n_kernels; i++)
        for (uint32_t f = 0; f < p->module->n_funcs; f++)
            if (sim->kernels[i].func == &p->funcs[f])
                sim->kernels[i].func = NULL;
}

void kernel_stats_add(struct heddle_sim *sim, const struct program_func *func,
                      const struct kernel_mark *before)
{
    struct kernel_mark *share = &sim->last;
    struct kernel_record *r = kernel_stats_of(sim, func);
    kernel_stats_mark(sim, share);
    run_stats_subtract(&share->run, &before->run);
    machine_totals_subtract(&share->machine, &before->machine);
    if (sim->last_faulted)
        return;
    run_stats_add(&r->run, &share->run);
    machine_totals_add(&r->machine, &share->machine);
}

uint32_t heddle_launched_count(const struct heddle_sim *sim)
{
    return sim->n_kernels;
}

const char *heddle_launched_name(const struct heddle_sim *sim, uint32_t kernel)
{
    return sim->kernels[kernel].name;
}

struct heddle_stat heddle_launched_stat_at(const struct heddle_sim *sim, uint32_t kernel,
                                           uint32_t i)
{
    const struct kernel_record *r = &sim->kernels[kernel];
    uint32_t first = sim->machine ? machine_stat_count(sim->machine) : 0;
    return i < first ? machine_totals_stat(&r->machine, i) : run_stats_at(&r->run, i - first);
}

struct heddle_stat heddle_last_stat_at(const struct heddle_sim *sim, uint32_t i)
{
    uint32_t first = sim->machine ? machine_stat_count(sim->machine) : 0;
    return i < first ? machine_totals_stat(&sim->last.machine, i)
                     : run_stats_at(&sim->last.run, i - first);
}
