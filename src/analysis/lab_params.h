/* The parameters that a policy had when it was recorded: a replay under that policy starts from
 * them. */
#ifndef HEDDLE_ANALYSIS_LAB_PARAMS_H
#define HEDDLE_ANALYSIS_LAB_PARAMS_H

#include "analysis/l1d_stream.h"
#include "config/settings.h"

/* Adds them to the settings under their own names. False, with the reason in `why`, if the loaded
 * policy of that name lacks a parameter or does not accept its value. */
bool lab_params_take(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                     struct settings *to, struct strbuf *why);

/* Are the values (NULL = the defaults) the recorded ones? False if the file does not store them,
 * unless the policy has none. */
bool lab_params_are(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                    const void *values);

/* "pc=74 n=3": those that differ from the default, possibly none; all of them if the policy is not
 * loaded (NULL). */
void lab_params_print(const struct l1d_params *recorded, const struct cache_policy_desc *policy,
                      struct strbuf *out);

#endif
