/* Buffers, parts of them, transfers, maps; several devices in one context. */
#include "icd_test.h"

enum { N = 256 };

static void fill_bytes(unsigned char *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 7 + seed);
}

static void buffers_check_what_they_are_given(void **state)
{
    struct gpu *g = *state;
    char data[16] = "";
    cl_ulong most = 0; /* of all devices */
    for (cl_uint i = 0; i < g->n_devices; i++) {
        cl_ulong n = 0;
        ok(clGetDeviceInfo(g->devices[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof n, &n, NULL));
        most = n > most ? n : most;
    }
    not_created(CL_INVALID_BUFFER_SIZE, clCreateBuffer(g->context, 0, 0, NULL, &err));
    not_created(CL_INVALID_BUFFER_SIZE,
                clCreateBuffer(g->context, 0, (size_t)most + 1, NULL, &err));
    not_created(CL_INVALID_HOST_PTR, clCreateBuffer(g->context, 0, 16, data, &err));
    not_created(CL_INVALID_HOST_PTR,
                clCreateBuffer(g->context, CL_MEM_COPY_HOST_PTR, 16, NULL, &err));
    not_created(CL_INVALID_VALUE,
                clCreateBuffer(g->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &err));
    not_created(
        CL_INVALID_VALUE,
        clCreateBuffer(g->context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, data, &err));
    not_created(CL_INVALID_CONTEXT, clCreateBuffer(NULL, 0, 16, NULL, &err));
    not_created(CL_INVALID_VALUE, clCreateBuffer(g->context, 1 << 30, 16, NULL, &err));
    cl_mem m;
    created(m, clCreateBuffer(g->context, 1 << 6, 16, NULL, &err)); /* AMD's hint */
    ok(clReleaseMemObject(m));
    created(m, clCreateBuffer(g->context, CL_MEM_USE_HOST_PTR, 16, data, &err));
    void *back = NULL;
    ok(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof back, &back, NULL));
    assert_ptr_equal(back, data);
    ok(clReleaseMemObject(m));
}

static void bytes_go_there_and_back(void **state)
{
    struct gpu *g = *state;
    unsigned char in[N], out[N] = {0};
    fill_bytes(in, N, 3);
    cl_mem m = buffer(g, N, NULL), copy = buffer(g, N, in);
    ok(clEnqueueWriteBuffer(g->queue, m, CL_FALSE, 16, 100, in, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 16, 100, out, 0, NULL, NULL));
    assert_memory_equal(in, out, 100);
    ok(clEnqueueCopyBuffer(g->queue, copy, m, 0, 128, 128, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 128, 128, out, 0, NULL, NULL));
    assert_memory_equal(in, out, 128);
    fails(CL_INVALID_VALUE,
          clEnqueueReadBuffer(g->queue, m, CL_TRUE, N - 1, 2, out, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
    fails(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(g->queue, m, m, 0, 15, 16, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(g->queue, m, m, 0, 16, 16, 0, NULL, NULL));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(copy));
}

/* Since OpenCL 2.1; a map of no bytes is an error still. */
static void empty_transfers_move_nothing(void **state)
{
    struct gpu *g = *state;
    unsigned char in[16], out[16];
    fill_bytes(in, sizeof in, 5);
    cl_mem m = buffer(g, sizeof in, in), other = buffer(g, sizeof in, NULL);
    memset(out, 9, sizeof out);
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 0, out, 0, NULL, NULL));
    assert_int_equal(out[0], 9);
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, sizeof in, 0, out, 0, NULL, NULL));
    ok(clEnqueueWriteBuffer(g->queue, m, CL_TRUE, 0, 0, out, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(g->queue, other, m, 0, 0, 0, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    assert_memory_equal(in, out, sizeof out);
    fails(CL_INVALID_VALUE,
          clEnqueueReadBuffer(g->queue, m, CL_TRUE, sizeof in + 1, 0, out, 0, NULL, NULL));
    not_created(CL_INVALID_VALUE,
                clEnqueueMapBuffer(g->queue, m, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &err));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(other));
}

static void fills_repeat_their_pattern(void **state)
{
    struct gpu *g = *state;
    unsigned char out[64];
    const uint32_t pattern = 0x04030201;
    cl_mem m = buffer(g, 64, NULL);
    ok(clEnqueueFillBuffer(g->queue, m, &pattern, 4, 8, 16, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], i >= 8 && i < 24 ? i % 4 + 1 : 0);
    fails(CL_INVALID_VALUE, clEnqueueFillBuffer(g->queue, m, &pattern, 3, 0, 6, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueFillBuffer(g->queue, m, &pattern, 4, 2, 8, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueFillBuffer(g->queue, m, &pattern, 4, 60, 8, 0, NULL, NULL));
    ok(clReleaseMemObject(m));
}

/* 4 x 3 x 2 bytes out of 8 x 4 x 4. */
static void rectangles_are_copied(void **state)
{
    struct gpu *g = *state;
    unsigned char in[128], out[24] = {0};
    const size_t from[3] = {2, 1, 1}, zero[3] = {0, 0, 0}, region[3] = {4, 3, 2};
    fill_bytes(in, sizeof in, 1);
    cl_mem m = buffer(g, sizeof in, in), packed = buffer(g, 24, NULL);
    ok(clEnqueueReadBufferRect(g->queue, m, CL_TRUE, from, zero, region, 8, 32, 0, 0, out, 0, NULL,
                               NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < 4; x++)
                assert_int_equal(out[z * 12 + y * 4 + x], in[(z + 1) * 32 + (y + 1) * 8 + x + 2]);
    ok(clEnqueueCopyBufferRect(g->queue, m, packed, from, zero, region, 8, 32, 4, 12, 0, NULL,
                               NULL));
    unsigned char again[24];
    ok(clEnqueueReadBuffer(g->queue, packed, CL_TRUE, 0, 24, again, 0, NULL, NULL));
    assert_memory_equal(out, again, 24);
    memset(again, 9, 24);
    ok(clEnqueueWriteBufferRect(g->queue, m, CL_TRUE, from, zero, region, 8, 32, 4, 12, again, 0,
                                NULL, NULL));
    ok(clEnqueueReadBufferRect(g->queue, m, CL_TRUE, from, zero, region, 8, 32, 0, 0, out, 0, NULL,
                               NULL));
    assert_memory_equal(out, again, 24);
    const size_t empty[3] = {4, 0, 1}, far[3] = {0, 0, 3};
    const size_t endless[3] = {SIZE_MAX, SIZE_MAX, 2}, wraps[3] = {1, SIZE_MAX / 8 + 2, 1};
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(g->queue, m, CL_TRUE, from, zero, empty, 8, 32,
                                                    0, 0, out, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(g->queue, m, CL_TRUE, far, zero, region, 8, 32,
                                                    0, 0, out, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(g->queue, m, CL_TRUE, zero, zero, endless, 0, 0,
                                                    0, 0, out, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(g->queue, m, CL_TRUE, zero, zero, wraps, 8, 0,
                                                    0, 0, out, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(g->queue, m, CL_TRUE, from, zero, region, 3, 32,
                                                    0, 0, out, 0, NULL, NULL));
    fails(CL_MEM_COPY_OVERLAP,
          clEnqueueCopyBufferRect(g->queue, m, m, from, zero, region, 8, 32, 8, 32, 0, NULL, NULL));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(packed));
}

static void parts_share_their_buffer(void **state)
{
    struct gpu *g = *state;
    unsigned char in[N], out[N];
    fill_bytes(in, N, 5);
    cl_mem m = buffer(g, N, in), part;
    cl_buffer_region r = {128, 64};
    created(part, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    ok(clEnqueueReadBuffer(g->queue, part, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    assert_memory_equal(out, in + 128, 64);
    cl_mem parent = NULL;
    size_t offset = 0;
    ok(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    ok(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    assert_ptr_equal(parent, m);
    assert_int_equal(offset, 128);
    fails(CL_INVALID_VALUE,
          clEnqueueReadBuffer(g->queue, part, CL_TRUE, 0, 65, out, 0, NULL, NULL));
    not_created(CL_INVALID_MEM_OBJECT,
                clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    r.origin = 64;
    not_created(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    r = (cl_buffer_region){128, 129};
    not_created(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    r = (cl_buffer_region){128, 0};
    not_created(CL_INVALID_BUFFER_SIZE,
                clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
    ok(clReleaseMemObject(m)); /* the part keeps it */
    ok(clEnqueueReadBuffer(g->queue, part, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    assert_memory_equal(out, in + 128, 64);
    ok(clReleaseMemObject(part));
}

static void maps_show_and_take(void **state)
{
    struct gpu *g = *state;
    unsigned char in[N], out[N];
    fill_bytes(in, N, 11);
    cl_mem m = buffer(g, N, in);
    unsigned char *p;
    cl_uint n = 0;
    created(p, clEnqueueMapBuffer(g->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 32, 64, 0, NULL,
                                  NULL, &err));
    assert_memory_equal(p, in + 32, 64);
    ok(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof n, &n, NULL));
    assert_int_equal(n, 1);
    p[0] = 200;
    ok(clEnqueueUnmapMemObject(g->queue, m, p, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, N, out, 0, NULL, NULL));
    assert_int_equal(out[32], 200);
    assert_int_equal(out[33], in[33]);
    fails(CL_INVALID_VALUE, clEnqueueUnmapMemObject(g->queue, m, p, 0, NULL, NULL));
    not_created(CL_INVALID_VALUE,
                clEnqueueMapBuffer(g->queue, m, CL_TRUE, CL_MAP_READ, N, 1, 0, NULL, NULL, &err));
    not_created(CL_INVALID_VALUE, clEnqueueMapBuffer(g->queue, m, CL_TRUE,
                                                     CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION,
                                                     0, 4, 0, NULL, NULL, &err));
    ok(clReleaseMemObject(m));
}

static void maps_of_the_programs_memory_are_there(void **state)
{
    struct gpu *g = *state;
    unsigned char mine[N], *p;
    const unsigned char seven = 7;
    memset(mine, 1, N);
    cl_mem m;
    created(m, clCreateBuffer(g->context, CL_MEM_USE_HOST_PTR, N, mine, &err));
    ok(clEnqueueFillBuffer(g->queue, m, &seven, 1, 0, N, 0, NULL, NULL));
    created(p, clEnqueueMapBuffer(g->queue, m, CL_TRUE, CL_MAP_READ, 8, 16, 0, NULL, NULL, &err));
    assert_ptr_equal(p, mine + 8);
    assert_int_equal(mine[8], 7);
    assert_int_equal(mine[7], 1); /* not mapped */
    ok(clEnqueueUnmapMemObject(g->queue, m, p, 0, NULL, NULL));
    created(p, clEnqueueMapBuffer(g->queue, m, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err));
    p[1] = 99;
    ok(clEnqueueUnmapMemObject(g->queue, m, p, 0, NULL, NULL));
    unsigned char out[4];
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_int_equal(out[1], 99);
    ok(clReleaseMemObject(m));
}

static void host_access_flags_are_kept(void **state)
{
    struct gpu *g = *state;
    char data[16];
    cl_mem none, read;
    created(none, clCreateBuffer(g->context, CL_MEM_HOST_NO_ACCESS, 16, NULL, &err));
    created(read, clCreateBuffer(g->context, CL_MEM_HOST_READ_ONLY, 16, NULL, &err));
    fails(CL_INVALID_OPERATION,
          clEnqueueReadBuffer(g->queue, none, CL_TRUE, 0, 16, data, 0, NULL, NULL));
    fails(CL_INVALID_OPERATION,
          clEnqueueWriteBuffer(g->queue, read, CL_TRUE, 0, 16, data, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, read, CL_TRUE, 0, 16, data, 0, NULL, NULL));
    not_created(CL_INVALID_OPERATION, clEnqueueMapBuffer(g->queue, read, CL_TRUE, CL_MAP_WRITE, 0,
                                                         16, 0, NULL, NULL, &err));
    ok(clReleaseMemObject(none));
    ok(clReleaseMemObject(read));
}

/* A buffer written on one device is read on the other. */
static void devices_of_a_context_see_one_buffer(void **state)
{
    struct gpu *g = *state;
    if (g->n_devices < 2)
        fail_msg("the test wants two devices");
    cl_kernel k =
        kernel_of(g, "kernel void add(global int *x) { x[get_global_id(0)] += 1; }", "add");
    int data[64] = {0};
    cl_mem m = buffer(g, sizeof data, data);
    cl_command_queue other;
    created(other, clCreateCommandQueue(g->context, g->devices[1], 0, &err));
    const size_t global = 64;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    for (int i = 0; i < 3; i++) {
        ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
        ok(clFinish(g->queue));
        ok(clEnqueueNDRangeKernel(other, k, 1, NULL, &global, NULL, 0, NULL, NULL));
        ok(clFinish(other));
    }
    ok(clEnqueueMigrateMemObjects(g->queue, 1, &m, 0, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        assert_int_equal(data[i], 6);
    ok(clReleaseCommandQueue(other));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(buffers_check_what_they_are_given),
                                       TEST(bytes_go_there_and_back),
                                       TEST(empty_transfers_move_nothing),
                                       TEST(fills_repeat_their_pattern),
                                       TEST(rectangles_are_copied),
                                       TEST(parts_share_their_buffer),
                                       TEST(maps_show_and_take),
                                       TEST(maps_of_the_programs_memory_are_there),
                                       TEST(host_access_flags_are_kept),
                                       TEST(devices_of_a_context_see_one_buffer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
