/* Records what the warps of a timed run do: sits between the SMs and the emulator and writes down
 * the answers to the questions of trace_op.h.
 *
 * Every SM records separately; finished pieces are gathered when the memory image changes, in time
 * order. So the file depends neither on the quantum nor on threads nor on the engine. */
#ifndef HEDDLE_TRACE_RECORDER_H
#define HEDDLE_TRACE_RECORDER_H

#include "emu/warp.h"
#include "trace/file.h"

struct trace_recorder;

struct trace_recorder *trace_recorder_create(struct sink sink, const struct trace_about *about,
                                             uint32_t n_sms);
void trace_recorder_destroy(struct trace_recorder *r); /* NULL is fine */

/* Begins a launch: `emu` describes it, and SMs take their copies from it. */
void trace_recorder_begin(struct trace_recorder *r, struct emu *emu, const char *ptx,
                          size_t ptx_bytes);
/* Call it when every SM has reached the same time and none is running. */
void trace_recorder_gather(struct trace_recorder *r);
/* The launch has completed. */
void trace_recorder_end(struct trace_recorder *r, struct emu *emu, uint64_t warp_insts);
/* Adds a note about the recording; call it before the end. */
void trace_recorder_note(struct trace_recorder *r, const char *name, const char *value);
/* The last launch has ended; false if the trace could not be written. */
bool trace_recorder_finish(struct trace_recorder *r);

#endif
