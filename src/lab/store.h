/* The results of experiments in one SQLite file (its tables: schema/N.sql, doc/experiments.md).
 *
 * A result is written in one transaction, so a kill at any moment leaves all of it or nothing.
 * Several programs may write to one store: they use SQLite's write-ahead log and wait for each
 * other. SQLite itself decomposes documents of `heddle run --json`; nothing in them is lost. */
#ifndef HEDDLE_LAB_STORE_H
#define HEDDLE_LAB_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"

struct sqlite3;

struct store {
    struct sqlite3 *db;
    char *path;
    uint64_t device, inode; /* identity of the file when it was opened for writing; 0 = not opened
                             * for writing */
    struct strbuf error;    /* of the last call that failed: what, and what to do */
};

enum store_access {
    STORE_READ,   /* must exist; nothing is changed */
    STORE_WRITE,  /* created if missing; upgraded to the current schema */
    STORE_MEMORY, /* private, deleted when it is closed; `path` is not used */
};

enum { STORE_SCHEMA_VERSION = 6 };

/* Close *out in any case; its error says what is wrong. HEDDLE_BAD_INPUT for a file that is not a
 * store or was written by a later Heddle, and for a path that SQLite does not treat as a file
 * (":memory:", where nothing would be kept); HEDDLE_ENVIRONMENT if it is not available or is
 * damaged. */
enum heddle_status store_open(const char *path, enum store_access access, struct store **out);
void store_close(struct store *s); /* NULL is fine */

/* HEDDLE_ENVIRONMENT if the file was moved or removed since it was opened: later writes would be
 * lost. */
enum heddle_status store_check_place(struct store *s);

/* The state of a point in the store. */
enum store_state { STORE_ABSENT, STORE_DONE, STORE_FAILED };
enum heddle_status store_find(struct store *s, const char *key, enum store_state *state,
                              int64_t *id);

/* Claims a point for this process, so that others do not run it. `*claimed` is false if a live
 * process runs it now or has already done it. */
enum heddle_status store_claim(struct store *s, const char *key, bool *claimed);

/* Releases the claim without a result. */
enum heddle_status store_release(struct store *s, const char *key);

/* A result of `heddle run`. */
struct store_result {
    const char *key;
    const char *failure_key; /* its key if it failed; NULL = key */
    const char *document;    /* JSON; if NULL or not JSON, only the message is kept */
    /* Also in the document; for results without one. `inputs` is a JSON object; NULL = unknown. */
    const char *workload, *size, *gpu, *scheduler, *l1d, *settings, *inputs;
    const char *command; /* repeats the run; NULL = unknown */
    uint64_t seed;
    const char *model;
    int exit_status;     /* 0 = done */
    const char *message; /* why it failed; NULL = the document's own message */
    double seconds;      /* of host time */
};

/* Stores a result, replacing an earlier failure, and ends the claim. An existing result is kept. */
enum heddle_status store_put(struct store *s, const struct store_result *r, int64_t *id);

/* Adds to a finished result what another document of the same run contains beyond it: statistics, a
 * time series, and anything else. Existing values are kept. */
enum heddle_status store_extend(struct store *s, int64_t id, const char *document);

/* Records the plug-ins that this process has loaded: results from now on belong to these builds,
 * and those of other builds are old. Call it before storing results of plug-ins. */
enum heddle_status store_note_plugins(struct store *s);

/* Lists the results of this Heddle's model in the table temp.current_run: those for which the
 * sources that every run uses, and those of the mechanisms and the workload, are unchanged. For a
 * plug-in, the build recorded last counts. */
enum heddle_status store_list_current(struct store *s);

/* From now on the views (doc/experiments.md) show only those. `*n_hidden` is the number of others.
 * For reading; call it once. */
enum heddle_status store_show_current(struct store *s, int64_t *n_hidden);

/* Appends to `out` why a run failed. */
enum heddle_status store_message(struct store *s, int64_t id, struct strbuf *out);
/* A count among the statistics of a result; 0 if it has none of that name. */
enum heddle_status store_count(struct store *s, int64_t id, const char *name, uint64_t *out);

/* Is the text one document of `heddle run --json`? */
bool store_is_result(struct store *s, const char *text);

/* Fails with SQLite's message about the store. Only for files of lab. */
enum heddle_status store_fail(struct store *s, const char *doing);

#endif
