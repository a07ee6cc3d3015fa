/* heddle cache replay: policies in caches, and their logs. */
#include <stdlib.h>
#include <string.h>

#include "analysis/lab_params.h"
#include "analysis/lab_reuse.h"
#include "cli/cache_replay.h"
#include "cli/output.h"

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

/* NAME=VALUE or l1d.policy.NAME=VALUE applies to every policy, POLICY.NAME=VALUE to one. Returns
 * the part that applies to this one, NULL if it is for another. */
static const char *setting_for(const char *policy, const char *word)
{
    static const char run_prefix[] = "l1d.policy."; /* the prefix in runs */
    if (strncmp(word, run_prefix, sizeof run_prefix - 1) == 0)
        return word + sizeof run_prefix - 1;
    size_t n = strcspn(word, ".="), is_for_one = word[n] == '.';
    if (!is_for_one)
        return word;
    return strlen(policy) == n && strncmp(word, policy, n) == 0 ? word + n + 1 : NULL;
}

bool cache_lab_speaks_to(const char *policy, const char *word)
{
    return setting_for(policy, word);
}

enum heddle_status cache_lab_refuse_setting(const struct cache_options *o, const char *word)
{
    if (strncmp(word, "l1d.", 4) == 0)
        output_error("--set %s: this is not a parameter of a policy; the cache is %s", word,
                     o->timed ? "the recorded one"
                              : "given by --sets, --ways, --line, --index and --stores");
    else
        output_error("--set %s: that policy is not replayed", word);
    return HEDDLE_BAD_INPUT;
}

bool cache_lab_bind(const struct cache_policy_desc *p, const struct text_list *words,
                    struct param_set *params, const void **values, struct diag_list *diags)
{
    for (uint32_t i = 0; i < words->n; i++) {
        const char *word = setting_for(p->name, words->items[i]);
        if (word)
            settings_add_word(&params->settings, word, diags);
    }
    if (p->n_params) {
        void *bound = arena_alloc(&params->settings.arena, p->params_bytes);
        param_set_bind(params, "", p->params, p->n_params, bound, diags);
        *values = bound;
    }
    param_set_finish(params, diags);
    return diags->n_errors == 0;
}

static bool is_recorded_under(const struct lab_stream *s, const struct cache_policy_desc *p)
{
    return s->policy && strcmp(s->policy, p->name) == 0;
}

/* Warns of what a user might not expect. */
static void warn(const struct lab_config *c, const struct lab_stream *s, bool is_first_shape)
{
    struct strbuf text = {0}, remark = {0};
    if (c->policy->criticality && !s->has_criticality && is_first_shape)
        strbuf_addf(&text,
                    "heddle: warning: %s depends on which warps are critical; here none is, "
                    "because only --record-criticality records that\n",
                    c->policy->name);
    if (c->policy->on_insts && !s->has_insts && is_first_shape)
        strbuf_addf(&text,
                    "heddle: warning: %s also counts executed instructions, which this file does "
                    "not contain: here it counts only accesses\n",
                    c->policy->name);
    if (is_recorded_under(s, c->policy) && c->policy->n_params && !s->params.are_told &&
        is_first_shape)
        strbuf_addf(&text,
                    "heddle: warning: this file of an earlier version does not contain the "
                    "parameters of %s: here they are the defaults and those of --set\n",
                    c->policy->name);
    if (c->policy->would_stall && is_first_shape)
        strbuf_addf(&text,
                    "heddle: warning: %s depends on stalls; here fills are immediate and nothing "
                    "ever stalls\n",
                    c->policy->name);
    lab_config_remark(c, &remark);
    if (remark.len)
        strbuf_addf(&text, "heddle: warning: %s: %s\n", c->policy->name, strbuf_text(&remark));
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&remark);
    strbuf_destroy(&text);
}

static bool has_param(const struct cache_policy_desc *p, const char *name)
{
    uint32_t i = 0;
    while (i < p->n_params && strcmp(p->params[i].name, name) != 0)
        i++;
    return i < p->n_params;
}

/* For a parameter that not every policy has: how to set it for one that does. */
static const char *explain_setting(const void *user, const char *name, struct arena *arena)
{
    const struct cache_options *o = user;
    char *rest = arena_strdup(arena, o->policy ? o->policy : "");
    for (char *word; (word = strsep(&rest, ","));) {
        const struct cache_policy_desc *p = lab_policy_find(word);
        if (p && has_param(p, name))
            return arena_printf(arena, "to set it only for %s, write %s.%s", word, word, name);
    }
    return NULL;
}

/* The recorded policy has its recorded parameters, unless --set changes them. */
static enum heddle_status prepare(struct lab_job *job, struct param_set *params,
                                  const struct cache_options *o, const struct lab_stream *s)
{
    struct diag_list diags = {0};
    struct strbuf why = {0};
    enum heddle_status status = HEDDLE_OK;
    struct lab_config *c = &job->config;
    params->explain = explain_setting;
    params->explain_user = o;
    if (is_recorded_under(s, c->policy) &&
        !lab_params_take(&s->params, c->policy, &params->settings, &why)) {
        output_error("%s: %s", s->path, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    } else if (!cache_lab_bind(c->policy, &o->settings, params, &c->params, &diags)) {
        status = output_complaints(&diags);
    } else if (!lab_config_check(c, s, &why)) {
        output_error("%s", strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&why);
    diag_list_destroy(&diags);
    return status;
}

static enum heddle_status check_settings(const struct replays *r, const struct cache_options *o)
{
    for (uint32_t k = 0; k < o->settings.n; k++) {
        bool is_heard = false;
        for (uint32_t i = 0; i < r->n && !is_heard; i++)
            is_heard = cache_lab_speaks_to(r->jobs[i].config.policy->name, o->settings.items[k]);
        if (!is_heard)
            return cache_lab_refuse_setting(o, o->settings.items[k]);
    }
    return HEDDLE_OK;
}

/* Each policy of the list in each shape. */
static enum heddle_status prepare_all(struct replays *r, const struct cache_options *o,
                                      const struct lab_config *shapes, uint32_t n_shapes)
{
    struct arena arena = {0};
    char *list = arena_strdup(&arena, o->policy ? o->policy : "lru");
    uint32_t n_policies = 1;
    for (const char *c = list; *c; c++)
        n_policies += *c == ',';
    r->jobs = xcalloc((size_t)n_shapes * n_policies, sizeof *r->jobs);
    r->params = xcalloc((size_t)n_shapes * n_policies, sizeof *r->params);
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < n_shapes && status == HEDDLE_OK; i++) {
        char *rest = arena_strdup(&arena, list);
        for (char *name; status == HEDDLE_OK && (name = strsep(&rest, ","));) {
            struct lab_job *job = &r->jobs[r->n];
            job->config = shapes[i];
            job->config.policy = lab_policy_find(name);
            if (!job->config.policy) {
                status = unknown_policy(name);
                break;
            }
            status = prepare(job, &r->params[r->n++], o, r->stream);
            if (status == HEDDLE_OK)
                warn(&job->config, r->stream, i == 0);
        }
    }
    arena_destroy(&arena);
    return status;
}

/* Policies that know the future, and first loads, need the whole stream at once. */
static bool wants_all(const struct replays *r, const struct cache_options *o)
{
    bool wants = o->no_compulsory;
    for (uint32_t i = 0; i < r->n; i++)
        wants = wants || lab_policy_knows_the_future(r->jobs[i].config.policy);
    return wants;
}

static bool counts_insts(const struct replays *r)
{
    bool counts = false;
    for (uint32_t i = 0; i < r->n; i++)
        counts = counts || r->jobs[i].config.policy->on_insts;
    return counts;
}

static enum heddle_status replay(struct replays *r, const struct cache_options *o)
{
    struct strbuf why = {0};
    if (!counts_insts(r))
        lab_stream_skip_insts(r->stream);
    bool ok = !wants_all(r, o) || lab_stream_load(r->stream, &why);
    if (ok)
        ok = lab_replay_opened(r->stream, r->jobs, r->n, &why);
    if (why.len)
        output_error("%s: %s", r->stream->path, strbuf_text(&why));
    enum heddle_status status = why.len ? HEDDLE_BAD_INPUT : ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
    strbuf_destroy(&why);
    return status;
}

/* The log of a single policy has the given name; of several, each has the policy's name
 * appended. */
static struct output_stream *open_log(const struct replays *r, uint32_t i, const char *path)
{
    struct strbuf name = {0};
    strbuf_add(&name, path);
    if (r->n > 1)
        strbuf_addf(&name, ".%s", r->jobs[i].config.policy->name);
    struct output_stream *file = output_open(strbuf_text(&name));
    strbuf_destroy(&name);
    return file;
}

static enum heddle_status replay_logged(struct replays *r, const struct cache_options *o)
{
    if (!r->one_shape) {
        output_error(
            "--log needs a single cache: give one number of sets, ways and bytes per line");
        return HEDDLE_BAD_INPUT;
    }
    struct output_stream **files = xcalloc(r->n, sizeof(struct output_stream *));
    struct sink *logs = xcalloc(r->n, sizeof *logs);
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < r->n && status == HEDDLE_OK; i++) {
        files[i] = open_log(r, i, o->log);
        logs[i] = (struct sink){output_add, files[i]};
        r->jobs[i].log = &logs[i];
        status = files[i] ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
    }
    if (status == HEDDLE_OK)
        status = replay(r, o);
    for (uint32_t i = 0; i < r->n; i++) {
        if (files[i] && status == HEDDLE_OK)
            status = output_finish(files[i]);
        else if (files[i])
            output_abandon(files[i]);
    }
    free(files);
    free(logs);
    return status;
}

static enum heddle_status check_stats(const struct replays *r)
{
    struct strbuf why = {0};
    for (uint32_t i = 0; i < r->n; i++)
        cache_stats_check(&r->jobs[i].result.stats, &why);
    bool ok = !why.len;
    if (!ok)
        output_failure(strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : HEDDLE_WRONG_RESULT;
}

/* Shared memory may have taken some ways of the recorded L1D. */
static void warn_of_ways(const struct lab_stream *s, const struct cache_options *o)
{
    if (o->ways || s->least_ways == s->n_ways)
        return;
    struct strbuf text = {0};
    strbuf_addf(&text,
                "heddle: warning: shared memory left the recorded L1D as few as %u of its %u ways; "
                "here it has all of them unless --ways is given\n",
                s->least_ways, s->n_ways);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* First loads of lines by an SM, which no cache could have hit: they depend only on the lines. */
static void count_compulsory(struct replays *r)
{
    r->compulsory = xcalloc(r->n, sizeof *r->compulsory);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t line_bytes = r->jobs[i].config.line_bytes;
        bool is_known = i > 0 && line_bytes == r->jobs[i - 1].config.line_bytes;
        r->compulsory[i] =
            is_known ? r->compulsory[i - 1] : lab_compulsory_misses(r->stream, line_bytes);
    }
}

static void print(const struct replays *r, bool json, struct strbuf *out)
{
    if (r->jobs[0].config.is_shared)
        (json ? cache_replays_shared_json : cache_replays_shared_table)(r, out);
    else if (r->jobs[0].config.write_back)
        (json ? cache_replays_l2_json : cache_replays_l2_table)(r, out);
    else
        (json ? cache_replays_json : cache_replays_table)(r, out);
}

/* Annotations and byte masks of a text are for L2. */
static void warn_of_marks(const struct lab_stream *s, const struct lab_config *c)
{
    bool is_marked = false;
    for (size_t i = 0; i < s->n && !c->write_back; i++)
        is_marked = is_marked || s->items[i].op != MEM_OP_NONE;
    if (is_marked)
        output_warnings("heddle: warning: .cc and .cp are for L2 and have no effect here; use "
                        "--stores write_back for an L2\n");
}

enum heddle_status cache_lab_replay(const struct cache_options *o, struct lab_stream *s,
                                    struct strbuf *out)
{
    struct replays r = {.stream = s, .n_thread_insts = o->n_thread_insts.value};
    struct lab_config *shapes;
    uint32_t n_shapes;
    uint64_t(*samples)[2] = NULL;
    enum heddle_status status = cache_lab_shapes(o, s, true, &shapes, &n_shapes);
    r.one_shape = n_shapes == 1;
    if (status == HEDDLE_OK && o->shared)
        status = cache_lab_share(o, s, shapes, n_shapes, &samples);
    if (status == HEDDLE_OK)
        status = prepare_all(&r, o, shapes, n_shapes);
    if (status == HEDDLE_OK)
        status = check_settings(&r, o);
    if (status == HEDDLE_OK)
        status = (o->log ? replay_logged : replay)(&r, o);
    if (status == HEDDLE_OK)
        status = check_stats(&r);
    if (status == HEDDLE_OK && o->no_compulsory)
        count_compulsory(&r);
    if (status == HEDDLE_OK) {
        warn_of_ways(s, o);
        warn_of_marks(s, &r.jobs[0].config);
        print(&r, o->json, out);
    }
    for (uint32_t i = 0; i < r.n; i++) {
        param_set_destroy(&r.params[i]);
        lab_result_destroy(&r.jobs[i].result);
    }
    free(samples);
    free(r.compulsory);
    free(r.params);
    free(r.jobs);
    free(shapes);
    return status;
}
