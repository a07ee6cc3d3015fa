/* Writes the page of a store, for several commands. */
#ifndef HEDDLE_CLI_CMD_REPORT_H
#define HEDDLE_CLI_CMD_REPORT_H

#include "cli/options.h"
#include "lab/store.h"

/* Includes figures of these files. `path` may be "-". Reports a failure. */
enum heddle_status report_write(struct store *s, const char *store_name,
                                const struct text_list *figures, const char *path);

#endif
