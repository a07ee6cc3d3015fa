/* Completion of command lines in bash: a script with the commands, their options and operands from
 * the tables, and the names from the registries. It does not include plug-ins. */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"
#include "config/gpu.h"
#include "cpu/programs.h"
#include "emu/bind.h"
#include "gpu/machine_config.h"
#include "gpu/mechanisms.h"
#include "hetero/model.h"
#include "lab/export.h"
#include "lab/figure.h"
#include "workloads/workload.h"

/* --- names --- */

static void add_word(struct strbuf *out, const char *word)
{
    strbuf_addf(out, "%s%s", out->len && out->text[out->len - 1] != ' ' ? " " : "", word);
}

static void add_mechanisms(struct strbuf *out, const struct mechanism *m)
{
    for (uint32_t i = 0; i < m->count(); i++)
        add_word(out, m->at(i)->name);
}

static void add_schedulers(struct strbuf *out)
{
    add_mechanisms(out, &scheduler_mechanism);
}

static void add_policies(struct strbuf *out)
{
    add_mechanisms(out, &cache_policy_mechanism);
}

static void add_providers(struct strbuf *out)
{
    add_mechanisms(out, &criticality_mechanism);
}

static void add_atomics(struct strbuf *out)
{
    add_mechanisms(out, &atomics_mechanism);
}

static void add_gpus(struct strbuf *out)
{
    for (uint32_t i = 0; i < n_gpu_names; i++)
        add_word(out, gpu_names[i]);
}

static void add_workloads(struct strbuf *out)
{
    for (uint32_t i = 0; i < workload_count; i++)
        add_word(out, workload_list[i]->name);
}

static void add_sizes(struct strbuf *out)
{
    struct strbuf all = {0}, word = {0};
    for (uint32_t i = 0; i < workload_count; i++)
        for (const struct workload_size *s = workload_list[i]->sizes; s->name; s++) {
            strbuf_clear(&word);
            strbuf_addf(&word, " %s ", s->name);
            if (!strstr(strbuf_text(&all), strbuf_text(&word))) {
                strbuf_add(&all, strbuf_text(&word));
                add_word(out, s->name);
            }
        }
    strbuf_destroy(&all);
    strbuf_destroy(&word);
}

static void add_programs(struct strbuf *out)
{
    for (uint32_t i = 0; i < cpu_program_count(); i++)
        add_word(out, cpu_program_at(i)->name);
}

static void add_figures(struct strbuf *out)
{
    for (uint32_t i = 0; i < n_figure_names; i++)
        add_word(out, figure_names[i]);
}

static void add_models(struct strbuf *out)
{
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++)
        add_word(out, hetero_shipped_models[i].name);
}

static void add_tables(struct strbuf *out)
{
    for (uint32_t i = 0; i < n_export_tables; i++)
        add_word(out, export_tables[i]);
}

static void add_isas(struct strbuf *out)
{
    for (uint32_t i = 0; i < host_isa_count(); i++)
        add_word(out, host_isa_name(i));
}

static void add_commands(struct strbuf *out)
{
    for (uint32_t i = 0; i < n_commands; i++)
        add_word(out, commands[i]->name);
}

static void add_params_of(struct strbuf *out, const char *prefix, const struct mechanism *m)
{
    for (uint32_t i = 0; i < m->count(); i++)
        for (uint32_t k = 0; k < m->at(i)->n_params; k++)
            strbuf_addf(out, " %s.%s=", prefix, m->at(i)->params[k].name);
}

static void add_parameters(struct strbuf *out)
{
    struct diag_list diags = {0};
    struct machine_config *c = machine_config_load("hetero", NULL, 0, &diags);
    for (uint32_t i = 0; c && i < c->gpu->params.n; i++)
        strbuf_addf(out, " %s=", c->gpu->params.items[i].name);
    machine_config_destroy(c);
    diag_list_destroy(&diags);
    add_params_of(out, "scheduler", &scheduler_mechanism);
    add_params_of(out, "l1d.policy", &cache_policy_mechanism);
    add_params_of(out, "l2.policy", &cache_policy_mechanism);
    add_params_of(out, "criticality", &criticality_mechanism);
    add_params_of(out, "atomics", &atomics_mechanism);
}

static const struct names {
    const char *name;
    void (*add)(struct strbuf *out);
} names[] = {
    {"schedulers", add_schedulers},
    {"policies", add_policies},
    {"providers", add_providers},
    {"atomics", add_atomics},
    {"gpus", add_gpus},
    {"workloads", add_workloads},
    {"sizes", add_sizes},
    {"programs", add_programs},
    {"figures", add_figures},
    {"models", add_models},
    {"tables", add_tables},
    {"isas", add_isas},
    {"commands", add_commands},
    {"parameters", add_parameters},
};

/* --- what can be completed where --- */

/* The list of names for the value of an option or an operand. Of a command, or (NULL) of any. */
static const struct use {
    const char *command;
    const char *word; /* an option, an operand as in help, a topic or a parameter */
    const char *names;
    bool or_file;
} uses[] = {
    {NULL, "gpu", "gpus", true},
    {NULL, "scheduler", "schedulers", false},
    {NULL, "l1d", "policies", false},
    {NULL, "llc", "policies", false},
    {NULL, "policy", "policies", false},
    {NULL, "l1d.policy", "policies", false},
    {NULL, "l2.policy", "policies", false},
    {NULL, "criticality", "providers", false},
    {NULL, "atomics", "atomics", false},
    {NULL, "atomics.unit", "atomics", false},
    {"show", "atomics_unit", "atomics", false},
    {"show", "workload", "workloads", false},
    {NULL, "size", "sizes", false},
    {NULL, "cpu", "programs", true},
    {"cpu", "record", "programs", false},
    {NULL, "host-isa", "isas", false},
    {NULL, "model", "models", true},
    {"export", "table", "tables", false},
    {NULL, "set", "parameters", false},
    {NULL, "WORKLOAD", "workloads", false},
    {NULL, "FIGURE", "figures", false},
    {"figure", "NAME", "figures", false},
    {NULL, "COMMAND", "commands", false},
};

static bool is_of(const struct use *u, const struct command *c)
{
    return !u->command || strcmp(u->command, c->name) == 0;
}

static const struct use *find_use(const struct command *c, const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (strncmp(uses[i].word, word, len) == 0 && !uses[i].word[len] && is_of(&uses[i], c))
            return &uses[i];
    return NULL;
}

static bool is_file(const char *word, size_t len)
{
    static const char *const files[] = {"FILE", "FOLDER", "RESULT", "TRACE", "INTO", "FROM"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strncmp(files[i], word, len) == 0 && !files[i][len])
            return true;
    return false;
}

/* Operands as in help, "WORKLOAD...|all|FILE|--replay FILE": lower-case words stand for themselves.
 * The word after an option is its value. */
static void add_operands(const struct command *c, struct strbuf *out)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    struct strbuf words = {0};
    bool takes_files = false, is_value = false;
    for (const char *w = c->operands; *w;) {
        size_t len = strspn(w, letters);
        const struct use *use = isupper((unsigned char)*w) ? find_use(c, w, len) : NULL;
        bool is_option = *w == '-';
        if (use)
            strbuf_addf(out, "%s$(_heddle_names %s)", out->len ? " " : "", use->names);
        else if (len && !is_value && !is_option && islower((unsigned char)*w))
            strbuf_addf(&words, " %.*s", (int)len, w);
        takes_files |= is_file(w, len) && !is_value;
        if (len)
            is_value = is_option && len > 2;
        w += len ? len : 1;
    }
    if (c->add_words)
        c->add_words(&words);
    strbuf_add(out, strbuf_text(&words));
    strbuf_addf(out, "\"%s", takes_files ? " files=1" : "");
    strbuf_destroy(&words);
}

/* The options that take a file, or any value: " --a | --b". */
static void add_arm(const struct command *c, bool files, struct strbuf *out)
{
    struct strbuf arm = {0};
    for (uint32_t i = 0; i < c->n_options; i++) {
        const struct option *o = &c->options[i];
        if (!o->value_name || find_use(c, o->name, strlen(o->name)) ||
            (strstr(o->value_name, "FILE") || strstr(o->value_name, "FOLDER")) != files)
            continue;
        strbuf_addf(&arm, "%s--%s", arm.len ? " | " : "", o->name);
        if (o->letter)
            strbuf_addf(&arm, " | -%c", o->letter);
    }
    if (arm.len)
        strbuf_addf(out, "        %s) words=\"\" files=%d ;;\n", strbuf_text(&arm), files);
    strbuf_destroy(&arm);
}

/* Also without dashes: a topic of `heddle show`, a parameter after --set. */
static bool stands_alone(const struct use *u, const struct command *c)
{
    bool takes_settings = false;
    for (uint32_t i = 0; i < c->n_options; i++)
        takes_settings |= strcmp(c->options[i].name, "set") == 0;
    return takes_settings || u->command;
}

static void add_command(const struct command *c, struct strbuf *out)
{
    struct strbuf operands = {0};
    add_operands(c, &operands);
    strbuf_addf(out, "    %s)\n        options=\"", c->name);
    for (uint32_t i = 0; i < c->n_options; i++)
        strbuf_addf(out, "--%s ", c->options[i].name);
    strbuf_addf(out, "--help\" words=\"%s\n        case $previous in\n", strbuf_text(&operands));
    add_arm(c, true, out);
    add_arm(c, false, out);
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (is_of(&uses[i], c) && islower((unsigned char)*uses[i].word))
            strbuf_addf(out, "        %s%s--%s) words=$(_heddle_names %s) files=%d ;;\n",
                        stands_alone(&uses[i], c) ? uses[i].word : "",
                        stands_alone(&uses[i], c) ? " | " : "", uses[i].word, uses[i].names,
                        uses[i].or_file);
    strbuf_add(out, "        esac ;;\n");
    strbuf_destroy(&operands);
}

extern const char completion_script[]; /* completion.bash: the code that uses these tables */

void completion_bash(struct strbuf *out)
{
    strbuf_add(out, "# Completion of heddle's command line in bash; written by `heddle help "
                    "--completion bash`.\n_heddle_names() {\n    case $1 in\n");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct strbuf words = {0};
        names[i].add(&words);
        strbuf_addf(out, "    %s) echo \"%s\" ;;\n", names[i].name, strbuf_text(&words));
        strbuf_destroy(&words);
    }
    strbuf_add(out, "    esac\n}\n\n_heddle_command() {\n    case $1 in\n");
    for (uint32_t i = 0; i < n_commands; i++)
        add_command(commands[i], out);
    strbuf_add(out, "    esac\n}\n");
    strbuf_add(out, completion_script);
}
