/* The public library: creation, memory, statistics. Loading is in load.c, launching in launch.c. */
#include "gpu/sim.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_check.h"
#include "emu/bind.h"
#include "gpu/machine_totals.h"
#include "gpu/mix.h"
#include "gpu/plugins.h"

const char *heddle_version(void)
{
    return HEDDLE_VERSION;
}

enum heddle_status sim_fail(struct heddle_sim *sim, enum heddle_status status, const char *format,
                            ...)
{
    va_list args;
    va_start(args, format);
    strbuf_clear(&sim->error);
    strbuf_vaddf(&sim->error, format, args);
    va_end(args);
    return status;
}

const char *heddle_error(const struct heddle_sim *sim)
{
    return sim ? strbuf_text(&sim->error) : "no simulation was created";
}

const char *heddle_warnings(const struct heddle_sim *sim)
{
    return strbuf_text(&sim->warnings);
}

void sim_warn_once(struct heddle_sim *sim, const char *text)
{
    if (!strstr(strbuf_text(&sim->warnings), text))
        strbuf_add(&sim->warnings, text);
}

void sim_warn_of_stale(struct heddle_sim *sim)
{
    struct strbuf what = {0};
    if (!sim->warned_of_stale)
        machine_describe_stale(sim->machine, &what);
    if (what.len) {
        sim->warned_of_stale = true;
        strbuf_addf(&sim->warnings, "warning: l2.stale_reads: %s", strbuf_text(&what));
    }
    strbuf_destroy(&what);
}

static enum heddle_status choose_isa(struct heddle_sim *sim, const char *name)
{
    int isa = host_isa_find(name);
    if (isa >= 0) {
        sim->isa = (uint32_t)isa;
        return HEDDLE_OK;
    }
    struct strbuf list = {0};
    for (uint32_t i = 0; i < host_isa_count(); i++)
        strbuf_addf(&list, " %s", host_isa_name(i));
    enum heddle_status s =
        sim_fail(sim, HEDDLE_BAD_INPUT, "host ISA '%s' is not available here; this host has:%s\n",
                 name, strbuf_text(&list));
    strbuf_destroy(&list);
    return s;
}

static enum heddle_status load_plugins(struct heddle_sim *sim, const struct heddle_options *o)
{
    struct strbuf why = {0};
    enum heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; s == HEDDLE_OK && i < o->n_plugins; i++)
        if (!plugins_load(o->plugins[i], &why))
            s = sim_fail(sim, HEDDLE_BAD_INPUT, "plug-in %s: %s\n", o->plugins[i],
                         strbuf_text(&why));
    strbuf_destroy(&why);
    return s;
}

/* Simulated cycles between two progress reports: a few milliseconds. */
enum { PROGRESS_CYCLES = 4096 };

static void report_progress(void *user, const struct machine *m, uint64_t cycle)
{
    struct heddle_sim *sim = user;
    if (sim->machine->stop) /* it has been asked to stop */
        return;
    struct run_stats run = sim_run_stats(sim);
    struct heddle_progress p = {.kernel = m->frozen ? NULL : sim->emu.launch.func->func->name,
                                .launch = sim->n_launches,
                                .ctas_done = m->dispatcher->done,
                                .ctas = m->dispatcher->n_ctas,
                                .cycles = sim->past_cycles + cycle,
                                .warp_insts = run.warp_insts,
                                .warning = sim->news.len ? strbuf_text(&sim->news) : NULL,
                                .cpu_insts = mix_cpu_insts(m)};
    if (!sim->progress(sim->progress_user, &p))
        sim->machine->stop = true;
    strbuf_clear(&sim->news);
}

/* A progress function receives it at once, others when they ask. */
static void warn_of_spin(void *user, const char *text)
{
    struct heddle_sim *sim = user;
    if (sim->progress)
        strbuf_add(&sim->news, text);
    else
        sim_warn_once(sim, text);
}

static void keep_machine_options(struct heddle_sim *sim, const struct heddle_options *o)
{
    sim->machine_options = (struct machine_options){.every_cycle = o->every_cycle,
                                                    .quantum = o->quantum,
                                                    .max_cycles = o->max_cycles,
                                                    .threads = o->threads,
                                                    .attribute = o->attribute};
    sim->progress = o->progress;
    sim->progress_user = o->progress_user;
    sim->attributed = o->attributed;
    sim->attributed_user = o->attributed_user;
}

void sim_create_machine(struct heddle_sim *sim)
{
    sim->machine = machine_create(sim->config, &sim->machine_options, &sim->mem);
    sim->spin_watch = spin_watch_create(sim->machine, warn_of_spin, sim);
    if (sim->progress)
        machine_watch(sim->machine, (struct machine_watcher){.period_cycles = PROGRESS_CYCLES,
                                                             .look = report_progress,
                                                             .user = sim});
    if (sim->machine_options.attribute && sim->attributed)
        sim->warp_records =
            warp_records_create(sim->machine, sim->attributed, sim->attributed_user);
}

void sim_destroy_machine(struct heddle_sim *sim)
{
    warp_records_destroy(sim->warp_records);
    machine_destroy(sim->machine);
    spin_watch_destroy(sim->spin_watch);
    sim->warp_records = NULL;
    sim->machine = NULL;
    sim->spin_watch = NULL;
}

static enum heddle_status load_gpu(struct heddle_sim *sim, const struct heddle_options *o)
{
    struct diag_list diags = {0};
    sim->config = machine_config_load(o->gpu, o->settings, o->n_settings, &diags);
    strbuf_clear(&sim->error);
    diag_format(&diags, sim->config ? &sim->warnings : &sim->error);
    diag_list_destroy(&diags);
    if (!sim->config)
        return HEDDLE_BAD_INPUT;
    if (o->no_fast_paths)
        machine_config_close_fast_paths(sim->config);
    sim->gpu = sim->config->gpu;
    return HEDDLE_OK;
}

enum heddle_status heddle_create(const struct heddle_options *options, struct heddle_sim **out)
{
    struct heddle_options o = {0};
    struct heddle_sim *sim = xcalloc(1, sizeof *sim);
    *out = sim;
    const char *unfit = host_check();
    if (unfit)
        return sim_fail(sim, HEDDLE_ENVIRONMENT, "%s", unfit);
    if (options)
        memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    if (o.timing && o.max_insts)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "a limit of instructions is only for functional runs; limit a timed run in "
                        "cycles (--max-cycles)\n");
    if (!o.timing && o.attribute)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "a functional run has no cycles to attribute: run with timing\n");
    enum heddle_status s = choose_isa(sim, o.host_isa);
    if (s == HEDDLE_OK)
        s = load_plugins(sim, &o);
    if (s == HEDDLE_OK)
        s = load_gpu(sim, &o);
    if (s != HEDDLE_OK)
        return s;
    int error = mem_create(&sim->mem);
    if (error)
        return sim_fail(sim, HEDDLE_ENVIRONMENT, "cannot reserve device memory: %s\n",
                        strerror(error));
    sim->max_insts = o.max_insts;
    sim->emu.run_warp = host_isa_runner(sim->isa);
    sim->emu.mem = &sim->mem;
    sim->emu.stats = &sim->stats;
    sim->emu.strict = o.strict;
    sim->emu.n_sms = sim->gpu->n_sms;
    sim->emu.max_local_bytes = (uint32_t)sim->gpu->local_bytes_per_thread;
    sim->emu.print = o.print;
    sim->emu.print_user = o.print_user;
    if (o.timing) {
        keep_machine_options(sim, &o);
        s = sim_open_cpus(sim);
        if (s != HEDDLE_OK)
            return s;
        sim_create_machine(sim);
    }
    strbuf_clear(&sim->error);
    return HEDDLE_OK;
}

void heddle_destroy(struct heddle_sim *sim)
{
    if (!sim)
        return;
    for (struct heddle_module *m = sim->modules, *next; m; m = next) {
        next = m->next;
        sim_destroy_module(m);
    }
    trace_recorder_destroy(sim->recorder);
    arena_destroy(&sim->notes_arena);
    sim_destroy_machine(sim);
    sim_close_cpus(sim);
    mem_destroy(&sim->mem);
    machine_config_destroy(sim->config);
    strbuf_destroy(&sim->emu.fault.text);
    strbuf_destroy(&sim->emu.warning);
    strbuf_destroy(&sim->news);
    strbuf_destroy(&sim->error);
    strbuf_destroy(&sim->warnings);
    for (uint32_t i = 0; i < sim->n_kernels; i++)
        free(sim->kernels[i].name);
    free(sim->kernels);
    free(sim);
}

const char *heddle_host_isa(const struct heddle_sim *sim)
{
    return host_isa_name(sim->isa);
}

/* --- device memory --- */

/* The host also misses what L2 dropped; that counts for the kernel launched last. */
static void host_access(struct heddle_sim *sim, uint64_t address, uint64_t bytes, bool is_write)
{
    uint64_t n = sim->machine ? machine_host_access(sim->machine, address, bytes, is_write) : 0;
    if (n == 0)
        return;
    kernel_stats_of(sim, sim->emu.launch.func)->machine.slice.stale_reads += n;
    sim_warn_of_stale(sim);
}

static void host_write(struct heddle_sim *sim, uint64_t address, uint64_t bytes)
{
    host_access(sim, address, bytes, true);
    if (sim->machine && sim->config->host.copies_warm_l2)
        machine_copy_in(sim->machine, address, bytes);
}

enum heddle_status heddle_alloc(struct heddle_sim *sim, uint64_t bytes, const char *label,
                                uint64_t *address)
{
    *address = mem_alloc(&sim->mem, bytes, label);
    if (!*address)
        return sim_fail(sim, HEDDLE_ENVIRONMENT,
                        "not enough device memory for '%s' of %llu bytes\n",
                        label ? label : "buffer", (unsigned long long)bytes);
    host_access(sim, *address, bytes, true);
    return HEDDLE_OK;
}

enum heddle_status heddle_free(struct heddle_sim *sim, uint64_t address)
{
    if (!mem_free(&sim->mem, address))
        return sim_fail(sim, HEDDLE_BAD_INPUT, "nothing is allocated at 0x%llx\n",
                        (unsigned long long)address);
    return HEDDLE_OK;
}

static enum heddle_status check_range(struct heddle_sim *sim, uint64_t address, uint64_t bytes)
{
    if (bytes == 0 || mem_find(&sim->mem, address, bytes))
        return HEDDLE_OK;
    return sim_fail(sim, HEDDLE_BAD_INPUT, "%llu bytes at 0x%llx are not inside an allocation\n",
                    (unsigned long long)bytes, (unsigned long long)address);
}

enum heddle_status heddle_write(struct heddle_sim *sim, uint64_t address, const void *data,
                                uint64_t bytes)
{
    enum heddle_status s = check_range(sim, address, bytes);
    if (s == HEDDLE_OK && bytes)
        memcpy(mem_host(&sim->mem, address), data, bytes);
    if (s == HEDDLE_OK)
        host_write(sim, address, bytes);
    return s;
}

enum heddle_status heddle_read(struct heddle_sim *sim, uint64_t address, void *data, uint64_t bytes)
{
    enum heddle_status s = check_range(sim, address, bytes);
    if (s == HEDDLE_OK && bytes)
        memcpy(data, mem_host(&sim->mem, address), bytes);
    if (s == HEDDLE_OK)
        host_access(sim, address, bytes, false);
    return s;
}

enum heddle_status heddle_map(struct heddle_sim *sim, uint64_t address, uint64_t bytes, void **host)
{
    enum heddle_status s = check_range(sim, address, bytes);
    *host = s == HEDDLE_OK ? mem_host(&sim->mem, address) : NULL;
    return s;
}

enum heddle_status heddle_mapped(struct heddle_sim *sim, uint64_t address, uint64_t bytes,
                                 bool is_write)
{
    enum heddle_status s = check_range(sim, address, bytes);
    if (s == HEDDLE_OK && is_write)
        host_write(sim, address, bytes);
    else if (s == HEDDLE_OK)
        host_access(sim, address, bytes, false);
    return s;
}

/* --- statistics --- */

uint32_t heddle_stat_count(const struct heddle_sim *sim)
{
    return run_stats_count() + (sim->machine ? machine_stat_count(sim->machine) : 0);
}

struct heddle_stat heddle_stat_at(const struct heddle_sim *sim, uint32_t i)
{
    uint32_t first = sim->machine ? machine_stat_count(sim->machine) : 0;
    if (i < first) {
        struct machine_totals t;
        sim_machine_totals(sim, &t);
        return machine_totals_stat(&t, i);
    }
    struct run_stats s = sim_run_stats(sim);
    return run_stats_at(&s, i - first);
}

void sim_take_stats(const struct heddle_sim *sim, struct heddle_stat *out)
{
    struct run_stats run = sim_run_stats(sim);
    uint32_t n_machine = sim->machine ? machine_stat_count(sim->machine) : 0;
    struct machine_totals totals;
    if (n_machine)
        machine_totals_take(sim->machine, machine_cycle(sim->machine), &totals);
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++)
        out[i] =
            i < n_machine ? machine_totals_stat(&totals, i) : run_stats_at(&run, i - n_machine);
}

bool heddle_stat_find(const struct heddle_sim *sim, const char *name, struct heddle_stat *out)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        *out = heddle_stat_at(sim, i);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}
