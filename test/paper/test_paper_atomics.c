/* Mutexes for atomics (S1 section 3), to the cycle: when a request for a mutex is granted over the
 * directory, the ring and the rows, when it is performed, when the mutex is back. SMs are units of
 * mutexes and nothing else; data take `fetch` cycles, writes `write`, and stores become visible
 * every `boundary`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "atomics/atomics.h"

enum { LINE = 128, MAX_SMS = 16, MAX_EVENTS = 4096, MAX_REQUESTS = 64 };

enum event_kind { EVENT_MESSAGE, EVENT_DATA, EVENT_ACK };

struct event {
    uint64_t at;
    uint32_t from, to;
    enum event_kind kind;
    uintptr_t word;
    uint64_t n_writes;
    bool kept;
};

struct wish {
    uint64_t at;
    uint32_t sm, line;
};

struct bench {
    struct mutex_params params;
    struct mutex_unit *unit[MAX_SMS];
    struct bench_sm {
        struct bench *bench;
        uint32_t index;
        uint64_t lines; /* in L1D, a bit each */
    } sms[MAX_SMS];
    uint32_t n, fetch, write;
    struct event events[MAX_EVENTS];
    uint32_t n_events;
    struct mem_request requests[MAX_REQUESTS];
    uint32_t n_requests;
    uint64_t l2_writes[64];
    struct write_ledger *ledger;
    uint32_t lanes;    /* of a request */
    bool changes;      /* requests change their line */
    bool bypasses;     /* L1D keeps nothing */
    uint32_t n_around; /* fetches that pass L1D */
    /* What happened, the last time, by SM and mutex; -1 = not yet. */
    int64_t held[MAX_SMS][64], performed[MAX_SMS][64], idle[MAX_SMS][64];
};

static void add_event(struct bench *b, struct event e)
{
    assert_true(b->n_events < MAX_EVENTS);
    b->events[b->n_events++] = e;
}

static bool host_fetch(void *sm, struct mutex_fetch *f, uint32_t number, uint64_t now)
{
    struct bench_sm *s = sm;
    uint64_t line = f->access.line / LINE;
    bool kept = !f->around && !s->bench->bypasses;
    add_event(s->bench, (struct event){.at = now + s->bench->fetch,
                                       .to = s->index,
                                       .kind = EVENT_DATA,
                                       .word = number,
                                       .n_writes = s->bench->l2_writes[line],
                                       .kept = kept});
    s->bench->n_around += f->around;
    if (kept)
        s->lines |= 1ull << line;
    return true;
}

static bool host_write(void *sm, const struct mutex_line *l, uint32_t mutex, uint64_t now)
{
    struct bench_sm *s = sm;
    s->bench->l2_writes[l->line / LINE]++;
    add_event(s->bench,
              (struct event){
                  .at = now + s->bench->write, .to = s->index, .kind = EVENT_ACK, .word = mutex});
    return true;
}

static uint32_t host_sectors(void *sm, uint64_t line)
{
    return ((struct bench_sm *)sm)->lines >> line / LINE & 1;
}

static void host_drop(void *sm, uint64_t line)
{
    struct bench_sm *s = sm;
    s->lines &= ~(1ull << line / LINE);
    mutex_unit_lose(s->bench->unit[s->index], line);
}

static void host_send(void *sm, uint32_t to, uint64_t at, uintptr_t text, uint64_t now)
{
    struct bench_sm *s = sm;
    assert_true(at >= now + s->bench->params.hop_cycles); /* what the machine's link allows */
    add_event(
        s->bench,
        (struct event){.at = at, .from = s->index, .to = to, .kind = EVENT_MESSAGE, .word = text});
}

static void host_perform(void *sm, struct mem_request *r, uint32_t busy, uint64_t now,
                         uint64_t changed[2])
{
    struct bench_sm *s = sm;
    (void)busy;
    s->bench->performed[s->index][r->access.line / LINE] = (int64_t)now;
    changed[0] = s->bench->changes;
}

static const struct mutex_host host = {.fetch = host_fetch,
                                       .write = host_write,
                                       .sectors = host_sectors,
                                       .drop = host_drop,
                                       .send = host_send,
                                       .perform = host_perform};

static struct bench *bench_open(const char *unit, uint32_t n_sms, uint32_t fetch, uint32_t write,
                                uint32_t boundary)
{
    struct bench *b = calloc(1, sizeof *b);
    b->params = (struct mutex_params){.mutexes = 64,
                                      .hop_cycles = 2,
                                      .queue = 16,
                                      .hold_max = 32,
                                      .busy_wires = 8,
                                      .epoch_cycles = 128};
    b->n = n_sms;
    b->fetch = fetch;
    b->write = write;
    b->lanes = 1;
    b->changes = true;
    b->ledger = write_ledger_create(b->params.mutexes, LINE);
    memset(b->held, 0xff, sizeof b->held);
    memset(b->performed, 0xff, sizeof b->performed);
    memset(b->idle, 0xff, sizeof b->idle);
    for (uint32_t i = 0; i < n_sms; i++) {
        b->sms[i] = (struct bench_sm){b, i, 0};
        b->unit[i] = mutex_unit_create(&(struct mutex_setup){.params = &b->params,
                                                             .net = atomics_find(unit)->net,
                                                             .host = &host,
                                                             .sm = &b->sms[i],
                                                             .index = i,
                                                             .n_sms = n_sms,
                                                             .line_bytes = LINE,
                                                             .per_cycle = 1,
                                                             .period = 1,
                                                             .visibility = boundary,
                                                             .ledger = b->ledger});
    }
    return b;
}

static void bench_close(struct bench *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct strbuf why = {0};
        assert_true(mutex_unit_check(b->unit[i], &why));
        assert_string_equal(strbuf_text(&why), "");
        strbuf_destroy(&why);
        mutex_unit_destroy(b->unit[i]);
    }
    write_ledger_destroy(b->ledger);
    free(b);
}

/* Those of a cycle: data and acknowledgements first, messages by their senders. */
static void deliver(struct bench *b, uint32_t sm, uint64_t now)
{
    for (uint32_t i = 0; i < b->n_events; i++) {
        const struct event e = b->events[i];
        if (e.at != now || e.to != sm)
            continue;
        if (e.kind == EVENT_DATA)
            mutex_unit_data(b->unit[sm], (uint32_t)e.word, e.n_writes, e.kept, now);
        else if (e.kind == EVENT_ACK)
            mutex_unit_acknowledge(b->unit[sm], (uint32_t)e.word, now);
    }
    for (uint32_t from = 0; from < b->n; from++)
        for (uint32_t i = 0; i < b->n_events; i++) {
            const struct event e = b->events[i];
            if (e.kind == EVENT_MESSAGE && e.at == now && e.to == sm && e.from == from)
                mutex_unit_hear(b->unit[sm], from, e.word, now);
        }
}

static void enter(struct bench *b, const struct wish *w, uint64_t now)
{
    struct mem_request *r = &b->requests[b->n_requests++];
    *r = (struct mem_request){.access = {.line = (uint64_t)w->line * LINE,
                                         .sector_mask = 1,
                                         .segments = 1,
                                         .active_mask = (uint32_t)((1ull << b->lanes) - 1)}};
    mutex_unit_enter(b->unit[w->sm], r, now);
}

static void note_phases(struct bench *b, uint32_t sm, const bool *was_held, uint64_t now)
{
    for (uint32_t m = 0; m < b->params.mutexes; m++) {
        bool held = b->unit[sm]->mutexes[m].phase == MUTEX_HELD;
        if (held && !was_held[m])
            b->held[sm][m] = (int64_t)now;
        if (!held && was_held[m])
            b->idle[sm][m] = (int64_t)now;
    }
}

/* Every unit is stepped only when it says that something is due: nothing may be missed by that. */
static void run(struct bench *b, const struct wish *wishes, uint32_t n, uint64_t from,
                uint64_t until)
{
    for (uint64_t now = from; now < until; now++)
        for (uint32_t sm = 0; sm < b->n; sm++) {
            bool was_held[64];
            for (uint32_t m = 0; m < b->params.mutexes; m++)
                was_held[m] = b->unit[sm]->mutexes[m].phase == MUTEX_HELD;
            deliver(b, sm, now);
            for (uint32_t i = 0; i < n; i++)
                if (wishes[i].at == now && wishes[i].sm == sm)
                    enter(b, &wishes[i], now);
            if (b->unit[sm]->due <= now)
                mutex_unit_step(b->unit[sm], now);
            note_phases(b, sm, was_held, now);
        }
}

/* --- the grid --- */

static void the_grid_is_as_square_as_it_can_be(void **state)
{
    (void)state;
    static const uint32_t sms[] = {1, 2, 4, 6, 13, 15, 16, 80}, rows[] = {1, 1, 2, 2, 1, 3, 4, 8};
    for (uint32_t i = 0; i < sizeof sms / sizeof sms[0]; i++) {
        struct mutex_grid g = mutex_grid_make(sms[i], 0);
        assert_int_equal(g.rows, rows[i]);
        assert_int_equal(g.rows * g.cols, sms[i]);
    }
    assert_int_equal(mutex_grid_make(15, 5).cols, 3);
    struct mutex_grid g = mutex_grid_make(15, 0);
    assert_int_equal(grid_hops(&g, 0, 7), 3);
    uint32_t sum = 0, in_x = 0; /* mean distance 112/45 hops; there and back in x 6.4 cycles */
    for (uint32_t a = 0; a < 15; a++)
        for (uint32_t b = 0; b < 15; b++) {
            sum += grid_hops(&g, a, b);
            in_x += 2 * 2 * grid_apart(grid_x(&g, a), grid_x(&g, b));
        }
    assert_int_equal(sum * 45, 112 * 15 * 15);
    assert_int_equal(in_x * 10, 64 * 15 * 15);
}

/* --- the directory --- */

static void a_home_grants_when_a_request_arrives(void **state)
{
    (void)state;
    const struct wish alone[] = {{100, 0, 7}}, at_home[] = {{100, 7, 7}};
    struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
    run(b, alone, 1, 0, 120);
    assert_int_equal(b->held[0][7], 112);
    bench_close(b);
    b = bench_open("atom_dir", 15, 10, 10, 1);
    run(b, at_home, 1, 0, 120);
    assert_int_equal(b->held[7][7], 100);
    assert_int_equal(b->unit[7]->stats.self_satisfied, 1);
    bench_close(b);
}

/* SMs 3 and 14 ask at 100 and are queued at 104 and 106, the home's own request at 105 between. */
static void a_home_grants_in_order_of_arrival(void **state)
{
    (void)state;
    const struct wish wishes[] = {{80, 0, 7}, {100, 3, 7}, {100, 14, 7}, {105, 7, 7}};
    struct bench *b = bench_open("atom_dir", 15, 40, 10, 1);
    run(b, wishes, 4, 0, 500);
    int64_t free_at = b->idle[0][7] + 6; /* at home */
    assert_int_equal(b->held[3][7], free_at + 4);
    assert_true(b->held[3][7] < b->held[7][7] && b->held[7][7] < b->held[14][7]);
    bench_close(b);
}

/* Requests of one cycle are granted by SM. */
static void ties_at_a_home_go_by_sm(void **state)
{
    (void)state;
    const struct wish wishes[] = {{80, 0, 7}, {100, 8, 7}, {100, 6, 7}, {102, 7, 7}};
    struct bench *b = bench_open("atom_dir", 15, 40, 10, 1);
    run(b, wishes, 4, 0, 600);
    assert_true(b->held[6][7] < b->held[7][7] && b->held[7][7] < b->held[8][7]);
    bench_close(b);
}

/* --- rings --- */

/* Held for 16 cycles: 10 for the data, 1 to perform, 5 to write. */
static struct bench *ring_of_four(uint32_t busy_wires)
{
    struct bench *b = bench_open("atom_naive", 4, 10, 5, 1);
    b->params.busy_wires = busy_wires;
    return b;
}

static void a_mutex_goes_round_with_the_token(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 0, 5}, {3, 2, 5}, {17, 1, 5}};
    static const int64_t with[] = {0, 26, 52}, without[] = {0, 18, 36};
    for (uint32_t wires = 0; wires <= 8; wires += 8) {
        struct bench *b = ring_of_four(wires);
        run(b, wishes, 3, 0, 100);
        for (uint32_t sm = 0; sm < 3; sm++)
            assert_int_equal(b->held[sm][5], wires ? with[sm] : without[sm]);
        bench_close(b);
    }
}

static void mutexes_of_one_wire_are_in_each_others_way(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 0, 5}, {0, 1, 13}, {0, 2, 6}};
    struct bench *b = ring_of_four(8);
    run(b, wishes, 3, 0, 60);
    assert_int_equal(b->held[0][5], 0);
    assert_int_equal(b->held[1][13], 10);
    assert_int_equal(b->held[2][6], 4);
    bench_close(b);
}

/* Mutex 5 is taken at 0, and the wire is busy at the member's next visit, at 8. The release of 5 in
 * that visit asserts the wire for one visit more; it does not let 13 through at 8. */
static void a_second_change_does_not_free_the_wire_of_the_first(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 0, 5}, {1, 0, 13}};
    struct bench *b = bench_open("atom_naive", 4, 2, 1, 1);
    run(b, wishes, 2, 0, 60);
    assert_int_equal(b->idle[0][5], 4); /* ready; the token is back at 8 */
    assert_int_equal(b->held[0][13], 24);
    bench_close(b);
}

static void a_member_acts_in_the_first_cycle_of_its_window(void **state)
{
    (void)state;
    const struct wish wishes[] = {{44, 7, 1}, {45, 8, 2}, {45, 6, 3}};
    struct bench *b = bench_open("atom_naive", 15, 10, 5, 1);
    run(b, wishes, 3, 0, 120);
    assert_int_equal(b->held[7][1], 44);
    assert_int_equal(b->held[8][2], 46);
    assert_int_equal(b->held[6][3], 72);
    assert_int_equal(b->unit[7]->stats.self_satisfied, 1);
    assert_int_equal(b->unit[6]->stats.token_wait, 27);
    bench_close(b);
}

/* SM 3 releases the mutex, SM 0 takes it one place on: SM 1 receives both in one cycle, and the
 * older message must not undo the newer. Without wires nothing else keeps SM 1 from taking it
 * too. */
static void news_of_a_ring_are_taken_in_their_order(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 3, 5}, {10, 0, 5}, {10, 1, 5}, {10, 2, 5}};
    struct bench *b = ring_of_four(0);
    for (uint64_t now = 0; now < 200; now++) {
        run(b, wishes, 4, now, now + 1);
        uint32_t holders = 0;
        for (uint32_t sm = 0; sm < 4; sm++)
            holders += b->unit[sm]->mutexes[5].phase == MUTEX_HELD;
        assert_true(holders <= 1);
    }
    for (uint32_t sm = 0; sm < 4; sm++)
        assert_true(b->performed[sm][5] >= 0);
    bench_close(b);
}

static void the_member_in_ones_column_acts_for_it(void **state)
{
    (void)state;
    static const struct {
        struct wish wish;
        int64_t held;
    } cases[] = {{{100, 12, 3}, 108}, {{101, 12, 3}, 118}, {{104, 2, 3}, 104}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench *b = bench_open("atom_hybrid", 15, 10, 5, 1);
        run(b, &cases[i].wish, 1, 0, 130);
        assert_int_equal(b->held[cases[i].wish.sm][3], cases[i].held);
        bench_close(b);
    }
}

/* SMs 2, 7 and 12 are of one column. Their requests reach the member, SM 2, together at 104, with
 * the token: the smaller SM goes first. One that is there earlier is ahead of all of them. */
static void acquires_of_a_visit_go_by_arrival_and_sm(void **state)
{
    (void)state;
    for (uint32_t early = 0; early < 2; early++) {
        const struct wish wishes[] = {{early ? 98 : 100, 12, 3}, {102, 7, 3}, {104, 2, 3}};
        struct bench *b = bench_open("atom_hybrid", 15, 10, 5, 1);
        run(b, wishes, 3, 0, 300);
        assert_int_equal(b->held[early ? 12 : 2][3], early ? 108 : 104);
        assert_true(b->held[2][3] < b->held[7][3]);
        assert_true(early ? b->held[12][3] < b->held[2][3] : b->held[7][3] < b->held[12][3]);
        bench_close(b);
    }
}

/* Mean wait for a token of five places: 4 cycles at a window's start, 4.5 over all cycles. */
static void tokens_are_waited_for_as_long_as_computed(void **state)
{
    (void)state;
    uint64_t at_start = 0, over_all = 0;
    for (uint32_t at = 0; at < 10; at++) {
        const struct wish w = {100 + at, 2, 3};
        struct bench *b = bench_open("atom_hybrid", 15, 10, 5, 1);
        run(b, &w, 1, 0, 130);
        uint64_t wait = (uint64_t)b->held[2][3] - w.at;
        assert_int_equal(b->unit[2]->stats.token_wait, wait);
        over_all += wait;
        at_start += at % 2 == 0 ? wait : 0;
        bench_close(b);
    }
    assert_int_equal(at_start, 4 * 5);
    assert_int_equal(over_all, 45);
}

/* --- data --- */

static struct bench *bench_of_fetches(bool speculative)
{
    struct bench *b = bench_open("atom_dir", 15, 100, 80, 64);
    b->params.spec_fetch = speculative;
    return b;
}

static void without_speculation_data_follow_the_grant(void **state)
{
    (void)state;
    const struct wish wishes[] = {{200, 0, 7}, {210, 14, 7}};
    struct bench *b = bench_of_fetches(false);
    run(b, wishes, 2, 0, 600);
    assert_int_equal(b->held[0][7], 212);
    assert_int_equal(b->performed[0][7], 312);
    assert_int_equal(b->idle[0][7], 393); /* acknowledged, and at home at 399 */
    assert_int_equal(b->held[14][7], 405);
    assert_int_equal(b->performed[14][7], 505);
    bench_close(b);
}

static void speculative_data_are_used_if_they_are_fresh(void **state)
{
    (void)state;
    const struct wish wishes[] = {{200, 0, 7}, {450, 0, 7}};
    struct bench *b = bench_of_fetches(true);
    run(b, wishes, 2, 0, 440);
    assert_int_equal(b->performed[0][7], 300);
    assert_int_equal(b->idle[0][7], 381); /* home at 387 */
    assert_int_equal(b->unit[0]->stats.spec_used, 1);
    run(b, wishes, 2, 440, 600);
    assert_int_equal(b->held[0][7], 462);
    assert_int_equal(b->performed[0][7], 462); /* unchanged: the retained line */
    assert_int_equal(b->unit[0]->stats.unchanged, 1);
    assert_int_equal(b->unit[0]->stats.retained_used, 1);
    assert_int_equal(b->unit[0]->stats.spec_fetches, 2); /* it could not know */
    assert_int_equal(b->unit[0]->stats.spec_used, 1);
    assert_int_equal(b->unit[0]->stats.spec_refetched, 0);
    assert_int_equal(b->unit[0]->stats.spec_unneeded, 1);
    assert_int_equal(b->n_around, 1); /* the retained line stays where it is */
    bench_close(b);
}

static void a_request_of_an_earlier_epoch_is_stale(void **state)
{
    (void)state;
    /* Judged when the grant arrives: of 246 the home grants at 252, in the same epoch. */
    for (uint64_t at = 246; at <= 250; at += 4) {
        const struct wish wish = {at, 0, 7};
        struct bench *b = bench_of_fetches(true);
        run(b, &wish, 1, 0, 500);
        assert_int_equal(b->held[0][7], at + 12);
        assert_int_equal(b->performed[0][7], at + 112);
        assert_int_equal(b->unit[0]->stats.spec_refetched, 1);
        bench_close(b);
    }
}

/* The same rules in a ring. SM 2 releases at 294, when the token is there. SM 7, whose member it
 * is, finds the wire busy at 304, and at 314 the release is not mature; at 394 it is. */
static void a_ring_says_what_is_mature(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        const struct wish wishes[] = {{104, 2, 3}, {late ? 390 : 300, 7, 3}};
        struct bench *b = bench_open("atom_hybrid", 15, 100, 80, 64);
        b->params.spec_fetch = true;
        run(b, wishes, 2, 0, 600);
        assert_int_equal(b->performed[2][3], 204);
        assert_int_equal(b->idle[2][3], 285);
        assert_int_equal(b->held[7][3], late ? 396 : 316);
        assert_int_equal(b->performed[7][3], late ? 490 : 416);
        bench_close(b);
    }
}

/* The last holder is known all round the ring. */
static void a_ring_says_what_is_unchanged(void **state)
{
    (void)state;
    const struct wish wishes[] = {{104, 2, 3}, {450, 2, 3}, {600, 7, 3}, {900, 2, 3}};
    struct bench *b = bench_open("atom_hybrid", 15, 100, 80, 64);
    run(b, wishes, 4, 0, 590);
    assert_int_equal(b->performed[2][3], 454);
    run(b, wishes, 4, 590, 1200);
    assert_int_equal(b->performed[2][3], 1004); /* SM 7 has held it in between */
    assert_int_equal(b->unit[2]->stats.unchanged, 1);
    assert_int_equal(b->unit[2]->stats.retained_used, 1);
    bench_close(b);
}

/* Released at home at 90, by the home itself. */
static void a_release_matures_at_the_end_of_its_epoch(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        const struct wish wishes[] = {{0, 7, 7}, {late ? 130 : 100, 0, 7}};
        struct bench *b = bench_of_fetches(true);
        b->fetch = 25;
        b->write = 64;
        run(b, wishes, 2, 0, 95);
        assert_int_equal(b->idle[7][7], 90); /* at home, which it is itself */
        b->fetch = 100;
        run(b, wishes, 2, 95, 400);
        assert_int_equal(b->performed[0][7], late ? 230 : 212);
        bench_close(b);
    }
}

/* Both sides of the boundary: what a home learns in a boundary's cycle matures at the next one. */
static void a_release_of_a_boundary_cycle_is_of_the_new_epoch(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        const struct wish wishes[] = {{0, 7, 7}, {140, 0, 7}};
        struct bench *b = bench_of_fetches(true);
        b->fetch = 25;
        b->write = 101 + late;
        run(b, wishes, 2, 0, 135);
        assert_int_equal(b->idle[7][7], 127 + late);
        b->fetch = 100;
        run(b, wishes, 2, 135, 400);
        assert_int_equal(b->performed[0][7], late ? 252 : 240);
        bench_close(b);
    }
}

/* A retained line is not fetched; as soon as it is lost, it is. */
static void a_line_that_is_lost_is_asked_for_at_once(void **state)
{
    (void)state;
    const struct wish wishes[] = {{200, 0, 7}, {450, 0, 7}, {700, 0, 7}};
    struct bench *b = bench_of_fetches(true);
    run(b, wishes, 3, 0, 703);
    assert_int_equal(b->unit[0]->stats.spec_fetches, 2);
    host_drop(&b->sms[0], 7 * LINE);
    run(b, wishes, 3, 703, 704);
    assert_int_equal(b->unit[0]->stats.spec_fetches, 3);
    run(b, wishes, 3, 704, 900);
    assert_int_equal(b->performed[0][7], 803);
    bench_close(b);
}

/* A fetch that L1D does not keep serves all waiting requests and is not retained, even if a load
 * has brought the line in the meantime. */
static void what_bypasses_is_not_retained(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 7}, {0, 7, 7}, {40, 7, 7}};
    struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
    b->bypasses = true;
    b->sms[7].lines = 1ull << 7;
    run(b, wishes, 3, 0, 30);
    assert_int_equal(b->performed[7][7], 11);
    assert_int_equal(b->unit[7]->stats.fetches, 1);
    run(b, wishes, 3, 30, 100);
    assert_int_equal(b->unit[7]->stats.unchanged, 1);
    assert_int_equal(b->performed[7][7], 50);
    assert_int_equal(b->unit[7]->stats.retained_used, 0);
    bench_close(b);
}

/* What was changed leaves before the SM's own store, once, and the line is fetched again later. */
static void an_own_store_ends_retention(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 7}, {40, 7, 7}};
    struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
    b->lanes = 20;
    run(b, wishes, 2, 0, 15);
    assert_int_equal(b->unit[7]->stats.writes, 0);
    assert_true(mutex_unit_store(b->unit[7], 7 * LINE, 15));
    assert_int_equal(b->unit[7]->stats.writes, 1);
    run(b, wishes, 2, 15, 39);
    assert_int_equal(b->idle[7][7], 30); /* acknowledged at 25; the unit was busy */
    assert_int_equal(b->unit[7]->stats.writes, 1);
    run(b, wishes, 2, 39, 100);
    assert_int_equal(b->unit[7]->stats.unchanged, 1);
    assert_int_equal(b->performed[7][7], 50);
    assert_int_equal(b->unit[7]->stats.retained_used, 0);
    bench_close(b);
}

/* Nothing invalidates a retained line that another SM stores to; its uses are counted, whether an
 * atomic has ever changed the line or not. The SM's own stores do not count. */
static void uses_of_lines_that_others_stored_to_are_counted(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 7}, {60, 7, 7}, {90, 7, 7}};
    for (uint32_t changes = 0; changes < 2; changes++)
        for (uint32_t by = 7; by <= 8; by++) {
            struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
            b->changes = changes;
            run(b, wishes, 3, 0, 50);
            struct ledger_line *l = ledger_find(&b->ledger->of[7], 7 * LINE);
            assert_non_null(l); /* stores to it are noted */
            ledger_store(l, by, 50);
            run(b, wishes, 3, 50, 120);
            assert_int_equal(b->performed[7][7], 90);
            assert_int_equal(b->unit[7]->stats.retained_used, 2);
            assert_int_equal(b->unit[7]->stats.retained_overwritten, by == 8 ? 2 : 0);
            bench_close(b);
        }
}

/* The data count as of the cycle in which they arrive, here 50. A store at that time or before is
 * not a later one, even if the data were requested before. */
static void stores_count_from_the_arrival_of_the_data(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 7}, {40, 7, 7}, {90, 7, 7}};
    for (uint64_t stored_at = 49; stored_at <= 51; stored_at++) {
        struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
        run(b, wishes, 3, 0, 30);
        host_drop(&b->sms[7], 7 * LINE); /* fetched again, now that stores to it are noted */
        run(b, wishes, 3, 30, 60);
        assert_int_equal(b->performed[7][7], 50);
        ledger_store(ledger_find(&b->ledger->of[7], 7 * LINE), 8, stored_at);
        run(b, wishes, 3, 60, 120);
        assert_int_equal(b->unit[7]->stats.retained_used, 1);
        assert_int_equal(b->unit[7]->stats.retained_overwritten, stored_at > 50);
        bench_close(b);
    }
}

/* --- the unit --- */

/* One unit for all mutexes of an SM: it is busy for as long as the lanes take, five lanes two
 * cycles at four a cycle. Of those that are ready together the first to come goes first. */
static void a_unit_is_busy_with_the_lanes(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 22}, {0, 7, 7}, {0, 7, 37}};
    struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
    b->unit[7]->per_cycle = 4;
    b->lanes = 5;
    run(b, wishes, 3, 0, 60);
    assert_int_equal(b->performed[7][22], 10);
    assert_int_equal(b->performed[7][7], 12);
    assert_int_equal(b->performed[7][37], 14);
    assert_int_equal(b->idle[7][22], 22); /* written at 12 */
    assert_int_equal(b->idle[7][37], 26);
    bench_close(b);
}

/* The unit is busy until 30. Mutex 0 is requested first, but its home is 12 cycles away and back,
 * and its data arrive at 22; those of mutex 7, requested at 11, arrive at 21. */
static void who_has_been_ready_longest_goes_first(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 0}, {0, 7, 22}, {11, 7, 7}};
    struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
    b->lanes = 20;
    run(b, wishes, 3, 0, 100);
    assert_int_equal(b->performed[7][22], 10);
    assert_int_equal(b->performed[7][7], 30);
    assert_int_equal(b->performed[7][0], 50);
    bench_close(b);
}

/* --- holding and releasing --- */

/* Its own release is in the way of its next acquire for one visit, and with wires for two. */
static void a_visit_does_not_acquire_what_it_releases(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 0, 5}, {0, 0, 5}};
    for (uint32_t wires = 0; wires <= 8; wires += 8) {
        struct bench *b = ring_of_four(wires);
        b->params.hold_max = 1;
        run(b, wishes, 2, 0, 60);
        assert_int_equal(b->held[0][5], wires ? 32 : 24);
        bench_close(b);
    }
}

static void no_more_are_performed_than_hold_max(void **state)
{
    (void)state;
    const struct wish wishes[] = {{0, 7, 7}, {0, 7, 7}, {0, 7, 7}, {5, 0, 7}};
    struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
    b->params.hold_max = 2;
    run(b, wishes, 4, 0, 30);
    assert_int_equal(b->unit[7]->stats.performed_requests, 2); /* at 10 and 11; written at 12 */
    assert_int_equal(b->idle[7][7], 22);
    assert_int_equal(b->unit[7]->mutexes[7].phase, MUTEX_WAITING); /* asks in the same cycle */
    run(b, wishes, 4, 30, 200);
    assert_int_equal(b->held[0][7], 28); /* the one that has waited at the home comes first */
    assert_true(b->held[7][7] > b->performed[0][7]);
    assert_int_equal(b->unit[7]->stats.performed_requests, 3);
    bench_close(b);
}

/* A request that comes as the release is ready is performed first; a cycle later it asks again. */
static void a_request_in_the_cycle_of_the_release_goes_first(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        const struct wish wishes[] = {{0, 7, 7}, {21 + late, 7, 7}};
        struct bench *b = bench_open("atom_dir", 15, 10, 10, 1);
        run(b, wishes, 2, 0, 60);
        assert_int_equal(b->unit[7]->stats.acquires, 1 + late);
        assert_int_equal(b->performed[7][7], 21 + late);
        bench_close(b);
    }
}

/* Performed in a boundary's cycle it waits for the next one; a cycle before it does not. */
static void a_release_waits_for_a_boundary(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        const struct wish wish = {53 + late, 7, 7};
        struct bench *b = bench_open("atom_dir", 15, 10, 0, 64);
        b->changes = false; /* nothing to write */
        run(b, &wish, 1, 0, 200);
        assert_int_equal(b->performed[7][7], 63 + late);
        assert_int_equal(b->idle[7][7], late ? 128 : 64);
        assert_int_equal(b->unit[7]->stats.writes, 0);
        bench_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_is_as_square_as_it_can_be),
        cmocka_unit_test(a_home_grants_when_a_request_arrives),
        cmocka_unit_test(a_home_grants_in_order_of_arrival),
        cmocka_unit_test(ties_at_a_home_go_by_sm),
        cmocka_unit_test(a_mutex_goes_round_with_the_token),
        cmocka_unit_test(mutexes_of_one_wire_are_in_each_others_way),
        cmocka_unit_test(a_second_change_does_not_free_the_wire_of_the_first),
        cmocka_unit_test(a_member_acts_in_the_first_cycle_of_its_window),
        cmocka_unit_test(news_of_a_ring_are_taken_in_their_order),
        cmocka_unit_test(the_member_in_ones_column_acts_for_it),
        cmocka_unit_test(acquires_of_a_visit_go_by_arrival_and_sm),
        cmocka_unit_test(tokens_are_waited_for_as_long_as_computed),
        cmocka_unit_test(without_speculation_data_follow_the_grant),
        cmocka_unit_test(speculative_data_are_used_if_they_are_fresh),
        cmocka_unit_test(a_request_of_an_earlier_epoch_is_stale),
        cmocka_unit_test(a_ring_says_what_is_mature),
        cmocka_unit_test(a_ring_says_what_is_unchanged),
        cmocka_unit_test(a_release_matures_at_the_end_of_its_epoch),
        cmocka_unit_test(a_release_of_a_boundary_cycle_is_of_the_new_epoch),
        cmocka_unit_test(a_line_that_is_lost_is_asked_for_at_once),
        cmocka_unit_test(what_bypasses_is_not_retained),
        cmocka_unit_test(an_own_store_ends_retention),
        cmocka_unit_test(uses_of_lines_that_others_stored_to_are_counted),
        cmocka_unit_test(stores_count_from_the_arrival_of_the_data),
        cmocka_unit_test(a_unit_is_busy_with_the_lanes),
        cmocka_unit_test(who_has_been_ready_longest_goes_first),
        cmocka_unit_test(a_visit_does_not_acquire_what_it_releases),
        cmocka_unit_test(no_more_are_performed_than_hold_max),
        cmocka_unit_test(a_request_in_the_cycle_of_the_release_goes_first),
        cmocka_unit_test(a_release_waits_for_a_boundary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
