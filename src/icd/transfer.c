/* Commands that move the contents of buffers: read, write, copy, fill, and their rectangles. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/memory.h"
#include "icd/queue.h"
#include "icd/region.h"

struct transfer {
    struct _cl_mem *from, *to;       /* NULL: host memory */
    struct byte_rect source, target; /* bases: offsets in the buffer, or host pointers */
    size_t bytes[3];
    size_t pattern_bytes; /* of a fill */
    char pattern[128];
};

static char *at(const struct icd_command *c, const struct _cl_mem *m, char *offset)
{
    return m ? mem_pointer(m, c->device) + (uintptr_t)offset : offset;
}

static cl_int run_transfer(struct icd_command *c)
{
    struct transfer *t = c->data;
    struct byte_rect from = t->source, to = t->target;
    uint64_t n = (uint64_t)t->bytes[0] * t->bytes[1] * t->bytes[2];
    if (!n)
        return CL_SUCCESS;
    from.base = at(c, t->from, from.base);
    to.base = at(c, t->to, to.base);
    rect_copy(to, from, t->bytes);
    if (t->from)
        mem_touch(t->from, c->device, from, t->bytes, false);
    if (t->to)
        mem_touch(t->to, c->device, to, t->bytes, true);
    c->engine = !t->from ? ENGINE_UP : !t->to ? ENGINE_DOWN : ENGINE_COMPUTE;
    c->cost_ns = t->from && t->to ? device_copy_ns(c->device, n) : device_transfer_ns(c->device, n);
    return CL_SUCCESS;
}

static cl_int run_fill(struct icd_command *c)
{
    struct transfer *t = c->data;
    char *to = at(c, t->to, t->target.base);
    for (size_t i = 0; i < t->bytes[0]; i += t->pattern_bytes)
        memcpy(to + i, t->pattern, t->pattern_bytes);
    mem_touch(t->to, c->device, (struct byte_rect){.base = to},
              (const size_t[3]){t->bytes[0], 1, 1}, true);
    c->engine = ENGINE_COMPUTE;
    c->cost_ns = device_copy_ns(c->device, t->bytes[0]);
    return CL_SUCCESS;
}

static cl_int check_queue_and_buffer(cl_command_queue q, cl_mem m)
{
    if (!object_is(q, ICD_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!mem_is_buffer(m))
        return CL_INVALID_MEM_OBJECT;
    return q->context == m->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static bool is_inside(const struct _cl_mem *m, size_t offset, size_t bytes)
{
    return offset <= m->bytes && bytes <= m->bytes - offset;
}

/* Since OpenCL 2.1 a transfer may be empty. */
static bool may_move(const struct _cl_command_queue *q, size_t bytes)
{
    return bytes > 0 || q->device->platform->settings.version > 120;
}

/* Needs the lock and releases it. */
static cl_int submit(cl_command_queue q, cl_command_type type, const struct transfer *t,
                     cl_int (*run)(struct icd_command *), bool is_blocking, cl_uint n_events,
                     const cl_event *events, cl_event *event)
{
    struct icd_command *c;
    cl_int code = command_create(q, type, n_events, events, sizeof *t, &c);
    if (code == CL_SUCCESS) {
        memcpy(c->data, t, sizeof *t);
        c->run = run;
        if (t->from)
            command_use(c, t->from, false);
        if (t->to)
            command_use(c, t->to, true);
        code = command_submit(c, is_blocking, event);
    }
    icd_unlock();
    if (is_blocking)
        devices_collect();
    return code;
}

static cl_int give_up(cl_int code)
{
    icd_unlock();
    return code;
}

/* Do the buffer's host access flags permit the command? */
static bool host_may(const struct _cl_mem *m, bool reads)
{
    cl_mem_flags other = reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY;
    return !(m->flags & (other | CL_MEM_HOST_NO_ACCESS));
}

static cl_int read_or_write(cl_command_queue q, cl_mem m, bool reads, cl_bool is_blocking,
                            size_t offset, size_t bytes, void *host, cl_uint n_events,
                            const cl_event *events, cl_event *event)
{
    icd_lock();
    cl_int code = check_queue_and_buffer(q, m);
    if (code == CL_SUCCESS && (!host || !may_move(q, bytes) || !is_inside(m, offset, bytes)))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS && !host_may(m, reads))
        code = CL_INVALID_OPERATION;
    if (code != CL_SUCCESS)
        return give_up(code);
    struct transfer t = {.bytes = {bytes, 1, 1}};
    struct byte_rect buffer = {.base = (char *)(uintptr_t)offset}, memory = {.base = host};
    t.from = reads ? m : NULL;
    t.to = reads ? NULL : m;
    t.source = reads ? buffer : memory;
    t.target = reads ? memory : buffer;
    return submit(q, reads ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, &t, run_transfer,
                  is_blocking, n_events, events, event);
}

cl_int icd_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool is_blocking, size_t offset,
                               size_t bytes, void *host, cl_uint n_events, const cl_event *events,
                               cl_event *event)
{
    return read_or_write(q, m, true, is_blocking, offset, bytes, host, n_events, events, event);
}

cl_int icd_clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool is_blocking, size_t offset,
                                size_t bytes, const void *host, cl_uint n_events,
                                const cl_event *events, cl_event *event)
{
    return read_or_write(q, m, false, is_blocking, offset, bytes, (void *)host, n_events, events,
                         event);
}

/* Do two ranges of the same memory overlap? Parts of one buffer are compared as such. */
static bool overlap(const struct _cl_mem *a, size_t a_at, size_t a_bytes, const struct _cl_mem *b,
                    size_t b_at, size_t b_bytes)
{
    const struct _cl_mem *root_a = a->parent ? a->parent : a, *root_b = b->parent ? b->parent : b;
    a_at += a->origin;
    b_at += b->origin;
    return root_a == root_b && a_at < b_at + b_bytes && b_at < a_at + a_bytes;
}

cl_int icd_clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_at,
                               size_t to_at, size_t bytes, cl_uint n_events, const cl_event *events,
                               cl_event *event)
{
    icd_lock();
    cl_int code = check_queue_and_buffer(q, from);
    if (code == CL_SUCCESS)
        code = check_queue_and_buffer(q, to);
    if (code == CL_SUCCESS &&
        (!may_move(q, bytes) || !is_inside(from, from_at, bytes) || !is_inside(to, to_at, bytes)))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS && overlap(from, from_at, bytes, to, to_at, bytes))
        code = CL_MEM_COPY_OVERLAP;
    if (code != CL_SUCCESS)
        return give_up(code);
    struct transfer t = {.from = from,
                         .to = to,
                         .source = {.base = (char *)(uintptr_t)from_at},
                         .target = {.base = (char *)(uintptr_t)to_at},
                         .bytes = {bytes, 1, 1}};
    return submit(q, CL_COMMAND_COPY_BUFFER, &t, run_transfer, false, n_events, events, event);
}

cl_int icd_clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern,
                               size_t pattern_bytes, size_t offset, size_t bytes, cl_uint n_events,
                               const cl_event *events, cl_event *event)
{
    icd_lock();
    cl_int code = check_queue_and_buffer(q, m);
    bool is_power = pattern_bytes && !(pattern_bytes & (pattern_bytes - 1)) && pattern_bytes <= 128;
    if (code == CL_SUCCESS && (!pattern || !is_power || !is_inside(m, offset, bytes) ||
                               offset % pattern_bytes || bytes % pattern_bytes))
        code = CL_INVALID_VALUE;
    if (code != CL_SUCCESS)
        return give_up(code);
    struct transfer t = {.to = m,
                         .target = {.base = (char *)(uintptr_t)offset},
                         .bytes = {bytes, 1, 1},
                         .pattern_bytes = pattern_bytes};
    memcpy(t.pattern, pattern, pattern_bytes);
    return submit(q, CL_COMMAND_FILL_BUFFER, &t, run_fill, false, n_events, events, event);
}

/* --- rectangles --- */

/* One side in a buffer: its pitches and its start. */
static cl_int resolve_in(const struct _cl_mem *m, const size_t *origin, const size_t *region,
                         size_t row, size_t slice, struct byte_rect *rect)
{
    size_t offset, end;
    cl_int code = rect_resolve(origin, region, &row, &slice, &offset, &end);
    if (code != CL_SUCCESS || (m && end > m->bytes))
        return CL_INVALID_VALUE;
    *rect = (struct byte_rect){(char *)(uintptr_t)offset, row, slice};
    return CL_SUCCESS;
}

static cl_int rect_read_or_write(cl_command_queue q, cl_mem m, bool reads, cl_bool is_blocking,
                                 const size_t *buffer_origin, const size_t *host_origin,
                                 const size_t *region, size_t buffer_row, size_t buffer_slice,
                                 size_t host_row, size_t host_slice, void *host, cl_uint n_events,
                                 const cl_event *events, cl_event *event)
{
    struct byte_rect buffer = {0}, memory = {0};
    icd_lock();
    cl_int code = check_queue_and_buffer(q, m);
    if (code == CL_SUCCESS && (!host || !buffer_origin || !host_origin || !region))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = resolve_in(m, buffer_origin, region, buffer_row, buffer_slice, &buffer);
    if (code == CL_SUCCESS)
        code = resolve_in(NULL, host_origin, region, host_row, host_slice, &memory);
    if (code == CL_SUCCESS && !host_may(m, reads))
        code = CL_INVALID_OPERATION;
    if (code != CL_SUCCESS)
        return give_up(code);
    memory.base = (char *)host + (uintptr_t)memory.base;
    struct transfer t = {.from = reads ? m : NULL,
                         .to = reads ? NULL : m,
                         .source = reads ? buffer : memory,
                         .target = reads ? memory : buffer,
                         .bytes = {region[0], region[1], region[2]}};
    return submit(q, reads ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT, &t,
                  run_transfer, is_blocking, n_events, events, event);
}

cl_int icd_clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool is_blocking,
                                   const size_t *buffer_origin, const size_t *host_origin,
                                   const size_t *region, size_t buffer_row, size_t buffer_slice,
                                   size_t host_row, size_t host_slice, void *host, cl_uint n_events,
                                   const cl_event *events, cl_event *event)
{
    return rect_read_or_write(q, m, true, is_blocking, buffer_origin, host_origin, region,
                              buffer_row, buffer_slice, host_row, host_slice, host, n_events,
                              events, event);
}

cl_int icd_clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool is_blocking,
                                    const size_t *buffer_origin, const size_t *host_origin,
                                    const size_t *region, size_t buffer_row, size_t buffer_slice,
                                    size_t host_row, size_t host_slice, const void *host,
                                    cl_uint n_events, const cl_event *events, cl_event *event)
{
    return rect_read_or_write(q, m, false, is_blocking, buffer_origin, host_origin, region,
                              buffer_row, buffer_slice, host_row, host_slice, (void *)host,
                              n_events, events, event);
}

/* Rectangles with the same pitches overlap if they do in every dimension; for others, the ranges
 * that contain them are compared. */
static bool rects_overlap(const struct _cl_mem *from, const struct byte_rect *source,
                          const struct _cl_mem *to, const struct byte_rect *target,
                          const size_t *from_origin, const size_t *to_origin, const size_t *region)
{
    size_t a = (uintptr_t)source->base, b = (uintptr_t)target->base;
    size_t a_bytes =
        (region[2] - 1) * source->slice_pitch + (region[1] - 1) * source->row_pitch + region[0];
    size_t b_bytes =
        (region[2] - 1) * target->slice_pitch + (region[1] - 1) * target->row_pitch + region[0];
    if (!overlap(from, a, a_bytes, to, b, b_bytes))
        return false;
    if (from != to || source->row_pitch != target->row_pitch ||
        source->slice_pitch != target->slice_pitch)
        return true;
    for (int i = 0; i < 3; i++)
        if (from_origin[i] >= to_origin[i] + region[i] ||
            to_origin[i] >= from_origin[i] + region[i])
            return false;
    return true;
}

cl_int icd_clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to,
                                   const size_t *from_origin, const size_t *to_origin,
                                   const size_t *region, size_t from_row, size_t from_slice,
                                   size_t to_row, size_t to_slice, cl_uint n_events,
                                   const cl_event *events, cl_event *event)
{
    struct transfer t = {.from = from, .to = to};
    icd_lock();
    cl_int code = check_queue_and_buffer(q, from);
    if (code == CL_SUCCESS)
        code = check_queue_and_buffer(q, to);
    if (code == CL_SUCCESS && (!from_origin || !to_origin || !region))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = resolve_in(from, from_origin, region, from_row, from_slice, &t.source);
    if (code == CL_SUCCESS)
        code = resolve_in(to, to_origin, region, to_row, to_slice, &t.target);
    if (code == CL_SUCCESS && from == to &&
        (t.source.row_pitch != t.target.row_pitch || t.source.slice_pitch != t.target.slice_pitch))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS &&
        rects_overlap(from, &t.source, to, &t.target, from_origin, to_origin, region))
        code = CL_MEM_COPY_OVERLAP;
    if (code != CL_SUCCESS)
        return give_up(code);
    memcpy(t.bytes, region, sizeof t.bytes);
    return submit(q, CL_COMMAND_COPY_BUFFER_RECT, &t, run_transfer, false, n_events, events, event);
}
