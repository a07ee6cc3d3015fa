#include "cli/help.h"

#include <string.h>

#include "cli/table.h"

enum { WIDTH = 96, INDENT = 2 };

const struct exit_status help_exit_statuses[] = {
    {HEDDLE_OK, "success"},
    {HEDDLE_WRONG_RESULT,
     "wrong result: a workload differs from its reference, or a timed replay from its recording; a "
     "point of a sweep failed; stale data were read with --fail-on-stale"},
    {HEDDLE_BAD_INPUT, "bad input: arguments (missing files included), configuration or program"},
    {HEDDLE_KERNEL_FAULT, "kernel failure: bad access, deadlock, trap, or a limit was reached"},
    {HEDDLE_ENVIRONMENT,
     "environment: a file could not be read or written, a tool is missing, or memory ran out"},
};
const uint32_t n_help_exit_statuses = sizeof help_exit_statuses / sizeof help_exit_statuses[0];

/* Two columns: terms, and explanations wrapped beside them. */
static void add_term(struct strbuf *out, const char *term, const char *text, unsigned width)
{
    strbuf_addf(out, "%*s%-*s  ", INDENT, "", (int)width, term);
    unsigned column = INDENT + 2 + width;
    text_wrap(out, text, column, column, WIDTH);
}

void help_overview(struct strbuf *out)
{
    strbuf_add(out, "Heddle runs GPU kernels (OpenCL C, CUDA C, PTX) on a simulated GPU.\n\n"
                    "Usage: heddle COMMAND [WORD | OPTION]...\n\nCommands:\n");
    for (uint32_t i = 0; i < n_commands; i++)
        add_term(out, commands[i]->name, commands[i]->summary, 10);
    strbuf_add(out, "\nOptions:\n");
    add_term(out, "--help", "print this text, or the help of a command", 10);
    add_term(out, "--version",
             "print the versions of Heddle and its model, and what this host supports", 10);
    strbuf_add(out, "\nExit status:\n");
    for (uint32_t i = 0; i < n_help_exit_statuses; i++)
        strbuf_addf(out, "  %d  %s\n", help_exit_statuses[i].status, help_exit_statuses[i].meaning);
    strbuf_add(out, "\nTry: heddle run bfs --functional\n"
                    "     heddle show workloads\n"
                    "     heddle help run\n\n"
                    "`heddle help TERM` explains a term such as MSHR (doc/glossary.md has all of "
                    "them); README.md\n"
                    "lists all pages.\n");
}

void help_option_term(const struct option *o, struct strbuf *term)
{
    if (o->letter)
        strbuf_addf(term, "-%c, ", o->letter);
    strbuf_addf(term, "--%s%s%s", o->name, o->value_name ? " " : "",
                o->value_name ? o->value_name : "");
}

static void add_options(const struct command *c, struct strbuf *out)
{
    struct strbuf term = {0};
    unsigned width = strlen("--help");
    for (uint32_t i = 0; i < c->n_options; i++) {
        strbuf_clear(&term);
        help_option_term(&c->options[i], &term);
        width = width < term.len ? (unsigned)term.len : width;
    }
    strbuf_add(out, "\nOptions:\n");
    for (uint32_t i = 0; i < c->n_options; i++) {
        strbuf_clear(&term);
        help_option_term(&c->options[i], &term);
        add_term(out, strbuf_text(&term), c->options[i].help, width);
    }
    add_term(out, "--help", "this text", width);
    strbuf_destroy(&term);
}

/* What follows a lone "--" belongs to another program, so options come first. */
void help_usage(const struct command *c, struct strbuf *out)
{
    const char *blank = *c->operands ? " " : "";
    if (strstr(c->operands, "-- "))
        strbuf_addf(out, "heddle %s [OPTION]... %s", c->name, c->operands);
    else
        strbuf_addf(out, "heddle %s%s%s [OPTION]...", c->name, blank, c->operands);
}

void help_command(const struct command *c, struct strbuf *out)
{
    strbuf_add(out, "Usage: ");
    help_usage(c, out);
    strbuf_add(out, "\n\n");
    text_wrap(out, c->description, 0, 0, WIDTH);
    add_options(c, out);
    if (c->more_help) {
        strbuf_add_char(out, '\n');
        c->more_help(out);
    }
    if (c->examples)
        strbuf_add(out, "\nExamples:\n");
    for (const char *const *e = c->examples; e && *e; e += 2)
        strbuf_addf(out, "  %s\n      %s\n", e[0], e[1]);
}
