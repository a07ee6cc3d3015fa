/* The CMP as an OpenCL device: work-groups of a kernel as instructions for CPU cores.
 *
 * `emu` executes a work-group when it has been given to a core, warp after warp, each up to a
 * barrier or its end. What its warps did is logged and becomes instructions as the core reads them:
 *
 *   - A warp operation is one instruction if it is uniform (ptx/uniform.h), otherwise one for each
 *     simd_width lanes with at least one active lane; special functions take math_insts each.
 *   - A memory instruction has an access for each 64-byte line if the addresses of its lanes are
 *     equal or adjacent, otherwise one for each lane. Atomics load and store.
 *   - Shared and local memory are ordinary memory, at separate addresses for each core. Kernel
 *     parameters are registers.
 *
 * MODEL: work-groups on CPU cores are executed in order, each as a whole, independent of core and
 * time: results never depend on timing. A work-group that waits for a later one never ends.
 *
 * MODEL: dependences between loads of a work-group on CPU cores follow registers as
 * cpu.follow_registers says; if an operation has several, the youngest counts. Dependences end at
 * calls.
 *
 * MODEL: CPU cores that share lines do not invalidate each other's copies. */
#ifndef HEDDLE_GPU_CMP_H
#define HEDDLE_GPU_CMP_H

#include "cpu/core_config.h"
#include "cpu/source.h"
#include "emu/warp.h"

enum { CMP_MAX_BUFFERS = 64 };

/* How a launch uses a buffer. */
struct cmp_buffer {
    uint64_t start, bytes;
    bool is_read, is_written;
};

/* The cost of an operation, by PC. */
struct cmp_op {
    bool varies, loads, stores;
    uint8_t n_insts; /* per warp, or per simd_width lanes */
};
/* For the launches of a kernel. */
struct cmp_op *cmp_ops_build(const struct program *p, const struct program_func *kernel,
                             uint32_t math_insts);

struct cmp;
struct cmp *cmp_create(const struct cpu_config *config, uint32_t n_workers);
void cmp_destroy(struct cmp *c); /* NULL is fine */
/* The instructions of a worker. Closed by cmp_destroy(). */
struct cpu_source *cmp_source(struct cmp *c, uint32_t worker);

/* The launch that `emu` describes begins, and has ended. Executing work-groups changes the memory
 * of `emu`. */
void cmp_start(struct cmp *c, const struct emu *emu);
void cmp_end(struct cmp *c);
/* The fault of the executed work-groups; FAULT_NONE = none. */
const struct emu_fault *cmp_fault(const struct cmp *c);
/* Their statistics and warnings. */
const struct run_stats *cmp_stats(const struct cmp *c);
const struct emu *cmp_emu(const struct cmp *c);

/* Executes all work-groups between cmp_start() and cmp_end(), without cores. */
void cmp_execute_all(struct cmp *c);
/* The buffers that work-groups have accessed so far, sorted by address. */
uint32_t cmp_buffers(const struct cmp *c, struct cmp_buffer out[CMP_MAX_BUFFERS]);

#endif
