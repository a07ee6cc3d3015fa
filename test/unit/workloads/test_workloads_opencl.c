/* Every workload on an OpenCL platform that shares nothing with Heddle: what this checks is the
 * kernels, the host parts and the C references, each against the other.
 *
 * Without arguments: every workload at `tiny`. For a workload's author:
 *   test_workloads_opencl NAME [SIZE [SEED [DEVICE]]]
 * runs one and prints the verdict, the launches and the times. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "other_opencl.h"
#include "workloads/run.h"

static bool run_on_opencl(const char *name, const char *size_name, uint64_t seed,
                          const char *select)
{
    const struct workload *w = workload_find(name);
    const struct workload_size *size = w ? workload_find_size(w, size_name) : NULL;
    if (!size) {
        printf("no %s '%s'\n", w ? "size" : "workload", w ? size_name : name);
        return false;
    }
    struct device *d = device_create_opencl(select);
    struct workload_result result = {0};
    workload_run(w, size, seed, d, &result);
    printf("%s %s: %s; %" PRIu32 " launches, input %016" PRIx64
           ", device %.3f s, reference %.3f s (%s)\n",
           name, size_name, result.verified ? "verified" : strbuf_text(&result.message),
           result.launches, result.input_hash, result.seconds, result.reference_seconds,
           device_name(d));
    bool verified = result.verified;
    workload_result_destroy(&result);
    device_destroy(d);
    return verified;
}

static void workload_agrees_with_its_reference(void **state)
{
    const struct workload *w = *state;
    assert_true(run_on_opencl(w->name, "tiny", WORKLOAD_DEFAULT_SEED, NULL));
}

static int run_all(void)
{
    struct device *d = device_create_opencl(NULL);
    bool missing = opencl_is_missing(d, "every workload on another OpenCL");
    device_destroy(d);
    if (missing)
        return TEST_SKIPPED;
    struct CMUnitTest *tests = calloc(workload_count, sizeof *tests);
    for (uint32_t i = 0; i < workload_count; i++) {
        tests[i].name = workload_list[i]->name;
        tests[i].test_func = workload_agrees_with_its_reference;
        tests[i].initial_state = (void *)(uintptr_t)workload_list[i];
    }
    int failed = _cmocka_run_group_tests("workloads_opencl", tests, workload_count, NULL, NULL);
    free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_all();
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : WORKLOAD_DEFAULT_SEED;
    return run_on_opencl(argv[1], argc > 2 ? argv[2] : "tiny", seed, argc > 4 ? argv[4] : NULL) ? 0
                                                                                                : 1;
}
