/* Static counts of small kernels, counted by hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hetero/features.h"

static struct hetero_counts count_module(const char *text)
{
    struct diag_list diags = {0};
    struct strbuf why = {0};
    struct hetero_counts counts;
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diags);
    if (!m)
        fail_msg("line %u: %s", diags.items[0].line, diags.items[0].message);
    if (!hetero_count(ptx_find_func(m, "k"), &counts, &why))
        fail_msg("%s", strbuf_text(&why));
    ptx_module_destroy(m);
    diag_list_destroy(&diags);
    return counts;
}

#define HEADER "//\n.version 7.0\n.target sm_70\n.address_size 64\n"
#define KERNEL(body)                                                                               \
    HEADER ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"                                  \
           ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>;\n"            \
           ".reg .f64 %fd<9>; .local .align 8 .b8 depot[32];\n" body "\nret;\n}\n"

/* Every instruction of the bodies below that counts is ALU unless said. */
static void assert_cmp(const char *text, uint64_t scalar_alu, uint64_t scalar_mem,
                       uint64_t vector_alu, uint64_t vector_mem)
{
    struct hetero_counts c = count_module(text);
    if (c.n[HETERO_SCALAR_ALU] != scalar_alu || c.n[HETERO_SCALAR_MEM] != scalar_mem ||
        c.n[HETERO_VECTOR_ALU] != vector_alu || c.n[HETERO_VECTOR_MEM] != vector_mem)
        fail_msg("scalar %" PRIu64 " alu %" PRIu64 " mem, vector %" PRIu64 " alu %" PRIu64 " mem",
                 c.n[HETERO_SCALAR_ALU], c.n[HETERO_SCALAR_MEM], c.n[HETERO_VECTOR_ALU],
                 c.n[HETERO_VECTOR_MEM]);
}

static void classes_of_both_sides(void **state)
{
    (void)state;
    struct hetero_counts c = count_module(KERNEL("ld.param.u64 %rd1, [p];\n" /* not counted */
                                                 "cvta.to.global.u64 %rd2, %rd1;\n"
                                                 "mov.u32 %r1, %tid.x;\n"
                                                 "ld.global.f32 %f1, [%rd2];\n" /* mem */
                                                 "st.shared.f32 [%rd2], %f1;\n" /* mem */
                                                 "atom.global.add.u32 %r2, [%rd2], 1;\n"
                                                 "red.global.add.u32 [%rd2], 1;\n"
                                                 "fma.rn.f32 %f2, %f1, %f1, %f1;\n" /* fp */
                                                 "cvt.rn.f32.s32 %f3, %r1;\n"       /* fp */
                                                 "setp.lt.f32 %p1, %f1, %f2;\n"     /* fp */
                                                 "add.s32 %r3, %r1, 1;\n"           /* int */
                                                 "div.s32 %r4, %r3, 3;\n"           /* int */
                                                 "div.rn.f32 %f4, %f1, %f2;\n"      /* math */
                                                 "sqrt.rn.f64 %fd1, %fd2;\n"        /* math */
                                                 "ex2.approx.f32 %f5, %f1;\n"       /* math */
                                                 "bar.sync 0;\n"
                                                 "membar.gl;\n"
                                                 "@%p1 bra END;\n"
                                                 "END:"));
    assert_int_equal(c.n[HETERO_MEM], 4);
    assert_int_equal(c.n[HETERO_INT], 2);
    assert_int_equal(c.n[HETERO_FP], 3);
    assert_int_equal(c.n[HETERO_MATH], 3);
    assert_int_equal(c.n[HETERO_BRANCH], 1);
    assert_int_equal(c.n[HETERO_BARRIER], 1);
    assert_int_equal(c.n[HETERO_ATOMIC], 2);
    assert_int_equal(c.n[HETERO_SCALAR_MEM] + c.n[HETERO_VECTOR_MEM], 2);
    assert_int_equal(c.n[HETERO_SCALAR_ALU] + c.n[HETERO_VECTOR_ALU], 8);
    assert_int_equal(c.n[HETERO_THREADS] + c.n[HETERO_BUFFER], 0);
}

static void unsupported_instructions_have_their_types(void **state)
{
    (void)state;
    struct hetero_counts c = count_module(
        KERNEL("tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}];\n" /* fp */
               "tex.2d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r1, %r2}];\n" /* int */));
    assert_int_equal(c.unsupported.n, 2);
    assert_int_equal(c.n[HETERO_FP], 1);
    assert_int_equal(c.n[HETERO_INT], 1);
}

static void what_counts_nowhere_needs_no_support(void **state)
{
    (void)state;
    struct hetero_counts c = count_module(KERNEL("fence.proxy.alias;"));
    assert_int_equal(c.unsupported.n, 0);
    assert_int_equal(c.n[HETERO_SCALAR_ALU] + c.n[HETERO_INT], 0);
}

static void pairs_of_floats_are_floats(void **state)
{
    (void)state;
    struct hetero_counts c = count_module(KERNEL("add.rn.f32x2 %rd1, %rd2, %rd3;\n"
                                                 "fma.rn.f32x2 %rd1, %rd2, %rd3, %rd4;\n"
                                                 "mul.rn.ftz.f32x2 %rd1, %rd2, %rd3;"));
    assert_int_equal(c.n[HETERO_FP], 3);
    assert_int_equal(c.n[HETERO_INT], 0);
    assert_int_equal(c.n[HETERO_SCALAR_ALU], 3);
}

static void what_reads_thread_numbers_varies(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
                      "mul.lo.s32 %r4, %r1, %r2;\n"  /* scalar */
                      "add.s32 %r5, %r4, %r3;\n"     /* vector */
                      "mul.wide.s32 %rd1, %r5, 4;\n" /* vector */
                      "ld.param.u64 %rd2, [p];\n"
                      "ld.global.u32 %r6, [%rd2];\n" /* scalar */
                      "add.s64 %rd3, %rd2, %rd1;\n"  /* vector */
                      "ld.global.u32 %r7, [%rd3];\n" /* vector */
                      "st.global.u32 [%rd2], %r7;"), /* vector by its data */
               1, 1, 3, 2);
    assert_cmp(KERNEL("mov.u32 %r1, %laneid; add.u32 %r2, %r1, 1;\n"
                      "mov.u32 %r3, %lanemask_lt; add.u32 %r4, %r3, 1;\n"
                      "mov.u32 %r5, %warpid; add.u32 %r6, %r5, 1;"), /* scalar */
               1, 0, 2, 0);
}

static void atomics_give_values_that_vary(void **state)
{
    (void)state;
    assert_cmp(KERNEL("ld.param.u64 %rd1, [p];\n"
                      "atom.global.add.u32 %r1, [%rd1], 1;\n"
                      "add.u32 %r2, %r1, 1;"),
               0, 0, 1, 0);
}

static void local_memory_varies(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u64 %rd1, depot;\n"
                      "add.u64 %rd2, %rd1, 8;\n"    /* scalar: an offset in the frame */
                      "ld.local.u32 %r1, [%rd2];\n" /* scalar: reads nothing that varies */
                      "add.u32 %r2, %r1, 1;"),      /* vector */
               1, 1, 1, 0);
    assert_cmp(KERNEL("mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1;\n"
                      "ld.u32 %r1, [%rd2];\n" /* generic, of local memory */
                      "add.u32 %r2, %r1, 1;\n"
                      "ld.param.u64 %rd3, [p]; ld.u32 %r3, [%rd3];\n" /* generic, of global */
                      "add.u32 %r4, %r3, 1;"),
               1, 2, 1, 0);
}

static void a_varying_guard_makes_vectors(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];\n"
                      "setp.lt.u32 %p1, %r1, %r2;\n" /* vector */
                      "setp.lt.u32 %p2, %r2, 7;\n"   /* scalar */
                      "@%p1 add.u32 %r3, %r2, 1;\n"  /* vector, and so is what reads it */
                      "@%p2 add.u32 %r4, %r2, 1;\n"  /* scalar */
                      "add.u32 %r5, %r3, 1;\n"
                      "add.u32 %r6, %r4, 1;"),
               3, 0, 3, 0);
}

/* if (tid < n) { u = n + 1; v = u * 2; }: u and v are not visible outside. */
static void a_bounds_check_leaves_scalars_scalar(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];\n"
                      "setp.ge.u32 %p1, %r1, %r2;\n" /* vector */
                      "@%p1 bra END;\n"
                      "add.u32 %r3, %r2, 1;\n"
                      "mul.lo.u32 %r4, %r3, 2;\n"
                      "END:"),
               2, 0, 1, 0);
}

/* x = n; if (tid < n) x = n + 1; use(x) */
static void values_that_leave_a_varying_region_vary(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, %r2;\n"
                      "setp.ge.u32 %p1, %r1, %r2;\n" /* vector */
                      "@%p1 bra JOIN;\n"
                      "add.u32 %r3, %r2, 1;\n" /* scalar itself: it reads n alone */
                      "JOIN: add.u32 %r4, %r3, 1;"),
               1, 0, 2, 0);
}

/* x = n; if (tid < n) ...; x = n + 1; use(x): the region ends where the threads reconverge. */
static void what_follows_the_reconvergence_is_outside(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, %r2;\n"
                      "setp.ge.u32 %p1, %r1, %r2;\n" /* vector */
                      "@%p1 bra JOIN;\n"
                      "add.u32 %r4, %r2, 1;\n"
                      "JOIN: add.u32 %r3, %r2, 1;\n"
                      "add.u32 %r5, %r3, 1;"),
               3, 0, 1, 0);
}

static void an_indexed_branch_parts_threads_too(void **state)
{
    (void)state;
    assert_cmp(KERNEL("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, %r2;\n"
                      "T: .branchtargets A, JOIN;\n"
                      "brx.idx %r1, T;\n"
                      "A: add.u32 %r3, %r2, 1;\n"
                      "JOIN: add.u32 %r4, %r3, 1;"),
               1, 0, 1, 0);
}

#define LOOP(bound)                                                                                \
    KERNEL("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, 0;\n"                         \
           "LOOP: add.u32 %r3, %r3, 1;\n"                                                          \
           "setp.lt.u32 %p1, %r3, " bound ";\n"                                                    \
           "@%p1 bra LOOP;")

static void a_loop_varies_with_its_bound(void **state)
{
    (void)state;
    assert_cmp(LOOP("%r2"), 2, 0, 0, 0);
    assert_cmp(LOOP("%r1"), 0, 0, 2, 0);
}

static const char calls[] =
    HEADER ".func (.param .u32 r) twice(.param .u32 a)\n{\n.reg .b32 %r<5>;\n"
           "ld.param.u32 %r1, [a]; shl.b32 %r2, %r1, 1;\n"
           "st.param.u32 [r], %r2;\nret;\n}\n"
           ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<20>;\n"
           "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
           "{ .param .u32 a1; .param .u32 r1; st.param.u32 [a1], %r1;\n"
           "call (r1), twice, (a1); ld.param.u32 %r3, [r1]; }\n"
           "{ .param .u32 a2; .param .u32 r2; st.param.u32 [a2], %r2;\n"
           "call (r2), twice, (a2); ld.param.u32 %r4, [r2]; }\n"
           "add.u32 %r5, %r3, 1; add.u32 %r6, %r4, 1; ret;\n}\n";

/* Its shift is scalar for n and vector for %tid, and so is what it returns. */
static void functions_count_once_for_each_call(void **state)
{
    (void)state;
    assert_cmp(calls, 2, 0, 2, 0);
    assert_int_equal(count_module(calls).n[HETERO_BRANCH], 2);
    assert_int_equal(count_module(calls).unknown_calls.n, 0);
}

static void functions_without_code_return_what_varies(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
               ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %rd<20>;\n"
               "{ .param .b64 a1; .param .b64 r1; st.param.b64 [a1], 8;\n"
               "call (r1), malloc, (a1); ld.param.b64 %rd3, [r1]; }\n"
               "add.u64 %rd4, %rd3, 1; ret;\n}\n";
    assert_cmp(text, 0, 0, 1, 0);
    assert_int_equal(count_module(text).unknown_calls.n, 1);
}

static void recursion_is_refused(void **state)
{
    (void)state;
    static const char text[] = HEADER ".func g();\n"
                                      ".func f()\n{ call g, (); ret; }\n"
                                      ".func g()\n{ call f, (); ret; }\n"
                                      ".visible .entry k(.param .u64 p)\n{ call f, (); ret; }\n";
    struct diag_list diags = {0};
    struct strbuf why = {0};
    struct hetero_counts counts;
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diags);
    assert_non_null(m);
    assert_false(hetero_count(ptx_find_func(m, "k"), &counts, &why));
    assert_non_null(strstr(strbuf_text(&why), "function f calls itself through g: "));
    ptx_module_destroy(m);
    strbuf_destroy(&why);
    diag_list_destroy(&diags);
}

/* f0 returns; each of f1 to fN calls the one before `times` times, and the kernel calls fN. */
static void write_chain(struct strbuf *text, uint32_t n, int times)
{
    strbuf_add(text, HEADER ".func f0 ()\n{ ret; }\n");
    for (uint32_t i = 1; i <= n; i++) {
        strbuf_addf(text, ".func f%u ()\n{ ", i);
        for (int k = 0; k < times; k++)
            strbuf_addf(text, "call f%u; ", i - 1);
        strbuf_add(text, "ret; }\n");
    }
    strbuf_addf(text, ".visible .entry k(.param .u64 p)\n{ call f%u; ret; }\n", n);
}

static void long_chains_of_calls_are_counted(void **state)
{
    (void)state;
    struct strbuf text = {0};
    write_chain(&text, 40000, 1);
    assert_int_equal(count_module(strbuf_text(&text)).n[HETERO_BRANCH], 40001);
    strbuf_destroy(&text);
}

/* Each function is analysed once, however often it is called. */
static void counts_double_at_each_level(void **state)
{
    (void)state;
    struct strbuf text = {0};
    write_chain(&text, 60, 2);
    assert_true(count_module(strbuf_text(&text)).n[HETERO_BRANCH] == (UINT64_C(1) << 61) - 1);
    strbuf_destroy(&text);
}

static void counts_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    for (uint32_t n = 63; n <= 70; n++) {
        struct strbuf text = {0}, why = {0};
        struct diag_list diags = {0};
        struct hetero_counts counts;
        write_chain(&text, n, 2);
        struct ptx_module *m = ptx_parse("test.ptx", strbuf_text(&text), text.len, &diags);
        assert_non_null(m);
        assert_int_equal(hetero_count(ptx_find_func(m, "k"), &counts, &why), n == 63);
        assert_int_equal(strstr(strbuf_text(&why), "are 2^64 or more") != NULL, n > 63);
        ptx_module_destroy(m);
        diag_list_destroy(&diags);
        strbuf_destroy(&text);
        strbuf_destroy(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_both_sides),
        cmocka_unit_test(unsupported_instructions_have_their_types),
        cmocka_unit_test(what_counts_nowhere_needs_no_support),
        cmocka_unit_test(pairs_of_floats_are_floats),
        cmocka_unit_test(what_reads_thread_numbers_varies),
        cmocka_unit_test(atomics_give_values_that_vary),
        cmocka_unit_test(local_memory_varies),
        cmocka_unit_test(a_varying_guard_makes_vectors),
        cmocka_unit_test(a_bounds_check_leaves_scalars_scalar),
        cmocka_unit_test(values_that_leave_a_varying_region_vary),
        cmocka_unit_test(what_follows_the_reconvergence_is_outside),
        cmocka_unit_test(an_indexed_branch_parts_threads_too),
        cmocka_unit_test(a_loop_varies_with_its_bound),
        cmocka_unit_test(functions_count_once_for_each_call),
        cmocka_unit_test(functions_without_code_return_what_varies),
        cmocka_unit_test(recursion_is_refused),
        cmocka_unit_test(long_chains_of_calls_are_counted),
        cmocka_unit_test(counts_double_at_each_level),
        cmocka_unit_test(counts_beyond_64_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
