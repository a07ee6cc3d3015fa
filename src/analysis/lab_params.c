#include "analysis/lab_params.h"

#include <string.h>

/* The row of "name=value"; NULL if the policy has no parameter of that name. */
static const struct param *row_of(const struct cache_policy_desc *policy, const char *word)
{
    size_t n = strcspn(word, "=");
    for (uint32_t i = 0; i < policy->n_params; i++)
        if (strlen(policy->params[i].name) == n && strncmp(policy->params[i].name, word, n) == 0)
            return &policy->params[i];
    return NULL;
}

static const char *value_of(const char *word)
{
    return strchr(word, '=') + 1;
}

bool lab_params_take(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                     struct settings *to, struct strbuf *why)
{
    void *tried = arena_alloc(&to->arena, policy->params_bytes);
    struct diag_list diags = {0};
    for (uint32_t i = 0; i < recorded->n && !why->len; i++) {
        const char *word = recorded->items[i];
        const struct param *row = row_of(policy, word);
        struct strbuf flaw = {0};
        if (!row)
            strbuf_addf(why,
                        "recorded under %s with %s, a parameter that this %s does not have: load "
                        "the policy it was recorded under with --plugin, or record the run again",
                        policy->name, word, policy->name);
        else if (!param_store(row, tried, value_of(word), &to->arena, &flaw))
            strbuf_addf(why, "recorded under %s with %s, which is not valid here: %s", policy->name,
                        word, strbuf_text(&flaw));
        else if (settings_add_word(to, word, &diags))
            to->items[to->n - 1].source = "the recording";
        strbuf_destroy(&flaw);
    }
    diag_list_destroy(&diags);
    return !why->len;
}

/* Does the parameter have the value in the word? */
static bool is_so(const struct cache_policy_desc *policy, const void *values, const char *word)
{
    const struct param *row = row_of(policy, word);
    struct strbuf here = {0};
    if (row)
        param_print(row, values, &here);
    bool is = row && strcmp(strbuf_text(&here), value_of(word)) == 0;
    strbuf_destroy(&here);
    return is;
}

bool lab_params_are(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                    const void *values)
{
    struct arena arena = {0};
    bool are = recorded->are_told || !policy->n_params;
    values = plugin_values(&policy->plugin, values, &arena);
    for (uint32_t i = 0; i < recorded->n && are; i++)
        are = is_so(policy, values, recorded->items[i]);
    arena_destroy(&arena);
    return are;
}

void lab_params_print(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                      struct strbuf *out)
{
    struct arena arena = {0};
    const void *defaults = policy ? plugin_values(&policy->plugin, NULL, &arena) : NULL;
    size_t begin = out->len;
    for (uint32_t i = 0; i < recorded->n; i++)
        if (!policy || !is_so(policy, defaults, recorded->items[i]))
            strbuf_addf(out, "%s%s", out->len > begin ? " " : "", recorded->items[i]);
    arena_destroy(&arena);
}
