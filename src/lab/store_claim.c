/* Which process runs which point right now. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lab/store_internal.h"

/* The start time of a process, in the host's units; "" if there is no process of that number. */
static void process_start(int64_t pid, char *out, size_t cap)
{
    char path[64], text[1024];
    out[0] = 0;
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    /* The 22nd field; the second, in parentheses, may contain anything. */
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at)
        snprintf(out, cap, "%.*s", (int)strcspn(at + 1, " "), at + 1);
}

void store_this_process(struct store_process *p)
{
    *p = (struct store_process){.pid = getpid()};
    gethostname(p->host, sizeof p->host - 1);
    process_start(p->pid, p->start, sizeof p->start);
}

bool store_is_alive(const char *host, int64_t pid, const char *start)
{
    char here[256] = "", began[32];
    gethostname(here, sizeof here - 1);
    if (strcmp(host, here) != 0)
        return true;
    process_start(pid, began, sizeof began);
    return strcmp(began, start) == 0;
}

static bool is_claimed_by_other(struct store *s, const char *key)
{
    sqlite3_stmt *q = store_prepare(s, "SELECT host, pid, process_id FROM claim WHERE key = :key");
    if (!q)
        return false; /* writing a claim will fail as well, and report why */
    store_bind_text(q, ":key", key);
    bool is_claimed = sqlite3_step(q) == SQLITE_ROW;
    if (is_claimed)
        is_claimed =
            sqlite3_column_int64(q, 1) != getpid() &&
            store_is_alive((const char *)sqlite3_column_text(q, 0), sqlite3_column_int64(q, 1),
                           (const char *)sqlite3_column_text(q, 2));
    sqlite3_finalize(q);
    return is_claimed;
}

static bool write_claim(struct store *s, const char *key)
{
    struct store_process here;
    store_this_process(&here);
    sqlite3_stmt *q = store_prepare(s, "INSERT OR REPLACE INTO claim (key, host, pid, process_id) "
                                       "VALUES (:key, :host, :pid, :process)");
    if (!q)
        return false;
    store_bind_text(q, ":key", key);
    store_bind_text(q, ":host", here.host);
    store_bind_int(q, ":pid", here.pid);
    store_bind_text(q, ":process", here.start);
    return store_finish(q);
}

enum heddle_status store_release(struct store *s, const char *key)
{
    sqlite3_stmt *q = store_prepare(s, "DELETE FROM claim WHERE key = :key");
    if (q)
        store_bind_text(q, ":key", key);
    return store_finish(q) ? HEDDLE_OK : store_fail(s, "write to");
}

enum heddle_status store_claim(struct store *s, const char *key, bool *claimed)
{
    enum store_state state;
    int64_t id;
    *claimed = false;
    if (!store_exec(s, "BEGIN IMMEDIATE"))
        return store_fail(s, "write to");
    enum heddle_status status = store_find(s, key, &state, &id);
    if (status == HEDDLE_OK && state != STORE_DONE && !is_claimed_by_other(s, key)) {
        *claimed = write_claim(s, key);
        if (!*claimed)
            status = store_fail(s, "write to");
    }
    if (status == HEDDLE_OK && !store_exec(s, "COMMIT"))
        status = store_fail(s, "write to");
    if (status != HEDDLE_OK)
        store_exec(s, "ROLLBACK");
    return status;
}
