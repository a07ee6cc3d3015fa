/* Which registers of a warp have no value yet. An instruction waits while one that it reads or
 * writes is pending (RAW and WAW). Masks come ready-made from op_timing, so that a look costs a few
 * instructions: programs of at most 64 registers, predicates included, need one word. */
#ifndef HEDDLE_SM_SCOREBOARD_H
#define HEDDLE_SM_SCOREBOARD_H

#include "sm/op_timing.h"

struct scoreboard {
    uint64_t *pending; /* a bit a register */
    uint64_t *memory;  /* those of them that wait for memory */
};

static inline enum stall_cause scoreboard_hazard(const struct scoreboard *s,
                                                 const struct op_timing *t, uint32_t words)
{
    uint64_t pending = 0, memory = 0;
    for (uint32_t i = 0; i < words; i++) {
        pending |= s->pending[i] & t->waits_for[i];
        memory |= s->memory[i] & t->touches[i];
    }
    return memory ? STALLED_MEMORY : pending ? STALLED_DATA : STALLED_NONE;
}

static inline void scoreboard_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                                  bool memory)
{
    for (uint32_t i = 0; i < words; i++) {
        s->pending[i] |= t->writes[i];
        s->memory[i] |= memory ? t->writes[i] : 0;
    }
}

static inline void scoreboard_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        s->pending[i] &= ~t->writes[i];
        s->memory[i] &= ~t->writes[i];
    }
}

#endif
