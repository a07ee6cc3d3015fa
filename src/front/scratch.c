#include "front/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "front/cache.h"

const char *scratch_make(struct arena *arena, struct strbuf *error)
{
    const char *tmp = getenv("TMPDIR");
    char *path = arena_printf(arena, "%s/heddle-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(path))
        return path;
    strbuf_addf(error, "%s: cannot create a folder for temporary files: %s\n", path,
                strerror(errno));
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    return remove(path);
}

void scratch_remove(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

bool scratch_write(const char *path, const char *text, size_t len)
{
    char *copy = strdup(path);
    for (char *p = copy + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(copy, 0777);
        *p = '/';
    }
    free(copy);
    return disk_cache_write_file(path, text, len);
}
