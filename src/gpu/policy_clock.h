/* What reaches cache policies at a time and not with an access: epochs, every so many cycles of
 * their cache's clock, and the quotas that a controller sends to slices of L2 (UCP, TAP: slices
 * report at an epoch, the controller decides a link later, slices apply another link later).
 *
 * The machine stops its engine at each of these times, as it does for who looks at it: all that
 * happens before has happened, nothing of that time itself has. So neither the engine nor the
 * quantum nor the number of threads makes a difference. At equal times those who look come first,
 * then epochs of L1D and of L2, then quotas in the order in which they were sent. */
#ifndef HEDDLE_GPU_POLICY_CLOCK_H
#define HEDDLE_GPU_POLICY_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "noc/shard.h"

struct machine;

enum { QUOTA_MAX_BYTES = 64, QUOTA_MAX_SENT = 256 };

/* What apply() of the policies of a memory slice's L2 banks is to be told. */
struct quota {
    sim_time at;
    uint32_t slice; /* its number */
    uint32_t bytes;
    unsigned char data[QUOTA_MAX_BYTES];
};

struct epoch_clock {
    sim_time period; /* 0: no epochs, or nobody who wants to know */
    uint64_t next;   /* number of the next epoch, which begins at next * period */
};

struct policy_clock {
    struct epoch_clock l1d, l2;
    struct quota sent[QUOTA_MAX_SENT]; /* sorted by time */
    uint32_t n_sent;
};

void policy_clock_init(struct machine *m);
/* When the next of these is due; TIME_NEVER if nothing is. */
sim_time policy_clock_next(const struct policy_clock *c);
/* Tells the policies all that is due at `t` or before. */
void policy_clock_run(struct machine *m, sim_time t);

/* Called by a controller that looks at the machine: it arrives after the present. False if too many
 * are under way. */
bool machine_send_quota(struct machine *m, sim_time at, uint32_t slice, const void *data,
                        size_t bytes);

#endif
