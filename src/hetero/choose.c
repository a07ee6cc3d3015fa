#include "hetero/choose.h"

#include <math.h>

const char *const hetero_target_names[HETERO_N_TARGETS] = {"cmp", "gpu"};
const char *const hetero_goal_names[N_GOALS] = {"fairness", "throughput", "weighted"};
const char *const slowdown_reference_names[N_REFERENCES] = {"same", "best"};

void hetero_apply_bubbles(const struct hetero_machine *m, const struct pressure *kernel,
                          struct hetero_native *natives, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!natives[i].table)
            continue;
        for (int t = 0; t < HETERO_N_TARGETS; t++) {
            struct pressure total = kernel[t];
            for (uint32_t j = 0; j < n; j++) {
                total.llc_bytes += j == i ? 0 : natives[j].own.llc_bytes;
                total.dram_gbps += j == i ? 0 : natives[j].own.dram_gbps;
            }
            natives[i].total[t] = total;
            natives[i].effect[t] = bubble_effect_of(natives[i].table, m, total);
            natives[i].slowdown[t] = natives[i].effect[t].both;
        }
    }
}

/* S3 Equations 6.1, 6.3 and 6.4; the kernel's weight is 1. */
static double weighted_fairness(const struct hetero_question *q, int target, double kernel)
{
    double least = kernel, greatest = kernel;
    for (uint32_t i = 0; i < q->n_natives; i++) {
        double slowdown = q->natives[i].slowdown[target] * q->natives[i].weight;
        least = fmin(least, slowdown);
        greatest = fmax(greatest, slowdown);
    }
    return least / greatest;
}

static double weighted_speed(const struct hetero_question *q, int target, double kernel)
{
    double sum = kernel, weights = 1;
    for (uint32_t i = 0; i < q->n_natives; i++) {
        sum += q->natives[i].weight / q->natives[i].slowdown[target];
        weights += q->natives[i].weight;
    }
    return sum / weights;
}

static double sum_of_speeds(const struct hetero_question *q, int target, double kernel)
{
    double sum = kernel;
    for (uint32_t i = 0; i < q->n_natives; i++)
        sum += 1 / q->natives[i].slowdown[target];
    return sum;
}

/* Of scores. Times are compared exactly. */
static bool is_tie(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void choose_shorter(const double *time, const char *reason, const char *reason_equal,
                           struct hetero_answer *a)
{
    a->target = time[HETERO_GPU] < time[HETERO_CMP] ? HETERO_GPU : HETERO_CMP;
    a->reason = time[HETERO_GPU] != time[HETERO_CMP] ? reason : reason_equal;
}

struct hetero_answer hetero_choose(const struct hetero_question *q)
{
    struct hetero_answer a = {0};
    if (q->n_natives == 0) {
        choose_shorter(q->alone_s, "the shorter time alone", "equal times alone: the CMP", &a);
        return a;
    }
    double best = fmin(q->alone_s[HETERO_CMP], q->alone_s[HETERO_GPU]);
    for (int t = 0; t < HETERO_N_TARGETS; t++) {
        a.kernel_slowdown[REFERENCE_SAME][t] = q->co_located_s[t] / q->alone_s[t];
        a.kernel_slowdown[REFERENCE_BEST][t] = q->co_located_s[t] / best;
        a.kernel_speed[t] = best / q->co_located_s[t];
        a.score[GOAL_FAIRNESS][t] = weighted_fairness(q, t, a.kernel_slowdown[q->reference][t]);
        a.score[GOAL_THROUGHPUT][t] = sum_of_speeds(q, t, a.kernel_speed[t]);
        a.score[GOAL_WEIGHTED][t] = weighted_speed(q, t, a.kernel_speed[t]);
    }
    a.fairness_ratio = a.score[GOAL_FAIRNESS][HETERO_CMP] / a.score[GOAL_FAIRNESS][HETERO_GPU];
    const double *score = a.score[q->goal];
    if (is_tie(score[HETERO_CMP], score[HETERO_GPU])) {
        choose_shorter(q->co_located_s, "equal scores: the shorter co-located time",
                       "equal scores and times: the CMP", &a);
        return a;
    }
    a.target = score[HETERO_GPU] > score[HETERO_CMP] ? HETERO_GPU : HETERO_CMP;
    a.reason = "the higher score";
    return a;
}

static bool check_number(double value, const char *what, int target, struct strbuf *why)
{
    if (isfinite(value) && value > 0)
        return true;
    strbuf_addf(why, "%s on '%s' is %g, not a finite number above 0", what,
                hetero_target_names[target], value);
    return false;
}

static bool check_native(const struct hetero_native *n, uint32_t number, int target,
                         struct strbuf *why)
{
    struct strbuf who = {0}, what = {0};
    if (n->name)
        strbuf_addf(&who, "native program '%s'", n->name);
    else
        strbuf_addf(&who, "native program %u", number);
    strbuf_addf(&what, "the slowdown of %s", strbuf_text(&who));
    bool ok = check_number(n->slowdown[target], strbuf_text(&what), target, why);
    strbuf_addf(&what, ", %g, times its 'weight', %g,", n->slowdown[target], n->weight);
    ok = ok && check_number(n->slowdown[target] * n->weight, strbuf_text(&what), target, why);
    strbuf_destroy(&who);
    strbuf_destroy(&what);
    return ok;
}

static bool check_kernel(const struct hetero_question *q, const struct hetero_answer *a, int target,
                         struct strbuf *why)
{
    struct strbuf what = {0};
    strbuf_addf(&what, "the slowdown of the kernel, from 'co_located' %g and 'alone' %g and %g,",
                q->co_located_s[target], q->alone_s[HETERO_CMP], q->alone_s[HETERO_GPU]);
    bool ok = true;
    for (int r = 0; ok && r < N_REFERENCES; r++)
        ok = check_number(a->kernel_slowdown[r][target], strbuf_text(&what), target, why);
    ok = ok && check_number(a->kernel_speed[target], "the speed of the kernel", target, why);
    strbuf_destroy(&what);
    return ok;
}

bool hetero_answer_check(const struct hetero_question *q, const struct hetero_answer *a,
                         struct strbuf *why)
{
    bool ok = true;
    for (int t = 0; q->n_natives && ok && t < HETERO_N_TARGETS; t++) {
        ok = check_kernel(q, a, t, why);
        for (uint32_t i = 0; ok && i < q->n_natives; i++)
            ok = check_native(&q->natives[i], i + 1, t, why);
        for (int g = 0; ok && g < N_GOALS; g++)
            ok = check_number(a->score[g][t], hetero_goal_names[g], t, why);
    }
    if (ok && q->n_natives && !(isfinite(a->fairness_ratio) && a->fairness_ratio > 0)) {
        strbuf_addf(why, "'fairness_ratio' is %g, not a finite number above 0", a->fairness_ratio);
        ok = false;
    }
    return ok;
}
