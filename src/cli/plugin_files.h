/* --plugin FILE: schedulers and cache policies from shared objects. */
#ifndef HEDDLE_CLI_PLUGIN_FILES_H
#define HEDDLE_CLI_PLUGIN_FILES_H

#include "cli/options.h"
#include "heddle/heddle.h"

/* Loads them in order; reports the first one that cannot be used. */
enum heddle_status plugin_files_load(const struct text_list *files);

#endif
