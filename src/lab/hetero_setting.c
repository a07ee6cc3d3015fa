#include "lab/hetero_setting.h"

#include <math.h>

static const char *const rule_names[] = {"live", "footprint"};
static const char *const native_keys[] = {"name",      "weight",   "slowdown",   "cache",
                                          "bandwidth", "pressure", "llc_misses", "pid"};
static const char *const machine_keys[] = {"llc_bytes", "dram_gbps", "pcie_gbps", "free_cores",
                                           "lanes"};
static const char *const pressure_keys[] = {"llc_bytes", "dram_gbps"};

bool hetero_pair_read(struct json_input *in, yaml_node_t *map, const char *key, double *out)
{
    yaml_node_t *pair = yaml_find(&in->doc, map, key);
    if (!pair)
        return false;
    if (pair->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, pair, NULL, "expected an object with 'cmp' and 'gpu'");
        return true;
    }
    HETERO_CHECK_KEYS(in, pair, hetero_target_names);
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        json_input_need(in, pair, hetero_target_names[t], &out[t]);
    return true;
}

void hetero_pair_write(struct json_writer *w, const char *key, const double *pair)
{
    json_begin_object(w, key);
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        json_double(w, hetero_target_names[t], pair[t]);
    json_end_object(w);
}

void hetero_pressure_read(struct json_input *in, yaml_node_t *map, struct pressure *p)
{
    if (map->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, map, NULL, "expected an object with 'llc_bytes' and 'dram_gbps'");
        return;
    }
    HETERO_CHECK_KEYS(in, map, pressure_keys);
    json_input_not_negative(in, map, "llc_bytes", &p->llc_bytes);
    json_input_not_negative(in, map, "dram_gbps", &p->dram_gbps);
}

static void read_steps(struct json_input *in, yaml_node_t *native, const char *key, double *steps)
{
    yaml_node_t *list = yaml_find(&in->doc, native, key);
    if (!list || list->type != YAML_SEQUENCE_NODE || yaml_count(list) != BUBBLE_STEPS + 1) {
        yaml_complain(&in->doc, list ? list : native, NULL,
                      "'%s' must be a list of %d slowdowns, for 0/8 to 8/8 of the pressure", key,
                      BUBBLE_STEPS + 1);
        return;
    }
    for (uint32_t i = 0; i <= BUBBLE_STEPS; i++) {
        yaml_node_t *item = yaml_item(&in->doc, list, i);
        if (json_input_number(in, item, "a slowdown", &steps[i]) && !(steps[i] > 0))
            yaml_complain(&in->doc, item, NULL, "a slowdown must be above 0");
    }
}

static void read_slowdowns(struct json_input *in, yaml_node_t *n, struct hetero_setting *s,
                           struct hetero_native *native)
{
    if (hetero_pair_read(in, n, "slowdown", native->slowdown)) {
        for (int t = 0; t < HETERO_N_TARGETS; t++)
            if (!(native->slowdown[t] > 0))
                yaml_complain(&in->doc, n, NULL, "a slowdown must be above 0");
        return;
    }
    struct bubble_table *table = ARENA_NEW(&in->diags.arena, struct bubble_table);
    read_steps(in, n, "cache", table->cache);
    read_steps(in, n, "bandwidth", table->bandwidth);
    native->table = table;
    s->uses_tables = true;
}

static void read_native(struct json_input *in, yaml_node_t *n, double weight,
                        struct hetero_setting *s, struct hetero_native *native)
{
    double pid = 0;
    if (n->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, n, NULL, "a native program must be an object");
        return;
    }
    HETERO_CHECK_KEYS(in, n, native_keys);
    yaml_node_t *name = yaml_find(&in->doc, n, "name"), *own = yaml_find(&in->doc, n, "pressure");
    native->name = name ? yaml_scalar(&in->doc, name, "a name") : NULL;
    native->weight = weight;
    json_input_positive(in, n, "weight", &native->weight);
    json_input_positive(in, n, "pid", &pid);
    if (pid > INT32_MAX || pid != floor(pid))
        yaml_complain(&in->doc, n, NULL, "'pid' must be the whole number of a process");
    native->pid = (int64_t)pid;
    json_input_not_negative(in, n, "llc_misses", &native->llc_misses);
    if (own)
        hetero_pressure_read(in, own, &native->own);
    read_slowdowns(in, n, s, native);
}

static void read_natives(struct json_input *in, yaml_node_t *root, struct hetero_setting *s)
{
    yaml_node_t *list = yaml_find(&in->doc, root, "natives");
    double weight = 1;
    json_input_positive(in, root, "weight", &weight);
    if (!list)
        return;
    if (list->type != YAML_SEQUENCE_NODE) {
        yaml_complain(&in->doc, list, NULL, "'natives' must be a list");
        return;
    }
    s->n_natives = yaml_count(list);
    s->natives = ARENA_ARRAY(&in->diags.arena, struct hetero_native, s->n_natives + 1);
    for (uint32_t i = 0; i < s->n_natives; i++)
        read_native(in, yaml_item(&in->doc, list, i), weight, s, &s->natives[i]);
}

static void read_machine(struct json_input *in, yaml_node_t *root, struct hetero_machine *m)
{
    yaml_node_t *map = yaml_find(&in->doc, root, "machine");
    if (!map)
        return;
    if (map->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, map, NULL, "'machine' must be an object");
        return;
    }
    HETERO_CHECK_KEYS(in, map, machine_keys);
    double *values[] = {&m->llc_bytes, &m->dram_gbps, &m->pcie_gbps, &m->cores, &m->lanes};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        json_input_positive(in, map, machine_keys[i], values[i]);
}

void hetero_setting_read(struct json_input *in, yaml_node_t *root, struct hetero_setting *out)
{
    *out = (struct hetero_setting){.machine = hetero_testbed};
    out->goal = json_input_choice(in, root, "goal", hetero_goal_names, N_GOALS, GOAL_FAIRNESS);
    out->reference = json_input_choice(in, root, "slowdown_reference", slowdown_reference_names,
                                       N_REFERENCES, REFERENCE_SAME);
    out->rule = json_input_choice(in, root, "pressure_rule", rule_names, 2, PRESSURE_LIVE);
    read_machine(in, root, &out->machine);
    read_natives(in, root, out);
}

static void check_natives(struct json_input *in, struct hetero_setting *out)
{
    static const char *const keys[] = {HETERO_SETTING_KEYS};
    yaml_node_t *root = yaml_doc_root(&in->doc);
    if (root->type != YAML_MAPPING_NODE) {
        yaml_complain(&in->doc, root, NULL, "expected an object with 'natives'");
        return;
    }
    HETERO_CHECK_KEYS(in, root, keys);
    hetero_setting_read(in, root, out);
    if (!out->n_natives && !in->diags.n_errors)
        yaml_complain(&in->doc, root, NULL, "there is no native program: 'natives' must list one");
}

enum heddle_status hetero_natives_read(struct json_input *in, const char *path,
                                       struct hetero_setting *out)
{
    enum heddle_status status = json_input_read(in, path);
    if (status == HEDDLE_OK)
        check_natives(in, out);
    return status == HEDDLE_OK && in->diags.n_errors ? HEDDLE_BAD_INPUT : status;
}
