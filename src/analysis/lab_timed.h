/* Timed replay: the accesses, fills and instructions of a recording in their recorded order,
 * through the code of the timing model, as the recorded L1D was, its sectors and resizes included.
 * Nothing is new in what comes out: it must be what the recording says, access by access, which
 * shows that the policy decided by these alone. A policy that also goes by stalls, or by a
 * criticality that was not recorded, differs. */
#ifndef HEDDLE_ANALYSIS_LAB_TIMED_H
#define HEDDLE_ANALYSIS_LAB_TIMED_H

#include "analysis/l1d_stream.h"
#include "cache/cache.h"

struct lab_timed {
    struct cache_stats stats; /* of all SMs together */
    uint64_t recorded[N_L1D_OUTCOMES];
    uint64_t n_accesses;
    uint64_t n_different; /* loads and stores that came out otherwise than recorded */
    /* Of the first of them. */
    uint64_t first_different;
    struct l1d_event first_event;
    const char *first_outcome; /* here */
};

/* False if the file cannot be read to its end or there can be no such cache: the reason is in
 * `why`.
 */
bool lab_timed_replay(const char *path, const struct cache_policy_desc *policy, const void *params,
                      struct lab_timed *out, struct strbuf *why);

extern const char *const l1d_outcome_names[N_L1D_OUTCOMES];

#endif
