/* What the parts of a memory slice want of each other: ports (slice.c), replies (replies.c), L2
 * banks (l2_bank.c), the way to DRAM and back (dram_side.c). `now` is an L2 cycle. */
#ifndef HEDDLE_SLICE_SLICE_PARTS_H
#define HEDDLE_SLICE_SLICE_PARTS_H

#include "base/hot_assert.h"
#include "base/minmax.h"
#include "slice/slice.h"

/* For what nearly every request goes through and the per-cycle engine uses too. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The cycle after that one; after never comes never. */
static inline uint64_t slice_cycle_after(uint64_t cycle)
{
    return cycle + (cycle != CYCLE_NEVER);
}

static inline sim_time l2_time(const struct slice *p, uint64_t cycle)
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
uint32_t slice_other_flits(struct slice *p, uint32_t bytes);
static inline uint32_t slice_flits(struct slice *p, uint32_t bytes)
{
    return bytes == p->usual_bytes ? p->usual_flits : slice_other_flits(p, bytes);
}

/* The queue is full of replies that are sent, or too small. */
void slice_grow_replies(struct slice *p);
/* A request that is served now becomes a reply with so much data, which may leave from cycle `at`
 * on. It describes its access as its sender does. */
static inline void slice_queue_reply(struct slice *p, struct mem_request *r, uint32_t bytes,
                                     uint64_t at)
{
    r->access.line = r->device_line;
    r->flits = slice_flits(p, bytes);
    p->stats.bytes_sent += bytes;
    if (p->replies.n == p->replies.cap)
        slice_grow_replies(p);
    ring_add(&p->replies, (struct timed_request){.at = at, .request = r});
}
/* The same of any request, whatever its answer is. */
void slice_reply(struct slice *p, struct mem_request *r, uint64_t at);

/* How many have not left before that cycle. */
uint32_t slice_n_replies(const struct slice *p, uint64_t now);

/* Sends replies as far as it is known when they leave. */
void slice_send_replies(struct slice *p);
/* Sends one, if one can leave now: for the per-cycle engine. */
void slice_try_reply(struct slice *p, uint64_t now);

/* From which cycle on there is a place for one more reply; NEVER if that is not known. */
static inline uint64_t slice_room_from(struct slice *p)
{
    if (p->replies.n < p->reply_entries)
        return 0;
    if (p->every_cycle)
        return CYCLE_NEVER;
    if (p->replies.n - p->reply_entries >= p->n_sent)
        slice_send_replies(p);
    if (p->replies.n < p->reply_entries) /* some have left */
        return 0;
    uint32_t before = p->replies.n - p->reply_entries;
    return before < p->n_sent ? ring_at(&p->replies, before)->at + 1 : CYCLE_NEVER;
}

/* --- slice.c --- */

/* A store has been served; nobody waits for it, but its SM gets the request back. */
void slice_free_store(struct slice *p, struct mem_request *r, uint64_t now);
bool slice_is_idle(const struct shard *s);
void slice_advance(struct shard *s, sim_time until);

/* Something was finished: if nothing else is under way, the slice is at rest from then on. Not
 * for what is answered: the credits of its reply are back later. */
static inline void slice_note(struct slice *p, sim_time t)
{
    p->last_event = max_u64(p->last_event, t);
}

/* --- l2_bank.c; see l2_queue.h too --- */

/* A load is answered with all bytes of its segments, whatever its lanes touch. */
void l2_ask_for_segments(struct mem_access *a);
/* Loads and stores of some buffers bear a mark. Buffers lie apart by more than a line, so a line is
 * all of one or not at all. */
void l2_mark(const struct l2_marks *marks, struct mem_access *a, uint64_t address);
/* The bank of a request that has been placed. */
static inline struct l2_bank *l2_bank_of(const struct slice *p, const struct mem_request *r)
{
    return &p->banks[r->bank];
}
static inline bool l2_has_room(const struct slice *p, const struct l2_bank *b)
{
    return b->queue.n < p->bank_entries;
}
/* Requests that are in a bank's queue before cycle `now`, for reports: some are taken from the port
 * before their time. */
uint32_t l2_waiting(const struct l2_bank *b, uint64_t now);
/* What a request asks for, once it has been placed. */
static inline struct line_part l2_part_of(const struct mem_request *r)
{
    return (struct line_part){r->access.line, r->bank, r->access.sector_mask};
}
/* Each bank whose time has come serves its first request. The same for the cycles that follow and
 * come before `end`, while nothing but banks is due. Returns the last one done. */
uint64_t l2_step(struct slice *p, uint64_t now, uint64_t end);
/* Each bank tries to. */
void l2_step_every_cycle(struct slice *p, uint64_t now);
/* The data that an atomic has waited for are there. */
void l2_perform_awaited(struct slice *p, struct l2_bank *b, struct mem_request *r, uint64_t now);
/* A stalled request waits for a line or MSHR that a fill sets free, or for room towards DRAM or the
 * SMs: to be called when one of these has changed. */
void l2_wake_stalled(struct slice *p);
static inline void l2_wake(struct slice *p)
{
    if (p->n_stalled)
        l2_wake_stalled(p);
}

/* --- lost.c: what L2 dropped and memory lacks, where may_lose --- */

/* From now on the drops of its cache are noted. */
void lost_watch(struct l2_bank *b);
void lost_note_load(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                    struct cache_result res);
void lost_note_write(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                     struct cache_result res);

/* --- llc.c: L2 that applications share --- */

void llc_create(struct slice *p);
void llc_destroy(struct slice *p);
/* Whose request is it, and does its SM sample? CPU cores say so themselves. */
void llc_note_sender(const struct slice *p, struct mem_request *r);
/* For shard_ops.advance of a slice with a controller; slice_advance() is that of the others. */
void llc_advance(struct shard *s, sim_time until);

/* --- dram_side.c --- */

void dram_side_create(struct slice *p, const struct address_map *map);
void dram_side_destroy(struct slice *p);
/* What L2 has queued before that cycle and may have left by now has: it enters DRAM. */
void dram_side_settle(struct slice *p, uint64_t now);
static inline bool dram_side_has_entry(const struct slice *p)
{
    return p->to_dram_n < p->to_dram_entries - 1;
}
/* For a read and for a write of L2's own; a line that must be written back always finds a place. */
static inline bool dram_side_has_room(struct slice *p, uint64_t now)
{
    if (!dram_side_has_entry(p))
        dram_side_settle(p, now);
    return dram_side_has_entry(p);
}
/* Fetches sectors of a request's line for an MSHR, or the data of a request that bypasses L2.
 */
void dram_side_read(struct slice *p, const struct mem_request *r, uint32_t sectors, uint32_t mshr,
                    uint64_t now);
void dram_side_read_bypass(struct slice *p, struct mem_request *r, uint64_t now);
void dram_side_write(struct slice *p, struct line_part what, uint64_t now);
/* Of data that L2 does not keep. */
void dram_side_write_bypass(struct slice *p, struct line_part what, uint64_t now);
/* Parts of an L2 cycle: data that have come fill L2; what waits goes to DRAM. */
void dram_side_fill(struct slice *p, uint64_t now);
void dram_side_feed(struct slice *p, uint64_t now);
void dram_side_feed_every_cycle(struct slice *p, uint64_t now);
/* What happens in DRAM before `before`. For the per-cycle engine the one cycle at p->next_dram. */
void dram_side_catch_up(struct slice *p, sim_time before);
void dram_side_tick(struct slice *p);

#endif
