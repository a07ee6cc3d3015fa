/* CUDA C through our own headers: the instructions that the CUDA manual promises for a function
 * are in the PTX, and a whole program with host code compiles for its kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "front/front.h"

static char cache_folder[] = "/tmp/test-cuda-XXXXXX";
static struct strbuf ptx, error;

static enum heddle_status compile(const char *text, const char *options)
{
    strbuf_clear(&ptx);
    strbuf_clear(&error);
    return front_compile(FRONT_CUDA_C, "kernel.cu", text, strlen(text), options, &ptx, &error);
}

static int make_cache(void **state)
{
    (void)state;
    return mkdtemp(cache_folder) ? setenv("HEDDLE_CACHE", cache_folder, 1) : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)kind, (void)place;
    return remove(path);
}

static int remove_cache(void **state)
{
    (void)state;
    strbuf_destroy(&ptx);
    strbuf_destroy(&error);
    return nftw(cache_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define assert_has(buffer, part)     assert_non_null(strstr(strbuf_text(&(buffer)), (part)))
#define assert_has_not(buffer, part) assert_null(strstr(strbuf_text(&(buffer)), (part)))

struct expectation {
    const char
        *statement; /* about float *f, double *d, int *i, unsigned *u, unsigned long long *l */
    const char *instruction;
};

static void assert_expectations(const struct expectation *e, size_t n)
{
    struct strbuf source = {0};
    for (size_t i = 0; i < n; i++) {
        strbuf_clear(&source);
        strbuf_addf(&source,
                    "__global__ void k(float *f, double *d, int *i, unsigned *u,"
                    " unsigned long long *l)\n{\n    %s;\n}\n",
                    e[i].statement);
        if (compile(strbuf_text(&source), NULL) != HEDDLE_OK)
            fail_msg("%s does not compile:\n%s", e[i].statement, strbuf_text(&error));
        if (!strstr(strbuf_text(&ptx), e[i].instruction))
            fail_msg("%s gives no %s:\n%s", e[i].statement, e[i].instruction, strbuf_text(&ptx));
        assert_has_not(ptx, ".extern .func");
    }
    strbuf_destroy(&source);
}

static void intrinsics_are_the_instructions_of_the_manual(void **state)
{
    (void)state;
    static const struct expectation table[] = {
        {"f[0] = __sinf(f[1])", "sin.approx.f32"},
        {"f[0] = __fdividef(f[1], f[2])", "div.approx.f32"},
        {"f[0] = __fmaf_rz(f[1], f[2], f[3])", "fma.rz.f32"},
        {"d[0] = __dadd_ru(d[1], d[2])", "add.rp.f64"},
        {"i[0] = __float2int_rn(f[1])", "cvt.rni.s32.f32"},
        {"u[0] = __double2uint_rd(d[1])", "cvt.rmi.u32.f64"},
        {"i[0] = __mulhi(i[1], i[2])", "mul.hi.s32"},
        {"u[0] = __byte_perm(u[1], u[2], u[3])", "prmt.b32"},
        {"i[0] = __dp4a(i[1], i[2], i[3])", "dp4a.s32.s32"},
        {"f[0] = __ldg(f + 1)", "ld.global.nc.f32"},
        {"f[0] = __ldcg(f + 1)", "ld.cg.f32"},
        {"i[0] = __popc(i[1]) + __clz(i[2])", "clz.b32"},
        {"f[0] = sqrtf(f[1])", "sqrt.rn.f32"},
        {"d[0] = fma(d[1], d[2], d[3])", "fma.rn.f64"},
    };
    assert_expectations(table, sizeof table / sizeof *table);
}

static void atomics_barriers_and_warp_operations_are_there(void **state)
{
    (void)state;
    static const struct expectation table[] = {
        {"atomicAdd(i, 3)", "add.u32"},
        {"f[1] = atomicAdd(f, 3.0f)", "atom.global.add.f32"},
        {"d[1] = atomicAdd(d, 3.0)", "atom.global.add.f64"},
        {"l[1] = atomicMax(l, 3ull)", "atom.global.max.u64"},
        {"u[1] = atomicInc(u, 3)", "inc.u32"},
        {"i[1] = atomicCAS(i, 3, 4)", "atom.global.cas.b32"},
        {"__shared__ int s; s = 0; __syncthreads(); i[1] = atomicMin(&s, 3)",
         "atom.shared.min.s32"},
        {"__syncthreads()", "bar.sync \t0"},
        {"i[0] = __syncthreads_count(i[1])", "bar.red.popc.u32"},
        {"i[0] = 1; __threadfence(); i[1] = 1", "membar.gl"},
        {"i[0] = __shfl_down_sync(0xffffffff, i[1], 4)", "shfl.sync.down.b32"},
        {"d[0] = __shfl_xor_sync(0xffffffff, d[1], 1)", "shfl.sync.bfly.b32"},
        {"u[0] = __ballot_sync(0xffffffff, i[1])", "vote.sync.ballot.b32"},
        {"u[0] = __match_any_sync(0xffffffff, i[1])", "match.any.sync.b32"},
        {"u[0] = __activemask()", "activemask.b32"},
    };
    assert_expectations(table, sizeof table / sizeof *table);
}

static void mathematics_leaves_nothing_unresolved(void **state)
{
    (void)state;
    const char *text = "__global__ void k(float *f, double *d, int *i)\n"
                       "{\n"
                       "    f[0] = sinf(f[1]) + expf(f[2]) + powf(f[3], f[4]) + tanhf(f[5]);\n"
                       "    f[1] = sin(f[1]) + exp(f[2]) + pow(f[3], 2) + erff(f[5]);\n"
                       "    d[0] = sin(d[1]) + exp(d[2]) + pow(d[3], d[4]) + sqrt(i[5]);\n"
                       "    sincosf(f[2], f + 3, f + 4);\n"
                       "    d[5] = frexp(d[6], i) + fmod(d[1], 3) + max(f[1], 2.0);\n"
                       "}\n";
    assert_int_equal(compile(text, NULL), HEDDLE_OK);
    assert_string_equal(strbuf_text(&error), "");
    assert_has_not(ptx, "approx");
    assert_has_not(ptx, ".extern");
    assert_int_equal(compile(text, "--use_fast_math"), HEDDLE_OK);
    assert_has(ptx, "sin.approx");
}

static void a_whole_program_compiles_for_its_kernels(void **state)
{
    (void)state;
    const char *text =
        "#include <assert.h>\n"
        "#include <stdio.h>\n"
        "#include <cmath>\n"
        "#include <vector>\n"
        "#include <cuda_runtime.h>\n"
        "__constant__ float scale[4];\n"
        "template <class T> __global__ void grow(T *a, int n)\n"
        "{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    assert(i < 4096);\n"
        "    if (i < n)\n"
        "        a[i] = a[i] * scale[i & 3] + std::sqrt(a[i]) + std::max(i, n);\n"
        "    printf(\"%d\\n\", i);\n"
        "}\n"
        "int main()\n"
        "{\n"
        "    std::vector<float> h(64, 2.0f);\n"
        "    float *d;\n"
        "    if (cudaMalloc(&d, 256) != cudaSuccess)\n"
        "        return 1;\n"
        "    cudaMemcpy(d, h.data(), 256, cudaMemcpyHostToDevice);\n"
        "    grow<<<dim3(2), 32>>>(d, 64);\n"
        "    printf(\"%s %f\\n\", cudaGetErrorString(cudaGetLastError()), sqrt(2.0));\n"
        "    return cudaFree(d);\n"
        "}\n";
    if (compile(text, NULL) != HEDDLE_OK)
        fail_msg("%s", strbuf_text(&error));
    assert_string_equal(strbuf_text(&error), "");
    assert_has(ptx, ".visible .entry _Z4growIfEvPT_i(");
    assert_has(ptx, "vprintf");
    assert_has_not(ptx, "main");
}

static void cooperative_groups_work_up_to_the_block(void **state)
{
    (void)state;
    assert_int_equal(compile("#include <cooperative_groups.h>\n"
                             "namespace cg = cooperative_groups;\n"
                             "__global__ void k(int *a)\n"
                             "{\n"
                             "    auto block = cg::this_thread_block();\n"
                             "    auto tile = cg::tiled_partition<8>(block);\n"
                             "    a[block.thread_rank()] = tile.shfl_xor(a[0], 4);\n"
                             "    block.sync();\n"
                             "}\n",
                             NULL),
                     HEDDLE_OK);
    assert_has(ptx, "shfl.sync.bfly.b32");
    assert_int_equal(compile("#include <cooperative_groups.h>\n"
                             "__global__ void k() { cooperative_groups::this_grid().sync(); }\n",
                             NULL),
                     HEDDLE_BAD_INPUT);
    assert_has(error, "kernel.cu:2:55: error: 'sync' is unavailable: Heddle has no cooperative");
}

static void textures_are_refused_by_name(void **state)
{
    (void)state;
    assert_int_equal(compile("texture<float, 1, cudaReadModeElementType> t;\n", NULL),
                     HEDDLE_BAD_INPUT);
    assert_has(error, "Heddle has no textures");
    assert_has(error, "kernel.cu:1:44: note: in instantiation of");
}

static void the_architecture_can_be_chosen(void **state)
{
    (void)state;
    const char *text = "__global__ void k(int *a) { a[0] = __CUDA_ARCH__; }\n";
    assert_int_equal(compile(text, NULL), HEDDLE_OK);
    assert_has(ptx, ".target sm_70");
    assert_int_equal(compile(text, "-arch=sm_52"), HEDDLE_OK);
    assert_has(ptx, ".target sm_52");
    assert_has(ptx, ", 520;");
}

static void programs_for_old_gpus_bring_their_own_double_atomics(void **state)
{
    (void)state;
    const char *text = "__device__ double atomicAdd(double *p, double v)\n"
                       "{\n"
                       "    return __longlong_as_double(atomicCAS((unsigned long long *)p, 0ull,\n"
                       "                                          __double_as_longlong(v)));\n"
                       "}\n"
                       "__global__ void k(double *d) { d[1] = atomicAdd(d, 2.0); }\n";
    assert_int_equal(compile(text, "-arch=sm_35"), HEDDLE_OK);
    assert_has(ptx, "atom.global.cas.b64");
}

/* Loads of a shared variable that another thread may have written stay behind the barrier. */
static void barriers_order_shared_variables(void **state)
{
    (void)state;
    static const char text[] = "__global__ void k(const float *in, float *out) {\n"
                               "  __shared__ float value[1];\n"
                               "  if (threadIdx.x == 0) value[0] = in[blockIdx.x];\n"
                               "  __syncthreads();\n"
                               "  out[threadIdx.x] += value[0];\n"
                               "}\n";
    assert_int_equal(compile(text, ""), HEDDLE_OK);
    const char *barrier = strstr(strbuf_text(&ptx), "bar.sync");
    assert_non_null(barrier);
    assert_non_null(strstr(barrier, "ld.shared"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intrinsics_are_the_instructions_of_the_manual),
        cmocka_unit_test(atomics_barriers_and_warp_operations_are_there),
        cmocka_unit_test(mathematics_leaves_nothing_unresolved),
        cmocka_unit_test(a_whole_program_compiles_for_its_kernels),
        cmocka_unit_test(cooperative_groups_work_up_to_the_block),
        cmocka_unit_test(textures_are_refused_by_name),
        cmocka_unit_test(the_architecture_can_be_chosen),
        cmocka_unit_test(programs_for_old_gpus_bring_their_own_double_atomics),
        cmocka_unit_test(barriers_order_shared_variables),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
