/* Training data of the machine that Heddle runs on: the workloads that are not in S3 Table 6.3, as
 * OpenCL programs on Heddle HeteroPDP, on one target after the other. */
#ifndef HEDDLE_CLI_HETERO_MEASURE_H
#define HEDDLE_CLI_HETERO_MEASURE_H

#include "cli/options.h"
#include "heddle/heddle.h"
#include "hetero/choose.h"

struct measurement {
    const struct text_list *workloads; /* after the step's name; none = all training workloads */
    const char *size;                  /* of the workloads */
    const char *gpu;                   /* NULL = the default */
    const char *natives; /* a file with the native programs that run at the same time; NULL =
                          * none */
    const char *rows;    /* output CSV; with native programs, existing rows are kept */
};

/* Reports a failure. */
enum heddle_status hetero_measure(const struct measurement *m, enum hetero_target target);

#endif
