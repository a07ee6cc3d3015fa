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
    assert_string_equal(clang_calls(), "xxp");
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
        assert_string_equal(clang_calls(), "xp");
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
    assert_string_equal(clang_calls(), "px");
    assert_int_equal(compile(scale_text, "-DB"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xp");
}

static void a_wrong_source_keeps_the_headers(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(compile("__kernel void k(int a) { b = a; }\n", NULL), HEDDLE_BAD_INPUT);
    assert_has(error, "kernel.cl:1:26: error: use of undeclared identifier 'b'");
    clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_string_equal(clang_calls(), "p");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
