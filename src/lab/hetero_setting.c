#include "lab/hetero_setting.h"

#include <math.h>
#include <string.h>

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

void hetero_pressures_write(struct json_writer *w, const char *key, const struct pressure *pair)
{
    json_begin_object(w, key);
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        json_begin_object(w, hetero_target_names[t]);
        json_double(w, "llc_bytes", pair[t].llc_bytes);
        json_double(w, "dram_gbps", pair[t].dram_gbps);
        json_end_object(w);
    }
    json_end_object(w);
}

void hetero_native_write(struct json_writer *w, const struct hetero_native *n)
{
    double cache[HETERO_N_TARGETS], bandwidth[HETERO_N_TARGETS], weighted[HETERO_N_TARGETS];
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        cache[t] = n->effect[t].cache;
        bandwidth[t] = n->effect[t].bandwidth;
        weighted[t] = n->slowdown[t] * n->weight;
    }
    json_begin_object(w, NULL);
    json_string(w, "name", n->name);
    json_double(w, "weight", n->weight);
    if (n->table) {
        hetero_pressures_write(w, "pressure", n->total);
        hetero_pair_write(w, "cache_slowdown", cache);
        hetero_pair_write(w, "bandwidth_slowdown", bandwidth);
    }
    hetero_pair_write(w, "slowdown", n->slowdown);
    hetero_pair_write(w, "weighted_slowdown", weighted);
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
            yaml_complain(&in->doc, item, NULL, "a slowdown must be above 0: '%s' has %g", key,
                          steps[i]);
    }
}

/* Of any two steps; between steps a table is linear. */
static void check_sums(struct json_input *in, yaml_node_t *n, const struct bubble_table *t)
{
    double least[2] = {t->cache[0], t->bandwidth[0]}, greatest[2] = {least[0], least[1]};
    for (uint32_t i = 1; i <= BUBBLE_STEPS; i++)
        for (int k = 0; k < 2; k++) {
            least[k] = fmin(least[k], (k ? t->bandwidth : t->cache)[i]);
            greatest[k] = fmax(greatest[k], (k ? t->bandwidth : t->cache)[i]);
        }
    if (!(least[0] + least[1] - 1 > 0))
        yaml_complain(&in->doc, n, NULL,
                      "'cache' has %g and 'bandwidth' has %g: together a slowdown of %g, which is "
                      "not above 0",
                      least[0], least[1], least[0] + least[1] - 1);
    else if (!isfinite(greatest[0] + greatest[1]))
        yaml_complain(&in->doc, n, NULL,
                      "'cache' has %g and 'bandwidth' has %g: their sum is beyond the range of "
                      "numbers",
                      greatest[0], greatest[1]);
}

static void read_given(struct json_input *in, yaml_node_t *n, double *slowdown)
{
    uint32_t n_errors = in->diags.n_errors;
    hetero_pair_read(in, n, "slowdown", slowdown);
    for (int t = 0; in->diags.n_errors == n_errors && t < HETERO_N_TARGETS; t++)
        if (!(slowdown[t] > 0))
            yaml_complain(&in->doc, n, NULL, "a slowdown must be above 0: '%s' of 'slowdown' is %g",
                          hetero_target_names[t], slowdown[t]);
}

/* Tables are checked even where 'slowdown' takes precedence. */
static void read_slowdowns(struct json_input *in, yaml_node_t *n, struct hetero_setting *s,
                           struct hetero_native *native)
{
    bool has_tables =
        yaml_find(&in->doc, n, "cache") != NULL || yaml_find(&in->doc, n, "bandwidth") != NULL;
    bool is_given = yaml_find(&in->doc, n, "slowdown") != NULL;
    if (!has_tables && !is_given) {
        yaml_complain(&in->doc, n, NULL,
                      "a native program needs 'slowdown', {\"cmp\": S, \"gpu\": S}, or its tables "
                      "'cache' and 'bandwidth'");
        return;
    }
    if (is_given)
        read_given(in, n, native->slowdown);
    if (!has_tables)
        return;
    uint32_t n_errors = in->diags.n_errors;
    struct bubble_table *table = ARENA_NEW(&in->diags.arena, struct bubble_table);
    read_steps(in, n, "cache", table->cache);
    read_steps(in, n, "bandwidth", table->bandwidth);
    if (in->diags.n_errors == n_errors)
        check_sums(in, n, table);
    if (is_given)
        return;
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

/* A measured pressure is not a rule here: only `heddle hetero mixes` can measure it. */
static enum pressure_rule read_rule(struct json_input *in, yaml_node_t *root)
{
    yaml_node_t *n = yaml_find(&in->doc, root, "pressure_rule");
    bool is_measured = n && n->type == YAML_SCALAR_NODE &&
                       strcmp((const char *)n->data.scalar.value, "measured") == 0;
    if (!is_measured)
        return json_input_choice(in, root, "pressure_rule", rule_names, 2, PRESSURE_LIVE);
    yaml_complain(&in->doc, n, "give a measured pressure as 'pressure'",
                  "there is no pressure_rule 'measured': live or footprint");
    return PRESSURE_LIVE;
}

void hetero_setting_read(struct json_input *in, yaml_node_t *root, struct hetero_setting *out)
{
    *out = (struct hetero_setting){.machine = hetero_testbed};
    out->goal = json_input_choice(in, root, "goal", hetero_goal_names, N_GOALS, GOAL_FAIRNESS);
    out->reference = json_input_choice(in, root, "slowdown_reference", slowdown_reference_names,
                                       N_REFERENCES, REFERENCE_SAME);
    out->rule = read_rule(in, root);
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
