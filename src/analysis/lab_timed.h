/* Timed replay: feeds the accesses, fills and instructions of a recording in their recorded order
 * through the code of the timing model, configured like the recorded L1D with its sectors and
 * resizes. The result must equal the recording, access by access; this shows that the policy
 * decided on these inputs alone. A policy that also depends on stalls, or on a criticality that was
 * not recorded, differs. */
#ifndef HEDDLE_ANALYSIS_LAB_TIMED_H
#define HEDDLE_ANALYSIS_LAB_TIMED_H

#include "analysis/l1d_stream.h"
#include "cache/cache.h"

struct lab_timed {
    struct cache_stats stats; /* over all SMs */
    uint64_t recorded[N_L1D_OUTCOMES];
    uint64_t n_accesses;
    uint64_t n_different; /* loads and stores whose outcome differs from the recorded one */
    /* The first of them. */
    uint64_t first_different;
    struct l1d_event first_event;
    const char *first_outcome; /* here */
};

/* False if the file cannot be read to its end or such a cache is not possible; `why` says why. */
bool lab_timed_replay(const char *path, const struct cache_policy_desc *policy, const void *params,
                      struct lab_timed *out, struct strbuf *why);

extern const char *const l1d_outcome_names[N_L1D_OUTCOMES];

#endif
