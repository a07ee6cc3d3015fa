/* The formats of images, and colours in them. */
#include <math.h>
#include <string.h>

#include "icd/image.h"

/* The types that an order of channels may have. */
enum { TYPES_ALL, TYPES_8_BITS, TYPES_REAL, TYPES_PACKED };

static const struct order {
    cl_channel_order order;
    uint8_t n_channels, types;
} orders[] = {
    {CL_RGBA, 4, TYPES_ALL},   {CL_BGRA, 4, TYPES_8_BITS},    {CL_ARGB, 4, TYPES_8_BITS},
    {CL_R, 1, TYPES_ALL},      {CL_RG, 2, TYPES_ALL},         {CL_A, 1, TYPES_ALL},
    {CL_RA, 2, TYPES_ALL},     {CL_INTENSITY, 1, TYPES_REAL}, {CL_LUMINANCE, 1, TYPES_REAL},
    {CL_RGB, 3, TYPES_PACKED}, {CL_RGBx, 3, TYPES_PACKED},
};

static const struct channel {
    cl_channel_type type;
    uint8_t bytes; /* of a channel; for a packed type, of the texel */
    bool is_real;  /* read as float */
} channels[] = {
    {CL_UNORM_INT8, 1, true},      {CL_UNORM_INT16, 2, true},     {CL_SNORM_INT8, 1, true},
    {CL_SNORM_INT16, 2, true},     {CL_SIGNED_INT8, 1, false},    {CL_SIGNED_INT16, 2, false},
    {CL_SIGNED_INT32, 4, false},   {CL_UNSIGNED_INT8, 1, false},  {CL_UNSIGNED_INT16, 2, false},
    {CL_UNSIGNED_INT32, 4, false}, {CL_HALF_FLOAT, 2, true},      {CL_FLOAT, 4, true},
    {CL_UNORM_SHORT_565, 2, true}, {CL_UNORM_SHORT_555, 2, true}, {CL_UNORM_INT_101010, 4, true},
};
enum { N_ORDERS = sizeof orders / sizeof *orders, N_CHANNELS = sizeof channels / sizeof *channels };

/* Bits of red, green and blue in one word, red highest; NULL if the type is not packed. */
static const uint8_t *packed_bits(cl_channel_type type)
{
    static const uint8_t bits_565[] = {5, 6, 5}, bits_555[] = {5, 5, 5}, bits_10[] = {10, 10, 10};
    return type == CL_UNORM_SHORT_565    ? bits_565
           : type == CL_UNORM_SHORT_555  ? bits_555
           : type == CL_UNORM_INT_101010 ? bits_10
                                         : NULL;
}

static bool go_together(const struct order *o, const struct channel *c)
{
    if ((o->types == TYPES_PACKED) != (packed_bits(c->type) != NULL))
        return false;
    switch (o->types) {
    case TYPES_8_BITS:
        return c->bytes == 1;
    case TYPES_REAL:
        return c->is_real;
    default:
        return true;
    }
}

static const struct order *find_order(cl_channel_order order)
{
    for (int i = 0; i < N_ORDERS; i++)
        if (orders[i].order == order)
            return &orders[i];
    return NULL;
}

static const struct channel *find_channel(cl_channel_type type)
{
    for (int i = 0; i < N_CHANNELS; i++)
        if (channels[i].type == type)
            return &channels[i];
    return NULL;
}

size_t format_bytes(const cl_image_format *f)
{
    const struct order *o = find_order(f->image_channel_order);
    const struct channel *c = find_channel(f->image_channel_data_type);
    if (!o || !c || !go_together(o, c))
        return 0;
    return o->types == TYPES_PACKED ? c->bytes : (size_t)o->n_channels * c->bytes;
}

cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                      cl_mem_object_type type, cl_uint n, cl_image_format *formats,
                                      cl_uint *n_ret)
{
    icd_lock();
    bool ok = object_is(context, ICD_CONTEXT);
    icd_unlock();
    if (!ok)
        return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        (n == 0 && formats) || mem_check_flags(flags, NULL) == CL_INVALID_VALUE)
        return CL_INVALID_VALUE;
    cl_uint count = 0;
    bool both = flags & CL_MEM_KERNEL_READ_AND_WRITE; /* within one kernel: not supported */
    for (int o = 0; o < N_ORDERS && !both; o++)
        for (int c = 0; c < N_CHANNELS; c++) {
            if (!go_together(&orders[o], &channels[c]))
                continue;
            if (formats && count < n)
                formats[count] = (cl_image_format){orders[o].order, channels[c].type};
            count++;
        }
    if (n_ret)
        *n_ret = count;
    return CL_SUCCESS;
}

/* --- colours --- */

/* Rounds to nearest even. */
static uint16_t to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x47800000) /* 2^16 and above */
        return (uint16_t)(sign | 0x7c00);
    int exponent = (int)(magnitude >> 23) - 127;
    uint32_t shift = exponent < -14 ? (uint32_t)(13 - 14 - exponent) : 13;
    if (shift > 24)
        return (uint16_t)sign;
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    kept += rest > half || (rest == half && kept & 1);
    uint32_t base = exponent < -14 ? 0 : (uint32_t)(exponent + 14) << 10;
    return (uint16_t)(sign | (base + kept));
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static int64_t scaled(float f, float scale, float low)
{
    if (isnan(f))
        return 0;
    f = f < low ? low : f > 1 ? 1 : f;
    return (int64_t)rintf(f * scale);
}

/* One channel of a colour: float, int and unsigned colours use the same 16 bytes. */
static void encode_channel(cl_channel_type type, const void *value, char *out)
{
    float f;
    int32_t i;
    uint32_t u;
    memcpy(&f, value, 4);
    memcpy(&i, value, 4);
    memcpy(&u, value, 4);
    int64_t result;
    switch (type) {
    case CL_UNORM_INT8:
        result = scaled(f, 255, 0);
        break;
    case CL_UNORM_INT16:
        result = scaled(f, 65535, 0);
        break;
    case CL_SNORM_INT8:
        result = scaled(f, 127, -1);
        break;
    case CL_SNORM_INT16:
        result = scaled(f, 32767, -1);
        break;
    case CL_SIGNED_INT8:
        result = clamp(i, INT8_MIN, INT8_MAX);
        break;
    case CL_SIGNED_INT16:
        result = clamp(i, INT16_MIN, INT16_MAX);
        break;
    case CL_UNSIGNED_INT8:
        result = clamp(u, 0, UINT8_MAX);
        break;
    case CL_UNSIGNED_INT16:
        result = clamp(u, 0, UINT16_MAX);
        break;
    case CL_HALF_FLOAT:
        result = to_half(f);
        break;
    default: /* 32 bits as they are */
        result = u;
    }
    memcpy(out, &result, find_channel(type)->bytes);
}

/* Which of red, green, blue, alpha comes first, second, ... */
static const uint8_t *channel_order(cl_channel_order order)
{
    static const uint8_t rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, argb[] = {3, 0, 1, 2};
    static const uint8_t a[] = {3}, ra[] = {0, 3};
    switch (order) {
    case CL_BGRA:
        return bgra;
    case CL_ARGB:
        return argb;
    case CL_A:
        return a;
    case CL_RA:
        return ra;
    default:
        return rgba;
    }
}

static void encode_packed(const struct channel *c, const void *colour, void *element)
{
    const uint8_t *bits = packed_bits(c->type);
    uint32_t word = 0;
    for (int i = 0; i < 3; i++) {
        float f;
        memcpy(&f, (const char *)colour + 4 * i, 4);
        word = word << bits[i] | (uint32_t)scaled(f, (float)((1u << bits[i]) - 1), 0);
    }
    memcpy(element, &word, c->bytes);
}

void format_encode(const cl_image_format *f, const void *colour, void *element)
{
    const struct order *o = find_order(f->image_channel_order);
    const struct channel *c = find_channel(f->image_channel_data_type);
    const uint8_t *which = channel_order(o->order);
    if (o->types == TYPES_PACKED)
        encode_packed(c, colour, element);
    else
        for (int i = 0; i < o->n_channels; i++)
            encode_channel(c->type, (const char *)colour + 4 * which[i],
                           (char *)element + i * c->bytes);
}
