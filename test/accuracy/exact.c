/* The built-in functions of OpenCL C whose results are exact, for every type and vector width:
 * conversions with all rounding modes and saturation, integer functions, relational functions,
 * shuffles. Expected results come from the host in wider types: __int128 for integers, long double
 * for reals, which holds every double and every 64-bit integer.
 *
 *   exact [--all-widths]
 *
 * Without --all-widths, scalars and one vector width per type. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "unit/random_bits.h"

typedef __int128 wide;

enum { N_ITEMS = 1536, BLOCK = 32, SLOT = 8 * N_ITEMS }; /* 1,536 elements are 3 * 16 * 32 */

static const struct type {
    const char *name, *as_unsigned, *as_signed;
    uint32_t bytes;
    bool is_signed, is_real;
} types[] = {
    {"char", "uchar", "char", 1, true, false},    {"uchar", "uchar", "char", 1, false, false},
    {"short", "ushort", "short", 2, true, false}, {"ushort", "ushort", "short", 2, false, false},
    {"int", "uint", "int", 4, true, false},       {"uint", "uint", "int", 4, false, false},
    {"long", "ulong", "long", 8, true, false},    {"ulong", "ulong", "long", 8, false, false},
    {"float", "uint", "int", 4, true, true},      {"double", "ulong", "long", 8, true, true},
};
enum { N_TYPES = sizeof types / sizeof *types, N_INTEGERS = 8 };

static const uint32_t widths[] = {1, 2, 3, 4, 8, 16};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

/* --- Numbers in memory --- */

static uint64_t element(const void *values, uint32_t i, uint32_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)values + (size_t)i * bytes, bytes);
    return v;
}

static wide whole_of(uint64_t bits, const struct type *t)
{
    uint32_t unused = 64 - 8 * t->bytes;
    return t->is_signed ? (wide)((int64_t)(bits << unused) >> unused)
                        : (wide)(bits << unused >> unused);
}

static long double real_of(uint64_t bits, const struct type *t)
{
    float f;
    double d;
    uint32_t word = (uint32_t)bits;
    if (!t->is_real)
        return (long double)whole_of(bits, t);
    if (t->bytes == 8) {
        memcpy(&d, &bits, 8);
        return (long double)d;
    }
    memcpy(&f, &word, 4);
    return (long double)f;
}

static wide smallest_of(const struct type *t)
{
    return t->is_signed ? -((wide)1 << (8 * t->bytes - 1)) : 0;
}

static wide largest_of(const struct type *t)
{
    return ((wide)1 << (8 * t->bytes - t->is_signed)) - 1;
}

static uint64_t cut(wide v, const struct type *t)
{
    uint32_t unused = 64 - 8 * t->bytes;
    return (uint64_t)v << unused >> unused;
}

static uint64_t saturated(wide v, const struct type *t)
{
    v = v < smallest_of(t) ? smallest_of(t) : v;
    return cut(v > largest_of(t) ? largest_of(t) : v, t);
}

/* Random bits with the edges of their type; some reals are near the edges of integer types. */
static void fill(void *values, const struct type *t, uint64_t seed)
{
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t v = random_int(&seed, 8 * t->bytes);
        if (t->is_real) {
            v = t->bytes == 8 ? random_float(&seed, 52, 11) : random_float(&seed, 23, 8);
            int edge = (int)(random_u64(&seed) % 66);
            double d = ldexp(1, edge) + (double)(int)(random_u64(&seed) % 9) * 0.25 - 1;
            d = random_u64(&seed) & 1 ? -d : d;
            float f = (float)d;
            if (i & 1)
                memcpy(&v, t->bytes == 8 ? (void *)&d : (void *)&f, t->bytes);
        }
        memcpy((char *)values + (size_t)i * t->bytes, &v, t->bytes);
    }
}

/* --- Functions under test --- */

struct operands {
    const struct type *type; /* of the operands */
    uint64_t a, b, c;
    uint32_t width;
};

/* What one element should be; false if the specification does not say. */
typedef bool expected_function(const struct operands *o, int variant, const struct type *result,
                               uint64_t *bits);

struct test {
    struct strbuf expression; /* of a, b, c; of the result type */
    const struct type *result;
    expected_function *expected;
    int variant;
};

enum { MOST_TESTS = 160 };
static struct test tests[MOST_TESTS];
static uint32_t n_tests;

static struct strbuf *add_test(const struct type *result, expected_function *expected, int variant)
{
    struct test *t = &tests[n_tests++];
    if (n_tests > MOST_TESTS)
        abort();
    t->result = result;
    t->expected = expected;
    t->variant = variant;
    strbuf_clear(&t->expression);
    return &t->expression;
}

static const char *vector(const char *name, uint32_t width)
{
    static char text[8][32];
    static uint32_t next;
    char *out = text[next++ % 8];
    if (width == 1)
        snprintf(out, sizeof text[0], "%s", name);
    else
        snprintf(out, sizeof text[0], "%s%u", name, width);
    return out;
}

/* --- Conversions --- */

enum { TO_NEAREST, TO_ZERO, UP, DOWN, DEFAULT, SATURATED = 8 };
static const char *const mode_names[] = {"_rte", "_rtz", "_rtp", "_rtn", ""};

static long double rounded(long double v, int mode)
{
    switch (mode) {
    case TO_NEAREST:
        return nearbyintl(v);
    case UP:
        return ceill(v);
    case DOWN:
        return floorl(v);
    default: /* to integers the default is to cut */
        return truncl(v);
    }
}

static uint64_t to_real(long double v, const struct type *t, int mode)
{
    static const int host_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD,
                                     FE_TONEAREST};
    uint64_t bits = 0;
    fesetround(host_modes[mode]);
    volatile long double exact = v;
    volatile float f = (float)exact;
    volatile double d = (double)exact;
    fesetround(FE_TONEAREST);
    float plain_f = f;
    double plain_d = d;
    memcpy(&bits, t->bytes == 8 ? (void *)&plain_d : (void *)&plain_f, t->bytes);
    return bits;
}

static bool expected_conversion(const struct operands *o, int variant, const struct type *result,
                                uint64_t *bits)
{
    bool saturate = variant & SATURATED;
    int mode = variant & 7;
    long double v = real_of(o->a, o->type);
    if (result->is_real) {
        *bits = to_real(v, result, mode);
        return !isnan(v);
    }
    if (!o->type->is_real) {
        wide w = whole_of(o->a, o->type);
        *bits = saturate ? saturated(w, result) : cut(w, result);
        return true;
    }
    v = isnan(v) ? 0 : rounded(v, mode);
    bool inside = v >= (long double)smallest_of(result) && v <= (long double)largest_of(result);
    wide w = inside ? (wide)v : v < 0 ? smallest_of(result) : largest_of(result);
    *bits = cut(w, result);
    return saturate || (inside && !isnan(real_of(o->a, o->type)));
}

static void add_conversions(const struct type *from, uint32_t width)
{
    (void)from;
    for (uint32_t to = 0; to < N_TYPES; to++)
        for (int mode = TO_NEAREST; mode <= DEFAULT; mode++)
            for (int saturate = 0; saturate <= (types[to].is_real ? 0 : SATURATED);
                 saturate += SATURATED)
                strbuf_addf(add_test(&types[to], expected_conversion, mode | saturate),
                            "convert_%s%s%s(a)", vector(types[to].name, width),
                            saturate ? "_sat" : "", mode_names[mode]);
}

/* --- Integers --- */

enum integer {
    ABS,
    ABS_DIFF,
    ADD_SAT,
    HADD,
    RHADD,
    CLAMP,
    CLZ,
    MAD_HI,
    MAD_SAT,
    MAX,
    MIN,
    MUL_HI,
    ROTATE,
    SUB_SAT,
    POPCOUNT,
    MUL24,
    MAD24,
    UPSAMPLE,
};

static wide magnitude(wide v)
{
    return v < 0 ? -v : v;
}

static uint64_t rotated(uint64_t v, uint64_t n, uint32_t bits)
{
    n %= bits;
    uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    return n ? ((v << n) | (v >> (bits - n))) & mask : v;
}

static bool expected_integer(const struct operands *o, int variant, const struct type *result,
                             uint64_t *bits)
{
    const struct type *t = o->type;
    wide a = whole_of(o->a, t), b = whole_of(o->b, t), c = whole_of(o->c, t);
    uint32_t n_bits = 8 * t->bytes;
    uint64_t a_bits = cut(a, t);
    /* 128 bits hold the product of two unsigned 64-bit numbers only as unsigned. */
    wide high = t->bytes < 8   ? (a * b) >> n_bits
                : t->is_signed ? (a * b) >> 64
                               : (wide)(((unsigned __int128)a * (unsigned __int128)b) >> 64);
    switch ((enum integer)variant) {
    case ABS:
        *bits = cut(magnitude(a), result);
        return true;
    case ABS_DIFF:
        *bits = cut(magnitude(a - b), result);
        return true;
    case ADD_SAT:
        *bits = saturated(a + b, t);
        return true;
    case SUB_SAT:
        *bits = saturated(a - b, t);
        return true;
    case HADD:
        *bits = cut((a + b) >> 1, t);
        return true;
    case RHADD:
        *bits = cut((a + b + 1) >> 1, t);
        return true;
    case CLAMP: /* low and high are min(b, c) and max(b, c) */
        *bits = cut(a < (b < c ? b : c)   ? (b < c ? b : c)
                    : a > (b < c ? c : b) ? (b < c ? c : b)
                                          : a,
                    t);
        return true;
    case CLZ:
        *bits = a_bits ? (uint64_t)__builtin_clzll(a_bits) - (64 - n_bits) : n_bits;
        return true;
    case MUL_HI:
        *bits = cut(high, t);
        return true;
    case MAD_HI:
        *bits = cut(high + c, t);
        return true;
    case MAD_SAT:
        if (t->bytes == 8 && !t->is_signed)
            *bits = high || (uint64_t)(a * b) + (uint64_t)c < (uint64_t)c ? UINT64_MAX
                                                                          : (uint64_t)(a * b + c);
        else
            *bits = saturated(a * b + c, t);
        return true;
    case MAX:
        *bits = cut(a > b ? a : b, t);
        return true;
    case MIN:
        *bits = cut(a < b ? a : b, t);
        return true;
    case ROTATE:
        *bits = rotated(a_bits, cut(b, t), n_bits);
        return true;
    case POPCOUNT:
        *bits = (uint64_t)__builtin_popcountll(a_bits);
        return true;
    case MUL24: /* of numbers that have 24 bits: the kernel shifts them */
        *bits = cut((a >> 8) * (b >> 8), t);
        return true;
    case MAD24:
        *bits = cut((a >> 8) * (b >> 8) + c, t);
        return true;
    case UPSAMPLE:
        *bits = cut(a * ((wide)1 << n_bits) + (wide)cut(b, t), result);
        return true;
    }
    return false;
}

static const struct type *type_named(const char *name)
{
    for (uint32_t i = 0; i < N_TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

static const struct type *twice_as_wide(const struct type *t)
{
    return t->bytes == 8 ? NULL : t + 2;
}

static void add_integers(const struct type *t, uint32_t width)
{
    static const struct {
        const char *expression;
        enum integer function;
    } rows[] = {
        {"add_sat(a, b)", ADD_SAT},
        {"hadd(a, b)", HADD},
        {"rhadd(a, b)", RHADD},
        {"clamp(a, min(b, c), max(b, c))", CLAMP},
        {"clz(a)", CLZ},
        {"mad_hi(a, b, c)", MAD_HI},
        {"mad_sat(a, b, c)", MAD_SAT},
        {"max(a, b)", MAX},
        {"min(a, b)", MIN},
        {"mul_hi(a, b)", MUL_HI},
        {"rotate(a, b)", ROTATE},
        {"sub_sat(a, b)", SUB_SAT},
        {"popcount(a)", POPCOUNT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        strbuf_add(add_test(t, expected_integer, rows[i].function), rows[i].expression);
    const struct type *u = type_named(t->as_unsigned);
    strbuf_add(add_test(u, expected_integer, ABS), "abs(a)");
    strbuf_add(add_test(u, expected_integer, ABS_DIFF), "abs_diff(a, b)");
    if (t->bytes == 4) {
        strbuf_add(add_test(t, expected_integer, MUL24), "mul24(a >> 8, b >> 8)");
        strbuf_add(add_test(t, expected_integer, MAD24), "mad24(a >> 8, b >> 8, c)");
    }
    if (twice_as_wide(t))
        strbuf_addf(add_test(twice_as_wide(t), expected_integer, UPSAMPLE), "upsample(a, as_%s(b))",
                    vector(t->as_unsigned, width));
    /* An edge may be one number for all elements. */
    if (width > 1)
        strbuf_add(add_test(t, expected_integer, MAX), "max(a, b)");
}

/* --- Relations --- */

enum relation {
    EQUAL,
    NOT_EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    LESS_GREATER,
    ORDERED,
    UNORDERED,
    IS_FINITE,
    IS_INF,
    IS_NAN,
    IS_NORMAL,
    SIGN_BIT,
    SELECT,
    BIT_SELECT,
    OPERATOR_LESS,
};

static bool holds(enum relation r, long double a, long double b, bool is_double)
{
    switch (r) {
    case EQUAL:
        return a == b;
    case NOT_EQUAL:
        return a != b;
    case GREATER:
        return a > b;
    case GREATER_EQUAL:
        return a >= b;
    case LESS:
    case OPERATOR_LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case LESS_GREATER:
        return a < b || a > b;
    case ORDERED:
        return a == a && b == b;
    case UNORDERED:
        return a != a || b != b;
    case IS_FINITE:
        return isfinite(a);
    case IS_INF:
        return isinf(a);
    case IS_NAN:
        return isnan(a);
    case IS_NORMAL:
        return isfinite(a) && fabsl(a) >= (is_double ? 0x1p-1022L : 0x1p-126L);
    case SIGN_BIT:
        return signbit(a);
    default:
        return false;
    }
}

/* A scalar relation is 1, one of vectors -1 in every element where it holds. */
static bool expected_relation(const struct operands *o, int variant, const struct type *result,
                              uint64_t *bits)
{
    uint64_t top = 1ull << (8 * o->type->bytes - 1);
    if (variant == SELECT)
        *bits = (o->width > 1 ? (o->c & top) != 0 : o->c != 0) ? o->b : o->a;
    else if (variant == BIT_SELECT)
        *bits = (o->a & ~o->c) | (o->b & o->c);
    else
        *bits = cut(holds((enum relation)variant, real_of(o->a, o->type), real_of(o->b, o->type),
                          o->type->bytes == 8)
                        ? (o->width > 1 ? -1 : 1)
                        : 0,
                    result);
    return true;
}

static void add_relations(const struct type *t, uint32_t width)
{
    static const struct {
        const char *expression;
        enum relation relation;
    } rows[] = {
        {"isequal(a, b)", EQUAL},
        {"isnotequal(a, b)", NOT_EQUAL},
        {"isgreater(a, b)", GREATER},
        {"isgreaterequal(a, b)", GREATER_EQUAL},
        {"isless(a, b)", LESS},
        {"islessequal(a, b)", LESS_EQUAL},
        {"islessgreater(a, b)", LESS_GREATER},
        {"isordered(a, b)", ORDERED},
        {"isunordered(a, b)", UNORDERED},
        {"isfinite(a)", IS_FINITE},
        {"isinf(a)", IS_INF},
        {"isnan(a)", IS_NAN},
        {"isnormal(a)", IS_NORMAL},
        {"signbit(a)", SIGN_BIT},
        {"a < b", OPERATOR_LESS},
    };
    /* Scalars give an int whatever they compare. */
    const struct type *truth = type_named(width == 1 ? "int" : t->as_signed);
    for (size_t i = 0; t->is_real && i < sizeof rows / sizeof *rows; i++)
        strbuf_add(add_test(truth, expected_relation, rows[i].relation), rows[i].expression);
    strbuf_addf(add_test(t, expected_relation, SELECT), "select(a, b, as_%s(c))",
                vector(t->as_signed, width));
    strbuf_addf(add_test(t, expected_relation, SELECT), "select(a, b, as_%s(c))",
                vector(t->as_unsigned, width));
    strbuf_add(add_test(t, expected_relation, BIT_SELECT), "bitselect(a, b, c)");
}

/* --- Runs --- */

struct device {
    struct heddle_sim *sim;
    uint64_t in[3], out;
    uint8_t *values[3], *results;
};

/* Elements are read with vloadN and written with vstoreN, which are under test too. */
static void add_kernel(struct strbuf *source, const struct type *t, uint32_t width)
{
    const char *type = vector(t->name, width);
    strbuf_addf(
        source,
        "__kernel void k(__global const %s *as, __global const %s *bs,"
        " __global const %s *cs, __global uchar *out)\n{\n    size_t i = get_global_id(0);\n",
        t->name, t->name, t->name);
    for (uint32_t k = 0; k < 3; k++)
        if (width == 1)
            strbuf_addf(source, "    %s %c = %cs[i];\n", type, 'a' + (int)k, 'a' + (int)k);
        else
            strbuf_addf(source, "    %s %c = vload%u(i, %cs);\n", type, 'a' + (int)k, width,
                        'a' + (int)k);
    for (uint32_t k = 0; k < n_tests; k++) {
        const char *r = tests[k].result->name, *e = strbuf_text(&tests[k].expression);
        if (width == 1)
            strbuf_addf(source, "    ((__global %s *)(out + %u))[i] = %s;\n", r, k * SLOT, e);
        else
            strbuf_addf(source, "    vstore%u(%s, i, (__global %s *)(out + %u));\n", width, e, r,
                        k * SLOT);
    }
    strbuf_add(source, "}\n");
}

static bool check(const struct device *d, const struct test *test, uint32_t k, const struct type *t,
                  uint32_t width)
{
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        struct operands o = {t, element(d->values[0], i, t->bytes),
                             element(d->values[1], i, t->bytes), element(d->values[2], i, t->bytes),
                             width};
        uint64_t expected, got = element(d->results + k * SLOT, i, test->result->bytes);
        if (!test->expected(&o, test->variant, test->result, &expected) || got == expected)
            continue;
        printf("%s of %s: a = %#llx, b = %#llx, c = %#llx, element %u: %#llx instead of %#llx\n",
               strbuf_text(&test->expression), vector(t->name, width), (unsigned long long)o.a,
               (unsigned long long)o.b, (unsigned long long)o.c, i % width, (unsigned long long)got,
               (unsigned long long)expected);
        return false;
    }
    return true;
}

/* Runs the tests that were added; returns the number of those that fail. */
static uint32_t run_tests(struct device *d, const struct type *t, uint32_t width)
{
    struct strbuf source = {0};
    struct heddle_module *module;
    uint32_t n_wrong = 0;
    add_kernel(&source, t, width);
    for (uint32_t k = 0; k < 3; k++) {
        fill(d->values[k], t, k + 1);
        heddle_write(d->sim, d->in[k], d->values[k], (uint64_t)N_ITEMS * t->bytes);
    }
    const struct heddle_arg args[] = {{.data = &d->in[0], .bytes = 8},
                                      {.data = &d->in[1], .bytes = 8},
                                      {.data = &d->in[2], .bytes = 8},
                                      {.data = &d->out, .bytes = 8}};
    const struct heddle_launch launch = {
        .grid = {N_ITEMS / width / BLOCK}, .block = {BLOCK}, .args = args, .n_args = 4};
    if (heddle_load(d->sim, HEDDLE_OPENCL_C, "exact.cl", strbuf_text(&source), source.len, NULL,
                    &module) != HEDDLE_OK ||
        heddle_launch(d->sim, module, "k", &launch) != HEDDLE_OK ||
        heddle_read(d->sim, d->out, d->results, (uint64_t)n_tests * SLOT) != HEDDLE_OK) {
        printf("%s: %s", vector(t->name, width), heddle_error(d->sim));
        exit(1);
    }
    for (uint32_t k = 0; k < n_tests; k++)
        n_wrong += !check(d, &tests[k], k, t, width);
    strbuf_destroy(&source);
    n_tests = 0;
    return n_wrong;
}

static uint32_t test_type(struct device *d, uint32_t type, uint32_t width, uint32_t *n_run)
{
    const struct type *t = &types[type];
    uint32_t n_wrong = 0;
    add_conversions(t, width);
    *n_run += n_tests;
    n_wrong += run_tests(d, t, width);
    if (!t->is_real)
        add_integers(t, width);
    add_relations(t, width);
    *n_run += n_tests;
    return n_wrong + run_tests(d, t, width);
}

int main(int argc, char **argv)
{
    bool all_widths = argc > 1 && strcmp(argv[1], "--all-widths") == 0;
    const struct heddle_options options = {.struct_size = sizeof options};
    struct device d = {0};
    if (heddle_create(&options, &d.sim) != HEDDLE_OK)
        return 1;
    for (uint32_t k = 0; k < 3; k++) {
        heddle_alloc(d.sim, SLOT, "in", &d.in[k]);
        d.values[k] = malloc(SLOT);
    }
    heddle_alloc(d.sim, MOST_TESTS * SLOT, "out", &d.out);
    d.results = malloc(MOST_TESTS * SLOT);
    uint32_t n_wrong = 0, n_run = 0;
    for (uint32_t type = 0; type < N_TYPES; type++)
        for (uint32_t w = 0; w < N_WIDTHS; w++)
            if (all_widths || w == 0 || w == 1 + type % (N_WIDTHS - 1))
                n_wrong += test_type(&d, type, widths[w], &n_run);
    printf("%u of %u functions are wrong\n", n_wrong, n_run);
    heddle_destroy(d.sim);
    for (uint32_t k = 0; k < 3; k++)
        free(d.values[k]);
    for (uint32_t k = 0; k < MOST_TESTS; k++)
        strbuf_destroy(&tests[k].expression);
    free(d.results);
    return n_wrong != 0;
}
