/* Requests to the memory slices: how they are made from an access, their route, and the queue
 * in which they wait for the port. */
#include "sm/send.h"

static uint32_t chunk_shift(const struct address_map *m)
{
    bool odd = m->hash_partitions || (m->interleave_bytes & (m->interleave_bytes - 1)) != 0 ||
               m->n_partitions > m->interleave_bytes; /* see sm_route_in_turn() */
    return odd ? NO_CHUNK_SHIFT : (uint32_t)__builtin_ctz(m->interleave_bytes);
}

/* Four steps fold at most 16 groups of bits, and none of them shifts by 64 bits. */
static struct hashed_route plan_hashed(const struct address_map *m)
{
    struct hashed_route h = {.chunk_shift = (uint32_t)__builtin_ctz(m->interleave_bytes)};
    bool is_simple = m->hash_partitions && m->interleave_bytes == 1u << h.chunk_shift;
    if (is_simple && m->n_partitions >= 1u << 4 && m->n_partitions < 1u << 8)
        h.partition_bits = (uint32_t)__builtin_ctz(m->n_partitions);
    return h;
}

void sm_plan_routes(struct sm *sm, const struct address_map *map)
{
    sm->out.map = map;
    sm->out.n_partitions = divider_make(map->n_partitions);
    sm->out.chunk_shift = sm->config->no_fast_paths ? NO_CHUNK_SHIFT : chunk_shift(map);
    if (!sm->config->no_fast_paths)
        sm->out.hashed = plan_hashed(map);
}

struct route sm_route_by_map(const struct sm *sm, uint64_t line)
{
    uint64_t chunk = address_chunk(sm->out.map, line), bytes = sm->out.map->interleave_bytes;
    uint64_t mine = divider_div(&sm->out.n_partitions, chunk);
    uint32_t partition = sm->out.map->hash_partitions
                             ? address_hash(chunk, sm->out.map->n_partitions)
                             : divider_rem(&sm->out.n_partitions, chunk, mine);
    return (struct route){.to = sm->out.first_partition + partition,
                          .partition = partition,
                          .local = mine * bytes + (line - chunk * bytes)};
}

/* Stores and atomics carry data; the others only request. */
static uint32_t request_flits(const struct sm *sm, enum mem_kind kind, uint32_t bytes)
{
    bool carries = kind == MEM_STORE || kind == MEM_ATOMIC;
    return carries ? noc_flits(sm->out.noc, bytes) : sm->out.header_flits;
}

/* Allocates several at a time: demand that exceeds all previous demand usually grows further. */
struct mem_request *sm_make_request(struct sm *sm)
{
    enum { AT_A_TIME = 8 };
    struct mem_request *r = ARENA_ARRAY(&sm->pool, struct mem_request, AT_A_TIME);
    for (uint32_t i = 0; i < AT_A_TIME; i++)
        r[i].sm = sm->shard.id; /* never changes */
    for (uint32_t i = 1; i < AT_A_TIME; i++)
        sm_free_request(sm, &r[i]);
    return r;
}

struct mem_request *sm_new_request(struct sm *sm, const struct mem_access *a,
                                   const struct route *route, enum request_origin origin,
                                   uint32_t id, uint32_t bytes)
{
    struct mem_request *r = sm_take_request(sm);
    r->access = *a;
    r->origin = origin;
    r->id = id;
    r->data_bytes = bytes;
    r->to = route->to;
    r->flits = request_flits(sm, a->kind, bytes);
    r->local = route->local;
    r->waiter = NULL;
    return r;
}

void sm_queue_request(struct sm *sm, struct mem_request *r, uint64_t now)
{
    uint32_t places = sm_miss_queue_places(sm), at = sm->out.head + sm->out.n;
    assert(sm->out.n < places);
    r->queued_at = now;
    queue_enter(&sm->out.account, now);
    sm->out.queue[at < places ? at : at - places] = r;
    if (!sm->out.n++) /* one leaves per cycle; the one of this cycle may have left already */
        sm->out.due = sm->out.left_ahead >= now ? sm->out.left_ahead + 1 : 0;
    ldst_wake(sm, ~0u); /* it may wait for another reason now */
}

void sm_send(struct sm *sm, struct mem_request *r, uint64_t now)
{
    tx_send_declared(&sm->out.port, now * sm->clock->period, sm_message(r));
    sm_note_sent(sm, r->origin, sm_wanted_bytes(r));
}

void sm_submit(struct sm *sm, struct mem_request *r, uint64_t now)
{
    sm_submit_inline(sm, r, now);
}

/* When the first request can leave; none leaves without credits. */
static uint64_t drain_next(const struct sm *sm, uint64_t now)
{
    if (!sm->out.n)
        return UINT64_MAX;
    const struct mem_request *r = sm->out.queue[sm->out.head];
    sim_time t = tx_ready_at(&sm->out.port, now * sm->clock->period, r->to, r->flits);
    return t == TIME_NEVER ? UINT64_MAX : sm_cycle_at(sm, t);
}

static void send_first(struct sm *sm, uint64_t now)
{
    struct mem_request *r = sm->out.queue[sm->out.head];
    sm->out.head = sm->out.head + 1 < sm_miss_queue_places(sm) ? sm->out.head + 1 : 0;
    sm->out.n--;
    sm->fetch.stalled = false;
    queue_leave(&sm->out.account, r->queued_at, now);
    sm_send(sm, r, now);
}

/* One request per cycle leaves the miss queue, if the port accepts it. */
void sm_drain_miss_queue(struct sm *sm, uint64_t now)
{
    if (!sm->out.n)
        return;
    struct mem_request *r = sm->out.queue[sm->out.head];
    if (tx_can_send(&sm->out.port, now * sm->clock->period, r->to, r->flits)) {
        ldst_wake(sm, SM_WAIT_FOR_QUEUE);
        send_first(sm, now);
    }
    sm->out.due = drain_next(sm, now);
}

void sm_drain_ahead(struct sm *sm, uint64_t next)
{
    sim_time t = next * sm->clock->period;
    if (!sm->out.n || t >= sm->shard.until || sm_ldst_waits_for_queue(sm))
        return;
    struct mem_request *r = sm->out.queue[sm->out.head];
    if (!tx_is_open(&sm->out.port, t, r->to, r->flits))
        return;
    send_first(sm, next);
    sm->out.left_ahead = next;
    uint64_t due = drain_next(sm, next);
    sm->out.due = due > next ? due : next + 1;
}
