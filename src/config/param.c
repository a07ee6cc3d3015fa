#include "config/param.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "config/number.h"

static bool is_bytes(const struct param *p)
{
    return p->unit && strcmp(p->unit, "bytes") == 0;
}

/* Is it an integer of any sign and size? */
static bool is_whole(const char *text)
{
    text += *text == '-';
    size_t n = strspn(text, "0123456789");
    return n > 0 && !text[n];
}

static bool parse_number(const struct param *p, const char *text, uint64_t *out, struct strbuf *why)
{
    bool is_read = (is_bytes(p) ? number_parse_bytes : number_parse_u64)(text, out);
    if (!is_read && !is_whole(text)) {
        strbuf_addf(why, "'%s' is not a %s", text,
                    is_bytes(p) ? "number of bytes such as 49152 or 48K" : "whole number");
        return false;
    }
    if (!is_read || *out < p->min || *out > p->max) {
        strbuf_addf(why, "%s is out of range, it may be %" PRIu64 " to %" PRIu64 "%s%s", text,
                    p->min, p->max, p->unit ? " " : "", p->unit ? p->unit : "");
        return false;
    }
    return true;
}

static bool parse_bool(const char *text, bool *out, struct strbuf *why)
{
    static const char *const words[2][4] = {{"false", "no", "off", "0"},
                                            {"true", "yes", "on", "1"}};
    for (int value = 0; value < 2; value++)
        for (int i = 0; i < 4; i++)
            if (strcasecmp(text, words[value][i]) == 0) {
                *out = value;
                return true;
            }
    strbuf_addf(why, "'%s' is neither true nor false", text);
    return false;
}

static bool parse_choice(const struct param *p, const char *text, uint32_t *out, struct strbuf *why)
{
    uint32_t n = 0;
    for (; p->choices[n]; n++)
        if (strcmp(p->choices[n], text) == 0) {
            *out = n;
            return true;
        }
    strbuf_addf(why, "'%s' is not one of ", text);
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(why, "%s%s", i ? ", " : "", p->choices[i]);
    const char *nearest = suggest_nearest(text, p->choices, n);
    if (nearest)
        strbuf_addf(why, "; did you mean '%s'?", nearest);
    return false;
}

bool param_store(const struct param *p, void *values, const char *text, struct arena *arena,
                 struct strbuf *why)
{
    void *field = (char *)values + p->offset;
    uint64_t number;
    switch (p->type) {
    case PARAM_TYPE_U32:
        assert(p->max <= UINT32_MAX);
        if (!parse_number(p, text, &number, why))
            return false;
        *(uint32_t *)field = (uint32_t)number;
        return true;
    case PARAM_TYPE_U64:
        return parse_number(p, text, field, why);
    case PARAM_TYPE_BOOL:
        return parse_bool(text, field, why);
    case PARAM_TYPE_ENUM:
        return parse_choice(p, text, field, why);
    case PARAM_TYPE_STRING:
        *(const char **)field = arena_strdup(arena, text);
        return true;
    }
    assert(0 && "every type of parameter is handled above");
    return false;
}

void param_print(const struct param *p, const void *values, struct strbuf *out)
{
    const void *field = (const char *)values + p->offset;
    switch (p->type) {
    case PARAM_TYPE_U32:
        strbuf_addf(out, "%" PRIu32, *(const uint32_t *)field);
        break;
    case PARAM_TYPE_U64:
        strbuf_addf(out, "%" PRIu64, *(const uint64_t *)field);
        break;
    case PARAM_TYPE_BOOL:
        strbuf_add(out, *(const bool *)field ? "true" : "false");
        break;
    case PARAM_TYPE_ENUM:
        strbuf_add(out, p->choices[*(const uint32_t *)field]);
        break;
    case PARAM_TYPE_STRING:
        strbuf_add(out, *(const char *const *)field);
        break;
    }
}

void param_print_range(const struct param *p, struct strbuf *out)
{
    switch (p->type) {
    case PARAM_TYPE_U32:
    case PARAM_TYPE_U64:
        if (p->max == (p->type == PARAM_TYPE_U32 ? UINT32_MAX : UINT64_MAX))
            strbuf_addf(out, "at least %" PRIu64, p->min);
        else
            strbuf_addf(out, "%" PRIu64 " to %" PRIu64, p->min, p->max);
        break;
    case PARAM_TYPE_BOOL:
        strbuf_add(out, "true | false");
        break;
    case PARAM_TYPE_ENUM:
        for (const char *const *choice = p->choices; *choice; choice++)
            strbuf_addf(out, "%s%s", choice == p->choices ? "" : " | ", *choice);
        break;
    case PARAM_TYPE_STRING:
        break;
    }
}

bool param_flawed(struct param_flaw *flaw, const char *const *names, const char *format, ...)
{
    uint32_t n = 0;
    for (; names[n]; n++) {
        assert(n < FLAW_MAX_NAMES);
        flaw->names[n] = names[n];
    }
    flaw->names[n] = NULL;
    va_list args;
    va_start(args, format);
    vsnprintf(flaw->what, sizeof flaw->what, format, args);
    va_end(args);
    return false;
}
