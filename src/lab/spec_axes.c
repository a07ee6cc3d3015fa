#include "lab/spec_axes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/locality.h"
#include "atomics/atomics.h"
#include "cache/cache_policy.h"
#include "config/gpu.h"
#include "config/number.h"
#include "gpu/plugins.h"
#include "sched/scheduler.h"
#include "workloads/run.h"

struct axis_choice *spec_add_choice(struct spec_axis *a, const char *text, const yaml_node_t *at)
{
    ARRAY_RESERVE(a->choices, a->cap, a->n + 1);
    struct axis_choice *c = &a->choices[a->n++];
    *c = (struct axis_choice){
        .text = text, .line = at ? yaml_line(at) : 0, .col = at ? yaml_col(at) : 0};
    return c;
}

const char *spec_keep_text(struct spec_reader *r, const char *text)
{
    return arena_strdup(&r->spec->arena, text);
}

void spec_note_missing(struct spec_reader *r, const char *kind, const char *name)
{
    struct spec *s = r->spec;
    ARRAY_RESERVE(s->missing, s->cap_missing, s->n_missing + 1);
    s->missing[s->n_missing++] = arena_printf(&s->arena, "%s '%s'", kind, name);
}

void spec_unknown(struct spec_reader *r, const yaml_node_t *at, const char *kind, const char *name,
                  const char *const *names, uint32_t n)
{
    if (r->changes->notes_missing) {
        spec_note_missing(r, kind, name);
        return;
    }
    struct arena *arena = &r->doc->diags->arena;
    const char *near = suggest_nearest(name, names, n);
    struct strbuf all = {0};
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
    if (strcmp(kind, "scheduler") == 0 || strcmp(kind, "cache policy") == 0)
        strbuf_add(&all, "; others come from plug-ins (plugins: [FILE.so])");
    const char *hint =
        strncmp(name, "belady", 6) == 0
            ? "it knows the future, so a run cannot use it: `measure: [belady]` counts its misses"
        : near ? arena_printf(arena, "did you mean '%s'? there are: %s", near, strbuf_text(&all))
               : arena_printf(arena, "there are: %s", strbuf_text(&all));
    yaml_complain(r->doc, at, hint, "there is no %s '%s'", kind, name);
    strbuf_destroy(&all);
}

/* --- machines --- */

static void set_word(struct spec_reader *r, struct axis_choice *c, const char *name,
                     const char *value, const yaml_node_t *at)
{
    struct point_word *words = ARENA_ARRAY(&r->spec->arena, struct point_word, c->n_words + 1);
    if (c->n_words)
        memcpy(words, c->words, c->n_words * sizeof *words);
    words[c->n_words] = (struct point_word){arena_printf(&r->spec->arena, "%s=%s", name, value),
                                            at ? yaml_line(at) : 0, at ? yaml_col(at) : 0};
    c->words = words;
    c->n_words++;
}

static void read_gpus(struct spec_reader *r, yaml_node_t *node)
{
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *name = yaml_scalar(r->doc, item, "a GPU");
        if (name)
            spec_add_choice(&r->axes.gpus, spec_keep_text(r, name), item);
    }
}

/* The plug-ins of one kind as an axis of names. */
struct plugin_axis {
    const char *kind;      /* "scheduler" */
    const char *parameter; /* the parameter that names one: "scheduler" */
    const char *prefix;    /* prefix of its own parameters: "scheduler" */
    uint32_t (*count)(void);
    const char *(*name_at)(uint32_t i);
    bool (*has)(const char *name);
};

static const char *scheduler_name_at(uint32_t i)
{
    return scheduler_at(i)->name;
}

static bool has_scheduler(const char *name)
{
    return scheduler_find(name) != NULL;
}

static const char *policy_name_at(uint32_t i)
{
    return cache_policy_at(i)->name;
}

static bool has_policy(const char *name)
{
    return cache_policy_find(name) != NULL;
}

static const struct plugin_axis scheduler_axis = {
    "scheduler", "scheduler", "scheduler", scheduler_count, scheduler_name_at, has_scheduler};
static const struct plugin_axis l1d_axis = {"cache policy",     "l1d.policy",   "l1d.policy",
                                            cache_policy_count, policy_name_at, has_policy};

static const struct plugin_axis llc_axis = {"cache policy",     "l2.policy",    "l2.policy",
                                            cache_policy_count, policy_name_at, has_policy};

static const char *unit_name_at(uint32_t i)
{
    return atomics_at(i)->name;
}

static bool has_unit(const char *name)
{
    return atomics_find(name) != NULL;
}

static const struct plugin_axis atomics_axis = {"atomics unit", "atomics.unit", "atomics",
                                                atomics_count,  unit_name_at,   has_unit};

static bool check_plugin_name(struct spec_reader *r, const struct plugin_axis *kind,
                              const yaml_node_t *at, const char *name)
{
    if (kind->has(name))
        return true;
    uint32_t n = kind->count();
    const char **names = xcalloc(n, sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        names[i] = kind->name_at(i);
    spec_unknown(r, at, kind->kind, name, names, n);
    free(names);
    return false;
}

/* Multiplies the choices from `first` on by the values of another parameter. */
static void multiply(struct spec_reader *r, struct spec_axis *a, uint32_t first, const char *name,
                     yaml_node_t *values)
{
    uint32_t n_before = a->n - first, n_values = yaml_count(values);
    if (!n_values)
        yaml_complain(r->doc, values, NULL, "'%s' has no values here", name);
    struct axis_choice *old = xcalloc(n_before, sizeof *old);
    memcpy(old, a->choices + first, n_before * sizeof *old);
    a->n = first;
    for (uint32_t i = 0; i < n_before; i++)
        for (uint32_t v = 0; v < n_values; v++) {
            const yaml_node_t *item = yaml_item(r->doc, values, v);
            const char *text = yaml_scalar(r->doc, item, "a value");
            if (!text)
                continue;
            ARRAY_RESERVE(a->choices, a->cap, a->n + 1);
            a->choices[a->n] = old[i];
            set_word(r, &a->choices[a->n++], name, text, item);
        }
    free(old);
}

/* `swl`, or `swl: {limit: [1, 2]}` with its own parameters. */
static void read_plugin(struct spec_reader *r, struct spec_axis *a, const struct plugin_axis *kind,
                        yaml_node_t *item)
{
    bool has_params = item->type == YAML_MAPPING_NODE;
    if (has_params && yaml_pairs(r->doc, item, "") != 1) {
        yaml_complain(r->doc, item, "write NAME: {parameter: [value, ...]}",
                      "expected one %s with its parameters", kind->kind);
        return;
    }
    const yaml_node_t *name_node = has_params ? yaml_key(r->doc, item, 0) : item;
    const char *name = yaml_scalar(r->doc, name_node, "a name");
    if (!name || !check_plugin_name(r, kind, name_node, name))
        return;
    uint32_t first = a->n;
    set_word(r, spec_add_choice(a, spec_keep_text(r, name), name_node), kind->parameter, name,
             name_node);
    yaml_node_t *params = has_params ? yaml_value(r->doc, item, 0) : NULL;
    uint32_t n = params ? yaml_pairs(r->doc, params, "parameters: {NAME: VALUE}") : 0;
    for (uint32_t i = 0; i < n; i++) {
        const char *param = yaml_scalar(r->doc, yaml_key(r->doc, params, i), "a name");
        if (param)
            multiply(r, a, first, arena_printf(&r->spec->arena, "%s.%s", kind->prefix, param),
                     yaml_value(r->doc, params, i));
    }
}

static void read_plugins_axis(struct spec_reader *r, struct spec_axis *a,
                              const struct plugin_axis *kind, yaml_node_t *node)
{
    for (uint32_t i = 0; i < yaml_count(node); i++)
        read_plugin(r, a, kind, yaml_item(r->doc, node, i));
}

static void read_schedulers(struct spec_reader *r, yaml_node_t *node)
{
    read_plugins_axis(r, &r->axes.schedulers, &scheduler_axis, node);
}

static void read_l1d(struct spec_reader *r, yaml_node_t *node)
{
    read_plugins_axis(r, &r->axes.l1d, &l1d_axis, node);
}

static void read_atomics(struct spec_reader *r, yaml_node_t *node)
{
    read_plugins_axis(r, &r->axes.atomics, &atomics_axis, node);
}

/* Adds an axis of parameters; NULL, with an error, if there are too many. */
static struct spec_axis *add_settings_axis(struct spec_reader *r, const yaml_node_t *at)
{
    if (r->axes.n_settings < SPEC_MAX_SETTINGS)
        return &r->axes.settings[r->axes.n_settings++];
    yaml_complain(r->doc, at, NULL, "more than %d parameters", SPEC_MAX_SETTINGS);
    return NULL;
}

static void read_llc(struct spec_reader *r, yaml_node_t *node)
{
    struct spec_axis *a = add_settings_axis(r, node);
    if (a)
        read_plugins_axis(r, a, &llc_axis, node);
}

/* What CPU cores run: a program, a list of programs, or `none`. */
static void read_mix(struct spec_reader *r, struct spec_axis *a, yaml_node_t *item)
{
    bool is_list = item->type == YAML_SEQUENCE_NODE;
    struct strbuf names = {0};
    for (uint32_t i = 0; i < (is_list ? yaml_count(item) : 1); i++) {
        const yaml_node_t *word = is_list ? yaml_item(r->doc, item, i) : item;
        const char *name = yaml_scalar(r->doc, word, "a CPU program");
        if (name && strcmp(name, "none") != 0)
            strbuf_addf(&names, "%s%s", names.len ? "," : "", name);
    }
    const char *text = spec_keep_text(r, strbuf_text(&names));
    set_word(r, spec_add_choice(a, text, item), "cpu.programs", text, item);
    strbuf_destroy(&names);
}

static void read_cpu(struct spec_reader *r, yaml_node_t *node)
{
    struct spec_axis *a = add_settings_axis(r, node);
    for (uint32_t i = 0; a && i < yaml_count(node); i++)
        read_mix(r, a, yaml_item(r->doc, node, i));
}

static void read_settings(struct spec_reader *r, yaml_node_t *node)
{
    uint32_t n = yaml_pairs(r->doc, node, "parameters: {NAME: [VALUE, ...]}");
    for (uint32_t i = 0; i < n; i++) {
        const yaml_node_t *key = yaml_key(r->doc, node, i);
        const char *name = yaml_scalar(r->doc, key, "the name of a parameter");
        if (!name)
            continue;
        struct spec_axis *a = add_settings_axis(r, key);
        if (!a)
            return;
        spec_add_choice(a, name, key);
        multiply(r, a, 0, spec_keep_text(r, name), yaml_value(r->doc, node, i));
    }
}

/* --- the rest of the file --- */

/* False, with the reason, if the plug-in would crash this process: another process tries it. */
static bool survives_loading(const char *path, struct strbuf *why)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        struct strbuf unused = {0};
        plugins_load(path, &unused);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
        return true; /* loading it here reports what else is wrong */
    strbuf_addf(why, "it crashes when it is loaded: signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    return false;
}

static void read_plugin_files(struct spec_reader *r, yaml_node_t *node)
{
    struct spec *s = r->spec;
    uint32_t n = yaml_count(node);
    s->plugins = ARENA_ARRAY(&s->arena, const char *, n);
    for (uint32_t i = 0; i < n; i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *path = yaml_scalar(r->doc, item, "a shared object");
        struct strbuf why = {0};
        if (path)
            file_marks_add(s->files, path);
        if (path && survives_loading(path, &why) && plugins_load(path, &why))
            s->plugins[s->n_plugins++] = spec_keep_text(r, path);
        else if (path)
            yaml_complain(r->doc, item, NULL, "plug-in %s: %s", path, strbuf_text(&why));
        strbuf_destroy(&why);
    }
}

static void read_max_cycles(struct spec_reader *r, yaml_node_t *node)
{
    const char *text = yaml_scalar(r->doc, node, "a number");
    if (text && !number_parse_u64(text, &r->spec->max_cycles))
        yaml_complain(r->doc, node, NULL, "expected a whole number, not '%s'", text);
}

/* What runs measure besides their statistics, named after the options of `heddle run`. */
static void read_measures(struct spec_reader *r, yaml_node_t *node)
{
    static const char *const names[] = {"locality", "belady", "attribution", "per_pc"};
    static const uint32_t parts[] = {LOCALITY_RUN, LOCALITY_BOUNDS, 0, 0};
    enum { N_NAMES = sizeof names / sizeof names[0], ATTRIBUTION = 2, PER_PC = 3 };
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const yaml_node_t *item = yaml_item(r->doc, node, i);
        const char *name = yaml_scalar(r->doc, item, "a measure");
        int k = 0;
        while (name && k < N_NAMES && strcmp(name, names[k]) != 0)
            k++;
        if (name && k == N_NAMES)
            yaml_complain(r->doc, item, "there are: locality, belady, attribution, per_pc",
                          "a run cannot measure '%s'", name);
        else if (name)
            r->spec->measures |= parts[k];
        r->spec->attribute |= name && k == ATTRIBUTION;
        r->spec->per_pc |= name && k == PER_PC;
    }
}

static void read_series(struct spec_reader *r, yaml_node_t *node)
{
    const char *text = yaml_scalar(r->doc, node, "a number of core cycles");
    if (text && (!number_parse_u64(text, &r->spec->series_cycles) || !r->spec->series_cycles))
        yaml_complain(r->doc, node, NULL, "expected a number of core cycles above 0, not '%s'",
                      text);
}

static void read_series_columns(struct spec_reader *r, yaml_node_t *node)
{
    struct strbuf all = {0};
    for (uint32_t i = 0; i < yaml_count(node); i++) {
        const char *name = yaml_scalar(r->doc, yaml_item(r->doc, node, i), "a statistic");
        strbuf_addf(&all, "%s%s", i ? "," : "", name ? name : "");
    }
    r->spec->series_columns = spec_keep_text(r, strbuf_text(&all));
    strbuf_destroy(&all);
    if (!r->spec->series_cycles)
        yaml_complain(r->doc, node, "series: 10000", "'series_columns' needs 'series'");
}

static const char *const spec_keys[] = {
    "workloads",  "program", "kernel",  "size",   "sizes",  "size_of",       "inputs", "gpus",
    "schedulers", "l1d",     "atomics", "llc",    "cpu",    "seeds",         "set",    "plugins",
    "max_cycles", "measure", "only",    "except", "series", "series_columns"};

static void read_axes(struct spec_reader *r, yaml_node_t *node)
{
    const struct {
        const char *key;
        void (*read)(struct spec_reader *r, yaml_node_t *node);
    } readers[] = {{"plugins", read_plugin_files},
                   {"workloads", spec_read_workloads},
                   {"program", spec_read_programs},
                   {"kernel", spec_read_kernels},
                   {"size", spec_read_sizes},
                   {"sizes", spec_read_sizes},
                   {"size_of", spec_read_own_sizes},
                   {"gpus", read_gpus},
                   {"seeds", spec_read_seeds},
                   {"schedulers", read_schedulers},
                   {"l1d", read_l1d},
                   {"atomics", read_atomics},
                   {"llc", read_llc},
                   {"cpu", read_cpu},
                   {"set", read_settings},
                   {"max_cycles", read_max_cycles},
                   {"measure", read_measures},
                   {"series", read_series},
                   {"series_columns", read_series_columns}};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        yaml_node_t *value = yaml_find(r->doc, node, readers[i].key);
        if (value && !yaml_count(value))
            yaml_complain(r->doc, value, "leave it out for the default", "'%s' is empty",
                          readers[i].key);
        else if (value)
            readers[i].read(r, value);
    }
    if (yaml_find(r->doc, node, "size") && yaml_find(r->doc, node, "sizes"))
        yaml_complain(r->doc, yaml_find(r->doc, node, "sizes"), NULL,
                      "'size' and 'sizes' mean the same: write only one of them");
    if (!yaml_find(r->doc, node, "workloads") && !yaml_find(r->doc, node, "program") &&
        !yaml_find(r->doc, node, "kernel"))
        yaml_complain(r->doc, node, "workloads: [kmn, bfs], or workloads: all",
                      "the experiment names no workloads, no program and no kernel");
    if ((r->spec->measures || r->spec->per_pc) && yaml_find(r->doc, node, "program"))
        yaml_complain(r->doc, yaml_find(r->doc, node, "measure"), "measure: attribution",
                      "of programs, only attribution can be measured");
    if (r->spec->series_cycles && yaml_find(r->doc, node, "program"))
        yaml_complain(r->doc, yaml_find(r->doc, node, "series"), NULL,
                      "time series are available for workloads, not for programs");
}

/* Applies the command line, and the defaults for what is left. */
static void complete_axes(struct spec_reader *r, yaml_node_t *node)
{
    struct spec_axes *a = &r->axes;
    if (r->changes->size && !spec_some_workload_has(r, r->changes->size))
        diag_add(r->doc->diags, DIAG_ERROR, NULL, NULL, 0, 0,
                 "`heddle show workload NAME` lists the sizes of one",
                 "no workload has a size '%s'", r->changes->size);
    if (r->changes->size)
        spec_forget_sizes(a);
    if (r->changes->gpu)
        a->gpus.n = 0;
    if (!a->sizes.n)
        spec_add_choice(&a->sizes, r->changes->size ? r->changes->size : "small", node);
    yaml_node_t *inputs = yaml_find(r->doc, node, "inputs");
    if (inputs && yaml_find(r->doc, node, "size_of"))
        yaml_complain(
            r->doc, inputs, NULL,
            "'inputs' change a size that all workloads share: not possible with 'size_of'");
    else if (inputs)
        spec_read_inputs(r, inputs);
    if (!a->gpus.n)
        spec_add_choice(&a->gpus, r->changes->gpu ? r->changes->gpu : gpu_names[0], node);
    if (!a->seeds.n)
        spec_add_choice(&a->seeds, "1", node)->seed = WORKLOAD_DEFAULT_SEED;
    /* A missing axis is one choice without words; one whose choices are all missing leaves no
     * points. */
    if (!a->schedulers.n && !yaml_find(r->doc, node, "schedulers"))
        spec_add_choice(&a->schedulers, "", node);
    if (!a->l1d.n && !yaml_find(r->doc, node, "l1d"))
        spec_add_choice(&a->l1d, "", node);
    if (!a->atomics.n && !yaml_find(r->doc, node, "atomics"))
        spec_add_choice(&a->atomics, "", node);
}

void spec_read_axes(struct spec_reader *r, yaml_node_t *node)
{
    yaml_check_keys(r->doc, node, spec_keys, sizeof spec_keys / sizeof spec_keys[0]);
    read_axes(r, node);
    complete_axes(r, node);
    spec_check_axes(r);
}

void spec_destroy_axes(struct spec_axes *a)
{
    struct spec_axis *const all[] = {&a->gpus,      &a->schedulers, &a->l1d,  &a->atomics,
                                     &a->workloads, &a->sizes,      &a->seeds};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]->choices);
    for (uint32_t i = 0; i < a->n_settings; i++)
        free(a->settings[i].choices);
}
