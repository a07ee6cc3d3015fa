#include "cli/file_uses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/output.h"
#include "config/gpu_files.h"

static void add(struct file_uses *u, struct file_use use)
{
    if (!use.path)
        return;
    ARRAY_RESERVE(u->items, u->cap, u->n + 1);
    u->items[u->n++] = use;
}

void file_uses_read(struct file_uses *u, const char *path)
{
    add(u, (struct file_use){.path = path});
}

static void read_gpu_file(void *user, const char *path)
{
    struct file_uses *u = user;
    file_uses_read(u, arena_strdup(&u->arena, path));
}

void file_uses_read_gpu(struct file_uses *u, const char *name)
{
    if (name)
        gpu_files_list(name, read_gpu_file, u);
}

void file_uses_write(struct file_uses *u, const char *option, const char *path)
{
    add(u, (struct file_use){.path = path, .option = option});
}

/* Both exist, possibly under different names. Devices and pipes are not replaced by what is written
 * to them. */
static bool are_one_file(const char *path, const char *other)
{
    struct stat x, y;
    return stat(path, &x) == 0 && stat(other, &y) == 0 && S_ISREG(x.st_mode) &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Neither exists yet: the same name, in the same folder. */
static bool will_be_one_file(const char *path, const char *other)
{
    struct arena arena = {0};
    struct stat x, y;
    const char *slash = strrchr(path, '/'), *other_slash = strrchr(other, '/');
    const char *name = slash ? slash + 1 : path,
               *other_name = other_slash ? other_slash + 1 : other;
    const char *in = arena_printf(&arena, "%.*s.", (int)(name - path), path);
    const char *other_in = arena_printf(&arena, "%.*s.", (int)(other_name - other), other);
    bool will = strcmp(name, other_name) == 0 && stat(path, &x) != 0 && stat(in, &x) == 0 &&
                stat(other_in, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    arena_destroy(&arena);
    return will;
}

/* What prevents writing there, as an errno value; 0 = nothing that can be seen now. */
static int error_of_writing(const char *path)
{
    struct stat info;
    struct arena arena = {0};
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_printf(&arena, "%.*s/.", (int)(slash - path), path) : ".";
    int error = 0;
    if (stat(folder, &info) != 0)
        error = errno;
    else if (stat(path, &info) == 0)
        error = S_ISDIR(info.st_mode) ? EISDIR : 0;
    else if (access(folder, W_OK) != 0)
        error = errno;
    arena_destroy(&arena);
    return error;
}

static enum heddle_status check(const struct file_uses *u, const struct file_use *written)
{
    if (!*written->path) {
        output_error("%s: '' is not a file", written->option);
        return HEDDLE_BAD_INPUT;
    }
    int error = error_of_writing(written->path);
    if (error) {
        output_error("cannot write %s: %s", written->path, strerror(error));
        return error == EISDIR ? HEDDLE_BAD_INPUT : HEDDLE_ENVIRONMENT;
    }
    for (const struct file_use *x = u->items; x < u->items + u->n; x++) {
        if (x == written || !(are_one_file(written->path, x->path) ||
                              (x->option && will_be_one_file(written->path, x->path))))
            continue;
        if (x->option)
            output_error("%s %s: %s also writes to that file", written->option, written->path,
                         x->option);
        else
            output_error("%s %s: that file is an input (%s) and would be overwritten",
                         written->option, written->path, x->path);
        return HEDDLE_BAD_INPUT;
    }
    return HEDDLE_OK;
}

enum heddle_status file_uses_check(struct file_uses *u)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < u->n && status == HEDDLE_OK; i++)
        if (u->items[i].option)
            status = check(u, &u->items[i]);
    free(u->items);
    arena_destroy(&u->arena);
    *u = (struct file_uses){0};
    return status;
}
