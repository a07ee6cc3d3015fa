#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *folder_make(struct arena *arena, const char *what, struct strbuf *error)
{
    const char *where = getenv("TMPDIR");
    where = where && *where ? where : "/tmp";
    char *path = arena_printf(arena, "%s/heddle-%s-XXXXXX", where, what);
    if (mkdtemp(path))
        return path;
    strbuf_addf(error, "cannot create a folder in %s: %s\n", where, strerror(errno));
    return NULL;
}

void folder_remove(const char *path)
{
    DIR *folder = path ? opendir(path) : NULL;
    if (!folder)
        return;
    for (struct dirent *d; (d = readdir(folder));)
        unlinkat(dirfd(folder), d->d_name, 0); /* fails for . and .. */
    closedir(folder);
    rmdir(path);
}
