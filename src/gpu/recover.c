/* After a launch was cut off, the machine is in the middle of it: with requests in flight and warps
 * that will not end. That state cannot be undone, so another machine replaces it, with the same
 * device memory and modules. Its counts are kept and added to those of the new machine. */
#include "gpu/machine.h"
#include "gpu/sim.h"

static void keep_counters(struct heddle_sim *sim)
{
    struct machine_totals *past = &sim->past;
    uint64_t cycles = machine_cycle(sim->machine);
    if (sim->last_faulted) { /* how far the other SMs had come is not a result */
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

/* Totals refer to the mechanisms' statistics by the rows of a machine: here those of the new one,
 * which has the same. */
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
