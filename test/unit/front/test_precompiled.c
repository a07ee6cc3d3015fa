/* Precompiled headers: when they are used, and that a result never depends on them. */
#include "front_test.h"

/* Rules precompiled headers out, and changes nothing. */
#define PLAIN "-fno-color-diagnostics"

static const char use_text[] =
    "__kernel void use(__global float4 *f, __global uint *u, __local int *l, image2d_t i)\n"
    "{\n"
    "    int x = get_global_id(0);\n"
    "    f[x] = sin(f[x]) + vload4(x, (__global float *)f) + (float)M_PI;\n"
    "    u[x] = max(u[x], -1) + atomic_inc(u) + get_image_width(i) + convert_uint_sat(f[x].x);\n"
    "    if (x = 3) l[x] = clamp(l[x], 1, 5);\n"
    "}\n";

static void headers_are_parsed_once(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xxxc");
    assert_int_equal(compile(use_text, "-DA -D B=2 -UC -I . -w -Wall"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "p");
    assert_int_equal(compile(use_text, "-cl-std=CL2.0"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xp");
    assert_int_equal(compile(use_text, PLAIN), HEDDLE_OK);
    assert_string_equal(clang_calls(), "x");
}

static void output_and_messages_are_the_same(void **state)
{
    (void)state;
    static const char *const options[] = {"", "-cl-fast-relaxed-math -DM=1", "-Wall -cl-std=CL3.0",
                                          "-O0", "-cl-single-precision-constant"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char plain[128];
        snprintf(plain, sizeof plain, "%s " PLAIN, options[i]);
        assert_int_equal(compile(use_text, options[i]), HEDDLE_OK);
        char *output = strdup(strbuf_text(&ptx)), *messages = strdup(strbuf_text(&error));
        assert_int_equal(compile(use_text, plain), HEDDLE_OK);
        assert_string_equal(strbuf_text(&ptx), output);
        assert_string_equal(strbuf_text(&error), messages);
        assert_has(error, "assignment as a condition");
        free(output);
        free(messages);
    }
}

/* Such a macro is defined before the headers, which test it. */
static void a_macro_that_headers_mention_is_before_them(void **state)
{
    (void)state;
    const char *text = "__kernel void k(__global int *a) { a[0] = __OPENCL_VERSION__ + 7000; }\n";
    count_clang_calls();
    assert_int_equal(compile(text, "-D__OPENCL_VERSION__=110"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xxx");
    assert_has(ptx, "7110");
    assert_string_equal(strbuf_text(&error), "");
    assert_int_equal(compile(text, "-D M_PI=3"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "x");
    assert_int_equal(compile(text, "-D 'mad24(a,b,c)=((a)*(b)+(c))'"), HEDDLE_BAD_INPUT);
    assert_string_equal(clang_calls(), "x");
}

static void damaged_headers_are_made_again(void **state)
{
    (void)state;
    void (*const damages[])(const char *) = {truncate_to_half, flip_a_bit, make_empty};
    static const char *const suffixes[] = {".pch", ".index"};
    count_clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    char *first = strdup(strbuf_text(&ptx));
    for (size_t i = 0; i < 6; i++) {
        clang_calls();
        assert_int_equal(for_cache_files(path_in_folder("cache"), suffixes[i / 3], damages[i % 3]),
                         1);
        assert_int_equal(for_cache_files(path_in_folder("cache"), ".ptx", make_empty), 1);
        assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
        assert_string_equal(clang_calls(), "xc");
        assert_string_equal(strbuf_text(&ptx), first);
    }
    free(first);
}

/* clang notices that a header is newer than the precompiled one. */
static void outdated_headers_are_discarded(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    clang_calls();
    assert_int_equal(for_cache_files(path_in_folder("cache"), "prelude.cl", make_empty), 1);
    assert_int_equal(compile(scale_text, "-DA"), HEDDLE_OK);
    assert_string_equal(strbuf_text(&error), "");
    assert_string_equal(clang_calls(), "cx");
    assert_int_equal(compile(scale_text, "-DB"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xc");
}

static void a_wrong_source_keeps_the_headers(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(compile("__kernel void k(int a) { b = a; }\n", NULL), HEDDLE_BAD_INPUT);
    assert_has(error, "kernel.cl:1:26: error: use of undeclared identifier 'b'");
    clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_string_equal(clang_calls(), "c");
}

/* Everything in core.cl, and names of other functions that are not called. */
static void the_core_library_suffices(void **state)
{
    (void)state;
    static const char text[] =
        "int square(int step) { return step * step; }\n"
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
        "void k(__global float4 *f, __global size_t *length, __global float *g)\n"
        "{\n"
        "    const int distance = (get_global_id(0)), step = square(distance);\n"
        "    if (get_work_dim() == 2) length[step] = get_local_id(0) + get_local_size(1);\n"
        "    length[1] = get_group_id(0) + get_num_groups(1) + get_global_size(2);\n"
        "    length[2] = get_global_offset(0);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE), mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
        "    read_mem_fence(CLK_LOCAL_MEM_FENCE), write_mem_fence(CLK_LOCAL_MEM_FENCE);\n"
        "    f[0] = native_exp2(f[0]) + native_exp(f[0]) + native_exp10(f[0]);\n"
        "    f[1] = native_log2(f[1]) + native_log(f[1]) + native_log10(f[1]);\n"
        "    f[2] = native_sin(f[2]) + native_cos(f[2]) + native_tan(f[2]);\n"
        "    f[3] = native_recip(f[3]) + native_rsqrt(f[3]) + native_sqrt(f[3]);\n"
        "    f[4] = native_divide(f[4], f[3]) + native_powr(f[4], f[3]);\n"
        "    f[5] = half_exp2(f[5]) + half_exp(f[5]) + half_exp10(f[5]);\n"
        "    f[6] = half_recip(f[6]) + half_rsqrt(f[6]) + half_sqrt(f[6]);\n"
        "    f[7] = half_divide(f[7], as_float4(f[6]));\n"
        "    g[0] = native_divide(g[0], half_sqrt(g[1]));\n"
        "}\n";
    count_clang_calls();
    assert_int_equal(compile(text, NULL), HEDDLE_OK);
    char *output = strdup(strbuf_text(&ptx));
    assert_string_equal(clang_calls(), "xxxc");
    assert_int_equal(compile(text, PLAIN), HEDDLE_OK);
    assert_string_equal(strbuf_text(&ptx), output);
    free(output);
}

/* A function that only a macro calls is noticed in the PTX; a word of an option counts. */
static void other_functions_are_linked_nevertheless(void **state)
{
    (void)state;
    const char *text = "#define ROOT sqrt\n"
                       "__kernel void k(__global float *f) { *f = ROOT(*f); }\n";
    const char *option = "__kernel void k(__global float *f) { *f = ROOT(*f); }\n";
    count_clang_calls();
    assert_int_equal(compile(text, NULL), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xxxcp");
    assert_has(ptx, "sqrt.rn.f32");
    assert_int_equal(compile(option, "-DROOT=sqrt"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "p");
    assert_int_equal(compile("float mine(float);\n"
                             "__kernel void k(__global float *f) { *f = mine(*f); }\n",
                             NULL),
                     HEDDLE_OK);
    assert_string_equal(clang_calls(), "cp");
    assert_int_equal(compile("float mine(float);\n"
                             "__kernel void k(__global float *f) { *f = mine(*f); }\n"
                             "__attribute__((noinline)) float mine(float x) { return x + 1; }\n",
                             NULL),
                     HEDDLE_OK);
    assert_string_equal(clang_calls(), "c");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(headers_are_parsed_once),
        TEST(output_and_messages_are_the_same),
        TEST(a_macro_that_headers_mention_is_before_them),
        TEST(damaged_headers_are_made_again),
        TEST(outdated_headers_are_discarded),
        TEST(a_wrong_source_keeps_the_headers),
        TEST(the_core_library_suffices),
        TEST(other_functions_are_linked_nevertheless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
