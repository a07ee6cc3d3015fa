#include "hetero/model_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const hetero_system_names[HETERO_N_SYSTEM] = {"llc_misses", "dram_bandwidth"};

static uint32_t feature_number(const char *name)
{
    for (uint32_t f = 0; f < HETERO_N_FEATURES; f++)
        if (strcmp(hetero_features[f].name, name) == 0)
            return f;
    for (uint32_t i = 0; i < HETERO_N_SYSTEM; i++)
        if (strcmp(hetero_system_names[i], name) == 0)
            return HETERO_N_FEATURES + i;
    return HETERO_NO_FEATURE;
}

static struct hetero_model *read_model(const char *path, const char *text, int scenario, int target,
                                       struct strbuf *error)
{
    struct diag_list diags = {0};
    struct hetero_model *m = hetero_model_read(path, text, &diags);
    if (m && !hetero_model_is_for(m, hetero_target_names[target], hetero_scenario_names[scenario],
                                  path, text, &diags)) {
        hetero_model_destroy(m);
        m = NULL;
    }
    if (!m)
        diag_format(&diags, error);
    for (uint32_t i = 0; m && i < m->n_features; i++)
        if (feature_number(m->features[i]) == HETERO_NO_FEATURE) {
            strbuf_addf(error, "%s: there is no feature '%s'\n", path, m->features[i]);
            hetero_model_destroy(m);
            m = NULL;
        }
    diag_list_destroy(&diags);
    return m;
}

/* Reads a file of the folder; if only the co-located one is missing, that of the kernel alone. */
static struct hetero_model *read_file(const struct hetero_model_set *set, const char *folder,
                                      int scenario, int target, struct strbuf *error)
{
    struct strbuf path = {0}, text = {0};
    struct hetero_model *m = NULL;
    strbuf_addf(&path, "%s/%s-%s.model", folder, hetero_target_names[target],
                hetero_scenario_names[scenario]);
    int status = strbuf_read_file(&text, strbuf_text(&path));
    if (status == 0)
        m = read_model(strbuf_text(&path), strbuf_text(&text), scenario, target, error);
    else if (scenario == HETERO_ALONE || status != ENOENT)
        strbuf_addf(error, "%s: %s\n", strbuf_text(&path), strerror(status));
    else
        m = set->of[HETERO_ALONE][target];
    strbuf_destroy(&path);
    strbuf_destroy(&text);
    return m;
}

bool hetero_model_set_read(struct hetero_model_set *set, const char *folder, struct strbuf *error)
{
    for (int s = 0; s < HETERO_N_SCENARIOS; s++)
        for (int t = 0; t < HETERO_N_TARGETS; t++) {
            set->of[s][t] = read_file(set, folder, s, t, error);
            if (!set->of[s][t])
                return false;
        }
    return true;
}

static const char *find_shipped(const char *machine, int scenario)
{
    struct strbuf name = {0};
    const char *text = NULL;
    strbuf_addf(&name, "%s-%s", machine, hetero_scenario_names[scenario]);
    for (uint32_t i = 0; i < n_hetero_shipped_models; i++)
        if (strcmp(hetero_shipped_models[i].name, strbuf_text(&name)) == 0)
            text = hetero_shipped_models[i].text;
    strbuf_destroy(&name);
    return text;
}

bool hetero_model_set_shipped(struct hetero_model_set *set, const char *cmp, const char *gpu,
                              struct strbuf *error)
{
    for (int s = 0; s < HETERO_N_SCENARIOS; s++)
        for (int t = 0; t < HETERO_N_TARGETS; t++) {
            const char *machine = t == HETERO_CMP ? cmp : gpu, *text = find_shipped(machine, s);
            set->of[s][t] =
                text ? read_model(machine, text, s, t, error) : set->of[HETERO_ALONE][t];
            if (!set->of[s][t])
                return false;
        }
    return true;
}

void hetero_model_set_destroy(struct hetero_model_set *set)
{
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        if (set->of[HETERO_CO_LOCATED][t] != set->of[HETERO_ALONE][t])
            hetero_model_destroy(set->of[HETERO_CO_LOCATED][t]);
        hetero_model_destroy(set->of[HETERO_ALONE][t]);
    }
    *set = (struct hetero_model_set){0};
}

double hetero_predict(const struct hetero_model *m, const double features[HETERO_N_FEATURES],
                      const double system[HETERO_N_SYSTEM], uint32_t *n_clamped)
{
    double *values = xcalloc(m->n_features + 1, sizeof *values);
    for (uint32_t i = 0; i < m->n_features; i++) {
        uint32_t f = feature_number(m->features[i]);
        values[i] = f < HETERO_N_FEATURES ? features[f] : system[f - HETERO_N_FEATURES];
    }
    double seconds = hetero_model_evaluate(m, values);
    free(values);
    if (seconds > 0)
        return seconds;
    ++*n_clamped;
    return HETERO_MIN_TIME_S;
}
