/* heddle cache replay --shared: one cache for several applications, and its output. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cache_replay.h"
#include "cli/output.h"
#include "cli/table.h"
#include "lab/yaml_doc.h"

/* --- Options --- */

/* Two numbers per line. */
static uint32_t read_samples(const char *path, const char *text, uint64_t (**samples)[2],
                             struct diag_list *diags)
{
    uint32_t n = 0, cap = 0, line_number = 0;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        char line[128], rest[2];
        uint64_t pair[2];
        line_number++;
        snprintf(line, sizeof line, "%.*s", (int)len, at);
        bool is_blank = strspn(line, " \t\r") == strlen(line) || line[0] == '#';
        if (!is_blank &&
            sscanf(line, "%" SCNu64 " %" SCNu64 " %1s", &pair[0], &pair[1], rest) != 2) {
            diag_add(diags, DIAG_ERROR, path, text, line_number, 1, NULL,
                     "expected two numbers: instructions of the SM that samples LRU insertion, and "
                     "of the SM that samples MRU insertion");
            return 0;
        }
        if (!is_blank) {
            ARRAY_RESERVE(*samples, cap, n + 1);
            (*samples)[n][0] = pair[0];
            (*samples)[n++][1] = pair[1];
        }
        at += len + (at[len] == '\n');
    }
    if (!n)
        diag_add(diags, DIAG_ERROR, path, NULL, 0, 0, NULL, "the file contains no periods");
    return n;
}

static enum heddle_status load_samples(const char *path, uint64_t (**samples)[2], uint32_t *n)
{
    struct strbuf text = {0};
    struct diag_list diags = {0};
    enum heddle_status status = yaml_file_read(path, &text, &diags);
    if (status == HEDDLE_OK) {
        *n = read_samples(path, strbuf_text(&text), samples, &diags);
        status = *n ? HEDDLE_OK : HEDDLE_BAD_INPUT;
    }
    if (diags.n)
        output_complaints(&diags);
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return status;
}

enum heddle_status cache_lab_share(const struct cache_options *o, const struct lab_stream *s,
                                   struct lab_config *shapes, uint32_t n, uint64_t (**samples)[2])
{
    uint32_t n_apps = s->n_sms, n_samples = 0;
    uint64_t gpu = o->gpu_app.is_given ? o->gpu_app.value : n_apps ? n_apps - 1 : 0;
    if (n_apps > SHARED_MAX_APPS) {
        output_error("--shared: %u applications, at most %d are possible", n_apps, SHARED_MAX_APPS);
        return HEDDLE_BAD_INPUT;
    }
    if (o->gpu_app.is_given && gpu >= n_apps) {
        output_error("--gpu-app %" PRIu64 ": the applications are 0 to %u", gpu,
                     n_apps ? n_apps - 1 : 0);
        return HEDDLE_BAD_INPUT;
    }
    if (o->sampling) {
        enum heddle_status status = load_samples(o->sampling, samples, &n_samples);
        if (status != HEDDLE_OK)
            return status;
    }
    for (uint32_t i = 0; i < n; i++) {
        shapes[i].is_shared = true;
        shapes[i].n_apps = n_apps;
        shapes[i].gpu_app = (uint32_t)gpu;
        shapes[i].samples = (const uint64_t(*)[2]) * samples;
        shapes[i].n_samples = n_samples;
    }
    return HEDDLE_OK;
}

/* --- The outcome --- */

static void json_period(struct json_writer *w, const struct lab_job *job, uint32_t i)
{
    const struct shared_decision *d = &job->result.shared->periods[i];
    json_begin_object(w, NULL);
    json_uint(w, "period", i + 1);
    if (d->has_quotas) {
        json_begin_array(w, "quotas");
        for (uint32_t k = 0; k < d->n_apps; k++)
            json_uint(w, NULL, d->quotas[k]);
        json_end_array(w);
    }
    json_uint(w, "xs_ratio", d->xs_ratio);
    json_bool(w, "caching_helps", d->caching_helps);
    json_bool(w, "gpu_brrip", d->gpu_brrip);
    json_end_object(w);
}

static void json_replay(struct json_writer *w, const struct replays *r, uint32_t i)
{
    const struct lab_job *job = &r->jobs[i];
    const struct lab_shared *shared = job->result.shared;
    json_begin_object(w, NULL);
    json_string(w, "policy", job->config.policy->name);
    json_uint(w, "sets", job->config.n_sets);
    json_uint(w, "ways", job->config.n_ways);
    json_uint(w, "line_bytes", job->config.line_bytes);
    param_set_json_values(&r->params[i], w, "params");
    json_begin_array(w, "applications");
    for (uint32_t k = 0; k < shared->n_apps; k++) {
        json_begin_object(w, NULL);
        json_uint(w, "application", k);
        json_bool(w, "gpu", k == shared->gpu_app);
        json_uint(w, "hits", shared->apps[k].hits);
        json_uint(w, "misses", shared->apps[k].misses);
        json_end_object(w);
    }
    json_end_array(w);
    json_begin_array(w, "periods");
    for (uint32_t k = 0; k < shared->n_periods; k++)
        json_period(w, job, k);
    json_end_array(w);
    json_end_object(w);
}

void cache_replays_shared_json(const struct replays *r, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_begin_array(&w, "replays");
    for (uint32_t i = 0; i < r->n; i++)
        json_replay(&w, r, i);
    json_end_array(&w);
    json_end_object(&w);
}

static void print_apps(const struct replays *r, struct strbuf *out)
{
    static const char *const titles[] = {"policy", "sets",   "ways",    "application",
                                         "hits",   "misses", "hit rate"};
    struct table t = {.titles = titles, .n_columns = 7, .right = "lrrrrrr"};
    for (uint32_t i = 0; i < r->n; i++) {
        const struct lab_config *c = &r->jobs[i].config;
        const struct lab_shared *shared = r->jobs[i].result.shared;
        for (uint32_t k = 0; k < shared->n_apps; k++) {
            const struct lab_app *app = &shared->apps[k];
            uint64_t n = app->hits + app->misses;
            table_cell(&t, "%s", c->policy->name);
            table_count(&t, c->n_sets);
            table_count(&t, c->n_ways);
            table_cell(&t, "%u%s", k, k == shared->gpu_app ? " GPU" : "");
            table_count(&t, app->hits);
            table_count(&t, app->misses);
            table_cell(&t, "%.2f %%", n ? 100.0 * (double)app->hits / (double)n : 0);
        }
    }
    table_print(&t, out);
    table_destroy(&t);
}

/* For one policy: its controller's decisions after each period. */
static void print_periods(const struct lab_job *job, struct strbuf *out)
{
    static const char *const titles[] = {"period", "quotas", "XSRATIO", "caching helps the GPU"};
    const struct lab_shared *shared = job->result.shared;
    struct table t = {.titles = titles, .n_columns = 4, .right = "rlrl"};
    for (uint32_t i = 0; i < shared->n_periods; i++) {
        const struct shared_decision *d = &shared->periods[i];
        struct strbuf quotas = {0};
        for (uint32_t k = 0; k < d->n_apps && d->has_quotas; k++)
            strbuf_addf(&quotas, "%s%u", k ? " " : "", d->quotas[k]);
        table_cell(&t, "%u", i + 1);
        table_cell(&t, "%s", quotas.len ? strbuf_text(&quotas) : "-");
        table_cell(&t, "%u", d->xs_ratio);
        table_cell(&t, "%s", d->caching_helps ? "yes" : "no");
        strbuf_destroy(&quotas);
    }
    strbuf_addf(out, "\nDecisions of %s:\n", job->config.policy->name);
    table_print(&t, out);
    table_destroy(&t);
}

void cache_replays_shared_table(const struct replays *r, struct strbuf *out)
{
    print_apps(r, out);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->jobs[i].result.shared->n_periods)
            print_periods(&r->jobs[i], out);
}
