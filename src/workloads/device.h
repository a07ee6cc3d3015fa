/* The device that a workload's host part uses. Two back ends: Heddle, and any OpenCL platform
 * (PoCL, a real GPU). The same host code runs on both, which is how a workload is checked.
 *
 * Errors are sticky: after the first failure every call does nothing, so host code need not check
 * each call. Only a loop that waits for a value from the device must test device_ok(). */
#ifndef HEDDLE_WORKLOADS_DEVICE_H
#define HEDDLE_WORKLOADS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

struct device;

/* An opaque buffer handle, valid until the device is destroyed. 0 means no buffer. */
typedef struct {
    uint64_t handle;
} device_buffer;

enum device_arg_kind { DEVICE_ARG_BUFFER, DEVICE_ARG_VALUE, DEVICE_ARG_LOCAL };

struct device_arg {
    enum device_arg_kind kind;
    device_buffer buffer;
    uint64_t value; /* the scalar's bytes, low first */
    size_t bytes;   /* of the scalar, or of the local buffer */
};

struct device_arg device_arg_buffer(device_buffer b);
struct device_arg device_arg_i32(int32_t v);
struct device_arg device_arg_u32(uint32_t v);
struct device_arg device_arg_u64(uint64_t v);
struct device_arg device_arg_f32(float v);
struct device_arg device_arg_local(size_t bytes);

bool device_ok(const struct device *d);

/* A buffer of at least one byte; contents are zero. `label` appears in error reports. */
device_buffer device_alloc(struct device *d, size_t bytes, const char *label);
void device_upload(struct device *d, device_buffer b, size_t offset, const void *src, size_t bytes);
void device_download(struct device *d, device_buffer b, size_t offset, void *dst, size_t bytes);

/* Alloc + upload. */
device_buffer device_alloc_from(struct device *d, const void *src, size_t bytes, const char *label);

/* Runs `kernel` over `global` work-items in groups of `local` (each a multiple in its dimension)
 * and waits for it. Dimensions beyond those used are 1. */
void device_launch(struct device *d, const char *kernel, const uint32_t global[3],
                   const uint32_t local[3], const struct device_arg *args, uint32_t n_args);

/* The usual one-dimensional case. */
#define DEVICE_LAUNCH_1D(d, kernel, global_size, local_size, ...)                                  \
    do {                                                                                           \
        const struct device_arg args_[] = {__VA_ARGS__};                                           \
        device_launch((d), (kernel), (const uint32_t[3]){(uint32_t)(global_size), 1, 1},           \
                      (const uint32_t[3]){(uint32_t)(local_size), 1, 1}, args_,                    \
                      (uint32_t)(sizeof args_ / sizeof args_[0]));                                 \
    } while (0)
#define DEVICE_LAUNCH_2D(d, kernel, gx, gy, lx, ly, ...)                                           \
    do {                                                                                           \
        const struct device_arg args_[] = {__VA_ARGS__};                                           \
        device_launch((d), (kernel), (const uint32_t[3]){(uint32_t)(gx), (uint32_t)(gy), 1},       \
                      (const uint32_t[3]){(uint32_t)(lx), (uint32_t)(ly), 1}, args_,               \
                      (uint32_t)(sizeof args_ / sizeof args_[0]));                                 \
    } while (0)

/* --- For the code that runs a workload, not for its host part --- */

/* Both always return a device, which may already have failed: see device_ok(). */

/* `select` is matched against "PLATFORM / DEVICE", ignoring case; NULL = the first device.
 * libOpenCL is loaded when this is called, so the program itself does not need it. */
struct device *device_create_opencl(const char *select);
/* The caller keeps the simulation, which must outlive the device. */
struct device *device_create_heddle(struct heddle_sim *sim);
void device_destroy(struct device *d); /* NULL is fine */

/* Compiles OpenCL C; all later launches use its kernels. `options` may be NULL. */
void device_load(struct device *d, const char *name, const char *source, const char *options);

/* The last kernel was launched: CPU programs beside the GPU run to their end. */
void device_finish(struct device *d);

/* HEDDLE_OK, or the kind of the first failure. */
enum heddle_status device_status(const struct device *d);
/* The first error, as one or more lines; "" if there is none. */
const char *device_error(const struct device *d);
/* "heddle", or the OpenCL platform and device. */
const char *device_name(const struct device *d);
/* A hash (FNV-1a) over what the host part sent before its first download: allocations, uploads, and
 * for each launch the kernel, its shape and its arguments. Later requests may depend on the
 * device's results (how many sweeps until nothing changes), so only this much is input. Equal on
 * every back end. */
uint64_t device_input_hash(const struct device *d);
/* The same over every byte that the host part has downloaded, in order: two runs with the same hash
 * agree in everything that the host part has seen of the device. */
uint64_t device_output_hash(const struct device *d);
uint32_t device_launches(const struct device *d);

/* A launch before it runs: work-items, and the bytes of its distinct buffers. */
struct device_launch_info {
    const char *kernel;
    uint64_t work_items, buffer_bytes;
};
/* Calls `on_launch` at every launch from now on. */
void device_observe(struct device *d,
                    void (*on_launch)(void *user, const struct device_launch_info *info),
                    void *user);

/* `n` rounded up to a multiple of `m`. */
static inline uint32_t device_round_up(uint32_t n, uint32_t m)
{
    return (n + m - 1) / m * m;
}

#endif
