/* Reads settings from YAML with libyaml's events, which carry line and column. Left out on purpose:
 * lists, anchors and aliases, and multiple documents. No setting needs them; each is refused with a
 * message. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/settings.h"

enum { MAX_DEPTH = 16 };

struct reader {
    yaml_parser_t parser;
    struct settings *settings;
    struct diag_list *diags;
    const char *file, *text;
    size_t len;              /* length of the text, which may contain NULs */
    struct settings sources; /* the map `sources`, and `source` under the name "" */
    uint32_t first;          /* where this file's settings begin */
};

static uint32_t line_of(yaml_mark_t m)
{
    return (uint32_t)m.line + 1;
}

static uint32_t col_of(yaml_mark_t m)
{
    return (uint32_t)m.column + 1;
}

static void complain_at(struct reader *r, yaml_mark_t at, const char *hint, const char *message)
{
    diag_add(r->diags, DIAG_ERROR, r->file, r->text, line_of(at), col_of(at), hint, "%s", message);
}

/* The position of a byte as libyaml counts: columns are characters, not bytes. */
static yaml_mark_t mark_of(const struct reader *r, size_t offset)
{
    yaml_mark_t m = {.index = offset};
    for (size_t i = 0; i < offset && i < r->len; i++) {
        unsigned char c = (unsigned char)r->text[i];
        m.column += (c & 0xc0) != 0x80; /* not a continuation byte */
        if (c == '\n') {
            m.line++;
            m.column = 0;
        }
    }
    return m;
}

/* Bytes that are not text: probably a file of another kind. No excerpt, because it would not be
 * readable. */
static void complain_of_bytes(struct reader *r, const char *problem, size_t offset)
{
    yaml_mark_t at = mark_of(r, offset);
    int byte = offset < r->len ? (unsigned char)r->text[offset] : 0;
    diag_add(r->diags, DIAG_ERROR, r->file, NULL, line_of(at), col_of(at),
             "a configuration file must be YAML text in UTF-8",
             "byte %zu of the file, 0x%02x, is not text: %s", offset, (unsigned)byte, problem);
}

/* The next event, or false after a syntax error; libyaml cannot continue after one. */
static bool next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return true;
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "not valid YAML";
    if (p->error == YAML_READER_ERROR)
        complain_of_bytes(r, problem, p->problem_offset);
    else
        complain_at(r, p->problem_mark,
                    r->text[p->problem_mark.index] == '\t' ? "indent YAML with spaces, not tabs"
                                                           : NULL,
                    problem);
    return false;
}

/* Skips the rest of `depth` open lists and maps, or one value if 0. */
static bool skip(struct reader *r, unsigned depth)
{
    do {
        yaml_event_t e;
        if (!next_event(r, &e))
            return false;
        if (e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT)
            depth++;
        else if (e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT)
            depth--;
        yaml_event_delete(&e);
    } while (depth > 0);
    return true;
}

static const char *scalar_text(struct reader *r, const yaml_event_t *e)
{
    return arena_strndup(&r->settings->arena, (const char *)e->data.scalar.value,
                         e->data.scalar.length);
}

static void add_setting(struct reader *r, struct settings *into, uint32_t first, const char *name,
                        yaml_mark_t name_at, const yaml_event_t *value)
{
    struct setting new = {
        .name = name,
        .value = scalar_text(r, value),
        .source = r->file,
        .file = r->file,
        .text = r->text,
        .name_line = line_of(name_at),
        .name_col = col_of(name_at),
        .value_line = line_of(value->start_mark),
        .value_col = col_of(value->start_mark),
    };
    for (uint32_t i = first; i < into->n; i++)
        if (strcmp(into->items[i].name, name) == 0) {
            settings_complain(&new, true, NULL, r->diags, "'%s' is set twice, first on line %u",
                              name, into->items[i].name_line);
            return;
        }
    if (strlen(new.value) != value->data.scalar.length)
        settings_complain(&new, false, NULL, r->diags, "the value of '%s' contains a NUL", name);
    ARRAY_RESERVE(into->items, into->cap, into->n + 1);
    into->items[into->n++] = new;
}

static bool read_mapping(struct reader *r, const char *prefix, bool in_sources, unsigned depth);

static bool read_value(struct reader *r, const char *name, yaml_mark_t name_at, bool in_sources,
                       unsigned depth)
{
    yaml_event_t e;
    if (!next_event(r, &e))
        return false;
    bool go_on = true;
    switch (e.type) {
    case YAML_SCALAR_EVENT:
        if (in_sources)
            add_setting(r, &r->sources, 0, name, name_at, &e);
        else if (strcmp(name, "source") == 0)
            add_setting(r, &r->sources, 0, "", name_at, &e);
        else
            add_setting(r, r->settings, r->first, name, name_at, &e);
        break;
    case YAML_MAPPING_START_EVENT:
        if (depth == MAX_DEPTH) {
            complain_at(r, e.start_mark, NULL, "maps are nested too deeply");
            go_on = skip(r, 1);
        } else {
            bool begins_sources = depth == 1 && strcmp(name, "sources") == 0;
            go_on = read_mapping(r, begins_sources ? "" : name, in_sources || begins_sources,
                                 depth + 1);
        }
        break;
    case YAML_SEQUENCE_START_EVENT:
        complain_at(r, e.start_mark, NULL, "expected a value, found a list");
        go_on = skip(r, 1);
        break;
    default:
        complain_at(r, e.start_mark, "write the value here", "YAML aliases are not supported");
        break;
    }
    yaml_event_delete(&e);
    return go_on;
}

/* Reads `name: value` pairs up to the end of the map; false after a syntax error. */
static bool read_mapping(struct reader *r, const char *prefix, bool in_sources, unsigned depth)
{
    for (;;) {
        yaml_event_t key;
        if (!next_event(r, &key))
            return false;
        yaml_event_type_t type = key.type;
        yaml_mark_t at = key.start_mark;
        const char *name = NULL;
        if (type == YAML_SCALAR_EVENT)
            name = arena_printf(&r->settings->arena, "%s%s%s", prefix, *prefix ? "." : "",
                                scalar_text(r, &key));
        yaml_event_delete(&key);
        if (type == YAML_MAPPING_END_EVENT)
            return true;
        if (!name) {
            complain_at(r, at, NULL, "expected the name of a parameter");
            if ((type != YAML_ALIAS_EVENT && !skip(r, 1)) || !skip(r, 0))
                return false;
        } else if (!read_value(r, name, at, in_sources, depth)) {
            return false;
        }
    }
}

static bool read_document(struct reader *r)
{
    bool seen_map = false;
    for (;;) {
        yaml_event_t e;
        if (!next_event(r, &e))
            return false;
        yaml_event_type_t type = e.type;
        yaml_mark_t at = e.start_mark;
        yaml_event_delete(&e);
        if (type == YAML_STREAM_END_EVENT)
            return true;
        if (type == YAML_MAPPING_START_EVENT && !seen_map) {
            seen_map = true;
            if (!read_mapping(r, "", false, 1))
                return false;
        } else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT &&
                   type != YAML_DOCUMENT_END_EVENT) {
            complain_at(r, at, "write lines such as n_sms: 15",
                        "expected one map of names to values");
            return false;
        }
    }
}

/* The note on a setting's own name or, if there is none, on its section: `sm` for sm.n_sp_units. */
static struct setting *find_source(struct reader *r, const char *name)
{
    struct setting *own = settings_find(&r->sources, name);
    const char *dot = strrchr(name, '.');
    if (own || !dot)
        return own;
    return settings_find(&r->sources,
                         arena_strndup(&r->settings->arena, name, (size_t)(dot - name)));
}

/* Attaches its source to each setting of this file, and reports sources of names that are not
 * set. */
static void attach_sources(struct reader *r)
{
    struct setting *whole_file = settings_find(&r->sources, "");
    for (uint32_t i = r->first; i < r->settings->n; i++) {
        struct setting *item = &r->settings->items[i];
        struct setting *own = find_source(r, item->name);
        item->source = own ? own->value : whole_file ? whole_file->value : item->source;
        if (own)
            own->taken = true;
    }
    for (uint32_t i = 0; i < r->sources.n; i++) {
        const struct setting *s = &r->sources.items[i];
        if (!s->taken && s != whole_file)
            settings_complain(s, true, NULL, r->diags,
                              "this gives the source of '%s', which is not set in this file",
                              s->name);
    }
}

bool settings_read_yaml(struct settings *s, const char *file, const char *yaml, size_t len,
                        struct diag_list *diags)
{
    struct reader r = {
        .settings = s,
        .diags = diags,
        .file = arena_strdup(&s->arena, file),
        .text = arena_strndup(&s->arena, yaml, len),
        .len = len,
        .first = s->n,
    };
    uint32_t n_errors_before = diags->n_errors;
    if (!yaml_parser_initialize(&r.parser)) {
        diag_add(diags, DIAG_ERROR, file, NULL, 0, 0, NULL, "out of memory");
        return false;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)yaml, len);
    if (read_document(&r))
        attach_sources(&r);
    yaml_parser_delete(&r.parser);
    settings_destroy(&r.sources);
    return diags->n_errors == n_errors_before;
}
