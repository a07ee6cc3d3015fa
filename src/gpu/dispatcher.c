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

static void take(struct shard *s, const struct message *m, uint64_t now)
{
    struct dispatcher *d = (struct dispatcher *)s;
    assert(m->kind == MSG_CTA_DONE);
    d->resident[m->from - d->first_sm]--;
    d->done++;
    d->ended_at = ticker_time(&d->ticker, now);
}

static uint64_t tick(struct shard *s, uint64_t now)
{
    struct dispatcher *d = (struct dispatcher *)s;
    sim_time t = ticker_time(&d->ticker, now);
    uint32_t sm;
    if (d->next_cta >= d->n_ctas || !find_room(d, &sm))
        return TICK_NEVER;
    d->resident[sm]++;
    d->turn = (sm + 1) % d->n_sms;
    shard_send(s, t,
               (struct message){.at = t + d->latency,
                                .to = d->first_sm + sm,
                                .kind = MSG_CTA_START,
                                .body = (void *)(uintptr_t)d->next_cta++});
    return d->next_cta < d->n_ctas && find_room(d, &sm) ? now + 1 : TICK_NEVER;
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

static const struct shard_ops ops = {.kind = "dispatcher",
                                     .advance = ticker_advance,
                                     .is_idle = is_idle,
                                     .describe_wait = describe_wait,
                                     .take = take,
                                     .tick = tick};

void dispatcher_create(struct dispatcher *d, uint32_t shard_id, uint32_t first_sm, uint32_t n_sms,
                       const struct clock_domain *clock, sim_time latency)
{
    memset(d, 0, sizeof *d);
    ticker_init(&d->ticker, &ops, shard_id, clock);
    d->ticker.shard.min_latency = latency;
    d->latency = latency;
    d->first_sm = first_sm;
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
    ticker_start(&d->ticker, at);
}
