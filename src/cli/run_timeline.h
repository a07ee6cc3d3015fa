/* The timeline of `heddle run`: which part of a run is drawn, and its file. */
#ifndef HEDDLE_CLI_RUN_TIMELINE_H
#define HEDDLE_CLI_RUN_TIMELINE_H

#include "analysis/timeline.h"
#include "cli/run.h"

/* Parses --timeline-cycles and --timeline-sms for a machine with that many SMs; the list of SMs
 * lives in the arena. False on errors; `why` says what is wrong. */
bool timeline_window_parse(const char *cycles, const char *sms, uint32_t n_sms, struct arena *arena,
                           struct timeline_window *out, struct strbuf *why);

/* The file, compressed if its name ends in .gz. */
struct timeline_file;

struct timeline_file *timeline_file_open(const char *path); /* NULL after a failure */
/* Fits a struct sink. Warns once if the document becomes too large for a browser. */
bool timeline_file_add(void *file, const void *data, size_t bytes);
/* The file appears if `is_complete`; frees it in any case. */
enum heddle_status timeline_file_finish(struct timeline_file *f, bool is_complete);
void timeline_file_abandon(struct timeline_file *f); /* NULL is fine */

#endif
