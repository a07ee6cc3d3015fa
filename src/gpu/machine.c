/* Runs kernels on a machine: which functions of its parts are called, and when. */
#include <assert.h>

#include "base/minmax.h"
#include "gpu/machine_run.h"

/* --- the end of a visibility period --- */

static struct boundary boundary_at(const struct machine *m, sim_time t)
{
    return (struct boundary){
        .at = t, .mem = m->mem, .print = m->print, .print_user = m->print_user};
}

static void do_phase(struct machine *m, enum boundary_phase phase, struct boundary *b)
{
    for (uint32_t group = 0; group < m->graph.n_groups; group++) {
        const struct machine_part_kind *kind = machine_kind(m, group);
        for (uint32_t i = 0; kind->at_boundary[phase] && i < m->graph.groups[group].n; i++)
            kind->at_boundary[phase](part_at(&m->graph, group, i), b);
    }
}

void machine_at_boundary(void *user, sim_time t)
{
    struct machine *m = user;
    struct boundary b = boundary_at(m, t);
    do_phase(m, BOUNDARY_ATOMICS, &b);
    do_phase(m, BOUNDARY_SM_ATOMICS, &b);
    do_phase(m, BOUNDARY_STORES, &b);
    do_phase(m, BOUNDARY_TEXT, &b);
    if (m->recorder)
        trace_recorder_gather(m->recorder);
    do_phase(m, BOUNDARY_HEAP, &b);
    if (b.freed)
        do_phase(m, BOUNDARY_FORGET, &b);
}

/* --- running --- */

/* The part that failed first; at equal times, the one that comes first in the order of parts. */
static struct machine_part first_fault(const struct machine *m)
{
    struct machine_part first = {0};
    sim_time first_at = TIME_NEVER, at;
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->fault && p.kind->fault(p.shard, &at) && at < first_at) {
            first = p;
            first_at = at;
        }
    return first;
}

bool machine_is_over(const struct machine *m)
{
    return m->until_cpus_end && mix_cpus_have_ended(m);
}

/* Without CPU cores: all CTAs have ended, all parts are idle and no message is in flight, or a part
 * has failed while CTAs remain. With CPU cores: the side that runs the kernel is idle, a part has
 * failed, the GPU is stuck, or the CPU programs of a launch that is repeated until they end have
 * ended. */
static bool is_done(void *user)
{
    struct machine *m = user;
    if (m->on_cmp)
        return m->engine.any_failed || mix_cmp_is_idle(m) || machine_is_over(m);
    if (machine_is_mixed(m))
        return m->engine.any_failed || mix_gpu_is_idle(m) || mix_gpu_is_stuck(m) ||
               machine_is_over(m);
    if (m->dispatcher->done < m->dispatcher->n_ctas)
        return m->engine.any_failed;
    for (uint32_t i = 0; i < m->engine.n; i++)
        if (!m->engine.shards[i]->ops->is_idle(m->engine.shards[i]))
            return false;
    return !engine_has_mail(&m->engine);
}

/* When the machine drained: all parts idle, stores complete, credits returned. */
static sim_time idle_since(struct machine *m)
{
    if (machine_is_mixed(m))
        return mix_gpu_idle_since(m);
    sim_time t = part_graph_settle(&m->graph);
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->idle_since)
            t = max_u64(t, p.kind->idle_since(p.shard));
    return t;
}

static void start_kernel(struct machine *m, const struct kernel_start *k)
{
    m->print = k->emu->print;
    m->print_user = k->emu->print_user;
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->start_kernel)
            p.kind->start_kernel(p.shard, m, k);
}

static void report_fault(struct machine *m, struct emu *emu, struct machine_part p)
{
    sim_time at;
    const struct emu_fault *fault = p.kind->fault(p.shard, &at);
    emu->fault.kind = fault->kind;
    strbuf_clear(&emu->fault.text);
    strbuf_add(&emu->fault.text, strbuf_text(&fault->text));
    struct boundary b = boundary_at(m, at); /* keeps what the kernel printed before the fault */
    if (p.kind->at_boundary[BOUNDARY_TEXT])
        p.kind->at_boundary[BOUNDARY_TEXT](p.shard, &b);
}

static void end_kernel_in_parts(struct machine *m, struct emu *emu)
{
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->end_kernel)
            p.kind->end_kernel(p.shard, emu);
}

void machine_watch(struct machine *m, struct machine_watcher watcher)
{
    assert(m->n_watchers < MACHINE_MAX_WATCHERS && watcher.period_cycles > 0);
    watcher.next_cycle = watcher.period_cycles;
    m->watchers[m->n_watchers++] = watcher;
}

uint64_t machine_cycle(const struct machine *m)
{
    return m->kernel_free_at / m->clocks[CLOCK_CORE].period;
}

static sim_time next_look(const struct machine *m)
{
    uint64_t cycle = UINT64_MAX;
    for (uint32_t i = 0; i < m->n_watchers; i++)
        if (m->watchers[i].next_cycle < cycle)
            cycle = m->watchers[i].next_cycle;
    return cycle == UINT64_MAX ? TIME_NEVER : cycle * m->clocks[CLOCK_CORE].period;
}

/* Everything before t has been simulated: calls the watchers that are due by then. */
static void call_watchers(struct machine *m, sim_time t)
{
    for (uint32_t i = 0; i < m->n_watchers; i++) {
        struct machine_watcher *w = &m->watchers[i];
        for (; w->next_cycle * m->clocks[CLOCK_CORE].period <= t; w->next_cycle += w->period_cycles)
            w->look(w->user, m, w->next_cycle);
    }
}

sim_time machine_next_stop(const struct machine *m)
{
    sim_time look = next_look(m), policies = policy_clock_next(&m->policy_clock);
    return look < policies ? look : policies;
}

void machine_handle_stops(struct machine *m, sim_time t)
{
    for (sim_time next; (next = machine_next_stop(m)) <= t && next != TIME_NEVER;) {
        call_watchers(m, next);
        policy_clock_run(m, next);
    }
}

/* May the apparent deadlock end with a quota? A bank of L2 is stalled under a policy with apply(),
 * and a stop lies ahead, after which the controller may send quotas. */
static bool waits_for_quota(const struct machine *m)
{
    uint32_t n_stalled = 0;
    for (uint32_t i = 0; m->config->l2_policy->apply && i < machine_n_slices(m); i++)
        n_stalled += machine_slice(m, i)->n_stalled;
    return n_stalled && machine_next_stop(m) != TIME_NEVER;
}

static bool has_failed(void *user)
{
    return ((const struct machine *)user)->engine.any_failed;
}

void machine_advance_until(struct machine *m, sim_time t)
{
    while (m->engine.now < t && !has_failed(m)) {
        sim_time stop = machine_next_stop(m) < t ? machine_next_stop(m) : t;
        if (engine_run(&m->engine, has_failed, m, stop) == ENGINE_DEADLOCK)
            m->engine.now = stop; /* nothing is due before it: no deadlock */
        machine_handle_stops(m, m->engine.now);
    }
}

sim_time machine_next_boundary(const struct machine *m, sim_time t)
{
    return (t / m->visibility + 1) * m->visibility;
}

enum machine_end machine_end_with_cpus(struct machine *m)
{
    machine_advance_until(m, machine_next_boundary(m, mix_cpus_ended_at(m)));
    return MACHINE_STOPPED;
}

/* The engine stops for watchers and for epochs of policies. Stopping does not affect the
 * simulation, unless a watcher ends the launch. */
enum machine_end machine_run_engine(struct machine *m, sim_time limit)
{
    while (!m->stop) {
        sim_time stop = machine_next_stop(m) < limit ? machine_next_stop(m) : limit;
        enum engine_end end = engine_run(&m->engine, is_done, m, stop);
        if (end == ENGINE_DONE && machine_is_over(m))
            return machine_end_with_cpus(m);
        if (end == ENGINE_DONE && !m->on_cmp)
            return machine_is_mixed(m) && !mix_gpu_is_idle(m) ? MACHINE_DEADLOCK : MACHINE_DONE;
        if (end == ENGINE_DONE)
            return MACHINE_DONE;
        if (end == ENGINE_DEADLOCK) {
            if (!waits_for_quota(m))
                return MACHINE_DEADLOCK;
            m->engine.now = stop;
        }
        if (m->engine.now >= limit)
            return MACHINE_LIMIT;
        machine_handle_stops(m, m->engine.now);
    }
    return MACHINE_STOPPED;
}

/* MODEL: the next kernel begins at the first visibility boundary after the machine (with CPU cores:
 * the GPU) is idle; the engine never runs past that boundary. */
static void complete_kernel(struct machine *m, sim_time begin, uint32_t launch)
{
    sim_time core = m->clocks[CLOCK_CORE].period, end = m->dispatcher->ended_at;
    m->kernel_free_at = machine_next_boundary(m, idle_since(m));
    assert(m->engine.now <= m->kernel_free_at); /* otherwise a part has not reported when it became
                                                 * idle */
    m->stats.cycles += (end - begin) / core;
    m->testbed.kernel_ns += machine_is_discrete(m) ? machine_ns(m, end - begin) : 0;
    m->stats.wait_cycles += (m->kernel_free_at - end) / core;
    if (machine_is_mixed(m))
        machine_advance_until(m, m->kernel_free_at);
    machine_handle_stops(m, m->kernel_free_at); /* nothing else is due before that */
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->after_kernel)
            p.kind->after_kernel(p.shard, launch);
}

/* Called if a launch is cut off: at its limit, by a watcher, or because the CPU programs have
 * ended. Completes the counts of its cycles, of lifetimes of warps and of stalls at L1D up to now.
 * No launch may follow. */
static void cut_kernel(struct machine *m, sim_time begin)
{
    sim_time core = m->clocks[CLOCK_CORE].period;
    m->kernel_free_at = m->engine.now;
    m->stats.cycles += (m->engine.now - begin) / core;
    for (struct machine_part p = machine_first_part(m); p.kind; p = machine_next_part(m, p))
        if (p.kind->cut)
            p.kind->cut(p.shard, m->engine.now);
}

/* Does the kernel, or a function that it might call, have atomics that may be on global memory?
 * Those on shared memory never leave their SM. */
static bool launch_has_global_atomics(const struct emu_launch *l, const struct program *p)
{
    for (uint32_t f = 0; f < p->module->n_funcs; f++) {
        const struct program_func *func = &p->funcs[f];
        if (func != l->func && func->func->is_entry)
            continue;
        for (uint32_t pc = func->entry; pc < func->end; pc++)
            if (p->ops[pc].klass == PTX_CLASS_ATOMIC && p->ops[pc].sub2 != PTX_SHARED)
                return true;
    }
    return false;
}

bool machine_cpu_failed(const struct machine *m)
{
    uint32_t core;
    return mix_cpu_error(m, &core) != NULL;
}

enum machine_end machine_run(struct machine *m, struct emu *emu, const struct op_timing *timing,
                             uint32_t ctas_per_sm)
{
    sim_time core = m->clocks[CLOCK_CORE].period;
    sim_time begin = m->kernel_free_at;
    sim_time start = begin + (sim_time)m->config->run.launch_cycles * core;
    bool sm_atomics =
        m->config->atomics->net && launch_has_global_atomics(&emu->launch, emu->program);
    machine_link_sms(m, sm_atomics);
    start_kernel(m, &(struct kernel_start){.emu = emu,
                                           .timing = timing,
                                           .ctas_per_sm = ctas_per_sm,
                                           .sm_atomics = sm_atomics,
                                           .at = start});
    enum machine_end end = machine_run_engine(m, machine_limit(m, begin));
    struct machine_part faulty = first_fault(m);
    end_kernel_in_parts(m, emu);
    if (faulty.kind) {
        report_fault(m, emu, faulty);
        end = MACHINE_FAULT;
    } else if (machine_cpu_failed(m)) {
        end = MACHINE_BAD_TRACE;
    } else if (end == MACHINE_DONE) {
        machine_at_boundary(m, 0);
        complete_kernel(m, begin, emu->launch.number);
        end = machine_cpu_failed(m) ? MACHINE_BAD_TRACE : m->stop ? MACHINE_STOPPED : MACHINE_DONE;
    } else if (end != MACHINE_DEADLOCK) {
        cut_kernel(m, begin);
    }
    m->halted = end != MACHINE_DONE;
    return end;
}
