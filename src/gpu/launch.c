/* Launches a kernel: checks the request against the kernel and the machine, lays out the
 * parameters, runs. */
#include <stdlib.h>
#include <string.h>

#include "emu/run.h"
#include "gpu/testbed.h"
#include "stats/host.h"

enum {
    SHARED_ALIGNMENT = 16,   /* of a __local argument's buffer, or its type's if that is larger */
    MAX_PARAM_BYTES = 32764, /* PTX ISA, .param; 4352 before version 8.1 */
};

static const struct program_func *find_entry(struct heddle_sim *sim, struct heddle_module *module,
                                             const char *kernel)
{
    struct program *p = module->program;
    uint32_t n = p->module->n_funcs;
    const char **names = xcalloc(n, sizeof *names);
    const struct program_func *found = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_func *f = p->funcs[i].func;
        if (!f->is_entry || !f->has_body)
            continue;
        names[i] = f->name;
        if (strcmp(f->name, kernel) == 0)
            found = &p->funcs[i];
    }
    if (!found) {
        const char *near = suggest_nearest(kernel, names, n);
        sim_fail(sim, HEDDLE_BAD_INPUT, "%s has no kernel '%s'%s%s%s\n", p->module->name, kernel,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    free(names);
    return found;
}

/* Fills in the shape of the launch, with 1 for zeros; false if it is out of bounds. */
static bool check_shape(struct heddle_sim *sim, const struct heddle_launch *l,
                        struct emu_launch *out)
{
    const struct gpu_config *gpu = sim->gpu;
    const struct ptx_func *f = out->func->func;
    const uint64_t most_ctas = 1ull << 40;
    uint64_t threads = 1, ctas = 1;
    for (uint32_t i = 0; i < 3; i++) {
        out->grid[i] = l->grid[i] ? l->grid[i] : 1;
        out->block[i] = l->block[i] ? l->block[i] : 1;
        out->offset[i] = l->global_offset[i];
        threads *= out->block[i];
        if (out->grid[i] > most_ctas / ctas) {
            sim_fail(sim, HEDDLE_BAD_INPUT, "a grid of %ux%ux%u CTAs is too large\n", l->grid[0],
                     l->grid[1], l->grid[2]);
            return false;
        }
        ctas *= out->grid[i];
        if (out->grid[i] > 1 || out->block[i] > 1 || i == 0)
            out->work_dim = i + 1;
        if (threads > gpu->threads_per_cta) {
            sim_fail(sim, HEDDLE_BAD_INPUT,
                     "a CTA of %ux%ux%u threads is too large: %s has at most %u per CTA\n",
                     l->block[0], l->block[1], l->block[2], gpu->name, gpu->threads_per_cta);
            return false;
        }
        if (f->reqntid[0] && out->block[i] != (f->reqntid[i] ? f->reqntid[i] : 1)) {
            sim_fail(sim, HEDDLE_BAD_INPUT, "kernel '%s' requires CTAs of %ux%ux%u threads\n",
                     f->name, f->reqntid[0], f->reqntid[1], f->reqntid[2]);
            return false;
        }
    }
    if (l->work_dim)
        out->work_dim = l->work_dim;
    return true;
}

static void check_registers(struct heddle_sim *sim, const struct emu_launch *l)
{
    const struct gpu_config *gpu = sim->gpu;
    uint32_t registers = l->func->registers;
    if (registers <= gpu->registers_per_thread)
        return;
    struct strbuf text = {0};
    strbuf_addf(&text,
                "warning: kernel '%s' needs %u registers per thread, %s has %u; spills are not "
                "modelled\n",
                l->func->func->name, registers, gpu->name, gpu->registers_per_thread);
    sim_warn_once(sim, strbuf_text(&text));
    strbuf_destroy(&text);
}

/* Shared memory of an SM, of which L1D may need a part. */
static uint64_t shared_bytes(const struct heddle_sim *sim)
{
    return carveout_largest(&sim->config->sm.division, sim->gpu->shared_bytes_per_sm);
}

/* Saturates, at a value that rounding up does not change. */
static uint64_t add_shared(uint64_t shared, uint64_t bytes)
{
    const uint64_t most = (uint64_t)1 << 62;
    return bytes > most - shared ? most : shared + bytes;
}

/* The kernel's parameters, for a caller who passed something else. */
static void list_parameters(struct heddle_sim *sim, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        const struct ptx_var *v = &f->params[i];
        strbuf_addf(&sim->error, "  %u: %llu bytes (.%s%s)\n", i + 1, (unsigned long long)v->bytes,
                    ptx_types[v->type].text,
                    v->is_array ? " array"
                    : v->is_ptr ? " pointer"
                                : "");
    }
}

bool sim_check_shared(struct heddle_sim *sim, const struct ptx_func *f, uint64_t bytes)
{
    uint64_t most = carveout_largest(&sim->config->sm.division, sim->gpu->shared_bytes_per_cta);
    if (bytes <= most)
        return true;
    sim_fail(sim, HEDDLE_BAD_INPUT,
             "kernel '%s' needs %llu bytes of shared memory per CTA, %s has %llu\n", f->name,
             (unsigned long long)bytes, sim->gpu->name, (unsigned long long)most);
    return false;
}

/* An OpenCL long16 must be aligned to 128 bytes; clang names the alignment in the parameter. */
static uint64_t align_shared(uint64_t at, const struct ptx_var *param)
{
    uint64_t to = param->ptr_align > SHARED_ALIGNMENT ? param->ptr_align : SHARED_ALIGNMENT;
    return (at + to - 1) / to * to;
}

/* Writes the arguments into the parameter block; __local ones become offsets in shared memory. */
static bool lay_out_arguments(struct heddle_sim *sim, const struct heddle_launch *l,
                              struct emu_launch *out, uint8_t *block)
{
    const struct ptx_func *f = out->func->func;
    uint64_t shared = out->func->shared_bytes;
    if (l->n_args != f->n_params) {
        sim_fail(sim, HEDDLE_BAD_INPUT, "kernel '%s' takes %u arguments, %u were given\n", f->name,
                 f->n_params, l->n_args);
        list_parameters(sim, f);
        return false;
    }
    for (uint32_t i = 0; i < l->n_args; i++) {
        const struct heddle_arg *a = &l->args[i];
        uint8_t *at = block + out->func->param_at[i];
        if (a->local) {
            shared = align_shared(shared, &f->params[i]);
            memcpy(at, &shared, f->params[i].bytes < 8 ? f->params[i].bytes : 8);
            shared = add_shared(shared, a->bytes);
        } else if (a->bytes != f->params[i].bytes) {
            sim_fail(sim, HEDDLE_BAD_INPUT,
                     "argument %u of kernel '%s' has %llu bytes, %zu were given\n", i + 1, f->name,
                     (unsigned long long)f->params[i].bytes, a->bytes);
            return false;
        } else {
            memcpy(at, a->data, a->bytes);
        }
    }
    out->dynamic_shared_bytes = (uint32_t)l->shared_bytes;
    shared = add_shared(shared, l->shared_bytes);
    if (!sim_check_shared(sim, f, shared))
        return false;
    out->shared_bytes = (uint32_t)shared;
    return true;
}

/* The number of CTAs that an SM holds at once: limited by slots, warps, shared memory and
 * registers. */
static uint32_t ctas_per_sm(const struct heddle_sim *sim, const struct emu_launch *l)
{
    const struct gpu_config *gpu = sim->gpu;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    uint32_t warps = (threads + WARP_LANES - 1) / WARP_LANES, granule = gpu->register_granule;
    uint32_t registers = (l->func->registers + granule - 1) / granule * granule;
    uint64_t n = gpu->ctas_per_sm;
    uint64_t by_warps = gpu->warps_per_sm / warps;
    uint64_t by_threads = gpu->threads_per_sm / (warps * WARP_LANES);
    uint64_t by_shared = l->shared_bytes ? shared_bytes(sim) / l->shared_bytes : n;
    uint64_t by_registers =
        registers ? gpu->registers_per_sm / ((uint64_t)registers * warps * WARP_LANES) : n;
    n = by_warps < n ? by_warps : n;
    n = by_threads < n ? by_threads : n;
    n = by_shared < n ? by_shared : n;
    n = by_registers < n ? by_registers : n;
    return n ? (uint32_t)n
             : 1; /* MODEL: a CTA that needs more registers than an SM has still runs */
}

static uint32_t resident_ctas(const struct heddle_sim *sim, const struct emu_launch *l)
{
    uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t resident = (uint64_t)ctas_per_sm(sim, l) * sim->gpu->n_sms;
    return (uint32_t)(resident < total ? resident : total);
}

enum heddle_status sim_run_functional(struct heddle_sim *sim)
{
    struct emu *e = &sim->emu;
    e->ranges = xcalloc(e->program->n_ops, sizeof *e->ranges);
    emu_run(e, resident_ctas(sim, &e->launch), sim->max_insts);
    free(e->ranges);
    e->ranges = NULL;
    return e->fault.kind == FAULT_NONE ? HEDDLE_OK : HEDDLE_KERNEL_FAULT;
}

enum machine_end sim_run_machine(struct heddle_sim *sim, struct heddle_module *module)
{
    struct emu *e = &sim->emu;
    if (!module->timing)
        module->timing = op_timing_build(module->program, &sim->config->sm, &module->arena);
    if (sim->warp_records)
        warp_records_begin(sim->warp_records, e->launch.func->func->name);
    sim_record_begin(sim, module);
    enum machine_end end =
        machine_run(sim->machine, e, module->timing, ctas_per_sm(sim, &e->launch));
    sim_record_end(sim, end == MACHINE_DONE);
    if (sim->warp_records)
        warp_records_end(sim->warp_records);
    return end;
}

enum heddle_status sim_report_end(struct heddle_sim *sim, enum machine_end end)
{
    struct emu *e = &sim->emu;
    if (end == MACHINE_DEADLOCK || end == MACHINE_LIMIT) {
        e->fault.kind = end == MACHINE_DEADLOCK ? FAULT_DEADLOCK : FAULT_LIMIT;
        machine_describe_halt(sim->machine, end, &e->fault.text);
    }
    if (end == MACHINE_BAD_TRACE)
        return sim_describe_bad_trace(sim, &e->fault.text);
    if (end == MACHINE_STOPPED) {
        strbuf_add(&e->fault.text, "the launch was stopped\n");
        return HEDDLE_STOPPED;
    }
    return e->fault.kind == FAULT_NONE ? HEDDLE_OK : HEDDLE_KERNEL_FAULT;
}

static bool counters_agree(struct heddle_sim *sim, struct strbuf *why)
{
    struct run_stats s = sim_run_stats(sim);
    bool ok = run_stats_check(&s, why);
    /* A repeated launch was checked after its first run; a later one may be cut off. */
    bool is_whole = sim->machine && !sim->machine->until_cpus_end;
    return (!is_whole || machine_check(sim->machine, why)) && ok;
}

enum heddle_status sim_fail_contradiction(struct heddle_sim *sim, const char *why)
{
    return sim_fail(sim, HEDDLE_KERNEL_FAULT,
                    "the statistics contradict each other, which is a bug in the simulator:\n%s",
                    why);
}

/* Did the criticality provider know every warp? */
static bool criticality_is_known(const struct heddle_sim *sim, struct strbuf *why)
{
    for (uint32_t i = 0; sim->machine && i < machine_n_sms(sim->machine); i++) {
        const struct criticality *c = machine_sm(sim->machine, i)->criticality;
        if (c->desc->check && !c->desc->check(c, why))
            return false;
    }
    return true;
}

/* Applies the annotations to this launch; it is refused if they do not fit. */
static enum heddle_status mark_buffers(struct heddle_sim *sim)
{
    const struct annotations *a = &sim->config->annotations;
    struct diag_list diags = {0};
    struct strbuf why = {0};
    uint32_t n = 0;
    if (!sim->machine || !a->n)
        return HEDDLE_OK;
    for (const struct heddle_module *m = sim->modules; m; m = m->next)
        n += m->program->module->n_funcs;
    const char **names = ARENA_ARRAY(&diags.arena, const char *, n + 1);
    n = 0;
    for (const struct heddle_module *m = sim->modules; m; m = m->next)
        for (uint32_t i = 0; i < m->program->module->n_funcs; i++)
            if (m->program->funcs[i].func->is_entry)
                names[n++] = m->program->funcs[i].func->name;
    bool ok = (sim->loads_later || annotations_check_kernels(a, names, n, &diags)) &&
              annotations_resolve(a, &sim->emu.launch, &sim->mem, &sim->machine->l2_marks, &diags);
    diag_format(&diags, &why);
    if (!ok)
        sim_fail(sim, HEDDLE_BAD_INPUT, "%s", strbuf_text(&why));
    strbuf_destroy(&why);
    diag_list_destroy(&diags);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status run_launch(struct heddle_sim *sim, struct heddle_module *module)
{
    if (testbed_is_used(sim))
        return testbed_run(sim, module);
    if (sim->machine)
        return sim_report_end(sim, sim_run_machine(sim, module));
    return sim_run_functional(sim);
}

enum heddle_status sim_run_launch(struct heddle_sim *sim, struct heddle_module *module)
{
    struct emu *e = &sim->emu;
    kernel_stats_mark(sim, &sim->before);
    double start = host_now_seconds();
    e->fault.kind = FAULT_NONE;
    e->div_zero_seen = false;
    strbuf_clear(&e->fault.text);
    strbuf_clear(&e->warning);
    enum heddle_status s = run_launch(sim, module);
    sim->stats.launches++;
    sim->stats.host_seconds += host_now_seconds() - start;
    sim->stats.host_peak_rss_bytes = host_peak_rss_bytes();
    sim->last_faulted = s == HEDDLE_KERNEL_FAULT && e->fault.kind != FAULT_LIMIT;
    kernel_stats_add(sim, e->launch.func, &sim->before);
    if (e->div_zero_seen)
        sim_warn_once(sim, strbuf_text(&e->warning));
    if (sim->machine)
        sim_warn_of_stale(sim);
    if (s != HEDDLE_OK) /* a contradiction has been reported already */
        return e->fault.text.len ? sim_fail(sim, s, "%s", strbuf_text(&e->fault.text)) : s;
    struct strbuf why = {0};
    if (!counters_agree(sim, &why))
        s = sim_fail_contradiction(sim, strbuf_text(&why));
    else if (!criticality_is_known(sim, &why))
        s = sim_fail(sim, HEDDLE_BAD_INPUT, "%s\n", strbuf_text(&why));
    strbuf_destroy(&why);
    return s;
}

enum heddle_status sim_prepare_launch(struct heddle_sim *sim, struct heddle_module *module,
                                      const char *kernel, const struct heddle_launch *launch,
                                      struct emu_launch *l)
{
    if (sim->machine && sim->machine->halted)
        return sim_fail(sim, HEDDLE_KERNEL_FAULT,
                        "an earlier launch was stopped before its end, and the machine is still in "
                        "that state: heddle_recover() builds another\n");
    if (sim->machine && sim->machine->is_settled && !sim->machine->until_cpus_end)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "heddle_finish() has ended the simulation: CPU programs do not continue\n");
    *l = (struct emu_launch){.func = find_entry(sim, module, kernel), .number = sim->n_launches};
    if (!l->func || !check_shape(sim, launch, l))
        return HEDDLE_BAD_INPUT;
    if (l->func->param_bytes > MAX_PARAM_BYTES)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "kernel '%s' has %u bytes of parameters, at most %d are possible\n", kernel,
                        l->func->param_bytes, MAX_PARAM_BYTES);
    if (l->func->local_bytes > sim->emu.max_local_bytes)
        return sim_fail(sim, HEDDLE_BAD_INPUT,
                        "kernel '%s' needs %u bytes of local memory per thread, %s has %u\n",
                        kernel, l->func->local_bytes, sim->gpu->name, sim->emu.max_local_bytes);
    check_registers(sim, l);
    return HEDDLE_OK;
}

enum heddle_status heddle_launch(struct heddle_sim *sim, struct heddle_module *module,
                                 const char *kernel, const struct heddle_launch *launch)
{
    struct emu_launch l;
    enum heddle_status s = sim_prepare_launch(sim, module, kernel, launch, &l);
    if (s != HEDDLE_OK)
        return s;
    l.params_address = mem_alloc_internal(&sim->mem, l.func->param_bytes);
    if (!l.params_address)
        return sim_fail(sim, HEDDLE_ENVIRONMENT, "not enough device memory for the parameters\n");
    uint8_t *block = mem_host(&sim->mem, l.params_address);
    l.params = block;
    s = HEDDLE_BAD_INPUT;
    if (lay_out_arguments(sim, launch, &l, block)) {
        sim->emu.program = module->program;
        sim->emu.launch = l;
        sim->n_launches++;
        s = mark_buffers(sim);
    }
    if (s == HEDDLE_OK)
        s = sim_run_launch(sim, module);
    mem_free(&sim->mem, l.params_address);
    return s;
}
