/* After a launch that was cut off, the machine stands in the middle of it: requests under way,
 * warps that will not end. Nothing of that can be taken back, so another machine takes its place,
 * over the same device memory and with the same modules. What was counted is kept apart and added
 * to whatever the new machine counts. */
#include "gpu/machine.h"
#include "gpu/sim.h"

static void keep_counters(struct heddle_sim *sim)
{
    struct machine_totals *past = &sim->past;
    uint64_t cycles = machine_cycle(sim->machine);
    if (sim->last_faulted) { /* how far the other SMs had come is no result */
        *past = sim->before.machine;
        sim->stats = sim->before.run;
    } else {
        struct machine_totals all;
        struct run_stats run = sim_run_stats(sim);
        sim_machine_totals(sim, &all);
        *past = all;
        sim->stats = run;
    }
    sim->past_cycles += cycles ? cycles : 1;
}

/* Totals name the mechanisms' statistics by the rows of a machine: those of the new one, which has
 * the same. */
static void point_to_rows(struct machine_totals *t, const struct machine *m)
{
    if (t->mechanisms.of)
        t->mechanisms.of = &m->mechanisms;
}

static void point_all_to_rows(struct heddle_sim *sim)
{
    point_to_rows(&sim->past, sim->machine);
    point_to_rows(&sim->before.machine, sim->machine);
    point_to_rows(&sim->last.machine, sim->machine);
    for (uint32_t i = 0; i < sim->n_kernels; i++)
        point_to_rows(&sim->kernels[i].machine, sim->machine);
}

enum heddle_status heddle_recover(struct heddle_sim *sim)
{
    strbuf_clear(&sim->error);
    if (!sim->machine || !sim->machine->halted)
        return HEDDLE_OK;
    keep_counters(sim);
    sim_destroy_machine(sim);
    for (uint32_t i = 0; i < sim->config->cpu_programs.n; i++)
        cpu_source_rewind(sim->cpu_sources[i]);
    sim_create_machine(sim);
    point_all_to_rows(sim);
    return HEDDLE_OK;
}
