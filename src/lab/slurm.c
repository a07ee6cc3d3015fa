#include "lab/slurm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "lab/store_merge.h"
#include "lab/workers.h"
#include "stats/host.h"

/* Slurm's own limit (MaxArraySize) is 1001 unless configured otherwise. */
enum {
    MAX_SILENT_POLLS = 60,
    MAX_TASKS = 1000,
    MAX_ROUNDS = 3,
    FIRST_POLL_SECONDS = 1,
    LAST_POLL_SECONDS = 10
};

struct slurm {
    struct store *store;
    const struct point *points;
    bool *is_left; /* by point: it has no result, and no other point has the same key */
    uint32_t n, n_left, n_failed_before;
    const struct slurm_options *options;
    struct sweep_outcome *outcome;
    struct arena arena;
    const char *folder; /* beside the store */
    char job[32];       /* "" = none */
    uint32_t n_silent;  /* consecutive times that Slurm did not answer */
    double began;
};

static enum heddle_status fail(struct slurm *m, const char *what, const char *why)
{
    strbuf_clear(&m->store->error);
    strbuf_addf(&m->store->error, "%s: %s\n", what, why);
    return HEDDLE_ENVIRONMENT;
}

static const char *path_of(struct slurm *m, const char *name)
{
    return arena_printf(&m->arena, "%s/%s", m->folder, name);
}

/* --- Slurm's commands --- */

/* Runs a command to completion; `end` has its output. False if it could not be started. */
static bool run_command(const char *const *argv, struct worker_end *end)
{
    struct workers w;
    workers_create(&w, 1);
    bool started = workers_start(&w, 0, argv);
    while (started && !workers_wait(&w, 1000, end))
        ;
    workers_destroy(&w);
    return started;
}

/* The tasks of the job that are not done: their number, and how many of them run. A job that Slurm
 * no longer knows has none; while Slurm does not answer, one is assumed. */
static uint32_t count_tasks(struct slurm *m, uint32_t *n_running)
{
    const char *const argv[] = {"/usr/bin/env", "squeue", "-h",   "-r", "-o",
                                "%T",           "-j",     m->job, NULL};
    struct worker_end end = {0};
    uint32_t n = 0;
    *n_running = 0;
    if (!m->job[0] || !run_command(argv, &end))
        return 0;
    for (const char *at = strbuf_text(&end.out); *at; at += *at == '\n') {
        size_t len = strcspn(at, "\n");
        *n_running += len == 7 && strncmp(at, "RUNNING", len) == 0;
        n += len > 0;
        at += len;
    }
    bool is_silent = end.exit_status && !strstr(strbuf_text(&end.err), "Invalid job id");
    m->n_silent = is_silent ? m->n_silent + 1 : 0;
    n = is_silent ? 1 : n;
    strbuf_destroy(&end.out);
    strbuf_destroy(&end.err);
    return n;
}

/* --- results --- */

static bool is_part(const char *name)
{
    size_t n = strlen(name);
    return strncmp(name, "part-", 5) == 0 && n > 3 && strcmp(name + n - 3, ".db") == 0;
}

/* Merges the results that tasks have left in the folder. */
static enum heddle_status merge_parts(struct slurm *m, uint32_t *n_merged)
{
    DIR *folder = opendir(m->folder);
    enum heddle_status status = HEDDLE_OK;
    if (!folder)
        return fail(m, m->folder, strerror(errno));
    *n_merged = 0;
    for (struct dirent *e; status == HEDDLE_OK && (e = readdir(folder));) {
        struct store_merged merged;
        const char *path = path_of(m, e->d_name);
        if (!is_part(e->d_name))
            continue;
        status = store_merge(m->store, path, &merged);
        if (status == HEDDLE_OK && unlink(path) == 0)
            ++*n_merged;
    }
    closedir(folder);
    return status;
}

/* An earlier failure counts only if it is not to be retried. */
static enum heddle_status look_up(struct slurm *m, uint32_t i, bool retry)
{
    enum store_state state;
    int64_t id;
    enum heddle_status status = sweep_find(m->store, &m->points[i], &state, &id);
    if (status != HEDDLE_OK || state == STORE_ABSENT || (state == STORE_FAILED && retry))
        return status;
    m->is_left[i] = false;
    m->n_left--;
    if (state == STORE_FAILED) {
        struct strbuf message = {0};
        status = store_message(m->store, id, &message);
        sweep_add_failure(m->outcome, &m->points[i], strbuf_text(&message));
        strbuf_destroy(&message);
    }
    return status;
}

static enum heddle_status look_up_all(struct slurm *m, bool retry)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; status == HEDDLE_OK && i < m->n; i++)
        if (m->is_left[i])
            status = look_up(m, i, retry);
    return status;
}

static void tell(struct slurm *m, uint32_t n_running)
{
    struct sweep_progress *p = &m->outcome->counts;
    p->n_run = p->n_points - p->n_stored - m->n_failed_before - m->n_left;
    p->n_running = n_running;
    p->seconds = host_now_seconds() - m->began;
    if (m->options->progress)
        m->options->progress(m->options->progress_user, p, NULL);
}

/* --- submitting --- */

static enum heddle_status write_file(struct slurm *m, const char *name, const char *text)
{
    const char *path = path_of(m, name);
    FILE *f = fopen(path, "we");
    bool ok = f && fputs(text, f) >= 0;
    if (f)
        ok = fclose(f) == 0 && ok;
    return ok ? HEDDLE_OK : fail(m, path, strerror(errno));
}

/* The ids of the remaining points, one per line. */
static enum heddle_status write_points(struct slurm *m)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < m->n; i++)
        if (m->is_left[i])
            strbuf_addf(&text, "%s\n", m->points[i].key);
    enum heddle_status status = write_file(m, "points", strbuf_text(&text));
    strbuf_destroy(&text);
    return status;
}

/* What a task does: runs some points into a store on its node, which it then moves into the
 * folder. */
static enum heddle_status write_script(struct slurm *m, uint32_t n_each)
{
    const struct slurm_options *o = m->options;
    struct strbuf text = {0}, where = {0};
    char here[4096];
    point_quote(&where, m->folder);
    strbuf_addf(&text,
                "#!/bin/sh\n"
                "# A task of `heddle sweep --on slurm`.\n"
                "set -eu\n"
                "folder=%s\n"
                "node=$(mktemp -d)\n"
                "trap 'rm -rf \"$node\"' EXIT\n"
                "first=$((SLURM_ARRAY_TASK_ID * %u + 1))\n"
                "set --\n"
                "for id in $(sed -n \"$first,$((first + %u - 1))p\" \"$folder/points\"); do\n"
                "    set -- \"$@\" --run-point \"$id\"\n"
                "done\n"
                "part=part-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n"
                "cd ",
                strbuf_text(&where), n_each, n_each);
    point_quote(&text, getcwd(here, sizeof here) ? here : "/");
    strbuf_add_char(&text, '\n');
    point_quote(&text, o->program);
    strbuf_add(&text, " sweep ");
    point_quote(&text, o->experiment);
    for (uint32_t i = 0; i < o->n_words; i++) {
        strbuf_add_char(&text, ' ');
        point_quote(&text, o->words[i]);
    }
    strbuf_add(&text, " --quiet --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --store \"$node/r.db\" \"$@\""
                      " || true\n"
                      "cp \"$node/r.db\" \"$folder/$part.new\"\n"
                      "mv \"$folder/$part.new\" \"$folder/$part.db\"\n");
    enum heddle_status status = write_file(m, "task.sh", strbuf_text(&text));
    strbuf_destroy(&text);
    strbuf_destroy(&where);
    return status;
}

static void sbatch_words(struct slurm *m, uint32_t n_tasks, struct point_words *w)
{
    const struct slurm_options *o = m->options;
    point_add_word(w, "/usr/bin/env");
    point_add_word(w, "sbatch");
    point_add_word(w, "--parsable");
    point_add_word(w, "--requeue");
    point_add_word(w, "--job-name=heddle");
    point_add_word(w, arena_printf(&m->arena, "--output=%s/log-%%A-%%a", m->folder));
    if (o->tasks)
        point_add_word(w, arena_printf(&m->arena, "--array=0-%u%%%u", n_tasks - 1, o->tasks));
    else
        point_add_word(w, arena_printf(&m->arena, "--array=0-%u", n_tasks - 1));
    for (uint32_t i = 0; i < o->n_sbatch; i++)
        point_add_word(w, arena_printf(&m->arena, "--%s", o->sbatch[i]));
    point_add_word(w, path_of(m, "task.sh"));
}

static enum heddle_status submit(struct slurm *m)
{
    uint32_t n_each = (m->n_left + MAX_TASKS - 1) / MAX_TASKS;
    struct point_words w = {.arena = &m->arena};
    struct worker_end end = {0};
    enum heddle_status status = write_points(m);
    if (status == HEDDLE_OK)
        status = write_script(m, n_each);
    if (status != HEDDLE_OK)
        return status;
    sbatch_words(m, (m->n_left + n_each - 1) / n_each, &w);
    if (!run_command(w.items, &end))
        return fail(m, "cannot start sbatch", strerror(errno));
    if (end.exit_status)
        status = fail(m, end.exit_status == 127 ? "is Slurm installed? sbatch" : "sbatch",
                      strbuf_text(&end.err));
    else /* ID, or ID;CLUSTER */
        snprintf(m->job, sizeof m->job, "%.*s", (int)strcspn(strbuf_text(&end.out), ";\n"),
                 strbuf_text(&end.out));
    strbuf_destroy(&end.out);
    strbuf_destroy(&end.err);
    return status == HEDDLE_OK ? write_file(m, "job", m->job) : status;
}

/* --- waiting --- */

/* Waits until the job has ended and all its results are here. */
static enum heddle_status wait_for_job(struct slurm *m)
{
    uint32_t n_running, n_merged, pause = FIRST_POLL_SECONDS, n_tasks;
    enum heddle_status status;
    do {
        n_tasks = count_tasks(m, &n_running);
        status = merge_parts(m, &n_merged);
        if (status == HEDDLE_OK && n_merged)
            status = look_up_all(m, false);
        if (status == HEDDLE_OK && m->n_silent > MAX_SILENT_POLLS)
            status =
                fail(m, "squeue does not answer", "run the same command again when Slurm is back");
        if (status != HEDDLE_OK)
            return status;
        tell(m, n_running);
        pause = n_merged ? FIRST_POLL_SECONDS : pause < LAST_POLL_SECONDS ? pause + 1 : pause;
        if (n_tasks)
            sleep(pause);
    } while (n_tasks);
    return look_up_all(m, false);
}

/* An unfinished job of an earlier call. */
static void find_job(struct slurm *m)
{
    struct strbuf text = {0};
    uint32_t n_running;
    if (strbuf_read_file(&text, path_of(m, "job")) == 0)
        snprintf(m->job, sizeof m->job, "%s", strbuf_text(&text));
    strbuf_destroy(&text);
    if (!count_tasks(m, &n_running))
        m->job[0] = 0;
}

/* One driver at a time: two would submit the same points. */
static enum heddle_status open_folder(struct slurm *m, int *lock)
{
    if (mkdir(m->folder, 0777) != 0 && errno != EEXIST)
        return fail(m, m->folder, strerror(errno));
    const char *path = path_of(m, "lock");
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        return fail(m, path, strerror(errno));
    return flock(*lock, LOCK_EX | LOCK_NB) == 0
               ? HEDDLE_OK
               : fail(m, m->folder, "another `heddle sweep --on slurm` of this store is running");
}

static enum heddle_status run_rounds(struct slurm *m)
{
    uint32_t n_merged;
    enum heddle_status status = merge_parts(m, &n_merged);
    uint32_t n_all = m->n_left;
    if (status == HEDDLE_OK)
        status = look_up_all(m, m->options->retry);
    m->outcome->counts.n_points = n_all;
    m->n_failed_before = m->outcome->n_failures;
    m->outcome->counts.n_stored = n_all - m->n_left - m->n_failed_before;
    if (status == HEDDLE_OK && m->n_left)
        find_job(m);
    for (int round = 0; status == HEDDLE_OK && m->n_left && round < MAX_ROUNDS; round++) {
        if (!m->job[0])
            status = submit(m);
        if (status == HEDDLE_OK)
            status = wait_for_job(m);
        m->job[0] = 0;
    }
    for (uint32_t i = 0; status == HEDDLE_OK && i < m->n; i++)
        if (m->is_left[i]) {
            sweep_add_failure(m->outcome, &m->points[i],
                              arena_printf(&m->arena,
                                           "no task of the job left a result; see %s/log-*",
                                           m->folder));
            m->outcome->counts.n_given_up++;
        }
    return status;
}

enum heddle_status slurm_run(struct store *s, struct point *points, uint32_t n,
                             const struct slurm_options *options, struct sweep_outcome *outcome)
{
    struct slurm m = {.store = s,
                      .points = points,
                      .is_left = xcalloc(n + 1, sizeof *m.is_left),
                      .n = n,
                      .options = options,
                      .outcome = outcome,
                      .began = host_now_seconds()};
    char *real = realpath(s->path, NULL);
    int lock = -1;
    m.folder = arena_printf(&m.arena, "%s.slurm", real ? real : s->path);
    free(real);
    m.n_left = sweep_mark_different(points, n, m.is_left);
    enum heddle_status status = open_folder(&m, &lock);
    if (status == HEDDLE_OK)
        status = run_rounds(&m);
    if (status == HEDDLE_OK && !outcome->n_failures)
        folder_remove(m.folder); /* its content is no longer needed */
    if (lock >= 0)
        close(lock);
    if (outcome->n_failures)
        sweep_sort_failures(outcome);
    free(m.is_left);
    arena_destroy(&m.arena);
    return status;
}
