/* heddle help: what the commands do. */
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/markdown.h"
#include "cli/output.h"
#include "cli/show.h"

struct help_options {
    bool markdown;
    const char *man, *completion;
};

static const struct option options[] = {
    OPTION_FLAG("markdown", struct help_options, markdown,
                "print the whole reference as a Markdown page"),
    OPTION_TEXT("man", struct help_options, man, "FOLDER",
                "write the manual pages into this folder: heddle.1, and one per command"),
    OPTION_TEXT("completion", struct help_options, completion, "SHELL",
                "print the script that completes command lines; SHELL is bash"),
};

static enum heddle_status write_page(const char *folder, const char *file, struct strbuf *text)
{
    struct strbuf path = {0};
    strbuf_addf(&path, "%s/%s.1", folder, file);
    enum heddle_status status = output_file(strbuf_text(&path), text->text, text->len);
    strbuf_destroy(&path);
    strbuf_destroy(text);
    return status;
}

static enum heddle_status write_pages(const char *folder)
{
    struct strbuf text = {0}, name = {0};
    help_man_overview(&text);
    enum heddle_status status = write_page(folder, "heddle", &text);
    for (uint32_t i = 0; i < n_commands && status == HEDDLE_OK; i++) {
        strbuf_clear(&name);
        strbuf_addf(&name, "heddle-%s", commands[i]->name);
        help_man(commands[i], &text);
        status = write_page(folder, strbuf_text(&name), &text);
    }
    strbuf_destroy(&name);
    return status;
}

static enum heddle_status run_help(const void *values, const struct text_list *operands)
{
    const struct help_options *o = values;
    static const char *const shells[] = {"bash"};
    struct strbuf text = {0};
    if (o->markdown + !!o->man + !!o->completion + operands->n > 1) {
        output_error("--markdown, --man, --completion and a COMMAND exclude each other");
        return HEDDLE_BAD_INPUT;
    }
    if (o->completion && strcmp(o->completion, shells[0]) != 0)
        return output_unknown("shell", o->completion, shells, 1, "only bash is supported");
    if (o->man)
        return write_pages(o->man);
    if (o->completion) {
        completion_bash(&text);
    } else if (o->markdown) {
        help_markdown(&text);
        markdown_wrap(&text);
    } else if (operands->n == 0) {
        help_overview(&text);
    } else {
        const struct command *c = command_find(operands->items[0]);
        if (c)
            help_command(c, &text);
        else if (!show_meaning(operands->items[0], &text))
            return command_report_unknown(operands->items[0]);
    }
    return output_take(&text);
}

static const char *const examples[] = {
    "heddle help run",
    "the options of `heddle run`",
    "heddle help mshr",
    "what MSHR means in these texts",
    "source <(heddle help --completion bash)",
    "from now on the Tab key completes commands, options and names in this shell",
    NULL,
};

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND|TERM]",
    .summary = "explain a command or a term",
    .description = "Explains Heddle's commands, one command in full, or a term of these texts "
                   "(`heddle show terms` lists them).",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct help_options),
    .max_operands = 1,
    .examples = examples,
    .run = run_help,
};
