#include "icd/target.h"

#include <ctype.h>
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/event.h"

/* The first word of every object of an OpenCL library that supports loaders. */
static const cl_icd_dispatch *dispatch_of(void *object)
{
    return *(const cl_icd_dispatch *const *)object;
}

static void add_name(struct target *t)
{
    char name[256] = "";
    t->cl->clGetDeviceInfo(t->device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    strbuf_clear(&t->name);
    strbuf_add(&t->name, name);
}

/* The first device of the type that the platform has. */
static bool take_from(struct target *t, cl_platform_id platform, cl_device_type type)
{
    const cl_icd_dispatch *cl = dispatch_of(platform);
    cl_device_id device = NULL;
    if (cl->clGetDeviceIDs(platform, type, 1, &device, NULL) != CL_SUCCESS || !device)
        return false;
    t->cl = dispatch_of(device);
    t->device = device;
    add_name(t);
    return true;
}

/* The library stays loaded: its threads may still run. */
static uint32_t load_platforms(const char *library, cl_platform_id *platforms, uint32_t most,
                               struct strbuf *error)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        strbuf_addf(error, "%s\n", dlerror());
        return 0;
    }
    cl_api_clGetExtensionFunctionAddress address =
        (cl_api_clGetExtensionFunctionAddress)dlsym(handle, "clGetExtensionFunctionAddress");
    clIcdGetPlatformIDsKHR_fn get =
        address ? (clIcdGetPlatformIDsKHR_fn)address("clIcdGetPlatformIDsKHR") : NULL;
    cl_uint n = 0;
    if (get && get == (clIcdGetPlatformIDsKHR_fn)icd_clGetExtensionFunctionAddress(
                          "clIcdGetPlatformIDsKHR")) {
        strbuf_addf(error, "%s: HeteroPDP cannot use its own library\n", library);
        return 0; /* it would wait for its own initialisation */
    }
    if (!get || get(most, platforms, &n) != CL_SUCCESS || n == 0) {
        strbuf_addf(error, "%s: it has no OpenCL platform\n", library);
        return 0;
    }
    return n < most ? n : most;
}

enum { MAX_PLATFORMS = 16 };

/* The first device of the type; if there is none and `or_any` is set, the first one. */
static bool find_in(struct target *t, const char *library, cl_device_type type, bool or_any,
                    struct strbuf *error)
{
    const cl_device_type types[] = {type, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[MAX_PLATFORMS];
    uint32_t n = load_platforms(library, platforms, MAX_PLATFORMS, error);
    for (int k = 0; k <= (int)or_any; k++)
        for (uint32_t i = 0; i < n; i++)
            if (dispatch_of(platforms[i]) != &icd_dispatch && take_from(t, platforms[i], types[k]))
                return true;
    return false;
}

static void trim(struct strbuf *text)
{
    while (text->len && isspace((unsigned char)text->text[text->len - 1]))
        text->text[--text->len] = 0;
}

static bool find_vendor(struct target *t, cl_device_type type, struct strbuf *error)
{
    glob_t found;
    bool ok = false;
    if (glob("/etc/OpenCL/vendors/*.icd", 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !ok; i++) {
        struct strbuf library = {0};
        if (strbuf_read_file(&library, found.gl_pathv[i]) == 0) {
            trim(&library);
            ok = !strstr(strbuf_text(&library), "libheddle_ocl") &&
                 find_in(t, strbuf_text(&library), type, false, error);
        }
        strbuf_destroy(&library);
    }
    globfree(&found);
    return ok;
}

bool target_find(struct target *t, const char *library, cl_device_type type, struct strbuf *error)
{
    if (library ? find_in(t, library, type, true, error) : find_vendor(t, type, error))
        return true;
    strbuf_addf(error, "there is no %s for HeteroPDP%s%s\n",
                t->which == HETERO_CMP ? "OpenCL device of type CPU" : "OpenCL device",
                library ? " in " : " in any of the libraries that /etc/OpenCL/vendors names",
                library ? library : "");
    return false;
}

void target_take(struct target *t, cl_device_id device)
{
    t->cl = &icd_dispatch;
    t->device = device;
    t->is_simulated = true;
    add_name(t);
}

/* Several threads may build programs at the same time. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

cl_int target_open(struct target *t)
{
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&opening);
    if (!t->context)
        t->context = t->cl->clCreateContext(NULL, 1, &t->device, NULL, NULL, &code);
    if (code == CL_SUCCESS && !t->queue)
        t->queue =
            t->cl->clCreateCommandQueue(t->context, t->device, CL_QUEUE_PROFILING_ENABLE, &code);
    pthread_mutex_unlock(&opening);
    return code;
}

static cl_int wait_for_ours(cl_event event, struct strbuf *fault)
{
    icd_lock();
    cl_int status = event_wait_unseen(event);
    if (fault)
        strbuf_add(fault, strbuf_text(&event->fault));
    icd_unlock();
    return status;
}

static cl_int wait_for_other(struct target *t, cl_event event)
{
    cl_int status = CL_COMPLETE;
    cl_int code = t->cl->clWaitForEvents(1, &event);
    t->cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status < 0 ? status : code;
}

cl_int target_wait(struct target *t, cl_event event, uint64_t *ns, struct strbuf *fault)
{
    cl_ulong start = 0, end = 0;
    t->cl->clFlush(t->queue);
    cl_int code = t->is_simulated ? wait_for_ours(event, fault) : wait_for_other(t, event);
    t->cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    t->cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    t->cl->clReleaseEvent(event);
    *ns += end > start ? end - start : 0;
    return code;
}

uint64_t target_limit(const struct target *t, cl_device_info which)
{
    cl_ulong value = 0; /* size_t has the same width */
    t->cl->clGetDeviceInfo(t->device, which, sizeof value, &value, NULL);
    return value;
}
