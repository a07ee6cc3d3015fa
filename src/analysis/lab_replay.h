/* Ideal replay: the loads and stores of each SM go through a cache of their own, with the code and
 * the policies of the timing model, and every fill is immediate. So there are no merges and no
 * stalls; what a run merged is a hit here.
 *
 * Left out on purpose: MSHRs, queues and time. Policies that decide by instructions executed see
 * none; recordings do not tell of them. */
#ifndef HEDDLE_ANALYSIS_LAB_REPLAY_H
#define HEDDLE_ANALYSIS_LAB_REPLAY_H

#include "analysis/lab_stream.h"
#include "base/sink.h"
#include "cache/cache.h"

struct lab_config {
    uint32_t n_sets, n_ways, line_bytes;
    uint32_t index;       /* enum set_index */
    uint32_t stores_keep; /* 1: a store leaves its line where it is; 0: it removes it */
    const struct cache_policy_desc *policy;
    const void *params; /* its values; NULL = its defaults */
};

/* Whose line a hit finds (S4 Figures 11 and 12): the warp and first thread that inserted it. */
enum lab_locality { LAB_INTRA_THREAD, LAB_INTER_THREAD, LAB_INTER_WARP, N_LAB_LOCALITIES };

struct lab_result {
    struct cache_stats stats; /* of all SMs together */
    uint64_t localities[N_LAB_LOCALITIES];
};

/* A policy by its name, those that know the future included; NULL if there is none. */
const struct cache_policy_desc *lab_policy_find(const char *name);
/* The names of those. Ends with NULL. */
extern const char *const lab_oracle_names[];

/* Can there be such a cache? If not, the reason is appended to `why`. */
bool lab_config_check(const struct lab_config *config, struct strbuf *why);

/* With a log (NULL = none), one line for each load: `index,hit|miss|bypass,victim`, where the index
 * counts all accesses of the stream from 0. False if the log could not be written. */
bool lab_replay(const struct lab_stream *s, const struct lab_config *config, const struct sink *log,
                struct lab_result *out);

#endif
