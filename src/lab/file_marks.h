/* Detects files that were replaced or written to since they were added to a list. */
#ifndef HEDDLE_LAB_FILE_MARKS_H
#define HEDDLE_LAB_FILE_MARKS_H

#include <stdint.h>
#include <sys/stat.h>

/* A zeroed struct is empty and valid. */
struct file_marks {
    struct file_mark {
        char *path;
        struct stat was;
    } * items;
    uint32_t n, cap;
};

/* Adds a file, unless it is in the list or does not exist. Call this before the file is read, so
 * that every later change is detected. */
void file_marks_add(struct file_marks *m, const char *path);

/* The first file that has changed, or NULL. It compares times, not contents: a run may have read
 * other contents in between. */
const char *file_marks_changed(const struct file_marks *m);

void file_marks_destroy(struct file_marks *m);

#endif
