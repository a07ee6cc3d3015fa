/* Memory objects: buffers, parts of buffers, images.
 *
 * A buffer has a copy in every device of its context. `valid` says which copies are current; a
 * command on another device first updates that device's copy. Device memory is visible to the
 * host, so a map is a pointer into it, unless the program supplied its own memory
 * (CL_MEM_USE_HOST_PTR). */
#ifndef HEDDLE_ICD_MEMORY_H
#define HEDDLE_ICD_MEMORY_H

#include "icd/context.h"
#include "icd/region.h"

/* With `loose_bounds`, added before and after every buffer: a page, which hardware does not notice
 * either. */
enum { LOOSE_BYTES = 4096 };

struct mem_copy {
    uint64_t address;    /* in the device; 0 = none */
    char *host;          /* its host address */
    uint64_t descriptor; /* for an image: address of the descriptor for kernels */
};

struct mapping {
    char *pointer;
    size_t origin[3], region[3]; /* for a buffer: bytes, in [0] */
    cl_map_flags flags;
    struct mapping *next;
};

struct _cl_mem {
    struct icd_object base;
    struct _cl_context *context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t bytes;
    char *host_ptr;                /* with CL_MEM_USE_HOST_PTR */
    struct _cl_mem *parent;        /* for a part of a buffer, and for an image in one */
    size_t origin;                 /* in the parent */
    struct mem_copy *copies;       /* one per device of the context */
    uint32_t valid;                /* bit set of devices; only in the outermost parent */
    struct target_copies *targets; /* in the targets of HeteroPDP; NULL = it has none there */
    struct mapping *mappings;
    uint32_t n_mappings; /* active mappings */
    struct destructor *destructors;
    cl_mem_properties *properties;
    size_t n_properties;
    /* for an image: */
    cl_image_format format;
    cl_image_desc desc;
    size_t element_bytes;
    size_t row_pitch, slice_pitch;           /* in the device */
    size_t host_row_pitch, host_slice_pitch; /* of host_ptr */
};

/* Needs the lock. */
void mem_release(struct _cl_mem *m);
bool mem_is(const void *object); /* a live memory object */
bool mem_is_buffer(const void *object);
struct _cl_mem *mem_root(const struct _cl_mem *m); /* the outermost parent */

/* Checks the flags of a creating function: CL_INVALID_VALUE for flags that exclude each other. */
cl_int mem_check_flags(cl_mem_flags flags, const void *host_ptr);
/* Creates the copies in all devices of `m`, m->bytes each, initialised from `contents` if not NULL.
 * Call it without the lock. */
cl_int mem_allocate(struct _cl_mem *m, const void *contents);
/* Records device memory to be freed. Needs the lock. */
void device_retire(struct _cl_device_id *d, uint64_t address);

/* Its host address and its device address. */
char *mem_pointer(const struct _cl_mem *m, const struct _cl_device_id *d);
uint64_t mem_address(const struct _cl_mem *m, const struct _cl_device_id *d);
uint64_t mem_descriptor(const struct _cl_mem *m, const struct _cl_device_id *d); /* of an image */
char *mem_user_pointer(const struct _cl_mem *m); /* CL_MEM_USE_HOST_PTR's, or NULL */

/* A command has read or written rows of device memory through the host's view. Needs the
 * simulation's lock. */
void mem_touch(const struct _cl_mem *m, const struct _cl_device_id *d, struct byte_rect rect,
               const size_t bytes[3], bool writes);

/* Updates the device's copy; `writes` = other copies are then outdated. Call it without a lock. */
void mem_migrate(struct _cl_mem *m, struct _cl_device_id *d, bool writes);

#endif
