#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/progress.h"

static void the_line_tells_how_far_how_fast_and_how_long(void **state)
{
    (void)state;
    static const struct {
        uint64_t done, all, total_insts;
        double seconds;
        const char *line;
    } cases[] = {
        {0, 1200, 0, 2,
         "[....................] launch 3: 0 of 1,200 CTAs, geo::k<float>, 5,000,000 cycles, "
         "400 k warp insts/s"},
        /* A quarter in 30 s: three more take 90 s. */
        {300, 1200, 0, 30,
         "[#####...............] launch 3: 300 of 1,200 CTAs, 1:30 left in it, geo::k<float>, "
         "5,000,000 cycles, 27 k warp insts/s"},
        {1, 1, 0, 8,
         "[####################] launch 3: 1 of 1 CTA, 0:00 left in it, geo::k<float>, 5,000,000 "
         "cycles, 100 k warp insts/s"},
        /* Two million of eight in 40 s; of the whole run, whatever the launch. */
        {300, 1200, 8000000, 30,
         "[#####...............] 25 %, 2:00 left; launch 3, geo::k<float>, 5,000,000 cycles, "
         "27 k warp insts/s"},
        /* More than was expected. */
        {300, 1200, 1000000, 30,
         "[####################] 100 %, 0:00 left; launch 3, geo::k<float>, 5,000,000 cycles, "
         "27 k warp insts/s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heddle_progress p = {.kernel = "_ZN3geo1kIfEEvPT_",
                                    .launch = 3,
                                    .ctas_done = cases[i].done,
                                    .ctas = cases[i].all,
                                    .warp_insts = 2000000,
                                    .cycles = 5000000};
        const struct progress_time t = {.total_insts = cases[i].total_insts,
                                        .seconds = cases[i].seconds + 10,
                                        .launch_seconds = cases[i].seconds,
                                        .launch_insts = 800000};
        struct strbuf line = {0};
        progress_line(&p, &t, &line);
        assert_string_equal(strbuf_text(&line), cases[i].line);
        strbuf_destroy(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_tells_how_far_how_fast_and_how_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
