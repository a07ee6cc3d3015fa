#include "icd/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/hetero.h"
#include "icd/queue.h"

bool mem_is(const void *object)
{
    return object_is(object, ICD_MEM);
}

bool mem_is_buffer(const void *object)
{
    return mem_is(object) && ((const struct _cl_mem *)object)->type == CL_MEM_OBJECT_BUFFER;
}

struct _cl_mem *mem_root(const struct _cl_mem *m)
{
    while (m->parent)
        m = m->parent;
    return (struct _cl_mem *)m;
}

static size_t origin_of(const struct _cl_mem *m)
{
    size_t origin = 0;
    for (; m->parent; m = m->parent)
        origin += m->origin;
    return origin;
}

char *mem_pointer(const struct _cl_mem *m, const struct _cl_device_id *d)
{
    return mem_root(m)->copies[context_device_index(m->context, d)].host + origin_of(m);
}

uint64_t mem_address(const struct _cl_mem *m, const struct _cl_device_id *d)
{
    return mem_root(m)->copies[context_device_index(m->context, d)].address + origin_of(m);
}

char *mem_user_pointer(const struct _cl_mem *m)
{
    if (m->host_ptr)
        return m->host_ptr;
    const struct _cl_mem *root = mem_root(m);
    return root->host_ptr ? root->host_ptr + origin_of(m) : NULL;
}

void mem_touch(const struct _cl_mem *m, const struct _cl_device_id *d, struct byte_rect rect,
               const size_t bytes[3], bool writes)
{
    uint64_t first = mem_address(m, d) + (uint64_t)(rect.base - mem_pointer(m, d));
    for (size_t z = 0; z < bytes[2]; z++)
        for (size_t y = 0; y < bytes[1]; y++)
            heddle_mapped(d->sim, first + z * rect.slice_pitch + y * rect.row_pitch, bytes[0],
                          writes);
}

/* --- life --- */

cl_int mem_check_flags(cl_mem_flags flags, const void *host_ptr)
{
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host =
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    const cl_mem_flags persistent = 1 << 6; /* CL_MEM_USE_PERSISTENT_MEM_AMD, a hint */
    if (flags & ~(access | host | place | CL_MEM_KERNEL_READ_AND_WRITE | persistent))
        return CL_INVALID_VALUE;
    if (__builtin_popcountll(flags & access) > 1 || __builtin_popcountll(flags & host) > 1)
        return CL_INVALID_VALUE;
    if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return CL_INVALID_VALUE;
    bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wants == (host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

void device_retire(struct _cl_device_id *d, uint64_t address)
{
    if (!address)
        return;
    ARRAY_RESERVE(d->retired, d->cap_retired, d->n_retired + 1);
    d->retired[d->n_retired++] = address;
}

static void collect(struct _cl_device_id *d)
{
    if (d->hetero)
        hetero_collect(d);
    icd_lock();
    uint64_t *retired = d->retired;
    struct heddle_module **modules = d->retired_modules;
    uint32_t n = d->n_retired, n_modules = d->n_retired_modules;
    d->retired = NULL;
    d->retired_modules = NULL;
    d->n_retired = d->cap_retired = d->n_retired_modules = d->cap_retired_modules = 0;
    icd_unlock();
    if (!n && !n_modules)
        return;
    pthread_mutex_lock(&d->sim_lock);
    for (uint32_t i = 0; i < n; i++)
        heddle_free(d->sim, retired[i]);
    for (uint32_t i = 0; i < n_modules; i++)
        heddle_unload(d->sim, modules[i]);
    pthread_mutex_unlock(&d->sim_lock);
    free(retired);
    free(modules);
}

void devices_collect(void)
{
    struct _cl_platform_id *p = platform_get();
    for (uint32_t i = 0; i < p->n_devices + p->n_hidden; i++)
        collect(p->devices[i]);
}

static uint64_t loose_bytes(const struct _cl_device_id *d)
{
    return d->platform->settings.loose_bounds ? LOOSE_BYTES : 0;
}

static cl_int allocate_on(struct _cl_mem *m, uint32_t i, const void *contents)
{
    struct _cl_device_id *d = m->context->devices[i];
    struct mem_copy *copy = &m->copies[i];
    pthread_mutex_lock(&d->sim_lock);
    uint64_t slack = loose_bytes(d);
    enum heddle_status s =
        heddle_alloc(d->sim, m->bytes + 2 * slack, "OpenCL buffer", &copy->address);
    copy->address += s == HEDDLE_OK ? slack : 0;
    void *host = NULL;
    if (s == HEDDLE_OK)
        heddle_map(d->sim, copy->address, m->bytes, &host);
    copy->host = host;
    if (host && contents) {
        memcpy(host, contents, m->bytes);
        heddle_mapped(d->sim, copy->address, m->bytes, true);
    }
    d->allocated_bytes += s == HEDDLE_OK ? m->bytes : 0;
    bool fits = d->allocated_bytes <= device_global_bytes(d);
    pthread_mutex_unlock(&d->sim_lock);
    return s == HEDDLE_OK && fits ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int mem_allocate(struct _cl_mem *m, const void *contents)
{
    cl_int code = CL_SUCCESS;
    m->copies = xcalloc(m->context->n_devices, sizeof *m->copies);
    for (uint32_t i = 0; code == CL_SUCCESS && i < m->context->n_devices; i++)
        code = allocate_on(m, i, contents);
    m->valid = UINT32_MAX;
    return code;
}

static void free_copies(struct _cl_mem *m)
{
    for (uint32_t i = 0; m->copies && i < m->context->n_devices; i++) {
        struct _cl_device_id *d = m->context->devices[i];
        if (m->copies[i].address) {
            d->allocated_bytes -= m->bytes;
            device_retire(d, m->copies[i].address - loose_bytes(d));
        }
        device_retire(d, m->copies[i].descriptor);
    }
    hetero_retire_copies(m->context->devices[0], m->targets);
    free(m->copies);
}

void mem_release(struct _cl_mem *m)
{
    if (!object_release(m))
        return;
    notify_destructors(m->destructors, m);
    free_copies(m);
    for (struct mapping *map = m->mappings, *next; map; map = next) {
        next = map->next;
        free(map);
    }
    free(m->properties);
    if (m->parent)
        mem_release(m->parent);
    context_release(m->context);
    object_destroy(m, ICD_MEM);
}

/* --- several devices --- */

static void lock_both(struct _cl_device_id *a, struct _cl_device_id *b)
{
    pthread_mutex_lock(a < b ? &a->sim_lock : &b->sim_lock);
    pthread_mutex_lock(a < b ? &b->sim_lock : &a->sim_lock);
}

void mem_migrate(struct _cl_mem *m, struct _cl_device_id *d, bool writes)
{
    struct _cl_mem *root = mem_root(m);
    uint64_t ns = 0;
    if (d->hetero)
        hetero_bring_home(d, m, writes, &ns);
    if (root->context->n_devices == 1)
        return;
    uint32_t to = context_device_index(root->context, d);
    icd_lock();
    uint32_t valid = root->valid;
    icd_unlock();
    if (!(valid >> to & 1)) {
        uint32_t from = (uint32_t)__builtin_ctz(valid);
        struct _cl_device_id *other = root->context->devices[from];
        lock_both(d, other);
        memcpy(root->copies[to].host, root->copies[from].host, root->bytes);
        pthread_mutex_unlock(&d->sim_lock);
        pthread_mutex_unlock(&other->sim_lock);
    }
    icd_lock();
    root->valid = writes ? 1u << to : root->valid | 1u << to;
    icd_unlock();
}

/* --- entry points for all kinds --- */

cl_int icd_clRetainMemObject(cl_mem m)
{
    icd_lock();
    bool ok = mem_is(m) && object_user_retain(m);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

cl_int icd_clReleaseMemObject(cl_mem m)
{
    icd_lock();
    bool ok = mem_is(m) && object_user_release(m);
    if (ok)
        mem_release(m);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

cl_int icd_clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *call)(cl_mem, void *),
                                            void *user)
{
    icd_lock();
    cl_int code = !mem_is(m) ? CL_INVALID_MEM_OBJECT : !call ? CL_INVALID_VALUE : CL_SUCCESS;
    if (code == CL_SUCCESS)
        destructor_add(&m->destructors, (void(CL_CALLBACK *)(void *, void *))call, user);
    icd_unlock();
    return code;
}

static cl_int mem_info(const struct _cl_mem *m, cl_mem_info param, size_t size, void *value,
                       size_t *size_ret)
{
    switch (param) {
    case CL_MEM_TYPE:
        return INFO(cl_mem_object_type, m->type);
    case CL_MEM_FLAGS:
        return INFO(cl_mem_flags, m->flags);
    case CL_MEM_SIZE:
        return INFO(size_t, m->bytes);
    case CL_MEM_HOST_PTR:
        return INFO(void *, m->flags &CL_MEM_USE_HOST_PTR ? mem_user_pointer(m) : NULL);
    case CL_MEM_MAP_COUNT:
        return INFO(cl_uint, m->n_mappings);
    case CL_MEM_REFERENCE_COUNT:
        return INFO(cl_uint, m->base.users);
    case CL_MEM_CONTEXT:
        return INFO(cl_context, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return INFO(cl_mem, m->parent);
    case CL_MEM_OFFSET:
        return INFO(size_t, m->origin);
    case CL_MEM_USES_SVM_POINTER:
        return INFO(cl_bool, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return info_answer(m->properties, m->n_properties * sizeof *m->properties, size, value,
                           size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetMemObjectInfo(cl_mem m, cl_mem_info param, size_t size, void *value,
                              size_t *size_ret)
{
    icd_lock();
    cl_int code = mem_is(m) ? mem_info(m, param, size, value, size_ret) : CL_INVALID_MEM_OBJECT;
    icd_unlock();
    return code;
}

cl_int icd_clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint n, const cl_mem *objects,
                                      cl_mem_migration_flags flags, cl_uint n_events,
                                      const cl_event *events, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    icd_lock();
    struct icd_command *c;
    cl_int code = CL_SUCCESS;
    if (!object_is(q, ICD_QUEUE))
        code = CL_INVALID_COMMAND_QUEUE;
    else if (n == 0 || !objects || flags & ~known)
        code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < n; i++)
        if (!mem_is(objects[i]))
            code = CL_INVALID_MEM_OBJECT;
        else if (objects[i]->context != q->context)
            code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS)
        code = command_create(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, n_events, events, 0, &c);
    if (code == CL_SUCCESS) {
        for (cl_uint i = 0; i < n; i++)
            command_use(c, objects[i], false);
        code = command_submit(c, false, event);
    }
    icd_unlock();
    return code;
}
