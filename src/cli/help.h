/* Help, generated from the tables of commands and options. */
#ifndef HEDDLE_CLI_HELP_H
#define HEDDLE_CLI_HELP_H

#include "cli/command.h"

struct exit_status {
    enum heddle_status status;
    const char *meaning;
};
extern const struct exit_status help_exit_statuses[];
extern const uint32_t n_help_exit_statuses;

void help_overview(struct strbuf *out);
void help_command(const struct command *c, struct strbuf *out);
/* "heddle exec [OPTION]... -- PROGRAM [ARGUMENT...]" */
void help_usage(const struct command *c, struct strbuf *out);
/* "-o, --output FILE" */
void help_option_term(const struct option *o, struct strbuf *term);
/* The whole reference as one Markdown page: doc/commands.md. */
void help_markdown(struct strbuf *out);
/* Manual pages: heddle(1), and heddle-COMMAND(1). */
void help_man_overview(struct strbuf *out);
void help_man(const struct command *c, struct strbuf *out);
/* A script that completes command lines in bash. */
void completion_bash(struct strbuf *out);

#endif
