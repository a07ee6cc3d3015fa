/* Policies from plug-ins have every answer checked. Built-in ones are tested instead, and pay
 * nothing. */
#ifndef HEDDLE_CACHE_CHECKED_H
#define HEDDLE_CACHE_CHECKED_H

#include "cache/cache_policy.h"

/* A copy that does the same and ends the program where an answer breaks the contract. Once it is
 * registered it lives as long as the program; until then it is the caller's to free. */
struct cache_policy_desc *cache_policy_checked(const struct cache_policy_desc *own);

#endif
