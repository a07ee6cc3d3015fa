#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "crit/criticality.h"
#include "unit/random_bits.h"

static void every_provider_is_sound(void **state)
{
    (void)state;
    struct strbuf why = {0};
    assert_true(criticality_count() >= 1);
    for (uint32_t i = 0; i < criticality_count(); i++) {
        if (!criticality_is_sound(criticality_at(i), &why))
            fail_msg("%s", strbuf_text(&why));
        assert_ptr_equal(criticality_find(criticality_at(i)->name), criticality_at(i));
    }
    assert_null(criticality_find("some"));
    strbuf_destroy(&why);
}

static void without_a_provider_no_warp_is_critical(void **state)
{
    (void)state;
    struct sched_view view = {.n_warps = 4, .n_slots = 1};
    struct criticality *c = criticality_create(criticality_find("none"), NULL, NULL, &view);
    for (uint32_t warp = 0; warp < 4; warp++) {
        assert_int_equal(c->desc->value(c, warp, 10), 0);
        assert_false(c->desc->is_critical(c, warp, 10));
    }
    assert_int_equal(c->desc->cost_bits(4, c->params, NULL), 0);
    criticality_destroy(c);
    criticality_destroy(NULL);
}

/* Above the lower median of its CTA, from the values of all warps. */
static bool is_above_median(const struct criticality *c, uint32_t warp, uint64_t now)
{
    const struct sched_warp *warps = c->view->warps;
    uint32_t n = 0, n_as_large = 0;
    for (uint32_t w = 0; w < c->view->n_warps; w++) {
        if (!(c->view->live >> w & 1) || warps[w].cta_slot != warps[warp].cta_slot)
            continue;
        n++;
        n_as_large += c->desc->value(c, w, now) >= c->desc->value(c, warp, now);
    }
    return n_as_large <= n / 2;
}

static void let_something_happen(struct criticality *c, struct sched_view *view,
                                 struct sched_warp *warps, uint64_t *random, uint64_t now)
{
    uint32_t w = (uint32_t)(random_u64(random) % view->n_warps);
    bool lives = view->live >> w & 1;
    if (!lives) {
        warps[w] = (struct sched_warp){.live = true, .cta_slot = (uint32_t)(now % 5)};
        view->live |= UINT64_C(1) << w;
        c->desc->on_warp_start(c, w, now);
    } else if (random_u64(random) % 20 == 0) {
        warps[w].live = false;
        view->live &= ~(UINT64_C(1) << w);
        c->desc->on_warp_end(c, w, now);
    } else if (random_u64(random) % 2) {
        struct branch_info b = {1, (uint32_t)(random_u64(random) % 9), 2, 12, 1, 3};
        c->desc->on_issue(c, w, 1, now);
        c->desc->on_branch(c, w, &b);
    } else {
        c->desc->on_commit(c, w, now);
    }
}

/* However few of the others it looks at. */
static void cpl_finds_who_is_above_the_median(void **state)
{
    (void)state;
    static struct sched_warp warps[48];
    struct sched_view view = {.n_warps = 48, .n_slots = 1, .warps = warps};
    struct criticality *c = criticality_create(criticality_find("cpl"), NULL, NULL, &view);
    uint64_t random = 7, n_critical = 0, n = 0;
    for (uint64_t now = 1; now < 3000; now++) {
        let_something_happen(c, &view, warps, &random, now);
        for (uint64_t rest = view.live; rest; rest &= rest - 1, n++) {
            uint32_t w = (uint32_t)__builtin_ctzll(rest);
            assert_int_equal(c->desc->is_critical(c, w, now), is_above_median(c, w, now));
            n_critical += c->desc->is_critical(c, w, now);
        }
    }
    assert_in_range(n_critical, n / 4, n / 2); /* the lower half is not */
    criticality_destroy(c);
}

/* Two of one kind: `ahead` receives commits when their instructions issue, `then` in their own
 * cycle. */
struct twins {
    struct sched_warp warps[24];
    struct sched_view view;
    struct criticality *ahead, *then;
    uint8_t n_commits[24][128]; /* that `then` will be told of, by cycle */
    uint64_t random, now;
};

static void both_issue(struct twins *t, uint32_t w)
{
    struct branch_info b = {5, (uint32_t)(random_u64(&t->random) % 9), 6, 12, 1, 3};
    uint64_t at = t->now + 1 + random_u64(&t->random) % 90;
    t->ahead->desc->on_issue(t->ahead, w, 1, t->now);
    t->then->desc->on_issue(t->then, w, 1, t->now);
    if (random_u64(&t->random) % 3 == 0) {
        t->ahead->desc->on_branch(t->ahead, w, &b);
        t->then->desc->on_branch(t->then, w, &b);
    }
    if (t->ahead->desc->commit_ahead(t->ahead, w, at))
        t->n_commits[w][at % 128]++;
}

static void both_start_or_end(struct twins *t, uint32_t w)
{
    const struct criticality_desc *d = t->ahead->desc;
    bool starts = !(t->view.live >> w & 1);
    if (starts)
        t->warps[w] = (struct sched_warp){.live = true, .cta_slot = w % 3};
    t->view.live ^= UINT64_C(1) << w;
    memset(t->n_commits[w], 0, sizeof t->n_commits[w]);
    (starts ? d->on_warp_start : d->on_warp_end)(t->ahead, w, t->now);
    (starts ? d->on_warp_start : d->on_warp_end)(t->then, w, t->now);
}

static void next_cycle(struct twins *t)
{
    t->now++;
    for (uint32_t w = 0; w < 24; w++)
        for (; t->n_commits[w][t->now % 128]; t->n_commits[w][t->now % 128]--)
            t->then->desc->on_commit(t->then, w, t->now);
}

/* The answer, and how long it is promised to hold. */
static void compare_twins(const struct twins *t, uint32_t w)
{
    const struct criticality_desc *d = t->ahead->desc;
    assert_int_equal(d->value(t->ahead, w, t->now), d->value(t->then, w, t->now));
    bool answer = d->is_critical(t->ahead, w, t->now);
    assert_int_equal(answer, is_above_median(t->then, w, t->now));
    uint64_t until = d->steady_until(t->ahead, w, t->now);
    assert_true(until >= t->now);
    for (uint64_t at = t->now; at <= until && at < t->now + 100; at++)
        assert_int_equal(is_above_median(t->ahead, w, at), answer);
}

static void let_twins_live(struct twins *t)
{
    for (uint32_t step = 0; step < 4000; step++) {
        uint32_t w = (uint32_t)(random_u64(&t->random) % 24);
        if (!(t->view.live >> w & 1) || random_u64(&t->random) % 200 == 0)
            both_start_or_end(t, w);
        else if (random_u64(&t->random) % 2)
            both_issue(t, w);
        for (uint64_t n = random_u64(&t->random) % 4; n; n--) {
            next_cycle(t);
            w = (uint32_t)(random_u64(&t->random) % 24);
            if (t->view.live >> w & 1)
                compare_twins(t, w);
        }
    }
}

static void cpl_counts_commits_that_it_knows_ahead(void **state)
{
    (void)state;
    for (uint32_t waiting = 0; waiting < 3; waiting++) { /* parameter `waiting` */
        struct twins t = {.view = {.n_warps = 24, .n_slots = 1}, .random = 11 + waiting};
        t.view.warps = t.warps;
        t.ahead = criticality_create(criticality_find("cpl"), &waiting, NULL, &t.view);
        t.then = criticality_create(criticality_find("cpl"), &waiting, NULL, &t.view);
        let_twins_live(&t);
        criticality_destroy(t.ahead);
        criticality_destroy(t.then);
    }
}

/* A provider that reads a table once and shares it among SMs, as recorded times would be. */
struct table_params {
    const char *values; /* a digit for each warp of a CTA */
};

static const struct param table_params[] = {
    PARAM_STRING(struct table_params, values, "", "times"),
};

static const void *table_load(const void *params, struct arena *arena, struct strbuf *why)
{
    const struct table_params *p = params;
    if (!*p->values)
        strbuf_add(why, "no values");
    return *p->values ? arena_strdup(arena, p->values) : NULL;
}

static int64_t table_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    const char *values = c->input;
    return values[c->view->warps[warp].warp_in_cta] - '0';
}

static bool table_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    return table_value(c, warp, now) > 5;
}

static uint64_t table_cost(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)params;
    return plugin_cost(parts, "values", n_warps * UINT64_C(4));
}

static const struct criticality_desc table = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "table",
    .summary = "values of a table",
    .citation = "this test",
    .params = table_params,
    .n_params = 1,
    .params_bytes = sizeof(struct table_params),
    .load = table_load,
    .cost_bits = table_cost,
    .value = table_value,
    .is_critical = table_is_critical,
};

static void a_provider_shares_what_it_loads(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct strbuf why = {0};
    assert_true(criticality_register(&table, &why));
    assert_ptr_equal(criticality_find("table"), &table);
    struct table_params none = {.values = ""}, some = {.values = "472"};
    assert_null(table.load(&none, &arena, &why));
    assert_string_equal(strbuf_text(&why), "no values");

    const void *input = table.load(&some, &arena, &why);
    struct sched_warp warps[2][3] = {{{.warp_in_cta = 1}, {.warp_in_cta = 2}, {0}},
                                     {{0}, {.warp_in_cta = 1}, {.warp_in_cta = 2}}};
    static const int expected[2][3] = {{7, 2, 4}, {4, 7, 2}};
    for (int sm = 0; sm < 2; sm++) {
        struct sched_view view = {.n_warps = 3, .n_slots = 1, .warps = warps[sm]};
        struct criticality *c = criticality_create(&table, &some, input, &view);
        view.provider = c;
        view.criticality_of = table.value;
        for (uint32_t w = 0; w < 3; w++) {
            assert_int_equal(view.criticality_of(view.provider, w, 0), expected[sm][w]);
            assert_int_equal(table.is_critical(c, w, 0), expected[sm][w] == 7);
        }
        criticality_destroy(c);
    }
    strbuf_destroy(&why);
    arena_destroy(&arena);
}

static void unsound_providers_are_refused(void **state)
{
    (void)state;
    struct criticality_desc flawed[4] = {table, table, table, table};
    flawed[0].abi_version = 0;
    flawed[1].value = NULL;
    flawed[2].is_critical = NULL;
    flawed[3].cost_bits = NULL;
    for (int i = 0; i < 4; i++) {
        struct strbuf why = {0};
        flawed[i].name = "flawed";
        assert_false(criticality_register(&flawed[i], &why));
        assert_true(why.len > 0);
        assert_null(criticality_find("flawed"));
        strbuf_destroy(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_provider_is_sound),
        cmocka_unit_test(cpl_finds_who_is_above_the_median),
        cmocka_unit_test(cpl_counts_commits_that_it_knows_ahead),
        cmocka_unit_test(without_a_provider_no_warp_is_critical),
        cmocka_unit_test(a_provider_shares_what_it_loads),
        cmocka_unit_test(unsound_providers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
