#include <string.h>

#include "gpu/llc_controller.h"
#include "gpu/machine.h"

static bool is_slice(const struct llc_controller *c, uint32_t id)
{
    return id - c->first_slice < c->n_slices;
}

static void add_report(struct llc_controller *c, const struct shared_report *r)
{
    for (uint32_t k = 0; k < r->n_apps; k++) {
        c->report.accesses[k] += r->accesses[k];
        for (uint32_t p = 0; p < r->n_ways; p++)
            c->report.hits[k][p] += r->hits[k][p];
    }
}

static void take(struct shard *s, const struct message *m, uint64_t now)
{
    struct llc_controller *c = (struct llc_controller *)s;
    (void)now;
    if (m->kind == MSG_LLC_SAMPLE) {
        uint32_t sm = m->from - c->llc->first_sm;
        c->samples[sm == c->llc->samplers[1]] = *(const struct llc_sample *)m->body;
    } else {
        assert(m->kind == MSG_LLC_REPORT && is_slice(c, m->from));
        add_report(c, m->body);
    }
    c->n_reports++;
}

/* An SM that had no warp for more than a tenth of the period says nothing about caching. */
static bool was_busy(const struct llc_sample *s)
{
    return s->cycles && 10 * (s->cycles - s->active_cycles) <= s->cycles;
}

static void judge_samples(struct llc_controller *c)
{
    struct shared_report *r = &c->report;
    r->has_samples =
        c->policy->uses_sampling_sms && was_busy(&c->samples[0]) && was_busy(&c->samples[1]);
    r->sampled_insts[0] = c->samples[0].insts;
    r->sampled_insts[1] = c->samples[1].insts;
}

static void count(struct llc_controller *c, const struct shared_decision *before)
{
    const struct shared_report *r = &c->report;
    const struct shared_decision *d = &c->decision;
    c->n_periods++;
    c->n_judged += r->has_samples;
    c->n_helps += d->caching_helps;
    c->xs_sum += d->xs_ratio;
    c->n_quota_changes += memcmp(before->quotas, d->quotas, sizeof d->quotas) != 0;
    for (uint32_t k = 0; k < r->n_apps; k++)
        c->accesses[k != r->gpu_app] += r->accesses[k];
}

static void forget_report(struct llc_controller *c)
{
    c->n_reports = 0;
    c->report = (struct shared_report){
        .n_apps = c->llc->n_apps, .n_ways = c->report.n_ways, .gpu_app = c->llc->gpu_app};
}

static uint64_t tick(struct shard *s, uint64_t now)
{
    struct llc_controller *c = (struct llc_controller *)s;
    sim_time t = ticker_time(&c->ticker, now);
    if (c->n_reports < c->n_expected)
        return TICK_NEVER;
    struct shared_decision before = c->decision;
    judge_samples(c);
    c->policy->control(c->params, &c->report, &c->decision);
    count(c, &before);
    forget_report(c);
    sim_time latency = s->links[s->engine->group_of[c->first_slice]].latency;
    for (uint32_t i = 0; i < c->n_slices; i++)
        shard_send(s, t,
                   (struct message){.at = t + latency,
                                    .to = c->first_slice + i,
                                    .kind = MSG_LLC_DECISION,
                                    .body = &c->decision});
    return TICK_NEVER;
}

/* Even between two reports of one period, nothing waits for it. */
static bool is_idle(const struct shard *s)
{
    (void)s;
    return true;
}

static const struct shard_ops ops = {.kind = "controller of the last-level cache",
                                     .advance = ticker_advance,
                                     .is_idle = is_idle,
                                     .take = take,
                                     .tick = tick};

static void create(struct shard *part, const struct part_position *at, const void *setup)
{
    const struct machine *m = setup;
    const struct machine_config *config = m->config;
    const struct part_group *slices = &m->graph.groups[m->memory.group];
    struct llc_controller *c = (struct llc_controller *)part;
    ticker_init(&c->ticker, &ops, at->id, &m->clocks[CLOCK_L2]);
    c->policy = config->l2_policy;
    c->params = config->l2_params;
    c->llc = &m->llc;
    c->first_slice = slices->first_id;
    c->n_slices = slices->n;
    c->n_expected = slices->n + (c->policy->uses_sampling_sms ? 2 : 0);
    c->report.n_ways = config->l2.n_ways;
    c->decision = shared_decision_first(m->llc.n_apps, config->l2.n_ways, m->llc.gpu_app);
    forget_report(c);
}

const struct machine_part_kind llc_controller_part = {
    .part = {.bytes = sizeof(struct llc_controller), .create = create},
};
