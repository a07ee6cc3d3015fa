#include "config/number.h"

#include <string.h>
#include <strings.h>

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* Reads digits up to the first other character; NULL if there are none or they overflow. */
static const char *read_digits(const char *text, uint64_t *out)
{
    int base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    const char *first = text;
    uint64_t value = 0;
    for (; digit_value(*text) < base; text++) {
        uint64_t digit = (uint64_t)digit_value(*text);
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return NULL;
    }
    *out = value;
    return text == first ? NULL : text;
}

bool number_parse_u64(const char *text, uint64_t *out)
{
    uint64_t value;
    const char *end = read_digits(text, &value);
    if (!end || *end)
        return false;
    *out = value;
    return true;
}

bool number_parse_count(const char *text, uint64_t *out)
{
    static const char prefixes[] = "KMGT";
    uint64_t value;
    const char *end = read_digits(text, &value);
    const char *prefix =
        end && *end ? strchr(prefixes, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    if (!end || (*end && (!prefix || end[1])))
        return false;
    for (const char *p = prefixes; prefix && p <= prefix; p++)
        if (__builtin_mul_overflow(value, (uint64_t)1000, &value))
            return false;
    *out = value;
    return true;
}

bool number_parse_bytes(const char *text, uint64_t *out)
{
    static const char prefixes[] = "KMGT";
    uint64_t value;
    const char *end = read_digits(text, &value);
    if (!end)
        return false;
    if (*end) {
        char letter = *end >= 'a' ? (char)(*end - 'a' + 'A') : *end;
        const char *prefix = strchr(prefixes, letter);
        if (!prefix || (end[1] && strcasecmp(end + 1, "B") != 0 && strcasecmp(end + 1, "iB") != 0))
            return false;
        unsigned shift = 10 * (unsigned)(prefix - prefixes + 1);
        if (value > UINT64_MAX >> shift)
            return false;
        value <<= shift;
    }
    *out = value;
    return true;
}
