/* With HEDDLE_LOOSE_BOUNDS kernels reach 4096 bytes before and after a buffer, not further. */
#include "icd_test.h"

/* Runs a kernel that moves one int of a buffer of 64 to another place, and returns its status. */
static cl_int move(struct gpu *g, cl_mem m, cl_int from, cl_int to)
{
    cl_program p = built(g, "kernel void f(global volatile int *x, int from, int to) {\n"
                            "  x[to] = x[from]; }\n");
    cl_kernel k;
    created(k, clCreateKernel(p, "f", &err));
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof from, &from));
    ok(clSetKernelArg(k, 2, sizeof to, &to));
    const size_t one = 1;
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_int result = clFinish(g->queue);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    return result;
}

static void a_page_around_a_buffer_is_accessible(void **state)
{
    struct gpu *g = *state;
    int data[64] = {7}, back[64] = {0};
    cl_mem m = buffer(g, sizeof data, data);
    assert_int_equal(move(g, m, 0, -1024), CL_SUCCESS);
    assert_int_equal(move(g, m, -1024, 64 + 1023), CL_SUCCESS);
    assert_int_equal(move(g, m, 64 + 1023, 5), CL_SUCCESS);
    assert_int_equal(move(g, m, 0, -(1 << 20)), CL_OUT_OF_RESOURCES);
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    assert_int_equal(back[0], 7);
    assert_int_equal(back[5], 7);
    ok(clReleaseMemObject(m));
}

/* The memory of released buffers is free again, with what surrounds it. */
static void released_buffers_leave_nothing(void **state)
{
    struct gpu *g = *state;
    const size_t bytes = (size_t)300 << 20;
    for (int i = 0; i < 12; i++) {
        cl_mem m = buffer(g, bytes, NULL);
        assert_int_equal(move(g, m, 1, 0), CL_SUCCESS);
        ok(clReleaseMemObject(m));
    }
}

int main(void)
{
    setenv("HEDDLE_LOOSE_BOUNDS", "1", 1);
    const struct CMUnitTest tests[] = {TEST(a_page_around_a_buffer_is_accessible),
                                       TEST(released_buffers_leave_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
