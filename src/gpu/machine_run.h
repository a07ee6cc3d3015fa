/* How a machine's engine is run; only for machine.c and machine_host.c. */
#ifndef HEDDLE_GPU_MACHINE_RUN_H
#define HEDDLE_GPU_MACHINE_RUN_H

#include "gpu/machine.h"
#include "gpu/mix.h"

/* Runs the engine until what was started is done, or up to `limit`. */
enum machine_end machine_run_engine(struct machine *m, sim_time limit);
/* The next time at which the engine must stop: for a watcher or an epoch. */
sim_time machine_next_stop(const struct machine *m);
/* Everything before t has happened: calls the watchers and epochs that are due up to t, in time
 * order. */
void machine_handle_stops(struct machine *m, sim_time t);
/* Advances the parts that have work (in practice the CPU cores) to t. */
void machine_advance_until(struct machine *m, sim_time t);
/* The end of the visibility period of t. */
sim_time machine_next_boundary(const struct machine *m, sim_time t);
/* Is a repeated launch over because the CPU programs have ended? Such a launch need not complete.
 */
bool machine_is_over(const struct machine *m);
/* Ends such a launch with the visibility period in which the last CPU program ends. */
enum machine_end machine_end_with_cpus(struct machine *m);
bool machine_cpu_failed(const struct machine *m);

/* The cycle limit of what begins at that time. */
static inline sim_time machine_limit(const struct machine *m, sim_time begin)
{
    uint64_t cycles = m->options.max_cycles;
    return cycles ? begin + cycles * m->clocks[CLOCK_CORE].period : TIME_NEVER;
}

#endif
