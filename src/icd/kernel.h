#ifndef HEDDLE_ICD_KERNEL_H
#define HEDDLE_ICD_KERNEL_H

#include "icd/program.h"

struct kernel_arg {
    bool is_set;
    size_t bytes; /* for a value; for local memory */
    void *value;  /* of a value: its bytes */
    void *object; /* memory object or sampler; NULL is a buffer at 0 */
};

struct _cl_kernel {
    struct icd_object base;
    struct _cl_program *program;
    struct code *code;
    const struct kernel_info *info; /* part of code */
    struct kernel_arg *args;
    uint64_t *param_bytes; /* of each, in PTX */
};

/* Needs the lock. */
void kernel_release(struct _cl_kernel *k);
/* The kernel's resources on a device of its program; false if it is not built there. Does not need
 * the simulation's lock: a module does not change. */
bool kernel_needs(const struct _cl_kernel *k, const struct _cl_device_id *d,
                  struct heddle_kernel_info *out);

#endif
