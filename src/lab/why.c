#include "lab/why.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "base/folder.h"
#include "lab/store_internal.h"

/* How often a run is sampled; steps are made of these samples. */
#define SAMPLE_CYCLES "1000"

/* --- the runs, each writing two files into a temporary folder --- */

struct files {
    char *folder, *json[WHY_SIDES], *csv[WHY_SIDES];
};

static bool make_folder(struct files *f, struct arena *arena, struct strbuf *error)
{
    f->folder = folder_make(arena, "why", error);
    if (!f->folder)
        return false;
    for (int i = 0; i < WHY_SIDES; i++) {
        f->json[i] = arena_printf(arena, "%s/%d.json", f->folder, i);
        f->csv[i] = arena_printf(arena, "%s/%d.csv", f->folder, i);
    }
    return true;
}

/* In the child: `heddle run WORDS --json --attribute --locality --series N --series-out CSV >JSON`.
 */
static void become_run(const char *program, const wordexp_t *words, const struct files *f, int side,
                       pid_t parent)
{
    const char *const more[] = {"--json",      "--attribute",  "--locality", "--series",
                                SAMPLE_CYCLES, "--series-out", f->csv[side]};
    enum { N_MORE = sizeof more / sizeof more[0] };
    const char **argv = xcalloc(words->we_wordc + N_MORE + 3, sizeof *argv);
    size_t n = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    argv[n++] = program;
    argv[n++] = "run";
    for (size_t i = 0; i < words->we_wordc; i++)
        argv[n++] = words->we_wordv[i];
    for (size_t i = 0; i < N_MORE; i++)
        argv[n++] = more[i];
    int out = open(f->json[side], O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(HEDDLE_ENVIRONMENT);
    execv(program, (char *const *)argv);
    _exit(127);
}

static enum heddle_status start_run(const char *program, const char *run, const struct files *f,
                                    int side, pid_t *pid, struct strbuf *error)
{
    wordexp_t words;
    if (wordexp(run, &words, WRDE_NOCMD) != 0 || words.we_wordc == 0) {
        strbuf_addf(error,
                    "cannot split '%s' into words; write it as for heddle run: 'kmn --size tiny'\n",
                    run);
        return HEDDLE_BAD_INPUT;
    }
    pid_t parent = getpid();
    *pid = fork();
    if (*pid == 0)
        become_run(program, &words, f, side, parent);
    wordfree(&words);
    if (*pid > 0)
        return HEDDLE_OK;
    strbuf_addf(error, "cannot start a process: %s\n", strerror(errno));
    return HEDDLE_ENVIRONMENT;
}

/* A failed workload run gives the reason in its result; others have printed it already. */
static void explain_failure(const char *path, const char *run, int side, struct strbuf *error)
{
    static const char sql[] = "SELECT json_extract(:text, '$.error')";
    struct strbuf text = {0};
    struct store *s = NULL;
    bool is_there = strbuf_read_file(&text, path) == 0 && text.len &&
                    store_open(NULL, STORE_MEMORY, &s) == HEDDLE_OK;
    sqlite3_stmt *q = is_there ? store_prepare(s, sql) : NULL;
    if (q)
        store_bind_text(q, ":text", strbuf_text(&text));
    if (q && sqlite3_step(q) == SQLITE_ROW) {
        const char *why = (const char *)sqlite3_column_text(q, 0);
        strbuf_addf(error, "%c did not run to its end, so there is nothing to compare: %s\n  %s\n",
                    'A' + side, run, why ? why : "its result is wrong");
    }
    sqlite3_finalize(q);
    store_close(s);
    strbuf_destroy(&text);
}

/* Both run concurrently. */
static enum heddle_status do_runs(const char *program, const char *const runs[WHY_SIDES],
                                  const struct files *f, struct strbuf *error)
{
    pid_t pids[WHY_SIDES] = {0};
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; status == HEDDLE_OK && i < WHY_SIDES; i++)
        status = start_run(program, runs[i], f, i, &pids[i], error);
    for (int i = 0; i < WHY_SIDES; i++) {
        int ended = 0;
        if (pids[i] <= 0)
            continue;
        if (status != HEDDLE_OK)
            kill(pids[i], SIGKILL);
        waitpid(pids[i], &ended, 0);
        if (status != HEDDLE_OK)
            continue;
        status = WIFEXITED(ended) ? (enum heddle_status)WEXITSTATUS(ended) : HEDDLE_ENVIRONMENT;
        if (WIFSIGNALED(ended))
            strbuf_addf(error, "%c crashed: signal %d (%s)\n", 'A' + i, WTERMSIG(ended),
                        strsignal(WTERMSIG(ended)));
        else if (status != HEDDLE_OK)
            explain_failure(f->json[i], runs[i], i, error);
    }
    return status;
}

/* --- their time --- */

enum column { CYCLE, LOADS, HITS, MERGES, BYPASSES, RESIDENT, MAY_LOAD, VTA_HITS, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"cycle",
                                                    "l1d.loads",
                                                    "l1d.hits",
                                                    "l1d.merges",
                                                    "l1d.bypasses",
                                                    "resident_warps",
                                                    "scheduler.warps_may_load",
                                                    "scheduler.vta_hits"};

/* The selected columns of a row, in the order of column_names. */
static void read_row(char *line, const int *at, double *row)
{
    int i = 0;
    for (char *field; (field = strsep(&line, ",")); i++)
        for (int k = 0; k < N_COLUMNS; k++)
            if (at[k] == i)
                row[k] = strtod(field, NULL);
}

static void find_columns(char *titles, int *at)
{
    int i = 0;
    for (char *title; (title = strsep(&titles, ",")); i++)
        for (int k = 0; k < N_COLUMNS; k++)
            if (!strcmp(title, column_names[k]))
                at[k] = i;
}

/* Sums of the rows of a step. */
struct sums {
    double of[N_COLUMNS], n;
};

static void add_row(struct sums *s, const double *row)
{
    s->n++;
    for (int k = 0; k < N_COLUMNS; k++)
        s->of[k] += row[k];
}

static struct why_step step_of(const struct sums *s)
{
    double asked = s->of[LOADS] - s->of[BYPASSES], n = s->n > 0 ? s->n : 1;
    return (struct why_step){.hit_rate = asked > 0 ? (s->of[HITS] + s->of[MERGES]) / asked : 0,
                             .resident_warps = s->of[RESIDENT] / n,
                             .warps_may_load = s->of[MAY_LOAD] / n,
                             .vta_hits = (uint64_t)s->of[VTA_HITS]};
}

/* A row belongs to the step that contains its last cycle. */
static void read_steps(char *text, double end_cycle, struct why_side *side)
{
    struct sums steps[WHY_STEPS] = {0}, whole = {0};
    int at[N_COLUMNS];
    memset(at, -1, sizeof at);
    char *line = strsep(&text, "\n");
    find_columns(line, at);
    while ((line = strsep(&text, "\n")) && *line) {
        double row[N_COLUMNS] = {0};
        read_row(line, at, row);
        if (at[MAY_LOAD] < 0) /* a scheduler without this statistic holds back no warp */
            row[MAY_LOAD] = row[RESIDENT];
        uint32_t step = (uint32_t)((row[CYCLE] - 1) * WHY_STEPS / end_cycle);
        add_row(&steps[step < WHY_STEPS ? step : WHY_STEPS - 1], row);
        add_row(&whole, row);
    }
    for (int i = 0; i < WHY_STEPS; i++)
        side->steps[i] = step_of(&steps[i]);
    side->whole = step_of(&whole);
}

static enum heddle_status read_side(const struct files *f, int i, struct why *out,
                                    struct strbuf *error)
{
    struct why_side *side = &out->sides[i];
    struct strbuf text = {0};
    enum heddle_status status = result_set_read(NULL, f->json[i], &side->set, &out->arena, error);
    const struct result_stat *end =
        status == HEDDLE_OK ? result_find(&side->set.items[0], "elapsed_cycles") : NULL;
    if (status == HEDDLE_OK && (!end || strbuf_read_file(&text, f->csv[i]) != 0)) {
        strbuf_add(error, "only runs with timing, of one workload each, can be compared\n");
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        read_steps(text.text, end->value, side);
    strbuf_destroy(&text);
    return status;
}

enum heddle_status why_find(const char *program, const char *const runs[WHY_SIDES], struct why *out,
                            struct strbuf *error)
{
    struct files f;
    if (!make_folder(&f, &out->arena, error))
        return HEDDLE_ENVIRONMENT;
    enum heddle_status status = do_runs(program, runs, &f, error);
    for (int i = 0; status == HEDDLE_OK && i < WHY_SIDES; i++)
        status = read_side(&f, i, out, error);
    folder_remove(f.folder); /* includes files that a killed run has left */
    return status;
}

void why_destroy(struct why *w)
{
    for (int i = 0; i < WHY_SIDES; i++)
        free(w->sides[i].set.items);
    arena_destroy(&w->arena);
}
