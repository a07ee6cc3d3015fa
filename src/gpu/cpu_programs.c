/* The programs of a simulation's CPU cores. */
#include "cpu/programs.h"
#include "gpu/mix.h"
#include "gpu/sim.h"

/* What generated programs need to know about the machine. */
static struct bubble_machine bubbles_of(const struct machine_config *c)
{
    const struct host_memory_config *h = &c->host_memory;
    uint32_t shared = c->memory.n_partitions * c->dram.bus_bytes_per_cycle * c->run.dram_clock_mhz;
    return (struct bubble_machine){.llc_bytes = machine_config_llc_bytes(c),
                                   .cpu_mhz = c->cpu.clock_mhz,
                                   .width = c->cpu.core.width,
                                   .memory_mb_per_s = h->is_separate ? h->usable_mb_per_s : shared};
}

enum heddle_status sim_open_cpus(struct heddle_sim *sim)
{
    const struct cpu_programs *p = &sim->config->cpu_programs;
    enum heddle_status s = HEDDLE_OK;
    struct strbuf why = {0};
    for (uint32_t i = 0; s == HEDDLE_OK && i < p->n; i++) {
        struct cpu_open open = {.max_insts = sim->config->cpu.insts,
                                .machine = bubbles_of(sim->config)};
        sim->cpu_sources[i] = cpu_program_open(p->names[i], &open, &s, &why);
    }
    if (s != HEDDLE_OK)
        sim_fail(sim, s, "%s\n", strbuf_text(&why));
    sim->machine_options.cpu_sources = sim->cpu_sources;
    strbuf_destroy(&why);
    return s;
}

void sim_close_cpus(struct heddle_sim *sim)
{
    for (uint32_t i = 0; i < MACHINE_MAX_CPUS; i++) {
        cpu_source_close(sim->cpu_sources[i]);
        sim->cpu_sources[i] = NULL;
    }
}

enum heddle_status sim_describe_bad_trace(const struct heddle_sim *sim, struct strbuf *out)
{
    uint32_t core;
    const char *error = mix_cpu_error(sim->machine, &core);
    strbuf_addf(out, "CPU program %s: %s\n", sim->config->cpu_programs.names[core], error);
    return HEDDLE_BAD_INPUT;
}

enum { FEW_PERIODS = 5 };

static void warn_of_few_periods(struct heddle_sim *sim)
{
    const struct llc_controller *c = machine_llc_controller(sim->machine);
    struct strbuf text = {0};
    if (!c || c->n_periods >= FEW_PERIODS)
        return;
    strbuf_addf(&text,
                "warning: l2.policy %s has decided only %llu times: the run is short for a period "
                "of %llu cycles (llc.period)\n",
                c->policy->name, (unsigned long long)c->n_periods,
                (unsigned long long)sim->config->llc.period);
    sim_warn_once(sim, strbuf_text(&text));
    strbuf_destroy(&text);
}

static enum heddle_status settle(struct heddle_sim *sim)
{
    struct strbuf why = {0};
    enum heddle_status s = HEDDLE_OK;
    if (!machine_settle(sim->machine, &why))
        s = sim_fail_contradiction(sim, strbuf_text(&why));
    strbuf_destroy(&why);
    return s;
}

enum heddle_status heddle_finish(struct heddle_sim *sim)
{
    if (!sim->machine || !machine_is_mixed(sim->machine) || sim->machine->halted ||
        sim->machine->until_cpus_end || sim->machine->is_settled)
        return HEDDLE_OK;
    machine_freeze_gpu(sim->machine);
    switch (machine_finish_cpus(sim->machine)) {
    case MACHINE_BAD_TRACE:
        strbuf_clear(&sim->error);
        return sim_describe_bad_trace(sim, &sim->error);
    case MACHINE_LIMIT:
        return sim_fail(
            sim, HEDDLE_KERNEL_FAULT,
            "CPU programs were stopped after %llu cycles (--max-cycles) before they ended\n",
            (unsigned long long)sim->machine_options.max_cycles);
    case MACHINE_STOPPED:
        return sim_fail(sim, HEDDLE_STOPPED, "the run was stopped\n");
    default:
        warn_of_few_periods(sim);
        return settle(sim);
    }
}
