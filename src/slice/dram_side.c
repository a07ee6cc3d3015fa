/* Between L2 and its DRAM channel: a queue towards DRAM, a pipeline of dram_latency stages back.
 * Sectors are fetched and written; those of one line are one DRAM access.
 *
 * DRAM is not simulated cycle by cycle. It catches up with L2 before data could arrive that L2 does
 * not know of yet; when L2 finds the queue full, because accesses that should have entered DRAM by
 * then may still be in the queue; and at the end of a quantum. Then the accesses that L2 had queued
 * enter DRAM and commands are issued, each in its cycle. With `works_on_time` (`--engine cycle` or
 * `--fast-paths off`) DRAM does not lag behind: each DRAM cycle in which something happens is
 * simulated in its turn, so that the results of both ways can be compared.
 *
 * MODEL: the queue to DRAM has one entry more than configured, for a dirty victim that must be
 * written back first, so that a miss needs only one free entry. */
#include <stdlib.h>

#include "cache/fast.h"
#include "slice/slice_parts.h"

void dram_side_create(struct slice *p, const struct address_map *map)
{
    p->bank_map = bank_map_make(map);
    p->bank_map.shifts = p->bank_map.shifts && !p->config->no_fast_paths;
    p->dram = dram_create(&p->config->dram);
    p->to_dram_entries = p->config->memory.dram_queue + 1;
    p->to_dram = xcalloc(p->to_dram_entries, sizeof *p->to_dram);
    const struct dram_config *d = &p->config->dram;
    p->dram_lead = (sim_time)(d->t_cl + d->burst_cycles) * p->dram_clock->period +
                   l2_time(p, p->config->memory.dram_latency);
    p->lead_cycles = divider_div(&p->l2_period, p->dram_lead - 1) + 1;
}

void dram_side_destroy(struct slice *p)
{
    dram_destroy(p->dram);
    free(p->to_dram);
    ring_destroy(&p->from_dram);
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* --- from L2 to DRAM --- */

/* A DRAM read is for a request that bypasses L2 or for a bank's MSHR. Its tag says which: a pointer
 * to the `struct mem_request`, which is even, or an odd number made of bank and MSHR. */
static uint64_t tag_of_mshr(uint32_t bank, uint32_t mshr)
{
    return ((uint64_t)bank << 32) + 2 * (uint64_t)mshr + 1;
}

/* With works_on_time: sets `due.feed` to the cycle in which the first access in the queue enters
 * DRAM; NEVER if the queue is empty or DRAM is full. */
static void plan_feed(struct slice *p)
{
    bool enters = p->to_dram_n && dram_has_room(p->dram);
    p->due.feed = enters ? p->to_dram[p->to_dram_head].from : CYCLE_NEVER;
}

/* Plans DRAM's work for an access that L2 has put into the empty queue. The access may enter DRAM
 * from the next L2 cycle on. */
static __attribute__((noinline)) void expect_access(struct slice *p, uint64_t now)
{
    if (p->works_on_time) {
        plan_feed(p);
        return;
    }
    sim_time enters = l2_time(p, now + 1);
    p->dram_at = min_u64(p->dram_at, enters);
    p->next_dram = min_u64(p->next_dram, enters + p->dram_lead - 1);
    p->dram_cycle = min_u64(p->dram_cycle, now + 1 + p->lead_cycles);
}

/* The entry `i` places behind the first. */
static inline struct dram_arrival *to_dram_at(const struct slice *p, uint32_t i)
{
    uint32_t at = p->to_dram_head + i;
    return &p->to_dram[at < p->to_dram_entries ? at : at - p->to_dram_entries];
}

/* Notes that access `a` may enter DRAM from L2 cycle `from` on. If an L2 cycle and a DRAM cycle
 * begin at the same time, L2's comes first. */
static inline void let_enter(const struct slice *p, struct dram_arrival *a, uint64_t from)
{
    const struct divider period = p->dram_period;
    sim_time t = l2_time(p, from);
    uint64_t now = divider_div(&period, t);
    a->from = from;
    a->now = now;
    a->between = t - now * period.divisor;
}

static ALWAYS_INLINE void queue_at(struct slice *p, struct dram_place place, uint32_t n_sectors,
                                   bool write, uint64_t tag, uint64_t now)
{
    assert(p->to_dram_n < p->to_dram_entries);
    struct dram_arrival *a = to_dram_at(p, p->to_dram_n++);
    a->request = (struct dram_request){.bank = place.bank,
                                       .row = place.row,
                                       .bytes = n_sectors * p->config->l2.sector_bytes,
                                       .write = write,
                                       .tag = tag};
    let_enter(p, a, now + 1);
    *(write ? &p->stats.sectors_written : &p->stats.sectors_read) += n_sectors;
    if (p->to_dram_n == 1)
        expect_access(p, now);
}

static __attribute__((noinline)) void queue_divided(struct slice *p, uint64_t local,
                                                    uint32_t n_sectors, bool write, uint64_t tag,
                                                    uint64_t now)
{
    queue_at(p, bank_map_divide(&p->bank_map, local), n_sectors, write, tag, now);
}

static ALWAYS_INLINE void queue_access(struct slice *p, uint64_t local, uint32_t sectors,
                                       bool write, uint64_t tag, uint64_t now)
{
    uint32_t n_sectors = (uint32_t)__builtin_popcount(sectors);
    if (p->bank_map.shifts)
        queue_at(p, bank_map_shift(&p->bank_map, local), n_sectors, write, tag, now);
    else
        queue_divided(p, local, n_sectors, write, tag, now);
}

/* The slice-local address of the L2 line that a request is for. */
static uint64_t local_of_request(const struct slice *p, const struct mem_request *r)
{
    return r->local >> p->line_shift << p->line_shift;
}

void dram_side_read(struct slice *p, const struct mem_request *r, uint32_t sectors, uint32_t mshr,
                    uint64_t now)
{
    queue_access(p, local_of_request(p, r), sectors, false, tag_of_mshr(r->bank, mshr), now);
}

void dram_side_read_bypass(struct slice *p, struct mem_request *r, uint64_t now)
{
    p->stats.bypass_reads++;
    queue_access(p, local_of_request(p, r), r->access.sector_mask, false, (uintptr_t)r, now);
}

void dram_side_write(struct slice *p, struct line_sectors what, uint64_t now)
{
    uint64_t line = (what.line >> p->line_shift) * p->n_banks.divisor + what.bank;
    queue_access(p, line << p->line_shift, what.sectors, true, 0, now);
}

void dram_side_write_bypass(struct slice *p, struct line_sectors what, uint64_t now)
{
    p->stats.bypass_writes++;
    dram_side_write(p, what, now);
}

static struct dram_arrival *first_to_dram(const struct slice *p)
{
    return &p->to_dram[p->to_dram_head];
}

static inline void drop_first(struct slice *p, uint32_t n)
{
    p->to_dram_head += n;
    if (p->to_dram_head == p->to_dram_entries)
        p->to_dram_head = 0;
    p->to_dram_n -= n;
}

/* Moves the first access in the queue into DRAM, which has room, at time `t`. */
static void feed_first(struct slice *p, sim_time t)
{
    dram_push(p->dram, &first_to_dram(p)->request, divider_div(&p->dram_period, t));
    drop_first(p, 1);
}

/* --- from DRAM to L2 --- */

/* Takes arrived data that L2 does not keep: returns them to the requester, or performs an atomic on
 * them and writes the result back. */
static void take_bypassed(struct slice *p, struct mem_request *r, uint64_t now)
{
    if (r->access.kind != MEM_ATOMIC) {
        slice_reply(p, r, now + 1);
        return;
    }
    struct line_sectors written = l2_sectors_of(r);
    l2_perform_awaited(p, &p->banks[r->bank], r, now);
    l2_wake(p);
    dram_side_write_bypass(p, written, now);
}

static __attribute__((noinline)) void write_victim(struct slice *p, uint32_t bank, uint64_t now)
{
    const struct cache_victim *victim = cache_victim(p->banks[bank].cache);
    if (p->may_lose)
        lost_written_back(&p->banks[bank].lost, victim->line);
    dram_side_write(p, (struct line_sectors){victim->line, bank, victim->sectors}, now);
}

static void fill_line(struct slice *p, uint32_t bank, uint32_t mshr, uint64_t now)
{
    struct l2_bank *b = &p->banks[bank];
    struct cache_arrival got = cache_fill_now(b->cache, mshr, now);
    if (got.writeback)
        write_victim(p, bank, now);
    l2_wake(p);
    for (uint32_t i = 0; i < got.n_waiters; i++) {
        struct mem_request *r = got.waiters[i];
        if (!r)
            continue; /* a store */
        if (r->access.kind == MEM_ATOMIC)
            l2_perform_awaited(p, b, r, now);
        else
            slice_queue_reply(p, r, r->data_bytes, now + p->l2_latency);
    }
}

/* Takes the first data that have arrived: they fill L2 or bypass it. */
static void fill_first(struct slice *p, uint64_t now)
{
    const struct timed_request first = *ring_first(&p->from_dram);
    ring_pop(&p->from_dram);
    slice_note(p, l2_time(p, now));
    if (first.tag & 1)
        fill_line(p, (uint32_t)(first.tag >> 32), (uint32_t)first.tag >> 1, now);
    else
        take_bypassed(p, first.request, now);
}

/* Is the queue to DRAM still full after DRAM has caught up? Data that arrive need a free entry,
 * because a dirty victim or an atomic's result may have to be written. */
static inline bool lacks_entry(struct slice *p, uint64_t now)
{
    if (p->to_dram_n == p->to_dram_entries)
        dram_side_settle(p, now);
    return p->to_dram_n == p->to_dram_entries;
}

void dram_side_fill(struct slice *p, uint64_t now)
{
    p->due.fills = CYCLE_NEVER;
    while (p->from_dram.n) {
        uint64_t at = ring_first(&p->from_dram)->at;
        if (at > now) {
            p->due.fills = at;
            return;
        }
        if (lacks_entry(p, now))
            return;
        fill_first(p, now);
    }
}

/* Takes completed requests in order. L2 sees data dram_latency cycles after the first L2 cycle that
 * begins at or after their completion; if dram_latency is 0, in the first that begins after it. */
static ALWAYS_INLINE void take_done(struct slice *p, const struct dram_done *done, uint32_t n)
{
    struct request_ring *q = &p->from_dram;
    ring_reserve(q, n);
    struct request_ring data = *q; /* a local copy: the compiler knows that no other store can
                                    * change it */
    const struct divider period = p->l2_period;
    const uint32_t latency = p->config->memory.dram_latency, dram_period = p->dram_period.divisor;
    const uint64_t round_up = period.divisor - (latency != 0);
    sim_time t = 0;
    for (const struct dram_done *end = done + n; done != end; done++) {
        t = done->at * dram_period;
        uint64_t at = divider_div(&period, t + round_up) + latency;
        if (!done->write)
            ring_add(&data, (struct timed_request){.at = at, .tag = done->tag});
    }
    if (!q->n && data.n)
        p->due.fills = ring_first(&data)->at;
    q->n = data.n;
    slice_note(p, t);
}

/* --- DRAM catches up --- */

/* Issues commands of DRAM cycles before `before` until DRAM has room; L2 sees the room in its next
 * cycle. */
static __attribute__((noinline)) void make_room(struct slice *p, uint64_t before)
{
    uint64_t next;
    while (!dram_has_room(p->dram) && (next = dram_next_command(p->dram)) < before) {
        dram_tick(p->dram, next);
        if (dram_has_room(p->dram))
            p->room_at = divider_div_up(&p->l2_period, next * p->dram_clock->period + 1);
    }
}

/* The L2 cycle in which the first access in the queue enters DRAM, if DRAM has room then. */
static uint64_t feed_cycle(const struct slice *p)
{
    return max_u64(first_to_dram(p)->from, p->room_at);
}

/* How many of the queued accesses can be given to DRAM at once: those contiguous in the ring. If
 * the first access was due no later than `room_at`, when L2 saw that DRAM was no longer full,
 * postpones that access to `room_at` and returns 1: those behind it are examined when they become
 * first. */
static inline uint32_t n_in_a_row(struct slice *p)
{
    uint32_t in_a_row = p->to_dram_entries - p->to_dram_head;
    if (first_to_dram(p)->from <= p->room_at) {
        let_enter(p, first_to_dram(p), p->room_at);
        return 1;
    }
    return min_u32(p->to_dram_n, in_a_row);
}

/* Simulates DRAM up to time `before`: accesses enter and commands are issued, in order. */
static inline void replay(struct slice *p, sim_time before)
{
    uint64_t end = divider_div_up(&p->dram_period, before),
             cycle = divider_div_up(&p->l2_period, before);
    while (p->to_dram_n) {
        uint32_t n = n_in_a_row(p), entered = dram_enter(p->dram, first_to_dram(p), n, cycle);
        drop_first(p, entered);
        if (entered == n)
            continue;
        if (first_to_dram(p)->from >= cycle)
            break;
        make_room(p, end);
        if (!dram_has_room(p->dram))
            return;
    }
    dram_advance(p->dram, end);
}

/* Plans when DRAM must catch up next. No data can arrive before the next command, or the next
 * access, plus dram_lead. But while L2 lacks free entries for accesses, it must be woken as soon as
 * one is free. */
static void plan_dram(struct slice *p)
{
    uint64_t command = dram_next_command(p->dram), feed = CYCLE_NEVER;
    bool full = !dram_side_has_entry(p), room = dram_has_room(p->dram);
    if (p->to_dram_n && room)
        feed = feed_cycle(p);
    p->due.feed = full ? feed : CYCLE_NEVER;
    p->dram_at = command == UINT64_MAX ? TIME_NEVER : command * p->dram_clock->period;
    if (feed != CYCLE_NEVER)
        p->dram_at = min_u64(p->dram_at, l2_time(p, feed));
    p->next_dram = TIME_NEVER;
    p->dram_cycle = CYCLE_NEVER;
    if (p->dram_at == TIME_NEVER)
        return;
    p->next_dram = full && !room ? p->dram_at : p->dram_at + p->dram_lead - 1;
    p->dram_cycle = divider_div(&p->l2_period, p->next_dram) + 1;
}

/* Stops at the time when data of the next command could fill L2: L2 may then request more, and DRAM
 * must have those requests in its queue before it chooses later commands. */
void dram_side_catch_up(struct slice *p, sim_time before)
{
    replay(p, min_u64(before, slice_cycle_after(p->next_dram)));
    const struct dram_done *done;
    uint32_t n = dram_take_done(p->dram, &done); /* including those still to arrive */
    take_done(p, done, n);
    plan_dram(p);
}

void dram_side_settle(struct slice *p, uint64_t now)
{
    if (!p->works_on_time)
        dram_side_catch_up(p, l2_time(p, now));
}

/* --- with works_on_time --- */

static void plan_tick(struct slice *p)
{
    uint64_t next = dram_next(p->dram, 0);
    p->next_dram = next == UINT64_MAX ? TIME_NEVER : next * p->dram_clock->period;
    plan_feed(p);
}

static void feed_in_step(struct slice *p, uint64_t now)
{
    while (p->to_dram_n && first_to_dram(p)->from <= now && dram_has_room(p->dram))
        feed_first(p, l2_time(p, now));
    plan_tick(p);
}

/* Simulates the DRAM cycle at `next_dram`. L2 must have nothing left to do up to then. */
void dram_side_tick(struct slice *p)
{
    uint64_t now = divider_div(&p->dram_period, p->next_dram);
    p->l2_cycle = max_u64(p->l2_cycle, divider_div(&p->l2_period, p->next_dram) + 1);
    dram_tick(p->dram, now);
    struct dram_done done;
    while (dram_pop(p->dram, now, &done))
        take_done(p, &done, 1);
    plan_tick(p);
}

/* --- either way --- */

/* Moves queued accesses on to DRAM, then wakes what waits for a free entry: a bank, or arrived data
 * whose fill may have to write something back. */
void dram_side_feed(struct slice *p, uint64_t now)
{
    if (p->works_on_time)
        feed_in_step(p, now);
    else
        dram_side_catch_up(p, l2_time(p, now) + 1);
    l2_wake(p);
    if (p->from_dram.n)
        p->due.fills = ring_front(&p->from_dram)->at;
}
