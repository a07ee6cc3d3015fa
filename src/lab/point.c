#include "lab/point.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

/* --- coordinates --- */

/* The parameter that an experiment's short name stands for. */
static const char *parameter_of(const char *name)
{
    if (strcmp(name, "atomics") == 0)
        return "atomics.unit";
    if (strcmp(name, "llc") == 0)
        return "l2.policy";
    if (strcmp(name, "cpu") == 0)
        return "cpu.programs";
    return strcmp(name, "l1d") == 0 ? "l1d.policy" : name;
}

static const char *value_in(const char *word, const char *name)
{
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* The workload's class in a paper: "class.s4"; NULL if it has none. */
static const char *class_of(const struct workload *w, const char *name)
{
    const struct {
        const char *name, *class;
    } classes[] = {{"class.s2", w->categories.s2},         {"class.s3_ch3", w->categories.s3_ch3},
                   {"class.s3_ch4", w->categories.s3_ch4}, {"class.s3_ch5", w->categories.s3_ch5},
                   {"class.s3_ch6", w->categories.s3_ch6}, {"class.s4", w->categories.s4}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(classes[i].name, name) == 0)
            return classes[i].class;
    return NULL;
}

const struct workload point_idle_gpu = {.name = "none"};
const struct workload_size point_no_input = {.name = "-"};

bool point_is_idle(const struct point *p)
{
    return p->workload == &point_idle_gpu;
}

bool point_coordinate(const struct point *p, const char *name, struct strbuf *out)
{
    strbuf_clear(out);
    if (strcmp(name, "workload") == 0) {
        strbuf_add(out, p->workload->name);
        return true;
    }
    if (strcmp(name, "size") == 0) {
        strbuf_add(out, p->size->name);
        return true;
    }
    if (strcmp(name, "seed") == 0) {
        strbuf_addf(out, "%" PRIu64, p->seed);
        return true;
    }
    if (strcmp(name, "gpu") == 0) {
        strbuf_add(out, p->gpu.text);
        return true;
    }
    for (uint32_t i = p->n_words; i-- > 0;) {
        const char *value = value_in(p->words[i].text, parameter_of(name));
        if (value) {
            strbuf_add(out, !*value && strcmp(name, "cpu") == 0 ? "none" : value);
            return true;
        }
    }
    const char *class = class_of(p->workload, name);
    if (class) {
        strbuf_add(out, class);
        return true;
    }
    uint32_t param = workload_find_param(p->workload, name);
    if (param < WORKLOAD_PARAMS)
        workload_print_param(p->workload, p->size, param, out);
    return param < WORKLOAD_PARAMS;
}

void point_inputs(const struct point *p, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    if (!p->kernel) {
        workload_json_inputs(p->workload, p->size, NULL, &w);
        return;
    }
    json_begin_object(&w, NULL);
    kernel_file_json_inputs(p->kernel, &w);
    json_end_object(&w);
}

void point_settings(const struct point *p, struct strbuf *out)
{
    bool is_first = true;
    for (uint32_t i = 0; i < p->n_words; i++) {
        const char *word = p->words[i].text;
        if (value_in(word, "scheduler") || value_in(word, "l1d.policy"))
            continue;
        strbuf_addf(out, "%s%s", is_first ? "" : " ", word);
        is_first = false;
    }
}

void point_describe(const struct point *p, struct strbuf *out)
{
    strbuf_addf(out, "%s %s, %s", p->workload->name, p->size->name, p->gpu.text);
    for (uint32_t i = 0; i < p->n_words; i++)
        strbuf_addf(out, " %s", p->words[i].text);
    if (p->seed != 1)
        strbuf_addf(out, ", seed %" PRIu64, p->seed);
}
