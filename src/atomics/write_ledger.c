#include "atomics/write_ledger.h"

#include <stdlib.h>

#include "base/arena.h"

enum { FIRST_PLACES = 8 };

static uint32_t hash_line(uint64_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15ull) >> 32);
}

/* The line's slot, or the free one for it. */
static struct ledger_line *find_place(const struct ledger *l, uint64_t line)
{
    for (uint32_t at = hash_line(line);; at++) {
        struct ledger_line *p = &l->lines[at & (l->places - 1)];
        if (!p->used || p->line == line)
            return p;
    }
}

struct ledger_line *ledger_find(const struct ledger *l, uint64_t line)
{
    struct ledger_line *p = l->places ? find_place(l, line) : NULL;
    return p && p->used ? p : NULL;
}

static void grow(struct ledger *l)
{
    struct ledger old = *l;
    l->places = old.places ? 2 * old.places : FIRST_PLACES;
    l->lines = xcalloc(l->places, sizeof *l->lines);
    for (uint32_t i = 0; i < old.places; i++)
        if (old.lines[i].used)
            *find_place(l, old.lines[i].line) = old.lines[i];
    free(old.lines);
}

struct ledger_line *ledger_get(struct ledger *l, uint64_t line)
{
    struct ledger_line *p = ledger_find(l, line);
    if (p)
        return p;
    if (2 * (l->n + 1) > l->places)
        grow(l);
    l->n++;
    p = find_place(l, line);
    *p = (struct ledger_line){.line = line, .stored_by = LEDGER_NOBODY, .used = true};
    return p;
}

void ledger_destroy(struct ledger *l)
{
    free(l->lines);
    *l = (struct ledger){0};
}

void ledger_store(struct ledger_line *l, uint32_t sm, sim_time t)
{
    if (l->stored_by != sm) {
        l->others_at = l->stored_at;
        l->stored_by = sm;
    }
    l->stored_at = t;
}

struct write_ledger *write_ledger_create(uint32_t n_mutexes, uint32_t line_bytes)
{
    struct write_ledger *w = xcalloc(1, sizeof *w);
    *w = (struct write_ledger){
        .of = xcalloc(n_mutexes, sizeof *w->of), .n_mutexes = n_mutexes, .line_bytes = line_bytes};
    return w;
}

void write_ledger_destroy(struct write_ledger *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->n_mutexes; i++)
        ledger_destroy(&w->of[i]);
    free(w->of);
    free(w);
}
