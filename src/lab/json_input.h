/* Reads JSON files written by users, as trees whose nodes know their position. Also accepts YAML,
 * of which JSON is a subset. */
#ifndef HEDDLE_LAB_JSON_INPUT_H
#define HEDDLE_LAB_JSON_INPUT_H

#include "lab/yaml_doc.h"

struct json_input {
    struct strbuf text;
    struct yaml_doc doc;
    struct diag_list diags;
    bool is_loaded;
};

/* The file must exist and not be empty; errors are in `diags`. Call json_input_destroy() in either
 * case. */
enum heddle_status json_input_read(struct json_input *in, const char *path);
/* The same for a text in memory; `name` is its name in messages. */
enum heddle_status json_input_parse(struct json_input *in, const char *name, const char *text);
void json_input_destroy(struct json_input *in);

/* A finite number as in JSON, without quotes; otherwise reports that `what` was expected and
 * returns false. */
bool json_input_number(struct json_input *in, yaml_node_t *n, const char *what, double *out);
/* The number of a required key. */
bool json_input_need(struct json_input *in, yaml_node_t *map, const char *key, double *out);
/* The number of an optional key, which must be above 0; *out is unchanged if it is missing. */
void json_input_positive(struct json_input *in, yaml_node_t *map, const char *key, double *out);
/* The same, but it may be 0. */
void json_input_not_negative(struct json_input *in, yaml_node_t *map, const char *key, double *out);
/* The index in `names` of the key's value; `otherwise` if the key is missing. */
uint32_t json_input_choice(struct json_input *in, yaml_node_t *map, const char *key,
                           const char *const *names, uint32_t n, uint32_t otherwise);

#endif
