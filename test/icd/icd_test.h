/* What the tests of the OpenCL device share. They are linked to libOpenCL, the loader, which finds
 * the device under test by the environment that ctest sets. */
#ifndef HEDDLE_TEST_ICD_TEST_H
#define HEDDLE_TEST_ICD_TEST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct gpu {
    cl_platform_id platform;
    cl_device_id devices[4];
    cl_uint n_devices;
    cl_device_id device; /* the first */
    cl_context context;
    cl_command_queue queue; /* in order, with profiling */
};

#define ok(call)          assert_int_equal((call), CL_SUCCESS)
#define fails(code, call) assert_int_equal((call), (code))
/* A creating call, whose last argument is `&err`. */
#define created(object, call)                                                                      \
    do {                                                                                           \
        cl_int err = 1;                                                                            \
        (object) = (call);                                                                         \
        assert_int_equal(err, CL_SUCCESS);                                                         \
        assert_non_null(object);                                                                   \
    } while (0)
#define not_created(code, call)                                                                    \
    do {                                                                                           \
        cl_int err = 1;                                                                            \
        assert_null(call);                                                                         \
        assert_int_equal(err, (code));                                                             \
    } while (0)

static inline struct gpu *gpu_open(void)
{
    struct gpu *g = calloc(1, sizeof *g);
    cl_uint n = 0;
    ok(clGetPlatformIDs(1, &g->platform, &n));
    assert_int_equal(n, 1);
    ok(clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_ALL, 4, g->devices, &g->n_devices));
    g->device = g->devices[0];
    created(g->context, clCreateContext(NULL, g->n_devices, g->devices, NULL, NULL, &err));
    created(g->queue, clCreateCommandQueue(g->context, g->device, CL_QUEUE_PROFILING_ENABLE, &err));
    return g;
}

static inline int set_up(void **state)
{
    *state = gpu_open();
    return 0;
}

static inline int tear_down(void **state)
{
    struct gpu *g = *state;
    ok(clReleaseCommandQueue(g->queue));
    ok(clReleaseContext(g->context));
    free(g);
    return 0;
}

static inline cl_program built(struct gpu *g, const char *source)
{
    cl_program p;
    created(p, clCreateProgramWithSource(g->context, 1, &source, NULL, &err));
    cl_int code = clBuildProgram(p, 0, NULL, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("build: %d\n%s", code, log);
    }
    return p;
}

static inline cl_kernel kernel_of(struct gpu *g, const char *source, const char *name)
{
    cl_program p = built(g, source);
    cl_kernel k;
    created(k, clCreateKernel(p, name, &err));
    ok(clReleaseProgram(p));
    return k;
}

static inline cl_mem buffer(struct gpu *g, size_t bytes, const void *contents)
{
    cl_mem m;
    created(m, clCreateBuffer(g->context, contents ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                              bytes, (void *)contents, &err));
    return m;
}

static inline cl_int status_of(cl_event e)
{
    cl_int status = 99;
    ok(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static inline cl_ulong time_of(cl_event e, cl_profiling_info which)
{
    cl_ulong ns = 0;
    ok(clGetEventProfilingInfo(e, which, sizeof ns, &ns, NULL));
    return ns;
}

#define TEST(name)   cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
