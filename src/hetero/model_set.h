/* The four models of HeteroPDP: times on either target, alone and beside native programs. */
#ifndef HEDDLE_HETERO_MODEL_SET_H
#define HEDDLE_HETERO_MODEL_SET_H

#include "hetero/choose.h"
#include "hetero/features.h"
#include "hetero/model.h"

/* Inputs of models besides the features of a kernel: of the native programs beside it. */
enum hetero_system_feature { HETERO_LLC_MISSES, HETERO_DRAM_BANDWIDTH, HETERO_N_SYSTEM };
extern const char *const hetero_system_names[HETERO_N_SYSTEM];

struct hetero_model_set {
    struct hetero_model *of[HETERO_N_SCENARIOS][HETERO_N_TARGETS];
};

/* FOLDER/cmp-alone.model and so on, which must not name another target or scenario. A missing
 * co-located model is replaced by the one of the kernel alone, which is then in both places, here
 * and below. False, with the reason in `error`, on failure. */
bool hetero_model_set_read(struct hetero_model_set *set, const char *folder, struct strbuf *error);
/* The shipped ones: `CMP-alone`, `GPU-co-located`, ... */
bool hetero_model_set_shipped(struct hetero_model_set *set, const char *cmp, const char *gpu,
                              struct strbuf *error);
void hetero_model_set_destroy(struct hetero_model_set *set);

/* In seconds; a prediction that is not positive becomes HETERO_MIN_TIME_S and is counted. */
double hetero_predict(const struct hetero_model *m, const double features[HETERO_N_FEATURES],
                      const double system[HETERO_N_SYSTEM], uint32_t *n_clamped);

#endif
