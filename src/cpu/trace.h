/* Traces of CPU programs: a struct cpu_inst per instruction, in ChampSim's format, compressed with
 * zstd (what `heddle cpu record` writes), with xz (what others publish) or not at all.
 *
 * A trace that Heddle wrote begins with a skippable zstd frame that gives its origin, and ends with
 * one that has a checksum of everything before it. `zstd -dc` gives only the records. */
#ifndef HEDDLE_CPU_TRACE_H
#define HEDDLE_CPU_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"
#include "cpu/inst_record.h"

/* --- Reading --- */

struct cpu_trace;

/* NULL if it cannot be opened, with the reason in `why`, and an errno value or 0 in *error. */
struct cpu_trace *cpu_trace_open(const char *path, int *error, struct strbuf *why);
/* The next instructions, *n of them and at most `most`, valid until the next call; none at the end
 * and where the trace is broken. */
const struct cpu_inst *cpu_trace_read(struct cpu_trace *t, uint32_t most, uint32_t *n);
/* False at the end, and where the trace is broken. */
bool cpu_trace_next(struct cpu_trace *t, struct cpu_inst *inst);
/* Does the checksum of a trace by Heddle say that it is damaged? Reading it to the end finds the
 * position. */
bool cpu_trace_is_damaged(const struct cpu_trace *t);
/* Why the last call failed, with the offset in the file; NULL = the trace has ended. */
const char *cpu_trace_error(const struct cpu_trace *t);
/* Back to the first instruction. */
void cpu_trace_rewind(struct cpu_trace *t);
/* The recorded command line; NULL = unknown. */
const char *cpu_trace_origin(const struct cpu_trace *t);
void cpu_trace_close(struct cpu_trace *t); /* NULL is fine */

/* --- Writing --- */

struct cpu_trace_writer;

struct cpu_trace_writer *cpu_trace_write_begin(struct sink out, const char *origin);
/* Bytes of records, in pieces of any size. False if the sink failed. */
bool cpu_trace_write(struct cpu_trace_writer *w, const void *data, size_t bytes);
/* False if the sink failed, or the last record is incomplete. */
bool cpu_trace_write_end(struct cpu_trace_writer *w);

/* Is this a trace by Heddle, undamaged to its last byte? */
bool cpu_trace_is_intact(const char *path);

#endif
