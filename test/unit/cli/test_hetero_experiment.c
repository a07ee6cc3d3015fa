/* HeteroPDP's experiment: which workloads are programs of S3 Table 6.3, so that nothing is trained
 * with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/hetero_experiment.h"

static void its_launches_are_its_programs(void **state)
{
    (void)state;
    for (uint32_t e = 0; e < N_ENTRIES; e++)
        assert_true(experiment_has(workload_find(experiment_entries[e].workload)));
}

static void other_names_of_its_programs_count(void **state)
{
    (void)state;
    assert_true(experiment_has(workload_find("sc_small"))); /* the source of sc_mid */
    assert_true(experiment_has(workload_find("kmn")));      /* the source of km */
    assert_false(experiment_has(workload_find("mm")));
    assert_false(experiment_has(workload_find("red")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_launches_are_its_programs),
        cmocka_unit_test(other_names_of_its_programs_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
