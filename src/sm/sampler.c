/* An SM that samples for a controller of the last-level cache (TAP's core sampling): at each period
 * it reports how many warp instructions it has issued, and for how long it had a warp at all. The
 * cache decides how its requests are inserted.
 *
 * MODEL: a sampling SM counts an instruction when it is issued. Reports leave at the first core
 * cycle at or after the period's end. */
#include <stdlib.h>

#include "sm/sm.h"

struct sm_sampler {
    sim_time period, next;                /* next: the end of the current one */
    uint32_t controller;                  /* shard id */
    uint64_t insts, cycle, active_cycles; /* when the last one ended */
    struct llc_sample sample;
};

static uint64_t active_cycles(const struct sm *sm, uint64_t now)
{
    return sm->stats.active_cycles + (sm->n_resident ? now - sm->activity.active_since : 0);
}

static void report(struct sm *sm, uint64_t now)
{
    struct sm_sampler *s = sm->sampler;
    uint64_t active = active_cycles(sm, now);
    sim_time t = now * sm->clock->period;
    s->sample = (struct llc_sample){.insts = sm->stats.issued - s->insts,
                                    .cycles = now - s->cycle,
                                    .active_cycles = active - s->active_cycles};
    s->insts = sm->stats.issued;
    s->cycle = now;
    s->active_cycles = active;
    s->next += s->period;
    const struct engine *e = sm->shard.engine;
    shard_send(&sm->shard, t,
               (struct message){.at = t + sm->shard.links[e->group_of[s->controller]].latency,
                                .to = s->controller,
                                .kind = MSG_LLC_SAMPLE,
                                .body = &s->sample});
}

static sim_time report_time(const struct sm *sm)
{
    return clock_cycle_at(sm->clock, sm->sampler->next) * sm->clock->period;
}

static void advance(struct shard *s, sim_time until)
{
    struct sm *sm = (struct sm *)s;
    for (sim_time t; (t = report_time(sm)) < until;) {
        sm_ops.advance(s, t);
        report(sm, t / sm->clock->period);
    }
    sm_ops.advance(s, until);
    if (report_time(sm) < s->next)
        s->next = report_time(sm);
}

static bool is_idle(const struct shard *s)
{
    return sm_ops.is_idle(s);
}

static void describe_wait(const struct shard *s, struct strbuf *out)
{
    sm_ops.describe_wait(s, out);
}

static const struct shard_ops sampling_sm_ops = {
    .kind = "sm", .advance = advance, .is_idle = is_idle, .describe_wait = describe_wait};

void sm_sample(struct sm *sm, sim_time period, uint32_t controller)
{
    sm->sampler = xcalloc(1, sizeof *sm->sampler);
    *sm->sampler = (struct sm_sampler){.period = period, .next = period, .controller = controller};
    sm->shard.ops = &sampling_sm_ops;
    sm->planned = UINT64_MAX;
    sm->shard.next = report_time(sm);
}
