/* Images as objects. In the device an image is a contiguous array. */
#include "icd/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/region.h"

bool mem_is_image(const void *object)
{
    return mem_is(object) && !mem_is_buffer(object);
}

void image_extent(const struct _cl_mem *m, size_t extent[3])
{
    const cl_image_desc *d = &m->desc;
    extent[0] = d->image_width;
    extent[1] = extent[2] = 1;
    switch (m->type) {
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        extent[1] = d->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        extent[1] = d->image_height;
        break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        extent[1] = d->image_height;
        extent[2] = d->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        extent[1] = d->image_height;
        extent[2] = d->image_depth;
        break;
    default:
        break;
    }
}

size_t image_row_stride(const struct _cl_mem *m)
{
    return m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->slice_pitch : m->row_pitch;
}

void image_host_strides(const struct _cl_mem *m, const size_t region[3], size_t row_pitch,
                        size_t slice_pitch, size_t *row_stride, size_t *slice_stride)
{
    if (!row_pitch)
        row_pitch = region[0] * m->element_bytes;
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
        *row_stride = slice_pitch ? slice_pitch : row_pitch;
        *slice_stride = *row_stride * region[1];
    } else {
        *row_stride = row_pitch;
        *slice_stride = slice_pitch ? slice_pitch : row_pitch * region[1];
    }
}

uint64_t mem_descriptor(const struct _cl_mem *m, const struct _cl_device_id *d)
{
    return m->copies[context_device_index(m->context, d)].descriptor;
}

/* --- creation --- */

static bool sides_fit(const cl_image_desc *d)
{
    bool three = d->image_type == CL_MEM_OBJECT_IMAGE3D;
    size_t most = three ? (size_t)MAX_IMAGE_SIDE_3D : (size_t)MAX_IMAGE_SIDE;
    switch (d->image_type) {
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return d->image_width >= 1 && d->image_width <= MAX_IMAGE_BUFFER;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE3D:
        if (d->image_height < 1 || d->image_height > most)
            return false;
        break;
    default:
        break;
    }
    if (three && (d->image_depth < 1 || d->image_depth > most))
        return false;
    return d->image_width >= 1 && d->image_width <= most;
}

static bool is_array(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static cl_int check_desc(const cl_image_desc *d, const cl_image_format *f, const void *host_ptr)
{
    if (!d || d->image_type < CL_MEM_OBJECT_IMAGE2D ||
        d->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER || d->num_mip_levels || d->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!host_ptr && (d->image_row_pitch || d->image_slice_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    bool needs_buffer = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (needs_buffer != (d->mem_object != NULL))
        return needs_buffer ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_OPERATION;
    if (is_array(d->image_type) && d->image_array_size < 1)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (is_array(d->image_type) && d->image_array_size > MAX_IMAGE_LAYERS)
        return CL_INVALID_IMAGE_SIZE;
    size_t row = d->image_width * format_bytes(f);
    if (d->image_row_pitch && (d->image_row_pitch < row || d->image_row_pitch % format_bytes(f)))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return sides_fit(d) ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

static cl_int check_image(cl_context context, cl_mem_flags flags, const cl_image_format *f,
                          const cl_image_desc *d, const void *host_ptr)
{
    if (!object_is(context, ICD_CONTEXT))
        return CL_INVALID_CONTEXT;
    cl_int code = mem_check_flags(flags, host_ptr);
    if (code == CL_INVALID_VALUE)
        return code;
    if (!f)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!format_bytes(f) || flags & CL_MEM_KERNEL_READ_AND_WRITE)
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    cl_int of_desc = check_desc(d, f, host_ptr);
    if (of_desc != CL_SUCCESS)
        return of_desc;
    if (d->mem_object && !mem_is_buffer(d->mem_object))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->mem_object && d->image_width * format_bytes(f) > d->mem_object->bytes)
        return CL_INVALID_IMAGE_SIZE;
    return code;
}

static struct _cl_mem *new_image(cl_context context, cl_mem_flags flags, const cl_image_format *f,
                                 const cl_image_desc *d)
{
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    struct _cl_mem *m = object_create(ICD_MEM, sizeof *m);
    size_t extent[3];
    m->context = context;
    m->type = d->image_type;
    m->flags = flags & access ? flags : flags | CL_MEM_READ_WRITE;
    m->format = *f;
    m->desc = *d;
    m->element_bytes = format_bytes(f);
    image_extent(m, extent);
    m->row_pitch = extent[0] * m->element_bytes;
    m->slice_pitch =
        m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->row_pitch : m->row_pitch * extent[1];
    m->bytes = m->row_pitch * extent[1] * extent[2];
    object_retain(context);
    return m;
}

static cl_int describe_on(struct _cl_mem *m, uint32_t i)
{
    struct _cl_device_id *d = m->context->devices[i];
    size_t height = m->type == CL_MEM_OBJECT_IMAGE2D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                            m->type == CL_MEM_OBJECT_IMAGE3D
                        ? m->desc.image_height
                        : 1;
    struct image_descriptor descriptor = {
        .data = mem_address(m, d),
        .width = (uint32_t)m->desc.image_width,
        .height = (uint32_t)height,
        .depth = m->type == CL_MEM_OBJECT_IMAGE3D ? (uint32_t)m->desc.image_depth : 1,
        .array_size = is_array(m->type) ? (uint32_t)m->desc.image_array_size : 1,
        .row_pitch = (uint32_t)m->row_pitch,
        .slice_pitch = (uint32_t)m->slice_pitch,
        .channel_order = m->format.image_channel_order,
        .channel_type = m->format.image_channel_data_type,
        .element_bytes = (uint32_t)m->element_bytes};
    pthread_mutex_lock(&d->sim_lock);
    enum heddle_status s =
        heddle_alloc(d->sim, sizeof descriptor, "OpenCL image", &m->copies[i].descriptor);
    if (s == HEDDLE_OK)
        s = heddle_write(d->sim, m->copies[i].descriptor, &descriptor, sizeof descriptor);
    pthread_mutex_unlock(&d->sim_lock);
    return s == HEDDLE_OK ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* Copies the program's array, which may have gaps, into a contiguous one. */
static char *pack(const struct _cl_mem *m, char *host_ptr)
{
    size_t extent[3], row, slice;
    image_extent(m, extent);
    image_host_strides(m, extent, m->desc.image_row_pitch, m->desc.image_slice_pitch, &row, &slice);
    char *packed = xalloc(1, m->bytes);
    size_t bytes[3] = {extent[0] * m->element_bytes, extent[1], extent[2]};
    rect_copy((struct byte_rect){packed, m->row_pitch, m->row_pitch * extent[1]},
              (struct byte_rect){host_ptr, row, slice}, bytes);
    return packed;
}

/* Call it without the lock. */
static cl_int place_image(struct _cl_mem *m, char *host_ptr)
{
    cl_int code = CL_SUCCESS;
    if (m->parent) {
        m->copies = xcalloc(m->context->n_devices, sizeof *m->copies);
    } else {
        char *packed = host_ptr ? pack(m, host_ptr) : NULL;
        code = mem_allocate(m, packed);
        free(packed);
    }
    for (uint32_t i = 0; code == CL_SUCCESS && i < m->context->n_devices; i++)
        code = describe_on(m, i);
    return code;
}

cl_mem icd_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_int *errcode)
{
    icd_lock();
    cl_int code = check_image(context, flags, format, desc, host_ptr);
    struct _cl_mem *m = code == CL_SUCCESS ? new_image(context, flags, format, desc) : NULL;
    if (m && desc->mem_object) {
        m->parent = desc->mem_object;
        m->flags |= m->parent->flags & CL_MEM_USE_HOST_PTR;
        object_retain(m->parent);
    }
    icd_unlock();
    if (m) {
        size_t extent[3];
        image_extent(m, extent);
        m->host_ptr = flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
        image_host_strides(m, extent, desc->image_row_pitch, desc->image_slice_pitch,
                           &m->host_row_pitch, &m->host_slice_pitch);
        code = m->bytes <= device_max_alloc_bytes(context->devices[0])
                   ? place_image(m, host_ptr)
                   : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    if (m && code != CL_SUCCESS) {
        icd_clReleaseMemObject(m);
        m = NULL;
    }
    fail_with(errcode, code);
    return m;
}

cl_mem icd_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                       cl_mem_flags flags, const cl_image_format *format,
                                       const cl_image_desc *desc, void *host_ptr, cl_int *errcode)
{
    if (properties && properties[0])
        return fail_with(errcode, CL_INVALID_PROPERTY);
    cl_mem m = icd_clCreateImage(context, flags, format, desc, host_ptr, errcode);
    if (m && properties) {
        m->properties = xcalloc(1, sizeof *m->properties);
        m->n_properties = 1;
    }
    return m;
}

cl_mem icd_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                           size_t width, size_t height, size_t row_pitch, void *host_ptr,
                           cl_int *errcode)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = width,
                       .image_height = height,
                       .image_row_pitch = row_pitch};
    cl_int code;
    cl_mem m = icd_clCreateImage(context, flags, format, &d, host_ptr, &code);
    fail_with(errcode, code == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : code);
    return m;
}

cl_mem icd_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                           size_t width, size_t height, size_t depth, size_t row_pitch,
                           size_t slice_pitch, void *host_ptr, cl_int *errcode)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                       .image_width = width,
                       .image_height = height,
                       .image_depth = depth,
                       .image_row_pitch = row_pitch,
                       .image_slice_pitch = slice_pitch};
    cl_int code;
    cl_mem m = icd_clCreateImage(context, flags, format, &d, host_ptr, &code);
    fail_with(errcode, code == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : code);
    return m;
}

static cl_int image_info(const struct _cl_mem *m, cl_image_info param, size_t size, void *value,
                         size_t *size_ret)
{
    bool has_slices = m->type == CL_MEM_OBJECT_IMAGE3D || is_array(m->type);
    bool has_height = m->type == CL_MEM_OBJECT_IMAGE2D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                      m->type == CL_MEM_OBJECT_IMAGE3D;
    switch (param) {
    case CL_IMAGE_FORMAT:
        return info_answer(&m->format, sizeof m->format, size, value, size_ret);
    case CL_IMAGE_ELEMENT_SIZE:
        return INFO(size_t, m->element_bytes);
    case CL_IMAGE_ROW_PITCH:
        return INFO(size_t, m->host_ptr ? m->host_row_pitch : m->row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        return INFO(size_t, !has_slices ? 0 : m->host_ptr ? m->host_slice_pitch : m->slice_pitch);
    case CL_IMAGE_WIDTH:
        return INFO(size_t, m->desc.image_width);
    case CL_IMAGE_HEIGHT:
        return INFO(size_t, has_height ? m->desc.image_height : 0);
    case CL_IMAGE_DEPTH:
        return INFO(size_t, m->type == CL_MEM_OBJECT_IMAGE3D ? m->desc.image_depth : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return INFO(size_t, is_array(m->type) ? m->desc.image_array_size : 0);
    case CL_IMAGE_BUFFER:
        return INFO(cl_mem, m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return INFO(cl_uint, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetImageInfo(cl_mem m, cl_image_info param, size_t size, void *value, size_t *size_ret)
{
    icd_lock();
    cl_int code =
        mem_is_image(m) ? image_info(m, param, size, value, size_ret) : CL_INVALID_MEM_OBJECT;
    icd_unlock();
    return code;
}
