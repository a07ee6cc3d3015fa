/* Every image function by image type. test_images.c runs the kernels and has its own account of
 * what they should give. Coordinates come as four numbers, of which a type takes the first ones. */
#define KERNELS(name, type, real_c, whole_c)                                                       \
    __kernel void real_f_##name(read_only type image, sampler_t s, __global const float4 *at,      \
                                __global float4 *out)                                              \
    {                                                                                              \
        float4 c = at[get_global_id(0)];                                                           \
        out[get_global_id(0)] = read_imagef(image, s, real_c);                                     \
    }                                                                                              \
    __kernel void real_i_##name(read_only type image, sampler_t s, __global const float4 *at,      \
                                __global int4 *out)                                                \
    {                                                                                              \
        float4 c = at[get_global_id(0)];                                                           \
        out[get_global_id(0)] = read_imagei(image, s, real_c);                                     \
    }                                                                                              \
    __kernel void real_ui_##name(read_only type image, sampler_t s, __global const float4 *at,     \
                                 __global uint4 *out)                                              \
    {                                                                                              \
        float4 c = at[get_global_id(0)];                                                           \
        out[get_global_id(0)] = read_imageui(image, s, real_c);                                    \
    }                                                                                              \
    __kernel void whole_f_##name(read_only type image, sampler_t s, __global const int4 *at,       \
                                 __global float4 *out)                                             \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        out[get_global_id(0)] = read_imagef(image, s, whole_c);                                    \
    }                                                                                              \
    __kernel void whole_i_##name(read_only type image, sampler_t s, __global const int4 *at,       \
                                 __global int4 *out)                                               \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        out[get_global_id(0)] = read_imagei(image, s, whole_c);                                    \
    }                                                                                              \
    __kernel void whole_ui_##name(read_only type image, sampler_t s, __global const int4 *at,      \
                                  __global uint4 *out)                                             \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        out[get_global_id(0)] = read_imageui(image, s, whole_c);                                   \
    }
#define UNSAMPLED(name, type, whole_c)                                                             \
    __kernel void plain_f_##name(read_only type image, ulong unused, __global const int4 *at,      \
                                 __global float4 *out)                                             \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        out[get_global_id(0)] = read_imagef(image, whole_c);                                       \
    }                                                                                              \
    __kernel void plain_i_##name(read_only type image, ulong unused, __global const int4 *at,      \
                                 __global int4 *out)                                               \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        out[get_global_id(0)] = read_imagei(image, whole_c);                                       \
    }                                                                                              \
    __kernel void plain_ui_##name(read_only type image, ulong unused, __global const int4 *at,     \
                                  __global uint4 *out)                                             \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        out[get_global_id(0)] = read_imageui(image, whole_c);                                      \
    }                                                                                              \
    __kernel void write_f_##name(write_only type image, ulong unused, __global const int4 *at,     \
                                 __global const float4 *in)                                        \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        write_imagef(image, whole_c, in[get_global_id(0)]);                                        \
    }                                                                                              \
    __kernel void write_i_##name(write_only type image, ulong unused, __global const int4 *at,     \
                                 __global const int4 *in)                                          \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        write_imagei(image, whole_c, in[get_global_id(0)]);                                        \
    }                                                                                              \
    __kernel void write_ui_##name(write_only type image, ulong unused, __global const int4 *at,    \
                                  __global const uint4 *in)                                        \
    {                                                                                              \
        int4 c = at[get_global_id(0)];                                                             \
        write_imageui(image, whole_c, in[get_global_id(0)]);                                       \
    }
KERNELS(1d, image1d_t, c.x, c.x)
KERNELS(1da, image1d_array_t, c.xy, c.xy)
KERNELS(2d, image2d_t, c.xy, c.xy)
KERNELS(2da, image2d_array_t, c, c)
KERNELS(3d, image3d_t, c, c)
UNSAMPLED(1d, image1d_t, c.x)
UNSAMPLED(1db, image1d_buffer_t, c.x)
UNSAMPLED(1da, image1d_array_t, c.xy)
UNSAMPLED(2d, image2d_t, c.xy)
UNSAMPLED(2da, image2d_array_t, c)
UNSAMPLED(3d, image3d_t, c)

/* What is known of images, read-only and write-only ones alike. */
#define KNOWN(access, out)                                                                         \
    __kernel void known_##access(access image1d_t a, access image1d_buffer_t b,                    \
                                 access image1d_array_t c, access image2d_t d,                     \
                                 access image2d_array_t e, access image3d_t f, __global int *out)  \
    {                                                                                              \
        out[0] = get_image_width(a), out[1] = get_image_width(b), out[2] = get_image_width(c);     \
        out[3] = get_image_width(d), out[4] = get_image_width(e), out[5] = get_image_width(f);     \
        out[6] = get_image_height(d), out[7] = get_image_height(e), out[8] = get_image_height(f);  \
        out[9] = get_image_depth(f);                                                               \
        out[10] = (int)get_image_array_size(c), out[11] = (int)get_image_array_size(e);            \
        vstore2(get_image_dim(d), 6, out), vstore2(get_image_dim(e), 7, out);                      \
        vstore4(get_image_dim(f), 4, out);                                                         \
        out[20] = get_image_channel_data_type(a), out[21] = get_image_channel_data_type(f);        \
        out[22] = get_image_channel_order(c), out[23] = get_image_channel_order(e);                \
    }
KNOWN(read_only, out)
KNOWN(write_only, out)

/* Samplers of the program itself: at its top, in a function, as a literal argument. */
__constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

static float4 through(read_only image2d_t image, sampler_t s, float2 at)
{
    return read_imagef(image, s, at);
}

__kernel void own_samplers(read_only image2d_t image, __global float4 *out)
{
    const sampler_t mirrored =
        CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
    out[0] = read_imagef(image, edge, (int2)(-5, 99));
    out[1] = through(image, edge, (float2)(99.0f, -5.0f));
    out[2] = through(image, mirrored, (float2)(-0.3f, 1.1f));
    out[3] = read_imagef(image, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP, (int2)(-1, 0));
}
