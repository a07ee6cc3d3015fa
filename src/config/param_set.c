#include "config/param_set.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void param_set_destroy(struct param_set *set)
{
    if (!set)
        return;
    settings_destroy(&set->settings);
    free(set->items);
    memset(set, 0, sizeof *set);
}

/* Looks at every setting of the name, so that overridden ones are checked as well. */
static void bind_one(struct param_set *set, struct bound_param *b, struct diag_list *diags)
{
    struct strbuf why = {0};
    struct arena *arena = &set->settings.arena;
    b->source = "default";
    bool default_is_valid = param_store(b->param, b->values, b->param->default_text, arena, &why);
    assert(default_is_valid);
    (void)default_is_valid;
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

static struct bound_param *find(const struct param_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (strcmp(set->items[i].name, name) == 0)
            return &set->items[i];
    return NULL;
}

void param_set_settle(struct param_set *set, const char *name, const char *reason)
{
    struct bound_param *b = find(set, name);
    assert(b);
    b->source = reason;
    b->setting = NULL;
}

/* "sm" is not a parameter, but the first part of some names. */
static const char *explain_section(const struct param_set *set, const char *name,
                                   struct arena *arena)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < set->n; i++)
        if (strncmp(set->items[i].name, name, n) == 0 && set->items[i].name[n] == '.')
            return arena_printf(arena, "this is a section: it holds %s and others",
                                set->items[i].name);
    return NULL;
}

/* The hint for an unknown name. */
static const char *explain_name(const struct param_set *set, const char *name,
                                const char *const *names, struct arena *arena)
{
    const char *hint = set->explain ? set->explain(set->explain_user, name, arena) : NULL;
    hint = hint ? hint : explain_section(set, name, arena);
    return hint ? hint : suggest_hint(arena, name, names, set->n);
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
            settings_complain(s, true, explain_name(set, s->name, names, arena), diags,
                              "there is no parameter '%s'", s->name);
    }
}

const struct bound_param *param_set_find(const struct param_set *set, const char *name)
{
    return find(set, name);
}

/* Was `b` set closer to the user? Files are in the order of their bases; words come after all
 * files. */
static bool is_nearer(const struct bound_param *b, const struct bound_param *than)
{
    if (!b->setting || !than->setting)
        return b->setting && !than->setting;
    return b->setting > than->setting && b->setting->file != than->setting->file;
}

static const struct bound_param *find_below(const struct param_set *set, const char *prefix,
                                            const char *name)
{
    size_t n = strlen(prefix);
    for (uint32_t i = 0; i < set->n; i++) {
        const char *whole = set->items[i].name;
        if (n == 0 ? strcmp(whole, name) == 0
                   : strncmp(whole, prefix, n) == 0 && whole[n] == '.' &&
                         strcmp(whole + n + 1, name) == 0)
            return &set->items[i];
    }
    return NULL;
}

/* Adds a note that says where a conflicting value was set. */
static void note_place(const struct bound_param *b, struct diag_list *diags)
{
    const struct setting *s = b->setting;
    struct strbuf value = {0};
    param_print(b->param, b->values, &value);
    diag_add(diags, DIAG_NOTE, s->file, s->text, s->value_line, s->value_col, NULL, "%s is %s here",
             b->name, strbuf_text(&value));
    strbuf_destroy(&value);
}

void param_set_complain(const struct param_set *set, enum diag_severity severity,
                        const char *prefix, const char *const *names, const char *hint,
                        struct diag_list *diags, const char *format, ...)
{
    struct strbuf message = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&message, format, args);
    va_end(args);
    const struct bound_param *guilty = find_below(set, prefix, names[0]);
    uint32_t n = 1;
    for (; names[n]; n++) {
        const struct bound_param *b = find_below(set, prefix, names[n]);
        guilty = is_nearer(b, guilty) ? b : guilty;
    }
    const struct setting none = {0}, *s = guilty->setting ? guilty->setting : &none;
    diag_add(diags, severity, s->file, s->text, s->value_line, s->value_col, hint, "%s",
             strbuf_text(&message));
    for (uint32_t i = 0; n <= FLAW_MAX_NAMES && i < n; i++) {
        const struct bound_param *b = find_below(set, prefix, names[i]);
        if (b != guilty && b->setting)
            note_place(b, diags);
    }
    strbuf_destroy(&message);
}
