/* The simulated GPU as a device: an ordinary client of the public header. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "heddle/heddle.h"
#include "workloads/device_backend.h"

struct backend {
    struct heddle_sim *sim; /* the caller's */
    struct heddle_module *module;
    enum heddle_status status; /* of the last call */
};

/* Passes a failure's text on. */
static bool succeeded(struct backend *b, enum heddle_status status, struct strbuf *error)
{
    b->status = status;
    if (status == HEDDLE_OK)
        return true;
    const char *text = heddle_error(b->sim);
    strbuf_add(error, text[0] ? text : "the simulator failed without a message");
    return false;
}

static bool backend_load(void *backend, const char *name, const char *source, const char *options,
                         struct strbuf *error)
{
    struct backend *b = backend;
    struct strbuf file = {0};
    strbuf_addf(&file, "%s.cl", name);
    enum heddle_status status = heddle_load(b->sim, HEDDLE_OPENCL_C, strbuf_text(&file), source,
                                            strlen(source), options, &b->module);
    strbuf_destroy(&file);
    return succeeded(b, status, error);
}

static bool backend_upload(void *backend, uint64_t handle, size_t offset, const void *src,
                           size_t bytes, struct strbuf *error)
{
    struct backend *b = backend;
    return succeeded(b, heddle_write(b->sim, handle + offset, src, bytes), error);
}

static bool backend_download(void *backend, uint64_t handle, size_t offset, void *dst, size_t bytes,
                             struct strbuf *error)
{
    struct backend *b = backend;
    return succeeded(b, heddle_read(b->sim, handle + offset, dst, bytes), error);
}

static bool backend_alloc(void *backend, size_t bytes, const char *label, uint64_t *handle,
                          struct strbuf *error)
{
    struct backend *b = backend;
    return succeeded(b, heddle_alloc(b->sim, bytes, label, handle), error);
}

static bool backend_launch(void *backend, const char *kernel, const uint32_t global[3],
                           const uint32_t local[3], const struct device_arg *args, uint32_t n_args,
                           struct strbuf *error)
{
    struct backend *b = backend;
    struct heddle_arg converted[DEVICE_MAX_ARGS];
    for (uint32_t i = 0; i < n_args; i++) {
        const struct device_arg *arg = &args[i];
        const void *data = arg->kind == DEVICE_ARG_BUFFER ? &arg->buffer.handle : &arg->value;
        converted[i] = (struct heddle_arg){
            .data = data, .bytes = arg->bytes, .local = arg->kind == DEVICE_ARG_LOCAL};
    }
    struct heddle_launch launch = {.args = converted, .n_args = n_args};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = global[i] / local[i];
        launch.block[i] = local[i];
    }
    return succeeded(b, heddle_launch(b->sim, b->module, kernel, &launch), error);
}

static bool backend_finish(void *backend, struct strbuf *error)
{
    struct backend *b = backend;
    return succeeded(b, heddle_finish(b->sim), error);
}

static enum heddle_status backend_status(const void *backend)
{
    return ((const struct backend *)backend)->status;
}

static const struct device_ops heddle_ops = {
    .load = backend_load,
    .alloc = backend_alloc,
    .upload = backend_upload,
    .download = backend_download,
    .launch = backend_launch,
    .finish = backend_finish,
    .status = backend_status,
    .destroy = free,
};

struct device *device_create_heddle(struct heddle_sim *sim)
{
    struct backend *b = xcalloc(1, sizeof *b);
    b->sim = sim;
    struct strbuf name = {0}, error = {0};
    strbuf_add(&name, "heddle");
    return device_create(&heddle_ops, b, &name, &error);
}
