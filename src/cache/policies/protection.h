/* Protected lines: what DLP and the global protection it is compared with have in common (S2
 * section 4).
 *
 * A line lives protected for as many accesses to its set as its protection distance PD says; only
 * lines whose protected life PL is over are replaced, and a load that finds none bypasses. PDs are
 * worked out per instruction (the prediction table PDPT) from hits in the cache (TDA) and in an
 * array of the tags of victims (VTA), once per sample of accesses or instructions.
 *
 * Loads only: stores neither age a set nor count nor touch the VTA. MODEL: a line that a store
 * brings in (local memory) is not protected; a load of sectors that are missing from a line which
 * is there counts as a hit of the line. */
#ifndef HEDDLE_CACHE_POLICIES_PROTECTION_H
#define HEDDLE_CACHE_POLICIES_PROTECTION_H

#include "cache/cache_policy.h"

enum { PD_BITS = 4, TDA_BITS = 8, VTA_BITS = 10, PDPT_MAX = 128 };

struct protection_params {
    uint32_t sample_accesses, max_sample_insns, vta_ways, pd_init, pd_max, pd_step_down;
    bool bypass_reserved;
};

/* clang-format off */
#define PROTECTION_PARAMS                                                                          \
    {                                                                                              \
        PARAM_U32(struct protection_params, sample_accesses, "200", 1, 1 << 30, "accesses",        \
                  "loads after which PDs are worked out"),                                         \
        PARAM_U32(struct protection_params, max_sample_insns, "20000", 1, 1 << 30, "instructions", \
                  "thread instructions after which they are worked out at the latest"),            \
        PARAM_U32(struct protection_params, vta_ways, "0", 0, 64, "ways",                          \
                  "of the victim tag array; 0 = as the cache"),                                    \
        PARAM_U32(struct protection_params, pd_init, "0", 0, (1 << PD_BITS) - 1, "accesses",       \
                  "PDs at the start"),                                                             \
        PARAM_U32(struct protection_params, pd_max, "15", 0, (1 << PD_BITS) - 1, "accesses",       \
                  "largest PD"),                                                                   \
        PARAM_U32(struct protection_params, pd_step_down, "0", 0, (1 << PD_BITS) - 1, "accesses",  \
                  "by which PDs fall; 0 = VTA ways"),                                              \
        PARAM_BOOL(struct protection_params, bypass_reserved, "false",                             \
                   "a load goes around, too, where lines that are not protected are all on their " \
                   "way; else it waits for one"),                                                  \
    }
/* clang-format on */

/* The descriptor of a policy of the family; `id##_entries()` says how many PDs there are. */
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
        .line_bytes = sizeof(struct protected_line),                                               \
        .cost_bits = id##_cost_bits,                                                               \
        .init = id##_init,                                                                         \
        .decide = protection_decide,                                                               \
        .on_hit = protection_on_use,                                                               \
        .on_merge = protection_on_use,                                                             \
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
    uint8_t id; /* hashed PC of the load that brought it in or used it last */
    uint8_t pl; /* accesses to the set for which it is still protected */
};

void protection_init(struct cache_policy *p, uint32_t n_entries);
size_t protection_state_bytes(const struct cache_geometry *g, const void *params);
uint64_t protection_cost_bits(const struct cache_geometry *g, const void *params,
                              uint32_t n_entries, struct strbuf *parts);
int protection_decide(const struct cache_policy *p, const struct cache_set *s,
                      const struct mem_access *a);
void protection_on_use(struct cache_policy *p, const struct cache_set *s, uint32_t way,
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
