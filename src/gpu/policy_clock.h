/* Time-driven input of cache policies: epochs, every fixed number of cycles of their cache's clock.
 * (Decisions of a controller for slices of L2 arrive over links: slice/llc.c.)
 *
 * The machine stops its engine at each of these times, as it does for observers: everything before
 * has happened, and nothing at that time. So the engine, the quantum and the number of threads make
 * no difference. At equal times observers come first, then epochs of L1D, then those of L2, then
 * those of the last-level cache of a discrete GPU's host. */
#ifndef HEDDLE_GPU_POLICY_CLOCK_H
#define HEDDLE_GPU_POLICY_CLOCK_H

#include <stdint.h>

#include "noc/shard.h"

struct machine;

struct epoch_clock {
    sim_time period; /* 0: no epochs, or no policy that uses them */
    uint64_t next;   /* number of the next epoch, which begins at next * period */
};

enum { EPOCHS_L1D, EPOCHS_L2, EPOCHS_HOST_LLC, N_EPOCH_CLOCKS };
struct policy_clock {
    struct epoch_clock of[N_EPOCH_CLOCKS];
};

void policy_clock_init(struct machine *m);
/* When the next epoch is due; TIME_NEVER if none is. */
sim_time policy_clock_next(const struct policy_clock *c);
/* Calls the policies for all epochs due at `t` or before. */
void policy_clock_run(struct machine *m, sim_time t);

#endif
