/* How accurate the mathematical built-in functions of OpenCL C are on Heddle: every row of
 * functions.def is run on special numbers, on numbers of a range and on numbers of any exponent,
 * and the largest error against MPFR is held to the limit of the specification. Vectors must give
 * what their elements give alone.
 *
 *   accuracy [--items N] [--all-widths] [--markdown] [NAME...] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "reference.h"
#include "unit/random_bits.h"

#define ANY  INFINITY
#define NONE (-1.0)

static const struct function {
    const char *label, *expression;
    reference_function *reference;
    double limit[2]; /* float, double */
    double x_from, x_to, y_from, y_to;
    bool is_geometric; /* of scalars, and of finite numbers of moderate size */
} functions[] = {
#define FN(label, expression, reference, f, d, x0, x1, y0, y1)                                     \
    {#label, #expression, reference, {f, d}, x0, x1, y0, y1, false},
#define GEOMETRIC(label, expression, reference, f, d)                                              \
    {#label, #expression, reference, {f, d}, -20, 20, -20, 20, true},
#include "functions.def"
#undef FN
#undef GEOMETRIC
};

enum { N_FUNCTIONS = sizeof functions / sizeof *functions };
enum { BLOCK = 64 };
static const uint32_t widths[] = {2, 3, 4, 8, 16};

struct options {
    uint32_t n_items;
    bool all_widths, markdown;
    char **names;
    int n_names;
};

/* A type: what the code below needs to know of float and double. */
static const struct type {
    const char *name;
    uint32_t bytes;
    int digits, smallest; /* of the fraction; exponent of the smallest subnormal number */
    double largest;
} types[2] = {
    {"float", 4, 24, -149, 0x1.fffffep127},
    {"double", 8, 53, -1074, 0x1.fffffffffffffp1023},
};

static double load(const struct type *t, const void *values, uint32_t i)
{
    float f;
    double d;
    if (t->bytes == 8) {
        memcpy(&d, (const char *)values + 8 * (size_t)i, 8);
        return d;
    }
    memcpy(&f, (const char *)values + 4 * (size_t)i, 4);
    return (double)f;
}

static void store(const struct type *t, void *values, uint32_t i, double v)
{
    float f = (float)v;
    if (t->bytes == 8)
        memcpy((char *)values + 8 * (size_t)i, &v, 8);
    else
        memcpy((char *)values + 4 * (size_t)i, &f, 4);
}

/* --- Arguments --- */

struct inputs {
    uint32_t n;
    void *x, *y, *z; /* of the type */
    int32_t *k;
};

static const double specials[] = {
    0.0,
    0.25,
    0.5,
    1.0,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    0x1p-24,
    0x1p-12,
    0x1p23,
    0x1p24,
    0x1p31,
    0x1p52,
    0x1p53,
    0x1p63,
    1e10,
    1e30,
    0x1p-149,
    0x1p-126,
    0x1p-1074,
    0x1p-1022,
    1.57,
    3.1415927,
    6.2831853,
    88.72,
    103.97,
    709.78,
    744.4,
    INFINITY,
    NAN,
    10.0,
    100.0,
    170.5,
    34.5,
    0x1.fffffep127,
    0x1.fffffffffffffp1023,
    0x1.fffffep-1,
    0x1.fffffffffffffp-1,
    0x1.000002p0,
    0x1.0000000000001p0,
    0x1.fffffcp-127,
    7.0,
    0x1p-30,
    0x1p20,
    /* pi and multiples as close as a double comes; the double closest to a multiple of pi/2 in
     * relation to its size (Kahan; Muller, "Elementary functions", 11.3) */
    0x1.921fb54442d18p1,
    0x1.921fb54442d18p0,
    0x1.921fb54442d18p19,
    0x1.2d97c7f3321d2p2,
    0x1.6ac5b262ca1ffp849,
    /* within 2^-15 of a multiple of pi/2, and their products with 2/pi carry from one word of 64
     * bits to the next */
    0x1.ba25e91864c81p695,
    0x1.5c4d1380e7754p728,
};
enum { N_SPECIALS = 2 * sizeof specials / sizeof *specials };

static double special(uint32_t i)
{
    double v = specials[i / 2 % (N_SPECIALS / 2)];
    return i % 2 ? -v : v;
}

static double uniform(uint64_t *seed, double from, double to)
{
    return from + (double)(random_u64(seed) >> 11) * 0x1p-53 * (to - from);
}

static double any_number(const struct type *t, uint64_t *seed)
{
    uint64_t bits = t->bytes == 8 ? random_float(seed, 52, 11) : random_float(seed, 23, 8);
    double v = load(t, &bits, 0);
    return isnan(v) ? (double)NAN : v; /* a quiet one */
}

static double argument(const struct type *t, uint32_t i, uint64_t *seed, double from, double to)
{
    switch (i % 4) {
    case 0:
        return any_number(t, seed);
    case 1: /* small ones, of any exponent below that of the range */
        return uniform(seed, from, to) * ldexp(1, -(int)(random_u64(seed) % 40));
    default:
        return uniform(seed, from, to);
    }
}

/* First the special numbers, or pairs of them: all, or as many as fit half of the inputs. */
static void fill_inputs(const struct function *f, const struct type *t, struct inputs *in)
{
    uint64_t seed = 7;
    bool binary = f->y_from < f->y_to, takes_int = strstr(f->expression, ", n)");
    uint32_t n_special = binary ? N_SPECIALS * N_SPECIALS : N_SPECIALS;
    for (uint32_t i = 0; i < in->n; i++) {
        double x = argument(t, i, &seed, f->x_from, f->x_to);
        double y = argument(t, i / 4, &seed, f->y_from, f->y_to);
        uint32_t pair = in->n / 2 < n_special ? i * 7919u % n_special : i;
        if (f->is_geometric) {
            x = uniform(&seed, f->x_from, f->x_to);
            y = uniform(&seed, f->y_from, f->y_to);
        } else if (i < n_special && i < in->n / 2) {
            x = special(pair % N_SPECIALS);
            y = special(pair / N_SPECIALS);
        }
        store(t, in->x, i, x);
        store(t, in->y, i, y);
        store(t, in->z, i,
              i % 8 || f->is_geometric ? uniform(&seed, -10, 10) : any_number(t, &seed));
        uint64_t r = random_u64(&seed);
        in->k[i] = (int32_t)(uint32_t)r >> (r >> 32 & 31);
        if (i % 3 == 0) /* as exponents have them */
            in->k[i] = (int32_t)(r % 2200) - 1100;
        if (takes_int && i % 8 == 5) { /* a product that loses some bits as a subnormal number */
            store(t, in->x, i, uniform(&seed, 0.25, 1));
            in->k[i] = t->smallest + t->digits - 2 - (int32_t)(r % 8);
        }
    }
}

/* --- Kernels --- */

static void kernel_name(const char *label, uint32_t width, char *out, size_t bytes)
{
    snprintf(out, bytes, "k_%s_%u", label, width);
    for (char *p = out; *p; p++)
        *p = *p == '.' ? '_' : *p;
}

static void add_kernel(struct strbuf *source, const struct function *f, uint32_t width)
{
    char name[64];
    kernel_name(f->label, width, name, sizeof name);
    strbuf_addf(source,
                "__kernel void %s(__global const S *xs, __global const S *ys, __global const S *zs,"
                " __global const int *ns, __global S *rs)\n"
                "{\n"
                "    size_t i = get_global_id(0);\n",
                name);
    if (width == 1)
        strbuf_addf(source,
                    "#define T S\n#define N int\n#define REAL(v) ((S)(v))\n"
                    "    T x = xs[i], y = ys[i], z = zs[i];\n"
                    "    N n = ns[i];\n"
                    "    rs[i] = %s;\n",
                    f->expression);
    else
        strbuf_addf(source,
                    "#define T VECTOR(S, %u)\n#define N VECTOR(int, %u)\n"
                    "#define REAL(v) CONVERT(S, %u)(v)\n"
                    "    T x = vload%u(i, xs), y = vload%u(i, ys), z = vload%u(i, zs);\n"
                    "    N n = vload%u(i, ns);\n"
                    "    vstore%u(%s, i, rs);\n",
                    width, width, width, width, width, width, width, width, f->expression);
    strbuf_add(source, "#undef T\n#undef N\n#undef REAL\n}\n");
}

static const char kernel_head[] = "#define V2 VECTOR(S, 2)\n"
                                  "#define V3 VECTOR(S, 3)\n"
                                  "#define V4 VECTOR(S, 4)\n"
                                  "#define VECTOR_(t, n) t##n\n"
                                  "#define VECTOR(t, n) VECTOR_(t, n)\n"
                                  "#define CONVERT_(t, n) convert_##t##n\n"
                                  "#define CONVERT(t, n) CONVERT_(t, n)\n"
                                  "#define SEVEN_BITS(q) ((q) < 0 ? -(-(q) & 127) : (q) & 127)\n";

static bool is_wanted(const struct options *o, const struct function *f, uint32_t type)
{
    bool wanted = o->n_names == 0;
    for (int i = 0; i < o->n_names; i++)
        wanted |= strcmp(o->names[i], f->label) == 0;
    return wanted && f->limit[type] != NONE;
}

/* The quick run tests each function at one vector width, another for each. */
static bool has_width(const struct options *o, uint32_t function, uint32_t w)
{
    return !functions[function].is_geometric && (o->all_widths || function % 5 == w);
}

static struct heddle_module *load_kernels(struct heddle_sim *sim, const struct options *o,
                                          uint32_t type, uint32_t width)
{
    struct strbuf source = {0};
    char build[64];
    strbuf_add(&source, kernel_head);
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_FUNCTIONS; i++) {
        bool wide = width > 1;
        uint32_t w = 0;
        while (wide && widths[w] != width)
            w++;
        if (!is_wanted(o, &functions[i], type) || (wide && !has_width(o, i, w)))
            continue;
        add_kernel(&source, &functions[i], width);
        n++;
    }
    snprintf(build, sizeof build, "-DS=%s", types[type].name);
    struct heddle_module *module = NULL;
    if (n && heddle_load(sim, HEDDLE_OPENCL_C, "accuracy.cl", strbuf_text(&source), source.len,
                         build, &module) != HEDDLE_OK) {
        fprintf(stderr, "%s", heddle_error(sim));
        exit(1);
    }
    strbuf_destroy(&source);
    return module;
}

struct device {
    struct heddle_sim *sim;
    struct heddle_module *modules[2][6]; /* by type and width */
    uint64_t x, y, z, k, r;
};

static void open_device(struct device *d, const struct options *o)
{
    const struct heddle_options options = {.struct_size = sizeof options};
    uint64_t bytes = 8 * (uint64_t)o->n_items;
    if (heddle_create(&options, &d->sim) != HEDDLE_OK) {
        fprintf(stderr, "%s", heddle_error(d->sim));
        exit(1);
    }
    heddle_alloc(d->sim, bytes, "x", &d->x);
    heddle_alloc(d->sim, bytes, "y", &d->y);
    heddle_alloc(d->sim, bytes, "z", &d->z);
    heddle_alloc(d->sim, bytes, "n", &d->k);
    heddle_alloc(d->sim, bytes, "r", &d->r);
    for (uint32_t type = 0; type < 2; type++) {
        d->modules[type][0] = load_kernels(d->sim, o, type, 1);
        for (uint32_t w = 0; w < 5; w++)
            d->modules[type][w + 1] = load_kernels(d->sim, o, type, widths[w]);
    }
}

/* After a fault the device is opened again, so that the other functions are still tested. */
static bool run(struct device *d, const struct options *o, struct heddle_module *module,
                const struct function *f, uint32_t width, const struct type *t,
                const struct inputs *in, void *out)
{
    char name[64];
    kernel_name(f->label, width, name, sizeof name);
    size_t bytes = (size_t)in->n * t->bytes;
    heddle_write(d->sim, d->x, in->x, bytes);
    heddle_write(d->sim, d->y, in->y, bytes);
    heddle_write(d->sim, d->z, in->z, bytes);
    heddle_write(d->sim, d->k, in->k, 4 * (size_t)in->n);
    const struct heddle_arg args[] = {{.data = &d->x, .bytes = 8},
                                      {.data = &d->y, .bytes = 8},
                                      {.data = &d->z, .bytes = 8},
                                      {.data = &d->k, .bytes = 8},
                                      {.data = &d->r, .bytes = 8}};
    const struct heddle_launch launch = {
        .grid = {in->n / width / BLOCK}, .block = {BLOCK}, .args = args, .n_args = 5};
    if (heddle_launch(d->sim, module, name, &launch) != HEDDLE_OK ||
        heddle_read(d->sim, d->r, out, bytes) != HEDDLE_OK) {
        printf("%s, %s: %s", name, t->name, heddle_error(d->sim));
        heddle_destroy(d->sim);
        open_device(d, o);
        return false;
    }
    return true;
}

/* --- Errors --- */

struct worst {
    double ulp;
    double x, y, got, truth;
    int32_t k;
};

/* Does the truth round to infinity? From the middle between the largest number and the power of
 * two that would follow it. */
static bool overflows(const struct type *t, mpfr_t truth)
{
    mpfr_t edge;
    mpfr_init2(edge, 64);
    mpfr_set_si_2exp(edge, (1l << (t->digits + 1)) - 1, ilogb(t->largest) - t->digits, MPFR_RNDN);
    bool over = mpfr_cmpabs(truth, edge) >= 0;
    mpfr_clear(edge);
    return over;
}

/* The error of `got` in units of the last place of the truth; NaN if only the sign of a zero is
 * wrong. An infinite result counts as the power of two that follows the largest number. */
static double error_in_ulp(const struct type *t, double got, mpfr_t truth)
{
    if (mpfr_nan_p(truth) || isnan(got))
        return mpfr_nan_p(truth) && isnan(got) ? 0 : INFINITY;
    if (isinf(got) && (mpfr_inf_p(truth) || overflows(t, truth)))
        return signbit(got) == mpfr_signbit(truth) ? 0 : INFINITY;
    if (mpfr_inf_p(truth))
        return INFINITY;
    if (mpfr_zero_p(truth))
        return got != 0 ? INFINITY : signbit(got) == mpfr_signbit(truth) ? 0 : NAN;
    mpfr_t difference;
    int top = ilogb(t->largest) + 1;
    mpfr_init2(difference, REFERENCE_BITS);
    mpfr_set_d(difference, got, MPFR_RNDN);
    if (isinf(got))
        mpfr_set_si_2exp(difference, got < 0 ? -1 : 1, top, MPFR_RNDN);
    mpfr_sub(difference, difference, truth, MPFR_RNDN);
    long exponent = mpfr_get_exp(truth) - t->digits;
    if (exponent < t->smallest)
        exponent = t->smallest;
    if (exponent > top - t->digits)
        exponent = top - t->digits;
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    double ulp = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return ulp;
}

/* A limit of 0 asks for the correctly rounded result. */
static bool is_within(double ulp, double limit)
{
    return ulp <= (limit == 0 ? 0.5 : limit);
}

/* The sign of a zero result is not specified for these. */
static bool zero_may_have_any_sign(const char *label)
{
    static const char *const labels[] = {"fmax", "fmin", "maxmag", "minmag", "nextafter"};
    bool any = strncmp(label, "half_", 5) == 0 || strncmp(label, "native_", 7) == 0;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        any |= strcmp(label, labels[i]) == 0;
    return any;
}

static bool is_subnormal(double v)
{
    return v != 0 && fabs(v) < 0x1p-126;
}

static void flush(mpfr_t x, double *v, bool wanted, bool *any)
{
    if (!wanted || !is_subnormal(*v))
        return;
    mpfr_set_zero(x, signbit(*v) ? -1 : 1);
    *v = copysign(0, *v);
    *any = true;
}

static bool is_flushed(double got, mpfr_t truth)
{
    return got == 0 && mpfr_regular_p(truth) && is_subnormal(mpfr_get_d(truth, MPFR_RNDN));
}

/* Functions on float may take and give zero for a subnormal number (7.5.3): the device does not
 * report CL_FP_DENORM for them. */
static double error_if_flushed(const struct function *f, const struct type *t, struct arguments *a,
                               double got, mpfr_t truth)
{
    const double x = a->dx, y = a->dy, z = mpfr_get_d(a->z, MPFR_RNDN);
    double ulp = is_flushed(got, truth) ? 0 : INFINITY;
    for (uint32_t which = 1; which < 8 && ulp > 0; which++) {
        double flushed_z = z;
        bool any = false;
        flush(a->x, &a->dx, which & 1, &any);
        flush(a->y, &a->dy, which & 2, &any);
        flush(a->z, &flushed_z, which & 4, &any);
        if (!any)
            continue;
        f->reference(truth, a);
        double e = error_in_ulp(t, got, truth);
        ulp = fmin(ulp, isnan(e) || is_flushed(got, truth) ? 0 : e);
        a->dx = x, a->dy = y;
        mpfr_set_d(a->x, x, MPFR_RNDN);
        mpfr_set_d(a->y, y, MPFR_RNDN);
        mpfr_set_d(a->z, z, MPFR_RNDN);
    }
    return ulp;
}

static void compare(const struct function *f, const struct type *t, const struct inputs *in,
                    const void *out, struct worst *worst, struct worst *zero)
{
    struct arguments a = {.is_double = t->bytes == 8};
    mpfr_t truth;
    mpfr_inits2(64, a.x, a.y, a.z, (mpfr_ptr)0);
    mpfr_init2(truth, REFERENCE_BITS);
    worst->ulp = -1;
    for (uint32_t i = 0; i < in->n; i++) {
        a.dx = load(t, in->x, i);
        a.dy = load(t, in->y, i);
        a.n = in->k[i];
        mpfr_set_d(a.x, a.dx, MPFR_RNDN);
        mpfr_set_d(a.y, a.dy, MPFR_RNDN);
        mpfr_set_d(a.z, load(t, in->z, i), MPFR_RNDN);
        f->reference(truth, &a);
        double got = load(t, out, i), ulp = error_in_ulp(t, got, truth);
        double exact = mpfr_get_d(truth, MPFR_RNDN);
        if (t->bytes == 4 && (is_flushed(got, truth) || !is_within(ulp, f->limit[0]))) {
            double flushed = error_if_flushed(f, t, &a, got, truth);
            ulp = isnan(ulp) && flushed > 0 ? ulp : fmin(ulp, flushed);
        }
        if (isnan(ulp) && zero_may_have_any_sign(f->label))
            ulp = 0;
        struct worst *w = isnan(ulp) ? zero : worst;
        if (isnan(ulp) ? w->ulp == 0 : ulp > w->ulp)
            *w = (struct worst){isnan(ulp) ? 1 : ulp, a.dx, a.dy, got, exact, a.n};
    }
    mpfr_clears(a.x, a.y, a.z, truth, (mpfr_ptr)0);
}

static bool vectors_agree(const struct function *f, const struct type *t, const struct inputs *in,
                          const void *scalar, const void *vector, uint32_t width)
{
    uint32_t n = in->n / width / BLOCK * width * BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        double a = load(t, scalar, i), b = load(t, vector, i);
        if (memcmp((const char *)scalar + i * t->bytes, (const char *)vector + i * t->bytes,
                   t->bytes) == 0 ||
            (isnan(a) && isnan(b)))
            continue;
        printf("%s: %s%u, element %u, x = %a, y = %a, n = %d: %a, alone %a\n", f->label, t->name,
               width, i % width, load(t, in->x, i), load(t, in->y, i), in->k[i], b, a);
        return false;
    }
    return true;
}

/* --- Report --- */

static void print_cell(double limit, double ulp)
{
    if (limit == NONE)
        printf("  | ");
    else if (limit == 0)
        printf(" 0 | %s", ulp <= 0.5 ? "0" : "wrong");
    else if (isinf(limit))
        printf(" any | %.3g", ulp);
    else
        printf(" %g | %.3g", limit, ulp);
}

static bool report(const struct function *f, const struct worst worst[2], const struct options *o)
{
    bool ok = true;
    if (o->markdown) {
        printf("| `%s` |", f->label);
        print_cell(f->limit[0], worst[0].ulp);
        printf(" |");
        print_cell(f->limit[1], worst[1].ulp);
        printf(" |\n");
    }
    for (uint32_t type = 0; type < 2; type++) {
        const struct worst *w = &worst[type];
        if (f->limit[type] == NONE || is_within(w->ulp, f->limit[type]))
            continue;
        ok = false;
        if (!o->markdown)
            printf("%s: %s, x = %a, y = %a, n = %d: %a instead of %a, %.3g ulp of %g allowed\n",
                   f->label, types[type].name, w->x, w->y, w->k, w->got, w->truth, w->ulp,
                   f->limit[type]);
    }
    return ok;
}

static bool report_zero(const struct function *f, const struct type *t, const struct worst *w)
{
    if (w->ulp == 0)
        return true;
    printf("%s: %s, x = %a, y = %a, n = %d: the zero is %a instead of %a\n", f->label, t->name,
           w->x, w->y, w->k, w->got, w->truth);
    return false;
}

static void read_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){.n_items = 1 << 13};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--items") == 0 && i + 1 < argc)
            o->n_items = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--all-widths") == 0)
            o->all_widths = true;
        else if (strcmp(argv[i], "--markdown") == 0)
            o->markdown = true;
        else {
            fprintf(stderr, "accuracy: what is '%s'?\n", argv[i]);
            exit(2);
        }
    }
    o->n_items = (o->n_items + 16 * BLOCK - 1) / (16 * BLOCK) * (16 * BLOCK);
    o->names = argv + i;
    o->n_names = argc - i;
}

/* Runs one function in one type, alone and in vectors; returns the number of complaints. */
static uint32_t test_in_type(struct device *d, const struct options *o, uint32_t i, uint32_t type,
                             struct inputs *in, struct worst *worst)
{
    const struct function *f = &functions[i];
    const struct type *t = &types[type];
    struct worst zero = {0};
    size_t bytes = 8 * (size_t)in->n;
    void *alone = malloc(bytes), *vector = malloc(bytes);
    uint32_t n_wrong = 0;
    fill_inputs(f, t, in);
    if (run(d, o, d->modules[type][0], f, 1, t, in, alone)) {
        compare(f, t, in, alone, worst, &zero);
        n_wrong += !report_zero(f, t, &zero);
        for (uint32_t w = 0; w < 5; w++) {
            if (!has_width(o, i, w))
                continue;
            n_wrong += !run(d, o, d->modules[type][w + 1], f, widths[w], t, in, vector) ||
                       !vectors_agree(f, t, in, alone, vector, widths[w]);
        }
    } else {
        n_wrong++;
    }
    free(alone);
    free(vector);
    return n_wrong;
}

int main(int argc, char **argv)
{
    struct options o;
    struct device d;
    read_options(&o, argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0); /* long runs are watched */
    open_device(&d, &o);
    size_t bytes = 8 * (size_t)o.n_items;
    struct inputs in = {o.n_items, malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes)};
    uint32_t n_wrong = 0, n_tested = 0;
    if (o.markdown)
        printf("| function | limit, float | measured | limit, double | measured |\n"
               "|---|--:|--:|--:|--:|\n");
    for (uint32_t i = 0; i < N_FUNCTIONS; i++) {
        struct worst worst[2] = {{0}};
        uint32_t wrong = 0;
        for (uint32_t type = 0; type < 2; type++)
            if (is_wanted(&o, &functions[i], type))
                wrong += test_in_type(&d, &o, i, type, &in, &worst[type]);
        if (!is_wanted(&o, &functions[i], 0))
            continue;
        wrong += !report(&functions[i], worst, &o);
        n_wrong += wrong != 0;
        n_tested++;
    }
    heddle_destroy(d.sim);
    mpfr_free_cache();
    free(in.x), free(in.y), free(in.z), free(in.k);
    if (!o.markdown)
        printf("%u of %u functions are wrong\n", n_wrong, n_tested);
    return n_wrong != 0;
}
