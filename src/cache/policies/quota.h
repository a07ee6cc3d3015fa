/* Replacement under quotas, for policies that partition a cache by ways (UCP and TAP-UCP):
 *
 *     the application has fewer lines in the set than its quota: the victim is the LRU line of the
 *     other applications; else its own LRU line
 *
 * Each line records which application inserted it. */
#ifndef HEDDLE_CACHE_POLICIES_QUOTA_H
#define HEDDLE_CACHE_POLICIES_QUOTA_H

#include "cache/policies/umon.h"

struct quota_line {
    uint64_t demoted; /* order of its insertion at the LRU position, if not used since; else 0 */
    uint8_t app;
};

struct quota_state {
    struct umon umon;
    uint32_t quotas[SHARED_MAX_APPS];
    uint64_t n_demotions;
    uint64_t memory[]; /* for the monitors */
};

size_t quota_state_bytes(const struct cache_geometry *g, const void *params);
void quota_init(struct cache_policy *p);
int quota_decide(const struct cache_policy *p, const struct cache_set *s,
                 const struct mem_access *a);
void quota_on_hit(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                  const struct mem_access *a);
void quota_on_merge(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                    const struct mem_access *a);
void quota_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                   const struct mem_access *a);
void quota_on_store(struct cache_policy *p, const struct cache_set *s, int way,
                    const struct mem_access *a);
/* Inserts at the MRU position. */
void quota_on_reserve(struct cache_policy *p, const struct cache_set *s, uint32_t way,
                      const struct mem_access *a);
/* Makes the line older than all other lines of the set until it is used. */
void quota_demote(struct cache_policy *p, const struct cache_set *s, uint32_t way);
void quota_report(struct cache_policy *p, struct shared_report *r);
void quota_apply(struct cache_policy *p, const void *quota, size_t bytes);
/* Is there room for `min_ways` for each application? `name` is the policy's. */
bool quota_check(const struct cache_geometry *g, const char *name, uint32_t min_ways,
                 struct strbuf *why);
uint64_t quota_cost(const struct cache_geometry *g, struct strbuf *parts);

#endif
