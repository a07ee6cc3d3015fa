/* A discrete GPU's host: kernels on its CPU cores, transfers, and the CPU programs of a mix. */
#include "gpu/machine_run.h"

uint64_t machine_ns(const struct machine *m, sim_time t)
{
    const struct clock_domain *c = &m->clocks[CLOCK_CORE];
    uint64_t per_us = (uint64_t)c->period * c->mhz;
    return (uint64_t)(((__uint128_t)t * 1000 + per_us / 2) / per_us);
}

/* What follows begins with the next visibility period. */
static enum machine_end settle_host(struct machine *m, sim_time end)
{
    sim_time next = machine_next_boundary(m, end);
    m->kernel_free_at = next > m->engine.now ? next : m->engine.now;
    machine_advance_until(m, m->kernel_free_at);
    machine_handle_stops(m, m->kernel_free_at);
    return machine_cpu_failed(m) ? MACHINE_BAD_TRACE : m->stop ? MACHINE_STOPPED : MACHINE_DONE;
}

/* Of the machine's parts only the host's memory is concerned with kernels on CPU cores. */
static void start_kernel_in_memory(struct machine *m, const struct kernel_start *k)
{
    uint32_t group = m->host_memory.group;
    for (uint32_t i = 0; i < m->graph.groups[group].n; i++)
        machine_kind(m, group)->start_kernel(part_at(&m->graph, group, i), m, k);
}

static void end_kernel_in_memory(struct machine *m, uint32_t launch)
{
    uint32_t group = m->host_memory.group;
    for (uint32_t i = 0; i < m->graph.groups[group].n; i++)
        machine_kind(m, group)->after_kernel(part_at(&m->graph, group, i), launch);
}

enum machine_end machine_run_on_cmp(struct machine *m, struct emu *emu)
{
    const uint32_t *grid = emu->launch.grid;
    sim_time core = m->clocks[CLOCK_CORE].period, begin = m->kernel_free_at;
    sim_time limit = machine_limit(m, begin);
    struct dispatcher *dealer = machine_dealer(m);
    m->on_cmp = true;
    dealer->ended_at = begin;
    start_kernel_in_memory(m, &(struct kernel_start){.emu = emu, .at = begin});
    dispatcher_start(dealer, (uint64_t)grid[0] * grid[1] * grid[2], 1, begin);
    enum machine_end end = machine_run_engine(m, limit);
    m->on_cmp = false;
    if (machine_cpu_failed(m))
        end = MACHINE_BAD_TRACE;
    else if (m->engine.any_failed)
        end = MACHINE_FAULT;
    sim_time ended_at = end == MACHINE_DONE ? dealer->ended_at : m->engine.now;
    uint64_t cycles = (ended_at - begin) / core;
    m->stats.cycles += cycles;
    if (end == MACHINE_DONE) {
        m->testbed.kernel_ns += machine_ns(m, ended_at - begin);
        end = settle_host(m, ended_at);
        m->stats.wait_cycles += (m->kernel_free_at - begin) / core - cycles;
        end_kernel_in_memory(m, emu->launch.number);
    } else {
        m->kernel_free_at = m->engine.now;
    }
    m->halted = end != MACHINE_DONE;
    return end;
}

static bool transfer_is_done(void *user)
{
    const struct machine *m = user;
    return m->engine.any_failed || !machine_pcie(m)->is_busy || machine_is_over(m);
}

enum machine_end machine_transfer(struct machine *m, uint64_t address, uint64_t bytes, bool to_gpu)
{
    struct pcie *p = machine_pcie(m);
    sim_time begin = m->kernel_free_at, core = m->clocks[CLOCK_CORE].period;
    pcie_start(p, address, bytes, to_gpu, begin);
    while (!transfer_is_done(m) && !m->stop) {
        engine_run(&m->engine, transfer_is_done, m, machine_next_stop(m));
        machine_handle_stops(m, m->engine.now);
    }
    if (machine_cpu_failed(m))
        return MACHINE_BAD_TRACE;
    if (machine_is_over(m))
        return machine_end_with_cpus(m);
    if (p->is_busy)
        return MACHINE_STOPPED;
    uint64_t ns = machine_ns(m, p->ended_at - begin);
    *(to_gpu ? &m->testbed.upload_ns : &m->testbed.readback_ns) += ns;
    *(to_gpu ? &m->testbed.bytes_up : &m->testbed.bytes_down) += bytes;
    enum machine_end end = settle_host(m, p->ended_at);
    m->stats.wait_cycles += (m->kernel_free_at - begin) / core;
    return end;
}

static bool cpus_are_done(void *user)
{
    const struct machine *m = user;
    return m->engine.any_failed || (mix_cpus_have_ended(m) && testbed_is_sampled(m));
}

enum machine_end machine_finish_cpus(struct machine *m)
{
    sim_time core = m->clocks[CLOCK_CORE].period, begin = m->kernel_free_at;
    sim_time limit = machine_limit(m, begin);
    while (!cpus_are_done(m) && !m->stop && m->engine.now < limit) {
        sim_time stop = machine_next_stop(m) < limit ? machine_next_stop(m) : limit;
        if (engine_run(&m->engine, cpus_are_done, m, stop) != ENGINE_DONE)
            machine_handle_stops(m, m->engine.now);
    }
    if (machine_cpu_failed(m))
        return MACHINE_BAD_TRACE;
    if (mix_cpus_have_ended(m)) {
        sim_time end = machine_next_boundary(m, mix_cpus_ended_at(m));
        machine_advance_until(m, end > begin ? end : begin);
    }
    m->kernel_free_at = m->engine.now;
    m->stats.wait_cycles += (m->engine.now - begin) / core;
    if (m->stop)
        return MACHINE_STOPPED;
    return mix_cpus_have_ended(m) ? MACHINE_DONE : MACHINE_LIMIT;
}
