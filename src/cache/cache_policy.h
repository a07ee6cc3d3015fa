/* The interface of a cache policy: what stays in a cache. One policy = one file = one descriptor.
 *
 * For an access that needs a new way, the cache calls decide(), which must not change the policy's
 * state: for one access it may be called several times (after stalls), or never (never_bypasses).
 * When the access is accepted the on_... events follow, each exactly once per access, never on a
 * retry. doc/adding-a-policy.md has a table of their order; in short:
 *
 *     hit                   on_hit, hit_action; after LINE_DROP on_evict(EVICT_INVALIDATE)
 *     merge                 on_merge
 *     miss                  on_miss, on_evict of a victim, on_reserve; on_fill when the data arrive
 *     miss of sectors       on_miss(way) of the present line; on_fill when the data arrive
 *     fill                  on_fill, fill_action; after LINE_DROP on_evict(EVICT_INVALIDATE)
 *     bypass of a load      on_miss, on_bypass(reason)
 *     bypass by the program on_bypass(BYPASS_NO_CACHE)
 *     store                 on_store; on_evict(EVICT_WRITE) if the line leaves
 *     store that allocates  on_store, on_evict of a victim, on_reserve; on_fill with its data; or
 *                           on_store, on_bypass(reason)
 *
 * on_hit, on_merge, on_store and on_evict see the line as it was before the access, on_reserve and
 * on_fill as it is afterwards. If a store or an invalidation removes the line while its data are in
 * flight, there is no on_fill. A cache that allocates on fill calls decide() at the miss, to learn
 * whether to bypass, and again when the data arrive (`filling`): then on_evict, on_reserve and
 * on_fill follow, or nothing if decide() names no way.
 *
 * A cache may be used with fewer ways than it was built with (an L1D that shares its storage with
 * shared memory). Between two kernels it is emptied, its geometry changes, the policy's state and
 * the states of its lines are zeroed and init() is called again; `stats` continue. All functions
 * see the reduced number of ways, except cost_bits(), which sees the number with which the cache
 * was built.
 *
 * Apart from on_epoch(), and report(), control() and apply() of a shared cache, no function is
 * called merely because time passes: compute state that changes with time from the cycle. If such a
 * change may change the answer of decide(), next_change() must announce its cycle. */
#ifndef HEDDLE_CACHE_CACHE_POLICY_H
#define HEDDLE_CACHE_CACHE_POLICY_H

#include "base/mem_access.h"
#include "config/plugin.h"

#define CACHE_POLICY_ABI                                                                           \
    PLUGIN_ABI(13, sizeof(struct cache_set) + sizeof(struct cache_line) +                          \
                       sizeof(struct cache_policy) + sizeof(struct mem_access))
enum { CACHE_MAX_WAYS = 64 };

/* What decide() returns besides a way. */
enum {
    CACHE_BYPASS = -1,
    CACHE_STALL = -2 /* every way it would take is reserved */
};

enum cache_bypass_reason { BYPASS_POLICY, BYPASS_STALL, BYPASS_NO_CACHE, N_BYPASS_REASONS };
enum cache_evict_cause { EVICT_REPLACE, EVICT_WRITE, EVICT_INVALIDATE, EVICT_FLUSH };
/* Which hits change the policy's state: all, only those whose is_critical is set, or none. */
enum cache_hit_effect { HIT_MATTERS, HIT_MATTERS_IF_CRITICAL, HIT_IS_SILENT };
enum cache_line_action { LINE_KEEP, LINE_DROP };
/* Why an access cannot be accepted now. If several causes hold, one is reported: merge before MSHR
 * before miss queue before line; for a bypass, port before bypass table. */
enum cache_stall {
    STALL_MSHR,       /* no free MSHR */
    STALL_MERGE,      /* the line's MSHR has no free merge entry */
    STALL_LINE,       /* every line that the policy would take is reserved */
    STALL_MISS_QUEUE, /* no slot in the miss queue */
    STALL_PORT,       /* no slot towards the interconnect */
    STALL_BYPASS_TABLE,
    STALL_ATOMICS, /* the SM's queue of atomics is full; caches never report this */
    N_CACHE_STALLS
};

struct cache_geometry {
    uint32_t n_sets, n_ways, line_bytes, sector_bytes;
    uint32_t n_warps; /* warp slots of the SM, 0 elsewhere */
    uint32_t n_apps;  /* applications that share the cache; 0 = not shared */
    /* For one bank of a cache that applications share: the sets of all banks, and the number of
     * sets in the banks before this one. */
    uint32_t all_sets, first_set;
    uint32_t tag_bits; /* for hardware cost */
    /* Stores are kept: write-back, write-allocate. Otherwise they are forwarded, and in a
     * write-evict L1D global stores remove their line, while stores to local memory are kept. */
    bool write_back;
    bool allocate_on_fill;
};

/* The number of applications to distinguish: 1 in a cache that is not shared. */
static inline uint32_t cache_geometry_apps(const struct cache_geometry *g)
{
    return g->n_apps ? g->n_apps : 1;
}

/* Sets of the whole cache, all banks together. */
static inline uint32_t cache_geometry_all_sets(const struct cache_geometry *g)
{
    return g->all_sets ? g->all_sets : g->n_sets;
}

/* A line as the cache stores it. */
struct cache_line {
    uint64_t line;      /* line-aligned byte address */
    bool reused;        /* hit or merged with since it was reserved */
    uint16_t n_fetches; /* outstanding; more than one if sectors were requested one by one */
    uint32_t valid_sectors, dirty_sectors;
    uint16_t reserver_slot; /* warp slot that reserved it */
    uint16_t mshr; /* private to the cache: MSHR of its fetch, where a line has at most one */
    uint32_t insert_pc, last_pc;
    uint64_t inserted; /* order of the reservation */
};

#define TAG_EMPTY UINT64_MAX /* no line has this address: it is not aligned */

/* A set as policies see it; always current. `occupied` and `reserved` are masks of ways. A reserved
 * way waits for data, and cannot be a victim until they arrive. */
struct cache_set {
    uint32_t set;
    uint16_t n_ways;
    /* In a cache that allocates on fill: decide() is called because data have arrived. The choice
     * to cache them was made at the miss; now only a way is missing. */
    bool filling;
    uint64_t occupied;              /* ways that hold a line */
    const uint64_t *tags;           /* per way: its line, or TAG_EMPTY */
    uint64_t reserved;              /* occupied ways whose data are in flight */
    const struct cache_line *lines; /* per way, like all that follow */
    const uint64_t *last_use;       /* order of its last hit, merge or reservation */
    void *const *line_state;        /* line_state_bytes bytes of the policy's own; NULL = none */
    struct way_index *index;        /* private to the cache, for sets with many ways; else NULL */
};

/* The mask of all ways of a set. */
static inline uint64_t cache_set_ways(const struct cache_set *s)
{
    return ~0ull >> (64 - s->n_ways); /* a set has at least one way */
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

/* The same for a set without empty ways; fast also where a set has many ways. */
int cache_full_set_lru(const struct cache_set *s) PLUGIN_CALLABLE(cache_full_set_lru);

/* The way that is filled before anything is replaced: the first empty one, or -1. */
static inline int cache_set_empty_way(const struct cache_set *s)
{
    uint64_t empty = cache_set_ways(s) & ~s->occupied;
    return empty ? __builtin_ctzll(empty) : -1;
}

/* An instance: one per cache. The cache allocates `state` zeroed. */
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
    /* The policy reads the criticality only in on_hit() and on_merge(), when a load has found its
     * line. Other accesses then carry none, and decide() must not depend on it. */
    bool reads_criticality_on_hits_only;
    /* The policy reads mem_access.is_critical, but not mem_access.criticality, which may then be 0.
     */
    bool reads_is_critical_only;
    /* decide() never returns CACHE_BYPASS, and there is no would_stall(): a load that lacks an MSHR
     * waits, and decide() is not called. */
    bool never_bypasses;
    /* The policy reads address or byte_mask of loads; otherwise these may be unset. */
    bool wants_bytes;
    /* The policy cannot be used in an L1D. */
    bool l2_only;
    /* control() uses the reports of sampling SMs. */
    bool uses_sampling_sms;
    /* Can it work in such a cache? If not, false, and the reason, for the user, in `why`. NULL = in
     * any cache. */
    bool (*check)(const struct cache_geometry *g, const void *params, struct strbuf *why);
    size_t (*state_bytes)(const struct cache_geometry *g, const void *params); /* NULL = 0 */
    size_t line_state_bytes; /* policy data per line, initially zero; aligned to 8; 0 = none */
    /* Required. Hardware bits beyond tags, valid and LRU bits; see plugin_cost(). */
    uint64_t (*cost_bits)(const struct cache_geometry *g, const void *params, struct strbuf *parts);
    void (*init)(struct cache_policy *p); /* NULL = nothing to do */

    /* Required. Returns the way of a line that is not reserved, CACHE_BYPASS or CACHE_STALL. While
     * the set has an empty way, that way is filled even if decide() names another or returns
     * CACHE_STALL; only CACHE_BYPASS is honoured. So a policy that bypasses because it finds no
     * victim must look for an empty way first. */
    int (*decide)(const struct cache_policy *p, const struct cache_set *s,
                  const struct mem_access *a);

    /* Optional: NULL = nothing happens. */
    void (*on_hit)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                   const struct mem_access *a);
    /* Whether on_hit() would change the policy's state now. If not, the cache may skip the call.
     * May be called some cycles before the hit: must not change state, and must not depend on
     * what issues in between. NULL = HIT_MATTERS. */
    enum cache_hit_effect (*hit_effect)(const struct cache_policy *p, const struct cache_set *s,
                                        uint32_t way);
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
    /* `a` is the access that caused it; NULL if none did: invalidations by the host, flushes, drops
     * at a fill. */
    void (*on_evict)(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                     enum cache_evict_cause cause, const struct mem_access *a);
    /* Is the line dropped, without a write-back? hit_action() is asked after a hit; a line that
     * waits for data is kept whatever it returns. fill_action() is asked when all data of a line
     * have arrived. */
    enum cache_line_action (*hit_action)(const struct cache_policy *p, const struct cache_set *s,
                                         uint32_t way, const struct mem_access *a);
    enum cache_line_action (*fill_action)(const struct cache_policy *p, const struct cache_set *s,
                                          uint32_t way);
    void (*on_store)(struct cache_policy *p, const struct cache_set *s, int way,
                     const struct mem_access *a); /* way = -1: store miss */
    /* Called before a load stalls, if a bypass is possible now (the port and the bypass table have
     * room): true = it bypasses instead (S2's Stall-Bypass). Must not change the state. */
    bool (*would_stall)(const struct cache_policy *p, enum cache_stall cause,
                        const struct mem_access *a);
    /* The start comes before the first access of a launch, after any resizing and flushing of the
     * cache; the end when the machine is idle after the launch. There is no on_kernel_end() for a
     * launch that was stopped. The last-level cache of a discrete GPU's host receives both, whether
     * the kernel runs on the GPU or on CPU cores; copies of buffers to and from the GPU come before
     * the start or after the end. */
    void (*on_kernel_start)(struct cache_policy *p, uint32_t launch);
    void (*on_kernel_end)(struct cache_policy *p, uint32_t launch);
    /* In cycle epoch * epoch_cycles of the cache's clock (l1d.epoch_cycles, l2.epoch_cycles,
     * host_llc.epoch_cycles), before anything else of that cycle; the first epoch is 1. Between
     * launches too. */
    void (*on_epoch)(struct cache_policy *p, uint64_t epoch);
    /* For L2: a controller's decision arrives (slice/llc.c), before everything else of the
     * cycle except on_epoch. */
    void (*apply)(struct cache_policy *p, const void *quota, size_t bytes);
    /* For a cache that applications share (cache/shared.h), all three or none. period(): cycles
     * between reports. report(): adds the counts since the last report. control(): decides from the
     * sum over all slices; apply() receives the decision. */
    uint64_t (*period)(const void *params);
    void (*report)(struct cache_policy *p, struct shared_report *r);
    void (*control)(const void *params, const struct shared_report *r, struct shared_decision *d);
    /* For L1D: the SM has issued n_thread_insts more thread instructions. True if decide() may
     * answer differently now; then a stalled access is tried again. */
    bool (*on_insts)(struct cache_policy *p, uint64_t n_thread_insts);
    /* The next cycle after `now` at which decide() may answer differently without an event. */
    uint64_t (*next_change)(const struct cache_policy *p, uint64_t now);
    /* For the report of a deadlock: what the policy knows about a load that waits. */
    void (*describe_wait)(const struct cache_policy *p, struct strbuf *out);
    /* A sentence for the user about the policy in a cache of this geometry; nothing if there is
     * none. */
    void (*remark)(const struct cache_geometry *g, const void *params, struct strbuf *out);
    /* For a policy with control(): hardware bits of the controller, of which the cache has one for
     * all banks. NULL = none. */
    uint64_t (*control_cost_bits)(const struct cache_geometry *g, const void *params,
                                  struct strbuf *parts);
};

/* May lines be dropped without a write-back? */
static inline bool cache_policy_may_drop(const struct cache_policy_desc *d)
{
    return d->hit_action || d->fill_action;
}

/* --- The registry (registry.c): built-in policies from policies.def, then plug-ins --- */
uint32_t cache_policy_count(void);
const struct cache_policy_desc *cache_policy_at(uint32_t i);
const struct cache_policy_desc *cache_policy_find(const char *name);
/* Does it have everything that a policy needs, including valid defaults? */
bool cache_policy_is_sound(const struct cache_policy_desc *d, struct strbuf *why);
/* Adds a sound policy with a new name; otherwise false, with the reason in `why`. */
bool cache_policy_register(const struct cache_policy_desc *d, struct strbuf *why);
/* Registers the `const struct cache_policy_desc heddle_cache_policy` of a shared object. */
bool cache_policy_load(const char *path, struct strbuf *why);

#endif
