/* A bump allocator. Memory lives until the arena is destroyed; there is no free.
 * Every module that builds a long-lived structure (a parsed program, a configuration) owns one. */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *next, *end;           /* free part of the newest shared block */
};

/* A zeroed struct arena is a valid empty arena. */
void arena_destroy(struct arena *a);

/* Zeroed memory, aligned for any type. Running out of memory ends the process with a message:
 * no caller could do better. */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), (size_t)(n) * sizeof(type)))

/* malloc family for growing arrays. They end the process with a message when memory runs out. */
/* Prints a message and ends the process. */
_Noreturn void out_of_memory(size_t bytes);
void *xrealloc(void *p, size_t bytes);
void *xalloc(size_t n, size_t bytes); /* not zeroed: for queues, whose entries are written before
                                       * they are read */
void *xcalloc(size_t n, size_t bytes);
/* Zeroed and aligned to a cache line. `bytes` is a multiple of the line size. */
void *xcalloc_lines(size_t bytes);

/* Makes room for at least `need` elements in a growing array (doubles). */
#define ARRAY_RESERVE(ptr, cap, need)                                                              \
    do {                                                                                           \
        if ((need) > (cap)) {                                                                      \
            size_t new_cap_ = (cap) ? (size_t)(cap)*2 : 16;                                        \
            while (new_cap_ < (size_t)(need))                                                      \
                new_cap_ *= 2;                                                                     \
            (ptr) = xrealloc((ptr), new_cap_ * sizeof *(ptr));                                     \
            (cap) = (__typeof__(cap))new_cap_;                                                     \
        }                                                                                          \
    } while (0)

#endif
