/* What a device back end provides. device.c is in front of it: it keeps the buffer table, checks
 * sizes and shapes, hashes the inputs and makes errors sticky, so that a back end is only ever
 * called with valid requests and only translates them. */
#ifndef HEDDLE_WORKLOADS_DEVICE_BACKEND_H
#define HEDDLE_WORKLOADS_DEVICE_BACKEND_H

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "workloads/device.h"

enum { DEVICE_MAX_ARGS = 32 }; /* of one launch */

/* Every function that returns bool explains a failure in `error`. Buffers are the back end's own
 * handles here, also those inside `args`. */
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
    /* The workload has launched its last kernel; NULL = nothing is left to do. */
    bool (*finish)(void *backend, struct strbuf *error);
    /* What kind of failure the last one was; NULL = always HEDDLE_ENVIRONMENT. */
    enum heddle_status (*status)(const void *backend);
    void (*destroy)(void *backend);
};

/* Puts the front on a back end. The device takes over `backend` and the text in `name` and
 * `error` (both emptied); a non-empty `error` makes a device that has failed already. */
struct device *device_create(const struct device_ops *ops, void *backend, struct strbuf *name,
                             struct strbuf *error);

#endif
