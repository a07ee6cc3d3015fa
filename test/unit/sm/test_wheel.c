/* The wheel of events, against a list that is searched: what is due when, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sm/wheel.h"
#include "unit/random_bits.h"

enum { N_CYCLES = 3000, MAX_EVENTS = 20 * N_CYCLES };

/* All events there ever were, in order of insertion; value: the number of each. */
struct naive {
    uint64_t at[MAX_EVENTS];
    uint32_t n;
};

static void insert(struct wheel *w, struct naive *all, uint64_t now, uint64_t at)
{
    assert_true(all->n < MAX_EVENTS);
    wheel_add(w, now, at, (struct wheel_event){.value = all->n});
    all->at[all->n++] = at;
}

static uint32_t next_due(const struct naive *all, uint64_t now, uint32_t from)
{
    while (from < all->n && all->at[from] != now)
        from++;
    return from;
}

/* The events of the cycle, those that were far when they were inserted first. */
static void expect_events(struct wheel *w, const struct naive *all, uint64_t now)
{
    struct wheel_event far;
    uint32_t next = next_due(all, now, 0);
    for (; wheel_take_first(w, now, &far); next = next_due(all, now, next + 1))
        assert_int_equal(far.value, next);
    const struct wheel_list *list = wheel_list_of(w, now);
    for (uint32_t i = 0; i < list->n; i++, next = next_due(all, now, next + 1))
        assert_int_equal(list->items[i].value, next);
    assert_int_equal(next, all->n);
}

static void events_come_in_their_cycle_in_order_of_insertion(void **state)
{
    (void)state;
    static struct naive all;
    static struct wheel w;
    uint64_t seed = 3;
    wheel_init(&w);
    for (uint64_t now = 0; now < N_CYCLES; now++) {
        uint64_t due = UINT64_MAX;
        for (uint32_t i = 0; i < all.n; i++)
            due = all.at[i] >= now && all.at[i] < due ? all.at[i] : due;
        assert_true(w.due == due);
        if (due == now) {
            expect_events(&w, &all, now);
            wheel_turn(&w, now);
        }
        /* often many for one cycle, also just on this side and on that of what is near */
        uint64_t n = random_u64(&seed) % 4 == 0 ? random_u64(&seed) % 40 : 0;
        uint64_t at = now + 1 + random_u64(&seed) % (2 * WHEEL_CYCLES);
        for (; n; n--)
            insert(&w, &all, now, random_u64(&seed) % 3 ? at : now + 1 + random_u64(&seed) % 70);
    }
    wheel_destroy(&w);
}

/* Sleepers among events, each in its cycle; cycles in which only sleepers wake are recognised. */
static void sleepers_wake_in_their_cycle(void **state)
{
    (void)state;
    static struct wheel w;
    uint64_t seed = 5, wakes_at[64] = {0}, event_at = 0;
    wheel_init(&w);
    for (uint64_t now = 1; now < N_CYCLES; now++) {
        uint64_t awake = 0, due = event_at >= now ? event_at : UINT64_MAX;
        for (uint32_t i = 0; i < 64; i++) {
            due = wakes_at[i] >= now && wakes_at[i] < due ? wakes_at[i] : due;
            awake |= (uint64_t)(wakes_at[i] == now) << i;
        }
        assert_true(w.due == due);
        if (due == now) {
            assert_int_equal(wheel_only_wakes(&w, now), event_at != now);
            assert_true(wheel_wake(&w, now) == awake);
            struct wheel_event far;
            while (wheel_take_first(&w, now, &far))
                continue;
            wheel_turn(&w, now);
        }
        assert_int_equal(wheel_is_empty(&w), w.due == UINT64_MAX);
        uint32_t sleeper = (uint32_t)(random_u64(&seed) % 64);
        if (wakes_at[sleeper] <= now && random_u64(&seed) % 2) {
            wakes_at[sleeper] = now + 1 + random_u64(&seed) % (WHEEL_CYCLES - 1);
            wheel_sleep(&w, wakes_at[sleeper], 1ull << sleeper);
        }
        if (event_at <= now && random_u64(&seed) % 16 == 0) {
            event_at = now + 1 + random_u64(&seed) % 100;
            wheel_add(&w, now, event_at, (struct wheel_event){0});
        }
        if (now / 256 % 4 == 3) /* none, for a while */
            now = w.due == UINT64_MAX ? now + 300 : w.due - 1;
    }
    wheel_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_their_cycle_in_order_of_insertion),
        cmocka_unit_test(sleepers_wake_in_their_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
