/* Loads that miss in L2, served as they come, with the cycle of their turn, as those that hit are
 * (l2_queue.h): what that needs, and what is in a bank's queue till then. One that joins another's
 * fetch may turn out to hit, when the data come before its turn. The plain engine serves each in
 * its turn. */
#include "gpu/l2_queue.h"

/* --- what waits in a bank's queue --- */

/* Of the replies that are served after cycle `now` begins: how many are for that bank, and in which
 * cycle the first is served, NEVER if there is none. */
static uint32_t n_hits_from(const struct partition *p, const struct l2_bank *b, uint64_t now,
                            uint64_t *first)
{
    uint32_t found = 0, n = p->replies.n;
    *first = CYCLE_NEVER;
    for (uint32_t i = n, end = n - partition_n_later(p, now, BEFORE_BANKS); i > end; i--) {
        const struct mem_request *r = ring_at(&p->replies, i - 1)->request;
        if (l2_bank_of(p, r) == b) {
            *first = r->access.cycle;
            found++;
        }
    }
    return found;
}

/* The same of the misses that are served ahead: they are the last, and no more than a bank has
 * places. */
static uint32_t n_misses_from(const struct partition *p, const struct l2_bank *b, uint64_t now,
                              uint64_t *first)
{
    uint32_t n = 0;
    *first = CYCLE_NEVER;
    for (uint64_t i = b->n_fetched; i && n < p->bank_places; i--, n++) {
        uint64_t at = b->fetched_at[(i - 1) & p->fetched_mask];
        if (at < now)
            break;
        *first = at;
    }
    return n;
}

uint32_t l2_queued(const struct partition *p, const struct l2_bank *b, uint64_t now)
{
    uint64_t first;
    return b->queue.n + n_hits_from(p, b, now, &first) + n_misses_from(p, b, now, &first);
}

/* Of the last `n` of a ring: how many for that bank come through the port in cycle `now` or later.
 */
static uint32_t n_to_come(const struct partition *p, const struct request_ring *ring, uint32_t n,
                          const struct l2_bank *b, uint64_t now)
{
    uint32_t found = 0;
    for (uint32_t i = ring->n; i > ring->n - n; i--) {
        const struct mem_request *r = ring_at(ring, i - 1)->request;
        found += l2_bank_of(p, r) == b && r->queued_at >= now;
    }
    return found;
}

/* No miss is served ahead of a time at which somebody looks. */
uint32_t l2_waiting(const struct partition *p, const struct l2_bank *b, uint64_t now)
{
    return l2_queued(p, b, now) - n_to_come(p, &b->queue, b->queue.n, b, now) -
           n_to_come(p, &p->replies, partition_n_later(p, now, BEFORE_BANKS), b, now);
}

bool l2_counts_room(struct partition *p, const struct l2_bank *b, uint64_t now)
{
    partition_drop_left(p);
    return p->outstanding + p->n_sent <= p->bank_places || l2_queued(p, b, now) < p->bank_places;
}

uint64_t l2_leaves_ahead(const struct partition *p, const struct l2_bank *b, uint64_t now)
{
    uint64_t hit, miss;
    n_hits_from(p, b, now, &hit);
    n_misses_from(p, b, now, &miss);
    return cycle_after(min_u64(hit, miss));
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
static inline bool is_next(const struct partition *p, const struct l2_bank *b, uint64_t at)
{
    return at >= b->busy_until && l2_comes_next(p, at) && !p->n_queued &&
           l2_time(p, at) < p->shard.engine->limit;
}

/* It is served in cycle `at`, and has its place in the bank's queue till then. */
static inline void note_fetched(struct partition *p, struct l2_bank *b, struct mem_request *r,
                                uint64_t at)
{
    b->fetched_at[b->n_fetched++ & p->fetched_mask] = at;
    p->stats.accesses++;
    b->busy_until = at + 1;
    queue_pass(&b->account, r->queued_at, at);
}

/* What was noted to be served in cycle `at`, which is still to come, is no miss. */
static void forget_fetched(const struct partition *p, struct l2_bank *b, uint64_t at)
{
    uint64_t i = --b->n_fetched, moved = b->fetched_at[i & p->fetched_mask];
    while (moved != at) {
        uint64_t *to = &b->fetched_at[--i & p->fetched_mask], before = *to;
        *to = moved;
        moved = before;
    }
}

static bool fetch_ahead(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at)
{
    static const struct cache_room all = {.miss_queue = true, .port = true, .bypass_table = true};
    if (!l2_loads_ahead(b, r) || !cache_is_plain(b->cache) || !is_next(p, b, at))
        return false;
    bool data_first = at >= dram_side_data_from(p);
    if (data_first && !(p->fills_only_read && cache_load_misses(b->cache, &r->access)))
        return false;
    if (!has_places_to_dram(p) || !has_reply_places(p, data_first))
        return false;
    r->access.cycle = at;
    struct cache_result res = cache_load(b->cache, &r->access, all, r);
    assert(res.answer != CACHE_HIT);
    if (res.answer == CACHE_STALLED)
        return false;
    l2_fetch(p, b, r, res, at);
    note_fetched(p, b, r, at);
    return true;
}

void l2_enqueue_or_fetch(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t at)
{
    if (!fetch_ahead(p, b, r, at))
        l2_enqueue(p, b, r, at);
}

/* --- those of a plain L2 with an index --- */

static __attribute__((noinline)) void enqueue(struct partition *p, struct l2_bank *b,
                                              struct mem_request *r, uint64_t line, uint64_t at)
{
    l2_put(p, r, (struct l2_place){line, r->bank});
    l2_enqueue_or_fetch(p, b, r, at);
}

/* It is done in its turn, in cycle `at`, though not its reply. What only l2_bank.c and caches that
 * describe accesses look at is not written down: its line is as the sender sees it. */
static inline void has_been_done(struct partition *p, struct l2_bank *b, struct mem_request *r,
                                 uint64_t at)
{
    r->access.cycle = at;
    r->device_line = r->access.line;
    note_fetched(p, b, r, at);
}

/* Another's fetch brings what it lacks. If that is before its turn, it hits: l2_hit_after_all(). */
static __attribute__((noinline)) void join(struct partition *p, struct l2_bank *b,
                                           struct mem_request *r, uint64_t line,
                                           struct plain_found found, uint64_t at)
{
    uint16_t mshr = plain_outstanding(b->cache, line, found);
    if (plain_join(b->cache, found, mshr, r))
        has_been_done(p, b, r, at);
    else
        enqueue(p, b, r, line, at);
}

/* Do data that come before its turn make no difference to what it does to L2? */
static inline bool is_same_after(const struct partition *p, const struct cache *c, uint64_t line,
                                 struct plain_found found)
{
    return p->fills_only_read &&
           (plain_misses(c, line, found) || plain_comes_at_once(c, line, found));
}

/* It fetches a line that is absent. Apart from l2_fetch_found(), which so calls nothing but as its
 * last step. */
static __attribute__((noinline)) void fetch_line(struct partition *p, struct l2_bank *b,
                                                 struct mem_request *r, uint64_t line,
                                                 uint32_t sectors, uint64_t at)
{
    uint16_t mshr = plain_fetch_line(b->cache, line, sectors, r, at);
    if (mshr == MSHR_NONE) {
        enqueue(p, b, r, line, at);
        return;
    }
    has_been_done(p, b, r, at);
    dram_side_read(p, r, sectors, mshr, at);
}

void l2_fetch_found(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t line,
                    struct plain_found found, uint64_t at)
{
    bool data_first = at >= dram_side_data_from(p);
    if (!is_next(p, b, at) || !has_places_to_dram(p) ||
        most_replies(p, data_first) >= p->reply_places ||
        (data_first && !is_same_after(p, b->cache, line, found))) {
        enqueue(p, b, r, line, at);
        return;
    }
    if (!found.place) {
        fetch_line(p, b, r, line, found.lacks, at);
        return;
    }
    if (plain_outstanding(b->cache, line, found) != MSHR_NONE) {
        join(p, b, r, line, found, at);
        return;
    }
    uint16_t mshr = plain_fetch_sectors(b->cache, line, found, r, at);
    if (mshr == MSHR_NONE) {
        enqueue(p, b, r, line, at);
        return;
    }
    has_been_done(p, b, r, at);
    dram_side_read(p, r, found.lacks, mshr, at);
}

void l2_hit_after_all(struct partition *p, struct l2_bank *b, struct mem_request *r)
{
    plain_hit_after_all(b->cache);
    forget_fetched(p, b, r->access.cycle);
    r->access.line = r->device_line;
    partition_queue_ahead(p, r, r->access.cycle);
}
