/* heddle show: lists what can be chosen, for people and (--json) for programs. */
#include <string.h>

#include "cli/command.h"
#include "cli/markdown.h"
#include "cli/output.h"
#include "cli/plugin_files.h"
#include "cli/show.h"
#include "cli/table.h"

static const struct show_topic topics[] = {
    {.word = "workloads",
     .help = "the built-in workloads, and their classes in the papers",
     .show = show_workloads,
     .markdown = show_workloads_markdown},
    {.word = "workload",
     .name_word = "NAME",
     .help = "one workload: what it does, its sizes",
     .show = show_workload},
    {.word = "kernels",
     .name_word = "WORKLOAD|FILE",
     .help = "the kernels of a workload, or of a .cl or .cu file, and their arguments by number, "
             "to annotate buffers for L2 (doc/l2.md)",
     .show = show_kernels},
    {.word = "gpus", .help = "the GPUs that can be simulated", .show = show_gpus},
    {.word = "gpu",
     .name_word = "NAME|FILE",
     .help = "one GPU: every parameter with its range, meaning, source, and where it was set",
     .show = show_gpu,
     .takes_settings = true},
    {.word = "schedulers",
     .help = "the warp schedulers",
     .show = show_schedulers,
     .takes_gpu = true,
     .takes_settings = true},
    {.word = "scheduler",
     .name_word = "NAME",
     .help = "one scheduler: source, parameters, hardware cost on --gpu",
     .show = show_scheduler,
     .takes_gpu = true,
     .takes_settings = true},
    {.word = "policies",
     .help = "the cache policies",
     .show = show_policies,
     .takes_gpu = true,
     .takes_settings = true},
    {.word = "policy",
     .name_word = "NAME",
     .help = "one cache policy: source, parameters, hardware cost in the L1D of --gpu",
     .show = show_policy,
     .takes_gpu = true,
     .takes_settings = true},
    {.word = "atomics",
     .help = "the atomics units: where and when atomics are performed",
     .show = show_atomics,
     .takes_gpu = true,
     .takes_settings = true},
    {.word = "atomics_unit",
     .name_word = "NAME",
     .help = "one atomics unit: source, parameters, hardware cost on --gpu",
     .show = show_atomics_unit,
     .takes_gpu = true,
     .takes_settings = true},
    {.word = "trace",
     .name_word = "FILE",
     .help = "one trace of `heddle run --record`: its launches, sizes, whether it depends on "
             "timing, and whether it is damaged",
     .show = show_trace,
     .takes_unchecked = true},
    {.word = "classes",
     .help = "the classes by which instructions are counted",
     .show = show_classes},
    {.word = "stats",
     .long_word = "statistics",
     .help = "the statistics of a run",
     .show = show_stats,
     .markdown = show_stats_markdown},
    {.word = "terms",
     .long_word = "glossary",
     .help = "the terms that help texts and pages use",
     .show = show_terms,
     .markdown = show_terms_markdown},
    {.word = "term", .name_word = "NAME", .help = "one term, such as MSHR", .show = show_term},
};
enum { N_TOPICS = sizeof topics / sizeof topics[0] };

static const struct option options[] = {
    OPTION_FLAG("json", struct show_options, json, "print JSON instead of text"),
    OPTION_FLAG("markdown", struct show_options, markdown,
                "with workloads, stats and terms: print the page of doc/"),
    OPTION_FLAG("unchecked", struct show_options, unchecked,
                "with trace: do not check the whole file for damage; for traces of many gigabytes"),
    OPTION_TEXT("gpu", struct show_options, gpu, "GPU",
                "with schedulers, policies and atomics: the GPU for the hardware cost; gtx480 if "
                "not given"),
    OPTION_LIST(
        "set", struct show_options, settings, "NAME=VALUE",
        "with gpu, schedulers, policies and atomics: change a parameter of the GPU first; may be "
        "repeated"),
    OPTION_LIST("plugin", struct show_options, plugins, "FILE",
                "load schedulers and cache policies from a shared object first; may be repeated"),
};

static enum heddle_status complain(const char *message, const char *detail)
{
    output_error("%s%s", message, detail);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status show_topic(const struct show_topic *t, const struct show_options *o,
                                     const char *name)
{
    if (o->settings.n && !t->takes_settings)
        return complain("--set has no effect with heddle show ", t->word);
    if (o->gpu && !t->takes_gpu)
        return complain("--gpu has no effect with heddle show ", t->word);
    if (o->unchecked && !t->takes_unchecked)
        return complain("--unchecked has no effect with heddle show ", t->word);
    if (o->markdown && !t->markdown)
        return complain("there is no page for --markdown of heddle show ", t->word);
    if (o->markdown && o->json)
        return complain("--json and --markdown exclude each other", "");
    struct strbuf text = {0};
    enum heddle_status status = plugin_files_load(&o->plugins);
    if (status == HEDDLE_OK && o->markdown) {
        t->markdown(&text);
        markdown_wrap(&text);
    } else if (status == HEDDLE_OK) {
        status = t->show(o, name, &text);
    }
    if (status == HEDDLE_OK)
        return output_take(&text);
    strbuf_destroy(&text);
    return status;
}

static enum heddle_status run_show(const void *values, const struct text_list *operands)
{
    const struct show_options *o = values;
    const char *words[N_TOPICS];
    for (int i = 0; i < N_TOPICS; i++) {
        const struct show_topic *t = &topics[i];
        words[i] = t->word;
        bool is_it = strcmp(operands->items[0], t->word) == 0 ||
                     (t->long_word && strcmp(operands->items[0], t->long_word) == 0);
        if (!is_it)
            continue;
        if (t->name_word && operands->n < 2)
            return complain("a name is missing: heddle show ", t->word);
        if (!t->name_word && operands->n > 1)
            return complain("too many words: ", operands->items[1]);
        return show_topic(t, o, t->name_word ? operands->items[1] : NULL);
    }
    return output_unknown("topic", operands->items[0], words, N_TOPICS,
                          "`heddle help show` lists them");
}

static void add_words(struct strbuf *out)
{
    for (size_t i = 0; i < N_TOPICS; i++)
        strbuf_addf(out, " %s", topics[i].word);
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
    "heddle show kernels fft",
    "the arguments of its kernels, for --annotations",
    "heddle show policy plru --gpu m2090",
    "a cache policy, and what it costs in the L1D of an M2090",
    NULL,
};

const struct command command_show = {
    .name = "show",
    .operands = "TOPIC [NAME]",
    .summary = "list workloads, GPUs, schedulers, cache policies, atomics units, statistics, terms",
    .description =
        "Lists what can be simulated, and explains the statistics and the terms of these texts.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct show_options),
    .min_operands = 1,
    .max_operands = 2,
    .examples = examples,
    .add_words = add_words,
    .more_help = list_topics,
    .run = run_show,
};
