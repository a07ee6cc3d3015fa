/* Messages: where, what, and a suggestion; several a file; and no input that breaks the parser. */
#include <stdlib.h>
#include <time.h>

#include "ptx_test.h"

#define HEAD ".version 6.0\n.target sm_35\n.address_size 64\n"

/* The messages of a wrong text, and a part they must have. */
static void check_message(const char *text, const char *part)
{
    struct strbuf messages = {0};
    parse_errors(text, strlen(text), &messages);
    if (!strstr(strbuf_text(&messages), part))
        fail_msg("'%s' is not in:\n%s", part, strbuf_text(&messages));
    strbuf_destroy(&messages);
}

static void a_message_has_place_excerpt_caret_and_suggestion(void **state)
{
    (void)state;
    struct strbuf messages = {0};
    const char *text = HEAD ".entry k()\n{\n\t.reg .b32 %r<4>;\n\tadd.s23 %r1, %r2, %r3;\n}\n";
    parse_errors(text, strlen(text), &messages);
    assert_string_equal(strbuf_text(&messages),
                        "test.ptx:7:5: error: 'add' has no modifier '.s23'\n"
                        "     add.s23 %r1, %r2, %r3;\n"
                        "        ^\n"
                        "  hint: did you mean 's32'?\n");
    strbuf_destroy(&messages);
}

static void misspelt_names_get_a_suggestion(void **state)
{
    (void)state;
    check_message(KERNEL("popcc.b32 %r1, %r2;"), "unknown instruction 'popcc'");
    check_message(KERNEL("popcc.b32 %r1, %r2;"), "did you mean 'popc'?");
    check_message(KERNEL("ld.gobal.u32 %r1, [%rd1];"), "did you mean 'global'?");
    check_message(KERNEL("mov.u64 %rd1, gff;"), "did you mean 'gf'?");
    check_message(KERNEL("loop: bra lop;"), "did you mean 'loop'?");
    check_message(HEAD ".vizible .entry k() { ret; }", "unknown directive '.vizible'");
    check_message(HEAD ".vizible .entry k() { ret; }", "did you mean '.visible'?");
    check_message(HEAD ".entry k() .maxntidd 3 { ret; }", "did you mean '.maxntid'?");
    check_message(KERNEL(".regg .b32 x;"), "did you mean '.reg'?");
    check_message(KERNEL("mov.u32 %r1, %tidd.x;"), "did you mean '%tid.x'?");
}

/* .address_size ends with its line, not with a ';' that would be found in the kernel. */
static void a_wrong_directive_does_not_hide_the_kernel_after_it(void **state)
{
    (void)state;
    const char *text = ".version 6.0\n.target sm_35\n.adress_size 64\n"
                       ".visible .entry k()\n{\nrett;\n}\n";
    check_message(text, "test.ptx:3:1: error: unknown directive '.adress_size'");
    check_message(text, "test.ptx:6:1: error: unknown instruction 'rett'");
}

static void several_errors_are_reported_each_once(void **state)
{
    (void)state;
    const char *text = KERNEL(
        "foo.s32 %r1;\nadd.s32 %r1, %r2;\nadd.s32 %r1, %r2, %r3;\n"
        "bra nowhere;\n{ mov.u32 %r77, 1 2; }\nmov.u32 {%r1, %r2;\n") ".global .u32 x; .global "
                                                                      ".f32 x;\n.func f() { "
                                                                      "bar.sync; }\n";
    struct diag_list diags = {0};
    static const uint32_t lines[] = {11, 12, 15, 16, 14, 20, 21};
    assert_null(ptx_parse("test.ptx", text, strlen(text), &diags));
    assert_int_equal(diags.n_errors, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(diags.items[i].line, lines[i]);
    diag_list_destroy(&diags);
}

static void wrong_types_name_the_register(void **state)
{
    (void)state;
    check_message(KERNEL("add.s32 %r1, %rd2, 3;"),
                  "register '%rd2' is .b64; 'add' needs a register of type .s32 here");
    check_message(KERNEL("add.f32 %f1, %f2, 3;"), "needs a floating-point number");
    check_message(KERNEL("add.s32 %r1, %r2;"), "'add' takes 3 operands, not 2");
    check_message(KERNEL("ld.global.v4.u32 {%r1, %r2}, [%rd1];"), "differ in size");
    check_message(KERNEL("mul.s32 %r1, %r2, %r3;"), "'mul' needs .lo, .hi or .wide");
    check_message(KERNEL("@%r1 ret;"), "'%r1' is not a predicate");
    check_message(KERNEL("add.rn.rz.f32 %f1, %f2, %f3;"), "'.rz' contradicts a word before it");
}

static void redefinitions_are_errors(void **state)
{
    (void)state;
    check_message(KERNEL(".reg .b32 x; .reg .f32 x;"), "'x' is already declared in this scope");
    check_message(KERNEL("L: L: ret;"), "'L' is already declared in this scope");
    check_message(HEAD ".func f() { ret; } .func f() { ret; }", "'f' is already declared");
    check_message(HEAD ".global .u32 x; .func x() { ret; }", "'x' is already declared");
    check_message(HEAD ".func f(.param .u32 a, .param .u32 a) { ret; }", "'a' is already declared");
    check_message(KERNEL(".reg .b32 %tid;") ".reg", "registers are declared inside functions");
}

static void calls_are_compared_with_their_callee(void **state)
{
    (void)state;
    check_message(HEAD ".func f(.param .b32 x) { ret; }\n.entry k() { call f; ret; }",
                  "'f' has 1 parameters, not 0");
    check_message(HEAD ".func f(.param .b32 x) { ret; }\n"
                       ".entry k() { .param .b64 a; call f, (a); ret; }",
                  "this has 8 bytes, 'x' of 'f' has 4");
    check_message(HEAD ".entry e() { ret; }\n.entry k() { call e; ret; }",
                  "'e' is a kernel; a function cannot call it");
    check_message(HEAD ".global .u32 g; .entry k() { call g; ret; }",
                  "a function is called by name or register");
    check_message(HEAD ".entry k() { call later; ret; } .global .u32 later;",
                  "'later' is not a function");
    check_message(HEAD ".func f(.param .b32 x);\n.global .u32 g;\n.entry k() { call f, (g); ret; }",
                  "a call passes .param variables and registers");
}

static void what_is_declared_later_is_checked_later(void **state)
{
    (void)state;
    check_message(KERNEL("ld.global.u32 %r1, [later];") ".shared .u32 later;",
                  "'later' is not in the state space of this instruction");
    check_message(KERNEL("ld.global.u32 %r1, [later];") ".func later();",
                  "needs a register, a variable or a number as address");
    check_message(KERNEL("add.u64 %rd1, %rd2, later;") ".global .u32 later;",
                  "needs a register or a number here");
    check_message(KERNEL("mov.u64 %rd1, never;"), "'never' is not declared");
}

static void sizes_have_limits(void **state)
{
    (void)state;
    check_message(HEAD ".global .b8 x[99999999999];", "'x' is too large");
    check_message(HEAD ".global .b64 x[4294967296][4294967296][4294967296];", "'x' is too large");
    check_message(HEAD ".global .b8 x[9999999999] = {1};", "initial values of the module");
    check_message(HEAD ".global .b8 x[-1];", "negative size");
    check_message(KERNEL(".reg .b32 %z<4000000000>;"), "4000000000 registers are too many");
    check_message(KERNEL(".reg .b32 %z<40000000000>;"), "must fit 32 bits");
    check_message(HEAD ".file 4000000000 \"x\"", "file numbers end at");
    check_message(HEAD ".global .align 3 .b8 x;", "a power of two");
    check_message(HEAD ".global .b8 x[2] = {1, 2, 3};", "more initial values than elements");
    check_message(HEAD ".global .b8 x[2] = {{1}, 2};", "more braces than dimensions");
    check_message(KERNEL("mov.u64 %rd1, 18446744073709551616;"), "does not fit 64 bits");
    check_message(KERNEL("mov.u64 %rd1, 1 / (2 - 2);"), "division by zero");
}

/* `unit` n times around nothing: each must be refused, none may exhaust the stack. */
static void check_nesting(const char *before, const char *unit, uint32_t n)
{
    struct strbuf text = {0}, messages = {0};
    strbuf_add(&text, before);
    for (uint32_t i = 0; i < n; i++)
        strbuf_add(&text, unit);
    parse_errors(strbuf_text(&text), text.len, &messages);
    strbuf_destroy(&text);
    strbuf_destroy(&messages);
}

static void deep_nesting_is_an_error(void **state)
{
    (void)state;
    check_nesting(KERNEL_HEAD, "{", 100000);
    check_nesting(KERNEL_HEAD "mov.u32 %r1, ", "(", 100000);
    check_nesting(KERNEL_HEAD "mov.u32 %r1, ", "-", 100000);
    check_nesting(KERNEL_HEAD "mov.u32 %r1, ", "1?", 100000);
    check_nesting(KERNEL_HEAD "mov.u32 ", "{", 100000);
    check_nesting(KERNEL_HEAD "tex ", "[gf,", 100000);
    check_nesting(HEAD ".global .b8 x[2] = ", "{", 100000);
    check_nesting(HEAD, ".attribute(.managed) ", 100000);
    check_nesting(HEAD, ".section .x {", 100000);
    check_nesting(KERNEL_HEAD, "add.s32 %r1, %r1\n", 1000);
}

/* Every cut and every single changed byte of a real module: whatever the answer, no crash, and what
 * parses prints and parses again. */
static void damaged_text_never_breaks_the_parser(void **state)
{
    (void)state;
    struct strbuf text = {0};
    const char *path = HEDDLE_SOURCE_DIR "/test/ptx/corpus/clang14_sm35_opencl.ptx";
    assert_int_equal(strbuf_read_file(&text, path), 0);
    uint32_t n_parsed = 0, seed = 12345;
    for (size_t i = 0; i < text.len; i += 3) {
        seed = seed * 1664525u + 1013904223u;
        char kept = text.text[i];
        text.text[i] = (char)(seed >> 24);
        struct diag_list diags = {0};
        struct ptx_module *m = ptx_parse("test.ptx", text.text, text.len, &diags);
        assert_int_equal(m == NULL, diags.n_errors > 0);
        if (m) {
            n_parsed++;
            check_round_trip(m, "damaged text");
        }
        ptx_module_destroy(m);
        diag_list_destroy(&diags);
        text.text[i] = kept;
        struct diag_list cut = {0};
        ptx_module_destroy(ptx_parse("test.ptx", text.text, i, &cut));
        diag_list_destroy(&cut);
    }
    assert_true(n_parsed > 0); /* changes in comments and names */
    strbuf_destroy(&text);
}

/* A register range of a million, a hundred thousand instructions, blocks and labels: the time must
 * be far from quadratic. (About 0.1 s; the limit leaves room for sanitizers.) */
static void large_modules_parse_in_linear_time(void **state)
{
    (void)state;
    struct strbuf text = {0};
    strbuf_add(&text, HEAD ".entry k()\n{\n.reg .b32 %r<1000000>;\n.reg .pred %p<2>;\n");
    for (uint32_t i = 0; i < 100000; i++)
        strbuf_addf(&text, "{ .reg .b32 t; add.s32 t, %%r%u, %%r%u; @%%p1 bra L%u; }\nL%u:\n", i,
                    i + 1, i, i);
    strbuf_add(&text, "}\n");
    clock_t start = clock();
    struct ptx_module *m = parse(strbuf_text(&text));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(m->n_insts, 200000);
    assert_int_equal(m->funcs[0]->n_regs, 200002);
    assert_true(seconds < 5);
    ptx_module_destroy(m);
    strbuf_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_place_excerpt_caret_and_suggestion),
        cmocka_unit_test(misspelt_names_get_a_suggestion),
        cmocka_unit_test(a_wrong_directive_does_not_hide_the_kernel_after_it),
        cmocka_unit_test(several_errors_are_reported_each_once),
        cmocka_unit_test(wrong_types_name_the_register),
        cmocka_unit_test(redefinitions_are_errors),
        cmocka_unit_test(calls_are_compared_with_their_callee),
        cmocka_unit_test(what_is_declared_later_is_checked_later),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(deep_nesting_is_an_error),
        cmocka_unit_test(damaged_text_never_breaks_the_parser),
        cmocka_unit_test(large_modules_parse_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
