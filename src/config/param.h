/* A parameter: one row that describes it completely. These rows drive loading, validation, --set,
 * help, printing and the echo in results; param_set.h uses them.
 *
 *     static const struct param cache_params[] = {
 *         PARAM_U32(struct cache_config, sets, "32", 1, 65536, "sets", "number of sets"),
 *         ...
 *     }; */
#ifndef HEDDLE_CONFIG_PARAM_H
#define HEDDLE_CONFIG_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

enum param_type {
    PARAM_TYPE_U32,
    PARAM_TYPE_U64,
    PARAM_TYPE_BOOL,
    PARAM_TYPE_ENUM,
    PARAM_TYPE_STRING
};

struct param {
    const char *name; /* relative to the prefix its table is bound to */
    enum param_type type;
    size_t offset;            /* offset of the field in the struct that holds the values */
    const char *default_text; /* as a user would write it */
    uint64_t min, max;        /* of a number, inclusive */
    const char *unit;         /* "bytes" allows 48K; NULL = none */
    const char *help;
    const char *const *choices; /* of an enum, in the order of its values; ends with NULL */
};

/* The offset of a field. Does not compile unless the field has type `ctype`. */
#define PARAM_OFFSET(owner, field, ctype)                                                          \
    (offsetof(owner, field) + 0 * sizeof(_Generic(((owner *)0)->field, ctype : (char)0)))

#define PARAM_ROW(kind, owner, field, ctype, dflt, lo, hi, measure, meaning, names)                \
    {                                                                                              \
        .name = #field, .type = (kind), .offset = PARAM_OFFSET(owner, field, ctype),               \
        .default_text = (dflt), .min = (lo), .max = (hi), .unit = (measure), .help = (meaning),    \
        .choices = (names)                                                                         \
    }
#define PARAM_U32(owner, field, dflt, lo, hi, measure, meaning)                                    \
    PARAM_ROW(PARAM_TYPE_U32, owner, field, uint32_t, dflt, lo, hi, measure, meaning, NULL)
#define PARAM_U64(owner, field, dflt, lo, hi, measure, meaning)                                    \
    PARAM_ROW(PARAM_TYPE_U64, owner, field, uint64_t, dflt, lo, hi, measure, meaning, NULL)
#define PARAM_BOOL(owner, field, dflt, meaning)                                                    \
    PARAM_ROW(PARAM_TYPE_BOOL, owner, field, bool, dflt, 0, 1, NULL, meaning, NULL)
/* The field must be declared with its enum type, whose values count from 0. */
#define PARAM_ENUM(owner, field, dflt, names, meaning)                                             \
    PARAM_ROW(PARAM_TYPE_ENUM, owner, field, uint32_t, dflt, 0, 0, NULL, meaning, names)
#define PARAM_STRING(owner, field, dflt, meaning)                                                  \
    PARAM_ROW(PARAM_TYPE_STRING, owner, field, const char *, dflt, 0, 0, NULL, meaning, NULL)

/* Parses `text` and stores it in the field of `values`; strings go to the arena. On failure returns
 * false, stores nothing, and `why` says what was expected. */
bool param_store(const struct param *p, void *values, const char *text, struct arena *arena,
                 struct strbuf *why);

/* The value as a user would write it, without its unit. */
void param_print(const struct param *p, const void *values, struct strbuf *out);
/* The permitted values: "1 to 1024", "true | false", "linear | hash"; nothing if any text is
 * allowed. */
void param_print_range(const struct param *p, struct strbuf *out);

/* A flaw that a check of a struct found: values that are valid individually but not together. */
enum { FLAW_MAX_NAMES = 3 };
struct param_flaw {
    const char *names[FLAW_MAX_NAMES + 1]; /* names of the rows concerned; ends with NULL */
    char what[200];
};

/* Records a flaw and returns false: `return param_flawed(flaw, PARAM_NAMES("a", "b"), ...)`. */
bool param_flawed(struct param_flaw *flaw, const char *const *names, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define PARAM_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
