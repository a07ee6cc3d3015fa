/* heddle cache replay: one row a policy, and the log of a single one. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"

struct replay {
    const char *name;
    struct param_set params;
    struct lab_config config;
    struct lab_result result;
};

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Bypassed loads are left out (S2 section 6.3.1). */
static double hit_rate(const struct cache_stats *c)
{
    return share(c->hits, c->hits + c->misses);
}

static double zero_reuse(const struct cache_stats *c)
{
    return share(c->evictions_unused, c->evictions);
}

static double mpki(const struct cache_stats *c, uint64_t n_insts)
{
    return 1000 * share(c->misses + c->bypasses, n_insts);
}

static enum heddle_status unknown_policy(const char *name)
{
    uint32_t n = cache_policy_count(), n_names = 0;
    const char **names = xcalloc(n + 2, sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        names[n_names++] = cache_policy_at(i)->name;
    for (uint32_t i = 0; lab_oracle_names[i]; i++)
        names[n_names++] = lab_oracle_names[i];
    enum heddle_status status =
        output_unknown("policy", name, names, n_names, "`heddle show policies` lists them");
    free(names);
    return status;
}

/* Parameters go by their own names; a name the policy does not have is a mistake. */
static bool bind_params(struct replay *r, const struct text_list *words, struct diag_list *diags)
{
    const struct cache_policy_desc *p = r->config.policy;
    for (uint32_t i = 0; i < words->n; i++)
        settings_add_word(&r->params.settings, words->items[i], diags);
    if (p->n_params) {
        void *values = arena_alloc(&r->params.settings.arena, p->params_bytes);
        param_set_bind(&r->params, "", p->params, p->n_params, values, diags);
        r->config.params = values;
    }
    param_set_finish(&r->params, diags);
    return diags->n_errors == 0;
}

static enum heddle_status prepare(struct replay *r, const struct cache_options *o)
{
    r->config.policy = lab_policy_find(r->name);
    if (!r->config.policy)
        return unknown_policy(r->name);
    struct diag_list diags = {0};
    struct strbuf why = {0};
    enum heddle_status status = HEDDLE_OK;
    if (!bind_params(r, &o->settings, &diags)) {
        status = output_complaints(&diags);
    } else if (!lab_config_check(&r->config, &why)) {
        output_error("%s", strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    } else if (r->config.policy->criticality) {
        strbuf_addf(&why,
                    "heddle: warning: %s wants to know which warps are critical, which no "
                    "recording tells: here none is\n",
                    r->name);
        output_warnings(strbuf_text(&why));
    }
    strbuf_destroy(&why);
    diag_list_destroy(&diags);
    return status;
}

static enum heddle_status replay_logged(struct replay *r, const struct lab_stream *s,
                                        const char *path)
{
    struct output_stream *file = output_open(path);
    if (!file)
        return HEDDLE_ENVIRONMENT;
    struct sink log = {output_add, file};
    if (lab_replay(s, &r->config, &log, &r->result))
        return output_finish(file);
    output_abandon(file);
    return HEDDLE_ENVIRONMENT;
}

static enum heddle_status replay_one(struct replay *r, const struct cache_options *o,
                                     const struct lab_stream *s)
{
    enum heddle_status status = prepare(r, o);
    if (status != HEDDLE_OK)
        return status;
    if (o->log)
        status = replay_logged(r, s, o->log);
    else
        lab_replay(s, &r->config, NULL, &r->result);
    struct strbuf why = {0};
    if (status == HEDDLE_OK && !cache_stats_check(&r->result.stats, &why)) {
        output_failure(strbuf_text(&why));
        status = HEDDLE_WRONG_RESULT;
    }
    strbuf_destroy(&why);
    return status;
}

static void json_recorded(struct json_writer *w, const struct lab_stream *s)
{
    json_begin_object(w, "recorded");
    json_string(w, "gpu", s->gpu);
    json_string(w, "policy", s->policy);
    json_uint(w, "hits", s->recorded[L1D_HIT]);
    json_uint(w, "merges", s->recorded[L1D_MERGE]);
    json_uint(w, "misses", s->recorded[L1D_MISS]);
    json_uint(w, "bypasses", s->recorded[L1D_BYPASS]);
    json_end_object(w);
}

static void json_replay(struct json_writer *w, const struct replay *r, uint64_t n_thread_insts)
{
    const struct cache_stats *t = &r->result.stats;
    const uint64_t *localities = r->result.localities;
    json_begin_object(w, NULL);
    json_string(w, "policy", r->name);
    param_set_json_values(&r->params, w, "params");
    json_uint(w, "loads", t->loads);
    json_uint(w, "hits", t->hits);
    json_uint(w, "misses", t->misses);
    json_uint(w, "bypasses", t->bypasses);
    json_uint(w, "stores", t->stores);
    json_uint(w, "evictions", t->evictions);
    json_uint(w, "write_evictions", t->write_evictions);
    json_double(w, "zero_reuse_fraction", zero_reuse(t));
    json_double(w, "hit_rate", hit_rate(t));
    json_uint(w, "hits_intra_thread", localities[LAB_INTRA_THREAD]);
    json_uint(w, "hits_inter_thread", localities[LAB_INTER_THREAD]);
    json_uint(w, "hits_inter_warp", localities[LAB_INTER_WARP]);
    if (n_thread_insts)
        json_double(w, "mpki", mpki(t, n_thread_insts));
    json_end_object(w);
}

static void print_json(const struct replay *replays, uint32_t n, const struct cache_options *o,
                       const struct lab_stream *s, struct strbuf *out)
{
    const struct lab_config *c = &replays[0].config;
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_uint(&w, "sets", c->n_sets);
    json_uint(&w, "ways", c->n_ways);
    json_uint(&w, "line_bytes", c->line_bytes);
    json_string(&w, "index", c->index == INDEX_HASH ? "hash" : "linear");
    json_string(&w, "stores", c->stores_keep ? "keep" : "evict");
    if (s->gpu)
        json_recorded(&w, s);
    json_begin_array(&w, "replays");
    for (uint32_t i = 0; i < n; i++)
        json_replay(&w, &replays[i], o->n_thread_insts);
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

static void add_row(struct table *t, const char *name, const struct cache_stats *c,
                    const uint64_t *localities)
{
    table_cell(t, "%s", name);
    table_count(t, c->loads);
    table_count(t, c->hits);
    table_count(t, c->misses);
    table_count(t, c->bypasses);
    table_cell(t, "%.2f %%", 100 * hit_rate(c));
    if (!localities) {
        for (int i = 0; i < 5; i++)
            table_cell(t, "-");
        return;
    }
    table_count(t, c->evictions);
    table_cell(t, "%.2f %%", 100 * zero_reuse(c));
    for (int i = 0; i < N_LAB_LOCALITIES; i++)
        table_count(t, localities[i]);
}

/* What became of the loads in the run itself, a merge being a hit. */
static struct cache_stats as_recorded(const struct lab_stream *s)
{
    struct cache_stats c = {.hits = s->recorded[L1D_HIT] + s->recorded[L1D_MERGE],
                            .misses = s->recorded[L1D_MISS],
                            .bypasses = s->recorded[L1D_BYPASS]};
    c.loads = c.hits + c.misses + c.bypasses;
    return c;
}

static void print_table(const struct replay *replays, uint32_t n, const struct cache_options *o,
                        const struct lab_stream *s, struct strbuf *out)
{
    static const char *const titles[] = {"policy",       "loads",        "hits",       "misses",
                                         "bypasses",     "hit rate",     "evictions",  "zero reuse",
                                         "intra-thread", "inter-thread", "inter-warp", "MPKI"};
    const struct lab_config *c = &replays[0].config;
    strbuf_addf(out, "%u sets of %u ways of %u bytes, %s index, stores %s lines, %u SMs\n",
                c->n_sets, c->n_ways, c->line_bytes, c->index == INDEX_HASH ? "hashed" : "linear",
                c->stores_keep ? "keep" : "remove", s->n_sms);
    struct table t = {
        .titles = titles, .n_columns = o->n_thread_insts ? 12 : 11, .right = "lrrrrrrrrrrr"};
    for (uint32_t i = 0; i < n; i++) {
        const struct lab_result *r = &replays[i].result;
        add_row(&t, replays[i].name, &r->stats, r->localities);
        if (o->n_thread_insts)
            table_cell(&t, "%.3f", mpki(&r->stats, o->n_thread_insts));
    }
    if (s->gpu) {
        struct cache_stats recorded = as_recorded(s);
        add_row(&t, "(recorded)", &recorded, NULL);
        if (o->n_thread_insts)
            table_cell(&t, "%.3f", mpki(&recorded, o->n_thread_insts));
    }
    table_print(&t, out);
    table_destroy(&t);
    if (s->gpu)
        strbuf_addf(out, "recorded on %s under %s, merges counted as hits\n", s->gpu, s->policy);
}

static uint32_t split_names(char *list, struct replay **out)
{
    uint32_t n = 0, cap = 0;
    *out = NULL;
    for (char *rest = list, *name; (name = strsep(&rest, ","));) {
        ARRAY_RESERVE(*out, cap, n + 1);
        (*out)[n++] = (struct replay){.name = name};
    }
    return n;
}

enum heddle_status cache_lab_replay(const struct cache_options *o, const struct lab_stream *s,
                                    struct strbuf *out)
{
    struct lab_config config;
    enum heddle_status status = cache_lab_geometry(o, s, true, &config);
    if (status != HEDDLE_OK)
        return status;
    struct arena arena = {0};
    struct replay *replays;
    uint32_t n = split_names(arena_strdup(&arena, o->policy ? o->policy : "lru"), &replays);
    if (n > 1 && o->log) {
        output_error("--log is for one policy");
        status = HEDDLE_BAD_INPUT;
    }
    for (uint32_t i = 0; i < n && status == HEDDLE_OK; i++) {
        replays[i].config = config;
        status = replay_one(&replays[i], o, s);
    }
    if (status == HEDDLE_OK)
        (o->json ? print_json : print_table)(replays, n, o, s, out);
    for (uint32_t i = 0; i < n; i++)
        param_set_destroy(&replays[i].params);
    free(replays);
    arena_destroy(&arena);
    return status;
}
