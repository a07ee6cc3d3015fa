#ifndef HEDDLE_CLI_KERNEL_NAME_H
#define HEDDLE_CLI_KERNEL_NAME_H

#include "base/arena.h"

/* The name of a kernel in its source. C++ adds parameter types and namespaces: `_Z5scalePff` is
 * `scale`, and so is `_ZN2la5scaleIfEEvPT_`. Returns `name` itself if it is not such a name. */
const char *kernel_name_in_source(struct arena *arena, const char *name);

#endif
