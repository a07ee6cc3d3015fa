/* heddle cpu: traces of native programs, for CPU cores beside the GPU. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lab_map.h"
#include "base/file_status.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/cpu_watch.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cpu/programs.h"
#include "cpu/trace.h"

struct cpu_options {
    const char *out;
    struct given_u64 skip, max_insts;
    bool json;
};

static const struct option options[] = {
    OPTION_TEXT("out", struct cpu_options, out, "FILE",
                "with record: write the trace of the PROGRAM to this file"),
    OPTION_GIVEN("skip", struct cpu_options, skip, "N",
                 "with record: instructions to skip before the first recorded one"),
    OPTION_GIVEN("max-insts", struct cpu_options, max_insts, "N",
                 "with record: end the program after this many recorded instructions; 100000000 if "
                 "not given, 0 = record it to its end"),
    OPTION_FLAG("json", struct cpu_options, json, "with show and list: print JSON instead of text"),
};

enum { DEFAULT_MAX_INSTS = 100000000 };

/* --- record --- */

static enum heddle_status finish_recording(struct output_stream *file, enum heddle_status status,
                                           uint64_t n_insts, struct strbuf *why)
{
    output_progress_end();
    if (why->len)
        output_error("%s", strbuf_text(why));
    strbuf_destroy(why);
    if (status != HEDDLE_OK) {
        output_abandon(file);
        return status;
    }
    output_note("recorded %" PRIu64 " instructions", n_insts);
    return output_finish(file);
}

static enum heddle_status record_program(const struct cpu_options *o,
                                         const struct text_list *program)
{
    struct strbuf why = {0};
    uint64_t n_insts = 0;
    if (program->n < 2) {
        output_error("heddle cpu record --out FILE needs a program: -- PROGRAM [ARG...]");
        return HEDDLE_BAD_INPUT;
    }
    struct output_stream *file = output_open(o->out);
    if (!file)
        return HEDDLE_ENVIRONMENT;
    const char **argv = xcalloc(program->n, sizeof *argv);
    for (uint32_t i = 1; i < program->n; i++)
        argv[i - 1] = program->items[i];
    struct cpu_recording r = {.name = argv[0],
                              .argv = argv,
                              .skip = o->skip.value,
                              .max_insts =
                                  o->max_insts.is_given ? o->max_insts.value : DEFAULT_MAX_INSTS,
                              .watch = cpu_watch_on_terminal};
    enum heddle_status status = cpu_record(&r, (struct sink){output_add, file}, &n_insts, &why);
    free(argv);
    return finish_recording(file, status, n_insts, &why);
}

static enum heddle_status record_named(const char *name)
{
    struct strbuf path = {0}, why = {0};
    enum heddle_status status = cpu_program_trace(name, &cpu_watch_on_terminal, &path, &why);
    output_progress_end();
    if (status == HEDDLE_OK)
        output_note("%s: %s", name, strbuf_text(&path));
    else
        output_error("%s", strbuf_text(&why));
    strbuf_destroy(&path);
    strbuf_destroy(&why);
    return status;
}

/* Records those that are installed: a missing package is not an error here. */
static enum heddle_status record_all(void)
{
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < cpu_program_count() && status == HEDDLE_OK; i++) {
        const struct cpu_program *p = cpu_program_at(i);
        struct strbuf file = {0};
        if (cpu_program_file(p, &file) || !p->package)
            status = record_named(p->name);
        else
            output_note("%s: not installed (Debian: %s)", p->name, p->package);
        strbuf_destroy(&file);
    }
    return status;
}

static enum heddle_status record(const struct cpu_options *o, const struct text_list *operands)
{
    if (o->out)
        return record_program(o, operands);
    if (operands->n < 2 || o->skip.is_given || o->max_insts.is_given) {
        output_error(operands->n < 2
                         ? "heddle cpu record needs NAME, all, or --out FILE -- PROGRAM [ARG...]"
                         : "--skip and --max-insts need --out FILE -- PROGRAM [ARG...]");
        return HEDDLE_BAD_INPUT;
    }
    if (operands->n == 2 && strcmp(operands->items[1], "all") == 0)
        return record_all();
    for (uint32_t i = 1; i < operands->n; i++)
        if (!cpu_program_find(operands->items[i])) {
            struct strbuf why = {0};
            cpu_program_unknown(operands->items[i], &why);
            output_error("%s; to record another program: --out FILE -- PROGRAM [ARG...]",
                         strbuf_text(&why));
            strbuf_destroy(&why);
            return HEDDLE_BAD_INPUT;
        }
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 1; i < operands->n && status == HEDDLE_OK; i++)
        status = record_named(operands->items[i]);
    return status;
}

/* --- list --- */

static const char *state_of(const struct cpu_program *p)
{
    struct strbuf path = {0};
    const char *state = "not installed";
    if (cpu_program_is_recorded(p, &path))
        state = "recorded";
    else if (path.len)
        state = "not recorded yet";
    strbuf_destroy(&path);
    return state;
}

static void list_as_json(struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_array(&w, NULL);
    for (uint32_t i = 0; i < cpu_program_count(); i++) {
        const struct cpu_program *p = cpu_program_at(i);
        json_begin_object(&w, NULL);
        json_string(&w, "name", p->name);
        json_string(&w, "summary", p->summary);
        json_string(&w, "package", p->package);
        json_uint(&w, "skip", p->skip);
        json_uint(&w, "instructions", p->max_insts);
        json_string(&w, "state", state_of(p));
        json_end_object(&w);
    }
    json_end_array(&w);
}

static enum heddle_status list(const struct cpu_options *o)
{
    struct strbuf out = {0};
    struct table t = {.n_columns = 4, .right = "llll"};
    if (o->json) {
        list_as_json(&out);
        return output_take(&out);
    }
    for (uint32_t i = 0; i < cpu_program_count(); i++) {
        const struct cpu_program *p = cpu_program_at(i);
        table_cell(&t, "%s", p->name);
        table_cell(&t, "%s", p->summary);
        table_cell(&t, "%s", p->package ? p->package : "Heddle");
        table_cell(&t, "%s", state_of(p));
    }
    table_print(&t, &out);
    table_destroy(&t);
    strbuf_add(&out, "\ncache_bubble_0 to _8 and bandwidth_bubble_0 to _8 are generated.\n");
    return output_take(&out);
}

/* --- show --- */

struct cpu_counts {
    uint64_t n, loads, stores, branches, taken, lines;
};

static void count_inst(const struct cpu_inst *inst, struct cpu_counts *c, struct lab_map *lines)
{
    c->n++;
    c->branches += inst->is_branch != 0;
    c->taken += inst->is_branch && inst->is_taken;
    for (int i = 0; i < CPU_SOURCES; i++)
        if (inst->source_memory[i]) {
            c->loads++;
            lab_map_at(lines, inst->source_memory[i] / 64, 0);
        }
    for (int i = 0; i < CPU_DESTS; i++)
        if (inst->dest_memory[i]) {
            c->stores++;
            lab_map_at(lines, inst->dest_memory[i] / 64, 0);
        }
}

static void print_counts(const struct cpu_counts *c, const char *origin, bool as_json,
                         struct strbuf *out)
{
    const struct {
        const char *name, *meaning;
        uint64_t n;
    } rows[] = {
        {"instructions", "", c->n},
        {"loads", "memory operands that are read", c->loads},
        {"stores", "memory operands that are written", c->stores},
        {"branches", "includes calls and returns", c->branches},
        {"taken", "branches that did not fall through", c->taken},
        {"lines", "distinct lines of 64 bytes that are loaded or stored", c->lines},
    };
    struct json_writer w = {.out = out};
    struct table t = {.n_columns = 3, .right = "lrl"};
    if (as_json) {
        json_begin_object(&w, NULL);
        json_string(&w, "program", origin);
    } else if (origin) {
        strbuf_addf(out, "%s\n", origin);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (as_json) {
            json_uint(&w, rows[i].name, rows[i].n);
            continue;
        }
        table_cell(&t, "  %s", rows[i].name);
        table_count(&t, rows[i].n);
        table_cell(&t, "%s", rows[i].meaning);
    }
    if (as_json)
        json_end_object(&w);
    else
        table_print(&t, out);
    table_destroy(&t);
}

static enum heddle_status show(const struct cpu_options *o, const char *path)
{
    struct strbuf why = {0}, out = {0};
    struct cpu_counts counts = {0};
    struct lab_map lines = {0};
    struct cpu_inst inst;
    int error;
    enum heddle_status status = HEDDLE_OK;
    struct cpu_trace *t = cpu_trace_open(path, &error, &why);
    while (t && cpu_trace_next(t, &inst))
        count_inst(&inst, &counts, &lines);
    counts.lines = lines.n;
    if (!t) {
        output_error("cannot read %s: %s", path, strbuf_text(&why));
        status = error ? file_read_status(error) : HEDDLE_BAD_INPUT;
    } else if (cpu_trace_error(t)) {
        output_error("%s: %s", path, cpu_trace_error(t));
        status = HEDDLE_BAD_INPUT;
    } else {
        print_counts(&counts, cpu_trace_origin(t), o->json, &out);
        status = output_take(&out);
    }
    cpu_trace_close(t);
    free(lines.entries);
    strbuf_destroy(&why);
    strbuf_destroy(&out);
    return status;
}

static enum heddle_status show_named(const struct cpu_options *o, const char *name_or_path)
{
    struct strbuf path = {0}, why = {0};
    enum heddle_status status =
        cpu_program_trace(name_or_path, &cpu_watch_on_terminal, &path, &why);
    output_progress_end();
    if (status == HEDDLE_OK)
        status = show(o, strbuf_text(&path));
    else
        output_error("%s", strbuf_text(&why));
    strbuf_destroy(&path);
    strbuf_destroy(&why);
    return status;
}

/* --- The command --- */

/* Which options apply to which verb. */
static enum heddle_status check_options(const struct cpu_options *o, const char *verb,
                                        uint32_t n_operands)
{
    bool records = strcmp(verb, "record") == 0, shows = strcmp(verb, "show") == 0;
    if (records && o->json)
        output_error("--json is for heddle cpu show and list");
    else if (!records && (o->out || o->skip.is_given || o->max_insts.is_given))
        output_error("--out, --skip and --max-insts are for heddle cpu record");
    else if (shows && n_operands != 2)
        output_error("heddle cpu show takes one TRACE or NAME");
    else if (!records && !shows && n_operands != 1)
        output_error("heddle cpu list takes no operands");
    else
        return HEDDLE_OK;
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status run_cpu(const void *values, const struct text_list *operands)
{
    static const char *const verbs[] = {"record", "show", "list"};
    const struct cpu_options *o = values;
    const char *verb = operands->items[0];
    bool records = strcmp(verb, "record") == 0, shows = strcmp(verb, "show") == 0;
    if (!records && !shows && strcmp(verb, "list") != 0)
        return output_unknown("verb", verb, verbs, 3, "`heddle help cpu` lists them");
    enum heddle_status status = check_options(o, verb, operands->n);
    if (status != HEDDLE_OK)
        return status;
    return records ? record(o, operands) : shows ? show_named(o, operands->items[1]) : list(o);
}

static const char *const examples[] = {
    "heddle cpu list",
    "named programs, and whether they are recorded",
    "heddle cpu record bzip2 chase",
    "records them now instead of at their first use",
    "heddle cpu record --out xz.cpu --skip 5000000 --max-insts 20000000 -- xz -9 -k -c README.md",
    "a trace of any native program: its instructions, registers and memory accesses",
    "heddle cpu show xz.cpu",
    "the content of a trace",
    "heddle cpu show 605.mcf_s-472B.champsimtrace.xz",
    "ChampSim traces can be read, too",
    NULL,
};

const struct command command_cpu = {
    .name = "cpu",
    .operands = "record|show|list [NAME...|all | TRACE | -- PROGRAM ARG...]",
    .summary = "record native programs as traces for CPU cores",
    .description =
        "record runs a program of this machine under valgrind and writes a trace: a record of 64 "
        "bytes per instruction, in ChampSim's format, compressed with zstd. Named programs (list) "
        "have fixed inputs; their traces are kept in the cache folder. show describes a trace of "
        "Heddle or ChampSim (.xz, .zst or uncompressed).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct cpu_options),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_cpu,
};
