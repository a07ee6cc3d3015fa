/* Programs as objects: creation, queries, release. Building them is in program_build.c. */
#include "icd/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gpu/sim.h"
#include "icd/hetero.h"
#include "ptx/program.h"

struct program_device *program_on(const struct _cl_program *p, const struct _cl_device_id *d)
{
    for (uint32_t i = 0; i < p->n_devices; i++)
        if (p->devices[i].device == d)
            return &p->devices[i];
    return NULL;
}

const struct code *program_executable(const struct _cl_program *p)
{
    for (uint32_t i = 0; i < p->n_devices; i++)
        if (p->devices[i].module)
            return p->devices[i].code;
    return NULL;
}

/* Is every called function defined? */
static bool is_complete(const struct ptx_module *m, struct strbuf *log)
{
    bool ok = true;
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        const struct ptx_func *f = m->funcs[i]->alias_of ? m->funcs[i]->alias_of : m->funcs[i];
        if (f->has_body || ptx_find_host_function(f->name) != PTX_N_HOST_FUNCTIONS)
            continue;
        strbuf_addf(log, "error: undefined function: %s\n", f->name);
        ok = false;
    }
    return ok;
}

bool program_load(struct program_device *on, const struct code *code, struct heddle_module **module,
                  struct strbuf *log)
{
    struct _cl_device_id *d = on->device;
    pthread_mutex_lock(&d->sim_lock);
    enum heddle_status s = heddle_load(d->sim, HEDDLE_PTX, "program.cl.ptx",
                                       strbuf_text(&code->ptx), code->ptx.len, NULL, module);
    if (s != HEDDLE_OK)
        strbuf_add(log, heddle_error(d->sim));
    else if (!is_complete((*module)->ptx, log)) {
        heddle_unload(d->sim, *module);
        *module = NULL;
        s = HEDDLE_BAD_INPUT;
    }
    pthread_mutex_unlock(&d->sim_lock);
    return s == HEDDLE_OK;
}

static void retire_module(struct _cl_device_id *d, struct heddle_module *module)
{
    if (!module)
        return;
    ARRAY_RESERVE(d->retired_modules, d->cap_retired_modules, d->n_retired_modules + 1);
    d->retired_modules[d->n_retired_modules++] = module;
}

void program_set_code(struct program_device *on, struct code *code)
{
    retire_module(on->device, on->module);
    on->module = NULL;
    hetero_retire_program(on->device, on->targets);
    on->targets = NULL;
    code_release(on->code);
    on->code = code;
}

struct _cl_program *program_create(struct _cl_context *context, const cl_device_id *devices,
                                   cl_uint n)
{
    struct _cl_program *p = object_create(ICD_PROGRAM, sizeof *p);
    p->context = context;
    p->n_devices = n;
    p->devices = xcalloc(n, sizeof *p->devices);
    for (cl_uint i = 0; i < n; i++)
        p->devices[i] = (struct program_device){.device = devices[i], .status = CL_BUILD_NONE};
    object_retain(context);
    return p;
}

void program_release(struct _cl_program *p)
{
    if (!object_release(p))
        return;
    for (uint32_t i = 0; i < p->n_devices; i++) {
        struct program_device *on = &p->devices[i];
        program_set_code(on, NULL);
        strbuf_destroy(&on->options);
        strbuf_destroy(&on->log);
    }
    free(p->devices);
    strbuf_destroy(&p->source);
    context_release(p->context);
    object_destroy(p, ICD_PROGRAM);
}

cl_program icd_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                         const size_t *lengths, cl_int *errcode)
{
    if (count == 0 || !strings)
        return fail_with(errcode, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        if (!strings[i])
            return fail_with(errcode, CL_INVALID_VALUE);
    icd_lock();
    struct _cl_program *p = NULL;
    if (object_is(context, ICD_CONTEXT)) {
        p = program_create(context, context->devices, context->n_devices);
        p->has_source = true;
        for (cl_uint i = 0; i < count; i++)
            strbuf_add_n(&p->source, strings[i],
                         lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    }
    icd_unlock();
    fail_with(errcode, p ? CL_SUCCESS : CL_INVALID_CONTEXT);
    return p;
}

static cl_int check_binaries(cl_context context, cl_uint n, const cl_device_id *devices,
                             const size_t *lengths, const unsigned char **binaries, cl_int *status)
{
    if (!object_is(context, ICD_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!devices || n == 0 || !lengths || !binaries)
        return CL_INVALID_VALUE;
    if (!context_has_devices(context, n, devices))
        return CL_INVALID_DEVICE;
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < n; i++) {
        bool ok = lengths[i] && binaries[i];
        if (status)
            status[i] = ok ? CL_SUCCESS : CL_INVALID_VALUE;
        code = ok ? code : CL_INVALID_VALUE;
    }
    return code;
}

static cl_int take_binaries(struct _cl_program *p, const size_t *lengths,
                            const unsigned char **binaries, cl_int *status)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < p->n_devices; i++) {
        p->devices[i].code = code_from_file(binaries[i], lengths[i]);
        cl_int code = p->devices[i].code ? CL_SUCCESS : CL_INVALID_BINARY;
        if (status)
            status[i] = code;
        result = code == CL_SUCCESS ? result : code;
    }
    return result;
}

cl_program icd_clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                         const size_t *lengths, const unsigned char **binaries,
                                         cl_int *status, cl_int *errcode)
{
    struct _cl_program *p = NULL;
    icd_lock();
    cl_int code = check_binaries(context, n, devices, lengths, binaries, status);
    if (code == CL_SUCCESS) {
        p = program_create(context, devices, n);
        code = take_binaries(p, lengths, binaries, status);
    }
    if (p && code != CL_SUCCESS) {
        object_user_release(p);
        program_release(p);
        p = NULL;
    }
    icd_unlock();
    fail_with(errcode, code);
    return p;
}

cl_int icd_clRetainProgram(cl_program p)
{
    icd_lock();
    bool ok = object_is(p, ICD_PROGRAM) && object_user_retain(p);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

cl_int icd_clReleaseProgram(cl_program p)
{
    icd_lock();
    bool ok = object_is(p, ICD_PROGRAM) && object_user_release(p);
    if (ok)
        program_release(p);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

/* --- queries --- */

static cl_int device_list(const struct _cl_program *p, size_t size, void *value, size_t *size_ret)
{
    cl_device_id list[MAX_DEVICES_OF_CONTEXT];
    for (uint32_t i = 0; i < p->n_devices; i++)
        list[i] = p->devices[i].device;
    return info_answer(list, p->n_devices * sizeof *list, size, value, size_ret);
}

static cl_int binary_sizes(const struct _cl_program *p, size_t size, void *value, size_t *size_ret)
{
    size_t sizes[MAX_DEVICES_OF_CONTEXT] = {0};
    for (uint32_t i = 0; i < p->n_devices; i++) {
        struct strbuf file = {0};
        if (p->devices[i].code)
            code_to_file(p->devices[i].code, &file);
        sizes[i] = file.len;
        strbuf_destroy(&file);
    }
    return info_answer(sizes, p->n_devices * sizeof *sizes, size, value, size_ret);
}

/* The value is an array of pointers for the binaries; NULL entries are skipped. */
static cl_int binaries(const struct _cl_program *p, size_t size, void *value, size_t *size_ret)
{
    size_t bytes = p->n_devices * sizeof(unsigned char *);
    unsigned char **places = value;
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    for (uint32_t i = 0; value && i < p->n_devices; i++) {
        if (!places[i] || !p->devices[i].code)
            continue;
        struct strbuf file = {0};
        code_to_file(p->devices[i].code, &file);
        memcpy(places[i], file.text, file.len);
        strbuf_destroy(&file);
    }
    if (size_ret)
        *size_ret = bytes;
    return CL_SUCCESS;
}

static cl_int kernel_names(const struct code *code, size_t size, void *value, size_t *size_ret)
{
    struct strbuf names = {0};
    for (uint32_t i = 0; i < code->n_kernels; i++)
        strbuf_addf(&names, "%s%s", i ? ";" : "", code->kernels[i].name);
    cl_int result = info_text(strbuf_text(&names), size, value, size_ret);
    strbuf_destroy(&names);
    return result;
}

static cl_int program_info(const struct _cl_program *p, cl_program_info param, size_t size,
                           void *value, size_t *size_ret)
{
    const struct code *code = program_executable(p);
    switch (param) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return INFO(cl_uint, p->base.users);
    case CL_PROGRAM_CONTEXT:
        return INFO(cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES:
        return INFO(cl_uint, p->n_devices);
    case CL_PROGRAM_DEVICES:
        return device_list(p, size, value, size_ret);
    case CL_PROGRAM_SOURCE:
        return info_text(strbuf_text(&p->source), size, value, size_ret);
    case CL_PROGRAM_BINARY_SIZES:
        return binary_sizes(p, size, value, size_ret);
    case CL_PROGRAM_BINARIES:
        return binaries(p, size, value, size_ret);
    case CL_PROGRAM_NUM_KERNELS:
        return code ? INFO(size_t, code->n_kernels) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return code ? kernel_names(code, size, value, size_ret) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_IL:
        return info_answer(NULL, 0, size, value, size_ret);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return INFO(cl_bool, CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetProgramInfo(cl_program p, cl_program_info param, size_t size, void *value,
                            size_t *size_ret)
{
    icd_lock();
    cl_int code = object_is(p, ICD_PROGRAM) ? program_info(p, param, size, value, size_ret)
                                            : CL_INVALID_PROGRAM;
    icd_unlock();
    return code;
}

static cl_int build_info(const struct program_device *on, cl_program_build_info param, size_t size,
                         void *value, size_t *size_ret)
{
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS:
        return INFO(cl_build_status, on->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return info_text(strbuf_text(&on->options), size, value, size_ret);
    case CL_PROGRAM_BUILD_LOG:
        return info_text(strbuf_text(&on->log), size, value, size_ret);
    case CL_PROGRAM_BINARY_TYPE:
        return INFO(cl_program_binary_type,
                    on->code ? on->code->type : CL_PROGRAM_BINARY_TYPE_NONE);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return INFO(size_t, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info param,
                                 size_t size, void *value, size_t *size_ret)
{
    icd_lock();
    cl_int code = CL_INVALID_PROGRAM;
    if (object_is(p, ICD_PROGRAM)) {
        const struct program_device *on = program_on(p, d);
        code = on ? build_info(on, param, size, value, size_ret) : CL_INVALID_DEVICE;
    }
    icd_unlock();
    return code;
}
