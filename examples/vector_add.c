/* Vector addition with libheddle, once from PTX text and once from OpenCL C.
 *
 *     cc vector_add.c -lheddle -o vector_add && ./vector_add
 *
 * The steps are those of any program that uses the library: create a simulation, load a module,
 * allocate and fill buffers, launch, read back. Every call returns a status; heddle_error() says
 * what a failure was about. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

enum { N = 10000, BLOCK = 256 };

static const char opencl_text[] = "__kernel void add(__global const float *a,\n"
                                  "                  __global const float *b,\n"
                                  "                  __global float *c, int n)\n"
                                  "{\n"
                                  "    int i = get_global_id(0);\n"
                                  "    if (i < n)\n"
                                  "        c[i] = a[i] + b[i];\n"
                                  "}\n";

static const char ptx_text[] = ".version 6.0\n"
                               ".target sm_30\n"
                               ".address_size 64\n"
                               ".visible .entry add(.param .u64 a, .param .u64 b,\n"
                               "                    .param .u64 c, .param .u32 n)\n"
                               "{\n"
                               "    .reg .pred %p;\n"
                               "    .reg .b32 %i, %n, %t;\n"
                               "    .reg .b64 %a, %b, %c, %at;\n"
                               "    .reg .f32 %x, %y;\n"
                               "    mov.u32 %i, %ctaid.x;\n"
                               "    mov.u32 %n, %ntid.x;\n"
                               "    mov.u32 %t, %tid.x;\n"
                               "    mad.lo.u32 %i, %i, %n, %t;\n"
                               "    ld.param.u32 %n, [n];\n"
                               "    setp.ge.u32 %p, %i, %n;\n"
                               "    @%p ret;\n"
                               "    ld.param.u64 %a, [a];\n"
                               "    ld.param.u64 %b, [b];\n"
                               "    ld.param.u64 %c, [c];\n"
                               "    mul.wide.u32 %at, %i, 4;\n"
                               "    add.u64 %a, %a, %at;\n"
                               "    add.u64 %b, %b, %at;\n"
                               "    add.u64 %c, %c, %at;\n"
                               "    ld.global.f32 %x, [%a];\n"
                               "    ld.global.f32 %y, [%b];\n"
                               "    add.f32 %x, %x, %y;\n"
                               "    st.global.f32 [%c], %x;\n"
                               "    ret;\n"
                               "}\n";

/* Ends the program when a call has failed. The library itself never prints and never exits. */
static void check(const struct heddle_sim *sim, enum heddle_status status)
{
    if (status == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error(sim));
    exit(status);
}

static uint64_t upload(struct heddle_sim *sim, const char *label, const float *values)
{
    uint64_t address;
    check(sim, heddle_alloc(sim, N * sizeof *values, label, &address));
    check(sim, heddle_write(sim, address, values, N * sizeof *values));
    return address;
}

/* Returns how many elements of the sum are wrong. */
static int add_vectors(enum heddle_language language, const char *name, const char *text)
{
    static float a[N], b[N], c[N];
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i);
    }

    struct heddle_options options = {.struct_size = sizeof options, .gpu = "gtx480"};
    struct heddle_sim *sim = NULL;
    check(sim, heddle_create(&options, &sim));
    struct heddle_module *module;
    check(sim, heddle_load(sim, language, name, text, strlen(text), NULL, &module));

    uint64_t device_a = upload(sim, "a", a), device_b = upload(sim, "b", b);
    uint64_t device_c = upload(sim, "c", c);
    int n = N;
    const struct heddle_arg args[] = {
        {.data = &device_a, .bytes = sizeof device_a},
        {.data = &device_b, .bytes = sizeof device_b},
        {.data = &device_c, .bytes = sizeof device_c},
        {.data = &n, .bytes = sizeof n},
    };
    struct heddle_launch launch = {
        .grid = {(N + BLOCK - 1) / BLOCK}, .block = {BLOCK}, .args = args, .n_args = 4};
    check(sim, heddle_launch(sim, module, "add", &launch));
    check(sim, heddle_read(sim, device_c, c, sizeof c));

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != (float)(3 * i);
    struct heddle_stat insts;
    heddle_stat_find(sim, "warp_insts", &insts);
    printf("%s: %d of %d sums are wrong; %llu warp instructions\n", name, wrong, N,
           (unsigned long long)insts.count);
    heddle_destroy(sim);
    return wrong;
}

int main(void)
{
    int wrong = add_vectors(HEDDLE_PTX, "add.ptx", ptx_text);
    wrong += add_vectors(HEDDLE_OPENCL_C, "add.cl", opencl_text);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
