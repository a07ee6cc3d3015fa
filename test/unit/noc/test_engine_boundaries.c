/* Boundaries: when the engine calls at_boundary(), which makes stores visible, and when it need
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/noc/stage.h"

struct boundary_log {
    struct scripted *actor;
    sim_time times[64];
    uint32_t acts[64], n;
};

static void note_boundary(void *user, sim_time t)
{
    struct boundary_log *log = user;
    log->acts[log->n] = log->actor->n_acts;
    log->times[log->n++] = t;
}

/* Acts at 20, 40 and 60; boundaries at multiples of 20 come before what happens at their time. */
static void boundaries_come_before_what_happens_then(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++) {
        struct stage st;
        stage_init(&st);
        struct boundary_log log = {.actor = &st.actors[0]};
        bool skip = variant > 0;
        st.engine.n_first = variant == 2; /* the other half acts at the same times */
        acts_every(&st.actors[0], 20, 3);
        if (variant == 2)
            acts_every(&st.actors[1], 20, 3);
        st.engine.period = 20;
        st.engine.skip = skip;
        st.engine.at_boundary = note_boundary;
        st.engine.user = &log;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
        /* Stepping calls it at 0 and 20 too, when nothing has happened yet. */
        uint32_t first = skip ? 0 : 2;
        assert_int_equal(log.n, first + 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(log.times[first + i], 40 + 20 * i);
            assert_int_equal(log.acts[first + i], 1 + i);
        }
        stage_free(&st);
    }
}

/* Periods that no quantum divides: at each boundary exactly the acts before it are done. */
static void quanta_end_at_boundaries(void **state)
{
    (void)state;
    for (sim_time quantum = 1; quantum <= 10; quantum++) {
        struct stage st;
        stage_init(&st);
        struct boundary_log log = {.actor = &st.actors[0]};
        acts_every(&st.actors[0], 7, 20);
        st.engine.quantum = quantum;
        st.engine.period = 25;
        st.engine.at_boundary = note_boundary;
        st.engine.user = &log;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
        assert_int_equal(log.n, 6);
        for (uint32_t i = 0; i < log.n; i++) {
            assert_int_equal(log.times[i], 25 * (i + 1));
            assert_int_equal(log.acts[i], i < 5 ? (log.times[i] - 1) / 7 : 20);
        }
        stage_free(&st);
    }
}

static void boundaries_without_anything_before_are_left_out(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    struct boundary_log log = {.actor = &st.actors[0]};
    acts_every(&st.actors[0], 1005, 2);
    st.engine.period = 20;
    st.engine.at_boundary = note_boundary;
    st.engine.user = &log;
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(log.n, 2);
    assert_int_equal(log.times[0], 1020);
    assert_int_equal(log.times[1], 2020);
    stage_free(&st);
}

/* Of the acts at 5, 30, 55 and 80 only that at 30 has something for a boundary. */
static void boundaries_that_nobody_awaits_are_left_out(void **state)
{
    (void)state;
    for (int skip = 0; skip < 2; skip++) {
        struct stage st;
        stage_init(&st);
        struct boundary_log log = {.actor = &st.actors[0]};
        acts_every(&st.actors[0], 25, 4);
        st.actors[0].shard.next = 5;
        st.actors[0].acts_for_boundary = 1u << 1;
        st.engine.period = 20;
        st.engine.skip = skip;
        st.engine.at_boundary = note_boundary;
        st.engine.user = &log;
        assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
        assert_int_equal(st.actors[0].n_acts, 4);
        assert_int_equal(log.n, skip ? 1 : 5); /* stepping calls it at 0, 20, 40, 60 and 80 */
        assert_int_equal(log.times[skip ? 0 : 2], 40);
        assert_int_equal(log.acts[skip ? 0 : 2], 2);
        stage_free(&st);
    }
}

static void wake_actor_once(void *user, sim_time t)
{
    struct scripted *a = user;
    if (a->n_acts == 1)
        a->shard.next = t + 3;
}

static void a_boundary_may_wake_a_shard(void **state)
{
    (void)state;
    struct stage st;
    stage_init(&st);
    acts_every(&st.actors[0], 5, 1);
    st.engine.period = 50;
    st.engine.at_boundary = wake_actor_once;
    st.engine.user = &st.actors[0];
    assert_int_equal(run(&st, TIME_NEVER), ENGINE_DONE);
    assert_int_equal(st.actors[0].n_acts, 2);
    stage_free(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boundaries_come_before_what_happens_then),
        cmocka_unit_test(quanta_end_at_boundaries),
        cmocka_unit_test(boundaries_without_anything_before_are_left_out),
        cmocka_unit_test(boundaries_that_nobody_awaits_are_left_out),
        cmocka_unit_test(a_boundary_may_wake_a_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
