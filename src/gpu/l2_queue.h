/* How a request comes to the queue of its L2 bank. Inline, for every request does. `now` is an L2
 * cycle. */
#ifndef HEDDLE_GPU_L2_QUEUE_H
#define HEDDLE_GPU_L2_QUEUE_H

#include "cache/hit_ahead.h"
#include "gpu/partition_parts.h"

/* Where in L2 a request belongs. A partition's own addresses have the interleaving squeezed out,
 * and so do a bank's. */
struct l2_place {
    uint64_t line;
    uint32_t bank;
};

/* Where the sender's lines are shorter, its line begins somewhere in L2's. */
static inline uint32_t l2_offset(const struct partition *p, const struct mem_request *r)
{
    return (uint32_t)r->local & p->line_mask;
}

static ALWAYS_INLINE struct l2_place l2_find(const struct partition *p, const struct mem_request *r)
{
    uint32_t shift = p->line_shift, bank;
    uint64_t local = r->local, number = local >> shift, row;
    if (p->banks_are_odd) {
        row = divide(&p->n_banks, number);
        bank = remainder_of(&p->n_banks, number, row);
    } else {
        row = number >> p->bank_shift;
        bank = (uint32_t)number & p->bank_mask;
    }
    return (struct l2_place){row << shift, bank};
}

/* The sectors of that line that a request asks for, before it is placed. */
static inline uint32_t l2_sectors(const struct partition *p, const struct mem_request *r)
{
    if (!p->l2_sectored)
        return 1;
    uint32_t segments = r->access.segments << l2_offset(p, r) / CACHE_SEGMENT_BYTES;
    return p->l2_by_segments ? segments : cache_sectors_of(&p->config->l2, segments);
}

/* From here until the reply the request describes its access as L2 sees it. */
void l2_put(const struct partition *p, struct mem_request *r, struct l2_place at);

/* The bank of a request that has been placed. */
static inline struct l2_bank *l2_bank_of(const struct partition *p, const struct mem_request *r)
{
    return &p->banks[r->bank];
}

/* Requests that are in a bank's queue when cycle `now` begins: those that have been served ahead
 * too, until their time comes. */
uint32_t l2_queued(const struct partition *p, const struct l2_bank *b, uint64_t now);
/* Without those that were taken from the port before their time: for reports. */
uint32_t l2_waiting(const struct partition *p, const struct l2_bank *b, uint64_t now);
/* Is l2_queued() less than the bank has places for? */
bool l2_counts_room(struct partition *p, const struct l2_bank *b, uint64_t now);
/* After which cycle from `now` on the first of these has left; NEVER if there is none. */
uint64_t l2_leaves_ahead(const struct partition *p, const struct l2_bank *b, uint64_t now);

/* For one more? It counts as outstanding already. */
static inline bool l2_has_room(struct partition *p, const struct l2_bank *b, uint64_t now)
{
    return p->outstanding + p->n_sent <= p->bank_places || l2_counts_room(p, b, now);
}

/* Will there be, in this quantum? Hits that are served ahead in it may be put back yet, so those
 * count as waiting that do when it begins. What has left before that is the SMs'. */
static inline bool l2_will_have_room(struct partition *p, const struct l2_bank *b)
{
    if (p->outstanding + p->n_sent <= p->bank_places)
        return true;
    uint64_t first = divide_up_multiple(&p->l2_period, p->shard.engine->now);
    return l2_counts_room(p, b, max_u64(p->l2_cycle, first));
}

/* Is it certain that there is in that cycle, while only replies are under way? What is served in
 * its time or later has a cycle of its own. */
static inline bool l2_has_room_at_rest(const struct partition *p, const struct l2_bank *b,
                                       uint64_t cycle)
{
    return b->busy_until < cycle + p->bank_places;
}

/* Is all that is still to come served later than in that cycle? So it is, unless that is the turn
 * of one that took long in the port or waited for its bank. */
static inline bool l2_comes_next(const struct partition *p, uint64_t at)
{
    return at <= p->next_take + p->rop_latency;
}

/* May a bank's next request be served ahead of its time? No atomic may hold the bank up, as one
 * does that waits for data. */
static inline bool l2_loads_ahead(const struct l2_bank *b, const struct mem_request *r)
{
    return !b->atomics.n_lines && (r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION);
}

/* The bank's next request, which may be served from cycle `at` on, is a load that hits: it is
 * answered ahead. */
static ALWAYS_INLINE void l2_answer_ahead(struct partition *p, struct l2_bank *b,
                                          struct mem_request *r, uint64_t at)
{
    uint64_t now = max_u64(at, b->busy_until);
    b->busy_until = now + 1;
    r->access.cycle = now;
    p->stats.accesses++;
    bool is_next = p->outstanding == 1 && l2_comes_next(p, now);
    if (!is_next || !partition_send_ahead(p, r, now))
        partition_queue_ahead(p, r, now);
}

/* Serves it if it is a load that hits: that will be so whatever happens till then. Which lines L2
 * holds is decided by requests alone, and those before it have been served. Should there be no
 * place for the reply, it is put back: partition_settle(). */
static ALWAYS_INLINE bool l2_serve_ahead(struct partition *p, struct l2_bank *b,
                                         struct mem_request *r, struct cache_part part, uint64_t at)
{
    if (!l2_loads_ahead(b, r) || !cache_hit_ahead(b->cache, part, r->access.pc))
        return false;
    l2_answer_ahead(p, b, r, at);
    return true;
}

/* A load that L2 does not hold is fetched, unless somebody else's fetch brings it. */
void l2_fetch(struct partition *p, const struct l2_bank *b, struct mem_request *r,
              struct cache_result res, uint64_t now);
void l2_enqueue(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at);
/* The same if it cannot be served ahead: a load that does not hit. */
void l2_enqueue_or_fetch(struct partition *p, struct l2_bank *b, struct mem_request *r,
                         uint64_t at);
/* The same before it is placed, of a load that was looked up in an L2 that is plain and has an
 * index, and lacks something. */
void l2_fetch_found(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t line,
                    struct plain_found found, uint64_t at);

#endif
