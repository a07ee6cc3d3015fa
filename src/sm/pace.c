#include "sm/pace.h"

#include <stdlib.h>

#include "sm/sm.h"

/* The samples of a live warp. */
struct prediction {
    uint64_t samples, samples_alone;
    uint64_t slow, slow_among_others; /* among all warps of its CTA; among those alive */
    int64_t at_start;                 /* its rating when it started */
};

/* The warps of a CTA that have ended so far. */
struct cta_pace {
    uint32_t n_warps;
    uint64_t sum_cycles;
    struct warp_latency fastest, slowest;
    struct prediction of_slowest;
    uint32_t n_started, expected; /* the warp predicted to be the slowest at its start */
    int64_t expected_criticality, sum_expected;
};

struct pace {
    bool has_oracle;
    struct cta_pace ctas[SM_MAX_CTAS];           /* by CTA slot */
    struct prediction predictions[SM_MAX_WARPS]; /* by warp slot */
};

struct pace *pace_create(bool has_oracle)
{
    struct pace *p = xcalloc(1, sizeof *p);
    p->has_oracle = has_oracle;
    return p;
}

void pace_destroy(struct pace *p)
{
    free(p);
}

void pace_start(struct pace *p, const struct sched_view *v, uint32_t slot, int64_t criticality)
{
    const struct sched_warp *w = &v->warps[slot];
    struct cta_pace *c = &p->ctas[w->cta_slot];
    p->predictions[slot] = (struct prediction){.at_start = criticality};
    c->sum_expected += criticality;
    if (!c->n_started++ || criticality > c->expected_criticality) {
        c->expected = w->warp_in_cta;
        c->expected_criticality = criticality;
    }
}

void pace_sample(struct pace *p, const struct sched_view *v, uint64_t now)
{
    int64_t value[SM_MAX_WARPS];
    for (uint64_t rest = v->live; rest; rest &= rest - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(rest);
        value[w] = v->criticality_of(v->provider, w, now);
    }
    for (uint64_t rest = v->live; rest; rest &= rest - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(rest), n_others = 0, n_less = 0;
        for (uint64_t others = v->live & ~(1ull << w); others; others &= others - 1) {
            uint32_t other = (uint32_t)__builtin_ctzll(others);
            bool is_of_cta = v->warps[other].cta_slot == v->warps[w].cta_slot;
            n_others += is_of_cta;
            n_less += is_of_cta && value[other] < value[w];
        }
        uint32_t n_ended = p->ctas[v->warps[w].cta_slot].n_warps;
        p->predictions[w].samples++;
        p->predictions[w].samples_alone += n_others == 0;
        /* S3's "50% of warps in a thread-block" are half of the other warps; see pace.h. */
        p->predictions[w].slow += 2 * (n_less + n_ended) >= n_others + n_ended;
        p->predictions[w].slow_among_others += n_others > 0 && 2 * n_less >= n_others;
    }
}

/* --- finished warps and CTAs --- */

static uint64_t lifetime(const struct warp_latency *w)
{
    return w->end - w->start;
}

/* Does `a` take precedence over `b`, given how their lifetimes compare? */
static bool comes_first(const struct warp_latency *a, const struct warp_latency *b, bool is_beyond)
{
    return is_beyond || (lifetime(a) == lifetime(b) && a->warp_in_cta < b->warp_in_cta);
}

static void count_prediction(const struct cta_pace *c, struct pace_stats *into)
{
    into->samples += c->of_slowest.samples;
    into->samples_alone += c->of_slowest.samples_alone;
    into->slow += c->of_slowest.slow;
    into->slow_among_others += c->of_slowest.slow_among_others;
}

static void count_cta(const struct cta_pace *c, bool has_oracle, struct pace_stats *into)
{
    count_prediction(c, into);
    if (c->n_warps < 2)
        return;
    into->ctas++;
    into->warps += c->n_warps;
    for (uint32_t i = 0; i < N_LATENCIES; i++) {
        into->slowest[i] += c->slowest.cycles[i];
        into->fastest[i] += c->fastest.cycles[i];
    }
    into->slowest_cycles += lifetime(&c->slowest);
    into->fastest_cycles += lifetime(&c->fastest);
    into->slowest_twice += c->slowest.twice;
    into->fastest_twice += c->fastest.twice;
    into->cta_warp_cycles += c->n_warps * lifetime(&c->slowest);
    into->idle_cycles += c->n_warps * lifetime(&c->slowest) - c->sum_cycles;
    if (!has_oracle)
        return;
    into->inversions += c->slowest.warp_in_cta != c->expected;
    into->inversions_by_fast += c->of_slowest.at_start * (int64_t)c->n_warps < c->sum_expected;
}

void pace_end(struct pace *p, const struct warp_latency *w, struct pace_stats *into)
{
    struct cta_pace *c = &p->ctas[w->cta_slot];
    bool is_first = !c->n_warps++;
    c->sum_cycles += lifetime(w);
    if (is_first || comes_first(w, &c->slowest, lifetime(w) > lifetime(&c->slowest))) {
        c->slowest = *w;
        c->of_slowest = p->predictions[w->slot];
    }
    if (is_first || comes_first(w, &c->fastest, lifetime(w) < lifetime(&c->fastest)))
        c->fastest = *w;
    if (!w->is_last_of_cta)
        return;
    count_cta(c, p->has_oracle, into);
    *c = (struct cta_pace){0};
}
