/* A command of the command line: its name, options, help text and function. To add one, write a
 * file with a `const struct command` and add a line to commands.def. */
#ifndef HEDDLE_CLI_COMMAND_H
#define HEDDLE_CLI_COMMAND_H

#include "cli/options.h"
#include "heddle/heddle.h"

struct command {
    const char *name;
    const char *operands; /* in help: "WORKLOAD|all|FILE" */
    const char *summary;  /* one line */
    const char *description;
    const struct option *options;
    uint32_t n_options;
    size_t options_bytes; /* size of the struct that the rows' offsets refer to */
    const void *defaults; /* such a struct; NULL = all zero */
    uint32_t min_operands, max_operands;
    const char *const *examples; /* pairs: a command line and what it does; ends with NULL */
    /* Further words for the first operand besides those in `operands`, each preceded by a blank;
     * NULL = none. */
    void (*add_words)(struct strbuf *out);
    /* Additional help from the command's own tables; NULL = none. */
    void (*more_help)(struct strbuf *out);
    enum heddle_status (*run)(const void *options, const struct text_list *operands);
};

extern const struct command *const commands[];
extern const uint32_t n_commands;
const struct command *command_find(const char *name); /* NULL if there is none */

/* Reports that there is no such command, with the nearest name; HEDDLE_BAD_INPUT. */
enum heddle_status command_report_unknown(const char *name);

/* Runs the command that argv names; returns the exit status. */
enum heddle_status command_line(int argc, char **argv);

#endif
