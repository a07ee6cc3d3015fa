#include "gpu/dispatcher.h"

#include <stdlib.h>
#include <string.h>

#include "request/request.h"

static bool find_room(struct dispatcher *d, uint32_t *sm)
{
    for (uint32_t i = 0; i < d->n_sms; i++) {
        *sm = (d->turn + i) % d->n_sms;
        if (d->resident[*sm] < d->max_resident)
            return true;
    }
    return false;
}

static void tick(struct dispatcher *d, uint64_t now)
{
    sim_time t = now * d->clock->period;
    const struct message *m;
    while ((m = shard_peek(&d->shard, t + 1))) {
        d->resident[m->from]--;
        d->done++;
        d->ended_at = t;
        shard_take(&d->shard);
    }
    uint32_t sm;
    if (d->next_cta >= d->n_ctas || !find_room(d, &sm))
        return;
    d->resident[sm]++;
    d->turn = (sm + 1) % d->n_sms;
    shard_send(&d->shard, t,
               (struct message){.at = t + d->latency,
                                .to = sm,
                                .kind = MSG_CTA_START,
                                .body = (void *)(uintptr_t)d->next_cta++});
}

static void advance(struct shard *s, sim_time until)
{
    struct dispatcher *d = (struct dispatcher *)s;
    for (;;) {
        const struct message *m = shard_peek(s, until);
        sim_time t = s->next;
        if (m && clock_cycle_at(d->clock, m->at) * d->clock->period < t)
            t = clock_cycle_at(d->clock, m->at) * d->clock->period;
        if (t < d->cycle * d->clock->period)
            t = d->cycle * d->clock->period;
        if (t >= until) {
            s->next = s->next == TIME_NEVER && !m ? TIME_NEVER : t;
            return;
        }
        uint64_t now = t / d->clock->period;
        uint32_t sm;
        tick(d, now);
        d->cycle = now + 1;
        bool more = d->next_cta < d->n_ctas && find_room(d, &sm);
        s->next = more ? d->cycle * d->clock->period : TIME_NEVER;
    }
}

static bool is_idle(const struct shard *s)
{
    const struct dispatcher *d = (const struct dispatcher *)s;
    return d->done == d->n_ctas;
}

static void describe_wait(const struct shard *s, struct strbuf *out)
{
    const struct dispatcher *d = (const struct dispatcher *)s;
    strbuf_addf(out, "dispatcher: %llu of %llu CTAs have ended, %llu have been started\n",
                (unsigned long long)d->done, (unsigned long long)d->n_ctas,
                (unsigned long long)d->next_cta);
}

static const struct shard_ops ops = {"dispatcher", advance, is_idle, describe_wait};

void dispatcher_create(struct dispatcher *d, uint32_t shard_id, uint32_t n_sms,
                       const struct clock_domain *clock, sim_time latency)
{
    memset(d, 0, sizeof *d);
    d->shard =
        (struct shard){.ops = &ops, .id = shard_id, .next = TIME_NEVER, .min_latency = latency};
    d->clock = clock;
    d->latency = latency;
    d->n_sms = n_sms;
    d->resident = xcalloc(n_sms, sizeof *d->resident);
}

void dispatcher_destroy(struct dispatcher *d)
{
    free(d->resident);
}

void dispatcher_start(struct dispatcher *d, uint64_t n_ctas, uint32_t max_resident, sim_time at)
{
    d->n_ctas = n_ctas;
    d->next_cta = d->done = 0;
    d->max_resident = max_resident;
    d->cycle = clock_cycle_at(d->clock, at);
    d->shard.next = d->cycle * d->clock->period;
}
