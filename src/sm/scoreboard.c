#include "sm/scoreboard.h"

enum stall_cause scoreboard_wide_hazard(const struct scoreboard *s, const struct op_timing *t,
                                        uint32_t words)
{
    uint64_t pending = 0, memory = 0;
    for (uint32_t i = 0; i < words; i++) {
        pending |= s->pending[i] & t->waits_for[i];
        memory |= s->memory[i] & t->touches[i];
    }
    return scoreboard_cause(pending, memory);
}

void scoreboard_wide_set(struct scoreboard *s, const struct op_timing *t, uint32_t words,
                         bool memory)
{
    for (uint32_t i = 1; i < words; i++) {
        s->pending[i] |= t->writes[i];
        s->memory[i] |= memory ? t->writes[i] : 0;
    }
}

void scoreboard_wide_clear(struct scoreboard *s, const struct op_timing *t, uint32_t words)
{
    for (uint32_t i = 1; i < words; i++) {
        s->pending[i] &= ~t->writes[i];
        s->memory[i] &= ~t->writes[i];
    }
}
