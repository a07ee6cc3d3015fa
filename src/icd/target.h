/* A device on which HeteroPDP runs kernels, used as a program uses it: through the dispatch table
 * of its own OpenCL library. The GPU is one of ours, or a device of another library. */
#ifndef HEDDLE_ICD_TARGET_H
#define HEDDLE_ICD_TARGET_H

#include "base/strbuf.h"
#include "hetero/choose.h"
#include "icd/object.h"

struct target {
    enum hetero_target which;
    const cl_icd_dispatch *cl;
    cl_device_id device;
    cl_context context; /* valid after target_open() */
    cl_command_queue queue;
    cl_sampler samplers[2][5][2]; /* by normalized, addressing mode, filter */
    struct strbuf name;
    bool is_simulated; /* one of ours: its times are simulated */
    bool has_failed;   /* not to be used any more */
};

/* A device of the library or, if that is NULL, of those in /etc/OpenCL/vendors: the first of the
 * type, or of any type if the library was named. False, with the reason in `error`, if there is
 * none. */
bool target_find(struct target *t, const char *library, cl_device_type type, struct strbuf *error);
/* One of ours. */
void target_take(struct target *t, cl_device_id device);

/* Creates context and queue, on the first call. Call it without the lock; any thread may. */
cl_int target_open(struct target *t);

/* Waits for a command, adds its time to *ns, and releases its event. The host's simulated clock
 * does not advance: the program does not wait. If the command failed because of its kernel and not
 * of the target, `fault` says why; only the simulated GPU can tell. `fault` may be NULL. */
cl_int target_wait(struct target *t, cl_event event, uint64_t *ns, struct strbuf *fault);

/* A limit of the device, for info values of type cl_ulong or size_t. */
uint64_t target_limit(const struct target *t, cl_device_info which);

#endif
