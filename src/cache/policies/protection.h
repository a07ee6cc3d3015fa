/* Protected lines: what DLP and Global-Protection, with which S2 compares it, have in common.
 * S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache efficiency for GPUs using
 * dynamic line protection. ICPP 2018, section 4. In S2's order and names:
 *
 * 4.1.1 L1D. An entry of the TDA (tag and data array) has an instruction ID (hashed PC of the load
 *       that brought in or last used the line) and a protected life PL.
 *       each load of the set (S2: query): PL of all entries of the set falls by 1.
 *       hit:  TDA hits of the stored ID + 1; ID := this load's; PL := PD of this load.
 *       miss: search the VTA; then replace the least recently used line whose PL is 0; ID and PL
 *             are this load's. If every PL is above 0 the load bypasses.
 * 4.1.2 VTA (victim tag array). As many sets as the cache; holds tag and ID of evicted lines,
 *       replaced by LRU.
 *       found: VTA hits of the stored ID + 1.
 * 4.1.3 PDPT (protection distance prediction table). Per ID: TDA hits, VTA hits, protection
 *       distance PD.
 * 4.1.4 Sample. 200 loads, or a maximum of executed instructions.
 * 4.2   After a sample, with the sums over all IDs:
 *       VTA hits > TDA hits:     PD of each ID rises by N_asc * its VTA hits / TDA hits, with
 *                                the quotient rounded down to 4, 2, 1, 1/2 or 0
 *                                (N_asc: associativity of the VTA);
 *       VTA hits < TDA hits / 2: all PDs fall;
 *       then all hit counters are reset to 0.
 *
 * Lives fall first: the protection test sees lives that are already shorter by 1, so a PD of d
 * protects a line from the next d - 1 loads of its set.
 *
 * A load that merges with an outstanding miss counts as a load of the set: lives fall. The line
 * gets the load's ID and PL, because the load uses it. The load does not count as a hit in the TDA:
 * S2 section 2 searches the MSHRs only when the request is not a hit, and section 4.1.3 counts
 * hits. `count_merges` counts it.
 *
 * If some lines are protected and all others are in flight, S2 is ambiguous. Section 4.1.1 bypasses
 * if all lines are protected, which they are not; section 2 blocks a request without reservable
 * space. Here the load blocks. `bypass_reserved` bypasses instead, as would a simulator that looks
 * for a victim among lines that are neither reserved nor protected.
  * MODEL: "memory request" and "cache access" in S2 sections 4.1.1 and 4.1.4 are read as loads: an
 * instruction ID is that of a load, and a store to global memory leaves no line behind. So stores
 * neither age a set nor count nor touch the VTA. A line that a store brings in (local memory) is
 * not protected; a load that misses only sectors of a present line counts as a hit of that line. A
 * tag that a bypassed load found stays in the VTA, as the most recent one; it leaves when its line
 * comes back. S2 leaves open by how much PDs decrease, and the maximum number of instructions:
 * `pd_step_down`, `max_sample_insns`. */
#ifndef HEDDLE_CACHE_POLICIES_PROTECTION_H
#define HEDDLE_CACHE_POLICIES_PROTECTION_H

#include "cache/cache_policy.h"

enum { PD_BITS = 4, TDA_BITS = 8, VTA_BITS = 10, PDPT_MAX = 128 };

struct protection_params {
    uint32_t sample_accesses, max_sample_insns, vta_ways, pd_init, pd_max, pd_step_down;
    bool bypass_reserved, count_merges;
};

/* clang-format off */
#define PROTECTION_PARAMS                                                                          \
    {                                                                                              \
        PARAM_U32(struct protection_params, sample_accesses, "200", 1, 1 << 30, "loads",        \
                  "loads per sample, after which protection distances are recomputed"),                                         \
        PARAM_U32(struct protection_params, max_sample_insns, "20000", 1, 1 << 30, "instructions", \
                  "longest sample, in thread instructions"),            \
        PARAM_U32(struct protection_params, vta_ways, "0", 0, 64, "ways",                          \
                  "ways of the victim tag array (VTA); 0 = as many as the cache"),                                    \
        PARAM_U32(struct protection_params, pd_init, "0", 0, (1 << PD_BITS) - 1, "loads",       \
                  "initial protection distance (PD)"),                                                             \
        PARAM_U32(struct protection_params, pd_max, "15", 0, (1 << PD_BITS) - 1, "loads",       \
                  "largest protection distance"),                                                                   \
        PARAM_U32(struct protection_params, pd_step_down, "0", 0, (1 << PD_BITS) - 1, "loads",  \
                  "amount by which protection distances decrease; 0 = ways of the VTA"),                                              \
        PARAM_BOOL(struct protection_params, bypass_reserved, "false",                             \
                   "also bypass when every unprotected line is in flight; otherwise the load waits for one"),                                            \
        PARAM_BOOL(struct protection_params, count_merges, "false",                                \
                   "count a load that merges with an outstanding miss as a hit in the tag and data array (TDA)"),      \
    }
/* clang-format on */

/* The descriptor of a policy of the family; `id##_init()` sets the number of PDs. */
#define PROTECTION_POLICY(id, text, source)                                                        \
    const struct cache_policy_desc cache_policy_##id = {                                           \
        .abi_version = CACHE_POLICY_ABI,                                                           \
        .struct_size = sizeof(struct cache_policy_desc),                                           \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .citation = source,                                                                        \
        .params = id##_params,                                                                     \
        .n_params = sizeof id##_params / sizeof id##_params[0],                                    \
        .params_bytes = sizeof(struct protection_params),                                          \
        .stats = protection_stats,                                                                 \
        .n_stats = N_PROTECTION_STATS,                                                             \
        .stats_bytes = sizeof(struct protection_stats),                                            \
        .state_bytes = protection_state_bytes,                                                     \
        .line_state_bytes = sizeof(struct protected_line),                                         \
        .cost_bits = id##_cost_bits,                                                               \
        .init = id##_init,                                                                         \
        .decide = protection_decide,                                                               \
        .on_hit = protection_on_hit,                                                               \
        .on_merge = protection_on_merge,                                                           \
        .on_miss = protection_on_miss,                                                             \
        .on_bypass = protection_on_bypass,                                                         \
        .on_evict = protection_on_evict,                                                           \
        .on_reserve = protection_on_reserve,                                                       \
        .on_insts = protection_on_insts,                                                           \
        .remark = protection_remark,                                                               \
    }

struct protection_stats {
    uint64_t vta_hits, tda_hits, samples;
};
enum { N_PROTECTION_STATS = 6 };
extern const struct plugin_stat protection_stats[N_PROTECTION_STATS];

struct protected_line {
    uint64_t ends; /* number of the load of its set at which its protection ends */
    uint8_t id;    /* hashed PC of the load that brought it in or used it last */
};

void protection_init(struct cache_policy *p, uint32_t n_entries);
size_t protection_state_bytes(const struct cache_geometry *g, const void *params);
uint64_t protection_cost_bits(const struct cache_geometry *g, const void *params,
                              uint32_t n_entries, struct strbuf *parts);
int protection_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a);
void protection_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                       const struct mem_access *a);
void protection_on_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         const struct mem_access *a);
void protection_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                        const struct mem_access *a);
void protection_on_bypass(struct cache_policy *p, const struct cache_set *s,
                          const struct mem_access *a, enum cache_bypass_reason reason);
void protection_on_evict(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                         enum cache_evict_cause cause, const struct mem_access *a);
void protection_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                           const struct mem_access *a);
void protection_remark(const struct cache_geometry *g, const void *params, struct strbuf *out);
bool protection_on_insts(struct cache_policy *p, uint64_t n_thread_insts);

#endif
