/* Tables of a store for other programs: CSV whose columns have one type each, so that it can be
 * loaded into a Parquet file, a data frame or a database table without guessing. */
#ifndef HEDDLE_LAB_EXPORT_H
#define HEDDLE_LAB_EXPORT_H

#include "lab/query.h"

/* "wide" is `results` with all other statistics as additional columns. */
extern const char *const export_tables[];
extern const uint32_t n_export_tables;

/* Reads one of these tables. The views follow store_show_current(). */
enum heddle_status export_read(struct store *s, const char *table, struct query_answer *answer);

/* Integers are digits; real numbers always have a point or an exponent; Booleans are `true` or
 * `false`; times are ISO 8601 in UTC; texts are quoted, so that an empty text differs from a
 * missing value. */
void export_typed_csv(const struct query_answer *a, struct strbuf *out);
/* The types: [{"name": ..., "type": "int64"|"double"|"bool"|"timestamp"|"string"}, ...]. */
void export_schema(const struct query_answer *a, struct strbuf *out);

#endif
