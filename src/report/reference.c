/* What a reader of results looks up: meanings of statistics, papers, the shipped GPUs. */
#include "analysis/locality.h"
#include "base/json.h"
#include "gpu/machine.h"
#include "gpu/machine_config.h"
#include "gpu/mechanism_stats.h"
#include "report/report_internal.h"
#include "stats/run_stats.h"

static void add_meaning(const struct heddle_stat *s, struct strbuf *out)
{
    json_add_quoted(out, s->name);
    strbuf_add_char(out, ':');
    json_add_quoted(out, s->help);
    strbuf_add(out, ",\n");
}

/* The statistics of machines, runs and localities, then those of mechanisms. */
static void add_meanings(struct strbuf *out)
{
    const struct run_stats none = {0};
    struct arena arena = {0};
    uint32_t n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&arena, &n_listed);
    strbuf_add(out, "\"help\":{");
    for (uint32_t i = 0; i < machine_stat_count(NULL); i++) {
        struct heddle_stat s = machine_stat_at(NULL, i);
        add_meaning(&s, out);
    }
    for (uint32_t i = 0; i < run_stats_count(); i++) {
        struct heddle_stat s = run_stats_at(&none, i);
        add_meaning(&s, out);
    }
    for (uint32_t i = 0; i < locality_stat_count(); i++) {
        struct heddle_stat s = locality_stat_at(NULL, i);
        add_meaning(&s, out);
    }
    for (uint32_t i = 0; i < n_listed; i++)
        add_meaning(&listed[i].stat, out);
    strbuf_add(out, "\"\":\"\"},\n");
    arena_destroy(&arena);
}

/* Which mechanisms count a statistic: "ccws, ccws_authors". */
static void add_mechanisms(struct json_writer *w)
{
    struct arena arena = {0};
    uint32_t n_listed;
    const struct mechanism_listed *listed = mechanism_stats_list(&arena, &n_listed);
    json_begin_object(w, NULL);
    for (uint32_t i = 0; i < n_listed; i++)
        json_string(w, listed[i].stat.name, listed[i].owners);
    json_end_object(w);
    arena_destroy(&arena);
}

static void add_papers(struct json_writer *w)
{
    static const struct {
        const char *name, *citation;
    } papers[] = {
#define PAPER(short_name, citation) {short_name, citation},
#include "config/papers.def"
#undef PAPER
    };
    json_begin_object(w, NULL);
    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++)
        json_string(w, papers[i].name, papers[i].citation);
    json_end_object(w);
}

static void add_shipped(struct json_writer *w)
{
    json_begin_object(w, NULL);
    for (uint32_t i = 0; i < n_gpu_names; i++) {
        struct diag_list diags = {0};
        struct machine_config *c = machine_config_load(gpu_names[i], NULL, 0, &diags);
        if (c)
            param_set_json_values(&c->gpu->params, w, gpu_names[i]);
        machine_config_destroy(c);
        diag_list_destroy(&diags);
    }
    json_end_object(w);
}

void report_add_reference(struct strbuf *out)
{
    struct json_writer mechanisms = {.out = out}, papers = {.out = out}, shipped = {.out = out};
    add_meanings(out);
    strbuf_add(out, "\"mechanisms\":");
    add_mechanisms(&mechanisms);
    strbuf_add(out, ",\"papers\":");
    add_papers(&papers);
    strbuf_add(out, ",\"shipped\":");
    add_shipped(&shipped);
}
