/* Private to the CMP: what warps of work-groups did, from the executor (cmp.c) to the sources of
 * cores (cmp_source.c). */
#ifndef HEDDLE_GPU_CMP_LOG_H
#define HEDDLE_GPU_CMP_LOG_H

#include <pthread.h>

#include "gpu/cmp.h"

/* Words: an operation's PC and flags in the low half, its active lanes in the high half. A memory
 * operation is followed by the address of each active lane, or of the first one only. */
enum {
    LOG_PC = 0x0fffffff,
    LOG_WARP = 0x0fffffff,     /* instead of a PC: the following operations are of the warp in the
                                * high half */
    LOG_CONSECUTIVE = 1 << 30, /* one address follows: lanes are adjacent from there on, */
    LOG_EQUAL = 1 << 29,       /* ... or all at that address */
};

struct group_log {
    uint64_t *words;
    uint64_t n, cap;
    uint64_t group;
    bool failed; /* the work-group did not run to its end */
    struct group_log *next;
};

/* Addresses from here on are private to a core: those of shared memory, then of local memory. */
#define CMP_SCRATCH_BASE  0x4000000000ull
#define CMP_LOCAL_BASE    0x4010000000ull
#define CMP_SCRATCH_BYTES 0x100000000ull /* of a core */

struct cmp {
    struct emu emu; /* first */
    const struct cpu_config *config;
    struct run_stats stats;
    struct emu_cta cta;
    struct cmp_op *ops;
    uint32_t n_regs, n_warps; /* maximum over functions; per work-group */
    uint32_t local_stride;    /* bytes of a thread */
    uint64_t next_group, n_groups;
    struct group_log *log;  /* being written; NULL = not logged */
    struct group_log *kept; /* executed but not read yet */
    struct group_log *free;
    uint32_t log_warp;
    uint64_t *seen; /* by PC: the buffer it last accessed */
    struct cmp_buffer buffers[CMP_MAX_BUFFERS];
    uint32_t n_buffers;
    pthread_mutex_t lock;
    struct cpu_source **sources;
    uint32_t n_workers;
};

/* The log of a work-group that has been given to a core: it and all before it have been executed by
 * then. Give it back after use. */
struct group_log *cmp_take_group(struct cmp *c, uint64_t group);
void cmp_give_back(struct cmp *c, struct group_log *log);
/* Of cmp_source.c. */
struct cpu_source *cmp_source_create(struct cmp *c, uint32_t worker);
/* A launch has begun. */
void cmp_source_start(struct cpu_source *s);

#endif
