/* A memory slice (a partition in configurations and reports): takes requests from its port, serves
 * them in its L2 banks and DRAM, and sends replies. */
#include "slice/slice.h"

#include "slice/l2_queue.h"

/* --- requests --- */

void slice_free_store(struct slice *p, struct mem_request *r, uint64_t now)
{
    sim_time t = l2_time(p, now);
    p->outstanding--;
    slice_note(p, t);
    tx_send_beside(&p->down, t, (struct message){.to = r->sm, .kind = MSG_FREE, .body = r});
}

/* The L2 cycle from which a request that leaves the port at time `through` may be served. */
static inline uint64_t served_from(const struct slice *p, sim_time through, uint64_t now)
{
    bool in_next =
        through == l2_time(p, now) + p->l2_period.divisor; /* the common case, without a division */
    uint64_t from = in_next ? now + 1 : divider_div_up_multiple(&p->l2_period, through);
    return from + p->rop_latency;
}

/* Takes a request from the port, at most one per cycle, if the request's bank has room. */
static void take_request(struct slice *p, uint64_t now)
{
    const struct message *m = rx_peek(&p->up);
    sim_time t = l2_time(p, now);
    p->due.port = CYCLE_NEVER;
    if (!m)
        return;
    struct l2_bank *b = l2_bank_of(p, m->body);
    if (!l2_has_room(p, b)) /* retried when a request leaves the bank */
        return;
    if (m->at > t || now < p->next_take) { /* not here yet, or one was taken already */
        p->due.port = max_u64(divider_div_up_multiple(&p->l2_period, m->at), p->next_take);
        return;
    }
    struct message out;
    sim_time through = rx_take(&p->up, t, &out);
    p->next_take = now + 1;
    struct mem_request *r = out.body;
    r->queued_at = now;
    l2_enqueue(p, b, r, served_from(p, through, now));
    if (rx_peek(&p->up))
        p->due.port = now + 1;
}

/* Takes a request before it arrives if no other waits at the port and its bank's queue has room.
 * Until then requests only leave that queue, so there is still room when it arrives. Otherwise puts
 * it into the port's buffer. */
static void arrive_ahead(struct slice *p, const struct message *m, uint64_t cycle)
{
    struct mem_request *r = m->body;
    l2_assign_bank(p, r);
    struct l2_bank *b = l2_bank_of(p, r);
    cycle = max_u64(cycle, p->next_take);
    p->outstanding++;
    if (rx_peek(&p->up) || !l2_has_room(p, b)) {
        p->due.port = min_u64(p->due.port, cycle);
        p->units_at = min_u64(p->units_at, p->due.port);
        rx_arrive(&p->up, m);
        return;
    }
    uint64_t at = served_from(p, rx_pass(&p->up, l2_time(p, cycle), m), cycle);
    p->next_take = cycle + 1;
    r->queued_at = cycle;
    l2_enqueue(p, b, r, at);
}

/* At the start of a quantum all credits that come back within it are known, so the departures of
 * replies that lacked credits can be fixed now, and with them the times at which their entries of
 * the reply queue become free. Stalled banks, which may wait for such an entry, plan their next
 * attempt before any new request is taken. */
static void send_replies_and_wake(struct slice *p)
{
    slice_send_replies(p);
    l2_wake(p);
}

static void take_messages_ahead(struct slice *p, sim_time until)
{
    const struct message *m = shard_peek(&p->shard, until);
    if (!m)
        return;
    for (; m->at < until; m++)
        arrive_ahead(p, m, divider_div_up_multiple(&p->l2_period, m->at));
    shard_take_until(&p->shard, m);
}

static void take_messages(struct slice *p, uint64_t now)
{
    sim_time t = l2_time(p, now);
    const struct message *m;
    while ((m = shard_peek(&p->shard, t + 1))) {
        p->outstanding++;
        assert(m->kind == MSG_REQUEST);
        l2_assign_bank(p, m->body);
        rx_arrive(&p->up, m);
        shard_take(&p->shard);
        p->due.port = now;
    }
}

/* --- cycles --- */

bool slice_is_idle(const struct shard *s)
{
    const struct slice *p = (const struct slice *)s;
    bool replies =
        p->n_sent && slice_n_replies(p, divider_div_up_multiple(&p->l2_period, s->engine->now));
    return !p->outstanding && !replies && !p->to_dram_n && !p->from_dram.n && dram_is_idle(p->dram);
}

/* Simulates cycle `now`, then continues up to `end` as long as only the banks have work. */
static inline void l2_tick(struct slice *p, uint64_t now, uint64_t end)
{
    if (p->due.port <= now)
        take_request(p, now);
    if (p->due.fills <= now)
        dram_side_fill(p, now);
    if (p->due.banks <= now)
        now = l2_step(p, now, end);
    if (p->due.feed <= now)
        dram_side_feed(p, now);
    p->l2_cycle = now + 1;
}

/* The next cycle of L2 with anything to do except sending replies. */
static uint64_t next_l2(const struct slice *p)
{
    uint64_t next = min_u64(p->due.port, p->due.banks);
    next = min_u64(next, p->due.fills);
    next = min_u64(next, p->due.feed);
    return max_u64(next, p->l2_cycle);
}

static sim_time time_of(const struct slice *p, uint64_t cycle)
{
    return cycle == CYCLE_NEVER ? TIME_NEVER : l2_time(p, cycle);
}

/* Runs the port, the banks, fills, feeds and DRAM up to time `until`, but sends no replies; `end`
 * is the first L2 cycle at or after `until`. */
static void advance_units(struct slice *p, sim_time until, uint64_t end)
{
    for (;;) {
        uint64_t now = next_l2(p);
        if (now >= p->dram_cycle && p->next_dram < until) {
            dram_side_catch_up(p, min_u64(time_of(p, now), until));
        } else if (now < end) {
            l2_tick(p, now, end);
        } else {
            break;
        }
    }
    if (p->dram_at < until)
        dram_side_catch_up(p, until);
    p->units_at = next_l2(p);
}

/* --- in step: all work is done in the cycle in which it is due --- */

static void do_every_unit(struct slice *p, uint64_t now)
{
    take_request(p, now);
    dram_side_fill(p, now);
    l2_step_all_banks(p, now);
    dram_side_feed(p, now);
    p->l2_cycle = now + 1;
}

static void l2_tick_in_step(struct slice *p, uint64_t now)
{
    take_messages(p, now);
    if (p->every_cycle)
        do_every_unit(p, now);
    else
        l2_tick(p, now, now);
    slice_try_reply(p, now);
}

/* The next cycle of L2 with anything to do. A reply that lacks credits is tried in every cycle. */
static uint64_t next_in_step(const struct slice *p)
{
    if (p->every_cycle && !slice_is_idle(&p->shard))
        return p->l2_cycle;
    const struct message *m = shard_peek(&p->shard, TIME_NEVER);
    uint64_t mail = m ? divider_div_up_multiple(&p->l2_period, m->at) : CYCLE_NEVER;
    uint64_t reply = p->replies.n ? ring_first(&p->replies)->at : CYCLE_NEVER;
    return max_u64(min_u64(next_l2(p), min_u64(mail, reply)), p->l2_cycle);
}

static void advance_in_step(struct slice *p, sim_time until)
{
    for (;;) {
        uint64_t now = next_in_step(p);
        sim_time t = time_of(p, now);
        if (t >= until && p->next_dram >= until) {
            p->shard.next = min_u64(t, p->next_dram);
            return;
        }
        if (t > p->next_dram)
            dram_side_tick(p);
        else
            l2_tick_in_step(p, now);
    }
}

/* --- the shard --- */

void slice_advance(struct shard *s, sim_time until)
{
    struct slice *p = (struct slice *)s;
    if (p->works_on_time) {
        advance_in_step(p, until);
        if (atomics_need_boundary(&p->atomics))
            shard_await_boundary(s);
        return;
    }
    uint64_t end = divider_div_up_multiple(&p->l2_period, until);
    if (p->n_sent != p->replies.n)
        send_replies_and_wake(p);
    take_messages_ahead(p, until);
    if (p->units_at < end || p->dram_at < until)
        advance_units(p, until, end);
    p->l2_cycle = max_u64(p->l2_cycle, end);
    if (p->n_sent != p->replies.n)
        slice_send_replies(p);
    s->next = min_u64(time_of(p, min_u64(p->units_at, p->reply_at)), p->dram_at);
    if (atomics_need_boundary(&p->atomics))
        shard_await_boundary(s);
}

static void slice_describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct slice *p = (const struct slice *)s;
    struct strbuf dram = {0};
    uint64_t now = divider_div_up_multiple(&p->l2_period, s->engine->now);
    uint32_t n_replies = slice_n_replies(p, now);
    strbuf_addf(out,
                "partition %u: %llu requests, %u waiting to enter DRAM, %u being read from DRAM, "
                "%u replies waiting\n",
                p->index,
                (unsigned long long)(p->outstanding - (p->replies.n - p->n_sent) + n_replies),
                p->to_dram_n, p->from_dram.n + dram_n_read(p->dram), n_replies);
    for (uint32_t i = 0; i < p->config->memory.banks; i++) {
        const struct l2_bank *b = &p->banks[i];
        uint32_t n = l2_waiting(b, now);
        bool waits = b->queue.n && b->first_try < now;
        if (n)
            strbuf_addf(out, "  L2 bank %u: %u requests%s\n", i, n,
                        waits ? ", the first cannot be served" : "");
    }
    dram_describe_wait(p->dram, &dram);
    strbuf_add_indented(out, strbuf_text(&dram), 2);
    strbuf_destroy(&dram);
}

const struct shard_ops slice_ops = {.kind = "partition",
                                    .advance = slice_advance,
                                    .is_idle = slice_is_idle,
                                    .describe_wait = slice_describe_wait};
const struct shard_ops controlled_slice_ops = {.kind = "partition",
                                               .advance = llc_advance,
                                               .is_idle = slice_is_idle,
                                               .describe_wait = slice_describe_wait};

/* --- called between cycles: quotas, visibility boundaries, data from the host, flushes --- */

struct flushed_bank {
    struct slice *slice;
    struct l2_bank *bank;
};

static void flush_line(void *user, uint64_t line, uint32_t sectors)
{
    struct flushed_bank *f = user;
    (void)sectors;
    f->slice->stats.lines_flushed++;
    lost_written_back(&f->bank->lost, line);
}

void slice_apply(struct slice *p, const void *quota, size_t bytes, sim_time now)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_apply(p->banks[b].cache, quota, bytes);
    if (!p->n_stalled)
        return;
    p->l2_cycle =
        max_u64(p->l2_cycle, divider_div_up_multiple(&p->l2_period, now)); /* not before now */
    l2_wake(p);
    p->shard.next = min_u64(p->shard.next, now);
}

void slice_commit_atomics(struct slice *p)
{
    if (p->atomics.desc->at_boundary)
        p->atomics.desc->at_boundary(&p->atomics);
}

void slice_copy_in(struct slice *p, uint64_t local, uint32_t segments)
{
    uint64_t number = local >> p->line_shift;
    struct l2_bank *b = &p->banks[number % p->n_banks.divisor];
    struct mem_access a = {.line = number / p->n_banks.divisor << p->line_shift,
                           .segments = segments,
                           .sector_mask = cache_sectors_of(&p->config->l2, segments),
                           .cycle = p->l2_cycle,
                           .kind = MEM_STORE,
                           .space = MEM_GLOBAL};
    a.address = a.line;
    a.set = cache_set_of(b->cache, a.line);
    mem_bytes_of_segments(a.segments, a.byte_mask);
    if (cache_copy_in(b->cache, &a) && p->may_lose)
        lost_written_back(&b->lost, cache_victim(b->cache)->line);
}

void slice_flush(struct slice *p)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_flush(p->banks[b].cache, flush_line, &(struct flushed_bank){p, &p->banks[b]});
}
