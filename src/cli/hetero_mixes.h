/* The measurements and predictions of `heddle hetero mixes`, for printing. */
#ifndef HEDDLE_CLI_HETERO_MIXES_H
#define HEDDLE_CLI_HETERO_MIXES_H

#include "cli/hetero_experiment.h"
#include "cli/hetero_launches.h"
#include "cli/hetero_table.h"
#include "hetero/model_set.h"

/* A launch alone. */
struct mixes_entry {
    const struct workload *workload;
    const struct workload_size *size;
    uint32_t find; /* the simulation that finds the launch */
    const char *find_id;
    uint32_t launch; /* 0 = not known */
    uint32_t alone[HETERO_N_TARGETS];
    const char *ids[HETERO_N_TARGETS]; /* of the simulations */
    const char *kernel;
    double features[HETERO_N_FEATURES], transfer;
    double transfer_s; /* of the time on the GPU */
    double alone_s[HETERO_N_TARGETS], predicted_s[HETERO_N_TARGETS];
    uint32_t n_clamped;
    bool is_wanted, is_there;
};

struct mixes_native {
    struct table_runs runs;
    struct bubble_table table;
    struct native_alone alone;
    /* Of simulations; those beside bubbles are missing in older measurements. */
    const char *alone_id, *beside_ids[TABLE_N_KINDS][BUBBLE_STEPS + 1];
    bool is_wanted, is_there;
};

struct mixes_mix {
    struct experiment_mix what;
    uint32_t together[HETERO_N_TARGETS], sample;
    const char *ids[HETERO_N_TARGETS], *sample_id;
    double co_located_s[HETERO_N_TARGETS], predicted_s[HETERO_N_TARGETS];
    double slowdown[MAX_MIX_NATIVES][HETERO_N_TARGETS];
    double system[HETERO_N_SYSTEM]; /* of the native programs, before the launch */
    uint32_t n_clamped;
    bool is_there;
};

struct mixes {
    struct mixes_entry entries[N_ENTRIES];
    struct mixes_native natives[N_EXPERIMENT_NATIVES];
    struct mixes_mix items[N_MIXES];
    uint32_t n;
    struct hetero_machine machine;
    struct hetero_model_set models;
    struct testbed_runs find, runs;
};

/* A question about a mix, with the predicted and the measured answer. */
struct mixes_choice {
    enum hetero_goal goal;
    enum slowdown_reference reference;
    enum pressure_rule rule;
    double weight; /* of natives */
    struct hetero_answer predicted, measured;
    double slowdown[MAX_MIX_NATIVES][HETERO_N_TARGETS]; /* predicted, of native programs */
};

/* Takes measurements from the output of mixes_json() instead of simulations; its predictions and
 * choices are ignored. Mixes that the file lacks are not there. */
enum heddle_status mixes_read(struct mixes *m, const char *path);

/* The launch beside another native alone, which tells its pressure on the CMP; NULL if there is
 * none. A mix cannot tell for itself: it would predict what it has measured. */
const struct mixes_mix *mixes_reporter(const struct mixes *m, const struct mixes_mix *mix);
/* Goal, reference, rule and weight are given; the rule `measured` needs a reporter. */
void mixes_choose(const struct mixes *m, const struct mixes_mix *mix, struct mixes_choice *c);

/* Keys of `beside_ids`, in JSON. */
extern const char *const mixes_id_keys[TABLE_N_KINDS];
void mixes_json(const struct mixes *m, struct strbuf *out);
void mixes_text(const struct mixes *m, struct strbuf *out);

#endif
