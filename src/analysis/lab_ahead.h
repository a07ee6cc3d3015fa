/* Reads an opened recording ahead, on a thread of its own, while what was read is replayed. What
 * comes out does not depend on it. */
#ifndef HEDDLE_ANALYSIS_LAB_AHEAD_H
#define HEDDLE_ANALYSIS_LAB_AHEAD_H

#include "analysis/lab_stream.h"

struct lab_ahead;

/* From now until the end nobody else touches the stream. */
struct lab_ahead *lab_ahead_begin(struct lab_stream *s);
/* The next accesses, which hold until the next call; NULL if there are no more. */
const struct lab_stream *lab_ahead_next(struct lab_ahead *a);
/* False if the recording could not be read to its end: then `why` says why. */
bool lab_ahead_end(struct lab_ahead *a, struct strbuf *why);

#endif
