/* Shared by the files of the report. */
#ifndef HEDDLE_REPORT_REPORT_INTERNAL_H
#define HEDDLE_REPORT_REPORT_INTERNAL_H

#include "lab/query.h"
#include "report/report.h"

/* Runs an internal query. */
enum heddle_status report_query(struct store *s, const char *sql, struct query_answer *answer);

/* Adds `"key": {"columns": [...], "rows": [[...], ...]}`, without blanks. */
enum heddle_status report_add_table(struct store *s, const char *key, const char *sql,
                                    struct strbuf *out);
void report_add_cell(const struct query_cell *c, struct strbuf *out);

/* Adds `"figures": [...]`: those for which the store has at least a quarter of the points. */
enum heddle_status report_add_figures(struct store *s, const struct report_options *options,
                                      struct strbuf *out);

/* Adds `"help": {"l1d.hits": "...", ...}`, `"mechanisms": {"scheduler.vta_hits": "ccws", ...}`,
 * `"papers": {...}` and `"shipped": {...}`, the parameters of the shipped GPUs. */
void report_add_reference(struct strbuf *out);

#endif
