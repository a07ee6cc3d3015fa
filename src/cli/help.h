/* Help, written from the tables of commands and options. */
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
/* The whole reference as one Markdown page: doc/commands.md. */
void help_markdown(struct strbuf *out);

#endif
