/* Reads JSON files that users write, as trees whose nodes know their place. YAML is read too: JSON
 * is a part of it. */
#ifndef HEDDLE_LAB_JSON_INPUT_H
#define HEDDLE_LAB_JSON_INPUT_H

#include "lab/yaml_doc.h"

struct json_input {
    struct strbuf text;
    struct yaml_doc doc;
    struct diag_list diags;
    bool is_loaded;
};

/* A file that is there and not empty; what is wrong with it is in `diags`. json_input_destroy()
 * ends it either way. */
enum heddle_status json_input_read(struct json_input *in, const char *path);
/* The same of a text in memory, which `name` stands for in messages. */
enum heddle_status json_input_parse(struct json_input *in, const char *name, const char *text);
void json_input_destroy(struct json_input *in);

/* A finite number; false after a complaint that `what` was expected. */
bool json_input_number(struct json_input *in, yaml_node_t *n, const char *what, double *out);
/* The number of a key that must be there. */
bool json_input_need(struct json_input *in, yaml_node_t *map, const char *key, double *out);
/* The number of a key; *out stays as it is if it is not there. */
void json_input_number_of(struct json_input *in, yaml_node_t *map, const char *key, double *out);
/* The same; a number that is given must be more than 0. */
void json_input_positive(struct json_input *in, yaml_node_t *map, const char *key, double *out);
/* Which of `names` the value of the key is; `otherwise` if it is not there. */
uint32_t json_input_choice(struct json_input *in, yaml_node_t *map, const char *key,
                           const char *const *names, uint32_t n, uint32_t otherwise);

#endif
