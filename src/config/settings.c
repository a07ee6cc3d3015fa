#include "config/settings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void settings_destroy(struct settings *s)
{
    if (!s)
        return;
    arena_destroy(&s->arena);
    free(s->items);
    memset(s, 0, sizeof *s);
}

static bool is_name(const char *text, size_t n)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return n > 0 && strspn(text, allowed) >= n;
}

bool settings_add_word(struct settings *s, const char *word, struct diag_list *diags)
{
    const char *place = arena_printf(&s->arena, "--set %s", word);
    const char *equals = strchr(word, '=');
    if (!equals || !is_name(word, (size_t)(equals - word))) {
        const char *name = is_name(word, strlen(word)) ? word : "NAME";
        diag_add(diags, DIAG_ERROR, place, NULL, 0, 0,
                 arena_printf(&s->arena, "write it as %s=VALUE", name), "not a NAME=VALUE");
        return false;
    }
    ARRAY_RESERVE(s->items, s->cap, s->n + 1);
    s->items[s->n++] = (struct setting){
        .name = arena_strndup(&s->arena, word, (size_t)(equals - word)),
        .value = arena_strdup(&s->arena, equals + 1),
        .source = "--set",
        .file = place,
    };
    return true;
}

struct setting *settings_find(const struct settings *s, const char *name)
{
    for (uint32_t i = s->n; i-- > 0;)
        if (strcmp(s->items[i].name, name) == 0)
            return &s->items[i];
    return NULL;
}

void setting_print_place(const struct setting *s, struct strbuf *out)
{
    strbuf_add(out, s->file);
    if (s->value_line)
        strbuf_addf(out, ":%u", s->value_line);
}

void settings_complain(const struct setting *s, bool about_name, const char *hint,
                       struct diag_list *diags, const char *format, ...)
{
    struct strbuf message = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&message, format, args);
    va_end(args);
    diag_add(diags, DIAG_ERROR, s->file, s->text, about_name ? s->name_line : s->value_line,
             about_name ? s->name_col : s->value_col, hint, "%s", strbuf_text(&message));
    strbuf_destroy(&message);
}
