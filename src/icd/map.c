/* Maps of buffers. A map is a pointer into device memory, which the host sees. Only if the program
 * supplied its own memory are the contents copied there and back. In both cases the transfer takes
 * the time that it would take on a discrete device. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/map.h"
#include "icd/queue.h"

struct map_command {
    struct _cl_mem *mem;
    struct mapping *mapping;
};

static uint64_t mapped_bytes(const struct _cl_mem *m, const struct mapping *map)
{
    uint64_t n = map->region[0];
    return m->type == CL_MEM_OBJECT_BUFFER ? n
                                           : n * map->region[1] * map->region[2] * m->element_bytes;
}

/* Copies to or from the memory that the program supplied. */
static void exchange(const struct icd_command *c, bool to_program)
{
    const struct map_command *m = c->data;
    const struct mapping *map = m->mapping;
    if (m->mem->type != CL_MEM_OBJECT_BUFFER) {
        map_image_exchange(m->mem, map, c->device, to_program);
        return;
    }
    char *program = mem_user_pointer(m->mem);
    if (!program)
        return;
    char *device = mem_pointer(m->mem, c->device) + map->origin[0];
    program += map->origin[0];
    memcpy(to_program ? program : device, to_program ? device : program, map->region[0]);
}

/* The mapped range is read when it is mapped, and written when it is unmapped. */
static void touch(const struct icd_command *c, bool writes)
{
    const struct map_command *m = c->data;
    const struct mapping *map = m->mapping;
    if (m->mem->type != CL_MEM_OBJECT_BUFFER) {
        map_image_touch(m->mem, map, c->device, writes);
        return;
    }
    struct byte_rect rect = {.base = mem_pointer(m->mem, c->device) + map->origin[0]};
    mem_touch(m->mem, c->device, rect, (const size_t[3]){map->region[0], 1, 1}, writes);
}

static cl_int run_map(struct icd_command *c)
{
    const struct map_command *m = c->data;
    bool reads = m->mapping->flags & (CL_MAP_READ | CL_MAP_WRITE);
    if (reads) {
        exchange(c, true);
        touch(c, false);
    }
    c->engine = reads ? ENGINE_DOWN : ENGINE_NONE;
    c->cost_ns = reads ? device_transfer_ns(c->device, mapped_bytes(m->mem, m->mapping)) : 1;
    return CL_SUCCESS;
}

static cl_int run_unmap(struct icd_command *c)
{
    const struct map_command *m = c->data;
    bool writes = m->mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    if (writes) {
        exchange(c, false);
        touch(c, true);
    }
    c->engine = writes ? ENGINE_UP : ENGINE_NONE;
    c->cost_ns = writes ? device_transfer_ns(c->device, mapped_bytes(m->mem, m->mapping)) : 1;
    return CL_SUCCESS;
}

static void drop_unmap(struct icd_command *c)
{
    struct map_command *m = c->data;
    free(m->mapping);
}

cl_int map_check_flags(const struct _cl_mem *m, cl_map_flags flags)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (flags & ~known ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return CL_INVALID_VALUE;
    if (flags & CL_MAP_READ && m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
        return CL_INVALID_OPERATION;
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) &&
        m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

void *map_submit(cl_command_queue q, struct _cl_mem *m, const struct mapping *map,
                 cl_command_type type, bool is_blocking, cl_uint n_events, const cl_event *events,
                 cl_event *event, cl_int *errcode)
{
    struct icd_command *c;
    cl_int code = command_create(q, type, n_events, events, sizeof(struct map_command), &c);
    if (code != CL_SUCCESS) {
        icd_unlock();
        return fail_with(errcode, code);
    }
    struct mapping *kept = xcalloc(1, sizeof *kept);
    *kept = *map;
    kept->next = m->mappings;
    m->mappings = kept;
    m->n_mappings++;
    *(struct map_command *)c->data = (struct map_command){m, kept};
    c->run = run_map;
    /* The queue's device then has the only current copy: the program may write it. */
    command_use(c, m, kept->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
    void *pointer = kept->pointer;
    code = command_submit(c, is_blocking, event);
    icd_unlock();
    if (is_blocking)
        devices_collect();
    fail_with(errcode, code);
    return code == CL_SUCCESS ? pointer : NULL;
}

void *icd_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool is_blocking, cl_map_flags flags,
                             size_t offset, size_t bytes, cl_uint n_events, const cl_event *events,
                             cl_event *event, cl_int *errcode)
{
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(q, ICD_QUEUE))
        code = CL_INVALID_COMMAND_QUEUE;
    else if (!mem_is_buffer(m))
        code = CL_INVALID_MEM_OBJECT;
    else if (q->context != m->context)
        code = CL_INVALID_CONTEXT;
    else if (bytes == 0 || offset > m->bytes || bytes > m->bytes - offset)
        code = CL_INVALID_VALUE;
    else
        code = map_check_flags(m, flags);
    if (code != CL_SUCCESS) {
        icd_unlock();
        return fail_with(errcode, code);
    }
    char *program = mem_user_pointer(m);
    struct mapping map = {.pointer = (program ? program : mem_pointer(m, q->device)) + offset,
                          .origin = {offset},
                          .region = {bytes, 1, 1},
                          .flags = flags};
    return map_submit(q, m, &map, CL_COMMAND_MAP_BUFFER, is_blocking, n_events, events, event,
                      errcode);
}

static struct mapping *take_mapping(struct _cl_mem *m, const void *pointer)
{
    for (struct mapping **at = &m->mappings; *at; at = &(*at)->next) {
        struct mapping *map = *at;
        if (map->pointer != pointer)
            continue;
        *at = map->next;
        m->n_mappings--;
        return map;
    }
    return NULL;
}

cl_int icd_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer, cl_uint n_events,
                                   const cl_event *events, cl_event *event)
{
    struct icd_command *c;
    struct mapping *map = NULL;
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(q, ICD_QUEUE))
        code = CL_INVALID_COMMAND_QUEUE;
    else if (!mem_is(m))
        code = CL_INVALID_MEM_OBJECT;
    else if (q->context != m->context)
        code = CL_INVALID_CONTEXT;
    else
        code = event_check_list(q->context, n_events, events);
    if (code == CL_SUCCESS && !(map = take_mapping(m, pointer)))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = command_create(q, CL_COMMAND_UNMAP_MEM_OBJECT, n_events, events,
                              sizeof(struct map_command), &c);
    if (code == CL_SUCCESS) {
        *(struct map_command *)c->data = (struct map_command){m, map};
        c->run = run_unmap;
        c->drop = drop_unmap;
        command_use(c, m, map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
        code = command_submit(c, false, event);
    }
    icd_unlock();
    return code;
}
