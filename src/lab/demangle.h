/* C++ symbols as people write them, for what people read; documents for programs keep symbols. */
#ifndef HEDDLE_LAB_DEMANGLE_H
#define HEDDLE_LAB_DEMANGLE_H

#include "base/arena.h"
#include "base/strbuf.h"

/* A kernel's name without the type of its result and its parameters, "geo::scale<float>"; the
 * symbol itself if it is none of C++. */
const char *demangle_kernel(struct arena *arena, const char *symbol);

/* Adds the text with the C++ symbols in it replaced by whole names, parameters included. */
void demangle_text(const char *text, struct strbuf *out);

#endif
