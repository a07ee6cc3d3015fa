/* Programs that Heddle starts: how they end is known whatever the host program does with
 * SIGCHLD. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "front/process.h"

/* Runs a script, whose standard input is "in". */
static struct process_result run_script(const char *script, struct strbuf *messages)
{
    struct arena arena = {0};
    struct arg_list args = {.arena = &arena};
    args_add_all(&args, "sh", "-c", script, NULL);
    struct process_result result = process_run(&args, "in", 2, messages);
    args_destroy(&args);
    arena_destroy(&arena);
    return result;
}

/* How programs end, and that what they say is there once. */
static void assert_ends_are_known(void)
{
    struct strbuf messages = {0};
    strbuf_add(&messages, "before ");
    struct process_result r = run_script("cat >&2; exit 3", &messages);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.exit_status, 3);
    assert_string_equal(strbuf_text(&messages), "before in");
    r = run_script("exit 0", &messages);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.exit_status, 0);
    r = run_script("kill -TERM $$", &messages);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.exit_status, -1);
    assert_int_equal(r.signal, SIGTERM);
    strbuf_destroy(&messages);
}

static void ends_are_known(void **state)
{
    (void)state;
    assert_ends_are_known();
}

/* As Erlang's virtual machine does. */
static void ends_are_known_if_children_are_ignored(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_ends_are_known();
    signal(SIGCHLD, SIG_DFL);
}

static void reap(int signal_number)
{
    (void)signal_number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

static void ends_are_known_if_a_handler_waits_for_children(void **state)
{
    (void)state;
    signal(SIGCHLD, reap);
    assert_ends_are_known();
    signal(SIGCHLD, SIG_DFL);
}

static void missing_programs_are_errors(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct arg_list args = {.arena = &arena};
    struct strbuf messages = {0};
    args_add(&args, "/nowhere/at/all");
    struct process_result r = process_run(&args, "", 0, &messages);
    assert_true(r.error != 0 || r.exit_status == 127);
    strbuf_destroy(&messages);
    args_destroy(&args);
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_known),
        cmocka_unit_test(ends_are_known_if_children_are_ignored),
        cmocka_unit_test(ends_are_known_if_a_handler_waits_for_children),
        cmocka_unit_test(missing_programs_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
