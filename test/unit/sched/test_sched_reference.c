/* Every scheduler against its rule in doc/schedulers.md, recomputed for each decision from the log
 * of everything that happened: the warps are sorted into a list, and the first ready one wins.
 * Nothing is kept from one decision to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/sched/sched_params.h"
#include "unit/sched/world.h"

struct list {
    uint32_t warps[SCHED_MAX_WARPS];
    uint32_t n;
};

/* A rule with all the parameters there are. */
struct rule {
    const char *name;
    struct list (*order)(const struct rule *r, const struct world *w, uint32_t slot,
                         uint64_t ready);
    uint32_t limit, group_size;
    bool is_inner_gto, is_outer_gto, switches_on_any;
};

static bool has(const struct list *l, uint32_t warp)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->warps[i] == warp)
            return true;
    return false;
}

static void append(struct list *l, uint32_t warp)
{
    if (!has(l, warp))
        l->warps[l->n++] = warp;
}

/* Live or not, in the order of numbers. */
static struct list warps_of_slot(const struct world *w, uint32_t slot)
{
    struct list l = {0};
    for (uint32_t i = 0; i < w->view.n_warps; i++)
        if (i % w->view.n_slots == slot)
            append(&l, i);
    return l;
}

/* The last issue of a warp of the list; NULL if there was none. */
static const struct world_event *last_issue(const struct world *w, const struct list *among)
{
    for (uint32_t i = w->n_log; i-- > 0;)
        if (w->log[i].kind == EV_ISSUE && has(among, w->log[i].warp))
            return &w->log[i];
    return NULL;
}

static struct list by_age(const struct world *w, const struct list *among)
{
    struct list l = {0};
    for (uint64_t age = 0; age < w->n_started; age++)
        for (uint32_t i = 0; i < among->n; i++)
            if (w->warps[among->warps[i]].live && w->warps[among->warps[i]].age == age)
                append(&l, among->warps[i]);
    return l;
}

static struct list round_robin(const struct world *w, const struct list *among)
{
    const struct world_event *last = last_issue(w, among);
    struct list l = {0};
    for (uint32_t i = 0; i < w->view.n_warps; i++) {
        uint32_t warp = last ? (last->warp + 1 + i) % w->view.n_warps : i;
        if (w->warps[warp].live && has(among, warp))
            append(&l, warp);
    }
    return l;
}

/* The warp that issued last comes first, if it is still the same warp and alive. */
static struct list greedy_then(const struct world *w, const struct list *among,
                               const struct list *then)
{
    const struct world_event *last = last_issue(w, among);
    struct list l = {0};
    if (last && w->warps[last->warp].live && w->warps[last->warp].uid == last->uid)
        append(&l, last->warp);
    for (uint32_t i = 0; i < then->n; i++)
        append(&l, then->warps[i]);
    return l;
}

static struct list gto(const struct world *w, const struct list *among)
{
    struct list old_first = by_age(w, among);
    return greedy_then(w, among, &old_first);
}

static struct list lrr_order(const struct rule *r, const struct world *w, uint32_t slot,
                             uint64_t ready)
{
    (void)r, (void)ready;
    struct list mine = warps_of_slot(w, slot);
    return round_robin(w, &mine);
}

static struct list oldest_order(const struct rule *r, const struct world *w, uint32_t slot,
                                uint64_t ready)
{
    (void)r, (void)ready;
    struct list mine = warps_of_slot(w, slot);
    return by_age(w, &mine);
}

static struct list gto_order(const struct rule *r, const struct world *w, uint32_t slot,
                             uint64_t ready)
{
    (void)r, (void)ready;
    struct list mine = warps_of_slot(w, slot);
    return gto(w, &mine);
}

static struct list gtrr_order(const struct rule *r, const struct world *w, uint32_t slot,
                              uint64_t ready)
{
    (void)r, (void)ready;
    struct list mine = warps_of_slot(w, slot), turns = round_robin(w, &mine);
    return greedy_then(w, &mine, &turns);
}

/* The oldest warps of the SM up to the limit, and those whose CTA has a warp at a barrier. */
static struct list swl_allowed(const struct rule *r, const struct world *w)
{
    struct list all = {0}, allowed = {0};
    for (uint32_t i = 0; i < w->view.n_warps; i++)
        append(&all, i);
    struct list old_first = by_age(w, &all);
    for (uint32_t i = 0; i < old_first.n; i++) {
        bool is_cta_waiting = false;
        for (uint32_t k = 0; k < old_first.n; k++)
            is_cta_waiting |=
                w->warps[old_first.warps[k]].at_barrier &&
                w->warps[old_first.warps[k]].cta_slot == w->warps[old_first.warps[i]].cta_slot;
        if (i < r->limit || is_cta_waiting)
            append(&allowed, old_first.warps[i]);
    }
    return allowed;
}

static struct list swl_order(const struct rule *r, const struct world *w, uint32_t slot,
                             uint64_t ready)
{
    struct list l = {0}, all = gto_order(r, w, slot, ready), allowed = swl_allowed(r, w);
    for (uint32_t i = 0; i < all.n; i++)
        if (has(&allowed, all.warps[i]))
            append(&l, all.warps[i]);
    return l;
}

/* Does the warp wait for memory, at a barrier or at a fence, by the last event? */
static bool waits_long(const struct world *w, uint32_t warp)
{
    for (uint32_t i = w->n_log; i-- > 0;) {
        const struct world_event *e = &w->log[i];
        bool is_one_of = e->warps >> warp & 1;
        if (e->kind == EV_STALL && e->warp == warp)
            return e->cause == STALLED_MEMORY || e->cause == STALLED_FENCE;
        if (e->kind == EV_ARRIVE && e->warp == warp)
            return true;
        if ((e->kind == EV_WAKE && e->warp == warp) || (e->kind == EV_RELEASE && is_one_of) ||
            (e->kind == EV_CTA_START && is_one_of))
            return false;
    }
    return false;
}

static bool is_awake(const struct rule *r, const struct world *w, const struct list *group,
                     uint64_t ready)
{
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t warp = group->warps[i];
        if (!w->warps[warp].live)
            continue;
        if (r->switches_on_any ? (bool)(ready >> warp & 1) : !waits_long(w, warp))
            return true;
    }
    return false;
}

/* Was there a time since the group's last issue when none of its warps lived? */
static bool was_left(const struct world *w, const struct list *group)
{
    for (const struct world_event *e = last_issue(w, group); e < w->log + w->n_log; e++) {
        bool is_any_left = false;
        for (uint32_t i = 0; i < group->n; i++)
            is_any_left |= e->warps >> group->warps[i] & 1;
        if (e->kind == EV_END && !is_any_left)
            return true;
    }
    return false;
}

static uint64_t oldest_age(const struct world *w, const struct list *group)
{
    struct list l = by_age(w, group);
    return l.n ? w->warps[l.warps[0]].age : UINT64_MAX;
}

/* The group that may issue; an empty list if none is awake. */
static struct list active_group(const struct rule *r, const struct world *w, uint32_t slot,
                                uint64_t ready)
{
    struct list mine = warps_of_slot(w, slot), groups[SCHED_MAX_WARPS] = {0}, none = {0};
    uint32_t n_groups = (mine.n + r->group_size - 1) / r->group_size;
    for (uint32_t i = 0; i < mine.n; i++)
        append(&groups[i / r->group_size], mine.warps[i]);
    const struct world_event *last = last_issue(w, &mine);
    uint32_t first = 0;
    for (uint32_t g = 0; last && g < n_groups; g++)
        if (has(&groups[g], last->warp)) {
            if (!was_left(w, &groups[g]) && is_awake(r, w, &groups[g], ready))
                return groups[g];
            first = g + 1;
        }
    const struct list *best = &none;
    for (uint32_t i = 0; i < n_groups; i++) {
        const struct list *g = &groups[(first + i) % n_groups];
        if (is_awake(r, w, g, ready) &&
            (best == &none || (r->is_outer_gto && oldest_age(w, g) < oldest_age(w, best))))
            best = g;
    }
    return *best;
}

static struct list two_level_order(const struct rule *r, const struct world *w, uint32_t slot,
                                   uint64_t ready)
{
    struct list group = active_group(r, w, slot, ready);
    return r->is_inner_gto ? gto(w, &group) : round_robin(w, &group);
}

static struct sched_pick first_ready(const struct list *order, uint64_t ready)
{
    struct sched_pick p = {.warp = -1};
    for (uint32_t i = 0; i < order->n && p.warp < 0; i++) {
        p.visited |= UINT64_C(1) << order->warps[i];
        if (ready >> order->warps[i] & 1)
            p.warp = (int)order->warps[i];
    }
    return p;
}

static const void *params_of_rule(const struct rule *r, const struct scheduler_desc *d,
                                  struct arena *arena)
{
    if (r->limit)
        return sched_params(d, arena_printf(arena, "limit=%u", r->limit), arena);
    if (r->group_size)
        return sched_params(d,
                            arena_printf(arena, "group_size=%u inner=%s outer=%s switch_on=%s",
                                         r->group_size, r->is_inner_gto ? "gto" : "lrr",
                                         r->is_outer_gto ? "gto" : "lrr",
                                         r->switches_on_any ? "any" : "long"),
                            arena);
    return sched_params(d, "", arena);
}

/* One cycle: events, then a decision for each issue slot with a random part of its warps ready.
 * Returns how many warps issued. */
static uint32_t compare_cycle(const struct rule *r, struct world *w, struct scheduler *s)
{
    uint32_t n_issued = 0;
    for (uint32_t slot = 0; slot < w->view.n_slots; slot++) {
        uint64_t ready = world_awake(w, slot) & (random_u64(&w->random) | random_u64(&w->random));
        if (s->desc->may_issue) {
            struct list allowed = swl_allowed(r, w);
            for (uint32_t i = 0; i < w->view.n_warps; i++)
                if (w->warps[i].live &&
                    (s->desc->may_issue(s, ISSUE_LOAD) >> i & 1) != has(&allowed, i))
                    fail_msg("%s: warp %u may %sissue", r->name, i, has(&allowed, i) ? "" : "not ");
            ready &= s->desc->may_issue(s, ISSUE_ALU);
        }
        if (!ready)
            continue;
        struct list order = r->order(r, w, slot, ready);
        struct sched_pick by_rule = first_ready(&order, ready);
        struct sched_pick picked = s->desc->pick(s, slot, ready, 0, w->now);
        if (picked.warp != by_rule.warp || picked.visited != by_rule.visited)
            fail_msg("%s, %u warps in %u slots, cycle %llu: picked %d visiting %llx, the rule "
                     "says %d visiting %llx",
                     r->name, w->view.n_warps, w->view.n_slots, (unsigned long long)w->now,
                     picked.warp, (unsigned long long)picked.visited, by_rule.warp,
                     (unsigned long long)by_rule.visited);
        if (picked.warp < 0)
            continue;
        world_issue(w, slot, (uint32_t)picked.warp);
        world_tell(w, &w->log[w->n_log - 1], s);
        n_issued++;
    }
    return n_issued;
}

static void compare(const struct rule *r, uint64_t seed, uint32_t n_warps, uint32_t n_slots)
{
    static struct world w;
    struct arena arena = {0};
    const struct scheduler_desc *d = scheduler_find(r->name);
    const void *params = params_of_rule(r, d, &arena);
    assert_non_null(params);
    world_init(&w, seed, n_warps, n_slots);
    struct scheduler *s = scheduler_create(d, params, &w.view, seed);
    uint32_t n_issued = 0;
    for (uint32_t cycle = 0, told = 0; cycle < 400 && world_step(&w); cycle++) {
        for (; told < w.n_log; told++)
            world_tell(&w, &w.log[told], s);
        n_issued += compare_cycle(r, &w, s);
        told = w.n_log;
    }
    assert_true(n_issued > 100);
    scheduler_destroy(s);
    arena_destroy(&arena);
}

static void compare_on_many_machines(const struct rule *r)
{
    for (uint32_t i = 0; i < 24; i++) {
        static const uint32_t n_slots[] = {1, 2, 4, 3};
        uint64_t random = i;
        struct rule varied = *r;
        if (r->limit)
            varied.limit = 1 + (uint32_t)(random_u64(&random) % 12);
        if (r->group_size)
            varied.group_size = 1 + (uint32_t)(random_u64(&random) % 9);
        compare(&varied, i + 1, i < 8 ? 64 : 4 + i, n_slots[i % 4]);
    }
}

static void simple_orders_follow_their_rules(void **state)
{
    (void)state;
    compare_on_many_machines(&(struct rule){.name = "lrr", .order = lrr_order});
    compare_on_many_machines(&(struct rule){.name = "gto", .order = gto_order});
    compare_on_many_machines(&(struct rule){.name = "oldest", .order = oldest_order});
    compare_on_many_machines(&(struct rule){.name = "gtrr", .order = gtrr_order});
}

static void limited_warps_follow_the_rule(void **state)
{
    (void)state;
    compare_on_many_machines(&(struct rule){.name = "swl", .order = swl_order, .limit = 1});
}

static void fetch_groups_follow_the_rule(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        compare_on_many_machines(&(struct rule){.name = "two_level",
                                                .order = two_level_order,
                                                .group_size = 1,
                                                .is_inner_gto = i & 1,
                                                .is_outer_gto = i & 2,
                                                .switches_on_any = i & 4});
}

static void presets_are_what_they_are_said_to_be(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct scheduler_desc *d = scheduler_find("two_level"),
                                *preset = scheduler_find("two_level_gto");
    struct rule lrr_8 = {.group_size = 8};
    struct rule gto_2 = {
        .group_size = 2, .is_inner_gto = true, .is_outer_gto = true, .switches_on_any = true};
    assert_memory_equal(sched_params(d, "", &arena), params_of_rule(&lrr_8, d, &arena),
                        d->params_bytes);
    assert_memory_equal(sched_params(preset, "", &arena), params_of_rule(&gto_2, d, &arena),
                        d->params_bytes);
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_orders_follow_their_rules),
        cmocka_unit_test(limited_warps_follow_the_rule),
        cmocka_unit_test(fetch_groups_follow_the_rule),
        cmocka_unit_test(presets_are_what_they_are_said_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
