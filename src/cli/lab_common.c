#include "cli/lab_common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_status.h"
#include "cli/output.h"

bool lab_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum heddle_status lab_check_readable(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
        return HEDDLE_OK;
    }
    int error = errno;
    output_error("cannot read %s: %s", path, strerror(error));
    return file_read_status(error);
}

bool lab_check_jobs(const struct given_u64 *jobs)
{
    if (!jobs->is_given || (jobs->value >= 1 && jobs->value <= LAB_MAX_JOBS))
        return true;
    output_error("--jobs must be 1 to %d points at a time, not %llu", LAB_MAX_JOBS,
                 (unsigned long long)jobs->value);
    return false;
}

/* Those of a machine; points of one machine are consecutive. */
static void note_machine(struct file_uses *u, const struct point *p, const struct point *before)
{
    static const char times[] = "criticality.file=";
    if (!before || strcmp(p->gpu.text, before->gpu.text) != 0)
        file_uses_read_gpu(u, p->gpu.text);
    if (p->kernel)
        file_uses_read(u, p->kernel->words[0]);
    for (uint32_t i = 0; i < p->n_words; i++)
        if (strncmp(p->words[i].text, times, sizeof times - 1) == 0)
            file_uses_read(u, p->words[i].text + sizeof times - 1);
}

void lab_note_files(struct file_uses *u, const struct spec *spec, const char *store)
{
    for (uint32_t i = 0; i < spec->n_plugins; i++)
        file_uses_read(u, spec->plugins[i]);
    for (uint32_t i = 0; i < spec->n_points; i++)
        note_machine(u, &spec->points[i], i ? &spec->points[i - 1] : NULL);
    file_uses_write(u, "--store", store);
}

enum heddle_status lab_open_store(const char *path, enum store_access how, struct store **out)
{
    enum heddle_status status = how == STORE_READ ? lab_check_readable(path) : HEDDLE_OK;
    *out = NULL;
    if (status != HEDDLE_OK)
        return status;
    status = store_open(path, how, out);
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&(*out)->error));
    return status;
}

/* A sweep with an estimate of its time before the first point has ended. */
struct watched_sweep {
    const struct lab_sweep *how;
    double expected_seconds; /* of all points to be run, one after the other; 0 = unknown */
};

/* Assumes that the remaining points take as long as those already run, with the same number at a
 * time. Before any has ended, assumes what such points took, or longer than the running ones have
 * already taken. */
static void add_time_left(const struct sweep_progress *p, double expected, struct strbuf *out)
{
    uint32_t n_left = p->n_points - p->n_run - p->n_stored;
    uint32_t n_running = p->n_running ? p->n_running : 1;
    double left;
    if (p->n_run)
        left = p->seconds / p->n_run * n_left;
    else if (expected > 0)
        left = expected / n_running - p->seconds;
    else
        left = p->seconds * ((n_left + n_running - 1) / n_running - 1);
    uint32_t seconds = left > 0 ? (uint32_t)(left + 0.5) : 0;
    bool is_bound = !p->n_run && expected <= 0;
    if (n_left && (seconds || !is_bound))
        strbuf_addf(out, ", %s%u:%02u left", is_bound ? "more than " : "", seconds / 60,
                    seconds % 60);
}

static void show_progress(void *user, const struct sweep_progress *p, const struct point *what)
{
    const struct watched_sweep *watched = user;
    const struct lab_sweep *how = watched->how;
    uint32_t n_done = p->n_run + p->n_stored;
    struct strbuf line = {0};
    if (how->store_path)
        strbuf_addf(&line,
                    "heddle: interrupted: %u of %u points are stored in %s; run the same command "
                    "again to continue\n",
                    n_done - p->n_given_up, p->n_points, how->store_path);
    else
        strbuf_addf(&line,
                    "heddle: interrupted: %u of %u points were done; they are lost, because there "
                    "is no --store\n",
                    n_done - p->n_given_up, p->n_points);
    output_set_farewell(strbuf_text(&line));
    strbuf_clear(&line);
    if (how->is_quiet) {
        strbuf_destroy(&line);
        return;
    }
    strbuf_addf(&line, "[%u/%u] %u running", n_done, p->n_points, p->n_running);
    if (p->n_failed)
        strbuf_addf(&line, ", %u failed", p->n_failed);
    add_time_left(p, watched->expected_seconds, &line);
    if (what) {
        strbuf_add(&line, "; ");
        point_describe(what, &line);
    }
    output_progress("%s", strbuf_text(&line));
    strbuf_destroy(&line);
}

/* One line each: the report of a deadlock may have hundreds. */
static void report_failures(const struct sweep_outcome *o, const char *store)
{
    bool has_more = false;
    for (uint32_t i = 0; i < o->n_failures; i++) {
        struct strbuf what = {0};
        const char *message = o->failures[i].message;
        size_t n = strcspn(message, "\n");
        has_more |= message[n] != 0;
        point_describe(o->failures[i].point, &what);
        output_error("%s: %.*s", strbuf_text(&what), (int)n, message);
        strbuf_destroy(&what);
    }
    if (has_more && !store)
        fprintf(stderr, "  with --store FILE the full messages are kept\n");
    else if (has_more)
        fprintf(stderr,
                "  full messages: heddle query --csv --store %s \"SELECT id, message FROM run "
                "WHERE state = 'failed'\"\n",
                store);
}

/* A line for one of the points that read data dropped by L2; only the first few are printed. */
static void warn_of_stale(const struct point *p, uint64_t n_reads, uint32_t n_before)
{
    enum { MOST = 8 };
    struct strbuf text = {0};
    if (n_before < MOST) {
        strbuf_add(&text, "warning: ");
        point_describe(p, &text);
        strbuf_addf(&text,
                    ": l2.stale_reads is %llu: a .cc annotation is unsound; `heddle run` names the "
                    "buffer\n",
                    (unsigned long long)n_reads);
    } else if (n_before == MOST) {
        strbuf_add(&text, "warning: further points have stale reads too: heddle query --store FILE "
                          "\"SELECT run, value FROM stats WHERE name = 'l2.stale_reads' AND value "
                          "> 0\"\n");
    }
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* Counts the points, run now or before, whose kernels or host read data dropped by L2. */
static enum heddle_status find_stale(struct store *s, const struct point *points, uint32_t n,
                                     uint32_t *n_stale)
{
    bool *is_first = xcalloc(n + 1, sizeof *is_first);
    enum heddle_status status = HEDDLE_OK;
    sweep_mark_different(points, n, is_first);
    for (uint32_t i = 0; i < n && status == HEDDLE_OK; i++) {
        enum store_state state = STORE_ABSENT;
        int64_t id;
        uint64_t n_reads = 0;
        if (is_first[i])
            status = sweep_find(s, &points[i], &state, &id);
        if (status == HEDDLE_OK && state == STORE_DONE)
            status = store_count(s, id, "l2.stale_reads", &n_reads);
        if (n_reads)
            warn_of_stale(&points[i], n_reads, (*n_stale)++);
    }
    free(is_first);
    return status;
}

static enum heddle_status print_summary(const struct lab_sweep *how, const struct sweep_progress *p,
                                        uint32_t n_stale)
{
    struct strbuf text = {0};
    strbuf_addf(&text, "%u point%s: %u run, %u stored before, %u failed", p->n_points,
                p->n_points == 1 ? "" : "s", p->n_run, p->n_stored, p->n_failed);
    if (n_stale)
        strbuf_addf(&text, ", %u with stale reads", n_stale);
    strbuf_addf(&text, "; results are in %s\n", how->store_path);
    if (p->n_given_up)
        strbuf_addf(&text,
                    "%u of them because of this machine (memory, disk): they run again next time\n",
                    p->n_given_up);
    if (p->n_failed > p->n_given_up && !how->retry)
        strbuf_add(&text, "--retry runs failed points again\n");
    return output_take(&text);
}

void lab_describe_estimate(const struct sweep_estimate *e, struct strbuf *out)
{
    uint32_t seconds = (uint32_t)(e->seconds + 0.5);
    strbuf_addf(out, "%u to run", e->n_to_run);
    if (seconds)
        strbuf_addf(out, "; such points took %u:%02u together, one after the other", seconds / 60,
                    seconds % 60);
}

/* Announces the work ahead and returns how long it may take. Later steps report errors of the
 * store. */
static double announce(struct store *s, const struct point *points, uint32_t n)
{
    struct sweep_estimate e = {0};
    struct strbuf text = {0};
    if (sweep_estimate(s, points, n, &e) == HEDDLE_OK && e.n_to_run) {
        lab_describe_estimate(&e, &text);
        output_note("%u point%s, %s", n, n == 1 ? "" : "s", strbuf_text(&text));
    }
    strbuf_destroy(&text);
    return e.seconds;
}

enum heddle_status lab_run_points(const struct lab_sweep *how, struct store *s,
                                  struct point *points, uint32_t n,
                                  const struct point_context *context)
{
    struct sweep_outcome outcome = {0};
    struct watched_sweep watched = {.how = how};
    const struct sweep_options options = {.program = "/proc/self/exe",
                                          .jobs = (uint32_t)how->jobs.value,
                                          .retry = how->retry,
                                          .traces = how->traces,
                                          .progress = show_progress,
                                          .progress_user = &watched};
    if (!how->is_quiet && isatty(STDERR_FILENO))
        watched.expected_seconds = announce(s, points, n);
    if (how->slurm) {
        how->slurm->progress = show_progress;
        how->slurm->progress_user = &watched;
    }
    enum heddle_status status = store_note_plugins(s);
    if (status == HEDDLE_OK)
        status = how->slurm ? slurm_run(s, points, n, how->slurm, &outcome)
                            : sweep_run(s, points, n, context, &options, &outcome);
    output_progress_end();
    output_set_farewell("");
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    report_failures(&outcome, how->store_path);
    uint32_t n_stale = 0;
    if (status == HEDDLE_OK && how->prints_summary) {
        status = find_stale(s, points, n, &n_stale);
        if (status != HEDDLE_OK)
            output_failure(strbuf_text(&s->error));
    }
    if (status == HEDDLE_OK && how->prints_summary && !how->is_quiet)
        status = print_summary(how, &outcome.counts, n_stale);
    if (n_stale && how->fails_on_stale)
        output_error("--fail-on-stale: %u point%s read data that L2 had dropped", n_stale,
                     n_stale == 1 ? "" : "s");
    if (status == HEDDLE_OK && (outcome.counts.n_failed || (n_stale && how->fails_on_stale)))
        status = HEDDLE_WRONG_RESULT;
    sweep_outcome_destroy(&outcome);
    return status;
}
