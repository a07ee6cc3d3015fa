#include "lab/json_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* YAML does not allow tabs between tokens, JSON does. */
static void replace_tabs(struct strbuf *text)
{
    bool quoted = false;
    for (size_t i = 0; i < text->len; i++) {
        char c = text->text[i];
        if (c == '"')
            quoted = !quoted;
        else if (c == '\\' && quoted)
            i++;
        else if (c == '\t' && !quoted)
            text->text[i] = ' ';
    }
}

static enum heddle_status load(struct json_input *in, const char *name)
{
    replace_tabs(&in->text);
    in->is_loaded = yaml_doc_load(&in->doc, name, strbuf_text(&in->text), &in->diags);
    if (in->is_loaded && !yaml_doc_root(&in->doc))
        diag_add(&in->diags, DIAG_ERROR, name, NULL, 0, 0, NULL, "the file is empty");
    return in->diags.n_errors ? HEDDLE_BAD_INPUT : HEDDLE_OK;
}

enum heddle_status json_input_read(struct json_input *in, const char *path)
{
    enum heddle_status status = yaml_file_read(path, &in->text, &in->diags);
    return status == HEDDLE_OK ? load(in, path) : status;
}

enum heddle_status json_input_parse(struct json_input *in, const char *name, const char *text)
{
    strbuf_add(&in->text, text);
    return load(in, name);
}

void json_input_destroy(struct json_input *in)
{
    if (in->is_loaded)
        yaml_doc_destroy(&in->doc);
    strbuf_destroy(&in->text);
    diag_list_destroy(&in->diags);
}

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* The grammar of JSON: neither 01 nor .5, +1, 0x10 or nan. */
static bool is_json_number(const char *text)
{
    const char *at = text + (*text == '-'), *end = skip_digits(at);
    if (end == at || (*at == '0' && end > at + 1))
        return false;
    if (*end == '.') {
        at = end + 1;
        end = skip_digits(at);
        if (end == at)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        at = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(at);
        if (end == at)
            return false;
    }
    return !*end;
}

bool json_input_number(struct json_input *in, yaml_node_t *n, const char *what, double *out)
{
    const char *text = yaml_scalar(&in->doc, n, what);
    if (!text)
        return false;
    double value = strtod(text, NULL);
    bool is_text = n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    bool is_number = is_json_number(text);
    if (!is_number || is_text) {
        yaml_complain(&in->doc, n, NULL, "expected %s, not %s'%s'", what,
                      is_number ? "a text in quotes: " : "", text);
        return false;
    }
    if (!isfinite(value)) {
        yaml_complain(&in->doc, n, NULL, "%s is beyond the range of numbers", text);
        return false;
    }
    *out = value;
    return true;
}

bool json_input_need(struct json_input *in, yaml_node_t *map, const char *key, double *out)
{
    yaml_node_t *n = yaml_find(&in->doc, map, key);
    if (n)
        return json_input_number(in, n, "a number", out);
    yaml_complain(&in->doc, map, NULL, "'%s' is missing here", key);
    return false;
}

void json_input_positive(struct json_input *in, yaml_node_t *map, const char *key, double *out)
{
    yaml_node_t *n = yaml_find(&in->doc, map, key);
    if (n && json_input_number(in, n, "a number", out) && !(*out > 0))
        yaml_complain(&in->doc, n, NULL, "'%s' must be above 0, not %s", key,
                      yaml_scalar(&in->doc, n, ""));
}

void json_input_not_negative(struct json_input *in, yaml_node_t *map, const char *key, double *out)
{
    yaml_node_t *n = yaml_find(&in->doc, map, key);
    if (n && json_input_number(in, n, "a number", out) && *out < 0)
        yaml_complain(&in->doc, n, NULL, "'%s' must not be negative, and is %s", key,
                      yaml_scalar(&in->doc, n, ""));
}

uint32_t json_input_choice(struct json_input *in, yaml_node_t *map, const char *key,
                           const char *const *names, uint32_t n, uint32_t otherwise)
{
    yaml_node_t *node = yaml_find(&in->doc, map, key);
    const char *word = node ? yaml_scalar(&in->doc, node, "a word") : NULL;
    if (!word)
        return otherwise;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    struct strbuf list = {0};
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(&list, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
    yaml_complain(&in->doc, node, suggest_hint(&in->diags.arena, word, names, n),
                  "there is no %s '%s': %s", key, word, strbuf_text(&list));
    strbuf_destroy(&list);
    return otherwise;
}
