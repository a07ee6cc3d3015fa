/* How a memory slice is built and destroyed. */
#include <stdlib.h>
#include <string.h>

#include "slice/slice_parts.h"

/* Gives each bank of a shared cache the index of its first set. */
static struct cache_config bank_config(const struct slice *p, uint32_t bank)
{
    struct cache_config c = p->config->l2;
    if (c.all_sets)
        c.first_set = c.n_sets * (p->index * p->config->memory.banks + bank);
    return c;
}

static void create_banks(struct slice *p, const struct slice_config *c)
{
    const struct memory_config *m = &c->memory;
    p->n_banks = divider_make(m->banks);
    p->bank_shift = (uint32_t)__builtin_ctz(m->banks);
    p->bank_mask = m->banks - 1;
    p->divides_banks = m->banks & (m->banks - 1) || c->no_fast_paths;
    p->line_shift = (uint32_t)__builtin_ctz(c->l2.line_bytes);
    p->line_mask = c->l2.line_bytes - 1;
    p->l2_sets = set_indexer_make(c->l2.n_sets, c->l2.line_bytes, c->l2.index);
    p->rop_latency = m->rop_latency;
    p->l2_latency = m->l2_latency;
    p->bank_entries = m->rop_latency + m->input_queue;
    p->reply_entries = m->l2_latency * m->banks + m->reply_queue;
    p->banks = xcalloc_lines(m->banks * sizeof *p->banks);
    for (uint32_t b = 0; b < m->banks; b++) {
        p->banks[b].due = CYCLE_NEVER;
        struct cache_config l2 = bank_config(p, b);
        p->banks[b].cache = cache_create(&l2, c->l2_policy, c->l2_params, 0, p->index * 64 + b);
        p->banks[b].atomics = &p->atomics.banks[b];
        p->banks[b].atomics->cache = p->banks[b].cache;
        if (p->may_lose)
            lost_watch(&p->banks[b]);
    }
}

void slice_create(struct slice *p, const struct slice_setup *setup)
{
    const struct slice_config *c = setup->config;
    const struct part_position *place = setup->place;
    memset(p, 0, sizeof *p);
    p->shard = (struct shard){.ops = c->llc && c->llc->period ? &controlled_slice_ops : &slice_ops,
                              .id = place->id,
                              .next = TIME_NEVER,
                              .tick = setup->l2_clock->period};
    p->config = c;
    p->dram_clock = setup->dram_clock;
    p->l2_period = divider_make(setup->l2_clock->period);
    p->dram_period = divider_make(setup->dram_clock->period);
    p->index = place->index;
    p->every_cycle = setup->every_cycle;
    p->works_on_time = setup->every_cycle || c->no_fast_paths;
    p->usual_flits = noc_flits(&c->noc, 0);
    p->due = (struct slice_due){CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER, CYCLE_NEVER};
    p->reply_at = p->units_at = CYCLE_NEVER;
    p->next_dram = p->dram_at = TIME_NEVER;
    p->dram_cycle = CYCLE_NEVER;
    p->atomics = (struct atomics_slice){.desc = c->atomics,
                                        .params = c->atomics_params,
                                        .mem = setup->mem,
                                        .per_cycle = c->memory.atomics_per_cycle};
    atomics_slice_create(&p->atomics, c->memory.banks);
    part_open_rx(place, setup->first_network + NET_UP, &p->shard, &p->up);
    part_open_tx(place, setup->first_network + NET_DOWN, &p->shard, &p->down);
    tx_declare(&p->down, 1u << MSG_REPLY);
    p->sees_loads = c->l2_policy != cache_policy_find("lru") || p->works_on_time || c->llc;
    p->may_lose = cache_policy_may_drop(c->l2_policy);
    create_banks(p, c);
    if (c->llc)
        llc_create(p);
    dram_side_create(p, setup->map);
}

void slice_destroy(struct slice *p)
{
    for (uint32_t b = 0; b < p->config->memory.banks; b++) {
        cache_destroy(p->banks[b].cache);
        lost_destroy(&p->banks[b].lost);
        ring_destroy(&p->banks[b].queue);
    }
    free(p->banks);
    llc_destroy(p);
    dram_side_destroy(p);
    ring_destroy(&p->replies);
    atomics_slice_destroy(&p->atomics);
    tx_destroy(&p->down);
    rx_destroy(&p->up);
}
