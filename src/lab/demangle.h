/* Demangles C++ symbols in output for people; documents for programs keep the symbols. */
#ifndef HEDDLE_LAB_DEMANGLE_H
#define HEDDLE_LAB_DEMANGLE_H

#include "base/arena.h"
#include "base/strbuf.h"

/* A kernel's name without result type and parameters, "geo::scale<float>"; the symbol itself if it
 * is not a C++ symbol. */
const char *demangle_kernel(struct arena *arena, const char *symbol);

/* Adds the text with C++ symbols replaced by full names, including parameters. */
void demangle_text(const char *text, struct strbuf *out);

#endif
