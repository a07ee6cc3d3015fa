#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

/* The memory handed out follows this header. */
struct arena_block {
    _Alignas(ALIGNMENT) struct arena_block *older;
};

void out_of_memory(size_t bytes)
{
    fprintf(stderr, "heddle: out of memory (asked for %zu bytes)\n", bytes);
    exit(4);
}

void *xrealloc(void *p, size_t bytes)
{
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        out_of_memory(bytes);
    return q;
}

void *xalloc(size_t n, size_t bytes)
{
    if (bytes && n > SIZE_MAX / bytes)
        out_of_memory(SIZE_MAX);
    return xrealloc(NULL, n * bytes);
}

void *xcalloc(size_t n, size_t bytes)
{
    void *q = calloc(n ? n : 1, bytes ? bytes : 1);
    if (!q)
        out_of_memory(n * bytes);
    return q;
}

void *xcalloc_lines(size_t bytes)
{
    enum { LINE_BYTES = 64 };
    void *lines = aligned_alloc(LINE_BYTES, bytes ? bytes : LINE_BYTES);
    if (!lines)
        out_of_memory(bytes);
    return memset(lines, 0, bytes);
}

static void *arena_own(struct arena *a, struct arena_block *b)
{
    b->older = a->blocks;
    a->blocks = b;
    return b + 1;
}

/* A large request gets its own block, which the system has usually zeroed already. */
static void *alloc_apart(struct arena *a, size_t bytes)
{
    return arena_own(a, xcalloc(1, sizeof(struct arena_block) + bytes));
}

static void add_block(struct arena *a)
{
    a->next = arena_own(a, xrealloc(NULL, sizeof(struct arena_block) + BLOCK_BYTES));
    a->end = a->next + BLOCK_BYTES;
}

void arena_destroy(struct arena *a)
{
    if (!a)
        return;
    for (struct arena_block *b = a->blocks, *older; b; b = older) {
        older = b->older;
        free(b);
    }
    memset(a, 0, sizeof *a);
}

/* Memory is zeroed when it is handed out: an arena may use little of its last block, and the rest
 * stays untouched. */
void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > BLOCK_BYTES)
        return alloc_apart(a, bytes);
    if (!a->next || (size_t)(a->end - a->next) < bytes)
        add_block(a);
    void *p = a->next;
    a->next += bytes;
    return memset(p, 0, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *p = arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return p;
}
