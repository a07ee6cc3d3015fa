/* The nine kinds of OpenCL objects: their common head, their reference counts, and the lock that
 * guards all of them.
 *
 * A loader reads the first word of whatever handle a program passes, released ones included. So
 * memory of objects is never unmapped: a released one is marked as dead, waits in a queue, and is
 * used again for an object of the same kind after many others. */
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
    const cl_icd_dispatch *dispatch; /* first, for the loader */
    void *reserved;                  /* second, for the loader */
    uint32_t mark;                   /* tells a live object of its kind from anything else */
    uint32_t users;                  /* references that the program holds */
    uint32_t refs;                   /* all references, ours included */
};

extern const cl_icd_dispatch icd_dispatch;

/* The entry points under our own names: those of OpenCL would be taken from libOpenCL. */
#define ENTRY(name) extern __typeof__(*((cl_icd_dispatch *)0)->name) icd_##name;
#define ABSENT(name)
#include "icd/entries.def"
#undef ENTRY
#undef ABSENT

/* One lock for the state of all objects. It is not held while kernels run, programs are compiled or
 * a program's callbacks run. */
void icd_lock(void);
void icd_unlock(void);
/* With the lock: sleeps until something has changed; tells those who sleep. */
void icd_wait(void);
bool icd_wait_until(const struct timespec *time); /* of CLOCK_REALTIME; false when it has come */
void icd_changed(void);

/* With the lock, all of them. Zeroed but for the head, with one reference, the program's. */
void *object_create(enum icd_kind kind, size_t bytes);
/* Is it a live object of that kind? One that the program released, but that others need, is; NULL
 * is not. */
bool object_is(const void *object, enum icd_kind kind);
void object_retain(void *object);
/* True when that was the last reference: the caller then takes the object apart and calls
 * object_destroy(). */
bool object_release(void *object);
/* The program's references: false if it holds none. The release is for the caller to do. */
bool object_user_retain(void *object);
bool object_user_release(void *object);
void object_destroy(void *object, enum icd_kind kind);

/* The tail of a query: what OpenCL says of sizes that do not suffice. */
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
