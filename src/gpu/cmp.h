/* The CMP as an OpenCL device: work-groups of a kernel as instructions for CPU cores.
 *
 * A work-group is executed by `emu` when a core has been given it, warp after warp, each up to a
 * barrier or its end. What its warps did is kept and becomes instructions as the core reads them:
 *
 *   - A warp operation is one instruction if it is uniform (ptx/uniform.h), else one for each
 *     simd_width lanes with an active one among them; of special math it is math_insts each.
 *   - An instruction of memory has an access for each 64-byte line if the addresses of its lanes
 *     are equal or lie side by side, else one for each lane. Atomics load and store.
 *   - Shared and local memory are ordinary memory, at addresses of their own on each core. Kernel
 *     parameters are registers.
 *
 * MODEL: work-groups are executed in order, each as a whole, independent of core and time: results
 * never depend on time. A work-group that waits for a later one never ends. MODEL: dependences
 * between loads follow registers as cpu.follow_registers says; where an operation has several, the
 * youngest counts. Dependences end at calls. MODEL: cores that share lines do not invalidate each
 * other's copies. */
#ifndef HEDDLE_GPU_CMP_H
#define HEDDLE_GPU_CMP_H

#include "cpu/core_config.h"
#include "cpu/source.h"
#include "emu/warp.h"

enum { CMP_MAX_BUFFERS = 64 };

/* What a launch does with a buffer. */
struct cmp_buffer {
    uint64_t start, bytes;
    bool is_read, is_written;
};

/* What an operation costs, by PC. */
struct cmp_op {
    bool varies, loads, stores;
    uint8_t n_insts; /* for a warp, or for simd_width lanes */
};
/* For the launches of a kernel. */
struct cmp_op *cmp_ops_build(const struct program *p, const struct program_func *kernel,
                             uint32_t math_insts);

struct cmp;
struct cmp *cmp_create(const struct cpu_config *config, uint32_t n_workers);
void cmp_destroy(struct cmp *c); /* NULL is fine */
/* The instructions of a worker. Closed by cmp_destroy(). */
struct cpu_source *cmp_source(struct cmp *c, uint32_t worker);

/* The launch that `emu` describes begins, and is over. The memory of `emu` is changed as
 * work-groups are executed. */
void cmp_start(struct cmp *c, const struct emu *emu);
void cmp_end(struct cmp *c);
/* What went wrong in the work-groups that have been executed; FAULT_NONE = nothing did. */
const struct emu_fault *cmp_fault(const struct cmp *c);
/* What they counted, and warned of. */
const struct run_stats *cmp_stats(const struct cmp *c);
const struct emu *cmp_emu(const struct cmp *c);

/* Executes all work-groups between cmp_start() and cmp_end(), without cores. */
void cmp_execute_all(struct cmp *c);
/* The buffers that work-groups have touched so far, in the order of their addresses. */
uint32_t cmp_buffers(const struct cmp *c, struct cmp_buffer out[CMP_MAX_BUFFERS]);

#endif
