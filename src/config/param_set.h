/* The parameters of a machine: tables bound to the structs that hold their values.
 *
 * Order of calls: read settings; bind tables, each under a prefix; finish. Binding fills the struct
 * with the defaults, then with the settings. So a value just bound may decide which table is bound
 * next: a cache's `policy` names the policy whose own table follows under "l1d.policy". */
#ifndef HEDDLE_CONFIG_PARAM_SET_H
#define HEDDLE_CONFIG_PARAM_SET_H

#include "base/json.h"
#include "config/param.h"
#include "config/settings.h"

struct bound_param {
    const struct param *param;
    void *values;
    const char *name;              /* including its prefix: "l1d.sets" */
    const char *source;            /* where the value comes from; "default" */
    const struct setting *setting; /* NULL = not set */
};

/* A zeroed struct is empty and valid. */
struct param_set {
    struct settings settings;
    struct bound_param *items;
    uint32_t n, cap;
    /* A hint about an unknown name, if there is more to say than which name is spelt alike;
     * otherwise NULL. Optional. */
    const char *(*explain)(const void *user, const char *name, struct arena *arena);
    const void *explain_user;
};

void param_set_destroy(struct param_set *set);

/* Binds a table. `values` is the struct that its offsets refer to; it must outlive the set.
 * `prefix` is "" or, for example, "l1d". Invalid values are reported and keep their default. */
void param_set_bind(struct param_set *set, const char *prefix, const struct param *params,
                    uint32_t n, void *values, struct diag_list *diags);

/* Records why the value of a bound parameter was changed after binding. */
void param_set_settle(struct param_set *set, const char *name, const char *reason);

/* Reports the settings that no table took, with a hint: explain()'s, or the nearest name. */
void param_set_finish(struct param_set *set, struct diag_list *diags);

/* Reports values that conflict. `names`, ending with NULL, are the parameters concerned, relative
 * to the `prefix` they were bound under. The message points to where one of them was set: --set
 * before a file, a file before its base; within one place, the first of the names. If they are few,
 * notes say where the others were set. */
void param_set_complain(const struct param_set *set, enum diag_severity severity,
                        const char *prefix, const char *const *names, const char *hint,
                        struct diag_list *diags, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

const struct bound_param *param_set_find(const struct param_set *set, const char *name);
bool bound_param_is_chosen(const struct bound_param *b);

/* Where the value was set: "FILE:LINE" or "--set NAME=VALUE"; its source if it was not set. */
void bound_param_print_place(const struct bound_param *b, struct strbuf *out);

/* Two lines per parameter: name, value with unit, range, meaning; where it was set and its source.
 * A star marks our own choices. */
void param_set_print(const struct param_set *set, struct strbuf *out);
/* A flat list of name: value, the echo in results. */
void param_set_json_values(const struct param_set *set, struct json_writer *w, const char *key);
/* A list of objects with all there is to know about each parameter. */
void param_set_json(const struct param_set *set, struct json_writer *w, const char *key);

#endif
