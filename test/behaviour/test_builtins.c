/* OpenCL's built-in functions, run on Heddle.
 *
 * Exact ones (test/cl/builtins.cl) must agree to the bit with another OpenCL implementation on the
 * same random and hostile inputs. The mathematical ones are held to the OpenCL specification's
 * error in units of the last place (section 7.4), against the host's libm in a wider type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "other_opencl.h"
#include "unit/random_bits.h"
#include "workloads/device.h"

enum { N_ITEMS = 512, GROUP = 64, IN_WORDS = 16, OUT_WORDS = 64 };

struct fixture {
    struct heddle_sim *sim;
    struct device *heddle, *other;
    char cache[64];
};

static int open_devices(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->cache, "/tmp/test-builtins-XXXXXX");
    if (!mkdtemp(f->cache) || setenv("HEDDLE_CACHE", f->cache, 1) != 0)
        return -1;
    const struct heddle_options options = {.struct_size = sizeof options};
    if (heddle_create(&options, &f->sim) != HEDDLE_OK)
        return -1;
    f->heddle = device_create_heddle(f->sim);
    f->other = device_create_opencl(NULL);
    *state = f;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)kind, (void)place;
    return remove(path);
}

static int close_devices(void **state)
{
    struct fixture *f = *state;
    device_destroy(f->heddle);
    device_destroy(f->other);
    heddle_destroy(f->sim);
    nftw(f->cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(f);
    return 0;
}

static void assert_device_ok(const struct device *d)
{
    if (!device_ok(d))
        fail_msg("%s: %s", device_name(d), device_error(d));
}

/* --- To the bit --- */

/* Words that are whole numbers, floats, halves of doubles; a third of them special ones. */
static void fill_input(uint32_t *words, size_t n, uint64_t seed)
{
    static const uint32_t special[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                       0x7f800000, 0xff800000, 0x00800000, 0x3f000000, 0xbf000000,
                                       0x3fc00000, 0x4f000000, 0xcf000000, 0x4f800000, 0x43000000,
                                       0x5f000000, 0x40e00000, 0x41dfffff, 0x7fefffff, 0xff,
                                       0x8000,     0x7fff7fff, 0x80808080, 0x42fe0000};
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random_u64(&seed);
        switch (r >> 32 & 3) {
        case 0:
            words[i] = special[(uint32_t)r % (sizeof special / sizeof *special)];
            break;
        case 1:
            words[i] = (uint32_t)random_float(&seed, 23, 8);
            break;
        default:
            words[i] = (uint32_t)r >> (r >> 40 & 31);
        }
    }
}

static void run_exact(struct device *d, const char *kernel, const uint32_t *in, uint32_t *out)
{
    const size_t in_bytes = N_ITEMS * IN_WORDS * 4, out_bytes = N_ITEMS * OUT_WORDS * 4;
    device_buffer src = device_alloc_from(d, in, in_bytes, "in");
    device_buffer dst = device_alloc(d, out_bytes, "out");
    DEVICE_LAUNCH_1D(d, kernel, N_ITEMS, GROUP, device_arg_buffer(src), device_arg_buffer(dst));
    device_download(d, dst, 0, out, out_bytes);
    if (!device_ok(d))
        fail_msg("%s on %s: %s", kernel, device_name(d), device_error(d));
}

/* Reports the first difference, if there is one. */
static bool words_agree(const char *kernel, const uint32_t *in, const uint32_t *ours,
                        const uint32_t *theirs)
{
    for (size_t i = 0; i < N_ITEMS * OUT_WORDS; i++) {
        if (ours[i] == theirs[i])
            continue;
        const uint32_t *words = in + i / OUT_WORDS * IN_WORDS;
        print_error("%s, item %zu, word %zu: 0x%08x, the other OpenCL has 0x%08x; in:", kernel,
                    i / OUT_WORDS, i % OUT_WORDS, ours[i], theirs[i]);
        for (size_t w = 0; w < IN_WORDS; w++)
            print_error(" %08x", words[w]);
        print_error("\n");
        return false;
    }
    return true;
}

static const char *const exact_kernels[] = {
    "integer_char",     "integer_char2",     "integer_uchar",      "integer_uchar2",
    "integer_short",    "integer_short2",    "integer_ushort",     "integer_ushort2",
    "integer_int",      "integer_int2",      "integer_uint",       "integer_uint2",
    "integer_long",     "integer_long2",     "integer_ulong",      "integer_ulong2",
    "integer_24_bit",   "float_to_integers", "double_to_integers", "int_to_integers",
    "uint_to_integers", "long_to_integers",  "ulong_to_integers",  "char_to_reals",
    "ushort_to_reals",  "int_to_reals",      "uint_to_reals",      "long_to_reals",
    "ulong_to_reals",   "double_to_reals",   "vector_conversions", "real_float",
    "real_double",      "exponent_float",    "exponent_double",    "geometric",
    "halves",           "vectors",           "atomic_on_int",      "atomic_on_uint",
    "atom_on_int",      "atom_on_long",      "atom_on_ulong",      "group_copies",
    "places",
};

static void exact_functions_agree_with_another_opencl(void **state)
{
    struct fixture *f = *state;
    if (opencl_is_missing(f->other, __func__))
        skip();
    struct strbuf source = {0};
    assert_int_equal(strbuf_read_file(&source, HEDDLE_SOURCE_DIR "/test/cl/builtins.cl"), 0);
    device_load(f->heddle, "builtins.cl", strbuf_text(&source), NULL);
    device_load(f->other, "builtins.cl", strbuf_text(&source), NULL);
    assert_device_ok(f->heddle);
    assert_device_ok(f->other);
    strbuf_destroy(&source);

    static uint32_t in[N_ITEMS * IN_WORDS];
    static uint32_t ours[N_ITEMS * OUT_WORDS], theirs[N_ITEMS * OUT_WORDS];
    unsigned n_wrong = 0;
    for (size_t k = 0; k < sizeof exact_kernels / sizeof *exact_kernels; k++) {
        fill_input(in, N_ITEMS * IN_WORDS, k);
        run_exact(f->heddle, exact_kernels[k], in, ours);
        run_exact(f->other, exact_kernels[k], in, theirs);
        n_wrong += !words_agree(exact_kernels[k], in, ours, theirs);
    }
    assert_int_equal(n_wrong, 0);
}

/* --- To the last place --- */

/* What the true result is, in a type with room to spare. */
typedef long double true_function(long double x, long double y);

#define TRUTH(name, expression)                                                                    \
    static long double name(long double x, long double y)                                          \
    {                                                                                              \
        (void)x, (void)y;                                                                          \
        return expression;                                                                         \
    }
#define PI_L 3.141592653589793238462643383279502884L
TRUTH(true_sin, sinl(x))
TRUTH(true_cos, cosl(x))
TRUTH(true_tan, tanl(x))
TRUTH(true_asin, asinl(x))
TRUTH(true_acos, acosl(x))
TRUTH(true_atan, atanl(x))
TRUTH(true_sinh, sinhl(x))
TRUTH(true_cosh, coshl(x))
TRUTH(true_tanh, tanhl(x))
TRUTH(true_asinh, asinhl(x))
TRUTH(true_acosh, acoshl(x))
TRUTH(true_atanh, atanhl(x))
TRUTH(true_sinpi, sinl(PI_L *x))
TRUTH(true_cospi, cosl(PI_L *x))
TRUTH(true_exp, expl(x))
TRUTH(true_exp2, exp2l(x))
TRUTH(true_exp10, powl(10, x))
TRUTH(true_expm1, expm1l(x))
TRUTH(true_log, logl(x))
TRUTH(true_log2, log2l(x))
TRUTH(true_log10, log10l(x))
TRUTH(true_log1p, log1pl(x))
TRUTH(true_sqrt, sqrtl(x))
TRUTH(true_rsqrt, 1 / sqrtl(x))
TRUTH(true_cbrt, cbrtl(x))
TRUTH(true_erf, erfl(x))
TRUTH(true_erfc, erfcl(x))
TRUTH(true_tgamma, tgammal(x))
TRUTH(true_recip, 1 / x)
TRUTH(true_divide, x / y)
TRUTH(true_pow, powl(x, y))
TRUTH(true_atan2, atan2l(x, y))
TRUTH(true_hypot, hypotl(x, y))

/* x from [low, high], y from [1/2, 8]; the error allowed in ulp, for float and for double; -1 when
 * the function does not exist for double. `absolute` is allowed beside it: the special function
 * unit's sine and logarithm are only bounded so (PTX ISA, sin, cos, lg2). */
static const struct math_row {
    const char *name;
    true_function *truth;
    double low, high;
    bool binary;
    double float_ulp, double_ulp;
    double absolute;
} math_rows[] = {
    {"sin", true_sin, -50, 50, false, 4, 4, 0},
    {"cos", true_cos, -50, 50, false, 4, 4, 0},
    {"tan", true_tan, -50, 50, false, 5, 5, 0},
    {"asin", true_asin, -1, 1, false, 4, 4, 0},
    {"acos", true_acos, -1, 1, false, 4, 4, 0},
    {"atan", true_atan, -9, 9, false, 5, 5, 0},
    {"sinh", true_sinh, -20, 20, false, 4, 4, 0},
    {"cosh", true_cosh, -20, 20, false, 4, 4, 0},
    {"tanh", true_tanh, -9, 9, false, 5, 5, 0},
    {"asinh", true_asinh, -9, 9, false, 4, 4, 0},
    {"acosh", true_acosh, 1, 90, false, 4, 4, 0},
    {"atanh", true_atanh, -0.99, 0.99, false, 5, 5, 0},
    {"sinpi", true_sinpi, 0.01, 0.99, false, 4, 4, 0},
    {"cospi", true_cospi, -0.49, 0.49, false, 4, 4, 0},
    {"exp", true_exp, -80, 80, false, 3, 3, 0},
    {"exp2", true_exp2, -120, 120, false, 3, 3, 0},
    {"exp10", true_exp10, -35, 35, false, 3, 3, 0},
    {"expm1", true_expm1, -5, 5, false, 3, 3, 0},
    {"log", true_log, 0.01, 90, false, 3, 3, 0},
    {"log2", true_log2, 0.01, 90, false, 3, 3, 0},
    {"log10", true_log10, 0.01, 90, false, 3, 3, 0},
    {"log1p", true_log1p, -0.9, 9, false, 2, 2, 0},
    {"sqrt", true_sqrt, 0, 1e6, false, 3, 0.5, 0},
    {"rsqrt", true_rsqrt, 0.001, 1e6, false, 2, 2, 0},
    {"cbrt", true_cbrt, -1e3, 1e3, false, 2, 2, 0},
    {"erf", true_erf, -3, 3, false, 16, 16, 0},
    {"erfc", true_erfc, -3, 3, false, 16, 16, 0},
    {"tgamma", true_tgamma, 0.5, 20, false, 16, 16, 0},
    {"pow", true_pow, 0.01, 90, true, 16, 16, 0},
    {"powr", true_pow, 0.01, 90, true, 16, 16, 0},
    {"atan2", true_atan2, -9, 9, true, 6, 6, 0},
    {"hypot", true_hypot, -9, 9, true, 4, 4, 0},

    {"half_sin", true_sin, -50, 50, false, 8192, -1, 0},
    {"half_cos", true_cos, -50, 50, false, 8192, -1, 0},
    {"half_tan", true_tan, -50, 50, false, 8192, -1, 0},
    {"half_exp", true_exp, -80, 80, false, 8192, -1, 0},
    {"half_exp2", true_exp2, -120, 120, false, 8192, -1, 0},
    {"half_exp10", true_exp10, -35, 35, false, 8192, -1, 0},
    {"half_log", true_log, 0.01, 90, false, 8192, -1, 0},
    {"half_log2", true_log2, 0.01, 90, false, 8192, -1, 0},
    {"half_log10", true_log10, 0.01, 90, false, 8192, -1, 0},
    {"half_sqrt", true_sqrt, 0.001, 1e6, false, 8192, -1, 0},
    {"half_rsqrt", true_rsqrt, 0.001, 1e6, false, 8192, -1, 0},
    {"half_recip", true_recip, 0.001, 1e6, false, 8192, -1, 0},
    {"half_divide", true_divide, -9, 9, true, 8192, -1, 0},
    {"half_powr", true_pow, 0.01, 90, true, 8192, -1, 0},

    {"native_sin", true_sin, -3.14, 3.14, false, 0, -1, 0x1p-20},
    {"native_cos", true_cos, -3.14, 3.14, false, 0, -1, 0x1p-20},
    {"native_tan", true_tan, -1, 1, false, 16, -1, 0x1p-18},
    {"native_exp2", true_exp2, -120, 120, false, 4, -1, 0},
    {"native_exp", true_exp, -80, 80, false, 128, -1, 0},
    {"native_exp10", true_exp10, -35, 35, false, 128, -1, 0},
    {"native_log2", true_log2, 0.01, 90, false, 4, -1, 0x1p-21},
    {"native_log", true_log, 0.01, 90, false, 4, -1, 0x1p-21},
    {"native_log10", true_log10, 0.01, 90, false, 4, -1, 0x1p-21},
    {"native_sqrt", true_sqrt, 0.001, 1e6, false, 4, -1, 0},
    {"native_rsqrt", true_rsqrt, 0.001, 1e6, false, 4, -1, 0},
    {"native_recip", true_recip, 0.001, 1e6, false, 2, -1, 0},
    {"native_divide", true_divide, -9, 9, true, 3, -1, 0},
    {"native_powr", true_pow, 0.5, 4, true, 64, -1, 0},
};

enum { N_MATH_ROWS = sizeof math_rows / sizeof *math_rows };

static void add_math_kernel(struct strbuf *source, const struct math_row *row, const char *type)
{
    strbuf_addf(source,
                "__kernel void %s_%s(__global const %s *x, __global const %s *y, __global %s *r)\n"
                "{\n"
                "    size_t i = get_global_id(0);\n"
                "    r[i] = %s(x[i]%s);\n"
                "}\n",
                row->name, type, type, type, type, row->name, row->binary ? ", y[i]" : "");
}

/* The distance in units of the last place of the true value in a format of `digits` bits. */
static double error_in_ulp(long double got, long double truth, int digits)
{
    int exponent;
    frexpl(truth, &exponent);
    return (double)(fabsl(got - truth) / ldexpl(1, exponent - digits));
}

static bool is_close(const struct math_row *row, const char *type, double x, double y, double got,
                     double ulp_limit, int digits)
{
    long double truth = row->truth(x, y);
    double ulp = error_in_ulp(got, truth, digits);
    bool close = ulp <= ulp_limit || fabsl(got - truth) <= row->absolute;
    if (!close)
        print_error("%s(%s): x = %a, y = %a gives %a instead of %La: %g ulp, allowed %g\n",
                    row->name, type, x, y, got, truth, ulp, ulp_limit);
    return close;
}

#define DEFINE_CHECK(type, digits)                                                                 \
    static bool check_row_##type(struct device *d, const struct math_row *row, double limit,       \
                                 uint64_t seed)                                                    \
    {                                                                                              \
        type x[N_ITEMS], y[N_ITEMS], r[N_ITEMS];                                                   \
        for (size_t i = 0; i < N_ITEMS; i++) {                                                     \
            double u = (double)(random_u64(&seed) >> 11) * 0x1p-53;                                \
            x[i] = (type)(row->low + u * (row->high - row->low));                                  \
            y[i] = (type)(0.5 + 7.5 * (double)(random_u64(&seed) >> 11) * 0x1p-53);                \
        }                                                                                          \
        char kernel[64];                                                                           \
        snprintf(kernel, sizeof kernel, "%s_" #type, row->name);                                   \
        device_buffer bx = device_alloc_from(d, x, sizeof x, "x");                                 \
        device_buffer by = device_alloc_from(d, y, sizeof y, "y");                                 \
        device_buffer br = device_alloc(d, sizeof r, "r");                                         \
        DEVICE_LAUNCH_1D(d, kernel, N_ITEMS, GROUP, device_arg_buffer(bx), device_arg_buffer(by),  \
                         device_arg_buffer(br));                                                   \
        device_download(d, br, 0, r, sizeof r);                                                    \
        assert_device_ok(d);                                                                       \
        bool close = true;                                                                         \
        for (size_t i = 0; close && i < N_ITEMS; i++)                                              \
            close = is_close(row, #type, x[i], y[i], r[i], limit, digits);                         \
        return close;                                                                              \
    }
DEFINE_CHECK(float, 24)
DEFINE_CHECK(double, 53)

static void mathematics_is_within_the_specified_error(void **state)
{
    struct fixture *f = *state;
    struct strbuf source = {0};
    for (size_t i = 0; i < N_MATH_ROWS; i++) {
        add_math_kernel(&source, &math_rows[i], "float");
        if (math_rows[i].double_ulp >= 0)
            add_math_kernel(&source, &math_rows[i], "double");
    }
    device_load(f->heddle, "mathematics.cl", strbuf_text(&source), NULL);
    strbuf_destroy(&source);
    unsigned n_wrong = 0;
    for (size_t i = 0; i < N_MATH_ROWS; i++) {
        const struct math_row *row = &math_rows[i];
        n_wrong += !check_row_float(f->heddle, row, row->float_ulp, i);
        if (row->double_ulp >= 0)
            n_wrong += !check_row_double(f->heddle, row, row->double_ulp, i);
    }
    assert_int_equal(n_wrong, 0);
}

/* --- Launch geometry, by hand --- */

static void work_items_see_the_launch_offset_and_dimensions(void **state)
{
    struct fixture *f = *state;
    static const char text[] =
        "__kernel void k(__global uint *out)\n"
        "{\n"
        "    uint x = get_global_id(0) - get_global_offset(0);\n"
        "    uint y = get_global_id(1) - get_global_offset(1);\n"
        "    __global uint *r = out + 8 * (y * get_global_size(0) + x);\n"
        "    r[0] = get_global_id(0), r[1] = get_global_id(1), r[2] = get_global_id(2);\n"
        "    r[3] = get_work_dim(), r[4] = get_group_id(1), r[5] = get_global_offset(1);\n"
        "    r[6] = get_global_size(1), r[7] = get_local_size(3);\n"
        "}\n";
    struct heddle_module *module;
    assert_int_equal(
        heddle_load(f->sim, HEDDLE_OPENCL_C, "k.cl", text, strlen(text), NULL, &module), HEDDLE_OK);
    uint64_t out;
    uint32_t words[8 * 24];
    assert_int_equal(heddle_alloc(f->sim, sizeof words, "out", &out), HEDDLE_OK);
    const struct heddle_arg args[] = {{.data = &out, .bytes = sizeof out}};
    const struct heddle_launch launch = {.grid = {2, 3, 1},
                                         .block = {4, 1, 1},
                                         .global_offset = {100, 7, 0},
                                         .work_dim = 2,
                                         .args = args,
                                         .n_args = 1};
    assert_int_equal(heddle_launch(f->sim, module, "k", &launch), HEDDLE_OK);
    assert_int_equal(heddle_read(f->sim, out, words, sizeof words), HEDDLE_OK);
    for (uint32_t y = 0; y < 3; y++) {
        for (uint32_t x = 0; x < 8; x++) {
            const uint32_t expected[8] = {100 + x, 7 + y, 0, 2, y, 7, 3, 1};
            assert_memory_equal(words + 8 * (8 * y + x), expected, sizeof expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_functions_agree_with_another_opencl),
        cmocka_unit_test(mathematics_is_within_the_specified_error),
        cmocka_unit_test(work_items_see_the_launch_offset_and_dimensions),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
