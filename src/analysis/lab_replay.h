/* Ideal replay: the loads and stores of each SM go through a private cache, under the policies of
 * the timing model, and every fill is immediate. So there are no merges and no stalls; a merge of
 * the run is a hit here.
 *
 * Policies that count executed instructions receive those that the stream records.
 *
 * Left out on purpose: MSHRs, queues and time. */
#ifndef HEDDLE_ANALYSIS_LAB_REPLAY_H
#define HEDDLE_ANALYSIS_LAB_REPLAY_H

#include "analysis/lab_stream.h"
#include "base/sink.h"
#include "cache/cache.h"
#include "cache/shared.h"

/* With sectors, a load whose line is present but lacks a requested sector is a separate miss: it
 * fetches the sectors and replaces nothing. A store to such a line passes. */
struct lab_config {
    uint32_t n_sets, n_ways, line_bytes;
    uint32_t sector_bytes; /* 0 = whole lines; otherwise sectors and lines are as recorded */
    uint32_t index;        /* enum set_index */
    uint32_t stores_keep;  /* 1: a store keeps its line; 0: it removes it */
    /* Instead: one cache for all SMs, like L2. Stores allocate and are written back when their line
     * is replaced, and at the end with flush_at_end. */
    bool write_back, flush_at_end;
    /* Instead: one cache shared by applications, like a last-level cache. `sm` of an access names
     * its application; stores allocate and count like loads. Each access takes one cycle. */
    bool is_shared;
    uint32_t n_apps, gpu_app; /* up to SHARED_MAX_APPS; gpu_app = n_apps: no GPU */
    /* Per period, the instructions of the SMs that sample LRU and MRU insertion, which are warps 0
     * and 1 of the GPU's accesses; NULL = no sampling. */
    const uint64_t (*samples)[2];
    uint32_t n_samples;
    const struct cache_policy_desc *policy;
    const void *params; /* parameter values; NULL = the defaults */
};

/* Who inserted the line that a hit finds (S4 Figures 11 and 12): by warp and first thread. */
enum lab_locality { LAB_INTRA_THREAD, LAB_INTER_THREAD, LAB_INTER_WARP, N_LAB_LOCALITIES };

static inline enum lab_locality lab_locality_of(uint64_t owner_warp, uint64_t owner_thread,
                                                const struct lab_access *a)
{
    enum lab_locality in_warp = owner_thread == a->thread ? LAB_INTRA_THREAD : LAB_INTER_THREAD;
    return owner_warp == a->warp ? in_warp : LAB_INTER_WARP;
}

/* The outcomes per application, and the decisions after each period. */
struct lab_shared {
    uint32_t n_apps, gpu_app;
    struct lab_app {
        uint64_t hits, misses;
    } apps[SHARED_MAX_APPS];
    struct shared_decision *periods;
    uint32_t n_periods, cap_periods;
};

struct lab_result {
    struct cache_stats stats; /* over all SMs */
    uint64_t localities[N_LAB_LOCALITIES];
    /* Misses for which LRU would have chosen another victim, and the first of them as the log
     * counts: shows whether the policy had any effect. */
    uint64_t n_differences, first_difference;
    /* With write_back: memory requests of at most a line each. Stale reads are those of bytes that
     * were dropped and not stored since. */
    uint64_t dram_reads, dram_writes, stale_reads;
    struct lab_shared *shared; /* for a shared cache, otherwise NULL; lab_result_destroy() frees
                                * it */
};

void lab_result_destroy(struct lab_result *result);

/* A policy by its name, including those that know the future; NULL if there is none. */
const struct cache_policy_desc *lab_policy_find(const char *name);
/* The names of the policies that know the future. Ends with NULL. */
extern const char *const lab_oracle_names[];

/* Is such a cache possible for these accesses? If not, appends the reason to `why`. */
bool lab_config_check(const struct lab_config *config, const struct lab_stream *s,
                      struct strbuf *why);

/* Appends remarks for the user about the policy in such a cache, if there are any. */
void lab_config_remark(const struct lab_config *config, struct strbuf *out);

/* One replay. With a log (NULL = none), one line per load: `index,hit|miss|bypass,victim`, where
 * the index counts all accesses of the stream from 0. With write_back, one line per access:
 * `index,hit|miss|bypass|drop,victim,1 if it was written back`. */
struct lab_job {
    struct lab_config config;
    const struct sink *log;
    struct lab_result result;
};

/* Runs all jobs in one pass over the accesses. False if a log could not be written. */
bool lab_replay_all(const struct lab_stream *s, struct lab_job *jobs, uint32_t n);
/* The same for an opened recording, of which only a part is in memory at a time. No policy may know
 * the future. Also false if the recording cannot be read to its end; `why` says why. */
bool lab_replay_opened(struct lab_stream *s, struct lab_job *jobs, uint32_t n, struct strbuf *why);
bool lab_policy_knows_the_future(const struct cache_policy_desc *policy);
/* A single one. */
bool lab_replay(const struct lab_stream *s, const struct lab_config *config, const struct sink *log,
                struct lab_result *out);

#endif
