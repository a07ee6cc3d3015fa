/* heddle exec: a user OpenCL program with the simulated GPU as its device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/exec.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "hetero/device.h"

enum { MAX_THREADS = 256 };

static const struct option options[] = {
    OPTION_FLAG("functional", struct exec_options, functional,
                "execute without timing, as fast as possible; a warp instruction counts as 1 ns"),
    OPTION_TEXT("gpu", struct exec_options, gpu, "GPU",
                "a name from `heddle show gpus`, or a .yaml file; gtx480 if not given. Several, "
                "separated by commas, become several devices"),
    OPTION_LIST("set", struct exec_options, settings, "NAME=VALUE",
                "change a parameter of the GPU; may be repeated"),
    OPTION_LIST("plugin", struct exec_options, plugins, "FILE",
                "load schedulers and policies from a shared object; may be repeated"),
    OPTION_TEXT("scheduler", struct exec_options, scheduler, "NAME",
                "warp scheduler (`heddle show schedulers`); short for --set scheduler=NAME"),
    OPTION_TEXT("l1d", struct exec_options, l1d, "POLICY",
                "L1D policy (`heddle show policies`); short for --set l1d.policy=POLICY"),
    OPTION_TEXT("atomics", struct exec_options, atomics, "UNIT",
                "where atomics are performed (`heddle show atomics`); short for --set "
                "atomics.unit=UNIT"),
    OPTION_TEXT("annotations", struct exec_options, annotations, "FILE",
                "annotations for L2's policy write_buffering, as `heddle advise l2 -- PROGRAM` "
                "writes them (doc/l2.md)"),
    OPTION_FLAG("fail-on-stale", struct exec_options, fail_on_stale,
                "exit with status 1 if a kernel or the host reads data from DRAM that L2 had "
                "dropped: an annotation is unsound"),
    OPTION_RANGE("threads", struct exec_options, threads, "N", MAX_THREADS,
                 "simulate timed launches with N threads, 1 to 256 (default 1)"),
    OPTION_U64("max-cycles", struct exec_options, max_cycles, "N",
               "stop a launch after N core cycles; its command then fails"),
    OPTION_U64("max-insts", struct exec_options, max_insts, "N",
               "stop a launch after N warp instructions, with --functional"),
    OPTION_TEXT("json", struct exec_options, json, "FILE",
                "append a record of each launch to the file, one JSON object per line: all "
                "statistics and the program's command line"),
    OPTION_TEXT(
        "store", struct exec_options, store, "FILE",
        "store a result of each launch (doc/experiments.md), with the kernel as its workload, "
        "the command line as its size and the number of the launch as its seed"),
    OPTION_TEXT("result", struct exec_options, result, "FILE",
                "append a result of the whole program to the file, as `heddle run --json` writes "
                "it, for `heddle compare`"),
    OPTION_TEXT("record", struct exec_options, record, "FILE",
                "record what the warps do, for replays on other machines (doc/traces.md)"),
    OPTION_U64("series", struct exec_options, series, "N",
               "write a time series, one row every N core cycles, to the file of --series-out"),
    OPTION_TEXT("series-out", struct exec_options, series_out, "FILE",
                "the file of the time series, as CSV"),
    OPTION_TEXT("series-columns", struct exec_options, series_columns, "LIST",
                "its columns, as for `heddle run`"),
    OPTION_FLAG("summary", struct exec_options, summary,
                "print a summary to standard error when the program ends"),
    OPTION_FLAG("kernels", struct exec_options, kernels,
                "add the most important statistics of each kernel to the summary"),
    OPTION_FLAG("attribute", struct exec_options, attribute,
                "attribute the cycles of warps to causes: `attribution.*` among the statistics"),
    OPTION_FLAG(
        "loose-bounds", struct exec_options, loose_bounds,
        "let kernels access up to 4096 bytes before and after a buffer, as GPUs do, instead "
        "of failing them"),
    OPTION_FLAG("beside", struct exec_options, beside,
                "also show the program the other OpenCL platforms of this machine"),
    OPTION_TEXT("cl-version", struct exec_options, version, "VERSION",
                "the OpenCL version to report: 3.0 (the default), or 1.2 for programs that expect "
                "shared virtual memory from 2.0 and later"),
    OPTION_TEXT("device-type", struct exec_options, device_type, "LIST",
                "the reported device type: gpu, cpu, accelerator, or several; any (the default "
                "without --beside): reported as a GPU, but found under every type"),
    OPTION_TEXT("device", struct exec_options, device, "DEVICE",
                "`gpu` (the default), or `heteropdp`: one device that runs each kernel on a CPU "
                "device of this machine or on the GPU, as HeteroPDP chooses (doc/hetero.md)"),
    OPTION_TEXT("hetero-target", struct exec_options, hetero_target, "TARGET",
                "with heteropdp: `predict` (the default) uses models, `cmp` and `gpu` name the "
                "target of every kernel, `alternate` alternates between them"),
    OPTION_TEXT("hetero-models", struct exec_options, hetero_models, "FOLDER",
                "with heteropdp: models of this machine, as `heddle hetero train --machine` writes "
                "them"),
    OPTION_TEXT("hetero-natives", struct exec_options, hetero_natives, "FILE",
                "with heteropdp: the goal, the machine and the native programs beside the kernels, "
                "in JSON"),
    OPTION_TEXT("hetero-log", struct exec_options, hetero_log, "FILE",
                "with heteropdp: append each choice with all its numbers to the file, one JSON "
                "object per line"),
};

/* The program and the file may be found from other folders. */
static enum heddle_status find_annotations(struct exec_options *o, struct arena *arena)
{
    if (!o->annotations)
        return HEDDLE_OK;
    enum heddle_status status = lab_check_readable(o->annotations);
    char *path = status == HEDDLE_OK ? realpath(o->annotations, NULL) : NULL;
    if (path)
        o->annotations = arena_strdup(arena, path);
    free(path);
    return status;
}

static bool check_marks(const struct exec_options *o)
{
    static const char name[] = "l2.annotations=";
    bool sets = false;
    for (uint32_t i = 0; i < o->settings.n; i++)
        sets |= strncmp(o->settings.items[i], name, sizeof name - 1) == 0;
    if (o->annotations && sets)
        output_error(
            "--annotations and --set l2.annotations both annotate buffers: give only one of them");
    else if (o->functional && (o->annotations || o->fail_on_stale))
        output_error("%s is for timed runs", o->annotations ? "--annotations" : "--fail-on-stale");
    else
        return true;
    return false;
}

/* The program would learn of it too late, from a message about a variable. */
static bool check_word(const char *option, const char *kind, const char *word,
                       const char *const *names, uint32_t n)
{
    struct strbuf hint = {0};
    bool found = !word;
    strbuf_addf(&hint, "--%s is one of", option);
    for (uint32_t i = 0; i < n; i++) {
        found |= word && strcmp(word, names[i]) == 0;
        strbuf_addf(&hint, "%s %s", i ? "," : "", names[i]);
    }
    if (!found)
        output_unknown(kind, word, names, n, strbuf_text(&hint));
    strbuf_destroy(&hint);
    return found;
}

static bool check_device(const struct exec_options *o)
{
    const char *device = o->device ? o->device : getenv("HEDDLE_DEVICE");
    const char *lost = o->hetero_target    ? "--hetero-target"
                       : o->hetero_models  ? "--hetero-models"
                       : o->hetero_natives ? "--hetero-natives"
                       : o->hetero_log     ? "--hetero-log"
                                           : NULL;
    if (!check_word("device", "device", o->device, hetero_device_names, N_HETERO_DEVICES) ||
        !check_word("hetero-target", "target", o->hetero_target, hetero_mode_names, N_HETERO_MODES))
        return false;
    if (!lost || (device && strcmp(device, hetero_device_names[DEVICE_HETEROPDP]) == 0))
        return true;
    output_error("%s is for --device heteropdp", lost);
    return false;
}

/* The program's own failure takes precedence. */
static enum heddle_status run_and_judge(const struct exec_options *o,
                                        const struct text_list *command)
{
    struct l2_report report = {0};
    int exit_status = 0;
    enum heddle_status status = exec_run(o, command, NULL, &report, &exit_status);
    if (status != HEDDLE_OK || exit_status)
        return status != HEDDLE_OK ? status : (enum heddle_status)exit_status;
    if (!report.sum.stale)
        return HEDDLE_OK;
    output_error("--fail-on-stale: %llu reads of data that L2 had dropped",
                 (unsigned long long)report.sum.stale);
    return HEDDLE_WRONG_RESULT;
}

static enum heddle_status run_exec(const void *values, const struct text_list *operands)
{
    struct exec_options o = *(const struct exec_options *)values;
    if (!o.series != !o.series_out) {
        output_error("--series N and --series-out FILE must be given together");
        return HEDDLE_BAD_INPUT;
    }
    if (!check_marks(&o) || !check_device(&o))
        return HEDDLE_BAD_INPUT;
    struct arena arena = {0};
    enum heddle_status status = find_annotations(&o, &arena);
    if (status == HEDDLE_OK && o.fail_on_stale) {
        status = run_and_judge(&o, operands);
    } else if (status == HEDDLE_OK) {
        status = exec_prepare(&o, &arena);
        if (status == HEDDLE_OK)
            status = exec_replace(operands, &arena);
    }
    arena_destroy(&arena);
    return status;
}

static const char *const examples[] = {
    "heddle exec -- ./vector_add 1024",
    "an OpenCL program on the simulated GPU",
    "heddle exec --gpu v100 --summary -- ./vector_add 1024",
    "on another one, with a summary of its launches at the end",
    "heddle exec --json launches.jsonl --scheduler lrr -- python3 script.py",
    "a record of each launch, whatever starts it",
    "heddle exec --set l2.policy=write_buffering --annotations add.l2 --fail-on-stale -- ./add",
    "with annotated buffers, as `heddle advise l2 --out add.l2 -- ./add` proposes",
    "heddle exec --device heteropdp --hetero-log choices.jsonl -- ./vector_add 1024",
    "each kernel on this machine's CPU or on the simulated GPU, as HeteroPDP chooses",
    NULL,
};

const struct command command_exec = {
    .name = "exec",
    .operands = "-- PROGRAM [ARGUMENT...]",
    .summary = "run an OpenCL program with the simulated GPU as its device",
    .description =
        "Runs a program that uses OpenCL, unchanged: it finds the platform Heddle, with one device "
        "per GPU. The options are passed on as environment variables (doc/opencl.md).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct exec_options),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_exec,
};
