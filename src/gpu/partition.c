#include "gpu/partition.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/l2_queue.h"

/* --- replies ---
 *
 * MODEL: from L2 to the reply port too there is a pipeline, of l2_latency stages, and a queue at
 * its end. What comes from DRAM has its place kept. */

static uint32_t reply_bytes(const struct mem_request *r)
{
    bool old_value = r->access.kind == MEM_ATOMIC && !r->atomic->op->round;
    bool data = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION || old_value;
    return data ? r->data_bytes : 0;
}

/* When there will be credits for a reply in that cycle or later. */
static __attribute__((noinline)) uint64_t await_credits(struct partition *p,
                                                        const struct mem_request *r, uint64_t cycle)
{
    sim_time ready = tx_ready_at(&p->down, l2_time(p, cycle), r->sm, r->flits);
    return ready == TIME_NEVER ? CYCLE_NEVER : divide_up_multiple(&p->l2_period, ready);
}

static ALWAYS_INLINE struct message reply_message(struct mem_request *r)
{
    return (struct message){.to = r->sm, .kind = MSG_REPLY, .flits = r->flits, .body = r};
}

/* The first cycle from that one on in which the reply can leave, if that is before `before`. */
static ALWAYS_INLINE uint64_t can_leave(struct partition *p, struct tx_peer *to,
                                        const struct mem_request *r, uint64_t cycle,
                                        uint64_t before)
{
    if (to->credits < r->flits) {
        cycle = await_credits(p, r, cycle);
        if (cycle < before)
            tx_take_credits(&p->down, to, l2_time(p, cycle));
        return cycle;
    }
    sim_time t = l2_time(p, cycle);
    return gate_is_open(&p->down.gate, t)
               ? cycle
               : divide_multiple(&p->l2_period, gate_open_from(&p->down.gate, t) - 1) + 1;
}

/* Nothing that may still happen can change the cycle in which the first reply leaves: replies leave
 * in order, and only they use credits. */
void partition_send_replies(struct partition *p, uint64_t before)
{
    uint32_t sent = 0, n = p->replies.n;
    uint64_t next = p->next_reply;
    p->reply_at = CYCLE_NEVER;
    for (; sent < n; sent++) {
        const struct timed_request *first = ring_at(&p->replies, sent);
        struct mem_request *r = first->request;
        struct tx_peer *to = NULL;
        uint64_t cycle = max_u64(first->at, next);
        if (cycle < before) {
            to = tx_peer_of(&p->down, r->sm);
            cycle = can_leave(p, to, r, cycle, before);
        }
        if (cycle >= before) {
            p->reply_at = cycle;
            break;
        }
        tx_post(&p->down, to, l2_time(p, cycle), reply_message(r));
        next = cycle + 1;
    }
    p->next_reply = next;
    p->outstanding -= sent;
    ring_drop(&p->replies, sent);
}

static void try_reply(struct partition *p, uint64_t now)
{
    const struct timed_request *front = ring_front(&p->replies);
    if (!front || front->at > now)
        return;
    struct mem_request *r = front->request;
    if (!tx_can_send(&p->down, l2_time(p, now), r->sm, r->flits))
        return;
    tx_send(&p->down, l2_time(p, now), reply_message(r));
    p->outstanding--;
    ring_pop(&p->replies);
}

void partition_reply(struct partition *p, struct mem_request *r, uint64_t now, uint64_t at)
{
    uint32_t bytes = reply_bytes(r);
    r->access.line = r->device_line;
    partition_queue_reply(p, r, bytes, partition_flits(p, bytes), now, at);
}

/* A request knows the cycle in which its bank served it, or will. */
static bool is_later(const struct mem_request *r, uint64_t now, int bank)
{
    return r->access.cycle > now || (r->access.cycle == now && (int)r->bank > bank);
}

uint32_t partition_n_later(const struct partition *p, uint64_t now, int bank)
{
    uint32_t n = 0;
    while (n < p->replies.n &&
           is_later(ring_at(&p->replies, p->replies.n - 1 - n)->request, now, bank))
        n++;
    return n;
}

bool partition_order_reply(struct partition *p, uint64_t now)
{
    uint32_t i = p->replies.n - 1;
    struct timed_request last = *ring_at(&p->replies, i);
    bool fill = last.request->access.cycle < now; /* it came to its bank before, and waited */
    int bank = fill ? BEFORE_BANKS : (int)last.request->bank;
    for (; i && is_later(ring_at(&p->replies, i - 1)->request, now, bank); i--)
        *ring_at(&p->replies, i) = *ring_at(&p->replies, i - 1);
    *ring_at(&p->replies, i) = last;
    return i == 0;
}

struct partition_ahead partition_ahead(const struct partition *p, sim_time now)
{
    struct partition_ahead ahead = {0};
    ahead.n = partition_n_later(p, divide_up_multiple(&p->l2_period, now), BEFORE_BANKS);
    for (uint32_t i = 0; i < ahead.n; i++)
        ahead.bytes += reply_bytes(ring_at(&p->replies, p->replies.n - 1 - i)->request);
    return ahead;
}

void partition_free_store(struct partition *p, struct mem_request *r, uint64_t now)
{
    sim_time t = l2_time(p, now);
    p->outstanding--;
    partition_note(p, t);
    shard_send(
        &p->shard, t,
        (struct message){.at = t + p->down.latency, .to = r->sm, .kind = MSG_FREE, .body = r});
}

/* --- requests --- */

static void arrive(struct partition *p, const struct message *m)
{
    struct l2_place place = l2_find(p, m->body);
    l2_put(p, m->body, &place);
    rx_arrive(&p->up, m);
}

/* Through the port at `through`: in which cycle it may be served, after the way to its bank. */
static inline uint64_t served_from(const struct partition *p, sim_time through, uint64_t now)
{
    bool in_next = through == l2_time(p, now + 1); /* mostly */
    uint64_t from = in_next ? now + 1 : divide_up_multiple(&p->l2_period, through);
    return from + p->rop_latency;
}

/* One a cycle, if its bank has room. */
static void take_request(struct partition *p, uint64_t now)
{
    const struct message *m = rx_peek(&p->up);
    sim_time t = l2_time(p, now);
    p->due.port = CYCLE_NEVER;
    if (!m)
        return;
    struct l2_bank *b = l2_bank_of(p, m->body);
    if (!l2_has_room(p, b, now)) {
        p->due.port = l2_leaves_ahead(p, b, now);
        return;
    }
    if (m->at > t || now < p->next_take) { /* it is still to come, or others before it are */
        p->due.port = max_u64(divide_up_multiple(&p->l2_period, m->at), p->next_take);
        return;
    }
    struct message out;
    sim_time through = rx_take(&p->up, t, &out);
    p->next_take = now + 1;
    l2_enqueue(p, b, out.body, served_from(p, through, now), now);
    if (rx_peek(&p->up))
        p->due.port = now + 1;
}

/* Takes a request before its time if none waits before it: if its bank has room now, it will. */
static ALWAYS_INLINE void arrive_ahead(struct partition *p, const struct message *m, uint64_t cycle)
{
    struct mem_request *r = m->body;
    struct l2_place place = l2_find(p, r);
    struct l2_bank *b = &p->banks[place.bank];
    p->outstanding++;
    cycle = max_u64(cycle, p->next_take);
    if (rx_peek(&p->up) || !l2_has_room(p, b, cycle)) {
        p->due.port = min_u64(p->due.port, cycle);
        p->parts_at = min_u64(p->parts_at, p->due.port);
        l2_put(p, r, &place);
        rx_arrive(&p->up, m);
        return;
    }
    uint64_t at = served_from(p, rx_pass(&p->up, l2_time(p, cycle), m), cycle);
    p->next_take = cycle + 1;
    r->bank = place.bank;
    if (!b->queue.n && l2_serve_ahead(p, b, r, place.part, at)) {
        queue_pass(&b->account, cycle, r->access.cycle);
    } else {
        l2_put(p, r, &place);
        l2_enqueue(p, b, r, at, cycle);
    }
}

/* All messages of a quantum are there when it begins, and so are credits. */
static void take_messages_ahead(struct partition *p, sim_time until)
{
    const struct message *m = shard_peek(&p->shard, until);
    if (!m)
        return;
    for (; m->at < until; m++)
        arrive_ahead(p, m, divide_up_multiple(&p->l2_period, m->at));
    shard_take_until(&p->shard, m);
}

static void take_credits_ahead(struct partition *p)
{
    if (p->reply_at != CYCLE_NEVER || !p->replies.n)
        return;
    partition_send_replies(p, p->l2_cycle);
    l2_wake(p);
}

static void take_messages(struct partition *p, uint64_t now)
{
    sim_time t = l2_time(p, now);
    const struct message *m;
    while ((m = shard_peek(&p->shard, t + 1))) {
        p->outstanding++;
        arrive(p, m);
        shard_take(&p->shard);
    }
}

/* --- the shard --- */

bool partition_is_idle(const struct shard *s)
{
    const struct partition *p = (const struct partition *)s;
    return !p->outstanding && !p->to_dram_n && !p->from_dram.n && dram_is_idle(p->dram);
}

static void l2_tick(struct partition *p, uint64_t now)
{
    if (p->due.port <= now)
        take_request(p, now);
    if (p->due.fills <= now)
        dram_side_fill(p, now);
    if (p->due.banks <= now)
        l2_step(p, now);
    if (p->due.feed <= now)
        dram_side_feed(p, now);
}

static void l2_tick_plainly(struct partition *p, uint64_t now)
{
    take_messages(p, now);
    take_request(p, now);
    dram_side_fill(p, now);
    l2_step_plainly(p, now);
    dram_side_feed_plainly(p, now);
    try_reply(p, now);
}

/* The next cycle of L2 with something to do but to send replies. */
static uint64_t next_l2(const struct partition *p)
{
    uint64_t next = min_u64(p->due.port, p->due.banks);
    next = min_u64(next, p->due.fills);
    next = min_u64(next, p->due.feed);
    return max_u64(next, p->l2_cycle);
}

static uint64_t next_l2_plainly(const struct partition *p)
{
    if (!partition_is_idle(&p->shard))
        return p->l2_cycle;
    const struct message *m = shard_peek(&p->shard, TIME_NEVER);
    return m ? max_u64(divide_up_multiple(&p->l2_period, m->at), p->l2_cycle) : CYCLE_NEVER;
}

static sim_time time_of(const struct partition *p, uint64_t cycle)
{
    return cycle == CYCLE_NEVER ? TIME_NEVER : l2_time(p, cycle);
}

static void advance_plainly(struct partition *p, sim_time until)
{
    for (;;) {
        uint64_t now = next_l2_plainly(p);
        sim_time t = time_of(p, now);
        if (t >= until && p->next_dram >= until) {
            p->shard.next = min_u64(t, p->next_dram);
            return;
        }
        if (t > p->next_dram) {
            dram_side_tick(p);
        } else {
            l2_tick_plainly(p, now);
            p->l2_cycle = now + 1;
        }
    }
}

/* Does everything before `until`, which is before L2's cycle `end`, but send replies. */
static __attribute__((noinline)) void advance_parts(struct partition *p, sim_time until,
                                                    uint64_t end)
{
    for (;;) {
        uint64_t now = next_l2(p);
        if (now >= p->dram_cycle && p->next_dram < until) {
            dram_side_catch_up(p, min_u64(time_of(p, now), until));
        } else if (now < end) {
            l2_tick(p, now);
            p->l2_cycle = now + 1;
        } else {
            break;
        }
    }
    p->l2_cycle = max_u64(p->l2_cycle, end);
    if (p->dram_at < until)
        dram_side_catch_up(p, until);
    p->parts_at = next_l2(p);
}

static void partition_advance(struct shard *s, sim_time until)
{
    struct partition *p = (struct partition *)s;
    if (p->every_cycle) {
        advance_plainly(p, until);
        if (p->overlay.n)
            shard_await_boundary(s);
        return;
    }
    uint64_t end = divide_up_multiple(&p->l2_period, until);
    take_messages_ahead(p, until);
    take_credits_ahead(p);
    if (p->parts_at < end || p->dram_at < until)
        advance_parts(p, until, end);
    p->l2_cycle = max_u64(p->l2_cycle, end);
    if (p->reply_at < p->l2_cycle)
        partition_send_replies(p, p->l2_cycle);
    s->next = min_u64(time_of(p, min_u64(p->parts_at, p->reply_at)), p->dram_at);
    if (p->overlay.n)
        shard_await_boundary(s);
}

static void partition_describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct partition *p = (const struct partition *)s;
    struct strbuf dram = {0};
    uint64_t now = divide_up_multiple(&p->l2_period, s->engine->now);
    strbuf_addf(out, "partition %u: %llu requests, %u towards DRAM, %u replies waiting\n", p->index,
                (unsigned long long)p->outstanding, p->to_dram_n,
                p->replies.n - partition_n_later(p, now, BEFORE_BANKS));
    for (uint32_t b = 0; b < p->config->memory.banks; b++) {
        uint32_t n = l2_queued(p, &p->banks[b], now);
        if (n)
            strbuf_addf(out, "  L2 bank %u: %u requests%s\n", b, n,
                        p->banks[b].stalled ? ", the first cannot be served" : "");
    }
    dram_describe_wait(p->dram, &dram);
    strbuf_add_indented(out, strbuf_text(&dram), 2);
    strbuf_destroy(&dram);
}

static const struct shard_ops partition_ops = {"partition", partition_advance, partition_is_idle,
                                               partition_describe_wait};

/* --- life --- */

static void create_banks(struct partition *p, const struct machine_config *c)
{
    const struct memory_config *m = &c->memory;
    p->n_banks = divider_make(m->banks);
    p->bank_shift = (uint32_t)__builtin_ctz(m->banks);
    p->bank_mask = m->banks - 1;
    p->banks_are_odd = m->banks & (m->banks - 1);
    p->line_shift = (uint32_t)__builtin_ctz(c->l2.line_bytes);
    p->l2_sectored = c->l2.sector_bytes != c->l2.line_bytes;
    p->l2_sets = set_indexer_make(c->l2.n_sets, c->l2.line_bytes, c->l2.index);
    p->rop_latency = m->rop_latency;
    p->l2_latency = m->l2_latency;
    p->bank_places = m->rop_latency + m->input_queue;
    p->reply_places = m->l2_latency * m->banks + m->reply_queue;
    p->ahead_places = p->every_cycle ? 0 : (uint32_t)min_u64(p->bank_places, p->reply_places);
    p->answers_drift = cache_answers_drift(c->l2_policy);
    p->banks = xcalloc_lines(m->banks * sizeof *p->banks);
    for (uint32_t b = 0; b < m->banks; b++) {
        p->banks[b].due = CYCLE_NEVER;
        p->banks[b].cache = cache_create(&c->l2, c->l2_policy, c->l2_params, 0, p->index * 64 + b);
    }
}

void partition_create(struct partition *p, const struct machine_config *c, uint32_t shard_id,
                      uint32_t index, uint32_t n_sms, const struct clock_domain *noc,
                      const struct clock_domain *l2, const struct clock_domain *dram,
                      const struct address_map *map, struct dev_mem *mem, bool every_cycle)
{
    memset(p, 0, sizeof *p);
    p->shard = (struct shard){
        .ops = &partition_ops, .id = shard_id, .next = TIME_NEVER, .tick = l2->period};
    p->config = c;
    p->dram_clock = dram;
    p->l2_period = divider_make(l2->period);
    p->dram_period = divider_make(dram->period);
    p->index = index;
    p->mem = mem;
    p->every_cycle = every_cycle;
    p->line_bytes = c->sm.l1d.line_bytes;
    p->line_flits = noc_flits(&c->noc, c->sm.l1d.line_bytes);
    p->due = (struct partition_due){CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER};
    p->reply_at = p->parts_at = CYCLE_NEVER;
    p->next_dram = p->dram_at = TIME_NEVER;
    p->dram_cycle = CYCLE_NEVER;
    overlay_init(&p->overlay);
    /* MODEL: each L2 bank brings a port of the network's width; those of a partition act as one. */
    uint32_t up = c->noc.flits_per_cycle_up * c->memory.banks;
    uint32_t down = c->noc.flits_per_cycle_down * c->memory.banks;
    rx_init(&p->up, NET_UP, &p->shard, noc, &c->noc, up);
    tx_init(&p->down, NET_DOWN, &p->shard, noc, &c->noc, down, 0, n_sms);
    create_banks(p, c);
    dram_side_create(p, map);
}

void partition_destroy(struct partition *p)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++) {
        cache_destroy(p->banks[b].cache);
        ring_destroy(&p->banks[b].queue);
        free(p->banks[b].atomics.lines);
    }
    free(p->banks);
    dram_side_destroy(p);
    ring_destroy(&p->replies);
    overlay_destroy(&p->overlay);
    tx_destroy(&p->down);
    rx_destroy(&p->up);
}

static void drop_line(void *user, uint64_t line, uint32_t sectors)
{
    struct partition *p = user;
    (void)line;
    (void)sectors;
    p->stats.lines_flushed++;
}

void partition_flush(struct partition *p)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_flush(p->banks[b].cache, drop_line, p);
}
