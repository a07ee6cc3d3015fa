/* The context of a HeteroPDP decision besides the kernel: the goal, the machine, and the native
 * programs beside it. One part of a JSON object (doc/hetero.md), read for `heddle hetero choose`
 * and for the OpenCL device. */
#ifndef HEDDLE_LAB_HETERO_SETTING_H
#define HEDDLE_LAB_HETERO_SETTING_H

#include "base/json.h"
#include "hetero/choose.h"
#include "lab/json_input.h"

struct hetero_setting {
    enum hetero_goal goal;
    enum slowdown_reference reference;
    enum pressure_rule rule;
    struct hetero_machine machine;
    struct hetero_native *natives; /* in the arena of the input's diags */
    uint32_t n_natives;
    bool uses_tables; /* slowdowns of a native program are derived from pressures */
};

/* The keys that hetero_setting_read() reads, for yaml_check_keys(). It ignores `measured`, which
 * `heddle hetero table` adds. */
#define HETERO_SETTING_KEYS                                                                        \
    "goal", "slowdown_reference", "pressure_rule", "natives", "weight", "machine", "measured"

/* Errors are in in->diags. */
void hetero_setting_read(struct json_input *in, yaml_node_t *root, struct hetero_setting *out);

/* Reads a file with these keys only, and with a native program at least. Errors are in in->diags;
 * call json_input_destroy() in either case. */
enum heddle_status hetero_natives_read(struct json_input *in, const char *path,
                                       struct hetero_setting *out);

/* {"llc_bytes": B, "dram_gbps": G} */
void hetero_pressure_read(struct json_input *in, yaml_node_t *map, struct pressure *p);
/* {"cmp": 4, "gpu": 2}; false if it is missing. */
bool hetero_pair_read(struct json_input *in, yaml_node_t *map, const char *key, double *out);
void hetero_pair_write(struct json_writer *w, const char *key, const double *pair);

#define HETERO_CHECK_KEYS(in, map, keys)                                                           \
    yaml_check_keys(&(in)->doc, map, keys, sizeof(keys) / sizeof(keys)[0])

#endif
