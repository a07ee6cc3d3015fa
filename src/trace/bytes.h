/* Numbers as bytes, both ways: the encoding of all parts of a trace. */
#ifndef HEDDLE_TRACE_BYTES_H
#define HEDDLE_TRACE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* --- writing --- */

/* A zeroed struct is empty and valid; free(data) releases it. */
struct bytes {
    uint8_t *data;
    size_t n, cap;
};

static inline uint8_t *bytes_reserve(struct bytes *b, size_t n)
{
    ARRAY_RESERVE(b->data, b->cap, b->n + n);
    return b->data + b->n;
}

static inline void bytes_put_byte(struct bytes *b, uint8_t v)
{
    *bytes_reserve(b, 1) = v;
    b->n++;
}

static inline void bytes_put_raw(struct bytes *b, const void *data, size_t n)
{
    if (n)
        memcpy(bytes_reserve(b, n), data, n);
    b->n += n;
}

static inline void bytes_put_fixed(struct bytes *b, uint64_t v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bytes_put_byte(b, (uint8_t)(v >> 8 * i));
}

/* Seven bits per byte, low ones first; the top bit says that more follow. */
static inline void bytes_put_varint(struct bytes *b, uint64_t v)
{
    uint8_t *at = bytes_reserve(b, 10), *begin = at;
    for (; v >= 0x80; v >>= 7)
        *at++ = (uint8_t)(v | 0x80);
    *at++ = (uint8_t)v;
    b->n += (size_t)(at - begin);
}

/* Maps small numbers of either sign to small numbers: 0, -1, 1, -2, ... -> 0, 1, 2, 3, ... */
static inline void bytes_put_signed(struct bytes *b, uint64_t v)
{
    bytes_put_varint(b, v << 1 ^ (0 - (v >> 63)));
}

static inline void bytes_put_text(struct bytes *b, const char *text, size_t n)
{
    bytes_put_varint(b, n);
    bytes_put_raw(b, text, n);
}

/* --- reading: past the end everything is 0, and `bad` is set --- */

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline uint8_t cursor_get_byte(struct cursor *c)
{
    if (c->at < c->end)
        return *c->at++;
    c->bad = true;
    return 0;
}

static inline uint64_t cursor_get_fixed(struct cursor *c, uint32_t n)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; i++)
        v |= (uint64_t)cursor_get_byte(c) << 8 * i;
    return v;
}

static inline uint64_t cursor_get_varint(struct cursor *c)
{
    uint64_t v = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint8_t byte = cursor_get_byte(c);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    c->bad = true;
    return 0;
}

static inline uint64_t cursor_get_signed(struct cursor *c)
{
    uint64_t v = cursor_get_varint(c);
    return v >> 1 ^ (0 - (v & 1));
}

/* A number that must not exceed `most`. */
static inline uint64_t cursor_get_limited(struct cursor *c, uint64_t most)
{
    uint64_t v = cursor_get_varint(c);
    if (v <= most)
        return v;
    c->bad = true;
    return 0;
}

/* A pointer to the next `n` bytes, or NULL. */
static inline const uint8_t *cursor_get_raw(struct cursor *c, uint64_t n)
{
    if (n > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return NULL;
    }
    const uint8_t *data = c->at;
    c->at += n;
    return data;
}

#endif
