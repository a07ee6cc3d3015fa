/* Plain SQL on a store, read-only, and how answers are written. */
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

/* One statement that only reads. A mistake in it is reported in `diags` at its place:
 * HEDDLE_BAD_INPUT. A failure of the store is in its error. */
enum heddle_status query_run(struct store *s, const char *sql, struct query_answer *answer,
                             struct diag_list *diags);
/* What there is to ask for: tables and views with their columns. */
enum heddle_status query_tables(struct store *s, struct query_answer *answer,
                                struct diag_list *diags);
void query_answer_destroy(struct query_answer *a);

/* RFC 4180 but for the ends of lines, which are those of every text here, LF; a line of names
 * first; real numbers so that they read back exactly. */
void query_csv(const struct query_answer *a, struct strbuf *out);
/* A list of objects. */
void query_json(const struct query_answer *a, struct strbuf *out);

/* Appends one field of CSV, quoted where it needs to be. */
void csv_field(struct strbuf *out, const char *text);

#endif
