/* Atomics units: every one that is registered is complete; what `at_l2` decides, at both sides of
 * each edge. How it works in a slice is in test/unit/slice, in a machine in test_litmus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "atomics/atomics.h"
#include "atomics/mutex_desc.h"

enum { LINE = 128 };

static const struct op add_op = {.sub = PTX_MOD_ATOMOP_ADD, .type = PTX_U32, .width = 4};

static void every_unit_is_sound(void **state)
{
    (void)state;
    struct strbuf why = {0};
    assert_true(atomics_count() >= 1);
    for (uint32_t i = 0; i < atomics_count(); i++) {
        if (!atomics_is_sound(atomics_at(i), &why))
            fail_msg("%s", strbuf_text(&why));
        assert_ptr_equal(atomics_find(atomics_at(i)->name), atomics_at(i));
    }
    assert_null(atomics_find("at_l3"));
    struct atomics_desc flawed = *atomics_at(0);
    flawed.perform = NULL;
    assert_false(atomics_is_sound(&flawed, &why));
    strbuf_destroy(&why);
}

/* --- the lanes of a line --- */

static struct dev_mem mem;
static uint64_t memory;

static int open_memory(void **state)
{
    (void)state;
    if (mem_create(&mem))
        return -1;
    memory = mem_alloc(&mem, 8 * LINE, "lines");
    return memory ? 0 : -1;
}

static int close_memory(void **state)
{
    (void)state;
    mem_destroy(&mem);
    return 0;
}

static uint32_t word_at(uint64_t address)
{
    uint32_t word;
    memcpy(&word, mem_host(&mem, address), sizeof word);
    return word;
}

/* Each lane adds its number + 1 to the same word. */
static void gather(struct atomic_request *p, uint32_t mask, uint64_t address, bool replayed)
{
    uint64_t addresses[WARP_LANES];
    struct emu_atomic operands = {.mask = ~0u};
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        addresses[i] = address;
        operands.b[i] = i + 1;
    }
    memset(p, 0, sizeof *p);
    atomic_request_gather(p, &add_op, mask, addresses, &operands, replayed);
}

static void lanes_are_performed_in_their_order(void **state)
{
    (void)state;
    static struct overlay overlay;
    struct atomic_request first, second;
    overlay_init(&overlay);
    gather(&first, 0x80000105, memory, false);
    gather(&second, 2, memory, false);
    assert_int_equal(atomic_request_lanes(&first), 4);
    atomic_request_perform(&first, &mem, &overlay);
    atomic_request_perform(&second, &mem, &overlay);
    assert_int_equal(first.old[0], 0);
    assert_int_equal(first.old[2], 1);
    assert_int_equal(first.old[8], 1 + 3);
    assert_int_equal(first.old[31], 1 + 3 + 9);
    assert_int_equal(second.old[1], 1 + 3 + 9 + 32);
    assert_int_equal(word_at(memory), 0); /* not yet visible */
    overlay_commit(&overlay, &mem);
    assert_int_equal(word_at(memory), 1 + 3 + 9 + 32 + 2);
    overlay_destroy(&overlay);
}

static void a_replayed_atomic_changes_nothing(void **state)
{
    (void)state;
    static struct overlay overlay;
    struct atomic_request p;
    overlay_init(&overlay);
    gather(&p, 3, memory + LINE, true);
    atomic_request_perform(&p, &mem, &overlay);
    assert_int_equal(overlay.n, 0);
    assert_int_equal(atomic_request_lanes(&p), 2); /* but takes its time */
    overlay_destroy(&overlay);
}

static void a_reduction_brings_no_data_back(void **state)
{
    (void)state;
    struct op reduction = add_op;
    reduction.round = 1;
    assert_int_equal(atomic_request_reply_bytes(&(struct atomic_request){.op = &add_op}, 32), 32);
    assert_int_equal(atomic_request_reply_bytes(&(struct atomic_request){.op = &reduction}, 32), 0);
}

/* --- at_l2 --- */

static void at_l2_waits_for_the_miss_queue_alone(void **state)
{
    (void)state;
    const struct atomics_desc *d = atomics_find("at_l2");
    struct atomics_sm u = {.desc = d, .latency_to_l2 = 77, .visibility = 100};
    struct mem_access a = {.line = LINE};
    struct atomics_taken full = d->take(&u, &a, (struct atomics_resources){.miss_queue = false});
    assert_int_equal(full.step, ATOMICS_WAIT);
    assert_int_equal(full.cause, STALL_MISS_QUEUE);
    struct atomics_taken free = d->take(&u, &a, (struct atomics_resources){.miss_queue = true});
    assert_int_equal(free.step, ATOMICS_TO_L2);
    assert_int_equal(d->lead(&u), 77);
}

/* The warp is not looked at: no lane has anything to be given. */
static void at_l2_is_visible_at_the_end_of_its_period(void **state)
{
    (void)state;
    const struct atomics_desc *d = atomics_find("at_l2");
    struct atomics_sm u = {.desc = d, .visibility = 100};
    static const sim_time performed[] = {0, 99, 100, 199, 200},
                          visible[] = {100, 100, 200, 200, 300};
    for (uint32_t i = 0; i < 5; i++) {
        struct atomic_request p = {.op = &add_op, .performed_at = performed[i]};
        struct mem_request r = {.atomic = &p};
        assert_int_equal(d->answer(&u, &r, NULL), visible[i]);
    }
}

static void at_l2_keeps_a_bank_busy_for_its_lanes(void **state)
{
    (void)state;
    static struct atomics_slice s;
    for (uint32_t rate = 1; rate <= 4; rate++) {
        s = (struct atomics_slice){.desc = atomics_find("at_l2"), .mem = &mem, .per_cycle = rate};
        atomics_slice_create(&s, 1);
        for (uint32_t lanes = 1; lanes <= 9; lanes++) {
            struct atomic_request p;
            gather(&p, (1u << lanes) - 1, memory + 2 * LINE, false);
            struct mem_request r = {.atomic = &p, .access = {.line = 2 * LINE}};
            uint32_t cycles = s.desc->perform(&s.banks[0], &r, false, 42);
            assert_true(cycles * rate >= lanes && (cycles - 1) * rate < lanes);
            assert_int_equal(p.performed_at, 42);
        }
        assert_true(atomics_need_boundary(&s));
        s.desc->at_boundary(&s);
        assert_false(atomics_need_boundary(&s));
        atomics_slice_destroy(&s);
    }
}

/* Of a line that L2 does not keep: one at a time. */
static void at_l2_orders_the_atomics_of_a_line(void **state)
{
    (void)state;
    static struct atomics_slice s;
    s = (struct atomics_slice){.desc = atomics_find("at_l2"), .mem = &mem, .per_cycle = 1};
    atomics_slice_create(&s, 2);
    struct atomic_request p;
    gather(&p, 1, memory + 3 * LINE, false);
    struct mem_request r = {.atomic = &p, .access = {.line = 3 * LINE}};
    struct mem_request same = r, other = {.atomic = &p, .access = {.line = 4 * LINE}};
    assert_true(s.desc->may_serve(&s.banks[0], &r));
    s.desc->await_data(&s.banks[0], &r, CACHE_NO_MSHR);
    assert_false(s.desc->may_serve(&s.banks[0], &same));
    assert_true(s.desc->may_serve(&s.banks[0], &other));
    assert_true(s.desc->may_serve(&s.banks[1], &same)); /* another bank's line */
    s.desc->perform(&s.banks[0], &r, true, 1);
    assert_true(s.desc->may_serve(&s.banks[0], &same));
    atomics_slice_destroy(&s);
}

static void costs_follow_from_parameters(void **state)
{
    (void)state;
    struct mutex_params p = {.mutexes = 256, .epoch_cycles = 128};
    assert_int_equal(mutex_table_bits(256, 15, &p), 192 * 8);
    p.epoch_cycles = 0;
    assert_int_equal(mutex_table_bits(256, 15, &p), 256 * 5);
    struct param_flaw flaw;
    p.rows = 4;
    assert_false(mutex_check(15, &p, &flaw));
    p.rows = 5;
    assert_true(mutex_check(15, &p, &flaw));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_is_sound),
        cmocka_unit_test(lanes_are_performed_in_their_order),
        cmocka_unit_test(a_replayed_atomic_changes_nothing),
        cmocka_unit_test(a_reduction_brings_no_data_back),
        cmocka_unit_test(at_l2_waits_for_the_miss_queue_alone),
        cmocka_unit_test(at_l2_is_visible_at_the_end_of_its_period),
        cmocka_unit_test(at_l2_keeps_a_bank_busy_for_its_lanes),
        cmocka_unit_test(at_l2_orders_the_atomics_of_a_line),
        cmocka_unit_test(costs_follow_from_parameters),
    };
    return cmocka_run_group_tests(tests, open_memory, close_memory);
}
