/* One result for all launches of the program, as `heddle run --json` writes it for a workload. */
#ifndef HEDDLE_ICD_PROGRAM_RESULT_H
#define HEDDLE_ICD_PROGRAM_RESULT_H

#include "icd/launch_log.h"

/* Appends it to the file, in one line. Call it after the last launch. */
void program_result_write(struct _cl_device_id *d, const char *path);

#endif
