/* A load of a whole line that hits, mostly where the last one did, or whose line is on its way:
 * what nearly every fetch of an instruction cache is. It makes up no access. */
#ifndef HEDDLE_CACHE_LOAD_HIT_H
#define HEDDLE_CACHE_LOAD_HIT_H

#include "cache/cache_internal.h"

/* Is all of the line there? Then `last_hit` is its place. */
bool cache_find_hit(struct cache *c, uint64_t line);

/* Does the line lie where one of the last two hits did? Then `last_hit` is its place. */
static inline bool cache_recall_hit(struct cache *c, uint64_t line)
{
    struct place last = c->last_hit;
    if (*last.tag == line)
        return true;
    if (*c->other_hit.tag != line)
        return false;
    c->last_hit = c->other_hit;
    c->other_hit = last;
    c->last_hit_order = 0; /* its data may be under way again: no hit before one has been seen */
    return true;
}

/* Performs the load at `last_hit` if nobody wants to know of it; false, and nothing done,
 * otherwise. */
static inline bool cache_load_there(struct cache *c, uint32_t pc)
{
    const struct place *p = &c->last_hit;
    if (c->minds_hits || (c->all_sectors & ~p->line->valid_sectors) != 0)
        return false;
    cache_count_hit(c);
    p->line->last_pc = pc;
    p->line->reused = true;
    *p->last_use = c->last_hit_order = ++c->order;
    if (c->tags.indexed)
        way_index_use(&c->tags.index, p->in_index, c->order);
    return true;
}

/* Performs the load if it is a hit of which nobody wants to know; false, and nothing done,
 * otherwise: then cache_load() says what there is to say. */
static inline bool cache_load_hit(struct cache *c, uint64_t line, uint32_t pc)
{
    return (cache_recall_hit(c, line) || cache_find_hit(c, line)) && cache_load_there(c, pc);
}

/* The same if it is where one of the last two was. */
static inline bool cache_load_recent(struct cache *c, uint64_t line, uint32_t pc)
{
    return cache_recall_hit(c, line) && cache_load_there(c, pc);
}

/* The same if it is as the last one was, with nothing in between: that line is the most recent one
 * already. */
static inline bool cache_load_again(struct cache *c, uint64_t line, uint32_t pc)
{
    const struct place *p = &c->last_hit;
    if (*p->tag != line || c->order != c->last_hit_order)
        return false;
    cache_count_hit(c);
    p->line->last_pc = pc;
    return true;
}

/* Merges the load with the fetch of its line, if there is one that takes more of them and nobody
 * wants to know; false, and nothing done, otherwise. For a cache without stores: a line that has
 * its place when its data come is not there while it is fetched. */
static inline bool cache_load_joins(struct cache *c, uint64_t line, void *waiter)
{
    struct mshr_file *f = &c->mshrs;
    if (f->n_free == f->n || !c->quiet || c->sectored || !c->config.allocate_on_fill)
        return false;
    uint16_t m = mshr_find(f, line, c->all_sectors);
    if (m == MSHR_NONE || !mshr_has_room(f, m))
        return false;
    c->stats.loads++;
    c->stats.merges++;
    f->entries[m].reused = true;
    mshr_join(f, m, waiter);
    return true;
}

#endif
