/* doc/commands.md: the same tables as the help texts, as one page. */
#include <inttypes.h>

#include "cli/help.h"
#include "config/gpu.h"

/* In a Markdown table a bar ends the cell, and a bare <x> is taken for HTML. */
static void add_cell(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '<')
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, *text);
    }
}

static void add_options(const struct command *c, struct strbuf *out)
{
    if (!c->n_options)
        return;
    strbuf_add(out, "| option | meaning |\n|---|---|\n");
    for (uint32_t i = 0; i < c->n_options; i++) {
        const struct option *o = &c->options[i];
        strbuf_addf(out, "| `--%s%s", o->name, o->value_name ? " " : "");
        add_cell(out, o->value_name ? o->value_name : "");
        strbuf_add(out, "` | ");
        add_cell(out, o->help);
        strbuf_add(out, " |\n");
    }
    strbuf_add_char(out, '\n');
}

static void add_command(const struct command *c, struct strbuf *out)
{
    strbuf_addf(out, "## heddle %s\n\n```\nheddle %s%s%s [OPTION]...\n```\n\n%s\n\n", c->name,
                c->name, c->operands ? " " : "", c->operands ? c->operands : "", c->description);
    add_options(c, out);
    if (c->more_help) {
        strbuf_add(out, "```\n");
        c->more_help(out);
        strbuf_add(out, "```\n\n");
    }
    for (const char *const *e = c->examples; e && *e; e += 2)
        strbuf_addf(out, "- `%s`: %s\n", e[0], e[1]);
    if (c->examples)
        strbuf_add_char(out, '\n');
}

static void add_exit_statuses(struct strbuf *out)
{
    strbuf_add(out, "## Exit status\n\n| status | meaning |\n|---|---|\n");
    for (uint32_t i = 0; i < n_help_exit_statuses; i++)
        strbuf_addf(out, "| %d | %s |\n", help_exit_statuses[i].status,
                    help_exit_statuses[i].meaning);
}

static void add_parameters(struct strbuf *out)
{
    strbuf_add(out,
               "\n## Parameters of a GPU\n\nIn a `.yaml` file given to `--gpu`, or one at a time "
               "with `--set NAME=VALUE`. Sizes in bytes may be written 48K, 2M, 1G. A file "
               "may say where its values come from: `source: TEXT` for all, "
               "`sources: {NAME: TEXT}` for one; `heddle show gpu` prints it, and marks with a "
               "star what begins with \"chosen\".\n\n"
               "| name | default | range | unit | meaning |\n|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < n_gpu_params; i++) {
        const struct param *p = &gpu_params[i];
        strbuf_addf(out, "| `%s` | %s | ", p->name, p->default_text);
        if (p->max)
            strbuf_addf(out, "%" PRIu64 " to %" PRIu64, p->min, p->max);
        strbuf_addf(out, " | %s | %s |\n", p->unit ? p->unit : "", p->help);
    }
}

void help_markdown(struct strbuf *out)
{
    strbuf_add(out,
               "# The command line\n\n"
               "<!-- Written by `heddle help --markdown`; a test fails when it drifts. -->\n\n");
    for (uint32_t i = 0; i < n_commands; i++)
        add_command(commands[i], out);
    add_exit_statuses(out);
    add_parameters(out);
    strbuf_add(out, "\nThe statistics of a run are described in [statistics.md](statistics.md).\n");
}
