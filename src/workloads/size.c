/* Sizes with changed inputs: `small:graph=tree:edges=2M`. */
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "config/number.h"
#include "workloads/workload.h"

uint32_t workload_find_param(const struct workload *w, const char *name)
{
    uint32_t i = 0;
    while (i < WORKLOAD_PARAMS && (!w->param_names[i] || strcmp(w->param_names[i], name) != 0))
        i++;
    return i;
}

const struct workload_input *workload_find_input(const struct workload *w, const char *name)
{
    for (const struct workload_input *input = w->inputs; input && input->name; input++)
        if (strcmp(input->name, name) == 0)
            return input;
    return NULL;
}

static uint32_t count_choices(const struct workload_input *input)
{
    uint32_t n = 0;
    while (input->choices[n])
        n++;
    return n;
}

void workload_print_param(const struct workload *w, const struct workload_size *size, uint32_t i,
                          struct strbuf *out)
{
    const struct workload_input *input = workload_find_input(w, w->param_names[i]);
    if (input && input->choices)
        strbuf_add(out, input->choices[size->p[i]]);
    else
        strbuf_addf(out, "%" PRId64, size->p[i]);
}

void workload_json_inputs(const struct workload *w, const struct workload_size *size,
                          const char *key, struct json_writer *out)
{
    json_begin_object(out, key);
    for (uint32_t i = 0; i < WORKLOAD_PARAMS && w->param_names[i]; i++) {
        const struct workload_input *input = workload_find_input(w, w->param_names[i]);
        if (input && input->choices)
            json_string(out, w->param_names[i], input->choices[size->p[i]]);
        else
            json_int(out, w->param_names[i], size->p[i]);
    }
    json_end_object(out);
}

void workload_print_range(const struct workload_input *input, struct strbuf *out)
{
    if (!input->choices) {
        strbuf_addf(out, "%" PRId64 " to %" PRId64, input->min, input->max);
        return;
    }
    for (uint32_t i = 0; input->choices[i]; i++)
        strbuf_addf(out, "%s%s", i ? ", " : "", input->choices[i]);
}

/* --- reading --- */

static void refuse_input(const struct workload *w, const char *name, struct strbuf *why)
{
    const char *names[WORKLOAD_PARAMS];
    uint32_t n = 0;
    for (const struct workload_input *input = w->inputs; input && input->name; input++)
        names[n++] = input->name;
    const char *near = suggest_nearest(name, names, n);
    strbuf_addf(why, "%s has no input '%s'", w->name, name);
    if (near)
        strbuf_addf(why, "; did you mean '%s'?", near);
    for (uint32_t i = 0; !near && i < n; i++)
        strbuf_addf(why, "%s%s", i ? ", " : "; it has ", names[i]);
    if (!n)
        strbuf_add(why, ", only sizes");
}

static bool read_value(const struct workload_input *input, const char *text, int64_t *value)
{
    if (!input->choices) {
        uint64_t number;
        if (!number_parse_count(text, &number) || number > INT64_MAX)
            return false;
        *value = (int64_t)number;
        return *value >= input->min && *value <= input->max;
    }
    for (uint32_t i = 0; i < count_choices(input); i++)
        if (strcmp(input->choices[i], text) == 0) {
            *value = i;
            return true;
        }
    return false;
}

/* Applies one NAME=VALUE, which is split in place. */
static bool apply(const struct workload *w, char *word, struct workload_size *size,
                  struct strbuf *why)
{
    char *equals = strchr(word, '=');
    if (!equals) {
        strbuf_addf(why, "'%s' is not NAME=VALUE", word);
        return false;
    }
    *equals = 0;
    const struct workload_input *input = workload_find_input(w, word);
    if (!input) {
        refuse_input(w, word, why);
        return false;
    }
    if (read_value(input, equals + 1, &size->p[workload_find_param(w, word)]))
        return true;
    strbuf_addf(why, "%s: '%s' is not one of its values: ", word, equals + 1);
    workload_print_range(input, why);
    return false;
}

/* SIZE and its differences. */
static const char *name_of(const struct workload *w, const struct workload_size *base,
                           const struct workload_size *size, struct arena *arena)
{
    struct strbuf name = {0};
    strbuf_add(&name, base->name);
    for (const struct workload_input *input = w->inputs; input && input->name; input++) {
        uint32_t i = workload_find_param(w, input->name);
        if (size->p[i] == base->p[i])
            continue;
        strbuf_addf(&name, ":%s=", input->name);
        workload_print_param(w, size, i, &name);
    }
    const char *kept = arena_strdup(arena, strbuf_text(&name));
    strbuf_destroy(&name);
    return kept;
}

const struct workload_size *workload_make_size(const struct workload *w, const char *text,
                                               struct arena *arena, struct strbuf *why)
{
    char *words = arena_strdup(arena, text), *rest = words;
    const struct workload_size *base = workload_find_size(w, strsep(&rest, ":"));
    if (!base || !rest)
        return base;
    struct workload_size *size = ARENA_NEW(arena, struct workload_size);
    *size = *base;
    while (rest)
        if (!apply(w, strsep(&rest, ":"), size, why))
            return NULL;
    size->name = name_of(w, base, size, arena);
    return size;
}
