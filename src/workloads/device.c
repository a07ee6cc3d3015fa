/* The front of every device: the buffer table, the sticky error, the hashes. */
#include "workloads/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/device_backend.h"

static const uint64_t FNV_OFFSET = 0xcbf29ce484222325;
static const uint64_t FNV_PRIME = 0x00000100000001b3;

struct buffer {
    uint64_t handle; /* the back end's */
    size_t bytes;
    char *label;
};

struct device {
    const struct device_ops *ops;
    void *backend;
    struct strbuf name;
    struct strbuf error;
    bool failed;
    struct buffer *buffers; /* device_buffer.handle - 1 is the index */
    uint32_t n_buffers, cap_buffers;
    uint64_t hash, output_hash;
    bool hash_closed; /* at the first download */
    uint32_t launches;
    void (*on_launch)(void *user, const struct device_launch_info *info); /* or NULL */
    void *observer;
};

struct device *device_create(const struct device_ops *ops, void *backend, struct strbuf *name,
                             struct strbuf *error)
{
    struct device *d = xcalloc(1, sizeof *d);
    d->ops = ops;
    d->backend = backend;
    d->name = *name;
    d->error = *error;
    d->failed = error->len > 0;
    d->hash = d->output_hash = FNV_OFFSET;
    *name = (struct strbuf){0};
    *error = (struct strbuf){0};
    return d;
}

void device_destroy(struct device *d)
{
    if (!d)
        return;
    d->ops->destroy(d->backend);
    for (uint32_t i = 0; i < d->n_buffers; i++)
        free(d->buffers[i].label);
    free(d->buffers);
    strbuf_destroy(&d->name);
    strbuf_destroy(&d->error);
    free(d);
}

bool device_ok(const struct device *d)
{
    return !d->failed;
}

enum heddle_status device_status(const struct device *d)
{
    if (!d->failed)
        return HEDDLE_OK;
    enum heddle_status status = d->ops->status ? d->ops->status(d->backend) : HEDDLE_ENVIRONMENT;
    /* The back end has not failed: the front refused a request of the host part. */
    return status == HEDDLE_OK ? HEDDLE_BAD_INPUT : status;
}

const char *device_error(const struct device *d)
{
    return strbuf_text(&d->error);
}

const char *device_name(const struct device *d)
{
    return strbuf_text(&d->name);
}

uint64_t device_input_hash(const struct device *d)
{
    return d->hash;
}

uint64_t device_output_hash(const struct device *d)
{
    return d->output_hash;
}

uint32_t device_launches(const struct device *d)
{
    return d->launches;
}

static void fail(struct device *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct device *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&d->error, format, args);
    va_end(args);
    d->failed = true;
}

static uint64_t fnv(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * FNV_PRIME;
    return h;
}

static void hash_bytes(struct device *d, const void *data, size_t bytes)
{
    if (!d->hash_closed)
        d->hash = fnv(d->hash, data, bytes);
}

/* From the low end, so that the hash does not depend on the host's byte order. */
static void hash_u64(struct device *d, uint64_t v)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(v >> (8 * i));
    hash_bytes(d, bytes, sizeof bytes);
}

void device_load(struct device *d, const char *name, const char *source, const char *options)
{
    if (!d->failed && !d->ops->load(d->backend, name, source, options, &d->error))
        d->failed = true;
}

/* --- Buffers --- */

device_buffer device_alloc(struct device *d, size_t bytes, const char *label)
{
    if (d->failed)
        return (device_buffer){0};
    if (bytes == 0)
        bytes = 1;
    uint64_t handle = 0;
    if (!d->ops->alloc(d->backend, bytes, label, &handle, &d->error)) {
        d->failed = true;
        return (device_buffer){0};
    }
    hash_u64(d, bytes);
    ARRAY_RESERVE(d->buffers, d->cap_buffers, d->n_buffers + 1);
    char *copy = strdup(label);
    d->buffers[d->n_buffers++] = (struct buffer){.handle = handle, .bytes = bytes, .label = copy};
    return (device_buffer){d->n_buffers};
}

/* The buffer if the device has not failed and the range lies in it; otherwise reports why and
 * returns NULL. */
static const struct buffer *find_range(struct device *d, device_buffer b, size_t offset,
                                       size_t bytes, const char *verb)
{
    if (d->failed)
        return NULL;
    if (b.handle == 0 || b.handle > d->n_buffers) {
        fail(d, "%s: no such buffer", verb);
        return NULL;
    }
    const struct buffer *buffer = &d->buffers[b.handle - 1];
    if (offset > buffer->bytes || bytes > buffer->bytes - offset) {
        fail(d, "%s: %zu bytes at offset %zu of buffer '%s', which has %zu", verb, bytes, offset,
             buffer->label, buffer->bytes);
        return NULL;
    }
    return buffer;
}

void device_upload(struct device *d, device_buffer b, size_t offset, const void *src, size_t bytes)
{
    const struct buffer *buffer = find_range(d, b, offset, bytes, "upload");
    if (!buffer || bytes == 0)
        return;
    hash_u64(d, b.handle);
    hash_u64(d, offset);
    hash_bytes(d, src, bytes);
    if (!d->ops->upload(d->backend, buffer->handle, offset, src, bytes, &d->error))
        d->failed = true;
}

void device_download(struct device *d, device_buffer b, size_t offset, void *dst, size_t bytes)
{
    const struct buffer *buffer = find_range(d, b, offset, bytes, "download");
    if (!buffer || bytes == 0)
        return;
    d->hash_closed = true;
    if (!d->ops->download(d->backend, buffer->handle, offset, dst, bytes, &d->error)) {
        d->failed = true;
        return;
    }
    d->output_hash = fnv(d->output_hash, dst, bytes);
}

device_buffer device_alloc_from(struct device *d, const void *src, size_t bytes, const char *label)
{
    device_buffer b = device_alloc(d, bytes, label);
    if (!d->failed)
        device_upload(d, b, 0, src, bytes);
    return b;
}

/* --- Launches --- */

struct device_arg device_arg_buffer(device_buffer b)
{
    return (struct device_arg){.kind = DEVICE_ARG_BUFFER, .buffer = b, .bytes = sizeof(uint64_t)};
}

static struct device_arg arg_value(uint64_t value, size_t bytes)
{
    return (struct device_arg){.kind = DEVICE_ARG_VALUE, .value = value, .bytes = bytes};
}

struct device_arg device_arg_i32(int32_t v)
{
    return arg_value((uint32_t)v, sizeof v);
}

struct device_arg device_arg_u32(uint32_t v)
{
    return arg_value(v, sizeof v);
}

struct device_arg device_arg_u64(uint64_t v)
{
    return arg_value(v, sizeof v);
}

struct device_arg device_arg_f32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return arg_value(bits, sizeof v);
}

struct device_arg device_arg_local(size_t bytes)
{
    return (struct device_arg){.kind = DEVICE_ARG_LOCAL, .bytes = bytes};
}

static bool check_shape(struct device *d, const char *kernel, const uint32_t global[3],
                        const uint32_t local[3])
{
    for (int i = 0; i < 3; i++) {
        if (local[i] == 0 || global[i] == 0 || global[i] % local[i] != 0) {
            fail(d, "launch of '%s': %u work-items in groups of %u in dimension %d", kernel,
                 global[i], local[i], i);
            return false;
        }
    }
    return true;
}

/* Copies the arguments, replacing our buffer handles by the back end's. */
static bool resolve_args(struct device *d, const char *kernel, const struct device_arg *args,
                         uint32_t n_args, struct device_arg out[DEVICE_MAX_ARGS])
{
    if (n_args > DEVICE_MAX_ARGS) {
        fail(d, "launch of '%s': %u arguments, at most %d are possible", kernel, n_args,
             DEVICE_MAX_ARGS);
        return false;
    }
    for (uint32_t i = 0; i < n_args; i++) {
        out[i] = args[i];
        if (args[i].kind != DEVICE_ARG_BUFFER)
            continue;
        const struct buffer *buffer = find_range(d, args[i].buffer, 0, 0, "launch");
        if (!buffer)
            return false;
        out[i].buffer.handle = buffer->handle;
    }
    return true;
}

static void hash_launch(struct device *d, const char *kernel, const uint32_t global[3],
                        const uint32_t local[3], const struct device_arg *args, uint32_t n_args)
{
    hash_bytes(d, kernel, strlen(kernel));
    for (int i = 0; i < 3; i++) {
        hash_u64(d, global[i]);
        hash_u64(d, local[i]);
    }
    for (uint32_t i = 0; i < n_args; i++) {
        hash_u64(d, args[i].kind);
        hash_u64(d, args[i].kind == DEVICE_ARG_BUFFER ? args[i].buffer.handle : args[i].value);
        hash_u64(d, args[i].bytes);
    }
}

void device_observe(struct device *d,
                    void (*on_launch)(void *user, const struct device_launch_info *info),
                    void *user)
{
    d->on_launch = on_launch;
    d->observer = user;
}

/* A buffer that is bound twice counts once. */
static uint64_t distinct_bytes(const struct device *d, const struct device_arg *args,
                               uint32_t n_args)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n_args; i++) {
        if (args[i].kind != DEVICE_ARG_BUFFER)
            continue;
        bool is_repeated = false;
        for (uint32_t k = 0; k < i; k++)
            is_repeated |=
                args[k].kind == DEVICE_ARG_BUFFER && args[k].buffer.handle == args[i].buffer.handle;
        bytes += is_repeated ? 0 : d->buffers[args[i].buffer.handle - 1].bytes;
    }
    return bytes;
}

static void tell_observer(const struct device *d, const char *kernel, const uint32_t global[3],
                          const struct device_arg *args, uint32_t n_args)
{
    struct device_launch_info info = {
        .kernel = kernel,
        .work_items = (uint64_t)global[0] * global[1] * global[2],
        .buffer_bytes = distinct_bytes(d, args, n_args),
    };
    d->on_launch(d->observer, &info);
}

void device_launch(struct device *d, const char *kernel, const uint32_t global[3],
                   const uint32_t local[3], const struct device_arg *args, uint32_t n_args)
{
    struct device_arg resolved[DEVICE_MAX_ARGS];
    if (d->failed || !check_shape(d, kernel, global, local) ||
        !resolve_args(d, kernel, args, n_args, resolved))
        return;
    hash_launch(d, kernel, global, local, args, n_args);
    d->launches++;
    if (d->on_launch)
        tell_observer(d, kernel, global, args, n_args);
    if (!d->ops->launch(d->backend, kernel, global, local, resolved, n_args, &d->error))
        d->failed = true;
}

void device_finish(struct device *d)
{
    if (!d->failed && d->ops->finish && !d->ops->finish(d->backend, &d->error))
        d->failed = true;
}
