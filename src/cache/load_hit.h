/* A load of a whole line that hits, mostly where the last one did: what nearly every fetch of an
 * instruction cache is. It makes up no access. */
#ifndef HEDDLE_CACHE_LOAD_HIT_H
#define HEDDLE_CACHE_LOAD_HIT_H

#include "cache/cache_internal.h"

/* Is all of the line there? Then `last_hit` is its place. */
bool cache_find_hit(struct cache *c, uint64_t line);

/* Performs the load if it is a hit of which nobody wants to know; false, and nothing done,
 * otherwise: then cache_load() says what there is to say. */
static inline bool cache_load_hit(struct cache *c, uint64_t line, uint32_t pc)
{
    const struct place *p = &c->last_hit;
    if (*p->tag != line && !cache_find_hit(c, line))
        return false;
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

#endif
