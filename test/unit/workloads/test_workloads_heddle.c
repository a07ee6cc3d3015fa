/* Every workload on the simulator, without timing: the result must agree with the C reference, and
 * the input that arrived must be that which any device gets.
 *
 * Without arguments: every workload at `tiny`. For a workload's author:
 *   test_workloads_heddle NAME [SIZE [SEED]]
 * runs one and prints the verdict, the warp instructions and the times. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "heddle/heddle.h"
#include "unit/workloads/host_memory_device.h"
#include "workloads/run.h"

/* What the host part sends before it sees an answer does not depend on the device. */
static uint64_t input_hash(const struct workload *w, const struct workload_size *size,
                           uint64_t seed)
{
    struct device *d = host_memory_create(NULL);
    struct workload_result result = {0};
    workload_run(w, size, seed, d, &result);
    uint64_t hash = result.input_hash;
    workload_result_destroy(&result);
    device_destroy(d);
    return hash;
}

static uint64_t warp_insts(const struct heddle_sim *sim)
{
    struct heddle_stat stat = {0};
    return heddle_stat_find(sim, "warp_insts", &stat) ? stat.count : 0;
}

static bool run_on_heddle(const char *name, const char *size_name, uint64_t seed, uint64_t *insts)
{
    const struct workload *w = workload_find(name);
    const struct workload_size *size = w ? workload_find_size(w, size_name) : NULL;
    if (!size) {
        printf("no %s '%s'\n", w ? "size" : "workload", w ? size_name : name);
        return false;
    }
    struct heddle_options options = {.struct_size = sizeof options};
    struct heddle_sim *sim = NULL;
    if (heddle_create(&options, &sim) != HEDDLE_OK) {
        printf("%s\n", heddle_error(sim));
        heddle_destroy(sim);
        return false;
    }
    struct device *d = device_create_heddle(sim);
    struct workload_result result = {0};
    workload_run(w, size, seed, d, &result);
    printf("%s %s: %s; %" PRIu32 " launches, %" PRIu64 " warp instructions, %.3f s\n", name,
           size_name, result.verified ? "verified" : strbuf_text(&result.message), result.launches,
           warp_insts(sim), result.seconds);
    bool good = result.verified && result.input_hash == input_hash(w, size, seed);
    *insts = warp_insts(sim);
    workload_result_destroy(&result);
    device_destroy(d);
    heddle_destroy(sim);
    return good;
}

/* `tiny` is for tests: enough instructions to mean something, few enough to run all of them often.
 */
static void workload_agrees_with_its_reference(void **state)
{
    const struct workload *w = *state;
    uint64_t insts = 0;
    assert_true(run_on_heddle(w->name, "tiny", WORKLOAD_DEFAULT_SEED, &insts));
    assert_in_range(insts, 100000, 1000000);
}

static int run_all(void)
{
    struct CMUnitTest *tests = calloc(workload_count, sizeof *tests);
    for (uint32_t i = 0; i < workload_count; i++) {
        tests[i].name = workload_list[i]->name;
        tests[i].test_func = workload_agrees_with_its_reference;
        tests[i].initial_state = (void *)(uintptr_t)workload_list[i];
    }
    int failed = _cmocka_run_group_tests("workloads_heddle", tests, workload_count, NULL, NULL);
    free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_all();
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : WORKLOAD_DEFAULT_SEED;
    uint64_t insts = 0;
    return run_on_heddle(argv[1], argc > 2 ? argv[2] : "tiny", seed, &insts) ? 0 : 1;
}
