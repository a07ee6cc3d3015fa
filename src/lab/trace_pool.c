#include "lab/trace_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/file.h"

enum entry_state { ENTRY_ABSENT, ENTRY_BEING_RECORDED, ENTRY_READY, ENTRY_UNFIT };

struct trace_entry {
    char input[HASH_TEXT_BYTES]; /* point.input */
    enum entry_state state;
};

bool trace_pool_create(struct trace_pool *t, const char *folder)
{
    *t = (struct trace_pool){.folder = folder};
    return !folder || mkdir(folder, 0777) == 0 || errno == EEXIST;
}

void trace_pool_destroy(struct trace_pool *t)
{
    free(t->entries);
    *t = (struct trace_pool){0};
}

static const char *path_of(const struct trace_pool *t, const struct point *p, struct arena *arena)
{
    return arena_printf(arena, "%s/%s-%s-%.16s.trace", t->folder, p->workload->name, p->size->name,
                        p->input);
}

static bool depends_on_time(struct trace_reader *r, struct strbuf *why, bool *is_sound)
{
    bool depends = false;
    for (uint32_t i = 0; *is_sound && i < trace_reader_launches(r); i++) {
        struct trace_launch launch;
        struct trace_launch_end end;
        *is_sound = trace_reader_launch(r, i, &launch, &end, why);
        for (int k = 0; *is_sound && k < N_TRACE_REASONS; k++)
            depends |= end.reasons[k] != NULL;
    }
    return depends;
}

/* A file that is not a valid trace is recorded again. */
static enum entry_state look_at(const char *path)
{
    bool cannot_read, is_sound = true;
    struct strbuf why = {0};
    struct trace_reader *r = trace_reader_open(path, &cannot_read, &why);
    bool depends = r && depends_on_time(r, &why, &is_sound);
    trace_reader_close(r);
    strbuf_destroy(&why);
    return !r || !is_sound ? ENTRY_ABSENT : depends ? ENTRY_UNFIT : ENTRY_READY;
}

static struct trace_entry *entry_of(struct trace_pool *t, const struct point *p,
                                    struct arena *arena)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->entries[i].input, p->input) == 0)
            return &t->entries[i];
    ARRAY_RESERVE(t->entries, t->cap, t->n + 1);
    struct trace_entry *e = &t->entries[t->n++];
    memcpy(e->input, p->input, sizeof e->input);
    e->state = look_at(path_of(t, p, arena));
    return e;
}

/* Annotations refer to arguments, and the host may miss lines that L2 drops: a trace contains
 * neither arguments nor the host's copies. */
static bool needs_the_program(const struct point *p)
{
    static const char *const starts[] = {"l2.annotations=", "l2.policy=write_buffering"};
    bool needs = false;
    for (uint32_t i = 0; i < p->n_words; i++)
        for (uint32_t k = 0; k < sizeof starts / sizeof starts[0]; k++)
            needs = needs || strncmp(p->words[i].text, starts[k], strlen(starts[k])) == 0;
    return needs;
}

enum trace_use trace_pool_use(struct trace_pool *t, const struct point *p, struct arena *arena,
                              const char **path)
{
    if (!t->folder || needs_the_program(p))
        return TRACE_UNUSED;
    struct trace_entry *e = entry_of(t, p, arena);
    *path = path_of(t, p, arena);
    switch (e->state) {
    case ENTRY_ABSENT:
        e->state = ENTRY_BEING_RECORDED;
        return TRACE_RECORD;
    case ENTRY_READY:
        return TRACE_REPLAY;
    case ENTRY_BEING_RECORDED: /* no waiting: executing takes no longer */
    case ENTRY_UNFIT:
        break;
    }
    return TRACE_UNUSED;
}

void trace_pool_recorded(struct trace_pool *t, const struct point *p)
{
    struct arena arena = {0};
    struct trace_entry *e = entry_of(t, p, &arena);
    enum entry_state found = look_at(path_of(t, p, &arena));
    e->state = found == ENTRY_ABSENT ? ENTRY_UNFIT : found; /* it could not be written: do not try
                                                             * again */
    arena_destroy(&arena);
}

void trace_pool_distrust(struct trace_pool *t, const struct point *p)
{
    struct arena arena = {0};
    entry_of(t, p, &arena)->state = ENTRY_ABSENT;
    arena_destroy(&arena);
}
