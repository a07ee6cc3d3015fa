/* The expected digests are the published ones of FIPS 180-4 and NIST's test vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"

static void assert_digest(const char *message, const char *expected)
{
    char text[HASH_TEXT_BYTES];
    hash_of(message, strlen(message), text);
    assert_string_equal(text, expected);
}

static void published_vectors_match(void **state)
{
    (void)state;
    assert_digest("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_in_odd_pieces_match(void **state)
{
    (void)state;
    char piece[997], text[HASH_TEXT_BYTES];
    memset(piece, 'a', sizeof piece);
    struct hash h;
    hash_init(&h);
    for (size_t left = 1000000; left > 0;) {
        size_t n = left < sizeof piece ? left : sizeof piece;
        hash_add(&h, piece, n);
        left -= n;
    }
    hash_finish(&h, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void fields_do_not_run_together(void **state)
{
    (void)state;
    char first[HASH_TEXT_BYTES], second[HASH_TEXT_BYTES];
    struct hash h;
    hash_init(&h);
    hash_add_field(&h, "ab");
    hash_add_field(&h, "c");
    hash_finish(&h, first);
    hash_init(&h);
    hash_add_field(&h, "a");
    hash_add_field(&h, "bc");
    hash_finish(&h, second);
    assert_string_not_equal(first, second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors_match),
        cmocka_unit_test(a_million_letters_in_odd_pieces_match),
        cmocka_unit_test(fields_do_not_run_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
