/* The front of every device: sticky errors, ranges, shapes, the input hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/workloads/host_memory_device.h"

static const uint32_t ONE_GROUP[3] = {64, 1, 1};

static void a_buffer_starts_as_zero_and_keeps_what_is_uploaded(void **state)
{
    (void)state;
    struct device *d = host_memory_create(NULL);
    device_buffer b = device_alloc(d, 8, "b");
    const char sent[3] = "abc";
    device_upload(d, b, 2, sent, sizeof sent);
    char got[8];
    device_download(d, b, 0, got, sizeof got);
    assert_true(device_ok(d));
    assert_memory_equal(got, "\0\0abc\0\0\0", 8);
    device_destroy(d);
}

static void the_first_error_stays_and_stops_everything(void **state)
{
    (void)state;
    struct host_memory *memory;
    struct device *d = host_memory_create(&memory);
    device_buffer b = device_alloc(d, 4, "four");
    memory->fail_uploads = true;
    uint32_t word = 7;
    device_upload(d, b, 0, &word, sizeof word);
    assert_false(device_ok(d));
    assert_string_equal(device_error(d), "upload refused");

    uint32_t calls = memory->calls;
    device_load(d, "name", "source", NULL);
    assert_int_equal(device_alloc(d, 4, "late").handle, 0);
    device_upload(d, b, 0, &word, sizeof word);
    device_download(d, b, 0, &word, sizeof word);
    device_launch(d, "k", ONE_GROUP, ONE_GROUP, NULL, 0);
    assert_int_equal(memory->calls, calls);
    assert_int_equal(word, 7);
    assert_int_equal(device_launches(d), 0);
    assert_string_equal(device_error(d), "upload refused");
    device_destroy(d);
}

static void a_range_outside_its_buffer_is_refused_with_its_label(void **state)
{
    (void)state;
    static const struct {
        size_t offset, bytes;
        bool ok;
    } cases[] = {{0, 8, true},  {8, 0, true},  {0, 9, false},
                 {4, 5, false}, {9, 0, false}, {SIZE_MAX, 2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *d = host_memory_create(NULL);
        device_buffer b = device_alloc(d, 8, "eight");
        char data[16] = {0};
        device_upload(d, b, cases[i].offset, data, cases[i].bytes);
        assert_int_equal(device_ok(d), cases[i].ok);
        if (!cases[i].ok)
            assert_non_null(strstr(device_error(d), "'eight'"));
        device_destroy(d);
    }
}

static void a_shape_that_is_no_multiple_is_refused(void **state)
{
    (void)state;
    static const uint32_t shapes[][2][3] = {
        {{65, 1, 1}, {64, 1, 1}}, {{64, 0, 1}, {64, 1, 1}}, {{64, 1, 1}, {64, 1, 0}}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct device *d = host_memory_create(NULL);
        device_launch(d, "kernel_name", shapes[i][0], shapes[i][1], NULL, 0);
        assert_false(device_ok(d));
        assert_non_null(strstr(device_error(d), "kernel_name"));
        device_destroy(d);
    }
}

static void a_buffer_argument_must_exist(void **state)
{
    (void)state;
    struct device *d = host_memory_create(NULL);
    const struct device_arg arg = device_arg_buffer((device_buffer){3});
    device_launch(d, "k", ONE_GROUP, ONE_GROUP, &arg, 1);
    assert_false(device_ok(d));
    device_destroy(d);
}

static void too_many_arguments_are_refused(void **state)
{
    (void)state;
    struct device *d = host_memory_create(NULL);
    struct device_arg args[DEVICE_MAX_ARGS + 1];
    for (int i = 0; i <= DEVICE_MAX_ARGS; i++)
        args[i] = device_arg_i32(i);
    device_launch(d, "k", ONE_GROUP, ONE_GROUP, args, DEVICE_MAX_ARGS);
    assert_true(device_ok(d));
    device_launch(d, "k", ONE_GROUP, ONE_GROUP, args, DEVICE_MAX_ARGS + 1);
    assert_false(device_ok(d));
    device_destroy(d);
}

static void scalars_become_their_bytes(void **state)
{
    (void)state;
    assert_true(device_arg_i32(-1).value == 0xffffffff && device_arg_i32(-1).bytes == 4);
    assert_true(device_arg_f32(1.0f).value == 0x3f800000 && device_arg_f32(1.0f).bytes == 4);
    assert_true(device_arg_u64(UINT64_MAX).value == UINT64_MAX && device_arg_u64(0).bytes == 8);
    assert_true(device_arg_local(48).bytes == 48 && device_arg_local(48).kind == DEVICE_ARG_LOCAL);
}

/* What one variant of the same host part sends; the default is variant 0. */
enum variant {
    PLAIN,
    OTHER_DATA,
    OTHER_OFFSET,
    OTHER_BUFFER_SIZE,
    OTHER_SCALAR,
    OTHER_GRID,
    OTHER_GROUP,
    OTHER_KERNEL,
    OTHER_LOCAL_BYTES,
    N_VARIANTS,
    DOWNLOAD_THEN_MORE, /* differs only in what follows the first download */
};

static uint64_t hash_of(struct device *d, enum variant v)
{
    device_buffer b = device_alloc(d, v == OTHER_BUFFER_SIZE ? 32 : 16, "b");
    uint32_t word = v == OTHER_DATA ? 6 : 5;
    device_upload(d, b, v == OTHER_OFFSET ? 4 : 0, &word, sizeof word);
    DEVICE_LAUNCH_1D(d, v == OTHER_KERNEL ? "l" : "k", v == OTHER_GRID ? 128 : 64,
                     v == OTHER_GROUP ? 16 : 32, device_arg_buffer(b),
                     device_arg_i32(v == OTHER_SCALAR),
                     device_arg_local(v == OTHER_LOCAL_BYTES ? 8 : 4));
    device_download(d, b, 0, &word, sizeof word);
    if (v == DOWNLOAD_THEN_MORE) {
        device_upload(d, b, 0, &word, sizeof word);
        device_alloc(d, 4, "more");
        DEVICE_LAUNCH_1D(d, "k", 64, 32, device_arg_buffer(b));
    }
    assert_true(device_ok(d));
    uint64_t hash = device_input_hash(d);
    device_destroy(d);
    return hash;
}

static void the_hash_tells_every_input_apart(void **state)
{
    (void)state;
    uint64_t hashes[N_VARIANTS];
    for (int v = 0; v < N_VARIANTS; v++) {
        hashes[v] = hash_of(host_memory_create(NULL), (enum variant)v);
        for (int earlier = 0; earlier < v; earlier++)
            assert_true(hashes[v] != hashes[earlier]);
    }
    assert_true(hash_of(host_memory_create(NULL), PLAIN) == hashes[PLAIN]);
}

static void the_hash_ends_with_the_first_download(void **state)
{
    (void)state;
    assert_true(hash_of(host_memory_create(NULL), DOWNLOAD_THEN_MORE) ==
                hash_of(host_memory_create(NULL), PLAIN));
}

static void the_hash_is_the_published_fnv_1a(void **state)
{
    (void)state;
    struct device *d = host_memory_create(NULL);
    assert_true(device_input_hash(d) == 0xcbf29ce484222325); /* of no bytes at all */
    device_alloc(d, 'a', "b");                               /* hashes "a" and seven zero bytes */
    uint64_t expected = 0xaf63dc4c8601ec8c;                  /* published hash of "a" */
    for (int i = 0; i < 7; i++)
        expected *= 0x100000001b3;
    assert_true(device_input_hash(d) == expected);
    device_destroy(d);
}

static void keep_info(void *user, const struct device_launch_info *info)
{
    *(struct device_launch_info *)user = *info;
}

static void an_observer_sees_what_a_launch_binds(void **state)
{
    (void)state;
    struct device *d = host_memory_create(NULL);
    struct device_launch_info seen = {0};
    device_buffer a = device_alloc(d, 100, "a"), b = device_alloc(d, 20, "b");
    device_observe(d, keep_info, &seen);
    DEVICE_LAUNCH_2D(d, "k", 8, 6, 4, 2, device_arg_buffer(a), device_arg_i32(7),
                     device_arg_buffer(b), device_arg_buffer(a));
    assert_string_equal(seen.kernel, "k");
    assert_int_equal(seen.work_items, 48);
    assert_int_equal(seen.buffer_bytes, 120); /* a counts once */
    device_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_starts_as_zero_and_keeps_what_is_uploaded),
        cmocka_unit_test(the_first_error_stays_and_stops_everything),
        cmocka_unit_test(a_range_outside_its_buffer_is_refused_with_its_label),
        cmocka_unit_test(a_shape_that_is_no_multiple_is_refused),
        cmocka_unit_test(a_buffer_argument_must_exist),
        cmocka_unit_test(too_many_arguments_are_refused),
        cmocka_unit_test(scalars_become_their_bytes),
        cmocka_unit_test(the_hash_tells_every_input_apart),
        cmocka_unit_test(the_hash_ends_with_the_first_download),
        cmocka_unit_test(the_hash_is_the_published_fnv_1a),
        cmocka_unit_test(an_observer_sees_what_a_launch_binds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
