/* For tests that need an OpenCL other than Heddle: where there is none they say so, in the form
 * that tools/checks.inc counts, and are skipped. */
#ifndef HEDDLE_TEST_OTHER_OPENCL_H
#define HEDDLE_TEST_OTHER_OPENCL_H

#include <stdio.h>
#include <string.h>

#include "workloads/device.h"

enum { TEST_SKIPPED = 77 }; /* the exit status of a program of which nothing was run */

/* Whether `d` is missing because this machine has no OpenCL device; prints what is skipped
 * and why. Any other failure is the test's to find. */
static inline bool opencl_is_missing(const struct device *d, const char *what)
{
    const char *why = device_error(d);
    if (device_ok(d) || strncmp(why, "no OpenCL ", 10) != 0)
        return false;
    printf("SKIPPED: %s: ", what);
    for (; *why; why++)
        putchar(*why == '\n' ? ';' : *why);
    putchar('\n');
    return true;
}

#endif
