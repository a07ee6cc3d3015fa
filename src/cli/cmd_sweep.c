/* heddle sweep: runs the points of an experiment file into a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/table.h"
#include "lab/spec.h"
#include "lab/yaml_doc.h"

struct sweep_command {
    const char *store, *size, *gpu, *traces;
    const char *on;
    struct given_u64 jobs;
    struct text_list ids, sbatch;
    bool dry_run, list_points, retry, quiet, fail_on_stale;
};

static const struct option options[] = {
    OPTION_TEXT("store", struct sweep_command, store, "FILE",
                "the store of results, a SQLite file; created if missing"),
    OPTION_GIVEN("jobs", struct sweep_command, jobs, "N",
                 "points to run at a time; one per processor if not given"),
    OPTION_TEXT("size", struct sweep_command, size, "SIZE", "this size instead of the file's"),
    OPTION_TEXT("gpu", struct sweep_command, gpu, "GPU", "this GPU instead of the file's"),
    OPTION_TEXT("traces", struct sweep_command, traces, "FOLDER",
                "record a trace of each workload and input there, and replay it for further points "
                "where that is exact (doc/traces.md); replayed results are not verified"),
    OPTION_FLAG("dry-run", struct sweep_command, dry_run,
                "check the file and list its points; run nothing, write nothing"),
    OPTION_FLAG("list-points", struct sweep_command, list_points,
                "print a line for each point that is not in --store yet: its id, a tab, and a "
                "description; for your own engines (doc/scale-out.md)"),
    OPTION_LIST("run-point", struct sweep_command, ids, "ID",
                "run only this point of the file; may be repeated"),
    OPTION_TEXT("on", struct sweep_command, on, "slurm",
                "run the points as a job array of a Slurm cluster, --jobs tasks at a time "
                "(doc/scale-out.md)"),
    OPTION_LIST("sbatch", struct sweep_command, sbatch, "NAME=VALUE",
                "with --on slurm: an option of sbatch, such as partition=long; may be repeated"),
    OPTION_FLAG("retry", struct sweep_command, retry, "retry points that failed before"),
    OPTION_FLAG(
        "fail-on-stale", struct sweep_command, fail_on_stale,
        "exit with status 1 if a kernel or the host of any point reads data from DRAM that L2 had "
        "dropped: an annotation is unsound; without it, a warning names such points"),
    OPTION_FLAG("quiet", struct sweep_command, quiet, "print only errors"),
};

/* --- points for other engines --- */

enum { ID_CHARACTERS = 16 };

/* To be run: the store has no result, and no earlier point of the file has the same key. */
static enum heddle_status print_ids(const struct sweep_command *o, const struct spec *spec,
                                    struct store *s)
{
    struct strbuf text = {0};
    bool *is_first = xcalloc(spec->n_points + 1, sizeof *is_first);
    enum heddle_status status = HEDDLE_OK;
    sweep_mark_different(spec->points, spec->n_points, is_first);
    for (uint32_t i = 0; status == HEDDLE_OK && i < spec->n_points; i++) {
        const struct point *p = &spec->points[i];
        enum store_state state = STORE_ABSENT;
        int64_t id;
        if (s)
            status = sweep_find(s, p, &state, &id);
        if (!is_first[i] || state == STORE_DONE || (state == STORE_FAILED && !o->retry))
            continue;
        strbuf_addf(&text, "%.*s\t", ID_CHARACTERS, p->key);
        point_describe(p, &text);
        strbuf_add_char(&text, '\n');
    }
    free(is_first);
    if (status != HEDDLE_OK)
        output_failure(strbuf_text(&s->error));
    enum heddle_status printed = output_take(&text);
    return status == HEDDLE_OK ? printed : status;
}

static enum heddle_status list_ids(const struct sweep_command *o, const struct spec *spec)
{
    struct store *s = NULL;
    enum heddle_status status = HEDDLE_OK;
    if (o->store && lab_file_exists(o->store))
        status = lab_open_store(o->store, STORE_READ, &s);
    if (status == HEDDLE_OK)
        status = print_ids(o, spec, s);
    store_close(s);
    return status;
}

/* Keeps only the points that --run-point names, each once. */
static bool keep_named_points(const struct sweep_command *o, struct spec *spec, const char *path)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < o->ids.n; k++) {
        const char *id = o->ids.items[k];
        uint32_t i = n;
        while (i < spec->n_points && strncmp(spec->points[i].key, id, strlen(id)) != 0)
            i++;
        if (strlen(id) < ID_CHARACTERS || i == spec->n_points) {
            output_error("--run-point %s: %s has no such point; --list-points lists the ids, which "
                         "change with the file, an input or Heddle",
                         id, path);
            return false;
        }
        struct point chosen = spec->points[i];
        spec->points[i] = spec->points[n];
        spec->points[n++] = chosen;
    }
    spec->n_points = o->ids.n ? n : spec->n_points;
    return true;
}

/* --- running --- */

static enum heddle_status check_files(const struct sweep_command *o, const struct spec *spec,
                                      const char *path)
{
    struct file_uses uses = {0};
    file_uses_read(&uses, path);
    lab_note_files(&uses, spec, o->store);
    return file_uses_check(&uses);
}

/* The options that make the same points of the file again. */
static void add_changes(const struct sweep_command *o, struct point_words *words)
{
    if (o->size) {
        point_add_word(words, "--size");
        point_add_word(words, o->size);
    }
    if (o->gpu) {
        point_add_word(words, "--gpu");
        point_add_word(words, o->gpu);
    }
}

static enum heddle_status run_spec(const struct sweep_command *o, const struct spec *spec,
                                   const struct point_context *context, const char *path)
{
    char program[4096] = "", experiment[4096];
    struct point_words words = {.arena = &(struct arena){0}};
    struct slurm_options slurm = {.program = program,
                                  .experiment = experiment,
                                  .sbatch = o->sbatch.items,
                                  .n_sbatch = o->sbatch.n,
                                  .tasks = (uint32_t)o->jobs.value,
                                  .retry = o->retry};
    if (o->on) {
        if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 ||
            !realpath(path, experiment)) {
            output_error("%s: %s", path, strerror(errno));
            return HEDDLE_ENVIRONMENT;
        }
        add_changes(o, &words);
        slurm.words = words.items;
        slurm.n_words = words.n;
    }
    struct lab_sweep sweep = {.store_path = o->store,
                              .slurm = o->on ? &slurm : NULL,
                              .traces = o->traces,
                              .jobs = o->jobs,
                              .retry = o->retry,
                              .is_quiet = o->quiet,
                              .fails_on_stale = o->fail_on_stale,
                              .prints_summary = true};
    struct store *s = NULL;
    enum heddle_status status = lab_open_store(o->store, STORE_WRITE, &s);
    if (status == HEDDLE_OK)
        status = lab_run_points(&sweep, s, spec->points, spec->n_points, context);
    store_close(s);
    arena_destroy(words.arena);
    return status;
}

static bool check_options(const struct sweep_command *o)
{
    bool only_lists = o->dry_run || o->list_points;
    if (!o->store && !only_lists)
        output_error("heddle sweep needs a store for the results: --store FILE");
    else if (only_lists && o->ids.n)
        output_error(
            "--run-point runs points; --dry-run and --list-points do not: give only one of them");
    else if (o->on && strcmp(o->on, "slurm") != 0)
        output_error("--on %s: expected slurm", o->on);
    else if (o->on && (only_lists || o->ids.n || o->traces))
        output_error("--on slurm runs all missing points: not with --dry-run, --list-points, "
                     "--run-point or --traces");
    else if (only_lists && o->fail_on_stale)
        output_error("--fail-on-stale needs results: not with --dry-run or --list-points");
    else if (o->sbatch.n && !o->on)
        output_error("--sbatch needs --on slurm");
    else
        return true;
    return false;
}

static enum heddle_status run_sweep(const void *values, const struct text_list *operands)
{
    const struct sweep_command *o = values;
    const char *path = operands->items[0];
    if (!lab_check_jobs(&o->jobs) || !check_options(o))
        return HEDDLE_BAD_INPUT;
    struct strbuf text = {0};
    struct spec spec = {0};
    struct diag_list diags = {0};
    const struct spec_changes changes = {.size = o->size, .gpu = o->gpu};
    bool runs = !o->dry_run && !o->list_points;
    enum heddle_status status = yaml_file_read(path, &text, &diags);
    if (status == HEDDLE_OK && runs) /* before the points are made, which may compile kernels */
        status = check_files(o, &spec, path);
    if (status == HEDDLE_OK)
        status = spec_load(&spec, path, strbuf_text(&text), &changes, &diags);
    if (diags.n_errors)
        output_complaints(&diags);
    struct point_context context = spec_context(&spec, path, strbuf_text(&text));
    if (status == HEDDLE_OK && !keep_named_points(o, &spec, path))
        status = HEDDLE_BAD_INPUT;
    if (status == HEDDLE_OK && runs)
        status = check_files(o, &spec, path);
    if (status == HEDDLE_OK)
        status = o->dry_run       ? lab_list_points(o->store, &spec)
                 : o->list_points ? list_ids(o, &spec)
                                  : run_spec(o, &spec, &context, path);
    spec_destroy(&spec);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return status;
}

static const char *const examples[] = {
    "heddle sweep schedulers.yaml --store results.db",
    "runs every point of the file that results.db does not have yet",
    "heddle sweep schedulers.yaml --store results.db --dry-run",
    "lists the points, and which of them are stored",
    "heddle sweep schedulers.yaml --store results.db --size small --jobs 8",
    "the same experiment with larger inputs, eight points at a time",
    "heddle sweep schedulers.yaml --store results.db --on slurm --sbatch partition=long",
    "the same on a Slurm cluster",
    "heddle sweep schedulers.yaml --list-points",
    "ids of the points, to be run one by one with --run-point",
    NULL,
};

const struct command command_sweep = {
    .name = "sweep",
    .operands = "FILE",
    .summary = "run an experiment: workloads x GPUs x schedulers x policies x parameters x seeds",
    .description =
        "Runs the points of an experiment file (YAML, doc/experiments.md), several at a time, and "
        "stores every result. Points that are in the store are not run again, so an interrupted "
        "sweep resumes where it stopped. A point that fails is recorded with its message, and the "
        "sweep continues; the exit status is 1 if any point failed.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct sweep_command),
    .min_operands = 1,
    .max_operands = 1,
    .examples = examples,
    .run = run_sweep,
};
