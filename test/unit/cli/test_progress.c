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
        uint64_t done, all;
        double seconds;
        const char *line;
    } cases[] = {
        {0, 1200, 2,
         "[....................] k (launch 3): 0 of 1,200 CTAs, 5,000,000 cycles, "
         "400 k warp insts/s"},
        /* A quarter in 30 s: three more take 90 s. */
        {300, 1200, 30,
         "[#####...............] k (launch 3): 300 of 1,200 CTAs, 5,000,000 cycles, "
         "27 k warp insts/s, 1:30 left"},
        {1200, 1200, 8,
         "[####################] k (launch 3): 1,200 of 1,200 CTAs, 5,000,000 "
         "cycles, 100 k warp insts/s, 0:00 left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heddle_progress p = {.kernel = "k",
                                    .launch = 3,
                                    .ctas_done = cases[i].done,
                                    .ctas = cases[i].all,
                                    .cycles = 5000000};
        struct strbuf line = {0};
        progress_line(&p, cases[i].seconds, 800000, &line);
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
