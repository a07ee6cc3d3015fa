#include "icd/platform.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/front.h"
#include "gpu/plugins.h"
#include "icd/hetero.h"

/* Extensions of the platform; the compiler has those of OpenCL C. */
static const char own_extensions[] = "cl_khr_icd cl_nv_device_attribute_query ";

const char *icd_extensions(void)
{
    return strbuf_text(&platform_get()->extensions);
}

const cl_name_version *icd_extension_versions(size_t *n)
{
    *n = platform_get()->n_extensions;
    return platform_get()->extension_versions;
}

static void list_extensions(struct _cl_platform_id *p)
{
    strbuf_addf(&p->extensions, "%s%s", own_extensions, front_opencl_extensions());
    char *copy = strdup(strbuf_text(&p->extensions)), *save = NULL;
    p->extension_versions = xcalloc(p->extensions.len / 2 + 1, sizeof *p->extension_versions);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        cl_name_version *v = &p->extension_versions[p->n_extensions++];
        v->version = CL_MAKE_VERSION(1, 0, 0);
        snprintf(v->name, sizeof v->name, "%s", word);
    }
    free(copy);
}

void icd_complain(const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&text, format, args);
    va_end(args);
    for (const char *p = strbuf_text(&text), *end; *p; p = *end ? end + 1 : end) {
        end = strchrnul(p, '\n');
        fprintf(stderr, "heddle: %.*s\n", (int)(end - p), p);
    }
    strbuf_destroy(&text);
}

static struct _cl_platform_id *platform;

static bool add_gpus(struct _cl_platform_id *p, struct strbuf *error)
{
    for (uint32_t i = 0; i < p->settings.n_gpus; i++) {
        struct _cl_device_id *d = device_new(p, p->settings.gpus[i], error);
        if (!d)
            return false;
        p->devices[p->n_devices++] = d;
    }
    return true;
}

/* Programs see HeteroPDP; its GPU, if it is one of ours, is hidden behind it. */
static bool add_hetero(struct _cl_platform_id *p, struct strbuf *error)
{
    const char *gpu = p->settings.gpus[0];
    struct _cl_device_id *d = device_new(p, gpu, error), *behind = NULL;
    if (d && !p->settings.hetero_gpu)
        behind = device_new(p, gpu, error);
    if (!d || (!behind && !p->settings.hetero_gpu))
        return false;
    d->hetero = hetero_new(&p->settings, behind, error);
    if (!d->hetero)
        return false;
    strbuf_clear(&d->name);
    strbuf_add(&d->name, "Heddle HeteroPDP");
    p->devices[p->n_devices++] = d;
    if (behind)
        p->devices[p->n_devices + p->n_hidden++] = behind;
    return true;
}

static void add_devices(struct _cl_platform_id *p)
{
    struct strbuf error = {0};
    bool ok = settings_read(&p->settings, &error);
    for (uint32_t i = 0; ok && i < p->settings.n_plugins; i++)
        ok = plugins_load(p->settings.plugins[i], &error);
    p->devices = xcalloc(p->settings.n_gpus + 2, sizeof *p->devices);
    if (ok)
        ok = p->settings.hetero ? add_hetero(p, &error) : add_gpus(p, &error);
    if (!ok) {
        icd_complain("%s", strbuf_text(&error));
        p->n_devices = p->n_hidden = 0;
    }
    strbuf_destroy(&error);
}

static void create_platform(void)
{
    icd_lock();
    platform = object_create(ICD_PLATFORM, sizeof *platform);
    icd_unlock();
    list_extensions(platform);
    add_devices(platform);
    atexit(devices_stop);
}

struct _cl_platform_id *platform_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_platform);
    return platform;
}

cl_int icd_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && num_entries == 0))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = platform_get();
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

static cl_int platform_info(cl_platform_info param, size_t size, void *value, size_t *size_ret)
{
    bool is_12 = platform_get()->settings.version == 120;
    const cl_name_version *versions;
    size_t n;
    switch (param) {
    case CL_PLATFORM_PROFILE:
        return info_text("FULL_PROFILE", size, value, size_ret);
    case CL_PLATFORM_VERSION:
        return info_text(is_12 ? "OpenCL 1.2 Heddle" : "OpenCL 3.0 Heddle", size, value, size_ret);
    case CL_PLATFORM_NUMERIC_VERSION:
        return INFO(cl_version, is_12 ? CL_MAKE_VERSION(1, 2, 0) : CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME:
        return info_text("Heddle", size, value, size_ret);
    case CL_PLATFORM_VENDOR:
        return info_text("Heddle", size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS:
        return info_text(icd_extensions(), size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        versions = icd_extension_versions(&n);
        return info_answer(versions, n * sizeof *versions, size, value, size_ret);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return info_text("HEDDLE", size, value, size_ret);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return INFO(cl_ulong, 1);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetPlatformInfo(cl_platform_id p, cl_platform_info param, size_t size, void *value,
                             size_t *size_ret)
{
    if (p && !object_is(p, ICD_PLATFORM))
        return CL_INVALID_PLATFORM;
    return platform_info(param, size, value, size_ret);
}

cl_int icd_clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint num_entries,
                          cl_device_id *devices, cl_uint *num_devices)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (p && !object_is(p, ICD_PLATFORM))
        return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (type == 0 || type & ~known))
        return CL_INVALID_DEVICE_TYPE;
    if ((!devices && !num_devices) || (devices && num_entries == 0))
        return CL_INVALID_VALUE;
    const struct _cl_platform_id *the = platform_get();
    bool matches = type == CL_DEVICE_TYPE_ALL || type & the->settings.device_type ||
                   type & CL_DEVICE_TYPE_DEFAULT ||
                   (the->settings.is_any_type && type != CL_DEVICE_TYPE_CUSTOM);
    uint32_t n = matches ? the->n_devices : 0;
    if (type == CL_DEVICE_TYPE_DEFAULT && n > 1)
        n = 1;
    for (uint32_t i = 0; devices && i < n && i < num_entries; i++)
        devices[i] = the->devices[i];
    if (num_devices)
        *num_devices = n;
    return n ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_int icd_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

cl_int icd_clUnloadPlatformCompiler(cl_platform_id p)
{
    return object_is(p, ICD_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
