/* The files of a command. What is written appears in place of what was there, so that a file which
 * is both read and written would be lost, and so would one of two results in one file: both are
 * refused before anything is done, and so are a folder and a file of a folder that is not there. */
#ifndef HEDDLE_CLI_FILE_USES_H
#define HEDDLE_CLI_FILE_USES_H

#include "base/arena.h"
#include "heddle/heddle.h"

/* A zeroed struct is empty and valid. The words live longer than it. */
struct file_uses {
    struct file_use {
        const char *path;
        const char *option; /* that has it written; NULL = it is read */
    } * items;
    uint32_t n, cap;
    struct arena arena;
};

/* NULL stands for no file. */
void file_uses_read(struct file_uses *u, const char *path);
/* A GPU: its file, if it is one, and those of its bases. */
void file_uses_read_gpu(struct file_uses *u, const char *name);
void file_uses_write(struct file_uses *u, const char *option, const char *path);

/* Complains of the first that cannot be, and empties the list. */
enum heddle_status file_uses_check(struct file_uses *u);

#endif
