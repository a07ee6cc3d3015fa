/* Decides who is at fault when a file cannot be read: the one rule behind exit statuses 2 and 4. */
#ifndef HEDDLE_BASE_FILE_STATUS_H
#define HEDDLE_BASE_FILE_STATUS_H

#include <errno.h>

#include "heddle/heddle.h"

/* A name that does not exist, or that is a folder, is the user's mistake. A file that exists and
 * cannot be read is the environment's. `error` is an errno value, not 0. */
static inline enum heddle_status file_read_status(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR ? HEDDLE_BAD_INPUT
                                                                  : HEDDLE_ENVIRONMENT;
}

#endif
