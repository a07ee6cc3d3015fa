/* Finds the compiler and the OpenCL library on this machine. */
#ifndef HEDDLE_FRONT_TOOLCHAIN_H
#define HEDDLE_FRONT_TOOLCHAIN_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "heddle/heddle.h"

struct toolchain {
    const char *clang;  /* path of the binary */
    const char *libclc; /* path of nvptx64--nvidiacl.bc */
};

/* Strings go to the arena. On failure `error` says what to install. */
enum heddle_status toolchain_find(struct toolchain *tools, struct arena *arena,
                                  struct strbuf *error);

/* Adds to a cache key what identifies these two: their resolved paths, sizes and modification
 * times. An upgrade changes those, and this does not start the compiler. */
void toolchain_hash(const struct toolchain *tools, struct hash *key);

#endif
