#ifndef HEDDLE_ICD_PROGRAM_H
#define HEDDLE_ICD_PROGRAM_H

#include "icd/code.h"
#include "icd/context.h"

/* A program on one device of its context. */
struct program_device {
    struct _cl_device_id *device;
    cl_build_status status;
    struct strbuf options, log;
    struct code *code;              /* NULL: nothing was built */
    struct heddle_module *module;   /* loaded, for a complete program */
    struct target_program *targets; /* for Heddle HeteroPDP: the same on its targets */
};

struct _cl_program {
    struct icd_object base;
    struct _cl_context *context;
    struct strbuf source; /* empty: created from a binary, or linked */
    bool has_source;
    struct program_device *devices;
    uint32_t n_devices;
    uint32_t n_kernels; /* number of kernel objects */
    bool is_building;
};

/* All need the lock. */
struct _cl_program *program_create(struct _cl_context *context, const cl_device_id *devices,
                                   cl_uint n);
void program_release(struct _cl_program *p);
struct program_device *program_on(const struct _cl_program *p, const struct _cl_device_id *d);
/* The first device's code that can run, or NULL. */
const struct code *program_executable(const struct _cl_program *p);
/* Replaces the program's code on a device; takes the reference of `code`. */
void program_set_code(struct program_device *on, struct code *code);

/* Loads a complete program into the device's simulation; on failure the log says why. Call it
 * without the lock. */
bool program_load(struct program_device *on, const struct code *code, struct heddle_module **module,
                  struct strbuf *log);

#endif
