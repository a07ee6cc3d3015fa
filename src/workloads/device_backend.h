/* What a device back end provides. device.c sits in front of it: it keeps the buffer table, checks
 * sizes and shapes, hashes the inputs and makes errors sticky. So a back end only receives valid
 * requests and only translates them. */
#ifndef HEDDLE_WORKLOADS_DEVICE_BACKEND_H
#define HEDDLE_WORKLOADS_DEVICE_BACKEND_H

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "workloads/device.h"

enum { DEVICE_MAX_ARGS = 32 }; /* of one launch */

/* Every function that returns bool explains a failure in `error`. Buffers, including those in
 * `args`, are the back end's own handles here. */
struct device_ops {
    bool (*load)(void *backend, const char *name, const char *source, const char *options,
                 struct strbuf *error);
    /* The new buffer is zero. It lives until destroy. */
    bool (*alloc)(void *backend, size_t bytes, const char *label, uint64_t *handle,
                  struct strbuf *error);
    bool (*upload)(void *backend, uint64_t handle, size_t offset, const void *src, size_t bytes,
                   struct strbuf *error);
    bool (*download)(void *backend, uint64_t handle, size_t offset, void *dst, size_t bytes,
                     struct strbuf *error);
    bool (*launch)(void *backend, const char *kernel, const uint32_t global[3],
                   const uint32_t local[3], const struct device_arg *args, uint32_t n_args,
                   struct strbuf *error);
    /* The workload has launched its last kernel; NULL = nothing to do. */
    bool (*finish)(void *backend, struct strbuf *error);
    /* The kind of the last failure; NULL = always HEDDLE_ENVIRONMENT. */
    enum heddle_status (*status)(const void *backend);
    void (*destroy)(void *backend);
};

/* Creates a device on a back end. It takes ownership of `backend` and of the text in `name` and
 * `error` (both are emptied); a non-empty `error` makes a device that has already failed. */
struct device *device_create(const struct device_ops *ops, void *backend, struct strbuf *name,
                             struct strbuf *error);

#endif
