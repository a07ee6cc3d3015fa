#include "cache/lost_bytes.h"

#include <stdlib.h>

#include "base/arena.h"

#define NO_LINE UINT64_MAX /* no line has this address: it is not aligned */

/* The slot that holds the line, or the free one for it: linear probing, at most half full. */
static struct lost_line *slot_of(const struct lost_bytes *t, uint64_t line)
{
    uint32_t at = (uint32_t)((line * 0x9e3779b97f4a7c15ull) >> 32) & (t->cap - 1);
    while (t->slots[at].line != line && t->slots[at].line != NO_LINE)
        at = (at + 1) & (t->cap - 1);
    return &t->slots[at];
}

static struct lost_line *find(const struct lost_bytes *t, uint64_t line)
{
    struct lost_line *l = t->cap ? slot_of(t, line) : NULL;
    return l && l->line == line ? l : NULL;
}

static void grow(struct lost_bytes *t)
{
    struct lost_bytes bigger = {.n = t->n, .cap = t->cap ? 2 * t->cap : 64};
    bigger.slots = xcalloc(bigger.cap, sizeof *bigger.slots);
    for (uint32_t i = 0; i < bigger.cap; i++)
        bigger.slots[i].line = NO_LINE;
    for (uint32_t i = 0; i < t->cap; i++)
        if (t->slots[i].line != NO_LINE)
            *slot_of(&bigger, t->slots[i].line) = t->slots[i];
    free(t->slots);
    *t = bigger;
}

static struct lost_line *find_or_add(struct lost_bytes *t, uint64_t line, uint64_t address)
{
    struct lost_line *l = find(t, line);
    if (l)
        return l;
    if (2 * (t->n + 1) > t->cap)
        grow(t);
    t->n++;
    l = slot_of(t, line);
    *l = (struct lost_line){.line = line, .address = address};
    return l;
}

void lost_stored(struct lost_bytes *t, uint64_t line, uint64_t address, const uint64_t bytes[2],
                 bool is_kept)
{
    struct lost_line *l = find_or_add(t, line, address);
    for (int i = 0; i < 2; i++) {
        l->lost[i] &= ~bytes[i];
        l->dirty[i] |= is_kept ? bytes[i] : 0;
    }
}

void lost_written_back(struct lost_bytes *t, uint64_t line)
{
    struct lost_line *l = find(t, line);
    if (l)
        l->dirty[0] = l->dirty[1] = 0;
}

void lost_dropped(struct lost_bytes *t, uint64_t line)
{
    struct lost_line *l = find(t, line);
    for (int i = 0; l && i < 2; i++) {
        l->lost[i] |= l->dirty[i];
        l->dirty[i] = 0;
    }
}

bool lost_is_read(struct lost_bytes *t, uint64_t line, const uint64_t bytes[2])
{
    struct lost_line *l = find(t, line);
    return l && ((l->lost[0] & bytes[0]) || (l->lost[1] & bytes[1]));
}

void lost_overwritten(struct lost_bytes *t, uint64_t line, const uint64_t bytes[2])
{
    struct lost_line *l = find(t, line);
    for (int i = 0; l && i < 2; i++) {
        l->lost[i] &= ~bytes[i];
        l->dirty[i] &= ~bytes[i];
    }
}

void lost_destroy(struct lost_bytes *t)
{
    free(t->slots);
    *t = (struct lost_bytes){0};
}
