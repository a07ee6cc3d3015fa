#include "sm/scoreboard.h"

enum stall_cause scoreboard_wide_hazard(const struct scoreboard *s, const struct op_timing *t,
                                        uint32_t words)
{
    uint64_t pending = s->pending & t->waits_for, memory = s->memory & t->touches;
    for (uint32_t i = 1; i < words; i++) {
        pending |= s->wide_pending[i] & t->all->waits_for[i];
        memory |= s->wide_memory[i] & t->all->touches[i];
    }
    return memory ? STALLED_MEMORY : pending ? STALLED_DATA : STALLED_NONE;
}

void scoreboard_wide_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                         bool memory)
{
    for (uint32_t i = 1; i < words; i++) {
        s->wide_pending[i] |= t->all->writes[i];
        s->wide_memory[i] |= memory ? t->all->writes[i] : 0;
    }
}

void scoreboard_wide_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words)
{
    for (uint32_t i = 1; i < words; i++) {
        s->wide_pending[i] &= ~t->all->writes[i];
        s->wide_memory[i] &= ~t->all->writes[i];
    }
}
