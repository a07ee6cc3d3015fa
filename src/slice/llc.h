/* What a slice adds where applications share its L2: whose access is whose, what each application
 * has in the cache, and the periods of a policy with a controller (cache/shared.h).
 *
 *     at k * period        the policies of the banks report, before anything of that cycle; the sum
 *                          goes to the controller
 *     a decision arrives   they apply it, at the first cycle of L2 from then on, before anything
 *                          else of it
 *
 * Nothing looks at the clock meanwhile: both are times to which the slice advances. */
#ifndef HEDDLE_SLICE_LLC_H
#define HEDDLE_SLICE_LLC_H

#include "cache/shared.h"
#include "noc/shard.h"

struct llc_bank;

/* Of one application. Write-backs of CPU cores are no accesses of theirs. */
struct llc_app {
    uint64_t accesses,
        misses;     /* loads and stores of the SMs, of CPU cores what their caches miss */
    uint64_t lines; /* that it has now */
};

struct slice_llc {
    struct llc_app apps[SHARED_MAX_APPS];
    struct llc_bank **banks; /* who owns their lines */
    sim_time report_at, apply_at;
    uint64_t n_applied;
    struct shared_report report;            /* the last one */
    const struct shared_decision *decision; /* to be applied then; the controller's */
};

#endif
