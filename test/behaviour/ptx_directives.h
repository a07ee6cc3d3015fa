/* What the comments of a program in test/ptx ask for: launches, and what must come of them.
 *
 *     // run: k grid=2 block=32 shared=64 args: buf:128 u32:7
 *     // expect: u32 = 0..30 7
 *     // print: text of one line the kernel prints
 *     // warn: part of a warning
 *     ld.global.u32 %r1, [%rd1];   // fault: bad access; thread 5,0,0
 *
 * README.md in test/ptx has them all. A directive belongs to the last "run:" above it. */
#ifndef TEST_BEHAVIOUR_PTX_DIRECTIVES_H
#define TEST_BEHAVIOUR_PTX_DIRECTIVES_H

#include <ctype.h>
#include <stdio.h>

#include "ptx_value.h"

enum { MAX_ARGS = 8, MAX_EXPECTS = 24, MAX_DIRECTIVE = 1024 };

struct expectation {
    uint32_t line;
    char text[MAX_DIRECTIVE];
};

struct program_run {
    uint32_t line;
    char kernel[64];
    uint32_t grid[3], block[3];
    uint64_t shared_bytes, max_insts;
    bool strict;
    char args[MAX_ARGS][256];
    uint32_t n_args;
    struct expectation expects[MAX_EXPECTS], prints[MAX_EXPECTS], warns[MAX_EXPECTS];
    uint32_t n_expects, n_prints, n_warns;
    struct expectation fault; /* line 0 = the run must succeed */
};

struct directives {
    struct program_run *runs;
    uint32_t n, cap;
    struct expectation load_errors[MAX_EXPECTS]; /* none = the program must load */
    uint32_t n_load_errors;
};

static void directive_bad(uint32_t line, const char *text)
{
    fprintf(stderr, "line %u: cannot make sense of '%s'\n", line, text);
    abort();
}

static void parse_shape(const char *text, uint32_t shape[3])
{
    for (uint32_t i = 0; i < 3 && *text; i++) {
        char *end;
        shape[i] = (uint32_t)strtoul(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
}

static void parse_run_word(struct program_run *r, char *word, bool is_arg)
{
    if (is_arg && r->n_args < MAX_ARGS)
        snprintf(r->args[r->n_args++], sizeof r->args[0], "%s", word);
    else if (strncmp(word, "grid=", 5) == 0)
        parse_shape(word + 5, r->grid);
    else if (strncmp(word, "block=", 6) == 0)
        parse_shape(word + 6, r->block);
    else if (strncmp(word, "shared=", 7) == 0)
        r->shared_bytes = strtoull(word + 7, NULL, 10);
    else if (strncmp(word, "max_insts=", 10) == 0)
        r->max_insts = strtoull(word + 10, NULL, 10);
    else if (strcmp(word, "strict") == 0)
        r->strict = true;
    else
        directive_bad(r->line, word);
}

static void parse_run(struct directives *d, uint32_t line, char *text)
{
    ARRAY_RESERVE(d->runs, d->cap, d->n + 1);
    struct program_run *r = &d->runs[d->n++];
    *r = (struct program_run){.line = line, .block = {32}};
    bool is_arg = false;
    char *save = NULL, *word = strtok_r(text, " ", &save);
    if (!word)
        directive_bad(line, "run:");
    snprintf(r->kernel, sizeof r->kernel, "%s", word);
    while ((word = strtok_r(NULL, " ", &save)) != NULL) {
        if (strcmp(word, "args:") == 0)
            is_arg = true;
        else
            parse_run_word(r, word, is_arg);
    }
}

static void add_expectation(struct expectation *list, uint32_t *n, uint32_t line, const char *text)
{
    if (*n >= MAX_EXPECTS)
        directive_bad(line, text);
    list[*n].line = line;
    snprintf(list[(*n)++].text, MAX_DIRECTIVE, "%s", text);
}

static void parse_directive(struct directives *d, uint32_t line, char *word, char *text)
{
    struct program_run *r = d->n ? &d->runs[d->n - 1] : NULL;
    uint32_t one = 0;
    if (strcmp(word, "run") == 0)
        parse_run(d, line, text);
    else if (strcmp(word, "load-error") == 0)
        add_expectation(d->load_errors, &d->n_load_errors, line, text);
    else if (r && strcmp(word, "expect") == 0)
        add_expectation(r->expects, &r->n_expects, line, text);
    else if (r && strcmp(word, "print") == 0)
        add_expectation(r->prints, &r->n_prints, line, text);
    else if (r && strcmp(word, "warn") == 0)
        add_expectation(r->warns, &r->n_warns, line, text);
    else if (r && strcmp(word, "fault") == 0)
        add_expectation(&r->fault, &one, line, text);
}

/* A directive is a comment that begins with a word and a colon. */
static void directives_parse(struct directives *d, const char *text)
{
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        size_t len = strcspn(line, "\n");
        char copy[MAX_DIRECTIVE];
        snprintf(copy, sizeof copy, "%.*s", (int)len, line);
        char *comment = strstr(copy, "// ");
        char *colon = comment ? strchr(comment, ':') : NULL;
        if (colon) {
            *colon = 0;
            char *after = colon + 1;
            parse_directive(d, number, comment + 3, after + strspn(after, " "));
        }
        line += len + (line[len] == '\n');
    }
}

#endif
