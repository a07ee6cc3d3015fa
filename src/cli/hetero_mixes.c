/* heddle hetero mixes: the launches of S3 Table 6.3 on the testbed, alone and beside one or two
 * native programs, and what HeteroPDP predicts for them. All simulations are points of a store. */
#include "cli/hetero_mixes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/pick_size.h"

/* --- measurements --- */

static enum heddle_status check_names(const struct hetero_options *o)
{
    for (uint32_t i = 1; i < o->words->n; i++) {
        const char *name = o->words->items[i];
        bool is_entry = false;
        for (uint32_t e = 0; e < N_ENTRIES; e++)
            is_entry |= strcmp(experiment_entries[e].workload, name) == 0;
        if (!is_entry) {
            output_error("%s is not a launch of S3 Table 6.3", name);
            return HEDDLE_BAD_INPUT;
        }
    }
    return HEDDLE_OK;
}

static bool is_wanted(const struct hetero_options *o, const struct experiment_mix *mix)
{
    bool is_named = o->words->n == 1;
    for (uint32_t i = 1; i < o->words->n; i++)
        is_named |= strcmp(o->words->items[i], experiment_entries[mix->entry].workload) == 0;
    if (!is_named || !o->with)
        return is_named;
    struct arena arena = {0};
    const char *names = "";
    for (uint32_t i = 0; i < mix->n_natives; i++)
        names = arena_printf(&arena, "%s%s%s", names, i ? "," : "",
                             experiment_natives[mix->natives[i]].name);
    bool fits = strcmp(names, o->with) == 0;
    arena_destroy(&arena);
    return fits;
}

static enum heddle_status list(struct mixes *m, const struct hetero_options *o)
{
    struct experiment_mix all[N_MIXES];
    uint32_t n = experiment_mixes(o->quick, all);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_wanted(o, &all[i]))
            continue;
        m->items[m->n++].what = all[i];
        m->entries[all[i].entry].is_wanted = true;
        for (uint32_t k = 0; k < all[i].n_natives; k++)
            m->natives[all[i].natives[k]].is_wanted = true;
    }
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t e = 0; status == HEDDLE_OK && e < N_ENTRIES; e++) {
        m->entries[e].workload = workload_find(experiment_entries[e].workload);
        status = pick_size(m->entries[e].workload, o->size ? o->size : experiment_entries[e].size,
                           &m->runs.arena, &m->entries[e].size);
    }
    if (status == HEDDLE_OK && !m->n) {
        output_error("no mix of the experiment has these names; write the native programs of a "
                     "pair in the order of `heddle hetero mixes`");
        status = HEDDLE_BAD_INPUT;
    }
    return status;
}

/* Of several launches, the one that takes longest on the CMP. */
static enum heddle_status find_launches(struct mixes *m, const struct hetero_options *o)
{
    for (uint32_t e = 0; e < N_ENTRIES; e++)
        if (m->entries[e].is_wanted)
            m->entries[e].find =
                testbed_add(&m->find, o,
                            &(struct testbed_point){m->entries[e].workload, m->entries[e].size,
                                                    "cmp", TESTBED_ALL_LAUNCHES, "", NULL});
    enum heddle_status status = testbed_go(&m->find, o);
    for (uint32_t e = 0; status == HEDDLE_OK && e < N_ENTRIES; e++)
        if (m->entries[e].is_wanted)
            m->entries[e].launch =
                (uint32_t)testbed_stat(&m->find, m->entries[e].find, "testbed.longest_launch");
    return status;
}

static void add_mix(struct mixes *m, const struct hetero_options *o, struct mixes_mix *mix)
{
    const struct mixes_entry *e = &m->entries[mix->what.entry];
    const char *words = experiment_words(mix->what.natives, mix->what.n_natives, &m->runs.arena);
    for (int t = 0; t < HETERO_N_TARGETS; t++)
        mix->together[t] =
            testbed_add(&m->runs, o,
                        &(struct testbed_point){e->workload, e->size, hetero_target_names[t],
                                                e->launch, words, NULL});
    mix->sample = testbed_add(&m->runs, o,
                              &(struct testbed_point){.on = "gpu",
                                                      .launch = TESTBED_NO_LAUNCH,
                                                      .natives = words,
                                                      .setting = EXPERIMENT_SAMPLE});
}

/* Entries whose launch is unknown stay unknown. */
static enum heddle_status simulate(struct mixes *m, const struct hetero_options *o)
{
    for (uint32_t i = 0; i < N_EXPERIMENT_NATIVES; i++)
        if (m->natives[i].is_wanted)
            table_add(&m->natives[i].runs, &m->runs, o, experiment_natives[i].word);
    for (uint32_t e = 0; e < N_ENTRIES; e++)
        for (int t = 0; m->entries[e].launch && t < HETERO_N_TARGETS; t++)
            m->entries[e].alone[t] = testbed_add(
                &m->runs, o,
                &(struct testbed_point){m->entries[e].workload, m->entries[e].size,
                                        hetero_target_names[t], m->entries[e].launch, "", NULL});
    for (uint32_t i = 0; i < m->n; i++)
        if (m->entries[m->items[i].what.entry].launch)
            add_mix(m, o, &m->items[i]);
    return testbed_go(&m->runs, o);
}

/* --- results --- */

static double seconds_of(const struct mixes *m, uint32_t run)
{
    return 1e-9 * testbed_stat(&m->runs, run, "testbed.ns");
}

static enum heddle_status describe_launch(struct mixes *m, const struct hetero_options *o,
                                          struct mixes_entry *e)
{
    struct hetero_launches rows = {0};
    uint64_t seed = o->seed.is_given ? o->seed.value : WORKLOAD_DEFAULT_SEED;
    enum heddle_status status = hetero_watch(e->workload, e->size, seed, &rows);
    if (status == HEDDLE_OK) {
        const struct hetero_row *row = &rows.items[rows.row_of[e->launch - 1]];
        e->kernel = arena_strdup(&m->runs.arena, row->kernel);
        for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
            e->features[f] = (double)row->counts.n[f];
        e->features[HETERO_THREADS] = (double)row->threads;
        e->features[HETERO_BUFFER] = (double)row->buffer;
    }
    hetero_launches_destroy(&rows);
    return status;
}

static enum heddle_status take_entry(struct mixes *m, const struct hetero_options *o,
                                     struct mixes_entry *e)
{
    e->is_there = e->launch && testbed_has(&m->runs, e->alone[HETERO_CMP]) &&
                  testbed_has(&m->runs, e->alone[HETERO_GPU]);
    if (!e->is_there)
        return HEDDLE_OK;
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        e->alone_s[t] = seconds_of(m, e->alone[t]);
        e->ids[t] = testbed_id(&m->runs, e->alone[t]);
    }
    e->find_id = testbed_id(&m->find, e->find);
    e->transfer = testbed_stat(&m->runs, e->alone[HETERO_GPU], "testbed.bytes_up") +
                  testbed_stat(&m->runs, e->alone[HETERO_GPU], "testbed.bytes_down");
    e->transfer_s = 1e-9 * (testbed_stat(&m->runs, e->alone[HETERO_GPU], "testbed.upload_ns") +
                            testbed_stat(&m->runs, e->alone[HETERO_GPU], "testbed.readback_ns"));
    return describe_launch(m, o, e);
}

static void take_native(struct mixes *m, struct mixes_native *n)
{
    n->is_there = n->is_wanted && table_is_there(&n->runs, &m->runs);
    if (!n->is_there)
        return;
    n->table = table_slowdowns(&n->runs, &m->runs);
    n->alone = table_alone(&n->runs, &m->runs);
    n->alone_id = testbed_id(&m->runs, n->runs.alone);
    for (uint32_t k = 0; k < TABLE_N_KINDS; k++)
        for (uint32_t i = 0; i <= BUBBLE_STEPS; i++)
            n->beside_ids[k][i] = testbed_id(&m->runs, n->runs.beside[k][i]);
}

static bool is_whole(const struct mixes *m, const struct mixes_mix *mix)
{
    bool all = m->entries[mix->what.entry].is_there;
    for (uint32_t i = 0; i < mix->what.n_natives; i++)
        all &= m->natives[mix->what.natives[i]].is_there;
    return all && testbed_has(&m->runs, mix->sample) &&
           testbed_has(&m->runs, mix->together[HETERO_CMP]) &&
           testbed_has(&m->runs, mix->together[HETERO_GPU]);
}

static void take_mix(struct mixes *m, struct mixes_mix *mix)
{
    mix->is_there = is_whole(m, mix);
    if (!mix->is_there)
        return;
    mix->sample_id = testbed_id(&m->runs, mix->sample);
    mix->system[HETERO_LLC_MISSES] =
        testbed_stat(&m->runs, mix->sample, "testbed.sample_llc_misses") * 1e6 /
        EXPERIMENT_SAMPLE_US;
    mix->system[HETERO_DRAM_BANDWIDTH] =
        testbed_stat(&m->runs, mix->sample, "testbed.sample_dram_bytes") * 1e-3 /
        EXPERIMENT_SAMPLE_US;
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        mix->co_located_s[t] = seconds_of(m, mix->together[t]);
        mix->ids[t] = testbed_id(&m->runs, mix->together[t]);
        for (uint32_t i = 0; i < mix->what.n_natives; i++)
            mix->slowdown[i][t] = testbed_native_seconds(&m->runs, mix->together[t], i) /
                                  m->natives[mix->what.natives[i]].alone.seconds;
    }
}

static enum heddle_status take(struct mixes *m, const struct hetero_options *o)
{
    enum heddle_status status = HEDDLE_OK;
    m->machine = hetero_testbed;
    m->machine.llc_bytes = m->runs.llc_bytes;
    for (uint32_t i = 0; i < N_EXPERIMENT_NATIVES; i++)
        take_native(m, &m->natives[i]);
    for (uint32_t e = 0; status == HEDDLE_OK && e < N_ENTRIES; e++)
        status = take_entry(m, o, &m->entries[e]);
    for (uint32_t i = 0; status == HEDDLE_OK && i < m->n; i++)
        if (m->entries[m->items[i].what.entry].is_there)
            take_mix(m, &m->items[i]);
    return status;
}

static enum heddle_status measure(struct mixes *m, const struct hetero_options *o)
{
    enum heddle_status status = find_launches(m, o);
    if (status == HEDDLE_OK)
        status = simulate(m, o);
    return status == HEDDLE_OK ? take(m, o) : status;
}

static void predict(struct mixes *m)
{
    const double nobody[HETERO_N_SYSTEM] = {0};
    for (struct mixes_entry *e = m->entries; e < m->entries + N_ENTRIES; e++)
        for (int t = 0; e->is_there && t < HETERO_N_TARGETS; t++)
            e->predicted_s[t] =
                hetero_predict(m->models.of[HETERO_ALONE][t], e->features, nobody, &e->n_clamped);
    for (struct mixes_mix *mix = m->items; mix < m->items + m->n; mix++)
        for (int t = 0; mix->is_there && t < HETERO_N_TARGETS; t++)
            mix->predicted_s[t] =
                hetero_predict(m->models.of[HETERO_CO_LOCATED][t],
                               m->entries[mix->what.entry].features, mix->system, &mix->n_clamped);
}

/* --- choices --- */

const struct mixes_mix *mixes_reporter(const struct mixes *m, const struct mixes_mix *mix)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct mixes_mix *other = &m->items[i];
        bool is_in_it = false;
        for (uint32_t k = 0; k < mix->what.n_natives; k++)
            is_in_it |= mix->what.natives[k] == other->what.natives[0];
        if (other->is_there && other->what.entry == mix->what.entry && other->what.n_natives == 1 &&
            !is_in_it)
            return other;
    }
    return NULL;
}

static struct pressure on_cmp(const struct mixes *m, const struct mixes_mix *mix,
                              const struct hetero_machine *machine, enum pressure_rule rule)
{
    const struct mixes_entry *e = &m->entries[mix->what.entry];
    if (rule != PRESSURE_MEASURED)
        return pressure_on_cmp(machine, rule, e->features[HETERO_THREADS],
                               e->features[HETERO_BUFFER]);
    const struct mixes_mix *reporter = mixes_reporter(m, mix);
    return pressure_measured(machine, &m->natives[reporter->what.natives[0]].table,
                             reporter->slowdown[0][HETERO_CMP]);
}

void mixes_choose(const struct mixes *m, const struct mixes_mix *mix, struct mixes_choice *c)
{
    const struct mixes_entry *e = &m->entries[mix->what.entry];
    struct hetero_native natives[MAX_MIX_NATIVES] = {0};
    struct hetero_machine machine = m->machine;
    struct hetero_question q = {.goal = c->goal,
                                .reference = c->reference,
                                .natives = natives,
                                .n_natives = mix->what.n_natives};
    for (uint32_t i = 0; i < q.n_natives; i++) {
        natives[i].weight = c->weight;
        memcpy(natives[i].slowdown, mix->slowdown[i], sizeof natives[i].slowdown);
    }
    memcpy(q.alone_s, e->alone_s, sizeof q.alone_s);
    memcpy(q.co_located_s, mix->co_located_s, sizeof q.co_located_s);
    c->measured = hetero_choose(&q);

    machine.cores = machine.cores + 1 - q.n_natives; /* hetero_testbed already has one native
                                                      * program */
    const struct pressure kernel[HETERO_N_TARGETS] = {
        on_cmp(m, mix, &machine, c->rule),
        pressure_on_gpu(&machine, e->transfer, e->predicted_s[HETERO_GPU])};
    for (uint32_t i = 0; i < q.n_natives; i++) {
        natives[i].table = &m->natives[mix->what.natives[i]].table;
        natives[i].own = m->natives[mix->what.natives[i]].alone.pressure;
    }
    hetero_apply_bubbles(&machine, kernel, natives, q.n_natives);
    memcpy(q.alone_s, e->predicted_s, sizeof q.alone_s);
    memcpy(q.co_located_s, mix->predicted_s, sizeof q.co_located_s);
    c->predicted = hetero_choose(&q);
    for (uint32_t i = 0; i < q.n_natives; i++)
        memcpy(c->slowdown[i], natives[i].slowdown, sizeof c->slowdown[i]);
}

/* --- the command --- */

static enum heddle_status read_models(struct mixes *m, const struct hetero_options *o)
{
    struct strbuf error = {0};
    bool ok = o->model ? hetero_model_set_read(&m->models, o->model, &error)
                       : hetero_model_set_shipped(&m->models, "testbed-cmp", "testbed-gpu", &error);
    if (!ok)
        output_failure(error.len ? strbuf_text(&error) : "there are no models for the testbed\n");
    strbuf_destroy(&error);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

enum heddle_status hetero_cmd_mixes(const struct hetero_options *o, const char *first,
                                    struct strbuf *out)
{
    struct mixes *m = xcalloc(1, sizeof *m);
    struct hetero_options with = experiment_options(o, &m->runs.arena);
    (void)first;
    enum heddle_status status = check_names(o);
    if (status == HEDDLE_OK)
        status = read_models(m, o);
    if (status == HEDDLE_OK)
        status = list(m, &with);
    if (status == HEDDLE_OK)
        status = o->measured ? mixes_read(m, o->measured) : measure(m, &with);
    if (status == HEDDLE_OK)
        predict(m);
    if (status == HEDDLE_OK && o->json)
        mixes_json(m, out);
    else if (status == HEDDLE_OK)
        mixes_text(m, out);
    hetero_model_set_destroy(&m->models);
    testbed_destroy(&m->find);
    testbed_destroy(&m->runs);
    free(m);
    return status;
}
