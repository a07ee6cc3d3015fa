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
    m->policy_clock.l1d = epochs_of(c->l1d_policy, &c->sm.l1d, &m->clocks[CLOCK_CORE]);
    m->policy_clock.l2 = epochs_of(c->l2_policy, &c->l2, &m->clocks[CLOCK_L2]);
}

static sim_time next_epoch(const struct epoch_clock *e)
{
    return e->period ? e->next * e->period : TIME_NEVER;
}

sim_time policy_clock_next(const struct policy_clock *c)
{
    sim_time l1d = next_epoch(&c->l1d), l2 = next_epoch(&c->l2);
    return l1d < l2 ? l1d : l2;
}

static void begin_l1d_epoch(struct machine *m)
{
    uint64_t k = m->policy_clock.l1d.next++;
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        cache_epoch(machine_sm(m, i)->l1d, k);
}

static void begin_l2_epoch(struct machine *m)
{
    uint64_t k = m->policy_clock.l2.next++;
    for (uint32_t i = 0; i < machine_n_slices(m); i++)
        for (uint32_t b = 0; b < m->config->memory.banks; b++)
            cache_epoch(machine_slice(m, i)->banks[b].cache, k);
}

void policy_clock_run(struct machine *m, sim_time t)
{
    const struct policy_clock *c = &m->policy_clock;
    for (sim_time next; (next = policy_clock_next(c)) <= t && next != TIME_NEVER;)
        if (next_epoch(&c->l1d) == next)
            begin_l1d_epoch(m);
        else
            begin_l2_epoch(m);
}
