/* Temporary folders. */
#ifndef HEDDLE_BASE_FOLDER_H
#define HEDDLE_BASE_FOLDER_H

#include "base/arena.h"
#include "base/strbuf.h"

/* Creates a folder in TMPDIR or /tmp whose name contains `what`. Returns its path, in the arena, or
 * NULL, with the reason added to the buffer. */
char *folder_make(struct arena *arena, const char *what, struct strbuf *error);
/* Removes the folder and the files in it. Does nothing if it is NULL or does not exist. */
void folder_remove(const char *path);

#endif
