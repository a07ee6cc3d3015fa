/* Kernel launches: checks of the ranges, choice of work-group sizes, a copy of the arguments, the
 * launch. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/sim.h"
#include "icd/hetero.h"
#include "icd/launch_log.h"
#include "icd/sampler.h"

/* --- the range --- */

/* The largest divisor of n up to `most`. */
static size_t divisor(size_t n, size_t most)
{
    size_t d = n < most ? n : most;
    while (n % d)
        d--;
    return d;
}

/* MODEL: if no work-group size is given, each dimension in turn gets the largest divisor of its
 * range that still fits into a group of 256 work-items. */
static void choose_group(const struct _cl_device_id *d, cl_uint dims, const size_t *global,
                         size_t local[3])
{
    size_t room = device_max_group(d) < 256 ? device_max_group(d) : 256;
    for (cl_uint i = 0; i < dims; i++) {
        local[i] = divisor(global[i], room);
        room /= local[i];
    }
}

static cl_int check_group(const struct _cl_kernel *k, const struct _cl_device_id *d, cl_uint dims,
                          const size_t *global, const size_t *local)
{
    size_t threads = 1;
    for (cl_uint i = 0; i < dims; i++) {
        if (local[i] == 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local[i] > device_max_group(d))
            return CL_INVALID_WORK_ITEM_SIZE;
        threads *= local[i];
        if (global[i] % local[i])
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    if (threads > device_max_group(d))
        return CL_INVALID_WORK_GROUP_SIZE;
    const size_t *required = k->info->required_group;
    for (cl_uint i = 0; required[0] && i < 3; i++)
        if ((i < dims ? local[i] : 1) != required[i])
            return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

static cl_int set_range(const struct _cl_kernel *k, const struct _cl_device_id *d, cl_uint dims,
                        const size_t *offset, const size_t *global, const size_t *given,
                        struct heddle_launch *l)
{
    size_t local[3] = {1, 1, 1};
    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint i = 0; i < dims; i++) {
        if (global[i] == 0 || global[i] > UINT32_MAX)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (offset && (offset[i] > UINT32_MAX || global[i] + offset[i] > 1ull << 32))
            return CL_INVALID_GLOBAL_OFFSET;
    }
    if (given)
        memcpy(local, given, dims * sizeof *local);
    else if (k->info->required_group[0])
        memcpy(local, k->info->required_group, sizeof local);
    else
        choose_group(d, dims, global, local);
    cl_int code = check_group(k, d, dims, global, local);
    if (code != CL_SUCCESS)
        return code;
    l->work_dim = dims;
    for (cl_uint i = 0; i < 3; i++) {
        l->block[i] = (uint32_t)local[i];
        l->grid[i] = i < dims ? (uint32_t)(global[i] / local[i]) : 1;
        l->global_offset[i] = offset && i < dims ? (uint32_t)offset[i] : 0;
    }
    return CL_SUCCESS;
}

/* --- the arguments --- */

static cl_int check_args(const struct _cl_kernel *k, const struct _cl_command_queue *q)
{
    struct heddle_kernel_info needs;
    if (!kernel_needs(k, q->device, &needs))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    uint64_t local = needs.shared_bytes;
    for (uint32_t i = 0; i < k->info->n_args; i++) {
        const struct kernel_arg *arg = &k->args[i];
        enum arg_kind kind = k->info->args[i].kind;
        if (!arg->is_set)
            return CL_INVALID_KERNEL_ARGS;
        if ((kind == ARG_BUFFER || kind == ARG_IMAGE) && arg->object &&
            (!mem_is(arg->object) || ((struct _cl_mem *)arg->object)->context != q->context))
            return CL_INVALID_KERNEL_ARGS;
        if (kind == ARG_SAMPLER && !object_is(arg->object, ICD_SAMPLER))
            return CL_INVALID_KERNEL_ARGS;
        local += kind == ARG_LOCAL ? arg->bytes : 0;
    }
    return local > device_local_bytes(q->device) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

bool launch_writes(const struct launch_command *l, uint32_t i)
{
    const struct arg_info *info = &l->kernel->info->args[i];
    return info->kind == ARG_IMAGE ? info->access != CL_KERNEL_ARG_ACCESS_READ_ONLY
                                   : info->address != CL_KERNEL_ARG_ADDRESS_CONSTANT &&
                                         !(info->qualifiers & CL_KERNEL_ARG_TYPE_CONST);
}

bool launch_reads(const struct launch_command *l, uint32_t i)
{
    const struct arg_info *info = &l->kernel->info->args[i];
    const struct _cl_mem *m = l->objects[i];
    return !(m->flags & CL_MEM_WRITE_ONLY) &&
           (info->kind != ARG_IMAGE || info->access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
}

static void take_memory(struct icd_command *c, uint32_t i, struct _cl_mem *m)
{
    struct launch_command *l = c->data;
    if (!m)
        return;
    l->objects[i] = m;
    l->words[i] = l->kernel->info->args[i].kind == ARG_IMAGE ? mem_descriptor(m, c->device)
                                                             : mem_address(m, c->device);
    command_use(c, m, launch_writes(l, i));
}

static void take_args(struct icd_command *c)
{
    struct launch_command *l = c->data;
    uint32_t n = l->kernel->info->n_args;
    l->args = xcalloc(n + 1, sizeof *l->args);
    l->words = xcalloc(n + 1, sizeof *l->words);
    l->objects = xcalloc(n + 1, sizeof *l->objects);
    for (uint32_t i = 0; i < n; i++) {
        const struct kernel_arg *arg = &l->kernel->args[i];
        l->args[i] = (struct heddle_arg){.data = &l->words[i], .bytes = 8};
        switch (l->kernel->info->args[i].kind) {
        case ARG_BUFFER:
        case ARG_IMAGE:
            take_memory(c, i, arg->object);
            break;
        case ARG_SAMPLER:
            l->words[i] = sampler_value(arg->object);
            l->objects[i] = arg->object;
            object_retain(arg->object);
            break;
        case ARG_LOCAL:
            l->args[i] = (struct heddle_arg){.bytes = arg->bytes, .local = true};
            break;
        case ARG_VALUE: {
            void *copy = xalloc(1, arg->bytes ? arg->bytes : 1);
            memcpy(copy, arg->value, arg->bytes);
            l->args[i] = (struct heddle_arg){.data = copy, .bytes = arg->bytes};
        }
        }
    }
    l->launch.args = l->args;
    l->launch.n_args = n;
}

static void drop_launch(struct icd_command *c)
{
    struct launch_command *l = c->data;
    for (uint32_t i = 0; l->args && i < l->kernel->info->n_args; i++)
        if (l->kernel->info->args[i].kind == ARG_VALUE)
            free((void *)l->args[i].data);
        else if (l->kernel->info->args[i].kind == ARG_SAMPLER)
            sampler_release(l->objects[i]);
    free(l->args);
    free(l->words);
    free(l->objects);
    kernel_release(l->kernel);
}

/* --- the launch --- */

static uint64_t last_count(const struct heddle_sim *sim, const char *name)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_last_stat_at(sim, i);
        if (strcmp(s.name, name) == 0)
            return s.count;
    }
    return 0;
}

/* MODEL: functional execution of OpenCL has no clock; a warp instruction counts as a nanosecond. */
static uint64_t launch_ns(const struct _cl_device_id *d)
{
    if (d->platform->settings.functional)
        return last_count(d->sim, "warp_insts");
    uint64_t mhz = d->config->gpu->core_clock_mhz;
    return (last_count(d->sim, "cycles") * 1000 + mhz - 1) / mhz;
}

/* Labels buffers with the names of the kernel's parameters, for reports about L2. */
static void name_buffers(struct _cl_device_id *d, const struct launch_command *l)
{
    const struct kernel_info *k = l->kernel->info;
    if (!cache_policy_may_drop(d->config->l2_policy))
        return;
    for (uint32_t i = 0; i < k->n_args; i++)
        if (k->args[i].kind == ARG_BUFFER && k->args[i].name[0])
            mem_label(&d->sim->mem, l->words[i], k->args[i].name);
}

/* Programs that do not check clCreateBuffer() pass what it returned. */
static void describe_null_buffers(const struct launch_command *l, struct strbuf *out)
{
    const struct kernel_info *k = l->kernel->info;
    for (uint32_t i = 0; i < k->n_args; i++)
        if (k->args[i].kind == ARG_BUFFER && !l->objects[i])
            strbuf_addf(out, "\n  argument %u '%s' is a null buffer", i, k->args[i].name);
}

/* Many programs access memory just outside of a buffer, which hardware does not notice. */
static void describe_failure(struct icd_command *c, const struct launch_command *l)
{
    const char *error = heddle_error(c->device->sim);
    size_t n = strlen(error);
    strbuf_addf(&c->message, "kernel '%s': %.*s", l->kernel->info->name,
                (int)(n && error[n - 1] == '\n' ? n - 1 : n), error);
    if (strstr(error, "bad access"))
        describe_null_buffers(l, &c->message);
    if (strstr(error, "nearest allocation: 'OpenCL buffer'") &&
        !c->device->platform->settings.loose_bounds)
        strbuf_addf(&c->message,
                    "\n  heddle exec --loose-bounds permits %d bytes before and after a buffer",
                    LOOSE_BYTES);
}

static cl_int run_launch(struct icd_command *c)
{
    struct launch_command *l = c->data;
    struct _cl_device_id *d = c->device;
    const char *name = l->kernel->info->name;
    name_buffers(d, l);
    enum heddle_status s = heddle_launch(d->sim, l->module, name, &l->launch);
    cl_int code = CL_SUCCESS;
    c->engine = ENGINE_COMPUTE;
    if (s == HEDDLE_OK || s == HEDDLE_KERNEL_FAULT || s == HEDDLE_STOPPED) {
        c->cost_ns = launch_ns(d);
        launch_log_add(d, &(struct logged_launch){.kernel = name,
                                                  .grid = l->launch.grid,
                                                  .block = l->launch.block,
                                                  .status = s,
                                                  .ns = c->cost_ns});
    } else {
        d->n_failed++;
    }
    if (s != HEDDLE_OK) {
        describe_failure(c, l);
        c->is_fault = s == HEDDLE_KERNEL_FAULT;
        launch_log_cut(d);
        heddle_recover(d->sim);
        code = CL_OUT_OF_RESOURCES;
    }
    return code;
}

static cl_int check_launch(cl_command_queue q, cl_kernel k)
{
    if (!object_is(q, ICD_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(k, ICD_KERNEL))
        return CL_INVALID_KERNEL;
    if (q->context != k->program->context)
        return CL_INVALID_CONTEXT;
    return program_on(k->program, q->device) && program_on(k->program, q->device)->module
               ? CL_SUCCESS
               : CL_INVALID_PROGRAM_EXECUTABLE;
}

/* Since OpenCL 2.1 a launch without work-items succeeds and does nothing. */
static bool is_empty(const struct _cl_command_queue *q, cl_uint dims, const size_t *global)
{
    if (q->device->platform->settings.version < 300 || dims < 1 || dims > 3)
        return false;
    bool empty = !global;
    for (cl_uint i = 0; !empty && i < dims; i++)
        empty = global[i] == 0;
    return empty;
}

static cl_int run_nothing(struct icd_command *c)
{
    c->cost_ns = 1;
    return CL_SUCCESS;
}

static cl_int enqueue_nothing(cl_command_queue q, cl_command_type type, cl_uint n,
                              const cl_event *events, cl_event *event)
{
    struct icd_command *c;
    cl_int code = command_create(q, type, n, events, 0, &c);
    if (code != CL_SUCCESS)
        return code;
    c->run = run_nothing;
    return command_submit(c, false, event);
}

static cl_int enqueue(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint dims,
                      const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
                      const cl_event *events, cl_event *event)
{
    struct icd_command *c;
    struct heddle_launch range = {0};
    icd_lock();
    cl_int code = check_launch(q, k);
    if (code == CL_SUCCESS && is_empty(q, dims, global)) {
        code = enqueue_nothing(q, type, n, events, event);
        icd_unlock();
        return code;
    }
    if (code == CL_SUCCESS)
        code = set_range(k, q->device, dims, offset, global, local, &range);
    if (code == CL_SUCCESS)
        code = check_args(k, q);
    if (code == CL_SUCCESS)
        code = command_create(q, type, n, events, sizeof(struct launch_command), &c);
    if (code == CL_SUCCESS) {
        struct launch_command *l = c->data;
        l->kernel = k;
        l->launch = range;
        l->module = program_on(k->program, q->device)->module;
        object_retain(k);
        c->run = q->device->hetero ? hetero_run_launch : run_launch;
        c->moves_memory = q->device->hetero != NULL;
        c->drop = drop_launch;
        take_args(c);
        code = command_submit(c, false, event);
    }
    icd_unlock();
    return code;
}

cl_int icd_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint n, const cl_event *events, cl_event *event)
{
    return enqueue(q, k, CL_COMMAND_NDRANGE_KERNEL, dims, offset, global, local, n, events, event);
}

cl_int icd_clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *events,
                         cl_event *event)
{
    const size_t one = 1;
    return enqueue(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, n, events, event);
}
