/* Lets warps do what a trace says they did: stands in the emulator's place. No value is computed;
 * registers hold what the guard and the addresses of the next instruction need, and nothing else.
 */
#ifndef HEDDLE_TRACE_PLAYER_H
#define HEDDLE_TRACE_PLAYER_H

#include "emu/warp.h"
#include "trace/file.h"

struct trace_player;

/* The reader stays the caller's. */
struct trace_player *trace_player_create(struct trace_reader *reader, uint32_t n_sms);
void trace_player_destroy(struct trace_player *p); /* NULL is fine */

/* Begins the launch that the reader has read: `emu` describes it, and is what SMs will take their
 * own from. `warp_insts` is what it executed. */
void trace_player_begin(struct trace_player *p, struct emu *emu, uint64_t warp_insts);
void trace_player_end(struct trace_player *p, struct emu *emu);

#endif
