/* A step tried in a child process: its crash is reported, and changes nothing here. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "workloads/trial.h"

static void count(void *argument)
{
    ++*(int *)argument;
    fprintf(stderr, "counted\n");
}

static void abort_in_words(void *argument)
{
    (void)argument;
    fprintf(stderr, "first line\nlast line\n\n");
    abort();
}

static void end_with_status_3(void *argument)
{
    (void)argument;
    _exit(3);
}

static void hang(void *argument)
{
    (void)argument;
    for (;;)
        pause();
}

static void expect_end(void (*step)(void *argument), unsigned seconds, const char *end)
{
    struct strbuf how = {0};
    assert_false(trial_survives(step, NULL, seconds, &how));
    assert_string_equal(strbuf_text(&how), end);
    strbuf_destroy(&how);
}

static void a_step_that_returns_survives_and_changes_nothing_here(void **state)
{
    (void)state;
    int counted = 0;
    struct strbuf how = {0};
    assert_true(trial_survives(count, &counted, 60, &how));
    assert_int_equal(counted, 0);
    assert_string_equal(strbuf_text(&how), "");
}

static void a_crash_is_told_with_the_last_words(void **state)
{
    (void)state;
    expect_end(abort_in_words, 60, "Aborted: last line");
}

static void an_exit_is_told(void **state)
{
    (void)state;
    expect_end(end_with_status_3, 60, "exit status 3");
}

static void a_step_that_hangs_is_ended(void **state)
{
    (void)state;
    expect_end(hang, 1, "Alarm clock");
}

static void never_called(int signal_number)
{
    (void)signal_number;
    _exit(0);
}

static void the_callers_handlers_are_not_the_childs(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGABRT, never_called);
    expect_end(abort_in_words, 60, "Aborted: last line");
    signal(SIGABRT, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_returns_survives_and_changes_nothing_here),
        cmocka_unit_test(a_crash_is_told_with_the_last_words),
        cmocka_unit_test(an_exit_is_told),
        cmocka_unit_test(a_step_that_hangs_is_ended),
        cmocka_unit_test(the_callers_handlers_are_not_the_childs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
