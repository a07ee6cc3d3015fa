/* What a user asked for, before it is interpreted: a flat list of dotted names and texts, each with
 * the place where it was written. It is read from YAML and from `name=value` words; nested maps
 * become dotted names. Parameter tables take their settings from it (param_set.h), so tables can be
 * added and removed without a change to the reader.
 *
 * In a file, `source: TEXT` says where its values come from, and `sources: {name: TEXT}` where a
 * single one comes from. A source that begins with "chosen" marks a value that we chose and the
 * source does not give. */
#ifndef HEDDLE_CONFIG_SETTINGS_H
#define HEDDLE_CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* Settings from the same file share the `file` pointer; those from different files never do. */
struct setting {
    const char *name, *value;
    const char *source;
    const char *file; /* as messages name it */
    const char *text; /* the whole file, for excerpts; NULL outside files */
    uint32_t name_line, name_col, value_line, value_col; /* 0 outside files */
    bool taken;                                          /* some table has this name */
};

/* A zeroed struct is empty and valid. */
struct settings {
    struct arena arena;
    struct setting *items;
    uint32_t n, cap;
    const char *base;      /* the base that the first file names; NULL = none */
    const char *bare_file; /* a file without a base; NULL = there is none */
};

void settings_destroy(struct settings *s);

/* Adds the settings of a YAML text. Returns false on errors, which are in `diags`. What could be
 * understood is still added, so that one run finds more errors. */
bool settings_read_yaml(struct settings *s, const char *file, const char *yaml, size_t len,
                        struct diag_list *diags);

/* Adds `name=value` as `--set` takes it. A later setting of a name wins. */
bool settings_add_word(struct settings *s, const char *word, struct diag_list *diags);

/* The setting of that name that wins, or NULL. */
struct setting *settings_find(const struct settings *s, const char *name);

/* Where it was written: "FILE:LINE" or "--set NAME=VALUE". */
void setting_print_place(const struct setting *s, struct strbuf *out);

/* Adds a message about the setting's value (or its name), pointing to where it was written. */
void settings_complain(const struct setting *s, bool about_name, const char *hint,
                       struct diag_list *diags, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
