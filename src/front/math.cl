/* Mathematical functions of Heddle's OpenCL library: those that libclc 14 has outside the limits of
 * OpenCL 1.2, section 7.4, or the edge cases of section 7.5, or whose tables it reads beyond their
 * end. doc/opencl-c.md lists them with the errors measured. Functions on float, whose limits double
 * precision meets without care, are computed in double.
 *
 * Sources: the argument reduction of Payne and Hanek, "Radian reduction for trigonometric
 * functions" (SIGNUM Newsletter 18:1, 1983), and of Cody and Waite, "Software manual for the
 * elementary functions" (1980); Dekker's and Knuth's error-free sums and products; Taylor series
 * and Stirling's series with exact coefficients. */

/* Where a sum of products is rounded matters here, and fma() says where. */
#pragma OPENCL FP_CONTRACT OFF

/* Not inlined: a program with many calls stays small. */
#define APART static __attribute__((overloadable, noinline))

/* A number as the sum of two, the second below the last place of the first. */
struct two {
    double high, low;
};

static PURE struct two two_sum(double a, double b)
{
    double sum = a + b, b_part = sum - a;
    return (struct two){sum, (a - (sum - b_part)) + (b - b_part)};
}

static PURE struct two two_product(double a, double b)
{
    double product = a * b;
    return (struct two){product, fma(a, b, -product)};
}

static PURE double power_of_two(int n)
{
    return as_double((ulong)(1023 + n) << 52);
}

#define PI_HIGH 0x1.921fb54442d18p+1
#define PI_LOW 0x1.1a62633145c07p-53

/* --- Sine, cosine and tangent of double --- */

/* An angle as a number of quarter turns and a rest of at most half of one, in radians. */
struct angle {
    struct two rest;
    uint quarter;
};

/* 2/pi in 64-bit digits, after a digit of zeros. */
static __constant ulong two_over_pi[21] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

static PURE ulong shifted(ulong high, ulong low, uint n)
{
    return n ? high << n | low >> (64 - n) : high;
}

/* Payne and Hanek: x = m * 2^e with a whole m. Of 2/pi only the digits matter that are neither so
 * high that m * 2^e times them is a multiple of four nor so low that they are beyond the precision.
 * From digit e - 1 on 192 of them are enough: no double is closer to a multiple of pi/2 than 2^-62
 * in relation to the 137 digits that are right. */
APART struct angle reduce_large(double x)
{
    ulong bits = as_ulong(x);
    int e = (int)(bits >> 52 & 0x7ff) - 1075;
    ulong m = (bits & 0xfffffffffffff) | 1ul << 52;
    uint at = (uint)(e + 62), word = at / 64, shift = at % 64;
    ulong a0 = shifted(two_over_pi[word], two_over_pi[word + 1], shift);
    ulong a1 = shifted(two_over_pi[word + 1], two_over_pi[word + 2], shift);
    ulong a2 = shifted(two_over_pi[word + 2], two_over_pi[word + 3], shift);

    ulong p2 = m * a2, carried = mul_hi(m, a2), p1 = m * a1 + carried;
    ulong p0 = m * a0 + mul_hi(m, a1) + (p1 < carried);
    uint quarter = (uint)(p0 >> 62);
    ulong f0 = shifted(p0, p1, 2), f1 = shifted(p1, p2, 2), f2 = p2 << 2;
    bool negative = f0 >> 63;
    if (negative) { /* closer to the next quarter */
        quarter++;
        f2 = -f2;
        f1 = ~f1 + (f2 == 0);
        f0 = ~f0 + (f1 == 0 && f2 == 0);
    }
    int scale = -64;
    if (f0 == 0) {
        f0 = f1, f1 = f2, f2 = 0;
        scale -= 64;
    }
    uint zeros = (uint)clz(f0);
    f0 = shifted(f0, f1, zeros);
    f1 = shifted(f1, f2, zeros);
    scale -= (int)zeros;

    double high = (double)(f0 & ~0x7fful);
    double low = (double)((f0 & 0x7ff) << 53 | f1 >> 11) * 0x1p-53;
    struct two rest = two_product(high, PI_HIGH / 2);
    rest.low += fma(high, PI_LOW / 2, low * (PI_HIGH / 2));
    double unit = negative != (x < 0) ? -power_of_two(scale) : power_of_two(scale);
    return (struct angle){{rest.high * unit, rest.low * unit}, x < 0 ? -quarter : quarter};
}

/* Cody and Waite: pi/2 in pieces of 33 bits, whose products with up to 2^20 quarters are exact. */
static PURE struct angle reduce_medium(double x)
{
    double n = rint(x * 0x1.45f306dc9c883p-1);
    double near = fma(-n, 0x1.921fb544p+0, x);
    struct two a = two_sum(near, -n * 0x1.0b4611a6p-34);
    struct two b = two_sum(a.high, -n * 0x1.3198a2ep-69);
    double low = a.low + b.low - n * 0x1.b839a252049c1p-104;
    return (struct angle){two_sum(b.high, low), (uint)(int)n};
}

static PURE struct angle reduce(double x)
{
    double size = fabs(x);
    if (size < PI_HIGH / 4)
        return (struct angle){{x, 0}, 0};
    if (size < 0x1p20)
        return reduce_medium(x);
    if (size < (double)INFINITY)
        return reduce_large(x);
    return (struct angle){{x - x, 0}, 0};
}

/* Taylor: the first term left out is below 2^-64 of the sum. */
static PURE double sine_of(struct two x)
{
    if (x.high == 0)
        return x.high; /* with its sign */
    double s = x.high * x.high;
    double sum = fma(s, 1 / 355687428096000.0, -1 / 1307674368000.0);
    sum = fma(s, sum, 1 / 6227020800.0);
    sum = fma(s, sum, -1 / 39916800.0);
    sum = fma(s, sum, 1 / 362880.0);
    sum = fma(s, sum, -1 / 5040.0);
    sum = fma(s, sum, 1 / 120.0);
    sum = fma(s, sum, -1 / 6.0);
    return x.high + fma(x.high * s, sum, x.low * fma(s, -0.5, 1));
}

static PURE double cosine_of(struct two x)
{
    double s = x.high * x.high;
    double sum = fma(s, 1 / 20922789888000.0, -1 / 87178291200.0);
    sum = fma(s, sum, 1 / 479001600.0);
    sum = fma(s, sum, -1 / 3628800.0);
    sum = fma(s, sum, 1 / 40320.0);
    sum = fma(s, sum, -1 / 720.0);
    sum = fma(s, sum, 1 / 24.0);
    double most = fma(s, -0.5, 1);
    double lost = fma(s, -0.5, 1 - most); /* of `most` */
    return most + (lost + fma(s * s, sum, -x.high * x.low));
}

static PURE double sine_of(struct angle a)
{
    double v = a.quarter & 1 ? cosine_of(a.rest) : sine_of(a.rest);
    return a.quarter & 2 ? -v : v;
}

static PURE double cosine_of(struct angle a)
{
    double v = a.quarter & 1 ? sine_of(a.rest) : cosine_of(a.rest);
    return (a.quarter + 1) & 2 ? -v : v;
}

static PURE double tangent_of(struct angle a)
{
    double s = sine_of(a.rest), c = cosine_of(a.rest);
    return a.quarter & 1 ? -c / s : s / c;
}

#define DOUBLE_UNARY(f, expression)                                                                \
    PURE double f(double x) { return expression; }                                                 \
    V_UNARY(double, f, double)
DOUBLE_UNARY(sin, sine_of(reduce(x)))
DOUBLE_UNARY(cos, cosine_of(reduce(x)))
DOUBLE_UNARY(tan, tangent_of(reduce(x)))

#define SINCOS(t, space)                                                                           \
    OVERLOAD t sincos(t x, space t *cosine)                                                        \
    {                                                                                              \
        *cosine = cos(x);                                                                          \
        return sin(x);                                                                             \
    }
#define SPACES(function, t) function(t, __global) function(t, __local) function(t, __private)
#define WIDTHS(function, t)                                                                        \
    SPACES(function, t)                                                                            \
    SPACES(function, t##2)                                                                         \
    SPACES(function, t##3)                                                                         \
    SPACES(function, t##4) SPACES(function, t##8) SPACES(function, t##16)
WIDTHS(SINCOS, double)

/* --- In half turns --- */

/* Of the size of x: the reduction to quarters is exact. From 2^53 on all are even. */
static PURE struct angle reduce_half_turns(double x)
{
    double size = fabs(x);
    if (!(size < (double)INFINITY))
        return (struct angle){{size - size, 0}, 0};
    if (size >= 0x1p53)
        return (struct angle){{0, 0}, 0};
    double n = rint(2 * size), rest = size - 0.5 * n;
    struct two radians = two_product(rest, PI_HIGH);
    radians.low = fma(rest, PI_LOW, radians.low);
    return (struct angle){radians, (uint)(ulong)n};
}

/* Zeros have the sign that section 7.5.1 says. */
static PURE double sine_of_half_turns(double x)
{
    struct angle a = reduce_half_turns(x);
    if (a.rest.high == 0 && !(a.quarter & 1))
        return copysign(0.0, x);
    double v = sine_of(a);
    return x < 0 ? -v : v;
}

static PURE double cosine_of_half_turns(double x)
{
    struct angle a = reduce_half_turns(x);
    return a.rest.high == 0 && a.quarter & 1 ? 0 : cosine_of(a);
}

static PURE double tangent_of_half_turns(double x)
{
    struct angle a = reduce_half_turns(x);
    double v = tangent_of(a);
    if (a.rest.high == 0) {
        v = a.quarter & 1 ? (double)INFINITY : 0;
        v = a.quarter & 2 ? -v : v;
    }
    return signbit(x) ? -v : v;
}

DOUBLE_UNARY(sinpi, sine_of_half_turns(x))
DOUBLE_UNARY(cospi, cosine_of_half_turns(x))
DOUBLE_UNARY(tanpi, tangent_of_half_turns(x))
UNARY(sinpi, (float)sine_of_half_turns((double)x))
UNARY(cospi, (float)cosine_of_half_turns((double)x))
UNARY(tanpi, (float)tangent_of_half_turns((double)x))

/* --- Inverse tangent of double --- */

/* atan(k / 8) */
static __constant struct two atan_of_eighths[9] = {
    {0, 0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(y) = atan(c) + atan((y - c) / (1 + c y)) with the closest c = k / 8 leaves at most 1/16 for
 * the series; above 1 it is pi/2 less that of 1 / y. */
static PURE double arc_tangent(double x)
{
    double size = fabs(x);
    double y = size > 1 ? 1 / size : size;
    double c = 0.125 * rint(8 * y);
    struct two of_c = atan_of_eighths[isnan(x) ? 0 : (int)(8 * c)];
    double t = (y - c) / fma(c, y, 1);
    double s = t * t;
    double sum = fma(s, 1 / 13.0, -1 / 11.0);
    sum = fma(s, sum, 1 / 9.0);
    sum = fma(s, sum, -1 / 7.0);
    sum = fma(s, sum, 1 / 5.0);
    sum = fma(s, sum, -1 / 3.0);
    sum = t * s * sum + of_c.low;
    double v = of_c.high + (t + sum);
    if (size > 1)
        v = PI_HIGH / 2 - of_c.high - (t + (sum - PI_LOW / 2));
    return copysign(v, x);
}
DOUBLE_UNARY(atan, arc_tangent(x))
static PURE double in_half_turns(double a)
{
    return a == 0 ? a : fma(a, 0x1.45f306dc9c883p-2, a * -0x1.6b01ec5417056p-56); /* 1 / pi */
}
DOUBLE_UNARY(atanpi, in_half_turns(arc_tangent(x)))

/* --- Exponentials and hyperbolic functions of double --- */

/* e^x - 1 = 2^n (e^r - 1) + 2^n - 1 for x = n ln 2 + r. */
static PURE double exponential_less_one(double x)
{
    if (x == 0 || isnan(x))
        return x;
    if (x > 710.0)
        return (double)INFINITY;
    if (x < -40.0)
        return -1;
    double n = rint(x * 0x1.71547652b82fep+0);
    double near = fma(-n, 0x1.62e42feep-1, x), low = n * 0x1.a39ef35793c76p-33;
    double r = near - low, lost = (near - r) - low;
    double sum = fma(r, 1 / 1307674368000.0, 1 / 87178291200.0);
    sum = fma(r, sum, 1 / 6227020800.0);
    sum = fma(r, sum, 1 / 479001600.0);
    sum = fma(r, sum, 1 / 39916800.0);
    sum = fma(r, sum, 1 / 3628800.0);
    sum = fma(r, sum, 1 / 362880.0);
    sum = fma(r, sum, 1 / 40320.0);
    sum = fma(r, sum, 1 / 5040.0);
    sum = fma(r, sum, 1 / 720.0);
    sum = fma(r, sum, 1 / 120.0);
    sum = fma(r, sum, 1 / 24.0);
    sum = fma(r, sum, 1 / 6.0);
    sum = fma(r, sum, 0.5);
    double p = r + fma(r * r, sum, fma(r, lost, lost));
    if (n == 0)
        return p;
    double half_unit = power_of_two((int)n - 1); /* 2^1024 would not be a number */
    return 2 * fma(half_unit, p, half_unit - 0.5);
}
DOUBLE_UNARY(expm1, exponential_less_one(x))

/* e^(y/2) twice where e^y alone is too large. */
static PURE double half_exponential(double y)
{
    if (y < 709.0)
        return 0.5 * exp(y);
    double root = exp(0.5 * y);
    return 0.5 * root * root;
}

static PURE double hyperbolic_cosine(double x)
{
    double y = fabs(x);
    if (!(y < 22.0))
        return half_exponential(y);
    double e = exp(y);
    return 0.5 * e + 0.5 / e;
}
DOUBLE_UNARY(cosh, hyperbolic_cosine(x))

static PURE double hyperbolic_sine(double x)
{
    double y = fabs(x), v;
    if (y < 22.0) {
        double e = exponential_less_one(y);
        v = y < 1 ? e - 0.5 * e * (e / (e + 1)) : 0.5 * (e + e / (e + 1));
    } else {
        v = half_exponential(y);
    }
    return copysign(v, x);
}
DOUBLE_UNARY(sinh, hyperbolic_sine(x))

/* --- Error functions --- */

/* The series up to 1/2, beyond it what erfc (libclc's) leaves of 1. */
static PURE double error_function(double x)
{
    double y = fabs(x);
    if (!(y < 0.5))
        return copysign(1 - erfc(y), x);
    double s = -x * x;
    double sum = fma(s, 1 / (479001600.0 * 25), 1 / (39916800.0 * 23));
    sum = fma(s, sum, 1 / (3628800.0 * 21));
    sum = fma(s, sum, 1 / (362880.0 * 19));
    sum = fma(s, sum, 1 / (40320.0 * 17));
    sum = fma(s, sum, 1 / (5040.0 * 15));
    sum = fma(s, sum, 1 / (720.0 * 13));
    sum = fma(s, sum, 1 / (120.0 * 11));
    sum = fma(s, sum, 1 / (24.0 * 9));
    sum = fma(s, sum, 1 / (6.0 * 7));
    sum = fma(s, sum, 1 / (2.0 * 5));
    sum = fma(s, sum, 1 / 3.0);
    struct two first = two_product(x, 0x1.20dd750429b6dp+0);
    return x == 0 ? x : first.high + fma(first.high * s, sum, first.low);
}
DOUBLE_UNARY(erf, error_function(x))
UNARY(erfc, (float)erfc((double)x))

/* --- Gamma --- */

/* Gamma of a positive number as a product of two, of which neither overflows before 190. Stirling's
 * series from 10 on; below, the recurrence goes up to there, with the errors of the sums x + i and
 * of the product carried along. */
APART struct two gamma_factors(double x)
{
    struct two product = {1, 0};
    double z = x, lost = 0;
    for (int i = 0; z < 10; i++) {
        struct two next = two_product(product.high, z);
        product.low = fma(product.low, z, fma(product.high, lost, next.low));
        product.high = next.high;
        struct two sum = two_sum(x, (double)(i + 1));
        z = sum.high, lost = sum.low;
    }
    double w = 1 / z, s = w * w;
    double sum = fma(s, 1 / 156.0, -691 / 360360.0);
    sum = fma(s, sum, 1 / 1188.0);
    sum = fma(s, sum, -1 / 1680.0);
    sum = fma(s, sum, 1 / 1260.0);
    sum = fma(s, sum, -1 / 360.0);
    sum = fma(s, sum, 1 / 12.0);
    sum = fma(lost, log(z) - 0.5 * w, w * sum);
    double root = pow(z, fma(0.5, z, -0.25));
    double rest = root * exp(-z) * 0x1.40d931ff62706p+1; /* sqrt(2 pi) */
    rest = fma(rest, expm1(sum), rest);
    /* 1 / (high + low) is (1 - low / high) / high. */
    double low = product.low / product.high;
    return (struct two){root, fma(-rest, low, rest) / product.high};
}

static PURE double gamma_function(double x)
{
    if (fabs(x) < 0x1p-60)
        return 1 / x;
    if (x > 0)
        return x < 172 ? gamma_factors(x).high * gamma_factors(x).low : x * (double)INFINITY;
    double y = -x, sine = sine_of_half_turns(y);
    if (x == floor(x) || isnan(x))
        return (double)NAN;
    if (y > 190)
        return sine > 0 ? -0.0 : 0.0;
    /* Gamma(-y) Gamma(y) = -pi / (y sin(pi y)) */
    struct two of_y = gamma_factors(y);
    return -PI_HIGH / (y * sine) / of_y.low / of_y.high;
}
DOUBLE_UNARY(tgamma, gamma_function(x))
UNARY(tgamma, (float)gamma_function((double)x))

/* --- Roots --- */

static PURE float root_of(float x, int n)
{
    double size = fabs((double)x);
    bool odd = n & 1;
    if (n == 0 || (x < 0 && !odd))
        return NAN;
    float v = (float)exp2(log2(size) / (double)n);
    return odd ? copysign(v, x) : v;
}

/* --- Parts of numbers --- */

/* Exact but for the last step: a product that is subnormal is rounded once. */
static PURE double scaled(double x, int n)
{
    n = clamp(n, -3000, 3000);
    for (int i = 0; i < 2 && n > 1023; i++) {
        x *= 0x1p1023;
        n -= 1023;
    }
    for (int i = 0; i < 2 && n < -1022; i++) {
        x *= 0x1p-969;
        n += 969;
    }
    return x * power_of_two(clamp(n, -1022, 1023));
}

/* A function of a number and an int: ints by element, or one for all. */
#define V_BY_INT(t, f, scalar)                                                                     \
    PURE t f(t x, int n) { return scalar(x, n); }                                                  \
    PURE t##2 f(t##2 x, int2 n) { return (t##2)(f(x.lo, n.lo), f(x.hi, n.hi)); }                   \
    PURE t##3 f(t##3 x, int3 n) { return (t##3)(f(x.xy, n.xy), f(x.z, n.z)); }                     \
    PURE t##4 f(t##4 x, int4 n) { return (t##4)(f(x.lo, n.lo), f(x.hi, n.hi)); }                   \
    PURE t##8 f(t##8 x, int8 n) { return (t##8)(f(x.lo, n.lo), f(x.hi, n.hi)); }                   \
    PURE t##16 f(t##16 x, int16 n) { return (t##16)(f(x.lo, n.lo), f(x.hi, n.hi)); }
#define V_BY_ONE_INT(t, f)                                                                         \
    PURE t##2 f(t##2 x, int n) { return f(x, (int2)n); }                                           \
    PURE t##3 f(t##3 x, int n) { return f(x, (int3)n); }                                           \
    PURE t##4 f(t##4 x, int n) { return f(x, (int4)n); }                                           \
    PURE t##8 f(t##8 x, int n) { return f(x, (int8)n); }                                           \
    PURE t##16 f(t##16 x, int n) { return f(x, (int16)n); }
V_BY_INT(float, rootn, root_of)
V_BY_INT(double, ldexp, scaled)
V_BY_ONE_INT(double, ldexp)

/* --- Remainders --- */

/* The rest of |x| / |y|, not negative and below |y|, and the quotient's last bits. */
struct division {
    double rest;
    ulong quotient;
};

/* Long division of whole numbers, eleven binary digits at a time: both are multiples of the last
 * place of y, and a rest has at most 53 digits. x is not the smaller one. */
APART struct division divide_whole(double x, double y)
{
    ulong x_bits = as_ulong(x), y_bits = as_ulong(y);
    int ex = (int)(x_bits >> 52), ey = (int)(y_bits >> 52);
    ulong r = (x_bits & 0xfffffffffffff) | (ulong)(ex > 0) << 52;
    ulong m = (y_bits & 0xfffffffffffff) | (ulong)(ey > 0) << 52;
    ey = max(ey, 1);
    int left = max(ex, 1) - ey;
    ulong quotient = r / m;
    r %= m;
    while (left > 0) {
        int n = min(left, 11);
        r <<= n;
        quotient = quotient << n | r / m;
        r %= m;
        left -= n;
    }
    return (struct division){scaled((double)r, ey - 1075), quotient};
}

static PURE bool has_no_remainder(double x, double y)
{
    return !isfinite(x) || isnan(y) || y == 0;
}

static PURE struct division divided(double x, double y)
{
    x = fabs(x), y = fabs(y);
    return x < y ? (struct division){x, 0} : divide_whole(x, y);
}

static PURE double rest_of(double x, double y)
{
    return has_no_remainder(x, y) ? (double)NAN : copysign(divided(x, y).rest, x);
}

/* Of the nearest quotient; of two equally near ones the even one. The difference y - rest is exact
 * where it decides. */
static OVERLOAD double nearest_rest(double x, double y, int *quotient)
{
    *quotient = 0;
    if (has_no_remainder(x, y))
        return (double)NAN;
    struct division d = divided(x, y);
    double size = fabs(y), other = size - d.rest;
    if (!isinf(y) && (d.rest > other || (d.rest == other && d.quotient & 1))) {
        d.rest = -other;
        d.quotient++;
    }
    int last = (int)(d.quotient & 127);
    *quotient = signbit(x) != signbit(y) ? -last : last;
    return signbit(x) ? -d.rest : d.rest;
}

static PURE double nearest_rest(double x, double y)
{
    int ignored;
    return nearest_rest(x, y, &ignored);
}

static PURE int nearest_quotient(double x, double y)
{
    int quotient;
    nearest_rest(x, y, &quotient);
    return quotient;
}
#define FLOAT_BINARY(f, expression)                                                                \
    PURE float f(float x, float y) { return expression; }                                          \
    V_BINARY(float, f)
#define DOUBLE_BINARY(f, expression)                                                               \
    PURE double f(double x, double y) { return expression; }                                       \
    V_BINARY(double, f)
FLOAT_BINARY(fmod, (float)rest_of((double)x, (double)y))
DOUBLE_BINARY(fmod, rest_of(x, y))
FLOAT_BINARY(remainder, (float)nearest_rest((double)x, (double)y))
DOUBLE_BINARY(remainder, nearest_rest(x, y))

#define V_QUOTIENT(t)                                                                              \
    static PURE int2 nearest_quotient(t##2 x, t##2 y)                                              \
    {                                                                                              \
        return (int2)(nearest_quotient(x.lo, y.lo), nearest_quotient(x.hi, y.hi));                 \
    }                                                                                              \
    static PURE int3 nearest_quotient(t##3 x, t##3 y)                                              \
    {                                                                                              \
        return (int3)(nearest_quotient(x.xy, y.xy), nearest_quotient(x.z, y.z));                   \
    }                                                                                              \
    static PURE int4 nearest_quotient(t##4 x, t##4 y)                                              \
    {                                                                                              \
        return (int4)(nearest_quotient(x.lo, y.lo), nearest_quotient(x.hi, y.hi));                 \
    }                                                                                              \
    static PURE int8 nearest_quotient(t##8 x, t##8 y)                                              \
    {                                                                                              \
        return (int8)(nearest_quotient(x.lo, y.lo), nearest_quotient(x.hi, y.hi));                 \
    }                                                                                              \
    static PURE int16 nearest_quotient(t##16 x, t##16 y)                                           \
    {                                                                                              \
        return (int16)(nearest_quotient(x.lo, y.lo), nearest_quotient(x.hi, y.hi));                \
    }
V_QUOTIENT(float)
V_QUOTIENT(double)
#define REMQUO(t, n, space)                                                                        \
    OVERLOAD t##n remquo(t##n x, t##n y, space int##n *quotient)                                   \
    {                                                                                              \
        *quotient = nearest_quotient(x, y);                                                        \
        return remainder(x, y);                                                                    \
    }
#define REMQUO_SPACES(t, n)                                                                        \
    REMQUO(t, n, __global)                                                                         \
    REMQUO(t, n, __local)                                                                          \
    REMQUO(t, n, __private)
#define REMQUO_WIDTHS(t)                                                                           \
    REMQUO_SPACES(t, )                                                                             \
    REMQUO_SPACES(t, 2)                                                                            \
    REMQUO_SPACES(t, 3)                                                                            \
    REMQUO_SPACES(t, 4)                                                                            \
    REMQUO_SPACES(t, 8)                                                                            \
    REMQUO_SPACES(t, 16)
REMQUO_WIDTHS(float)
REMQUO_WIDTHS(double)

/* --- Fractions --- */

/* libclc's has no sign for the zero of -0 and of infinities. */
#define FRACTION(t, below_one)                                                                     \
    static PURE t fraction(t x)                                                                    \
    {                                                                                              \
        if (isinf(x) || x == 0)                                                                    \
            return copysign((t)0, x);                                                              \
        return isnan(x) ? x : min(x - floor(x), below_one);                                        \
    }                                                                                              \
    V_UNARY(t, fraction, t)
#define FRACT(t, space)                                                                            \
    OVERLOAD t fract(t x, space t *whole)                                                          \
    {                                                                                              \
        *whole = floor(x);                                                                         \
        return fraction(x);                                                                        \
    }
FRACTION(float, 0x1.fffffep-1f)
FRACTION(double, 0x1.fffffffffffffp-1)
WIDTHS(FRACT, float)
WIDTHS(FRACT, double)
