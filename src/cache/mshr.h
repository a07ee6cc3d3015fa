/* The miss status holding registers: which lines are in flight and which accesses wait for them.
 *
 * One MSHR = one outstanding fetch. If lines are reserved at the miss and fetched whole, the line's
 * record names its MSHR. Otherwise an MSHR is found by its line through a small chained hash, so
 * that a miss costs the same with 8 or 128 of them: a line with sectors may have several MSHRs,
 * none of which covers the sectors of a later load. A detached MSHR still answers its waiters, but
 * later accesses no longer find it: its data are older than a store that has passed. Nothing is
 * allocated after init. */
#ifndef HEDDLE_CACHE_MSHR_H
#define HEDDLE_CACHE_MSHR_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hot_assert.h"
#include "base/mem_access.h"
#include "base/occupancy.h"

enum { MSHR_NONE = 0xffff }; /* MSHRs are numbered in 16 bits */

struct cache_set;

/* The order of the members keeps compilers from merging adjacent stores, which would be slower. */
struct mshr {
    uint64_t line;
    struct cache_set *set;
    uint64_t taken_at;
    int way;                /* reserved for it; -1 = none yet, or no longer */
    uint32_t sectors;       /* being fetched */
    uint32_t dirty_sectors; /* written by stores that wait here */
    uint32_t n_waiters;     /* 0 = it is free */
    uint16_t next;          /* in its hash chain */
    bool detached;
    bool reused;     /* an access merged: the line is inserted with its reuse bit set */
    uint32_t bucket; /* the head of that chain */
    void **waiters;  /* its own part of one array */
};

struct mshr_file {
    struct mshr *entries;
    /* The access that missed; kept only if lines are allocated on fill, where the policy needs it.
     */
    struct mem_access *accesses;
    uint16_t *heads; /* of the hash chains; NULL if lines name their MSHRs */
    uint16_t *free;  /* a stack of entry numbers */
    uint32_t n, n_merges, n_free, hash_shift;
    struct queue_account account; /* of MSHRs in use */
};

void mshr_init(struct mshr_file *f, struct arena *arena, uint32_t n, uint32_t n_merges,
               bool keep_accesses, bool hashed);

/* Detaches all MSHRs of a line, by the hash. */
void mshr_detach_line(struct mshr_file *f, uint64_t line);

static inline void mshr_detach(struct mshr_file *f, uint32_t m)
{
    f->entries[m].detached = true;
    f->entries[m].way = -1;
}

static inline size_t mshr_bucket(const struct mshr_file *f, uint64_t line)
{
    return line * 0x9e3779b97f4a7c15ull >> f->hash_shift;
}

/* The newest MSHR that brings all the `sectors` of the line, by the hash; or MSHR_NONE. */
static inline uint16_t mshr_find(const struct mshr_file *f, uint64_t line, uint32_t sectors)
{
    uint16_t m = f->heads[mshr_bucket(f, line)];
    while (m != MSHR_NONE &&
           (f->entries[m].line != line || (sectors & ~f->entries[m].sectors) != 0))
        m = f->entries[m].next;
    return m;
}

static inline bool mshr_has_room(const struct mshr_file *f, uint32_t m)
{
    return f->entries[m].n_waiters < f->n_merges;
}

static inline void mshr_join(struct mshr_file *f, uint32_t m, void *waiter)
{
    struct mshr *e = &f->entries[m];
    e->waiters[e->n_waiters++] = waiter;
}

/* Takes a free MSHR, with its first waiter. There must be a free one. */
static inline uint16_t mshr_take(struct mshr_file *f, uint64_t line, struct cache_set *set, int way,
                                 uint32_t sectors, void *waiter, uint64_t now)
{
    hot_assert(f->n_free > 0);
    uint16_t m = f->free[--f->n_free];
    struct mshr *e = &f->entries[m];
    e->line = line;
    e->taken_at = now;
    e->set = set;
    e->way = way;
    e->sectors = sectors;
    e->dirty_sectors = 0;
    e->n_waiters = 1;
    e->detached = e->reused = false;
    e->waiters[0] = waiter;
    queue_enter(&f->account, now);
    if (f->heads) {
        size_t bucket = mshr_bucket(f, line);
        e->bucket = (uint32_t)bucket;
        e->next = f->heads[bucket];
        f->heads[bucket] = m;
    }
    return m;
}

static inline void mshr_unlink(struct mshr_file *f, const struct mshr *e, uint32_t number)
{
    uint16_t *link = &f->heads[e->bucket];
    while (*link != number)
        link = &f->entries[*link].next;
    *link = e->next;
}

/* Its waiters remain readable until it is taken again. */
static inline void mshr_release(struct mshr_file *f, uint32_t number, uint64_t now)
{
    struct mshr *e = &f->entries[number];
    if (f->heads && !e->detached)
        mshr_unlink(f, e, number);
    queue_leave(&f->account, e->taken_at, now);
    e->n_waiters = 0;
    f->free[f->n_free++] = (uint16_t)number;
}

#endif
