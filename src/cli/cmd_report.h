/* Writing the page of a store, for the commands that do. */
#ifndef HEDDLE_CLI_CMD_REPORT_H
#define HEDDLE_CLI_CMD_REPORT_H

#include "cli/options.h"
#include "lab/store.h"

/* With figures of these files too. `path` may be "-". Reports a failure. */
enum heddle_status report_write(struct store *s, const char *store_name,
                                const struct text_list *figures, const char *path);

#endif
