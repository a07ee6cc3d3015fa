#include "front/toolchain.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBCLC_FILE "nvptx64--nvidiacl.bc"

enum { CLANG_OLDEST = 14, CLANG_NEWEST = 19 };

static bool is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_program(const char *path)
{
    return is_regular(path) && access(path, X_OK) == 0;
}

/* As execvp() would find `name`; NULL if it would not. */
static const char *find_program(const char *name, struct arena *arena)
{
    if (strchr(name, '/'))
        return is_program(name) ? arena_strdup(arena, name) : NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; *p;) {
        size_t len = strcspn(p, ":");
        const char *candidate = arena_printf(arena, "%.*s%s%s", (int)len, p, len ? "/" : "", name);
        if (is_program(candidate))
            return candidate;
        p += len + (p[len] == ':');
    }
    return NULL;
}

/* Debian's unversioned `clang` first, then clang-14 .. clang-19: 14 is the best tested. */
static const char *find_clang(struct arena *arena)
{
    const char *clang = find_program("clang", arena);
    for (int version = CLANG_OLDEST; !clang && version <= CLANG_NEWEST; version++)
        clang = find_program(arena_printf(arena, "clang-%d", version), arena);
    return clang;
}

static const char *find_libclc(struct arena *arena)
{
    static const char *const patterns[] = {
        "/usr/lib/clc/" LIBCLC_FILE,
        "/usr/share/clc/" LIBCLC_FILE,
        "/usr/local/share/clc/" LIBCLC_FILE,
        "/usr/lib/llvm-*/share/clc/" LIBCLC_FILE,
        "/usr/lib/llvm-*/lib/clang/*/lib/clc/" LIBCLC_FILE,
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found = {0};
        const char *path = NULL;
        if (glob(patterns[i], 0, NULL, &found) == 0 && found.gl_pathc > 0)
            path = arena_strdup(arena, found.gl_pathv[0]);
        globfree(&found);
        if (path)
            return path;
    }
    return NULL;
}

/* HEDDLE_LIBCLC names the file or the folder it is in. */
static const char *libclc_from_environment(const char *given, struct arena *arena)
{
    if (is_regular(given))
        return arena_strdup(arena, given);
    const char *inside = arena_printf(arena, "%s/" LIBCLC_FILE, given);
    return is_regular(inside) ? inside : NULL;
}

enum heddle_status toolchain_find(struct toolchain *tools, struct arena *arena,
                                  struct strbuf *error)
{
    const char *clang = getenv("HEDDLE_CLANG");
    if (clang && *clang) {
        tools->clang = find_program(clang, arena);
        if (!tools->clang)
            strbuf_addf(error, "HEDDLE_CLANG is '%s', which is not a program\n", clang);
    } else {
        tools->clang = find_clang(arena);
        if (!tools->clang)
            strbuf_add(error, "clang was not found, and it is what compiles OpenCL C and CUDA C: "
                              "run `make setup`, or install the Debian package clang\n");
    }
    const char *libclc = getenv("HEDDLE_LIBCLC");
    if (libclc && *libclc) {
        tools->libclc = libclc_from_environment(libclc, arena);
        if (!tools->libclc)
            strbuf_addf(error, "HEDDLE_LIBCLC is '%s', where there is no " LIBCLC_FILE "\n",
                        libclc);
    } else {
        tools->libclc = find_libclc(arena);
        if (!tools->libclc)
            strbuf_add(error, "libclc's " LIBCLC_FILE " was not found, and it has the OpenCL "
                              "built-in functions: run `make setup`, or install the Debian "
                              "package libclc-14 (of clang's version)\n");
    }
    return tools->clang && tools->libclc ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

static void hash_file_identity(const char *path, struct hash *key)
{
    char resolved[PATH_MAX];
    if (!realpath(path, resolved))
        return;
    struct stat st;
    if (stat(resolved, &st) != 0)
        return;
    hash_add_field(key, resolved);
    const int64_t identity[] = {(int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec,
                                (int64_t)st.st_mtim.tv_nsec};
    hash_add(key, identity, sizeof identity);
}

void toolchain_hash(const struct toolchain *tools, struct hash *key)
{
    hash_file_identity(tools->clang, key);
    hash_file_identity(tools->libclc, key);
}
