#include "gpu/pcie.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cache/cache.h"

/* --- time --- */

/* The time that those bytes take on the link. */
static sim_time link_time(const struct pcie *p, uint64_t bytes)
{
    return (sim_time)((__uint128_t)bytes * p->units_per_us / p->mb_per_s);
}

static sim_time latency(const struct pcie *p)
{
    return (sim_time)((__uint128_t)p->latency_ns * p->units_per_us / 1000);
}

static uint64_t to_ns(const struct pcie *p, sim_time t)
{
    return (uint64_t)(((__uint128_t)t * 1000 + p->units_per_us / 2) / p->units_per_us);
}

/* The cycle in which the next line's turn on the link begins. */
static uint64_t due(const struct pcie *p)
{
    return clock_cycle_at(p->ticker.clock, p->base + link_time(p, p->next_line * PCIE_LINE_BYTES));
}

/* --- requests --- */

static struct mem_request *make_request(struct pcie *p)
{
    struct mem_request *r = p->free_requests;
    uint64_t line = p->address / PCIE_LINE_BYTES * PCIE_LINE_BYTES + p->next_line * PCIE_LINE_BYTES;
    r->access = (struct mem_access){.segments = (1u << PCIE_LINE_BYTES / CACHE_SEGMENT_BYTES) - 1,
                                    .byte_mask = {~0ull},
                                    .line = line,
                                    .address = line,
                                    .device = 1,
                                    .kind = p->to_gpu ? MEM_LOAD : MEM_STORE};
    r->origin = FROM_PCIE;
    r->sm = p->ticker.shard.id;
    r->data_bytes = PCIE_LINE_BYTES;
    r->to = p->first_partition + address_partition(p->map, line);
    r->local = address_local(p->map, line);
    r->flits = noc_flits(p->noc, p->to_gpu ? 0 : PCIE_LINE_BYTES);
    return r;
}

static void free_request(struct pcie *p, struct mem_request *r)
{
    r->next = p->free_requests;
    p->free_requests = r;
    p->n_free++;
}

/* A late line delays all that follow. */
static void note_delay(struct pcie *p, uint64_t now)
{
    uint64_t late = now - due(p);
    p->base += late * p->ticker.clock->period;
    p->stats.wait_ns += to_ns(p, late * p->ticker.clock->period);
}

/* --- the shard --- */

static void end_transfer(struct pcie *p, uint64_t now)
{
    sim_time end = p->base + link_time(p, p->bytes) + latency(p), t = ticker_time(&p->ticker, now);
    p->ended_at = end > t ? end : t;
    p->is_busy = false;
    p->stats.transfers++;
    p->stats.ns += to_ns(p, p->ended_at - p->started);
    *(p->to_gpu ? &p->stats.bytes_to_gpu : &p->stats.bytes_from_gpu) += p->bytes;
}

/* The next cycle in which the next line may be requested. */
static uint64_t next_try(struct pcie *p, uint64_t now)
{
    if (p->next_line == p->n_lines || !p->free_requests)
        return TICK_NEVER;
    uint64_t at = due(p) > now ? due(p) : now + 1;
    const struct mem_request *r = make_request(p);
    sim_time ready = tx_ready_at(&p->up, ticker_time(&p->ticker, at), r->to, r->flits);
    return ready == TIME_NEVER ? TICK_NEVER : clock_cycle_at(p->ticker.clock, ready);
}

static uint64_t tick(struct shard *s, uint64_t now)
{
    struct pcie *p = (struct pcie *)s;
    sim_time t = ticker_time(&p->ticker, now);
    if (!p->is_busy)
        return TICK_NEVER;
    if (p->next_line < p->n_lines && p->free_requests && due(p) <= now) {
        struct mem_request *r = make_request(p);
        if (tx_can_send(&p->up, t, r->to, r->flits)) {
            note_delay(p, now);
            p->free_requests = r->next;
            p->n_free--;
            p->next_line++;
            p->lines_asked++;
            tx_send(
                &p->up, t,
                (struct message){.to = r->to, .kind = MSG_REQUEST, .flits = r->flits, .body = r});
        }
    }
    if (p->next_line == p->n_lines && p->n_free == p->n_requests)
        end_transfer(p, now);
    return p->is_busy ? next_try(p, now) : TICK_NEVER;
}

static void take(struct shard *s, const struct message *m, uint64_t now)
{
    struct pcie *p = (struct pcie *)s;
    assert(m->kind == MSG_REPLY || m->kind == MSG_FREE);
    if (m->kind == MSG_REPLY) {
        rx_pass(&p->down, ticker_time(&p->ticker, now), m);
        p->bytes_got += PCIE_LINE_BYTES;
    }
    free_request(p, m->body);
}

static bool is_idle(const struct shard *s)
{
    return !((const struct pcie *)s)->is_busy;
}

static void describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct pcie *p = (const struct pcie *)s;
    strbuf_addf(out,
                "PCIe: a transfer of %llu bytes, %llu of %llu lines requested, %u outstanding\n",
                (unsigned long long)p->bytes, (unsigned long long)p->next_line,
                (unsigned long long)p->n_lines, p->n_requests - p->n_free);
}

static const struct shard_ops ops = {.kind = "PCIe",
                                     .advance = ticker_advance,
                                     .is_idle = is_idle,
                                     .describe_wait = describe_wait,
                                     .take = take,
                                     .tick = tick};

/* --- life --- */

void pcie_create(struct pcie *p, const struct pcie_setup *s)
{
    *p = (struct pcie){.map = s->map,
                       .noc = s->noc,
                       .first_partition = s->first_partition,
                       .n_requests = s->n_requests,
                       .latency_ns = s->latency_ns,
                       .mb_per_s = s->mb_per_s,
                       .units_per_us = (uint64_t)s->clock->period * s->clock->mhz};
    ticker_init(&p->ticker, &ops, s->place->id, s->clock);
    p->requests = xcalloc(s->n_requests, sizeof *p->requests);
    for (uint32_t i = 0; i < s->n_requests; i++)
        free_request(p, &p->requests[i]);
    part_open_tx(s->place, s->first_network + NET_UP, &p->ticker.shard, &p->up);
    part_open_rx(s->place, s->first_network + NET_DOWN, &p->ticker.shard, &p->down);
}

void pcie_destroy(struct pcie *p)
{
    free(p->requests);
    tx_destroy(&p->up);
    rx_destroy(&p->down);
}

void pcie_start(struct pcie *p, uint64_t address, uint64_t bytes, bool to_gpu, sim_time at)
{
    uint64_t in_line = address % PCIE_LINE_BYTES;
    assert(!p->is_busy);
    p->is_busy = true;
    p->to_gpu = to_gpu;
    p->address = address;
    p->bytes = bytes;
    p->n_lines = bytes ? (in_line + bytes + PCIE_LINE_BYTES - 1) / PCIE_LINE_BYTES : 0;
    p->next_line = 0;
    p->started = p->base = at;
    ticker_start(&p->ticker, at);
}

void pcie_stop(struct pcie *p)
{
    p->n_lines = p->next_line;
}
