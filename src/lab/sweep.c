#include "lab/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lab/model.h"
#include "lab/store_progress.h"
#include "lab/trace_pool.h"
#include "lab/workers.h"
#include "stats/host.h"

/* What remains to be done for a point. */
enum todo { TODO_RUN, TODO_WAIT /* another sweep runs it */, TODO_RUNNING, TODO_NOTHING };

struct sweep {
    struct store *store;
    struct point *points;
    enum todo *todo;
    uint32_t n;
    const struct point_context *context;
    const struct sweep_options *options;
    struct sweep_outcome *outcome;
    struct workers workers;
    struct trace_pool traces;
    enum trace_use *use;         /* by point: what its run does with a trace */
    struct program_files *files; /* by point: for a running program */
    bool *executes;              /* by point: its trace failed, so it is executed without one */
    uint32_t next;               /* points before it have been started or need nothing */
    double began;
};

enum { POLL_MILLISECONDS = 200 };

static void tell(struct sweep *w, const struct point *what)
{
    struct sweep_progress *p = &w->outcome->counts;
    p->n_running = w->workers.n_busy;
    p->seconds = host_now_seconds() - w->began;
    if (w->options->progress)
        w->options->progress(w->options->progress_user, p, what);
}

/* For observers of the store. */
static enum heddle_status note(struct sweep *w)
{
    const struct sweep_progress *p = &w->outcome->counts;
    return store_note_sweep(w->store, &(struct store_progress){.n_points = p->n_points,
                                                               .n_done = p->n_stored + p->n_run,
                                                               .n_run = p->n_run,
                                                               .n_running = w->workers.n_busy,
                                                               .seconds = p->seconds});
}

/* --- existing results --- */

static int compare_keys(const void *a, const void *b)
{
    const struct point *const *x = a, *const *y = b;
    int order = strcmp((*x)->key, (*y)->key);
    return order ? order : (*x > *y) - (*x < *y);
}

uint32_t sweep_mark_different(const struct point *points, uint32_t n, bool *is_first)
{
    const struct point **sorted = xcalloc(n + 1, sizeof *sorted);
    uint32_t n_different = 0;
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = &points[i];
    qsort(sorted, n, sizeof *sorted, compare_keys);
    for (uint32_t i = 0; i < n; i++) {
        bool is_new = i == 0 || strcmp(sorted[i - 1]->key, sorted[i]->key) != 0;
        is_first[sorted[i] - points] = is_new;
        n_different += is_new;
    }
    free(sorted);
    return n_different;
}

static void drop_twins(struct sweep *w)
{
    bool *is_first = xcalloc(w->n + 1, sizeof *is_first);
    sweep_mark_different(w->points, w->n, is_first);
    for (uint32_t i = 0; i < w->n; i++)
        if (!is_first[i])
            w->todo[i] = TODO_NOTHING;
    free(is_first);
}

void sweep_add_failure(struct sweep_outcome *o, const struct point *p, const char *message)
{
    ARRAY_RESERVE(o->failures, o->cap_failures, o->n_failures + 1);
    o->failures[o->n_failures++] = (struct sweep_failure){p, strdup(message)};
    o->counts.n_failed++;
}

static void add_failure(struct sweep *w, const struct point *p, const char *message)
{
    sweep_add_failure(w->outcome, p, message);
}

enum heddle_status sweep_find(struct store *s, const struct point *p, enum store_state *state,
                              int64_t *id)
{
    enum heddle_status status = store_find(s, p->key, state, id);
    if (status != HEDDLE_OK || *state == STORE_DONE || strcmp(p->key, p->failure_key) == 0)
        return status;
    return store_find(s, p->failure_key, state, id);
}

static enum heddle_status look_up(struct sweep *w, uint32_t i)
{
    enum store_state state;
    int64_t id;
    enum heddle_status status = sweep_find(w->store, &w->points[i], &state, &id);
    if (status != HEDDLE_OK || state == STORE_ABSENT)
        return status;
    if (state == STORE_FAILED && w->options->retry)
        return HEDDLE_OK;
    w->todo[i] = TODO_NOTHING;
    if (state == STORE_DONE) {
        w->outcome->counts.n_stored++;
        return HEDDLE_OK;
    }
    struct strbuf message = {0};
    status = store_message(w->store, id, &message);
    add_failure(w, &w->points[i], strbuf_text(&message));
    strbuf_destroy(&message);
    return status;
}

/* --- running --- */

/* What to run: the workload, possibly recording a trace, or a trace of it. For a program, only what
 * to measure, because the program follows the options. */
static void add_program(struct sweep *w, uint32_t i, struct point_words *words)
{
    const struct point *p = &w->points[i];
    const char *trace = NULL;
    if (p->program) {
        program_add_options(&w->files[i], words);
        return;
    }
    w->use[i] = w->executes[i] || p->kernel || point_is_idle(p)
                    ? TRACE_UNUSED
                    : trace_pool_use(&w->traces, p, words->arena, &trace);
    if (w->use[i] != TRACE_UNUSED) {
        point_add_word(words, w->use[i] == TRACE_REPLAY ? "--replay" : "--record");
        point_add_word(words, trace);
    }
    if (w->use[i] != TRACE_REPLAY)
        point_program_words(p, words);
}

static const char **command_of(struct sweep *w, uint32_t at, struct arena *arena)
{
    const struct point *p = &w->points[at];
    struct point_words words = {.arena = arena};
    point_add_word(&words, w->options->program);
    point_add_word(&words, p->program ? "exec" : "run");
    add_program(w, at, &words);
    if (!p->program)
        point_add_word(&words, "--json");
    point_machine_words(p, w->context, &words);
    if (p->program)
        program_add_command(p->program, &words);
    return words.items;
}

/* A run reads the plug-ins, GPU files and kernels as they are when it starts, but its result is
 * stored under the key of those files as they were when the sweep began. So none may change. */
static enum heddle_status check_inputs(struct sweep *w)
{
    const char *changed = w->context->files ? file_marks_changed(w->context->files) : NULL;
    if (!changed)
        return HEDDLE_OK;
    const struct sweep_progress *p = &w->outcome->counts;
    strbuf_clear(&w->store->error);
    strbuf_addf(&w->store->error,
                "%s has changed since the sweep began, so the sweep stops: %u of %u points are "
                "stored, with the file as it was; run the same command again to run the points "
                "with the file as it is\n",
                changed, p->n_run + p->n_stored - p->n_given_up, p->n_points);
    return HEDDLE_ENVIRONMENT;
}

static enum heddle_status start_point(struct sweep *w, uint32_t i)
{
    bool claimed;
    enum heddle_status status = check_inputs(w);
    if (status == HEDDLE_OK)
        status = store_claim(w->store, w->points[i].key, &claimed);
    if (status != HEDDLE_OK)
        return status;
    if (!claimed) {
        w->todo[i] = TODO_WAIT;
        return HEDDLE_OK;
    }
    struct arena arena = {0};
    bool started = (!w->points[i].program || program_files_open(&w->files[i])) &&
                   workers_start(&w->workers, i, command_of(w, i, &arena));
    arena_destroy(&arena);
    if (started) {
        w->todo[i] = TODO_RUNNING;
        return HEDDLE_OK;
    }
    strbuf_clear(&w->store->error);
    strbuf_addf(&w->store->error, "cannot start another process: %s\n", strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

static enum heddle_status start_some(struct sweep *w)
{
    enum heddle_status status = HEDDLE_OK;
    while (status == HEDDLE_OK && w->next < w->n && w->workers.n_busy < w->workers.n) {
        uint32_t i = w->next++;
        if (w->todo[i] == TODO_RUN)
            status = start_point(w, i);
    }
    return status;
}

/* Why a run failed, in its own words if there are any. */
static void explain(const struct worker_end *e, struct strbuf *out)
{
    if (e->exit_status > 128)
        strbuf_addf(out, "it crashed: signal %d (%s)", e->exit_status - 128,
                    strsignal(e->exit_status - 128));
    else if (e->exit_status == 0 && !out->len)
        strbuf_add(out, "it ended without a result");
    if (e->err.len)
        strbuf_addf(out, "%s%s", out->len ? "; " : "", strbuf_text(&e->err));
    while (out->len && out->text[out->len - 1] == '\n')
        out->text[--out->len] = 0;
}

/* Out of memory, killed, a file could not be written: reasons that need not occur again on another
 * host or another day. */
static bool is_of_the_host(const struct worker_end *e)
{
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (e->exit_status == 128 + signals[i])
            return true;
    return e->exit_status == HEDDLE_ENVIRONMENT || e->exit_status == 127;
}

/* Reported, but not stored: the next sweep retries it. */
static enum heddle_status give_up(struct sweep *w, const struct worker_end *e)
{
    struct strbuf message = {0};
    explain(e, &message);
    add_failure(w, &w->points[e->job], strbuf_text(&message));
    w->outcome->counts.n_given_up++;
    strbuf_destroy(&message);
    return store_release(w->store, w->points[e->job].key);
}

static enum heddle_status keep_result(struct sweep *w, struct worker_end *e)
{
    const struct point *p = &w->points[e->job];
    struct strbuf settings = {0}, message = {0}, scheduler = {0}, l1d = {0}, inputs = {0},
                  command = {0}, of_program = {0};
    if (p->program)
        program_document(&w->files[e->job], p, e, &of_program, &message);
    else if (p->kernel && strbuf_text(&e->out)[0] == '{')
        program_name_document(p, NULL, strbuf_text(&e->out), &of_program);
    const char *document = strbuf_text(of_program.len || p->program ? &of_program : &e->out);
    bool is_whole = store_is_result(w->store, document);
    int exit_status = e->exit_status == 0 && !is_whole ? HEDDLE_ENVIRONMENT : e->exit_status;
    point_settings(p, &settings);
    point_inputs(p, &inputs);
    point_command(p, w->context, &command);
    if (exit_status)
        explain(e, &message);
    struct store_result r = {
        .key = p->key,
        .failure_key = p->failure_key,
        .document = is_whole ? document : NULL,
        .workload = p->workload->name,
        .size = p->size->name,
        .seed = p->seed,
        .gpu = p->gpu.text,
        .scheduler = point_coordinate(p, "scheduler", &scheduler) ? strbuf_text(&scheduler) : NULL,
        .l1d = point_coordinate(p, "l1d", &l1d) ? strbuf_text(&l1d) : NULL,
        .settings = strbuf_text(&settings),
        .inputs = strbuf_text(&inputs),
        .command = strbuf_text(&command),
        .model = model_engine_version(),
        .exit_status = exit_status,
        .message = message.len ? strbuf_text(&message) : NULL,
        .seconds = e->seconds,
    };
    int64_t id;
    enum heddle_status status = HEDDLE_OK;
    if (p->program && !exit_status)
        status = program_keep_launches(&w->files[e->job], p, w->store);
    if (status == HEDDLE_OK)
        status = store_put(w->store, &r, &id);
    if (status == HEDDLE_OK && exit_status) {
        strbuf_clear(&message);
        status = store_message(w->store, id, &message);
        add_failure(w, p, strbuf_text(&message));
    }
    strbuf_destroy(&settings);
    strbuf_destroy(&message);
    strbuf_destroy(&scheduler);
    strbuf_destroy(&l1d);
    strbuf_destroy(&of_program);
    strbuf_destroy(&inputs);
    strbuf_destroy(&command);
    return status;
}

/* False if the run must be repeated: a run that used a trace may have failed because of it. After a
 * replay the trace is recorded again; after a recording the point executes without one. */
static bool trace_is_done_with(struct sweep *w, const struct worker_end *e)
{
    enum trace_use use = w->use[e->job];
    bool failed = e->exit_status != 0;
    if (use == TRACE_RECORD)
        trace_pool_recorded(&w->traces, &w->points[e->job]);
    if (use == TRACE_REPLAY && failed)
        trace_pool_distrust(&w->traces, &w->points[e->job]);
    w->executes[e->job] = use == TRACE_RECORD && failed;
    return use == TRACE_UNUSED || !failed;
}

static enum heddle_status finish_some(struct sweep *w)
{
    struct worker_end end;
    if (!workers_wait(&w->workers, POLL_MILLISECONDS, &end)) {
        tell(w, NULL);
        return HEDDLE_OK;
    }
    enum heddle_status status = check_inputs(w);
    bool is_final = trace_is_done_with(w, &end);
    w->todo[end.job] = is_final ? TODO_NOTHING : TODO_WAIT;
    if (status == HEDDLE_OK && is_final)
        status = is_of_the_host(&end) ? give_up(w, &end) : keep_result(w, &end);
    strbuf_destroy(&end.out);
    strbuf_destroy(&end.err);
    program_files_close(&w->files[end.job]);
    if (status == HEDDLE_OK && is_final) {
        w->outcome->counts.n_run++;
        tell(w, &w->points[end.job]);
        status = note(w);
    }
    return status;
}

/* Points that another sweep was running: done by now, or to be taken over. True while some are
 * left. */
static bool revisit(struct sweep *w, enum heddle_status *status)
{
    bool some_left = false;
    for (uint32_t i = 0; *status == HEDDLE_OK && i < w->n; i++) {
        if (w->todo[i] != TODO_WAIT)
            continue;
        w->todo[i] = TODO_RUN;
        *status = look_up(w, i);
        if (*status == HEDDLE_OK && w->todo[i] == TODO_RUN && w->workers.n_busy < w->workers.n)
            *status = start_point(w, i);
        else if (w->todo[i] == TODO_RUN)
            w->todo[i] = TODO_WAIT;
        some_left |= w->todo[i] == TODO_WAIT;
    }
    return some_left;
}

static enum heddle_status run_all(struct sweep *w)
{
    enum heddle_status status = HEDDLE_OK;
    bool some_wait = true;
    while (status == HEDDLE_OK && (some_wait || w->workers.n_busy || w->next < w->n)) {
        status = start_some(w);
        some_wait = status == HEDDLE_OK && w->next == w->n && revisit(w, &status);
        if (status == HEDDLE_OK && (w->workers.n_busy || some_wait))
            status = finish_some(w);
    }
    return status;
}

static void output_differs(void *user, const struct point *p, const char *message)
{
    add_failure(user, p, message);
}

static int compare_failures(const void *a, const void *b)
{
    const struct sweep_failure *x = a, *y = b;
    return (x->point > y->point) - (x->point < y->point);
}

void sweep_sort_failures(struct sweep_outcome *o)
{
    qsort(o->failures, o->n_failures, sizeof *o->failures, compare_failures);
}

static enum heddle_status open_traces(struct sweep *w)
{
    if (trace_pool_create(&w->traces, w->options->traces))
        return HEDDLE_OK;
    strbuf_clear(&w->store->error);
    strbuf_addf(&w->store->error, "cannot create the folder %s: %s\n", w->options->traces,
                strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

enum heddle_status sweep_run(struct store *s, struct point *points, uint32_t n,
                             const struct point_context *context,
                             const struct sweep_options *options, struct sweep_outcome *outcome)
{
    struct sweep w = {.store = s,
                      .points = points,
                      .todo = xcalloc(n + 1, sizeof *w.todo),
                      .use = xcalloc(n + 1, sizeof *w.use),
                      .files = xcalloc(n + 1, sizeof *w.files),
                      .executes = xcalloc(n + 1, sizeof *w.executes),
                      .n = n,
                      .context = context,
                      .options = options,
                      .outcome = outcome,
                      .began = host_now_seconds()};
    enum heddle_status status = open_traces(&w);
    drop_twins(&w);
    for (uint32_t i = 0; status == HEDDLE_OK && i < n; i++)
        if (w.todo[i] == TODO_RUN) {
            outcome->counts.n_points++;
            status = look_up(&w, i);
        }
    workers_create(&w.workers, options->jobs ? options->jobs : workers_processors());
    if (status == HEDDLE_OK) {
        tell(&w, NULL);
        status = note(&w);
    }
    if (status == HEDDLE_OK)
        status = run_all(&w);
    if (status == HEDDLE_OK)
        status = store_end_sweep(s);
    if (status == HEDDLE_OK)
        status = program_compare_outputs(s, points, n, output_differs, &w);
    if (status == HEDDLE_OK)
        status = store_check_place(s);
    workers_destroy(&w.workers);
    for (uint32_t i = 0; i < n; i++)
        program_files_close(&w.files[i]);
    if (outcome->n_failures)
        sweep_sort_failures(outcome);
    trace_pool_destroy(&w.traces);
    free(w.todo);
    free(w.use);
    free(w.files);
    free(w.executes);
    return status;
}

void sweep_outcome_destroy(struct sweep_outcome *o)
{
    for (uint32_t i = 0; i < o->n_failures; i++)
        free(o->failures[i].message);
    free(o->failures);
    *o = (struct sweep_outcome){0};
}
