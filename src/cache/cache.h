/* A cache's tags under a policy, and its MSHRs. No time and no queues: the owner (L1D, L2 slice,
 * the cache laboratory) says what resources it has and moves the data. */
#ifndef HEDDLE_CACHE_CACHE_H
#define HEDDLE_CACHE_CACHE_H

#include "cache/cache_policy.h"

enum set_index { INDEX_LINEAR, INDEX_HASH };

struct cache_config {
    uint32_t n_sets, n_ways, line_bytes, sector_bytes; /* sector_bytes = line_bytes: not sectored */
    uint32_t index; /* enum set_index; HASH = Fermi's, as GPGPU-Sim has it for 32 or 64 sets, xor
                     * folding of the upper bits otherwise */
    uint32_t n_mshrs, mshr_merges; /* merges: accesses one MSHR holds, the first included */
    bool allocate_on_fill;
    const char *policy; /* name; its parameters are bound under "<cache>.policy" */
    bool write_back;    /* else write-through; see write_allocate */
    bool write_allocate;
    bool write_evict; /* a store that hits removes the line (S4 section 2) */
};

enum cache_answer { CACHE_HIT, CACHE_MERGE, CACHE_MISS, CACHE_BYPASSED, CACHE_STALLED };

struct cache_result {
    enum cache_answer answer;
    enum cache_stall stall; /* of STALLED */
    uint32_t mshr;          /* of MERGE and MISS: which; of BYPASSED: unused */
    /* A dirty victim that must be written back before its place is used. */
    bool writeback;
    uint64_t victim_line;
    uint32_t victim_sectors;
};

/* Resources outside the cache, as they are now. */
struct cache_room {
    bool miss_queue;   /* a slot for one more miss */
    bool port;         /* room for a bypassed request */
    bool bypass_table; /* a slot to track one */
};

struct cache;

/* Counted by the cache itself: COUNTER(field, "name", "meaning") */
#define CACHE_COUNTERS(COUNTER)                                                                    \
    COUNTER(loads, "loads", "loads accepted: hits + merges + misses + bypasses")                   \
    COUNTER(stores, "stores", "stores accepted")                                                   \
    COUNTER(hits, "hits", "loads that found their line")                                           \
    COUNTER(merges, "merges", "loads that joined an outstanding miss")                             \
    COUNTER(misses, "misses", "loads that reserved a line and an MSHR")                            \
    COUNTER(bypasses, "bypasses", "loads that went around the cache")                              \
    COUNTER(store_hits, "store_hits", "stores that found their line")                              \
    COUNTER(evictions, "evictions", "lines replaced")                                              \
    COUNTER(evictions_unused, "evictions_unused", "lines replaced without a hit since insertion")  \
    COUNTER(write_evictions, "write_evictions", "lines removed by a store")                        \
    COUNTER(writebacks, "writebacks", "dirty lines written back")                                  \
    COUNTER(fills, "fills", "lines filled")

struct cache_stats {
#define COUNTER(field, name, help) uint64_t field;
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
};

/* `params` are the policy's values (NULL = its defaults). */
struct cache *cache_create(const struct cache_config *config,
                           const struct cache_policy_desc *policy, const void *params,
                           uint32_t n_warps, uint64_t seed);
void cache_destroy(struct cache *c);

uint32_t cache_set_of(const struct cache *c, uint64_t line);

/* A load (or an instruction fetch, or a store that allocates): a->line and a->set are filled in by
 * the caller through cache_set_of(). Commits and calls the policy's events exactly when the answer
 * is not STALLED; a STALLED access changes nothing and may be offered again. `waiter` is stored in
 * the MSHR and handed back by cache_fill(). */
struct cache_result cache_load(struct cache *c, const struct mem_access *a, struct cache_room room,
                               void *waiter);

/* A store. Write-evict or write-through caches: updates or removes the line, answer HIT or MISS,
 * never STALLED. Write-back, write-allocate caches: a full-line or hitting store makes the line
 * dirty; a missing store allocates like a load (answer MISS: the owner fetches, unless
 * a->full_line, when the line is valid at once and no fetch is needed: answer HIT). */
struct cache_result cache_store(struct cache *c, const struct mem_access *a, struct cache_room room,
                                void *waiter);

/* Data of an MSHR's line have arrived. Marks the line valid (allocates now if allocate_on_fill),
 * frees the MSHR and returns its waiters in order of arrival: up to `max`, all of them (max is at
 * least mshr_merges). */
uint32_t cache_fill(struct cache *c, uint32_t mshr, uint64_t cycle, void **waiters, uint32_t max,
                    struct cache_result *result);

/* The line of an outstanding MSHR. */
uint64_t cache_mshr_line(const struct cache *c, uint32_t mshr);
uint32_t cache_mshrs_in_use(const struct cache *c);

/* Removes a line if it is there (an atomic passes); no policy event but on_evict(invalidate). */
void cache_invalidate_line(struct cache *c, uint64_t line);
/* Empties the cache; dirty lines are handed to `writeback`. No miss may be outstanding. */
void cache_flush(struct cache *c, void (*writeback)(void *user, uint64_t line, uint32_t sectors),
                 void *user);

const struct cache_stats *cache_stats(const struct cache *c);
struct cache_policy *cache_get_policy(struct cache *c);
/* Did the policy do anything: decisions that differed from LRU's choice, and the first access id
 * where they did (~0 = none). */
void cache_lru_differences(const struct cache *c, uint64_t *n, uint64_t *first_id);
void cache_describe_wait(const struct cache *c, struct strbuf *out);

/* Observers of the same events the policy sees, for schedulers and recording; NULL = nobody. */
enum cache_event { CE_HIT, CE_MERGE, CE_MISS, CE_BYPASS, CE_RESERVE, CE_FILL, CE_EVICT, CE_STORE };
struct cache_event_info {
    enum cache_event event;
    const struct mem_access *access; /* NULL for FILL */
    const struct cache_line *line;   /* RESERVE, FILL, EVICT, HIT, MERGE; NULL if none */
    enum cache_evict_cause cause;    /* EVICT */
    enum cache_bypass_reason reason; /* BYPASS */
    uint32_t set, way;
    uint64_t cycle;
};
void cache_observe(struct cache *c, void (*observer)(void *user, const struct cache_event_info *e),
                   void *user);

#endif
