/* Command-line options as tables. A row describes an option completely; parsing, help and the
 * generated documentation all use the rows. Parsing has no side effects: it fills a struct and
 * reports errors. */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include "base/diag.h"
#include "config/param.h"

enum option_kind {
    OPTION_KIND_FLAG,   /* bool */
    OPTION_KIND_TEXT,   /* const char * */
    OPTION_KIND_LIST,   /* struct text_list: may be repeated */
    OPTION_KIND_U64,    /* uint64_t */
    OPTION_KIND_RANGE,  /* uint64_t from 1 to `most`; 0 = not given */
    OPTION_KIND_GIVEN,  /* struct given_u64: also records whether it was given */
    OPTION_KIND_LIMIT,  /* uint64_t; also accepts `max`, which is 0: as much as possible */
    OPTION_KIND_BYTES,  /* uint64_t, written 48K */
    OPTION_KIND_DIM3,   /* struct dim3, written X,Y,Z; at least 1 each */
    OPTION_KIND_OFFSET, /* the same, at least 0 each */
};

struct text_list {
    const char **items;
    uint32_t n, cap;
};

/* Adds one; the list lives in the arena. */
void text_list_add(struct text_list *list, const char *item, struct arena *arena);

struct given_u64 {
    bool is_given;
    uint64_t value;
};

struct dim3 {
    uint32_t v[3];
};

struct option {
    const char *name; /* without its dashes */
    enum option_kind kind;
    size_t offset;
    const char *value_name; /* in help: N, FILE, X,Y,Z; NULL for a flag */
    const char *help;
    uint64_t most; /* of OPTION_KIND_RANGE */
    char letter;   /* `-o` for `--output`; 0 = none */
};

#define OPTION_ROW(option_kind, text, owner, field, ctype, value, meaning)                         \
    {                                                                                              \
        .name = (text), .kind = (option_kind), .offset = PARAM_OFFSET(owner, field, ctype),        \
        .value_name = (value), .help = (meaning)                                                   \
    }
#define OPTION_FLAG(text, owner, field, meaning)                                                   \
    OPTION_ROW(OPTION_KIND_FLAG, text, owner, field, bool, NULL, meaning)
#define OPTION_TEXT(text, owner, field, value, meaning)                                            \
    OPTION_ROW(OPTION_KIND_TEXT, text, owner, field, const char *, value, meaning)
#define OPTION_TEXT_LETTER(text, short_text, owner, field, value, meaning)                         \
    {                                                                                              \
        .name = (text), .kind = OPTION_KIND_TEXT,                                                  \
        .offset = PARAM_OFFSET(owner, field, const char *), .value_name = (value),                 \
        .help = (meaning), .letter = (short_text)                                                  \
    }
#define OPTION_LIST(text, owner, field, value, meaning)                                            \
    OPTION_ROW(OPTION_KIND_LIST, text, owner, field, struct text_list, value, meaning)
#define OPTION_U64(text, owner, field, value, meaning)                                             \
    OPTION_ROW(OPTION_KIND_U64, text, owner, field, uint64_t, value, meaning)
#define OPTION_RANGE(text, owner, field, value, greatest, meaning)                                 \
    {                                                                                              \
        .name = (text), .kind = OPTION_KIND_RANGE, .offset = PARAM_OFFSET(owner, field, uint64_t), \
        .value_name = (value), .help = (meaning), .most = (greatest)                               \
    }
#define OPTION_GIVEN(text, owner, field, value, meaning)                                           \
    OPTION_ROW(OPTION_KIND_GIVEN, text, owner, field, struct given_u64, value, meaning)
#define OPTION_LIMIT(text, owner, field, value, meaning)                                           \
    OPTION_ROW(OPTION_KIND_LIMIT, text, owner, field, uint64_t, value, meaning)
#define OPTION_BYTES(text, owner, field, value, meaning)                                           \
    OPTION_ROW(OPTION_KIND_BYTES, text, owner, field, uint64_t, value, meaning)
#define OPTION_DIM3(text, owner, field, meaning)                                                   \
    OPTION_ROW(OPTION_KIND_DIM3, text, owner, field, struct dim3, "X,Y,Z", meaning)
#define OPTION_OFFSET(text, owner, field, meaning)                                                 \
    OPTION_ROW(OPTION_KIND_OFFSET, text, owner, field, struct dim3, "X,Y,Z", meaning)

/* Reads "64", "64,2" or "64,2,1", each at least `least`; missing dimensions are `least`. */
bool dim3_parse(const char *text, uint32_t least, struct dim3 *out);

/* Reads the words after a command's name into `values` (which holds the defaults) and `operands`.
 * Accepts `--name value` and `--name=value`, and `-n value` for an option with a letter; `--` ends
 * the options. Values point into `words`; lists live in the arena. False on errors, which are in
 * `diags`. */
bool options_parse(const struct option *options, uint32_t n_options, uint32_t n_words,
                   const char *const *words, void *values, struct text_list *operands,
                   struct arena *arena, struct diag_list *diags);

#endif
