#include "emu/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { FIRST_TABLE = 256 };

void overlay_init(struct overlay *o)
{
    memset(o, 0, sizeof *o);
    o->table_size = FIRST_TABLE;
    o->table = xcalloc(o->table_size, sizeof *o->table);
    o->epoch = 1;
}

void overlay_destroy(struct overlay *o)
{
    free(o->lines);
    free(o->table);
    memset(o, 0, sizeof *o);
}

static uint32_t hash_line(uint64_t number)
{
    return (uint32_t)((number * 0x9e3779b97f4a7c15ull) >> 32);
}

/* The table slot of a line: its own, or the empty one for it. */
static uint32_t *find_slot(const struct overlay *o, uint64_t number)
{
    uint32_t at = hash_line(number);
    for (;; at++) {
        uint32_t *slot = &o->table[at & (o->table_size - 1)];
        if (!*slot || o->lines[*slot - 1].number == number)
            return slot;
    }
}

static void grow_table(struct overlay *o)
{
    free(o->table);
    o->table_size *= 2;
    o->table = xcalloc(o->table_size, sizeof *o->table);
    for (uint32_t i = 0; i < o->n; i++)
        *find_slot(o, o->lines[i].number) = i + 1;
}

static struct overlay_line *line_for_store(struct overlay *o, uint64_t number)
{
    uint32_t *slot = find_slot(o, number);
    if (*slot)
        return &o->lines[*slot - 1];
    if ((o->n + 1) * 2 > o->table_size) {
        grow_table(o);
        slot = find_slot(o, number);
    }
    ARRAY_RESERVE(o->lines, o->cap, o->n + 1);
    struct overlay_line *l = &o->lines[o->n++];
    *slot = o->n;
    l->number = number;
    l->mask[0] = l->mask[1] = 0;
    o->filter[(number ^ number >> 11) % OVERLAY_FILTER] = o->epoch;
    return l;
}

static void add_mask(struct overlay_line *l, uint32_t at, uint32_t bytes)
{
    if (bytes == OVERLAY_LINE) {
        l->mask[0] = l->mask[1] = ~0ull;
        return;
    }
    for (uint32_t done = 0; done < bytes;) { /* one half of the line at a time */
        uint32_t half = (at + done) / 64, bit = (at + done) % 64;
        uint32_t n = bytes - done < 64 - bit ? bytes - done : 64 - bit;
        l->mask[half] |= (n == 64 ? ~0ull : (1ull << n) - 1) << bit;
        done += n;
    }
}

void overlay_write(struct overlay *o, uint64_t address, const void *data, uint32_t bytes)
{
    struct overlay_line *l = line_for_store(o, address / OVERLAY_LINE);
    uint32_t at = address % OVERLAY_LINE;
    memcpy(l->data + at, data, bytes);
    add_mask(l, at, bytes);
}

void overlay_read(const struct overlay *o, uint64_t address, void *data, uint32_t bytes)
{
    const uint32_t *slot = find_slot(o, address / OVERLAY_LINE);
    if (!*slot)
        return;
    const struct overlay_line *l = &o->lines[*slot - 1];
    uint32_t at = address % OVERLAY_LINE;
    for (uint32_t i = 0; i < bytes; i++)
        if (l->mask[(at + i) / 64] >> (at + i) % 64 & 1)
            ((uint8_t *)data)[i] = l->data[at + i];
}

static void commit_line(const struct overlay_line *l, uint8_t *image)
{
    if ((l->mask[0] & l->mask[1]) == ~0ull) {
        memcpy(image, l->data, OVERLAY_LINE);
        return;
    }
    for (uint32_t half = 0; half < 2; half++)
        for (uint64_t m = l->mask[half]; m; m &= m - 1) {
            uint32_t i = half * 64 + (uint32_t)__builtin_ctzll(m);
            image[i] = l->data[i];
        }
}

void overlay_commit(struct overlay *o, struct dev_mem *mem)
{
    for (uint32_t i = 0; i < o->n; i++) {
        commit_line(&o->lines[i], mem_host(mem, o->lines[i].number * OVERLAY_LINE));
        if (o->n * 8 < o->table_size) { /* few lines: clear only their slots */
            uint32_t at = hash_line(o->lines[i].number);
            while (o->table[at & (o->table_size - 1)])
                o->table[at++ & (o->table_size - 1)] = 0;
        }
    }
    if (o->n * 8 >= o->table_size)
        memset(o->table, 0, o->table_size * sizeof *o->table);
    o->n = 0;
    o->epoch++;
}
