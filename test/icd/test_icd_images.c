/* Images and samplers: creation, transfers, maps, fills, and as arguments of kernels. */
#include "icd_test.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_mem image(struct gpu *g, cl_mem_object_type type, size_t w, size_t h, size_t d, size_t n)
{
    cl_image_desc desc = {.image_type = type,
                          .image_width = w,
                          .image_height = h,
                          .image_depth = d,
                          .image_array_size = n};
    cl_mem m;
    created(m, clCreateImage(g->context, CL_MEM_READ_WRITE, &rgba8, &desc, NULL, &err));
    return m;
}

/* Whole images of every kind are written and read back, and report their sizes. */
static void images_of_all_kinds_are_transferred(void **state)
{
    struct gpu *g = *state;
    static const struct {
        cl_mem_object_type type;
        size_t extent[3], w, h, d, n;
    } kinds[] = {{CL_MEM_OBJECT_IMAGE1D, {9, 1, 1}, 9, 0, 0, 0},
                 {CL_MEM_OBJECT_IMAGE1D_ARRAY, {9, 5, 1}, 9, 0, 0, 5},
                 {CL_MEM_OBJECT_IMAGE2D, {9, 4, 1}, 9, 4, 0, 0},
                 {CL_MEM_OBJECT_IMAGE2D_ARRAY, {9, 4, 3}, 9, 4, 0, 3},
                 {CL_MEM_OBJECT_IMAGE3D, {9, 4, 3}, 9, 4, 3, 0}};
    const size_t zero[3] = {0, 0, 0};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const size_t *extent = kinds[i].extent;
        size_t bytes = 4 * extent[0] * extent[1] * extent[2], width = 0, element = 0;
        unsigned char *in = malloc(bytes), *out = calloc(1, bytes);
        for (size_t k = 0; k < bytes; k++)
            in[k] = (unsigned char)(k * 3 + i);
        cl_mem m = image(g, kinds[i].type, kinds[i].w, kinds[i].h, kinds[i].d, kinds[i].n);
        ok(clGetImageInfo(m, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
        ok(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
        assert_int_equal(width, 9);
        assert_int_equal(element, 4);
        ok(clEnqueueWriteImage(g->queue, m, CL_TRUE, zero, extent, 0, 0, in, 0, NULL, NULL));
        ok(clEnqueueReadImage(g->queue, m, CL_TRUE, zero, extent, 0, 0, out, 0, NULL, NULL));
        assert_memory_equal(in, out, bytes);
        /* A part, through a buffer. */
        cl_mem plain = buffer(g, bytes, NULL);
        size_t region[3] = {4, extent[1], extent[2]}, origin[3] = {3, 0, 0};
        ok(clEnqueueCopyImageToBuffer(g->queue, m, plain, origin, region, 0, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(g->queue, plain, CL_TRUE, 0, 16, out, 0, NULL, NULL));
        assert_memory_equal(out, in + 12, 16);
        size_t outside[3] = {6, 0, 0};
        fails(CL_INVALID_VALUE,
              clEnqueueReadImage(g->queue, m, CL_TRUE, outside, region, 0, 0, out, 0, NULL, NULL));
        ok(clReleaseMemObject(m));
        ok(clReleaseMemObject(plain));
        free(in);
        free(out);
    }
}

static void images_check_what_they_are_given(void **state)
{
    struct gpu *g = *state;
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_image_format wrong = {CL_LUMINANCE, CL_SIGNED_INT32};
    char data[64];
    not_created(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                clCreateImage(g->context, 0, &wrong, &d, NULL, &err));
    not_created(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                clCreateImage(g->context, 0, NULL, &d, NULL, &err));
    not_created(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImage(g->context, 0, &rgba8, NULL, NULL, &err));
    not_created(CL_INVALID_HOST_PTR, clCreateImage(g->context, 0, &rgba8, &d, data, &err));
    d.image_row_pitch = 16;
    not_created(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(g->context, 0, &rgba8, &d, NULL, &err));
    d.image_row_pitch = 12;
    not_created(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImage(g->context, CL_MEM_COPY_HOST_PTR, &rgba8, &d, data, &err));
    d.image_row_pitch = 0;
    d.image_width = 16385;
    not_created(CL_INVALID_IMAGE_SIZE, clCreateImage(g->context, 0, &rgba8, &d, NULL, &err));
    not_created(CL_INVALID_IMAGE_SIZE, clCreateImage2D(g->context, 0, &rgba8, 0, 4, 0, NULL, &err));
    cl_uint n = 0;
    ok(clGetSupportedImageFormats(g->context, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
    assert_true(n > 40);
}

/* The program's rows lie 24 bytes apart, the image's 16. */
static void pitches_of_the_host_are_kept(void **state)
{
    struct gpu *g = *state;
    unsigned char data[72], out[48];
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = 4,
                       .image_height = 3,
                       .image_row_pitch = 24};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)i;
    cl_mem m;
    created(m, clCreateImage(g->context, CL_MEM_USE_HOST_PTR, &rgba8, &d, data, &err));
    const size_t zero[3] = {0, 0, 0}, all[3] = {4, 3, 1}, one[3] = {1, 1, 1}, at[3] = {2, 1, 0};
    ok(clEnqueueReadImage(g->queue, m, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
    for (size_t y = 0; y < 3; y++)
        assert_memory_equal(out + 16 * y, data + 24 * y, 16);
    size_t row = 0;
    const cl_uint colour[4] = {1, 2, 300, 4}; /* 300 is clamped */
    ok(clEnqueueFillImage(g->queue, m, colour, at, one, 0, NULL, NULL));
    unsigned char *p;
    created(p, clEnqueueMapImage(g->queue, m, CL_TRUE, CL_MAP_READ, at, one, &row, NULL, 0, NULL,
                                 NULL, &err));
    assert_ptr_equal(p, data + 24 + 8);
    assert_int_equal(row, 24);
    const unsigned char expected[4] = {1, 2, 255, 4};
    assert_memory_equal(p, expected, 4);
    ok(clEnqueueUnmapMemObject(g->queue, m, p, 0, NULL, NULL));
    ok(clFinish(g->queue));
    ok(clReleaseMemObject(m));
}

/* Three channels in one word, red highest. A fill, a write by the host, a read by a kernel and a
 * write by a kernel mean the same. */
struct packed {
    cl_image_format format;
    size_t bytes;
    uint32_t orange, white; /* (1, 0.5, 0) and (1, 1, 1) */
    float green;            /* of orange, as it is read */
};

static const char packed_source[] =
    "kernel void look(read_only image2d_t from, write_only image2d_t to, global float4 *out)\n"
    "{ const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;\n"
    "  out[0] = read_imagef(from, s, (int2)(1, 0)); out[1] = read_imagef(from, s, (int2)(9, 0));\n"
    "  write_imagef(to, (int2)(1, 0), (float4)(1, 0.5f, 0, 0)); }\n";

static void packed_format(struct gpu *g, cl_kernel k, const struct packed *p)
{
    const size_t zero[3] = {0, 0, 0}, two[3] = {2, 1, 1}, one = 1;
    const float orange[4] = {1, 0.5f, 0, 1};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1};
    char words[8] = {0}, back[8] = {0};
    cl_mem from, to, out = buffer(g, 32, NULL);
    float seen[8];
    size_t element = 0;
    created(from, clCreateImage(g->context, 0, &p->format, &d, NULL, &err));
    created(to, clCreateImage(g->context, 0, &p->format, &d, NULL, &err));
    ok(clGetImageInfo(from, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
    assert_int_equal(element, p->bytes);
    ok(clEnqueueFillImage(g->queue, from, orange, zero, two, 0, NULL, NULL));
    ok(clSetKernelArg(k, 0, sizeof from, &from));
    ok(clSetKernelArg(k, 1, sizeof to, &to));
    ok(clSetKernelArg(k, 2, sizeof out, &out));
    memcpy(words, &p->white, p->bytes);
    ok(clEnqueueWriteImage(g->queue, to, CL_TRUE, zero, two, 0, 0, words, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, out, CL_TRUE, 0, 32, seen, 0, NULL, NULL));
    float border = p->format.image_channel_order == CL_RGB ? 1 : 0;
    const float expected[8] = {1, p->green, 0, 1, 0, 0, 0, border};
    assert_memory_equal(seen, expected, sizeof seen);
    memcpy(words + p->bytes, &p->orange, p->bytes);
    ok(clEnqueueReadImage(g->queue, to, CL_TRUE, zero, two, 0, 0, back, 0, NULL, NULL));
    assert_memory_equal(words, back, 2 * p->bytes);
    ok(clEnqueueCopyImage(g->queue, from, to, zero, zero, two, 0, NULL, NULL));
    ok(clEnqueueReadImage(g->queue, to, CL_TRUE, zero, two, 0, 0, back, 0, NULL, NULL));
    assert_memory_equal(words + p->bytes, back, p->bytes);
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseMemObject(out));
}

static void packed_formats_go_both_ways(void **state)
{
    struct gpu *g = *state;
    static const struct packed all[] = {
        {{CL_RGB, CL_UNORM_SHORT_565}, 2, 0xfc00, 0xffff, 32.0f / 63},
        {{CL_RGBx, CL_UNORM_SHORT_555}, 2, 0x7e00, 0x7fff, 16.0f / 31},
        {{CL_RGB, CL_UNORM_INT_101010}, 4, 0x3ff80000, 0x3fffffff, 512.0f / 1023}};
    const cl_image_format wrong[] = {{CL_RGB, CL_UNORM_INT8}, {CL_RGBA, CL_UNORM_SHORT_565}};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1};
    cl_kernel k = kernel_of(g, packed_source, "look");
    for (size_t i = 0; i < COUNT(all); i++)
        packed_format(g, k, &all[i]);
    ok(clReleaseKernel(k));
    for (size_t i = 0; i < COUNT(wrong); i++)
        not_created(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                    clCreateImage(g->context, 0, &wrong[i], &d, NULL, &err));
}

static const char reader[] =
    "kernel void read(read_only image2d_t image, sampler_t s, global uint4 *out, int x, int y)\n"
    "{ out[0] = read_imageui(image, s, (int2)(x, y)); }\n"
    "kernel void write(write_only image2d_t image)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(image, at, (uint4)(at.x, at.y, 7, 8)); }\n"
    "kernel void flat(read_only image1d_buffer_t image, global uint4 *out)\n"
    "{ out[0] = read_imageui(image, 2); }\n";

static void kernels_read_and_write_images(void **state)
{
    struct gpu *g = *state;
    cl_program p = built(g, reader);
    cl_kernel write, read, flat;
    cl_mem m = image(g, CL_MEM_OBJECT_IMAGE2D, 8, 8, 0, 0), out = buffer(g, 16, NULL);
    cl_sampler s;
    created(write, clCreateKernel(p, "write", &err));
    created(read, clCreateKernel(p, "read", &err));
    created(flat, clCreateKernel(p, "flat", &err));
    created(s, clCreateSampler(g->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    const size_t global[2] = {8, 8};
    const cl_int at[2][2] = {{5, 3}, {-1, 3}};
    const cl_uint expected[2][4] = {{5, 3, 7, 8}, {0, 0, 0, 0}};
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(write, 0, sizeof out, &out));
    fails(CL_INVALID_SAMPLER, clSetKernelArg(read, 1, sizeof m, &m));
    ok(clSetKernelArg(write, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(g->queue, write, 2, NULL, global, NULL, 0, NULL, NULL));
    ok(clSetKernelArg(read, 0, sizeof m, &m));
    ok(clSetKernelArg(read, 1, sizeof s, &s));
    ok(clSetKernelArg(read, 2, sizeof out, &out));
    for (int i = 0; i < 2; i++) {
        cl_uint got[4];
        ok(clSetKernelArg(read, 3, sizeof(cl_int), &at[i][0]));
        ok(clSetKernelArg(read, 4, sizeof(cl_int), &at[i][1]));
        ok(clEnqueueTask(g->queue, read, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(g->queue, out, CL_TRUE, 0, 16, got, 0, NULL, NULL));
        assert_memory_equal(got, expected[i], 16);
    }
    const unsigned char bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    cl_mem plain = buffer(g, 16, bytes), line;
    cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = plain};
    created(line, clCreateImage(g->context, 0, &rgba8, &d, NULL, &err));
    ok(clReleaseMemObject(plain)); /* the image keeps it */
    ok(clSetKernelArg(flat, 0, sizeof line, &line));
    ok(clSetKernelArg(flat, 1, sizeof out, &out));
    ok(clEnqueueTask(g->queue, flat, 0, NULL, NULL));
    cl_uint got[4];
    const cl_uint third[4] = {8, 9, 10, 11};
    ok(clEnqueueReadBuffer(g->queue, out, CL_TRUE, 0, 16, got, 0, NULL, NULL));
    assert_memory_equal(got, third, 16);
    ok(clReleaseMemObject(line));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(out));
    ok(clReleaseSampler(s));
    ok(clReleaseKernel(write));
    ok(clReleaseKernel(read));
    ok(clReleaseKernel(flat));
    ok(clReleaseProgram(p));
}

static void samplers_tell_what_they_are(void **state)
{
    struct gpu *g = *state;
    cl_sampler s;
    const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                           CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    created(s, clCreateSamplerWithProperties(g->context, list, &err));
    cl_filter_mode filter = 0;
    cl_addressing_mode addressing = 0;
    cl_bool normalized = 7;
    ok(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
    ok(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing, NULL));
    ok(clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
    assert_int_equal(filter, CL_FILTER_LINEAR);
    assert_int_equal(addressing, CL_ADDRESS_CLAMP);
    assert_int_equal(normalized, CL_TRUE);
    ok(clReleaseSampler(s));
    fails(CL_INVALID_SAMPLER, clReleaseSampler(s));
    not_created(CL_INVALID_VALUE, clCreateSamplerWithProperties(g->context, twice, &err));
    not_created(CL_INVALID_VALUE, clCreateSampler(g->context, 0, 7, CL_FILTER_LINEAR, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(images_of_all_kinds_are_transferred), TEST(images_check_what_they_are_given),
        TEST(pitches_of_the_host_are_kept),        TEST(packed_formats_go_both_ways),
        TEST(kernels_read_and_write_images),       TEST(samplers_tell_what_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
