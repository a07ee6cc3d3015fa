/* Measurements of `heddle hetero mixes`, from its own output (doc/results/hetero-mixes.json). */
#include <math.h>
#include <string.h>

#include "cli/hetero_mixes.h"
#include "cli/output.h"
#include "lab/hetero_setting.h"

struct reader {
    struct json_input in;
    struct mixes *m;
};

static yaml_node_t *need(struct reader *r, yaml_node_t *map, const char *key)
{
    yaml_node_t *n = yaml_find(&r->in.doc, map, key);
    if (!n)
        yaml_complain(&r->in.doc, map, NULL, "'%s' is missing here", key);
    return n;
}

static const char *text_of(struct reader *r, yaml_node_t *map, const char *key)
{
    yaml_node_t *n = need(r, map, key);
    const char *text = n ? yaml_scalar(&r->in.doc, n, "a text") : NULL;
    return arena_strdup(&r->m->runs.arena, text ? text : "");
}

/* NULL if it is missing: measurements that predate it lack it. */
static const char *optional_text_of(struct reader *r, yaml_node_t *map, const char *key)
{
    return yaml_find(&r->in.doc, map, key) ? text_of(r, map, key) : NULL;
}

/* Measured numbers are above 0, or at least not negative. */
static void need_positive(struct reader *r, yaml_node_t *map, const char *key, double *out)
{
    if (need(r, map, key))
        json_input_positive(&r->in, map, key, out);
}

static void need_not_negative(struct reader *r, yaml_node_t *map, const char *key, double *out)
{
    if (need(r, map, key))
        json_input_not_negative(&r->in, map, key, out);
}

static void pair_of(struct reader *r, yaml_node_t *map, const char *key, double *out)
{
    uint32_t n_errors = r->in.diags.n_errors;
    if (!hetero_pair_read(&r->in, map, key, out))
        yaml_complain(&r->in.doc, map, NULL, "'%s' is missing here: {\"cmp\": N, \"gpu\": N}", key);
    for (int t = 0; r->in.diags.n_errors == n_errors && t < HETERO_N_TARGETS; t++)
        if (!(out[t] > 0))
            yaml_complain(&r->in.doc, map, NULL, "'%s' of '%s' must be above 0, not %g",
                          hetero_target_names[t], key, out[t]);
}

static void ids_of(struct reader *r, yaml_node_t *map, const char **out)
{
    yaml_node_t *ids = need(r, map, "ids");
    for (int t = 0; ids && t < HETERO_N_TARGETS; t++)
        out[t] = text_of(r, ids, hetero_target_names[t]);
}

static void steps_of(struct reader *r, yaml_node_t *map, const char *key, double *out)
{
    yaml_node_t *list = need(r, map, key);
    if (list && (list->type != YAML_SEQUENCE_NODE || yaml_count(list) != BUBBLE_STEPS + 1)) {
        yaml_complain(&r->in.doc, list, NULL, "expected %d slowdowns", BUBBLE_STEPS + 1);
        return;
    }
    for (uint32_t s = 0; list && s <= BUBBLE_STEPS; s++) {
        yaml_node_t *item = yaml_item(&r->in.doc, list, s);
        if (json_input_number(&r->in, item, "a slowdown", &out[s]) && !(out[s] > 0))
            yaml_complain(&r->in.doc, item, NULL, "a slowdown must be above 0: '%s' has %g", key,
                          out[s]);
    }
}

static void beside_ids_of(struct reader *r, yaml_node_t *map, const char *key, const char **out)
{
    yaml_node_t *list = yaml_find(&r->in.doc, map, key);
    if (list && (list->type != YAML_SEQUENCE_NODE || yaml_count(list) != BUBBLE_STEPS + 1)) {
        yaml_complain(&r->in.doc, list, NULL, "expected %d ids", BUBBLE_STEPS + 1);
        return;
    }
    for (uint32_t s = 0; list && s <= BUBBLE_STEPS; s++) {
        const char *id = yaml_scalar(&r->in.doc, yaml_item(&r->in.doc, list, s), "an id");
        out[s] = arena_strdup(&r->m->runs.arena, id ? id : "");
    }
}

static void read_native(struct reader *r, yaml_node_t *map)
{
    const char *name = text_of(r, map, "name"), *program = text_of(r, map, "program");
    uint32_t i = experiment_find_native(name);
    if (i == N_EXPERIMENT_NATIVES || strcmp(experiment_natives[i].word, program) != 0) {
        yaml_complain(&r->in.doc, map, NULL, "the experiment has no native program %s (%s)", name,
                      program);
        return;
    }
    struct mixes_native *n = &r->m->natives[i];
    n->is_there = n->is_wanted;
    need_positive(r, map, "alone", &n->alone.seconds);
    need_not_negative(r, map, "llc_mpki", &n->alone.mpki);
    need_not_negative(r, map, "llc_bytes", &n->alone.pressure.llc_bytes);
    need_not_negative(r, map, "dram_gbps", &n->alone.pressure.dram_gbps);
    steps_of(r, map, "cache", n->table.cache);
    steps_of(r, map, "bandwidth", n->table.bandwidth);
    n->alone_id = text_of(r, map, "alone_id");
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++)
        beside_ids_of(r, map, mixes_id_keys[k], n->beside_ids[k]);
}

/* The launch that an entry or a mix of the file is about; N_ENTRIES, with an error, if none. */
static uint32_t entry_of(struct reader *r, yaml_node_t *map)
{
    const char *workload = text_of(r, map, "workload"), *size = text_of(r, map, "size");
    for (uint32_t e = 0; e < N_ENTRIES; e++)
        if (strcmp(experiment_entries[e].workload, workload) == 0 &&
            strcmp(r->m->entries[e].size->name, size) == 0)
            return e;
    yaml_complain(&r->in.doc, map, NULL, "the experiment has no launch of %s with the input %s",
                  workload, size);
    return N_ENTRIES;
}

static void read_entry(struct reader *r, yaml_node_t *map)
{
    uint32_t i = entry_of(r, map);
    yaml_node_t *features = need(r, map, "features");
    if (i == N_ENTRIES || !features)
        return;
    struct mixes_entry *e = &r->m->entries[i];
    double launch = 0;
    e->is_there = e->is_wanted;
    need_positive(r, map, "launch", &launch);
    if (launch != floor(launch) || launch >= TESTBED_NO_LAUNCH)
        yaml_complain(&r->in.doc, map, NULL, "'launch' must be the number of a launch, not %g",
                      launch);
    else
        e->launch = (uint32_t)launch;
    e->kernel = text_of(r, map, "kernel");
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        need_not_negative(r, features, hetero_features[f].name, &e->features[f]);
    need_not_negative(r, map, "transfer", &e->transfer);
    need_not_negative(r, map, "transfer_s", &e->transfer_s);
    pair_of(r, map, "alone", e->alone_s);
    e->find_id = optional_text_of(r, map, "find_id");
    ids_of(r, map, e->ids);
}

static struct mixes_mix *find_mix(struct mixes *m, const struct experiment_mix *what)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct experiment_mix *w = &m->items[i].what;
        if (w->entry == what->entry && w->n_natives == what->n_natives &&
            memcmp(w->natives, what->natives, what->n_natives * sizeof *what->natives) == 0)
            return &m->items[i];
    }
    return NULL;
}

/* False, with an error, for unknown ones. */
static bool natives_of(struct reader *r, yaml_node_t *map, struct experiment_mix *out)
{
    yaml_node_t *list = need(r, map, "natives");
    out->n_natives = list ? yaml_count(list) : 0;
    bool ok = out->n_natives >= 1 && out->n_natives <= MAX_MIX_NATIVES;
    for (uint32_t i = 0; ok && i < out->n_natives; i++) {
        const char *name = yaml_scalar(&r->in.doc, yaml_item(&r->in.doc, list, i), "a name");
        out->natives[i] = name ? experiment_find_native(name) : N_EXPERIMENT_NATIVES;
        ok = out->natives[i] < N_EXPERIMENT_NATIVES;
    }
    if (!ok)
        yaml_complain(&r->in.doc, map, NULL,
                      "expected one or two native programs of the experiment");
    return ok;
}

static void read_mix(struct reader *r, yaml_node_t *map)
{
    struct experiment_mix what = {.entry = entry_of(r, map)};
    if (what.entry == N_ENTRIES || !natives_of(r, map, &what))
        return;
    struct mixes_mix *mix = find_mix(r->m, &what);
    yaml_node_t *slowdowns = need(r, map, "slowdowns");
    if (!mix || !slowdowns)
        return;
    mix->is_there = r->m->entries[what.entry].is_there;
    for (uint32_t i = 0; i < HETERO_N_SYSTEM; i++)
        need_not_negative(r, map, hetero_system_names[i], &mix->system[i]);
    pair_of(r, map, "co_located", mix->co_located_s);
    for (uint32_t i = 0; i < what.n_natives; i++) {
        yaml_node_t *pair = i < yaml_count(slowdowns) ? yaml_item(&r->in.doc, slowdowns, i) : map;
        mix->is_there &= r->m->natives[what.natives[i]].is_there;
        for (int t = 0; t < HETERO_N_TARGETS; t++)
            need_positive(r, pair, hetero_target_names[t], &mix->slowdown[i][t]);
    }
    mix->sample_id = optional_text_of(r, map, "sample_id");
    ids_of(r, map, mix->ids);
}

static void read_list(struct reader *r, yaml_node_t *root, const char *key,
                      void (*read)(struct reader *r, yaml_node_t *map))
{
    yaml_node_t *list = need(r, root, key);
    if (list && list->type != YAML_SEQUENCE_NODE) {
        yaml_complain(&r->in.doc, list, NULL, "'%s' must be a list", key);
        return;
    }
    for (uint32_t i = 0; list && i < yaml_count(list); i++) {
        yaml_node_t *item = yaml_item(&r->in.doc, list, i);
        if (item->type == YAML_MAPPING_NODE)
            read(r, item);
        else
            yaml_complain(&r->in.doc, item, NULL, "expected an object");
    }
}

enum heddle_status mixes_read(struct mixes *m, const char *path)
{
    struct reader r = {.m = m};
    enum heddle_status status = json_input_read(&r.in, path);
    yaml_node_t *root = status == HEDDLE_OK ? yaml_doc_root(&r.in.doc) : NULL;
    if (root && root->type != YAML_MAPPING_NODE) {
        yaml_complain(&r.in.doc, root, NULL, "expected the output of heddle hetero mixes --json");
    } else if (root) {
        m->machine = hetero_testbed;
        need_positive(&r, root, "llc_bytes", &m->machine.llc_bytes);
        read_list(&r, root, "natives", read_native);
        read_list(&r, root, "entries", read_entry);
        read_list(&r, root, "mixes", read_mix);
    }
    status = output_input_end(&r.in.diags, status);
    json_input_destroy(&r.in);
    return status;
}
