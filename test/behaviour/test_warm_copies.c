/* host.copies_warm_l2: what the host wrote is in L2 when a kernel reads it, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heddle/heddle.h"

/* One thread reads, or writes, `n` words that are 128 bytes apart. */
static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry visit(.param .u64 .ptr .global .align 4 x, .param .u32 n, .param .u32 w) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<5>; .reg .pred %p<3>;\n"
    "  ld.param.u64 %rd1, [x];\n  ld.param.u32 %r1, [n];\n  ld.param.u32 %r2, [w];\n"
    "  setp.ne.u32 %p1, %r2, 0;\n"
    "AGAIN:\n"
    "  @%p1 st.global.u32 [%rd1], %r1;\n"
    "  @!%p1 ld.global.cg.u32 %r3, [%rd1];\n"
    "  add.u64 %rd1, %rd1, 128;\n  sub.u32 %r1, %r1, 1;\n"
    "  setp.ne.u32 %p2, %r1, 0;\n  @%p2 bra AGAIN;\n  ret;\n}\n";

enum { LINE = 128, N_LINES = 32 };

struct testbed {
    struct heddle_sim *sim;
    struct heddle_module *module;
    uint64_t x;
};

static struct testbed begin(const char *gpu, bool warm, uint64_t bytes)
{
    const char *const settings[] = {warm ? "host.copies_warm_l2=true"
                                         : "host.copies_warm_l2=false"};
    struct heddle_options o = {
        .struct_size = sizeof o, .gpu = gpu, .timing = true, .settings = settings, .n_settings = 1};
    struct testbed t;
    assert_int_equal(heddle_create(&o, &t.sim), HEDDLE_OK);
    assert_int_equal(
        heddle_load(t.sim, HEDDLE_PTX, "test.ptx", text, strlen(text), NULL, &t.module), HEDDLE_OK);
    assert_int_equal(heddle_alloc(t.sim, bytes, "x", &t.x), HEDDLE_OK);
    return t;
}

static void visit(struct testbed *t, uint64_t at, uint32_t n, bool writes)
{
    uint64_t x = t->x + at;
    uint32_t w = writes;
    struct heddle_arg args[] = {
        {.data = &x, .bytes = 8}, {.data = &n, .bytes = 4}, {.data = &w, .bytes = 4}};
    struct heddle_launch l = {.args = args, .n_args = 3};
    assert_int_equal(heddle_launch(t->sim, t->module, "visit", &l), HEDDLE_OK);
}

static uint64_t stat(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    assert_true(heddle_stat_find(sim, name, &s));
    return s.count;
}

static void copy_in(struct testbed *t, uint64_t at, uint64_t bytes)
{
    void *data = calloc(1, bytes);
    assert_int_equal(heddle_write(t->sim, t->x + at, data, bytes), HEDDLE_OK);
    free(data);
}

/* Reads from DRAM of a launch; its code is in L2 since an earlier one. */
static uint64_t reads_of(struct testbed *t, uint64_t at, uint32_t n)
{
    uint64_t before = stat(t->sim, "dram.reads");
    visit(t, at, n, false);
    return stat(t->sim, "dram.reads") - before;
}

static uint64_t reads_after_a_copy(const char *gpu, bool warm, uint64_t from, uint64_t bytes,
                                   bool mapped)
{
    struct testbed t = begin(gpu, warm, 2 * N_LINES * LINE);
    visit(&t, N_LINES * LINE, 1, false);
    if (mapped)
        assert_int_equal(heddle_mapped(t.sim, t.x + from, bytes, true), HEDDLE_OK);
    else
        copy_in(&t, from, bytes);
    uint64_t n = reads_of(&t, 0, N_LINES);
    heddle_destroy(t.sim);
    return n;
}

static void what_was_copied_is_in_l2(void **state)
{
    (void)state;
    assert_int_equal(reads_after_a_copy("gtx480", false, 0, N_LINES * LINE, false), N_LINES);
    assert_int_equal(reads_after_a_copy("gtx480", true, 0, N_LINES * LINE, false), 0);
    assert_int_equal(reads_after_a_copy("gtx480", true, 0, N_LINES * LINE, true), 0);
    /* Seven lines, two of them in part: a line is there as a whole. */
    assert_int_equal(reads_after_a_copy("gtx480", true, LINE - 4, 5 * LINE + 8, false),
                     N_LINES - 7);
}

/* The first sector of a line of four is read. */
static void sectors_are_copied_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(reads_after_a_copy("v100", false, 0, N_LINES * LINE, false), N_LINES);
    assert_int_equal(reads_after_a_copy("v100", true, 0, N_LINES * LINE, false), 0);
    assert_int_equal(reads_after_a_copy("v100", true, 32, 96, false), N_LINES);
    assert_int_equal(reads_after_a_copy("v100", true, 32, 97, false), N_LINES - 1);
    assert_int_equal(reads_after_a_copy("v100", true, 31, 1, false), N_LINES - 1);
}

/* Of more than L2 holds, 768 KB, the last is there. The copy replaced the kernel's code. */
static void l2_keeps_what_was_copied_last(void **state)
{
    (void)state;
    const uint64_t l2 = 768 << 10;
    struct testbed t = begin("gtx480", true, 2 * l2);
    visit(&t, 0, 1, false);
    copy_in(&t, 0, 2 * l2);
    assert_int_equal(reads_of(&t, 2 * l2 - N_LINES * LINE, N_LINES), 1);
    assert_int_equal(reads_of(&t, N_LINES * LINE, N_LINES), N_LINES);
    heddle_destroy(t.sim);
}

/* Copies are clean: what a copy replaced is not written by the kernel after it, nor is the copy
 * itself when kernels replace it. The statistics of the run agree, or the launch would fail. */
static void copies_are_clean(void **state)
{
    (void)state;
    const uint64_t l2 = 768 << 10;
    struct testbed t = begin("gtx480", true, 3 * l2);
    visit(&t, 0, N_LINES, true);
    uint64_t before = stat(t.sim, "dram.writes");
    copy_in(&t, l2, l2);
    visit(&t, 2 * l2, (uint32_t)(l2 / LINE), false);
    assert_int_equal(stat(t.sim, "dram.writes"), before);
    heddle_destroy(t.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_copied_is_in_l2),
        cmocka_unit_test(sectors_are_copied_one_by_one),
        cmocka_unit_test(l2_keeps_what_was_copied_last),
        cmocka_unit_test(copies_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
