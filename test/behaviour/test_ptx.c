/* Runs what test/ptx holds: tables of instructions and small programs, each with its expectations
 * in its own comments, under every host vector variant. Then asks whether every way to execute an
 * instruction (EXEC row of isa.def) was part of some program that ran.
 *
 * `test_ptx --expand FILE.table` prints the kernel a table stands for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <glob.h>

#include "emu/bind.h"
#include "gpu/sim.h"
#include "ptx/exec_match.h"
#include "ptx_table.h"
#include "ptx_directives.h"

static bool covered[N_EXEC];

/* The case being run, for messages. */
static struct {
    const char *file, *isa;
    uint32_t failures;
} now;

static void __attribute__((format(printf, 2, 3))) complain(uint32_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%u: [%s] ", now.file, line, now.isa);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    now.failures++;
}

static void collect_print(void *user, const char *text, size_t len)
{
    strbuf_add_n(user, text, len);
}

static struct heddle_sim *create_sim(bool strict, uint64_t max_insts, struct strbuf *printed)
{
    struct heddle_sim *sim;
    struct heddle_options options = {.struct_size = sizeof options,
                                     .host_isa = now.isa,
                                     .strict = strict,
                                     .max_insts = max_insts,
                                     .print = collect_print,
                                     .print_user = printed};
    assert_int_equal(heddle_create(&options, &sim), HEDDLE_OK);
    return sim;
}

static void note_coverage(const struct heddle_module *module)
{
    const struct program *p = module->program;
    for (uint32_t pc = 0; pc < p->n_ops; pc++)
        covered[p->info[pc].exec_id] = true;
}

/* --- tables --- */

static void check_table_lane(const struct table *t, const uint64_t *slots, bool on, uint32_t thread)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct table_result *r = &t->results[i];
        uint64_t got = value_mask(r->type, slots[i]);
        if (on && !table_result_holds(r, got))
            complain(r->line, "thread %u: %s is 0x%llx (%.9g), not 0x%llx (%.9g)", thread, r->reg,
                     (unsigned long long)got, value_to_double(r->type, got),
                     (unsigned long long)r->expected, value_to_double(r->type, r->expected));
        uint64_t untouched = r->is_predicate ? 0 : value_mask(r->type, TABLE_UNTOUCHED);
        if (!on && got != untouched)
            complain(r->line, "thread %u is not active, but its %s became 0x%llx", thread, r->reg,
                     (unsigned long long)got);
    }
}

static void run_table(const struct table *t, uint32_t block, uint32_t lanes)
{
    struct strbuf printed = {0};
    struct heddle_sim *sim = create_sim(false, 0, &printed);
    struct heddle_module *module;
    const char *text = strbuf_text(&t->ptx);
    uint64_t out, bytes = (uint64_t)t->n * TABLE_SLOT_BYTES * block;
    uint64_t *slots = xcalloc(t->n * (size_t)block, TABLE_SLOT_BYTES);
    if (heddle_load(sim, HEDDLE_PTX, now.file, text, strlen(text), NULL, &module) != HEDDLE_OK) {
        complain(0, "cannot be loaded:\n%s", heddle_error(sim));
    } else {
        note_coverage(module);
        assert_int_equal(heddle_alloc(sim, bytes, "out", &out), HEDDLE_OK);
        struct heddle_arg args[] = {{.data = &out, .bytes = 8}, {.data = &lanes, .bytes = 4}};
        struct heddle_launch launch = {.block = {block}, .args = args, .n_args = 2};
        if (heddle_launch(sim, module, "table", &launch) != HEDDLE_OK)
            complain(0, "block of %u, lanes 0x%x: %s", block, lanes, heddle_error(sim));
        assert_int_equal(heddle_read(sim, out, slots, bytes), HEDDLE_OK);
        for (uint32_t i = 0; i < block && !now.failures; i++)
            check_table_lane(t, slots + (size_t)i * t->n, lanes >> i % WARP_LANES & 1, i);
    }
    free(slots);
    heddle_destroy(sim);
    strbuf_destroy(&printed);
}

/* Full warps take the forms of operations that write every lane, others those under a mask. */
static void run_table_file(const char *text)
{
    struct table t = {0};
    table_expand(&t, text);
    if (t.bad)
        complain(0, "the table has lines that cannot be understood");
    else
        for (uint32_t isa = 0; isa < host_isa_count(); isa++) {
            now.isa = host_isa_name(isa);
            run_table(&t, 32, ~0u);
            run_table(&t, 32, 0x5a0ff001);
            run_table(&t, 20, ~0u);
            run_table(&t, 52, 0x80070f0a);
        }
    table_destroy(&t);
}

/* --- programs --- */

/* An argument as the kernel gets it; buffers remember what they are. */
struct argument {
    uint8_t bytes[512];
    size_t n_bytes;
    uint64_t buffer, buffer_bytes; /* 0 = not a buffer */
    bool local;
};

static size_t read_values(struct value_type type, char *text, uint8_t *into, size_t cap)
{
    size_t n = 0;
    char *save = NULL;
    for (char *w = strtok_r(text, ",", &save); w && n + type.bytes <= cap;
         w = strtok_r(NULL, ",", &save)) {
        uint64_t v;
        assert_non_null(value_parse(type, w, &v));
        memcpy(into + n, &v, type.bytes);
        n += type.bytes;
    }
    return n;
}

static void make_buffer(struct heddle_sim *sim, struct argument *a, const uint8_t *data,
                        uint64_t bytes)
{
    assert_int_equal(heddle_alloc(sim, bytes, "argument", &a->buffer), HEDDLE_OK);
    assert_int_equal(heddle_write(sim, a->buffer, data, bytes), HEDDLE_OK);
    a->buffer_bytes = bytes;
    a->n_bytes = 8;
    memcpy(a->bytes, &a->buffer, 8);
}

static void make_argument(struct heddle_sim *sim, const char *spec, struct argument *a)
{
    static const uint8_t zeros[1 << 16];
    char text[256];
    struct value_type type = {0};
    *a = (struct argument){0};
    snprintf(text, sizeof text, "%s", spec);
    char *colon = strchr(text, ':');
    assert_non_null(colon);
    *colon = 0;
    char *rest = colon + 1;
    if (strcmp(text, "buf") == 0) {
        make_buffer(sim, a, zeros, strtoull(rest, NULL, 10));
    } else if (strcmp(text, "data") == 0) {
        uint8_t data[512];
        char *values = strchr(rest, ':');
        assert_non_null(values);
        *values = 0;
        assert_true(value_type_parse(rest, &type));
        make_buffer(sim, a, data, read_values(type, values + 1, data, sizeof data));
    } else if (strcmp(text, "bytes") == 0) { /* by value: 0, 1, 2 ... */
        a->n_bytes = strtoul(rest, NULL, 10);
        for (size_t i = 0; i < a->n_bytes && i < sizeof a->bytes; i++)
            a->bytes[i] = (uint8_t)i;
    } else if (strcmp(text, "local") == 0) {
        a->local = true;
        a->n_bytes = strtoul(rest, NULL, 10);
    } else {
        assert_true(value_type_parse(text, &type));
        a->n_bytes = read_values(type, rest, a->bytes, sizeof a->bytes);
    }
}

/* "[argN] type[first] = values" against the buffer's contents. */
static void check_expectation(struct heddle_sim *sim, const struct argument *args, uint32_t n_args,
                              const struct expectation *e)
{
    char text[MAX_DIRECTIVE], *at = text;
    snprintf(text, sizeof text, "%s", e->text);
    uint32_t arg = 0, wrong = 0;
    uint64_t first = 0, n = 0, want;
    struct value_list list = {0};
    if (strncmp(at, "arg", 3) == 0)
        arg = (uint32_t)strtoul(at + 3, &at, 10);
    at += strspn(at, " ");
    char *values = strstr(at, " = "), *index = strchr(at, '[');
    if (!values || arg >= n_args || !args[arg].buffer) {
        complain(e->line, "cannot make sense of this expectation");
        return;
    }
    *values = 0;
    if (index && index < values) {
        *index = 0;
        first = strtoull(index + 1, NULL, 0);
    }
    list.rest = values + 3;
    bool bad = !value_type_parse(at, &list.type);
    while (!bad && wrong < 4 && value_list_next(&list, &want, &bad)) {
        uint64_t got = 0, offset = (first + n) * list.type.bytes;
        if (offset + list.type.bytes > args[arg].buffer_bytes) {
            complain(e->line, "element %llu is past the end", (unsigned long long)(first + n));
            return;
        }
        assert_int_equal(heddle_read(sim, args[arg].buffer + offset, &got, list.type.bytes),
                         HEDDLE_OK);
        if (!value_equal(list.type, got, want)) {
            complain(e->line, "%s[%llu] is 0x%llx, not 0x%llx", at, (unsigned long long)(first + n),
                     (unsigned long long)got, (unsigned long long)want);
            wrong++;
        }
        n++;
    }
    if (bad || n == 0)
        complain(e->line, "cannot make sense of these values");
}

static void check_printed(const struct program_run *r, const struct strbuf *printed)
{
    const char *at = strbuf_text(printed);
    for (uint32_t i = 0; i < r->n_prints; i++) {
        size_t len = strcspn(at, "\n"), want = strlen(r->prints[i].text);
        if (len != want || strncmp(at, r->prints[i].text, len) != 0)
            complain(r->prints[i].line, "printed '%.*s'", (int)len, at);
        at += len + (at[len] == '\n');
    }
    if (*at)
        complain(r->line, "also printed '%s'", at);
}

/* Every part of the text, parted by "; ", must be in the message. */
static void check_parts(const struct expectation *e, const char *message)
{
    char text[MAX_DIRECTIVE], *next;
    snprintf(text, sizeof text, "%s", e->text);
    for (char *part = text; part; part = next) {
        next = strstr(part, "; ");
        if (next) {
            *next = 0;
            next += 2;
        }
        if (!strstr(message, part))
            complain(e->line, "the message has no '%s':\n%s", part, message);
    }
}

/* The simulation still works: another kernel runs in it. */
static void check_usable(struct heddle_sim *sim, uint32_t line)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry after(.param .u64 out)\n{\n.reg .b64 %rd<2>;\n"
                               "ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], 4711;\nret;\n}\n";
    struct heddle_module *module;
    struct heddle_arg arg = {.bytes = 8};
    struct heddle_launch launch = {.args = &arg, .n_args = 1};
    uint64_t out;
    uint32_t value = 0;
    arg.data = &out;
    assert_int_equal(heddle_load(sim, HEDDLE_PTX, "after", text, strlen(text), NULL, &module),
                     HEDDLE_OK);
    assert_int_equal(heddle_alloc(sim, 4, "after", &out), HEDDLE_OK);
    if (heddle_launch(sim, module, "after", &launch) != HEDDLE_OK ||
        heddle_read(sim, out, &value, 4) != HEDDLE_OK || value != 4711)
        complain(line, "the simulation cannot be used after the fault: %s", heddle_error(sim));
}

/* A fault is expected on the line its comment stands on, in this kernel. */
static void check_fault(struct heddle_sim *sim, const struct program_run *r,
                        enum heddle_status status)
{
    struct strbuf place = {0};
    const char *message = heddle_error(sim);
    if (status != HEDDLE_KERNEL_FAULT) {
        complain(r->fault.line, "expected a fault, got status %d: %s", (int)status, message);
        return;
    }
    check_parts(&r->fault, message);
    strbuf_addf(&place, "kernel '%s'", r->kernel);
    if (!strstr(message, strbuf_text(&place)))
        complain(r->fault.line, "the message does not name the kernel:\n%s", message);
    strbuf_clear(&place);
    strbuf_addf(&place, "%s:%u", now.file, r->fault.line);
    const char *at = strstr(message, strbuf_text(&place));
    if (!at || isdigit((unsigned char)at[place.len]))
        complain(r->fault.line, "the fault is reported on another line:\n%s", message);
    strbuf_destroy(&place);
    check_usable(sim, r->fault.line);
}

static void run_program(struct heddle_sim *sim, struct heddle_module *module,
                        const struct program_run *r, const struct strbuf *printed)
{
    struct argument args[MAX_ARGS];
    struct heddle_arg given[MAX_ARGS] = {0};
    for (uint32_t i = 0; i < r->n_args; i++) {
        make_argument(sim, r->args[i], &args[i]);
        given[i] = (struct heddle_arg){args[i].bytes, args[i].n_bytes, args[i].local};
    }
    struct heddle_launch launch = {
        .args = given, .n_args = r->n_args, .shared_bytes = r->shared_bytes};
    memcpy(launch.grid, r->grid, sizeof launch.grid);
    memcpy(launch.block, r->block, sizeof launch.block);
    enum heddle_status status = heddle_launch(sim, module, r->kernel, &launch);
    if (r->fault.line) {
        check_fault(sim, r, status);
    } else if (status != HEDDLE_OK) {
        complain(r->line, "%s", heddle_error(sim));
        return;
    }
    for (uint32_t i = 0; i < r->n_expects; i++)
        check_expectation(sim, args, r->n_args, &r->expects[i]);
    for (uint32_t i = 0; i < r->n_warns; i++)
        check_parts(&r->warns[i], heddle_warnings(sim));
    check_printed(r, printed);
}

static enum heddle_language language_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return strcmp(dot, ".cl") == 0   ? HEDDLE_OPENCL_C
           : strcmp(dot, ".cu") == 0 ? HEDDLE_CUDA_C
                                     : HEDDLE_PTX;
}

/* Each run gets a simulation of its own. */
static void load_and_run(const char *text, const struct directives *d, const struct program_run *r)
{
    struct strbuf printed = {0};
    struct heddle_module *module;
    struct heddle_sim *sim = create_sim(r && r->strict, r ? r->max_insts : 0, &printed);
    enum heddle_status status =
        heddle_load(sim, language_of(now.file), now.file, text, strlen(text), NULL, &module);
    if (d->load_error.line) {
        if (status != HEDDLE_BAD_INPUT)
            complain(d->load_error.line, "expected to be refused, got status %d", (int)status);
        else
            check_parts(&d->load_error, heddle_error(sim));
    } else if (status != HEDDLE_OK) {
        complain(0, "cannot be loaded:\n%s", heddle_error(sim));
    } else {
        note_coverage(module);
        run_program(sim, module, r, &printed);
    }
    heddle_destroy(sim);
    strbuf_destroy(&printed);
}

static void run_program_file(const char *text)
{
    struct directives d = {0};
    directives_parse(&d, text);
    if (!d.n && !d.load_error.line)
        complain(0, "the file asks for nothing");
    for (uint32_t isa = 0; isa < host_isa_count(); isa++) {
        now.isa = host_isa_name(isa);
        if (d.load_error.line)
            load_and_run(text, &d, NULL);
        for (uint32_t i = 0; i < d.n && !d.load_error.line; i++)
            load_and_run(text, &d, &d.runs[i]);
    }
    free(d.runs);
}

/* --- all of it --- */

static void test_file(void **state)
{
    const char *path = *state;
    struct strbuf text = {0};
    const char *slash = strrchr(path, '/');
    now.file = slash ? slash + 1 : path;
    now.isa = "-";
    now.failures = 0;
    assert_int_equal(strbuf_read_file(&text, path), 0);
    if (strcmp(strrchr(path, '.'), ".table") == 0)
        run_table_file(strbuf_text(&text));
    else
        run_program_file(strbuf_text(&text));
    strbuf_destroy(&text);
    if (now.failures)
        fail_msg("%s: %u expectations do not hold", now.file, now.failures);
}

/* Rows that lowering never selects: each mov and cvta gets a more precise one. */
static bool is_never_selected(uint32_t row)
{
    return row == EXEC_MOV_ANY || row == EXEC_CVTA_ANY;
}

static void every_row_is_executed(void **state)
{
    uint32_t missing = 0;
    (void)state;
    for (uint32_t i = 0; i < N_EXEC; i++) {
        if (covered[i] == is_never_selected(i)) {
            fprintf(stderr, "%s: %s\n", exec_rows[i].name,
                    covered[i] ? "listed as never selected, but it is" : "not in any program");
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static int expand(const char *path)
{
    struct strbuf text = {0};
    struct table t = {0};
    if (strbuf_read_file(&text, path) != 0)
        return 1;
    table_expand(&t, strbuf_text(&text));
    fputs(strbuf_text(&t.ptx), stdout);
    bool bad = t.bad;
    table_destroy(&t);
    strbuf_destroy(&text);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--expand") == 0)
        return expand(argv[2]);
    static const char *const patterns[] = {"*.table", "*.ptx", "*.cl", "*.cu"};
    glob_t files = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        char pattern[512];
        snprintf(pattern, sizeof pattern, "%s/test/ptx/%s", HEDDLE_SOURCE_DIR, patterns[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &files);
    }
    struct CMUnitTest *tests = xcalloc(files.gl_pathc + 1, sizeof *tests);
    size_t n = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (argc < 2 || strstr(files.gl_pathv[i], argv[1]))
            tests[n++] = (struct CMUnitTest){strrchr(files.gl_pathv[i], '/') + 1, test_file, NULL,
                                             NULL, files.gl_pathv[i]};
    if (argc < 2)
        tests[n++] =
            (struct CMUnitTest){"every_row_is_executed", every_row_is_executed, NULL, NULL, NULL};
    int failed = _cmocka_run_group_tests("test_ptx", tests, n, NULL, NULL);
    free(tests);
    globfree(&files);
    return failed;
}
