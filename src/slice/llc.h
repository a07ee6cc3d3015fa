/* What a slice adds if applications share its L2: the application of each access, what each
 * application has in the cache, and the periods of a policy with a controller (cache/shared.h).
 *
 *     at k * period        the policies of the banks report, before any event of that cycle; the
 *                          sum goes to the controller
 *     a decision arrives   the banks apply it at the next cycle of L2, before any other event of
 *                          that cycle
 *
 * No clock is polled: the slice advances to the time of the next report or decision. */
#ifndef HEDDLE_SLICE_LLC_H
#define HEDDLE_SLICE_LLC_H

#include "cache/shared.h"
#include "noc/shard.h"

struct llc_bank;

/* Counts of one application. Write-backs of CPU cores do not count as accesses. */
struct llc_app {
    uint64_t accesses,
        misses;     /* loads and stores of the SMs; for CPU cores, the misses of their caches */
    uint64_t lines; /* lines it has now */
};

struct slice_llc {
    struct llc_app apps[SHARED_MAX_APPS];
    struct llc_bank **banks; /* the owners of their lines */
    sim_time report_at, apply_at;
    uint64_t n_applied;
    struct shared_report report;            /* the latest one */
    const struct shared_decision *decision; /* to be applied at apply_at; owned by
                                             * the controller */
};

#endif
