/* The compiler's interface: its output, its messages, and when clang is run at all. */
#include "front_test.h"

/* For tests that neither count compilations nor damage the cache: the library for kernels, which
 * takes longest to compile, is compiled for the first of them only. */
static char shared_cache[64] = "/tmp/test-front-cache-XXXXXX";

static int make_shared_cache(void **state)
{
    (void)state;
    return mkdtemp(shared_cache) ? 0 : -1;
}

static int remove_shared_cache(void **state)
{
    (void)state;
    return nftw(shared_cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int share_cache(void **state)
{
    int status = make_folder(state);
    setenv("HEDDLE_CACHE", shared_cache, 1);
    return status;
}

/* --- Output --- */

static void an_opencl_kernel_becomes_an_entry(void **state)
{
    (void)state;
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_string_equal(strbuf_text(&error), "");
    assert_has(ptx, ".entry scale(");
    assert_has(ptx, "%envreg3");
    assert_has(ptx, "mul.rn.f32");
    assert_has(ptx, ".loc\t1 3"); /* faults can name the source line */
    assert_has(ptx, "kernel.cl\"");
}

static void optimisation_can_be_disabled(void **state)
{
    (void)state;
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_null(strstr(strbuf_text(&ptx), "__local_depot"));
    assert_int_equal(compile(scale_text, "-cl-opt-disable"), HEDDLE_OK);
    assert_has(ptx, "__local_depot"); /* variables are in memory */
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    assert_int_equal(compile("\xef\xbb\xbfkernel void f(global int *x) { x[0] = 1; }\n", NULL),
                     HEDDLE_OK);
    assert_string_equal(strbuf_text(&error), "");
    assert_has(ptx, ".entry f(");
}

static void what_libclc_lacks_comes_from_our_library(void **state)
{
    (void)state;
    const char *text =
        "__kernel void k(__global float *f, __global long *l, __local ulong *s, __global int *i)\n"
        "{\n"
        "    f[0] = native_sin(f[1]) + native_divide(f[2], f[3]) + native_exp(f[4]);\n"
        "    atom_max(l, 7L);\n"
        "    atom_cmpxchg(s, 1UL, 2UL);\n"
        "    i[0] = mad_hi(i[1], i[2], i[3]) + get_work_dim() + max(f[5], 0);\n"
        "}\n";
    assert_int_equal(compile(text, NULL), HEDDLE_OK);
    assert_has(ptx, "sin.approx.f32");
    assert_has(ptx, "div.approx.f32");
    assert_has(ptx, "ex2.approx.f32");
    assert_has(ptx, "atom.global.max.s64");
    assert_has(ptx, "atom.shared.cas.b64");
    assert_has(ptx, "mul.hi.s32");
    assert_has(ptx, "%envreg6");
    assert_has_not(ptx, "call"); /* nothing is left unresolved */
}

static void only_extensions_that_work_are_named(void **state)
{
    (void)state;
    const char *text = "#if !defined(cl_khr_fp64) || !defined(cl_khr_int64_base_atomics)\n"
                       "#error something is missing\n"
                       "#endif\n"
                       "#if defined(cl_khr_fp16) || defined(cl_khr_subgroups) || \\\n"
                       "    defined(cl_intel_subgroups) || defined(cl_amd_media_ops)\n"
                       "#error something is promised\n"
                       "#endif\n"
                       "__kernel void k(__global double *a) { a[0] = sqrt(a[1]); }\n";
    assert_int_equal(compile(text, NULL), HEDDLE_OK);
    assert_string_equal(strbuf_text(&error), "");
}

static void every_version_of_the_language_compiles(void **state)
{
    (void)state;
    static const struct {
        const char *option, *version;
    } rows[] = {{"-cl-std=CL1.0 -w", "100"},
                {"-cl-std=CL1.1", "110"},
                {"-cl-std=CL1.2", "120"},
                {"-cl-std=CL2.0", "200"},
                {"-cl-std=CL3.0", "300"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf text = {0};
        strbuf_addf(&text,
                    "#if __OPENCL_VERSION__ != 120 || !__IMAGE_SUPPORT__\n"
                    "#error wrong device\n"
                    "#endif\n"
                    "#if %s > 100 && __OPENCL_C_VERSION__ != %s\n"
                    "#error wrong language\n"
                    "#endif\n"
                    "__kernel void k(__global uint *a, __read_only image2d_t i)\n"
                    "{\n"
                    "    a[0] = max(a[1], 3) + get_image_width(i);\n"
                    "}\n",
                    rows[i].version, rows[i].version);
        if (compile(strbuf_text(&text), rows[i].option) != HEDDLE_OK)
            fail_msg("%s: %s", rows[i].option, strbuf_text(&error));
        strbuf_destroy(&text);
    }
}

/* What CL_DEVICE_EXTENSIONS will list, programs find as macros. */
static void named_extensions_are_macros(void **state)
{
    (void)state;
    struct strbuf text = {0};
    char *names = strdup(front_opencl_extensions()), *rest;
    size_t n = 0;
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        strbuf_addf(&text, "#ifndef %s\n#error %s\n#endif\n", name, name);
        n++;
    }
    strbuf_add(&text, scale_text);
    assert_true(n >= 9);
    assert_int_equal(compile(strbuf_text(&text), NULL), HEDDLE_OK);
    free(names);
    strbuf_destroy(&text);
}

static void definitions_with_quotes_reach_the_compiler(void **state)
{
    (void)state;
    const char *text = "__constant char text[] = TEXT;\n"
                       "__kernel void k(__global int *a) { a[0] = sizeof(text) * N; }\n";
    assert_int_equal(compile(text, "-DTEXT='\"two words\"' -D \"N=(100 + 1)\""), HEDDLE_OK);
    assert_has(ptx, ", 1010;"); /* ten bytes times 101 */
}

/* --- What is said --- */

static void errors_name_the_users_file_and_line(void **state)
{
    (void)state;
    assert_int_equal(compile("__kernel void k(__global int *a)\n{\n    a[0] = oops;\n}\n", NULL),
                     HEDDLE_BAD_INPUT);
    assert_has(error, "kernel.cl:3:12: error: use of undeclared identifier 'oops'");
    assert_has(error, "    a[0] = oops;\n           ^");
    assert_has_not(error, "generated");
    assert_has_not(error, "stdin");
    assert_int_equal(ptx.len, 0);
}

static void warnings_come_with_a_result_and_again_from_the_cache(void **state)
{
    (void)state;
    const char *text = "__kernel void k(__global int *a) { int *p = 7; a[0] = p == 0; }\n";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(compile(text, NULL), HEDDLE_OK);
        assert_has(error, "kernel.cl:1:41: warning: ");
        assert_has(ptx, ".entry k(");
    }
}

static void a_missing_compiler_is_explained(void **state)
{
    (void)state;
    setenv("HEDDLE_CLANG", path_in_folder("no-clang"), 1);
    assert_int_equal(compile(scale_text, NULL), HEDDLE_ENVIRONMENT);
    assert_has(error, "no-clang");

    char *old_path = strdup(getenv("PATH"));
    unsetenv("HEDDLE_CLANG");
    setenv("PATH", folder, 1);
    assert_int_equal(compile(scale_text, NULL), HEDDLE_ENVIRONMENT);
    assert_has(error, "make setup");
    setenv("PATH", old_path, 1);
    free(old_path);
}

static void a_missing_library_is_explained(void **state)
{
    (void)state;
    setenv("HEDDLE_LIBCLC", folder, 1);
    assert_int_equal(compile(scale_text, NULL), HEDDLE_ENVIRONMENT);
    assert_has(error, "nvptx64--nvidiacl.bc");
}

static void a_compiler_that_dies_is_told_from_a_wrong_program(void **state)
{
    (void)state;
    write_file(path_in_folder("clang"), "#!/bin/sh\nkill -9 $$\n");
    chmod(path_in_folder("clang"), 0755);
    setenv("HEDDLE_CLANG", path_in_folder("clang"), 1);
    assert_int_equal(compile(scale_text, NULL), HEDDLE_ENVIRONMENT);
}

static void a_bad_option_is_the_callers_mistake(void **state)
{
    (void)state;
    assert_int_equal(compile(scale_text, "-DA=\"x"), HEDDLE_BAD_INPUT);
    assert_has(error, "quote");
    assert_int_equal(compile(scale_text, "-fno-such-option"), HEDDLE_BAD_INPUT);
    assert_has(error, "-fno-such-option");
}

/* --- When clang is run --- */

static void the_second_compilation_does_not_run_clang(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(compile(scale_text, "-DA=1"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xxxc"); /* libraries, the headers, the source */
    char *first = strdup(strbuf_text(&ptx));
    assert_int_equal(compile(scale_text, "-DA=1"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "");
    assert_string_equal(strbuf_text(&ptx), first);
    free(first);

    assert_int_equal(compile(scale_text, "-DA=2"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "c");
    assert_int_equal(compile("__kernel void other(void) {}\n", "-DA=1"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "c");
}

static void a_changed_include_is_compiled_again(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(mkdir(path_in_folder("my headers"), 0777), 0);
    char options[128];
    snprintf(options, sizeof options, "-I '%s'", path_in_folder("my headers"));
    const char *text = "#include \"value.h\"\n__kernel void k(__global int *a) { a[0] = VALUE; }\n";

    write_file(path_in_folder("my headers/value.h"), "#define VALUE 12345\n");
    assert_int_equal(compile(text, options), HEDDLE_OK);
    assert_has(ptx, "12345");
    clang_calls();
    assert_int_equal(compile(text, options), HEDDLE_OK);
    assert_string_equal(clang_calls(), "");

    write_file(path_in_folder("my headers/value.h"), "#define VALUE 54321\n");
    assert_int_equal(compile(text, options), HEDDLE_OK);
    assert_string_equal(clang_calls(), "p");
    assert_has(ptx, "54321");

    unlink(path_in_folder("my headers/value.h"));
    assert_int_equal(compile(text, options), HEDDLE_BAD_INPUT);
    assert_has(error, "kernel.cl:1:10: fatal error: 'value.h' file not found");
}

static void a_quoted_include_is_found_beside_the_source(void **state)
{
    (void)state;
    write_file(path_in_folder("near.h"), "#define NEAR 777\n");
    const char *text = "#include \"near.h\"\n__kernel void k(__global int *a) { a[0] = NEAR; }\n";
    assert_int_equal(compile_named(FRONT_OPENCL_C, path_in_folder("k.cl"), text, NULL), HEDDLE_OK);
    assert_has(ptx, "777");
}

static void make_folder_of_it(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void a_damaged_entry_is_made_again(void **state)
{
    (void)state;
    void (*const damages[])(const char *) = {truncate_to_half, flip_a_bit, make_empty};
    count_clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    char *first = strdup(strbuf_text(&ptx));
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        clang_calls();
        assert_int_equal(for_cache_files(path_in_folder("cache"), ".ptx", damages[i]), 1);
        assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
        assert_string_equal(clang_calls(), "c");
        assert_string_equal(strbuf_text(&ptx), first);
    }
    free(first);
}

static void a_damaged_library_is_made_again(void **state)
{
    (void)state;
    count_clang_calls();
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    clang_calls();
    assert_int_equal(for_cache_files(path_in_folder("cache"), ".bc", flip_a_bit), 2);
    assert_int_equal(for_cache_files(path_in_folder("cache"), ".cl", make_empty), 1);
    assert_int_equal(compile("__kernel void k(__global uint *a) { a[0] = max(a[1], 3); }", NULL),
                     HEDDLE_OK);
    /* The library; a try with headers of a file that was written again; without them. */
    assert_string_equal(clang_calls(), "xpx");
    assert_int_equal(compile(scale_text, "-DA"), HEDDLE_OK);
    assert_string_equal(clang_calls(), "xxc"); /* the headers, the core, the source */
}

static void without_a_cache_it_still_compiles(void **state)
{
    (void)state;
    write_file(path_in_folder("file"), "");
    setenv("HEDDLE_CACHE", path_in_folder("file/cache"), 1);
    count_clang_calls();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
        assert_has(ptx, ".entry scale(");
        assert_has(error, "warning: no folder for the cache of compiled kernels is writable");
        assert_string_equal(clang_calls(), "xx");
    }
}

/* As on a disk that is full: folders are there, files cannot be made in them. */
static void a_cache_that_cannot_be_filled_is_a_warning(void **state)
{
    (void)state;
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_int_equal(error.len, 0);
    assert_int_equal(for_cache_files(path_in_folder("cache"), ".ptx", make_folder_of_it), 1);
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_has(error, "warning: cannot write to the cache of compiled kernels");
    assert_int_equal(for_cache_files(path_in_folder("cache"), ".bc", make_folder_of_it), 2);
    assert_int_equal(compile(scale_text, NULL), HEDDLE_OK);
    assert_has(ptx, ".entry scale(");
    assert_has(error, "warning: cannot write to the cache of compiled kernels");
}

#define TEST(f)   cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
#define SHARES(f) cmocka_unit_test_setup_teardown(f, share_cache, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARES(an_opencl_kernel_becomes_an_entry),
        SHARES(optimisation_can_be_disabled),
        SHARES(a_byte_order_mark_is_skipped),
        SHARES(what_libclc_lacks_comes_from_our_library),
        SHARES(only_extensions_that_work_are_named),
        SHARES(every_version_of_the_language_compiles),
        SHARES(named_extensions_are_macros),
        SHARES(definitions_with_quotes_reach_the_compiler),
        SHARES(errors_name_the_users_file_and_line),
        SHARES(warnings_come_with_a_result_and_again_from_the_cache),
        TEST(a_missing_compiler_is_explained),
        TEST(a_missing_library_is_explained),
        TEST(a_compiler_that_dies_is_told_from_a_wrong_program),
        SHARES(a_bad_option_is_the_callers_mistake),
        TEST(the_second_compilation_does_not_run_clang),
        TEST(a_changed_include_is_compiled_again),
        TEST(a_quoted_include_is_found_beside_the_source),
        TEST(a_damaged_entry_is_made_again),
        TEST(a_damaged_library_is_made_again),
        TEST(a_cache_that_cannot_be_filled_is_a_warning),
        TEST(without_a_cache_it_still_compiles),
    };
    return cmocka_run_group_tests(tests, make_shared_cache, remove_shared_cache);
}
