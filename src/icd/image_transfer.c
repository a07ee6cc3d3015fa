/* Commands that move the contents of images, and maps of images. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/image.h"
#include "icd/map.h"
#include "icd/queue.h"
#include "icd/region.h"

/* One side: an image, a buffer (mem is one), or host memory (mem is NULL). */
struct image_side {
    struct _cl_mem *mem;
    size_t offset; /* bytes, in mem */
    struct byte_rect rect;
};

struct image_transfer {
    struct image_side from, to;
    size_t bytes[3];
    char element[16]; /* of a fill */
    size_t element_bytes;
};

static struct byte_rect locate(const struct image_side *s, const struct _cl_device_id *d)
{
    struct byte_rect r = s->rect;
    if (s->mem)
        r.base = mem_pointer(s->mem, d) + s->offset;
    return r;
}

static void touch(const struct image_side *s, const struct _cl_device_id *d, const size_t bytes[3],
                  bool writes)
{
    if (s->mem)
        mem_touch(s->mem, d, locate(s, d), bytes, writes);
}

static cl_int run_transfer(struct icd_command *c)
{
    struct image_transfer *t = c->data;
    uint64_t n = (uint64_t)t->bytes[0] * t->bytes[1] * t->bytes[2];
    rect_copy(locate(&t->to, c->device), locate(&t->from, c->device), t->bytes);
    touch(&t->from, c->device, t->bytes, false);
    touch(&t->to, c->device, t->bytes, true);
    bool inside = t->from.mem && t->to.mem;
    c->engine = inside ? ENGINE_COMPUTE : t->to.mem ? ENGINE_UP : ENGINE_DOWN;
    c->cost_ns = inside ? device_copy_ns(c->device, n) : device_transfer_ns(c->device, n);
    return CL_SUCCESS;
}

static cl_int run_fill(struct icd_command *c)
{
    struct image_transfer *t = c->data;
    struct byte_rect r = locate(&t->to, c->device);
    for (size_t z = 0; z < t->bytes[2]; z++)
        for (size_t y = 0; y < t->bytes[1]; y++)
            for (size_t x = 0; x < t->bytes[0]; x += t->element_bytes)
                memcpy(r.base + z * r.slice_pitch + y * r.row_pitch + x, t->element,
                       t->element_bytes);
    touch(&t->to, c->device, t->bytes, true);
    c->engine = ENGINE_COMPUTE;
    c->cost_ns = device_copy_ns(c->device, (uint64_t)t->bytes[0] * t->bytes[1] * t->bytes[2]);
    return CL_SUCCESS;
}

/* --- checks --- */

static cl_int check_image(cl_command_queue q, cl_mem m)
{
    if (!object_is(q, ICD_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!mem_is_image(m))
        return CL_INVALID_MEM_OBJECT;
    return q->context == m->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int check_region(const struct _cl_mem *m, const size_t *origin, const size_t *region)
{
    size_t extent[3];
    if (!origin || !region)
        return CL_INVALID_VALUE;
    image_extent(m, extent);
    for (int i = 0; i < 3; i++)
        if (region[i] == 0 || origin[i] > extent[i] || region[i] > extent[i] - origin[i])
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static struct image_side image_side(struct _cl_mem *m, const size_t *origin)
{
    struct image_side s = {.mem = m};
    s.rect.row_pitch = image_row_stride(m);
    s.rect.slice_pitch = m->slice_pitch;
    s.offset =
        origin[0] * m->element_bytes + origin[1] * s.rect.row_pitch + origin[2] * m->slice_pitch;
    return s;
}

/* Contiguous memory, or with the given pitches. */
static cl_int plain_side(const struct _cl_mem *image, const size_t *region, size_t row_pitch,
                         size_t slice_pitch, struct image_side *s)
{
    size_t row = region[0] * image->element_bytes;
    if (row_pitch && row_pitch < row)
        return CL_INVALID_VALUE;
    image_host_strides(image, region, row_pitch, slice_pitch, &s->rect.row_pitch,
                       &s->rect.slice_pitch);
    if (slice_pitch && s->rect.slice_pitch < row)
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static void set_bytes(struct image_transfer *t, const struct _cl_mem *m, const size_t *region)
{
    t->bytes[0] = region[0] * m->element_bytes;
    t->bytes[1] = region[1];
    t->bytes[2] = region[2];
}

static cl_int give_up(cl_int code)
{
    icd_unlock();
    return code;
}

/* Needs the lock and releases it. */
static cl_int submit(cl_command_queue q, cl_command_type type, const struct image_transfer *t,
                     cl_int (*run)(struct icd_command *), bool is_blocking, cl_uint n,
                     const cl_event *events, cl_event *event)
{
    struct icd_command *c;
    cl_int code = command_create(q, type, n, events, sizeof *t, &c);
    if (code == CL_SUCCESS) {
        memcpy(c->data, t, sizeof *t);
        c->run = run;
        if (t->from.mem)
            command_use(c, t->from.mem, false);
        if (t->to.mem)
            command_use(c, t->to.mem, true);
        code = command_submit(c, is_blocking, event);
    }
    icd_unlock();
    if (is_blocking)
        devices_collect();
    return code;
}

/* --- entry points --- */

static cl_int read_or_write(cl_command_queue q, cl_mem m, bool reads, cl_bool is_blocking,
                            const size_t *origin, const size_t *region, size_t row_pitch,
                            size_t slice_pitch, void *host, cl_uint n, const cl_event *events,
                            cl_event *event)
{
    struct image_transfer t = {0};
    struct image_side memory = {0};
    const cl_mem_flags forbids =
        (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY) | CL_MEM_HOST_NO_ACCESS;
    icd_lock();
    cl_int code = check_image(q, m);
    if (code == CL_SUCCESS && !host)
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = check_region(m, origin, region);
    if (code == CL_SUCCESS)
        code = plain_side(m, region, row_pitch, slice_pitch, &memory);
    if (code == CL_SUCCESS && m->flags & forbids)
        code = CL_INVALID_OPERATION;
    if (code != CL_SUCCESS)
        return give_up(code);
    memory.rect.base = host;
    struct image_side image = image_side(m, origin);
    t.from = reads ? image : memory;
    t.to = reads ? memory : image;
    set_bytes(&t, m, region);
    return submit(q, reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, &t, run_transfer,
                  is_blocking, n, events, event);
}

cl_int icd_clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool is_blocking,
                              const size_t *origin, const size_t *region, size_t row_pitch,
                              size_t slice_pitch, void *host, cl_uint n, const cl_event *events,
                              cl_event *event)
{
    return read_or_write(q, m, true, is_blocking, origin, region, row_pitch, slice_pitch, host, n,
                         events, event);
}

cl_int icd_clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool is_blocking,
                               const size_t *origin, const size_t *region, size_t row_pitch,
                               size_t slice_pitch, const void *host, cl_uint n,
                               const cl_event *events, cl_event *event)
{
    return read_or_write(q, m, false, is_blocking, origin, region, row_pitch, slice_pitch,
                         (void *)host, n, events, event);
}

static bool regions_overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (int i = 0; i < 3; i++)
        if (a[i] >= b[i] + region[i] || b[i] >= a[i] + region[i])
            return false;
    return true;
}

cl_int icd_clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                              const size_t *to_origin, const size_t *region, cl_uint n,
                              const cl_event *events, cl_event *event)
{
    struct image_transfer t = {0};
    icd_lock();
    cl_int code = check_image(q, from);
    if (code == CL_SUCCESS)
        code = check_image(q, to);
    if (code == CL_SUCCESS &&
        (from->format.image_channel_order != to->format.image_channel_order ||
         from->format.image_channel_data_type != to->format.image_channel_data_type))
        code = CL_IMAGE_FORMAT_MISMATCH;
    if (code == CL_SUCCESS)
        code = check_region(from, from_origin, region);
    if (code == CL_SUCCESS)
        code = check_region(to, to_origin, region);
    if (code == CL_SUCCESS && from == to && regions_overlap(from_origin, to_origin, region))
        code = CL_MEM_COPY_OVERLAP;
    if (code != CL_SUCCESS)
        return give_up(code);
    t.from = image_side(from, from_origin);
    t.to = image_side(to, to_origin);
    set_bytes(&t, from, region);
    return submit(q, CL_COMMAND_COPY_IMAGE, &t, run_transfer, false, n, events, event);
}

static cl_int between(cl_command_queue q, cl_mem image, cl_mem buffer, bool to_buffer,
                      const size_t *origin, const size_t *region, size_t offset, cl_uint n,
                      const cl_event *events, cl_event *event)
{
    struct image_transfer t = {0};
    struct image_side plain = {.mem = buffer, .offset = offset};
    icd_lock();
    cl_int code = check_image(q, image);
    if (code == CL_SUCCESS && !mem_is_buffer(buffer))
        code = CL_INVALID_MEM_OBJECT;
    if (code == CL_SUCCESS && buffer->context != q->context)
        code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS)
        code = check_region(image, origin, region);
    if (code == CL_SUCCESS) {
        uint64_t need = (uint64_t)region[0] * region[1] * region[2] * image->element_bytes;
        if (offset > buffer->bytes || need > buffer->bytes - offset)
            code = CL_INVALID_VALUE;
    }
    if (code == CL_SUCCESS)
        code = plain_side(image, region, 0, 0, &plain);
    if (code != CL_SUCCESS)
        return give_up(code);
    struct image_side side = image_side(image, origin);
    t.from = to_buffer ? side : plain;
    t.to = to_buffer ? plain : side;
    set_bytes(&t, image, region);
    return submit(q, to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                  &t, run_transfer, false, n, events, event);
}

cl_int icd_clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to,
                                      const size_t *origin, const size_t *region, size_t offset,
                                      cl_uint n, const cl_event *events, cl_event *event)
{
    return between(q, from, to, true, origin, region, offset, n, events, event);
}

cl_int icd_clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to, size_t offset,
                                      const size_t *origin, const size_t *region, cl_uint n,
                                      const cl_event *events, cl_event *event)
{
    return between(q, to, from, false, origin, region, offset, n, events, event);
}

cl_int icd_clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *colour,
                              const size_t *origin, const size_t *region, cl_uint n,
                              const cl_event *events, cl_event *event)
{
    struct image_transfer t = {0};
    icd_lock();
    cl_int code = check_image(q, m);
    if (code == CL_SUCCESS && !colour)
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = check_region(m, origin, region);
    if (code != CL_SUCCESS)
        return give_up(code);
    t.to = image_side(m, origin);
    t.element_bytes = m->element_bytes;
    format_encode(&m->format, colour, t.element);
    set_bytes(&t, m, region);
    return submit(q, CL_COMMAND_FILL_IMAGE, &t, run_fill, false, n, events, event);
}

/* --- maps --- */

/* The start of the mapped part in the program's own memory; NULL if it supplied none. */
static struct byte_rect program_side(const struct _cl_mem *m, const size_t *origin)
{
    struct byte_rect r = {0};
    if (m->host_ptr) {
        r.row_pitch = m->host_row_pitch;
        r.slice_pitch = m->host_slice_pitch;
        r.base = m->host_ptr + origin[0] * m->element_bytes + origin[1] * r.row_pitch +
                 origin[2] * r.slice_pitch;
    } else if (mem_user_pointer(m)) { /* of the buffer that contains the image */
        r.row_pitch = r.slice_pitch = m->row_pitch;
        r.base = mem_user_pointer(m) + origin[0] * m->element_bytes;
    }
    return r;
}

void map_image_touch(const struct _cl_mem *m, const struct mapping *map,
                     const struct _cl_device_id *d, bool writes)
{
    struct image_side side = image_side((struct _cl_mem *)m, map->origin);
    size_t bytes[3] = {map->region[0] * m->element_bytes, map->region[1], map->region[2]};
    touch(&side, d, bytes, writes);
}

void map_image_exchange(const struct _cl_mem *m, const struct mapping *map,
                        const struct _cl_device_id *d, bool to_program)
{
    struct byte_rect program = program_side(m, map->origin);
    if (!program.base)
        return;
    struct image_side side = image_side((struct _cl_mem *)m, map->origin);
    struct byte_rect device = locate(&side, d);
    size_t bytes[3] = {map->region[0] * m->element_bytes, map->region[1], map->region[2]};
    rect_copy(to_program ? program : device, to_program ? device : program, bytes);
}

void *icd_clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool is_blocking, cl_map_flags flags,
                            const size_t *origin, const size_t *region, size_t *row_pitch,
                            size_t *slice_pitch, cl_uint n, const cl_event *events, cl_event *event,
                            cl_int *errcode)
{
    icd_lock();
    cl_int code = check_image(q, m);
    if (code == CL_SUCCESS)
        code = check_region(m, origin, region);
    if (code == CL_SUCCESS) {
        bool has_slices = m->type == CL_MEM_OBJECT_IMAGE3D ||
                          m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                          m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        if (!row_pitch || (has_slices && !slice_pitch))
            code = CL_INVALID_VALUE;
    }
    if (code == CL_SUCCESS)
        code = map_check_flags(m, flags);
    if (code != CL_SUCCESS) {
        icd_unlock();
        return fail_with(errcode, code);
    }
    struct byte_rect r = program_side(m, origin);
    if (!r.base) {
        struct image_side side = image_side(m, origin);
        r = locate(&side, q->device);
    }
    bool layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool flat = m->type == CL_MEM_OBJECT_IMAGE1D || m->type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
                m->type == CL_MEM_OBJECT_IMAGE2D;
    *row_pitch = r.row_pitch;
    if (slice_pitch)
        *slice_pitch = flat ? 0 : layers ? r.row_pitch : r.slice_pitch;
    struct mapping map = {.pointer = r.base, .flags = flags};
    memcpy(map.origin, origin, sizeof map.origin);
    memcpy(map.region, region, sizeof map.region);
    return map_submit(q, m, &map, CL_COMMAND_MAP_IMAGE, is_blocking, n, events, event, errcode);
}
