/* Between L2 and its DRAM channel: a queue on the way there, a pipeline of dram_latency stages on
 * the way back. What is fetched or written are sectors; those of one line are one DRAM access.
 *
 * DRAM's own clock is not followed command by command: it catches up with L2 when something is to
 * enter its queue, or before data could come out of it that L2 has not heard of. The plain engine
 * does follow it, so that both can be compared.
 *
 * MODEL: that queue has one place more than configured, for a dirty line that must leave before its
 * place is used, so that a miss needs no more than one free place, whatever it pushes out. */
#include <stdlib.h>

#include "gpu/partition_parts.h"

void dram_side_create(struct partition *p, const struct address_map *map)
{
    p->bank_map = bank_map_make(map);
    p->dram = dram_create(&p->config->dram);
    p->to_dram_places = p->config->memory.dram_queue + 1;
    p->to_dram = xcalloc(p->to_dram_places, sizeof *p->to_dram);
    const struct dram_config *d = &p->config->dram;
    p->dram_lead = (sim_time)(d->t_cl + d->burst_cycles) * p->dram_clock->period +
                   l2_time(p, p->config->memory.dram_latency);
}

void dram_side_destroy(struct partition *p)
{
    dram_destroy(p->dram);
    free(p->to_dram);
    free(p->tags);
    ring_destroy(&p->from_dram);
}

/* --- there --- */

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

static void free_tag(struct partition *p, uint32_t tag)
{
    p->tags[tag].next = p->free_tags;
    p->free_tags = tag + 1;
}

/* When the first that waits may go, if DRAM has room for it. */
static void plan_feed(struct partition *p)
{
    bool can = p->to_dram_n && dram_has_room(p->dram);
    p->due.feed = can ? p->to_dram[p->to_dram_head].at : CYCLE_NEVER;
}

static void queue_access(struct partition *p, struct line_part what, bool write, uint32_t tag,
                         uint64_t now)
{
    assert(p->to_dram_n < p->to_dram_places && what.sectors);
    uint64_t local = (what.line >> p->line_shift) * p->n_banks.divisor + what.bank;
    struct dram_place d = bank_map_place(&p->bank_map, local << p->line_shift);
    uint32_t at = p->to_dram_head + p->to_dram_n++, sector_bytes = p->config->l2.sector_bytes;
    uint32_t n_sectors = (uint32_t)__builtin_popcount(what.sectors);
    struct dram_waiting *w = &p->to_dram[at < p->to_dram_places ? at : at - p->to_dram_places];
    w->at = now + 1;
    w->request = (struct dram_request){.bank = d.bank,
                                       .row = d.row,
                                       .column = d.column + (uint32_t)__builtin_ctz(what.sectors) *
                                                                sector_bytes,
                                       .bytes = n_sectors * sector_bytes,
                                       .write = write,
                                       .tag = tag};
    *(write ? &p->stats.sectors_written : &p->stats.sectors_read) += n_sectors;
    if (p->to_dram_n == 1)
        p->due.feed = now + 1;
}

void dram_side_read(struct partition *p, struct line_part what, uint32_t mshr,
                    struct mem_request *around, uint64_t now)
{
    uint32_t tag = new_tag(p);
    p->tags[tag] = (struct dram_tag){.around = around, .bank = what.bank, .mshr = mshr};
    p->stats.reads_around += around != NULL;
    queue_access(p, what, false, tag, now);
}

void dram_side_write(struct partition *p, struct line_part what, uint64_t now)
{
    queue_access(p, what, true, ~0u, now);
}

void dram_side_write_around(struct partition *p, struct line_part what, uint64_t now)
{
    p->stats.writes_around++;
    dram_side_write(p, what, now);
}

static bool waits_for_room(const struct partition *p)
{
    return p->to_dram_n && p->due.feed == CYCLE_NEVER;
}

/* Data cannot come before the next command is given and dram_lead is over; but whoever waits for
 * room wants to know at once. */
static void plan_dram(struct partition *p)
{
    uint64_t next = dram_next(p->dram, 0);
    bool at_once = p->every_cycle || waits_for_room(p);
    p->next_dram = p->dram_at = TIME_NEVER;
    p->dram_cycle = CYCLE_NEVER;
    if (next == UINT64_MAX)
        return;
    p->dram_at = next * p->dram_clock->period;
    p->next_dram = at_once ? p->dram_at : p->dram_at + p->dram_lead - 1;
    p->dram_cycle = divide(&p->l2_period, p->next_dram) + 1;
}

static void give_commands(struct partition *p, sim_time before);

void dram_side_feed(struct partition *p, uint64_t now)
{
    sim_time t = l2_time(p, now);
    uint64_t dram_now = divide(&p->dram_period, t);
    bool fed = false;
    if (!p->every_cycle && p->to_dram_n)
        give_commands(p, t);
    while (p->to_dram_n && p->to_dram[p->to_dram_head].at <= now && dram_has_room(p->dram)) {
        dram_push(p->dram, &p->to_dram[p->to_dram_head].request, dram_now);
        if (++p->to_dram_head == p->to_dram_places)
            p->to_dram_head = 0;
        p->to_dram_n--;
        fed = true;
    }
    plan_feed(p);
    plan_dram(p);
    if (!fed)
        return;
    l2_wake(p);
    if (p->from_dram.n) /* its data may have waited for a place */
        p->due.fills = ring_front(&p->from_dram)->at;
}

/* --- and back --- */

/* Data of a request that L2 does not keep: an atomic is performed on them and writes them back. */
static void come_around(struct partition *p, uint32_t bank, struct mem_request *r, uint64_t now)
{
    if (r->access.kind != MEM_ATOMIC) {
        partition_reply(p, r, now + 1);
        return;
    }
    struct line_part written = l2_part_of(r);
    l2_serve(p, &p->banks[bank], r, now);
    l2_wake(p);
    dram_side_write_around(p, written, now);
}

static void fill_line(struct partition *p, uint32_t bank, uint32_t mshr, uint64_t now)
{
    struct l2_bank *b = &p->banks[bank];
    struct cache_arrival got = cache_fill(b->cache, mshr, now);
    const struct cache_victim *victim = cache_victim(b->cache);
    if (got.writeback)
        dram_side_write(p, (struct line_part){bank, victim->line, victim->sectors}, now);
    l2_wake(p);
    for (uint32_t i = 0; i < got.n_waiters; i++)
        if (got.waiters[i])
            l2_serve(p, b, got.waiters[i], now);
}

void dram_side_fill(struct partition *p, uint64_t now)
{
    const struct timed_request *front;
    while ((front = ring_front(&p->from_dram)) && front->at <= now) {
        if (p->to_dram_n == p->to_dram_places) {
            p->due.fills = CYCLE_NEVER;
            return; /* there may be something to write: a dirty line, an atomic's result */
        }
        struct dram_tag tag = p->tags[front->tag];
        free_tag(p, front->tag);
        ring_pop(&p->from_dram);
        partition_note(p, l2_time(p, now));
        if (tag.around)
            come_around(p, tag.bank, tag.around, now);
        else
            fill_line(p, tag.bank, tag.mshr, now);
    }
    p->due.fills = front ? front->at : CYCLE_NEVER;
}

/* What is done by that cycle of DRAM. L2 sees it after DRAM's cycle, and dram_latency later. */
static void take_done(struct partition *p, uint64_t dram_now)
{
    bool had_data = p->from_dram.n > 0;
    uint64_t done;
    while ((done = dram_first_done(p->dram)) <= dram_now && done != UINT64_MAX) {
        struct dram_request r;
        sim_time t = done * p->dram_clock->period;
        dram_pop(p->dram, done, &r);
        partition_note(p, t);
        if (r.write)
            continue;
        uint32_t latency = p->config->memory.dram_latency; /* 0: its next cycle all the same */
        uint64_t at = divide_up(&p->l2_period, latency ? t : t + 1) + latency;
        ring_push(&p->from_dram, (struct timed_request){.at = at, .tag = (uint32_t)r.tag});
    }
    if (!had_data && p->from_dram.n)
        p->due.fills = ring_front(&p->from_dram)->at;
}

/* L2 sees that there is room in its next cycle. */
static void see_room(struct partition *p, sim_time t)
{
    p->l2_cycle = max_u64(p->l2_cycle, divide_up(&p->l2_period, t + 1));
    plan_feed(p);
}

/* Gives commands before that cycle of DRAM until there is room. */
static void make_room(struct partition *p, uint64_t before)
{
    uint64_t next;
    while (!dram_has_room(p->dram) && (next = dram_next(p->dram, 0)) < before) {
        dram_tick(p->dram, next);
        if (dram_has_room(p->dram))
            see_room(p, next * p->dram_clock->period);
    }
}

/* What DRAM does before that time. Not beyond the time at which data of the first command could
 * fill L2: that may have L2 ask for more, which the commands after it must find in the queue. */
static void give_commands(struct partition *p, sim_time before)
{
    if (waits_for_room(p))
        make_room(p, divide_up(&p->dram_period, before));
    else
        dram_advance(p->dram,
                     divide_up(&p->dram_period, min_u64(before, cycle_after(p->next_dram))));
    take_done(p, UINT64_MAX - 1); /* those that are still to come, too: it is known when */
}

void dram_side_catch_up(struct partition *p, sim_time before)
{
    give_commands(p, before);
    plan_dram(p);
}

void dram_side_tick(struct partition *p)
{
    uint64_t now = divide(&p->dram_period, p->next_dram);
    bool had_room = dram_has_room(p->dram);
    dram_tick(p->dram, now);
    take_done(p, now);
    if (!had_room)
        see_room(p, p->next_dram);
    plan_dram(p);
}
