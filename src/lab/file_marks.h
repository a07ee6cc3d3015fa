/* Notices that a file is another one, or has been written to, since it was looked at. */
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

/* Remembers the file as it is now, unless it is in the list. To be called before the file is read:
 * what changes later is then noticed. A file that is not there is left out. */
void file_marks_add(struct file_marks *m, const char *path);

/* The first file that has changed, or NULL. The times of a file tell, not its bytes: a run may have
 * read others in between. */
const char *file_marks_changed(const struct file_marks *m);

void file_marks_destroy(struct file_marks *m);

#endif
