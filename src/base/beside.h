/* Finds files that come with Heddle relative to the program, in a build folder or an
 * installation. */
#ifndef HEDDLE_BASE_BESIDE_H
#define HEDDLE_BASE_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The absolute path of the first of these that exists; each is relative to the folder of the
 * running program. If none exists: false, and `path` is that folder. */
bool beside_find(const char *const *places, uint32_t n, struct strbuf *path);

/* The path of the running program; "" if it is unknown. */
void beside_program(struct strbuf *path);

#endif
