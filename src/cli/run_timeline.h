/* --timeline-cycles and --timeline-sms of `heddle run`. */
#ifndef HEDDLE_CLI_RUN_TIMELINE_H
#define HEDDLE_CLI_RUN_TIMELINE_H

#include "analysis/timeline.h"
#include "cli/run.h"

/* Reads both for a machine with so many SMs; the list of SMs lives in the arena. False after a
 * mistake, which `why` explains. */
bool timeline_window_parse(const char *cycles, const char *sms, uint32_t n_sms, struct arena *arena,
                           struct timeline_window *out, struct strbuf *why);

#endif
