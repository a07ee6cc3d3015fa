/* What the tests of soft floating point share: its operations by number, and floats as bits. */
#ifndef HEDDLE_TEST_SOFTFP_OPS_H
#define HEDDLE_TEST_SOFTFP_OPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/softfp.h"

enum op { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_SQRT, OP_FMA, N_OPS };

static const char *const op_names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
static inline float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The bits of a result, with the canonical NaN in place of the host's. */
static inline uint64_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7fffffff : bits;
}

static inline uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7ff8000000000000 : bits;
}

static inline uint64_t soft(enum op op, enum fp_format f, uint64_t a, uint64_t b, uint64_t c,
                            struct fp_mode m)
{
    switch (op) {
    case OP_ADD:
        return fp_add(f, a, b, m);
    case OP_SUB:
        return fp_sub(f, a, b, m);
    case OP_MUL:
        return fp_mul(f, a, b, m);
    case OP_DIV:
        return fp_div(f, a, b, m);
    case OP_SQRT:
        return fp_sqrt(f, a, m);
    default:
        return fp_fma(f, a, b, c, m);
    }
}

#endif
