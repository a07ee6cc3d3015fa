/* The L1D policies once more, written from their descriptions and not from src/cache/policies:
 * arrays, linear searches, counters as plain numbers, every rule in the order in which the papers
 * tell it. Slow and plain, to be compared with, decision by decision.
 *
 * The cache around them is an L1D with write-evict that allocates on a miss: a load finds its line,
 * joins one that is being fetched, inserts, bypasses, or waits for a line or an MSHR. Left out:
 * sectors, write-back, local memory. */
#ifndef HEDDLE_TEST_POLICY_REFS_H
#define HEDDLE_TEST_POLICY_REFS_H

#include "unit/cache/ref_bypass.h"
#include "unit/cache/ref_cacp.h"
#include "unit/cache/ref_protection.h"
#include "unit/cache/ref_rrip.h"

/* --- The policies by name --- */

static const struct ref_rules ref_policies[] = {
    {.name = "lru", .victim = ref_lru_victim},
    {.name = "srrip",
     .victim = ref_rrip_victim,
     .hit = ref_rrip_hit,
     .replaced = ref_rrip_replaced,
     .inserted = ref_srrip_inserted},
    {.name = "brrip",
     .init = ref_brrip_init,
     .victim = ref_rrip_victim,
     .hit = ref_rrip_hit,
     .replaced = ref_rrip_replaced,
     .inserted = ref_brrip_inserted},
    {.name = "drrip",
     .init = ref_drrip_init,
     .victim = ref_rrip_victim,
     .hit = ref_rrip_hit,
     .miss = ref_drrip_miss,
     .replaced = ref_rrip_replaced,
     .inserted = ref_drrip_inserted},
    {.name = "ship",
     .init = ref_ship_init,
     .victim = ref_rrip_victim,
     .hit = ref_ship_hit,
     .replaced = ref_ship_replaced,
     .inserted = ref_ship_inserted},
    {.name = "stall_bypass", .victim = ref_lru_victim, .instead_of_waiting = true},
    {.name = "pc_bypass",
     .init = ref_pc_bypass_init,
     .goes_around = ref_pc_bypass_goes_around,
     .victim = ref_lru_victim,
     .hit = ref_pc_bypass_hit,
     .replaced = ref_pc_bypass_replaced},
    {.name = "pc_prob",
     .init = ref_pc_prob_init,
     .goes_around = ref_pc_prob_goes_around,
     .victim = ref_lru_victim},
    {.name = "ctrl_c",
     .init = ref_ctrl_c_init,
     .goes_around = ref_ctrl_c_goes_around,
     .victim = ref_lru_victim,
     .around = ref_ctrl_c_around,
     .replaced = ref_ctrl_c_replaced,
     .inserted = ref_ctrl_c_inserted},
    {.name = "dlp",
     .init = ref_dlp_init,
     .victim = ref_dlp_victim,
     .access = ref_dlp_access,
     .hit = ref_dlp_hit,
     .miss = ref_dlp_miss,
     .around = ref_dlp_around,
     .replaced = ref_dlp_replaced,
     .inserted = ref_dlp_inserted,
     .served = ref_dlp_served},
    {.name = "pdp",
     .init = ref_pdp_init,
     .victim = ref_dlp_victim,
     .access = ref_dlp_access,
     .hit = ref_dlp_hit,
     .miss = ref_dlp_miss,
     .around = ref_dlp_around,
     .replaced = ref_dlp_replaced,
     .inserted = ref_dlp_inserted,
     .served = ref_dlp_served},
    {.name = "cacp",
     .init = ref_cacp_init,
     .victim = ref_cacp_victim,
     .hit = ref_cacp_hit,
     .replaced = ref_cacp_replaced,
     .inserted = ref_cacp_inserted},
};

/* --- The cache around them --- */

static inline void ref_init(struct ref_cache *r, const char *policy, const char *words,
                            uint32_t n_sets, uint32_t n_ways)
{
    *r = (struct ref_cache){
        .words = words, .n_sets = n_sets, .n_ways = n_ways, .n_mshrs = 1, .mshr_merges = 1};
    for (size_t i = 0; i < sizeof ref_policies / sizeof ref_policies[0]; i++)
        if (strcmp(ref_policies[i].name, policy) == 0)
            r->rules = &ref_policies[i];
    assert(r->rules && n_sets <= REF_SETS && n_ways <= REF_WAYS);
    if (r->rules->init)
        r->rules->init(r);
}

static inline int ref_find(const struct ref_cache *r, uint32_t set, uint64_t line)
{
    for (uint32_t w = 0; w < r->n_ways; w++)
        if (r->lines[set][w].present && r->lines[set][w].line == line)
            return (int)w;
    return -1;
}

static inline struct ref_decision ref_found(struct ref_cache *r, uint32_t set, int way,
                                            const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    if (r->rules->access)
        r->rules->access(r, set);
    if (r->rules->hit)
        r->rules->hit(r, set, way, a);
    l->reused = true;
    l->used = ++r->clock;
    l->n_waiters += l->reserved;
    if (r->rules->served)
        r->rules->served(r);
    return (struct ref_decision){.answer = l->reserved ? REF_MERGE : REF_HIT, .way = way};
}

static inline struct ref_decision ref_around(struct ref_cache *r, uint32_t set,
                                             const struct mem_access *a)
{
    if (r->rules->access)
        r->rules->access(r, set);
    if (r->rules->miss)
        r->rules->miss(r, set, a);
    if (r->rules->around)
        r->rules->around(r, set, a);
    if (r->rules->served)
        r->rules->served(r);
    return (struct ref_decision){.answer = REF_BYPASS, .way = -1};
}

static inline struct ref_decision ref_insert(struct ref_cache *r, uint32_t set, int way,
                                             const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    struct ref_decision d = {.answer = REF_INSERT, .way = way, .has_victim = l->present};
    if (r->rules->access)
        r->rules->access(r, set);
    if (r->rules->miss)
        r->rules->miss(r, set, a);
    if (l->present) {
        d.victim = l->line;
        d.victim_warp = l->warp;
        if (r->rules->replaced)
            r->rules->replaced(r, set, way, a);
    }
    d.fetch = ++r->n_fetches;
    *l = (struct ref_line){.present = true,
                           .reserved = true,
                           .line = a->line,
                           .fetch = d.fetch,
                           .used = ++r->clock,
                           .insert_pc = a->pc,
                           .warp = a->warp_slot,
                           .n_waiters = 1};
    r->n_outstanding++;
    if (r->rules->inserted)
        r->rules->inserted(r, set, way, a);
    if (r->rules->served)
        r->rules->served(r);
    return d;
}

static inline struct ref_decision ref_wait(struct ref_cache *r, uint32_t set,
                                           const struct mem_access *a)
{
    if (r->rules->instead_of_waiting)
        return ref_around(r, set, a);
    return (struct ref_decision){.answer = REF_STALL, .way = -1};
}

static inline struct ref_decision ref_load(struct ref_cache *r, const struct mem_access *a)
{
    uint32_t set = (uint32_t)(a->line / REF_LINE_BYTES % r->n_sets);
    int way = ref_find(r, set, a->line);
    if (way >= 0 && r->lines[set][way].reserved && r->lines[set][way].n_waiters == r->mshr_merges)
        return ref_wait(r, set, a);
    if (way >= 0)
        return ref_found(r, set, way, a);
    if (r->rules->goes_around && r->rules->goes_around(r, set, a))
        return ref_around(r, set, a);
    for (uint32_t w = 0; w < r->n_ways && way < 0; w++)
        if (!r->lines[set][w].present)
            way = (int)w;
    if (way < 0)
        way = r->rules->victim(r, set, a);
    if (way == REF_GOES_AROUND)
        return ref_around(r, set, a);
    if (way == REF_WAITS || r->n_outstanding == r->n_mshrs)
        return ref_wait(r, set, a);
    return ref_insert(r, set, way, a);
}

/* A store removes the line and continues; policies are not notified. */
static inline bool ref_store(struct ref_cache *r, const struct mem_access *a)
{
    uint32_t set = (uint32_t)(a->line / REF_LINE_BYTES % r->n_sets);
    int way = ref_find(r, set, a->line);
    if (way >= 0)
        r->lines[set][way].present = false;
    return way >= 0;
}

/* The data that an insertion requested are here; nothing waits for them if a store came between. */
static inline void ref_fill(struct ref_cache *r, uint64_t fetch)
{
    r->n_outstanding--;
    for (uint32_t s = 0; s < r->n_sets; s++)
        for (uint32_t w = 0; w < r->n_ways; w++)
            if (r->lines[s][w].present && r->lines[s][w].fetch == fetch)
                r->lines[s][w].reserved = false;
}

#endif
