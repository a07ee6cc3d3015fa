/* The dependency file that clang writes with -MD. */
#ifndef HEDDLE_FRONT_DEPENDENCIES_H
#define HEDDLE_FRONT_DEPENDENCIES_H

#include <stdbool.h>

#include "front/process.h"

/* Adds the paths of the files that clang read. False if the file cannot be read. */
bool dependencies_read(const char *path, struct arg_list *files);

#endif
