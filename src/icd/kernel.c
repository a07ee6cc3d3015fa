#include "icd/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/memory.h"
#include "icd/sampler.h"

bool kernel_needs(const struct _cl_kernel *k, const struct _cl_device_id *d,
                  struct heddle_kernel_info *out)
{
    const struct program_device *on = program_on(k->program, d);
    return on && on->module && heddle_kernel_find(on->module, k->info->name, out);
}

/* Sizes of parameters are the same on all devices. */
static bool read_params(struct _cl_kernel *k)
{
    const struct program_device *on = k->program->devices;
    while (!on->module)
        on++;
    struct heddle_kernel_info info;
    if (!heddle_kernel_find(on->module, k->info->name, &info) || info.n_params != k->info->n_args)
        return false;
    for (uint32_t i = 0; i < info.n_params; i++) {
        struct heddle_param_info param;
        heddle_kernel_param(on->module, k->info->name, i, &param);
        k->param_bytes[i] = param.bytes;
    }
    return true;
}

static struct _cl_kernel *create(struct _cl_program *p, struct code *code,
                                 const struct kernel_info *info)
{
    struct _cl_kernel *k = object_create(ICD_KERNEL, sizeof *k);
    k->program = p;
    k->code = code;
    k->info = info;
    k->args = xcalloc(info->n_args + 1, sizeof *k->args);
    k->param_bytes = xcalloc(info->n_args + 1, sizeof *k->param_bytes);
    code_retain(code);
    object_retain(p);
    p->n_kernels++;
    if (read_params(k))
        return k;
    object_user_release(k);
    kernel_release(k);
    return NULL;
}

void kernel_release(struct _cl_kernel *k)
{
    if (!object_release(k))
        return;
    for (uint32_t i = 0; i < k->info->n_args; i++)
        free(k->args[i].value);
    free(k->args);
    free(k->param_bytes);
    code_release(k->code);
    k->program->n_kernels--;
    program_release(k->program);
    object_destroy(k, ICD_KERNEL);
}

cl_kernel icd_clCreateKernel(cl_program p, const char *name, cl_int *errcode)
{
    struct _cl_kernel *k = NULL;
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(p, ICD_PROGRAM))
        code = CL_INVALID_PROGRAM;
    else if (!program_executable(p))
        code = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (!name)
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS) {
        struct code *compiled = (struct code *)program_executable(p);
        const struct kernel_info *info = code_find_kernel(compiled, name);
        k = info ? create(p, compiled, info) : NULL;
        code = !info ? CL_INVALID_KERNEL_NAME : k ? CL_SUCCESS : CL_INVALID_KERNEL_DEFINITION;
    }
    icd_unlock();
    fail_with(errcode, code);
    return k;
}

cl_int icd_clCreateKernelsInProgram(cl_program p, cl_uint n, cl_kernel *kernels, cl_uint *n_ret)
{
    icd_lock();
    cl_int code = CL_SUCCESS;
    struct code *compiled = NULL;
    if (!object_is(p, ICD_PROGRAM))
        code = CL_INVALID_PROGRAM;
    else if (!(compiled = (struct code *)program_executable(p)))
        code = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (kernels && n < compiled->n_kernels)
        code = CL_INVALID_VALUE;
    for (uint32_t i = 0; code == CL_SUCCESS && kernels && i < compiled->n_kernels; i++)
        kernels[i] = create(p, compiled, &compiled->kernels[i]);
    if (code == CL_SUCCESS && n_ret)
        *n_ret = compiled->n_kernels;
    icd_unlock();
    return code;
}

cl_int icd_clRetainKernel(cl_kernel k)
{
    icd_lock();
    bool ok = object_is(k, ICD_KERNEL) && object_user_retain(k);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_KERNEL;
}

cl_int icd_clReleaseKernel(cl_kernel k)
{
    icd_lock();
    bool ok = object_is(k, ICD_KERNEL) && object_user_release(k);
    if (ok)
        kernel_release(k);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_KERNEL;
}

cl_kernel icd_clCloneKernel(cl_kernel from, cl_int *errcode)
{
    icd_lock();
    struct _cl_kernel *k = NULL;
    if (object_is(from, ICD_KERNEL))
        k = create(from->program, from->code, from->info);
    for (uint32_t i = 0; k && i < k->info->n_args; i++) {
        struct kernel_arg *arg = &k->args[i];
        *arg = from->args[i];
        if (arg->value) {
            arg->value = xalloc(1, arg->bytes);
            memcpy(arg->value, from->args[i].value, arg->bytes);
        }
    }
    icd_unlock();
    fail_with(errcode, k ? CL_SUCCESS : CL_INVALID_KERNEL);
    return k;
}

/* --- arguments --- */

static cl_int set_object(struct kernel_arg *arg, const struct arg_info *info, size_t bytes,
                         const void *value)
{
    if (bytes != sizeof(void *))
        return CL_INVALID_ARG_SIZE;
    void *object = value ? *(void *const *)value : NULL;
    if (info->kind == ARG_SAMPLER) {
        if (!object_is(object, ICD_SAMPLER))
            return CL_INVALID_SAMPLER;
    } else if (info->kind == ARG_IMAGE) {
        if (!mem_is(object) || mem_is_buffer(object) ||
            ((struct _cl_mem *)object)->type != info->image)
            return CL_INVALID_MEM_OBJECT;
    } else if (object && !mem_is_buffer(object)) {
        return CL_INVALID_MEM_OBJECT;
    }
    arg->object = object;
    arg->is_set = true;
    return CL_SUCCESS;
}

static cl_int set_value(struct kernel_arg *arg, uint64_t expected, size_t bytes, const void *value)
{
    if (!value)
        return CL_INVALID_ARG_VALUE;
    if (bytes != expected)
        return CL_INVALID_ARG_SIZE;
    if (!arg->value)
        arg->value = xalloc(1, bytes ? bytes : 1);
    memcpy(arg->value, value, bytes);
    arg->bytes = bytes;
    arg->is_set = true;
    return CL_SUCCESS;
}

static cl_int set_arg(struct _cl_kernel *k, cl_uint i, size_t bytes, const void *value)
{
    if (i >= k->info->n_args)
        return CL_INVALID_ARG_INDEX;
    const struct arg_info *info = &k->info->args[i];
    struct kernel_arg *arg = &k->args[i];
    switch (info->kind) {
    case ARG_LOCAL:
        if (value)
            return CL_INVALID_ARG_VALUE;
        if (bytes == 0)
            return CL_INVALID_ARG_SIZE;
        arg->bytes = bytes;
        arg->is_set = true;
        return CL_SUCCESS;
    case ARG_VALUE:
        return set_value(arg, k->param_bytes[i], bytes, value);
    case ARG_BUFFER:
    case ARG_IMAGE:
    case ARG_SAMPLER:
        break;
    }
    return set_object(arg, info, bytes, value);
}

cl_int icd_clSetKernelArg(cl_kernel k, cl_uint i, size_t bytes, const void *value)
{
    icd_lock();
    cl_int code = object_is(k, ICD_KERNEL) ? set_arg(k, i, bytes, value) : CL_INVALID_KERNEL;
    icd_unlock();
    return code;
}

/* --- queries --- */

static cl_int kernel_info(const struct _cl_kernel *k, cl_kernel_info param, size_t size,
                          void *value, size_t *size_ret)
{
    switch (param) {
    case CL_KERNEL_FUNCTION_NAME:
        return info_text(k->info->name, size, value, size_ret);
    case CL_KERNEL_NUM_ARGS:
        return INFO(cl_uint, k->info->n_args);
    case CL_KERNEL_REFERENCE_COUNT:
        return INFO(cl_uint, k->base.users);
    case CL_KERNEL_CONTEXT:
        return INFO(cl_context, k->program->context);
    case CL_KERNEL_PROGRAM:
        return INFO(cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES:
        return info_text(k->info->attributes, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetKernelInfo(cl_kernel k, cl_kernel_info param, size_t size, void *value,
                           size_t *size_ret)
{
    icd_lock();
    cl_int code =
        object_is(k, ICD_KERNEL) ? kernel_info(k, param, size, value, size_ret) : CL_INVALID_KERNEL;
    icd_unlock();
    return code;
}

static cl_int arg_info(const struct arg_info *a, cl_kernel_arg_info param, size_t size, void *value,
                       size_t *size_ret)
{
    switch (param) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return INFO(cl_kernel_arg_address_qualifier, a->address);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return INFO(cl_kernel_arg_access_qualifier, a->access);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return INFO(cl_kernel_arg_type_qualifier, a->qualifiers);
    case CL_KERNEL_ARG_TYPE_NAME:
        return info_text(a->type, size, value, size_ret);
    case CL_KERNEL_ARG_NAME:
        return info_text(a->name, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info param, size_t size,
                              void *value, size_t *size_ret)
{
    icd_lock();
    cl_int code = CL_INVALID_KERNEL;
    if (object_is(k, ICD_KERNEL))
        code = i < k->info->n_args ? arg_info(&k->info->args[i], param, size, value, size_ret)
                                   : CL_INVALID_ARG_INDEX;
    icd_unlock();
    return code;
}

static cl_int group_info(const struct _cl_kernel *k, const struct _cl_device_id *d,
                         cl_kernel_work_group_info param, size_t size, void *value,
                         size_t *size_ret)
{
    struct heddle_kernel_info needs;
    if (!kernel_needs(k, d, &needs))
        return CL_INVALID_DEVICE;
    uint64_t local = needs.shared_bytes;
    for (uint32_t i = 0; i < k->info->n_args; i++)
        local += k->info->args[i].kind == ARG_LOCAL ? k->args[i].bytes : 0;
    switch (param) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return INFO(size_t, device_max_group(d));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return info_answer(k->info->required_group, sizeof k->info->required_group, size, value,
                           size_ret);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return INFO(cl_ulong, local);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return INFO(size_t, GPU_WARP_LANES);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return INFO(cl_ulong, needs.local_bytes);
    case CL_KERNEL_GLOBAL_WORK_SIZE: /* for built-in kernels and custom devices */
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info param,
                                    size_t size, void *value, size_t *size_ret)
{
    icd_lock();
    cl_int code = CL_INVALID_KERNEL;
    if (object_is(k, ICD_KERNEL)) {
        if (!d && k->program->n_devices == 1)
            d = k->program->devices[0].device;
        code = object_is(d, ICD_DEVICE) ? group_info(k, d, param, size, value, size_ret)
                                        : CL_INVALID_DEVICE;
    }
    icd_unlock();
    return code;
}
