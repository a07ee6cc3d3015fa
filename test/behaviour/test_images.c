/* Images of OpenCL C on Heddle: every image type, format, addressing mode and filter against a
 * plain account of OpenCL 1.2, sections 8.2 and 8.3, in C. Nearest reads, whole numbers and writes
 * must agree to the bit; filtered reads to a few units of the last place of the largest texel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "unit/random_bits.h"

enum { N_ITEMS = 256, MOST_BYTES = 1 << 16 };

/* Of CL/cl.h. */
enum order {
    ORDER_R = 0x10b0,
    ORDER_A,
    ORDER_RG,
    ORDER_RA,
    ORDER_RGB,
    ORDER_RGBA,
    ORDER_BGRA,
    ORDER_ARGB,
    ORDER_INTENSITY,
    ORDER_LUMINANCE,
    ORDER_RX,
    ORDER_RGX,
    ORDER_RGBX,
};
enum type {
    SNORM_INT8 = 0x10d0,
    SNORM_INT16,
    UNORM_INT8,
    UNORM_INT16,
    UNORM_SHORT_565,
    UNORM_SHORT_555,
    UNORM_INT_101010,
    SIGNED_INT8,
    SIGNED_INT16,
    SIGNED_INT32,
    UNSIGNED_INT8,
    UNSIGNED_INT16,
    UNSIGNED_INT32,
    HALF_FLOAT,
    FLOAT,
};
enum {
    NORMALIZED = 1,
    TO_EDGE = 2,
    CLAMP = 4,
    REPEAT = 6,
    MIRRORED = 8,
    NEAREST = 16,
    LINEAR = 32
};

/* What the device is given; src/front/images.cl has the same. */
struct descriptor {
    uint64_t data;
    uint32_t width, height, depth, array_size;
    uint32_t row_pitch, slice_pitch;
    uint32_t order, type;
    uint32_t texel_bytes;
    uint32_t unused;
};

/* --- The images of the test --- */

/* Where the memory of each order's channels goes: an index into (r, g, b, a). */
static const struct order_row {
    enum order order;
    uint32_t n_channels;
    uint8_t to[4];
    bool border_is_opaque, reads_opaque;
} order_rows[] = {
    {ORDER_R, 1, {0}, true, true},
    {ORDER_A, 1, {3}, false, false},
    {ORDER_RG, 2, {0, 1}, true, true},
    {ORDER_RA, 2, {0, 3}, false, false},
    {ORDER_RGB, 3, {0, 1, 2}, true, true},
    {ORDER_RGBA, 4, {0, 1, 2, 3}, false, false},
    {ORDER_BGRA, 4, {2, 1, 0, 3}, false, false},
    {ORDER_ARGB, 4, {3, 0, 1, 2}, false, false},
    {ORDER_INTENSITY, 1, {0}, false, false},
    {ORDER_LUMINANCE, 1, {0}, true, true},
    {ORDER_RX, 1, {0}, false, true},
    {ORDER_RGX, 2, {0, 1}, false, true},
    {ORDER_RGBX, 3, {0, 1, 2}, false, true},
};

static const struct order_row *order_row(uint32_t order)
{
    return &order_rows[order - ORDER_R];
}

static uint32_t channel_bytes(uint32_t type)
{
    switch (type) {
    case SNORM_INT8:
    case UNORM_INT8:
    case SIGNED_INT8:
    case UNSIGNED_INT8:
        return 1;
    case SIGNED_INT32:
    case UNSIGNED_INT32:
    case FLOAT:
        return 4;
    default:
        return 2;
    }
}

static bool is_packed(uint32_t type)
{
    return type == UNORM_SHORT_565 || type == UNORM_SHORT_555 || type == UNORM_INT_101010;
}

enum kind { IMAGE_1D, IMAGE_1DB, IMAGE_1DA, IMAGE_2D, IMAGE_2DA, IMAGE_3D, N_KINDS };
static const char *const kind_names[N_KINDS] = {"1d", "1db", "1da", "2d", "2da", "3d"};

struct image {
    enum kind kind;
    int32_t size[3];     /* in x, y and z, or the layer */
    uint32_t n_filtered; /* dimensions */
    bool layered;
    struct descriptor d;
    uint8_t texels[MOST_BYTES];
};

static uint8_t *texel_at(struct image *m, int32_t x, int32_t y, int32_t z)
{
    return m->texels + (uint32_t)x * m->d.texel_bytes + (uint32_t)y * m->d.row_pitch +
           (uint32_t)z * m->d.slice_pitch;
}

/* Sizes that are no powers of two, rows and slices with a gap. */
static void make_image(struct image *m, enum kind kind, uint32_t order, uint32_t type,
                       uint64_t *seed)
{
    static const int32_t sizes[N_KINDS][3] = {{13, 1, 1}, {37, 1, 1}, {11, 1, 5},
                                              {13, 7, 1}, {9, 6, 4},  {7, 5, 6}};
    memset(m, 0, sizeof *m);
    m->kind = kind;
    memcpy(m->size, sizes[kind], sizeof m->size);
    m->n_filtered = kind == IMAGE_3D ? 3 : kind >= IMAGE_2D ? 2 : 1;
    m->layered = kind == IMAGE_1DA || kind == IMAGE_2DA;
    m->d.order = order;
    m->d.type = type;
    m->d.texel_bytes = type == UNORM_INT_101010 ? 4
                       : is_packed(type)        ? 2
                                         : order_row(order)->n_channels * channel_bytes(type);
    m->d.width = (uint32_t)m->size[0];
    m->d.height = (uint32_t)m->size[1];
    m->d.depth = kind == IMAGE_3D ? (uint32_t)m->size[2] : 0;
    m->d.array_size = m->layered ? (uint32_t)m->size[2] : 0;
    m->d.row_pitch = (m->d.width + 3) * m->d.texel_bytes;
    m->d.slice_pitch = m->d.row_pitch * (m->d.height + 1);
    for (uint32_t i = 0; i < MOST_BYTES; i += 4) {
        uint32_t word = (uint32_t)random_u64(seed);
        float f = (float)(int32_t)word * 0x1p-26f;
        if (type == FLOAT)
            memcpy(&word, &f, 4);
        if (type == HALF_FLOAT) /* finite ones of a moderate size */
            word = (word & 0x83ff83ff) | 0x34003400;
        memcpy(m->texels + i, &word, 4);
    }
}

/* --- What a texel means --- */

static int64_t channel_bits(const uint8_t *texel, uint32_t k, uint32_t type)
{
    uint32_t bytes = channel_bytes(type), v = 0;
    memcpy(&v, texel + k * bytes, bytes);
    switch (type) {
    case SNORM_INT8:
    case SIGNED_INT8:
        return (int8_t)v;
    case SNORM_INT16:
    case SIGNED_INT16:
        return (int16_t)v;
    case SIGNED_INT32:
        return (int32_t)v;
    default:
        return v;
    }
}

static double half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023;
    double v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

/* Rounded to the nearest, ties to even. */
static uint32_t half_bits(float v)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double magnitude = fabs((double)v);
    if (isnan(v))
        return 0x7fff;
    int exponent = magnitude < 0x1p-14 ? -14 : ilogb(magnitude);
    if (exponent > 15)
        return sign | 0x7c00;
    uint32_t units = (uint32_t)nearbyint(ldexp(magnitude, 10 - exponent));
    uint32_t bits = units < 1024 ? units : ((uint32_t)(exponent + 15) << 10) + units - 1024;
    return sign | (bits > 0x7c00 ? 0x7c00 : bits);
}

/* Fields of the packed types: width of red and blue, and of green. */
static double packed_channel(const uint8_t *texel, uint32_t k, uint32_t type)
{
    uint32_t v = 0;
    memcpy(&v, texel, type == UNORM_INT_101010 ? 4 : 2);
    uint32_t side = type == UNORM_INT_101010 ? 10 : 5;
    uint32_t middle = type == UNORM_SHORT_565 ? 6 : side;
    const uint32_t at[3] = {middle + side, side, 0}, bits[3] = {side, middle, side};
    uint32_t mask = (1u << bits[k]) - 1;
    return (double)(v >> at[k] & mask) / mask;
}

static double channel_real(const uint8_t *texel, uint32_t k, uint32_t type)
{
    float f;
    if (is_packed(type))
        return packed_channel(texel, k, type);
    double v = (double)channel_bits(texel, k, type);
    switch (type) {
    case SNORM_INT8:
        return fmax(v / 127, -1);
    case SNORM_INT16:
        return fmax(v / 32767, -1);
    case UNORM_INT8:
        return v / 255;
    case UNORM_INT16:
        return v / 65535;
    case HALF_FLOAT:
        return half_value((uint32_t)v);
    case FLOAT:
        memcpy(&f, texel + 4 * k, 4);
        return (double)f;
    default:
        return v;
    }
}

/* As a read sees it: doubles hold every channel of every type. */
static void read_texel(struct image *m, const int32_t at[3], double out[4])
{
    const struct order_row *o = order_row(m->d.order);
    bool inside = true;
    for (int a = 0; a < 3; a++)
        inside &= at[a] >= 0 && at[a] < m->size[a];
    out[0] = out[1] = out[2] = 0;
    out[3] = inside ? o->reads_opaque : o->border_is_opaque;
    if (!inside)
        return;
    const uint8_t *texel = texel_at(m, at[0], at[1], at[2]);
    for (uint32_t k = 0; k < o->n_channels; k++)
        out[o->to[k]] = channel_real(texel, k, m->d.type);
    if (m->d.order == ORDER_INTENSITY)
        out[1] = out[2] = out[3] = out[0];
    if (m->d.order == ORDER_LUMINANCE)
        out[1] = out[2] = out[0];
}

/* --- Addressing (8.2), in floats as the formulas are given --- */

static int32_t to_mode(uint32_t sampler, int32_t i, int32_t size)
{
    switch (sampler & 14) {
    case TO_EDGE:
        return i < 0 ? 0 : i > size - 1 ? size - 1 : i;
    case CLAMP:
        return i < -1 ? -1 : i > size ? size : i;
    default:
        return i;
    }
}

static float unfolded(uint32_t sampler, float s, int32_t size)
{
    if (!(sampler & NORMALIZED))
        return s;
    if ((sampler & 14) == REPEAT)
        return (s - floorf(s)) * (float)size;
    if ((sampler & 14) == MIRRORED)
        return fabsf(s - 2.0f * rintf(0.5f * s)) * (float)size;
    return s * (float)size;
}

static int32_t nearest_index(uint32_t sampler, float s, int32_t size)
{
    int32_t i = (int32_t)floorf(unfolded(sampler, s, size));
    if ((sampler & 15) == (NORMALIZED | REPEAT))
        return i > size - 1 ? i - size : i;
    if ((sampler & 15) == (NORMALIZED | MIRRORED))
        return i > size - 1 ? size - 1 : i;
    return to_mode(sampler, i, size);
}

static void linear_indices(uint32_t sampler, float s, int32_t size, int32_t i[2], double *weight)
{
    float u = unfolded(sampler, s, size) - 0.5f;
    i[0] = (int32_t)floorf(u);
    i[1] = i[0] + 1;
    *weight = (double)(u - floorf(u));
    for (int k = 0; k < 2; k++) {
        if ((sampler & 15) == (NORMALIZED | REPEAT))
            i[k] = i[k] < 0 ? i[k] + size : i[k] > size - 1 ? i[k] - size : i[k];
        else if ((sampler & 15) == (NORMALIZED | MIRRORED))
            i[k] = i[k] < 0 ? 0 : i[k] > size - 1 ? size - 1 : i[k];
        else
            i[k] = to_mode(sampler, i[k], size);
    }
}

static int32_t clamp_layer(const struct image *m, double layer)
{
    return (int32_t)fmin(fmax(nearbyint(layer), 0), m->size[2] - 1);
}

/* The coordinate `c` of the kernel, axis by axis: an array of lines has its layer in c[1]. */
static double layer_of(const struct image *m, const float c[4])
{
    return (double)(m->kind == IMAGE_1DA ? c[1] : c[2]);
}

static void read_nearest(struct image *m, uint32_t sampler, const float c[4], double out[4])
{
    int32_t at[3] = {0, 0, 0};
    for (uint32_t a = 0; a < m->n_filtered; a++)
        at[a] = nearest_index(sampler, c[a], m->size[a]);
    if (m->layered)
        at[2] = clamp_layer(m, layer_of(m, c));
    read_texel(m, at, out);
}

static void read_linear(struct image *m, uint32_t sampler, const float c[4], double out[4])
{
    int32_t i[3][2] = {{0}};
    double weight[3] = {0};
    for (uint32_t a = 0; a < m->n_filtered; a++)
        linear_indices(sampler, c[a], m->size[a], i[a], &weight[a]);
    if (m->layered)
        i[2][0] = i[2][1] = clamp_layer(m, layer_of(m, c));
    memset(out, 0, 4 * sizeof *out);
    for (uint32_t corner = 0; corner < 8; corner++) {
        double texel[4], w = 1;
        int32_t at[3];
        for (uint32_t a = 0; a < 3; a++) {
            at[a] = i[a][corner >> a & 1];
            w *= corner >> a & 1 ? weight[a] : 1 - weight[a];
        }
        read_texel(m, at, texel);
        for (int k = 0; k < 4; k++)
            out[k] += w * texel[k];
    }
}

/* --- Runs --- */

struct fixture {
    struct heddle_sim *sim;
    struct heddle_module *module;
    uint64_t descriptor, texels, at, out;
};

static int open_any_device(void **state, bool timing)
{
    struct fixture *f = calloc(1, sizeof *f);
    const struct heddle_options options = {.struct_size = sizeof options, .timing = timing};
    if (heddle_create(&options, &f->sim) != HEDDLE_OK ||
        heddle_load_file(f->sim, HEDDLE_SOURCE_DIR "/test/cl/images.cl", NULL, &f->module) !=
            HEDDLE_OK) {
        print_error("%s\n", heddle_error(f->sim));
        return -1;
    }
    heddle_alloc(f->sim, 8 * sizeof(struct descriptor), "descriptors", &f->descriptor);
    heddle_alloc(f->sim, MOST_BYTES, "texels", &f->texels);
    heddle_alloc(f->sim, N_ITEMS * 16, "coordinates", &f->at);
    heddle_alloc(f->sim, N_ITEMS * 16, "colours", &f->out);
    *state = f;
    return 0;
}

static int open_device(void **state)
{
    return open_any_device(state, false);
}

static int open_timed_device(void **state)
{
    return open_any_device(state, true);
}

static int close_device(void **state)
{
    struct fixture *f = *state;
    heddle_destroy(f->sim);
    free(f);
    return 0;
}

static void run(struct fixture *f, const char *what, struct image *m, uint64_t sampler,
                const void *at)
{
    char kernel[32];
    snprintf(kernel, sizeof kernel, "%s_%s", what, kind_names[m->kind]);
    m->d.data = f->texels;
    heddle_write(f->sim, f->descriptor, &m->d, sizeof m->d);
    heddle_write(f->sim, f->texels, m->texels, MOST_BYTES);
    heddle_write(f->sim, f->at, at, N_ITEMS * 16);
    const struct heddle_arg args[] = {{.data = &f->descriptor, .bytes = 8},
                                      {.data = &sampler, .bytes = 8},
                                      {.data = &f->at, .bytes = 8},
                                      {.data = &f->out, .bytes = 8}};
    const struct heddle_launch launch = {
        .grid = {N_ITEMS / 64}, .block = {64}, .args = args, .n_args = 4};
    if (heddle_launch(f->sim, f->module, kernel, &launch) != HEDDLE_OK)
        fail_msg("%s: %s", kernel, heddle_error(f->sim));
}

/* The suffix of the function that reads a type. */
static const char *suffix_of(uint32_t type)
{
    if (type >= SIGNED_INT8 && type <= SIGNED_INT32)
        return "i";
    return type >= UNSIGNED_INT8 && type <= UNSIGNED_INT32 ? "ui" : "f";
}

static double value_of(uint32_t word, uint32_t type)
{
    float f;
    if (*suffix_of(type) == 'i')
        return (int32_t)word;
    if (*suffix_of(type) == 'u')
        return word;
    memcpy(&f, &word, 4);
    return (double)f;
}

static double truth_in_type(double truth, uint32_t type)
{
    return *suffix_of(type) == 'f' ? (double)(float)truth : truth;
}

static void compare_reads(struct fixture *f, struct image *m, uint32_t sampler, const float *at,
                          const char *what)
{
    static uint32_t words[N_ITEMS * 4];
    heddle_read(f->sim, f->out, words, sizeof words);
    double tolerance = sampler & LINEAR ? 32 * 0x1p-20 : 0; /* of texels below 32 */
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        double truth[4];
        if (sampler & LINEAR)
            read_linear(m, sampler, at + 4 * i, truth);
        else
            read_nearest(m, sampler, at + 4 * i, truth);
        for (uint32_t k = 0; k < 4; k++) {
            double got = value_of(words[4 * i + k], m->d.type);
            if (fabs(got - truth_in_type(truth[k], m->d.type)) <= tolerance)
                continue;
            const float *c = at + 4 * i;
            fail_msg("%s_%s, order %#x, type %#x, sampler %#x, (%g, %g, %g), channel %u: %.9g "
                     "instead of %.9g",
                     what, kind_names[m->kind], m->d.order, m->d.type, sampler, (double)c[0],
                     (double)c[1], (double)c[2], k, got, truth[k]);
        }
    }
}

/* Inside, just outside and far outside, on texel centres, edges and between. */
static void make_real_coordinates(const struct image *m, uint32_t sampler, float *at,
                                  uint64_t *seed)
{
    for (uint32_t i = 0; i < N_ITEMS * 4; i++) {
        uint64_t r = random_u64(seed);
        double size = i % 4 < 3 ? m->size[i % 4] : 1;
        double u = ((double)(uint32_t)r * 0x1p-32 * 3 - 1) * size;
        if (r >> 60 < 4)
            u = floor(u) + (r >> 59 & 1 ? 0.5 : 0);
        at[i] = (float)(sampler & NORMALIZED ? u / size : u);
    }
    if (!m->layered)
        return;
    for (uint32_t i = 0; i < N_ITEMS; i++) /* a layer is never normalized */
        at[4 * i + (m->kind == IMAGE_1DA ? 1 : 2)] =
            (float)((double)(random_u64(seed) % 32) * 0.25 - 1);
}

static void make_whole_coordinates(const struct image *m, int32_t *whole, float *at, uint64_t *seed)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t axis = m->kind == IMAGE_1DA && k == 1 ? 2 : k;
            int32_t size = axis < 3 ? m->size[axis] : 1;
            whole[4 * i + k] = (int32_t)(random_u64(seed) % (uint32_t)(size + 4)) - 2;
            at[4 * i + k] = (float)whole[4 * i + k];
        }
}

static void read_by_real_coordinates(struct fixture *f, struct image *m, uint32_t sampler,
                                     uint64_t *seed)
{
    static float at[N_ITEMS * 4];
    char what[16];
    make_real_coordinates(m, sampler, at, seed);
    snprintf(what, sizeof what, "real_%s", suffix_of(m->d.type));
    run(f, what, m, sampler, at);
    compare_reads(f, m, sampler, at, what);
}

static void read_by_whole_coordinates(struct fixture *f, struct image *m, uint32_t sampler,
                                      uint64_t *seed)
{
    static int32_t whole[N_ITEMS * 4];
    static float at[N_ITEMS * 4];
    char what[16];
    make_whole_coordinates(m, whole, at, seed);
    snprintf(what, sizeof what, "whole_%s", suffix_of(m->d.type));
    run(f, what, m, sampler, whole);
    compare_reads(f, m, sampler, at, what);
}

/* Outside an image without a sampler is the border. A layer is not clamped then. */
static void read_without_sampler(struct fixture *f, struct image *m, uint64_t *seed)
{
    static int32_t whole[N_ITEMS * 4];
    static float at[N_ITEMS * 4];
    char what[16];
    make_whole_coordinates(m, whole, at, seed);
    for (uint32_t i = 0; m->layered && i < N_ITEMS; i++) {
        uint32_t k = 4 * i + (m->kind == IMAGE_1DA ? 1 : 2);
        whole[k] = clamp_layer(m, (double)whole[k]);
    }
    snprintf(what, sizeof what, "plain_%s", suffix_of(m->d.type));
    run(f, what, m, 0, whole);
    compare_reads(f, m, 0, at, what);
}

static bool format_exists(uint32_t order, uint32_t type)
{
    if (order == ORDER_RGB || order == ORDER_RGBX)
        return is_packed(type);
    return !is_packed(type);
}

static const uint32_t samplers[] = {
    0,
    TO_EDGE,
    CLAMP,
    NORMALIZED | TO_EDGE,
    NORMALIZED | CLAMP,
    NORMALIZED | REPEAT,
    NORMALIZED | MIRRORED,
};

enum { N_SAMPLERS = sizeof samplers / sizeof *samplers };

static void every_format_reads_as_specified(void **state)
{
    struct fixture *f = *state;
    static struct image m;
    uint64_t seed = 1;
    uint32_t n_formats = 0;
    for (uint32_t order = ORDER_R; order <= ORDER_RGBX; order++)
        for (uint32_t type = SNORM_INT8; type <= FLOAT; type++) {
            if (!format_exists(order, type))
                continue;
            enum kind kind = n_formats++ % N_KINDS;
            make_image(&m, kind, order, type, &seed);
            read_without_sampler(f, &m, &seed);
            if (kind == IMAGE_1DB)
                continue;
            read_by_whole_coordinates(f, &m, CLAMP | NEAREST, &seed);
            read_by_real_coordinates(f, &m, NORMALIZED | CLAMP | NEAREST, &seed);
        }
    assert_int_equal(n_formats, 11 * 12 + 2 * 3);
}

static void every_sampler_addresses_as_specified(void **state)
{
    struct fixture *f = *state;
    static struct image m;
    static const uint32_t types[] = {UNORM_INT8, SIGNED_INT16, UNSIGNED_INT32, FLOAT};
    uint64_t seed = 2;
    for (enum kind kind = 0; kind < N_KINDS; kind++)
        for (uint32_t t = 0; t < 4; t++)
            for (uint32_t s = 0; kind != IMAGE_1DB && s < N_SAMPLERS; s++) {
                make_image(&m, kind, s & 1 ? ORDER_RGBA : ORDER_R, types[t], &seed);
                read_by_real_coordinates(f, &m, samplers[s] | NEAREST, &seed);
                if (!(samplers[s] & NORMALIZED))
                    read_by_whole_coordinates(f, &m, samplers[s] | NEAREST, &seed);
                if (*suffix_of(types[t]) == 'f')
                    read_by_real_coordinates(f, &m, samplers[s] | LINEAR, &seed);
            }
}

/* A row of four texels 0, 1, 2, 3 under the two folding modes, computed by hand. */
static void folding_modes_follow_the_hand_chart(void **state)
{
    struct fixture *f = *state;
    static struct image m;
    static const struct {
        float s, repeat, mirrored;
    } chart[] = {
        {-1.1f, 3, 3}, {-0.9f, 0, 3}, {-0.3f, 2, 1}, {-0.1f, 3, 0}, {0.0f, 0, 0}, {0.1f, 0, 0},
        {0.3f, 1, 1},  {0.9f, 3, 3},  {1.0f, 0, 3},  {1.1f, 0, 3},  {1.3f, 1, 2}, {1.9f, 3, 0},
        {2.0f, 0, 0},  {2.1f, 0, 0},  {2.6f, 2, 2},  {3.0f, 0, 3},
    };
    enum { N_CHART = sizeof chart / sizeof *chart };
    float at[N_ITEMS * 4] = {0}, out[N_CHART * 4];
    uint64_t seed = 3;
    make_image(&m, IMAGE_1D, ORDER_R, FLOAT, &seed);
    m.d.width = 4;
    for (uint32_t i = 0; i < 4; i++)
        memcpy(m.texels + 4 * i, &(float){(float)i}, 4);
    for (uint32_t i = 0; i < N_CHART; i++)
        at[4 * i] = chart[i].s;
    run(f, "real_f", &m, NORMALIZED | REPEAT | NEAREST, at);
    heddle_read(f->sim, f->out, out, sizeof out);
    for (uint32_t i = 0; i < N_CHART; i++)
        if (out[4 * i] != chart[i].repeat)
            fail_msg("repeat at %g: %g", (double)chart[i].s, (double)out[4 * i]);
    run(f, "real_f", &m, NORMALIZED | MIRRORED | NEAREST, at);
    heddle_read(f->sim, f->out, out, sizeof out);
    for (uint32_t i = 0; i < N_CHART; i++)
        if (out[4 * i] != chart[i].mirrored)
            fail_msg("mirrored at %g: %g", (double)chart[i].s, (double)out[4 * i]);
}

/* --- Writes --- */

static double clamp_real(double v, double low, double high)
{
    return isnan(v) ? 0 : fmin(fmax(v, low), high);
}

static uint32_t encode_norm(float v, uint32_t type)
{
    static const struct {
        float scale;
        double low, high;
    } norms[] = {{127, -128, 127}, {32767, -32768, 32767}, {255, 0, 255}, {65535, 0, 65535}};
    uint32_t n = type - SNORM_INT8;
    double scaled = (double)(v * norms[n].scale);
    return (uint32_t)(int32_t)nearbyint(clamp_real(scaled, norms[n].low, norms[n].high));
}

static uint32_t encode_channel(uint32_t word, uint32_t type)
{
    int32_t i = (int32_t)word;
    float v;
    memcpy(&v, &word, 4);
    switch (type) {
    case SIGNED_INT8:
        return (uint32_t)(int32_t)clamp_real(i, -128, 127);
    case SIGNED_INT16:
        return (uint32_t)(int32_t)clamp_real(i, -32768, 32767);
    case UNSIGNED_INT8:
        return word > 255 ? 255 : word;
    case UNSIGNED_INT16:
        return word > 65535 ? 65535 : word;
    case HALF_FLOAT:
        return half_bits(v);
    case SIGNED_INT32:
    case UNSIGNED_INT32:
    case FLOAT:
        return word;
    default:
        return encode_norm(v, type);
    }
}

static void write_packed(uint8_t *texel, const uint32_t colour[4], uint32_t type)
{
    uint32_t side = type == UNORM_INT_101010 ? 10 : 5;
    uint32_t middle = type == UNORM_SHORT_565 ? 6 : side;
    const uint32_t at[3] = {middle + side, side, 0}, bits[3] = {side, middle, side};
    uint32_t v = 0;
    for (uint32_t k = 0; k < 3; k++) {
        float c, top = (float)((1u << bits[k]) - 1);
        memcpy(&c, &colour[k], 4);
        v |= (uint32_t)nearbyint(clamp_real((double)(c * top), 0, (double)top)) << at[k];
    }
    memcpy(texel, &v, type == UNORM_INT_101010 ? 4 : 2);
}

static void write_texel(struct image *m, const int32_t c[4], const uint32_t colour[4])
{
    const struct order_row *o = order_row(m->d.order);
    int32_t at[3] = {c[0], m->n_filtered > 1 ? c[1] : 0,
                     m->kind == IMAGE_1DA                          ? c[1]
                     : m->kind == IMAGE_2DA || m->kind == IMAGE_3D ? c[2]
                                                                   : 0};
    for (int a = 0; a < 3; a++)
        if (at[a] < 0 || at[a] >= m->size[a])
            return;
    uint8_t *texel = texel_at(m, at[0], at[1], at[2]);
    uint32_t bytes = channel_bytes(m->d.type);
    if (is_packed(m->d.type)) {
        write_packed(texel, colour, m->d.type);
        return;
    }
    for (uint32_t k = 0; k < o->n_channels; k++) {
        uint32_t v = encode_channel(colour[o->to[k]], m->d.type);
        memcpy(texel + k * bytes, &v, bytes);
    }
}

static void make_colours(uint32_t *words, uint32_t type, uint64_t *seed)
{
    for (uint32_t i = 0; i < N_ITEMS * 4; i++) {
        uint64_t r = random_u64(seed);
        float v = (float)((double)(int32_t)r * 0x1p-30);
        if (r >> 61 == 0)
            v = r >> 60 & 1 ? NAN : (float)(int32_t)r;
        words[i] = (uint32_t)r >> (r >> 32 & 31);
        if (r >> 60 & 1)
            words[i] = -words[i];
        if (*suffix_of(type) == 'f')
            memcpy(&words[i], &v, 4);
    }
}

/* Every texel at most once: which of two writes wins is not specified. */
static void make_targets(const struct image *m, int32_t *whole)
{
    int32_t i = 0;
    memset(whole, 0xff, N_ITEMS * 16); /* outside, at -1 */
    for (int32_t z = -1; z <= m->size[2]; z++)
        for (int32_t y = -1; y <= m->size[1]; y++)
            for (int32_t x = -1; x <= m->size[0]; x++) {
                if ((m->n_filtered < 2 && y) || (m->n_filtered < 3 && !m->layered && z))
                    continue;
                if (i >= 4 * N_ITEMS)
                    return;
                int32_t c[4] = {x, m->kind == IMAGE_1DA ? z : y, z, 0};
                memcpy(whole + i, c, sizeof c);
                i += 4;
            }
}

static void every_format_is_written_as_specified(void **state)
{
    struct fixture *f = *state;
    static struct image m;
    static uint8_t after[MOST_BYTES];
    static uint32_t colours[N_ITEMS * 4];
    static int32_t whole[N_ITEMS * 4];
    uint64_t seed = 4;
    uint32_t n_formats = 0;
    for (uint32_t order = ORDER_R; order <= ORDER_RGBX; order++)
        for (uint32_t type = SNORM_INT8; type <= FLOAT; type++) {
            if (!format_exists(order, type))
                continue;
            char what[16];
            make_image(&m, (enum kind)(n_formats++ % N_KINDS), order, type, &seed);
            make_colours(colours, type, &seed);
            make_targets(&m, whole);
            heddle_write(f->sim, f->out, colours, sizeof colours);
            snprintf(what, sizeof what, "write_%s", suffix_of(type));
            run(f, what, &m, 0, whole);
            heddle_read(f->sim, f->texels, after, sizeof after);
            for (uint32_t i = 0; i < N_ITEMS; i++)
                write_texel(&m, whole + 4 * i, colours + 4 * i);
            for (uint32_t i = 0; i < MOST_BYTES; i++)
                if (after[i] != m.texels[i])
                    fail_msg("%s_%s, order %#x, type %#x: byte %u is %#x instead of %#x", what,
                             kind_names[m.kind], order, type, i, after[i], m.texels[i]);
        }
}

/* --- The rest --- */

static void images_tell_their_size_and_format(void **state)
{
    struct fixture *f = *state;
    static const char *const kernels[] = {"known_read_only", "known_write_only"};
    static const int32_t expected[24] = {10, 20, 30, 40, 50,         60,    41,       51,
                                         61, 62, 33, 52, 40,         41,    50,       51,
                                         60, 61, 62, 0,  UNORM_INT8, FLOAT, ORDER_RA, ORDER_ARGB};
    struct descriptor d[6] = {
        {.width = 10, .type = UNORM_INT8},
        {.width = 20},
        {.width = 30, .array_size = 33, .order = ORDER_RA},
        {.width = 40, .height = 41},
        {.width = 50, .height = 51, .array_size = 52, .order = ORDER_ARGB},
        {.width = 60, .height = 61, .depth = 62, .type = FLOAT},
    };
    uint64_t at[6];
    struct heddle_arg args[7];
    heddle_write(f->sim, f->descriptor, d, sizeof d);
    for (uint32_t i = 0; i < 6; i++) {
        at[i] = f->descriptor + i * sizeof *d;
        args[i] = (struct heddle_arg){.data = &at[i], .bytes = 8};
    }
    args[6] = (struct heddle_arg){.data = &f->out, .bytes = 8};
    const struct heddle_launch launch = {.args = args, .n_args = 7};
    for (uint32_t k = 0; k < 2; k++) {
        int32_t got[24];
        assert_int_equal(heddle_launch(f->sim, f->module, kernels[k], &launch), HEDDLE_OK);
        heddle_read(f->sim, f->out, got, sizeof got);
        assert_memory_equal(got, expected, sizeof got);
    }
}

static void programs_have_samplers_of_their_own(void **state)
{
    struct fixture *f = *state;
    static struct image m;
    float out[16];
    uint64_t seed = 5;
    make_image(&m, IMAGE_2D, ORDER_R, FLOAT, &seed);
    m.d.data = f->texels;
    heddle_write(f->sim, f->descriptor, &m.d, sizeof m.d);
    heddle_write(f->sim, f->texels, m.texels, MOST_BYTES);
    const struct heddle_arg args[] = {{.data = &f->descriptor, .bytes = 8},
                                      {.data = &f->out, .bytes = 8}};
    const struct heddle_launch launch = {.args = args, .n_args = 2};
    assert_int_equal(heddle_launch(f->sim, f->module, "own_samplers", &launch), HEDDLE_OK);
    heddle_read(f->sim, f->out, out, sizeof out);
    static const int32_t at[3][2] = {{0, 6}, {12, 0}, {3, 6}}; /* of 13 by 7 texels */
    for (uint32_t i = 0; i < 3; i++) {
        float expected;
        memcpy(&expected, texel_at(&m, at[i][0], at[i][1], 0), 4);
        assert_true(out[4 * i] == expected);
    }
    assert_true(out[12] == 0 && out[15] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_reads_as_specified),
        cmocka_unit_test(every_sampler_addresses_as_specified),
        cmocka_unit_test(folding_modes_follow_the_hand_chart),
        cmocka_unit_test(every_format_is_written_as_specified),
        cmocka_unit_test(images_tell_their_size_and_format),
        cmocka_unit_test(programs_have_samplers_of_their_own),
    };
    const struct CMUnitTest timed_tests[] = {
        cmocka_unit_test(folding_modes_follow_the_hand_chart),
        cmocka_unit_test(every_sampler_addresses_as_specified),
    };
    return cmocka_run_group_tests(tests, open_device, close_device) ||
           cmocka_run_group_tests(timed_tests, open_timed_device, close_device);
}
