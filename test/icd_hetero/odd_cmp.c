/* The first OpenCL library that /etc/OpenCL/vendors names, with faults for tests:
 *
 *     ODD_CMP=failing        launches fail from the second one on
 *     ODD_CMP=failing-twice  the second and the third launch fail
 *     ODD_CMP=slow           creating a context takes long, and a second one ends the process */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PLATFORMS = 16 };
typedef cl_int(CL_API_CALL *get_platforms_fn)(cl_uint, cl_platform_id *, cl_uint *);
typedef void(CL_CALLBACK *context_error_fn)(const char *, const void *, size_t, void *);

static const cl_icd_dispatch *real;
static cl_icd_dispatch table; /* of this library's platforms and devices */
static atomic_int n_launches, n_contexts;
static int last_failure = INT_MAX; /* the launches from the second one to this one fail */

/* The first word of every object. */
static void set_table(void *object)
{
    *(const cl_icd_dispatch **)object = &table;
}

static cl_int CL_API_CALL launch(cl_command_queue q, cl_kernel k, cl_uint dims,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint n, const cl_event *list, cl_event *event)
{
    int number = ++n_launches;
    return number > 1 && number <= last_failure
               ? CL_OUT_OF_RESOURCES
               : real->clEnqueueNDRangeKernel(q, k, dims, offset, global, local, n, list, event);
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint n,
                                             const cl_device_id *devices, context_error_fn notify,
                                             void *user, cl_int *code)
{
    if (n_contexts++) {
        fprintf(stderr, "a second context was created\n");
        _exit(1);
    }
    usleep(300000);
    return real->clCreateContext(properties, n, devices, notify, user, code);
}

static cl_int CL_API_CALL get_devices(cl_platform_id p, cl_device_type type, cl_uint n,
                                      cl_device_id *devices, cl_uint *n_found)
{
    cl_uint found = 0;
    cl_int code = real->clGetDeviceIDs(p, type, n, devices, &found);
    for (cl_uint i = 0; code == CL_SUCCESS && devices && i < found && i < n; i++)
        set_table(devices[i]);
    if (n_found)
        *n_found = found;
    return code;
}

static get_platforms_fn open_real(void)
{
    glob_t found;
    char path[4096] = "";
    if (glob("/etc/OpenCL/vendors/*.icd", 0, NULL, &found) != 0)
        return NULL;
    FILE *f = fopen(found.gl_pathv[0], "r");
    if (f && fscanf(f, "%4095s", path) != 1)
        *path = 0;
    if (f)
        fclose(f);
    globfree(&found);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *(*address)(const char *) = NULL;
    if (library)
        *(void **)&address = dlsym(library, "clGetExtensionFunctionAddress");
    return address ? (get_platforms_fn)address("clIcdGetPlatformIDsKHR") : NULL;
}

static cl_int CL_API_CALL get_platforms(cl_uint most, cl_platform_id *platforms, cl_uint *n)
{
    get_platforms_fn get = open_real();
    cl_uint found = 0;
    cl_int code = get ? get(most, platforms, &found) : CL_INVALID_PLATFORM;
    if (code != CL_SUCCESS || !platforms || !found)
        return CL_INVALID_PLATFORM;
    real = *(const cl_icd_dispatch **)platforms[0];
    table = *real;
    table.clGetDeviceIDs = get_devices;
    const char *fault = getenv("ODD_CMP");
    if (fault && strcmp(fault, "failing-twice") == 0)
        last_failure = 3;
    if (fault && strncmp(fault, "failing", strlen("failing")) == 0)
        table.clEnqueueNDRangeKernel = launch;
    if (fault && strcmp(fault, "slow") == 0)
        table.clCreateContext = create_context;
    for (cl_uint i = 0; i < found && i < most; i++)
        set_table(platforms[i]);
    *n = found;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) void *CL_API_CALL
clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)get_platforms : NULL;
}
