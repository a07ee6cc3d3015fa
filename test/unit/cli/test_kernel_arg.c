/* Arguments against bytes computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/kernel_arg.h"

static struct kernel_arg parse(const char *text, struct arena *arena)
{
    struct kernel_arg arg;
    struct strbuf why = {0};
    if (!kernel_arg_parse(text, arena, &arg, &why))
        fail_msg("%s was refused: %s", text, strbuf_text(&why));
    assert_int_equal(why.len, 0);
    strbuf_destroy(&why);
    return arg;
}

static void scalars_become_their_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint8_t bytes[8];
    } cases[] = {
        {"i8:-128", 1, {0x80}},
        {"i8:0xff", 1, {0xff}},
        {"u8:255", 1, {0xff}},
        {"i16:-2", 2, {0xfe, 0xff}},
        {"u16:0x1234", 2, {0x34, 0x12}},
        {"i32:-2147483648", 4, {0, 0, 0, 0x80}},
        {"i32:5", 4, {5}},
        {"u32:4294967295", 4, {0xff, 0xff, 0xff, 0xff}},
        {"i64:-1", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        {"u64:18446744073709551615", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        {"f16:1.5", 2, {0x00, 0x3e}},
        {"f16:-65504", 2, {0xff, 0xfb}},
        {"f16:6e-8", 2, {0x01, 0x00}},
        {"f32:1.5", 4, {0, 0, 0xc0, 0x3f}},
        {"f32:0.1", 4, {0xcd, 0xcc, 0xcc, 0x3d}},
        {"f32:-inf", 4, {0, 0, 0x80, 0xff}},
        /* Just above the middle of two floats, and the middle when it is first a double. */
        {"f32:1.00000005960464477539063", 4, {1, 0, 0x80, 0x3f}},
        {"f64:-2", 8, {0, 0, 0, 0, 0, 0, 0, 0xc0}},
        {"f64:0x1p-1", 8, {0, 0, 0, 0, 0, 0, 0xe0, 0x3f}},
        {"bytes:00ffA5", 3, {0x00, 0xff, 0xa5}},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel_arg a = parse(cases[i].text, &arena);
        assert_int_equal(a.kind, KERNEL_ARG_VALUE);
        assert_int_equal(a.bytes, cases[i].n);
        if (memcmp(a.data, cases[i].bytes, cases[i].n) != 0)
            fail_msg("%s became other bytes", cases[i].text);
    }
    arena_destroy(&arena);
}

static void buffers_say_what_is_in_them_and_where_they_go(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct kernel_arg a = parse("buf:4K", &arena);
    assert_int_equal(a.kind, KERNEL_ARG_BUFFER);
    assert_int_equal(a.bytes, 4096);
    assert_true(!a.in_file && !a.out_file && !a.is_random);

    a = parse("buf:@dir/in:put.bin", &arena);
    assert_int_equal(a.bytes, 0);
    assert_string_equal(a.in_file, "dir/in:put.bin");

    a = parse("buf:0x100:@in.bin", &arena);
    assert_int_equal(a.bytes, 256);
    assert_string_equal(a.in_file, "in.bin");

    a = parse("rand:1M:42", &arena);
    assert_true(a.is_random);
    assert_int_equal(a.bytes, 1048576);
    assert_int_equal(a.seed, 42);

    a = parse("out:16:c:d.bin", &arena);
    assert_int_equal(a.bytes, 16);
    assert_string_equal(a.out_file, "c:d.bin");

    a = parse("inout:@a.bin:b.bin", &arena);
    assert_string_equal(a.in_file, "a.bin");
    assert_string_equal(a.out_file, "b.bin");

    a = parse("local:2K", &arena);
    assert_int_equal(a.kind, KERNEL_ARG_LOCAL);
    assert_int_equal(a.bytes, 2048);
    arena_destroy(&arena);
}

static void mistakes_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"5", "has no ':'"},
        {"", "has no ':'"},
        {"i33:5", "did you mean 'i32'?"},
        {"i8:128", "does not fit into 8 bits"},
        {"i8:-129", "does not fit into 8 bits"},
        {"i8:0x100", "does not fit into 8 bits"},
        {"u8:256", "does not fit into 8 bits"},
        {"u8:-1", "not a whole number from 0 to 255"},
        {"i32:", "not a whole number from -2147483648 to 2147483647"},
        {"i32:--5", "not a whole number"},
        {"i32:5 ", "not a whole number"},
        {"u64:18446744073709551616", "not a whole number from 0 to 18446744073709551615"},
        {"i64:-9223372036854775809", "does not fit into 64 bits"},
        {"i64:x", "from -9223372036854775808 to 9223372036854775807"},
        {"rand:64:-1", "'-1' is not a seed, a whole number from 0 to 18446744073709551615"},
        {"i64:9223372036854775808", "does not fit into 64 bits"},
        {"f32:", "not a number"},
        {"f32: 1", "not a number"},
        {"f32:1.5x", "not a number"},
        {"bytes:", "even number of hexadecimal digits"},
        {"bytes:abc", "even number of hexadecimal digits"},
        {"bytes:0g", "even number of hexadecimal digits"},
        {"buf:", "not a number of bytes"},
        {"buf:0", "not a number of bytes from 1 to 18446744073709551615"},
        {"buf:4X", "not a number of bytes"},
        {"buf:4:file", "should be @FILE"},
        {"buf:@", "file name is missing"},
        {"buf:4:@", "file name is missing"},
        {"rand:16", "seed"},
        {"rand:16:x", "seed"},
        {"out:16", "file name is missing"},
        {"out:16:", "file name is missing"},
        {"inout:a:b", "should be @INPUT:OUTPUT"},
        {"inout:@a", "should be @INPUT:OUTPUT"},
        {"inout:@:b", "file name is missing"},
        {"inout:@a:", "file name is missing"},
        {"local:16:x", "nothing may follow"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel_arg a;
        struct strbuf why = {0};
        if (kernel_arg_parse(cases[i].text, &arena, &a, &why))
            fail_msg("'%s' was accepted", cases[i].text);
        if (!strstr(strbuf_text(&why), cases[i].want))
            fail_msg("'%s': expected '%s' in '%s'", cases[i].text, cases[i].want,
                     strbuf_text(&why));
        strbuf_destroy(&why);
    }
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_become_their_bytes),
        cmocka_unit_test(buffers_say_what_is_in_them_and_where_they_go),
        cmocka_unit_test(mistakes_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
