#include "icd/sampler.h"

#include <stdlib.h>
#include <string.h>

uint64_t sampler_value(const struct _cl_sampler *s)
{
    enum { /* CLK_* of OpenCL C, as clang defines them */
           NORMALIZED = 1,
           CLAMP_TO_EDGE = 2,
           CLAMP = 4,
           REPEAT = 6,
           MIRRORED_REPEAT = 8,
           NEAREST = 0x10,
           LINEAR = 0x20
    };
    uint64_t value = s->normalized ? NORMALIZED : 0;
    value |= s->filter == CL_FILTER_LINEAR ? LINEAR : NEAREST;
    switch (s->addressing) {
    case CL_ADDRESS_CLAMP_TO_EDGE:
        return value | CLAMP_TO_EDGE;
    case CL_ADDRESS_CLAMP:
        return value | CLAMP;
    case CL_ADDRESS_REPEAT:
        return value | REPEAT;
    case CL_ADDRESS_MIRRORED_REPEAT:
        return value | MIRRORED_REPEAT;
    default:
        return value;
    }
}

void sampler_release(struct _cl_sampler *s)
{
    if (!object_release(s))
        return;
    context_release(s->context);
    object_destroy(s, ICD_SAMPLER);
}

static cl_sampler create(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                         cl_filter_mode filter, const cl_sampler_properties *given, size_t n_given,
                         cl_int *errcode)
{
    struct _cl_sampler *s = NULL;
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(context, ICD_CONTEXT))
        code = CL_INVALID_CONTEXT;
    else if (normalized > 1 || addressing < CL_ADDRESS_NONE ||
             addressing > CL_ADDRESS_MIRRORED_REPEAT ||
             (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS) {
        s = object_create(ICD_SAMPLER, sizeof *s);
        s->context = context;
        s->normalized = normalized;
        s->addressing = addressing;
        s->filter = filter;
        s->n_properties = n_given;
        if (n_given)
            memcpy(s->properties, given, n_given * sizeof *given);
        object_retain(context);
    }
    icd_unlock();
    fail_with(errcode, code);
    return s;
}

cl_sampler icd_clCreateSampler(cl_context context, cl_bool normalized,
                               cl_addressing_mode addressing, cl_filter_mode filter,
                               cl_int *errcode)
{
    return create(context, normalized, addressing, filter, NULL, 0, errcode);
}

cl_sampler icd_clCreateSamplerWithProperties(cl_context context,
                                             const cl_sampler_properties *properties,
                                             cl_int *errcode)
{
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    size_t n = 0;
    unsigned seen = 0;
    for (; properties && properties[n]; n += 2) {
        unsigned bit;
        switch (properties[n]) {
        case CL_SAMPLER_NORMALIZED_COORDS:
            normalized = (cl_bool)properties[n + 1];
            bit = 1;
            break;
        case CL_SAMPLER_ADDRESSING_MODE:
            addressing = (cl_addressing_mode)properties[n + 1];
            bit = 2;
            break;
        case CL_SAMPLER_FILTER_MODE:
            filter = (cl_filter_mode)properties[n + 1];
            bit = 4;
            break;
        default:
            return fail_with(errcode, CL_INVALID_VALUE);
        }
        if (seen & bit)
            return fail_with(errcode, CL_INVALID_VALUE);
        seen |= bit;
    }
    return create(context, normalized, addressing, filter, properties, properties ? n + 1 : 0,
                  errcode);
}

cl_int icd_clRetainSampler(cl_sampler s)
{
    icd_lock();
    bool ok = object_is(s, ICD_SAMPLER) && object_user_retain(s);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

cl_int icd_clReleaseSampler(cl_sampler s)
{
    icd_lock();
    bool ok = object_is(s, ICD_SAMPLER) && object_user_release(s);
    if (ok)
        sampler_release(s);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

static cl_int sampler_info(const struct _cl_sampler *s, cl_sampler_info param, size_t size,
                           void *value, size_t *size_ret)
{
    switch (param) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return INFO(cl_uint, s->base.users);
    case CL_SAMPLER_CONTEXT:
        return INFO(cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return INFO(cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return INFO(cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return INFO(cl_filter_mode, s->filter);
    case CL_SAMPLER_PROPERTIES:
        return info_answer(s->properties, s->n_properties * sizeof *s->properties, size, value,
                           size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetSamplerInfo(cl_sampler s, cl_sampler_info param, size_t size, void *value,
                            size_t *size_ret)
{
    icd_lock();
    cl_int code = object_is(s, ICD_SAMPLER) ? sampler_info(s, param, size, value, size_ret)
                                            : CL_INVALID_SAMPLER;
    icd_unlock();
    return code;
}
