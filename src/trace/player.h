/* Makes warps do what a trace recorded, in place of the emulator. No values are computed; registers
 * hold only what the guard and the addresses of the next instruction need. */
#ifndef HEDDLE_TRACE_PLAYER_H
#define HEDDLE_TRACE_PLAYER_H

#include "emu/warp.h"
#include "trace/file.h"

struct trace_player;

/* The caller keeps the reader. */
struct trace_player *trace_player_create(struct trace_reader *reader, uint32_t n_sms);
void trace_player_destroy(struct trace_player *p); /* NULL is fine */

/* Begins the launch that the reader has read. `emu` describes it, and SMs take their copies from
 * it. `warp_insts` is what it executed. */
void trace_player_begin(struct trace_player *p, struct emu *emu, uint64_t warp_insts);
void trace_player_end(struct trace_player *p, struct emu *emu);

#endif
