/* The device "Heddle HeteroPDP" (S3 chapter 6). To the program it is one device. It owns two
 * targets, a CPU device of another OpenCL library (the CMP) and a GPU, and runs each kernel on the
 * one that HeteroPDP chooses.
 *
 * Everything except launches works as on other devices, in host memory. A memory object has a copy
 * in each target that has used it. Valid bits say which copies, the host's and the targets', are
 * current; a copy is updated where it is needed. */
#ifndef HEDDLE_ICD_HETERO_H
#define HEDDLE_ICD_HETERO_H

#include "hetero/features.h"
#include "icd/launch.h"
#include "icd/memory.h"
#include "icd/target.h"

struct hetero {
    struct target targets[HETERO_N_TARGETS];
    struct hetero_policy *policy; /* models, natives, and how to choose (hetero_decide.c) */
    struct retired_object *retired;
    uint32_t n_retired, cap_retired;
    uint64_t n_launches[HETERO_N_TARGETS];
    uint64_t n_taken_over; /* launches that failed on their first target */
};

/* Finds the targets; `gpu` is the GPU if it is one of ours, otherwise NULL. Returns NULL, with the
 * reason in `error`, if a target or a file named in the settings is not available. */
struct hetero *hetero_new(const struct icd_settings *s, struct _cl_device_id *gpu,
                          struct strbuf *error);

/* The smaller of the targets' limits, a cl_ulong or a size_t. */
uint64_t hetero_limit(const struct hetero *h, cl_device_info which);
/* Prints how many launches ran on each target. */
void hetero_summary(const struct hetero *h);

/* --- objects in the targets (hetero_memory.c, hetero_program.c) --- */

/* Of a memory object: its copies. */
struct target_copies {
    cl_mem of[HETERO_N_TARGETS];
    uint32_t valid; /* for an outermost parent: bit set of targets, and HETERO_HOST */
};
enum { HETERO_HOST = 1u << HETERO_N_TARGETS };

/* Of a program on the device: the same program on each target, and its kernels. */
struct target_program {
    cl_program of[HETERO_N_TARGETS];
    struct strbuf why[HETERO_N_TARGETS]; /* why it is not available */
    struct ptx_module *ptx;              /* for features */
    /* A variable at program scope that kernels may write; NULL = none. Such variables are not
     * copied between targets: the first target that runs a kernel of the program runs all. */
    const char *variable;
    bool is_bound;
    enum hetero_target bound_to;
    struct target_kernel *kernels; /* those that have been launched */
};

/* The object's copy in the target, created on demand; its contents may be outdated. */
cl_int hetero_place(struct _cl_mem *m, struct target *t, cl_mem *out);
/* Updates the target's copy and adds the transfer time to *ns. */
cl_int hetero_bring(struct _cl_device_id *d, struct _cl_mem *m, struct target *t, uint64_t *ns);
/* Updates the host's copy; `writes` = the copies of targets are then outdated. */
cl_int hetero_bring_home(struct _cl_device_id *d, struct _cl_mem *m, bool writes, uint64_t *ns);
/* A kernel on the target has written it: only that copy is current. If the kernel failed, only the
 * others are. */
void hetero_wrote(struct _cl_mem *m, const struct target *t, bool has_failed);
bool hetero_is_lost(const struct _cl_mem *m); /* no copy is current */

/* Builds the program on both targets. A target on which this fails is never chosen. `source` is
 * NULL if unknown. Call it without the lock. */
struct target_program *hetero_build(struct _cl_device_id *d, const struct strbuf *source,
                                    const char *options, const struct code *code);
/* The kernel on the target; NULL, with the reason in *why, if it is not available. */
cl_kernel hetero_kernel(struct target_program *p, const char *name, struct target *t,
                        const char **why);

/* The instructions of the kernel, counted once. Zeros with a reason in *why if they cannot be
 * counted; otherwise *why is NULL. */
const struct hetero_counts *hetero_kernel_counts(struct target_program *p, const char *name,
                                                 const char **why);

/* Objects that the program has released: hetero_collect() releases them in their targets. Needs the
 * lock; NULL is fine. */
void hetero_retire_copies(struct _cl_device_id *d, struct target_copies *copies);
void hetero_retire_program(struct _cl_device_id *d, struct target_program *p);
/* Call it without the lock. */
void hetero_collect(struct _cl_device_id *d);

/* --- launches --- */

/* icd_command.run of a launch on the device (hetero_launch.c). */
cl_int hetero_run_launch(struct icd_command *c);

/* One decision and its outcome. */
struct hetero_decision {
    enum hetero_target target;
    const char *reason;
    bool
        has_variables; /* the program's variables bind it to the target that ran its first launch */
    bool is_predicted; /* there are models: the times and the answer are valid */
    double features[HETERO_N_FEATURES];
    double transfer; /* bytes to the GPU and back if only the host's copies were current */
    double llc_misses, dram_bandwidth; /* of the native programs */
    const char *utilisation;           /* the source of these two */
    double alone_s[HETERO_N_TARGETS], co_located_s[HETERO_N_TARGETS];
    uint32_t n_clamped;
    struct pressure pressure[HETERO_N_TARGETS];
    struct hetero_answer answer;
    uint32_t n_natives;  /* those that the answer depends on: all, or none */
    double microseconds; /* time taken by the decision */
    /* The outcome: */
    enum hetero_target ran_on;
    bool was_taken_over;
    cl_int status;
    /* What is wrong with the kernel; empty if it did not fail, or if its target did. */
    struct strbuf fault;
    uint64_t transfer_ns, kernel_ns;
};

/* (hetero_decide.c) NULL, with the reason in `error`, if a file is not valid. */
struct hetero_policy *hetero_policy_new(const struct icd_settings *s, struct strbuf *error);
/* `can` says which targets can run the kernel; at least one can. */
void hetero_decide(struct hetero *h, const struct launch_command *l, struct target_program *program,
                   const bool can[HETERO_N_TARGETS], struct hetero_decision *out);
/* Appends the decision to the file named in the settings, if any. */
void hetero_log(const struct _cl_device_id *d, const struct launch_command *l,
                const struct hetero_decision *decision);

#endif
