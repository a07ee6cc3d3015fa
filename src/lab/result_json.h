/* The parts of a result's document that every run has. */
#ifndef HEDDLE_LAB_RESULT_JSON_H
#define HEDDLE_LAB_RESULT_JSON_H

#include "analysis/locality.h"
#include "base/json.h"
#include "gpu/machine_config.h"
#include "gpu/sim.h"

/* GPU, mode, scheduler and policies; `machine` is NULL without timing. */
void result_json_machine(const struct gpu_config *gpu, const struct machine_config *machine,
                         struct json_writer *w);

/* All statistics, the measured ones of locality (`l` may be NULL), and the units of the mechanisms'
 * statistics. NULL = a run without statistics. */
void result_json_stats(const struct heddle_sim *sim, const struct locality *l,
                       struct json_writer *w);

void result_json_stat(struct json_writer *w, const struct heddle_stat *s);

#endif
