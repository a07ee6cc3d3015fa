/* Checks that the times given to an oracle (criticality.file) belong to the run that used them. The
 * oracle itself only notices warps that the file does not have. */
#ifndef HEDDLE_CLI_RUN_ORACLE_H
#define HEDDLE_CLI_RUN_ORACLE_H

#include "heddle/heddle.h"

/* Call it after the last launch. Compares the kernels and their numbers of launches, and the input
 * if both the file's last row and the run have it (`input_hash` may be NULL). Reports a difference,
 * with the line of the file: HEDDLE_BAD_INPUT. Runs without an oracle always pass. */
enum heddle_status run_oracle_check(const struct heddle_sim *sim, const char *input_hash);

#endif
