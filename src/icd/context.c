#include "icd/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

uint32_t context_device_index(const struct _cl_context *c, const struct _cl_device_id *d)
{
    uint32_t i = 0;
    while (i < c->n_devices && c->devices[i] != d)
        i++;
    return i;
}

bool context_has_devices(const struct _cl_context *c, cl_uint n, const cl_device_id *devices)
{
    for (cl_uint i = 0; i < n; i++) {
        if (!object_is(devices[i], ICD_DEVICE) ||
            context_device_index(c, devices[i]) == c->n_devices)
            return false;
        for (cl_uint k = 0; k < i; k++)
            if (devices[k] == devices[i])
                return false;
    }
    return true;
}

void context_report(struct _cl_context *c, const char *text)
{
    if (c->notify)
        notify_error(c->notify, c->notify_user, text);
}

void context_release(struct _cl_context *c)
{
    if (!object_release(c))
        return;
    notify_destructors(c->destructors, c);
    free(c->devices);
    free(c->properties);
    object_destroy(c, ICD_CONTEXT);
}

/* CL_INVALID_PROPERTY or similar for invalid properties. */
static cl_int check_properties(const cl_context_properties *p, size_t *n)
{
    bool has_platform = false, has_sync = false;
    *n = 0;
    for (; p && p[*n]; *n += 2) {
        cl_context_properties value = p[*n + 1];
        switch (p[*n]) {
        case CL_CONTEXT_PLATFORM:
            if (has_platform)
                return CL_INVALID_PROPERTY;
            if (!object_is((void *)value, ICD_PLATFORM))
                return CL_INVALID_PLATFORM;
            has_platform = true;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (has_sync || (value != CL_TRUE && value != CL_FALSE))
                return CL_INVALID_PROPERTY;
            has_sync = true;
            break;
        default:
            return CL_INVALID_PROPERTY;
        }
    }
    *n += p != NULL;
    return CL_SUCCESS;
}

static cl_int open_devices(const cl_device_id *devices, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(devices[i], ICD_DEVICE))
            return CL_INVALID_DEVICE;
    for (cl_uint i = 0; i < n; i++) {
        cl_int code = device_open(devices[i]);
        if (code != CL_SUCCESS)
            return code;
    }
    return CL_SUCCESS;
}

/* A device that is named twice counts once. */
static void take_devices(struct _cl_context *c, const cl_device_id *devices, cl_uint n)
{
    c->devices = xcalloc(n, sizeof *c->devices);
    for (cl_uint i = 0; i < n; i++)
        if (context_device_index(c, devices[i]) == c->n_devices)
            c->devices[c->n_devices++] = devices[i];
}

cl_context icd_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                               const cl_device_id *devices,
                               void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                         void *),
                               void *user, cl_int *errcode)
{
    size_t n_properties;
    cl_int code = check_properties(properties, &n_properties);
    if (code != CL_SUCCESS)
        return fail_with(errcode, code);
    if (!devices || num_devices == 0 || num_devices > MAX_DEVICES_OF_CONTEXT || (!notify && user))
        return fail_with(errcode, CL_INVALID_VALUE);
    code = open_devices(devices, num_devices);
    if (code != CL_SUCCESS)
        return fail_with(errcode, code);
    icd_lock();
    struct _cl_context *c = object_create(ICD_CONTEXT, sizeof *c);
    take_devices(c, devices, num_devices);
    if (n_properties) {
        c->properties = xcalloc(n_properties, sizeof *c->properties);
        memcpy(c->properties, properties, n_properties * sizeof *c->properties);
        c->n_properties = n_properties;
    }
    c->notify = notify;
    c->notify_user = user;
    icd_unlock();
    fail_with(errcode, CL_SUCCESS);
    return c;
}

cl_context icd_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                 void *),
                                       void *user, cl_int *errcode)
{
    cl_device_id devices[MAX_DEVICES_OF_CONTEXT];
    cl_uint n = 0;
    size_t n_properties;
    cl_int code = check_properties(properties, &n_properties);
    if (code == CL_SUCCESS)
        code = icd_clGetDeviceIDs(NULL, type, MAX_DEVICES_OF_CONTEXT, devices, &n);
    if (code != CL_SUCCESS)
        return fail_with(errcode, code);
    if (n > MAX_DEVICES_OF_CONTEXT)
        n = MAX_DEVICES_OF_CONTEXT;
    return icd_clCreateContext(properties, n, devices, notify, user, errcode);
}

cl_int icd_clRetainContext(cl_context c)
{
    icd_lock();
    bool ok = object_is(c, ICD_CONTEXT) && object_user_retain(c);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int icd_clReleaseContext(cl_context c)
{
    icd_lock();
    bool ok = object_is(c, ICD_CONTEXT) && object_user_release(c);
    if (ok)
        context_release(c);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int context_info(const struct _cl_context *c, cl_context_info param, size_t size,
                           void *value, size_t *size_ret)
{
    switch (param) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return INFO(cl_uint, c->base.users);
    case CL_CONTEXT_NUM_DEVICES:
        return INFO(cl_uint, c->n_devices);
    case CL_CONTEXT_DEVICES:
        return info_answer(c->devices, c->n_devices * sizeof(cl_device_id), size, value, size_ret);
    case CL_CONTEXT_PROPERTIES:
        return info_answer(c->properties, c->n_properties * sizeof(cl_context_properties), size,
                           value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetContextInfo(cl_context c, cl_context_info param, size_t size, void *value,
                            size_t *size_ret)
{
    icd_lock();
    cl_int code = object_is(c, ICD_CONTEXT) ? context_info(c, param, size, value, size_ret)
                                            : CL_INVALID_CONTEXT;
    icd_unlock();
    return code;
}

cl_int icd_clSetContextDestructorCallback(cl_context c, void(CL_CALLBACK *call)(cl_context, void *),
                                          void *user)
{
    icd_lock();
    cl_int code = !object_is(c, ICD_CONTEXT) ? CL_INVALID_CONTEXT
                  : !call                    ? CL_INVALID_VALUE
                                             : CL_SUCCESS;
    if (code == CL_SUCCESS)
        destructor_add(&c->destructors, (void(CL_CALLBACK *)(void *, void *))call, user);
    icd_unlock();
    return code;
}
