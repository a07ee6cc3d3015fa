#include "reference.h"

#include <math.h>
#include <stdlib.h>

#define R MPFR_RNDN

#define UNARY(name)                                                                                \
    void ref_##name(mpfr_t r, const struct arguments *a)                                           \
    {                                                                                              \
        mpfr_##name(r, a->x, R);                                                                   \
    }
UNARY(acos)
UNARY(acosh)
UNARY(acospi)
UNARY(asin)
UNARY(asinh)
UNARY(asinpi)
UNARY(atan)
UNARY(atanh)
UNARY(atanpi)
UNARY(cbrt)
UNARY(cos)
UNARY(cosh)
UNARY(cospi)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(exp10)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(sin)
UNARY(sinh)
UNARY(sinpi)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(tanpi)

#define WHOLE(name, function)                                                                      \
    void ref_##name(mpfr_t r, const struct arguments *a)                                           \
    {                                                                                              \
        mpfr_##function(r, a->x);                                                                  \
    }
WHOLE(ceil, ceil)
WHOLE(floor, floor)
WHOLE(trunc, trunc)
WHOLE(round, round)
WHOLE(rint, roundeven)

#define BINARY(name, function)                                                                     \
    void ref_##name(mpfr_t r, const struct arguments *a)                                           \
    {                                                                                              \
        mpfr_##function(r, a->x, a->y, R);                                                         \
    }
BINARY(atan2, atan2)
BINARY(atan2pi, atan2pi)
BINARY(divide, div)
BINARY(fdim, dim)
BINARY(fmax, max)
BINARY(fmin, min)
BINARY(fmod, fmod)
BINARY(hypot, hypot)
BINARY(pow, pow)
BINARY(remainder, remainder)

/* Functions that are exact by their nature, in the host's double or float. */
#define HOST(name, expression)                                                                     \
    void ref_##name(mpfr_t r, const struct arguments *a)                                           \
    {                                                                                              \
        double x = a->dx, y = a->dy;                                                               \
        (void)y;                                                                                   \
        mpfr_set_d(r, expression, R);                                                              \
    }
HOST(copysign, copysign(x, y))
HOST(fabs, fabs(x))
HOST(logb, logb(x))
HOST(maxmag, fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y))
HOST(minmag, fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y))
HOST(modf, modf(x, &y))
HOST(nextafter, a->is_double ? nextafter(x, y) : (double)nextafterf((float)x, (float)y))
HOST(sign, isnan(x) || x == 0 ? (isnan(x) ? 0 : x) : copysign(1, x))
/* FP_ILOGB0 and FP_ILOGBNAN of the device are INT_MIN and INT_MAX; so is ilogb of infinity. In
 * float INT_MAX is 2^31. */
HOST(ilogb, x == 0                 ? -0x1p31
            : isnan(x) || isinf(x) ? (a->is_double ? 0x1p31 - 1 : 0x1p31)
                                   : (double)ilogb(x))

void ref_fract(mpfr_t r, const struct arguments *a)
{
    double below_one = a->is_double ? 0x1.fffffffffffffp-1 : 0x1.fffffep-1;
    double f = isinf(a->dx) || a->dx == 0 ? copysign(0, a->dx) : a->dx - floor(a->dx);
    mpfr_set_d(r, f > below_one ? below_one : f, R);
}

void ref_frexp(mpfr_t r, const struct arguments *a)
{
    int exponent;
    mpfr_set_d(r, frexp(a->dx, &exponent), R);
}

/* Of infinities and NaNs the exponent is unspecified; 0 is what C libraries give. */
void ref_frexp_exp(mpfr_t r, const struct arguments *a)
{
    int exponent = 0;
    if (isfinite(a->dx))
        frexp(a->dx, &exponent);
    mpfr_set_si(r, exponent, R);
}

void ref_recip(mpfr_t r, const struct arguments *a)
{
    mpfr_ui_div(r, 1, a->x, R);
}

void ref_rsqrt(mpfr_t r, const struct arguments *a)
{
    mpfr_rec_sqrt(r, a->x, R);
    if (mpfr_zero_p(a->x)) /* MPFR has +Inf for -0; OpenCL does not require -Inf */
        mpfr_set_inf(r, mpfr_signbit(a->x) ? -1 : 1);
}

void ref_fma(mpfr_t r, const struct arguments *a)
{
    mpfr_fma(r, a->x, a->y, a->z, R);
}

void ref_ldexp(mpfr_t r, const struct arguments *a)
{
    mpfr_mul_2si(r, a->x, a->n, R);
}

void ref_pown(mpfr_t r, const struct arguments *a)
{
    mpfr_pow_si(r, a->x, a->n, R);
}

void ref_powr(mpfr_t r, const struct arguments *a)
{
    mpfr_powr(r, a->x, a->y, R);
    if (isnan(a->dy))
        mpfr_set_nan(r); /* of 1 too */
}

void ref_rootn(mpfr_t r, const struct arguments *a)
{
    mpfr_rootn_si(r, a->x, a->n, R);
}

void ref_lgamma(mpfr_t r, const struct arguments *a)
{
    int sign;
    mpfr_lgamma(r, &sign, a->x, R);
}

void ref_gamma_sign(mpfr_t r, const struct arguments *a)
{
    int sign = 0;
    mpfr_t value;
    mpfr_init2(value, REFERENCE_BITS);
    mpfr_lgamma(value, &sign, a->x, R);
    if (isnan(a->dx) || (mpfr_inf_p(value) && a->dx < 0))
        sign = 1; /* unspecified: what C libraries give */
    mpfr_set_si(r, sign, R);
    mpfr_clear(value);
}

void ref_tgamma(mpfr_t r, const struct arguments *a)
{
    mpfr_gamma(r, a->x, R);
}

void ref_quotient(mpfr_t r, const struct arguments *a)
{
    long q = 0;
    mpfr_t rest;
    mpfr_init2(rest, REFERENCE_BITS);
    if (isfinite(a->dx) && !isnan(a->dy) && a->dy != 0)
        mpfr_remquo(rest, &q, a->x, a->y, R);
    mpfr_set_si(r, q < 0 ? -(-q & 127) : q & 127, R);
    mpfr_clear(rest);
}

static void times_ratio(mpfr_t r, const struct arguments *a, bool to_degrees)
{
    mpfr_t pi;
    mpfr_init2(pi, REFERENCE_BITS);
    mpfr_const_pi(pi, R);
    if (to_degrees) {
        mpfr_mul_ui(r, a->x, 180, R);
        mpfr_div(r, r, pi, R);
    } else {
        mpfr_mul(r, a->x, pi, R);
        mpfr_div_ui(r, r, 180, R);
    }
    mpfr_clear(pi);
}

void ref_degrees(mpfr_t r, const struct arguments *a)
{
    times_ratio(r, a, true);
}

void ref_radians(mpfr_t r, const struct arguments *a)
{
    times_ratio(r, a, false);
}

/* --- Geometry --- */

void ref_dot(mpfr_t r, const struct arguments *a)
{
    mpfr_fmma(r, a->x, a->x, a->y, a->y, R);
}

void ref_length3(mpfr_t r, const struct arguments *a)
{
    mpfr_hypot(r, a->x, a->y, R);
    mpfr_hypot(r, r, a->z, R);
}

void ref_distance(mpfr_t r, const struct arguments *a)
{
    mpfr_sub(r, a->y, a->z, R);
    mpfr_hypot(r, a->x, r, R);
}

void ref_normalize2(mpfr_t r, const struct arguments *a)
{
    mpfr_hypot(r, a->x, a->y, R);
    mpfr_div(r, a->x, r, R);
}

void ref_normalize3(mpfr_t r, const struct arguments *a)
{
    ref_length3(r, a);
    mpfr_div(r, a->y, r, R);
}

void ref_cross(mpfr_t r, const struct arguments *a)
{
    mpfr_mul(r, a->x, a->z, R);
    mpfr_neg(r, r, R);
}

void ref_mix(mpfr_t r, const struct arguments *a)
{
    mpfr_set_d(r, fabs(a->dy), R);
    mpfr_add_d(r, r, fabs(a->dx), R);
    mpfr_div_ui(r, r, 2, R);
}

void ref_smoothstep(mpfr_t r, const struct arguments *a)
{
    mpfr_t t;
    mpfr_init2(t, REFERENCE_BITS);
    mpfr_abs(t, a->x, R);
    mpfr_add_ui(t, t, 20, R);
    mpfr_div_ui(t, t, 40, R);
    mpfr_mul_si(r, t, -2, R);
    mpfr_add_ui(r, r, 3, R);
    mpfr_mul(r, r, t, R);
    mpfr_mul(r, r, t, R);
    mpfr_clear(t);
}

void ref_step(mpfr_t r, const struct arguments *a)
{
    mpfr_set_si(r, a->dy < a->dx ? 0 : 1, R);
}
