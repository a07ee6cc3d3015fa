/* The results of experiments in one SQLite file (its tables: schema/N.sql, doc/experiments.md).
 *
 * A result is written in one transaction, so a kill at any moment leaves all of it or nothing.
 * Several programs may write to one store: SQLite's write-ahead log, and waiting for each other.
 * Documents of `heddle run --json` are taken apart by SQLite itself, and nothing of them is left
 * out. */
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
    uint64_t device, inode; /* of the file as it was opened for writing; 0 = none was */
    struct strbuf error;    /* of the last call that failed: what, and what to do */
};

enum store_access {
    STORE_READ,   /* must exist; nothing is changed */
    STORE_WRITE,  /* made if it is not there; brought to the present schema */
    STORE_MEMORY, /* a private one that is gone when it is closed; `path` is not used */
};

enum { STORE_SCHEMA_VERSION = 6 };

/* *out is to be closed in any case; its error says what is wrong. HEDDLE_BAD_INPUT for a file that
 * is no store or one of a later Heddle, and for a path that is none to SQLite (":memory:", where
 * nothing would be kept); HEDDLE_ENVIRONMENT if it is not available or is damaged. */
enum heddle_status store_open(const char *path, enum store_access access, struct store **out);
void store_close(struct store *s); /* NULL is fine */

/* HEDDLE_ENVIRONMENT if the file is no longer where it was opened: what is written then is lost. */
enum heddle_status store_check_place(struct store *s);

/* What the store says of a point. */
enum store_state { STORE_ABSENT, STORE_DONE, STORE_FAILED };
enum heddle_status store_find(struct store *s, const char *key, enum store_state *state,
                              int64_t *id);

/* Says that this process is going to run the point, so that others do not. `*claimed` is false if
 * a live process runs it now or has done it already. */
enum heddle_status store_claim(struct store *s, const char *key, bool *claimed);

/* Takes the claim back, without a result. */
enum heddle_status store_release(struct store *s, const char *key);

/* A result as it comes from `heddle run`. */
struct store_result {
    const char *key;
    const char *failure_key; /* what it is kept under if it failed; NULL = key */
    const char *document;    /* its JSON; NULL or no JSON: only the message is kept */
    /* What the document says too, for those that have none. `inputs` is a JSON object; NULL = not
     * known. */
    const char *workload, *size, *gpu, *scheduler, *l1d, *settings, *inputs;
    const char *command; /* that repeats it; NULL = not known */
    uint64_t seed;
    const char *model;
    int exit_status;     /* 0 = done */
    const char *message; /* why not; NULL = the document's own */
    double seconds;      /* of the host */
};

/* Keeps a result, in place of one that failed before, and ends the claim. A result that is there
 * already stays as it is. */
enum heddle_status store_put(struct store *s, const struct store_result *r, int64_t *id);

/* Adds to a result that is done what another document of the same run tells beyond it: statistics,
 * a time series, and whatever else it holds. What the store has stays as it is. */
enum heddle_status store_extend(struct store *s, int64_t id, const char *document);

/* Notes the plug-ins that this process has loaded: results from now on are theirs, and those of
 * other builds of theirs are old. For who puts results of plug-ins. */
enum heddle_status store_note_plugins(struct store *s);

/* Lists the results of this Heddle's model in the table temp.current_run: the sources that every
 * run uses, and those of the mechanisms and the workload that it used, are as they were. Of a
 * plug-in it is the build that was noted last. */
enum heddle_status store_list_current(struct store *s);

/* From now on the views (doc/experiments.md) show only those. `*n_hidden` is how many
 * others there are. For reading, once. */
enum heddle_status store_show_current(struct store *s, int64_t *n_hidden);

/* Why a run failed, added to `out`. */
enum heddle_status store_message(struct store *s, int64_t id, struct strbuf *out);
/* A count among the statistics of a result; 0 if it has none of the name. */
enum heddle_status store_count(struct store *s, int64_t id, const char *name, uint64_t *out);

/* Whether a text is one document of `heddle run --json`. */
bool store_is_result(struct store *s, const char *text);

/* Fails with SQLite's own words about what went wrong with the store. For lab's files alone. */
enum heddle_status store_fail(struct store *s, const char *doing);

#endif
