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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_their_cycle_in_order_of_insertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
