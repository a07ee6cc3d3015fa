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

static inline enum stall_cause scoreboard_cause(uint64_t pending, uint64_t memory)
{
    return memory ? STALLED_MEMORY : pending ? STALLED_DATA : STALLED_NONE;
}

/* Words beyond the first are rare: apart, so that nobody saves registers for their sake. */
enum stall_cause scoreboard_wide_hazard(const struct scoreboard *s, const struct op_timing *t,
                                        uint32_t words);
void scoreboard_wide_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                         bool memory);
void scoreboard_wide_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words);

static inline enum stall_cause scoreboard_hazard(const struct scoreboard *s,
                                                 const struct op_timing *t, uint32_t words)
{
    if (words > 1)
        return scoreboard_wide_hazard(s, t, words);
    return scoreboard_cause(s->pending[0] & t->waits_for[0], s->memory[0] & t->touches[0]);
}

static inline void scoreboard_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                                  bool memory)
{
    s->pending[0] |= t->writes[0];
    if (memory)
        s->memory[0] |= t->writes[0];
    if (words > 1)
        scoreboard_wide_set(s, t, words, memory);
}

static inline void scoreboard_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words)
{
    s->pending[0] &= ~t->writes[0];
    s->memory[0] &= ~t->writes[0];
    if (words > 1)
        scoreboard_wide_clear(s, t, words);
}

#endif
