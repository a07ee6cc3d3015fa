/* Small machines that follow a script: three shards that act on command, and remember what they
 * received. */
#ifndef HEDDLE_TEST_STAGE_H
#define HEDDLE_TEST_STAGE_H

#include <string.h>

#include "base/strbuf.h"
#include "noc/shard.h"

struct scripted {
    struct shard shard; /* first */
    sim_time step;      /* acts at each multiple; 0 = never */
    sim_time seen[256]; /* when, and from which sender, messages arrived */
    uint32_t from[256], values[256], n_seen;
    uint32_t n_acts, n_advances, max_acts;
    bool waits;
    uint32_t sends_to;          /* at each act, if not 0 */
    uint32_t acts_for_boundary; /* a bit for each of the first acts: it awaits one */
};

static inline void scripted_advance(struct shard *s, sim_time until)
{
    struct scripted *c = (struct scripted *)s;
    c->n_advances++;
    for (const struct message *m; (m = shard_peek(s, until)); shard_take(s)) {
        c->seen[c->n_seen] = m->at;
        c->from[c->n_seen] = m->from;
        c->values[c->n_seen++] = (uint32_t)(uintptr_t)m->body;
    }
    for (; s->next < until; c->n_acts++) {
        if (c->n_acts < 32 && c->acts_for_boundary >> c->n_acts & 1)
            shard_await_boundary(s);
        if (c->sends_to)
            shard_send(s, s->next,
                       (struct message){.at = s->next + s->min_latency, .to = c->sends_to});
        s->next = c->n_acts + 1 < c->max_acts ? s->next + c->step : TIME_NEVER;
    }
}

static inline bool scripted_is_idle(const struct shard *s)
{
    return !((const struct scripted *)s)->waits;
}

static inline void scripted_describe(const struct shard *s, struct strbuf *out)
{
    if (s->id == 2)
        strbuf_add(out, "waits for Godot");
}

static const struct shard_ops scripted_ops = {.kind = "actor",
                                              .advance = scripted_advance,
                                              .is_idle = scripted_is_idle,
                                              .describe_wait = scripted_describe};

struct stage {
    struct scripted actors[3];
    struct shard *list[3];
    struct engine engine;
};

static inline void stage_init(struct stage *st)
{
    memset(st, 0, sizeof *st);
    for (uint32_t i = 0; i < 3; i++) {
        st->actors[i].shard =
            (struct shard){.ops = &scripted_ops, .id = i, .next = TIME_NEVER, .min_latency = 10};
        st->list[i] = &st->actors[i].shard;
    }
    st->engine = (struct engine){.shards = st->list, .n = 3, .quantum = 10, .skip = true};
    engine_connect(&st->engine);
}

static inline void stage_free(struct stage *st)
{
    engine_destroy(&st->engine);
}

static inline void acts_every(struct scripted *a, sim_time step, uint32_t times)
{
    a->step = step;
    a->shard.next = step;
    a->max_acts = times;
    a->acts_for_boundary = ~0u;
}

static inline enum engine_end run(struct stage *st, sim_time limit)
{
    return engine_run(&st->engine, NULL, NULL, limit);
}

#endif
