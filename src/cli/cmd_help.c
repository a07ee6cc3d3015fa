/* heddle help: what the commands do. */
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"

struct help_options {
    bool markdown;
};

static const struct option options[] = {
    OPTION_FLAG("markdown", struct help_options, markdown,
                "print the whole reference as a Markdown page"),
};

static enum heddle_status run_help(const void *values, const struct text_list *operands)
{
    const struct help_options *o = values;
    struct strbuf text = {0};
    if (o->markdown) {
        help_markdown(&text);
    } else if (operands->n == 0) {
        help_overview(&text);
    } else {
        const struct command *c = command_find(operands->items[0]);
        if (!c)
            return command_report_unknown(operands->items[0]);
        help_command(c, &text);
    }
    return output_take(&text);
}

static const char *const examples[] = {
    "heddle help run",
    "the options of `heddle run`",
    NULL,
};

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "tell what a command does",
    .description = "Tells what Heddle's commands do, or one command in full.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct help_options),
    .max_operands = 1,
    .examples = examples,
    .run = run_help,
};
