/* heddle cpu: traces of native programs, for CPU cores beside the GPU. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/lab_map.h"
#include "base/file_status.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cpu/trace.h"

struct cpu_options {
    const char *out;
    struct given_u64 skip, max_insts;
    bool json;
};

static const struct option options[] = {
    OPTION_TEXT("out", struct cpu_options, out, "FILE", "with record: the trace to write"),
    OPTION_GIVEN("skip", struct cpu_options, skip, "N",
                 "with record: instructions to run before the first one that is recorded"),
    OPTION_GIVEN("max-insts", struct cpu_options, max_insts, "N",
                 "with record: end the program after so many recorded instructions; 100000000 if "
                 "not given, 0 = record it to its end"),
    OPTION_FLAG("json", struct cpu_options, json, "with show: print JSON instead of text"),
};

enum { DEFAULT_MAX_INSTS = 100000000 };

/* --- record --- */

/* Beside the program in a build, in ../libexec where it is installed. */
static bool find_recorder(char *folder, size_t bytes)
{
    static const char *const places[] = {"libexec/heddle", "../libexec/heddle"};
    char self[PATH_MAX], probe[PATH_MAX + 64];
    const char *given = getenv("HEDDLE_LIBEXEC");
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (int i = given ? -1 : 0; i < 2; i++) {
        int len = i < 0 ? snprintf(folder, bytes, "%s", given)
                        : snprintf(folder, bytes, "%s/%s", self, places[i]);
        snprintf(probe, sizeof probe, "%s/heddle-amd64-linux", folder);
        if (len > 0 && (size_t)len < bytes && access(probe, X_OK) == 0)
            return true;
    }
    return false;
}

/* In the child: never returns. */
static void become_valgrind(const struct cpu_options *o, const struct text_list *program,
                            const char *recorder, int out_fd)
{
    char fd[32], skip[48], max[48];
    uint64_t most = o->max_insts.is_given ? o->max_insts.value : DEFAULT_MAX_INSTS;
    const char **args = xcalloc(program->n + 8, sizeof *args);
    uint32_t n = 0;
    snprintf(fd, sizeof fd, "--out-fd=%d", out_fd);
    snprintf(skip, sizeof skip, "--skip=%" PRIu64, o->skip.value);
    snprintf(max, sizeof max, "--max-insts=%" PRIu64, most);
    const char *const fixed[] = {"valgrind", "--tool=heddle", "--quiet", fd, skip, max};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        args[n++] = fixed[i];
    for (uint32_t i = 1; i < program->n; i++)
        args[n++] = program->items[i];
    setenv("VALGRIND_LIB", recorder, 1);
    execvp("valgrind", (char *const *)args);
    output_error("cannot start valgrind: %s", strerror(errno));
    _exit(127);
}

static void join_words(const struct text_list *program, struct strbuf *out)
{
    for (uint32_t i = 1; i < program->n; i++)
        strbuf_addf(out, "%s%s", i > 1 ? " " : "", program->items[i]);
}

/* Takes what the recorder writes until it closes the pipe. */
static bool receive(int fd, struct cpu_trace_writer *w, uint64_t *n_bytes)
{
    static uint8_t room[1 << 16];
    for (;;) {
        ssize_t n = read(fd, room, sizeof room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        *n_bytes += (uint64_t)n;
        if (!cpu_trace_write(w, room, (size_t)n))
            return false;
        output_progress("recording: %.1f million instructions",
                        (double)*n_bytes / sizeof(struct cpu_inst) / 1e6);
    }
}

static enum heddle_status explain_end(int status, uint64_t n_bytes, const char *program)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !n_bytes)
        output_error("%s could not be run", program);
    else if (!n_bytes)
        output_error("%s ended before an instruction was recorded", program);
    else
        return HEDDLE_OK;
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status record_into(const struct cpu_options *o, const struct text_list *program,
                                      const char *recorder, struct output_stream *file)
{
    int pipe_fds[2], status = 0;
    uint64_t n_bytes = 0;
    struct strbuf origin = {0};
    join_words(program, &origin);
    if (pipe(pipe_fds) != 0) {
        output_error("cannot make a pipe: %s", strerror(errno));
        return HEDDLE_ENVIRONMENT;
    }
    pid_t child = fork();
    if (child == 0) {
        close(pipe_fds[0]);
        become_valgrind(o, program, recorder, pipe_fds[1]);
    }
    close(pipe_fds[1]);
    struct cpu_trace_writer *w =
        cpu_trace_write_begin((struct sink){output_add, file}, strbuf_text(&origin));
    bool ok = child > 0 && receive(pipe_fds[0], w, &n_bytes);
    close(pipe_fds[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    ok = cpu_trace_write_end(w) && ok;
    output_progress_end();
    strbuf_destroy(&origin);
    enum heddle_status end = explain_end(status, n_bytes, program->items[1]);
    if (end == HEDDLE_OK && ok)
        output_note("recorded %" PRIu64 " instructions", n_bytes / sizeof(struct cpu_inst));
    return end != HEDDLE_OK ? end : ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

static enum heddle_status record(const struct cpu_options *o, const struct text_list *program)
{
    char recorder[PATH_MAX];
    if (!o->out || program->n < 2) {
        output_error(o->out ? "heddle cpu record needs a program: --out FILE -- PROGRAM [ARG...]"
                            : "heddle cpu record needs --out FILE");
        return HEDDLE_BAD_INPUT;
    }
    if (!find_recorder(recorder, sizeof recorder)) {
        output_error("the recorder is not there: Heddle was built where valgrind's libraries were "
                     "not installed (Debian: valgrind); HEDDLE_LIBEXEC names its folder");
        return HEDDLE_ENVIRONMENT;
    }
    struct output_stream *file = output_open(o->out);
    if (!file)
        return HEDDLE_ENVIRONMENT;
    enum heddle_status status = record_into(o, program, recorder, file);
    if (status == HEDDLE_OK)
        return output_finish(file);
    output_abandon(file);
    return status;
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
        {"branches", "calls and returns included", c->branches},
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

/* --- The command --- */

static enum heddle_status run_cpu(const void *values, const struct text_list *operands)
{
    static const char *const verbs[] = {"record", "show"};
    const struct cpu_options *o = values;
    const char *verb = operands->items[0];
    if (strcmp(verb, "record") == 0 && !o->json)
        return record(o, operands);
    if (strcmp(verb, "show") == 0 && operands->n == 2 && !o->out && !o->skip.is_given &&
        !o->max_insts.is_given)
        return show(o, operands->items[1]);
    if (strcmp(verb, "record") == 0)
        output_error("--json is for heddle cpu show");
    else if (strcmp(verb, "show") == 0)
        output_error(operands->n != 2 ? "heddle cpu show takes one TRACE"
                                      : "--out, --skip and --max-insts are for heddle cpu record");
    else
        return output_unknown("verb", verb, verbs, 2, "`heddle help cpu` lists them");
    return HEDDLE_BAD_INPUT;
}

static const char *const examples[] = {
    "heddle cpu record --out xz.cpu --skip 5000000 --max-insts 20000000 -- xz -9 -k -c README.md",
    "a trace of a native program: its instructions, registers and memory accesses",
    "heddle cpu show xz.cpu",
    "what is in it",
    "heddle cpu show 605.mcf_s-472B.champsimtrace.xz",
    "traces of ChampSim are read too",
    NULL,
};

const struct command command_cpu = {
    .name = "cpu",
    .operands = "record|show [TRACE | -- PROGRAM ARG...]",
    .summary = "record native programs as traces for CPU cores",
    .description =
        "record runs a program of this machine under valgrind and writes a trace: a record of 64 "
        "bytes per instruction, as ChampSim has them, packed by zstd. show says what is in a "
        "trace, "
        "of Heddle or of ChampSim (.xz, .zst or not packed).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct cpu_options),
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .examples = examples,
    .run = run_cpu,
};
