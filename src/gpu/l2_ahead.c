/* Loads that miss in L2, served as they come, with the cycle of their turn, as those that hit are
 * (l2_queue.h): what that needs, and what is in a bank's queue till then. The plain engine serves
 * each in its turn. */
#include "gpu/l2_queue.h"

/* --- what waits in a bank's queue --- */

/* How many of the misses that are served ahead are so in cycle `now` or later: they are the last.
 */
static uint32_t n_fetched_from(const struct partition *p, uint64_t now)
{
    uint32_t n = 0;
    while (n < p->fetched.n && ring_at(&p->fetched, p->fetched.n - 1 - n)->at >= now)
        n++;
    return n;
}

/* Of the last `n` of a ring: how many are for that bank, and which is the first, NULL if none. */
static uint32_t n_of_bank(const struct partition *p, const struct request_ring *ring, uint32_t n,
                          const struct l2_bank *b, const struct mem_request **first)
{
    uint32_t found = 0;
    *first = NULL;
    for (uint32_t i = ring->n; i > ring->n - n; i--) {
        const struct mem_request *r = ring_at(ring, i - 1)->request;
        if (l2_bank_of(p, r) == b) {
            *first = r;
            found++;
        }
    }
    return found;
}

uint32_t l2_queued(const struct partition *p, const struct l2_bank *b, uint64_t now)
{
    const struct mem_request *first;
    return b->queue.n +
           n_of_bank(p, &p->replies, partition_n_later(p, now, BEFORE_BANKS), b, &first) +
           n_of_bank(p, &p->fetched, n_fetched_from(p, now), b, &first);
}

bool l2_counts_room(struct partition *p, const struct l2_bank *b, uint64_t now)
{
    partition_drop_left(p);
    return p->outstanding + p->n_sent <= p->bank_places || l2_queued(p, b, now) < p->bank_places;
}

uint64_t l2_leaves_ahead(const struct partition *p, const struct l2_bank *b, uint64_t now)
{
    const struct mem_request *hit, *miss;
    n_of_bank(p, &p->replies, partition_n_later(p, now, BEFORE_BANKS), b, &hit);
    n_of_bank(p, &p->fetched, n_fetched_from(p, now), b, &miss);
    return min_u64(hit ? hit->access.cycle + 1 : CYCLE_NEVER,
                   miss ? miss->access.cycle + 1 : CYCLE_NEVER);
}

/* --- misses --- */

/* How many replies there may be at most when it is its turn, and those before it served. */
static uint64_t most_replies(const struct partition *p, bool data_first)
{
    return data_first ? p->outstanding - 1 + p->n_sent : p->replies.n;
}

/* Will there be places for all of them, so that no hit before it is put back, and for its own? */
static bool has_reply_places(struct partition *p, bool data_first)
{
    if (most_replies(p, data_first) >= p->reply_places)
        partition_drop_left(p);
    return most_replies(p, data_first) < p->reply_places;
}

/* It and what it pushes out, and one for a fill that may want it before. */
static bool has_places_to_dram(const struct partition *p)
{
    return p->to_dram_n + 3 <= p->to_dram_places;
}

/* What a load that does not hit does to L2 in its turn, in cycle `at`, depends on the data that
 * come before. If none can, or they make no difference, and nothing waits in front of it, and
 * nobody looks till then, it can be done at once. */
static bool can_fetch_ahead(struct partition *p, const struct l2_bank *b,
                            const struct mem_request *r, uint64_t at)
{
    bool loads = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION;
    bool in_order = at >= b->busy_until && l2_comes_next(p, at) && !p->n_queued;
    if (!loads || b->atomics.n_lines || !in_order || !cache_is_plain(b->cache) ||
        l2_time(p, at) >= p->shard.engine->limit)
        return false;
    bool data_first = at >= dram_side_data_from(p);
    if (data_first && !(p->fills_only_read && cache_load_misses(b->cache, &r->access)))
        return false;
    return has_places_to_dram(p) && has_reply_places(p, data_first);
}

/* It has its place in the bank's queue till its turn. */
static void note_fetched(struct partition *p, struct mem_request *r, uint64_t at)
{
    struct request_ring *q = &p->fetched;
    if (q->n == q->cap)
        while (q->n && ring_first(q)->at < p->l2_cycle)
            ring_pop(q);
    ring_push(q, (struct timed_request){.at = at, .request = r});
}

static bool fetch_ahead(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at)
{
    static const struct cache_room all = {.miss_queue = true, .port = true, .bypass_table = true};
    if (!can_fetch_ahead(p, b, r, at))
        return false;
    r->access.cycle = at;
    struct cache_result res = cache_load(b->cache, &r->access, all, r);
    assert(res.answer != CACHE_HIT);
    if (res.answer == CACHE_STALLED)
        return false;
    l2_fetch(p, b, r, res, at);
    p->stats.accesses++;
    b->busy_until = at + 1;
    note_fetched(p, r, at);
    return true;
}

void l2_enqueue_or_fetch(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at)
{
    if (fetch_ahead(p, b, r, at))
        queue_pass(&b->account, r->queued_at, at);
    else
        l2_enqueue(p, b, r, at);
}
