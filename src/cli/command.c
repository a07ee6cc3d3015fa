#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cli/output.h"
#include "cli/version.h"

#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
};
const uint32_t n_commands = sizeof commands / sizeof commands[0];

const struct command *command_find(const char *name)
{
    for (uint32_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Do the words before a "--" ask for help? */
static bool asks_for_help(uint32_t n_words, const char *const *words)
{
    for (uint32_t i = 0; i < n_words && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return true;
    return false;
}

static bool check_operands(const struct command *c, const struct text_list *operands,
                           struct diag_list *diags)
{
    if (operands->n >= c->min_operands && operands->n <= c->max_operands)
        return true;
    struct strbuf usage = {0};
    help_usage(c, &usage);
    const char *hint = arena_printf(&diags->arena, "usage: %s", strbuf_text(&usage));
    strbuf_destroy(&usage);
    if (operands->n < c->min_operands)
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, hint, "heddle %s needs %s", c->name,
                 c->operands);
    else
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, hint, "too many words: '%s'",
                 operands->items[c->max_operands]);
    return false;
}

static enum heddle_status run_command(const struct command *c, uint32_t n_words,
                                      const char *const *words)
{
    if (asks_for_help(n_words, words)) {
        struct strbuf text = {0};
        help_command(c, &text);
        return output_take(&text);
    }
    struct arena arena = {0};
    struct diag_list diags = {0};
    struct text_list operands = {0};
    void *values = xcalloc(1, c->options_bytes + 1);
    if (c->defaults)
        memcpy(values, c->defaults, c->options_bytes);
    bool ok =
        options_parse(c->options, c->n_options, n_words, words, values, &operands, &arena, &diags);
    ok = ok && check_operands(c, &operands, &diags);
    enum heddle_status status = ok ? c->run(values, &operands) : output_complaints(&diags);
    free(values);
    diag_list_destroy(&diags);
    arena_destroy(&arena);
    return status;
}

static enum heddle_status report_unknown_option(const char *word)
{
    static const char *const names[] = {"--help", "--version"};
    return output_unknown("option", word, names, sizeof names / sizeof names[0],
                          "`heddle --help` lists them; options of a command come after it");
}

enum heddle_status command_report_unknown(const char *word)
{
    if (word[0] == '-')
        return report_unknown_option(word);
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, n_commands);
    for (uint32_t i = 0; i < n_commands; i++)
        names[i] = commands[i]->name;
    enum heddle_status status =
        output_unknown("command", word, names, n_commands, "`heddle --help` lists them");
    arena_destroy(&arena);
    return status;
}

enum heddle_status command_line(int argc, char **argv)
{
    struct strbuf text = {0};
    if (argc < 2) {
        help_overview(&text);
        fputs(strbuf_text(&text), stderr);
        strbuf_destroy(&text);
        return HEDDLE_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview(&text);
        return output_take(&text);
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_text(&text);
        return output_take(&text);
    }
    const struct command *c = command_find(argv[1]);
    return c ? run_command(c, (uint32_t)argc - 2, (const char *const *)argv + 2)
             : command_report_unknown(argv[1]);
}
