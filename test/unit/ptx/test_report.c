/* The static report against numbers counted by hand in the text below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/program.h"
#include "ptx/report.h"
#include "ptx/unsupported.h"

static const char text[] =
    ".version 7.5\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func elsewhere ();\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b);\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".shared .align 4 .b8 tile[100];\n" /*  8 */
    ".shared .align 8 .b64 slot;\n"
    ".shared .align 4 .b8 of_another[4096];\n"
    ".const .align 4 .b8 table[64];\n"
    ".const .align 8 .u64 pointer = table;\n"
    ".global .texref image;\n"
    "\n"
    ".func helper ()\n"
    "{\n"
    "  .reg .b64 %rd<3>;\n"
    "  .local .align 8 .b8 depot[32];\n"
    "  mov.u64 %rd1, slot;\n" /* 19 */
    "  st.shared.u64 [%rd1], %rd1;\n"
    "  ret;\n"
    "}\n"
    "\n"
    ".visible .entry kernel (.param .u32 n, .param .u64 p, .param .align 4 .b8 s[12])\n"
    "{\n"
    "  .reg .pred %p<4>;\n"
    "  .reg .b32 %r<9>;\n"
    "  .reg .f32 %f<9>;\n"
    "  .reg .b64 %rd<9>;\n"
    "  .local .align 4 .b8 frame[12];\n" /* 30 */
    "  ld.param.u32 %r1, [n];\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  mov.u32 %r2, %tid.x;\n"
    "outer:\n"
    "  mov.u32 %r3, 0;\n" /* 35 */
    "inner:\n"
    "  add.s32 %r3, %r3, 1;\n"
    "  setp.lt.s32 %p1, %r3, %r1;\n"
    "  @%p1 bra inner;\n"
    "  bar.sync 0; bar.sync 1;\n" /* 40 */
    "  bar.warp.sync -1;\n"
    "  add.s32 %r2, %r2, %r3;\n"
    "  setp.lt.s32 %p2, %r2, %r1;\n"
    "  @%p2 bra outer;\n"
    "  mov.u32 %r4, tile;\n" /* 45 */
    "  ld.shared.f32 %f1, [%r4];\n"
    "  ld.const.u64 %rd2, [pointer];\n"
    "  mul.f32 %f2, %f1, %f1;\n"
    "  st.global.f32 [%rd1], %f2;\n"
    "  st.local.u32 [frame], %r2;\n" /* 50 */
    "  call.uni helper, ();\n"
    "  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];\n"
    "  call.uni elsewhere, ();\n"
    "  {\n"
    "  .param .b64 a;\n" /* 55 */
    "  .param .b64 b;\n"
    "  .param .b32 r;\n"
    "  st.param.b64 [a], %rd1;\n"
    "  st.param.b64 [b], %rd2;\n"
    "  call.uni (r), vprintf, (a, b);\n" /* 60 */
    "  call.uni (r), __cudaCDP2LaunchDeviceV2, (a, b);\n"
    "  }\n"
    "  ret;\n"
    "}\n";

struct fixture {
    struct ptx_module *module;
    struct diag_list diags;
    struct arena arena;
};

static int set_up(void **state)
{
    struct fixture *x = xcalloc(1, sizeof *x);
    x->module = ptx_parse("by_hand.ptx", text, strlen(text), &x->diags);
    if (!x->module) {
        struct strbuf messages = {0};
        diag_format(&x->diags, &messages);
        print_error("%s", strbuf_text(&messages));
        strbuf_destroy(&messages);
        return -1;
    }
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    ptx_module_destroy(x->module);
    diag_list_destroy(&x->diags);
    arena_destroy(&x->arena);
    free(x);
    return 0;
}

static const struct ptx_func_report *report_of(struct fixture *x, const char *name)
{
    return ptx_report_func(x->module, ptx_find_func(x->module, name), &x->arena);
}

static void memory_is_what_the_function_reaches(void **state)
{
    const struct ptx_func_report *kernel = report_of(*state, "kernel");
    assert_int_equal(kernel->shared_bytes, 112); /* tile 100, slot of helper at 104 */
    assert_int_equal(kernel->const_bytes, 72);   /* pointer, and the table its value names */
    assert_int_equal(kernel->local_bytes, 12);   /* without helper's */
    assert_int_equal(kernel->param_bytes, 28);   /* n at 0, p at 8, s at 16 */
    const struct ptx_func_report *helper = report_of(*state, "helper");
    assert_int_equal(helper->shared_bytes, 8);
    assert_int_equal(helper->local_bytes, 32);
    assert_int_equal(helper->const_bytes, 0);
}

static void code_is_counted_by_class(void **state)
{
    const struct ptx_func_report *kernel = report_of(*state, "kernel");
    static const uint32_t expected[PTX_N_CLASSES] = {
        [PTX_CLASS_INT] = 4,       /* 37, 38, 42, 43 */
        [PTX_CLASS_FP32] = 1,      /* 48 */
        [PTX_CLASS_MOVE] = 7,      /* 31-33, 35, 45, and the arguments 58, 59 */
        [PTX_CLASS_BRANCH] = 2,    /* 39, 44 */
        [PTX_CLASS_CALL] = 5,      /* 51, 53, 60, 61, 63 */
        [PTX_CLASS_BARRIER] = 3,   /* 40, 41 */
        [PTX_CLASS_LD_SHARED] = 1, /* 46 */
        [PTX_CLASS_LD_CONST] = 1,  /* 47 */
        [PTX_CLASS_ST_GLOBAL] = 1, /* 49 */
        [PTX_CLASS_ST_LOCAL] = 1,  /* 50 */
        [PTX_CLASS_MISC] = 1,      /* 52 */
    };
    for (uint32_t c = 0; c < PTX_N_CLASSES; c++)
        if (kernel->classes[c] != expected[c])
            fail_msg("%s: %u, not %u", ptx_class_names[c], kernel->classes[c], expected[c]);
    assert_int_equal(kernel->n_calls, 4);
    assert_int_equal(kernel->n_barriers, 2);
    assert_int_equal(kernel->n_loops, 2);
    assert_int_equal(kernel->max_loop_depth, 2);
}

static void registers_are_those_alive_at_once(void **state)
{
    /* At 48: %rd1, %rd2 and %r2 are kept, %f1 becomes %f2; at 52 %rd1, %rd2, the four results and
     * before it the two coordinates, read and never written, which are alive from the start on:
     * in the loops %rd1, %r1, %r2, %r3, %f5, %f6 = 7; at 48 %rd1, %rd2, %r2, %f1, %f5, %f6 = 8. */
    const struct ptx_func_report *kernel = report_of(*state, "kernel");
    assert_int_equal(kernel->registers, 8);
    assert_int_equal(kernel->predicates, 1);
}

static void what_cannot_run_is_listed_with_line_and_reason(void **state)
{
    const struct ptx_func_report *kernel = report_of(*state, "kernel");
    assert_int_equal(kernel->n_unsupported, 3);
    assert_int_equal(kernel->unsupported[0].line, 52);
    assert_string_equal(kernel->unsupported[0].why, "textures are not supported");
    assert_non_null(strstr(kernel->unsupported[0].text, "tex.2d.v4.f32.f32"));
    assert_int_equal(kernel->unsupported[1].line, 53);
    assert_non_null(strstr(kernel->unsupported[1].why, "elsewhere has no body"));
    assert_int_equal(kernel->unsupported[2].line, 61);
    assert_non_null(strstr(kernel->unsupported[2].why, "dynamic parallelism"));
    assert_int_equal(report_of(*state, "helper")->n_unsupported, 0);
}

static void every_refused_opcode_has_a_reason_of_its_own(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (uint32_t op = 0; op < PTX_N_OPCODES; op++) {
        if (ptx_insts[op].unit != PTX_UNIT_REFUSED)
            continue;
        struct ptx_inst inst = {.op = (enum ptx_opcode)op, .refused = true};
        const char *why = ptx_why_unsupported(&inst, &arena);
        assert_non_null(why);
        if (strstr(why, "this form"))
            fail_msg("%s: %s", ptx_insts[op].text, why);
    }
    arena_destroy(&arena);
}

static void supplied_functions_are_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(ptx_find_host_function("vprintf"), PTX_HOST_VPRINTF);
    assert_int_equal(ptx_find_host_function("__assertfail"), PTX_HOST_ASSERTFAIL);
    assert_int_equal(ptx_find_host_function("vprint"), PTX_N_HOST_FUNCTIONS);
}

static void text_names_file_kernels_and_reasons(void **state)
{
    struct fixture *x = *state;
    struct strbuf out = {0};
    ptx_report_text(x->module, &out);
    const char *expected[] = {
        "by_hand.ptx: PTX 7.5 for sm_75\n",
        "\nfunc helper\n  needs   2 registers, 0 predicates\n"
        "  bytes   8 shared, 32 local, 0 constant, 0 of parameters\n"
        "  code    3 instructions: 1 move, 1 st_shared, 1 call/return/exit\n"
        "  flow    0 loops, 0 barriers, 0 calls\n",
        "\nentry kernel\n  needs   8 registers, 1 predicate\n",
        "\n  flow    2 loops nested 2 deep, 2 barriers, 4 calls\n",
        "\n  line 52: textures are not supported: tex.2d.v4.f32.f32 ",
    };
    for (uint32_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        if (!strstr(strbuf_text(&out), expected[k]))
            fail_msg("missing:\n%s\nin:\n%s", expected[k], strbuf_text(&out));
    strbuf_destroy(&out);
}

static void json_has_the_documented_keys(void **state)
{
    struct fixture *x = *state;
    struct strbuf out = {0};
    struct json_writer w = {.out = &out};
    ptx_report_json(x->module, &w);
    const char *expected[] = {
        "\"file\": \"by_hand.ptx\"",
        "\"version\": \"7.5\"",
        "\"target\": \"sm_75\"",
        "\"name\": \"kernel\"",
        "\"kind\": \"entry\"",
        "\"kind\": \"func\"",
        "\"registers\": 8",
        "\"predicates\": 1",
        "\"shared_bytes\": 112",
        "\"local_bytes\": 12",
        "\"const_bytes\": 72",
        "\"param_bytes\": 28",
        "\"insts\": 27",
        "\"st_global\": 1",
        "\"loops\": 2",
        "\"max_loop_depth\": 2",
        "\"barriers\": 2",
        "\"line\": 52",
        "\"why\": \"textures are not supported\"",
    };
    for (uint32_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        if (!strstr(strbuf_text(&out), expected[k]))
            fail_msg("missing %s in:\n%s", expected[k], strbuf_text(&out));
    strbuf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_what_the_function_reaches),
        cmocka_unit_test(code_is_counted_by_class),
        cmocka_unit_test(registers_are_those_alive_at_once),
        cmocka_unit_test(what_cannot_run_is_listed_with_line_and_reason),
        cmocka_unit_test(every_refused_opcode_has_a_reason_of_its_own),
        cmocka_unit_test(supplied_functions_are_found_by_name),
        cmocka_unit_test(text_names_file_kernels_and_reasons),
        cmocka_unit_test(json_has_the_documented_keys),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
