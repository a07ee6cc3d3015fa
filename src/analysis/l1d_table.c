/* Columns of differences, signed. A column has as many bytes a number as its largest one needs:
 * first the low bytes of all, then the next ones. */
#include <stdlib.h>
#include <string.h>

#include "analysis/l1d_format.h"
#include "base/arena.h"

enum { MAX_WIDTH = 8 };

void l1d_table_reserve(struct l1d_table *t, uint32_t n)
{
    if (n <= t->cap)
        return;
    uint32_t cap = t->cap ? t->cap : 1024;
    while (cap < n)
        cap *= 2;
    t->kinds = xrealloc(t->kinds, cap);
    for (uint32_t c = 0; c < t->n_columns; c++)
        t->columns[c] = xrealloc(t->columns[c], cap * sizeof *t->columns[c]);
    t->cap = cap;
}

void l1d_table_destroy(struct l1d_table *t)
{
    free(t->kinds);
    for (uint32_t c = 0; c < t->n_columns; c++)
        free(t->columns[c]);
    *t = (struct l1d_table){0};
}

size_t l1d_table_bound(const struct l1d_table *t)
{
    return t->n + t->n_columns * (1 + (size_t)t->n * MAX_WIDTH);
}

static uint8_t *pack_column(uint8_t *at, uint64_t *values, uint32_t n)
{
    uint64_t previous = 0, any = 0, magnitudes = 0; /* -1 has none */
    for (uint32_t i = 0; i < n; i++) {
        uint64_t d = values[i] - previous;
        previous = values[i];
        values[i] = d;
        any |= d;
        magnitudes |= d ^ (0 - (d >> 63));
    }
    uint8_t width = any != 0;
    while (width && width < MAX_WIDTH && magnitudes >> (8 * width - 1))
        width++;
    *at++ = width;
    for (unsigned k = 0; k < width; k++)
        for (uint32_t i = 0; i < n; i++)
            *at++ = (uint8_t)(values[i] >> 8 * k);
    return at;
}

uint8_t *l1d_table_pack(struct l1d_table *t, uint8_t *at)
{
    if (t->n)
        memcpy(at, t->kinds, t->n);
    at += t->n;
    for (uint32_t c = 0; c < t->n_columns; c++)
        at = pack_column(at, t->columns[c], t->n);
    t->n = 0;
    return at;
}

static inline __attribute__((always_inline)) void unpack_width(const uint8_t *planes, uint32_t n,
                                                               unsigned width, uint64_t *values)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t d = (uint64_t)(int8_t)planes[(size_t)(width - 1) * n + i]; /* with its sign */
        for (unsigned k = width - 1; k-- > 0;)
            d = d << 8 | planes[(size_t)k * n + i];
        values[i] = sum += d;
    }
}

/* The usual widths are known when this is compiled. */
static void unpack_column(const uint8_t *planes, uint32_t n, unsigned width, uint64_t *values)
{
    if (width == 0)
        memset(values, 0, n * sizeof *values);
    else if (width == 1)
        unpack_width(planes, n, 1, values);
    else if (width == 2)
        unpack_width(planes, n, 2, values);
    else if (width == 3)
        unpack_width(planes, n, 3, values);
    else if (width == 4)
        unpack_width(planes, n, 4, values);
    else
        unpack_width(planes, n, width, values);
}

bool l1d_table_unpack(struct l1d_table *t, uint32_t n, const uint8_t *at, const uint8_t *end)
{
    if ((size_t)(end - at) < n)
        return false;
    l1d_table_reserve(t, n);
    t->n = n;
    if (n)
        memcpy(t->kinds, at, n);
    at += n;
    for (uint32_t c = 0; c < t->n_columns; c++) {
        if (at == end || *at > MAX_WIDTH || (size_t)(end - at - 1) / (n ? n : 1) < *at)
            return false;
        unsigned width = *at++;
        if (n)
            unpack_column(at, n, width, t->columns[c]);
        at += (size_t)width * n;
    }
    return at == end;
}
