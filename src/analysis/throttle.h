/* What a scheduler that holds warps back has done in a run: the lost locality it saw, and how many
 * of the resident warps might load, looked at every so many cycles. */
#ifndef HEDDLE_ANALYSIS_THROTTLE_H
#define HEDDLE_ANALYSIS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

enum { THROTTLE_PERIOD_CYCLES = 1000 };

/* Sums over the looks and the SMs. */
struct throttle {
    uint64_t n_looks, resident_warps, warps_may_load;
};

/* Before the first launch. False if the machine's scheduler holds no warp back, or is watched by
 * as many as can be: nothing is then. Otherwise `t`, zeroed, stays where it is until the machine is
 * destroyed. */
bool throttle_watch(struct throttle *t, struct machine *m);
/* Misses so far of lines that their warps had lost, as the scheduler's victim tags tell. */
uint64_t throttle_vta_hits(const struct machine *m);

#endif
