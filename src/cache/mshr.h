/* The miss status holding registers: which lines are on their way and who waits for them.
 *
 * One MSHR = one outstanding fetch. Where a line has a way as soon as it is asked for, and is
 * fetched whole, its record says which MSHR it has. Elsewhere an MSHR is found by its line through
 * a small chained hash, so that a miss costs the same with 8 or 128 of them: with sectors a line
 * may have several, none of which covers what a later load asks for. A detached MSHR still answers
 * its waiters, but nobody finds it any more: its data are older than a store that has passed.
 * Nothing is allocated after init. */
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

/* The order of its members keeps compilers from joining what is stored one by one, which takes
 * longer. */
struct mshr {
    uint64_t line;
    struct cache_set *set;
    uint64_t taken_at;
    int way;                /* reserved for it; -1 = none yet, or none any more */
    uint32_t sectors;       /* being fetched */
    uint32_t dirty_sectors; /* written by stores that wait here */
    uint32_t n_waiters;     /* 0 = it is free */
    uint16_t next;          /* in its hash chain */
    bool detached;
    bool reused;     /* somebody merged: the line starts its life with the reuse bit set */
    uint32_t bucket; /* that chain's head */
    void **waiters;  /* its place for them, always the same */
};

struct mshr_file {
    struct mshr *entries;
    /* The access that missed; only where lines are allocated on fill and somebody is to know. */
    struct mem_access *accesses;
    uint16_t *heads; /* of the hash chains; NULL where lines say which MSHR they have */
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

/* Takes a free MSHR (there is one) with its first waiter. */
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

/* Its waiters stay where they are until it is taken again. */
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
