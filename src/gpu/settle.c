/* The end of a machine with CPU cores: they stop, everything in flight is completed, and nothing
 * may be lost. */
#include "gpu/machine_totals.h"
#include "gpu/mix.h"

/* More than any queue needs to drain. */
enum { SETTLE_CYCLES = 10000000 };

static bool all_are_idle(void *user)
{
    const struct machine *m = user;
    for (uint32_t i = 0; i < m->engine.n; i++)
        if (!m->engine.shards[i]->ops->is_idle(m->engine.shards[i]))
            return m->engine.any_failed;
    return !engine_has_mail(&m->engine);
}

/* A launch on the GPU that was cut off continues, so its side never becomes idle. */
static bool host_is_idle(void *user)
{
    const struct machine *m = user;
    return m->engine.any_failed || mix_host_is_idle(m);
}

/* False if that never happens. There are no observers any more, but a request may wait for a
 * policy's epoch. */
static bool run_until(struct machine *m, bool (*is_idle)(void *))
{
    sim_time limit = m->engine.now + SETTLE_CYCLES * m->clocks[CLOCK_CORE].period;
    while (!is_idle(m)) {
        sim_time epoch = policy_clock_next(&m->policy_clock), stop = epoch < limit ? epoch : limit;
        enum engine_end end = engine_run(&m->engine, is_idle, m, stop);
        if (end == ENGINE_DEADLOCK)
            m->engine.now = stop;
        if (m->engine.now >= limit)
            return false;
        policy_clock_run(m, m->engine.now);
    }
    return true;
}

static void stop_cores(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_cpus; i++)
        cpu_core_stop(machine_cpu(m, i));
    if (!machine_is_discrete(m))
        return;
    for (uint32_t i = 0; i < m->n_workers; i++)
        cpu_core_stop(machine_worker(m, i));
    pcie_stop(machine_pcie(m));
}

bool machine_settle(struct machine *m, struct strbuf *why)
{
    bool is_cut = m->until_cpus_end;
    machine_freeze_mix(m);
    m->print = NULL; /* what a cut-off launch still prints is discarded */
    stop_cores(m);
    if (!run_until(m, is_cut ? host_is_idle : all_are_idle)) {
        strbuf_add(why, "  requests of CPU cores are never answered\n");
        return false;
    }
    part_graph_settle(&m->graph);
    if (is_cut)
        return m->engine.any_failed || machine_check_host(m, why);
    return machine_check(m, why);
}
