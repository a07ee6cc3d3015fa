/* An assert() for what every access or message passes: it is left out of ordinary builds, where it
 * would take a noticeable part of the work, and checked in those with sanitizers, which run the
 * same tests. */
#ifndef HEDDLE_BASE_HOT_ASSERT_H
#define HEDDLE_BASE_HOT_ASSERT_H

#include <assert.h>

#ifdef HEDDLE_HOT_CHECKS
#define hot_assert(condition) assert(condition)
#else
#define hot_assert(condition) ((void)sizeof(!(condition)))
#endif

#endif
