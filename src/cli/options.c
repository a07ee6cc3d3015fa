#include "cli/options.h"

#include <inttypes.h>
#include <string.h>

#include "config/number.h"

bool dim3_parse(const char *text, uint32_t least, struct dim3 *out)
{
    struct dim3 d = {{least, least, least}};
    for (int i = 0; i < 3; i++) {
        char digits[16];
        size_t n = strcspn(text, ",");
        uint64_t value;
        if (n >= sizeof digits)
            return false;
        memcpy(digits, text, n);
        digits[n] = 0;
        if (!number_parse_u64(digits, &value) || value < least || value > UINT32_MAX)
            return false;
        d.v[i] = (uint32_t)value;
        text += n;
        if (!*text) {
            *out = d;
            return true;
        }
        text++;
    }
    return false;
}

void text_list_add(struct text_list *list, const char *item, struct arena *arena)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? 2 * list->cap : 8;
        const char **items = ARENA_ARRAY(arena, const char *, cap);
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    list->items[list->n++] = item;
}

static const struct option *find_option(const struct option *options, uint32_t n, const char *name,
                                        size_t len)
{
    for (uint32_t i = 0; i < n; i++)
        if (strlen(options[i].name) == len && strncmp(options[i].name, name, len) == 0)
            return &options[i];
    return NULL;
}

static void report_unknown(const struct option *options, uint32_t n, const char *name, size_t len,
                           struct arena *arena, struct diag_list *diags)
{
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = options[i].name;
    names[n] = "help";
    const char *word = arena_strndup(arena, name, len);
    const char *nearest = suggest_nearest(word, names, n + 1);
    diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0,
             nearest ? arena_printf(arena, "did you mean '--%s'?", nearest)
                     : "--help after the command lists its options",
             "there is no option '--%s'", word);
}

#define U64_RANGE "from 0 to 18446744073709551615"

static const char *const expectations[] = {
    [OPTION_KIND_U64] = "a whole number " U64_RANGE ", such as 5000 or 5M",
    [OPTION_KIND_GIVEN] = "a whole number " U64_RANGE ", such as 5000 or 5M",
    [OPTION_KIND_LIMIT] = "a whole number " U64_RANGE ", such as 5000 or 5M, or max",
    [OPTION_KIND_BYTES] = "a number of bytes " U64_RANGE ", such as 4096 or 4K",
    [OPTION_KIND_DIM3] = "up to three numbers from 1 to 4294967295, such as 64,2,1",
    [OPTION_KIND_OFFSET] = "up to three numbers from 0 to 4294967295, such as 16,0,0",
};

static bool store_given(const char *text, struct given_u64 *out)
{
    out->is_given = true;
    return number_parse_count(text, &out->value);
}

static bool store_limit(const char *text, uint64_t *out)
{
    if (strcmp(text, "max") != 0)
        return number_parse_count(text, out);
    *out = 0;
    return true;
}

static bool store_range(const char *text, uint64_t most, uint64_t *out)
{
    return number_parse_count(text, out) && *out >= 1 && *out <= most;
}

/* Stores an option's value; false if it is not what `expectations` says. */
static bool store(const struct option *o, const char *text, void *values, struct arena *arena)
{
    void *field = (char *)values + o->offset;
    switch (o->kind) {
    case OPTION_KIND_FLAG:
        *(bool *)field = true;
        return true;
    case OPTION_KIND_TEXT:
        *(const char **)field = text;
        return true;
    case OPTION_KIND_LIST:
        text_list_add(field, text, arena);
        return true;
    case OPTION_KIND_U64:
        return number_parse_count(text, field);
    case OPTION_KIND_RANGE:
        return store_range(text, o->most, field);
    case OPTION_KIND_GIVEN:
        return store_given(text, field);
    case OPTION_KIND_LIMIT:
        return store_limit(text, field);
    case OPTION_KIND_BYTES:
        return number_parse_bytes(text, field);
    case OPTION_KIND_DIM3:
        return dim3_parse(text, 1, field);
    case OPTION_KIND_OFFSET:
        return dim3_parse(text, 0, field);
    }
    return false;
}

static void report_value(const struct option *o, const char *value, struct diag_list *diags)
{
    if (o->kind == OPTION_KIND_RANGE)
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL,
                 "--%s %s: expected a whole number from 1 to %" PRIu64, o->name, value, o->most);
    else
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "--%s %s: expected %s", o->name, value,
                 expectations[o->kind]);
}

/* Takes the value of an option: the text after its '=', or the next word. Returns the number of
 * words taken. */
static uint32_t take_value(const struct option *o, const char *value, const char *const *words,
                           uint32_t n_left, void *values, struct arena *arena,
                           struct diag_list *diags)
{
    uint32_t n_taken = 1;
    if (o->kind == OPTION_KIND_FLAG && value) {
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "--%s takes no value", o->name);
        return 1;
    }
    if (o->kind != OPTION_KIND_FLAG && !value) {
        if (n_left < 2) {
            diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "--%s needs a value: --%s %s",
                     o->name, o->name, o->value_name);
            return 1;
        }
        value = words[1];
        n_taken = 2;
    }
    if (!store(o, value, values, arena))
        report_value(o, value, diags);
    return n_taken;
}

/* Reads the option at words[0]; returns the number of words taken. */
static uint32_t parse_option(const struct option *options, uint32_t n_options,
                             const char *const *words, uint32_t n_left, void *values,
                             struct arena *arena, struct diag_list *diags)
{
    const char *name = words[0] + 2;
    size_t len = strcspn(name, "=");
    const struct option *o = find_option(options, n_options, name, len);
    if (!o) {
        report_unknown(options, n_options, name, len, arena, diags);
        return 1;
    }
    return take_value(o, name[len] ? name + len + 1 : NULL, words, n_left, values, arena, diags);
}

/* The same for `-o`. */
static uint32_t parse_letter(const struct option *options, uint32_t n_options,
                             const char *const *words, uint32_t n_left, void *values,
                             struct arena *arena, struct diag_list *diags)
{
    for (uint32_t i = 0; i < n_options; i++)
        if (options[i].letter == words[0][1] && !words[0][2])
            return take_value(&options[i], NULL, words, n_left, values, arena, diags);
    diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, "options begin with two dashes",
             "there is no option '%s'", words[0]);
    return 1;
}

bool options_parse(const struct option *options, uint32_t n_options, uint32_t n_words,
                   const char *const *words, void *values, struct text_list *operands,
                   struct arena *arena, struct diag_list *diags)
{
    uint32_t n_errors_before = diags->n_errors;
    bool only_operands = false;
    for (uint32_t i = 0; i < n_words;) {
        if (!only_operands && strcmp(words[i], "--") == 0) {
            only_operands = true;
            i++;
        } else if (!only_operands && strncmp(words[i], "--", 2) == 0) {
            i += parse_option(options, n_options, words + i, n_words - i, values, arena, diags);
        } else if (!only_operands && words[i][0] == '-' && words[i][1]) {
            i += parse_letter(options, n_options, words + i, n_words - i, values, arena, diags);
        } else {
            text_list_add(operands, words[i++], arena);
        }
    }
    return diags->n_errors == n_errors_before;
}
