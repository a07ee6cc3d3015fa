/* Buffers and parts of them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/memory.h"

/* Creates an object of a valid context, which is retained. Needs the lock. */
static struct _cl_mem *new_buffer(cl_context context, cl_mem_flags flags, size_t bytes)
{
    struct _cl_mem *m = object_create(ICD_MEM, sizeof *m);
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    m->context = context;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->flags = flags & access ? flags : flags | CL_MEM_READ_WRITE;
    m->bytes = bytes;
    object_retain(context);
    return m;
}

static bool is_too_large(const struct _cl_context *context, size_t bytes)
{
    for (uint32_t i = 0; i < context->n_devices; i++)
        if (bytes <= device_max_alloc_bytes(context->devices[i]))
            return false;
    return true;
}

static cl_int check_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                           const void *host_ptr)
{
    if (!object_is(context, ICD_CONTEXT))
        return CL_INVALID_CONTEXT;
    cl_int code = mem_check_flags(flags, host_ptr);
    if (code == CL_INVALID_VALUE)
        return code;
    if (bytes == 0 || is_too_large(context, bytes))
        return CL_INVALID_BUFFER_SIZE;
    return code;
}

cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host_ptr,
                          cl_int *errcode)
{
    icd_lock();
    cl_int code = check_buffer(context, flags, bytes, host_ptr);
    struct _cl_mem *m = code == CL_SUCCESS ? new_buffer(context, flags, bytes) : NULL;
    icd_unlock();
    if (m) {
        m->host_ptr = flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
        code = mem_allocate(m, host_ptr);
    }
    if (m && code != CL_SUCCESS) {
        icd_clReleaseMemObject(m);
        m = NULL;
    }
    fail_with(errcode, code);
    return m;
}

cl_mem icd_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, size_t bytes, void *host_ptr,
                                        cl_int *errcode)
{
    if (properties && properties[0])
        return fail_with(errcode, CL_INVALID_PROPERTY);
    cl_mem m = icd_clCreateBuffer(context, flags, bytes, host_ptr, errcode);
    if (m && properties) {
        m->properties = xcalloc(1, sizeof *m->properties);
        m->n_properties = 1;
    }
    return m;
}

/* A part has the access rights of its buffer, or fewer. */
static cl_int inherit_flags(const struct _cl_mem *parent, cl_mem_flags *flags)
{
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host =
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if (*flags & ~(access | host) || __builtin_popcountll(*flags & access) > 1 ||
        __builtin_popcountll(*flags & host) > 1)
        return CL_INVALID_VALUE;
    if (parent->flags & CL_MEM_WRITE_ONLY && *flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))
        return CL_INVALID_VALUE;
    if (parent->flags & CL_MEM_READ_ONLY && *flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))
        return CL_INVALID_VALUE;
    if (parent->flags & CL_MEM_HOST_WRITE_ONLY && *flags & CL_MEM_HOST_READ_ONLY)
        return CL_INVALID_VALUE;
    if (parent->flags & CL_MEM_HOST_READ_ONLY && *flags & CL_MEM_HOST_WRITE_ONLY)
        return CL_INVALID_VALUE;
    if (parent->flags & CL_MEM_HOST_NO_ACCESS &&
        *flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))
        return CL_INVALID_VALUE;
    if (!(*flags & access))
        *flags |= parent->flags & access;
    if (!(*flags & host))
        *flags |= parent->flags & host;
    *flags |= parent->flags & place;
    return CL_SUCCESS;
}

static cl_int check_region(const struct _cl_mem *parent, const cl_buffer_region *r)
{
    if (!r || r->origin > parent->bytes || r->size > parent->bytes - r->origin)
        return CL_INVALID_VALUE;
    if (r->size == 0)
        return CL_INVALID_BUFFER_SIZE;
    return r->origin % (BASE_ALIGN_BITS / 8) ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

cl_mem icd_clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                             const void *info, cl_int *errcode)
{
    const cl_buffer_region *region = info;
    struct _cl_mem *m = NULL;
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!mem_is_buffer(parent) || parent->parent)
        code = CL_INVALID_MEM_OBJECT;
    else if (type != CL_BUFFER_CREATE_TYPE_REGION)
        code = CL_INVALID_VALUE;
    else
        code = inherit_flags(parent, &flags);
    if (code == CL_SUCCESS)
        code = check_region(parent, region);
    if (code == CL_SUCCESS) {
        m = new_buffer(parent->context, flags, region->size);
        m->parent = parent;
        m->origin = region->origin;
        object_retain(parent);
    }
    icd_unlock();
    fail_with(errcode, code);
    return m;
}
