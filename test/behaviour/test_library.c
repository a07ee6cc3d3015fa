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

/* Sizes that no machine has: 2^32 - 96 bytes of local memory of a callee, 6 GB of shared memory,
 * a parameter of 40,000 bytes. */
static const char large_text[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".func f()\n{\n.local .b8 a[4294967200];\n.reg .b64 %a;\nmov.u64 %a, a;\n"
    "st.local.u32 [%a], 5;\nret;\n}\n"
    ".entry callee()\n{\n.local .b8 b[96];\n.reg .b64 %b;\nmov.u64 %b, b;\n"
    "st.local.u32 [%b], 5;\ncall f;\nret;\n}\n"
    ".entry local()\n{\n.local .b8 c[600000];\n.reg .b64 %c;\nmov.u64 %c, c;\n"
    "st.local.u32 [%c], 5;\nret;\n}\n"
    ".entry shared()\n{\n.shared .b8 d[6000000000];\n.reg .b64 %d;\nmov.u64 %d, d;\n"
    "st.shared.u32 [%d], 5;\nret;\n}\n"
    ".entry params(.param .b8 e[40000])\n{\nret;\n}\n";

/* Fills a callee's registers in all lanes, then calls another one in lane 0 alone that stores a
 * register it has not written. */
static const char undefined_text[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".func fill()\n{\n.reg .b32 %r<8>;\nmov.u32 %r0, 1;\nadd.u32 %r1, %r0, %r0;\n"
    "add.u32 %r2, %r0, %r1;\nadd.u32 %r3, %r1, %r2;\nadd.u32 %r4, %r2, %r3;\n"
    "add.u32 %r5, %r3, %r4;\nadd.u32 %r6, %r4, %r5;\nadd.u32 %r7, %r5, %r6;\n"
    "add.u32 %r7, %r0, %r1;\nadd.u32 %r7, %r2, %r3;\nadd.u32 %r7, %r4, %r6;\nret;\n}\n"
    ".func store(.param .u64 to)\n{\n.reg .b32 %x;\n.reg .b64 %to;\n.reg .pred %p;\n"
    "ld.param.u64 %to, [to];\nsetp.eq.u64 %p, %to, 0;\n@%p mov.u32 %x, 5;\n"
    "st.global.u32 [%to], %x;\nret;\n}\n"
    ".entry undefined(.param .u64 y)\n{\n.reg .b64 %y;\n.reg .b32 %i;\n.reg .pred %p;\n"
    "ld.param.u64 %y, [y];\nmov.u32 %i, %tid.x;\nsetp.ne.u32 %p, %i, 0;\ncall fill;\n"
    "@%p bra END;\n{\n.param .u64 p0;\nst.param.u64 [p0], %y;\ncall store, (p0);\n}\n"
    "END:\nret;\n}\n";

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
        assert_non_null(strstr(heddle_error(f->sim), "not enough device memory for 'large'"));
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

static void expect_refusal(struct fixture *f, struct heddle_module *m, const char *kernel,
                           enum heddle_status status, const char *message)
{
    const struct heddle_arg arg = {.data = "", .bytes = 1};
    struct heddle_launch launch = {.args = &arg, .n_args = strcmp(kernel, "params") == 0};
    assert_int_equal(heddle_launch(f->sim, m, kernel, &launch), status);
    assert_non_null(strstr(heddle_error(f->sim), message));
}

static void memory_that_no_machine_has_is_refused(void **state)
{
    struct fixture *f = *state;
    struct heddle_module *m;
    assert_int_equal(
        heddle_load(f->sim, HEDDLE_PTX, "large.ptx", large_text, strlen(large_text), NULL, &m),
        HEDDLE_OK);
    expect_refusal(f, m, "callee", HEDDLE_KERNEL_FAULT, "call of 'f'");
    expect_refusal(f, m, "local", HEDDLE_BAD_INPUT, "600000 bytes of local memory");
    expect_refusal(f, m, "shared", HEDDLE_BAD_INPUT, "bytes of shared memory");
    expect_refusal(f, m, "params", HEDDLE_BAD_INPUT, "40000 bytes of parameters");
}

static void undefined_values_are_zero_in_divergent_calls(void **state)
{
    struct fixture *f = *state;
    struct heddle_module *m;
    uint64_t y;
    uint32_t value = 99;
    assert_int_equal(
        heddle_load(f->sim, HEDDLE_PTX, "u.ptx", undefined_text, strlen(undefined_text), NULL, &m),
        HEDDLE_OK);
    assert_int_equal(heddle_alloc(f->sim, sizeof value, "y", &y), HEDDLE_OK);
    assert_int_equal(heddle_write(f->sim, y, &value, sizeof value), HEDDLE_OK);
    const struct heddle_arg arg = {&y, sizeof y, false};
    struct heddle_launch launch = {.block = {32}, .args = &arg, .n_args = 1};
    assert_int_equal(heddle_launch(f->sim, m, "undefined", &launch), HEDDLE_OK);
    assert_int_equal(heddle_read(f->sim, y, &value, sizeof value), HEDDLE_OK);
    assert_int_equal(value, 0);
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

/* --- attribution --- */

static struct heddle_attributed records[16];
static uint32_t n_records;

static void keep_record(void *user, const struct heddle_attributed *record)
{
    assert_ptr_equal(user, records);
    assert_in_range(n_records, 0, 15);
    assert_string_equal(record->kernel, "locals");
    records[n_records++] = *record;
}

/* Two CTAs of 33 threads, so of two warps, that return at once. */
static void warps_and_ctas_are_attributed(void **state)
{
    (void)state;
    struct heddle_options o = {.struct_size = sizeof o,
                               .timing = true,
                               .attribute = true,
                               .attributed = keep_record,
                               .attributed_user = records};
    struct heddle_sim *sim;
    struct heddle_module *m;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    assert_int_equal(heddle_load(sim, HEDDLE_PTX, "t.ptx", text, strlen(text), NULL, &m),
                     HEDDLE_OK);
    const struct heddle_arg args[] = {{NULL, 16, true}, {NULL, 16, true}};
    struct heddle_launch launch = {.grid = {2}, .block = {33}, .args = args, .n_args = 2};
    assert_int_equal(heddle_launch(sim, m, "locals", &launch), HEDDLE_OK);
    assert_int_equal(n_records, 6);
    uint64_t seen = 0;
    for (const struct heddle_attributed *r = records; r < records + n_records; r++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < HEDDLE_N_LATENCIES; i++)
            sum += r->cycles[i];
        assert_int_equal(r->launch, 1);
        assert_int_equal(r->n_warps, r->is_cta ? 2 : 1);
        assert_int_equal(r->cycles[HEDDLE_N_LATENCIES - 1], r->n_warps); /* one return each */
        if (!r->is_cta)
            assert_int_equal(sum, r->end_cycle - r->start_cycle);
        seen |= 1u << (r->is_cta ? 4 + r->cta : r->cta * 2 + r->warp);
    }
    assert_int_equal(seen, 0x3f);
    heddle_destroy(sim);
    assert_string_equal(heddle_latency_name(0), "Scheduling");
    assert_string_equal(heddle_latency_name(HEDDLE_N_LATENCIES - 1), "Exec");
    assert_null(heddle_latency_name(HEDDLE_N_LATENCIES));
}

static void a_functional_run_has_no_cycles_to_attribute(void **state)
{
    (void)state;
    struct heddle_options o = {.struct_size = sizeof o, .attribute = true};
    struct heddle_sim *sim;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_error(sim), "no cycles to attribute"));
    heddle_destroy(sim);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(memory_is_zero_also_when_used_before),
        TEST(large_buffers_cost_what_is_written),
        TEST(ranges_outside_allocations_are_refused),
        TEST(sizes_that_overflow_are_refused),
        TEST(memory_that_no_machine_has_is_refused),
        TEST(undefined_values_are_zero_in_divergent_calls),
        TEST(a_warning_is_given_once),
        TEST(no_kernel_of_that_name),
        TEST(warps_and_ctas_are_attributed),
        TEST(a_functional_run_has_no_cycles_to_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
