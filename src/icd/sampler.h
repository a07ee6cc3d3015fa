#ifndef HEDDLE_ICD_SAMPLER_H
#define HEDDLE_ICD_SAMPLER_H

#include "icd/context.h"

struct _cl_sampler {
    struct icd_object base;
    struct _cl_context *context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[7];
    size_t n_properties;
};

/* Needs the lock. */
void sampler_release(struct _cl_sampler *s);
/* What a kernel receives: the value of a sampler literal in OpenCL C. */
uint64_t sampler_value(const struct _cl_sampler *s);

#endif
