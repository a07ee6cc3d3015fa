/* The engine's side of messages between threads: receiving them. */
#ifndef HEDDLE_NOC_MAIL_H
#define HEDDLE_NOC_MAIL_H

#include "noc/shard.h"

/* Was something sent to the shard on that side? */
static inline bool mail_has_come(const struct shard *s, uint32_t side)
{
    return atomic_load_explicit(&s->engine->letter_flags[s->id].set[side], memory_order_relaxed);
}

/* Moves everything that was sent to the shard on that side into its inbox; `now` is the beginning
 * of the quantum. Senders write to the other side in the meantime. */
void mail_take_in(struct shard *s, uint32_t side, sim_time now);

/* Assigns each shard its entry in the array of wake-up times. With a team the entries are further
 * apart. */
void engine_place(struct engine *e);

#endif
