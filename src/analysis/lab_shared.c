/* Accesses of several applications through one shared cache, like a last-level cache. The cache is
 * the timing model's own, every fill is immediate, and a store allocates like a load.
 *
 * Each access takes one cycle: after every `period` of them the policy reports, its controller
 * decides, and the decision holds from the next access on. An incomplete period reports nothing. */
#include <assert.h>
#include <stdlib.h>

#include "analysis/lab_player.h"

struct shared_player {
    const struct lab_config *config;
    struct cache *cache;
    const void *params;
    uint64_t period, n_accesses; /* period 0 = the policy has no controller */
    struct shared_decision decision;
    struct lab_shared *out;
    uint64_t victim; /* replaced by the current access */
    struct mem_access access;
};

static void note_victim(void *player, const struct cache_event_info *e)
{
    struct shared_player *p = player;
    if (e->cause == EVICT_REPLACE)
        p->victim = e->line->line;
}

static void *shared_create(const struct lab_config *config, uint32_t n_sms,
                           const uint64_t *next_uses)
{
    (void)n_sms, (void)next_uses;
    const struct cache_policy_desc *d = config->policy;
    struct shared_player *p = xcalloc(1, sizeof *p);
    struct cache_config shape = lab_cache_config(config);
    assert(config->n_apps <= SHARED_MAX_APPS);
    p->config = config;
    p->cache = cache_create(&shape, d, config->params, 0, 0);
    p->params = cache_get_policy(p->cache)->params;
    p->period = d->period ? d->period(p->params) : 0;
    p->decision = shared_decision_first(config->n_apps, config->n_ways, config->gpu_app);
    p->out = xcalloc(1, sizeof *p->out);
    p->out->n_apps = config->n_apps;
    p->out->gpu_app = config->gpu_app;
    p->access =
        (struct mem_access){.space = MEM_GLOBAL, .sector_mask = 1, .byte_mask = {~0ull, ~0ull}};
    cache_observe_some(p->cache, 1u << CE_EVICT, note_victim, p);
    return p;
}

/* --- Periods --- */

static void end_period(struct shared_player *p)
{
    const struct lab_config *c = p->config;
    struct lab_shared *out = p->out;
    struct shared_report report = {
        .n_apps = out->n_apps, .n_ways = c->n_ways, .gpu_app = c->gpu_app};
    if (out->n_periods < c->n_samples) {
        report.has_samples = true;
        report.sampled_insts[0] = c->samples[out->n_periods][0];
        report.sampled_insts[1] = c->samples[out->n_periods][1];
    }
    cache_report(p->cache, &report);
    c->policy->control(p->params, &report, &p->decision);
    cache_apply(p->cache, &p->decision, sizeof p->decision);
    ARRAY_RESERVE(out->periods, out->cap_periods, out->n_periods + 1);
    out->periods[out->n_periods++] = p->decision;
}

/* --- Accesses --- */

static enum mem_role role_of(const struct shared_player *p, const struct lab_access *from)
{
    if (!p->config->n_samples || from->sm != p->config->gpu_app)
        return MEM_ROLE_NONE;
    return from->warp == 0   ? MEM_ROLE_SAMPLE_LRU
           : from->warp == 1 ? MEM_ROLE_SAMPLE_MRU
                             : MEM_ROLE_NONE;
}

static void take_access(struct shared_player *p, const struct lab_batch *b, uint32_t i)
{
    const struct lab_access *from = &b->items[i];
    struct mem_access *a = &p->access;
    a->id = b->position + i;
    a->cycle = p->n_accesses;
    a->pc = from->pc;
    a->address = a->line = b->lines[i];
    a->set = b->sets[i];
    a->kind = from->kind == LAB_STORE ? MEM_STORE : MEM_LOAD;
    a->app = a->source = from->sm;
    a->role = role_of(p, from);
}

static bool is_hit(struct shared_player *p)
{
    static const struct cache_resources no_limit = {
        .miss_queue = true, .port = true, .bypass_table = true};
    bool is_store = p->access.kind == MEM_STORE;
    uint64_t store_hits = cache_stats(p->cache)->store_hits;
    struct cache_result r =
        (is_store ? cache_store : cache_load)(p->cache, &p->access, no_limit, NULL);
    assert(r.answer == CACHE_HIT || r.answer == CACHE_MISS); /* nothing is in flight */
    if (r.answer == CACHE_MISS && r.fetch_sectors)
        cache_fill(p->cache, r.mshr, p->access.cycle);
    return is_store ? cache_stats(p->cache)->store_hits > store_hits : r.answer == CACHE_HIT;
}

static void shared_play(void *player, const struct lab_batch *b, struct lab_log *log)
{
    struct shared_player *p = player;
    for (uint32_t i = 0; i < b->n; i++) {
        if (p->period && p->n_accesses && p->n_accesses % p->period == 0)
            end_period(p);
        take_access(p, b, i);
        p->victim = LAB_NO_VICTIM;
        bool hit = is_hit(p);
        struct lab_app *app = &p->out->apps[p->access.app];
        app->hits += hit;
        app->misses += !hit;
        p->n_accesses++;
        if (log)
            lab_log_load(log, b->index + i, hit ? LAB_HIT : LAB_MISS, p->victim);
    }
}

static void shared_finish(void *player, struct lab_result *out)
{
    struct shared_player *p = player;
    if (p->period && p->n_accesses && p->n_accesses % p->period == 0)
        end_period(p);
    *out = (struct lab_result){.stats = *cache_stats(p->cache), .shared = p->out};
    cache_lru_differences(p->cache, &out->n_differences, &out->first_difference);
    cache_destroy(p->cache);
    free(p);
}

const struct lab_player lab_player_shared = {shared_create, shared_play, shared_finish};
