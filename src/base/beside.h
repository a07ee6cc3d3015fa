/* What comes with Heddle beside the program: in a build folder, or where it is installed. */
#ifndef HEDDLE_BASE_BESIDE_H
#define HEDDLE_BASE_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* The absolute path of the first of these that is there; each is relative to the folder of the
 * running program. False, and that folder in `path`, if none is. */
bool beside_find(const char *const *places, uint32_t n, struct strbuf *path);

/* The path of the running program; "" if it cannot be told. */
void beside_program(struct strbuf *path);

#endif
