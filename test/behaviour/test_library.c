/* What include/heddle/heddle.h promises to a program that makes mistakes, or asks for much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "heddle/heddle.h"

/* y[i] = x / 0 for thread i of the first CTA; a pointer argument that may be __local. */
static const char text[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
                           ".entry divide(.param .u64 y, .param .u32 x)\n{\n"
                           ".reg .b32 %x, %i;\n.reg .b64 %y;\n"
                           "ld.param.u64 %y, [y];\nld.param.u32 %x, [x];\n"
                           "mov.u32 %i, 0;\ndiv.u32 %x, %x, %i;\n"
                           "st.global.u32 [%y], %x;\nret;\n}\n"
                           ".entry locals(.param .u64 a, .param .u64 b)\n{\nret;\n}\n";

struct fixture {
    struct heddle_sim *sim;
    struct heddle_module *module;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct heddle_options options = {.struct_size = sizeof options};
    *state = &f;
    return heddle_create(&options, &f.sim) ||
           heddle_load(f.sim, HEDDLE_PTX, "t.ptx", text, strlen(text), NULL, &f.module);
}

static int tear_down(void **state)
{
    heddle_destroy(((struct fixture *)*state)->sim);
    return 0;
}

static uint32_t count_lines(const char *in, const char *word)
{
    uint32_t n = 0;
    for (const char *p = in; (p = strstr(p, word)); p++)
        n++;
    return n;
}

static void memory_is_zero_also_when_used_before(void **state)
{
    struct fixture *f = *state;
    uint64_t first, again, value = ~0ull;
    assert_int_equal(heddle_alloc(f->sim, 64, "a", &first), HEDDLE_OK);
    assert_int_equal(heddle_write(f->sim, first + 56, &value, 8), HEDDLE_OK);
    assert_int_equal(heddle_free(f->sim, first), HEDDLE_OK);
    assert_int_equal(heddle_alloc(f->sim, 64, "b", &again), HEDDLE_OK);
    assert_int_equal(again, first);
    assert_int_equal(heddle_read(f->sim, again + 56, &value, 8), HEDDLE_OK);
    assert_int_equal(value, 0);
}

/* 32 GiB are more than many hosts have; nothing is touched but the last bytes. */
static void large_buffers_cost_what_is_written(void **state)
{
    struct fixture *f = *state;
    uint64_t address, value = 7, bytes = 32ull << 30;
    if (heddle_alloc(f->sim, bytes, "large", &address) != HEDDLE_OK) {
        assert_non_null(strstr(heddle_error(f->sim), "no room in device memory for 'large'"));
        return; /* a host with a limit on address space */
    }
    assert_int_equal(heddle_write(f->sim, address + bytes - 8, &value, 8), HEDDLE_OK);
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_in_range(usage.ru_maxrss, 1, 1 << 20); /* KiB */
    assert_int_equal(heddle_alloc(f->sim, UINT64_MAX - 3, "too large", &address),
                     HEDDLE_ENVIRONMENT);
}

static void ranges_outside_allocations_are_refused(void **state)
{
    struct fixture *f = *state;
    uint64_t address, value;
    assert_int_equal(heddle_alloc(f->sim, 12, "a", &address), HEDDLE_OK);
    assert_int_equal(heddle_read(f->sim, address + 8, &value, 8), HEDDLE_BAD_INPUT);
    assert_int_equal(heddle_write(f->sim, address - 1, &address, 1), HEDDLE_BAD_INPUT);
    assert_int_equal(heddle_read(f->sim, address, &value, UINT64_MAX), HEDDLE_BAD_INPUT);
    assert_int_equal(heddle_free(f->sim, address + 1), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_error(f->sim), "nothing is allocated"));
}

static void sizes_that_overflow_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct heddle_arg args[] = {{.bytes = SIZE_MAX - 15, .local = true},
                                      {.bytes = 32, .local = true}};
    struct heddle_launch locals = {.args = args, .n_args = 2};
    assert_int_equal(heddle_launch(f->sim, f->module, "locals", &locals), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_error(f->sim), "bytes of shared memory per CTA"));
    struct heddle_launch grid = {.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    assert_int_equal(heddle_launch(f->sim, f->module, "locals", &grid), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_error(f->sim), "CTAs is too large"));
    struct heddle_launch wraps = {.grid = {1u << 31, 1u << 31, 4}}; /* 2^64 */
    assert_int_equal(heddle_launch(f->sim, f->module, "locals", &wraps), HEDDLE_BAD_INPUT);
}

static void a_warning_is_given_once(void **state)
{
    struct fixture *f = *state;
    uint64_t y;
    uint32_t x = 5, got = 0;
    assert_int_equal(heddle_alloc(f->sim, 4, "y", &y), HEDDLE_OK);
    const struct heddle_arg args[] = {{&y, sizeof y, false}, {&x, sizeof x, false}};
    struct heddle_launch launch = {.args = args, .n_args = 2};
    for (int i = 0; i < 3; i++)
        assert_int_equal(heddle_launch(f->sim, f->module, "divide", &launch), HEDDLE_OK);
    assert_int_equal(count_lines(heddle_warnings(f->sim), "division by zero"), 1);
    struct heddle_stat zeros;
    assert_true(heddle_stat_find(f->sim, "div_by_zero", &zeros));
    assert_int_equal(zeros.count, 3);
    assert_int_equal(heddle_read(f->sim, y, &got, sizeof got), HEDDLE_OK);
    assert_int_equal(got, UINT32_MAX);
}

static void no_kernel_of_that_name(void **state)
{
    struct fixture *f = *state;
    struct heddle_launch launch = {0};
    assert_int_equal(heddle_launch(f->sim, f->module, "divid", &launch), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_error(f->sim), "did you mean 'divide'?"));
    assert_int_equal(heddle_kernel_count(f->module), 2);
    assert_string_equal(heddle_kernel_name(f->module, 1), "locals");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(memory_is_zero_also_when_used_before),
        TEST(large_buffers_cost_what_is_written),
        TEST(ranges_outside_allocations_are_refused),
        TEST(sizes_that_overflow_are_refused),
        TEST(a_warning_is_given_once),
        TEST(no_kernel_of_that_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
