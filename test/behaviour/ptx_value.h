/* Values as the programs of test/ptx write them in their comments: numbers of a PTX type, lists
 * with ranges and repetitions, and results that need only be near. */
#ifndef TEST_BEHAVIOUR_PTX_VALUE_H
#define TEST_BEHAVIOUR_PTX_VALUE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* "u32": kind 'u', 4 bytes. */
struct value_type {
    char kind;
    uint32_t bytes;
};

static inline bool value_type_parse(const char *text, struct value_type *out)
{
    char *end;
    if (!*text || !strchr("usfb", *text))
        return false;
    unsigned long bits = strtoul(text + 1, &end, 10);
    if (end == text + 1 || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return false;
    *out = (struct value_type){*text, (uint32_t)bits / 8};
    return true;
}

static inline uint64_t value_mask(struct value_type t, uint64_t bits)
{
    return t.bytes == 8 ? bits : bits & ((1ull << t.bytes * 8) - 1);
}

static inline double value_to_double(struct value_type t, uint64_t bits)
{
    if (t.bytes == 8) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, 4);
    return (double)f;
}

/* Numbers are decimal or 0x…; floats also nan and inf. Returns what follows, or NULL. A float's
 * decimal digits are read in its own precision, so that the nearest value is meant. */
static inline const char *value_parse(struct value_type t, const char *text, uint64_t *bits)
{
    char *end;
    bool is_hex = strncmp(text, "0x", 2) == 0;
    *bits = 0;
    if (t.kind == 'f' && t.bytes == 4 && !is_hex) {
        float f = strtof(text, &end);
        memcpy(bits, &f, 4);
    } else if (t.kind == 'f' && !is_hex) {
        double d = strtod(text, &end);
        memcpy(bits, &d, 8);
    } else {
        uint64_t v = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
        *bits = value_mask(t, v);
    }
    return end == text ? NULL : end;
}

static inline bool value_is_nan(struct value_type t, uint64_t bits)
{
    return t.kind == 'f' && t.bytes >= 4 && isnan(value_to_double(t, bits));
}

/* Every NaN equals every other: payloads are not specified. */
static inline bool value_equal(struct value_type t, uint64_t a, uint64_t b)
{
    return a == b || (value_is_nan(t, a) && value_is_nan(t, b));
}

/* A list being read: "1 2 7*3 0..31 0..62:2". */
struct value_list {
    struct value_type type;
    const char *rest;
    uint64_t next, step, left; /* of the item being repeated or counted */
};

/* The next value; false at the end, or when *bad says that the text is no list. */
static inline bool value_list_next(struct value_list *l, uint64_t *value, bool *bad)
{
    *bad = false;
    if (!l->left) {
        l->rest += strspn(l->rest, " \t");
        if (!*l->rest)
            return false;
        const char *after = value_parse(l->type, l->rest, &l->next);
        if (!after) {
            *bad = true;
            return false;
        }
        l->left = 1;
        l->step = 0;
        if (*after == '*') {
            char *end;
            l->left = strtoull(after + 1, &end, 10);
            after = end;
        } else if (strncmp(after, "..", 2) == 0) {
            char *end;
            uint64_t last = strtoull(after + 2, &end, 0);
            l->step = 1;
            if (*end == ':')
                l->step = strtoull(end + 1, &end, 0);
            l->left = (last - l->next) / l->step + 1;
            after = end;
        }
        l->rest = after;
    }
    *value = value_mask(l->type, l->next);
    l->next += l->step;
    l->left--;
    return true;
}

#endif
