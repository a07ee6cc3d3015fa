/* Compiled programs on disk, one file per entry:
 *
 *     heddle-front 2 SHA256-OF-ALL-THAT-FOLLOWS
 *     dep SHA256 PATH          one for every included file
 *     messages BYTES           the compiler's warnings
 *     ptx BYTES
 *     (empty line, then the messages and the PTX)
 *
 * An entry is written under another name and renamed, so a reader sees all of it or nothing; a
 * damaged one fails its checksum and counts as absent. An entry is used only while every file it
 * depends on has its recorded contents. Not detected: a new file that would now be found earlier on
 * the include path than the recorded one.
 *
 * Nothing here fails a compilation: if the cache cannot be written, Heddle warns and is slower. */
#ifndef HEDDLE_FRONT_CACHE_H
#define HEDDLE_FRONT_CACHE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "front/process.h"

/* The cache's folder, created if necessary; NULL if no folder is writable. */
const char *disk_cache_folder(struct arena *arena);

/* False if there is no valid, current entry; then the buffers are unchanged. */
bool disk_cache_load(const char *folder, const char *key, struct strbuf *ptx,
                     struct strbuf *messages);

/* `deps` are the paths of the files that the result depends on. False, with errno set, if the write
 * failed. */
bool disk_cache_store(const char *folder, const char *key, const struct arg_list *deps,
                      const struct strbuf *ptx, const struct strbuf *messages);

/* The warning for a failed write; `folder` is NULL if there is none. */
void disk_cache_warn(const char *folder, int error, struct strbuf *messages);

/* Writes a file under a temporary name in the same folder and renames it. */
bool disk_cache_write_file(const char *path, const char *text, size_t len);

#endif
