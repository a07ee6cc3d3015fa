/* Compiled programs on disk, one file an entry:
 *
 *     heddle-front 1 SHA256-OF-ALL-THAT-FOLLOWS
 *     dep SHA256 PATH          one for every file that was included
 *     messages BYTES           the compiler's warnings
 *     ptx BYTES
 *     (empty line, then the messages and the PTX)
 *
 * An entry is written under another name and renamed, so a reader sees all of it or nothing; one
 * that is damaged all the same fails its checksum and counts as absent. An entry is only used
 * while every file it depends on has the contents it had then. Not noticed: a new file that would
 * now be found earlier on the include path than the one recorded.
 *
 * Nothing here fails a compilation: a cache that cannot be written is a slower one, and a warning.
 */
#ifndef HEDDLE_FRONT_CACHE_H
#define HEDDLE_FRONT_CACHE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "front/process.h"

/* The cache's folder, made if need be; NULL when there is none that can be written to. */
const char *disk_cache_folder(struct arena *arena);

/* False when there is no valid, current entry; then the buffers are unchanged. */
bool disk_cache_load(const char *folder, const char *key, struct strbuf *ptx,
                     struct strbuf *messages);

/* `deps` are the paths of the files that the result depends on. False, with the reason in errno,
 * if it could not be written. */
bool disk_cache_store(const char *folder, const char *key, const struct arg_list *deps,
                      const struct strbuf *ptx, const struct strbuf *messages);

/* The warning that goes with it; `folder` is NULL if there is none. */
void disk_cache_warn(const char *folder, int error, struct strbuf *messages);

/* Writes a file under a temporary name in the same folder and renames it. */
bool disk_cache_write_file(const char *path, const char *text, size_t len);

#endif
