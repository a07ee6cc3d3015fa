/* Read-only SQL on a store, and the output formats of answers. */
#ifndef HEDDLE_LAB_QUERY_H
#define HEDDLE_LAB_QUERY_H

#include "base/diag.h"
#include "lab/store.h"

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT };

struct query_cell {
    enum cell_kind kind;
    int64_t integer;
    double real;
    char *text;
};

/* The whole answer: rows of `n_columns` cells each. A zeroed struct is empty and valid. */
struct query_answer {
    char **columns;
    uint32_t n_columns;
    struct query_cell *cells;
    uint32_t n_cells, cap_cells;
};

/* Runs one statement that only reads. A mistake in it is reported in `diags` with its position:
 * HEDDLE_BAD_INPUT. If the store fails, its error says why. */
enum heddle_status query_run(struct store *s, const char *sql, struct query_answer *answer,
                             struct diag_list *diags);
/* The tables and views with their columns. */
enum heddle_status query_tables(struct store *s, struct query_answer *answer,
                                struct diag_list *diags);
void query_answer_destroy(struct query_answer *a);

/* RFC 4180, except that lines end with LF; column names first; real numbers so that they read back
 * exactly. */
void query_csv(const struct query_answer *a, struct strbuf *out);
/* A list of objects. */
void query_json(const struct query_answer *a, struct strbuf *out);

/* Appends one CSV field, quoted if necessary. */
void csv_field(struct strbuf *out, const char *text);

#endif
