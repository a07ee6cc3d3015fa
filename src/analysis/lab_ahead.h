/* Reads an opened recording ahead in its own thread while earlier parts are replayed. Results do
 * not depend on it. */
#ifndef HEDDLE_ANALYSIS_LAB_AHEAD_H
#define HEDDLE_ANALYSIS_LAB_AHEAD_H

#include "analysis/lab_stream.h"

struct lab_ahead;

/* Nothing else may use the stream until lab_ahead_end(). */
struct lab_ahead *lab_ahead_begin(struct lab_stream *s);
/* The next accesses, valid until the next call; NULL if there are no more. */
const struct lab_stream *lab_ahead_next(struct lab_ahead *a);
/* False if the recording could not be read to its end; `why` says why. */
bool lab_ahead_end(struct lab_ahead *a, struct strbuf *why);

#endif
