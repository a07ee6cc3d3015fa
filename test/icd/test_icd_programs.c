/* Programs and kernels: building, linking, binaries, arguments, ranges; kernels that go wrong. */
#include "icd_test.h"

static const char two_kernels[] =
    "typedef struct { int a; float b; } pair;\n"
    "kernel void scale(global const float *restrict x, constant int *c, local float *l, pair p,\n"
    "                  global float *out)\n"
    "{ int i = get_global_id(0); l[get_local_id(0)] = x[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); out[i] = l[get_local_id(0)] * p.b + c[0] + p.a; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1), vec_type_hint(uint4))) void ids(global "
    "uint *out, uint w)\n"
    "{ out[(get_global_id(1) - get_global_offset(1)) * w + get_global_id(0)\n"
    "      - get_global_offset(0)] = get_global_id(0) * 1000 + get_global_id(1) * 10\n"
    "      + get_work_dim(); }\n";

static void kernels_tell_their_arguments(void **state)
{
    struct gpu *g = *state;
    cl_program p = built(g, two_kernels);
    size_t n = 0;
    char names[64];
    ok(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL));
    assert_int_equal(n, 2);
    ok(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_string_equal(names, "scale;ids");
    cl_kernel k;
    created(k, clCreateKernel(p, "scale", &err));
    static const struct {
        const char *name, *type;
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier qualifiers;
    } args[] = {{"x", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL,
                 CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
                {"c", "int*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
                {"l", "float*", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
                {"p", "pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
                {"out", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0}};
    for (cl_uint i = 0; i < COUNT(args); i++) {
        char text[64];
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier qualifiers;
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        assert_string_equal(text, args[i].name);
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        assert_string_equal(text, args[i].type);
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address,
                              NULL));
        assert_int_equal(address, args[i].address);
        ok(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers,
                              NULL));
        assert_int_equal(qualifiers, args[i].qualifiers);
    }
    fails(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(k, 5, CL_KERNEL_ARG_NAME, 64, names, NULL));
    fails(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    ok(clReleaseKernel(k));
    not_created(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "none", &err));
    cl_kernel both[2];
    cl_uint count = 0;
    fails(CL_INVALID_VALUE, clCreateKernelsInProgram(p, 1, both, &count));
    ok(clCreateKernelsInProgram(p, 2, both, &count));
    assert_int_equal(count, 2);
    size_t group[3];
    ok(clGetKernelWorkGroupInfo(both[1], g->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
                                group, NULL));
    assert_true(group[0] == 8 && group[1] == 2 && group[2] == 1);
    ok(clGetKernelInfo(both[1], CL_KERNEL_ATTRIBUTES, sizeof names, names, NULL));
    assert_string_equal(names, "reqd_work_group_size(8,2,1) vec_type_hint(uint4)");
    ok(clReleaseKernel(both[0]));
    ok(clReleaseKernel(both[1]));
    ok(clReleaseProgram(p));
}

static void all_kinds_of_arguments_arrive(void **state)
{
    struct gpu *g = *state;
    cl_kernel k = kernel_of(g, two_kernels, "scale"), copy;
    float x[64], out[64];
    const struct {
        int a;
        float b;
    } pair = {3, 2.5f};
    const int c = 100;
    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    cl_mem mx = buffer(g, sizeof x, x), mc = buffer(g, sizeof c, &c),
           mo = buffer(g, sizeof out, NULL);
    const size_t global = 64;
    fails(CL_INVALID_KERNEL_ARGS,
          clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clSetKernelArg(k, 0, sizeof mx, &mx));
    ok(clSetKernelArg(k, 1, sizeof mc, &mc));
    ok(clSetKernelArg(k, 2, 64 * sizeof(float), NULL));
    ok(clSetKernelArg(k, 3, sizeof pair, &pair));
    ok(clSetKernelArg(k, 4, sizeof mo, &mo));
    fails(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 5, 4, &c));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 3, 4, &c));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &mx));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 2, 4, &c));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 2, 0, NULL));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 3, sizeof pair, NULL));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof g->queue, &g->queue));
    created(copy, clCloneKernel(k, &err));
    ok(clEnqueueNDRangeKernel(g->queue, copy, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, mo, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        assert_true(out[i] == x[i] * 2.5f + 103);
    ok(clReleaseMemObject(mx));
    fails(CL_INVALID_KERNEL_ARGS,
          clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clReleaseMemObject(mc));
    ok(clReleaseMemObject(mo));
    ok(clReleaseKernel(k));
    ok(clReleaseKernel(copy));
}

static void ranges_are_checked_and_placed(void **state)
{
    struct gpu *g = *state;
    cl_kernel k = kernel_of(g, two_kernels, "ids");
    cl_uint out[64] = {0}, w = 16;
    cl_mem m = buffer(g, sizeof out, NULL);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof w, &w));
    const size_t global[3] = {16, 4, 1}, offset[3] = {5, 7, 0}, local[3] = {8, 2, 1};
    ok(clEnqueueNDRangeKernel(g->queue, k, 2, offset, global, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (cl_uint y = 0; y < 4; y++)
        for (cl_uint x = 0; x < 16; x++)
            assert_int_equal(out[y * 16 + x], (x + 5) * 1000 + (y + 7) * 10 + 2);
    const size_t odd[3] = {16, 5, 1}, none[3] = {16, 0, 1}, other[3] = {16, 1, 1};
    const size_t wide[3] = {2048, 2, 1}, wide_local[3] = {2048, 1, 1};
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(g->queue, k, 2, NULL, odd, local, 0, NULL, NULL));
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(g->queue, k, 2, NULL, global, other, 0, NULL, NULL));
    cl_event nothing;
    cl_int status = 1;
    ok(clEnqueueNDRangeKernel(g->queue, k, 2, NULL, none, local, 0, NULL, &nothing));
    ok(clWaitForEvents(1, &nothing));
    ok(clGetEventInfo(nothing, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_COMPLETE);
    ok(clReleaseEvent(nothing));
    ok(clEnqueueNDRangeKernel(g->queue, k, 2, NULL, NULL, NULL, 0, NULL, NULL));
    fails(CL_INVALID_WORK_DIMENSION,
          clEnqueueNDRangeKernel(g->queue, k, 4, NULL, global, local, 0, NULL, NULL));
    fails(CL_INVALID_WORK_ITEM_SIZE,
          clEnqueueNDRangeKernel(g->queue, k, 2, NULL, wide, wide_local, 0, NULL, NULL));
    fails(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(g->queue, k, 0, NULL, NULL));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

static void build_logs_are_the_compilers(void **state)
{
    struct gpu *g = *state;
    const char *bad = "kernel void f(global int *x) {\n  x[0] = nonsense;\n}\n";
    const char *good = "kernel void f(global int *x) { asm(\"\"); x[0] = N; }\n"; /* NVIDIA's asm */
    cl_program p;
    char log[4096];
    cl_build_status status = 0;
    created(p, clCreateProgramWithSource(g->context, 1, &bad, NULL, &err));
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    ok(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "program.cl:2:"));
    assert_non_null(strstr(log, "nonsense"));
    ok(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_BUILD_ERROR);
    not_created(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "f", &err));
    ok(clReleaseProgram(p));
    created(p, clCreateProgramWithSource(g->context, 1, &good, NULL, &err));
    ok(clBuildProgram(p, 0, NULL, "-DN=42 -cl-mad-enable", NULL, NULL));
    ok(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_OPTIONS, sizeof log, log, NULL));
    assert_string_equal(log, "-DN=42 -cl-mad-enable");
    fails(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 0, NULL, "-no-such-option", NULL, NULL));
    fails(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, NULL, NULL, NULL));
    ok(clReleaseProgram(p));
    not_created(CL_INVALID_VALUE, clCreateProgramWithSource(g->context, 0, NULL, NULL, &err));
}

/* An undefined function is an error of the build, not of a launch. */
static void undefined_functions_fail_the_build(void **state)
{
    struct gpu *g = *state;
    const char *source = "int g(int a); kernel void f(global int *x) { x[0] = g(x[1]); }\n";
    cl_program p;
    char log[4096];
    created(p, clCreateProgramWithSource(g->context, 1, &source, NULL, &err));
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    ok(clGetProgramBuildInfo(p, g->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "undefined function: g"));
    ok(clReleaseProgram(p));
}

static int run_f(struct gpu *g, cl_program p)
{
    cl_kernel k;
    int got = 0;
    cl_mem m = buffer(g, sizeof got, NULL);
    created(k, clCreateKernel(p, "f", &err));
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueTask(g->queue, k, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
    return got;
}

static void binaries_come_back(void **state)
{
    struct gpu *g = *state;
    cl_program p = built(g, "kernel void f(global int *x) { x[0] = 77; }\n"), again;
    size_t bytes[4] = {0};
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, bytes, NULL));
    assert_true(bytes[0] > 0);
    unsigned char *binary = malloc(bytes[0]), *list[4] = {binary};
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof list, list, NULL));
    const unsigned char *given = binary;
    cl_int status = 1;
    created(again,
            clCreateProgramWithBinary(g->context, 1, &g->device, bytes, &given, &status, &err));
    assert_int_equal(status, CL_SUCCESS);
    ok(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(run_f(g, again), 77);
    ok(clReleaseProgram(again));
    const cl_device_id twice[2] = {g->device, g->device};
    not_created(CL_INVALID_DEVICE,
                clCreateProgramWithBinary(g->context, 2, twice, (size_t[]){bytes[0], bytes[0]},
                                          (const unsigned char *[]){given, given}, NULL, &err));
    not_created(CL_INVALID_DEVICE,
                clLinkProgram(g->context, 2, twice, NULL, 1, &p, NULL, NULL, &err));
    for (size_t at = 0; at < bytes[0]; at += bytes[0] / 7 + 1) { /* damaged anywhere */
        binary[at] ^= 1;
        not_created(CL_INVALID_BINARY, clCreateProgramWithBinary(g->context, 1, &g->device, bytes,
                                                                 &given, &status, &err));
        assert_int_equal(status, CL_INVALID_BINARY);
        binary[at] ^= 1;
    }
    bytes[0] = 5;
    not_created(CL_INVALID_BINARY,
                clCreateProgramWithBinary(g->context, 1, &g->device, bytes, &given, &status, &err));
    bytes[0] = 0;
    not_created(CL_INVALID_VALUE,
                clCreateProgramWithBinary(g->context, 1, &g->device, bytes, &given, &status, &err));
    free(binary);
    ok(clReleaseProgram(p));
}

static int n_called;
static void CL_CALLBACK count_call(cl_program p, void *user)
{
    (void)p;
    n_called += *(int *)user;
}

/* The caller's piece has a declaration only, and may come first or last. */
static void kernels_of_other_pieces_are_called(void **state)
{
    struct gpu *g = *state;
    const char *texts[] = {"kernel void g(global int *x, int y);\n"
                           "kernel void f(global int *x) { g(x, 30); x[0] += 3; }\n",
                           "kernel void g(global int *x, int y) { x[0] = y; }\n"};
    cl_program p[3], whole;
    for (int i = 0; i < 2; i++) {
        created(p[i], clCreateProgramWithSource(g->context, 1, &texts[i], NULL, &err));
        ok(clCompileProgram(p[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    }
    p[2] = p[0];
    for (int first = 0; first < 2; first++) {
        created(whole, clLinkProgram(g->context, 0, NULL, "", 2, p + first, NULL, NULL, &err));
        assert_int_equal(run_f(g, whole), 33);
        ok(clReleaseProgram(whole));
    }
    ok(clReleaseProgram(p[0]));
    ok(clReleaseProgram(p[1]));
}

static void programs_are_linked_from_pieces(void **state)
{
    struct gpu *g = *state;
    const char *texts[] = {
        "#include \"sub/value.h\"\nint helper(int x) { return x + VALUE; }\n",
        "int helper(int x);\nkernel void f(global int *x) { x[0] = helper(2); }\n",
        "#define VALUE 40\n"};
    cl_program p[3], whole, library;
    for (int i = 0; i < 3; i++)
        created(p[i], clCreateProgramWithSource(g->context, 1, &texts[i], NULL, &err));
    const char *name = "sub/value.h";
    int one = 1;
    fails(CL_COMPILE_PROGRAM_FAILURE,
          clCompileProgram(p[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ok(clCompileProgram(p[0], 0, NULL, NULL, 1, &p[2], &name, count_call, &one));
    ok(clCompileProgram(p[1], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    assert_int_equal(n_called, 1);
    cl_program_binary_type type = 0;
    ok(clGetProgramBuildInfo(p[0], g->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    created(library, clLinkProgram(g->context, 0, NULL, "-create-library", 1, p, NULL, NULL, &err));
    cl_program pieces[] = {library, p[1]};
    created(whole, clLinkProgram(g->context, 0, NULL, "", 2, pieces, NULL, NULL, &err));
    assert_int_equal(run_f(g, whole), 42);
    not_created(CL_INVALID_LINKER_OPTIONS,
                clLinkProgram(g->context, 0, NULL, "-nonsense", 2, pieces, NULL, NULL, &err));
    not_created(CL_INVALID_OPERATION,
                clLinkProgram(g->context, 0, NULL, "", 1, &p[2], NULL, NULL, &err));
    for (int i = 0; i < 3; i++)
        ok(clReleaseProgram(p[i]));
    ok(clReleaseProgram(library));
    ok(clReleaseProgram(whole));
}

static char reported[4096];
static void CL_CALLBACK note_error(const char *text, const void *data, size_t bytes, void *user)
{
    (void)data;
    (void)bytes;
    (void)user;
    snprintf(reported, sizeof reported, "%s", text);
}

/* An access out of bounds fails the command, and says where; the context still works. */
static void faults_are_reported(void **state)
{
    struct gpu *g = *state;
    struct gpu own = *g;
    created(own.context, clCreateContext(NULL, 1, &g->device, note_error, NULL, &err));
    created(own.queue, clCreateCommandQueue(own.context, g->device, 0, &err));
    cl_program p = built(&own, "kernel void f(global int *x) {\n"
                               "  x[0] = 5;\n"
                               "  if (get_global_id(0) == 3) x[1000000] = 1; }\n");
    cl_kernel k;
    created(k, clCreateKernel(p, "f", &err));
    int got = 0;
    cl_mem m = buffer(&own, sizeof got, NULL);
    cl_event e;
    const size_t four = 4;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(own.queue, k, 1, NULL, &four, NULL, 0, NULL, &e));
    fails(CL_OUT_OF_RESOURCES, clFinish(own.queue));
    assert_int_equal(status_of(e), CL_OUT_OF_RESOURCES);
    assert_non_null(strstr(reported, "kernel 'f'"));
    assert_non_null(strstr(reported, "program.cl:3"));
    assert_non_null(strstr(reported, "thread 3,0,0"));
    assert_non_null(strstr(reported, "--loose-bounds permits 4096 bytes"));
    ok(clReleaseEvent(e));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    cl_program fine = built(&own, "kernel void f(global int *x) { x[0] = 6; }\n");
    assert_int_equal(run_f(&own, fine), 6);
    const size_t too_many[3] = {1 << 30, 1 << 30, 1 << 30};
    created(k, clCreateKernel(fine, "f", &err));
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(own.queue, k, 3, NULL, too_many, NULL, 0, NULL, NULL));
    fails(CL_OUT_OF_RESOURCES, clFinish(own.queue));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(fine));
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(own.queue));
    ok(clReleaseContext(own.context));
}

/* A blocking command after a kernel that failed succeeds itself, but says that one before it did
 * not. It must not be CL_OUT_OF_RESOURCES: pyopencl then frees memory and calls again. */
static void blocking_commands_return_earlier_faults(void **state)
{
    struct gpu *g = *state;
    struct gpu own = *g;
    created(own.context, clCreateContext(NULL, 1, &g->device, note_error, NULL, &err));
    created(own.queue, clCreateCommandQueue(own.context, g->device, 0, &err));
    cl_program p = built(&own, "kernel void f(global int *x, global int *y) { y[0] = x[0]; }\n");
    cl_kernel k;
    created(k, clCreateKernel(p, "f", &err));
    int got = 0;
    cl_mem m = buffer(&own, sizeof got, NULL);
    cl_event e;
    ok(clSetKernelArg(k, 0, sizeof m, NULL));
    ok(clSetKernelArg(k, 1, sizeof m, &m));
    ok(clEnqueueTask(own.queue, k, 0, NULL, NULL));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(own.queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, &e));
    assert_int_equal(status_of(e), CL_COMPLETE);
    assert_non_null(strstr(reported, "argument 0 'x' is a null buffer"));
    assert_null(strstr(reported, "argument 1"));
    ok(clFinish(own.queue));
    ok(clReleaseEvent(e));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(own.queue));
    ok(clReleaseContext(own.context));
}

/* HEDDLE_MAX_CYCLES and HEDDLE_MAX_INSTS are set for this test. */
static void endless_kernels_are_cut_off(void **state)
{
    struct gpu *g = *state;
    cl_program p = built(g, "kernel void f(global volatile int *x) { while (x[0] == 0) ; }\n");
    cl_kernel k;
    cl_mem m = buffer(g, 4, NULL);
    created(k, clCreateKernel(p, "f", &err));
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueTask(g->queue, k, 0, NULL, NULL));
    fails(CL_OUT_OF_RESOURCES, clFinish(g->queue));
    ok(clFinish(g->queue));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(m));
    cl_program fine = built(g, "kernel void f(global int *x) { x[0] = 8; }\n");
    assert_int_equal(run_f(g, fine), 8);
    ok(clReleaseProgram(fine));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernels_tell_their_arguments),
        TEST(all_kinds_of_arguments_arrive),
        TEST(ranges_are_checked_and_placed),
        TEST(build_logs_are_the_compilers),
        TEST(undefined_functions_fail_the_build),
        TEST(binaries_come_back),
        TEST(programs_are_linked_from_pieces),
        TEST(kernels_of_other_pieces_are_called),
        TEST(faults_are_reported),
        TEST(blocking_commands_return_earlier_faults),
        TEST(endless_kernels_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
