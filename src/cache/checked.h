/* Every answer of a plug-in's policy is checked. Built-in policies are tested instead, at no cost
 * during runs. */
#ifndef HEDDLE_CACHE_CHECKED_H
#define HEDDLE_CACHE_CHECKED_H

#include "cache/cache_policy.h"

/* A copy that behaves like `own` and ends the program when an answer breaks the contract. Once
 * registered it lives as long as the program; until then the caller frees it. */
struct cache_policy_desc *cache_policy_checked(const struct cache_policy_desc *own);

#endif
