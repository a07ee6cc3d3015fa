/* Settings that a machine accepts but that disable a mechanism, wholly or in part. */
#ifndef HEDDLE_LAB_IDLE_MECHANISMS_H
#define HEDDLE_LAB_IDLE_MECHANISMS_H

#include "base/diag.h"
#include "gpu/machine_config.h"
#include "gpu/sim.h"

/* Errors for parameters of the scheduler that conflict; a warning if it works but has nothing to
 * base its choice on. */
void idle_mechanisms_check(const struct machine_config *c, struct diag_list *diags);

/* Whether atomics on global memory were executed. */
bool idle_mechanisms_has_atomics(const struct heddle_sim *sim);
/* For runs without: a warning that the atomics unit had nothing to do; none for at_l2. */
void idle_mechanisms_no_atomics(const struct machine_config *c, struct strbuf *warning);

#endif
