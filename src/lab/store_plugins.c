/* Which plug-in builds the results of a store belong to. */
#include <string.h>

#include <sqlite3.h>

#include "base/hash.h"
#include "cache/cache_policy.h"
#include "crit/criticality.h"
#include "lab/model.h"
#include "lab/store_internal.h"
#include "sched/scheduler.h"

static bool note_build(struct store *s, const char *kind, const char *name, const char *digest)
{
    static const char *const statements[] = {
        "INSERT OR REPLACE INTO temp.model_part VALUES (:kind || ' ' || :name, :digest)",
        "INSERT OR REPLACE INTO plugin_build VALUES (:kind || ' ' || :name, :digest,"
        " strftime('%Y-%m-%d %H:%M:%f', 'now'))",
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof statements / sizeof statements[0]; i++) {
        sqlite3_stmt *q = store_prepare(s, statements[i]);
        if (q) {
            store_bind_text(q, ":kind", kind);
            store_bind_text(q, ":name", name);
            store_bind_text(q, ":digest", digest);
        }
        ok = store_finish(q);
    }
    return ok;
}

static enum heddle_status note_mechanism(struct store *s, const char *kind,
                                         const struct plugin *mechanism)
{
    if (model_part_digest(kind, mechanism->name))
        return HEDDLE_OK;
    const char *file = plugin_file(mechanism);
    struct strbuf content = {0};
    char digest[HASH_TEXT_BYTES];
    int error = strbuf_read_file(&content, file);
    enum heddle_status status = error ? HEDDLE_ENVIRONMENT : HEDDLE_OK;
    hash_of(strbuf_text(&content), content.len, digest);
    if (error) {
        strbuf_clear(&s->error);
        strbuf_addf(&s->error, "cannot read the plug-in %s: %s\n", file, strerror(error));
    } else if (!note_build(s, kind, mechanism->name, digest)) {
        status = store_fail(s, "write to");
    }
    strbuf_destroy(&content);
    return status;
}

enum heddle_status store_note_plugins(struct store *s)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < scheduler_count(); i++)
        status = note_mechanism(s, "scheduler", &scheduler_at(i)->plugin);
    for (uint32_t i = 0; status == HEDDLE_OK && i < cache_policy_count(); i++)
        status = note_mechanism(s, "cache policy", &cache_policy_at(i)->plugin);
    for (uint32_t i = 0; status == HEDDLE_OK && i < criticality_count(); i++)
        status = note_mechanism(s, "criticality", &criticality_at(i)->plugin);
    return status;
}
