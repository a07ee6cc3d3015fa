/* The engine's side of messages between threads: taking in what others sent. */
#ifndef HEDDLE_NOC_MAIL_H
#define HEDDLE_NOC_MAIL_H

#include "noc/shard.h"

/* Was something sent to the shard on that side? */
static inline bool mail_has_come(const struct shard *s, uint32_t side)
{
    return atomic_load_explicit(&s->engine->letter_flags[s->id].set[side], memory_order_relaxed);
}

/* Moves it all into the inbox; `now` is the beginning of the quantum. The senders write to the
 * other side meanwhile. */
void mail_take_in(struct shard *s, uint32_t side, sim_time now);

/* Gives each shard its place among the times at which they want to be woken, which a team has
 * further apart. */
void engine_place(struct engine *e);

#endif
