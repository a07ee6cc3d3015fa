/* An assert() for code that every access or message runs through. Ordinary builds leave it out
 * because it would cost noticeable time. Builds with sanitizers, which run the same tests, check
 * it. */
#ifndef HEDDLE_BASE_HOT_ASSERT_H
#define HEDDLE_BASE_HOT_ASSERT_H

#include <assert.h>

#ifdef HEDDLE_HOT_CHECKS
#define hot_assert(condition) assert(condition)
#else
#define hot_assert(condition) ((void)sizeof(!(condition)))
#endif

#endif
