/* Which of the built-in libraries an OpenCL program needs. clang reads the declarations of all
 * 12,000 functions of the full ones before it links those few that a program calls. */
#ifndef HEDDLE_FRONT_LIBRARIES_H
#define HEDDLE_FRONT_LIBRARIES_H

#include <stdbool.h>

#include "front/process.h"

/* Does a program seem to call no other built-in functions than those of core.cl? Only the text of
 * the source and of clang's options are considered; `header_words` are those of the OpenCL headers
 * (precompiled.h). A macro may still call others: libraries_are_missing() tells. */
bool libraries_core_suffices(const char *source, const struct arg_list *options,
                             const char *header_words);

/* Does the PTX call functions that were not linked? */
bool libraries_are_missing(const char *ptx_path);

#endif
