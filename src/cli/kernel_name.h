#ifndef HEDDLE_CLI_KERNEL_NAME_H
#define HEDDLE_CLI_KERNEL_NAME_H

#include "base/arena.h"

/* The name that a kernel has in its source. C++ writes parameter types and namespaces around it:
 * `_Z5scalePff` is `scale`, `_ZN2la5scaleIfEEvPT_` too. Returns `name` itself if it is not such a
 * name. */
const char *kernel_name_in_source(struct arena *arena, const char *name);

#endif
