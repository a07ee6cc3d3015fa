/* Checks that the values of a machine are consistent. The range of each value has been checked
 * before. */
#ifndef HEDDLE_GPU_CONFIG_CHECK_H
#define HEDDLE_GPU_CONFIG_CHECK_H

#include "gpu/machine_config.h"

/* Reports invalid combinations where they were set; also parses sm.carveout. */
void machine_config_check(struct machine_config *c, struct diag_list *diags);

#endif
