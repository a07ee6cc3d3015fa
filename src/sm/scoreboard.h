/* Which registers of a warp have no value yet. An instruction waits while a register that it reads
 * or writes is pending (RAW and WAW). op_timing provides the masks, so that a test costs a few
 * instructions: programs with at most 64 registers, including predicates, need one word. */
#ifndef HEDDLE_SM_SCOREBOARD_H
#define HEDDLE_SM_SCOREBOARD_H

#include "sm/op_timing.h"

struct scoreboard {
    uint64_t pending; /* one bit per register, for the first 64 */
    uint64_t memory;  /* those of them that wait for memory */
    /* The same for all registers if there are more; the first words stay empty. */
    uint64_t *wide_pending, *wide_memory;
};

/* Further words are rare: a separate function, so that callers save no registers for it. */
enum stall_cause scoreboard_wide_hazard(const struct scoreboard *s, const struct op_timing *t,
                                        uint32_t words);
void scoreboard_wide_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                         bool memory);
void scoreboard_wide_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words);

/* What waits for memory is pending, and touched registers are waited for: a single test shows that
 * there is no hazard. */
static inline enum stall_cause scoreboard_hazard(const struct scoreboard *s,
                                                 const struct op_timing *t, uint32_t words)
{
    if (words > 1)
        return scoreboard_wide_hazard(s, t, words);
    if (!(s->pending & t->waits_for))
        return STALLED_NONE;
    return s->memory & t->touches ? STALLED_MEMORY : STALLED_DATA;
}

/* The instruction can issue: its operands have arrived, though they may not have been reported. For
 * programs of one word. */
static inline void scoreboard_pass(struct scoreboard *s, const struct op_timing *t)
{
    s->pending &= ~t->waits_for;
}

static inline void scoreboard_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                                  bool memory)
{
    s->pending |= t->writes;
    if (memory)
        s->memory |= t->writes;
    if (words > 1)
        scoreboard_wide_set(s, t, words, memory);
}

static inline void scoreboard_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words)
{
    uint64_t others = ~t->writes;
    s->pending &= others;
    s->memory &= others;
    if (words > 1)
        scoreboard_wide_clear(s, t, words);
}

static inline bool scoreboard_awaits_memory(const struct scoreboard *s, uint32_t reg)
{
    uint64_t memory = reg < 64 ? s->memory : s->wide_memory[reg / 64];
    return memory >> reg % 64 & 1;
}

#endif
