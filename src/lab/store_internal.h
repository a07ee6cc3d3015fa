/* Shared by the files of the store. */
#ifndef HEDDLE_LAB_STORE_INTERNAL_H
#define HEDDLE_LAB_STORE_INTERNAL_H

#include <sqlite3.h>

#include "lab/store.h"

/* The files of schema/, embedded when Heddle is built: each upgrades version N-1 to N. */
extern const char lab_schema_1[], lab_schema_2[], lab_schema_3[], lab_schema_4[], lab_schema_5[],
    lab_schema_6[];

/* Runs internal statements without values; false = the store failed. */
bool store_exec(struct store *s, const char *sql);
/* Prepares one; NULL = the store failed. */
sqlite3_stmt *store_prepare(struct store *s, const char *sql);
/* Binds a value to a name in the statement. The text must outlive it. */
void store_bind_text(sqlite3_stmt *q, const char *name, const char *text);
void store_bind_int(sqlite3_stmt *q, const char *name, int64_t value);
/* Runs a statement without rows to completion and frees it. NULL counts as a failure. */
bool store_finish(sqlite3_stmt *q);
/* The first column of the first row; -1 if there is none or the store failed. */
int64_t store_number(struct store *s, const char *sql);

/* The views whose columns depend on the store's content (store_views.c). */
bool store_make_views(struct store *s);
/* Lists the current digests in temp.model_part; done when a store is opened. */
bool store_note_model(struct store *s);

/* Names and units of all statistics (store_units.c). */
bool store_add_units(struct store *s);

/* A process that writes to a store. Includes its start time, because process numbers are reused. */
struct store_process {
    char host[256], start[32];
    int64_t pid;
};
void store_this_process(struct store_process *p);
/* Is it still running? Processes of other hosts are assumed to be. */
bool store_is_alive(const char *host, int64_t pid, const char *start);

#endif
