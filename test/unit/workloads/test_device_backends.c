/* The back ends, each held to the same facts: a kernel receives every kind of argument, and a
 * mistake in a kernel or a host part is reported in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "heddle/heddle.h"
#include "other_opencl.h"
#include "workloads/device.h"

static const char *const SOURCE =
    "__kernel void combine(__global uint *out, __global const uint *in, __local uint *shared,\n"
    "                      int i, ulong l, float f)\n"
    "{\n"
    "    uint x = get_local_id(0), y = get_local_id(1), n = get_local_size(0);\n"
    "    uint place = get_group_id(1) * get_num_groups(0) + get_group_id(0);\n"
    "    shared[y * n + x] = in[y * n + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (x == 0 && y == 0)\n"
    "        out[place] = shared[n] + (uint)i + (uint)(l >> 32) + (uint)(f * 2) + place;\n"
    "}\n";

/* A back end under test; the simulation is there only while Heddle is. */
struct back_end {
    bool is_heddle;
    struct heddle_sim *sim;
    struct device *device;
};

static struct device *open_with(void **state, const char *fact, const char *source)
{
    struct back_end *b = *state;
    if (b->is_heddle) {
        struct heddle_options options = {.struct_size = sizeof options};
        assert_int_equal(heddle_create(&options, &b->sim), HEDDLE_OK);
        b->device = device_create_heddle(b->sim);
    } else {
        b->device = device_create_opencl(NULL);
        if (opencl_is_missing(b->device, fact))
            skip();
    }
    device_load(b->device, "test", source, NULL);
    return b->device;
}

static int close_back_end(void **state)
{
    struct back_end *b = *state;
    device_destroy(b->device);
    heddle_destroy(b->sim);
    b->device = NULL;
    b->sim = NULL;
    return 0;
}

static void expect_error(const struct device *d, const char *part)
{
    assert_false(device_ok(d));
    if (!strstr(device_error(d), part))
        fail_msg("no '%s' in: %s", part, device_error(d));
}

static void every_kind_of_argument_arrives(void **state)
{
    struct device *d = open_with(state, __func__, SOURCE);
    const uint32_t in[8] = {0, 0, 0, 0, 1000, 0, 0, 0};
    uint32_t out[6] = {0};
    device_buffer in_buffer = device_alloc_from(d, in, sizeof in, "in");
    device_buffer out_buffer = device_alloc(d, sizeof out, "out");
    DEVICE_LAUNCH_2D(d, "combine", 12, 4, 4, 2, device_arg_buffer(out_buffer),
                     device_arg_buffer(in_buffer), device_arg_local(sizeof in),
                     device_arg_i32(-300), device_arg_u64(UINT64_C(7) << 32), device_arg_f32(2.5f));
    device_download(d, out_buffer, 0, out, sizeof out);
    assert_string_equal(device_error(d), "");
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(out[i], 1000 - 300 + 7 + 5 + i);
    assert_true(strlen(device_name(d)) > 3);
}

static void fresh_memory_is_zero(void **state)
{
    struct device *d = open_with(state, __func__, SOURCE);
    unsigned char got[4099];
    memset(got, 0xaa, sizeof got);
    device_buffer b = device_alloc(d, sizeof got, "b");
    device_download(d, b, 0, got, sizeof got);
    assert_string_equal(device_error(d), "");
    for (size_t i = 0; i < sizeof got; i++)
        assert_int_equal(got[i], 0);
}

static void a_kernel_that_does_not_compile_yields_the_compilers_words(void **state)
{
    expect_error(
        open_with(state, __func__, "__kernel void k(__global int *p) { *p = unknown_name; }"),
        "unknown_name");
}

static void a_missing_kernel_is_named(void **state)
{
    struct device *d = open_with(state, __func__, SOURCE);
    DEVICE_LAUNCH_1D(d, "no_such_kernel", 4, 4, device_arg_i32(0));
    expect_error(d, "no_such_kernel");
}

static void an_argument_too_many_is_told(void **state)
{
    struct device *d = open_with(state, __func__, "__kernel void kern(int a) {}");
    DEVICE_LAUNCH_1D(d, "kern", 4, 4, device_arg_i32(0), device_arg_i32(1));
    expect_error(d, "kern");
}

static void an_argument_too_few_is_told(void **state)
{
    struct device *d = open_with(state, __func__, "__kernel void kern(int a, int b) {}");
    DEVICE_LAUNCH_1D(d, "kern", 4, 4, device_arg_i32(0));
    expect_error(d, "kern");
}

static void a_device_that_is_not_there_lists_those_that_are(void **state)
{
    (void)state;
    struct device *first = device_create_opencl(NULL);
    if (opencl_is_missing(first, __func__)) {
        device_destroy(first);
        skip();
    }
    assert_true(device_ok(first));
    struct device *d = device_create_opencl("no such device");
    assert_non_null(strstr(device_error(d), device_name(first)));
    expect_error(d, "'no such device'");
    device_destroy(first);
    device_destroy(d);
}

#define FACT(fact, back_end)                                                                       \
    {                                                                                              \
#fact " on " #back_end, fact, NULL, close_back_end, &back_end                              \
    }
#define ON_BOTH(fact) FACT(fact, opencl), FACT(fact, heddle)

int main(void)
{
    struct back_end opencl = {.is_heddle = false}, heddle = {.is_heddle = true};
    const struct CMUnitTest tests[] = {
        ON_BOTH(every_kind_of_argument_arrives),
        ON_BOTH(fresh_memory_is_zero),
        ON_BOTH(a_kernel_that_does_not_compile_yields_the_compilers_words),
        ON_BOTH(a_missing_kernel_is_named),
        ON_BOTH(an_argument_too_many_is_told),
        ON_BOTH(an_argument_too_few_is_told),
        cmocka_unit_test(a_device_that_is_not_there_lists_those_that_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
