/* heddle run: workloads and kernels on the simulated GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/lab_replay.h"
#include "cli/command.h"
#include "cli/kernel_arg.h"
#include "cli/output.h"
#include "cli/plugin_files.h"
#include "cli/run.h"
#include "cli/table.h"
#include "lab/idle_mechanisms.h"
#include "workloads/run.h"

enum { MAX_THREADS = 256 };

static const struct option options[] = {
    OPTION_FLAG("functional", struct run_options, functional,
                "execute without timing, as fast as possible"),
    OPTION_TEXT("size", struct run_options, size, "SIZE",
                "input of a workload: tiny, small (the default), or one of the papers' "
                "(`heddle show workload NAME`); SIZE:NAME=VALUE:... changes some of its inputs"),
    OPTION_TEXT("gpu", struct run_options, gpu, "GPU",
                "a name from `heddle show gpus`, or a .yaml file; gtx480 if not given"),
    OPTION_LIST("set", struct run_options, settings, "NAME=VALUE",
                "change a parameter of the GPU; may be repeated"),
    OPTION_TEXT("scheduler", struct run_options, scheduler, "NAME",
                "warp scheduler (`heddle show schedulers`); short for --set scheduler=NAME"),
    OPTION_TEXT("l1d", struct run_options, l1d, "POLICY",
                "L1D policy (`heddle show policies`); short for --set l1d.policy=POLICY"),
    OPTION_TEXT("atomics", struct run_options, atomics, "UNIT",
                "where atomics are performed (`heddle show atomics`); short for --set "
                "atomics.unit=UNIT"),
    OPTION_TEXT("llc", struct run_options, llc, "POLICY",
                "policy of L2, or of the last-level cache of a machine with CPU cores (`heddle "
                "show policies`); short for --set l2.policy=POLICY"),
    OPTION_TEXT("cpu", struct run_options, cpu, "PROGRAM,...",
                "what CPU cores run beside the GPU, on a machine that has some (--gpu hetero): "
                "names of `heddle cpu list`, or files of `heddle cpu record`; short for --set "
                "cpu.programs=PROGRAM,... Without a workload they run alone"),
    OPTION_FLAG("alone", struct run_options, alone,
                "with --cpu and a workload: first run each alone, with lru, for the weighted "
                "speedup and the fairness of the mix"),
    OPTION_TEXT("annotations", struct run_options, annotations, "FILE",
                "annotations for L2's policy write_buffering, naming the buffers whose stores are "
                ".cc or whose loads are .cp; `heddle advise l2` writes them (doc/l2.md)"),
    OPTION_FLAG("fail-on-stale", struct run_options, fail_on_stale,
                "exit with status 1 if a kernel or the host reads data from DRAM that L2 had "
                "dropped: an annotation is unsound"),
    OPTION_LIST("plugin", struct run_options, plugins, "FILE",
                "load schedulers and cache policies from a shared object first "
                "(doc/adding-a-policy.md); may be repeated"),
    OPTION_TEXT("engine", struct run_options, engine, "ENGINE",
                "`skip` (the default) skips cycles in which nothing can happen, `cycle` simulates "
                "all; the results are the same"),
    OPTION_TEXT("fast-paths", struct run_options, fast_paths, "on|off",
                "`off` disables all fast paths, in either engine: slower, same results; use it to "
                "find out whether a difference comes from the engine or from a fast path "
                "(doc/performance.md); `on` is the default"),
    OPTION_LIMIT(
        "quantum", struct run_options, quantum, "CYCLES",
        "core cycles that the parts of the machine may run independently; the default, `max` or 0, "
        "is as many as the latencies between them allow. The results do not depend on it"),
    OPTION_RANGE("threads", struct run_options, threads, "N", MAX_THREADS,
                 "simulate with N threads, 1 to 256 (default 1). The results do not depend on it; "
                 "the speed-up depends on the kernel (doc/performance.md)"),
    OPTION_U64(
        "max-cycles", struct run_options, max_cycles, "N",
        "stop a launch after N core cycles, describe what its warps were doing, and print the "
        "statistics so far; without it, Heddle warns about a kernel that seems to spin forever"),
    OPTION_GIVEN("seed", struct run_options, seed, "N",
                 "seed of a workload's input; 1 if not given"),
    OPTION_TEXT(
        "on", struct run_options, on, "DEVICE",
        "run a workload on `heddle` (the default), on `opencl` (the first OpenCL device of the "
        "host) or on `opencl:TEXT` (the first whose name contains TEXT)"),
    OPTION_U64("max-insts", struct run_options, max_insts, "N",
               "stop a launch of a functional run after N warp instructions"),
    OPTION_TEXT(
        "host-isa", struct run_options, host_isa, "ISA",
        "the host's vector instructions to use: generic, avx2, avx512; the results are the same"),
    OPTION_FLAG("strict", struct run_options, strict,
                "stop at an integer division by zero instead of counting it"),
    OPTION_FLAG("kernels", struct run_options, kernels,
                "also print the most important statistics of each kernel"),
    OPTION_FLAG("per-pc", struct run_options, per_pc,
                "print what each static load and store did at L1D, with its source line"),
    OPTION_FLAG(
        "attribute", struct run_options, attribute,
        "print where the cycles of the warps went, instead of the statistics (doc/attribution.md)"),
    OPTION_TEXT("attribute-out", struct run_options, attribute_out, "FILE",
                "like --attribute; also write the record of every warp and CTA to the file, as "
                "CSV"),
    OPTION_FLAG("locality", struct run_options, locality,
                "count the hits at L1D by who brought the line: the same thread, another one of "
                "the warp, another warp (`locality.*`)"),
    OPTION_FLAG("belady", struct run_options, belady,
                "count the misses of the run's loads under optimal replacement and in an unbounded "
                "L1D (`belady.*`, `unbounded.*`); the run itself is unchanged (doc/cache-lab.md)"),
    OPTION_TEXT("timeline", struct run_options, timeline, "FILE",
                "draw what each warp did in every cycle, for ui.perfetto.dev or chrome://tracing "
                "(doc/attribution.md); compressed if the name ends in .gz, which both can open"),
    OPTION_TEXT("timeline-cycles", struct run_options, timeline_cycles, "FIRST-END",
                "draw only these core cycles, END excluded; either may be omitted"),
    OPTION_TEXT("timeline-sms", struct run_options, timeline_sms, "LIST",
                "draw only these SMs, for example 0,1"),
    OPTION_BYTES("timeline-limit", struct run_options, timeline_limit, "SIZE",
                 "stop drawing when the timeline reaches this size before compression; 64M if not "
                 "given"),
    OPTION_U64("series", struct run_options, series, "N",
               "write a time series, one row every N core cycles, to the file of --series-out or, "
               "without one, to the output of --json; its time continues between launches, and "
               "ends at `elapsed_cycles` = `cycles` + `wait_cycles`"),
    OPTION_TEXT("series-out", struct run_options, series_out, "FILE",
                "the file of the time series, as CSV"),
    OPTION_TEXT("series-columns", struct run_options, series_columns, "LIST",
                "its columns: names of statistics (`heddle show stats`), resident_warps and "
                "resident_ctas, separated by commas, or all; if not given the most important ones "
                "and those that mechanisms and parts of the machine declare"),
    OPTION_TEXT("record-l1d", struct run_options, record_l1d, "FILE",
                "record every access, fill and eviction of the L1Ds, and the number of "
                "instructions between them, compressed (doc/l1d-stream.md)"),
    OPTION_FLAG("record-criticality", struct run_options, record_criticality,
                "with --record-l1d: also record how critical each access's warp is, according to "
                "the provider in use; `--set criticality=cpl` chooses one"),
    OPTION_TEXT("record-decisions", struct run_options, record_decisions, "FILE",
                "write every issue and every decision of L1D in order (doc/experiments.md), as "
                "`heddle compare --first-difference` reads them"),
    OPTION_TEXT("record", struct run_options, record, "FILE",
                "record what the warps do, for replays on other machines (doc/traces.md)"),
    OPTION_TEXT("replay", struct run_options, replay, "FILE",
                "instead of a workload or a file: replay a recording, without computing results"),
    OPTION_FLAG("force-replay", struct run_options, force_replay,
                "replay on another machine even if the trace depends on timing; warns, and the "
                "result has `replay_forced`"),
    OPTION_FLAG("json", struct run_options, json, "print the result as JSON"),
    OPTION_FLAG("quiet", struct run_options, quiet, "print only errors"),
    OPTION_TEXT("entry", struct run_options, entry, "KERNEL",
                "which kernel of the file to run, by its name in the source or in PTX; not needed "
                "if there is "
                "only one"),
    OPTION_DIM3("grid", struct run_options, grid,
                "CTAs (work-groups) of the launch; 1,1,1 if not given"),
    OPTION_DIM3("block", struct run_options, block,
                "threads (work-items) of a CTA; 1,1,1 if not given"),
    OPTION_OFFSET("offset", struct run_options, offset, "OpenCL's global work offset"),
    OPTION_BYTES("shared", struct run_options, shared_bytes, "BYTES",
                 "dynamic shared memory of a CTA"),
    OPTION_LIST("arg", struct run_options, args, "KIND:VALUE",
                "the kernel's next argument, see below; repeated for each"),
    OPTION_TEXT("build-options", struct run_options, build_options, "TEXT",
                "options for the compiler of a .cl or .cu file: \"-DN=4 -I dir\""),
};

static bool is_file(const char *word)
{
    static const char *const endings[] = {".ptx", ".cl", ".cu"};
    const char *dot = strrchr(word, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return strchr(word, '/') != NULL;
}

/* The first given option that does not apply to a workload, or NULL. */
static const char *option_for_files_only(const struct run_options *o)
{
    if (o->entry)
        return "--entry";
    if (o->grid.v[0])
        return "--grid";
    if (o->block.v[0])
        return "--block";
    if (o->offset.v[0] || o->offset.v[1] || o->offset.v[2])
        return "--offset";
    if (o->shared_bytes)
        return "--shared";
    if (o->args.n)
        return "--arg";
    return o->build_options ? "--build-options" : NULL;
}

/* The first given option that observes the machine while it runs, or NULL. */
static const char *observation(const struct run_options *o)
{
    if (o->per_pc)
        return "--per-pc";
    if (o->series)
        return "--series";
    if (o->locality)
        return "--locality";
    if (o->belady)
        return "--belady";
    if (o->record)
        return "--record";
    if (o->record_l1d)
        return "--record-l1d";
    if (o->record_decisions)
        return "--record-decisions";
    if (o->attribute_out)
        return "--attribute-out";
    if (o->timeline)
        return "--timeline";
    return o->attribute ? "--attribute" : NULL;
}

/* The first given option that controls how time is simulated, or NULL. */
static const char *option_for_timed_runs_only(const struct run_options *o)
{
    return o->threads         ? "--threads"
           : o->engine        ? "--engine"
           : o->fast_paths    ? "--fast-paths"
           : o->quantum       ? "--quantum"
           : o->max_cycles    ? "--max-cycles"
           : o->annotations   ? "--annotations"
           : o->fail_on_stale ? "--fail-on-stale"
                              : NULL;
}

/* The first given option that controls how instructions are executed, or NULL. */
static const char *option_for_heddle_only(const struct run_options *o)
{
    return o->max_insts  ? "--max-insts"
           : o->host_isa ? "--host-isa"
           : o->strict   ? "--strict"
           : o->kernels  ? "--kernels"
                         : NULL;
}

/* The first given option whose output does not fit into rows of several workloads, or NULL. */
static const char *about_one(const struct run_options *o)
{
    if (o->kernels && !o->json)
        return "--kernels";
    struct run_options others = *o;
    others.attribute &= !o->json; /* the sums are ordinary statistics */
    others.locality &= !o->json;
    others.belady &= !o->json;
    return observation(&others);
}

static bool knows_the_future(const char *policy)
{
    const struct cache_policy_desc *p = lab_policy_find(policy);
    return p && lab_policy_knows_the_future(p);
}

static bool sets(const struct run_options *o, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < o->settings.n; i++)
        if (strncmp(o->settings.items[i], name, n) == 0 && o->settings.items[i][n] == '=')
            return true;
    return false;
}

/* Checks that apply to every run of the machine. */
static bool check_machine(const struct run_options *o)
{
    if (o->l1d && knows_the_future(o->l1d))
        output_error(
            "%s knows the future, so a run cannot use it; `heddle run ... --belady` counts what it "
            "would have missed, `heddle cache replay` tries it on a recording",
            o->l1d);
    else if (o->engine && strcmp(o->engine, "skip") != 0 && strcmp(o->engine, "cycle") != 0)
        output_error("--engine %s: expected skip or cycle", o->engine);
    else if (o->fast_paths && strcmp(o->fast_paths, "on") != 0 && strcmp(o->fast_paths, "off") != 0)
        output_error("--fast-paths %s: expected on or off", o->fast_paths);
    else if (o->series_out && !o->series)
        output_error("--series-out FILE needs --series N");
    else if (o->series && !o->series_out && !o->json)
        output_error("--series N needs a destination: --series-out FILE, or --json");
    else if (o->series_columns && !o->series)
        output_error("--series-columns needs --series N");
    else if ((o->timeline_cycles || o->timeline_sms || o->timeline_limit) && !o->timeline)
        output_error("--timeline-cycles, --timeline-sms and --timeline-limit need --timeline FILE");
    else if (o->annotations && sets(o, "l2.annotations"))
        output_error(
            "--annotations and --set l2.annotations both annotate buffers: give only one of them");
    else if (o->quantum > UINT32_MAX)
        output_error("--quantum: this is longer than any run; `max` is as long as possible");
    else
        return true;
    return false;
}

/* The first given option that a trace has already determined, or NULL: a trace contains its
 * kernels, their launches and what they did. */
static const char *option_against_replay(const struct run_options *o)
{
    if (o->on)
        return "--on";
    if (o->size)
        return "--size";
    if (o->seed.is_given)
        return "--seed";
    if (o->strict)
        return "--strict";
    return option_for_files_only(o);
}

static bool check_replay(const struct run_options *o, const struct text_list *operands)
{
    const char *misplaced = option_against_replay(o);
    if (operands->n)
        output_error("--replay FILE replaces '%s': give only one of them", operands->items[0]);
    else if (o->fail_on_stale)
        output_error("--fail-on-stale needs the program itself: the host may read dropped data "
                     "too, and a trace does not contain its copies");
    else if (misplaced)
        output_error("%s has no effect with --replay: the trace determines it", misplaced);
    else if (o->functional || o->record)
        output_error("%s and --replay exclude each other",
                     o->functional ? "--functional" : "--record");
    else
        return check_machine(o);
    return false;
}

/* The first given option that is only for workloads, or NULL. */
static const char *option_for_workloads_only(const struct run_options *o)
{
    return o->on ? "--on" : o->size ? "--size" : o->seed.is_given ? "--seed" : NULL;
}

static bool check_combination(const struct run_options *o, const struct text_list *operands,
                              bool runs_file)
{
    const char *misplaced = runs_file ? NULL : option_for_files_only(o);
    if (!operands->n && !o->cpu)
        output_error("heddle run needs WORKLOAD...|all|FILE, --replay FILE or --cpu PROGRAM");
    else if (o->cpu && (o->functional || run_is_on_opencl(o)))
        output_error("--cpu is for timed runs");
    else if (o->alone && (!o->cpu || runs_file || operands->n != 1))
        output_error("--alone needs --cpu and one workload");
    else if (o->force_replay)
        output_error("--force-replay needs --replay");
    else if (misplaced)
        output_error("%s is for files; a workload determines it", misplaced);
    else if (runs_file && operands->n > 1)
        output_error("only one file at a time: '%s' is too many", operands->items[1]);
    else if (runs_file && option_for_workloads_only(o))
        output_error("%s is for workloads", option_for_workloads_only(o));
    else if (o->on && strcmp(o->on, "heddle") != 0 && !run_is_on_opencl(o))
        output_error("--on %s: expected heddle, opencl or opencl:TEXT", o->on);
    else if (observation(o) && (o->functional || run_is_on_opencl(o)))
        output_error("%s is for timed runs", observation(o));
    else if (about_one(o) &&
             (operands->n > 1 || (operands->n && strcmp(operands->items[0], "all") == 0)))
        output_error("%s is for one workload at a time", about_one(o));
    else if (option_for_timed_runs_only(o) && (o->functional || run_is_on_opencl(o)))
        output_error("%s is for timed runs", option_for_timed_runs_only(o));
    else if (option_for_heddle_only(o) && run_is_on_opencl(o))
        output_error("%s has no effect on an OpenCL device", option_for_heddle_only(o));
    else
        return check_machine(o);
    return false;
}

static void add_setting(struct text_list *list, const char *text)
{
    ARRAY_RESERVE(list->items, list->cap, list->n + 1);
    list->items[list->n++] = text;
}

/* Options that stand for parameters come first, so that --set wins. */
static struct text_list all_settings(const struct run_options *o, const char *annotations,
                                     struct arena *arena)
{
    struct text_list list = {0};
    if (annotations)
        add_setting(&list, annotations);
    if (o->scheduler)
        add_setting(&list, arena_printf(arena, "scheduler=%s", o->scheduler));
    if (o->l1d)
        add_setting(&list, arena_printf(arena, "l1d.policy=%s", o->l1d));
    if (o->atomics)
        add_setting(&list, arena_printf(arena, "atomics.unit=%s", o->atomics));
    if (o->llc)
        add_setting(&list, arena_printf(arena, "l2.policy=%s", o->llc));
    if (o->cpu)
        add_setting(&list, arena_printf(arena, "cpu.programs=%s", o->cpu));
    for (uint32_t i = 0; i < o->settings.n; i++)
        add_setting(&list, o->settings.items[i]);
    return list;
}

/* Recording criticality needs a provider. */
static bool check_criticality(const struct run_options *o, const struct machine_config *c)
{
    if (!o->record_criticality)
        return true;
    if (!o->record_l1d)
        output_error("--record-criticality needs --record-l1d FILE");
    else if (c->criticality == criticality_find("none"))
        output_error("--record-criticality: there is no criticality provider; choose one with "
                     "--set criticality=cpl");
    else
        return true;
    return false;
}

/* Warns if the scheduler can have no effect; false if that is certainly a mistake. */
static bool check_scheduler(const struct run_options *o, const struct machine_config *c)
{
    struct diag_list diags = {0};
    if (!o->functional && !run_is_on_opencl(o))
        idle_mechanisms_check(c, &diags);
    if (diags.n)
        output_complaints(&diags);
    bool ok = !diags.n_errors;
    diag_list_destroy(&diags);
    return ok;
}

/* Without timing nothing waits for a warp or a line. */
static void warn_of_no_effect(const struct run_options *o)
{
    const char *lost = o->l1d         ? "--l1d"
                       : o->scheduler ? "--scheduler"
                       : o->atomics   ? "--atomics"
                       : o->llc       ? "--llc"
                       : o->cpu       ? "--cpu"
                                      : NULL;
    const char *why = "it only matters in timed runs";
    if (!lost && run_is_on_opencl(o)) {
        lost = o->gpu ? "--gpu" : o->settings.n ? "--set" : NULL;
        why = "no GPU is simulated";
    }
    if (!lost || (!o->functional && !run_is_on_opencl(o)))
        return;
    struct strbuf text = {0};
    strbuf_addf(&text, "heddle: warning: %s has no effect here: %s\n", lost, why);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* Threads synchronise after every quantum: one that waits for a processor delays all others. */
static void warn_of_threads(const struct run_options *o)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (o->quiet || n < 1 || o->threads <= (uint64_t)n)
        return;
    struct strbuf text = {0};
    strbuf_addf(&text,
                "heddle: warning: --threads %llu, but this machine has %ld processor%s: they will "
                "wait for each other\n",
                (unsigned long long)o->threads, n, n == 1 ? "" : "s");
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

static enum heddle_status run_run(const void *values, const struct text_list *operands)
{
    const struct run_options *o = values;
    bool runs_file = operands->n && is_file(operands->items[0]);
    if (o->replay ? !check_replay(o, operands) : !check_combination(o, operands, runs_file))
        return HEDDLE_BAD_INPUT;
    enum heddle_status status = plugin_files_load(&o->plugins);
    if (status != HEDDLE_OK)
        return status;
    struct diag_list diags = {0};
    struct arena arena = {0};
    struct progress progress = {.is_quiet = o->quiet};
    const char *annotations = NULL;
    if (o->annotations)
        status = run_read_annotations(o->annotations, &arena, &annotations);
    if (status != HEDDLE_OK) {
        arena_destroy(&arena);
        return status;
    }
    struct run_context run = {
        .options = o, .settings = all_settings(o, annotations, &arena), .progress = &progress};
    struct machine_config *config =
        machine_config_load(o->gpu, run.settings.items, run.settings.n, &diags);
    if (config) {
        warn_of_no_effect(o);
        warn_of_threads(o);
    }
    run.machine = config;
    run.gpu = config ? config->gpu : NULL;
    status = !config ? output_complaints(&diags)
             : !check_criticality(o, config) || !check_scheduler(o, config)
                 ? HEDDLE_BAD_INPUT
                 : run_check_files(&run, runs_file ? operands->items[0] : NULL);
    output_set_farewell("heddle: interrupted: there is no result\n");
    if (status == HEDDLE_OK && !o->functional)
        status = run_record_cpus(config);
    if (status == HEDDLE_OK)
        status = o->replay     ? run_trace(&run, o->replay)
                 : runs_file   ? run_file(&run, operands->items[0])
                 : operands->n ? run_workloads(&run, operands)
                               : run_cpus(&run);
    machine_config_destroy(config);
    free(run.settings.items);
    arena_destroy(&arena);
    diag_list_destroy(&diags);
    output_end_if_asked();
    output_set_farewell("");
    return status == HEDDLE_STOPPED && output_has_failed() ? HEDDLE_ENVIRONMENT : status;
}

static void list_argument_forms(struct strbuf *out)
{
    strbuf_add(out, "Arguments of a kernel (--arg), in the order of its parameters:\n");
    struct table t = {.n_columns = 2};
    for (uint32_t i = 0; i < n_kernel_arg_forms; i++) {
        table_cell(&t, "  %s:%s", kernel_arg_forms[i].word, kernel_arg_forms[i].syntax);
        table_cell(&t, "%s", kernel_arg_forms[i].help);
    }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add(out, "Numbers may be hexadecimal (0x10), sizes may end in K, M or G.\n");
}

static const char *const examples[] = {
    "heddle run bfs",
    "breadth-first search, cycle by cycle, checked against its reference",
    "heddle run kmn --gpu m2090 --scheduler lrr --set l1d.n_sets=64",
    "on another machine, with another scheduler and a larger L1D",
    "heddle run hga --gpu gtx480 --atomics atom_hybrid --set atomics.spec_fetch=true",
    "atomics performed in L1D, under mutexes that move on and between rings",
    "heddle run bfs --size paper-s4:graph=tree:edges=2M",
    "a tree of two million edges instead of the paper's graph",
    "heddle run bfs --functional",
    "without timing, as fast as possible",
    "heddle run all --functional --size tiny --json",
    "every workload, one JSON object each",
    "heddle run bfs --on opencl",
    "the same workload on an OpenCL device of the host",
    "heddle run kmn --record kmn.trace",
    "a run to be replayed later, for example under another scheduler",
    "heddle run --replay kmn.trace --scheduler lrr",
    "the same instructions and addresses; no results are computed, so none are verified",
    "heddle run --gpu hetero --llc tap_ucp --cpu bzip2,xz kmn",
    "two CPU programs beside the GPU, sharing its last-level cache",
    "heddle run add.cl --functional --grid 64 --block 256 --arg buf:@a.bin --arg rand:64K:7 "
    "--arg out:64K:c.bin --arg i32:16384",
    "your own kernel: two inputs, a result written to a file, a number",
    NULL,
};

static const struct run_options defaults = {.seed = {.value = WORKLOAD_DEFAULT_SEED}};

const struct command command_run = {
    .name = "run",
    .operands = "WORKLOAD...|all|FILE|--replay FILE|--cpu PROGRAM",
    .summary = "run workloads, or a kernel from a .ptx, .cl or .cu file",
    .description =
        "Runs built-in workloads (`heddle show workloads` lists them) and checks their results, or "
        "one kernel from a file. OpenCL C (.cl) and CUDA C (.cu) are compiled with clang; the "
        "result "
        "is cached.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct run_options),
    .defaults = &defaults,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .more_help = list_argument_forms,
    .run = run_run,
};
