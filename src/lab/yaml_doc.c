#include "lab/yaml_doc.h"

#include <stdarg.h>
#include <string.h>

#include "base/file_status.h"

/* A byte that cannot be text: reports its position without an excerpt, which would have to show
 * it. */
static void report_byte(struct diag_list *diags, const char *file, const char *text, size_t at,
                        const char *problem)
{
    uint32_t line = 1, col = 1;
    for (size_t i = 0; i < at; i++) {
        line += text[i] == '\n';
        col = text[i] == '\n' ? 1 : col + 1;
    }
    diag_add(diags, DIAG_ERROR, file, NULL, line, col, NULL, "%s (byte 0x%02x): this is not text",
             problem, (unsigned char)text[at]);
}

static void report_syntax(const yaml_parser_t *p, struct yaml_doc *d)
{
    const char *problem = p->problem ? p->problem : "not valid YAML";
    if (p->error == YAML_READER_ERROR)
        report_byte(d->diags, d->file, d->text, p->problem_offset, problem);
    else
        diag_add(d->diags, DIAG_ERROR, d->file, d->text, (uint32_t)p->problem_mark.line + 1,
                 (uint32_t)p->problem_mark.column + 1,
                 d->text[p->problem_mark.index] == '\t' ? "indent YAML with spaces, not tabs"
                                                        : NULL,
                 "%s", problem);
}

static bool is_key(const yaml_node_t *key, const char *name)
{
    return key->type == YAML_SCALAR_NODE && strcmp((const char *)key->data.scalar.value, name) == 0;
}

/* YAML leaves it open which of two values with the same name counts. */
static void check_map(struct yaml_doc *d, const yaml_node_t *map)
{
    uint32_t n = (uint32_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
    for (uint32_t i = 0; i < n; i++) {
        const yaml_node_t *key = yaml_key(d, map, i);
        for (uint32_t k = 0; k < i && key->type == YAML_SCALAR_NODE; k++)
            if (is_key(yaml_key(d, map, k), (const char *)key->data.scalar.value)) {
                yaml_complain(d, key, NULL, "'%s' is given twice, first on line %u",
                              (const char *)key->data.scalar.value, yaml_line(yaml_key(d, map, k)));
                break;
            }
    }
}

static void check_maps(struct yaml_doc *d)
{
    const yaml_node_t *end = d->document.nodes.top;
    for (const yaml_node_t *n = d->document.nodes.start; n < end; n++)
        if (n->type == YAML_MAPPING_NODE)
            check_map(d, n);
}

/* What follows `---` would be ignored. */
static void check_end(struct yaml_doc *d, yaml_parser_t *parser)
{
    yaml_document_t more;
    if (!yaml_parser_load(parser, &more)) {
        report_syntax(parser, d);
        return;
    }
    const yaml_node_t *root = yaml_document_get_root_node(&more);
    if (root)
        yaml_complain(d, root, "split it into two files",
                      "a second document: only one per file is read");
    yaml_document_delete(&more);
}

/* No file needs more levels. Beyond them, the parser takes a time that is quadratic in their
 * number. */
enum { MAX_DEPTH = 100 };

static int depth_change(yaml_event_type_t type)
{
    bool begins = type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    bool ends = type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
    return begins - ends;
}

/* False if lists and maps are nested too deep. Syntax errors are left to the loader. */
static bool check_depth(struct yaml_doc *d)
{
    yaml_parser_t parser;
    yaml_event_t event;
    yaml_mark_t at = {0};
    int depth = 0;
    bool is_end = false;
    if (!yaml_parser_initialize(&parser))
        return true; /* as it will for the loader, which reports it */
    yaml_parser_set_input_string(&parser, (const unsigned char *)d->text, strlen(d->text));
    while (!is_end && depth <= MAX_DEPTH && yaml_parser_parse(&parser, &event)) {
        depth += depth_change(event.type);
        is_end = event.type == YAML_STREAM_END_EVENT;
        at = event.start_mark;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (depth > MAX_DEPTH)
        diag_add(d->diags, DIAG_ERROR, d->file, d->text, (uint32_t)at.line + 1,
                 (uint32_t)at.column + 1, NULL, "lists and maps are nested more than %d deep",
                 MAX_DEPTH);
    return depth <= MAX_DEPTH;
}

bool yaml_doc_load(struct yaml_doc *d, const char *file, const char *text, struct diag_list *diags)
{
    yaml_parser_t parser;
    *d = (struct yaml_doc){.file = file, .text = text, .diags = diags};
    if (!check_depth(d))
        return false;
    if (!yaml_parser_initialize(&parser)) {
        diag_add(diags, DIAG_ERROR, file, NULL, 0, 0, NULL, "out of memory");
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    bool ok = yaml_parser_load(&parser, &d->document);
    if (ok && yaml_doc_root(d)) {
        check_maps(d);
        check_end(d, &parser);
    } else if (!ok) {
        report_syntax(&parser, d);
    }
    yaml_parser_delete(&parser);
    return ok;
}

enum heddle_status yaml_file_read(const char *path, struct strbuf *text, struct diag_list *diags)
{
    int error = strbuf_read_file(text, path);
    if (error) {
        diag_add(diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "cannot read %s: %s", path,
                 strerror(error));
        return file_read_status(error);
    }
    size_t n = strlen(strbuf_text(text));
    if (n == text->len)
        return HEDDLE_OK;
    report_byte(diags, path, text->text, n, "control characters are not allowed");
    return HEDDLE_BAD_INPUT;
}

void yaml_doc_destroy(struct yaml_doc *d)
{
    yaml_document_delete(&d->document);
}

yaml_node_t *yaml_doc_root(struct yaml_doc *d)
{
    return yaml_document_get_root_node(&d->document);
}

void yaml_complain(struct yaml_doc *d, const yaml_node_t *at, const char *hint, const char *format,
                   ...)
{
    struct strbuf message = {0};
    va_list args;
    va_start(args, format);
    strbuf_vaddf(&message, format, args);
    va_end(args);
    diag_add(d->diags, DIAG_ERROR, d->file, d->text, yaml_line(at), yaml_col(at), hint, "%s",
             strbuf_text(&message));
    strbuf_destroy(&message);
}

const char *yaml_scalar(struct yaml_doc *d, const yaml_node_t *n, const char *what)
{
    if (n->type == YAML_SCALAR_NODE)
        return (const char *)n->data.scalar.value;
    yaml_complain(d, n, NULL, "expected %s, not a %s", what,
                  n->type == YAML_SEQUENCE_NODE ? "list" : "map");
    return NULL;
}

uint32_t yaml_count(const yaml_node_t *n)
{
    if (n->type != YAML_SEQUENCE_NODE)
        return 1;
    return (uint32_t)(n->data.sequence.items.top - n->data.sequence.items.start);
}

yaml_node_t *yaml_item(struct yaml_doc *d, yaml_node_t *n, uint32_t i)
{
    if (n->type != YAML_SEQUENCE_NODE)
        return n;
    return yaml_document_get_node(&d->document, n->data.sequence.items.start[i]);
}

uint32_t yaml_pairs(struct yaml_doc *d, const yaml_node_t *n, const char *what)
{
    if (n->type == YAML_MAPPING_NODE)
        return (uint32_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
    yaml_complain(d, n, NULL, "expected %s", what);
    return 0;
}

yaml_node_t *yaml_key(struct yaml_doc *d, const yaml_node_t *map, uint32_t i)
{
    return yaml_document_get_node(&d->document, map->data.mapping.pairs.start[i].key);
}

yaml_node_t *yaml_value(struct yaml_doc *d, const yaml_node_t *map, uint32_t i)
{
    return yaml_document_get_node(&d->document, map->data.mapping.pairs.start[i].value);
}

static uint32_t count_pairs(const yaml_node_t *map)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return 0;
    return (uint32_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
}

yaml_node_t *yaml_find(struct yaml_doc *d, const yaml_node_t *map, const char *name)
{
    for (uint32_t i = 0; i < count_pairs(map); i++)
        if (is_key(yaml_key(d, map, i), name))
            return yaml_value(d, map, i);
    return NULL;
}

void yaml_check_keys(struct yaml_doc *d, const yaml_node_t *map, const char *const *keys,
                     uint32_t n)
{
    for (uint32_t i = 0; i < count_pairs(map); i++) {
        const yaml_node_t *key = yaml_key(d, map, i);
        const char *name = yaml_scalar(d, key, "a name");
        bool is_known = !name;
        for (uint32_t k = 0; !is_known && k < n; k++)
            is_known = strcmp(name, keys[k]) == 0;
        if (!is_known)
            yaml_complain(d, key, suggest_hint(&d->diags->arena, name, keys, n),
                          "there is no key '%s' here", name);
    }
}
