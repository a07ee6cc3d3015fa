/* Any OpenCL 1.2 platform as a device: an independent check of every workload.
 *
 * libOpenCL is opened at run time and its functions are looked up by name, so that a machine
 * without OpenCL can still build and run everything else. One in-order queue, every call blocking:
 * correctness matters here, not throughput.
 *
 * A platform may crash when it is asked for its devices (PoCL aborts if there is no /sys). So each
 * is asked in a child process first, and one that crashes there is skipped and named. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/device_backend.h"
#include "workloads/trial.h"

#define OPENCL_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clCreateBuffer)                                                                              \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clFinish)

struct backend {
    void *library;
#define DECLARE(function) __typeof__(&function) function;
    OPENCL_FUNCTIONS(DECLARE)
#undef DECLARE
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem *buffers;
    uint32_t n_buffers, cap_buffers;
};

/* The errors that a workload's author meets; others appear as their number. */
static const char *error_name(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return "memory object allocation failure";
    case CL_OUT_OF_RESOURCES:
        return "out of resources";
    case CL_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case CL_BUILD_PROGRAM_FAILURE:
        return "build program failure";
    case CL_INVALID_KERNEL_NAME:
        return "invalid kernel name";
    case CL_INVALID_ARG_INDEX:
        return "invalid argument index: the kernel has fewer parameters";
    case CL_INVALID_ARG_SIZE:
        return "invalid argument size: the parameter has another type";
    case CL_INVALID_KERNEL_ARGS:
        return "invalid kernel arguments: the kernel has more parameters";
    case CL_INVALID_WORK_GROUP_SIZE:
        return "invalid work-group size";
    case CL_INVALID_BUFFER_SIZE:
        return "invalid buffer size";
    default:
        return "OpenCL error";
    }
}

static bool succeeded(cl_int code, const char *doing, struct strbuf *error)
{
    if (code != CL_SUCCESS)
        strbuf_addf(error, "%s: %s (%d)", doing, error_name(code), code);
    return code == CL_SUCCESS;
}

/* --- Finding a device --- */

static bool open_library(struct backend *b, struct strbuf *error)
{
    b->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!b->library) {
        strbuf_addf(error, "no OpenCL on this machine (%s)", dlerror());
        return false;
    }
#define LOOK_UP(function)                                                                          \
    b->function = (__typeof__(b->function))dlsym(b->library, #function);                           \
    if (!b->function) {                                                                            \
        strbuf_add(error, "libOpenCL.so.1 has no " #function);                                     \
        return false;                                                                              \
    }
    OPENCL_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return true;
}

static void add_full_name(struct backend *b, cl_platform_id platform, cl_device_id device,
                          struct strbuf *name)
{
    char text[256] = "";
    b->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL);
    strbuf_addf(name, "%s / ", text);
    text[0] = 0;
    b->clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
    strbuf_add(name, text);
}

/* Takes the platform's first device whose full name contains `select`; `seen` collects the others
 * for the message. */
static bool try_platform(struct backend *b, cl_platform_id platform, const char *select,
                         struct strbuf *name, struct strbuf *seen)
{
    enum { MAX_DEVICES = 16 };
    cl_device_id devices[MAX_DEVICES];
    cl_uint n = 0;
    if (b->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < MAX_DEVICES; i++) {
        strbuf_clear(name);
        add_full_name(b, platform, devices[i], name);
        if (!select || strcasestr(strbuf_text(name), select)) {
            b->device = devices[i];
            return true;
        }
        strbuf_addf(seen, "\n  %s", strbuf_text(name));
    }
    return false;
}

enum {
    MAX_PLATFORMS = 16,
    SECONDS_TO_ANSWER = 60, /* a platform that takes longer is assumed to hang */
};

struct platforms {
    struct backend *b;
    cl_platform_id ids[MAX_PLATFORMS];
    cl_uint n;
    cl_uint asked; /* the one that ask_for_devices() asks */
};

static void list_platforms(void *argument)
{
    struct platforms *p = argument;
    /* An ICD loader without any platform reports an error rather than zero platforms. */
    if (p->b->clGetPlatformIDs(MAX_PLATFORMS, p->ids, &p->n) != CL_SUCCESS)
        p->n = 0;
    if (p->n > MAX_PLATFORMS)
        p->n = MAX_PLATFORMS;
}

static void ask_for_devices(void *argument)
{
    struct platforms *p = argument;
    struct strbuf name = {0}, seen = {0};
    try_platform(p->b, p->ids[p->asked], "\n", &name, &seen); /* matches no name: all are read */
}

/* Can the platform be asked? `crashed` collects those that cannot, for the message. */
static bool may_be_asked(struct platforms *p, cl_uint i, struct strbuf *crashed)
{
    struct strbuf how = {0};
    p->asked = i;
    bool survives = trial_survives(ask_for_devices, p, SECONDS_TO_ANSWER, &how);
    if (!survives) {
        char name[256] = "";
        p->b->clGetPlatformInfo(p->ids[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        strbuf_addf(crashed, "\n  %s crashes when asked for its devices: %s", name,
                    strbuf_text(&how));
    }
    strbuf_destroy(&how);
    return survives;
}

/* Heddle itself, if it is installed as an OpenCL device. */
static bool is_own(struct backend *b, cl_platform_id platform)
{
    char name[16] = "";
    return b->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) ==
               CL_SUCCESS &&
           strcmp(name, "Heddle") == 0;
}

static bool choose_device(struct backend *b, const char *select, struct strbuf *name,
                          struct strbuf *error)
{
    struct platforms platforms = {.b = b};
    struct strbuf seen = {0}, crashed = {0}, how = {0};
    if (trial_survives(list_platforms, &platforms, SECONDS_TO_ANSWER, &how))
        list_platforms(&platforms);
    else
        strbuf_addf(&crashed,
                    "\n  libOpenCL.so.1 crashes when asked for its platforms: %s\n  note: some "
                    "loaders ask every platform for devices in order to sort them; "
                    "OCL_ICD_PLATFORM_SORT=none turns that off",
                    strbuf_text(&how));
    strbuf_destroy(&how);
    bool found = false;
    for (int own = 0; own < 2; own++) /* others first */
        for (cl_uint i = 0; i < platforms.n && !found; i++)
            found = is_own(b, platforms.ids[i]) == own && may_be_asked(&platforms, i, &crashed) &&
                    try_platform(b, platforms.ids[i], select, name, &seen);
    if (!found && seen.len > 0)
        strbuf_addf(error, "no OpenCL device matches '%s'; available:%s%s", select,
                    strbuf_text(&seen), strbuf_text(&crashed));
    else if (!found)
        strbuf_addf(error, "no OpenCL device on this machine%s", strbuf_text(&crashed));
    strbuf_destroy(&seen);
    strbuf_destroy(&crashed);
    return found;
}

static bool open_device(struct backend *b, struct strbuf *error)
{
    cl_int code;
    b->context = b->clCreateContext(NULL, 1, &b->device, NULL, NULL, &code);
    if (!succeeded(code, "create context", error))
        return false;
    b->queue = b->clCreateCommandQueue(b->context, b->device, 0, &code);
    return succeeded(code, "create command queue", error);
}

/* --- The operations --- */

static void add_build_log(struct backend *b, struct strbuf *error)
{
    size_t bytes = 0;
    b->clGetProgramBuildInfo(b->program, b->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    if (bytes == 0)
        return;
    char *log = xcalloc(1, bytes + 1);
    b->clGetProgramBuildInfo(b->program, b->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    strbuf_addf(error, "\n%s", log);
    free(log);
}

static bool backend_load(void *backend, const char *name, const char *source, const char *options,
                         struct strbuf *error)
{
    struct backend *b = backend;
    cl_int code;
    if (b->program)
        b->clReleaseProgram(b->program);
    b->program = b->clCreateProgramWithSource(b->context, 1, &source, NULL, &code);
    if (!succeeded(code, name, error))
        return false;
    code = b->clBuildProgram(b->program, 1, &b->device, options, NULL, NULL);
    if (succeeded(code, name, error))
        return true;
    add_build_log(b, error);
    return false;
}

static bool backend_alloc(void *backend, size_t bytes, const char *label, uint64_t *handle,
                          struct strbuf *error)
{
    struct backend *b = backend;
    cl_int code;
    cl_mem buffer = b->clCreateBuffer(b->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!succeeded(code, label, error))
        return false;
    ARRAY_RESERVE(b->buffers, b->cap_buffers, b->n_buffers + 1);
    b->buffers[b->n_buffers] = buffer;
    *handle = b->n_buffers++;
    const cl_uchar zero = 0;
    code = b->clEnqueueFillBuffer(b->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    return succeeded(code, label, error);
}

static bool backend_upload(void *backend, uint64_t handle, size_t offset, const void *src,
                           size_t bytes, struct strbuf *error)
{
    struct backend *b = backend;
    cl_int code = b->clEnqueueWriteBuffer(b->queue, b->buffers[handle], CL_TRUE, offset, bytes, src,
                                          0, NULL, NULL);
    return succeeded(code, "upload", error);
}

static bool backend_download(void *backend, uint64_t handle, size_t offset, void *dst, size_t bytes,
                             struct strbuf *error)
{
    struct backend *b = backend;
    cl_int code = b->clEnqueueReadBuffer(b->queue, b->buffers[handle], CL_TRUE, offset, bytes, dst,
                                         0, NULL, NULL);
    return succeeded(code, "download", error);
}

static cl_int set_arg(struct backend *b, cl_kernel kernel, cl_uint i, const struct device_arg *arg)
{
    switch (arg->kind) {
    case DEVICE_ARG_BUFFER:
        return b->clSetKernelArg(kernel, i, sizeof(cl_mem), &b->buffers[arg->buffer.handle]);
    case DEVICE_ARG_VALUE:
        return b->clSetKernelArg(kernel, i, arg->bytes, &arg->value);
    case DEVICE_ARG_LOCAL:
        break;
    }
    return b->clSetKernelArg(kernel, i, arg->bytes, NULL);
}

static bool run_kernel(struct backend *b, cl_kernel kernel, const char *name,
                       const uint32_t global[3], const uint32_t local[3],
                       const struct device_arg *args, uint32_t n_args, struct strbuf *error)
{
    for (uint32_t i = 0; i < n_args; i++) {
        cl_int code = set_arg(b, kernel, i, &args[i]);
        if (code != CL_SUCCESS) {
            strbuf_addf(error, "argument %u of kernel ", i);
            return succeeded(code, name, error);
        }
    }
    const size_t global_size[3] = {global[0], global[1], global[2]};
    const size_t local_size[3] = {local[0], local[1], local[2]};
    cl_int code = b->clEnqueueNDRangeKernel(b->queue, kernel, 3, NULL, global_size, local_size, 0,
                                            NULL, NULL);
    return succeeded(code, name, error) && succeeded(b->clFinish(b->queue), name, error);
}

static bool backend_launch(void *backend, const char *kernel, const uint32_t global[3],
                           const uint32_t local[3], const struct device_arg *args, uint32_t n_args,
                           struct strbuf *error)
{
    struct backend *b = backend;
    cl_int code;
    cl_kernel object = b->clCreateKernel(b->program, kernel, &code);
    if (!succeeded(code, kernel, error))
        return false;
    bool ok = run_kernel(b, object, kernel, global, local, args, n_args, error);
    b->clReleaseKernel(object);
    return ok;
}

static void backend_destroy(void *backend)
{
    struct backend *b = backend;
    for (uint32_t i = 0; i < b->n_buffers; i++)
        b->clReleaseMemObject(b->buffers[i]);
    free(b->buffers);
    if (b->program)
        b->clReleaseProgram(b->program);
    if (b->queue)
        b->clReleaseCommandQueue(b->queue);
    if (b->context)
        b->clReleaseContext(b->context);
    /* The library stays open: platforms keep threads that outlive their last object. */
    free(b);
}

static const struct device_ops opencl_ops = {
    .load = backend_load,
    .alloc = backend_alloc,
    .upload = backend_upload,
    .download = backend_download,
    .launch = backend_launch,
    .destroy = backend_destroy,
};

struct device *device_create_opencl(const char *select)
{
    struct backend *b = xcalloc(1, sizeof *b);
    struct strbuf name = {0}, error = {0};
    if (open_library(b, &error) && choose_device(b, select, &name, &error))
        open_device(b, &error);
    return device_create(&opencl_ops, b, &name, &error);
}
