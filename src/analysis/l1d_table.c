/* Columns of signed differences after the first number. A column uses as many bytes per difference
 * as its largest one needs: first the low bytes of all, then the next ones. */
#include <stdlib.h>
#include <string.h>

#include "analysis/l1d_format.h"
#include "base/arena.h"

enum { MAX_WIDTH = 8, COLUMN_HEAD_BYTES = 1 + 8 /* width, first number */ };

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
    return t->n + t->n_columns * (COLUMN_HEAD_BYTES + (size_t)t->n * MAX_WIDTH);
}

static uint8_t *pack_column(uint8_t *at, uint64_t *values, uint32_t n)
{
    uint64_t first = n ? values[0] : 0, previous = first;
    uint64_t any = 0, magnitudes = 0; /* -1 has none */
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
    l1d_put_u64(at, first);
    at += 8;
    for (unsigned k = 0; k < width; k++)
        for (uint32_t i = 0; i < n; i++)
            *at++ = (uint8_t)(values[i] >> 8 * k);
    return at;
}

uint8_t *l1d_table_pack(struct l1d_table *t, uint32_t first, uint32_t end, uint8_t *to)
{
    if (first == 0 && t->n)
        memcpy(to, t->kinds, t->n);
    to += first == 0 ? t->n : 0;
    for (uint32_t c = first; c < end; c++)
        to = pack_column(to, t->columns[c], t->n);
    return to;
}

static inline __attribute__((always_inline)) void unpack_width(const uint8_t *planes, uint32_t n,
                                                               unsigned width, uint64_t first,
                                                               uint64_t *restrict values)
{
    uint64_t sum = first;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t d = (uint64_t)(int8_t)planes[(size_t)(width - 1) * n + i]; /* sign-extended */
        for (unsigned k = width - 1; k-- > 0;)
            d = d << 8 | planes[(size_t)k * n + i];
        values[i] = sum += d;
    }
}

static void repeat(uint64_t value, uint32_t n, uint64_t *values)
{
    for (uint32_t i = 0; i < n; i++)
        values[i] = value;
}

/* Specialised at compile time for the usual widths. */
static void unpack_column(const uint8_t *planes, uint32_t n, unsigned width, uint64_t first,
                          uint64_t *values)
{
    if (width == 0)
        repeat(first, n, values);
    else if (width == 1)
        unpack_width(planes, n, 1, first, values);
    else if (width == 2)
        unpack_width(planes, n, 2, first, values);
    else if (width == 3)
        unpack_width(planes, n, 3, first, values);
    else if (width == 4)
        unpack_width(planes, n, 4, first, values);
    else
        unpack_width(planes, n, width, first, values);
}

/* Four counters in turn: neighbours are mostly equal, and increments of one counter would wait for
 * each other. */
static void count_kinds(struct l1d_table *t)
{
    uint32_t counts[4][256] = {{0}}, i = 0;
    for (; i + 4 <= t->n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            counts[k][t->kinds[i + k]]++;
    for (; i < t->n; i++)
        counts[0][t->kinds[i]]++;
    for (uint32_t byte = 0; byte < 256; byte++)
        t->n_of[byte] = counts[0][byte] + counts[1][byte] + counts[2][byte] + counts[3][byte];
}

static void unpack_kinds(struct l1d_table *t, const uint8_t *from)
{
    if (t->n)
        memcpy(t->kinds, from, t->n);
    count_kinds(t);
}

bool l1d_table_unpack(struct l1d_table *t, uint32_t n, uint32_t first, uint32_t end,
                      const uint8_t *from, const uint8_t *from_end)
{
    if (first == 0 && (size_t)(from_end - from) < n) /* checked before memory is reserved for
                                                      * them */
        return false;
    l1d_table_reserve(t, n);
    t->n = n;
    if (first == 0)
        unpack_kinds(t, from);
    from += first == 0 ? n : 0;
    for (uint32_t c = first; c < end; c++) {
        if (from_end - from < COLUMN_HEAD_BYTES || *from > MAX_WIDTH ||
            (size_t)(from_end - from - COLUMN_HEAD_BYTES) / (n ? n : 1) < *from)
            return false;
        unsigned width = *from;
        uint64_t start = l1d_get_u64(from + 1);
        from += COLUMN_HEAD_BYTES;
        if (n)
            unpack_column(from, n, width, start, t->columns[c]);
        from += (size_t)width * n;
    }
    return from == from_end;
}
