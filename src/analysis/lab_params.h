/* The parameters that a policy had where it was recorded: a replay under that policy begins with
 * them. */
#ifndef HEDDLE_ANALYSIS_LAB_PARAMS_H
#define HEDDLE_ANALYSIS_LAB_PARAMS_H

#include "analysis/l1d_stream.h"
#include "config/settings.h"

/* Adds them to the settings, by their own names. False, with the reason in `why`, if the policy of
 * that name that is here has no such parameter, or it may not be so. */
bool lab_params_take(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                     struct settings *to, struct strbuf *why);

/* Are the values (NULL = the defaults) those that were recorded? Nobody knows of a file that does
 * not tell, unless there is nothing to tell. */
bool lab_params_are(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                    const void *values);

/* "pc=74 n=3": those that are not as they are by default, nothing if there are none; all of them if
 * the policy is not here (NULL). */
void lab_params_print(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                      struct strbuf *out);

#endif
