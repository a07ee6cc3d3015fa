#include "gpu/policy_clock.h"

#include "gpu/machine.h"

static struct epoch_clock epochs_of(const struct cache_policy_desc *policy,
                                    const struct cache_config *cache,
                                    const struct clock_domain *clock)
{
    return (struct epoch_clock){
        .period = policy->on_epoch ? (sim_time)cache->epoch_cycles * clock->period : 0, .next = 1};
}

void policy_clock_init(struct machine *m)
{
    const struct machine_config *c = m->config;
    const struct host_memory_config *h = &c->host_memory;
    struct epoch_clock *of = m->policy_clock.of;
    of[EPOCHS_L1D] = epochs_of(c->l1d_policy, &c->sm.l1d, &m->clocks[CLOCK_CORE]);
    of[EPOCHS_L2] = epochs_of(c->l2_policy, &c->l2, &m->clocks[CLOCK_L2]);
    if (h->is_separate)
        of[EPOCHS_HOST_LLC] = epochs_of(h->llc_policy, &h->llc, &m->clocks[CLOCK_HOST_LLC]);
}

static sim_time next_epoch(const struct epoch_clock *e)
{
    return e->period ? e->next * e->period : TIME_NEVER;
}

/* Which clock's epoch is due next; of several, the first. */
static uint32_t first_due(const struct policy_clock *c)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < N_EPOCH_CLOCKS; i++)
        if (next_epoch(&c->of[i]) < next_epoch(&c->of[first]))
            first = i;
    return first;
}

sim_time policy_clock_next(const struct policy_clock *c)
{
    return next_epoch(&c->of[first_due(c)]);
}

static void begin_l1d_epoch(struct machine *m, uint64_t k)
{
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        cache_epoch(machine_sm(m, i)->l1d, k);
}

static void begin_bank_epoch(struct machine *m, const struct machine_memory *memory, uint64_t k)
{
    for (uint32_t i = 0; i < m->graph.groups[memory->group].n; i++) {
        struct slice *s = (struct slice *)part_at(&m->graph, memory->group, i);
        for (uint32_t b = 0; b < memory->slices.memory.banks; b++)
            cache_epoch(s->banks[b].cache, k);
    }
}

static void begin_epoch(struct machine *m, uint32_t which)
{
    uint64_t k = m->policy_clock.of[which].next++;
    if (which == EPOCHS_L1D)
        begin_l1d_epoch(m, k);
    else
        begin_bank_epoch(m, which == EPOCHS_L2 ? &m->memory : &m->host_memory, k);
}

void policy_clock_run(struct machine *m, sim_time t)
{
    const struct policy_clock *c = &m->policy_clock;
    for (sim_time next; (next = policy_clock_next(c)) <= t && next != TIME_NEVER;)
        begin_epoch(m, first_due(c));
}
