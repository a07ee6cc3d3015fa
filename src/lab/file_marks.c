#include "lab/file_marks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void file_marks_add(struct file_marks *m, const char *path)
{
    struct stat now;
    for (uint32_t i = 0; i < m->n; i++)
        if (strcmp(m->items[i].path, path) == 0)
            return;
    if (stat(path, &now) != 0 || !S_ISREG(now.st_mode))
        return;
    ARRAY_RESERVE(m->items, m->cap, m->n + 1);
    m->items[m->n++] = (struct file_mark){.path = strdup(path), .was = now};
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

const char *file_marks_changed(const struct file_marks *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct stat *was = &m->items[i].was;
        struct stat now;
        if (stat(m->items[i].path, &now) != 0 || now.st_dev != was->st_dev ||
            now.st_ino != was->st_ino || now.st_size != was->st_size ||
            !is_same_time(&now.st_mtim, &was->st_mtim))
            return m->items[i].path;
    }
    return NULL;
}

void file_marks_destroy(struct file_marks *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        free(m->items[i].path);
    free(m->items);
    *m = (struct file_marks){0};
}
