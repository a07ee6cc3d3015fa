/* Half precision in memory and shuffles, for every vector width: vload_half and vloada_half from
 * the four address spaces, vstore_half and vstorea_half with every rounding mode to three of them,
 * from float and double; shuffle and shuffle2 of every type and pair of widths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "unit/random_bits.h"

enum { N_ITEMS = 128, BLOCK = 32, N_ELEMENTS = 16 * N_ITEMS, MOST_RESULTS = 64 };

static const uint32_t widths[] = {1, 2, 3, 4, 8, 16};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

struct device {
    struct heddle_sim *sim;
    uint64_t in, masks, scratch, out;
    uint8_t in_bytes[8 * N_ELEMENTS], mask_bytes[8 * N_ELEMENTS];
    uint8_t out_bytes[MOST_RESULTS * 8 * N_ELEMENTS];
};

static uint64_t element(const void *values, uint32_t i, uint32_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)values + (size_t)i * bytes, bytes);
    return v;
}

static void run(struct device *d, const struct strbuf *source)
{
    struct heddle_module *module;
    const struct heddle_arg args[] = {{.data = &d->in, .bytes = 8},
                                      {.data = &d->masks, .bytes = 8},
                                      {.data = &d->scratch, .bytes = 8},
                                      {.data = &d->out, .bytes = 8}};
    const struct heddle_launch launch = {
        .grid = {N_ITEMS / BLOCK}, .block = {BLOCK}, .args = args, .n_args = 4};
    heddle_write(d->sim, d->in, d->in_bytes, sizeof d->in_bytes);
    heddle_write(d->sim, d->masks, d->mask_bytes, sizeof d->mask_bytes);
    if (heddle_load(d->sim, HEDDLE_OPENCL_C, "exact_memory.cl", strbuf_text(source), source->len,
                    NULL, &module) != HEDDLE_OK ||
        heddle_launch(d->sim, module, "k", &launch) != HEDDLE_OK ||
        heddle_read(d->sim, d->out, d->out_bytes, sizeof d->out_bytes) != HEDDLE_OK) {
        printf("%s%s", strbuf_text(source), heddle_error(d->sim));
        exit(1);
    }
}

static void begin_kernel(struct strbuf *source, const char *in, const char *out)
{
    strbuf_clear(source);
    strbuf_addf(source,
                "__kernel void k(__global %s *in, __global %s *masks, __global ushort *scratch,"
                " __global %s *out)\n"
                "{\n"
                "    __local ushort l[%d];\n"
                "    size_t i = get_global_id(0), lid = get_local_id(0);\n",
                in, in, out, BLOCK * 16);
}

/* --- Halves --- */

enum { TO_NEAREST, TO_ZERO, UP, DOWN, DEFAULT, N_MODES };
static const char *const mode_names[N_MODES] = {"_rte", "_rtz", "_rtp", "_rtn", ""};

static double half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023;
    double v = exponent == 31 ? (fraction > 0 ? (double)NAN : (double)INFINITY)
               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

static double whole(double v, int mode, bool negative)
{
    switch (mode) {
    case TO_ZERO:
        return floor(v);
    case UP:
        return negative ? floor(v) : ceil(v);
    case DOWN:
        return negative ? ceil(v) : floor(v);
    default:
        return nearbyint(v);
    }
}

static uint32_t half_bits(double v, int mode)
{
    bool negative = signbit(v);
    uint32_t sign = negative ? 0x8000 : 0;
    double size = fabs(v);
    if (isinf(v))
        return sign | 0x7c00;
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    double units = whole(ldexp(size, 10 - exponent), mode, negative);
    double rounded = ldexp(units, exponent - 10);
    if (rounded >= 65536) { /* the largest number where rounding is towards it */
        bool away = mode == TO_NEAREST || mode == DEFAULT || (mode == UP && !negative) ||
                    (mode == DOWN && negative);
        return sign | (away ? 0x7c00 : 0x7bff);
    }
    if (rounded < 0x1p-14)
        return sign | (uint32_t)ldexp(rounded, 24);
    int e = ilogb(rounded);
    return sign | (uint32_t)(e + 15) << 10 | (uint32_t)(ldexp(rounded, 10 - e) - 1024);
}

/* Numbers around the range of halves, with ties. */
static void fill_reals(struct device *d, uint32_t bytes)
{
    uint64_t seed = 11;
    for (uint32_t i = 0; i < N_ELEMENTS; i++) {
        uint64_t r = random_u64(&seed);
        double v = half_value((uint32_t)r & 0x7bff);
        v = r >> 62 == 0 ? v : v * (1 + (double)((int)(r >> 20 & 15) - 8) * 0x1p-13);
        v = r >> 58 & 7 ? v : ldexp(1 + (double)(r >> 40 & 255) / 256, (int)(r >> 48 & 63) - 40);
        v = r >> 57 & 1 ? -v : v;
        float f = (float)v;
        memcpy(d->in_bytes + (size_t)i * bytes, bytes == 8 ? (void *)&v : (void *)&f, bytes);
    }
}

static void add_store(struct strbuf *source, const char *name, uint32_t width, uint32_t apart,
                      uint32_t slot)
{
    static const char *const places[] = {"{ ushort p[16]; %s(x, 0, (half *)p);",
                                         "{ __local ushort *p = l + lid * %u;"
                                         " %s(x, lid, (__local half *)l);",
                                         "{ __global ushort *p = scratch + i * %u;"
                                         " %s(x, i, (__global half *)scratch);"};
    strbuf_add(source, "    ");
    strbuf_addf(source, places[0], name);
    for (uint32_t space = 0;; space++) {
        strbuf_addf(source, " for (int e = 0; e < %u; e++) out[%u + i * %u + e] = p[e]; }\n    ",
                    width, (slot + space) * N_ELEMENTS, width);
        if (space == 2)
            break;
        strbuf_addf(source, places[space + 1], apart, name);
    }
}

static void name_half(char *out, size_t bytes, const char *what, uint32_t width, const char *mode)
{
    if (width == 1)
        snprintf(out, bytes, "%s%s", what, mode);
    else
        snprintf(out, bytes, "%s%u%s", what, width, mode);
}

static uint32_t check_stores(const struct device *d, uint32_t width, uint32_t bytes, uint32_t slot,
                             int mode, const char *name)
{
    for (uint32_t i = 0; i < 3 * width * N_ITEMS; i++) {
        uint32_t space = i / (width * N_ITEMS), at = i % (width * N_ITEMS);
        uint64_t bits = element(d->in_bytes, at, bytes);
        float f;
        double v;
        memcpy(&v, &bits, 8);
        memcpy(&f, &bits, 4);
        v = bytes == 8 ? v : (double)f;
        uint64_t got = element(d->out_bytes, (slot + space) * N_ELEMENTS + at, 2);
        if (got == half_bits(v, mode))
            continue;
        printf("%s of %u bytes, space %u: %a gives %#llx instead of %#x\n", name, bytes, space, v,
               (unsigned long long)got, half_bits(v, mode));
        return 1;
    }
    return 0;
}

/* Six a width and mode: stores and aligned stores to the private, local and global space. */
static uint32_t test_stores(struct device *d, uint32_t width, const char *type, uint32_t bytes)
{
    struct strbuf source = {0};
    char name[32], load[32];
    uint32_t n_wrong = 0;
    fill_reals(d, bytes);
    begin_kernel(&source, type, "ushort");
    name_half(load, sizeof load, "vload", width, "");
    if (width == 1)
        strbuf_addf(&source, "    %s x = in[i];\n", type);
    else
        strbuf_addf(&source, "    %s%u x = %s(i, in);\n", type, width, load);
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            strbuf_add(&source, "\n}\n");
            run(d, &source);
        }
        for (uint32_t mode = 0; mode < N_MODES; mode++) {
            name_half(name, sizeof name, "vstore_half", width, mode_names[mode]);
            if (pass)
                n_wrong += check_stores(d, width, bytes, 6 * mode, (int)mode, name);
            else
                add_store(&source, name, width, width, 6 * mode);
            if (width == 1)
                continue;
            name_half(name, sizeof name, "vstorea_half", width, mode_names[mode]);
            if (pass)
                n_wrong += check_stores(d, width, bytes, 6 * mode + 3, (int)mode, name);
            else
                add_store(&source, name, width, width == 3 ? 4 : width, 6 * mode + 3);
        }
    }
    strbuf_destroy(&source);
    return n_wrong;
}

/* Loads from the global, constant, local and private space, then aligned ones. */
static uint32_t test_loads(struct device *d, uint32_t width)
{
    struct strbuf source = {0};
    uint32_t n_wrong = 0, n_slots = width == 1 ? 4 : 8;
    uint64_t seed = 12;
    for (uint32_t i = 0; i < N_ELEMENTS; i++) {
        uint16_t bits = (uint16_t)random_u64(&seed);
        memcpy(d->in_bytes + 2 * i, &bits, 2);
    }
    strbuf_addf(&source,
                "__kernel void k(__global ushort *in, __constant ushort *masks,"
                " __global ushort *scratch, __global float *out)\n{\n"
                "    __local ushort l[%d];\n"
                "    size_t i = get_global_id(0), lid = get_local_id(0);\n",
                BLOCK * 16);
    memcpy(d->mask_bytes, d->in_bytes, sizeof d->mask_bytes);
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        static const char *const froms[] = {"i, (__global half *)in", "i, (__constant half *)masks",
                                            "lid, (__local half *)l", "0, (half *)p"};
        bool aligned = slot >= 4;
        uint32_t apart = aligned && width == 3 ? 4 : width;
        char name[32];
        name_half(name, sizeof name, aligned ? "vloada_half" : "vload_half", width, "");
        strbuf_addf(&source,
                    "    { ushort p[16]; for (int e = 0; e < %u; e++)"
                    " l[lid * %u + e] = p[e] = in[i * %u + e];\n",
                    apart, apart, apart);
        if (width == 1)
            strbuf_addf(&source, "      out[%u + i] = %s(%s); }\n", slot * N_ELEMENTS, name,
                        froms[slot % 4]);
        else
            strbuf_addf(&source, "      vstore%u(%s(%s), i, out + %u); }\n", width, name,
                        froms[slot % 4], slot * N_ELEMENTS);
    }
    strbuf_add(&source, "}\n");
    run(d, &source);
    for (uint32_t k = 0; k < n_slots * width * N_ITEMS; k++) {
        uint32_t slot = k / (width * N_ITEMS), at = k % (width * N_ITEMS);
        uint32_t apart = slot >= 4 && width == 3 ? 4 : width;
        uint32_t from = at / width * apart + at % width;
        float got;
        memcpy(&got, d->out_bytes + 4 * (size_t)(slot * N_ELEMENTS + at), 4);
        double truth = half_value((uint32_t)element(d->in_bytes, from, 2));
        if ((double)got == truth ? !signbit(got) == !signbit(truth) : isnan(got) && isnan(truth))
            continue;
        printf("vload%s_half%u, slot %u, element %u: %a instead of %a\n", slot >= 4 ? "a" : "",
               width, slot, at, (double)got, truth);
        n_wrong++;
        break;
    }
    strbuf_destroy(&source);
    return n_wrong;
}

/* --- Shuffles --- */

static const struct type {
    const char *name, *mask;
    uint32_t bytes;
} types[] = {
    {"char", "uchar", 1}, {"uchar", "uchar", 1},  {"short", "ushort", 2}, {"ushort", "ushort", 2},
    {"int", "uint", 4},   {"uint", "uint", 4},    {"long", "ulong", 8},   {"ulong", "ulong", 8},
    {"float", "uint", 4}, {"double", "ulong", 8},
};
enum { N_TYPES = sizeof types / sizeof *types, N_SHUFFLES = 32 };
static const uint32_t shuffled[] = {2, 4, 8, 16};

/* Both operands of shuffle2 are the same numbers, the second ones backwards. */
static uint64_t shuffled_element(const struct device *d, const struct type *t, uint32_t slot,
                                 uint32_t at)
{
    uint32_t m = shuffled[slot / 4 % 4], n = shuffled[slot % 4];
    uint32_t item = at / n;
    uint64_t mask = element(d->mask_bytes, at, t->bytes);
    uint32_t k = (uint32_t)(mask % (slot < 16 ? m : 2 * m));
    uint32_t from = k < m ? item * m + k : (N_ITEMS - 1 - item) * m + k - m;
    return element(d->in_bytes, from, t->bytes);
}

static uint32_t test_shuffles(struct device *d, const struct type *t)
{
    struct strbuf source = {0};
    uint64_t seed = 13;
    for (uint32_t i = 0; i < sizeof d->in_bytes; i++) {
        d->in_bytes[i] = (uint8_t)random_u64(&seed);
        d->mask_bytes[i] = (uint8_t)random_u64(&seed);
    }
    begin_kernel(&source, t->name, t->name);
    strbuf_addf(&source, "    __global %s *m = (__global %s *)masks;\n", t->mask, t->mask);
    for (uint32_t slot = 0; slot < N_SHUFFLES; slot++) {
        uint32_t m = shuffled[slot / 4 % 4], n = shuffled[slot % 4];
        char second[64] = "";
        if (slot >= 16)
            snprintf(second, sizeof second, "vload%u(%d - i, in), ", m, N_ITEMS - 1);
        strbuf_addf(&source, "    vstore%u(%s(vload%u(i, in), %svload%u(i, m)), i, out + %u);\n", n,
                    slot >= 16 ? "shuffle2" : "shuffle", m, second, n, slot * N_ELEMENTS);
    }
    strbuf_add(&source, "}\n");
    run(d, &source);
    strbuf_destroy(&source);
    uint32_t n_wrong = 0;
    for (uint32_t slot = 0; slot < N_SHUFFLES; slot++)
        for (uint32_t at = 0; at < shuffled[slot % 4] * N_ITEMS; at++) {
            uint64_t got = element(d->out_bytes, slot * N_ELEMENTS + at, t->bytes);
            if (got == shuffled_element(d, t, slot, at))
                continue;
            printf("%s of %s%u by %u, element %u: %#llx\n", slot >= 16 ? "shuffle2" : "shuffle",
                   t->name, shuffled[slot / 4 % 4], shuffled[slot % 4], at,
                   (unsigned long long)got);
            n_wrong++;
            break;
        }
    return n_wrong;
}

int main(void)
{
    const struct heddle_options options = {.struct_size = sizeof options};
    struct device *d = calloc(1, sizeof *d);
    if (heddle_create(&options, &d->sim) != HEDDLE_OK)
        return 1;
    heddle_alloc(d->sim, sizeof d->in_bytes, "in", &d->in);
    heddle_alloc(d->sim, sizeof d->mask_bytes, "masks", &d->masks);
    heddle_alloc(d->sim, 2 * N_ELEMENTS, "scratch", &d->scratch);
    heddle_alloc(d->sim, sizeof d->out_bytes, "out", &d->out);
    uint32_t n_wrong = 0;
    for (uint32_t w = 0; w < N_WIDTHS; w++) {
        n_wrong += test_stores(d, widths[w], "float", 4);
        n_wrong += test_stores(d, widths[w], "double", 8);
        n_wrong += test_loads(d, widths[w]);
    }
    for (uint32_t t = 0; t < N_TYPES; t++)
        n_wrong += test_shuffles(d, &types[t]);
    printf("%u functions are wrong\n", n_wrong);
    heddle_destroy(d->sim);
    free(d);
    return n_wrong != 0;
}
