#include "config/param_set.h"

#include <stdlib.h>
#include <string.h>

#include <assert.h>

void param_set_destroy(struct param_set *set)
{
    if (!set)
        return;
    settings_destroy(&set->settings);
    free(set->items);
    memset(set, 0, sizeof *set);
}

static void bind_one(struct param_set *set, struct bound_param *b, struct diag_list *diags)
{
    struct strbuf why = {0};
    struct arena *arena = &set->settings.arena;
    b->source = "default";
    bool default_is_valid = param_store(b->param, b->values, b->param->default_text, arena, &why);
    assert(default_is_valid);
    (void)default_is_valid;
    /* Every setting of the name is looked at, so that one that is overridden is checked as well. */
    for (uint32_t i = 0; i < set->settings.n; i++) {
        struct setting *s = &set->settings.items[i];
        if (strcmp(s->name, b->name) != 0)
            continue;
        s->taken = true;
        strbuf_clear(&why);
        if (param_store(b->param, b->values, s->value, arena, &why)) {
            b->setting = s;
            b->source = s->source;
        } else {
            settings_complain(s, false, NULL, diags, "%s: %s", b->name, strbuf_text(&why));
        }
    }
    strbuf_destroy(&why);
}

void param_set_bind(struct param_set *set, const char *prefix, const struct param *params,
                    uint32_t n, void *values, struct diag_list *diags)
{
    ARRAY_RESERVE(set->items, set->cap, set->n + n);
    for (uint32_t i = 0; i < n; i++) {
        struct bound_param *b = &set->items[set->n++];
        *b = (struct bound_param){
            .param = &params[i],
            .values = values,
            .name = arena_printf(&set->settings.arena, "%s%s%s", prefix, *prefix ? "." : "",
                                 params[i].name),
        };
        bind_one(set, b, diags);
    }
}

void param_set_finish(struct param_set *set, struct diag_list *diags)
{
    struct arena *arena = &set->settings.arena;
    const char **names = ARENA_ARRAY(arena, const char *, set->n);
    for (uint32_t i = 0; i < set->n; i++)
        names[i] = set->items[i].name;
    for (uint32_t i = 0; i < set->settings.n; i++) {
        const struct setting *s = &set->settings.items[i];
        if (!s->taken)
            settings_complain(s, true, suggest_hint(arena, s->name, names, set->n), diags,
                              "there is no parameter '%s'", s->name);
    }
}

const struct bound_param *param_set_find(const struct param_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (strcmp(set->items[i].name, name) == 0)
            return &set->items[i];
    return NULL;
}

bool bound_param_is_chosen(const struct bound_param *b)
{
    return strncmp(b->source, "chosen", strlen("chosen")) == 0;
}

static void print_value(const struct bound_param *b, struct strbuf *out)
{
    param_print(b->param, b->values, out);
    if (b->param->unit)
        strbuf_addf(out, " %s", b->param->unit);
}

void param_set_print(const struct param_set *set, struct strbuf *out)
{
    int name_width = 0, value_width = 0;
    struct strbuf value = {0};
    for (uint32_t i = 0; i < set->n; i++) {
        strbuf_clear(&value);
        print_value(&set->items[i], &value);
        if (name_width < (int)strlen(set->items[i].name))
            name_width = (int)strlen(set->items[i].name);
        if (set->items[i].param->type != PARAM_TYPE_STRING && value_width < (int)value.len)
            value_width = (int)value.len;
    }
    for (uint32_t i = 0; i < set->n; i++) {
        const struct bound_param *b = &set->items[i];
        strbuf_clear(&value);
        print_value(b, &value);
        strbuf_addf(out, "%c %-*s  ", bound_param_is_chosen(b) ? '*' : ' ', name_width, b->name);
        if (b->param->type == PARAM_TYPE_STRING)
            strbuf_addf(out, "%s\n", strbuf_text(&value));
        else
            strbuf_addf(out, "%-*s  %s\n", value_width, strbuf_text(&value), b->source);
    }
    strbuf_destroy(&value);
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
    json_begin_array(w, key);
    for (uint32_t i = 0; i < set->n; i++) {
        const struct bound_param *b = &set->items[i];
        json_begin_object(w, NULL);
        json_string(w, "name", b->name);
        json_value(b, w, "value");
        json_string(w, "unit", b->param->unit);
        json_string(w, "help", b->param->help);
        json_string(w, "source", b->source);
        json_bool(w, "chosen", bound_param_is_chosen(b));
        json_end_object(w);
    }
    json_end_array(w);
}
