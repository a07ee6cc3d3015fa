/* What reaches cache policies at a time and not with an access: epochs, every so many cycles of
 * their cache's clock. (What a controller sends to slices of L2 comes by links: slice/llc.c.)
 *
 * The machine stops its engine at each of these times, as it does for who looks at it: all that
 * happens before has happened, nothing of that time itself has. So neither the engine nor the
 * quantum nor the number of threads makes a difference. At equal times those who look come first,
 * then epochs of L1D, then those of L2. */
#ifndef HEDDLE_GPU_POLICY_CLOCK_H
#define HEDDLE_GPU_POLICY_CLOCK_H

#include <stdint.h>

#include "noc/shard.h"

struct machine;

struct epoch_clock {
    sim_time period; /* 0: no epochs, or nobody who wants to know */
    uint64_t next;   /* number of the next epoch, which begins at next * period */
};

struct policy_clock {
    struct epoch_clock l1d, l2;
};

void policy_clock_init(struct machine *m);
/* When the next of these is due; TIME_NEVER if nothing is. */
sim_time policy_clock_next(const struct policy_clock *c);
/* Tells the policies all that is due at `t` or before. */
void policy_clock_run(struct machine *m, sim_time t);

#endif
