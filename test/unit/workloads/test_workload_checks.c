/* The helpers of every check, and that every workload's check can fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/workloads/host_memory_device.h"
#include "workloads/run.h"

/* The first outputs of the authors' splitmix64.c for this seed. */
static void the_generator_is_splitmix64(void **state)
{
    (void)state;
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    struct workload_rng rng = {1234567};
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        assert_true(workload_rng_u64(&rng) == published[i]);
}

static void random_numbers_fill_their_range(void **state)
{
    (void)state;
    struct workload_rng rng = {1};
    uint32_t seen[7] = {0};
    double sum = 0;
    for (int i = 0; i < 7000; i++) {
        uint32_t v = workload_rng_below(&rng, 7);
        assert_true(v < 7);
        seen[v]++;
        float unit = workload_rng_unit(&rng);
        assert_true(unit >= 0 && unit < 1);
        sum += unit;
    }
    for (int v = 0; v < 7; v++)
        assert_in_range(seen[v], 850, 1150); /* 1000 +- 5 standard deviations */
    assert_true(fabs(sum / 7000 - 0.5) < 0.02);
}

static void integer_checks_name_the_first_difference(void **state)
{
    (void)state;
    const uint32_t got[] = {1, 2, 9, 4, 9}, want[] = {1, 2, 3, 4, 5};
    struct strbuf why = {0};
    assert_true(workload_check_u32(&why, "v", got, want, 2));
    assert_int_equal(why.len, 0);
    assert_false(workload_check_u32(&why, "v", got, want, 5));
    assert_string_equal(strbuf_text(&why), "v[2] is 9, should be 3 (2 of 5 differ)");
    strbuf_clear(&why);
    const int32_t got_signed[] = {-1}, want_signed[] = {1};
    assert_false(workload_check_i32(&why, "s", got_signed, want_signed, 1));
    assert_string_equal(strbuf_text(&why), "s[0] is -1, should be 1 (1 of 1 differ)");
    strbuf_destroy(&why);
}

static bool f32_passes(float got, float want, float rel_tol, float abs_tol)
{
    struct strbuf why = {0};
    bool agrees = workload_check_f32(&why, "f", &got, &want, 1, rel_tol, abs_tol);
    assert_int_equal(agrees, why.len == 0);
    strbuf_destroy(&why);
    return agrees;
}

static void float_checks_keep_to_their_tolerance(void **state)
{
    (void)state;
    assert_true(f32_passes(1.0f, 1.0f, 0, 0));
    assert_false(f32_passes(nextafterf(1.0f, 2.0f), 1.0f, 0, 0));
    assert_true(f32_passes(65, 64, 0x1p-6f, 0));
    assert_false(f32_passes(nextafterf(65, 66), 64, 0x1p-6f, 0));
    assert_true(f32_passes(-0.5f, 0, 0, 0.5f));
    assert_false(f32_passes(-0.6f, 0, 0, 0.5f));
    assert_true(f32_passes(-65.5f, -64, 0x1p-6f, 0.5f));
    assert_false(f32_passes(-65.75f, -64, 0x1p-6f, 0.5f));
    assert_false(f32_passes(NAN, 1, 1, 1));
    assert_false(f32_passes(1, NAN, 1, 1));
    assert_true(f32_passes(INFINITY, INFINITY, 0, 0));
    assert_false(f32_passes(-INFINITY, INFINITY, 1, 1));
    assert_false(f32_passes(3e38f, INFINITY, 1, 1));
}

/* A result of all zeros, or of what was uploaded, must not pass for a computed one. */
static void a_device_that_computes_nothing_is_noticed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < workload_count; i++) {
        const struct workload *w = workload_list[i];
        struct device *d = host_memory_create(NULL);
        struct workload_result result = {0};
        print_message("  %s: ", w->name);
        workload_run(w, workload_find_size(w, "tiny"), WORKLOAD_DEFAULT_SEED, d, &result);
        print_message("%s\n", strbuf_text(&result.message));
        assert_true(result.ok);
        assert_false(result.verified);
        assert_true(result.message.len > 0);
        assert_true(result.launches > 0);
        workload_result_destroy(&result);
        device_destroy(d);
    }
}

static void a_device_that_fails_is_reported_with_its_words(void **state)
{
    (void)state;
    const struct workload *w = workload_list[0];
    struct host_memory *memory;
    struct device *d = host_memory_create(&memory);
    memory->fail_uploads = true;
    struct workload_result result = {0};
    assert_false(workload_run(w, workload_find_size(w, "tiny"), 1, d, &result));
    assert_false(result.ok);
    assert_string_equal(strbuf_text(&result.message), "upload refused");
    workload_result_destroy(&result);
    device_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_splitmix64),
        cmocka_unit_test(random_numbers_fill_their_range),
        cmocka_unit_test(integer_checks_name_the_first_difference),
        cmocka_unit_test(float_checks_keep_to_their_tolerance),
        cmocka_unit_test(a_device_that_computes_nothing_is_noticed),
        cmocka_unit_test(a_device_that_fails_is_reported_with_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
