/* Launches on Heddle HeteroPDP: choosing a target, launching there, and launching on the other
 * target if that fails. */
#include "icd/hetero.h"
#include "icd/sampler.h"

/* Programs with variables run on one target, that of their first launch. */
static bool is_bound_elsewhere(const struct target_program *p, const struct target *t)
{
    return p->is_bound && p->bound_to != t->which;
}

static void bind_program(struct target_program *p, const char *kernel, const struct target *t)
{
    if (!p->variable || p->is_bound)
        return;
    p->is_bound = true;
    p->bound_to = t->which;
    icd_complain("HeteroPDP: the program of kernel '%s' has variables, such as '%s', which are not "
                 "copied between targets: all its kernels run on %s",
                 kernel, p->variable, strbuf_text(&t->name));
}

/* Which targets can run the kernel, those that have failed only if `even_failed`? */
static bool find_some(struct hetero *h, const char *name, struct target_program *program,
                      bool even_failed, cl_kernel kernels[HETERO_N_TARGETS], struct strbuf *why)
{
    bool any = false;
    strbuf_clear(why);
    for (int i = 0; i < HETERO_N_TARGETS; i++) {
        struct target *t = &h->targets[i];
        const char *reason = "it has failed";
        kernels[i] = NULL;
        if (is_bound_elsewhere(program, t))
            reason = "the program's variables are on the other target";
        else if (even_failed || !t->has_failed)
            kernels[i] = hetero_kernel(program, name, t, &reason);
        if (!kernels[i])
            strbuf_addf(why, "%s%s: %s", why->len ? "; " : "", strbuf_text(&t->name), reason);
        any |= kernels[i] != NULL;
    }
    return any;
}

/* A target that has failed is better than none: the launch then fails at worst. */
static bool find_kernels(struct hetero *h, const char *name, struct target_program *program,
                         cl_kernel kernels[HETERO_N_TARGETS], struct strbuf *why)
{
    return find_some(h, name, program, false, kernels, why) ||
           find_some(h, name, program, true, kernels, why);
}

/* --- on one target --- */

/* There are few different samplers: a target caches all of them. */
static cl_int set_sampler(struct target *t, cl_kernel k, uint32_t i, const struct _cl_sampler *s)
{
    cl_sampler *sampler = &t->samplers[s->normalized ? 1 : 0][s->addressing - CL_ADDRESS_NONE]
                                      [s->filter == CL_FILTER_LINEAR];
    cl_int code = CL_SUCCESS;
    if (!*sampler)
        *sampler =
            t->cl->clCreateSampler(t->context, s->normalized, s->addressing, s->filter, &code);
    return code == CL_SUCCESS ? t->cl->clSetKernelArg(k, i, sizeof *sampler, sampler) : code;
}

static cl_int set_args(struct target *t, cl_kernel k, const struct launch_command *l)
{
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; code == CL_SUCCESS && i < l->kernel->info->n_args; i++) {
        cl_mem copy = NULL;
        switch (l->kernel->info->args[i].kind) {
        case ARG_BUFFER:
        case ARG_IMAGE:
            if (l->objects[i])
                code = hetero_place(l->objects[i], t, &copy);
            if (code == CL_SUCCESS)
                code = t->cl->clSetKernelArg(k, i, sizeof copy, &copy);
            break;
        case ARG_SAMPLER:
            code = set_sampler(t, k, i, l->objects[i]);
            break;
        case ARG_LOCAL:
            code = t->cl->clSetKernelArg(k, i, l->args[i].bytes, NULL);
            break;
        case ARG_VALUE:
            code = t->cl->clSetKernelArg(k, i, l->args[i].bytes, l->args[i].data);
            break;
        }
    }
    return code;
}

static bool is_memory(const struct launch_command *l, uint32_t i)
{
    enum arg_kind kind = l->kernel->info->args[i].kind;
    return l->objects[i] && (kind == ARG_BUFFER || kind == ARG_IMAGE);
}

/* The arguments that the kernel may read, or the others. With a checkpoint, the host keeps what the
 * kernel is about to overwrite. */
static cl_int bring_some(struct _cl_device_id *d, struct target *t, const struct launch_command *l,
                         bool read, uint64_t *ns)
{
    bool checkpoint = d->platform->settings.hetero_checkpoint;
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; code == CL_SUCCESS && i < l->kernel->info->n_args; i++) {
        if (!is_memory(l, i) || launch_reads(l, i) != read)
            continue;
        code = hetero_bring(d, l->objects[i], t, ns);
        if (code == CL_SUCCESS && checkpoint && launch_writes(l, i))
            code = hetero_bring_home(d, l->objects[i], false, ns);
    }
    return code;
}

/* Contents that the kernel may not read are needed too: it may write a part, and the rest stays.
 * In measurements that transfer does not count. */
static cl_int bring_args(struct _cl_device_id *d, struct target *t, const struct launch_command *l,
                         uint64_t *ns)
{
    uint64_t uncounted = 0;
    cl_int code = bring_some(d, t, l, true, ns);
    return code == CL_SUCCESS
               ? bring_some(d, t, l, false, d->platform->settings.hetero_cold ? &uncounted : ns)
               : code;
}

static cl_int enqueue(struct target *t, cl_kernel k, const struct heddle_launch *l,
                      struct hetero_decision *decision)
{
    size_t offset[3], global[3], local[3];
    cl_event event = NULL;
    for (int i = 0; i < 3; i++) {
        offset[i] = l->global_offset[i];
        local[i] = l->block[i];
        global[i] = (size_t)l->grid[i] * l->block[i];
    }
    cl_int code = t->cl->clEnqueueNDRangeKernel(t->queue, k, l->work_dim, offset, global, local, 0,
                                                NULL, &event);
    return code == CL_SUCCESS ? target_wait(t, event, &decision->kernel_ns, &decision->fault)
                              : code;
}

/* For measurements: only the host's buffers are current, before the launch and after it. The
 * transfer counts only afterwards, as read-back. */
static cl_int bring_args_home(struct _cl_device_id *d, const struct launch_command *l, uint64_t *ns)
{
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; code == CL_SUCCESS && i < l->kernel->info->n_args; i++)
        if (is_memory(l, i))
            code = hetero_bring_home(d, l->objects[i], true, ns);
    return code;
}

/* `started`: the kernel may have written something. */
static cl_int run_on(struct _cl_device_id *d, struct target *t, cl_kernel k,
                     const struct launch_command *l, struct hetero_decision *decision,
                     bool *started)
{
    bool cold = d->platform->settings.hetero_cold;
    uint64_t uncounted = 0;
    *started = false;
    cl_int code = cold ? bring_args_home(d, l, &uncounted) : CL_SUCCESS;
    if (code == CL_SUCCESS)
        code = set_args(t, k, l);
    if (code == CL_SUCCESS)
        code = bring_args(d, t, l, &decision->transfer_ns);
    if (code != CL_SUCCESS)
        return code;
    *started = true;
    code = enqueue(t, k, &l->launch, decision);
    bool has_failed = code != CL_SUCCESS && !decision->fault.len;
    for (uint32_t i = 0; i < l->kernel->info->n_args; i++)
        if (is_memory(l, i) && launch_writes(l, i))
            hetero_wrote(l->objects[i], t, has_failed);
    return code == CL_SUCCESS && cold ? bring_args_home(d, l, &decision->transfer_ns) : code;
}

/* --- two targets --- */

/* Has a failed kernel destroyed the only current copy of a buffer that it was writing? Then what it
 * left is the contents. */
static bool has_lost_contents(const struct launch_command *l, const struct target *t)
{
    bool lost = false;
    for (uint32_t i = 0; i < l->kernel->info->n_args; i++)
        if (is_memory(l, i) && hetero_is_lost(l->objects[i])) {
            hetero_wrote(l->objects[i], t, false);
            lost = true;
        }
    return lost;
}

/* Why the other target cannot repeat the launch; NULL = it can. Lost contents get defined ones in
 * either case. */
static const char *find_problem(const struct launch_command *l, const struct target_program *p,
                                const struct target *failed, const struct target *other,
                                const cl_kernel *kernels, bool started)
{
    bool lost = started && has_lost_contents(l, failed);
    if (is_bound_elsewhere(p, other))
        return ", which has the program's variables";
    if (!kernels[other->which])
        return ", and the other target cannot run it";
    if (lost)
        return ", which had the only current copy of a buffer that it was writing; "
               "HEDDLE_HETERO_CHECKPOINT=1 keeps another";
    return NULL;
}

/* A kernel that is faulty on one target is so on both, and the other one may not be protected from
 * it. The target has printed what is wrong; this calls the error function of the program's context.
 */
static void report_fault(const struct icd_command *c, const struct strbuf *fault)
{
    icd_lock();
    context_report(c->event->context, strbuf_text(fault));
    icd_unlock();
}

/* A target failed: tries the other one if that can run the launch. A target that fails while a
 * kernel runs is not used any more, if there is another. */
static cl_int take_over(struct icd_command *c, const struct target_program *program,
                        const cl_kernel *kernels, bool started, cl_int code,
                        struct hetero_decision *decision)
{
    const struct launch_command *l = c->data;
    struct hetero *h = c->device->hetero;
    struct target *failed = &h->targets[decision->ran_on];
    struct target *other = &h->targets[decision->ran_on == HETERO_CMP ? HETERO_GPU : HETERO_CMP];
    const char *name = l->kernel->info->name;
    const char *problem = find_problem(l, program, failed, other, kernels, started);
    bool is_left = started && kernels[other->which];
    failed->has_failed |= is_left; /* one that nothing can replace stays what it was */
    if (problem) {
        strbuf_addf(&c->message, "kernel '%s' failed on %s (error %d)%s%s%s", name,
                    strbuf_text(&failed->name), code, problem,
                    is_left ? "; all further launches are on " : "",
                    is_left ? strbuf_text(&other->name) : "");
        return code;
    }
    icd_complain("HeteroPDP: kernel '%s' failed on %s (error %d): %s takes over%s", name,
                 strbuf_text(&failed->name), code, strbuf_text(&other->name),
                 started ? " for all further launches" : "");
    decision->ran_on = other->which;
    decision->was_taken_over = true;
    h->n_taken_over++;
    return run_on(c->device, other, kernels[other->which], l, decision, &started);
}

static cl_int run_somewhere(struct icd_command *c, struct target_program *program,
                            const cl_kernel *kernels, struct hetero_decision *decision)
{
    const struct launch_command *l = c->data;
    struct hetero *h = c->device->hetero;
    const bool can[HETERO_N_TARGETS] = {kernels[HETERO_CMP], kernels[HETERO_GPU]};
    bool started;
    hetero_decide(h, l, program, can, decision);
    decision->ran_on = decision->target;
    decision->has_variables = program->variable != NULL;
    cl_int code = run_on(c->device, &h->targets[decision->target], kernels[decision->target], l,
                         decision, &started);
    if (code != CL_SUCCESS && !decision->fault.len)
        code = take_over(c, program, kernels, started, code, decision);
    if (decision->fault.len)
        report_fault(c, &decision->fault);
    if (code == CL_SUCCESS || decision->fault.len)
        bind_program(program, l->kernel->info->name, &h->targets[decision->ran_on]);
    decision->status = code;
    h->n_launches[decision->ran_on]++;
    hetero_log(c->device, l, decision);
    strbuf_destroy(&decision->fault);
    return code;
}

static cl_int run(struct icd_command *c)
{
    const struct launch_command *l = c->data;
    struct target_program *program = program_on(l->kernel->program, c->device)->targets;
    struct hetero_decision decision = {0};
    cl_kernel kernels[HETERO_N_TARGETS];
    const char *name = l->kernel->info->name;
    struct strbuf why = {0};
    cl_int code = CL_OUT_OF_RESOURCES;
    if (find_kernels(c->device->hetero, name, program, kernels, &why))
        code = run_somewhere(c, program, kernels, &decision);
    else
        strbuf_addf(&c->message, "kernel '%s' cannot run on any target: %s", name,
                    strbuf_text(&why));
    c->engine = ENGINE_COMPUTE;
    c->cost_ns = decision.transfer_ns + decision.kernel_ns;
    strbuf_destroy(&why);
    return code == CL_SUCCESS ? code : CL_OUT_OF_RESOURCES;
}

cl_int hetero_run_launch(struct icd_command *c)
{
    /* The targets take their own locks, and what they release may belong to this device. */
    pthread_mutex_unlock(&c->device->sim_lock);
    cl_int code = run(c);
    pthread_mutex_lock(&c->device->sim_lock);
    return code;
}
