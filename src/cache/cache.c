/* A cache as a whole: creation, flushing, statistics and descriptions. Loads are in load.c, stores
 * in store.c. */
#include "cache/cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/power_of_two.h"
#include "cache/alloc.h"

/* MODEL: hardware costs count tags of 32 bits, as S2 does. */
enum { TAG_BITS = 32 };

struct cache_geometry cache_geometry_of(const struct cache_config *config, uint32_t n_warps)
{
    return (struct cache_geometry){.n_sets = config->n_sets,
                                   .n_ways = config->n_ways,
                                   .line_bytes = config->line_bytes,
                                   .sector_bytes = config->sector_bytes,
                                   .n_warps = n_warps,
                                   .n_apps = config->n_apps,
                                   .all_sets = config->all_sets,
                                   .first_set = config->first_set,
                                   .tag_bits = TAG_BITS,
                                   .write_back = config->write_back && config->write_allocate &&
                                                 !config->write_evict,
                                   .allocate_on_fill = config->allocate_on_fill};
}

/* Segments of one sector, as a mask from bit 0. */
static uint32_t one_sector(const struct cache_config *c)
{
    return (1u << c->sector_bytes / CACHE_SEGMENT_BYTES) - 1;
}

uint32_t cache_join_segments(const struct cache_config *config, uint32_t segments)
{
    uint32_t per_sector = config->sector_bytes / CACHE_SEGMENT_BYTES, sectors = 0;
    for (uint32_t i = 0; i < config->line_bytes / config->sector_bytes; i++)
        if (segments >> i * per_sector & one_sector(config))
            sectors |= 1u << i;
    return sectors;
}

uint32_t cache_split_sectors(const struct cache_config *config, uint32_t sectors)
{
    uint32_t per_sector = config->sector_bytes / CACHE_SEGMENT_BYTES, segments = 0;
    if (config->sector_bytes == config->line_bytes)
        return sectors ? one_sector(config) : 0;
    for (uint32_t i = 0; i < config->line_bytes / config->sector_bytes; i++)
        if (sectors >> i & 1)
            segments |= one_sector(config) << i * per_sector;
    return segments;
}

static bool is_line_sound(const struct cache_config *c, const char *prefix, struct param_flaw *flaw)
{
    if (!is_power_of_two(c->line_bytes))
        return param_flawed(flaw, PARAM_NAMES("line_bytes"),
                            "%sline_bytes (%u) must be a power of two", prefix, c->line_bytes);
    if (!is_power_of_two(c->sector_bytes))
        return param_flawed(flaw, PARAM_NAMES("sector_bytes"),
                            "%ssector_bytes (%u) must be a power of two", prefix, c->sector_bytes);
    if (c->sector_bytes > c->line_bytes)
        return param_flawed(flaw, PARAM_NAMES("sector_bytes", "line_bytes"),
                            "%ssector_bytes (%u) must not be more than %sline_bytes (%u)", prefix,
                            c->sector_bytes, prefix, c->line_bytes);
    if (c->line_bytes / c->sector_bytes > 32 ||
        (c->sector_bytes < c->line_bytes && c->line_bytes > 128))
        return param_flawed(flaw, PARAM_NAMES("line_bytes", "sector_bytes"),
                            "%sline_bytes (%u): lines with sectors (%u) have at most 128 bytes and "
                            "32 sectors",
                            prefix, c->line_bytes, c->sector_bytes);
    return true;
}

bool cache_config_sound(const struct cache_config *c, const char *prefix, struct param_flaw *flaw)
{
    if (c->n_sets == 0)
        return param_flawed(flaw, PARAM_NAMES("n_sets"), "%sn_sets: a cache needs at least one set",
                            prefix);
    if (c->n_ways == 0 || c->n_ways > CACHE_MAX_WAYS)
        return param_flawed(flaw, PARAM_NAMES("n_ways"), "%sn_ways (%u): a cache has 1 to %d ways",
                            prefix, c->n_ways, CACHE_MAX_WAYS);
    if (c->index == INDEX_HASH && !is_power_of_two(c->n_sets))
        return param_flawed(flaw, PARAM_NAMES("n_sets", "index"),
                            "%sn_sets (%u) must be a power of two where %sindex is hash", prefix,
                            c->n_sets, prefix);
    if (c->n_mshrs == 0 || c->mshr_merges == 0)
        return param_flawed(flaw, PARAM_NAMES("n_mshrs", "mshr_merges"),
                            "%sn_mshrs: a cache needs at least one MSHR that holds one access",
                            prefix);
    if (c->n_mshrs >= CACHE_NO_MSHR)
        return param_flawed(flaw, PARAM_NAMES("n_mshrs"), "%sn_mshrs (%u) must be less than %d",
                            prefix, c->n_mshrs, CACHE_NO_MSHR);
    return is_line_sound(c, prefix, flaw);
}

bool cache_policy_fits(const struct cache_config *config, const struct cache_policy_desc *policy,
                       const void *params, struct strbuf *why)
{
    if (!policy->check)
        return true;
    struct arena arena = {0};
    struct cache_geometry geometry = cache_geometry_of(config, 0);
    bool ok = policy->check(&geometry, plugin_values(&policy->plugin, params, &arena), why);
    arena_destroy(&arena);
    return ok;
}

void cache_policy_remark(const struct cache_config *config, const struct cache_policy_desc *policy,
                         const void *params, struct strbuf *out)
{
    struct arena arena = {0};
    struct cache_geometry geometry = cache_geometry_of(config, 0);
    if (policy->remark)
        policy->remark(&geometry, plugin_values(&policy->plugin, params, &arena), out);
    arena_destroy(&arena);
}

bool cache_config_check(const struct cache_config *config, const struct cache_policy_desc *policy,
                        const void *params, struct strbuf *why)
{
    struct param_flaw flaw;
    if (cache_config_sound(config, "", &flaw))
        return cache_policy_fits(config, policy, params, why);
    strbuf_add(why, flaw.what);
    return false;
}

static void make_policy(struct cache *c, const struct cache_policy_desc *desc, const void *params,
                        uint32_t n_warps, uint64_t seed)
{
    c->desc = desc;
    /* The built-in policy itself, not a plug-in of the same name. Without fast paths LRU is called
     * like any other policy. */
    c->is_lru = desc == cache_policy_find("lru") && !c->config.no_fast_paths;
    c->never_bypasses = desc->never_bypasses;
    cache_note_listeners(c);
    c->policy = (struct cache_policy){.desc = desc,
                                      .geometry = cache_geometry_of(&c->config, n_warps),
                                      .params = plugin_values(&desc->plugin, params, &c->arena),
                                      .seed = seed,
                                      .stats = arena_alloc(&c->arena, desc->stats_bytes)};
    if (desc->state_bytes)
        c->policy.state =
            arena_alloc(&c->arena, desc->state_bytes(&c->policy.geometry, c->policy.params));
    if (desc->init)
        desc->init(&c->policy);
}

struct cache *cache_create(const struct cache_config *config,
                           const struct cache_policy_desc *policy, const void *params,
                           uint32_t n_warps, uint64_t seed)
{
    struct param_flaw flaw;
    assert(cache_config_sound(config, "", &flaw));
    (void)flaw;
    struct cache *c = xcalloc(1, sizeof *c);
    uint32_t n_sectors = config->line_bytes / config->sector_bytes;
    c->config = *config;
    c->sectored = n_sectors > 1;
    c->line_segments = (1u << config->line_bytes / CACHE_SEGMENT_BYTES) - 1;
    if (c->sectored)
        c->sectors_counted = n_sectors == 32 ? ~0u : (1u << n_sectors) - 1;
    else
        c->whole_line = 1;
    c->indexer = set_indexer_make(config->n_sets, config->line_bytes, config->index);
    tags_init(&c->tags, &c->arena, config->n_sets, config->n_ways, policy->line_state_bytes,
              !config->no_fast_paths);
    mshr_init(&c->mshrs, &c->arena, config->n_mshrs, config->mshr_merges, config->allocate_on_fill,
              c->sectored || config->allocate_on_fill);
    make_policy(c, policy, params, n_warps, seed);
    return c;
}

void cache_destroy(struct cache *c)
{
    if (!c)
        return;
    arena_destroy(&c->arena);
    free(c);
}

uint32_t cache_set_of(const struct cache *c, uint64_t line)
{
    return set_index_of(&c->indexer, line);
}

uint32_t cache_valid_sectors(const struct cache *c, uint64_t line)
{
    struct cache_location at = cache_find_in(c, cache_set_of(c, line), line);
    if (at.way < 0)
        return 0;
    return c->sectored ? at.set->lines[at.way].valid_sectors : !(at.set->reserved >> at.way & 1);
}

uint32_t cache_mshr_for(struct cache *c, const struct mem_access *a)
{
    struct lookup q = cache_look_up(c, a);
    return q.need ? cache_outstanding(c, &q, a->line) : CACHE_NO_MSHR;
}

uint64_t cache_mshr_line(const struct cache *c, uint32_t mshr)
{
    assert(mshr < c->mshrs.n && c->mshrs.entries[mshr].n_waiters);
    return c->mshrs.entries[mshr].line;
}

uint32_t cache_mshrs_in_use(const struct cache *c)
{
    return c->mshrs.n - c->mshrs.n_free;
}

struct queue_account cache_mshr_account(const struct cache *c)
{
    return c->mshrs.account;
}

void cache_invalidate_line(struct cache *c, uint64_t line)
{
    struct cache_set *s = &c->tags.sets[cache_set_of(c, line)];
    int way = tags_find(s, line);
    if (way >= 0)
        cache_evict(c, s, (uint32_t)way, EVICT_INVALIDATE, NULL);
    cache_remove(c, s, way, line);
}

void cache_flush(struct cache *c, void (*writeback)(void *user, uint64_t line, uint32_t sectors),
                 void *user)
{
    assert(cache_mshrs_in_use(c) == 0);
    for (struct cache_set *s = c->tags.sets; s != c->tags.sets + c->tags.n_sets; s++)
        while (s->occupied) {
            uint32_t way = (uint32_t)__builtin_ctzll(s->occupied);
            bool dirty = cache_evict(c, s, way, EVICT_FLUSH, NULL);
            tags_remove(s, way);
            if (dirty && writeback)
                writeback(user, c->victim.line, c->victim.sectors);
        }
}

static void restart_policy(struct cache *c, uint32_t n_ways)
{
    struct cache_policy *p = &c->policy;
    p->geometry.n_ways = c->config.n_ways;
    if (c->desc->state_bytes)
        memset(p->state, 0, c->desc->state_bytes(&p->geometry, p->params));
    p->geometry.n_ways = n_ways;
    for (uint32_t set = 0; c->desc->line_state_bytes && set < c->tags.n_sets; set++)
        for (uint32_t way = 0; way < c->config.n_ways; way++)
            memset(c->tags.sets[set].line_state[way], 0, c->desc->line_state_bytes);
    if (c->desc->init)
        c->desc->init(p);
}

void cache_resize(struct cache *c, uint32_t n_ways,
                  void (*writeback)(void *user, uint64_t line, uint32_t sectors), void *user)
{
    assert(n_ways >= 1 && n_ways <= c->config.n_ways);
    if (n_ways == c->policy.geometry.n_ways)
        return;
    cache_flush(c, writeback, user);
    tags_resize(&c->tags, n_ways);
    restart_policy(c, n_ways);
    CACHE_TELL_BY_CALL(c, RESIZE, resize, c->tags.sets, n_ways);
}

const struct cache_victim *cache_victim(const struct cache *c)
{
    return &c->victim;
}

const struct cache_stats *cache_stats(const struct cache *c)
{
    return &c->stats;
}

struct cache_policy *cache_get_policy(struct cache *c)
{
    return &c->policy;
}

void cache_kernel_start(struct cache *c, uint32_t launch)
{
    if (c->desc->on_kernel_start)
        c->desc->on_kernel_start(&c->policy, launch);
}

void cache_kernel_end(struct cache *c, uint32_t launch)
{
    if (c->desc->on_kernel_end)
        c->desc->on_kernel_end(&c->policy, launch);
}

void cache_epoch(struct cache *c, uint64_t epoch)
{
    if (c->desc->on_epoch)
        c->desc->on_epoch(&c->policy, epoch);
}

void cache_report(struct cache *c, struct shared_report *r)
{
    if (c->desc->report)
        c->desc->report(&c->policy, r);
}

void cache_apply(struct cache *c, const void *quota, size_t bytes)
{
    if (c->desc->apply)
        c->desc->apply(&c->policy, quota, bytes);
}

bool cache_insts(struct cache *c, uint64_t n_thread_insts)
{
    return c->desc->on_insts && c->desc->on_insts(&c->policy, n_thread_insts);
}

/* 0: there are no epochs, or the policy ignores them. */
static uint64_t epoch_cycles(const struct cache *c)
{
    return c->desc->on_epoch ? c->config.epoch_cycles : 0;
}

bool cache_changes_alone(const struct cache *c)
{
    return c->desc->next_change || epoch_cycles(c);
}

uint64_t cache_next_change(const struct cache *c, uint64_t now)
{
    uint64_t next = c->desc->next_change ? c->desc->next_change(&c->policy, now) : UINT64_MAX;
    uint64_t period = epoch_cycles(c);
    uint64_t epoch = period ? (now / period + 1) * period : UINT64_MAX;
    return epoch < next ? epoch : next;
}

void cache_note_difference(struct cache *c, const struct mem_access *a)
{
    c->first_difference = *a;
}

void cache_lru_differences(const struct cache *c, uint64_t *n, uint64_t *first_id)
{
    *n = c->n_differences;
    *first_id = c->n_differences ? c->first_difference.id : UINT64_MAX;
}

const struct mem_access *cache_first_lru_difference(const struct cache *c)
{
    return c->n_differences ? &c->first_difference : NULL;
}

void cache_describe_wait(const struct cache *c, struct strbuf *out)
{
    enum { SHOWN = 3 };
    uint32_t n_waited_for = 0;
    strbuf_addf(out, "%u of %u MSHRs in use\n", cache_mshrs_in_use(c), c->mshrs.n);
    for (uint32_t i = 0; i < c->mshrs.n; i++) {
        const struct mshr *m = &c->mshrs.entries[i];
        if (m->n_waiters && n_waited_for++ < SHOWN)
            strbuf_addf(out, "  MSHR %u: line 0x%" PRIx64 ", %u of %u accesses wait%s\n", i,
                        m->line, m->n_waiters, c->mshrs.n_merges,
                        m->detached ? "; the answer will not be kept" : "");
    }
    if (n_waited_for > SHOWN)
        strbuf_addf(out, "  ... and %u more MSHRs with accesses that wait\n", n_waited_for - SHOWN);
    if (c->desc->describe_wait)
        c->desc->describe_wait(&c->policy, out);
}

void cache_stats_add(struct cache_stats *into, const struct cache_stats *from)
{
#define COUNTER(field, name, help) into->field += from->field;
    CACHE_COUNTERS(COUNTER)
#undef COUNTER
}

bool cache_stats_check(const struct cache_stats *s, struct strbuf *why)
{
    bool ok = true;
#define IDENTITY(expression)                                                                       \
    if (!(expression)) {                                                                           \
        ok = false;                                                                                \
        strbuf_add(why, "cache statistics disagree: not " #expression "\n");                       \
    }
    CACHE_IDENTITIES(IDENTITY)
#undef IDENTITY
    return ok;
}
