/* Which values of a PTX function are the same for all threads of a group, and which vary.
 *
 * A register or .param variable varies if a definition of it
 *   - reads a varying one, %tid, %laneid or %lanemask_*,
 *   - is an atomic,
 *   - loads from a varying address or from local memory,
 *   - has a varying guard, or
 *   - lies between a branch on a varying predicate and its reconvergence, while it is also read
 *     or defined outside that region.
 * A called function is analysed with the arguments of each call. */
#ifndef HEDDLE_PTX_UNIFORM_H
#define HEDDLE_PTX_UNIFORM_H

#include "ptx/ptx.h"

/* What is known about a value, as bits. */
enum {
    VALUE_VARIES = 1,
    VALUE_IS_LOCAL = 2, /* an address in local memory, possibly a generic one */
};

/* A function with one combination of arguments. */
struct uniform {
    const struct ptx_func *func;
    const uint8_t *params; /* what is known about each parameter */
    const uint8_t *rets;   /* ... and about each returned value */
    /* Per instruction: it reads something that varies, or has a varying guard. */
    const bool *inst_varies;
    /* Per instruction: the callee of a direct call; NULL for others, and for a function without a
     * body. */
    struct uniform **callees;
    /* How often the kernel calls it, itself and through others, if each call is executed once; 1
     * for the kernel, 0 if these arguments were found to be incomplete, UINT64_MAX for more. */
    uint64_t n_calls;
    struct uniform *next;         /* the one completed before; its callees come later */
    struct uniform *next_of_func; /* the same function with other arguments */
    bool in_progress, is_complete;
};

/* The functions of one kernel; a zeroed cache is empty. */
struct uniform_cache {
    struct arena arena;
    struct uniform *last;     /* completed: the kernel */
    struct uniform **of_func; /* by index in the module */
    uint32_t n_funcs;
};
void uniform_cache_destroy(struct uniform_cache *cache);

/* Analyses a kernel, whose parameters are the same for all threads, with an empty cache. NULL if a
 * function that it calls is recursive; `why` then says so. The result lives as long as the
 * cache. */
const struct uniform *uniform_analyse(struct uniform_cache *cache, const struct ptx_func *kernel,
                                      struct strbuf *why);

#endif
