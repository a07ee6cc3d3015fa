/* The engine's side of messages: taking in what others sent. */
#ifndef HEDDLE_NOC_MAIL_H
#define HEDDLE_NOC_MAIL_H

#include "noc/shard.h"

/* Moves what was sent to the shard on that side, by anyone, into its inbox; `now` is the beginning
 * of the quantum. The senders write to the other side meanwhile. */
void mail_take_in(struct shard *s, uint32_t side, sim_time now);

#endif
