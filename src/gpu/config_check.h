/* Do the values of a machine go together? What each table allows has been checked before. */
#ifndef HEDDLE_GPU_CONFIG_CHECK_H
#define HEDDLE_GPU_CONFIG_CHECK_H

#include "gpu/machine_config.h"

/* Reports what cannot be at the places where it was set, and reads sm.carveout on the way. */
void machine_config_check(struct machine_config *c, struct diag_list *diags);

#endif
