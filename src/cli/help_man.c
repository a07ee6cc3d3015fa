/* Manual pages: the same tables as the help texts, formatted for man(7). */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"

/* Literal text: nothing is interpreted as a request or an escape, or converted to another
 * character. */
static void add_text(struct strbuf *out, const char *text)
{
    static const struct {
        char c;
        const char *name;
    } special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'`', "\\(ga"}, {'\'', "\\(aq"},
                   {'"', "\\(dq"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    bool begins = true;
    for (; *text; text++) {
        const char *name = NULL;
        for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
            if (*text == special[i].c)
                name = special[i].name;
        if (begins && *text == '.')
            strbuf_add(out, "\\&");
        if (name)
            strbuf_add(out, name);
        else
            strbuf_add_char(out, *text);
        begins = *text == '\n';
    }
}

static void add_line(struct strbuf *out, const char *text)
{
    add_text(out, text);
    strbuf_add_char(out, '\n');
}

static void add_title(struct strbuf *out, const char *command, const char *summary)
{
    strbuf_add(out, ".\\\" Written by `heddle help --man`.\n.TH HEDDLE");
    for (const char *c = command; *c; c++)
        strbuf_addf(out, "%s%c", c == command ? "\\-" : "", toupper((unsigned char)*c));
    strbuf_addf(out, " 1 \"\" \"heddle %s\" \"Heddle\"\n.SH NAME\nheddle%s%s \\- ",
                heddle_version(), *command ? "\\-" : "", command);
    add_line(out, summary);
}

static void add_term(struct strbuf *out, const char *term, const char *text)
{
    strbuf_add(out, ".TP\n.B ");
    add_line(out, term);
    add_line(out, text);
}

static void add_exit_statuses(struct strbuf *out)
{
    strbuf_add(out, ".SH EXIT STATUS\n");
    for (uint32_t i = 0; i < n_help_exit_statuses; i++) {
        strbuf_addf(out, ".TP\n.B %d\n", help_exit_statuses[i].status);
        add_line(out, help_exit_statuses[i].meaning);
    }
}

static void add_options(const struct command *c, struct strbuf *out)
{
    struct strbuf term = {0};
    strbuf_add(out, ".SH OPTIONS\n");
    for (uint32_t i = 0; i < c->n_options; i++) {
        strbuf_clear(&term);
        help_option_term(&c->options[i], &term);
        add_term(out, strbuf_text(&term), c->options[i].help);
    }
    add_term(out, "--help", "a summary of this page");
    strbuf_destroy(&term);
}

static void add_more(const struct command *c, struct strbuf *out)
{
    struct strbuf more = {0};
    if (c->more_help) {
        strbuf_add(out, ".SH NOTES\n.nf\n");
        c->more_help(&more);
        add_text(out, strbuf_text(&more));
        strbuf_add(out, ".fi\n");
    }
    strbuf_destroy(&more);
}

void help_man(const struct command *c, struct strbuf *out)
{
    add_title(out, c->name, c->summary);
    struct strbuf usage = {0};
    help_usage(c, &usage);
    strbuf_addf(out, ".SH SYNOPSIS\n.B heddle %s\n", c->name);
    add_line(out, strbuf_text(&usage) + strlen("heddle ") + strlen(c->name) + 1);
    strbuf_destroy(&usage);
    strbuf_add(out, ".SH DESCRIPTION\n");
    add_line(out, c->description);
    add_options(c, out);
    add_more(c, out);
    if (c->examples)
        strbuf_add(out, ".SH EXAMPLES\n");
    for (const char *const *e = c->examples; e && *e; e += 2)
        add_term(out, e[0], e[1]);
    add_exit_statuses(out);
    strbuf_add(out, ".SH SEE ALSO\n.BR heddle (1)\n");
}

void help_man_overview(struct strbuf *out)
{
    add_title(out, "", "run GPU kernels on a simulated GPU");
    strbuf_add(out, ".SH SYNOPSIS\n.B heddle\nCOMMAND [WORD | OPTION]...\n.SH DESCRIPTION\n"
                    "Heddle runs GPU kernels (OpenCL C, CUDA C, PTX) on a simulated GPU, cycle by "
                    "cycle, under the warp\nschedulers and cache policies of the literature, and "
                    "compares them.\n.SH COMMANDS\n");
    for (uint32_t i = 0; i < n_commands; i++)
        add_term(out, commands[i]->name, commands[i]->summary);
    strbuf_add(out, ".SH OPTIONS\n");
    add_term(out, "--help", "lists the commands; after a command, describes that command");
    add_term(out, "--version", "print the version and what this host supports");
    add_exit_statuses(out);
    strbuf_add(out, ".SH SEE ALSO\n");
    for (uint32_t i = 0; i < n_commands; i++)
        strbuf_addf(out, ".BR heddle\\-%s (1)%s\n", commands[i]->name,
                    i + 1 < n_commands ? "," : "");
}
