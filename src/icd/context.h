#ifndef HEDDLE_ICD_CONTEXT_H
#define HEDDLE_ICD_CONTEXT_H

#include "icd/device.h"
#include "icd/notify.h"

struct _cl_context {
    struct icd_object base;
    struct _cl_device_id **devices;
    uint32_t n_devices;
    cl_context_properties *properties; /* as given, including the final 0; NULL if there were
                                        * none */
    size_t n_properties;               /* the 0 included */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_user;
    struct destructor *destructors; /* most recently registered first */
};

/* Needs the lock. */
void context_release(struct _cl_context *c);
/* The device's index in the context; n_devices if it is not there. */
uint32_t context_device_index(const struct _cl_context *c, const struct _cl_device_id *d);
/* Can a program be for these? They must be devices of the context, without duplicates. */
bool context_has_devices(const struct _cl_context *c, cl_uint n, const cl_device_id *devices);
/* Calls the program's error function once the lock is released. */
void context_report(struct _cl_context *c, const char *text);

#endif
