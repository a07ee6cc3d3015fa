/* An OpenCL platform that aborts when it is asked for its devices, as PoCL does without /sys; with
 * HEDDLE_TEST_PLATFORM=early already when it is asked for itself. For
 * test/behaviour/crashing_platforms_are_named.sh. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

_Noreturn static void crash(const char *words)
{
    fprintf(stderr, "a line before the last\n%s\n", words);
    abort();
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info what,
                                            size_t bytes, void *value, size_t *needed)
{
    (void)platform;
    const char *text = what == CL_PLATFORM_EXTENSIONS       ? "cl_khr_icd"
                       : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "TEST"
                       : what == CL_PLATFORM_VERSION        ? "OpenCL 1.2"
                                                            : "Crashing Platform";
    if (needed)
        *needed = strlen(text) + 1;
    if (value && bytes > strlen(text))
        strcpy(value, text);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint n,
                                         cl_device_id *devices, cl_uint *n_devices)
{
    (void)platform, (void)type, (void)n, (void)devices, (void)n_devices;
    crash("no devices today");
}

static cl_icd_dispatch dispatch = {
    .clGetPlatformInfo = get_platform_info,
    .clGetDeviceIDs = get_device_ids,
};
static struct _cl_platform_id {
    cl_icd_dispatch *dispatch;
} the_platform = {&dispatch};

static cl_int CL_API_CALL get_platform_ids(cl_uint n, cl_platform_id *platforms,
                                           cl_uint *n_platforms)
{
    const char *when = getenv("HEDDLE_TEST_PLATFORM");
    if (when && strcmp(when, "early") == 0)
        crash("no platforms today");
    if (n_platforms)
        *n_platforms = 1;
    if (platforms && n > 0)
        platforms[0] = &the_platform;
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                              size_t bytes, void *value, size_t *needed)
{
    return get_platform_info(platform, what, bytes, value, needed);
}

EXPORTED void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)get_platform_ids
           : strcmp(name, "clGetPlatformInfo") == 0    ? (void *)get_platform_info
                                                       : NULL;
}
