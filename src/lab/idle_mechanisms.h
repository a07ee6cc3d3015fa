/* Settings that a machine accepts and that leave its scheduler without an effect, or with less than
 * they say. */
#ifndef HEDDLE_LAB_IDLE_MECHANISMS_H
#define HEDDLE_LAB_IDLE_MECHANISMS_H

#include "base/diag.h"
#include "gpu/machine_config.h"

/* Errors for parameters of the scheduler that do not go together, a warning where it works but has
 * nothing to choose by. */
void idle_mechanisms_check(const struct machine_config *c, struct diag_list *diags);

#endif
