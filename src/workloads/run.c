/* The life of one workload run: setup, device part, reference, check. */
#include "workloads/run.h"

#include <stdlib.h>
#include <time.h>

#include "base/arena.h"

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void verify(const struct workload *w, void *state, struct workload_result *result)
{
    double start = now_seconds();
    w->reference(state);
    result->reference_seconds = now_seconds() - start;
    result->verified = w->check(state, &result->message);
    result->status = result->verified ? HEDDLE_OK : HEDDLE_WRONG_RESULT;
}

bool workload_run(const struct workload *w, const struct workload_size *size, uint64_t seed,
                  struct device *d, struct workload_result *result)
{
    workload_result_destroy(result);
    void *state = xcalloc(1, w->state_bytes);
    w->setup(state, size, seed);
    device_load(d, w->name, w->source, w->build_options);

    double start = now_seconds();
    if (device_ok(d))
        w->run(state, d);
    device_finish(d);
    result->seconds = now_seconds() - start;
    result->ok = device_ok(d);
    result->status = device_status(d);
    result->input_hash = device_input_hash(d);
    result->output_hash = device_output_hash(d);
    result->launches = device_launches(d);

    if (result->ok)
        verify(w, state, result);
    else
        strbuf_add(&result->message, device_error(d));
    w->teardown(state);
    free(state);
    return result->verified;
}

void workload_result_destroy(struct workload_result *result)
{
    strbuf_destroy(&result->message);
    *result = (struct workload_result){0};
}
