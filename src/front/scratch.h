/* A folder for the temporary files of one compilation. */
#ifndef HEDDLE_FRONT_SCRATCH_H
#define HEDDLE_FRONT_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"

/* NULL, with a message, if it cannot be created. */
const char *scratch_make(struct arena *arena, struct strbuf *error);
void scratch_remove(const char *folder);
/* Writes a file and creates its parent folders. False, with errno set, on failure. */
bool scratch_write(const char *path, const char *text, size_t len);

#endif
