#include "cpu/caches.h"

#include "cache/fast.h"
#include "cpu/core.h"

/* --- queues --- */

static uint32_t ring_places(uint32_t n)
{
    uint32_t places = 1;
    while (places < n)
        places *= 2;
    return places;
}

static void queue_create(struct cpu_queue *q, uint32_t n, struct arena *arena)
{
    uint32_t places = ring_places(n);
    *q = (struct cpu_queue){.items = ARENA_ARRAY(arena, struct cpu_timed, places),
                            .mask = places - 1};
}

static void push(struct cpu_queue *q, uint64_t at, struct mem_request *r)
{
    assert(q->end - q->first <= q->mask);
    q->items[q->end++ & q->mask] = (struct cpu_timed){at, r};
}

static struct mem_request *pop(struct cpu_queue *q)
{
    return q->items[q->first++ & q->mask].request;
}

/* When its first entry is due. */
static uint64_t due(const struct cpu_queue *q)
{
    return q->first != q->end ? q->items[q->first & q->mask].at : CPU_NEVER;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* An entry was added to a queue or removed. */
static void note_due(struct cpu_caches *c)
{
    uint64_t from_l2 = c->first_l2_hit != c->end_l2_hit
                           ? c->l2_hits[c->first_l2_hit & c->l2_hits_mask].at
                           : CPU_NEVER;
    c->fill_at = earlier(due(&c->replies), from_l2);
    c->send_at = earlier(due(&c->reads), due(&c->writes));
}

/* --- requests --- */

static struct mem_request *make_request(struct cpu_caches *c, enum mem_kind kind, uint64_t line)
{
    struct mem_request *r = c->free_requests;
    bool reads = kind == MEM_LOAD;
    assert(r);
    c->free_requests = r->next;
    r->access = c->access;
    r->access.line = r->access.address = line;
    r->access.kind = kind;
    r->access.id += c->n_ids++;
    r->origin = reads ? FROM_CPU : FROM_STORE;
    r->data_bytes = CPU_LINE_BYTES;
    r->to = c->first_partition + address_partition(c->map, line);
    r->local = address_local(c->map, line);
    r->flits = noc_flits(c->noc, reads ? 0 : CPU_LINE_BYTES);
    r->missed = false;
    return r;
}

static void free_request(struct cpu_caches *c, struct mem_request *r)
{
    r->next = c->free_requests;
    c->free_requests = r;
}

static void write_back(struct cpu_caches *c, uint64_t line, uint64_t now)
{
    assert(c->n_writes < c->write_buffer);
    c->n_writes++;
    c->writebacks++;
    push(&c->writes, now, make_request(c, MEM_STORE, line));
}

/* --- accesses --- */

static const struct cache_resources all_room = {
    .miss_queue = true, .port = true, .bypass_table = true};

/* Fills in the fields that differ between accesses of a cache. */
static const struct mem_access *describe(struct mem_access *a, const struct cache *cache,
                                         enum mem_kind kind, uint64_t line, uint64_t now)
{
    a->line = a->address = line;
    a->set = cache_set_of(cache, line);
    a->kind = kind;
    a->cycle = now;
    return a;
}

/* Each miss may have to write two dirty lines: the line of L2 that its line replaces, and the line
 * of L2 that is replaced by the victim of L1. */
static struct cache_resources room_for_miss(const struct cpu_caches *c)
{
    struct cache_resources room = all_room;
    room.miss_queue = c->n_writes + 2 * (cache_mshrs_in_use(c->l1) + 1) <= c->write_buffer;
    return room;
}

/* L1 waits for the line; L2 has it, or requests it. */
static void ask_l2(struct cpu_caches *c, uint64_t line, uint32_t l1_mshr, uint64_t now)
{
    const struct mem_access *a = describe(&c->l2_access, c->l2, MEM_LOAD, line, now);
    struct cache_result res = cache_load(c->l2, a, all_room, (void *)(uintptr_t)(l1_mshr + 1));
    uint64_t at = now + c->l2_delay;
    if (res.answer == CACHE_HIT) {
        c->l2_hits[c->end_l2_hit++ & c->l2_hits_mask] = (struct cpu_l2_hit){at, l1_mshr};
        note_due(c);
        return;
    }
    assert(res.answer == CACHE_MISS); /* it has an MSHR for each of L1's */
    struct mem_request *r = make_request(c, MEM_LOAD, line);
    r->id = res.mshr;
    c->n_reads++;
    push(&c->reads, at, r);
    note_due(c);
}

static enum cpu_answer note(struct cpu_caches *c, struct cache_result res, uint64_t line,
                            uint64_t now)
{
    if (res.answer == CACHE_STALLED)
        return CPU_BLOCKED;
    if (res.answer == CACHE_HIT)
        return CPU_HIT;
    if (res.answer == CACHE_MISS)
        ask_l2(c, line, res.mshr, now);
    return CPU_WAITS;
}

enum cpu_answer cpu_caches_load(struct cpu_caches *c, uint64_t line, struct cpu_load *load,
                                uint64_t now)
{
    if (cache_load_fast(c->l1, cache_find(c->l1, line), 1, 0) == CACHE_FAST_HIT)
        return CPU_HIT;
    const struct mem_access *a = describe(&c->l1_access, c->l1, MEM_LOAD, line, now);
    return note(c, cache_load(c->l1, a, room_for_miss(c), load), line, now);
}

bool cpu_caches_store(struct cpu_caches *c, uint64_t line, uint64_t now)
{
    const struct mem_access *a = describe(&c->l1_access, c->l1, MEM_STORE, line, now);
    return note(c, cache_store(c->l1, a, room_for_miss(c), NULL), line, now) != CPU_BLOCKED;
}

/* --- data --- */

/* A dirty line is evicted from L1. */
static void put_into_l2(struct cpu_caches *c, uint64_t line, uint64_t now)
{
    const struct mem_access *a = describe(&c->l2_access, c->l2, MEM_STORE, line, now);
    struct cache_result res = cache_store(c->l2, a, all_room, NULL);
    assert(res.answer == CACHE_HIT); /* L1 had it, so nothing waits for it */
    if (res.writeback)
        write_back(c, cache_victim(c->l2)->line, now);
}

static void fill_l1(struct cpu_caches *c, uint32_t mshr, uint64_t now)
{
    struct cache_arrival got = cache_fill(c->l1, mshr, now);
    c->unblocked = true;
    for (uint32_t i = 0; i < got.n_waiters; i++)
        if (got.waiters[i])
            cpu_window_data(c->window, got.waiters[i], now);
    if (got.writeback)
        put_into_l2(c, cache_victim(c->l1)->line, now);
}

static void fill_from_llc(struct cpu_caches *c, struct mem_request *r, uint64_t now)
{
    struct cache_arrival got = cache_fill(c->l2, r->id, now);
    uint32_t l1_mshr = (uint32_t)(uintptr_t)got.waiters[0] - 1;
    if (got.writeback)
        write_back(c, cache_victim(c->l2)->line, now);
    c->n_reads--;
    c->bytes_got += r->data_bytes;
    c->llc_misses += r->missed;
    free_request(c, r);
    fill_l1(c, l1_mshr, now);
}

void cpu_caches_fill(struct cpu_caches *c, uint64_t now)
{
    while (due(&c->replies) <= now)
        fill_from_llc(c, pop(&c->replies), now);
    while (c->first_l2_hit != c->end_l2_hit &&
           c->l2_hits[c->first_l2_hit & c->l2_hits_mask].at <= now)
        fill_l1(c, c->l2_hits[c->first_l2_hit++ & c->l2_hits_mask].mshr, now);
    note_due(c);
}

void cpu_caches_take(struct cpu_caches *c, const struct message *m, uint64_t now)
{
    sim_time t = now * c->clock->period;
    if (m->kind == MSG_FREE) {
        c->n_writes--;
        c->unblocked = true;
        free_request(c, m->body);
        return;
    }
    assert(m->kind == MSG_REPLY);
    sim_time through = rx_pass(&c->down, t, m);
    push(&c->replies, clock_cycle_at(c->clock, through), m->body);
    note_due(c);
}

/* --- sending --- */

/* The queue whose first request leaves next: the one that was ready first, reads before writes. */
static struct cpu_queue *next_queue(struct cpu_caches *c)
{
    return due(&c->reads) <= due(&c->writes) ? &c->reads : &c->writes;
}

void cpu_caches_send(struct cpu_caches *c, uint64_t now)
{
    struct cpu_queue *q = next_queue(c);
    struct mem_request *r = q->items[q->first & q->mask].request;
    sim_time t = now * c->clock->period;
    if (!tx_can_send(&c->up, t, r->to, r->flits))
        return;
    pop(q);
    note_due(c);
    if (r->origin == FROM_CPU)
        c->bytes_asked += r->data_bytes;
    tx_send_declared(
        &c->up, t,
        (struct message){.to = r->to, .kind = MSG_REQUEST, .flits = r->flits, .body = r});
}

uint64_t cpu_caches_next_send(struct cpu_caches *c, uint64_t now)
{
    if (c->send_at == CPU_NEVER)
        return CPU_NEVER;
    const struct cpu_queue *q = next_queue(c);
    const struct mem_request *r = q->items[q->first & q->mask].request;
    uint64_t at = c->send_at > now ? c->send_at : now + 1;
    sim_time ready = tx_ready_at(&c->up, at * c->clock->period, r->to, r->flits);
    return ready == TIME_NEVER ? CPU_NEVER : clock_cycle_at(c->clock, ready);
}

/* --- life --- */

static struct cache *create_cache(const struct cpu_config *config, uint32_t bytes, uint32_t ways)
{
    uint32_t lines = config->simd_width > CPU_SOURCES ? config->simd_width : CPU_SOURCES;
    struct cache_config c = {.n_sets = bytes / CPU_LINE_BYTES / ways,
                             .n_ways = ways,
                             .line_bytes = CPU_LINE_BYTES,
                             .sector_bytes = CPU_LINE_BYTES,
                             .index = INDEX_LINEAR,
                             .n_mshrs = config->mlp,
                             .mshr_merges = lines * config->rob + config->store_buffer,
                             .allocate_on_fill = true,
                             .policy = "lru",
                             .write_back = true,
                             .write_allocate = true,
                             .no_fast_paths = config->no_fast_paths};
    return cache_create(&c, cache_policy_find("lru"), NULL, 0, 0);
}

static void create_requests(struct cpu_caches *c, uint32_t n, struct arena *arena)
{
    struct mem_request *requests = ARENA_ARRAY(arena, struct mem_request, n);
    for (uint32_t i = 0; i < n; i++) {
        requests[i].sm = c->shard_id;
        free_request(c, &requests[i]);
    }
}

void cpu_caches_create(struct cpu_caches *c, const struct cpu_setup *s, struct shard *shard,
                       struct cpu_window *window, struct arena *arena)
{
    const struct cpu_config *config = s->config;
    uint32_t places = ring_places(config->mlp);
    *c = (struct cpu_caches){.l1 = create_cache(config, config->l1_bytes, config->l1_ways),
                             .l2 = create_cache(config, config->l2_bytes, config->l2_ways),
                             .window = window,
                             .l2_delay = config->l1_latency + config->l2_latency,
                             .write_buffer = config->write_buffer,
                             .clock = s->clock,
                             .noc = s->noc,
                             .map = s->map,
                             .first_partition = s->first_partition,
                             .shard_id = shard->id};
    c->access = (struct mem_access){.segments = (1u << CPU_LINE_BYTES / CACHE_SEGMENT_BYTES) - 1,
                                    .byte_mask = {~0ull},
                                    .id = (s->app + 1ull) << 56,
                                    .source = s->place->index,
                                    .device = 1,
                                    .app = s->app};
    c->l1_access = c->l2_access = c->access;
    c->l1_access.sector_mask = c->l2_access.sector_mask = 1;
    c->l1_access.byte_mask[0] = 0; /* of its stores only the line is known; L1 writes back all */
    queue_create(&c->reads, config->mlp, arena);
    queue_create(&c->replies, config->mlp, arena);
    queue_create(&c->writes, config->write_buffer, arena);
    c->l2_hits = ARENA_ARRAY(arena, struct cpu_l2_hit, places);
    c->l2_hits_mask = places - 1;
    note_due(c);
    create_requests(c, config->mlp + config->write_buffer, arena);
    part_open_tx(s->place, s->first_network + NET_UP, shard, &c->up);
    tx_declare(&c->up, 1u << MSG_REQUEST);
    part_open_rx(s->place, s->first_network + NET_DOWN, shard, &c->down);
}

void cpu_caches_destroy(struct cpu_caches *c)
{
    cache_destroy(c->l1);
    cache_destroy(c->l2);
    tx_destroy(&c->up);
    rx_destroy(&c->down);
}
