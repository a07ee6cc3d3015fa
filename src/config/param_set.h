/* The parameters of a machine: tables bound to the structs that hold their values.
 *
 * Order of calls: read settings; bind tables, each under a prefix; finish. Binding fills the struct
 * (defaults first, then what the settings say), so a value just bound may decide which table is
 * bound next: a cache's `policy` names the policy whose own table follows under "l1d.policy". */
#ifndef HEDDLE_CONFIG_PARAM_SET_H
#define HEDDLE_CONFIG_PARAM_SET_H

#include "base/json.h"
#include "config/param.h"
#include "config/settings.h"

struct bound_param {
    const struct param *param;
    void *values;
    const char *name;              /* with its prefix: "l1d.sets" */
    const char *source;            /* where the value comes from */
    const struct setting *setting; /* NULL = the default */
};

/* A zeroed struct is empty and valid. */
struct param_set {
    struct settings settings;
    struct bound_param *items;
    uint32_t n, cap;
};

void param_set_destroy(struct param_set *set);

/* Binds a table: `values` is the struct its offsets refer to, and outlives the set. `prefix` is ""
 * or "l1d". Values that are not understood are reported and keep their default. */
void param_set_bind(struct param_set *set, const char *prefix, const struct param *params,
                    uint32_t n, void *values, struct diag_list *diags);

/* Reports the settings that no table took, with the nearest name there is. */
void param_set_finish(struct param_set *set, struct diag_list *diags);

const struct bound_param *param_set_find(const struct param_set *set, const char *name);
bool bound_param_is_chosen(const struct bound_param *b);

/* One line each: name, value with unit, source; what was chosen is marked with a star. */
void param_set_print(const struct param_set *set, struct strbuf *out);
/* name: value, flat: the echo in results. */
void param_set_json_values(const struct param_set *set, struct json_writer *w, const char *key);
/* A list of objects that tell everything. */
void param_set_json(const struct param_set *set, struct json_writer *w, const char *key);

#endif
