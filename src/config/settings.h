/* What a user asked for, before anyone knows what it means: a flat list of dotted names and texts,
 * each with the place it was written at. It is read from YAML and from `name=value` words; nested
 * maps become dotted names. Parameter tables take what is theirs from it (param_set.h), so tables
 * can come and go without a change to the reader.
 *
 * In a file, `source: TEXT` says where its values come from, and `sources: {name: TEXT}` where a
 * single one does. A source that begins with "chosen" marks a value as ours, not the source's. */
#ifndef HEDDLE_CONFIG_SETTINGS_H
#define HEDDLE_CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* Those of one file have the same `file` pointer, those of different ones never. */
struct setting {
    const char *name, *value;
    const char *source;
    const char *file; /* as messages name it */
    const char *text; /* the whole file, for excerpts; NULL outside files */
    uint32_t name_line, name_col, value_line, value_col; /* 0 outside files */
    bool taken;                                          /* a table knew the name */
};

/* A zeroed struct is empty and valid. */
struct settings {
    struct arena arena;
    struct setting *items;
    uint32_t n, cap;
    const char *base;      /* what the first file is based on, as it says; NULL = nothing */
    const char *bare_file; /* a file that is based on nothing; NULL = there is none */
};

void settings_destroy(struct settings *s);

/* Adds the settings of a YAML text. False if there were errors: they are in `diags`, and what could
 * be understood is in the list all the same, so that more errors are found in one go. */
bool settings_read_yaml(struct settings *s, const char *file, const char *yaml, size_t len,
                        struct diag_list *diags);

/* Adds `name=value` as the option `--set` takes it. A later setting of a name wins. */
bool settings_add_word(struct settings *s, const char *word, struct diag_list *diags);

/* The setting of that name that wins, or NULL. */
struct setting *settings_find(const struct settings *s, const char *name);

/* Where it was written: "FILE:LINE" or "--set NAME=VALUE". */
void setting_print_place(const struct setting *s, struct strbuf *out);

/* Adds a message about the setting's value (or its name) at the place where it was written. */
void settings_complain(const struct setting *s, bool about_name, const char *hint,
                       struct diag_list *diags, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
