/* The table that loaders call through, and the three functions they look up by name. */
#include <string.h>

#include "icd/object.h"
#include "icd/platform.h"

static cl_int absent(void)
{
    return CL_INVALID_OPERATION;
}

const cl_icd_dispatch icd_dispatch = {
#define ENTRY(name)  .name = icd_##name,
#define ABSENT(name) .name = (void *)absent,
#include "icd/entries.def"
#undef ENTRY
#undef ABSENT
};

#define EXPORT __attribute__((visibility("default")))

EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                              cl_platform_id *platforms,
                                                              cl_uint *num_platforms)
{
    return icd_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                         cl_platform_info param, size_t size,
                                                         void *value, size_t *size_ret)
{
    return icd_clGetPlatformInfo(platform, param, size, value, size_ret);
}

EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return icd_clGetExtensionFunctionAddress(name);
}

void *icd_clGetExtensionFunctionAddress(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
        {"clGetPlatformInfo", (void *)clGetPlatformInfo},
        {"clCreateCommandQueueWithPropertiesKHR", (void *)icd_clCreateCommandQueueWithProperties},
        {"clGetKernelSubGroupInfoKHR", (void *)icd_clGetKernelSubGroupInfoKHR},
    };
    for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

void *icd_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return object_is(platform, ICD_PLATFORM) ? icd_clGetExtensionFunctionAddress(name) : NULL;
}
