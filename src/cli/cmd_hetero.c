/* heddle hetero: HeteroPDP's predictor, step by step. */
#include <string.h>

#include "cli/command.h"
#include "cli/hetero.h"
#include "cli/output.h"
#include "cli/table.h"

static const struct option options[] = {
    OPTION_FLAG("json", struct hetero_options, json, "print JSON instead of text"),
    OPTION_TEXT("model", struct hetero_options, model, "NAME|FILE",
                "with predict: a shipped model (`heddle hetero models`) or a model file; with "
                "mixes: a folder of models, those of the testbed if not given"),
    OPTION_TEXT("features", struct hetero_options, features, "FILE",
                "with predict: JSON, one object per prediction, with a number for each feature of "
                "the model"),
    OPTION_TEXT("out", struct hetero_options, out, "FILE|FOLDER",
                "with train: the model file to write; with --machine, the folder for rows and "
                "models; with rows, the folder whose files receive rows"),
    OPTION_FLAG("machine", struct hetero_options, machine,
                "with train: measure the workloads that are not S3's, or those named, on this "
                "machine's OpenCL CPU device and on the simulated GPU, and fit a model for each"),
    OPTION_TEXT("natives", struct hetero_options, natives, "FILE",
                "with train --machine: native programs that run at the same time (doc/hetero.md), "
                "for co-located models; existing rows in the folder are kept"),
    OPTION_TEXT("gpu", struct hetero_options, gpu, "GPU",
                "with train --machine: the simulated GPU; gtx480 if not given"),
    OPTION_GIVEN("folds", struct hetero_options, folds, "N",
                 "with train: number of folds of the cross-validation, 7 if not given; 0 fits all "
                 "rows without it"),
    OPTION_GIVEN("passes", struct hetero_options, passes, "N",
                 "with train: how often kernels are distributed to folds, 32 if not given"),
    OPTION_GIVEN("seed", struct hetero_options, seed, "N",
                 "with train: seed of the shuffle before each pass, 1 if not given; with features "
                 "of a workload: seed of its input"),
    OPTION_FLAG("no-prune", struct hetero_options, no_prune, "with train: keep every kernel"),
    OPTION_FLAG("no-pairs", struct hetero_options, no_pairs,
                "with train: a term for each feature, none for pairs of features"),
    OPTION_TEXT("size", struct hetero_options, size, "SIZE",
                "with run and features of a workload: its input size; small if not given. With "
                "rows and train --machine: the size of all workloads; tiny if not given"),
    OPTION_GIVEN("threads", struct hetero_options, threads, "N",
                 "with features of a file: the work-items of the launch"),
    OPTION_GIVEN("buffer", struct hetero_options, buffer, "BYTES",
                 "with features of a file: the total bytes of the distinct buffers"),
    OPTION_GIVEN("llc", struct hetero_options, llc, "BYTES",
                 "with bubble: the size of this machine's last-level cache, if it is not known"),
    OPTION_GIVEN("repeats", struct hetero_options, repeats, "N",
                 "with bubble: how often the program runs beside each bubble; the shortest time "
                 "counts; 3 if not given"),
    OPTION_TEXT("on", struct hetero_options, on, "cmp|gpu",
                "with run: the only target; both if not given"),
    OPTION_TEXT("with", struct hetero_options, with, "NATIVE,...",
                "with run, rows: programs of `heddle cpu list`, bubbles or recordings on other "
                "cores; with mixes: only mixes with these native programs"),
    OPTION_GIVEN("launch", struct hetero_options, launch, "N",
                 "with run: the timed launch, counted from 1; if not given, the one that takes "
                 "longest on the CMP"),
    OPTION_TEXT("store", struct hetero_options, store, "FILE",
                "with run, rows, table: the store of simulations; nothing is stored if not given"),
    OPTION_GIVEN("jobs", struct hetero_options, jobs, "N",
                 "with run, rows, table: simulations at a time; one per processor if not given"),
    OPTION_LIST("set", struct hetero_options, settings, "NAME=VALUE",
                "with run, rows, table: change a parameter of i7-s9150; may be repeated"),
    OPTION_FLAG("quick", struct hetero_options, quick,
                "with mixes: a sample, every third launch beside two of the native programs and "
                "some pairs"),
    OPTION_FLAG("stored-only", struct hetero_options, stored_only,
                "with mixes, rows: run nothing, and leave out what is not in the store"),
    OPTION_TEXT("measured", struct hetero_options, measured, "FILE",
                "with mixes: take measurements from this output of mixes --json instead of "
                "simulations; predictions and choices are made again"),
    OPTION_TEXT("build-options", struct hetero_options, build_options, "TEXT",
                "with features of a .cl or .cu file: options for its compiler"),
};

static const struct verb {
    const char *name, *operand, *help;
    enum heddle_status (*act)(const struct hetero_options *o, const char *operand,
                              struct strbuf *out);
    uint32_t least, most; /* operands */
} verbs[] = {
    {"features", "FILE|WORKLOAD",
     "instructions by class, for both targets; for a workload also threads and buffer bytes of its "
     "launches",
     hetero_cmd_features, 1, 1},
    {"predict", NULL, "predict times with a model", hetero_cmd_predict, 0, 0},
    {"train", "ROWS.csv|WORKLOAD...", "fit a model to measured times, or measure this machine",
     hetero_cmd_train, 0, UINT32_MAX},
    {"choose", "FILE.json", "choose where a kernel runs beside native programs", hetero_cmd_choose,
     1, 1},
    {"bubble", "-- PROGRAM ARG...",
     "slowdowns of a native program on this machine beside bubbles, as JSON", hetero_cmd_bubble, 1,
     UINT32_MAX},
    {"run", "WORKLOAD",
     "times of a launch on the testbed, alone and beside native programs, and the slowdowns of "
     "those",
     hetero_cmd_run, 1, 1},
    {"rows", "WORKLOAD...",
     "training data for `train`, measured on the testbed: for the workloads that are not S3's, or "
     "those named",
     hetero_cmd_rows, 0, UINT32_MAX},
    {"table", "NATIVE", "the Bubble-up table of a native program, measured on the testbed",
     hetero_cmd_table, 1, 1},
    {"mixes", "WORKLOAD...",
     "the launches of S3 Table 6.3, or those named, beside native programs on the testbed, with "
     "predictions",
     hetero_cmd_mixes, 0, UINT32_MAX},
    {"models", "NAME", "the shipped models, or one of them", hetero_cmd_models, 0, 1},
};
enum { N_VERBS = sizeof verbs / sizeof verbs[0] };

/* Options that would be ignored silently. */
static enum heddle_status check_use(const struct verb *v, const struct hetero_options *o,
                                    const struct text_list *operands)
{
    bool predicts = v->act == hetero_cmd_predict, trains = v->act == hetero_cmd_train;
    bool counts = v->act == hetero_cmd_features, bubbles = v->act == hetero_cmd_bubble;
    bool runs = v->act == hetero_cmd_run, tells = v->act == hetero_cmd_rows;
    bool mixes = v->act == hetero_cmd_mixes;
    bool reads = mixes && o->measured;
    bool simulates = (runs || tells || mixes || v->act == hetero_cmd_table) && !reads;
    const struct {
        const char *option;
        bool is_lost;
    } uses[] = {
        {"--json", o->json && v->act == hetero_cmd_models && operands->n > 1},
        {"--model", o->model && !predicts && !mixes},
        {"--features", o->features && !predicts},
        {"--out", o->out && !trains && !tells},
        {"--folds", o->folds.is_given && !trains},
        {"--passes", o->passes.is_given && !trains},
        {"--no-prune", o->no_prune && !trains},
        {"--no-pairs", o->no_pairs && !trains},
        {"--seed", o->seed.is_given && !trains && !counts && !simulates},
        {"--size", o->size && !counts && !o->machine && !runs && !tells && (!mixes || reads)},
        {"--on", o->on && !runs},
        {"--with", o->with && !runs && !tells && !mixes},
        {"--quick", o->quick && !mixes},
        {"--stored-only", o->stored_only && (!mixes || reads) && !tells},
        {"--measured", o->measured && !mixes},
        {"--launch", o->launch.is_given && !runs},
        {"--store", o->store && !simulates},
        {"--jobs", o->jobs.is_given && !simulates},
        {"--set", o->settings.n && !simulates},
        {"--machine", o->machine && !trains},
        {"--natives", o->natives && !o->machine},
        {"--gpu", o->gpu && !o->machine},
        {"--llc", o->llc.is_given && !bubbles},
        {"--repeats", o->repeats.is_given && !bubbles},
        {"--threads", o->threads.is_given && !counts},
        {"--buffer", o->buffer.is_given && !counts},
        {"--build-options", o->build_options && !counts},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (uses[i].is_lost) {
            output_error("%s has no meaning with heddle hetero %s%s", uses[i].option, v->name,
                         reads    ? " --measured"
                         : i == 0 ? " NAME"
                                  : "");
            return HEDDLE_BAD_INPUT;
        }
    return HEDDLE_OK;
}

static enum heddle_status run_verb(const struct verb *v, const struct hetero_options *o,
                                   const struct text_list *operands)
{
    uint32_t n = operands->n - 1;
    if (n < v->least || n > v->most) {
        output_error("heddle hetero %s takes %s%s", v->name,
                     !v->operand    ? "no operand"
                     : v->most == 1 ? "one "
                                    : "",
                     v->operand ? v->operand : "");
        return HEDDLE_BAD_INPUT;
    }
    struct strbuf out = {0};
    struct hetero_options with_words = *o;
    with_words.words = operands;
    enum heddle_status status = check_use(v, o, operands);
    if (status == HEDDLE_OK)
        status = v->act(&with_words, n ? operands->items[1] : NULL, &out);
    if (status == HEDDLE_OK)
        status = output_take(&out);
    strbuf_destroy(&out);
    return status;
}

static enum heddle_status run_hetero(const void *values, const struct text_list *operands)
{
    const char *words[N_VERBS];
    for (int i = 0; i < N_VERBS; i++) {
        words[i] = verbs[i].name;
        if (strcmp(operands->items[0], verbs[i].name) == 0)
            return run_verb(&verbs[i], values, operands);
    }
    return output_unknown("step", operands->items[0], words, N_VERBS,
                          "`heddle help hetero` lists them");
}

static void add_words(struct strbuf *out)
{
    for (size_t i = 0; i < N_VERBS; i++)
        strbuf_addf(out, " %s", verbs[i].name);
}

static void list_verbs(struct strbuf *out)
{
    struct table t = {.n_columns = 2};
    for (int i = 0; i < N_VERBS; i++) {
        table_cell(&t, "  %s %s", verbs[i].name, verbs[i].operand ? verbs[i].operand : "");
        table_cell(&t, "%s", verbs[i].help);
    }
    strbuf_add(out, "Steps:\n");
    table_print(&t, out);
    table_destroy(&t);
}

static const char *const examples[] = {
    "heddle hetero features bfs --size tiny",
    "what HeteroPDP knows about each launch of a workload",
    "heddle hetero features mine.cl --threads 65536 --buffer 1048576 --json > f.json",
    "the features of your own kernel, for the next step",
    "heddle hetero predict --model s9150-alone --features f.json",
    "its time on the GPU, by a model of S3 Appendix A",
    "heddle hetero train rows.csv --out mine.model",
    "your own model from measured times",
    "heddle hetero train --machine --out models",
    "models of this machine, for heddle exec --device heteropdp --hetero-models models",
    "heddle hetero bubble -- bzip2 -k -c input > bzip2.json",
    "slowdowns of a native program on this machine, for --hetero-natives",
    "heddle hetero run kmn --size tiny --with chase,bzip2",
    "one launch on CMP and GPU of the testbed, alone and beside two native programs",
    "heddle hetero rows --size tiny --out folder --store t.db",
    "rows for train, from the suite's other kernels: folder/cmp-alone.csv, folder/gpu-alone.csv",
    "heddle hetero table chase --json",
    "the effect of bubbles of graded pressure on a native program of the testbed",
    "heddle hetero mixes --measured doc/results/hetero-mixes.json --model models",
    "your own models on the 194 mixes of S3's experiment as they were measured",
    "heddle hetero choose question.json",
    "CMP or GPU, with all intermediate numbers (doc/hetero.md has an example)",
    NULL,
};

const struct command command_hetero = {
    .name = "hetero",
    .operands = "STEP [FILE|WORKLOAD|NAME]",
    .summary = "predict kernel times on CPU and GPU, and choose where a kernel runs",
    .description = "HeteroPDP (S3 chapter 6): regression models predict the time of a kernel on "
                   "the CMP and on the GPU, alone and beside native programs; Bubble-up tables "
                   "predict the slowdowns of the native programs; the target with the better score "
                   "for the goal is chosen. Each step can be used separately. doc/hetero.md "
                   "describes features, model files, training and choices.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct hetero_options),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .add_words = add_words,
    .more_help = list_verbs,
    .run = run_hetero,
};
