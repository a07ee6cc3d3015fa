/* A folder for the temporary files of one compilation. */
#ifndef HEDDLE_FRONT_SCRATCH_H
#define HEDDLE_FRONT_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"

/* NULL, with a message, if it cannot be made. */
const char *scratch_make(struct arena *arena, struct strbuf *error);
void scratch_remove(const char *folder);
/* Writes a file, with the folders on its way. False, with errno, if that cannot be done. */
bool scratch_write(const char *path, const char *text, size_t len);

#endif
