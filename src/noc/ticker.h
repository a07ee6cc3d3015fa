/* Drives a part that works in cycles of a clock and has no faster method: turns the engine's
 * messages and quanta into calls of `take` and `tick` of its shard_ops, in the order of cycles. A
 * message is taken at the first cycle at or after its time, before the tick of that cycle. The
 * return of credits that one of its ports lacked causes a tick. */
#ifndef HEDDLE_NOC_TICKER_H
#define HEDDLE_NOC_TICKER_H

#include "noc/shard.h"

struct ticker {
    struct shard shard; /* first */
    const struct clock_domain *clock;
    uint64_t cycle;      /* the first not done yet */
    sim_time last_taken; /* when the last message was taken */
};

#define TICK_NEVER UINT64_MAX

/* The part is idle until a message arrives or ticker_start() is called. */
void ticker_init(struct ticker *t, const struct shard_ops *ops, uint32_t id,
                 const struct clock_domain *clock);
/* Between runs: the next tick is the first at or after that time. */
void ticker_start(struct ticker *t, sim_time at);
/* For shard_ops.advance. */
void ticker_advance(struct shard *s, sim_time until);

static inline sim_time ticker_time(const struct ticker *t, uint64_t cycle)
{
    return cycle * t->clock->period;
}

#endif
