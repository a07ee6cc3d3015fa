#include "noc/ticker.h"

void ticker_init(struct ticker *t, const struct shard_ops *ops, uint32_t id,
                 const struct clock_domain *clock)
{
    assert(ops->take && ops->tick);
    *t = (struct ticker){
        .shard = {.ops = ops, .id = id, .next = TIME_NEVER, .tick = clock->period},
        .clock = clock,
    };
}

void ticker_start(struct ticker *t, sim_time at)
{
    t->cycle = clock_cycle_at(t->clock, at);
    t->shard.next = ticker_time(t, t->cycle);
}

/* The next cycle with something to do, considering only messages that are usable before `until`;
 * TICK_NEVER = none. */
static uint64_t next_cycle(const struct ticker *t, sim_time until)
{
    const struct message *m = shard_peek(&t->shard, until);
    sim_time at = t->shard.next;
    if (m && m->at < at)
        at = m->at;
    if (at == TIME_NEVER)
        return TICK_NEVER;
    uint64_t cycle = clock_cycle_at(t->clock, at);
    return cycle > t->cycle ? cycle : t->cycle;
}

static void do_cycle(struct ticker *t, uint64_t now)
{
    struct shard *s = &t->shard;
    const struct message *m;
    while ((m = shard_peek(s, ticker_time(t, now) + 1))) {
        struct message copy = *m;
        shard_take(s);
        t->last_taken = ticker_time(t, now);
        s->ops->take(s, &copy, now);
    }
    uint64_t next = s->ops->tick(s, now);
    assert(next > now);
    t->cycle = now + 1;
    s->next = next == TICK_NEVER ? TIME_NEVER : ticker_time(t, next);
}

void ticker_advance(struct shard *s, sim_time until)
{
    struct ticker *t = (struct ticker *)s;
    uint64_t now;
    if (s->credit_at < s->next) /* one of its ports lacked credits */
        s->next = s->credit_at;
    while ((now = next_cycle(t, until)) != TICK_NEVER && ticker_time(t, now) < until)
        do_cycle(t, now);
    s->next = now == TICK_NEVER ? TIME_NEVER : ticker_time(t, now);
}
