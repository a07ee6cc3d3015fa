#include "gpu/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "emu/hostcall.h"

/* --- construction: SMs have the ids 0.., then partitions, then the dispatcher --- */

static uint32_t first_partition_id(const struct machine_config *c)
{
    return c->gpu->n_sms;
}

static uint32_t dispatcher_id(const struct machine_config *c)
{
    return c->gpu->n_sms + c->memory.n_partitions;
}

static sim_time dispatch_latency(const struct machine *m)
{
    return (sim_time)m->config->run.dispatch_cycles * m->clocks[CLOCK_CORE].period;
}

static sim_time link_latency(const struct machine *m)
{
    return (sim_time)m->config->noc.latency_cycles * m->clocks[CLOCK_NOC].period;
}

static void set_clocks(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->clocks[CLOCK_CORE] = (struct clock_domain){"core", c->gpu->core_clock_mhz, 0};
    m->clocks[CLOCK_NOC] = (struct clock_domain){"network", c->run.noc_clock_mhz, 0};
    m->clocks[CLOCK_L2] = (struct clock_domain){"L2", c->run.l2_clock_mhz, 0};
    m->clocks[CLOCK_DRAM] = (struct clock_domain){"DRAM", c->run.dram_clock_mhz, 0};
    clocks_resolve(m->clocks, N_CLOCKS);
}

/* What the smallest store or atomic needs from an SM to L2 on an idle network, if it leaves the
 * network by `out` flits a cycle. */
static sim_time way_to_l2(const struct machine *m, uint32_t out)
{
    const struct machine_config *c = m->config;
    uint32_t flits = noc_flits(&c->noc, SEGMENT_BYTES);
    sim_time cycles = flits / c->noc.flits_per_cycle_up + flits / out;
    return link_latency(m) + cycles * m->clocks[CLOCK_NOC].period +
           (sim_time)c->memory.rop_latency * m->clocks[CLOCK_L2].period;
}

/* The ports of all banks of a partition act as one: nothing is there sooner. */
static sim_time shortest_way_to_l2(const struct machine *m)
{
    return way_to_l2(m, m->config->noc.flits_per_cycle_up * m->config->memory.banks);
}

/* MODEL: by default stores become visible after the time they take to L2 on an idle network. */
static sim_time visibility_period(const struct machine *m)
{
    const struct machine_config *c = m->config;
    sim_time core = m->clocks[CLOCK_CORE].period;
    if (c->run.visibility_cycles)
        return c->run.visibility_cycles * core;
    return (way_to_l2(m, c->noc.flits_per_cycle_up) + core - 1) / core * core;
}

static void create_sms(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->sms = xcalloc_lines(c->gpu->n_sms * sizeof *m->sms);
    for (uint32_t i = 0; i < c->gpu->n_sms; i++) {
        struct sm_setup s = {.config = &c->sm,
                             .clock = &m->clocks[CLOCK_CORE],
                             .noc_clock = &m->clocks[CLOCK_NOC],
                             .noc = &c->noc,
                             .map = &m->map,
                             .index = i,
                             .shard_id = i,
                             .first_partition = first_partition_id(c),
                             .dispatcher = dispatcher_id(c),
                             .n_warps = c->gpu->warps_per_sm,
                             .n_cta_slots = c->gpu->ctas_per_sm,
                             .dispatch_latency = dispatch_latency(m),
                             .visibility = m->visibility,
                             .way_to_l2 = shortest_way_to_l2(m),
                             .every_cycle = m->options.every_cycle,
                             .scheduler = c->scheduler,
                             .scheduler_params = c->scheduler_params,
                             .criticality = c->criticality,
                             .criticality_params = c->criticality_params,
                             .criticality_input = c->criticality_input,
                             .l1d_policy = c->l1d_policy,
                             .l1d_params = c->l1d_params,
                             .l2_is_lru = c->l2_policy == cache_policy_find("lru"),
                             .seed = i + 1};
        sm_create(&m->sms[i], &s);
        if (m->options.attribute)
            attribution_create(&m->sms[i]);
        m->shards[i] = &m->sms[i].shard;
    }
}

/* Between the events of an SM nobody asks how critical its warps are, so the machine does. */
static void sample_criticality(void *user, const struct machine *m, uint64_t cycle)
{
    (void)user;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++)
        attribution_sample(&m->sms[i], cycle);
}

static void sample_mechanisms(void *user, const struct machine *m, uint64_t cycle)
{
    mechanism_stats_sample(user, m, cycle);
}

static void watch_mechanisms(struct machine *m)
{
    mechanism_stats_init(&m->mechanisms, m->config, &m->arena);
    if (mechanism_stats_are_sampled(&m->mechanisms))
        machine_watch(m, (struct machine_watcher){.period_cycles = STAT_SAMPLE_CYCLES,
                                                  .look = sample_mechanisms,
                                                  .user = &m->mechanisms});
}

static void create_partitions(struct machine *m)
{
    const struct machine_config *c = m->config;
    m->partitions = xcalloc_lines(c->memory.n_partitions * sizeof *m->partitions);
    for (uint32_t i = 0; i < c->memory.n_partitions; i++) {
        uint32_t id = first_partition_id(c) + i;
        partition_create(&m->partitions[i], c, id, i, c->gpu->n_sms, &m->clocks[CLOCK_NOC],
                         &m->clocks[CLOCK_L2], &m->clocks[CLOCK_DRAM], &m->map, m->mem,
                         m->options.every_cycle);
        m->shards[id] = &m->partitions[i].shard;
    }
}

/* What kernels printed comes out like what they stored: by SMs, whatever the quantum. */
static void pass_on_text(struct machine *m, struct sm *sm)
{
    if (sm->printed.len && m->print)
        m->print(m->print_user, strbuf_text(&sm->printed), sm->printed.len);
    strbuf_clear(&sm->printed);
}

/* What was freed may be allocated anew: nobody may go by what it remembers. */
static void serve_heap(struct machine *m, sim_time t)
{
    bool freed = false;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++)
        if (m->sms[i].heap.n)
            freed |= sm_perform_heap_calls(&m->sms[i], t);
    for (uint32_t i = 0; freed && i < m->config->gpu->n_sms; i++)
        emu_forget_ranges(&m->sms[i].emu);
}

/* The period is over: atomics become visible first, then stores, in the order of the SMs; what is
 * asked of the heap comes last. */
static void commit_memory(void *user, sim_time t)
{
    struct machine *m = user;
    for (uint32_t i = 0; i < m->config->memory.n_partitions; i++)
        overlay_commit(&m->partitions[i].overlay, m->mem);
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++) {
        overlay_commit(&m->sms[i].overlay, m->mem);
        pass_on_text(m, &m->sms[i]);
    }
    if (m->recorder)
        trace_recorder_gather(m->recorder);
    serve_heap(m, t);
}

static sim_time choose_quantum(const struct machine *m)
{
    sim_time most = link_latency(m), asked;
    if (dispatch_latency(m) < most)
        most = dispatch_latency(m);
    asked = (sim_time)m->options.quantum * m->clocks[CLOCK_CORE].period;
    return asked && asked < most ? asked : most;
}

struct machine *machine_create(const struct machine_config *config,
                               const struct machine_options *options, struct dev_mem *mem)
{
    struct machine *m = xcalloc(1, sizeof *m);
    uint32_t n = dispatcher_id(config) + 1;
    m->config = config;
    m->options = *options;
    m->mem = mem;
    set_clocks(m);
    m->map = (struct address_map){.n_partitions = config->memory.n_partitions,
                                  .interleave_bytes = config->memory.interleave_bytes,
                                  .n_banks = config->dram.n_banks,
                                  .row_bytes = config->dram.row_bytes,
                                  .bank_interleave_bytes = config->dram.bank_interleave_bytes,
                                  .hash_partitions = config->memory.hash_partitions};
    m->visibility = visibility_period(m);
    m->shards = xcalloc(n, sizeof *m->shards);
    create_sms(m);
    create_partitions(m);
    dispatcher_create(&m->dispatcher, dispatcher_id(config), config->gpu->n_sms,
                      &m->clocks[CLOCK_CORE], dispatch_latency(m));
    m->shards[n - 1] = &m->dispatcher.shard;
    sim_time least = choose_quantum(m);
    for (uint32_t i = 0; i < n - 1; i++)
        m->shards[i]->min_latency =
            link_latency(m) < dispatch_latency(m) ? link_latency(m) : dispatch_latency(m);
    m->engine = (struct engine){.shards = m->shards,
                                .n = n,
                                .n_first = options->every_cycle ? 0 : config->gpu->n_sms,
                                .quantum = least,
                                .period = m->visibility,
                                .skip = !options->every_cycle,
                                .at_boundary = commit_memory,
                                .user = m};
    engine_connect(&m->engine);
    uint32_t threads = options->threads < n ? options->threads : n; /* more would find no work */
    if (threads > 1)
        m->engine.team = team_create(threads);
    if (options->attribute && m->sms[0].criticality_counts)
        machine_watch(m, (struct machine_watcher){.period_cycles = ATTRIBUTION_SAMPLE_CYCLES,
                                                  .look = sample_criticality});
    watch_mechanisms(m);
    policy_clock_init(m);
    return m;
}

void machine_destroy(struct machine *m)
{
    if (!m)
        return;
    team_destroy(m->engine.team);
    engine_destroy(&m->engine);
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++)
        sm_destroy(&m->sms[i]);
    for (uint32_t i = 0; i < m->config->memory.n_partitions; i++)
        partition_destroy(&m->partitions[i]);
    dispatcher_destroy(&m->dispatcher);
    free(m->sms);
    free(m->partitions);
    free(m->shards);
    arena_destroy(&m->arena);
    free(m);
}

/* --- running --- */

static struct sm *first_fault(struct machine *m)
{
    struct sm *first = NULL;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++) {
        struct sm *sm = &m->sms[i];
        if (sm->emu.fault.kind != FAULT_NONE && (!first || sm->fault_cycle < first->fault_cycle))
            first = sm;
    }
    return first;
}

/* Done when everything has come to rest; a fault ends it at once. */
static bool is_done(void *user)
{
    struct machine *m = user;
    if (m->dispatcher.done < m->dispatcher.n_ctas)
        return m->engine.any_failed;
    for (uint32_t i = 0; i < m->engine.n; i++)
        if (!m->shards[i]->ops->is_idle(m->shards[i]))
            return false;
    return !engine_has_mail(&m->engine);
}

static sim_time max_time(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

/* When the last credit was back, as a shard of that clock sees it. */
static sim_time settle_port(struct tx_port *p, const struct clock_domain *clock)
{
    return clock_cycle_at(clock, tx_settle(p)) * clock->period;
}

/* When everything, stores and credits included, has come to rest. */
static sim_time rest_time(struct machine *m)
{
    sim_time t = m->dispatcher.ended_at;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++) {
        t = max_time(t, m->sms[i].last_event);
        t = max_time(t, settle_port(&m->sms[i].up, &m->clocks[CLOCK_CORE]));
    }
    for (uint32_t i = 0; i < m->config->memory.n_partitions; i++) {
        t = max_time(t, m->partitions[i].last_event);
        t = max_time(t, settle_port(&m->partitions[i].down, &m->clocks[CLOCK_L2]));
    }
    return t;
}

/* Tells the policies of all L1Ds and L2 banks of a launch. */
static void tell_policies(struct machine *m, void (*tell)(struct cache *c, uint32_t launch),
                          uint32_t launch)
{
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++)
        tell(m->sms[i].l1d, launch);
    for (uint32_t i = 0; i < m->config->memory.n_partitions; i++)
        for (uint32_t b = 0; b < m->config->memory.banks; b++)
            tell(m->partitions[i].banks[b].cache, launch);
}

static void start_kernel(struct machine *m, struct emu *emu, const struct op_timing *timing,
                         uint32_t ctas_per_sm, sim_time at)
{
    const uint32_t *grid = emu->launch.grid;
    const struct sm_config *sm = &m->config->sm;
    uint32_t l1d_ways =
        carveout_ways(&sm->division, &sm->l1d, (uint64_t)ctas_per_sm * emu->launch.shared_bytes);
    m->print = emu->print;
    m->print_user = emu->print_user;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++)
        sm_start_kernel(&m->sms[i], emu, timing, emu->launch.number, l1d_ways,
                        m->config->run.flush_l1);
    for (uint32_t i = 0; m->config->run.flush_l2 && i < m->config->memory.n_partitions; i++)
        partition_flush(&m->partitions[i]);
    tell_policies(m, cache_kernel_start, emu->launch.number);
    dispatcher_start(&m->dispatcher, (uint64_t)grid[0] * grid[1] * grid[2], ctas_per_sm, at);
}

static void take_fault(struct emu *emu, struct sm *sm)
{
    emu->fault.kind = sm->emu.fault.kind;
    strbuf_clear(&emu->fault.text);
    strbuf_add(&emu->fault.text, strbuf_text(&sm->emu.fault.text));
}

static void take_warnings(struct machine *m, struct emu *emu)
{
    for (uint32_t i = 0; i < m->config->gpu->n_sms && !emu->div_zero_seen; i++) {
        if (!m->sms[i].emu.div_zero_seen)
            continue;
        emu->div_zero_seen = true;
        strbuf_clear(&emu->warning);
        strbuf_add(&emu->warning, strbuf_text(&m->sms[i].emu.warning));
    }
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

/* Everything before t has happened: whoever wanted to look by then does. */
static void look_until(struct machine *m, sim_time t)
{
    for (uint32_t i = 0; i < m->n_watchers; i++) {
        struct machine_watcher *w = &m->watchers[i];
        for (; w->next_cycle * m->clocks[CLOCK_CORE].period <= t; w->next_cycle += w->period_cycles)
            w->look(w->user, m, w->next_cycle);
    }
}

static sim_time next_stop(const struct machine *m)
{
    sim_time look = next_look(m), policies = policy_clock_next(&m->policy_clock);
    return look < policies ? look : policies;
}

/* Everything before t has happened: looks, epochs and quotas till then, in the order of time. */
static void stop_until(struct machine *m, sim_time t)
{
    for (sim_time next; (next = next_stop(m)) <= t && next != TIME_NEVER;) {
        look_until(m, next);
        policy_clock_run(m, next);
    }
}

/* The engine is stopped at each look, and goes on as if nothing had been, unless whoever looked
 * wants the launch to end there; and where policies are to be told something. */
static enum machine_end run_engine(struct machine *m, sim_time limit)
{
    while (!m->stop) {
        sim_time stop = next_stop(m);
        enum engine_end end = engine_run(&m->engine, is_done, m, stop < limit ? stop : limit);
        if (end != ENGINE_LIMIT)
            return end == ENGINE_DONE ? MACHINE_DONE : MACHINE_DEADLOCK;
        if (m->engine.now >= limit)
            return MACHINE_LIMIT;
        stop_until(m, m->engine.now);
    }
    return MACHINE_STOPPED;
}

/* MODEL: the next kernel begins with the visibility period after everything has come to rest; the
 * engine is never further than that. */
static void end_kernel(struct machine *m, sim_time begin, uint32_t launch)
{
    sim_time core = m->clocks[CLOCK_CORE].period, end = m->dispatcher.ended_at;
    m->kernel_free_at = (rest_time(m) / m->visibility + 1) * m->visibility;
    m->stats.cycles += (end - begin) / core;
    m->stats.wait_cycles += (m->kernel_free_at - end) / core;
    stop_until(m, m->kernel_free_at); /* nothing else happens in between */
    tell_policies(m, cache_kernel_end, launch);
}

/* A launch that is cut off now, at its limit or because somebody wants it, has taken just that
 * long, and so have the lives of warps and the waits of accesses at L1D; nothing follows it. */
static void cut_kernel(struct machine *m, sim_time begin)
{
    sim_time core = m->clocks[CLOCK_CORE].period;
    m->kernel_free_at = m->engine.now;
    m->stats.cycles += (m->engine.now - begin) / core;
    uint64_t now = m->engine.now / core;
    for (uint32_t i = 0; i < m->config->gpu->n_sms; i++)
        sm_cut(&m->sms[i], now);
}

enum machine_end machine_run(struct machine *m, struct emu *emu, const struct op_timing *timing,
                             uint32_t ctas_per_sm)
{
    sim_time core = m->clocks[CLOCK_CORE].period;
    sim_time begin = m->kernel_free_at;
    sim_time start = begin + (sim_time)m->config->run.launch_cycles * core;
    sim_time limit = m->options.max_cycles ? begin + m->options.max_cycles * core : TIME_NEVER;
    start_kernel(m, emu, timing, ctas_per_sm, start);
    enum machine_end end = run_engine(m, limit);
    struct sm *faulty = first_fault(m);
    take_warnings(m, emu);
    if (faulty) {
        take_fault(emu, faulty);
        pass_on_text(m, faulty);
        end = MACHINE_FAULT;
    } else if (end == MACHINE_DONE) {
        commit_memory(m, 0);
        end_kernel(m, begin, emu->launch.number);
        end = m->stop ? MACHINE_STOPPED : MACHINE_DONE;
    } else if (end != MACHINE_DEADLOCK) {
        cut_kernel(m, begin);
    }
    m->halted = end != MACHINE_DONE;
    return end;
}
