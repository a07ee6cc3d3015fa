/* The interfaces between the files of a memory slice: ports (slice.c), replies (replies.c), L2
 * banks (l2_bank.c), the queues to and from DRAM (dram_side.c). `now` is an L2 cycle. */
#ifndef HEDDLE_SLICE_SLICE_PARTS_H
#define HEDDLE_SLICE_SLICE_PARTS_H

#include "base/hot_assert.h"
#include "base/minmax.h"
#include "slice/slice.h"

/* For code that nearly every request executes and both engines use. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The next cycle; never stays never. */
static inline uint64_t slice_cycle_after(uint64_t cycle)
{
    return cycle + (cycle != CYCLE_NEVER);
}

static inline sim_time l2_time(const struct slice *p, uint64_t cycle)
{
    return cycle * p->l2_period.divisor;
}

/* Sectors of an L2 line, as a mask; a line that is not sectored has one. The struct fits into two
 * registers. */
struct line_sectors {
    uint64_t line; /* within the bank */
    uint32_t bank, sectors;
};

/* --- replies.c --- */

/* The number of flits of a reply with `bytes` data bytes. slice_other_flits() is for a reply whose
 * size differs from that of the last one. */
uint32_t slice_other_flits(struct slice *p, uint32_t bytes);
static inline uint32_t slice_flits(struct slice *p, uint32_t bytes)
{
    return bytes == p->usual_bytes ? p->usual_flits : slice_other_flits(p, bytes);
}

/* Makes room in the reply queue. */
void slice_grow_replies(struct slice *p);
/* Turns a served request into a reply with `bytes` data bytes, which may leave from cycle `at` on.
 * From then on the request describes its access in the sender's addresses again. */
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
/* The same; the number of bytes follows from the kind of request. */
void slice_reply(struct slice *p, struct mem_request *r, uint64_t at);

/* The number of replies that have not left before cycle `now`. */
uint32_t slice_n_replies(const struct slice *p, uint64_t now);

/* Sends all replies whose departure time is known. */
void slice_send_replies(struct slice *p);
/* In step: sends the first reply if it can leave now. */
void slice_try_reply(struct slice *p, uint64_t now);

/* The first cycle with room for one more reply; NEVER if that is not known. */
static inline uint64_t slice_room_from(struct slice *p)
{
    if (p->replies.n < p->reply_entries)
        return 0;
    if (p->works_on_time) /* one that leaves wakes the banks */
        return CYCLE_NEVER;
    if (p->replies.n - p->reply_entries >= p->n_sent)
        slice_send_replies(p);
    if (p->replies.n < p->reply_entries) /* some have left */
        return 0;
    uint32_t before = p->replies.n - p->reply_entries;
    return before < p->n_sent ? ring_at(&p->replies, before)->at + 1 : CYCLE_NEVER;
}

/* --- slice.c --- */

extern const struct shard_ops slice_ops, controlled_slice_ops; /* the latter with a controller */
/* Ends a store that has been served. It has no reply; only the memory of the request returns to its
 * SM. */
void slice_free_store(struct slice *p, struct mem_request *r, uint64_t now);
bool slice_is_idle(const struct shard *s);
void slice_advance(struct shard *s, sim_time until);

/* Notes that something was finished at `t`: if nothing else is in flight, the slice is idle from
 * then on. Not called for requests with replies: their credits return later. */
static inline void slice_note(struct slice *p, sim_time t)
{
    p->last_event = max_u64(p->last_event, t);
}

/* --- l2_bank.c; see l2_queue.h too --- */

/* Marks loads and stores of annotated buffers. Buffers are more than a line apart, so a line
 * belongs to at most one of them. */
void l2_mark(const struct l2_marks *marks, struct mem_access *a, uint64_t address);
/* The bank of a request that l2_assign_bank() has assigned. */
static inline struct l2_bank *l2_bank_of(const struct slice *p, const struct mem_request *r)
{
    return &p->banks[r->bank];
}
static inline bool l2_has_room(const struct slice *p, const struct l2_bank *b)
{
    return b->queue.n < p->bank_entries;
}
/* Requests that are in a bank's queue before cycle `now`, for reports: some were taken from the
 * port ahead of time. */
uint32_t l2_waiting(const struct l2_bank *b, uint64_t now);
/* The sectors of a request, after l2_assign_bank(). */
static inline struct line_sectors l2_sectors_of(const struct mem_request *r)
{
    return (struct line_sectors){r->access.line, r->bank, r->access.sector_mask};
}
/* Each bank that is due serves its first request. Continues with the following cycles before `end`
 * while only banks are due. Returns the last cycle done. */
uint64_t l2_step(struct slice *p, uint64_t now, uint64_t end);
/* Every bank tries to serve its first request: for the per-cycle engine. */
void l2_step_all_banks(struct slice *p, uint64_t now);
/* Performs an atomic that waited for its data, which have arrived. */
void l2_perform_awaited(struct slice *p, struct l2_bank *b, struct mem_request *r, uint64_t now);
/* A stalled request waits for a line or an MSHR, or for room towards DRAM or the SMs: call this
 * when one of these has become free. */
void l2_wake_stalled(struct slice *p);
static inline void l2_wake(struct slice *p)
{
    if (p->n_stalled)
        l2_wake_stalled(p);
}

/* --- lost.c: what L2 dropped and memory lacks; only if may_lose is set --- */

/* Starts to note which lines the bank's cache drops. */
void lost_watch(struct l2_bank *b);
void lost_note_load(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                    struct cache_result res);
void lost_note_write(struct slice *p, struct l2_bank *b, const struct mem_request *r,
                     struct cache_result res);

/* --- llc.c: L2 that applications share --- */

void llc_create(struct slice *p);
void llc_destroy(struct slice *p);
/* Sets the application of an SM's request, and whether the SM samples. CPU cores set the
 * application of their requests themselves. */
void llc_note_sender(const struct slice *p, struct mem_request *r);
/* For shard_ops.advance of a slice with a controller; slice_advance() is that of the others. */
void llc_advance(struct shard *s, sim_time until);

/* --- dram_side.c --- */

void dram_side_create(struct slice *p, const struct address_map *map);
void dram_side_destroy(struct slice *p);
/* Lets DRAM catch up with L2 cycle `now`, so that accesses that have left for DRAM before it no
 * longer take entries of the queue. In step there is nothing to do. */
void dram_side_settle(struct slice *p, uint64_t now);
static inline bool dram_side_has_entry(const struct slice *p)
{
    return p->to_dram_n < p->to_dram_entries - 1;
}
/* Is there an entry for what a request reads or writes? One more entry is kept for the write-back
 * of a victim. */
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
void dram_side_write(struct slice *p, struct line_sectors what, uint64_t now);
/* Writes data that L2 does not keep. */
void dram_side_write_bypass(struct slice *p, struct line_sectors what, uint64_t now);
/* Parts of an L2 cycle: arrived data fill L2; queued accesses enter DRAM. */
void dram_side_fill(struct slice *p, uint64_t now);
void dram_side_feed(struct slice *p, uint64_t now);
/* dram_side_catch_up() advances DRAM up to `before`, but not beyond the time at which its data may
 * fill L2. dram_side_tick(), in step, does the one cycle at p->next_dram. */
void dram_side_catch_up(struct slice *p, sim_time before);
void dram_side_tick(struct slice *p);

#endif
