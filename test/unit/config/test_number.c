#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/number.h"

static void counts_may_end_in_thousands(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"20K", 20000},
                {"1m", 1000000},
                {"5G", 5000000000},
                {"18446744T", 18446744000000000000ull},
                {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {"", "K", "1KB", "1X", "1 K", "-1", "18446745T", "1KK"};
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(number_parse_count(good[i].text, &v));
        assert_int_equal(v, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(number_parse_count(bad[i], &v));
}

static void whole_numbers_are_read_to_the_last_bit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"007", 7},
        {"4294967296", 4294967296},
        {"0x1F", 31},
        {"0XffffFFFFffffFFFF", UINT64_MAX},
        {"18446744073709551615", UINT64_MAX},
    };
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "-1",
                                      "+1",
                                      "0x",
                                      "1.0",
                                      "1e3",
                                      "ten",
                                      "12a",
                                      "0xg",
                                      "18446744073709551616",
                                      "0x10000000000000000",
                                      "1K"};
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(number_parse_u64(good[i].text, &v));
        assert_true(v == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (number_parse_u64(bad[i], &v))
            fail_msg("'%s' was taken for a number", bad[i]);
}

static void sizes_take_binary_suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"48K", 49152},        {"48k", 49152},
        {"1KB", 1024},         {"1kib", 1024},
        {"2M", 2097152},       {"3GiB", 3221225472},
        {"1T", 1099511627776}, {"0x10K", 16384},
        {"123", 123},          {"16777215T", 18446742974197923840u},
    };
    static const char *const bad[] = {"K",         "1KK",  "1Kb0", "1 K", "1P",
                                      "16777216T", "1.5K", "0xK",  "1B"};
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!number_parse_bytes(good[i].text, &v))
            fail_msg("'%s' was refused", good[i].text);
        assert_true(v == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (number_parse_bytes(bad[i], &v))
            fail_msg("'%s' was taken for a size", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_may_end_in_thousands),
        cmocka_unit_test(whole_numbers_are_read_to_the_last_bit),
        cmocka_unit_test(sizes_take_binary_suffixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
