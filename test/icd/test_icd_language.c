/* What OpenCL C means on this device, through the loader. */
#include "icd_test.h"

/* What one work-item writes before a barrier or fence the others read after it, though the
 * compiler sees no store between that load and the kernel's begin. `asm` is NVIDIA's. */
static void barriers_order_local_variables(void **state)
{
    struct gpu *g = *state;
    enum { N = 128, GROUP = 64 };
    int got[N];
    size_t size = N, group = GROUP;
    cl_kernel k = kernel_of(g,
                            "kernel void f(global const int *in, global int *out) {\n"
                            "  local int value[1];\n"
                            "  uint lane;\n"
                            "  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
                            "  if (get_local_id(0) == 0)\n"
                            "    value[0] = in[get_group_id(0)];\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  out[get_global_id(0)] = value[0] + lane;\n"
                            "}\n",
                            "f");
    cl_mem in = buffer(g, 2 * sizeof(int), (int[]){1000, 2000}), out = buffer(g, sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof in, &in));
    ok(clSetKernelArg(k, 1, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &size, &group, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 1000 * (i / GROUP + 1) + i % 32);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(in));
    ok(clReleaseMemObject(out));
}

/* OpenCL C 1.2 is what is offered, but programs may ask clang for a later one. */
static void later_versions_know_their_work_items(void **state)
{
    struct gpu *g = *state;
    static const char text[] =
        "kernel void f(global ulong *x) {\n"
        "  local ulong last;\n"
        "  ulong id = get_local_linear_id();\n"
        "  if (id == 7) last = get_enqueued_local_size(1);\n"
        "  work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  x[get_global_linear_id()] = last * 100 + id;\n"
        "  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
        "}\n";
    static const char *const versions[] = {"-cl-std=CL2.0", "-cl-std=CL3.0"};
    const size_t offset[2] = {5, 3}, size[2] = {8, 4}, group[2] = {4, 2};
    const char *source = text;
    for (int v = 0; v < 2; v++) {
        cl_ulong got[32] = {0};
        cl_program p;
        cl_kernel k;
        cl_mem m = buffer(g, sizeof got, got);
        created(p, clCreateProgramWithSource(g->context, 1, &source, NULL, &err));
        ok(clBuildProgram(p, 1, &g->device, versions[v], NULL, NULL));
        created(k, clCreateKernel(p, "f", &err));
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        ok(clEnqueueNDRangeKernel(g->queue, k, 2, offset, size, group, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (cl_ulong i = 0; i < 32; i++)
            assert_int_equal(got[i], 200 + i / 8 % 2 * 4 + i % 4);
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
        ok(clReleaseMemObject(m));
    }
}

/* Each kernel of a chain calls the next as a function: pointers, a struct by value, local memory;
 * one is called before its definition. */
static void kernels_call_kernels(void **state)
{
    struct gpu *g = *state;
    enum { N = 64, GROUP = 32 };
    int got[N];
    const size_t size = N, group = GROUP;
    cl_kernel k = kernel_of(g,
                            "typedef struct { int a; float b[3]; } S;\n"
                            "kernel void empty(void) {}\n"
                            "kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
                            "void inner(global int *x, S s, local int *l) {\n"
                            "  int i = get_local_id(0);\n"
                            "  l[i] = i;\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  x[get_global_id(0)] += s.a + l[31 - i];\n"
                            "}\n"
                            "kernel void outer(global int *x, int more);\n"
                            "kernel void middle(global int *x) {\n"
                            "  local int l[32];\n"
                            "  S s = {1000, {x[0], x[1], x[2]}};\n"
                            "  inner(x, s, l);\n"
                            "  empty();\n"
                            "}\n"
                            "kernel void f(global int *x) { outer(x, 3); middle(x); }\n"
                            "kernel void outer(global int *x, int more) {\n"
                            "  x[get_global_id(0)] = 2 + more;\n"
                            "}\n",
                            "f");
    cl_mem m = buffer(g, sizeof got, NULL);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &size, &group, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 1005 + 31 - i % GROUP);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

/* Each argument of local memory begins at its type's alignment, whatever the sizes before it. */
static void local_arguments_are_aligned_for_their_types(void **state)
{
    struct gpu *g = *state;
    cl_kernel k = kernel_of(g,
                            "kernel void f(global ulong *at, local char *c, local long16 *l,\n"
                            "              local short16 *s, local int2 *i, local float8 *f)\n"
                            "{\n"
                            "    at[0] = (ulong)c; at[1] = (ulong)l; at[2] = (ulong)s;\n"
                            "    at[3] = (ulong)i; at[4] = (ulong)f;\n"
                            "}\n",
                            "f");
    static const cl_ulong sizes[] = {1, 128, 32, 8, 32};
    cl_ulong at[5] = {0};
    cl_mem m = buffer(g, sizeof at, at);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    for (cl_uint i = 0; i < 5; i++)
        ok(clSetKernelArg(k, i + 1, sizes[i], NULL));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
    for (cl_uint i = 0; i < 5; i++) {
        assert_int_equal(at[i] % sizes[i], 0);
        for (cl_uint j = 0; j < i; j++)
            assert_true(at[i] >= at[j] + sizes[j]);
    }
    ok(clReleaseMemObject(m));
    ok(clReleaseKernel(k));
}

static const char counting[] =
    "kernel void count(volatile global atomic_uint *n, global int *max, global ulong *sum)\n"
    "{\n"
    "    local atomic_ulong part;\n"
    "    int id = get_global_id(0);\n"
    "    if (get_local_id(0) == 0)\n"
    "        atomic_init(&part, 0UL);\n"
    "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    FETCH_ADD(n, 1u);\n"
    "    FETCH_MAX((volatile global atomic_int *)max, id - 300);\n"
    "    FETCH_SUB((volatile local atomic_ulong *)&part, (ulong)-id);\n"
    "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0))\n"
    "        return;\n"
    "    ulong mine = LOAD(&part), seen = LOAD((volatile global atomic_ulong *)sum);\n"
    "    while (!COMPARE((volatile global atomic_ulong *)sum, &seen, seen + mine))\n"
    "        ;\n"
    "    STORE((volatile global atomic_float *)sum + 2, 0.5f);\n"
    "    max[1] = ctz(id | 1 << 20) + ctz((uchar)0) + ctz((long2)(8, 0)).x;\n"
    "}\n";

/* OpenCL C 2.0 has them on generic addresses, with and without an order; 3.0 without generic
 * addresses has those with order and scope. */
static void atomics_of_later_versions_count(void **state)
{
    struct gpu *g = *state;
#define SCOPED ",memory_order_relaxed,memory_scope_work_group)"
    static const char *const options[] = {
        "-cl-std=CL2.0 -DFETCH_ADD(p,v)=atomic_fetch_add(p,v) -DLOAD(p)=atomic_load(p)"
        " -DFETCH_MAX(p,v)=atomic_fetch_max_explicit(p,v,memory_order_acq_rel)"
        " -DFETCH_SUB(p,v)=atomic_fetch_sub(p,v) -DSTORE(p,v)=atomic_store(p,v)"
        " -DCOMPARE(p,e,v)=atomic_compare_exchange_weak(p,e,v)",
        "-cl-std=CL3.0 -DFETCH_ADD(p,v)=atomic_fetch_add_explicit(p,v" SCOPED
        " -DLOAD(p)=atomic_load_explicit(p" SCOPED
        " -DFETCH_MAX(p,v)=atomic_fetch_max_explicit(p,v" SCOPED
        " -DFETCH_SUB(p,v)=atomic_fetch_sub_explicit(p,v" SCOPED
        " -DSTORE(p,v)=atomic_store_explicit(p,v" SCOPED " -DCOMPARE(p,e,v)="
        "atomic_compare_exchange_strong_explicit(p,e,v,memory_order_relaxed" SCOPED};
    for (size_t i = 0; i < 2; i++) {
        const char *source = counting;
        cl_program p;
        cl_kernel k;
        created(p, clCreateProgramWithSource(g->context, 1, &source, NULL, &err));
        ok(clBuildProgram(p, 0, NULL, options[i], NULL, NULL));
        created(k, clCreateKernel(p, "count", &err));
        struct {
            cl_uint n;
            cl_int max[2];
            cl_ulong sum;
            cl_float half[2];
        } r = {.max = {-1000, 0}};
        cl_mem n = buffer(g, sizeof r.n, &r.n), max = buffer(g, sizeof r.max, r.max);
        cl_mem sum = buffer(g, 16, &r.sum);
        ok(clSetKernelArg(k, 0, sizeof n, &n));
        ok(clSetKernelArg(k, 1, sizeof max, &max));
        ok(clSetKernelArg(k, 2, sizeof sum, &sum));
        ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &(size_t){512}, &(size_t){64}, 0, NULL,
                                  NULL));
        ok(clEnqueueReadBuffer(g->queue, n, CL_TRUE, 0, sizeof r.n, &r.n, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(g->queue, max, CL_TRUE, 0, sizeof r.max, r.max, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(g->queue, sum, CL_TRUE, 0, 16, &r.sum, 0, NULL, NULL));
        assert_int_equal(r.n, 512);
        assert_int_equal(r.max[0], 211);
        assert_int_equal(r.sum, 512 * 511 / 2);
        assert_true(r.half[0] == 0.5f);
        assert_true(r.max[1] >= 6 + 8 + 3 && r.max[1] <= 20 + 8 + 3);
        ok(clReleaseMemObject(n));
        ok(clReleaseMemObject(max));
        ok(clReleaseMemObject(sum));
        ok(clReleaseKernel(k));
        ok(clReleaseProgram(p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(barriers_order_local_variables), TEST(later_versions_know_their_work_items),
        TEST(kernels_call_kernels), TEST(local_arguments_are_aligned_for_their_types),
        TEST(atomics_of_later_versions_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
