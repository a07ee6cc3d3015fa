/* Whole inputs: every form of instruction found in the PTX of public benchmark suites
 * (test/ptx/forms.txt, one statement a line, in the printer's own spelling), and compilers' output
 * for kernels written for the purpose (test/ptx/corpus). */
#include <glob.h>

#include "ptx_test.h"

/* Wraps the statements of forms.txt. */
static void forms_module(struct strbuf *text, const char *forms)
{
    strbuf_add(text,
               ".version 9.0\n.target sm_90\n.address_size 64\n.func helper() { ret; }\n"
               ".func (.param .align 16 .b8 result[32]) f(.param .align 8 .b8 buffer[32])\n{\n"
               ".shared .align 16 .b8 array[64];\n.reg .pred %p<9>; .reg .b16 %rs<9>;\n"
               ".reg .f16 %h<9>; .reg .b32 %r<10>; .reg .f32 %f<10>; .reg .b64 %rd<9>;\n"
               ".reg .f64 %fd<9>; .reg .b128 %q<4>;\n");
    strbuf_add(text, forms);
    strbuf_add(text, "end:\nret;\n}\n");
}

/* The instruction's text must come back letter by letter: nothing of it may be lost. */
static void every_form_of_public_suites_is_read_whole(void **state)
{
    (void)state;
    struct strbuf forms = {0}, text = {0}, printed = {0};
    assert_int_equal(strbuf_read_file(&forms, HEDDLE_SOURCE_DIR "/test/ptx/forms.txt"), 0);
    forms_module(&text, strbuf_text(&forms));
    struct ptx_module *m = parse(strbuf_text(&text));
    const struct ptx_func *f = ptx_find_func(m, "f");
    const char *line = strbuf_text(&forms);
    uint32_t n = 0;
    for (; *line; n++) {
        size_t len = strcspn(line, "\n");
        strbuf_clear(&printed);
        ptx_print_inst(f, &f->insts[n], &printed);
        if (printed.len != len || memcmp(printed.text, line, len) != 0)
            fail_msg("'%.*s' comes back as '%s'", (int)len, line, strbuf_text(&printed));
        line += len + 1;
    }
    assert_true(n > 600);
    assert_int_equal(n + 1, f->n_insts);
    check_round_trip(m, "forms.txt");
    ptx_module_destroy(m);
    strbuf_destroy(&forms);
    strbuf_destroy(&text);
    strbuf_destroy(&printed);
}

static void textures_surfaces_and_matrix_units_are_refused_and_nothing_else(void **state)
{
    (void)state;
    struct strbuf forms = {0}, text = {0};
    assert_int_equal(strbuf_read_file(&forms, HEDDLE_SOURCE_DIR "/test/ptx/forms.txt"), 0);
    forms_module(&text, strbuf_text(&forms));
    struct ptx_module *m = parse(strbuf_text(&text));
    const struct ptx_func *f = ptx_find_func(m, "f");
    for (uint32_t i = 0; i < f->n_insts; i++) {
        const char *op = ptx_insts[f->insts[i].op].text;
        bool is_refused = !strcmp(op, "tex") || !strcmp(op, "sust") || !strcmp(op, "wmma");
        assert_int_equal(f->insts[i].refused, is_refused);
    }
    ptx_module_destroy(m);
    strbuf_destroy(&forms);
    strbuf_destroy(&text);
}

static void compilers_output_survives_printing(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(HEDDLE_SOURCE_DIR "/test/ptx/corpus/*.ptx", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 6);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct strbuf text = {0};
        assert_int_equal(strbuf_read_file(&text, found.gl_pathv[i]), 0);
        struct ptx_module *m = parse(strbuf_text(&text));
        assert_true(m->n_insts > 0);
        check_round_trip(m, found.gl_pathv[i]);
        ptx_module_destroy(m);
        strbuf_destroy(&text);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_public_suites_is_read_whole),
        cmocka_unit_test(textures_surfaces_and_matrix_units_are_refused_and_nothing_else),
        cmocka_unit_test(compilers_output_survives_printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
