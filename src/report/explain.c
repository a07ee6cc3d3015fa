#include "report/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "base/folder.h"
#include "lab/workers.h"
#include "report/report_internal.h"
#include "report/thin.h"

/* Rows of a time series, and the number of first cycles of a timeline: one SM's are 100 to 300 MB
 * on disk before they are thinned. */
enum { SERIES_ROWS = 400, TIMELINE_CYCLES = 400000 };

struct explained {
    struct arena arena;
    const struct explain_options *options;
    int64_t id;
    const char *command;
    uint64_t cycles;
    bool has_series;
    char *folder;
    const char *recording, *timeline; /* files in it */
    struct strbuf *error;
};

/* --- from the store --- */

static enum heddle_status find_result(struct store *s, struct explained *e)
{
    struct query_answer a = {0};
    struct strbuf sql = {0};
    strbuf_addf(&sql,
                "SELECT r.command, (SELECT value FROM stats WHERE run = r.id AND name = 'cycles'),"
                " EXISTS (SELECT 1 FROM series_value WHERE run = r.id) FROM run r"
                " WHERE r.state = 'done' AND r.id = %" PRId64,
                e->id);
    enum heddle_status status = report_query(s, strbuf_text(&sql), &a);
    if (status != HEDDLE_OK)
        strbuf_add(e->error, strbuf_text(&s->error));
    else if (!a.n_cells)
        strbuf_addf(e->error, "%s has no result %" PRId64 "; `heddle query` lists their ids\n",
                    s->path, e->id);
    else if (a.cells[0].kind != CELL_TEXT)
        strbuf_addf(e->error,
                    "result %" PRId64 " was stored without its command and cannot be repeated\n",
                    e->id);
    else if (a.cells[1].kind != CELL_INTEGER)
        strbuf_addf(e->error, "result %" PRId64 " is of a run without timing\n", e->id);
    else {
        e->command = arena_strdup(&e->arena, a.cells[0].text);
        e->cycles = (uint64_t)a.cells[1].integer;
        e->has_series = a.cells[2].integer != 0;
    }
    query_answer_destroy(&a);
    strbuf_destroy(&sql);
    return status == HEDDLE_OK && !e->command ? HEDDLE_BAD_INPUT : status;
}

/* --- programs --- */

static void tell(const struct explained *e, const char *doing, double seconds)
{
    if (e->options->progress)
        e->options->progress(e->options->progress_user, e->id, doing, seconds);
}

/* Runs a program to completion and adds its output to `out`. */
static enum heddle_status run_program(struct explained *e, const char *const *argv,
                                      const char *doing, struct strbuf *out)
{
    struct workers w;
    struct worker_end end = {0};
    workers_create(&w, 1);
    if (!workers_start(&w, 0, argv)) {
        strbuf_addf(e->error, "cannot start %s: %s\n", argv[0], strerror(errno));
        workers_destroy(&w);
        return HEDDLE_ENVIRONMENT;
    }
    double seconds = 0;
    for (tell(e, doing, 0); !workers_wait(&w, 500, &end); tell(e, doing, seconds))
        seconds += 0.5;
    bool ok = end.exit_status == 0;
    if (ok)
        strbuf_add_n(out, strbuf_text(&end.out), end.out.len);
    else
        strbuf_addf(e->error, "result %" PRId64 " cannot be repeated: %s\n%s", e->id, e->command,
                    strbuf_text(&end.err));
    strbuf_destroy(&end.out);
    strbuf_destroy(&end.err);
    workers_destroy(&w);
    return ok ? HEDDLE_OK : HEDDLE_WRONG_RESULT;
}

/* The command of the result, "heddle run ...", with the options for what to measure. */
static enum heddle_status run_again(struct explained *e, struct strbuf *document)
{
    wordexp_t words;
    if (wordexp(e->command, &words, WRDE_NOCMD) != 0 || words.we_wordc < 3) {
        strbuf_addf(e->error, "cannot split '%s' into words\n", e->command);
        return HEDDLE_BAD_INPUT;
    }
    uint64_t period = e->cycles / SERIES_ROWS + 1;
    const char *more[] = {"--json",
                          "--attribute",
                          "--per-pc",
                          "--record-l1d",
                          e->recording,
                          "--timeline",
                          e->timeline,
                          "--timeline-sms",
                          "0",
                          "--timeline-cycles",
                          arena_printf(&e->arena, "0-%d", TIMELINE_CYCLES),
                          "--series",
                          arena_printf(&e->arena, "%" PRIu64, period)};
    size_t n_more = sizeof more / sizeof more[0] - (e->has_series ? 2 : 0);
    const char **argv = ARENA_ARRAY(&e->arena, const char *, words.we_wordc + n_more + 1);
    size_t n = 0;
    argv[n++] = e->options->program;
    for (size_t i = 1; i < words.we_wordc; i++)
        if (strcmp(words.we_wordv[i], "--attribute") != 0 &&
            strcmp(words.we_wordv[i], "--per-pc") != 0 && strcmp(words.we_wordv[i], "--json") != 0)
            argv[n++] = words.we_wordv[i];
    for (size_t i = 0; i < n_more; i++)
        argv[n++] = more[i];
    enum heddle_status status = run_program(e, argv, "running it again", document);
    wordfree(&words);
    return status;
}

static enum heddle_status measure_reuse(struct explained *e, struct strbuf *out)
{
    const char *const argv[] = {e->options->program, "cache",           "reuse",  e->recording,
                                "--ranges",          "0,4,8,16,64,256", "--json", NULL};
    return run_program(e, argv, "measuring reuse distances", out);
}

static bool make_folder(struct explained *e)
{
    e->folder = folder_make(&e->arena, "explain", e->error);
    if (!e->folder)
        return false;
    e->recording = arena_printf(&e->arena, "%s/l1d.zst", e->folder);
    e->timeline = arena_printf(&e->arena, "%s/timeline.json", e->folder);
    return true;
}

/* --- all of it --- */

/* The run's document, an object, with two additional members. */
static void join(struct strbuf *document, const struct strbuf *reuse, const struct strbuf *timeline)
{
    char *end = strrchr(document->text, '}');
    document->len = (size_t)(end - document->text);
    strbuf_addf(document, ",\"reuse\":%s,\"timeline\":%s}", strbuf_text(reuse),
                strbuf_text(timeline));
}

static enum heddle_status explain(struct store *s, struct explained *e)
{
    struct strbuf document = {0}, reuse = {0}, timeline = {0};
    enum heddle_status status = find_result(s, e);
    if (status == HEDDLE_OK && !make_folder(e))
        status = HEDDLE_ENVIRONMENT;
    if (status == HEDDLE_OK)
        status = run_again(e, &document);
    if (status == HEDDLE_OK && !store_is_result(s, strbuf_text(&document))) {
        strbuf_addf(e->error, "result %" PRId64 " consists of several runs\n", e->id);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = measure_reuse(e, &reuse);
    if (status == HEDDLE_OK)
        status = thin_timeline(e->timeline, &timeline, e->error);
    if (status == HEDDLE_OK) {
        join(&document, &reuse, &timeline);
        status = store_extend(s, e->id, strbuf_text(&document));
        if (status != HEDDLE_OK)
            strbuf_add(e->error, strbuf_text(&s->error));
    }
    strbuf_destroy(&document);
    strbuf_destroy(&reuse);
    strbuf_destroy(&timeline);
    return status;
}

enum heddle_status report_explain(struct store *s, int64_t id, const struct explain_options *o,
                                  struct strbuf *error)
{
    struct explained e = {.options = o, .id = id, .error = error};
    enum heddle_status status = explain(s, &e);
    folder_remove(e.folder);
    arena_destroy(&e.arena);
    return status;
}
