#include "lab/store.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "config/number.h"
#include "lab/store_internal.h"

/* How long to wait for another program that is writing, unless HEDDLE_STORE_WAIT_SECONDS says
 * otherwise. */
enum { DEFAULT_WAIT_SECONDS = 30, MAX_WAIT_SECONDS = 86400 };

static bool read_wait(int *milliseconds)
{
    const char *text = getenv("HEDDLE_STORE_WAIT_SECONDS");
    uint64_t seconds = DEFAULT_WAIT_SECONDS;
    if (text && (!number_parse_u64(text, &seconds) || seconds > MAX_WAIT_SECONDS))
        return false;
    *milliseconds = (int)seconds * 1000;
    return true;
}

/* Paths that SQLite does not treat as files. */
static bool names_no_file(const char *path)
{
    return !path[0] || strcmp(path, ":memory:") == 0 || strncmp(path, "file:", 5) == 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* --- failures --- */

/* SQLite reports a full disk for its database only: if there is no space for the files beside it,
 * it reports an I/O error, even while reading. */
static bool is_disk_full(const struct store *s, int code)
{
    if (code != SQLITE_IOERR)
        return code == SQLITE_FULL;
    int error = sqlite3_system_errno(s->db);
    struct statvfs disk;
    return error == ENOSPC || error == EDQUOT ||
           (statvfs(s->path, &disk) == 0 && disk.f_blocks && !disk.f_bavail);
}

enum heddle_status store_fail(struct store *s, const char *doing)
{
    int code = sqlite3_errcode(s->db), extended = sqlite3_extended_errcode(s->db);
    const char *problem = sqlite3_errmsg(s->db), *advice = "";
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    if (is_disk_full(s, code)) {
        code = SQLITE_FULL;
        problem = "its disk is full";
    }
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        advice = "another program is writing to it; wait until that ends or use another store";
        break;
    case SQLITE_FULL:
        advice = "what was stored before is safe; free some space and run the same command again";
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        advice = "check that the file and its folder exist and are writable, or use another "
                 "--store FILE";
        break;
    case SQLITE_CORRUPT:
        advice = "the file is damaged; `sqlite3 FILE .recover` may save its content, or move it "
                 "away and run the experiment again";
        break;
    case SQLITE_NOTADB:
        advice = "it is not a result store; name another file with --store FILE";
        status = HEDDLE_BAD_INPUT;
        break;
    case SQLITE_IOERR:
        advice = extended == SQLITE_IOERR_WRITE || extended == SQLITE_IOERR_FSYNC
                     ? "what was stored before is safe; the disk may be full or the file too large "
                       "for a limit: free some space and run the same command again"
                     : "what was stored before is safe; the disk failed";
        break;
    default:
        break;
    }
    strbuf_clear(&s->error);
    strbuf_addf(&s->error, "cannot %s the store %s: %s%s%s\n", doing, s->path, problem,
                *advice ? "\n  " : "", advice);
    return status;
}

static enum heddle_status fail_with(struct store *s, enum heddle_status status, const char *text)
{
    strbuf_clear(&s->error);
    strbuf_addf(&s->error, "%s: %s\n", s->path, text);
    return status;
}

/* --- statements --- */

bool store_exec(struct store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

sqlite3_stmt *store_prepare(struct store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
    return statement;
}

void store_bind_text(sqlite3_stmt *q, const char *name, const char *text)
{
    int at = sqlite3_bind_parameter_index(q, name);
    assert(at);
    sqlite3_bind_text(q, at, text, -1, SQLITE_STATIC);
}

void store_bind_int(sqlite3_stmt *q, const char *name, int64_t value)
{
    int at = sqlite3_bind_parameter_index(q, name);
    assert(at);
    sqlite3_bind_int64(q, at, value);
}

bool store_finish(sqlite3_stmt *q)
{
    bool ok = q && sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    return ok;
}

int64_t store_number(struct store *s, const char *sql)
{
    sqlite3_stmt *q = store_prepare(s, sql);
    int64_t value = q && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    sqlite3_finalize(q);
    return value;
}

/* --- opening --- */

/* Marks our files among SQLite's: "Hedl". */
enum { APPLICATION_ID = 0x4865646c };

static const char *const migrations[] = {lab_schema_1, lab_schema_2, lab_schema_3,
                                         lab_schema_4, lab_schema_5, lab_schema_6};
enum { N_MIGRATIONS = sizeof migrations / sizeof migrations[0] };
_Static_assert(N_MIGRATIONS == (int)STORE_SCHEMA_VERSION, "a schema a version");

static enum heddle_status apply_schemas(struct store *s, int64_t from)
{
    struct strbuf marks = {0};
    bool ok = true;
    for (int64_t v = from; ok && v < N_MIGRATIONS; v++)
        ok = store_exec(s, migrations[v]);
    strbuf_addf(&marks, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
                STORE_SCHEMA_VERSION);
    ok = ok && store_exec(s, strbuf_text(&marks)) && store_add_units(s) && store_make_views(s);
    strbuf_destroy(&marks);
    return ok ? HEDDLE_OK : store_fail(s, "bring up to date");
}

/* Is it one of ours, and which version? An empty file is a new store. */
static enum heddle_status check_kind(struct store *s, int64_t *version)
{
    int64_t n_tables = store_number(s, "SELECT count(*) FROM sqlite_master");
    if (n_tables < 0)
        return store_fail(s, "open");
    *version = store_number(s, "PRAGMA user_version");
    bool is_new = n_tables == 0 && *version == 0;
    if (!is_new && store_number(s, "PRAGMA application_id") != APPLICATION_ID)
        return fail_with(s, HEDDLE_BAD_INPUT,
                         "this is a database of another program, not a result store; name another "
                         "file with --store FILE");
    if (*version > STORE_SCHEMA_VERSION)
        return fail_with(
            s, HEDDLE_BAD_INPUT,
            "this store was written by a later Heddle; use that version, or another file");
    return HEDDLE_OK;
}

/* Holds the writers' lock, so that one program migrates and the others find it done. */
static enum heddle_status migrate(struct store *s)
{
    int64_t version;
    enum heddle_status status = check_kind(s, &version);
    if (status != HEDDLE_OK || version == STORE_SCHEMA_VERSION)
        return status;
    if (!store_exec(s, "BEGIN IMMEDIATE"))
        return store_fail(s, "write to");
    status = check_kind(s, &version);
    if (status == HEDDLE_OK)
        status = apply_schemas(s, version);
    if (status == HEDDLE_OK && !store_exec(s, "COMMIT"))
        status = store_fail(s, "write to");
    if (status != HEDDLE_OK)
        store_exec(s, "ROLLBACK");
    return status;
}

static enum heddle_status open_for_reading(struct store *s)
{
    int64_t version;
    enum heddle_status status = check_kind(s, &version);
    if (status != HEDDLE_OK || version == STORE_SCHEMA_VERSION)
        return status;
    return fail_with(s, HEDDLE_BAD_INPUT,
                     version == 0 ? "this store is empty: `heddle sweep` fills it"
                                  : "this store was written by an earlier Heddle; `heddle store "
                                    "upgrade FILE` or a `heddle sweep` into it upgrades it");
}

/* A store that cannot be written to is readable if no writer left an unfinished log. */
static void open_immutable(struct store *s, const char *path)
{
    struct strbuf uri = {0};
    struct strbuf log = {0};
    strbuf_addf(&log, "%s-wal", path);
    if (access(path, R_OK) == 0 && access(strbuf_text(&log), F_OK) != 0) {
        strbuf_add(&uri, "file:");
        for (const char *c = path; *c; c++)
            strbuf_addf(&uri, strchr("?#%", *c) ? "%%%02X" : "%c", *c);
        strbuf_add(&uri, "?immutable=1");
        sqlite3_close(s->db);
        sqlite3_open_v2(strbuf_text(&uri), &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    }
    strbuf_destroy(&uri);
    strbuf_destroy(&log);
}

/* A reader that could write, though it does not, removes the log if it closes last. */
static void open_file(struct store *s, const char *path, enum store_access how,
                      int wait_milliseconds)
{
    int flags = SQLITE_OPEN_READWRITE | (how == STORE_READ ? 0 : SQLITE_OPEN_CREATE);
    sqlite3_open_v2(how == STORE_MEMORY ? ":memory:" : path, &s->db, flags, NULL);
    sqlite3_busy_timeout(s->db, wait_milliseconds);
    if (how == STORE_READ && store_number(s, "SELECT count(*) FROM sqlite_master") < 0 &&
        sqlite3_errcode(s->db) == SQLITE_CANTOPEN)
        open_immutable(s, path);
}

static enum heddle_status refuse_path(struct store *s)
{
    strbuf_addf(&s->error, "--store '%s': this is %s\n", s->path,
                is_folder(s->path) ? "a folder, not a file"
                                   : "not a file, and nothing would be kept there");
    return HEDDLE_BAD_INPUT;
}

static void note_place(struct store *s)
{
    struct stat info;
    if (stat(s->path, &info) == 0) {
        s->device = (uint64_t)info.st_dev;
        s->inode = (uint64_t)info.st_ino;
    }
}

enum heddle_status store_check_place(struct store *s)
{
    struct stat info;
    if (!s->inode || (stat(s->path, &info) == 0 && (uint64_t)info.st_dev == s->device &&
                      (uint64_t)info.st_ino == s->inode))
        return HEDDLE_OK;
    return fail_with(s, HEDDLE_ENVIRONMENT,
                     "the store was removed or replaced while it was being written, and its "
                     "results are lost; run the same command again");
}

enum heddle_status store_open(const char *path, enum store_access how, struct store **out)
{
    struct store *s = xcalloc(1, sizeof *s);
    *out = s;
    s->path = strdup(how == STORE_MEMORY ? "in memory" : path);
    signal(SIGXFSZ, SIG_IGN); /* a file that reaches a size limit is an error to report, not a
                               * reason to die */
    int wait = 0;
    if (!read_wait(&wait))
        return fail_with(s, HEDDLE_BAD_INPUT,
                         "HEDDLE_STORE_WAIT_SECONDS must be a number of seconds, at most a day");
    if (how != STORE_MEMORY && (names_no_file(path) || is_folder(path)))
        return refuse_path(s);
    open_file(s, path, how, wait);
    if (sqlite3_errcode(s->db) != SQLITE_OK && sqlite3_errcode(s->db) != SQLITE_ROW &&
        sqlite3_errcode(s->db) != SQLITE_DONE)
        return store_fail(s, "open");
    if (!store_note_model(s))
        return store_fail(s, "open");
    if (how == STORE_READ)
        return open_for_reading(s);
    if (!store_exec(s, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL"))
        return store_fail(s, "open");
    enum heddle_status status = migrate(s);
    if (status == HEDDLE_OK && !store_exec(s, "PRAGMA journal_mode = WAL"))
        status = store_fail(s, "write to");
    if (status == HEDDLE_OK && how == STORE_WRITE)
        note_place(s);
    return status;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    strbuf_destroy(&s->error);
    free(s->path);
    free(s);
}
