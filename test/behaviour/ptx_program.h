/* Runs the programs of test/ptx as their comments ask (ptx_directives.h). */
#ifndef TEST_BEHAVIOUR_PTX_PROGRAM_H
#define TEST_BEHAVIOUR_PTX_PROGRAM_H

#include "ptx_case.h"
#include "ptx_directives.h"

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

/* The message must name the line the expectation stands on. */
static void check_line(const struct expectation *e, const char *message)
{
    struct strbuf place = {0};
    strbuf_addf(&place, "%s:%u", now.file, e->line);
    const char *at = strstr(message, strbuf_text(&place));
    if (!at || isdigit((unsigned char)at[place.len]))
        complain(e->line, "the message does not name this line:\n%s", message);
    strbuf_destroy(&place);
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
    strbuf_destroy(&place);
    check_line(&r->fault, message);
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

/* Errors are expected on the lines their comments stand on. */
static void check_refusal(struct heddle_sim *sim, const struct directives *d,
                          enum heddle_status status)
{
    if (status != HEDDLE_BAD_INPUT)
        complain(d->load_errors[0].line, "expected to be refused, got status %d", (int)status);
    for (uint32_t i = 0; status == HEDDLE_BAD_INPUT && i < d->n_load_errors; i++) {
        check_line(&d->load_errors[i], heddle_error(sim));
        check_parts(&d->load_errors[i], heddle_error(sim));
    }
}

/* Each run gets its own simulation. */
static void load_and_run(const char *text, const struct directives *d, const struct program_run *r)
{
    struct strbuf printed = {0};
    struct heddle_module *module;
    struct heddle_sim *sim = create_sim(r && r->strict, r ? r->max_insts : 0, &printed);
    enum heddle_status status =
        heddle_load(sim, language_of(now.file), now.file, text, strlen(text), NULL, &module);
    if (d->n_load_errors) {
        check_refusal(sim, d, status);
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
    if (!d.n && !d.n_load_errors)
        complain(0, "the file asks for nothing");
    for (uint32_t isa = 0; isa < host_isa_count(); isa++) {
        now.isa = host_isa_name(isa);
        if (d.n_load_errors)
            load_and_run(text, &d, NULL);
        for (uint32_t i = 0; i < d.n && !d.n_load_errors; i++)
            load_and_run(text, &d, &d.runs[i]);
    }
    free(d.runs);
}

#endif
