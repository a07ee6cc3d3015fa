/* The table of several workloads. Rows appear one by one as runs end, so the column widths are
 * given in advance. */
#ifndef HEDDLE_CLI_RUN_ROWS_H
#define HEDDLE_CLI_RUN_ROWS_H

#include "base/strbuf.h"
#include "workloads/run.h"

struct run_rows {
    int name_width, size_width; /* of the widest among them; 0 = of their titles */
    bool is_timed;              /* shows cycles */
};

/* Makes room for a workload of that name and size. */
void run_rows_fit(struct run_rows *rows, const char *name, const char *size);
void run_rows_titles(const struct run_rows *rows, struct strbuf *out);
/* `sim` is NULL for a run on another device. */
void run_rows_add(const struct run_rows *rows, const char *name, const char *size,
                  const struct heddle_sim *sim, const struct workload_result *r,
                  struct strbuf *out);

#endif
