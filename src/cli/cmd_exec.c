/* heddle exec: an OpenCL program of the user's, with the simulated GPU as its device. The options
 * become environment variables, so that they reach programs that the program starts; libheddle_ocl
 * reads them. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "front/cache.h"

struct exec_options {
    bool functional, attribute, kernels, summary, beside, loose_bounds;
    const char *gpu, *scheduler, *l1d, *json, *store, *record, *series_out, *series_columns;
    const char *version, *device_type, *result;
    const char *device, *hetero_target, *hetero_models, *hetero_natives, *hetero_log;
    struct text_list settings, plugins;
    uint64_t threads, max_cycles, max_insts, series;
};

enum { MAX_THREADS = 256 };

static const struct option options[] = {
    OPTION_FLAG("functional", struct exec_options, functional,
                "execute without timing, as fast as possible; a warp instruction counts as 1 ns"),
    OPTION_TEXT("gpu", struct exec_options, gpu, "GPU",
                "a name from `heddle show gpus`, or a .yaml file; gtx480 if not given. Several, "
                "separated by commas, are several devices"),
    OPTION_LIST("set", struct exec_options, settings, "NAME=VALUE",
                "change a parameter of the GPU; may be repeated"),
    OPTION_LIST("plugin", struct exec_options, plugins, "FILE",
                "load schedulers and policies from a shared object; may be repeated"),
    OPTION_TEXT("scheduler", struct exec_options, scheduler, "NAME",
                "warp scheduler (`heddle show schedulers`); short for --set scheduler=NAME"),
    OPTION_TEXT("l1d", struct exec_options, l1d, "POLICY",
                "what stays in L1D (`heddle show policies`); short for --set l1d.policy=POLICY"),
    OPTION_RANGE("threads", struct exec_options, threads, "N", MAX_THREADS,
                 "share the work of a timed launch among N threads, 1 to 256"),
    OPTION_U64("max-cycles", struct exec_options, max_cycles, "N",
               "stop a launch after so many core cycles; its command then fails"),
    OPTION_U64("max-insts", struct exec_options, max_insts, "N",
               "stop a launch after so many warp instructions, with --functional"),
    OPTION_TEXT("json", struct exec_options, json, "FILE",
                "append a record of each launch to the file, one JSON object a line: all "
                "statistics and the program's command line"),
    OPTION_TEXT("store", struct exec_options, store, "FILE",
                "keep a result of each launch in a store (doc/experiments.md): the kernel is its "
                "workload, the command line its size, the number of the launch its seed"),
    OPTION_TEXT("result", struct exec_options, result, "FILE",
                "append a result of the whole program to the file, as `heddle run --json` writes "
                "it, for `heddle compare`"),
    OPTION_TEXT("record", struct exec_options, record, "FILE",
                "record what the warps do, to be replayed on other machines (doc/traces.md)"),
    OPTION_U64("series", struct exec_options, series, "N",
               "write a time series, a row every N core cycles, to the file of --series-out"),
    OPTION_TEXT("series-out", struct exec_options, series_out, "FILE",
                "where the time series goes, as CSV"),
    OPTION_TEXT("series-columns", struct exec_options, series_columns, "LIST",
                "its columns, as of `heddle run`"),
    OPTION_FLAG("summary", struct exec_options, summary,
                "print a summary to standard error when the program ends"),
    OPTION_FLAG("kernels", struct exec_options, kernels,
                "with the summary, the most important statistics of each kernel"),
    OPTION_FLAG("attribute", struct exec_options, attribute,
                "attribute the cycles of warps to causes: `attribution.*` among the statistics"),
    OPTION_FLAG("loose-bounds", struct exec_options, loose_bounds,
                "let kernels access up to 4096 bytes past a buffer, as GPUs do, instead of failing "
                "them"),
    OPTION_FLAG("beside", struct exec_options, beside,
                "show the program the other OpenCL platforms of this machine too"),
    OPTION_TEXT("cl-version", struct exec_options, version, "VERSION",
                "the OpenCL version to report: 3.0 (the default), or 1.2 for programs that take "
                "2.0 and later to have shared virtual memory"),
    OPTION_TEXT("device-type", struct exec_options, device_type, "LIST",
                "what the device says it is: gpu (the default), cpu, accelerator, or several"),
    OPTION_TEXT("device", struct exec_options, device, "DEVICE",
                "`gpu` (the default), or `heteropdp`: one device that runs each kernel on a CPU "
                "device of this machine or on the GPU, as HeteroPDP chooses (doc/hetero.md)"),
    OPTION_TEXT("hetero-target", struct exec_options, hetero_target, "TARGET",
                "with heteropdp: `predict` (the default) chooses by models, `cmp` and `gpu` name "
                "the target of every kernel, `alternate` takes them in turn"),
    OPTION_TEXT("hetero-models", struct exec_options, hetero_models, "FOLDER",
                "with heteropdp: models of this machine, as `heddle hetero train --machine` writes "
                "them"),
    OPTION_TEXT("hetero-natives", struct exec_options, hetero_natives, "FILE",
                "with heteropdp: the goal, the machine and the native programs beside the kernels, "
                "in JSON"),
    OPTION_TEXT("hetero-log", struct exec_options, hetero_log, "FILE",
                "with heteropdp: append each choice with all its numbers to the file, one JSON "
                "object a line"),
};

static bool set_text(const char *name, const char *value)
{
    return !value || setenv(name, value, 1) == 0;
}

static bool set_flag(const char *name, bool value)
{
    return !value || setenv(name, "1", 1) == 0;
}

static bool set_number(const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return !value || setenv(name, text, 1) == 0;
}

static bool set_list(const char *name, const struct text_list *list, const char *separator)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < list->n; i++)
        strbuf_addf(&text, "%s%s", i ? separator : "", list->items[i]);
    bool ok = !list->n || setenv(name, strbuf_text(&text), 1) == 0;
    strbuf_destroy(&text);
    return ok;
}

static bool set_options(const struct exec_options *o)
{
    return set_flag("HEDDLE_FUNCTIONAL", o->functional) &&
           set_flag("HEDDLE_LOOSE_BOUNDS", o->loose_bounds) &&
           set_flag("HEDDLE_ATTRIBUTE", o->attribute) && set_flag("HEDDLE_KERNELS", o->kernels) &&
           set_flag("HEDDLE_SUMMARY", o->summary || o->kernels) && set_text("HEDDLE_GPU", o->gpu) &&
           set_text("HEDDLE_SCHEDULER", o->scheduler) && set_text("HEDDLE_L1D", o->l1d) &&
           set_list("HEDDLE_SET", &o->settings, ";") &&
           set_list("HEDDLE_PLUGINS", &o->plugins, ":") && set_text("HEDDLE_RESULT", o->result) &&
           set_number("HEDDLE_THREADS", o->threads) &&
           set_number("HEDDLE_MAX_CYCLES", o->max_cycles) &&
           set_number("HEDDLE_MAX_INSTS", o->max_insts) && set_text("HEDDLE_JSON", o->json) &&
           set_text("HEDDLE_STORE", o->store) && set_text("HEDDLE_RECORD", o->record) &&
           set_number("HEDDLE_SERIES", o->series) && set_text("HEDDLE_SERIES_OUT", o->series_out) &&
           set_text("HEDDLE_SERIES_COLUMNS", o->series_columns) &&
           set_text("HEDDLE_CL_VERSION", o->version) &&
           set_text("HEDDLE_CL_DEVICE_TYPE", o->device_type) &&
           set_text("HEDDLE_DEVICE", o->device) &&
           set_text("HEDDLE_HETERO_TARGET", o->hetero_target) &&
           set_text("HEDDLE_HETERO_MODELS", o->hetero_models) &&
           set_text("HEDDLE_HETERO_NATIVES", o->hetero_natives) &&
           set_text("HEDDLE_HETERO_LOG", o->hetero_log);
}

/* --- the library, and how loaders find it --- */

/* Beside the program, or where installations put it; NULL after saying so. */
static const char *find_library(struct arena *arena)
{
    static const char *const places[] = {"libheddle_ocl.so", "../lib/libheddle_ocl.so"};
    const char *own = getenv("HEDDLE_OCL");
    char self[PATH_MAX];
    if (own && *own)
        return own;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf(arena, "%s/%s", self, places[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    output_error("libheddle_ocl.so is not beside %s; HEDDLE_OCL=PATH says where it is", self);
    return NULL;
}

static bool place_icd(const char *folder, const char *name, const char *text)
{
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/%s", folder, name);
    bool ok = disk_cache_write_file(strbuf_text(&path), text, strlen(text));
    strbuf_destroy(&path);
    return ok;
}

static void add_others(const char *folder)
{
    glob_t found;
    if (glob("/etc/OpenCL/vendors/*.icd", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct strbuf text = {0};
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        if (strbuf_read_file(&text, found.gl_pathv[i]) == 0 && !strstr(name, "heddle"))
            place_icd(folder, name, strbuf_text(&text));
        strbuf_destroy(&text);
    }
    globfree(&found);
}

/* A folder of .icd files: ours, and on request those of the machine. NULL if there is none. */
static const char *make_vendors(const char *library, bool beside, struct arena *arena)
{
    const char *cache = disk_cache_folder(arena);
    if (!cache)
        return NULL;
    const char *folder = arena_printf(arena, "%s/%s", cache, beside ? "vendors-all" : "vendors");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return NULL;
    if (beside)
        add_others(folder);
    return place_icd(folder, "heddle.icd", library) ? folder : NULL;
}

/* Debian's loader takes a library for OCL_ICD_VENDORS, Khronos' a list of them for
 * OCL_ICD_FILENAMES; OPENCL_VENDOR_PATH is a folder for either. */
static bool set_loader(const char *library, const char *vendors, bool beside)
{
    if (beside && !vendors) {
        output_error("--beside needs a folder that can be written: HEDDLE_CACHE names one");
        return false;
    }
    return setenv("OCL_ICD_VENDORS", beside ? vendors : library, 1) == 0 &&
           setenv("OCL_ICD_FILENAMES", library, 1) == 0 &&
           (!vendors || setenv("OPENCL_VENDOR_PATH", vendors, 1) == 0);
}

static enum heddle_status run_exec(const void *values, const struct text_list *operands)
{
    const struct exec_options *o = values;
    if (!o->series != !o->series_out) {
        output_error("--series N and --series-out FILE go together");
        return HEDDLE_BAD_INPUT;
    }
    struct arena arena = {0};
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    const char *library = find_library(&arena);
    if (library && set_loader(library, make_vendors(library, o->beside, &arena), o->beside) &&
        set_options(o)) {
        char **argv = ARENA_ARRAY(&arena, char *, operands->n + 1);
        for (uint32_t i = 0; i < operands->n; i++)
            argv[i] = (char *)operands->items[i];
        fflush(NULL);
        execvp(argv[0], argv);
        output_error("cannot run %s: %s", argv[0], strerror(errno));
        status = errno == ENOENT ? HEDDLE_BAD_INPUT : HEDDLE_ENVIRONMENT;
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
        "per GPU named. The options are handed on as environment variables (doc/opencl.md).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct exec_options),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_exec,
};
