/* The fast path of cache_load(). Modules that use caches on their hot path (sm, slice, cpu) include
 * this file; through it they also see the inline functions of load.h.
 *
 * Two cases can be handled without a struct mem_access. (1) A silent hit, which only updates its
 * line: no observer listens to hits, the policy has no hit_action(), and it either has no on_hit()
 * or says that this hit would not change its state. (2) A stall: the load finds neither its line
 * nor a free MSHR, the policy never bypasses, and lines are reserved at the miss. cache_load_fast()
 * handles these cases, or does nothing and says what to call. For other hits that is
 * cache_do_hit(), or with CACHE_FAST_CRITICAL cache_load_silently() if the access is not critical.
 * For everything else, and under no_fast_paths for everything, it is cache_load_at(), which handles
 * all cases. */
#ifndef HEDDLE_CACHE_FAST_H
#define HEDDLE_CACHE_FAST_H

#include "cache/load.h"

/* Converts a place in the way index to a set and a way. */
static inline __attribute__((always_inline)) struct cache_location
cache_location_of(const struct cache *c, size_t place)
{
    const struct way_index *index = &c->tags.index;
    return (struct cache_location){&c->tags.sets[way_index_set(index, place)],
                                   way_index_way(index, place)};
}

/* Finds a line. In an indexed cache a present line is found without computing its set. */
static inline __attribute__((always_inline)) struct cache_location cache_find(const struct cache *c,
                                                                              uint64_t line)
{
    const struct way_index *index = &c->tags.index;
    if (!c->tags.indexed)
        return cache_find_in(c, set_index_of(&c->indexer, line), line);
    size_t place = way_index_place_of(index, line);
    if (!place)
        return (struct cache_location){&c->tags.sets[set_index_of(&c->indexer, line)], -1};
    return cache_location_of(c, place);
}

/* The sectors that contain these segments: cache_sectors_of() with the cache's configuration. */
static inline uint32_t cache_sectors_for(const struct cache *c, uint32_t segments)
{
    if (!c->sectored)
        return 1;
    return c->config.sector_bytes == CACHE_SEGMENT_BYTES
               ? segments
               : cache_join_segments(&c->config, segments);
}

/* The segments of these sectors: cache_segments_of() with the cache's configuration. */
static inline uint32_t cache_segments_for(const struct cache *c, uint32_t sectors)
{
    return c->sectored ? cache_segments_of(&c->config, sectors) : c->line_segments;
}

/* An observer listens to hits. */
static inline bool cache_hits_have_observer(const struct cache *c)
{
    return c->watched >> CE_HIT & 1;
}

/* Does the line have these sectors (as in struct mem_access)? */
static inline bool cache_is_hit(const struct cache *c, struct cache_location at, uint32_t sectors)
{
    return at.way >= 0 && !(cache_counted(c, sectors) & ~at.set->lines[at.way].valid_sectors);
}

/* What a hit changes beyond its line and the count of hits. HIT_MATTERS also if an observer listens
 * to hits, or fast paths are off. */
static inline __attribute__((always_inline)) enum cache_hit_effect
cache_hit_effect(const struct cache *c, struct cache_location at)
{
    if (c->hits == HITS_SILENT)
        return HIT_IS_SILENT;
    if (c->hits == HITS_MATTER)
        return HIT_MATTERS;
    return c->desc->hit_effect(&c->policy, at.set, (uint32_t)at.way);
}

/* Does the hit change nothing in the policy? `may_be_critical`: the access may be critical. */
static inline bool cache_effect_is_silent(enum cache_hit_effect e, bool may_be_critical)
{
    return e == HIT_IS_SILENT || (e == HIT_MATTERS_IF_CRITICAL && !may_be_critical);
}

/* Performs a silent hit. */
static inline void cache_load_silently(struct cache *c, struct cache_location at, uint32_t pc)
{
    cache_count_hits(c, 1);
    cache_use_line(c, at.set, (uint32_t)at.way, pc);
}

enum cache_fast {
    CACHE_FAST_DECLINED, /* nothing was done: call cache_load_at() */
    CACHE_FAST_HIT,
    CACHE_FAST_LISTENERS, /* a hit, and nothing was done: call cache_do_hit() */
    /* A hit, and nothing was done: call cache_do_hit() if the access is critical, otherwise
     * cache_load_silently(). */
    CACHE_FAST_CRITICAL,
    CACHE_FAST_NO_MSHR /* the load is STALLED: no MSHR is free */
};

/* A load of these sectors (as in struct mem_access; ignored if the line is absent). */
static inline __attribute__((always_inline)) enum cache_fast
cache_load_fast(struct cache *c, struct cache_location at, uint32_t sectors, uint32_t pc)
{
    if (at.way < 0)
        return c->fast_stalls && !c->mshrs.n_free ? CACHE_FAST_NO_MSHR : CACHE_FAST_DECLINED;
    if (!cache_is_hit(c, at, sectors))
        return CACHE_FAST_DECLINED;
    enum cache_hit_effect e = cache_hit_effect(c, at);
    if (e == HIT_MATTERS)
        return c->config.no_fast_paths ? CACHE_FAST_DECLINED : CACHE_FAST_LISTENERS;
    if (e == HIT_MATTERS_IF_CRITICAL)
        return CACHE_FAST_CRITICAL;
    cache_load_silently(c, at, pc);
    return CACHE_FAST_HIT;
}

/* May hits of the cache be silent? */
static inline bool cache_may_be_silent(const struct cache *c)
{
    return c->hits != HITS_MATTER;
}

/* Performs the loads x[0], x[1], ... while each is a silent hit. Returns their number. */
uint32_t cache_load_silent_hits(struct cache *c, const struct line_access *x, uint32_t n,
                                uint32_t pc, bool may_be_critical);

/* Is the line present (valid or in flight), and would a load of these sectors hit or merge? False
 * for an absent line, even if a miss of it is outstanding (allocate_on_fill). */
static inline bool cache_would_hit_or_merge(struct cache *c, struct cache_location at,
                                            uint64_t line, uint32_t sectors)
{
    if (at.way < 0)
        return false;
    uint32_t asked = cache_counted(c, sectors);
    struct lookup q = {at.set, (int)at.way, asked, asked & ~at.set->lines[at.way].valid_sectors};
    return !q.need || cache_outstanding(c, &q, line) != MSHR_NONE;
}

#endif
