/* doc/commands.md: the same tables as the help texts, as one page. */
#include <string.h>

#include "cli/help.h"
#include "gpu/machine_config.h"
#include "gpu/mechanisms.h"

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
    strbuf_addf(out, "## heddle %s\n\n```\n", c->name);
    help_usage(c, out);
    strbuf_addf(out, "\n```\n\n%s\n\n", c->description);
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

static void add_row(const char *prefix, const struct param *p, struct strbuf *out)
{
    struct strbuf range = {0};
    param_print_range(p, &range);
    strbuf_addf(out, "| `%s%s%s` | %s | ", prefix, *prefix ? "." : "", p->name, p->default_text);
    add_cell(out, strbuf_text(&range));
    strbuf_addf(out, " | %s | ", p->unit ? p->unit : "");
    add_cell(out, p->help);
    strbuf_add(out, " |\n");
    strbuf_destroy(&range);
}

static const char row_titles[] =
    "| name | default | range | unit | meaning |\n|---|---|---|---|---|\n";

static bool has_param(const struct machine_config *c, const char *name)
{
    for (uint32_t i = 0; c && i < c->gpu->params.n; i++)
        if (strcmp(c->gpu->params.items[i].name, name) == 0)
            return true;
    return false;
}

/* Parameters that `before` does not have. */
static void add_params(const struct machine_config *c, const struct machine_config *before,
                       struct arena *arena, struct strbuf *out)
{
    for (uint32_t i = 0; c && i < c->gpu->params.n; i++) {
        const struct bound_param *b = &c->gpu->params.items[i];
        size_t prefix_len = strlen(b->name) - strlen(b->param->name);
        const char *prefix = arena_strndup(arena, b->name, prefix_len ? prefix_len - 1 : 0);
        if (!has_param(before, b->name))
            add_row(prefix, b->param, out);
    }
}

/* Parameters of every machine, those of CPU cores, and those of a discrete GPU's host. */
static void add_machine(struct strbuf *out)
{
    struct diag_list diags = {0};
    struct machine_config *shared = machine_config_load("hetero", NULL, 0, &diags);
    struct machine_config *discrete = machine_config_load("i7-s9150", NULL, 0, &diags);
    strbuf_add(out, row_titles);
    add_params(shared, NULL, &diags.arena, out);
    strbuf_addf(out, "\nOf a discrete GPU's host (`--gpu i7-s9150`):\n\n%s", row_titles);
    add_params(discrete, shared, &diags.arena, out);
    machine_config_destroy(shared);
    machine_config_destroy(discrete);
    diag_list_destroy(&diags);
}

/* Those of one kind of mechanism, each under its name. */
static void add_mechanisms(const char *prefix, const struct mechanism *m, struct strbuf *out)
{
    for (uint32_t i = 0; i < m->count(); i++) {
        const struct plugin *p = m->at(i);
        if (!p->n_params)
            continue;
        strbuf_addf(out, "\n%s `%s`:\n\n%s", m->what, p->name, row_titles);
        bool is_of_l2 = m == &cache_policy_mechanism && cache_policy_find(p->name)->l2_only;
        for (uint32_t k = 0; k < p->n_params; k++)
            add_row(is_of_l2 ? "l2.policy" : prefix, &p->params[k], out);
    }
}

static void add_parameters(struct strbuf *out)
{
    strbuf_add(out, "\n## Parameters of a GPU\n\nSet them in a `.yaml` file given to `--gpu` "
                    "([configurations.md](configurations.md)), or one at a time with `--set "
                    "NAME=VALUE`. Sizes in bytes may be written 48K, 2M, 1G. The default applies "
                    "if neither a file nor the file's `base` sets a parameter; `heddle show gpu` "
                    "prints the values of a GPU, and where each comes from.\n\n");
    add_machine(out);
    strbuf_add(out, "\n## Parameters of schedulers, policies, criticality providers and atomics "
                    "units\n\nOnly those of the mechanisms in use can be set; others are errors. "
                    "The parameters of a policy in L2 are under `l2.policy`.\n");
    add_mechanisms("scheduler", &scheduler_mechanism, out);
    add_mechanisms("l1d.policy", &cache_policy_mechanism, out);
    add_mechanisms("criticality", &criticality_mechanism, out);
    add_mechanisms("atomics", &atomics_mechanism, out);
}

static void add_contents(struct strbuf *out)
{
    strbuf_add(out, "| section | about |\n|---|---|\n");
    for (uint32_t i = 0; i < n_commands; i++)
        strbuf_addf(out, "| [heddle %s](#heddle-%s) | %s |\n", commands[i]->name, commands[i]->name,
                    commands[i]->summary);
    strbuf_add(out, "| [Parameters of a GPU](#parameters-of-a-gpu) | every parameter of a machine "
                    "|\n\n");
}

void help_markdown(struct strbuf *out)
{
    strbuf_add(
        out, "# The command line\n\n"
             "<!-- Written by `heddle help --markdown`; a test fails when it drifts. -->\n\n"
             "The [glossary](glossary.md) explains the terms; `heddle help TERM` prints one.\n\n");
    add_contents(out);
    for (uint32_t i = 0; i < n_commands; i++)
        add_command(commands[i], out);
    add_exit_statuses(out);
    add_parameters(out);
    strbuf_add(out, "\nThe statistics of a run are described in [statistics.md](statistics.md).\n");
}
