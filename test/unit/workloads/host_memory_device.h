/* A device back end without a processor: buffers are host memory, a launch only counts. It shows
 * what the front of every device does by itself, and what a workload makes of a device that
 * computes nothing. */
#ifndef HEDDLE_TEST_HOST_MEMORY_DEVICE_H
#define HEDDLE_TEST_HOST_MEMORY_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/device_backend.h"

struct host_memory {
    char **buffers;
    uint32_t n_buffers, cap_buffers;
    uint32_t calls;    /* of any kind */
    bool fail_uploads; /* with the text "upload refused" */
};

static bool host_memory_load(void *backend, const char *name, const char *source,
                             const char *options, struct strbuf *error)
{
    (void)name, (void)source, (void)options, (void)error;
    ((struct host_memory *)backend)->calls++;
    return true;
}

static bool host_memory_alloc(void *backend, size_t bytes, const char *label, uint64_t *handle,
                              struct strbuf *error)
{
    (void)label, (void)error;
    struct host_memory *m = backend;
    m->calls++;
    ARRAY_RESERVE(m->buffers, m->cap_buffers, m->n_buffers + 1);
    m->buffers[m->n_buffers] = xcalloc(1, bytes);
    *handle = m->n_buffers++;
    return true;
}

static bool host_memory_upload(void *backend, uint64_t handle, size_t offset, const void *src,
                               size_t bytes, struct strbuf *error)
{
    struct host_memory *m = backend;
    m->calls++;
    if (m->fail_uploads) {
        strbuf_add(error, "upload refused");
        return false;
    }
    memcpy(m->buffers[handle] + offset, src, bytes);
    return true;
}

static bool host_memory_download(void *backend, uint64_t handle, size_t offset, void *dst,
                                 size_t bytes, struct strbuf *error)
{
    (void)error;
    struct host_memory *m = backend;
    m->calls++;
    memcpy(dst, m->buffers[handle] + offset, bytes);
    return true;
}

static bool host_memory_launch(void *backend, const char *kernel, const uint32_t global[3],
                               const uint32_t local[3], const struct device_arg *args,
                               uint32_t n_args, struct strbuf *error)
{
    (void)kernel, (void)global, (void)local, (void)args, (void)n_args, (void)error;
    ((struct host_memory *)backend)->calls++;
    return true;
}

static void host_memory_destroy(void *backend)
{
    struct host_memory *m = backend;
    for (uint32_t i = 0; i < m->n_buffers; i++)
        free(m->buffers[i]);
    free(m->buffers);
    free(m);
}

static const struct device_ops host_memory_ops = {
    .load = host_memory_load,
    .alloc = host_memory_alloc,
    .upload = host_memory_upload,
    .download = host_memory_download,
    .launch = host_memory_launch,
    .destroy = host_memory_destroy,
};

/* `memory` receives the back end's state, which the device owns; may be NULL. */
static struct device *host_memory_create(struct host_memory **memory)
{
    struct host_memory *m = xcalloc(1, sizeof *m);
    struct strbuf name = {0}, error = {0};
    strbuf_add(&name, "host memory");
    if (memory)
        *memory = m;
    return device_create(&host_memory_ops, m, &name, &error);
}

#endif
