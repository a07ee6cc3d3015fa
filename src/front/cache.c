#include "front/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

#define ENTRY_MAGIC "heddle-front 2 "

static bool make_folders(const char *path)
{
    char partial[PATH_MAX];
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof partial)
        return false;
    memcpy(partial, path, len + 1);
    for (char *p = partial + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return false;
        *p = '/';
    }
    return mkdir(partial, 0777) == 0 || errno == EEXIST;
}

const char *disk_cache_folder(struct arena *arena)
{
    const char *own = getenv("HEDDLE_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME"), *folder = NULL;
    if (own && *own)
        folder = arena_strdup(arena, own);
    else if (xdg && *xdg)
        folder = arena_printf(arena, "%s/heddle", xdg);
    else if (home && *home)
        folder = arena_printf(arena, "%s/.cache/heddle", home);
    if (!folder || !make_folders(folder) || access(folder, W_OK | X_OK) != 0)
        return NULL;
    return folder;
}

static bool write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text += n;
        len -= (size_t)n;
    }
    return true;
}

bool disk_cache_write_file(const char *path, const char *text, size_t len)
{
    struct strbuf temporary = {0};
    strbuf_addf(&temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary.text, O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, text, len);
    if (fd >= 0 && close(fd) != 0)
        ok = false;
    if (ok)
        ok = rename(temporary.text, path) == 0;
    int error = errno;
    if (fd >= 0 && !ok)
        unlink(temporary.text);
    strbuf_destroy(&temporary);
    errno = error;
    return ok;
}

static bool hash_file(const char *path, char text[HASH_TEXT_BYTES])
{
    struct strbuf contents = {0};
    bool ok = strbuf_read_file(&contents, path) == 0;
    if (ok)
        hash_of(strbuf_text(&contents), contents.len, text);
    strbuf_destroy(&contents);
    return ok;
}

static void entry_path(struct strbuf *path, const char *folder, const char *key)
{
    strbuf_addf(path, "%s/%s.ptx", folder, key);
}

/* A position in an entry; every step fails rather than read past the end. */
struct cursor {
    const char *p, *end;
};

/* Takes one line, without its end; false if there is none. */
static bool take_line(struct cursor *c, char *line, size_t cap)
{
    const char *newline = memchr(c->p, '\n', (size_t)(c->end - c->p));
    if (!newline || (size_t)(newline - c->p) >= cap)
        return false;
    size_t len = (size_t)(newline - c->p);
    memcpy(line, c->p, len);
    line[len] = '\0';
    c->p = newline + 1;
    return true;
}

static bool checksum_is_right(struct cursor *c)
{
    char line[sizeof ENTRY_MAGIC + HASH_TEXT_BYTES], sum[HASH_TEXT_BYTES];
    if (!take_line(c, line, sizeof line))
        return false;
    hash_of(c->p, (size_t)(c->end - c->p), sum);
    return strncmp(line, ENTRY_MAGIC, strlen(ENTRY_MAGIC)) == 0 &&
           strcmp(line + strlen(ENTRY_MAGIC), sum) == 0;
}

static bool dependency_is_current(const char *line)
{
    char sum[HASH_TEXT_BYTES];
    const char *path = line + HASH_TEXT_BYTES;
    return strlen(line) > HASH_TEXT_BYTES && hash_file(path, sum) &&
           strncmp(line, sum, HASH_TEXT_BYTES - 1) == 0;
}

static bool parse_entry(struct cursor c, struct strbuf *ptx, struct strbuf *messages)
{
    char line[PATH_MAX + HASH_TEXT_BYTES + 8];
    size_t n_messages = 0, n_ptx = 0;
    if (!checksum_is_right(&c))
        return false;
    while (take_line(&c, line, sizeof line) && line[0]) {
        if (strncmp(line, "dep ", 4) == 0 && !dependency_is_current(line + 4))
            return false;
        if (strncmp(line, "messages ", 9) == 0)
            n_messages = strtoul(line + 9, NULL, 10);
        if (strncmp(line, "ptx ", 4) == 0)
            n_ptx = strtoul(line + 4, NULL, 10);
    }
    size_t left = (size_t)(c.end - c.p);
    if (n_messages > left || n_ptx != left - n_messages)
        return false;
    strbuf_add_n(messages, c.p, n_messages);
    strbuf_add_n(ptx, c.p + n_messages, n_ptx);
    return true;
}

bool disk_cache_load(const char *folder, const char *key, struct strbuf *ptx,
                     struct strbuf *messages)
{
    struct strbuf path = {0}, entry = {0};
    entry_path(&path, folder, key);
    bool found = strbuf_read_file(&entry, strbuf_text(&path)) == 0;
    if (found) {
        const char *text = strbuf_text(&entry);
        found = parse_entry((struct cursor){text, text + entry.len}, ptx, messages);
    }
    strbuf_destroy(&path);
    strbuf_destroy(&entry);
    return found;
}

bool disk_cache_store(const char *folder, const char *key, const struct arg_list *deps,
                      const struct strbuf *ptx, const struct strbuf *messages)
{
    struct strbuf body = {0}, entry = {0}, path = {0};
    char sum[HASH_TEXT_BYTES];
    bool complete = true, ok = true;
    for (size_t i = 0; complete && i < deps->n; i++) {
        complete = hash_file(deps->items[i], sum) && !strchr(deps->items[i], '\n');
        strbuf_addf(&body, "dep %s %s\n", sum, deps->items[i]);
    }
    if (complete) {
        strbuf_addf(&body, "messages %zu\nptx %zu\n\n", messages->len, ptx->len);
        strbuf_add_n(&body, strbuf_text(messages), messages->len);
        strbuf_add_n(&body, strbuf_text(ptx), ptx->len);
        hash_of(body.text, body.len, sum);
        strbuf_addf(&entry, ENTRY_MAGIC "%s\n", sum);
        strbuf_add_n(&entry, body.text, body.len);
        entry_path(&path, folder, key);
        ok = disk_cache_write_file(strbuf_text(&path), entry.text, entry.len);
    }
    int error = errno;
    strbuf_destroy(&body);
    strbuf_destroy(&entry);
    strbuf_destroy(&path);
    errno = error;
    return ok;
}

void disk_cache_warn(const char *folder, int error, struct strbuf *messages)
{
    if (folder)
        strbuf_addf(messages,
                    "heddle: warning: cannot write to the cache of compiled kernels, %s: %s; they "
                    "are compiled in every run\n",
                    folder, strerror(error));
    else
        strbuf_add(messages,
                   "heddle: warning: no folder for the cache of compiled kernels is writable, so "
                   "they are compiled in every run; name one with HEDDLE_CACHE\n");
}
