/* A cache's tags under a policy, and its MSHRs. No time and no queues: the owner (L1D, L2 slice,
 * the cache laboratory) says what resources it has and moves the data.
 *
 * Lines are named by line-aligned byte addresses. The owner of one slice of an interleaved cache
 * passes addresses without the bits that select the slice, so that all its sets are used. */
#ifndef HEDDLE_CACHE_CACHE_H
#define HEDDLE_CACHE_CACHE_H

#include "base/occupancy.h"
#include "cache/cache_policy.h"
#include "config/param_set.h"

enum set_index { INDEX_LINEAR, INDEX_HASH };

struct cache_config {
    uint32_t n_sets, n_ways, line_bytes, sector_bytes; /* sector_bytes = line_bytes: not sectored */
    uint32_t index;                                    /* enum set_index; see set_index.h */
    uint32_t n_mshrs, mshr_merges; /* merges: accesses one MSHR holds, the first included */
    bool allocate_on_fill;
    const char *policy; /* name; its parameters are bound under "<cache>.policy" */
    bool write_back;    /* else write-through; see write_allocate */
    bool write_allocate;
    /* A store that hits removes the line and continues to the next level (S4 section 2). Stores to
     * local memory, which no other SM can see, are exempt: they follow write_back and
     * write_allocate. */
    bool write_evict;
    uint32_t epoch_cycles; /* period of on_epoch() in cycles of the cache's clock; 0 = never */
    uint32_t n_apps;       /* applications that share the cache; 0 = not shared */
    /* If this is one bank of a shared cache: the sets of all banks, and the index of this bank's
     * first set. 0 = the only bank. */
    uint32_t all_sets, first_set;
    bool no_fast_paths; /* every access takes the general path; the results are the same */
};

enum cache_answer { CACHE_HIT, CACHE_MERGE, CACHE_MISS, CACHE_BYPASSED, CACHE_STALLED };

enum { CACHE_NO_MSHR = 0xffff }; /* larger than any MSHR index */

/* Small enough to be returned in registers. */
struct cache_result {
    uint8_t answer;         /* enum cache_answer */
    uint8_t stall;          /* enum cache_stall, of STALLED */
    bool forward;           /* the store itself continues to the next level */
    bool writeback;         /* cache_victim() must be written back before its way is reused */
    uint32_t fetch_sectors; /* of a MISS: what to fetch, 0 = nothing (a forwarded store) */
    uint16_t mshr;          /* of MERGE and of a MISS that fetches; else CACHE_NO_MSHR */
    bool dropped;           /* of a load's HIT: the policy dropped the line, dirty or not */
};

/* An evicted line, or arrived data that were not allocated, with dirty sectors to write back. */
struct cache_victim {
    uint64_t line;
    uint32_t sectors;
};

/* Data travel in segments of 32 bytes; sectors may be larger. cache_segments_of() and
 * cache_sectors_of() convert between masks of sectors and of segments of a line; the two functions
 * here do it for sectors of several segments. */
enum { CACHE_SEGMENT_BYTES = 32 };
uint32_t cache_split_sectors(const struct cache_config *config, uint32_t sectors);
uint32_t cache_join_segments(const struct cache_config *config, uint32_t segments);
static inline uint32_t cache_sectors_of(const struct cache_config *config, uint32_t segments)
{
    if (config->sector_bytes == config->line_bytes)
        return 1;
    return config->sector_bytes == CACHE_SEGMENT_BYTES ? segments
                                                       : cache_join_segments(config, segments);
}

static inline uint32_t cache_segments_of(const struct cache_config *config, uint32_t sectors)
{
    if (config->sector_bytes == config->line_bytes && sectors)
        return (1u << config->line_bytes / CACHE_SEGMENT_BYTES) - 1;
    return config->sector_bytes == CACHE_SEGMENT_BYTES ? sectors
                                                       : cache_split_sectors(config, sectors);
}

/* Resources outside the cache, as they are now. */
struct cache_resources {
    bool miss_queue;   /* a slot for one more miss */
    bool port;         /* room for a bypassed request */
    bool bypass_table; /* a slot to track one; stores need none */
};

struct cache;

/* Counted by the cache itself: COUNTER(field, "name", "meaning") */
#define CACHE_COUNTERS(COUNTER)                                                                    \
    COUNTER(loads, "loads", "loads accepted: hits + merges + misses + bypasses")                   \
    COUNTER(hits, "hits", "loads that found their line")                                           \
    COUNTER(merges, "merges", "loads that joined an outstanding miss")                             \
    COUNTER(misses, "misses", "loads that took an MSHR and fetched")                               \
    COUNTER(bypasses, "bypasses", "loads that bypassed the cache")                                 \
    COUNTER(sector_misses, "sector_misses", "misses whose line was present without the sectors")   \
    COUNTER(sectors_fetched, "sectors_fetched",                                                    \
            "sectors that misses asked for; lines, where there are no sectors")                    \
    COUNTER(stall_bypasses, "stall_bypasses", "bypasses instead of a stall")                       \
    COUNTER(stores, "stores", "stores accepted: store hits + merges + misses + bypasses")          \
    COUNTER(store_hits, "store_hits", "stores that found their line")                              \
    COUNTER(store_merges, "store_merges", "stores that joined an outstanding miss")                \
    COUNTER(store_misses, "store_misses", "stores that did not find their line")                   \
    COUNTER(store_bypasses, "store_bypasses", "stores that bypassed the cache")                    \
    COUNTER(evictions, "evictions", "lines replaced")                                              \
    COUNTER(evictions_unused, "evictions_unused", "lines replaced without a hit since insertion")  \
    COUNTER(write_evictions, "write_evictions", "lines removed by a store")                        \
    COUNTER(drops, "drops", "lines the policy dropped after a hit or a fill")                      \
    COUNTER(writebacks, "writebacks", "dirty lines written back")                                  \
    COUNTER(fills, "fills", "fills whose data reached their line")                                 \
    COUNTER(fills_dropped, "fills_dropped",                                                        \
            "fills not kept: overwritten or invalidated in flight, or refused by the policy")

/* What must hold at the end of every run, for `s`. */
#define CACHE_IDENTITIES(IDENTITY)                                                                 \
    IDENTITY(s->loads == s->hits + s->merges + s->misses + s->bypasses)                            \
    IDENTITY(s->stores == s->store_hits + s->store_merges + s->store_misses + s->store_bypasses)   \
    IDENTITY(s->sector_misses <= s->misses + s->store_misses)                                      \
    IDENTITY(s->stall_bypasses <= s->bypasses + s->store_bypasses)                                 \
    IDENTITY(s->evictions_unused <= s->evictions)                                                  \
    IDENTITY(s->fills + s->fills_dropped <= s->misses + s->store_misses)

struct cache_stats {
#define COUNTER(field, name, help) uint64_t field;
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
};

/* Adds what another cache counted. */
void cache_stats_add(struct cache_stats *into, const struct cache_stats *from);
/* True if the counters agree; otherwise one line in `why` for each identity that does not hold. */
bool cache_stats_check(const struct cache_stats *s, struct strbuf *why);

/* Can such a cache be built? The text of a flaw has `prefix` ("l1d.") before its parameters. */
bool cache_config_sound(const struct cache_config *config, const char *prefix,
                        struct param_flaw *flaw);
/* Can the policy work in it (`params` NULL = its defaults)? If not, the reason is appended. */
bool cache_policy_fits(const struct cache_config *config, const struct cache_policy_desc *policy,
                       const void *params, struct strbuf *why);
/* Appends what a user should know about the policy in such a cache, if there is anything. */
void cache_policy_remark(const struct cache_config *config, const struct cache_policy_desc *policy,
                         const void *params, struct strbuf *out);
/* Can such a cache be built, and can the policy work in it (`params` NULL = its defaults)? If not,
 * the reason, for the user, is appended to `why`. */
bool cache_config_check(const struct cache_config *config, const struct cache_policy_desc *policy,
                        const void *params, struct strbuf *why);

/* What policies know about such a cache. n_warps: warps of the SM that owns it; 0 if it is not an
 * L1. */
struct cache_geometry cache_geometry_of(const struct cache_config *config, uint32_t n_warps);

/* Binds the policy's parameters under "<prefix>.policy" and returns their values, which live as
 * long as the set; NULL if the policy has none. */
const void *cache_policy_bind(const struct cache_policy_desc *d, struct param_set *set,
                              const char *prefix, struct diag_list *diags);

/* `params` are the policy's values (NULL = its defaults); they are copied. The configuration has
 * passed cache_config_check(). */
struct cache *cache_create(const struct cache_config *config,
                           const struct cache_policy_desc *policy, const void *params,
                           uint32_t n_warps, uint64_t seed);
void cache_destroy(struct cache *c);

uint32_t cache_set_of(const struct cache *c, uint64_t line);
/* The sectors of a line that are valid; a line that is not sectored has one. */
uint32_t cache_valid_sectors(const struct cache *c, uint64_t line);

/* A load (or an instruction fetch): the caller sets a->line, and a->set to
 * cache_set_of(c, a->line). Takes effect and notifies the policy unless the answer is STALLED; a
 * STALLED access changes nothing and may be offered again. `waiter` is stored in the MSHR and
 * handed back by cache_fill(). */
struct cache_result cache_load(struct cache *c, const struct mem_access *a,
                               struct cache_resources room, void *waiter);

/* A load that the program marks as uncached here (ld.cg at an L1D): no tags are looked up,
 * and decide() is not called; BYPASSED, or STALLED if a resource is missing. */
struct cache_result cache_load_bypassing(struct cache *c, const struct mem_access *a,
                                         struct cache_resources room);

/* A store. Write-evict or write-through caches: updates or removes the line, answer HIT or MISS,
 * never STALLED unless they allocate. Write-back, write-allocate caches: a hitting store makes the
 * line dirty; a missing store allocates like a load (answer MISS: the owner fetches) or joins an
 * outstanding miss (MERGE). A store that covers all bytes of the line, or of the sectors it
 * touches, needs no fetch: the data are valid at once, and the answer is HIT. */
struct cache_result cache_store(struct cache *c, const struct mem_access *a,
                                struct cache_resources room, void *waiter);

/* The host writes these sectors while no miss is outstanding. Afterwards they are valid and clean,
 * in the way that the policy chooses, unless it bypasses. The policy sees a store; nothing is
 * counted. True if cache_victim() must be written back. */
bool cache_copy_in(struct cache *c, const struct mem_access *a);

/* The result of a fill: the accesses that waited for the MSHR, oldest first. */
struct cache_arrival {
    void *const *waiters; /* until the cache is used again */
    uint32_t n_waiters;
    uint32_t set; /* of the line */
    bool kept;
    bool writeback; /* cache_victim(): a dirty victim, or stored data not kept */
};

/* Data of an MSHR's line have arrived. Marks the line valid (allocates now if allocate_on_fill) and
 * frees the MSHR. */
struct cache_arrival cache_fill(struct cache *c, uint32_t mshr, uint64_t cycle);

/* The line that the last call reported for write-back. Valid until the next call. */
const struct cache_victim *cache_victim(const struct cache *c);

/* The MSHR that such an access would join; CACHE_NO_MSHR if it hits, or would fetch for itself. */
uint32_t cache_mshr_for(struct cache *c, const struct mem_access *a);
/* The line of an outstanding MSHR. */
uint64_t cache_mshr_line(const struct cache *c, uint32_t mshr);
uint32_t cache_mshrs_in_use(const struct cache *c);
/* How many MSHRs were in use over time, and how long each was held. */
struct queue_account cache_mshr_account(const struct cache *c);

/* Removes a line if it is present, for example when an atomic on it passes L1D. Dirty sectors are
 * lost. The only policy event is on_evict(EVICT_INVALIDATE). An outstanding miss still answers its
 * waiters, but later loads of the line miss again. */
void cache_invalidate_line(struct cache *c, uint64_t line);
/* Empties the cache; dirty lines are handed to `writeback`. No miss may be outstanding. */
void cache_flush(struct cache *c, void (*writeback)(void *user, uint64_t line, uint32_t sectors),
                 void *user);

/* Empties the cache, resets its policy, and uses only n_ways of the ways it was built with. No miss
 * may be outstanding. Does nothing if it uses that many already. */
void cache_resize(struct cache *c, uint32_t n_ways,
                  void (*writeback)(void *user, uint64_t line, uint32_t sectors), void *user);

const struct cache_stats *cache_stats(const struct cache *c);
struct cache_policy *cache_get_policy(struct cache *c);
/* Calls that the owner passes on to the policy; they do nothing if the policy has no such callback.
 */
void cache_kernel_start(struct cache *c, uint32_t launch);
void cache_kernel_end(struct cache *c, uint32_t launch);
void cache_epoch(struct cache *c, uint64_t epoch);
void cache_apply(struct cache *c, const void *quota, size_t bytes);
void cache_report(struct cache *c, struct shared_report *r);
bool cache_insts(struct cache *c, uint64_t n_thread_insts); /* true: see on_insts() */
/* The next cycle in which time alone may change the policy's decisions; UINT64_MAX = none. */
uint64_t cache_next_change(const struct cache *c, uint64_t now);
/* Can time alone ever change its decisions? */
bool cache_changes_alone(const struct cache *c);

/* How much the policy differs from LRU: returns the number of accepted misses for which LRU would
 * have chosen differently, and the id of the first such access (~0 = none). */
void cache_lru_differences(const struct cache *c, uint64_t *n, uint64_t *first_id);
/* That access, as it was accepted; NULL if there is none. */
const struct mem_access *cache_first_lru_difference(const struct cache *c);
void cache_describe_wait(const struct cache *c, struct strbuf *out);

/* Observers of the events that the policy sees, for schedulers and recording. They are notified
 * after the policy. */
enum cache_event {
    CE_HIT,
    CE_MERGE,
    CE_MISS,
    CE_BYPASS,
    CE_RESERVE,
    CE_FILL,
    CE_EVICT,
    CE_STORE,
    /* Only for observers: */
    CE_DROP,  /* data arrive that are not kept */
    CE_RESIZE /* the cache is empty, with another number of ways, and its policy is reset */
};
struct cache_event_info {
    enum cache_event event;
    const struct mem_access *access; /* NULL for FILL, DROP and RESIZE */
    const struct cache_line *line;   /* the line concerned; NULL for a MISS or STORE without one */
    enum cache_evict_cause cause;    /* EVICT */
    enum cache_bypass_reason reason; /* BYPASS */
    uint32_t set, way;               /* way = ~0u if none */
    uint64_t cycle;
    /* FILL and DROP: the line that was fetched, and when it was requested. */
    uint64_t fetched_line, asked_cycle;
    uint32_t n_ways; /* RESIZE */
};
enum { CACHE_MAX_OBSERVERS = 7 };
#define CACHE_ALL_EVENTS (~0u)
void cache_observe(struct cache *c, void (*observer)(void *user, const struct cache_event_info *e),
                   void *user);
/* Only the events of this mask; events without an observer cost next to nothing. For loads,
 * address and byte_mask are not guaranteed to be valid. */
void cache_observe_some(struct cache *c, uint32_t events,
                        void (*observer)(void *user, const struct cache_event_info *e), void *user);
/* Changes the mask of an observer. */
void cache_change_events(struct cache *c, uint32_t events,
                         void (*observer)(void *user, const struct cache_event_info *e),
                         const void *user);
/* Can a fill of one set unblock an access that is stalled in another set? Only if the policy has an
 * on_fill(). */
bool cache_hears_fills(const struct cache *c);
/* Does the policy or an observer read address or byte_mask of loads? */
bool cache_wants_bytes(const struct cache *c);
/* Is the policy or an observer notified of loads at all? */
bool cache_notifies_loads(const struct cache *c);
uint32_t cache_n_observers(const struct cache *c);

#endif
