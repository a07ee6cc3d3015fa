/* Build options: the words a shell would make of them, and what becomes of other compilers'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "front/options.h"

static void assert_words(const char *text, const char *expected)
{
    struct arena arena = {0};
    struct arg_list words = {.arena = &arena};
    struct strbuf error = {0}, joined = {0};
    assert_true(options_split(text, &words, &error));
    for (size_t i = 0; i < words.n; i++)
        strbuf_addf(&joined, "[%s]", words.items[i]);
    assert_string_equal(strbuf_text(&joined), expected);
    strbuf_destroy(&joined);
    strbuf_destroy(&error);
    args_destroy(&words);
    arena_destroy(&arena);
}

static void words_split_like_a_shell_splits_them(void **state)
{
    (void)state;
    assert_words(NULL, "");
    assert_words("  \t ", "");
    assert_words("-DN=4  -I dir", "[-DN=4][-I][dir]");
    assert_words("-I'my headers' -DS='\"x\"'", "[-Imy headers][-DS=\"x\"]");
    assert_words("-D\"A=b c\" -DQ=\"say \\\"hi\\\"\"", "[-DA=b c][-DQ=say \"hi\"]");
    assert_words("-DA=a\\ b \"\"", "[-DA=a b][]");
    assert_words("\"a\\nb\" 'a\\'", "[a\\nb][a\\]");
}

/* SNU NPB builds with -DCLASS='S' and compares CLASS with 'S'. */
static void a_character_constant_keeps_its_quotes(void **state)
{
    (void)state;
    assert_words("-DCLASS='S' -I.", "[-DCLASS='S'][-I.]");
    assert_words("-D SEP=' ' -DTICK='\\''", "[-D][SEP=' '][-DTICK='\\'']");
    assert_words("-DEND='\\n' -DB='\\\\'", "[-DEND='\\n'][-DB='\\\\']");
    assert_words("-DW='ab' -DE='' -I'd' -DM='a'b", "[-DW=ab][-DE=][-Id][-DM=ab]");
}

static void an_open_quote_is_an_error(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct arg_list words = {.arena = &arena};
    struct strbuf error = {0};
    assert_false(options_split("-DA=1 -DB=\"x y", &words, &error));
    assert_non_null(strstr(strbuf_text(&error), "-DB=\"x y"));
    strbuf_destroy(&error);
    args_destroy(&words);
    arena_destroy(&arena);
}

/* The translated options as one string, or the message after '!'. */
static void assert_translation(enum front_language language, const char *text, const char *expected)
{
    struct arena arena = {0};
    struct arg_list words = {.arena = &arena}, args = {.arena = &arena};
    struct strbuf error = {0}, joined = {0};
    assert_true(options_split(text, &words, &error));
    if (options_translate(language, &words, &args, &error))
        for (size_t i = 0; i < args.n; i++)
            strbuf_addf(&joined, "%s%s", i ? " " : "", args.items[i]);
    else
        strbuf_addf(&joined, "!%s", strbuf_text(&error));
    assert_string_equal(strbuf_text(&joined), expected);
    strbuf_destroy(&joined);
    strbuf_destroy(&error);
    args_destroy(&args);
    args_destroy(&words);
    arena_destroy(&arena);
}

static void options_of_other_compilers_are_translated_or_dropped(void **state)
{
    (void)state;
    assert_translation(FRONT_OPENCL_C, "-cl-nv-verbose -DA -cl-nv-maxrregcount=32 -w", "-DA -w");
    assert_translation(FRONT_OPENCL_C, "-cl-fast-relaxed-math -D B=2",
                       "-cl-fast-relaxed-math -D B=2");
    assert_translation(FRONT_OPENCL_C, "-cl-opt-disable -w", "-O0 -w");
    assert_translation(FRONT_CUDA_C, "-arch=sm_60 -Xptxas -v -O3", "--cuda-gpu-arch=sm_60 -O3");
    assert_translation(FRONT_CUDA_C, "-arch compute_52 -lineinfo -lm -c", "--cuda-gpu-arch=sm_52");
    assert_translation(FRONT_CUDA_C, "--use_fast_math",
                       "-ffast-math -fcuda-approx-transcendentals");
    assert_translation(FRONT_CUDA_C, "-include a.h -Iinc", "-include a.h -Iinc");
}

static void options_that_redirect_the_result_are_refused(void **state)
{
    (void)state;
    assert_translation(FRONT_OPENCL_C, "-o x", "!build options: '-o' cannot be used here\n");
    assert_translation(FRONT_OPENCL_C, "-MF x", "!build options: '-MF' cannot be used here\n");
    assert_translation(FRONT_OPENCL_C, "other.cl", "!build options: 'other.cl' is not an option\n");
    assert_translation(FRONT_OPENCL_C, "-DA -I", "!build options: '-I' lacks its value\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_split_like_a_shell_splits_them),
        cmocka_unit_test(a_character_constant_keeps_its_quotes),
        cmocka_unit_test(an_open_quote_is_an_error),
        cmocka_unit_test(options_of_other_compilers_are_translated_or_dropped),
        cmocka_unit_test(options_that_redirect_the_result_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
