/* The output of `heddle hetero mixes`. */
#include "base/json.h"
#include "cli/hetero_mixes.h"
#include "cli/table.h"
#include "lab/hetero_setting.h"

/* --- JSON --- */

const char *const mixes_id_keys[TABLE_N_KINDS] = {"cache_ids", "bandwidth_ids"};
static const char *const rule_words[] = {"live", "footprint", "measured"};

static void json_native(const struct mixes *m, uint32_t i, struct json_writer *w)
{
    const struct mixes_native *n = &m->natives[i];
    json_begin_object(w, NULL);
    json_string(w, "name", experiment_natives[i].name);
    json_string(w, "stands_for", experiment_natives[i].stands_for);
    json_string(w, "program", experiment_natives[i].word);
    json_double(w, "alone", n->alone.seconds);
    json_double(w, "llc_mpki", n->alone.mpki);
    json_double(w, "llc_bytes", n->alone.pressure.llc_bytes);
    json_double(w, "dram_gbps", n->alone.pressure.dram_gbps);
    json_begin_array(w, "cache");
    for (uint32_t s = 0; s <= BUBBLE_STEPS; s++)
        json_double(w, NULL, n->table.cache[s]);
    json_end_array(w);
    json_begin_array(w, "bandwidth");
    for (uint32_t s = 0; s <= BUBBLE_STEPS; s++)
        json_double(w, NULL, n->table.bandwidth[s]);
    json_end_array(w);
    json_string(w, "alone_id", n->alone_id);
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++) {
        if (!n->beside_ids[k][0])
            continue;
        json_begin_array(w, mixes_id_keys[k]);
        for (uint32_t s = 0; s <= BUBBLE_STEPS; s++)
            json_string(w, NULL, n->beside_ids[k][s]);
        json_end_array(w);
    }
    json_end_object(w);
}

static void json_ids(const char *const *ids, struct json_writer *w)
{
    json_begin_object(w, "ids");
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        json_string(w, hetero_target_names[t], ids[t]);
    json_end_object(w);
}

static enum hetero_target shorter(const double *seconds)
{
    struct hetero_question q = {.alone_s = {seconds[HETERO_CMP], seconds[HETERO_GPU]}};
    return hetero_choose(&q).target;
}

static void json_launch(const struct mixes_entry *e, struct json_writer *w)
{
    json_string(w, "workload", e->workload->name);
    json_string(w, "size", e->size->name);
}

static void json_entry(const struct mixes_entry *e, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_launch(e, w);
    json_uint(w, "launch", e->launch);
    json_string(w, "kernel", e->kernel);
    json_string(w, "class", e->workload->categories.s3_ch6);
    json_begin_object(w, "features");
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        json_double(w, hetero_features[f].name, e->features[f]);
    json_end_object(w);
    json_double(w, "transfer", e->transfer);
    json_double(w, "transfer_s", e->transfer_s);
    hetero_pair_write(w, "alone", e->alone_s);
    hetero_pair_write(w, "predicted", e->predicted_s);
    json_uint(w, "clamped", e->n_clamped);
    json_string(w, "target", hetero_target_names[shorter(e->predicted_s)]);
    json_string(w, "optimal", hetero_target_names[shorter(e->alone_s)]);
    if (e->find_id)
        json_string(w, "find_id", e->find_id);
    json_ids(e->ids, w);
    json_end_object(w);
}

static void json_choice(const struct mixes *m, const struct mixes_mix *mix, struct mixes_choice c,
                        struct json_writer *w)
{
    mixes_choose(m, mix, &c);
    json_begin_object(w, NULL);
    json_string(w, "goal", hetero_goal_names[c.goal]);
    json_string(w, "slowdown_reference", slowdown_reference_names[c.reference]);
    json_string(w, "pressure_rule", rule_words[c.rule]);
    json_double(w, "weight", c.weight);
    json_string(w, "target", hetero_target_names[c.predicted.target]);
    json_string(w, "optimal", hetero_target_names[c.measured.target]);
    hetero_pair_write(w, "predicted", c.predicted.score[c.goal]);
    hetero_pair_write(w, "measured", c.measured.score[c.goal]);
    json_double(w, "fairness_ratio", c.measured.fairness_ratio);
    json_begin_array(w, "predicted_slowdowns");
    for (uint32_t i = 0; i < mix->what.n_natives; i++)
        hetero_pair_write(w, NULL, c.slowdown[i]);
    json_end_array(w);
    json_end_object(w);
}

/* Those of S3's figures, and other possible criteria. */
static void json_choices(const struct mixes *m, const struct mixes_mix *mix, struct json_writer *w)
{
    json_begin_array(w, "choices");
    for (double weight = 0.5; weight <= 2.5; weight += 0.5)
        json_choice(m, mix, (struct mixes_choice){.weight = weight}, w);
    json_choice(m, mix, (struct mixes_choice){.weight = 1, .reference = REFERENCE_BEST}, w);
    json_choice(m, mix, (struct mixes_choice){.weight = 1, .rule = PRESSURE_FOOTPRINT}, w);
    if (mixes_reporter(m, mix))
        json_choice(m, mix, (struct mixes_choice){.weight = 1, .rule = PRESSURE_MEASURED}, w);
    json_choice(m, mix, (struct mixes_choice){.weight = 1, .goal = GOAL_THROUGHPUT}, w);
    json_choice(m, mix, (struct mixes_choice){.weight = 1, .goal = GOAL_WEIGHTED}, w);
    json_end_array(w);
}

static void json_mix(const struct mixes *m, const struct mixes_mix *mix, struct json_writer *w)
{
    const struct mixes_entry *e = &m->entries[mix->what.entry];
    json_begin_object(w, NULL);
    json_launch(e, w);
    json_begin_array(w, "natives");
    for (uint32_t i = 0; i < mix->what.n_natives; i++)
        json_string(w, NULL, experiment_natives[mix->what.natives[i]].name);
    json_end_array(w);
    for (uint32_t i = 0; i < HETERO_N_SYSTEM; i++)
        json_double(w, hetero_system_names[i], mix->system[i]);
    hetero_pair_write(w, "alone", e->alone_s);
    hetero_pair_write(w, "co_located", mix->co_located_s);
    hetero_pair_write(w, "predicted_alone", e->predicted_s);
    hetero_pair_write(w, "predicted", mix->predicted_s);
    json_uint(w, "clamped", mix->n_clamped);
    json_begin_array(w, "slowdowns");
    for (uint32_t i = 0; i < mix->what.n_natives; i++)
        hetero_pair_write(w, NULL, mix->slowdown[i]);
    json_end_array(w);
    json_choices(m, mix, w);
    if (mix->sample_id)
        json_string(w, "sample_id", mix->sample_id);
    json_ids(mix->ids, w);
    json_end_object(w);
}

void mixes_json(const struct mixes *m, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_uint(&w, "wanted", m->n);
    json_double(&w, "llc_bytes", m->machine.llc_bytes);
    json_begin_array(&w, "natives");
    for (uint32_t i = 0; i < N_EXPERIMENT_NATIVES; i++)
        if (m->natives[i].is_there)
            json_native(m, i, &w);
    json_end_array(&w);
    json_begin_array(&w, "entries");
    for (uint32_t e = 0; e < N_ENTRIES; e++)
        if (m->entries[e].is_there)
            json_entry(&m->entries[e], &w);
    json_end_array(&w);
    json_begin_array(&w, "mixes");
    for (uint32_t i = 0; i < m->n; i++)
        if (m->items[i].is_there)
            json_mix(m, &m->items[i], &w);
    json_end_array(&w);
    json_end_object(&w);
}

/* --- text --- */

static const char *natives_of(const struct mixes_mix *mix, struct arena *arena)
{
    const char *names = "";
    for (uint32_t i = 0; i < mix->what.n_natives; i++)
        names = arena_printf(arena, "%s%s%s", names, i ? "," : "",
                             experiment_natives[mix->what.natives[i]].name);
    return names;
}

static void add_mix(struct table *t, const struct mixes *m, const struct mixes_mix *mix,
                    uint32_t *n_right)
{
    const struct mixes_entry *e = &m->entries[mix->what.entry];
    struct mixes_choice c = {.weight = 1};
    struct arena arena = {0};
    mixes_choose(m, mix, &c);
    *n_right += c.predicted.target == c.measured.target;
    table_cell(t, "  %s %s", e->workload->name, e->size->name);
    table_cell(t, "%s", natives_of(mix, &arena));
    for (int k = 0; k < HETERO_N_TARGETS; k++) {
        table_cell(t, "%.1f", 1e6 * e->alone_s[k]);
        table_cell(t, "%.1f", 1e6 * mix->co_located_s[k]);
        table_cell(t, "%.3f", c.measured.score[GOAL_FAIRNESS][k]);
    }
    table_cell(t, "%s", hetero_target_names[c.measured.target]);
    table_cell(t, "%s", hetero_target_names[c.predicted.target]);
    arena_destroy(&arena);
}

void mixes_text(const struct mixes *m, struct strbuf *out)
{
    static const char *const titles[] = {"  launch", "beside",        "CMP us",   "together",
                                         "fairness", "GPU us",        "together", "fairness",
                                         "fairer",   "HeteroPDP says"};
    struct table t = {.titles = titles, .n_columns = 10, .right = "llrrrrrrll"};
    uint32_t n = 0, n_right = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->items[i].is_there) {
            add_mix(&t, m, &m->items[i], &n_right);
            n++;
        }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_addf(out, "%u of %u mixes measured; the fairer target is predicted for %u\n", n, m->n,
                n_right);
}
