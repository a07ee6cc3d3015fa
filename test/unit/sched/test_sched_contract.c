/* What holds for every scheduler, including registered ones: a sound descriptor, and the contract
 * of scheduler.h under random traffic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sched/sched_params.h"
#include "unit/sched/world.h"

enum { N_CYCLES = 400, MAX_STATE_BYTES = 1 << 16 };
static const struct sched_geometry geometry = {.n_warps = 48, .n_slots = 2, .l1d_lines = 128};

static void every_descriptor_is_sound(void **state)
{
    (void)state;
    struct strbuf why = {0};
    assert_true(scheduler_count() >= 7);
    for (uint32_t i = 0; i < scheduler_count(); i++) {
        const struct scheduler_desc *d = scheduler_at(i);
        if (!scheduler_is_sound(d, &why))
            fail_msg("%s", strbuf_text(&why));
        assert_ptr_equal(scheduler_find(d->name), d);
    }
    assert_null(scheduler_find("greedy"));
    strbuf_destroy(&why);
}

/* The parts of a cost, "name bits" a line, add up to the whole, and every bit has a name. */
static void costs_are_the_sum_of_their_parts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < scheduler_count(); i++) {
        const struct scheduler_desc *d = scheduler_at(i);
        struct arena arena = {0};
        struct strbuf parts = {0};
        const void *params = plugin_values(&d->plugin, NULL, &arena);
        uint64_t bits = d->cost_bits(&geometry, params, &parts), sum = 0;
        char *rest = arena_strdup(&arena, strbuf_text(&parts)), *line;
        while ((line = strsep(&rest, "\n")) && *line)
            sum += strtoull(strrchr(line, ' '), NULL, 10);
        assert_true(sum == bits);
        assert_true(d->cost_bits(&geometry, params, NULL) == bits);
        strbuf_destroy(&parts);
        arena_destroy(&arena);
    }
}

/* Counted by hand for 48 warps in 2 issue slots: 24 warps a slot, so a number has 5 bits. */
static void costs_are_those_counted_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *name, *params;
        uint64_t bits;
    } costs[] = {
        {"lrr", "", 2 * 5},
        {"gto", "", 48 * 5 + 2 * 5 + 2},
        {"oldest", "", 48 * 5},
        {"gtrr", "", 2 * 5 + 2},
        {"two_level", "", 2 * 2 + 6 * 3 + 48},          /* 3 groups of 8 a slot */
        {"two_level_gto", "", 2 * 4 + 24 * 1 + 48 * 5}, /* 12 groups of 2 a slot */
        {"swl", "limit=3", 48 * 6 + 2 * 5 + 2 + 6},     /* ages and limit span 48 warps */
    };
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        struct arena arena = {0};
        const struct scheduler_desc *d = scheduler_find(costs[i].name);
        uint64_t bits = d->cost_bits(&geometry, sched_params(d, costs[i].params, &arena), NULL);
        if (bits != costs[i].bits)
            fail_msg("%s: %llu bits, by hand %llu", d->name, (unsigned long long)bits,
                     (unsigned long long)costs[i].bits);
        arena_destroy(&arena);
    }
}

/* A row of the page's table of parameters. */
static void add_row(struct strbuf *row, const struct scheduler_desc *d, const struct param *p)
{
    strbuf_addf(row, "| `%s` | `%s` | %s | ", d->name, p->name, p->default_text);
    if (p->type == PARAM_TYPE_ENUM)
        for (uint32_t i = 0; p->choices[i]; i++)
            strbuf_addf(row, "%s%s", i ? ", " : "", p->choices[i]);
    else if (p->type == PARAM_TYPE_BOOL)
        strbuf_add(row, "true, false");
    else
        strbuf_addf(row, "%u to %u%s%s", (unsigned)p->min, (unsigned)p->max, p->unit ? " " : "",
                    p->unit ? p->unit : "");
    strbuf_addf(row, " | %s |", p->help);
}

static void the_page_tells_of_every_scheduler_and_parameter(void **state)
{
    (void)state;
    struct strbuf page = {0};
    assert_int_equal(strbuf_read_file(&page, HEDDLE_SOURCE_DIR "/doc/schedulers.md"), 0);
    for (uint32_t i = 0; i < scheduler_count(); i++) {
        const struct scheduler_desc *d = scheduler_at(i);
        struct strbuf row = {0};
        strbuf_addf(&row, "| `%s` |", d->name);
        if (!strstr(strbuf_text(&page), strbuf_text(&row)))
            fail_msg("doc/schedulers.md lacks a row \"%s rule | source |\" among its rules",
                     strbuf_text(&row));
        for (uint32_t k = 0; k < d->n_params; k++) {
            strbuf_clear(&row);
            add_row(&row, d, &d->params[k]);
            if (!strstr(strbuf_text(&page), strbuf_text(&row)))
                fail_msg("doc/schedulers.md lacks, among its parameters, the row %s",
                         strbuf_text(&row));
        }
        strbuf_destroy(&row);
    }
    strbuf_destroy(&page);
}

static size_t state_bytes(const struct world *w, const struct scheduler *s)
{
    const struct scheduler_desc *d = s->desc;
    size_t n = d->state_bytes ? d->state_bytes(w->view.n_warps, w->view.n_slots, s->params) : 0;
    assert_true(n <= MAX_STATE_BYTES);
    return n;
}

/* pick() and may_issue() leave the state as it is, byte by byte, and answer the same twice. */
static struct sched_pick checked_pick(const struct world *w, const struct scheduler *s,
                                      uint32_t slot, uint64_t ready)
{
    static char before[MAX_STATE_BYTES];
    size_t bytes = state_bytes(w, s);
    memcpy(before, s->state, bytes);
    struct sched_pick p = s->desc->pick(s, slot, ready, 0, w->now);
    struct sched_pick again = s->desc->pick(s, slot, ready, 0, w->now);
    for (int class = 0; s->desc->may_issue && class < N_ISSUE_CLASSES; class ++)
        assert_true(s->desc->may_issue(s, class) == s->desc->may_issue(s, class));
    for (int class = 0; s->desc->keeps_hold && class < N_ISSUE_CLASSES; class ++) {
        uint64_t held = s->hold.all | (class == ISSUE_LOAD ? s->hold.loads : 0);
        assert_true((s->desc->may_issue(s, class) & w->view.live) == (~held & w->view.live));
    }
    assert_memory_equal(before, s->state, bytes);
    assert_true(p.warp == again.warp && p.visited == again.visited);
    assert_true((p.visited & ~(w->view.live & s->slot_warps[slot])) == 0);
    if (p.warp >= 0) {
        assert_true(ready >> p.warp & 1);
        assert_true(p.visited >> p.warp & 1);
    }
    return p;
}

static uint64_t allowed(const struct scheduler *s)
{
    return s->desc->may_issue ? s->desc->may_issue(s, ISSUE_ALU) : ~UINT64_C(0);
}

/* The warp that pick() named issues, or none: -1. If the scheduler has pick() and on_issue() in one
 * function, that gives the same result, including the state. */
static void checked_issue(struct world *w, struct scheduler *s, uint32_t slot, uint64_t ready,
                          int warp)
{
    static char before[MAX_STATE_BYTES], after[MAX_STATE_BYTES];
    size_t bytes = state_bytes(w, s);
    memcpy(before, s->state, bytes);
    if (warp >= 0) {
        world_issue(w, slot, (uint32_t)warp);
        world_tell(w, &w->log[w->n_log - 1], s);
    }
    if (!s->desc->pick_and_issue)
        return;
    memcpy(after, s->state, bytes);
    memcpy(s->state, before, bytes);
    int at_once = s->desc->pick_and_issue(s, slot, ready, w->now);
    if (at_once != warp)
        fail_msg("%s, %u issue slots: pick() says %d, pick_and_issue() %d", s->desc->name,
                 w->view.n_slots, warp, at_once);
    assert_memory_equal(s->state, after, bytes);
    if (warp < 0 || s->desc->hears_each_issue)
        return;
    assert_int_equal(s->desc->pick_and_issue(s, slot, 1ull << warp, w->now),
                     warp); /* it issues alone */
    assert_memory_equal(s->state, after, bytes);
}

/* Decides for every issue slot. Only a warp that will be ready soon is worth an idle slot: if all
 * are ready, throttled or in a long stall, some warp issues. */
static void checked_cycle(struct world *w, struct scheduler *s)
{
    for (uint32_t slot = 0; slot < w->view.n_slots; slot++) {
        uint64_t awake = world_awake(w, slot) & allowed(s);
        uint64_t ready = world_random(w, 2) ? awake : awake & random_u64(&w->random);
        if (!ready)
            continue;
        struct sched_pick p = checked_pick(w, s, slot, ready);
        uint64_t soon = w->stalled_briefly & w->view.live & s->slot_warps[slot];
        if (ready == awake && !soon && p.warp < 0)
            fail_msg("%s leaves slot %u idle for no warp", s->desc->name, slot);
        checked_issue(w, s, slot, ready, p.warp);
    }
}

static void every_scheduler_keeps_the_contract(void **state)
{
    (void)state;
    static struct world w;
    for (uint32_t i = 0; i < scheduler_count(); i++)
        for (uint32_t n_slots = 1; n_slots <= 4; n_slots++) {
            world_init(&w, 100 * i + n_slots, n_slots == 1 ? 64 : 48, n_slots);
            struct scheduler *s = scheduler_create(scheduler_at(i), NULL, &w.view, 1);
            for (uint32_t cycle = 0, told = 0; cycle < N_CYCLES && world_step(&w); cycle++) {
                for (; told < w.n_log; told++)
                    world_tell(&w, &w.log[told], s);
                checked_cycle(&w, s);
                told = w.n_log;
            }
            scheduler_destroy(s);
        }
}

/* Two instances receive the same events, but one gets each cycle's events in reverse order. */
static void the_order_of_a_cycles_events_does_not_matter(void **state)
{
    (void)state;
    static struct world w;
    for (uint32_t i = 0; i < scheduler_count(); i++) {
        world_init(&w, 7 + i, 24, 2);
        struct scheduler *a = scheduler_create(scheduler_at(i), NULL, &w.view, 1);
        struct scheduler *b = scheduler_create(scheduler_at(i), NULL, &w.view, 1);
        for (uint32_t cycle = 0, told = 0; cycle < N_CYCLES && world_step(&w); cycle++) {
            for (uint32_t k = told; k < w.n_log; k++) {
                world_tell(&w, &w.log[k], a);
                world_tell(&w, &w.log[told + w.n_log - 1 - k], b);
            }
            told = w.n_log;
            for (uint32_t slot = 0; slot < w.view.n_slots; slot++) {
                uint64_t ready = world_awake(&w, slot) & allowed(a) & random_u64(&w.random);
                assert_true(((allowed(a) ^ allowed(b)) & w.view.live) == 0);
                if (!ready)
                    continue;
                struct sched_pick p = a->desc->pick(a, slot, ready, 0, w.now);
                struct sched_pick q = b->desc->pick(b, slot, ready, 0, w.now);
                assert_true(p.warp == q.warp && p.visited == q.visited);
                if (p.warp >= 0)
                    world_issue(&w, slot, (uint32_t)p.warp);
            }
            for (; told < w.n_log; told++) {
                world_tell(&w, &w.log[told], a);
                world_tell(&w, &w.log[told], b);
            }
        }
        scheduler_destroy(a);
        scheduler_destroy(b);
    }
}

/* Four warps of a CTA in two issue slots, the first of which waits for memory. */
static void schedulers_tell_whom_they_hold_back(void **state)
{
    (void)state;
    static const struct {
        const char *name, *params, *text;
    } accounts[] = {
        {"swl", "limit=3", "swl: beyond the limit of 3 warps: mask 0x8\n"},
        {"swl", "limit=4", ""},
        {"two_level", "group_size=1",
         "two_level: issue slot 1: warps outside of the active group: mask 0x8\n"},
        {"two_level", "group_size=2", ""},
        {"two_level_gto", "group_size=1", ""},
    };
    for (size_t i = 0; i < sizeof accounts / sizeof accounts[0]; i++) {
        struct arena arena = {0};
        struct strbuf out = {0};
        struct sched_warp warps[4] = {{.age = 0}, {.age = 1}, {.age = 2}, {.age = 3}};
        struct sched_view view = {.n_warps = 4, .n_slots = 2, .warps = warps};
        const struct scheduler_desc *d = scheduler_find(accounts[i].name);
        struct scheduler *s =
            scheduler_create(d, sched_params(d, accounts[i].params, &arena), &view, 1);
        view.live = 0xf;
        for (uint32_t w = 0; w < 4; w++)
            d->on_warp_start(s, w, 0);
        if (d->on_stall)
            d->on_stall(s, 0, STALLED_MEMORY, 0);
        d->describe_wait(s, &out);
        assert_string_equal(strbuf_text(&out), accounts[i].text);
        scheduler_destroy(s);
        strbuf_destroy(&out);
        arena_destroy(&arena);
    }
    scheduler_destroy(NULL);
}

/* Each flaw alone makes a descriptor unfit, and the reason names it. */
static void unsound_plug_ins_are_refused(void **state)
{
    (void)state;
    static const struct param far_away[] = {
        {.name = "far", .type = PARAM_TYPE_U32, .offset = 64, .default_text = "1", .max = 9}};
    static const struct param wrong_default[] = {
        {.name = "wrong", .type = PARAM_TYPE_U32, .default_text = "10", .max = 9}};
    struct scheduler_desc good = *scheduler_find("swl");
    good.name = "good";
    struct {
        struct scheduler_desc d;
        const char *reason;
    } flawed[] = {
        {good, "version"},
        {good, "bytes"},
        {good, "Not a Name"},
        {good, "already"},
        {good, "a summary or a citation"},
        {good, "a summary or a citation"},
        {good, "pick()"},
        {good, "cost_bits()"},
        {good, "outside"},
        {good, "out of range"},
        {good, "on_wake()"},
    };
    flawed[0].d.abi_version++;
    flawed[1].d.struct_size -= sizeof(void *);
    flawed[2].d.name = "Not a Name";
    flawed[3].d.name = "swl";
    flawed[4].d.summary = "";
    flawed[5].d.citation = NULL;
    flawed[6].d.pick = NULL;
    flawed[7].d.cost_bits = NULL;
    flawed[8].d.params = far_away;
    flawed[9].d.params = wrong_default;
    flawed[10].d.on_wake = good.on_warp_end;
    for (size_t i = 0; i < sizeof flawed / sizeof flawed[0]; i++) {
        struct strbuf why = {0};
        uint32_t n = scheduler_count();
        if (scheduler_register(&flawed[i].d, &why) || !strstr(strbuf_text(&why), flawed[i].reason))
            fail_msg("'%s' should speak of '%s'", strbuf_text(&why), flawed[i].reason);
        assert_int_equal(scheduler_count(), n);
        strbuf_destroy(&why);
    }
}

/* Once registered, a scheduler is found like any other; the tests after this one see it too. */
static void a_registered_scheduler_is_one_like_the_others(void **state)
{
    (void)state;
    static struct scheduler_desc added;
    struct strbuf why = {0};
    added = *scheduler_find("lrr");
    added.name = "registered";
    uint32_t n = scheduler_count();
    assert_true(scheduler_register(&added, &why));
    assert_int_equal(scheduler_count(), n + 1);
    assert_ptr_equal(scheduler_at(n), &added);
    assert_ptr_equal(scheduler_find("registered"), &added);
    assert_false(scheduler_register(&added, &why));
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_tells_of_every_scheduler_and_parameter),
        cmocka_unit_test(unsound_plug_ins_are_refused),
        cmocka_unit_test(a_registered_scheduler_is_one_like_the_others),
        cmocka_unit_test(every_descriptor_is_sound),
        cmocka_unit_test(costs_are_the_sum_of_their_parts),
        cmocka_unit_test(costs_are_those_counted_by_hand),
        cmocka_unit_test(every_scheduler_keeps_the_contract),
        cmocka_unit_test(schedulers_tell_whom_they_hold_back),
        cmocka_unit_test(the_order_of_a_cycles_events_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
