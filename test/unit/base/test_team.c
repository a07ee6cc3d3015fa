/* A team does every item once a round, whatever its size and however slow its members are, and what
 * one round wrote the next one sees. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/team.h"

enum { ITEMS = 23, ROUNDS = 2000 };

/* Item i of each round adds what its left neighbour held after the round before: a value that was
 * not seen, or an item done twice or not at all, changes all that follow. */
struct relay {
    uint64_t value[2][ITEMS];
    uint32_t side;
};

static void pass_on(void *user, uint32_t i, uint32_t as_member)
{
    (void)as_member;
    struct relay *r = user;
    const uint64_t *before = r->value[1 - r->side];
    r->value[r->side][i] = before[i] * 3 + before[(i + ITEMS - 1) % ITEMS] + 1;
}

static void run_relay(struct relay *r, struct team *team)
{
    *r = (struct relay){0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        r->side = 1 - r->side;
        if (team)
            team_run(team, ITEMS, pass_on, r);
        else
            for (uint32_t i = 0; i < ITEMS; i++)
                pass_on(r, i, 0);
    }
}

static void every_item_is_done_once_a_round(void **state)
{
    (void)state;
    static struct relay alone, shared;
    run_relay(&alone, NULL);
    for (uint32_t n = 1; n <= 7; n++) {
        struct team *team = team_create(n);
        run_relay(&shared, team);
        team_destroy(team);
        assert_memory_equal(shared.value, alone.value, sizeof alone.value);
    }
}

static atomic_uint n_done;

static void count_it(void *user, uint32_t i, uint32_t as_member)
{
    (void)user, (void)i, (void)as_member;
    atomic_fetch_add(&n_done, 1);
}

static void rounds_may_have_any_number_of_items(void **state)
{
    (void)state;
    struct team *team = team_create(4);
    uint32_t expected = 0;
    for (uint32_t n = 0; n < 200; n++) {
        team_run(team, n % 11, count_it, NULL);
        expected += n % 11;
        assert_int_equal(atomic_load(&n_done), expected);
    }
    team_destroy(team);
}

static void a_moment(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

/* Long enough that waiting members sleep. */
static void be_slow(void *user, uint32_t i, uint32_t as_member)
{
    if (i == 1)
        a_moment(3000);
    count_it(user, i, as_member);
}

static void who_waits_for_long_is_woken(void **state)
{
    (void)state;
    struct team *team = team_create(3);
    atomic_store(&n_done, 0);
    for (uint32_t round = 1; round <= 20; round++) {
        team_run(team, 3, be_slow, NULL);
        assert_int_equal(atomic_load(&n_done), 3 * round);
        a_moment(3000);
    }
    team_destroy(team);
}

static pthread_t doers[2];
static uint32_t members[2];

/* Neither ends before the other has begun. */
static void meet(void *user, uint32_t i, uint32_t as_member)
{
    atomic_uint *arrived = user;
    doers[i] = pthread_self();
    members[i] = as_member;
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) % 2 != 0)
        a_moment(10);
}

static void items_are_done_at_the_same_time(void **state)
{
    (void)state;
    struct team *team = team_create(2);
    atomic_uint arrived = 0;
    for (uint32_t round = 0; round < 20; round++) {
        team_run(team, 2, meet, &arrived);
        assert_false(pthread_equal(doers[0], doers[1]));
        assert_int_equal(members[0] + members[1], 1);
        assert_int_equal(members[0], !pthread_equal(doers[0], pthread_self()));
    }
    team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_a_round),
        cmocka_unit_test(rounds_may_have_any_number_of_items),
        cmocka_unit_test(who_waits_for_long_is_woken),
        cmocka_unit_test(items_are_done_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
