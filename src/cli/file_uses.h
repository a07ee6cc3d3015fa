/* The files of a command. An output file replaces an existing one. So a file that is both read and
 * written would be lost, and so would one of two outputs with the same name. Both are refused
 * before anything is done, as are a folder as a file and a file in a folder that does not exist. */
#ifndef HEDDLE_CLI_FILE_USES_H
#define HEDDLE_CLI_FILE_USES_H

#include "base/arena.h"
#include "heddle/heddle.h"

/* A zeroed struct is empty and valid. The words must outlive it. */
struct file_uses {
    struct file_use {
        const char *path;
        const char *option; /* the option that writes it; NULL = it is read */
    } * items;
    uint32_t n, cap;
    struct arena arena;
};

/* NULL means no file. */
void file_uses_read(struct file_uses *u, const char *path);
/* A GPU: its file, if it is one, and the files of its bases. */
void file_uses_read_gpu(struct file_uses *u, const char *name);
void file_uses_write(struct file_uses *u, const char *option, const char *path);

/* Reports the first conflict and empties the list. */
enum heddle_status file_uses_check(struct file_uses *u);

#endif
