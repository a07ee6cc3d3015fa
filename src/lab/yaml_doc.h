/* A YAML file as a tree whose nodes know their position, for messages that point at it. */
#ifndef HEDDLE_LAB_YAML_DOC_H
#define HEDDLE_LAB_YAML_DOC_H

#include <yaml.h>

#include "base/diag.h"
#include "heddle/heddle.h"

struct yaml_doc {
    yaml_document_t document;
    const char *file, *text; /* owned by the caller; must outlive the tree */
    struct diag_list *diags;
};

/* Reads a file that should be text; errors are in `diags`. */
enum heddle_status yaml_file_read(const char *path, struct strbuf *text, struct diag_list *diags);

/* False, with the error in `diags`, after a syntax error, or if lists and maps are nested more than
 * 100 deep; otherwise call yaml_doc_destroy() later. Also reports duplicate keys of a map and a
 * second document. */
bool yaml_doc_load(struct yaml_doc *d, const char *file, const char *text, struct diag_list *diags);
void yaml_doc_destroy(struct yaml_doc *d);

yaml_node_t *yaml_doc_root(struct yaml_doc *d); /* NULL = the file is empty */

static inline uint32_t yaml_line(const yaml_node_t *n)
{
    return (uint32_t)n->start_mark.line + 1;
}

static inline uint32_t yaml_col(const yaml_node_t *n)
{
    return (uint32_t)n->start_mark.column + 1;
}

void yaml_complain(struct yaml_doc *d, const yaml_node_t *at, const char *hint, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* The text of a scalar; for anything else NULL, with an error that `what` was expected. */
const char *yaml_scalar(struct yaml_doc *d, const yaml_node_t *n, const char *what);

/* The number of items of a list; 1 for anything else. A single value counts as a list of one. */
uint32_t yaml_count(const yaml_node_t *n);
yaml_node_t *yaml_item(struct yaml_doc *d, yaml_node_t *n, uint32_t i);

/* The pairs of a map; 0, with an error, for anything else. */
uint32_t yaml_pairs(struct yaml_doc *d, const yaml_node_t *n, const char *what);
yaml_node_t *yaml_key(struct yaml_doc *d, const yaml_node_t *map, uint32_t i);
yaml_node_t *yaml_value(struct yaml_doc *d, const yaml_node_t *map, uint32_t i);
/* The value of a key, or NULL. */
yaml_node_t *yaml_find(struct yaml_doc *d, const yaml_node_t *map, const char *key);

/* Reports every key of the map that is not in `keys`. */
void yaml_check_keys(struct yaml_doc *d, const yaml_node_t *map, const char *const *keys,
                     uint32_t n);

#endif
