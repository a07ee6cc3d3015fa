/* The parameters of a machine as a user sees them: text and JSON. */
#include <string.h>

#include "config/param_set.h"

bool bound_param_is_chosen(const struct bound_param *b)
{
    return strncmp(b->source, "chosen", strlen("chosen")) == 0;
}

void bound_param_print_place(const struct bound_param *b, struct strbuf *out)
{
    if (b->setting)
        setting_print_place(b->setting, out);
    else
        strbuf_add(out, b->source);
}

/* "15 SMs" */
static void print_value(const struct bound_param *b, struct strbuf *out)
{
    param_print(b->param, b->values, out);
    if (b->param->unit)
        strbuf_addf(out, " %s", b->param->unit);
}

struct widths {
    int name, value, range;
};

static void widen(int *width, size_t len)
{
    if (*width < (int)len)
        *width = (int)len;
}

/* Column widths. Longer texts stick out. */
static struct widths measure(const struct param_set *set)
{
    struct widths w = {0};
    struct strbuf text = {0};
    for (uint32_t i = 0; i < set->n; i++) {
        const struct bound_param *b = &set->items[i];
        widen(&w.name, strlen(b->name));
        if (b->param->type == PARAM_TYPE_STRING)
            continue;
        strbuf_clear(&text);
        print_value(b, &text);
        widen(&w.value, text.len);
        strbuf_clear(&text);
        param_print_range(b->param, &text);
        widen(&w.range, text.len);
    }
    strbuf_destroy(&text);
    return w;
}

/* Where the value was set, and why it has that value if more is known. */
static void print_origin(const struct bound_param *b, struct strbuf *out)
{
    bound_param_print_place(b, out);
    bool is_said =
        b->setting && strcmp(b->source, b->setting->file) != 0 && strcmp(b->source, "--set") != 0;
    if (is_said)
        strbuf_addf(out, ": %s", b->source);
    strbuf_add_char(out, '\n');
}

void param_set_print(const struct param_set *set, struct strbuf *out)
{
    struct widths w = measure(set);
    struct strbuf value = {0}, range = {0};
    for (uint32_t i = 0; i < set->n; i++) {
        const struct bound_param *b = &set->items[i];
        strbuf_clear(&value);
        strbuf_clear(&range);
        print_value(b, &value);
        param_print_range(b->param, &range);
        strbuf_addf(out, "%c %-*s  %-*s  %-*s  %s\n", bound_param_is_chosen(b) ? '*' : ' ', w.name,
                    b->name, w.value, strbuf_text(&value), w.range, strbuf_text(&range),
                    b->param->help);
        strbuf_addf(out, "  %*s    ", w.name, "");
        print_origin(b, out);
    }
    strbuf_destroy(&value);
    strbuf_destroy(&range);
}

static void json_value(const struct bound_param *b, struct json_writer *w, const char *key)
{
    const void *field = (const char *)b->values + b->param->offset;
    struct strbuf text = {0};
    switch (b->param->type) {
    case PARAM_TYPE_U32:
        json_uint(w, key, *(const uint32_t *)field);
        break;
    case PARAM_TYPE_U64:
        json_uint(w, key, *(const uint64_t *)field);
        break;
    case PARAM_TYPE_BOOL:
        json_bool(w, key, *(const bool *)field);
        break;
    case PARAM_TYPE_ENUM:
    case PARAM_TYPE_STRING:
        param_print(b->param, b->values, &text);
        json_string(w, key, strbuf_text(&text));
        break;
    }
    strbuf_destroy(&text);
}

void param_set_json_values(const struct param_set *set, struct json_writer *w, const char *key)
{
    json_begin_object(w, key);
    for (uint32_t i = 0; i < set->n; i++)
        json_value(&set->items[i], w, set->items[i].name);
    json_end_object(w);
}

void param_set_json(const struct param_set *set, struct json_writer *w, const char *key)
{
    struct strbuf text = {0};
    json_begin_array(w, key);
    for (uint32_t i = 0; i < set->n; i++) {
        const struct bound_param *b = &set->items[i];
        json_begin_object(w, NULL);
        json_string(w, "name", b->name);
        json_value(b, w, "value");
        json_string(w, "unit", b->param->unit);
        json_string(w, "default", b->param->default_text);
        strbuf_clear(&text);
        param_print_range(b->param, &text);
        json_string(w, "range", strbuf_text(&text));
        json_string(w, "help", b->param->help);
        strbuf_clear(&text);
        bound_param_print_place(b, &text);
        json_string(w, "place", strbuf_text(&text));
        json_string(w, "source", b->source);
        json_bool(w, "chosen", bound_param_is_chosen(b));
        json_end_object(w);
    }
    json_end_array(w);
    strbuf_destroy(&text);
}
