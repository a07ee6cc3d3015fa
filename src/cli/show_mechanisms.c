/* The mechanisms to choose from, warp schedulers, cache policies and atomics units: what each is,
 * its source, its parameters, and its hardware cost on a given GPU. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/table.h"
#include "gpu/machine_config.h"

/* What is needed to show a kind of mechanism. */
struct mechanism_kind {
    const char *what;    /* "scheduler" */
    const char *setting; /* the GPU's parameter that names one */
    const char *prefix;  /* of the mechanism's own parameters */
    const char *hint;
    uint32_t (*count)(void);
    const struct plugin *(*at)(uint32_t i);
    uint64_t (*cost_bits)(const struct machine_config *c, struct strbuf *parts);
};

static const struct plugin *scheduler_plugin(uint32_t i)
{
    return &scheduler_at(i)->plugin;
}

static const struct plugin *policy_plugin(uint32_t i)
{
    return &cache_policy_at(i)->plugin;
}

/* A bank of L2; CPU cores share it, and each may have a program. */
static struct cache_geometry bank_of(const struct machine_config *c)
{
    struct cache_geometry g = cache_geometry_of(&c->l2, 0);
    g.n_apps = c->cpu.cores ? c->cpu.cores + 1 : 0;
    return g;
}

static uint64_t policy_cost(const struct machine_config *c, struct strbuf *parts)
{
    struct arena arena = {0};
    bool is_of_l2 = c->l2_policy->l2_only; /* then one bank of it is shown */
    const struct cache_policy_desc *d = is_of_l2 ? c->l2_policy : c->l1d_policy;
    const void *params = plugin_values(&d->plugin, is_of_l2 ? c->l2_params : c->l1d_params, &arena);
    struct cache_geometry g =
        is_of_l2 ? bank_of(c) : cache_geometry_of(&c->sm.l1d, c->gpu->warps_per_sm);
    uint64_t bits = d->cost_bits(&g, params, parts);
    arena_destroy(&arena);
    return bits;
}

/* The cost of an L2 policy's controller. */
static uint64_t control_cost(const struct machine_config *c, struct strbuf *parts)
{
    struct arena arena = {0};
    const struct cache_policy_desc *d = c->l2_policy;
    const struct cache_geometry g = bank_of(c);
    const void *params = plugin_values(&d->plugin, c->l2_params, &arena);
    uint64_t bits = d->control_cost_bits ? d->control_cost_bits(&g, params, parts) : 0;
    arena_destroy(&arena);
    return bits;
}

static uint32_t n_banks(const struct machine_config *c)
{
    return c->memory.n_partitions * c->memory.banks;
}

/* Lines of parts, each prefixed with the owner's name. */
static void add_parts_of(const char *whose, const struct strbuf *parts, struct strbuf *out)
{
    for (const char *line = strbuf_text(parts); *line; line += strcspn(line, "\n") + 1)
        strbuf_addf(out, "%s: %.*s\n", whose, (int)strcspn(line, "\n"), line);
}

/* The provider that a scheduler needs; an oracle costs nothing. */
static uint64_t criticality_cost(const struct machine_config *c, struct strbuf *parts)
{
    bool is_chosen = c->criticality != criticality_find("none");
    const struct criticality_desc *d =
        is_chosen ? c->criticality : criticality_find(c->scheduler->criticality);
    struct arena arena = {0};
    struct strbuf own = {0};
    const void *params =
        plugin_values(&d->plugin, is_chosen ? c->criticality_params : NULL, &arena);
    uint64_t bits = d->cost_bits(c->gpu->warps_per_sm, params, &own);
    add_parts_of(d->name, &own, parts);
    strbuf_destroy(&own);
    arena_destroy(&arena);
    return bits;
}

/* Includes its criticality provider and its own L1D policy. */
static uint64_t scheduler_cost(const struct machine_config *c, struct strbuf *parts)
{
    struct arena arena = {0};
    struct strbuf policy = {0};
    const struct scheduler_desc *d = c->scheduler;
    const void *params = plugin_values(&d->plugin, c->scheduler_params, &arena);
    struct sched_geometry g = {.n_warps = c->gpu->warps_per_sm,
                               .n_slots = c->sm.n_schedulers,
                               .l1d_lines = c->sm.l1d.n_sets * c->sm.l1d.n_ways};
    uint64_t bits = d->cost_bits(&g, params, parts);
    if (d->criticality)
        bits += criticality_cost(c, parts);
    if (d->l1d_policy && strcmp(d->l1d_policy, c->l1d_policy->name) == 0) {
        bits += policy_cost(c, &policy);
        add_parts_of(d->l1d_policy, &policy, parts);
    }
    strbuf_destroy(&policy);
    arena_destroy(&arena);
    return bits;
}

static const struct mechanism_kind scheduler_kind = {
    .what = "scheduler",
    .setting = "scheduler",
    .prefix = "scheduler",
    .hint = "`heddle show schedulers` lists them; one from a plug-in needs --plugin FILE.so",
    .count = scheduler_count,
    .at = scheduler_plugin,
    .cost_bits = scheduler_cost,
};
static const struct mechanism_kind policy_kind = {
    .what = "cache policy",
    .setting = "l1d.policy",
    .prefix = "l1d.policy",
    .hint = "`heddle show policies` lists them; one from a plug-in needs --plugin FILE.so",
    .count = cache_policy_count,
    .at = policy_plugin,
    .cost_bits = policy_cost,
};

static const struct mechanism_kind l2_policy_kind = {
    .what = "cache policy",
    .setting = "l2.policy",
    .prefix = "l2.policy",
    .hint = "`heddle show policies` lists them; one from a plug-in needs --plugin FILE.so",
    .count = cache_policy_count,
    .at = policy_plugin,
    .cost_bits = policy_cost,
};

/* A policy that L1D does not support is shown in L2. */
static const struct mechanism_kind *kind_of(const struct mechanism_kind *kind,
                                            const struct plugin *p)
{
    const struct cache_policy_desc *d = kind == &policy_kind ? cache_policy_find(p->name) : NULL;
    return d && d->l2_only ? &l2_policy_kind : kind;
}

static const struct plugin *atomics_plugin(uint32_t i)
{
    return &atomics_at(i)->plugin;
}

static uint64_t atomics_cost(const struct machine_config *c, struct strbuf *parts)
{
    return c->atomics->cost_bits(c->gpu->n_sms, c->atomics_params, parts);
}

static const struct mechanism_kind atomics_kind = {
    .what = "atomics unit",
    .setting = "atomics.unit",
    .prefix = "atomics",
    .hint = "`heddle show atomics` lists them",
    .count = atomics_count,
    .at = atomics_plugin,
    .cost_bits = atomics_cost,
};

static const struct plugin *find(const struct mechanism_kind *kind, const char *name)
{
    for (uint32_t i = 0; i < kind->count(); i++)
        if (strcmp(kind->at(i)->name, name) == 0)
            return kind->at(i);
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, kind->count());
    for (uint32_t i = 0; i < kind->count(); i++)
        names[i] = kind->at(i)->name;
    output_unknown(kind->what, name, names, kind->count(), kind->hint);
    arena_destroy(&arena);
    return NULL;
}

/* The GPU with that mechanism; NULL on errors, which have been reported. */
static struct machine_config *load_gpu_with(const struct mechanism_kind *kind, const char *name,
                                            const struct show_options *o)
{
    struct arena arena = {0};
    struct diag_list diags = {0};
    const char **words = ARENA_ARRAY(&arena, const char *, o->settings.n + 2);
    words[0] = "criticality=none"; /* an oracle would need a file */
    words[1] = arena_printf(&arena, "%s=%s", kind->setting, name);
    for (uint32_t i = 0; i < o->settings.n; i++)
        words[i + 2] = o->settings.items[i];
    struct machine_config *c = machine_config_load(o->gpu, words, o->settings.n + 2, &diags);
    if (!c)
        output_complaints(&diags);
    diag_list_destroy(&diags);
    arena_destroy(&arena);
    return c;
}

/* A row of its table with the value on this GPU. */
static const struct bound_param *bound(const struct mechanism_kind *kind,
                                       const struct machine_config *c, const struct param *p,
                                       struct strbuf *name)
{
    strbuf_clear(name);
    strbuf_addf(name, "%s.%s", kind->prefix, p->name);
    return param_set_find(&c->gpu->params, strbuf_text(name));
}

static void json_param(const struct mechanism_kind *kind, const struct machine_config *c,
                       const struct param *p, struct json_writer *j)
{
    struct strbuf text = {0};
    const struct bound_param *b = bound(kind, c, p, &text);
    json_begin_object(j, NULL);
    json_string(j, "name", strbuf_text(&text));
    json_string(j, "default", p->default_text);
    strbuf_clear(&text);
    if (b)
        param_print(p, b->values, &text);
    json_string(j, "value", b ? strbuf_text(&text) : p->default_text);
    strbuf_clear(&text);
    param_print_range(p, &text);
    json_string(j, "range", strbuf_text(&text));
    json_string(j, "unit", p->unit);
    json_string(j, "help", p->help);
    json_end_object(j);
    strbuf_destroy(&text);
}

static void json_stat(const struct mechanism_kind *kind, const struct plugin_stat *s,
                      struct json_writer *j)
{
    struct strbuf name = {0};
    strbuf_addf(&name, "%s.%s", kind->prefix, s->name);
    json_begin_object(j, NULL);
    json_string(j, "name", strbuf_text(&name));
    json_string(j, "unit", s->unit);
    json_string(j, "help", s->help);
    json_end_object(j);
    strbuf_destroy(&name);
}

/* plugin_cost() writes a line "WHAT BITS" for each part; WHAT may contain blanks. */
static void json_parts(const char *parts, struct json_writer *j)
{
    json_begin_object(j, "parts");
    for (const char *line = parts; *line;) {
        size_t len = strcspn(line, "\n");
        struct strbuf what = {0};
        strbuf_add_n(&what, line, len);
        char *blank = strrchr(what.text, ' ');
        *blank = 0;
        json_uint(j, what.text, strtoull(blank + 1, NULL, 10));
        strbuf_destroy(&what);
        line += len + (line[len] == '\n');
    }
    json_end_object(j);
}

/* Data and tags of the cache in which a policy is shown; for L2, of one bank. */
static uint64_t data_bits(const struct machine_config *c, const struct mechanism_kind *kind)
{
    struct cache_geometry g =
        kind == &l2_policy_kind ? bank_of(c) : cache_geometry_of(&c->sm.l1d, c->gpu->warps_per_sm);
    return (uint64_t)g.n_sets * g.n_ways * (8 * g.line_bytes + g.tag_bits);
}

static void json_mechanism(const struct mechanism_kind *kind, const struct plugin *p,
                           const struct machine_config *c, struct json_writer *j)
{
    struct strbuf parts = {0};
    json_begin_object(j, NULL);
    json_string(j, "name", p->name);
    json_string(j, "summary", p->summary);
    json_string(j, "citation", p->citation);
    if (kind == &policy_kind || kind == &l2_policy_kind)
        json_string(j, "caches", kind == &policy_kind ? "L1D, L2" : "L2");
    json_string(j, "gpu", c->gpu->name);
    json_begin_array(j, "params");
    for (uint32_t i = 0; i < p->n_params; i++)
        json_param(kind, c, &p->params[i], j);
    json_end_array(j);
    json_begin_array(j, "stats");
    for (uint32_t i = 0; i < p->n_stats; i++)
        json_stat(kind, &p->stats[i], j);
    json_end_array(j);
    json_begin_object(j, "cost_bits");
    uint64_t bits = kind->cost_bits(c, &parts);
    json_uint(j, "total", bits);
    json_parts(strbuf_text(&parts), j);
    if (kind == &l2_policy_kind) {
        strbuf_clear(&parts);
        uint64_t control = control_cost(c, &parts);
        json_begin_object(j, "controller");
        json_uint(j, "total", control);
        json_parts(strbuf_text(&parts), j);
        json_end_object(j);
        json_uint(j, "banks", n_banks(c));
        json_uint(j, "all", n_banks(c) * bits + control);
        json_uint(j, "cache", n_banks(c) * data_bits(c, kind));
    }
    json_end_object(j);
    json_end_object(j);
    strbuf_destroy(&parts);
}

static void print_params(const struct mechanism_kind *kind, const struct plugin *p,
                         const struct machine_config *c, struct strbuf *out)
{
    static const char *const titles[] = {"parameter", "value", "default", "range", "meaning"};
    struct table t = {.titles = titles, .n_columns = 5, .right = "lrrll"};
    struct strbuf text = {0};
    for (uint32_t i = 0; i < p->n_params; i++) {
        const struct param *row = &p->params[i];
        const struct bound_param *b = bound(kind, c, row, &text);
        table_cell(&t, "%s", strbuf_text(&text));
        strbuf_clear(&text);
        if (b)
            param_print(row, b->values, &text);
        table_cell(&t, "%s", b ? strbuf_text(&text) : row->default_text);
        table_cell(&t, "%s", row->default_text);
        strbuf_clear(&text);
        param_print_range(row, &text);
        strbuf_addf(&text, "%s%s", row->unit ? " " : "", row->unit ? row->unit : "");
        table_cell(&t, "%s", strbuf_text(&text));
        table_cell(&t, "%s", row->help);
    }
    if (p->n_params) {
        strbuf_add_char(out, '\n');
        table_print(&t, out);
    }
    strbuf_destroy(&text);
    table_destroy(&t);
}

static void print_stats(const struct mechanism_kind *kind, const struct plugin *p,
                        struct strbuf *out)
{
    static const char *const titles[] = {"statistic", "unit", "meaning"};
    struct table t = {.titles = titles, .n_columns = 3};
    for (uint32_t i = 0; i < p->n_stats; i++) {
        table_cell(&t, "%s.%s", kind->prefix, p->stats[i].name);
        table_cell(&t, "%s", p->stats[i].unit);
        table_cell(&t, "%s", p->stats[i].help);
    }
    if (p->n_stats) {
        strbuf_add_char(out, '\n');
        table_print(&t, out);
    }
    table_destroy(&t);
}

static void add_bits(uint64_t bits, struct strbuf *out)
{
    text_quantity(out, bits, "bit");
    strbuf_add(out, ", ");
    text_quantity(out, (bits + 7) / 8, "byte");
}

/* Papers give bytes, and S2 the share of the data and tags of an L1D. */
static void print_cost(const struct mechanism_kind *kind, const struct machine_config *c,
                       uint64_t bits, struct strbuf *out)
{
    bool is_of_l2 = kind == &l2_policy_kind;
    uint64_t cache_bits = data_bits(c, kind);
    strbuf_addf(out, "\nhardware on %s, per %s: ", c->gpu->name, is_of_l2 ? "L2 bank" : "SM");
    add_bits(bits, out);
    if (kind == &policy_kind || is_of_l2)
        strbuf_addf(out, ", %.2f %% of %s data and tags", 100 * (double)bits / (double)cache_bits,
                    is_of_l2 ? "its" : "the L1D's");
    strbuf_add_char(out, '\n');
}

/* The lines of plugin_cost() as rows: what, bits, bytes. */
static void print_parts(const char *parts, struct strbuf *out)
{
    struct table t = {.n_columns = 3, .right = "lrr"};
    for (const char *line = parts; *line; line += strcspn(line, "\n") + 1) {
        int len = (int)strcspn(line, "\n"), blank = len;
        while (line[blank] != ' ')
            blank--;
        uint64_t bits = strtoull(line + blank, NULL, 10);
        table_cell(&t, "  %.*s", blank, line);
        table_quantity(&t, bits, "bit");
        table_quantity(&t, (bits + 7) / 8, "byte");
    }
    if (*parts)
        table_print(&t, out);
    table_destroy(&t);
}

/* All banks, and the controller, which exists once. */
static void print_whole_l2(const struct machine_config *c, uint64_t of_a_bank, struct strbuf *out)
{
    struct strbuf parts = {0};
    uint64_t control = control_cost(c, &parts), bits = n_banks(c) * of_a_bank + control;
    strbuf_addf(out, "the whole L2, %u banks%s", n_banks(c), control ? " and the controller" : "");
    if (c->cpu.cores)
        strbuf_addf(out, ", shared by the GPU and %u CPU programs", c->cpu.cores);
    strbuf_add(out, ": ");
    add_bits(bits, out);
    strbuf_addf(out, ", %.2f %%\n",
                100 * (double)bits / (double)(n_banks(c) * data_bits(c, &l2_policy_kind)));
    print_parts(strbuf_text(&parts), out);
    strbuf_destroy(&parts);
}

static void print_mechanism(const struct mechanism_kind *kind, const struct plugin *p,
                            const struct machine_config *c, struct strbuf *out)
{
    struct strbuf parts = {0};
    strbuf_addf(out, "%s: %s\n", p->name, p->summary);
    strbuf_add(out, "source: ");
    text_wrap(out, p->citation, 8, 8, 96);
    print_params(kind, p, c, out);
    print_stats(kind, p, out);
    uint64_t bits = kind->cost_bits(c, &parts);
    print_cost(kind, c, bits, out);
    print_parts(strbuf_text(&parts), out);
    if (kind == &l2_policy_kind)
        print_whole_l2(c, bits, out);
    strbuf_destroy(&parts);
}

static enum heddle_status show_one(const struct mechanism_kind *kind, const struct show_options *o,
                                   const char *name, struct strbuf *out)
{
    const struct plugin *p = find(kind, name);
    kind = p ? kind_of(kind, p) : kind;
    struct machine_config *c = p ? load_gpu_with(kind, name, o) : NULL;
    if (!c)
        return HEDDLE_BAD_INPUT;
    struct json_writer j = {.out = out};
    if (o->json)
        json_mechanism(kind, p, c, &j);
    else
        print_mechanism(kind, p, c, out);
    machine_config_destroy(c);
    return HEDDLE_OK;
}

static enum heddle_status json_all(const struct mechanism_kind *kind, const struct show_options *o,
                                   struct strbuf *out)
{
    struct json_writer j = {.out = out};
    json_begin_array(&j, NULL);
    for (uint32_t i = 0; i < kind->count(); i++) {
        const struct mechanism_kind *its = kind_of(kind, kind->at(i));
        struct machine_config *c = load_gpu_with(its, kind->at(i)->name, o);
        if (!c)
            return HEDDLE_BAD_INPUT;
        json_mechanism(its, kind->at(i), c, &j);
        machine_config_destroy(c);
    }
    json_end_array(&j);
    return HEDDLE_OK;
}

static enum heddle_status show_all(const struct mechanism_kind *kind, const struct show_options *o,
                                   const char *topic, struct strbuf *out)
{
    if (o->json)
        return json_all(kind, o, out);
    static const char *const titles[] = {"name", "what it does"};
    struct table t = {.titles = titles, .n_columns = 2};
    for (uint32_t i = 0; i < kind->count(); i++) {
        table_cell(&t, "%s", kind->at(i)->name);
        table_cell(&t, "%s", kind->at(i)->summary);
    }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_addf(out,
                "\n`heddle show %s NAME` prints its source, parameters and hardware cost."
                "\n",
                topic);
    return HEDDLE_OK;
}

enum heddle_status show_schedulers(const struct show_options *o, const char *name,
                                   struct strbuf *out)
{
    (void)name;
    return show_all(&scheduler_kind, o, "scheduler", out);
}

enum heddle_status show_scheduler(const struct show_options *o, const char *name,
                                  struct strbuf *out)
{
    return show_one(&scheduler_kind, o, name, out);
}

enum heddle_status show_policies(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    return show_all(&policy_kind, o, "policy", out);
}

enum heddle_status show_policy(const struct show_options *o, const char *name, struct strbuf *out)
{
    return show_one(&policy_kind, o, name, out);
}

enum heddle_status show_atomics(const struct show_options *o, const char *name, struct strbuf *out)
{
    (void)name;
    return show_all(&atomics_kind, o, "atomics_unit", out);
}

enum heddle_status show_atomics_unit(const struct show_options *o, const char *name,
                                     struct strbuf *out)
{
    return show_one(&atomics_kind, o, name, out);
}
