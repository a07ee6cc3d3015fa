/* Values of a plug-in's parameters, written as a user would: "group_size=2 inner=gto". */
#ifndef HEDDLE_TEST_PLUGIN_PARAMS_H
#define HEDDLE_TEST_PLUGIN_PARAMS_H

#include <string.h>

#include "config/plugin.h"

/* The defaults with `words` on top, in the arena; NULL if a word is not understood. */
static inline const void *plugin_params(const struct plugin *d, const char *words,
                                        struct arena *arena)
{
    void *values = arena_alloc(arena, d->params_bytes);
    const void *defaults = plugin_values(d, NULL, arena);
    if (d->params_bytes)
        memcpy(values, defaults, d->params_bytes);
    struct strbuf why = {0};
    char *rest = arena_strdup(arena, words), *word;
    bool understood = true;
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        bool is_known = !*word;
        if (value)
            *value++ = 0;
        for (uint32_t i = 0; value && i < d->n_params; i++)
            if (strcmp(d->params[i].name, word) == 0)
                is_known = param_store(&d->params[i], values, value, arena, &why);
        understood = understood && is_known;
    }
    strbuf_destroy(&why);
    return understood ? values : NULL;
}

#endif
