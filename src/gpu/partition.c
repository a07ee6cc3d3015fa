#include "gpu/partition.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/partition_parts.h"

/* --- replies ---
 *
 * MODEL: from L2 to the reply port too there is a pipeline, of l2_latency stages, and a queue at
 * its end. What comes from DRAM has its place kept. */

static uint32_t reply_flits(const struct partition *p, const struct mem_request *r)
{
    bool old_value = r->access.kind == MEM_ATOMIC && !r->atomic->op->round;
    bool data = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION || old_value;
    return noc_flits(&p->config->noc, data ? r->data_bytes : 0);
}

/* When the first reply leaves, as things are: from `soonest` on. */
static void plan_reply(struct partition *p, uint64_t soonest)
{
    const struct timed_request *front = ring_front(&p->replies);
    p->due.replies = CYCLE_NEVER;
    if (!front)
        return;
    uint64_t cycle = max_u64(front->at, soonest);
    sim_time t = cycle * p->l2_clock->period;
    sim_time ready = tx_ready_at(&p->down, t, front->request->sm, front->request->flits);
    if (ready != TIME_NEVER)
        p->due.replies = ready == t ? cycle : divide_up(&p->l2_period, ready);
}

void partition_reply(struct partition *p, struct mem_request *r, uint64_t at)
{
    r->flits = reply_flits(p, r);
    r->access.line = r->device_line;
    ring_push(&p->replies, (struct timed_request){.at = at, .request = r});
    if (p->replies.n == 1)
        plan_reply(p, at);
}

static void send_reply(struct partition *p, uint64_t now)
{
    const struct timed_request *front = ring_front(&p->replies);
    sim_time t = now * p->l2_clock->period;
    if (front && front->at <= now &&
        tx_can_send(&p->down, t, front->request->sm, front->request->flits)) {
        struct mem_request *r = front->request;
        tx_send(&p->down, t,
                (struct message){
                    .to = r->sm, .kind = MSG_REPLY, .flits = (uint16_t)r->flits, .body = r});
        ring_pop(&p->replies);
        p->outstanding--;
        l2_wake(p);
    }
    plan_reply(p, now + 1);
}

void partition_free_store(struct partition *p, struct mem_request *r, uint64_t now)
{
    sim_time t = now * p->l2_clock->period;
    p->outstanding--;
    shard_send(
        &p->shard, t,
        (struct message){.at = t + p->down.latency, .to = r->sm, .kind = MSG_FREE, .body = r});
}

/* --- requests --- */

static void take_messages(struct partition *p, uint64_t now)
{
    sim_time t = now * p->l2_clock->period;
    const struct message *m;
    while ((m = shard_peek(&p->shard, t + 1))) {
        p->last_event = t;
        p->outstanding++;
        l2_place(p, m->body);
        rx_arrive(&p->up, m);
        p->due.port = now;
        shard_take(&p->shard);
    }
}

/* One a cycle, if its bank has room. */
static void take_request(struct partition *p, uint64_t now)
{
    const struct message *m = rx_peek(&p->up);
    p->due.port = CYCLE_NEVER;
    if (!m || !l2_has_room(p, m->body))
        return;
    struct message out;
    sim_time through = rx_take(&p->up, now * p->l2_clock->period, &out);
    uint64_t at = divide_up(&p->l2_period, through) + p->config->memory.rop_latency;
    l2_enqueue(p, out.body, at, now);
    if (rx_peek(&p->up))
        p->due.port = now + 1;
}

/* --- the shard --- */

bool partition_is_idle(const struct shard *s)
{
    const struct partition *p = (const struct partition *)s;
    return !p->outstanding && !p->to_dram_n && !p->from_dram.n && dram_is_idle(p->dram);
}

/* Remembers when the partition came to rest: the same time in both engines. */
static void note_rest(struct partition *p, sim_time t)
{
    bool idle = partition_is_idle(&p->shard);
    if (idle && p->was_busy)
        p->last_event = t;
    p->was_busy = !idle;
}

static void l2_tick(struct partition *p, uint64_t now)
{
    bool all = p->every_cycle;
    take_messages(p, now);
    if (p->due.port <= now || all)
        take_request(p, now);
    if (p->due.fills <= now || all)
        dram_side_fill(p, now);
    if (p->due.banks <= now || all)
        l2_step(p, now);
    if (p->due.feed <= now || all)
        dram_side_feed(p, now);
    if (p->due.replies <= now || all)
        send_reply(p, now);
    p->l2_cycle = now + 1;
    note_rest(p, now * p->l2_clock->period);
}

/* The next cycle of L2 with something to do, if no message comes before. */
static uint64_t next_l2(const struct partition *p)
{
    if (p->every_cycle)
        return partition_is_idle(&p->shard) ? CYCLE_NEVER : p->l2_cycle;
    uint64_t next = min_u64(p->due.port, p->due.banks);
    next = min_u64(next, p->due.fills);
    next = min_u64(next, p->due.feed);
    return min_u64(next, p->due.replies);
}

static sim_time time_of_l2(const struct partition *p, uint64_t cycle)
{
    return cycle == CYCLE_NEVER ? TIME_NEVER : cycle * p->l2_clock->period;
}

/* Credits that the first reply waited for will be back. */
static void see_credits(struct partition *p)
{
    if (p->shard.credit_at == TIME_NEVER)
        return;
    p->due.replies = min_u64(p->due.replies, divide_up(&p->l2_period, p->shard.credit_at));
    p->shard.credit_at = TIME_NEVER;
}

static void partition_advance(struct shard *s, sim_time until)
{
    struct partition *p = (struct partition *)s;
    see_credits(p);
    for (;;) {
        const struct message *m = shard_peek(s, until);
        uint64_t now = next_l2(p);
        if (m)
            now = min_u64(now, divide_up(&p->l2_period, m->at));
        now = max_u64(now, p->l2_cycle);
        sim_time t = time_of_l2(p, now);
        if (t >= until && p->next_dram >= until) {
            s->next = min_u64(t, p->next_dram);
            return;
        }
        if (t <= p->next_dram) {
            l2_tick(p, now);
        } else {
            sim_time t_dram = p->next_dram;
            dram_side_tick(p);
            note_rest(p, t_dram);
        }
    }
}

static void partition_describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct partition *p = (const struct partition *)s;
    if (partition_is_idle(s))
        return;
    strbuf_addf(out, "  partition %u: %llu requests, %u towards DRAM, %u replies waiting\n",
                p->index, (unsigned long long)p->outstanding, p->to_dram_n, p->replies.n);
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        if (p->banks[b].queue.n)
            strbuf_addf(out, "    L2 bank %u: %u requests%s\n", b, p->banks[b].queue.n,
                        p->banks[b].stalled ? ", the first cannot be served" : "");
    dram_describe_wait(p->dram, out);
}

static const struct shard_ops partition_ops = {"partition", partition_advance, partition_is_idle,
                                               partition_describe_wait};

/* --- life --- */

static void create_banks(struct partition *p, const struct machine_config *c)
{
    const struct memory_config *m = &c->memory;
    p->n_banks = divider_make(m->banks);
    p->line_shift = (uint32_t)__builtin_ctz(c->l2.line_bytes);
    p->bank_places = m->rop_latency + m->input_queue;
    p->reply_places = m->l2_latency * m->banks + m->reply_queue;
    p->answers_drift = cache_answers_drift(c->l2_policy);
    p->banks = xcalloc(m->banks, sizeof *p->banks);
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
    p->shard = (struct shard){.ops = &partition_ops, .id = shard_id, .next = TIME_NEVER};
    p->config = c;
    p->l2_clock = l2;
    p->dram_clock = dram;
    p->l2_period = divider_make(l2->period);
    p->dram_period = divider_make(dram->period);
    p->index = index;
    p->mem = mem;
    p->every_cycle = every_cycle;
    p->due =
        (struct partition_due){CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER};
    p->next_dram = TIME_NEVER;
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
    (void)user;
    (void)line;
    (void)sectors;
}

void partition_flush(struct partition *p)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        cache_flush(p->banks[b].cache, drop_line, NULL);
}
