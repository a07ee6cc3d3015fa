/* How far the engine goes: in one quantum, up to a limit, to the end, or into a deadlock; and what
 * a machine's builder must not do. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "unit/noc/stage.h"

static void idle_stretches_are_jumped_over(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    acts_every(&st.actors[0], 1000000000000, 5);
    st.engine.period = 7;
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 5);
    assert_int_equal(st.actors[0].n_advances, 5);
    assert_int_equal(st.actors[1].n_advances, 0);
    stage_free(&st);
}

static void someone_still_waiting_makes_it_a_deadlock(void **state)
{
    (void)state;
    struct stage st;
    struct strbuf text = {0};
    stage_init(&st);
    acts_every(&st.actors[0], 5, 3);
    st.actors[1].waits = st.actors[2].waits = true;
    for (int skip = 0; skip < 2; skip++) {
        st.engine.skip = skip;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DEADLOCK);
    }
    assert_int_equal(st.actors[0].n_acts, 3);
    engine_describe_wait(&st.engine, UINT32_MAX, &text);
    assert_string_equal(strbuf_text(&text), "actor (shard 1) does not say what it waits for\n"
                                            "waits for Godot\n");
    strbuf_clear(&text);
    st.actors[0].waits = true;
    engine_describe_wait(&st.engine, 2, &text);
    assert_string_equal(strbuf_text(&text), "actor (shard 0) does not say what it waits for\n"
                                            "actor (shard 1) does not say what it waits for\n"
                                            "... and 1 more of this kind (actor)\n");
    strbuf_clear(&text);
    engine_describe_wait(&st.engine, 3, &text);
    assert_null(strstr(strbuf_text(&text), "more of this kind"));
    strbuf_destroy(&text);
    stage_free(&st);
}

static void a_message_in_flight_is_no_deadlock(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    shard_send(st.list[0], 0, (struct message){.at = 123456, .to = 1});
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[1].seen[0], 123456);
    stage_free(&st);
}

static bool has_acted_twice(void *user)
{
    return ((struct scripted *)user)->n_acts >= 2;
}

static void is_done_ends_the_run_and_it_can_go_on(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    acts_every(&st.actors[0], 100, 4);
    assert_int_equal(engine_run(&st.engine, has_acted_twice, &st.actors[0], TIME_NEVER),
                     ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 2);
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 4);
    /* Done never comes true: nothing can happen, so that is a deadlock even if all are idle. */
    assert_int_equal(engine_run(&st.engine, has_acted_twice, &st.actors[1], TIME_NEVER),
                     ENGINE_DEADLOCK);
    stage_free(&st);
}

static void nothing_happens_at_or_after_the_limit(void **state)
{
    (void)state;
    for (sim_time quantum = 1; quantum <= 10; quantum += 3) {
        struct stage st;
        stage_init(&st);
        st.engine.quantum = quantum;
        acts_every(&st.actors[0], 12, 1000);
        assert_int_equal(run(&st, 36), ENGINE_LIMIT);
        assert_int_equal(st.actors[0].n_acts, 2);
        assert_int_equal(st.engine.now, 36);
        assert_int_equal(run(&st, 37), ENGINE_LIMIT);
        assert_int_equal(st.actors[0].n_acts, 3);
        stage_free(&st);
    }
}

/* An observer of the machine relies on the time being exact there. */
static void a_limit_where_nothing_happens_is_come_to(void **state)
{
    (void)state;
    for (uint32_t n_first = 0; n_first < 2; n_first++) {
        struct stage st;
        stage_init(&st);
        st.engine.n_first = n_first;
        acts_every(&st.actors[0], 1000, 2);
        for (sim_time limit = 40; limit < 1000; limit += 97) {
            assert_int_equal(run(&st, limit), ENGINE_LIMIT);
            assert_int_equal(st.engine.now, limit);
        }
        assert_int_equal(st.actors[0].n_acts, 0);
        stage_free(&st);
    }
}

/* Both halves always have something to do: each goes two latencies at a time, the one a latency
 * ahead of the other. With one half alone at work it is as far. Anybody to anybody: one latency. */
static void halves_advance_in_turn_twice_as_far(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        struct stage st;
        stage_init(&st);
        st.engine.n_first = variant ? 1 : 0;
        acts_every(&st.actors[0], 1, 1000);
        if (variant != 2)
            acts_every(&st.actors[1], 1, 1000);
        if (variant == 3)
            st.engine.period = 15; /* boundaries still end a quantum */
        assert_int_equal(run(&st, 400), ENGINE_LIMIT);
        static const uint32_t n_advances[4][2] = {{40, 40}, {21, 20}, {20, 0}, {27, 27}};
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(st.actors[i].n_acts, variant == 2 && i ? 0 : 399);
            assert_in_range(st.actors[i].n_advances, n_advances[variant][i],
                            n_advances[variant][i] + (variant == 3 ? 27 : 1));
        }
        stage_free(&st);
    }
}

static void both_halves_are_equally_far_at_every_limit(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    st.engine.n_first = 1;
    acts_every(&st.actors[0], 1, 1000);
    acts_every(&st.actors[1], 1, 1000);
    for (sim_time limit = 2; limit < 400; limit += 1 + limit / 7) {
        assert_int_equal(run(&st, limit), ENGINE_LIMIT);
        assert_int_equal(st.engine.now, limit);
        assert_int_equal(st.actors[0].n_acts, limit - 1);
        assert_int_equal(st.actors[1].n_acts, limit - 1);
    }
    stage_free(&st);
}

/* --- mistakes of the machine's builder end the process at once --- */

/* It belongs to the other's half. */
static void send_within_a_half(void)
{
    struct stage st;
    stage_init(&st);
    st.engine.n_first = 2;
    acts_every(&st.actors[0], 1, 1000);
    st.actors[0].sends_to = 1;
    run(&st, 400);
}

static void send_too_fast(void)
{
    struct stage st;
    stage_init(&st);
    shard_send(st.list[0], 5, (struct message){.at = 14, .to = 1});
}

static void quantum_too_long(void)
{
    struct stage st;
    stage_init(&st);
    st.engine.quantum = 11;
    run(&st, TIME_NEVER);
}

static void lie_about_now(void)
{
    struct stage st;
    stage_init(&st);
    st.engine.now = st.engine.end = 100;
    shard_send(st.list[0], 5, (struct message){.at = 15, .to = 1});
    run(&st, TIME_NEVER);
}

static bool aborts(void (*f)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        f();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void breaking_the_latency_contract_is_caught(void **state)
{
    (void)state;
    assert_true(aborts(send_too_fast));
    assert_true(aborts(quantum_too_long));
    assert_true(aborts(lie_about_now));
    assert_true(aborts(send_within_a_half));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_stretches_are_jumped_over),
        cmocka_unit_test(someone_still_waiting_makes_it_a_deadlock),
        cmocka_unit_test(a_message_in_flight_is_no_deadlock),
        cmocka_unit_test(is_done_ends_the_run_and_it_can_go_on),
        cmocka_unit_test(nothing_happens_at_or_after_the_limit),
        cmocka_unit_test(a_limit_where_nothing_happens_is_come_to),
        cmocka_unit_test(halves_advance_in_turn_twice_as_far),
        cmocka_unit_test(both_halves_are_equally_far_at_every_limit),
        cmocka_unit_test(breaking_the_latency_contract_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
