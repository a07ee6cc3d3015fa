/* The nine kinds of OpenCL objects: their common head, their reference counts, and the lock that
 * protects all of them.
 *
 * A loader reads the first word of any handle that a program passes, including released ones. So
 * the memory of objects is never unmapped: a released one is marked as dead, waits in a queue, and
 * is reused for an object of the same kind after many others. */
#ifndef HEDDLE_ICD_OBJECT_H
#define HEDDLE_ICD_OBJECT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum icd_kind {
    ICD_PLATFORM,
    ICD_DEVICE,
    ICD_CONTEXT,
    ICD_QUEUE,
    ICD_MEM,
    ICD_PROGRAM,
    ICD_KERNEL,
    ICD_EVENT,
    ICD_SAMPLER,
    ICD_N_KINDS,
};

struct icd_object {
    const cl_icd_dispatch *dispatch; /* must be first, for the loader */
    void *reserved;                  /* must be second, for the loader */
    uint32_t mark;                   /* identifies a live object of its kind */
    uint32_t users;                  /* references that the program holds */
    uint32_t refs;                   /* all references, including ours */
};

extern const cl_icd_dispatch icd_dispatch;

/* The entry points under internal names: OpenCL's names would resolve to libOpenCL. */
#define ENTRY(name) extern __typeof__(*((cl_icd_dispatch *)0)->name) icd_##name;
#define ABSENT(name)
#include "icd/entries.def"
#undef ENTRY
#undef ABSENT

/* One lock for the state of all objects. It is not held while kernels run, programs are compiled or
 * a program's callbacks run. */
void icd_lock(void);
void icd_unlock(void);
/* With the lock: sleeps until something has changed; wakes all sleepers. */
void icd_wait(void);
bool icd_wait_until(const struct timespec *time); /* of CLOCK_REALTIME; false when it has come */
void icd_changed(void);

/* All need the lock. The object is zeroed except for the head and has one reference, the
 * program's. */
void *object_create(enum icd_kind kind, size_t bytes);
/* Is it a live object of that kind? True also if the program has released it while others still
 * need it; false for NULL. */
bool object_is(const void *object, enum icd_kind kind);
void object_retain(void *object);
/* True if that was the last reference: the caller then destroys the object's content and calls
 * object_destroy(). */
bool object_release(void *object);
/* The program's references: false if it holds none. The caller must do the release. */
bool object_user_retain(void *object);
bool object_user_release(void *object);
void object_destroy(void *object, enum icd_kind kind);

/* The last step of a query: follows OpenCL's rules for buffers that are too small. */
cl_int info_answer(const void *data, size_t bytes, size_t size, void *value, size_t *size_ret);
cl_int info_text(const char *text, size_t size, void *value, size_t *size_ret);
/* Inside a function with parameters size, value, size_ret. */
#define INFO(type, expression) info_answer(&(type){expression}, sizeof(type), size, value, size_ret)

static inline void *fail_with(cl_int *errcode, cl_int code)
{
    if (errcode)
        *errcode = code;
    return NULL;
}

#endif
