/* What the files of the store share. */
#ifndef HEDDLE_LAB_STORE_INTERNAL_H
#define HEDDLE_LAB_STORE_INTERNAL_H

#include <sqlite3.h>

#include "lab/store.h"

/* The files of schema/, embedded when Heddle is built: what turns version N-1 into N. */
extern const char lab_schema_1[], lab_schema_2[], lab_schema_3[], lab_schema_4[], lab_schema_5[],
    lab_schema_6[];

/* Runs statements of our own without values; false = the store failed. */
bool store_exec(struct store *s, const char *sql);
/* Prepares one; NULL = the store failed. */
sqlite3_stmt *store_prepare(struct store *s, const char *sql);
/* Binds a value to a name that the statement has. The text must outlive it. */
void store_bind_text(sqlite3_stmt *q, const char *name, const char *text);
void store_bind_int(sqlite3_stmt *q, const char *name, int64_t value);
/* Runs a statement that yields no rows to its end, and frees it. NULL is a failure. */
bool store_finish(sqlite3_stmt *q);
/* The first column of the first row; -1 if there is none or the store failed. */
int64_t store_number(struct store *s, const char *sql);

/* The views whose columns follow what the store holds (store_views.c). */
bool store_make_views(struct store *s);
/* Lists the digests of today in temp.model_part; done when a store is opened. */
bool store_note_model(struct store *s);

/* Names and units of all statistics there are (store_units.c). */
bool store_add_units(struct store *s);

/* Who writes to a store. Processes are told apart by when they began: numbers are used again. */
struct store_process {
    char host[256], start[32];
    int64_t pid;
};
void store_this_process(struct store_process *p);
/* Whether it still runs. Of another host nothing is known: taken to be. */
bool store_is_alive(const char *host, int64_t pid, const char *start);

#endif
