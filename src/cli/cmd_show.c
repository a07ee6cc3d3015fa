/* heddle show: what there is to choose from, for people and (--json) for programs. */
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/table.h"

static const struct show_topic topics[] = {
    {"workloads", NULL, "the built-in workloads, and how the papers class them", show_workloads},
    {"workload", "NAME", "one workload: what it does, its sizes", show_workload},
    {"gpus", NULL, "the GPUs that can be simulated", show_gpus},
    {"gpu", "NAME|FILE", "one GPU: every parameter with its unit and its source", show_gpu},
    {"classes", NULL, "the classes that instructions are counted by", show_classes},
    {"stats", NULL, "the statistics of a run", show_stats},
};
enum { N_TOPICS = sizeof topics / sizeof topics[0] };

static const struct option options[] = {
    OPTION_FLAG("json", struct show_options, json, "print JSON instead of text"),
    OPTION_FLAG("markdown", struct show_options, markdown,
                "with workloads: print the page doc/workloads.md"),
    OPTION_LIST("set", struct show_options, settings, "NAME=VALUE",
                "with gpu: change a parameter first; may be repeated"),
};

static enum heddle_status complain(const char *message, const char *detail)
{
    output_error("%s%s", message, detail);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status run_show(const void *values, const struct text_list *operands)
{
    const struct show_options *o = values;
    const char *words[N_TOPICS];
    for (int i = 0; i < N_TOPICS; i++) {
        const struct show_topic *t = &topics[i];
        words[i] = t->word;
        if (strcmp(operands->items[0], t->word) != 0)
            continue;
        if (t->name_word && operands->n < 2)
            return complain("a name is missing: heddle show ", t->word);
        if (!t->name_word && operands->n > 1)
            return complain("one word too many: ", operands->items[1]);
        if (o->settings.n && t->show != show_gpu)
            return complain("--set has a meaning only with heddle show gpu", "");
        if (o->markdown && t->show != show_workloads)
            return complain("--markdown has a meaning only with heddle show workloads", "");
        if (o->markdown && o->json)
            return complain("--json and --markdown exclude each other", "");
        struct strbuf text = {0};
        enum heddle_status status = t->show(o, t->name_word ? operands->items[1] : NULL, &text);
        if (status == HEDDLE_OK)
            return output_take(&text);
        strbuf_destroy(&text);
        return status;
    }
    return output_unknown("topic", operands->items[0], words, N_TOPICS,
                          "`heddle help show` lists them");
}

static void list_topics(struct strbuf *out)
{
    strbuf_add(out, "Topics:\n");
    struct table t = {.n_columns = 2};
    for (int i = 0; i < N_TOPICS; i++) {
        const char *name = topics[i].name_word;
        table_cell(&t, "  %s%s%s", topics[i].word, name ? " " : "", name ? name : "");
        table_cell(&t, "%s", topics[i].help);
    }
    table_print(&t, out);
    table_destroy(&t);
}

static const char *const examples[] = {
    "heddle show workloads --json",
    "the workloads as a JSON list",
    "heddle show gpu gtx480 --set n_sms=30",
    "a GTX 480 with twice the SMs",
    NULL,
};

const struct command command_show = {
    .name = "show",
    .operands = "TOPIC [NAME]",
    .summary = "list workloads, GPUs, instruction classes or statistics",
    .description = "Shows what there is to choose from, and what the numbers mean.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct show_options),
    .min_operands = 1,
    .max_operands = 2,
    .examples = examples,
    .more_help = list_topics,
    .run = run_show,
};
