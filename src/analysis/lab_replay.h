/* Ideal replay: the loads and stores of each SM go through a cache of their own, under the policies
 * of the timing model, and every fill is immediate. So there are no merges and no stalls; what a
 * run merged is a hit here.
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

/* With sectors, a load that finds its line without all the sectors it asks for is a miss of its
 * own, which fetches them and replaces nothing; a store that does passes. */
struct lab_config {
    uint32_t n_sets, n_ways, line_bytes;
    uint32_t sector_bytes; /* 0 = whole lines; else that of the recording, and so are the lines */
    uint32_t index;        /* enum set_index */
    uint32_t stores_keep;  /* 1: a store leaves its line where it is; 0: it removes it */
    /* Instead: one cache for all SMs, whose stores allocate and are written back when their line is
     * replaced, as those of L2; and at the end, if it is to be flushed then. */
    bool write_back, flush_at_end;
    /* Instead: one cache that applications share, as a last-level cache is. `sm` of an access names
     * its application; stores allocate and count like loads. An access is a cycle. */
    bool is_shared;
    uint32_t n_apps, gpu_app; /* up to SHARED_MAX_APPS; gpu_app = n_apps: there is no GPU */
    /* Per period the instructions of the SMs that sample insertion as LRU and as MRU, which are
     * warps 0 and 1 of the GPU's accesses; NULL = none does. */
    const uint64_t (*samples)[2];
    uint32_t n_samples;
    const struct cache_policy_desc *policy;
    const void *params; /* its values; NULL = its defaults */
};

/* Whose line a hit finds (S4 Figures 11 and 12): the warp and first thread that inserted it. */
enum lab_locality { LAB_INTRA_THREAD, LAB_INTER_THREAD, LAB_INTER_WARP, N_LAB_LOCALITIES };

static inline enum lab_locality lab_locality_of(uint64_t owner_warp, uint64_t owner_thread,
                                                const struct lab_access *a)
{
    enum lab_locality in_warp = owner_thread == a->thread ? LAB_INTRA_THREAD : LAB_INTER_THREAD;
    return owner_warp == a->warp ? in_warp : LAB_INTER_WARP;
}

/* What became of each application, and what was decided after each period. */
struct lab_shared {
    uint32_t n_apps, gpu_app;
    struct lab_app {
        uint64_t hits, misses;
    } apps[SHARED_MAX_APPS];
    struct shared_decision *periods;
    uint32_t n_periods, cap_periods;
};

struct lab_result {
    struct cache_stats stats; /* of all SMs together */
    uint64_t localities[N_LAB_LOCALITIES];
    /* Did the policy do anything: misses for which LRU would have chosen otherwise, and the first
     * of them as the log counts. */
    uint64_t n_differences, first_difference;
    /* With write_back: requests of memory of a line or less each; stale reads are those of bytes
     * that were dropped and not stored since. */
    uint64_t dram_reads, dram_writes, stale_reads;
    struct lab_shared *shared; /* of a shared cache, else NULL; lab_result_destroy() frees it */
};

void lab_result_destroy(struct lab_result *result);

/* A policy by its name, those that know the future included; NULL if there is none. */
const struct cache_policy_desc *lab_policy_find(const char *name);
/* The names of those. Ends with NULL. */
extern const char *const lab_oracle_names[];

/* Can there be such a cache, for these accesses? If not, the reason is appended to `why`. */
bool lab_config_check(const struct lab_config *config, const struct lab_stream *s,
                      struct strbuf *why);

/* Appends what a user should know of the policy in such a cache, if there is anything. */
void lab_config_remark(const struct lab_config *config, struct strbuf *out);

/* One replay of several. With a log (NULL = none), one line for each load:
 * `index,hit|miss|bypass,victim`, where the index counts all accesses of the stream from 0. With
 * write_back, one for each access: `index,hit|miss|bypass|drop,victim,1 if it was written back`. */
struct lab_job {
    struct lab_config config;
    const struct sink *log;
    struct lab_result result;
};

/* All of them in one pass over the accesses. False if a log could not be written. */
bool lab_replay_all(const struct lab_stream *s, struct lab_job *jobs, uint32_t n);
/* The same for an opened recording, of which only some is in memory at a time. No policy may know
 * the future. False also if the recording cannot be read to its end: then `why` says why. */
bool lab_replay_opened(struct lab_stream *s, struct lab_job *jobs, uint32_t n, struct strbuf *why);
bool lab_policy_knows_the_future(const struct cache_policy_desc *policy);
/* A single one. */
bool lab_replay(const struct lab_stream *s, const struct lab_config *config, const struct sink *log,
                struct lab_result *out);

#endif
