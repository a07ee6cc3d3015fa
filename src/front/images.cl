/* Images of Heddle's OpenCL library. clang passes an image as a 64-bit pointer, here to a
 * descriptor that the host lays out in device memory, and a sampler as a 64-bit value whose lower
 * half holds the CLK_ constants. A texel is read by one load and written by one store of global
 * memory.
 *
 * Addressing and filtering follow OpenCL 1.2, section 8.2; conversions section 8.3. What the
 * specification leaves undefined never faults: reads outside without an addressing mode give the
 * border colour, writes outside are dropped.
 *
 * MODEL: texture units and texture caches are not modelled; image reads take the load path. */

#pragma OPENCL FP_CONTRACT OFF

/* The host side (src/icd) has the same structure. */
struct image {
    ulong data;
    uint width, height, depth, array_size;
    uint row_pitch, slice_pitch; /* bytes */
    uint order, type;            /* CLK_R ..., CLK_SNORM_INT8 ... */
    uint texel_bytes;            /* 1, 2, 4, 8 or 16 */
    uint unused;
};

#define IMAGE(argument) ((const __global struct image *)__builtin_astype(argument, ulong))
#define SAMPLER(argument) ((uint)__builtin_astype(argument, ulong))

/* Program-scope and literal samplers pass through here. It returns a sampler_t, which OpenCL C does
 * not let one write. */
__attribute__((always_inline, const)) __constant void *sampler_of(uint bits)
    __asm__("__translate_sampler_initializer");
__constant void *sampler_of(uint bits)
{
    return (__constant void *)(ulong)bits;
}

/* --- Texels in memory --- */

static PURE ulong texel_address(const __global struct image *image, int4 at)
{
    return image->data + (ulong)(uint)at.x * image->texel_bytes +
           (ulong)(uint)at.y * image->row_pitch + (ulong)(uint)at.z * image->slice_pitch;
}

static OVERLOAD uint4 load_texel(const __global struct image *image, int4 at)
{
    ulong address = texel_address(image, at);
    switch (image->texel_bytes) {
    case 1:
        return (uint4)(*(const __global uchar *)address, 0, 0, 0);
    case 2:
        return (uint4)(*(const __global ushort *)address, 0, 0, 0);
    case 4:
        return (uint4)(*(const __global uint *)address, 0, 0, 0);
    case 8:
        return (uint4)(*(const __global uint2 *)address, 0, 0);
    default:
        return *(const __global uint4 *)address;
    }
}

static OVERLOAD void store_texel(const __global struct image *image, int4 at, uint4 texel)
{
    ulong address = texel_address(image, at);
    switch (image->texel_bytes) {
    case 1:
        *(__global uchar *)address = (uchar)texel.x;
        break;
    case 2:
        *(__global ushort *)address = (ushort)texel.x;
        break;
    case 4:
        *(__global uint *)address = texel.x;
        break;
    case 8:
        *(__global uint2 *)address = texel.xy;
        break;
    default:
        *(__global uint4 *)address = texel;
    }
}

/* Channels in the order in which they lie in memory. */
static PURE uint4 split_bytes(uint4 texel)
{
    return (uint4)(texel.x, texel.x >> 8, texel.x >> 16, texel.x >> 24) & 0xff;
}

static PURE uint4 split_shorts(uint4 texel)
{
    return (uint4)(texel.x, texel.x >> 16, texel.y, texel.y >> 16) & 0xffff;
}

static PURE uint4 join_bytes(uint4 c)
{
    c &= 0xff;
    return (uint4)(c.x | c.y << 8 | c.z << 16 | c.w << 24, 0, 0, 0);
}

static PURE uint4 join_shorts(uint4 c)
{
    c &= 0xffff;
    return (uint4)(c.x | c.y << 16, c.z | c.w << 16, 0, 0);
}

/* From memory's order to (r, g, b, a), and what channels that are not there read as. */
#define FROM_MEMORY(t)                                                                             \
    static PURE t##4 from_memory(t##4 c, uint order)                                               \
    {                                                                                              \
        switch (order) {                                                                           \
        case CLK_A:                                                                                \
            return (t##4)(0, 0, 0, c.x);                                                           \
        case CLK_RG:                                                                               \
        case CLK_RGx:                                                                              \
            return (t##4)(c.xy, 0, 1);                                                             \
        case CLK_RA:                                                                               \
            return (t##4)(c.x, 0, 0, c.y);                                                         \
        case CLK_RGB:                                                                              \
        case CLK_RGBx:                                                                             \
            return (t##4)(c.xyz, 1);                                                               \
        case CLK_RGBA:                                                                             \
            return c;                                                                              \
        case CLK_BGRA:                                                                             \
            return c.zyxw;                                                                         \
        case CLK_ARGB:                                                                             \
            return c.yzwx;                                                                         \
        case CLK_INTENSITY:                                                                        \
            return c.xxxx;                                                                         \
        case CLK_LUMINANCE:                                                                        \
            return (t##4)(c.xxx, 1);                                                               \
        default: /* CLK_R, CLK_Rx, CLK_DEPTH */                                                    \
            return (t##4)(c.x, 0, 0, 1);                                                           \
        }                                                                                          \
    }
FROM_MEMORY(float)
FROM_MEMORY(uint)

#define TO_MEMORY(t)                                                                               \
    static PURE t##4 to_memory(t##4 c, uint order)                                                 \
    {                                                                                              \
        switch (order) {                                                                           \
        case CLK_A:                                                                                \
            return c.wwww;                                                                         \
        case CLK_RA:                                                                               \
            return c.xwxw;                                                                         \
        case CLK_BGRA:                                                                             \
            return c.zyxw;                                                                         \
        case CLK_ARGB:                                                                             \
            return c.wxyz;                                                                         \
        default:                                                                                   \
            return c;                                                                              \
        }                                                                                          \
    }
TO_MEMORY(float)
TO_MEMORY(uint)

/* Without alpha of its own an image's border is opaque, except for the padded orders (8.2). */
static PURE uint border_alpha(uint order)
{
    return order == CLK_R || order == CLK_RG || order == CLK_RGB || order == CLK_LUMINANCE;
}

/* --- Channel types --- */

static PURE float half_to_float(uint bits)
{
    float result;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"((ushort)bits));
    return result;
}

static PURE float4 halves_to_floats(uint4 c)
{
    return (float4)(half_to_float(c.x), half_to_float(c.y), half_to_float(c.z),
                    half_to_float(c.w));
}

static PURE float4 decode_real(uint4 texel, uint type)
{
    uint x = texel.x;
    switch (type) {
    case CLK_SNORM_INT8:
        return max(convert_float4(convert_int4(split_bytes(texel)) << 24 >> 24) / 127.0f, -1.0f);
    case CLK_SNORM_INT16:
        return max(convert_float4(convert_int4(split_shorts(texel)) << 16 >> 16) / 32767.0f,
                   -1.0f);
    case CLK_UNORM_INT8:
        return convert_float4(split_bytes(texel)) / 255.0f;
    case CLK_UNORM_INT16:
        return convert_float4(split_shorts(texel)) / 65535.0f;
    case CLK_UNORM_SHORT_565:
        return convert_float4((uint4)(x >> 11 & 31, x >> 5 & 63, x & 31, 0)) /
               (float4)(31, 63, 31, 1);
    case CLK_UNORM_SHORT_555:
        return convert_float4((uint4)(x >> 10 & 31, x >> 5 & 31, x & 31, 0)) / 31.0f;
    case CLK_UNORM_INT_101010:
        return convert_float4((uint4)(x >> 20 & 1023, x >> 10 & 1023, x & 1023, 0)) / 1023.0f;
    case CLK_HALF_FLOAT:
        return halves_to_floats(split_shorts(texel));
    default:
        return as_float4(texel);
    }
}

static PURE uint4 encode_real(float4 c, uint type)
{
    uint4 u;
    switch (type) {
    case CLK_SNORM_INT8:
        return join_bytes(as_uint4(convert_int4(convert_char4_sat_rte(c * 127.0f))));
    case CLK_SNORM_INT16:
        return join_shorts(as_uint4(convert_int4(convert_short4_sat_rte(c * 32767.0f))));
    case CLK_UNORM_INT8:
        return join_bytes(convert_uint4(convert_uchar4_sat_rte(c * 255.0f)));
    case CLK_UNORM_INT16:
        return join_shorts(convert_uint4(convert_ushort4_sat_rte(c * 65535.0f)));
    case CLK_UNORM_SHORT_565:
        u = min(convert_uint4_sat_rte(c * (float4)(31, 63, 31, 1)), (uint4)(31, 63, 31, 1));
        return (uint4)(u.x << 11 | u.y << 5 | u.z, 0, 0, 0);
    case CLK_UNORM_SHORT_555:
        u = min(convert_uint4_sat_rte(c * 31.0f), 31u);
        return (uint4)(u.x << 10 | u.y << 5 | u.z, 0, 0, 0);
    case CLK_UNORM_INT_101010:
        u = min(convert_uint4_sat_rte(c * 1023.0f), 1023u);
        return (uint4)(u.x << 20 | u.y << 10 | u.z, 0, 0, 0);
    case CLK_HALF_FLOAT:
        return join_shorts(convert_uint4(half_bits_rte(c)));
    default:
        return as_uint4(c);
    }
}

static PURE uint4 decode_whole(uint4 texel, uint type)
{
    switch (type) {
    case CLK_SIGNED_INT8:
        return as_uint4(convert_int4(split_bytes(texel)) << 24 >> 24);
    case CLK_SIGNED_INT16:
        return as_uint4(convert_int4(split_shorts(texel)) << 16 >> 16);
    case CLK_UNSIGNED_INT8:
        return split_bytes(texel);
    case CLK_UNSIGNED_INT16:
        return split_shorts(texel);
    default:
        return texel;
    }
}

static PURE uint4 encode_whole(int4 c, uint type)
{
    switch (type) {
    case CLK_SIGNED_INT8:
        return join_bytes(as_uint4(clamp(c, CHAR_MIN, CHAR_MAX)));
    case CLK_SIGNED_INT16:
        return join_shorts(as_uint4(clamp(c, SHRT_MIN, SHRT_MAX)));
    default:
        return as_uint4(c);
    }
}

static PURE uint4 encode_whole(uint4 c, uint type)
{
    switch (type) {
    case CLK_UNSIGNED_INT8:
        return join_bytes(min(c, (uint)UCHAR_MAX));
    case CLK_UNSIGNED_INT16:
        return join_shorts(min(c, (uint)USHRT_MAX));
    default:
        return c;
    }
}

/* --- One texel --- */

/* `size` is the extent in x, y, z. */

static PURE bool is_inside(int4 at, int4 size)
{
    return (uint)at.x < (uint)size.x && (uint)at.y < (uint)size.y && (uint)at.z < (uint)size.z;
}

APART float4 read_real(const __global struct image *image, int4 at, int4 size)
{
    if (!is_inside(at, size))
        return (float4)(0, 0, 0, (float)border_alpha(image->order));
    return from_memory(decode_real(load_texel(image, at), image->type), image->order);
}

APART uint4 read_whole(const __global struct image *image, int4 at, int4 size)
{
    if (!is_inside(at, size))
        return (uint4)(0, 0, 0, border_alpha(image->order));
    return from_memory(decode_whole(load_texel(image, at), image->type), image->order);
}

APART void write_real(const __global struct image *image, int4 at, int4 size, float4 colour)
{
    if (is_inside(at, size))
        store_texel(image, at, encode_real(to_memory(colour, image->order), image->type));
}

APART void write_whole(const __global struct image *image, int4 at, int4 size, int4 colour)
{
    colour = as_int4(to_memory(as_uint4(colour), image->order));
    if (is_inside(at, size))
        store_texel(image, at, encode_whole(colour, image->type));
}

APART void write_whole(const __global struct image *image, int4 at, int4 size, uint4 colour)
{
    if (is_inside(at, size))
        store_texel(image, at, encode_whole(to_memory(colour, image->order), image->type));
}

/* --- Addressing, one axis at a time --- */

enum { ADDRESSING = 0xe, LINEAR = 0x20 };

static PURE int place(uint sampler, int i, int size)
{
    switch (sampler & ADDRESSING) {
    case CLK_ADDRESS_CLAMP_TO_EDGE:
        return clamp(i, 0, size - 1);
    case CLK_ADDRESS_CLAMP:
        return clamp(i, -1, size);
    default:
        return i;
    }
}

/* The two mappings of a normalized coordinate that fold it into the image, in texels. */
static PURE float repeated(float s, int size)
{
    return (s - floor(s)) * (float)size;
}

static PURE float mirrored(float s, int size)
{
    return fabs(s - 2.0f * rint(0.5f * s)) * (float)size;
}

APART int nearest(uint sampler, float s, int size)
{
    int i;
    if (!(sampler & CLK_NORMALIZED_COORDS_TRUE))
        return place(sampler, convert_int_sat_rtn(s), size);
    switch (sampler & ADDRESSING) {
    case CLK_ADDRESS_REPEAT:
        i = convert_int_sat_rtn(repeated(s, size));
        return i > size - 1 ? i - size : i;
    case CLK_ADDRESS_MIRRORED_REPEAT:
        return min(convert_int_sat_rtn(mirrored(s, size)), size - 1);
    default:
        return place(sampler, convert_int_sat_rtn(s * (float)size), size);
    }
}

/* Two neighbours and the weight of the second. */
struct pair {
    int first, second;
    float weight;
};

static PURE struct pair neighbours(float u)
{
    u -= 0.5f;
    float below = floor(u);
    int first = convert_int_sat(below);
    return (struct pair){first, (int)((uint)first + 1), u - below};
}

APART struct pair linear(uint sampler, float s, int size)
{
    struct pair p;
    bool normalized = sampler & CLK_NORMALIZED_COORDS_TRUE;
    uint addressing = sampler & ADDRESSING;
    if (normalized && addressing == CLK_ADDRESS_REPEAT) {
        p = neighbours(repeated(s, size));
        p.first += p.first < 0 ? size : 0;
        p.second -= p.second > size - 1 ? size : 0;
    } else if (normalized && addressing == CLK_ADDRESS_MIRRORED_REPEAT) {
        p = neighbours(mirrored(s, size));
        p.first = max(p.first, 0);
        p.second = min(p.second, size - 1);
    } else {
        p = neighbours(normalized ? s * (float)size : s);
        p.first = place(sampler, p.first, size);
        p.second = place(sampler, p.second, size);
    }
    return p;
}

/* --- Samples --- */

/* The number of filtered dimensions and the extent by image type. What is left of the three
 * coordinates is zero, or in arrays the layer, which is rounded and clamped. */
#define SIZE_1D(image) (int4)((int)(image)->width, 1, 1, 0)
#define SIZE_1D_ARRAY(image) (int4)((int)(image)->width, 1, (int)(image)->array_size, 0)
#define SIZE_2D(image) (int4)((int)(image)->width, (int)(image)->height, 1, 0)
#define SIZE_2D_ARRAY(image)                                                                       \
    (int4)((int)(image)->width, (int)(image)->height, (int)(image)->array_size, 0)
#define SIZE_3D(image) (int4)((int)(image)->width, (int)(image)->height, (int)(image)->depth, 0)

static PURE int layer(float s, int4 size)
{
    return clamp(convert_int_sat_rte(s), 0, size.z - 1);
}

static PURE int layer(int i, int4 size)
{
    return clamp(i, 0, size.z - 1);
}

static PURE int4 place_all(uint sampler, int n_dims, int4 at, int4 size)
{
    at.x = place(sampler, at.x, size.x);
    at.y = n_dims > 1 ? place(sampler, at.y, size.y) : 0;
    at.z = n_dims > 2 ? place(sampler, at.z, size.z) : at.z;
    return at;
}

/* `z` is the layer of an array; of a 3D image it is a coordinate and s.z holds it. */
static PURE int4 nearest_all(uint sampler, int n_dims, float4 s, int z, int4 size)
{
    return (int4)(nearest(sampler, s.x, size.x), n_dims > 1 ? nearest(sampler, s.y, size.y) : 0,
                  n_dims > 2 ? nearest(sampler, s.z, size.z) : z, 0);
}

APART float4 read_linear(const __global struct image *image, uint sampler, int n_dims, float4 s,
                         int z, int4 size)
{
    const struct pair alone = {0, 0, 0};
    struct pair x = linear(sampler, s.x, size.x);
    struct pair y = n_dims > 1 ? linear(sampler, s.y, size.y) : alone;
    struct pair depth = n_dims > 2 ? linear(sampler, s.z, size.z) : alone;
    depth.first = n_dims > 2 ? depth.first : z;
    float4 sum = 0;
    for (int k = 0; k < (n_dims > 2 ? 2 : 1); k++)
        for (int j = 0; j < (n_dims > 1 ? 2 : 1); j++)
            for (int i = 0; i < 2; i++) {
                float weight = (i ? x.weight : 1 - x.weight) * (j ? y.weight : 1 - y.weight) *
                               (k ? depth.weight : 1 - depth.weight);
                int4 at = (int4)(i ? x.second : x.first, j ? y.second : y.first,
                                 k ? depth.second : depth.first, 0);
                sum += weight * read_real(image, at, size);
            }
    return sum;
}

static OVERLOAD float4 sample_real(const __global struct image *image, uint sampler, int n_dims,
                                   float4 s, int z, int4 size)
{
    if (sampler & LINEAR)
        return read_linear(image, sampler, n_dims, s, z, size);
    return read_real(image, nearest_all(sampler, n_dims, s, z, size), size);
}

/* --- The built-in functions --- */

/* The coordinate `c` of every type in the three axes. */
#define AT_1D(c) (int4)(c, 0, 0, 0)
#define AT_1D_ARRAY(c) (int4)((c).x, 0, (c).y, 0)
#define AT_2D(c) (int4)(c, 0, 0)
#define AT_3D(c) (int4)((c).xyz, 0)
#define REAL_1D(c) (float4)(c, 0, 0, 0)
#define REAL_1D_ARRAY(c) (float4)((c).x, 0, 0, 0)
#define REAL_2D(c) (float4)(c, 0, 0)
#define REAL_2D_ARRAY(c) (float4)((c).xy, 0, 0)
#define REAL_3D(c) (float4)((c).xyz, 0)
#define NO_LAYER(c, size) 0
#define LAYER_Y(c, size) layer((c).y, size)
#define LAYER_Z(c, size) layer((c).z, size)

/* An array's layer is clamped even where the other coordinates are not. */
#define WITH_LAYER(at, z) ((int4)((at).xy, z, 0))

#define UNSAMPLED(type, size_of, at)                                                               \
    OVERLOAD float4 read_imagef(read_only type i, at##_INT c)                                      \
    {                                                                                              \
        return read_real(IMAGE(i), at(c), size_of(IMAGE(i)));                                      \
    }                                                                                              \
    OVERLOAD int4 read_imagei(read_only type i, at##_INT c)                                        \
    {                                                                                              \
        return as_int4(read_whole(IMAGE(i), at(c), size_of(IMAGE(i))));                            \
    }                                                                                              \
    OVERLOAD uint4 read_imageui(read_only type i, at##_INT c)                                      \
    {                                                                                              \
        return read_whole(IMAGE(i), at(c), size_of(IMAGE(i)));                                     \
    }                                                                                              \
    OVERLOAD void write_imagef(write_only type i, at##_INT c, float4 colour)                       \
    {                                                                                              \
        write_real(IMAGE(i), at(c), size_of(IMAGE(i)), colour);                                    \
    }                                                                                              \
    OVERLOAD void write_imagei(write_only type i, at##_INT c, int4 colour)                         \
    {                                                                                              \
        write_whole(IMAGE(i), at(c), size_of(IMAGE(i)), colour);                                   \
    }                                                                                              \
    OVERLOAD void write_imageui(write_only type i, at##_INT c, uint4 colour)                       \
    {                                                                                              \
        write_whole(IMAGE(i), at(c), size_of(IMAGE(i)), colour);                                   \
    }
#define AT_1D_INT int
#define AT_1D_ARRAY_INT int2
#define AT_2D_INT int2
#define AT_3D_INT int4
UNSAMPLED(image1d_t, SIZE_1D, AT_1D)
UNSAMPLED(image1d_buffer_t, SIZE_1D, AT_1D)
UNSAMPLED(image1d_array_t, SIZE_1D_ARRAY, AT_1D_ARRAY)
UNSAMPLED(image2d_t, SIZE_2D, AT_2D)
UNSAMPLED(image2d_array_t, SIZE_2D_ARRAY, AT_3D)
UNSAMPLED(image3d_t, SIZE_3D, AT_3D)

/* By whole coordinates a sampler may only place, by real ones it may also filter. */
#define SAMPLED_WHOLE(result, name, read, cast, type, n_dims, size_of, int_c, at, layer_of)        \
    OVERLOAD result name(read_only type i, sampler_t s, int_c c)                                   \
    {                                                                                              \
        int4 size = size_of(IMAGE(i));                                                             \
        int4 whole = at(c);                                                                        \
        if (n_dims < 3)                                                                            \
            whole = WITH_LAYER(whole, layer_of(c, size));                                          \
        return cast(read(IMAGE(i), place_all(SAMPLER(s), n_dims, whole, size), size));             \
    }
#define SAMPLED_REAL(result, name, cast, type, n_dims, size_of, float_c, real, layer_of)           \
    OVERLOAD result name(read_only type i, sampler_t s, float_c c)                                 \
    {                                                                                              \
        int4 size = size_of(IMAGE(i));                                                             \
        int z = layer_of(c, size);                                                                 \
        return cast(read_whole(IMAGE(i), nearest_all(SAMPLER(s), n_dims, real(c), z, size), size));\
    }
#define SAMPLED(type, n_dims, size_of, int_c, float_c, at, real, layer_of)                         \
    SAMPLED_WHOLE(float4, read_imagef, read_real, , type, n_dims, size_of, int_c, at,              \
                  layer_of)                                                                        \
    SAMPLED_WHOLE(int4, read_imagei, read_whole, as_int4, type, n_dims, size_of, int_c, at,        \
                  layer_of)                                                                        \
    SAMPLED_WHOLE(uint4, read_imageui, read_whole, , type, n_dims, size_of, int_c, at,             \
                  layer_of)                                                                        \
    OVERLOAD float4 read_imagef(read_only type i, sampler_t s, float_c c)                          \
    {                                                                                              \
        int4 size = size_of(IMAGE(i));                                                             \
        return sample_real(IMAGE(i), SAMPLER(s), n_dims, real(c), layer_of(c, size), size);        \
    }                                                                                              \
    SAMPLED_REAL(int4, read_imagei, as_int4, type, n_dims, size_of, float_c, real, layer_of)       \
    SAMPLED_REAL(uint4, read_imageui, , type, n_dims, size_of, float_c, real, layer_of)

SAMPLED(image1d_t, 1, SIZE_1D, int, float, AT_1D, REAL_1D, NO_LAYER)
SAMPLED(image1d_array_t, 1, SIZE_1D_ARRAY, int2, float2, AT_1D_ARRAY, REAL_1D_ARRAY, LAYER_Y)
SAMPLED(image2d_t, 2, SIZE_2D, int2, float2, AT_2D, REAL_2D, NO_LAYER)
SAMPLED(image2d_array_t, 2, SIZE_2D_ARRAY, int4, float4, AT_3D, REAL_2D_ARRAY, LAYER_Z)
SAMPLED(image3d_t, 3, SIZE_3D, int4, float4, AT_3D, REAL_3D, NO_LAYER)

/* --- What is known of an image --- */

#define KNOWN_OF(access, kind)                                                                     \
    PURE int get_image_width(access kind i) { return (int)IMAGE(i)->width; }                       \
    PURE int get_image_channel_data_type(access kind i) { return (int)IMAGE(i)->type; }            \
    PURE int get_image_channel_order(access kind i) { return (int)IMAGE(i)->order; }
#define HEIGHT_OF(access, kind)                                                                    \
    PURE int get_image_height(access kind i) { return (int)IMAGE(i)->height; }
#define PLANE_OF(access, kind)                                                                     \
    HEIGHT_OF(access, kind)                                                                        \
    PURE int2 get_image_dim(access kind i)                                                         \
    {                                                                                              \
        return (int2)((int)IMAGE(i)->width, (int)IMAGE(i)->height);                                \
    }
#define LAYERS_OF(access, kind)                                                                    \
    PURE size_t get_image_array_size(access kind i) { return IMAGE(i)->array_size; }
#define KNOWN(access)                                                                              \
    KNOWN_OF(access, image1d_t)                                                                    \
    KNOWN_OF(access, image1d_buffer_t)                                                             \
    KNOWN_OF(access, image1d_array_t)                                                              \
    KNOWN_OF(access, image2d_t)                                                                    \
    KNOWN_OF(access, image2d_array_t)                                                              \
    KNOWN_OF(access, image3d_t)                                                                    \
    PLANE_OF(access, image2d_t)                                                                    \
    PLANE_OF(access, image2d_array_t)                                                              \
    HEIGHT_OF(access, image3d_t)                                                                   \
    LAYERS_OF(access, image1d_array_t)                                                             \
    LAYERS_OF(access, image2d_array_t)                                                             \
    PURE int get_image_depth(access image3d_t i) { return (int)IMAGE(i)->depth; }                  \
    PURE int4 get_image_dim(access image3d_t i)                                                    \
    {                                                                                              \
        return (int4)((int)IMAGE(i)->width, (int)IMAGE(i)->height, (int)IMAGE(i)->depth, 0);       \
    }
KNOWN(read_only)
KNOWN(write_only)
