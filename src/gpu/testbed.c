#include "gpu/testbed.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/mix.h"

bool testbed_is_used(const struct heddle_sim *sim)
{
    return sim->machine && machine_is_discrete(sim->machine);
}

/* --- saving and restoring memory --- */

struct image {
    char *data;
    uint64_t bytes;
};

static struct image take_image(const struct dev_mem *mem)
{
    struct image image = {0};
    for (uint32_t i = 0; i < mem->n; i++)
        image.bytes += mem->allocs[i].bytes;
    char *to = image.data = xcalloc(image.bytes + 1, 1);
    for (uint32_t i = 0; i < mem->n; i++) {
        memcpy(to, mem_host(mem, mem->allocs[i].start), mem->allocs[i].bytes);
        to += mem->allocs[i].bytes;
    }
    return image;
}

/* Requires that nothing was allocated or freed since. */
static void put_image(const struct image *image, struct dev_mem *mem)
{
    const char *from = image->data;
    for (uint32_t i = 0; i < mem->n; i++) {
        memcpy(mem_host(mem, mem->allocs[i].start), from, mem->allocs[i].bytes);
        from += mem->allocs[i].bytes;
    }
}

/* --- one run --- */

struct run {
    struct heddle_sim *sim;
    struct heddle_module *module;
    struct cmp_buffer buffers[CMP_MAX_BUFFERS]; /* of its arguments */
    uint32_t n_buffers;
};

static bool is_argument(const struct emu_launch *l, const struct cmp_buffer *b)
{
    const struct ptx_func *f = l->func->func;
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint64_t value = 0;
        if (f->params[i].bytes != sizeof value)
            continue;
        memcpy(&value, l->params + l->func->param_at[i], sizeof value);
        if (value - b->start < b->bytes)
            return true;
    }
    return false;
}

/* Executes the launch functionally and restores memory afterwards. */
static enum heddle_status find_buffers(struct run *r, const struct image *before)
{
    struct heddle_sim *sim = r->sim;
    struct cmp *c = sim->machine->cmp;
    struct emu silent = sim->emu;
    silent.print = NULL;
    cmp_start(c, &silent);
    cmp_execute_all(c);
    uint32_t n = cmp_buffers(c, r->buffers);
    for (uint32_t i = 0; i < n; i++)
        if (is_argument(&sim->emu.launch, &r->buffers[i]))
            r->buffers[r->n_buffers++] = r->buffers[i];
    cmp_end(c);
    put_image(before, &sim->mem);
    if (n < CMP_MAX_BUFFERS)
        return HEDDLE_OK;
    strbuf_addf(&sim->emu.fault.text,
                "kernel '%s' uses %u buffers or more, which is too many to move to the GPU\n",
                sim->emu.launch.func->func->name, n);
    return HEDDLE_BAD_INPUT;
}

static enum machine_end transfer_all(struct run *r, bool to_gpu)
{
    enum machine_end end = MACHINE_DONE;
    for (uint32_t i = 0; end == MACHINE_DONE && i < r->n_buffers; i++) {
        const struct cmp_buffer *b = &r->buffers[i];
        if (to_gpu ? b->is_read : b->is_written)
            end = machine_transfer(r->sim->machine, b->start, b->bytes, to_gpu);
    }
    return end;
}

static enum machine_end run_on_gpu(struct run *r)
{
    struct heddle_sim *sim = r->sim;
    enum machine_end end = transfer_all(r, true);
    if (end == MACHINE_DONE)
        end = sim_run_machine(sim, r->module);
    return end == MACHINE_DONE ? transfer_all(r, false) : end;
}

static enum machine_end run_on_cmp(struct run *r)
{
    struct heddle_sim *sim = r->sim;
    struct cmp *c = sim->machine->cmp;
    cmp_start(c, &sim->emu);
    enum machine_end end = machine_run_on_cmp(sim->machine, &sim->emu);
    if (!sim->machine->frozen)
        run_stats_add(&sim->stats, cmp_stats(c));
    if (end == MACHINE_FAULT) {
        sim->emu.fault.kind = cmp_fault(c)->kind;
        strbuf_add(&sim->emu.fault.text, strbuf_text(&cmp_fault(c)->text));
    }
    if (cmp_emu(c)->div_zero_seen && !sim->emu.div_zero_seen) {
        sim->emu.div_zero_seen = true;
        strbuf_add(&sim->emu.warning, strbuf_text(&cmp_emu(c)->warning));
    }
    cmp_end(c);
    return end;
}

static enum machine_end run_once(struct run *r)
{
    bool on_cmp = r->sim->config->testbed.on == TESTBED_CMP;
    return on_cmp ? run_on_cmp(r) : run_on_gpu(r);
}

static uint64_t total_ns(const struct testbed_counts *c)
{
    return c->kernel_ns + c->upload_ns + c->readback_ns;
}

/* The run that counts. */
static enum machine_end run_first(struct run *r)
{
    struct machine *m = r->sim->machine;
    uint64_t before = total_ns(&m->testbed);
    m->sample.is_over = true;
    enum machine_end end = run_once(r);
    uint64_t ns = total_ns(&m->testbed) - before;
    if (end == MACHINE_DONE && ns > m->longest.ns)
        m->longest = (struct testbed_longest){r->sim->n_launches, ns};
    m->testbed.launches += end == MACHINE_DONE;
    return end;
}

/* --- repetitions --- */

/* Memory and statistics are afterwards those of the first run. `why` says what the host has
 * lost. */
static enum machine_end repeat(struct run *r, const struct image *before, struct strbuf *why)
{
    struct heddle_sim *sim = r->sim;
    struct machine *m = sim->machine;
    struct testbed_counts first = m->testbed;
    struct image after = take_image(&sim->mem);
    enum machine_end end = MACHINE_DONE;
    machine_freeze_gpu(m);
    m->until_cpus_end = true;
    for (; end == MACHINE_DONE && !mix_cpus_have_ended(m); first.repeats++) {
        put_image(before, &sim->mem);
        end = run_once(r);
    }
    m->testbed = first;
    m->frozen->host.testbed = first;
    if (end == MACHINE_STOPPED && mix_cpus_have_ended(m) && !m->stop) {
        m->halted = false; /* nothing timed follows */
        end = MACHINE_DONE;
    }
    if (end == MACHINE_DONE)
        machine_settle(m, why);
    put_image(&after, &sim->mem);
    free(after.data);
    return end;
}

static enum heddle_status check_cores(struct heddle_sim *sim)
{
    if (sim->machine->n_workers || sim->config->testbed.on == TESTBED_GPU)
        return HEDDLE_OK;
    strbuf_addf(&sim->emu.fault.text,
                "CPU programs use all cores (cpu.cores is %u): none is left for kernels\n",
                sim->config->cpu.cores);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status run_timed(struct heddle_sim *sim, struct heddle_module *module)
{
    struct run r = {.sim = sim, .module = module};
    bool is_single = sim->config->testbed.launch != 0;
    enum heddle_status s = check_cores(sim);
    if (s != HEDDLE_OK)
        return s;
    struct image before = take_image(&sim->mem);
    if (sim->config->testbed.on == TESTBED_GPU)
        s = find_buffers(&r, &before);
    if (s == HEDDLE_OK) {
        struct strbuf why = {0};
        enum machine_end end = run_first(&r);
        if (end == MACHINE_DONE && machine_check(sim->machine, &why) && is_single)
            end = repeat(&r, &before, &why);
        s = why.len ? sim_fail_contradiction(sim, strbuf_text(&why)) : sim_report_end(sim, end);
        strbuf_destroy(&why);
    }
    free(before.data);
    return s;
}

enum heddle_status testbed_run(struct heddle_sim *sim, struct heddle_module *module)
{
    uint32_t only = sim->config->testbed.launch;
    return only && only != sim->n_launches ? sim_run_functional(sim) : run_timed(sim, module);
}
