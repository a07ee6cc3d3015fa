/* How a line gets a place in the cache and how it leaves it. */
#include "cache/cache_internal.h"

int cache_choose_way(const struct cache *c, const struct mem_access *a)
{
    struct cache_set view = tags_view(&c->tags, a->set);
    int choice = c->desc->decide(&c->policy, &view, a);
    if (choice == CACHE_BYPASS)
        return choice;
    int empty = cache_set_empty_way(&view);
    if (empty >= 0)
        return empty;
    assert(choice == CACHE_STALL ||
           (choice >= 0 && (uint32_t)choice < view.n_ways && !(view.reserved >> choice & 1)));
    return choice;
}

enum cache_stall cache_missing_resource(const struct cache *c, struct cache_room room, int way)
{
    if (!c->mshrs.n_free)
        return STALL_MSHR;
    if (!room.miss_queue)
        return STALL_MISS_QUEUE;
    if (way == CACHE_STALL && !c->config.allocate_on_fill)
        return STALL_LINE;
    return N_CACHE_STALLS;
}

void cache_count_difference(struct cache *c, const struct mem_access *a)
{
    if (c->n_differences++ == 0)
        c->first_difference = a->id;
}

static void compare_with_lru(struct cache *c, const struct mem_access *a, uint32_t way)
{
    struct cache_set view = tags_view(&c->tags, a->set);
    if (cache_set_empty_way(&view) < 0 && cache_set_lru(&view) != (int)way)
        cache_count_difference(c, a);
}

void cache_remove(struct cache *c, uint32_t set, uint32_t way, enum cache_evict_cause cause,
                  const struct mem_access *a, struct cache_result *r)
{
    const struct cache_line *line = line_at(c, set, way);
    cache_tell_evict(c, set, way, cause, a);
    if (line->dirty_sectors && cause != EVICT_INVALIDATE) {
        c->stats.writebacks++;
        r->writeback = true;
        r->victim_line = line->line;
        r->victim_sectors = line->dirty_sectors;
    }
    tags_remove(&c->tags, set, way);
}

void cache_replace(struct cache *c, const struct mem_access *a, uint32_t way,
                   struct cache_result *r)
{
    if (!c->is_lru)
        compare_with_lru(c, a, way);
    struct cache_line *line = line_at(c, a->set, way);
    if (line->state != LINE_INVALID) {
        c->stats.evictions++;
        c->stats.evictions_unused += !line->reused;
        cache_remove(c, a->set, way, EVICT_REPLACE, a, r);
    }
    tags_insert(&c->tags, a->set, way, a->line);
    line->reserver_slot = a->warp_slot;
    line->insert_pc = line->last_pc = a->pc;
    line->inserted = ++c->order;
    c->tags.last_use[tags_at(&c->tags, a->set, way)] = c->order;
    cache_tell_reserve(c, way, a);
}

void cache_start_fetch(struct cache *c, const struct mem_access *a, const struct lookup *q, int way,
                       void *waiter, struct cache_result *r)
{
    bool line_is_there = q->way >= 0;
    c->stats.sector_misses += line_is_there;
    if (line_is_there) {
        size_t at = tags_at(&c->tags, q->set, (uint32_t)q->way);
        c->tags.last_use[at] = ++c->order;
        c->tags.lines[at].last_pc = a->pc;
    }
    if (c->config.allocate_on_fill) {
        way = -1; /* even a line that is there may be gone when the data come */
    } else {
        if (line_is_there)
            tags_reserve(&c->tags, q->set, (uint32_t)way);
        else
            cache_replace(c, a, (uint32_t)way, r);
        line_at(c, q->set, (uint32_t)way)->n_fetches++;
    }
    r->mshr = mshr_take(&c->mshrs, a->line, q->set, way, q->need, waiter);
    r->fetch_sectors = q->need;
    if (c->mshrs.accesses)
        c->mshrs.accesses[r->mshr] = *a;
}
