/* Platform, devices, contexts, reference counts, released objects. */
#include "icd_test.h"

static void platform_is_complete(void **state)
{
    struct gpu *g = *state;
    static const cl_platform_info texts[] = {CL_PLATFORM_PROFILE,    CL_PLATFORM_VERSION,
                                             CL_PLATFORM_NAME,       CL_PLATFORM_VENDOR,
                                             CL_PLATFORM_EXTENSIONS, CL_PLATFORM_ICD_SUFFIX_KHR};
    char text[4096];
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t bytes = 0;
        ok(clGetPlatformInfo(g->platform, texts[i], 0, NULL, &bytes));
        ok(clGetPlatformInfo(g->platform, texts[i], sizeof text, text, NULL));
        assert_int_equal(strlen(text) + 1, bytes);
        fails(CL_INVALID_VALUE, clGetPlatformInfo(g->platform, texts[i], bytes - 1, text, NULL));
    }
    ok(clGetPlatformInfo(g->platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    assert_string_equal(text, "OpenCL 3.0 Heddle");
    ok(clGetPlatformInfo(g->platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
    assert_non_null(strstr(text, "cl_khr_icd"));
    fails(CL_INVALID_VALUE, clGetPlatformInfo(g->platform, 0x1234, sizeof text, text, NULL));
    assert_null(clGetExtensionFunctionAddressForPlatform(g->platform, "clNoSuchFunction"));
}

/* Minimums of the specification for a full profile, OpenCL 3.0. */
static void limits_are_not_below_the_specification(void **state)
{
    struct gpu *g = *state;
    static const struct {
        cl_device_info param;
        uint64_t least;
        uint32_t bytes;
    } limits[] = {{CL_DEVICE_MAX_PARAMETER_SIZE, 1024, 8},
                  {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20, 8},
                  {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10, 8},
                  {CL_DEVICE_MAX_CONSTANT_ARGS, 8, 4},
                  {CL_DEVICE_LOCAL_MEM_SIZE, 32 << 10, 8},
                  {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 128 << 20, 8},
                  {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, 8},
                  {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384, 8},
                  {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048, 8},
                  {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, 8},
                  {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, 8},
                  {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, 4},
                  {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, 4},
                  {CL_DEVICE_MAX_SAMPLERS, 16, 4},
                  {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024, 4},
                  {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3, 4}};
    for (size_t i = 0; i < COUNT(limits); i++) {
        uint64_t value = 0;
        size_t bytes = 0;
        ok(clGetDeviceInfo(g->device, limits[i].param, sizeof value, &value, &bytes));
        assert_int_equal(bytes, limits[i].bytes);
        assert_true(value >= limits[i].least);
    }
}

/* gtx480's configuration. */
static void device_tells_its_configuration(void **state)
{
    struct gpu *g = *state;
    cl_uint n = 0;
    size_t group = 0;
    cl_ulong bytes = 0;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL));
    assert_int_equal(n, 15);
    ok(clGetDeviceInfo(g->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof n, &n, NULL));
    assert_int_equal(n, 700);
    ok(clGetDeviceInfo(g->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    assert_int_equal(group, 1024);
    ok(clGetDeviceInfo(g->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 48 << 10);
    ok(clGetDeviceInfo(g->device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 768 << 10);
    cl_device_fp_config single, twice;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL));
    ok(clGetDeviceInfo(g->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof twice, &twice, NULL));
    assert_false(single & CL_FP_DENORM); /* exp() flushes */
    assert_true(twice & CL_FP_DENORM);
    fails(CL_INVALID_VALUE, clGetDeviceInfo(g->device, CL_DEVICE_TYPE, 4, &n, NULL));
}

static void device_lists_follow_the_type(void **state)
{
    struct gpu *g = *state;
    cl_uint n = 0;
    ok(clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_GPU, 0, NULL, &n));
    assert_int_equal(n, g->n_devices);
    bool is_any = getenv("HEDDLE_CL_DEVICE_TYPE"); /* CMakeLists.txt sets it to `any`, or not */
    cl_int of_cpu = clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_CPU, 0, NULL, &n);
    assert_int_equal(of_cpu, is_any ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
    assert_int_equal(n, is_any ? g->n_devices : 0);
    fails(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_CUSTOM, 0, NULL, &n));
    cl_device_type type = 0;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_DEVICE_TYPE_GPU);
    fails(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(g->platform, 0, 0, NULL, &n));
    fails(CL_INVALID_VALUE, clGetDeviceIDs(g->platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    ok(clRetainDevice(g->device));
    ok(clReleaseDevice(g->device));
}

/* No partition is offered, so each known one is a valid value that the device does not support. */
static void devices_have_no_partitions(void **state)
{
    struct gpu *g = *state;
    const cl_device_partition_property partitions[][5] = {
        {CL_DEVICE_PARTITION_EQUALLY, 1, 0},
        {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0},
        {0x7777, 1, 0},
        {0},
    };
    for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++) {
        cl_device_id sub = NULL;
        cl_uint n = 77;
        fails(CL_INVALID_VALUE, clCreateSubDevices(g->device, partitions[i], 1, &sub, &n));
        assert_null(sub);
        assert_int_equal(n, 77);
    }
    fails(CL_INVALID_VALUE, clCreateSubDevices(g->device, NULL, 0, NULL, NULL));
    cl_device_partition_property offered[2] = {77, 77};
    size_t bytes = 0;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_PARTITION_PROPERTIES, sizeof offered, offered, &bytes));
    assert_int_equal(bytes, sizeof *offered);
    assert_int_equal(offered[0], 0);
    cl_uint most = 77;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
    assert_int_equal(most, 0);
    cl_device_id parent = g->device;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    assert_null(parent);
}

static void contexts_check_what_they_are_given(void **state)
{
    struct gpu *g = *state;
    cl_context c;
    const cl_context_properties platform[] = {CL_CONTEXT_PLATFORM,
                                              (cl_context_properties)g->platform, 0};
    const cl_context_properties unknown[] = {0x7777, 1, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_INTEROP_USER_SYNC, 0,
                                           CL_CONTEXT_INTEROP_USER_SYNC, 0, 0};
    created(c, clCreateContext(platform, 1, &g->device, NULL, NULL, &err));
    cl_context_properties back[3];
    size_t bytes;
    ok(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof back, back, &bytes));
    assert_int_equal(bytes, sizeof platform);
    assert_memory_equal(back, platform, sizeof back);
    cl_uint n = 0;
    ok(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, NULL));
    assert_int_equal(n, 1);
    ok(clReleaseContext(c));
    not_created(CL_INVALID_VALUE, clCreateContext(platform, 0, &g->device, NULL, NULL, &err));
    not_created(CL_INVALID_VALUE, clCreateContext(platform, 1, NULL, NULL, NULL, &err));
    not_created(CL_INVALID_VALUE, clCreateContext(platform, 1, &g->device, NULL, g, &err));
    not_created(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &g->device, NULL, NULL, &err));
    not_created(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &g->device, NULL, NULL, &err));
    created(c, clCreateContextFromType(platform, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &err));
    ok(clReleaseContext(c));
    not_created(CL_DEVICE_NOT_FOUND,
                clCreateContextFromType(platform, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &err));
}

static void references_are_counted(void **state)
{
    struct gpu *g = *state;
    cl_mem m = buffer(g, 64, NULL);
    cl_uint n = 0;
    ok(clRetainMemObject(m));
    ok(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL));
    assert_int_equal(n, 2);
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(m));
    fails(CL_INVALID_MEM_OBJECT, clReleaseMemObject(m));
    fails(CL_INVALID_MEM_OBJECT, clRetainMemObject(m));
    fails(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof n, &n, NULL));
}

/* A handle of one kind instead of another. */
static void kinds_are_told_apart(void **state)
{
    struct gpu *g = *state;
    cl_mem m = buffer(g, 64, NULL);
    cl_uint n;
    fails(CL_INVALID_CONTEXT, clRetainContext((cl_context)m));
    fails(CL_INVALID_COMMAND_QUEUE, clFinish((cl_command_queue)m));
    fails(CL_INVALID_KERNEL, clSetKernelArg((cl_kernel)m, 0, 4, &n));
    fails(CL_INVALID_PROGRAM, clBuildProgram((cl_program)m, 0, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_EVENT, clReleaseEvent((cl_event)m));
    fails(CL_INVALID_SAMPLER, clReleaseSampler((cl_sampler)m));
    fails(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)g->queue));
    fails(CL_INVALID_DEVICE, clGetDeviceInfo((cl_device_id)m, CL_DEVICE_TYPE, 8, &n, NULL));
    ok(clReleaseMemObject(m));
}

static char destroyed[8];

/* What the loader does not look at first: arguments of kernels, lists of objects. */
static void numbers_are_no_objects(void **state)
{
    struct gpu *g = *state;
    cl_kernel k = kernel_of(
        g, "kernel void f(global int *x, sampler_t s, read_only image2d_t i) { x[0] = 1; }\n", "f");
    void *const wild[] = {(void *)7, (void *)(uintptr_t)0x123456789abcdef0, state};
    for (size_t i = 0; i < COUNT(wild); i++) {
        cl_event event = wild[i];
        cl_mem mem = wild[i];
        fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof wild[i], &wild[i]));
        fails(CL_INVALID_SAMPLER, clSetKernelArg(k, 1, sizeof wild[i], &wild[i]));
        fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 2, sizeof wild[i], &wild[i]));
        fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(g->queue, 1, &event, NULL));
        fails(CL_INVALID_MEM_OBJECT,
              clEnqueueMigrateMemObjects(g->queue, 1, &mem, 0, 0, NULL, NULL));
    }
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 4, &wild[0]));
    ok(clReleaseKernel(k));
}

static void CL_CALLBACK note_mem(cl_mem m, void *user)
{
    (void)m;
    strcat(destroyed, user);
}

static void CL_CALLBACK note_context(cl_context c, void *user)
{
    (void)c;
    strcat(destroyed, user);
}

static void destructors_run_in_reverse_order(void **state)
{
    struct gpu *g = *state;
    cl_context c;
    cl_mem m;
    destroyed[0] = 0;
    created(c, clCreateContext(NULL, 1, &g->device, NULL, NULL, &err));
    created(m, clCreateBuffer(c, 0, 16, NULL, &err));
    ok(clSetMemObjectDestructorCallback(m, note_mem, "1"));
    ok(clSetMemObjectDestructorCallback(m, note_mem, "2"));
    ok(clSetContextDestructorCallback(c, note_context, "3"));
    fails(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(m, NULL, NULL));
    fails(CL_INVALID_VALUE, clSetContextDestructorCallback(c, NULL, NULL));
    ok(clReleaseContext(c)); /* the buffer keeps it */
    assert_string_equal(destroyed, "");
    ok(clReleaseMemObject(m));
    assert_string_equal(destroyed, "213");
}

static void what_is_absent_says_so(void **state)
{
    struct gpu *g = *state;
    cl_ulong device, host;
    assert_null(clSVMAlloc(g->context, CL_MEM_READ_WRITE, 64, 0));
    fails(CL_INVALID_OPERATION,
          clEnqueueSVMMemcpy(g->queue, CL_TRUE, &device, &host, 8, 0, NULL, NULL));
    not_created(CL_INVALID_OPERATION, clCreatePipe(g->context, 0, 4, 4, NULL, &err));
    not_created(CL_INVALID_OPERATION, clCreateProgramWithIL(g->context, "x", 1, &err));
    not_created(CL_INVALID_VALUE,
                clCreateProgramWithBuiltInKernels(g->context, 1, &g->device, "x", &err));
    fails(CL_INVALID_OPERATION,
          clEnqueueNativeKernel(g->queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    ok(clGetDeviceAndHostTimer(g->device, &device, &host));
    ok(clGetHostTimer(g->device, &host));
    ok(clUnloadPlatformCompiler(g->platform));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(platform_is_complete),           TEST(limits_are_not_below_the_specification),
        TEST(device_tells_its_configuration), TEST(device_lists_follow_the_type),
        TEST(devices_have_no_partitions),     TEST(contexts_check_what_they_are_given),
        TEST(references_are_counted),         TEST(kinds_are_told_apart),
        TEST(numbers_are_no_objects),         TEST(destructors_run_in_reverse_order),
        TEST(what_is_absent_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
