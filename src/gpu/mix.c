#include "gpu/mix.h"

static bool has_mail(const struct machine *m, uint32_t group)
{
    const struct part_group *g = &m->graph.groups[group];
    return engine_has_mail_for(&m->engine, g->first_id, g->n);
}

static bool group_is_idle(const struct machine *m, uint32_t group)
{
    for (uint32_t i = 0; i < m->graph.groups[group].n; i++) {
        const struct shard *s = part_at(&m->graph, group, i);
        if (!s->ops->is_idle(s))
            return false;
    }
    return !has_mail(m, group);
}

bool mix_gpu_is_idle(const struct machine *m)
{
    if (m->dispatcher->done < m->dispatcher->n_ctas)
        return false;
    return group_is_idle(m, m->sm_group) && !has_mail(m, m->dispatcher_group);
}

sim_time mix_gpu_idle_since(const struct machine *m)
{
    sim_time last = m->dispatcher->ended_at;
    for (uint32_t i = 0; i < machine_n_sms(m); i++) {
        sim_time t = machine_sm(m, i)->activity.last_event;
        last = t > last ? t : last;
    }
    return last;
}

/* It only waits for a message, and no message is outstanding. */
static bool is_stuck(const struct sm *sm)
{
    return sm->planned == UINT64_MAX && !sm->out.n_out && sm->shard.credit_at == TIME_NEVER;
}

bool mix_gpu_is_stuck(const struct machine *m)
{
    if (m->dispatcher->ticker.shard.next != TIME_NEVER ||
        atomic_load_explicit(&m->engine.boundary_requested, memory_order_relaxed))
        return false;
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        if (!is_stuck(machine_sm(m, i)))
            return false;
    return !has_mail(m, m->sm_group) && !has_mail(m, m->dispatcher_group);
}

bool mix_cmp_is_idle(const struct machine *m)
{
    const struct dispatcher *d = machine_dealer(m);
    return d->done == d->n_ctas && !has_mail(m, m->dealer_group);
}

bool mix_host_is_idle(const struct machine *m)
{
    return (!m->n_cpus || group_is_idle(m, m->cpu_group)) &&
           (!m->n_workers || group_is_idle(m, m->worker_group)) &&
           group_is_idle(m, m->pcie_group) && group_is_idle(m, m->host_memory.group);
}

bool mix_cpus_have_ended(const struct machine *m)
{
    for (uint32_t i = 0; i < m->n_cpus; i++)
        if (!cpu_core_has_ended(machine_cpu(m, i)))
            return false;
    return true;
}

sim_time mix_cpus_ended_at(const struct machine *m)
{
    sim_time last = 0;
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        const struct cpu_core *c = machine_cpu(m, i);
        sim_time t = ticker_time(&c->ticker, c->started + c->first_end);
        last = t > last ? t : last;
    }
    return last;
}

uint64_t mix_cpu_insts(const struct machine *m)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->n_cpus; i++)
        n += machine_cpu(m, i)->window.retired;
    return n;
}

const char *mix_cpu_error(const struct machine *m, uint32_t *core)
{
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        *core = i;
        if (cpu_core_error(machine_cpu(m, i)))
            return cpu_core_error(machine_cpu(m, i));
    }
    return NULL;
}
