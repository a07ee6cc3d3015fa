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
            natives[i].slowdown[t] = bubble_slowdown(natives[i].table, m, total);
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

static bool is_tie(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void choose_shorter(const double *time, const char *reason, const char *reason_equal,
                           struct hetero_answer *a)
{
    bool is_equal = is_tie(time[HETERO_CMP], time[HETERO_GPU]);
    a->target = !is_equal && time[HETERO_GPU] < time[HETERO_CMP] ? HETERO_GPU : HETERO_CMP;
    a->reason = is_equal ? reason_equal : reason;
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
