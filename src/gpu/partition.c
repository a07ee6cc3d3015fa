#include "gpu/partition.h"

#include <stdlib.h>
#include <string.h>

#include "emu/atomic.h"

/* --- rings --- */

static void ring_push(struct request_ring *r, uint64_t at, struct mem_request *request)
{
    if (r->n == r->cap) {
        uint32_t cap = r->cap ? r->cap * 2 : 16;
        struct timed_request *items = xcalloc(cap, sizeof *items);
        for (uint32_t i = 0; i < r->n; i++)
            items[i] = r->items[(r->head + i) & (r->cap - 1)];
        free(r->items);
        r->items = items;
        r->cap = cap;
        r->head = 0;
    }
    r->items[(r->head + r->n++) & (r->cap - 1)] = (struct timed_request){at, request};
}

static struct timed_request *ring_front(const struct request_ring *r)
{
    return r->n ? &r->items[r->head] : NULL;
}

static void ring_pop(struct request_ring *r)
{
    r->head = (r->head + 1) & (r->cap - 1);
    r->n--;
}

/* --- addresses --- */

/* A partition's own addresses have the interleaving squeezed out, and so do a bank's. */
static uint32_t bank_of(const struct partition *p, uint64_t local)
{
    return (uint32_t)(local / p->config->l2.line_bytes % p->config->memory.banks);
}

static uint64_t bank_line(const struct partition *p, uint64_t local)
{
    uint64_t line_bytes = p->config->l2.line_bytes;
    return local / line_bytes / p->config->memory.banks * line_bytes;
}

static uint64_t local_of_bank_line(const struct partition *p, uint32_t bank, uint64_t line)
{
    uint64_t line_bytes = p->config->l2.line_bytes;
    return (line / line_bytes * p->config->memory.banks + bank) * line_bytes;
}

/* The device address of a partition's own one. */
static uint64_t global_of_local(const struct partition *p, uint64_t local)
{
    uint64_t chunk = p->map->interleave_bytes;
    return (local / chunk * p->map->n_partitions + p->index) * chunk + local % chunk;
}

/* --- DRAM side --- */

static uint32_t new_tag(struct partition *p)
{
    if (p->free_tags) {
        uint32_t i = p->free_tags - 1;
        p->free_tags = p->tags[i].next;
        return i;
    }
    ARRAY_RESERVE(p->tags, p->cap_tags, p->n_tags + 1);
    return p->n_tags++;
}

/* One place more than configured, for a dirty line that must leave before its place is used.
 * MODEL: so that a miss needs no more than one free place, whatever it pushes out. */
static uint32_t to_dram_places(const struct partition *p)
{
    return p->config->memory.dram_queue + 1;
}

static bool dram_queue_room(const struct partition *p)
{
    return p->to_dram_n < p->config->memory.dram_queue;
}

static void queue_dram(struct partition *p, uint64_t local, uint32_t bytes, bool write,
                       uint32_t tag, uint64_t now)
{
    struct dram_address d = address_split(p->map, global_of_local(p, local));
    assert(p->to_dram_n < to_dram_places(p));
    uint32_t at = (p->to_dram_head + p->to_dram_n++) % to_dram_places(p);
    p->to_dram[at] = (struct dram_waiting){.at = now + 1,
                                           .request = {.bank = d.bank,
                                                       .row = d.row,
                                                       .column = d.column,
                                                       .bytes = bytes,
                                                       .write = write,
                                                       .tag = tag}};
}

static void read_dram(struct partition *p, uint32_t bank, uint64_t line, uint32_t mshr,
                      struct mem_request *around, uint64_t now)
{
    uint32_t t = new_tag(p);
    p->tags[t] = (struct dram_tag){
        .bank = (uint8_t)bank, .around = around != NULL, .mshr = mshr, .request = around};
    queue_dram(p, local_of_bank_line(p, bank, line), p->config->l2.line_bytes, false, t, now);
}

static void write_dram(struct partition *p, uint32_t bank, uint64_t line, uint64_t now)
{
    queue_dram(p, local_of_bank_line(p, bank, line), p->config->l2.line_bytes, true, ~0u, now);
}

/* --- atomics: performed here, in the order in which L2 serves them --- */

static void perform_lane(struct partition *p, struct atomic_part *a, uint32_t lane)
{
    uint64_t old = 0, address = a->address[lane];
    uint32_t bytes = a->op->width;
    memcpy(&old, mem_host(p->mem, address), bytes);
    if (overlay_may_hold(&p->overlay, address))
        overlay_read(&p->overlay, address, &old, bytes);
    uint64_t v = atomic_result(a->op, old, a->b[lane], a->c[lane]);
    overlay_write(&p->overlay, address, &v, bytes);
    a->old[lane] = old;
}

/* Returns the cycles it takes. */
static uint32_t perform_atomic(struct partition *p, struct mem_request *r, uint64_t now)
{
    r->atomic->performed_at = now * p->l2_clock->period;
    uint32_t n = (uint32_t)__builtin_popcount(r->atomic->mask);
    for (uint32_t m = r->atomic->mask; m; m &= m - 1)
        perform_lane(p, r->atomic, (uint32_t)__builtin_ctz(m));
    p->stats.atomic_ops += n;
    uint32_t rate = p->config->memory.atomics_per_cycle;
    return (n + rate - 1) / rate;
}

/* --- L2 --- */

/* MODEL: from L2 to the reply port too there is a pipeline, of l2_latency stages, and a queue at
 * its end. What comes from DRAM has its place kept. */
static bool reply_has_room(const struct partition *p)
{
    const struct memory_config *m = &p->config->memory;
    return p->replies.n < m->l2_latency * m->banks + m->reply_queue;
}

static uint32_t reply_flits(const struct partition *p, const struct mem_request *r)
{
    bool old_value = r->access.kind == MEM_ATOMIC && !r->atomic->op->round;
    bool data = r->access.kind == MEM_LOAD || r->access.kind == MEM_INSTRUCTION || old_value;
    return noc_flits(&p->config->noc, data ? r->data_bytes : 0);
}

static void reply(struct partition *p, struct mem_request *r, uint64_t at)
{
    r->flits = reply_flits(p, r);
    ring_push(&p->replies, at, r);
}

/* The data of a request are in L2 now. */
static void serve(struct partition *p, struct l2_bank *b, struct mem_request *r, uint64_t now)
{
    uint64_t at = now + p->config->memory.l2_latency;
    if (r->access.kind == MEM_ATOMIC) {
        uint64_t start = b->busy_until > now ? b->busy_until : now;
        b->busy_until = start + perform_atomic(p, r, now);
        at = b->busy_until + p->config->memory.l2_latency;
    }
    reply(p, r, at);
}

static void free_store(struct partition *p, struct mem_request *r, uint64_t now)
{
    sim_time t = now * p->l2_clock->period;
    p->outstanding--;
    shard_send(
        &p->shard, t,
        (struct message){.at = t + p->down.latency, .to = r->sm, .kind = MSG_FREE, .body = r});
}

static struct mem_access l2_access(const struct mem_request *r, const struct l2_bank *b,
                                   uint64_t now)
{
    struct mem_access a = r->access;
    a.cycle = now;
    a.line = r->bank_line;
    a.address = a.line;
    a.set = cache_set_of(b->cache, a.line);
    a.sector_mask = 1;
    if (a.kind == MEM_ATOMIC) { /* reads and writes part of the line */
        a.byte_mask[0] = 1;
        a.byte_mask[1] = 0;
        a.full_line = false;
    }
    return a;
}

/* Serves the bank's first request; false if it must wait. */
static bool serve_first(struct partition *p, uint32_t bank, uint64_t now)
{
    struct l2_bank *b = &p->banks[bank];
    struct mem_request *r = ring_front(&b->queue)->request;
    bool store = r->access.kind == MEM_STORE, writes = store || r->access.kind == MEM_ATOMIC;
    bool to_dram = dram_queue_room(p);
    if (!reply_has_room(p) || (writes && !to_dram))
        return false;
    struct cache_room room = {.miss_queue = to_dram, .port = to_dram, .bypass_table = true};
    struct mem_access a = l2_access(r, b, now);
    struct cache_result res = writes ? cache_store(b->cache, &a, room, store ? NULL : r)
                                     : cache_load(b->cache, &a, room, r);
    if (res.answer == CACHE_STALLED)
        return false;
    if (res.writeback)
        write_dram(p, bank, res.victim_line, now);
    bool fetches = res.answer == CACHE_MISS && res.mshr != CACHE_NO_MSHR;
    bool around = !fetches && (res.answer == CACHE_MISS || res.answer == CACHE_BYPASSED);
    if (fetches)
        read_dram(p, bank, a.line, res.mshr, NULL, now);
    if (around && !store) /* an atomic writes when its data have come */
        read_dram(p, bank, a.line, 0, r, now);
    else if (res.forward)
        write_dram(p, bank, a.line, now);
    p->stats.accesses++;
    if (res.answer == CACHE_HIT && !store)
        serve(p, b, r, now);
    if (store)
        free_store(p, r, now);
    return true;
}

/* A stalled request waits for a line or MSHR that a fill sets free, or for room in the queues to
 * DRAM or to the SMs. The plain engine tries it every cycle all the same. */
static bool may_be_served(const struct partition *p, const struct l2_bank *b)
{
    return b->seen != p->changes || p->answers_drift || p->every_cycle;
}

static void step_bank(struct partition *p, uint32_t bank, uint64_t now)
{
    struct l2_bank *b = &p->banks[bank];
    struct timed_request *front = ring_front(&b->queue);
    if (!front || front->at > now || b->busy_until > now)
        return;
    if (b->stalled && !may_be_served(p, b))
        return;
    if (b->stalled)
        p->stats.stall_cycles += now - p->stalled_since[bank];
    b->seen = p->changes;
    uint64_t entered = front->request->queued_at; /* a store is gone once it is served */
    b->stalled = !serve_first(p, bank, now);
    p->stalled_since[bank] = now;
    if (b->stalled)
        return;
    queue_leave(&b->account, entered, now);
    ring_pop(&b->queue);
}

/* --- one cycle of L2 --- */

/* Divides once for all who want to know where the request belongs. */
static void place_request(const struct partition *p, struct mem_request *r)
{
    r->bank = bank_of(p, r->local);
    r->bank_line = bank_line(p, r->local);
}

static void take_messages(struct partition *p, uint64_t now)
{
    const struct message *m;
    while ((m = shard_peek(&p->shard, now * p->l2_clock->period + 1))) {
        struct message copy = *m;
        shard_take(&p->shard);
        p->last_event = now * p->l2_clock->period;
        if (copy.kind == MSG_DOWN_CREDIT) {
            tx_credit(&p->down, &copy);
            if (!p->replies.n)
                continue;
        } else {
            p->outstanding++;
            place_request(p, copy.body);
            rx_arrive(&p->up, &copy);
        }
        p->next_l2 = now;
    }
}

/* MODEL: the way from the port to L2 is a pipeline of rop_latency stages, one request in each, with
 * a queue at its end; when L2 stalls, both fill up before the port does. */
static bool bank_has_room(const struct partition *p, const struct l2_bank *b)
{
    return b->queue.n < p->config->memory.rop_latency + p->config->memory.input_queue;
}

static void take_request(struct partition *p, uint64_t now)
{
    const struct message *m = rx_peek(&p->up);
    if (!m)
        return;
    struct mem_request *r = m->body;
    struct l2_bank *b = &p->banks[r->bank];
    if (!bank_has_room(p, b))
        return;
    struct message out;
    sim_time through = rx_take(&p->up, now * p->l2_clock->period, &out);
    r->queued_at = now;
    queue_enter(&b->account, now);
    ring_push(&b->queue, clock_cycle_at(p->l2_clock, through) + p->config->memory.rop_latency, r);
}

/* Data of a request that L2 does not keep: an atomic is performed on them and writes them back. */
static void come_around(struct partition *p, uint32_t bank, struct mem_request *r, uint64_t now)
{
    if (r->access.kind != MEM_ATOMIC) {
        reply(p, r, now + 1);
        return;
    }
    serve(p, &p->banks[bank], r, now);
    write_dram(p, bank, r->bank_line, now);
}

static void fill_from_dram(struct partition *p, uint64_t now)
{
    struct timed_request *front;
    while ((front = ring_front(&p->from_dram)) && front->at <= now) {
        if (p->to_dram_n == to_dram_places(p))
            return; /* there may be something to write: a dirty line, an atomic's result */
        uint32_t t = (uint32_t)(uintptr_t)front->request;
        struct dram_tag tag = p->tags[t];
        p->tags[t].next = p->free_tags;
        p->free_tags = t + 1;
        ring_pop(&p->from_dram);
        struct l2_bank *b = &p->banks[tag.bank];
        if (tag.around) {
            come_around(p, tag.bank, tag.request, now);
            continue;
        }
        void *waiters[64];
        struct cache_result res = {0};
        uint32_t n = cache_fill(b->cache, tag.mshr, now, waiters, 64, &res);
        if (res.writeback)
            write_dram(p, tag.bank, res.victim_line, now);
        p->changes++;
        for (uint32_t i = 0; i < n; i++)
            if (waiters[i])
                serve(p, b, waiters[i], now);
    }
}

static void plan_dram(struct partition *p)
{
    uint64_t next = dram_next(p->dram, p->dram_cycle);
    p->next_dram = next == UINT64_MAX ? TIME_NEVER : next * p->dram_clock->period;
}

static void feed_dram(struct partition *p, sim_time t, uint64_t now)
{
    bool fed = false;
    while (p->to_dram_n && p->to_dram[p->to_dram_head].at <= now && dram_has_room(p->dram)) {
        dram_push(p->dram, &p->to_dram[p->to_dram_head].request, t / p->dram_clock->period);
        p->to_dram_head = (p->to_dram_head + 1) % to_dram_places(p);
        p->to_dram_n--;
        fed = true;
    }
    if (fed) {
        p->changes++;
        plan_dram(p);
    }
}

static void send_reply(struct partition *p, uint64_t now)
{
    struct timed_request *front = ring_front(&p->replies);
    sim_time t = now * p->l2_clock->period;
    if (!front || front->at > now)
        return;
    struct mem_request *r = front->request;
    if (!tx_can_send(&p->down, t, r->sm, r->flits))
        return;
    tx_send(
        &p->down, t,
        (struct message){.to = r->sm, .kind = MSG_REPLY, .flits = (uint16_t)r->flits, .body = r});
    ring_pop(&p->replies);
    p->outstanding--;
    p->changes++;
}

static void l2_tick(struct partition *p, uint64_t now)
{
    take_request(p, now);
    fill_from_dram(p, now);
    for (uint32_t b = 0; b < p->config->memory.banks; b++)
        step_bank(p, b, now);
    feed_dram(p, now * p->l2_clock->period, now);
    send_reply(p, now);
}

static void dram_step(struct partition *p, uint64_t now)
{
    struct dram_request r;
    dram_tick(p->dram, now);
    while (dram_pop(p->dram, now, &r)) {
        if (r.write)
            continue;
        uint64_t at = clock_cycle_at(p->l2_clock, now * p->dram_clock->period) +
                      p->config->memory.dram_latency;
        ring_push(&p->from_dram, at, (struct mem_request *)(uintptr_t)r.tag);
    }
}

/* --- the shard --- */

static bool partition_is_idle(const struct shard *s)
{
    const struct partition *p = (const struct partition *)s;
    return !p->outstanding && !p->to_dram_n && !p->from_dram.n && dram_is_idle(p->dram);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The next L2 cycle after `now` with something to do; a stalled bank waits for DRAM or a reply. */
static uint64_t next_l2(const struct partition *p, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    const struct timed_request *front;
    for (uint32_t b = 0; b < p->config->memory.banks; b++) {
        const struct l2_bank *bank = &p->banks[b];
        if ((front = ring_front(&bank->queue)) && (!bank->stalled || may_be_served(p, bank)))
            next = min_u64(next, front->at > bank->busy_until ? front->at : bank->busy_until);
    }
    if (rx_peek(&p->up)) {
        const struct mem_request *r = rx_peek(&p->up)->body;
        if (bank_has_room(p, &p->banks[r->bank]))
            return now + 1;
    }
    if ((front = ring_front(&p->from_dram)))
        next = min_u64(next, front->at);
    if (p->to_dram_n && dram_has_room(p->dram))
        next = min_u64(next, p->to_dram[p->to_dram_head].at);
    if ((front = ring_front(&p->replies))) {
        sim_time t =
            front->at > now + 1 ? front->at * p->l2_clock->period : (now + 1) * p->l2_clock->period;
        t = tx_ready_at(&p->down, t, front->request->sm, front->request->flits);
        if (t != TIME_NEVER)
            next = min_u64(next, clock_cycle_at(p->l2_clock, t));
    }
    return next > now ? next : now + 1;
}

/* After a tick of L2: when the next is due. A stalled bank is tried again in the cycle after
 * something left for DRAM or the SMs. */
static void plan_l2(struct partition *p, uint64_t now)
{
    if (p->every_cycle)
        p->next_l2 = partition_is_idle(&p->shard) ? UINT64_MAX : now + 1;
    else
        p->next_l2 = next_l2(p, now);
}

/* Remembers when the partition came to rest: the same time in both engines. */
static void note_rest(struct partition *p, sim_time t)
{
    bool idle = partition_is_idle(&p->shard);
    if (idle && p->was_busy)
        p->last_event = t;
    p->was_busy = !idle;
}

/* A message that only brings credits back while no reply waits for them needs no tick. */
static void advance_l2(struct partition *p, uint64_t now)
{
    take_messages(p, now);
    if (p->next_l2 <= now || p->every_cycle) {
        l2_tick(p, now);
        plan_l2(p, now);
    }
    p->l2_cycle = now + 1;
    note_rest(p, now * p->l2_clock->period);
}

/* What DRAM gives or makes room for, L2 sees in its next cycle. */
static void advance_dram(struct partition *p, sim_time t)
{
    uint64_t now = t / p->dram_clock->period;
    bool had_room = dram_has_room(p->dram);
    dram_step(p, now);
    p->dram_cycle = now + 1;
    plan_dram(p);
    note_rest(p, t);
    uint64_t at = UINT64_MAX, soonest = clock_cycle_at(p->l2_clock, t + 1);
    if (p->from_dram.n)
        at = ring_front(&p->from_dram)->at;
    if (!had_room && p->to_dram_n && dram_has_room(p->dram))
        at = min_u64(at, p->to_dram[p->to_dram_head].at);
    if (p->every_cycle && !partition_is_idle(&p->shard))
        at = soonest;
    if (at != UINT64_MAX)
        p->next_l2 = min_u64(p->next_l2, max_u64(at, soonest));
}

static void partition_advance(struct shard *s, sim_time until)
{
    struct partition *p = (struct partition *)s;
    for (;;) {
        const struct message *m = shard_peek(s, until);
        uint64_t now = p->next_l2;
        if (m)
            now = min_u64(now, clock_cycle_at(p->l2_clock, m->at));
        if (now < p->l2_cycle)
            now = p->l2_cycle;
        sim_time t_l2 = now == UINT64_MAX ? TIME_NEVER : now * p->l2_clock->period;
        if (t_l2 >= until && p->next_dram >= until) {
            s->next = min_u64(t_l2, p->next_dram);
            return;
        }
        if (t_l2 <= p->next_dram)
            advance_l2(p, now);
        else
            advance_dram(p, p->next_dram);
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
    p->map = map;
    p->index = index;
    p->mem = mem;
    p->every_cycle = every_cycle;
    p->next_l2 = UINT64_MAX;
    p->next_dram = TIME_NEVER;
    p->answers_drift = cache_answers_drift(c->l2_policy);
    overlay_init(&p->overlay);
    /* MODEL: each L2 bank brings a port of the network's width; those of a partition act as one. */
    uint32_t up = c->noc.flits_per_cycle_up * c->memory.banks;
    uint32_t down = c->noc.flits_per_cycle_down * c->memory.banks;
    rx_init(&p->up, &p->shard, noc, &c->noc, up, MSG_UP_CREDIT);
    tx_init(&p->down, &p->shard, noc, &c->noc, down, 0, n_sms);
    p->banks = xcalloc(c->memory.banks, sizeof *p->banks);
    p->stalled_since = xcalloc(c->memory.banks, sizeof *p->stalled_since);
    for (uint32_t b = 0; b < c->memory.banks; b++)
        p->banks[b].cache = cache_create(&c->l2, c->l2_policy, c->l2_params, 0, index * 64 + b);
    p->dram = dram_create(&c->dram);
    p->to_dram = xcalloc(to_dram_places(p), sizeof *p->to_dram);
}

void partition_destroy(struct partition *p)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++) {
        cache_destroy(p->banks[b].cache);
        free(p->banks[b].queue.items);
    }
    free(p->banks);
    free(p->stalled_since);
    dram_destroy(p->dram);
    free(p->to_dram);
    free(p->tags);
    free(p->from_dram.items);
    free(p->replies.items);
    overlay_destroy(&p->overlay);
    tx_destroy(&p->down);
    rx_destroy(&p->up);
    shard_destroy(&p->shard);
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
