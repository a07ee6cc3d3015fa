/* The interface of a cache policy: what stays in a cache. One policy = one file = one descriptor.
 *
 * For an access that neither hits nor merges the cache calls decide(). It is const: it may be asked
 * again for the same access after a stall, or not at all, and must not count on being called once.
 * When the access is accepted the on_... events follow, each exactly once per access, never on a
 * retry. Which follow which is the table of doc/adding-a-policy.md; in short:
 *
 *     hit                   on_hit, hit_action; if that says HIT_DROP on_evict(EVICT_INVALIDATE)
 *     merge                 on_merge
 *     miss                  on_miss, on_evict of a victim, on_reserve; on_fill when the data arrive
 *     miss of sectors       on_miss(way), of a line that is there; on_fill when the data arrive
 *     fill                  on_fill, fill_action; if that says HIT_DROP on_evict(EVICT_INVALIDATE)
 *     bypass                on_miss, on_bypass(reason)
 *     bypass by the program on_bypass(BYPASS_NO_CACHE)
 *     store                 on_store; on_evict(EVICT_WRITE) if the line leaves
 *     store that allocates  on_store, then as a load after on_miss
 *
 * on_hit, on_merge, on_store and on_evict see the line as it was before the access, on_reserve and
 * on_fill as it is afterwards. A miss whose line was stored to or invalidated before the data came
 * has no on_fill. A cache that allocates on fill asks decide() at the miss whether to bypass, and
 * again when the data arrive: on_evict, on_reserve and on_fill follow then, or nothing if decide()
 * names no way.
 *
 * A cache may be used with fewer ways than it was built with (an L1D beside shared memory): between
 * two kernels it is emptied, the geometry changed, state and line_bytes zeroed and init() called
 * again; `stats` go on. Only the cost is computed for all of its ways.
 *
 * What changes with time is closed-form in elapsed cycles, or announced by next_change(). */
#ifndef HEDDLE_CACHE_CACHE_POLICY_H
#define HEDDLE_CACHE_CACHE_POLICY_H

#include "base/mem_access.h"
#include "config/plugin.h"

#define CACHE_POLICY_ABI                                                                           \
    PLUGIN_ABI(8, sizeof(struct cache_set) + sizeof(struct cache_line) +                           \
                      sizeof(struct cache_policy) + sizeof(struct mem_access))
enum { CACHE_MAX_WAYS = 64 };

/* What decide() returns besides a way. */
enum {
    CACHE_BYPASS = -1,
    CACHE_STALL = -2 /* every way it would take is reserved */
};

enum cache_bypass_reason { BYPASS_POLICY, BYPASS_STALL, BYPASS_NO_CACHE, N_BYPASS_REASONS };
enum cache_evict_cause { EVICT_REPLACE, EVICT_WRITE, EVICT_INVALIDATE, EVICT_FLUSH };
enum cache_hit_action { HIT_KEEP, HIT_DROP };
/* Why an access cannot be accepted now. When several causes hold, the first of the order merge,
 * MSHR, miss queue, line is reported; for a bypass, port before bypass table. */
enum cache_stall {
    STALL_MSHR,       /* no free MSHR */
    STALL_MERGE,      /* the line's MSHR takes no more */
    STALL_LINE,       /* every line of the set is reserved */
    STALL_MISS_QUEUE, /* no slot in the miss queue */
    STALL_PORT,       /* no room towards the interconnect */
    STALL_BYPASS_TABLE,
    STALL_ATOMICS, /* the queue of atomics that the SM performs is full: no cache says so */
    N_CACHE_STALLS
};

struct cache_geometry {
    uint32_t n_sets, n_ways, line_bytes, sector_bytes;
    uint32_t n_warps; /* warp slots of the SM, 0 elsewhere */
    uint32_t n_apps;  /* applications that share the cache; 0 = it is not shared */
    /* Of one of several banks of a cache: sets of all banks, and those of banks before it. */
    uint32_t all_sets, first_set;
    uint32_t tag_bits; /* for hardware cost */
    /* Stores are kept: write-back, write-allocate; else they pass, or remove their line. */
    bool write_back;
    bool allocate_on_fill;
};

/* Applications to keep apart: one in a cache that is not shared. */
static inline uint32_t cache_geometry_apps(const struct cache_geometry *g)
{
    return g->n_apps ? g->n_apps : 1;
}

/* Sets of the whole cache: of all its banks. */
static inline uint32_t cache_geometry_all_sets(const struct cache_geometry *g)
{
    return g->all_sets ? g->all_sets : g->n_sets;
}

/* A line as the framework keeps it. */
struct cache_line {
    uint64_t line;      /* line-aligned byte address */
    bool reused;        /* hit or merged with since it was reserved */
    uint16_t n_fetches; /* outstanding: more than one when sectors were asked for one by one */
    uint32_t valid_sectors, dirty_sectors;
    uint16_t reserver_slot; /* warp slot that reserved it */
    uint16_t mshr;          /* the framework's own: its fetch, where a line has one at a time */
    uint32_t insert_pc, last_pc;
    uint64_t inserted; /* order of the reservation */
};

#define TAG_EMPTY UINT64_MAX /* no line has this address: it is not aligned */

/* A set as policies see it, at all times as it is now. Ways that hold nothing are in neither mask;
 * those that are reserved wait for data, and cannot be victims until the data arrive. */
struct cache_set {
    uint32_t set, n_ways;
    uint64_t occupied;              /* a mask of ways */
    const uint64_t *tags;           /* per way: its line, or TAG_EMPTY */
    uint64_t reserved;              /* a mask of ways, which are occupied too */
    const struct cache_line *lines; /* per way, like all that follow: what else is known of it */
    const uint64_t *last_use;       /* order of its last hit, merge or reservation */
    void *const *bits;              /* the policy's own line_bytes bytes; NULL if it has none */
    struct way_index *index;        /* the framework's own, of sets with many ways; else NULL */
};

/* The mask of all ways of a set. */
static inline uint64_t cache_set_ways(const struct cache_set *s)
{
    return ~0ull >> (64 - s->n_ways); /* there is at least one */
}

/* The least recently used line that is not reserved; CACHE_STALL if there is none. */
static inline int cache_set_lru(const struct cache_set *s)
{
    uint64_t oldest = UINT64_MAX;
    int way = CACHE_STALL;
    for (uint32_t w = 0; w < s->n_ways; w++)
        if (s->last_use[w] < oldest && !(s->reserved >> w & 1)) {
            oldest = s->last_use[w];
            way = (int)w;
        }
    return way;
}

/* The way that is filled before anything is replaced: the first empty one, or -1. */
static inline int cache_set_empty_way(const struct cache_set *s)
{
    uint64_t empty = cache_set_ways(s) & ~s->occupied;
    return empty ? __builtin_ctzll(empty) : -1;
}

/* An instance: one per cache. The framework allocates `state` zeroed. */
struct cache_policy {
    const struct cache_policy_desc *desc;
    struct cache_geometry geometry;
    const void *params; /* values of desc->params */
    void *state;
    uint64_t seed;
    void *stats; /* desc->stats_bytes bytes to count in, zeroed once */
};

struct shared_report;
struct shared_decision;

struct cache_policy_desc {
    PLUGIN_HEAD; /* abi_version = CACHE_POLICY_ABI */
    /* Optional: name of the criticality provider it needs. Without one, accesses carry no
     * criticality. */
    const char *criticality;
    /* It reads the criticality in on_hit() and on_merge() only, where a load has found its line.
     * Other accesses then carry none, and decide() must not depend on it. */
    bool rates_found_only;
    /* decide() never returns CACHE_BYPASS, and there is no would_stall(): a load that lacks an MSHR
     * waits, and decide() is not called. */
    bool never_bypasses;
    /* It looks at address, byte_mask or full_line of loads; otherwise these may be left out. */
    bool wants_bytes;
    /* An L1D cannot have it. */
    bool l2_only;
    /* control() uses the reports of sampling SMs. */
    bool samples_cores;
    /* Can it work there? Otherwise false and the reason, for the user. NULL = anywhere. */
    bool (*check)(const struct cache_geometry *g, const void *params, struct strbuf *why);
    size_t (*state_bytes)(const struct cache_geometry *g, const void *params); /* NULL = 0 */
    size_t line_bytes; /* of policy data per line, zeroed at first; aligned to 8 */
    /* Required. Hardware bits beyond tags, valid and LRU bits; see plugin_cost(). */
    uint64_t (*cost_bits)(const struct cache_geometry *g, const void *params, struct strbuf *parts);
    void (*init)(struct cache_policy *p); /* NULL = nothing to do */

    /* Required. The way of a line that is not reserved, CACHE_BYPASS or CACHE_STALL. While the set
     * has an empty way, that one is filled whatever way (or CACHE_STALL) comes back; only a bypass
     * is honoured, so a policy that bypasses because it finds no victim must look for an empty way
     * first. */
    int (*decide)(const struct cache_policy *p, const struct cache_set *s,
                  const struct mem_access *a);

    /* Optional: NULL = nothing happens. */
    void (*on_hit)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                   const struct mem_access *a);
    void (*on_merge)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                     const struct mem_access *a); /* way = ~0u when the miss reserved no line */
    void (*on_miss)(struct cache_policy *p, const struct cache_set *s, int way,
                    const struct mem_access *a); /* way >= 0: only sectors of it are fetched */
    void (*on_bypass)(struct cache_policy *p, const struct cache_set *s, const struct mem_access *a,
                      enum cache_bypass_reason reason);
    void (*on_reserve)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       const struct mem_access *a);
    void (*on_fill)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                    uint64_t cycle);
    /* `a` caused it; NULL for invalidate, flush and drops at a fill. */
    void (*on_evict)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                     enum cache_evict_cause cause, const struct mem_access *a);
    /* Is the line dropped, without a write-back? One that waits for data is not, whatever
     * hit_action() says; fill_action() is asked when all of them are there. */
    enum cache_hit_action (*hit_action)(const struct cache_policy *p, const struct cache_set *s,
                                        uint32_t way, const struct mem_access *a);
    enum cache_hit_action (*fill_action)(const struct cache_policy *p, const struct cache_set *s,
                                         uint32_t way);
    void (*on_store)(struct cache_policy *p, const struct cache_set *s, int way,
                     const struct mem_access *a); /* way = -1: store miss */
    /* Asked instead of stalling: true = bypass now (S2's Stall-Bypass). Const. */
    bool (*would_stall)(const struct cache_policy *p, enum cache_stall cause,
                        const struct mem_access *a);
    /* Of L1D and L2 alike: before the first access of a launch, when the cache has been resized and
     * flushed if it is to be; and when the machine has come to rest after it. A launch that was cut
     * off has no end. */
    void (*on_kernel_start)(struct cache_policy *p, uint32_t launch);
    void (*on_kernel_end)(struct cache_policy *p, uint32_t launch);
    /* In cycle epoch * epoch_cycles of the cache's clock (l1d.epoch_cycles, l2.epoch_cycles),
     * before anything else of that cycle; the first epoch is 1. Between launches too. */
    void (*on_epoch)(struct cache_policy *p, uint64_t epoch);
    /* Of L2: a controller's decision arrives (gpu/policy_clock.h), before anything of the cycle but
     * on_epoch. */
    void (*apply)(struct cache_policy *p, const void *quota, size_t bytes);
    /* Of a cache that applications share (cache/shared.h), all three or none: how many cycles
     * apart reports are; adds what was counted since the last one; decides from the sum over all
     * slices, for apply(). */
    uint64_t (*period)(const void *params);
    void (*report)(struct cache_policy *p, struct shared_report *r);
    void (*control)(const void *params, const struct shared_report *r, struct shared_decision *d);
    /* Of L1D: so many have been issued on the SM. True if decide() may answer differently now: an
     * access that waits is tried again. */
    bool (*on_insts)(struct cache_policy *p, uint64_t n_thread_insts);
    /* The next cycle after `now` at which decide() may change its mind without an event. */
    uint64_t (*next_change)(const struct cache_policy *p, uint64_t now);
    void (*describe_wait)(const struct cache_policy *p, struct strbuf *out);
    /* What a user should know of it in such a cache, a line; nothing is added if there is nothing.
     */
    void (*remark)(const struct cache_geometry *g, const void *params, struct strbuf *out);
    /* Of one with control(): hardware bits of the controller, which the cache has once however many
     * banks it has. NULL = none. */
    uint64_t (*control_cost_bits)(const struct cache_geometry *g, const void *params,
                                  struct strbuf *parts);
};

/* May lines be dropped without a write-back? */
static inline bool cache_policy_drops(const struct cache_policy_desc *d)
{
    return d->hit_action || d->fill_action;
}

/* --- The registry (registry.c): built-in policies from policies.def, then plug-ins --- */
uint32_t cache_policy_count(void);
const struct cache_policy_desc *cache_policy_at(uint32_t i);
const struct cache_policy_desc *cache_policy_find(const char *name);
/* Has it all that a policy needs, defaults that are valid included? */
bool cache_policy_is_sound(const struct cache_policy_desc *d, struct strbuf *why);
/* Adds a sound one whose name is new; otherwise false, with the reason in `why`. */
bool cache_policy_register(const struct cache_policy_desc *d, struct strbuf *why);
/* Registers the `const struct cache_policy_desc heddle_cache_policy` of a shared object. */
bool cache_policy_load(const char *path, struct strbuf *why);

#endif
