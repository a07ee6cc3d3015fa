/* A launch before and while it runs on the device. */
#ifndef HEDDLE_ICD_LAUNCH_H
#define HEDDLE_ICD_LAUNCH_H

#include "icd/kernel.h"
#include "icd/queue.h"

struct launch_command {
    struct _cl_kernel *kernel;
    struct heddle_module *module;
    struct heddle_launch launch;
    struct heddle_arg *args;
    uint64_t *words; /* addresses and sampler values among the arguments */
    void **objects;  /* memory objects and samplers among them; NULL for others */
};

/* May the kernel write the object that is its argument i? */
bool launch_writes(const struct launch_command *l, uint32_t i);
/* May it read the object? */
bool launch_reads(const struct launch_command *l, uint32_t i);

#endif
