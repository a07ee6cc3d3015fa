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

/* --- replies.c --- */

/* Of a reply with so much data: mostly as much as the last one had. */
uint32_t partition_other_flits(struct partition *p, uint32_t bytes);
static inline uint32_t partition_flits(struct partition *p, uint32_t bytes)
{
    return bytes == p->usual_bytes ? p->usual_flits : partition_other_flits(p, bytes);
}

/* The answer to a request that is served now may leave from cycle `at` on. */
void partition_reply(struct partition *p, struct mem_request *r, uint64_t at);
/* The last of the replies is served now: it belongs before those that are served ahead. */
void partition_put_first(struct partition *p);
/* The last of the replies is served ahead, in cycle `now`, before others of these. */
void partition_put_in_order(struct partition *p, uint64_t now);
/* The queue is full of replies that are sent, or too small. */
void partition_make_place(struct partition *p);
static ALWAYS_INLINE void partition_add_reply(struct partition *p, struct mem_request *r,
                                              uint64_t at)
{
    if (p->replies.n == p->replies.cap)
        partition_make_place(p);
    ring_add(&p->replies, (struct timed_request){.at = at, .request = r});
}
static inline void partition_queue_settled(struct partition *p, struct mem_request *r, uint64_t at)
{
    partition_add_reply(p, r, at);
    if (++p->n_settled != p->replies.n)
        partition_put_first(p);
}
/* A request becomes a reply with so much data; it describes its access as its sender does. */
static inline void partition_make_reply(struct partition *p, struct mem_request *r, uint32_t bytes)
{
    r->access.line = r->device_line;
    r->flits = partition_flits(p, bytes);
    p->stats.bytes_sent += bytes;
}
/* partition_reply() of data that L2 holds. */
static inline void partition_reply_data(struct partition *p, struct mem_request *r, uint64_t at)
{
    partition_make_reply(p, r, r->data_bytes);
    partition_queue_settled(p, r, at);
}
/* The same of a load that hits and is served in cycle `now`, which is still to come. */
static ALWAYS_INLINE void partition_queue_ahead(struct partition *p, struct mem_request *r,
                                                uint64_t now)
{
    r->flits = partition_flits(p, r->data_bytes);
    p->stats.bytes_sent += r->data_bytes;
    partition_add_reply(p, r, now + p->l2_latency);
    if (now <= p->ahead_until)
        partition_put_in_order(p, now);
    else
        p->ahead_until = now;
}

static ALWAYS_INLINE struct message partition_reply_message(struct mem_request *r, uint32_t flits)
{
    return (struct message){.to = r->sm, .kind = MSG_REPLY, .flits = flits, .body = r};
}

/* The first cycle from that one on in which the port takes a reply, if there are credits for it. */
static ALWAYS_INLINE uint64_t partition_port_cycle(const struct partition *p, uint64_t cycle)
{
    sim_time t = l2_time(p, cycle);
    return gate_is_open(&p->down.gate, t)
               ? cycle
               : divide_multiple(&p->l2_period, gate_open_from(&p->down.gate, t) - 1) + 1;
}

/* Credits are short for a reply that leaves in that cycle: are enough of them back by then? False
 * if that is not known yet. */
bool partition_takes_credits(struct partition *p, struct tx_peer *to, uint32_t flits,
                             uint64_t cycle);

/* Sends the reply to a hit that is served in cycle `now`, which is still to come: nothing else is
 * under way or can come before it, so it is settled, and all others are sent. False, and nothing
 * done, if there is no place for it then, or credits are short. */
static ALWAYS_INLINE bool partition_send_ahead(struct partition *p, struct mem_request *r,
                                               uint64_t now)
{
    uint32_t n = p->replies.n, bytes = r->data_bytes, flits = partition_flits(p, bytes);
    struct tx_peer *to = tx_peer_of(&p->down, r->sm);
    assert(p->n_sent == n);
    /* Those that have not left by then leave in as many cycles, the last before next_reply. */
    if (p->next_reply >= now + p->reply_places && n >= p->reply_places &&
        ring_at(&p->replies, n - p->reply_places)->at >= now)
        return false;
    uint64_t cycle = partition_port_cycle(p, max_u64(now + p->l2_latency, p->next_reply));
    if (to->credits < flits && !partition_takes_credits(p, to, flits, cycle))
        return false;
    r->flits = flits;
    p->stats.bytes_sent += bytes;
    tx_post(&p->down, to, l2_time(p, cycle), partition_reply_message(r, flits));
    partition_add_reply(p, r, cycle);
    p->next_reply = cycle + 1;
    p->n_sent = p->n_settled = p->replies.n;
    p->outstanding--;
    return true;
}

/* The first bank is 0; what fills L2 comes before all of them. */
enum { BEFORE_BANKS = -1 };
/* How many of the replies are served after that bank's turn in cycle `now`: they are the last. */
uint32_t partition_n_later(const struct partition *p, uint64_t now, int bank);
/* How many have not left before that cycle, these included. */
uint32_t partition_n_replies(const struct partition *p, uint64_t now);
/* Forgets replies that have left before the present cycle. */
void partition_drop_left(struct partition *p);

/* What is served ahead before that bank's turn in cycle `now` is so for good, if there is room for
 * its reply; otherwise it and what follows is put back into the banks' queues. True if so. */
bool partition_settle_some(struct partition *p, uint64_t now, int bank);
static inline bool partition_settle(struct partition *p, uint64_t now, int bank)
{
    return p->n_settled != p->replies.n && partition_settle_some(p, now, bank);
}

/* Sends the replies that are settled, as far as it is known when they leave. */
void partition_send_replies(struct partition *p);
/* The first cycle in which there is something to do for those that are served ahead. */
uint64_t partition_settles_at(const struct partition *p);
/* ... and for all; NEVER if only credits can tell. */
static inline uint64_t partition_replies_at(const struct partition *p)
{
    if (p->n_settled == p->replies.n)
        return p->reply_at;
    return min_u64(p->reply_at, partition_settles_at(p));
}
/* Sends one, if one can leave now: for the plain engine. */
void partition_try_reply(struct partition *p, uint64_t now);

/* From which cycle on there is a place for one more reply; NEVER if that is not known. */
static inline uint64_t partition_room_from(struct partition *p)
{
    if (p->n_settled < p->reply_places)
        return 0;
    if (p->every_cycle)
        return CYCLE_NEVER;
    uint32_t before = p->n_settled - p->reply_places;
    if (before >= p->n_sent)
        partition_send_replies(p);
    return before < p->n_sent ? ring_at(&p->replies, before)->at + 1 : CYCLE_NEVER;
}

/* --- partition.c --- */

/* A store has been served; nobody waits for it, but its SM gets the request back. */
void partition_free_store(struct partition *p, struct mem_request *r, uint64_t now);
bool partition_is_idle(const struct shard *s);

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
/* A load that hits and was to be served in that cycle is not: it is the bank's first again. */
void l2_put_back(struct partition *p, struct mem_request *r, uint64_t now);
/* The data that a request has waited for are there. */
void l2_serve(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now);
/* ... before the turn of a load that was served ahead: it hits. */
void l2_hit_after_all(struct partition *p, struct l2_bank *b, struct mem_request *r);
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
/* The first cycle in which data may fill L2. */
static inline uint64_t dram_side_data_from(const struct partition *p)
{
    return p->from_dram.n ? min_u64(p->dram_cycle, ring_first(&p->from_dram)->at) : p->dram_cycle;
}
/* For a read and for a write of L2's own; a line that must be written back always finds a place. */
static inline bool dram_side_has_room(struct partition *p, uint64_t now)
{
    if (!dram_side_has_place(p))
        dram_side_settle(p, now);
    return dram_side_has_place(p);
}
/* Fetches sectors of a request's line for an MSHR, or what a request asks for that goes around L2.
 */
void dram_side_read(struct partition *p, const struct mem_request *r, uint32_t sectors,
                    uint32_t mshr, uint64_t now);
void dram_side_read_around(struct partition *p, struct mem_request *r, uint64_t now);
void dram_side_write(struct partition *p, struct line_part what, uint64_t now);
/* Of data that L2 does not keep. */
void dram_side_write_around(struct partition *p, struct line_part what, uint64_t now);
/* Parts of an L2 cycle: data that have come fill L2; what waits goes to DRAM. Those that come
 * later, before cycle `before`, may do so too if L2 does nothing else till then: returns the last
 * cycle. */
uint64_t dram_side_fill(struct partition *p, uint64_t now, uint64_t before);
void dram_side_feed(struct partition *p, uint64_t now);
void dram_side_feed_plainly(struct partition *p, uint64_t now);
/* What happens in DRAM before `before`. For the plain engine the one cycle at p->next_dram. */
void dram_side_catch_up(struct partition *p, sim_time before);
void dram_side_tick(struct partition *p);

#endif
