/* Folders for files that are needed for a while. */
#ifndef HEDDLE_BASE_FOLDER_H
#define HEDDLE_BASE_FOLDER_H

#include "base/arena.h"
#include "base/strbuf.h"

/* A new folder in TMPDIR or /tmp whose name says what it is for; its path, in the arena. NULL if
 * there can be none: adds why. */
char *folder_make(struct arena *arena, const char *what, struct strbuf *error);
/* With the files in it, whoever has left them there. Nothing happens if it is NULL or gone. */
void folder_remove(const char *path);

#endif
