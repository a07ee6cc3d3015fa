/* What the parts of a memory partition want of each other: ports and replies (partition.c), L2
 * banks (l2_bank.c), the way to DRAM and back (dram_side.c). `now` is an L2 cycle. */
#ifndef HEDDLE_GPU_PARTITION_PARTS_H
#define HEDDLE_GPU_PARTITION_PARTS_H

#include "gpu/partition.h"

/* For what nearly every request goes through and the plain engine uses too. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The cycle after that one; after never comes never. */
static inline uint64_t cycle_after(uint64_t cycle)
{
    return cycle + (cycle != CYCLE_NEVER);
}

static inline sim_time l2_time(const struct partition *p, uint64_t cycle)
{
    return cycle * p->l2_period.divisor;
}

/* Sectors of one of L2's lines, as a mask: a line without sectors is one. Fits into two registers.
 */
struct line_part {
    uint64_t line; /* within the bank */
    uint32_t bank, sectors;
};

/* --- partition.c --- */

/* Of a reply with so much data. */
static inline uint32_t partition_flits(const struct partition *p, uint32_t bytes)
{
    return bytes == p->line_bytes ? p->line_flits : noc_flits(&p->config->noc, bytes);
}

/* The answer to a request that is served in cycle `now` may leave from cycle `at` on. */
void partition_reply(struct partition *p, struct mem_request *r, uint64_t now, uint64_t at);
/* The last of the replies may belong before others, which are served ahead of their time: puts it
 * there. True if it is the first then. */
bool partition_order_reply(struct partition *p, uint64_t now);
/* The same for one with so much data, which describes its access as its sender does. */
static inline void partition_queue_reply(struct partition *p, struct mem_request *r, uint32_t bytes,
                                         uint32_t flits, uint64_t now, uint64_t at)
{
    r->flits = flits;
    p->stats.bytes_sent += bytes;
    bool is_first = !p->replies.n;
    ring_push(&p->replies, (struct timed_request){.at = at, .request = r});
    if (now <= p->ahead_until)
        is_first = partition_order_reply(p, now);
    if (is_first)
        p->reply_at = p->every_cycle ? CYCLE_NEVER : max_u64(at, p->next_reply);
}
/* A store has been served; nobody waits for it, but its SM gets the request back. */
void partition_free_store(struct partition *p, struct mem_request *r, uint64_t now);
bool partition_is_idle(const struct shard *s);

/* Sends the replies that leave before that cycle. Afterwards p->reply_at is the cycle in which the
 * first of those that are left does, NEVER if there is none or credits are missing. */
void partition_send_replies(struct partition *p, uint64_t before);

/* The first bank is 0; what fills L2 comes before all of them. */
enum { BEFORE_BANKS = -1 };
/* How many of the replies are served after that bank's turn in cycle `now`: they are the last. */
uint32_t partition_n_later(const struct partition *p, uint64_t now, int bank);

/* Is there a place for a reply of that bank? While some are served ahead there is, for them and for
 * all whose turn comes before theirs: l2_serve_ahead(). */
static inline bool partition_reply_room(struct partition *p, uint32_t bank, uint64_t now)
{
    if (p->replies.n < p->reply_places)
        return true;
    assert(!partition_n_later(p, now, (int)bank));
    if (p->reply_at < now)
        partition_send_replies(p, now);
    return p->replies.n < p->reply_places;
}

/* Something was finished: if nothing else is under way, the partition is at rest from then on. Not
 * for what is answered: the credits of its reply are back later. */
static inline void partition_note(struct partition *p, sim_time t)
{
    p->last_event = max_u64(p->last_event, t);
}

/* --- l2_bank.c --- */

/* What a request asks for, once it has been placed (l2_queue.h). */
static inline struct line_part l2_part_of(const struct mem_request *r)
{
    return (struct line_part){r->access.line, r->bank, r->access.sector_mask};
}
/* Each bank whose time has come serves its first request. */
void l2_step(struct partition *p, uint64_t now);
/* Each bank tries to. */
void l2_step_plainly(struct partition *p, uint64_t now);
/* The data that a request has waited for are there. */
void l2_serve(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now);
/* A stalled request waits for a line or MSHR that a fill sets free, or for room towards DRAM or the
 * SMs: to be called when one of these has changed. */
void l2_wake_stalled(struct partition *p);
static inline void l2_wake(struct partition *p)
{
    if (p->n_stalled)
        l2_wake_stalled(p);
}

/* --- dram_side.c --- */

void dram_side_create(struct partition *p, const struct address_map *map);
void dram_side_destroy(struct partition *p);
/* What L2 has queued before that cycle and may have left by now has: it enters DRAM. */
void dram_side_settle(struct partition *p, uint64_t now);
static inline bool dram_side_has_place(const struct partition *p)
{
    return p->to_dram_n < p->to_dram_places - 1;
}
/* For a read and for a write of L2's own; a line that must be written back always finds a place. */
static inline bool dram_side_has_room(struct partition *p, uint64_t now)
{
    if (!dram_side_has_place(p))
        dram_side_settle(p, now);
    return dram_side_has_place(p);
}
/* Fetches them for an MSHR, or for a request that goes around L2. */
void dram_side_read(struct partition *p, struct line_part what, uint32_t mshr, uint64_t now);
void dram_side_read_around(struct partition *p, struct line_part what, struct mem_request *r,
                           uint64_t now);
void dram_side_write(struct partition *p, struct line_part what, uint64_t now);
/* Of data that L2 does not keep. */
void dram_side_write_around(struct partition *p, struct line_part what, uint64_t now);
/* Parts of an L2 cycle: data that have come fill L2; what waits goes to DRAM. */
void dram_side_fill(struct partition *p, uint64_t now);
void dram_side_feed(struct partition *p, uint64_t now);
void dram_side_feed_plainly(struct partition *p, uint64_t now);
/* What happens in DRAM before `before`. For the plain engine the one cycle at p->next_dram. */
void dram_side_catch_up(struct partition *p, sim_time before);
void dram_side_tick(struct partition *p);

#endif
