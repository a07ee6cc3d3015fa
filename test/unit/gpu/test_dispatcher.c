/* The dispatcher between SMs that do nothing but keep a CTA for its time: which SM is given which
 * CTA, and when, computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/dispatcher.h"
#include "request/request.h"

enum { N_SMS = 3, MAX_RESIDENT = 2, N_CTAS = 9, PERIOD = 4, LATENCY = 40, BEGIN = 100 };

/* How long each CTA runs. */
static const sim_time durations[N_CTAS] = {1000, 1000, 600, 1000, 500, 1000, 1000, 1000, 1000};

/* What a CTA saw. */
static struct {
    uint32_t sm;
    sim_time at;
} starts[N_CTAS];

struct mock_sm {
    struct shard shard; /* first */
    sim_time ends[N_CTAS];
    uint32_t n_ends, most;
};

static void plan_next(struct mock_sm *m)
{
    m->shard.next = TIME_NEVER;
    for (uint32_t i = 0; i < m->n_ends; i++)
        m->shard.next = m->ends[i] < m->shard.next ? m->ends[i] : m->shard.next;
}

static void begin_cta(struct mock_sm *m, const struct message *start)
{
    uint64_t cta = (uintptr_t)start->body;
    assert_int_equal(start->kind, MSG_CTA_START);
    assert_true(cta < N_CTAS);
    starts[cta].sm = m->shard.id;
    starts[cta].at = start->at;
    m->ends[m->n_ends++] = start->at + durations[cta];
    m->most = m->n_ends > m->most ? m->n_ends : m->most;
    plan_next(m);
}

static void end_cta(struct mock_sm *m)
{
    sim_time now = m->shard.next;
    uint32_t i = 0;
    while (m->ends[i] != now)
        i++;
    m->ends[i] = m->ends[--m->n_ends];
    shard_send(&m->shard, now,
               (struct message){.at = now + LATENCY, .to = N_SMS, .kind = MSG_CTA_DONE});
    plan_next(m);
}

static void mock_advance(struct shard *s, sim_time until)
{
    for (;;) {
        const struct message *m = shard_peek(s, until);
        if (m && m->at <= s->next) {
            struct message copy = *m;
            shard_take(s);
            begin_cta((struct mock_sm *)s, &copy);
        } else if (s->next < until) {
            end_cta((struct mock_sm *)s);
        } else {
            return;
        }
    }
}

static bool mock_is_idle(const struct shard *s)
{
    return s->next == TIME_NEVER;
}

static const struct shard_ops mock_ops = {
    .kind = "sm", .advance = mock_advance, .is_idle = mock_is_idle};

static void run_all(sim_time quantum, struct mock_sm *sms, struct dispatcher *d)
{
    static const struct clock_domain clock = {"core", 1000, PERIOD};
    struct shard *shards[N_SMS + 1];
    for (uint32_t i = 0; i < N_SMS; i++) {
        sms[i] = (struct mock_sm){
            .shard = {.ops = &mock_ops, .id = i, .next = TIME_NEVER, .min_latency = LATENCY}};
        shards[i] = &sms[i].shard;
    }
    dispatcher_create(d, N_SMS, 0, N_SMS, &clock, LATENCY);
    shards[N_SMS] = &d->ticker.shard;
    struct engine e = {.shards = shards, .n = N_SMS + 1, .quantum = quantum, .skip = true};
    engine_connect(&e);
    memset(starts, 0, sizeof starts);
    dispatcher_start(d, N_CTAS, MAX_RESIDENT, BEGIN);
    assert_int_equal(engine_run(&e, NULL, NULL, TIME_NEVER), ENGINE_DONE);
    engine_destroy(&e);
}

static void expect_start(uint32_t cta, uint32_t sm, sim_time sent)
{
    assert_int_equal(starts[cta].sm, sm);
    assert_int_equal(starts[cta].at, sent + LATENCY);
}

/* Six fit at first, one a cycle. CTA 4, on SM 1, ends first: it was sent at 116, began at 156,
 * ended at 656, which the dispatcher hears at 696. Then CTA 2, on SM 2: 108, 148, 748, 788. Then
 * CTA 0, on SM 0: 100, 140, 1140, 1180. */
static void ctas_go_to_sms_with_room_in_turn(void **state)
{
    (void)state;
    static const sim_time quanta[] = {1, 7, LATENCY};
    for (uint32_t q = 0; q < sizeof quanta / sizeof quanta[0]; q++) {
        struct mock_sm sms[N_SMS];
        struct dispatcher d;
        run_all(quanta[q], sms, &d);
        for (uint32_t i = 0; i < N_SMS * MAX_RESIDENT; i++)
            expect_start(i, i % N_SMS, BEGIN + i * PERIOD);
        expect_start(6, 1, 696);
        expect_start(7, 2, 788);
        expect_start(8, 0, 1180);
        for (uint32_t i = 0; i < N_SMS; i++)
            assert_int_equal(sms[i].most, MAX_RESIDENT);
        /* CTA 8 began at 1220 and ended at 2220, later than all others. */
        assert_int_equal(d.ended_at, 2260);
        dispatcher_destroy(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctas_go_to_sms_with_room_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
