/* Any policy without a machine: tags and events are those of the timing model's cache; there are no
 * MSHRs and no other observers. The events and their order follow the contract of cache_policy.h
 * for an access with an immediate fill. A test compares every decision with those of the timing
 * model's cache. */
#include <assert.h>
#include <stdlib.h>

#include "analysis/lab_belady.h"
#include "analysis/lab_player.h"
#include "cache/tags.h"

struct owner {
    uint64_t warp, thread;
};

/* The cache of one SM. */
struct sm_cache {
    struct tag_store tags;
    struct cache_policy policy;
    struct owner *owners; /* by set and way */
    uint64_t order;       /* counts uses of lines */
};

struct player {
    const struct lab_config *config;
    const struct cache_policy_desc *desc;
    const uint64_t *next_uses;
    struct sm_cache **sms; /* NULL until the first access */
    struct lab_result result;
    struct mem_access access; /* the current one; most of it never changes */
    struct arena arena;
};

/* Calls an event function of the policy if it has one. */
#define TELL(p, c, event, ...)                                                                     \
    do {                                                                                           \
        if ((p)->desc->event)                                                                      \
            (p)->desc->event(&(c)->policy, __VA_ARGS__);                                           \
    } while (0)

/* Uses the same seed as the machine for that SM. */
static struct sm_cache *create_sm(struct player *p, uint32_t sm)
{
    const struct lab_config *config = p->config;
    const struct cache_policy_desc *d = p->desc;
    struct cache_config shape = {.n_sets = config->n_sets,
                                 .n_ways = config->n_ways,
                                 .line_bytes = config->line_bytes,
                                 .sector_bytes = config->sector_bytes ? config->sector_bytes
                                                                      : config->line_bytes};
    struct sm_cache *c = ARENA_NEW(&p->arena, struct sm_cache);
    tags_init(&c->tags, &p->arena, config->n_sets, config->n_ways, d->line_state_bytes, true);
    c->owners = ARENA_ARRAY(&p->arena, struct owner, (size_t)config->n_sets * config->n_ways);
    c->policy =
        (struct cache_policy){.desc = d,
                              .geometry = cache_geometry_of(&shape, 0),
                              .params = plugin_values(&d->plugin, config->params, &p->arena),
                              .seed = sm + 1,
                              .stats = arena_alloc(&p->arena, d->stats_bytes)};
    if (d->state_bytes)
        c->policy.state =
            arena_alloc(&p->arena, d->state_bytes(&c->policy.geometry, c->policy.params));
    if (d->init)
        d->init(&c->policy);
    if (p->next_uses)
        lab_belady_foretell(&c->policy, p->next_uses);
    return p->sms[sm] = c;
}

static struct sm_cache *sm_of(struct player *p, uint32_t sm)
{
    return p->sms[sm] ? p->sms[sm] : create_sm(p, sm);
}

static void use_line(struct sm_cache *c, struct cache_set *s, uint32_t way, uint32_t pc)
{
    struct cache_line *line = tags_line(s, way);
    tags_use(s, way, ++c->order);
    line->last_pc = pc;
    line->reused = true;
}

static void remove_line(struct player *p, struct sm_cache *c, struct cache_set *s, uint32_t way,
                        enum cache_evict_cause cause, const struct mem_access *a)
{
    TELL(p, c, on_evict, s, way, cause, a);
    tags_remove(s, way);
}

static void fill_line(struct player *p, struct sm_cache *c, struct cache_set *s, uint32_t way)
{
    TELL(p, c, on_fill, s, way, p->access.cycle);
    if (!p->desc->fill_action || p->desc->fill_action(&c->policy, s, way) == LINE_KEEP)
        return;
    p->result.stats.drops++;
    remove_line(p, c, s, way, EVICT_INVALIDATE, NULL);
}

static void count_difference(struct player *p, uint64_t index)
{
    if (p->result.n_differences++ == 0)
        p->result.first_difference = index;
}

static void hit(struct player *p, struct sm_cache *c, struct cache_set *s, uint32_t way,
                const struct lab_access *from)
{
    const struct mem_access *a = &p->access;
    const struct owner *owner = &c->owners[(size_t)s->set * s->n_ways + way];
    p->result.localities[lab_locality_of(owner->warp, owner->thread, from)]++;
    p->result.stats.hits++;
    TELL(p, c, on_hit, s, way, a);
    if (p->desc->hit_action && p->desc->hit_action(&c->policy, s, way, a) == LINE_DROP) {
        p->result.stats.drops++;
        remove_line(p, c, s, way, EVICT_INVALIDATE, a);
    } else {
        use_line(c, s, way, a->pc);
    }
}

static void bypass(struct player *p, struct sm_cache *c, struct cache_set *s, uint64_t index)
{
    p->result.stats.bypasses++;
    count_difference(p, index);
    TELL(p, c, on_miss, s, -1, &p->access);
    TELL(p, c, on_bypass, s, &p->access, BYPASS_POLICY);
}

/* Returns the line that was replaced, LAB_NO_VICTIM if the way was empty. */
static uint64_t insert(struct player *p, struct sm_cache *c, struct cache_set *s, uint32_t way,
                       uint64_t index)
{
    const struct mem_access *a = &p->access;
    uint64_t victim = LAB_NO_VICTIM;
    p->result.stats.misses++;
    TELL(p, c, on_miss, s, -1, a);
    if (s->occupied >> way & 1) {
        victim = s->tags[way];
        if (tags_oldest(s) != (int)way)
            count_difference(p, index);
        p->result.stats.evictions++;
        p->result.stats.evictions_unused += !s->lines[way].reused;
        TELL(p, c, on_evict, s, way, EVICT_REPLACE, a);
    }
    tags_insert(s, way,
                (struct cache_line){
                    .line = a->line, .insert_pc = a->pc, .last_pc = a->pc, .inserted = ++c->order});
    TELL(p, c, on_reserve, s, way, a);
    c->owners[(size_t)s->set * s->n_ways + way] = (struct owner){a->warp_uid, a->first_thread};
    tags_line(s, way)->valid_sectors = a->sector_mask;
    p->result.stats.sectors_fetched += (uint32_t)__builtin_popcount(a->sector_mask);
    tags_validate(s, way);
    fill_line(p, c, s, way);
    return victim;
}

/* The line is present, but lacks some of the requested sectors. */
static void fetch_sectors(struct player *p, struct sm_cache *c, struct cache_set *s, uint32_t way,
                          uint32_t need)
{
    const struct mem_access *a = &p->access;
    struct cache_line *line = tags_line(s, way);
    p->result.stats.misses++;
    p->result.stats.sector_misses++;
    p->result.stats.sectors_fetched += (uint32_t)__builtin_popcount(need);
    TELL(p, c, on_miss, s, (int)way, a);
    tags_use(s, way, ++c->order);
    line->last_pc = a->pc;
    line->valid_sectors |= need;
    fill_line(p, c, s, way);
}

/* The requested sectors that the line lacks. */
static uint32_t lacks(const struct player *p, const struct cache_set *s, int way)
{
    return p->access.sector_mask & ~(way < 0 ? 0 : s->lines[way].valid_sectors);
}

static void load(struct player *p, struct sm_cache *c, struct cache_set *s,
                 const struct lab_access *from, struct lab_log *log, uint64_t index)
{
    uint64_t victim = LAB_NO_VICTIM;
    enum lab_decision decision = LAB_HIT;
    int way = tags_find(s, p->access.line);
    uint32_t need = lacks(p, s, way);
    if (!need) {
        hit(p, c, s, (uint32_t)way, from);
    } else if (way >= 0) {
        decision = LAB_MISS;
        fetch_sectors(p, c, s, (uint32_t)way, need);
    } else if ((way = p->desc->decide(&c->policy, s, &p->access)) == CACHE_BYPASS) {
        decision = LAB_BYPASS;
        bypass(p, c, s, index);
    } else {
        int empty = cache_set_empty_way(s);
        way = empty >= 0 ? empty : way;
        assert(way >= 0 && (uint32_t)way < s->n_ways); /* nothing is ever reserved here */
        decision = LAB_MISS;
        victim = insert(p, c, s, (uint32_t)way, index);
    }
    if (log)
        lab_log_load(log, index, decision, victim);
}

static void store(struct player *p, struct sm_cache *c, struct cache_set *s)
{
    int way = tags_find(s, p->access.line);
    if (p->config->stores_keep && lacks(p, s, way))
        way = -1;
    TELL(p, c, on_store, s, way, &p->access);
    *(way < 0 ? &p->result.stats.store_misses : &p->result.stats.store_hits) += 1;
    if (way < 0)
        return;
    if (p->config->stores_keep)
        use_line(c, s, (uint32_t)way, p->access.pc);
    else
        remove_line(p, c, s, (uint32_t)way, EVICT_WRITE, &p->access);
}

/* An atomic: bypasses the cache and invalidates the line. */
static void invalidate(struct player *p, struct sm_cache *c, struct cache_set *s)
{
    int way = tags_find(s, p->access.line);
    if (way >= 0)
        remove_line(p, c, s, (uint32_t)way, EVICT_INVALIDATE, NULL);
}

static void flush(struct player *p, struct sm_cache *c)
{
    for (struct cache_set *s = c->tags.sets; s != c->tags.sets + c->tags.n_sets; s++)
        while (s->occupied)
            remove_line(p, c, s, (uint32_t)__builtin_ctzll(s->occupied), EVICT_FLUSH, NULL);
}

static void take_access(struct player *p, const struct lab_batch *b, uint32_t i)
{
    const struct lab_access *from = &b->items[i];
    struct mem_access *a = &p->access;
    a->id = b->position + i;
    a->cycle = from->cycle;
    a->launch = from->launch;
    a->warp_uid = from->warp;
    a->first_thread = from->thread;
    a->pc = from->pc;
    a->address = from->address;
    a->line = b->lines[i];
    a->set = b->sets[i];
    a->kind = from->kind == LAB_STORE ? MEM_STORE : MEM_LOAD;
    a->sector_mask = p->config->sector_bytes ? from->sectors : 1;
    a->source = from->sm;
    a->is_critical = from->is_critical;
    a->criticality = b->criticality ? b->criticality[i] : 0;
}

/* Replays the accesses of the batch up to `end`; returns the index of the access there. */
static uint64_t play_some(struct player *p, const struct lab_batch *b, uint32_t i, uint32_t end,
                          uint64_t index, struct lab_log *log)
{
    for (; i < end; i++) {
        const struct lab_access *from = &b->items[i];
        struct sm_cache *c = sm_of(p, from->sm);
        struct cache_set *s = &c->tags.sets[b->sets[i]];
        take_access(p, b, i);
        switch (from->kind) {
        case LAB_LOAD:
            load(p, c, s, from, log, index++);
            break;
        case LAB_STORE:
            store(p, c, s);
            index++;
            break;
        case LAB_ATOMIC:
            invalidate(p, c, s);
            index++;
            break;
        case LAB_FLUSH:
            flush(p, c);
            break;
        }
    }
    return index;
}

/* One at a time, as they issued: a policy may treat a sum differently. */
static void tell_insts(struct player *p, const struct lab_insts *run)
{
    struct sm_cache *c = sm_of(p, run->sm);
    for (uint32_t i = 0; i < run->n_issues; i++)
        p->desc->on_insts(&c->policy, run->n_lanes);
}

static void policy_play(void *player, const struct lab_batch *b, struct lab_log *log)
{
    struct player *p = player;
    uint64_t index = b->index;
    uint32_t at = 0;
    for (size_t i = b->first_insts; i < b->end_insts && p->desc->on_insts; i++) {
        uint32_t end = (uint32_t)(b->insts[i].before - b->place);
        index = play_some(p, b, at, end, index, log);
        at = end;
        tell_insts(p, &b->insts[i]);
    }
    play_some(p, b, at, b->n, index, log);
}

static void *policy_create(const struct lab_config *config, uint32_t n_sms,
                           const uint64_t *next_uses)
{
    struct player *p = xcalloc(1, sizeof *p);
    p->config = config;
    p->desc = config->policy;
    p->next_uses = next_uses;
    p->sms = xcalloc(n_sms ? n_sms : 1, sizeof *p->sms);
    p->result.first_difference = UINT64_MAX;
    p->access = (struct mem_access){.space = MEM_GLOBAL};
    return p;
}

static void policy_finish(void *player, struct lab_result *out)
{
    struct player *p = player;
    struct cache_stats *t = &p->result.stats;
    t->fills = t->misses;
    t->write_evictions = p->config->stores_keep ? 0 : t->store_hits;
    *out = p->result;
    arena_destroy(&p->arena);
    free(p->sms);
    free(p);
}

const struct lab_player lab_player_policy = {policy_create, policy_play, policy_finish};
