/* Schedulers that depend on how critical warps are, gcaws and caws_*, against their rules in
 * doc/schedulers.md under random traffic. Orders are lists that are sorted again for each decision;
 * of CAWS the counters are kept, which is what it is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sched/world.h"

struct reference {
    const char *name;
    struct world world;
    double turns[SCHED_MAX_WARPS];  /* caws_*: when the warp's turn comes, before ties are broken */
    double clocks[SCHED_MAX_SLOTS]; /* caws_*: when anybody of the slot had the last */
    int greedy[SCHED_MAX_SLOTS];    /* gcaws: -1 = none */
    uint64_t greedy_uid[SCHED_MAX_SLOTS];
};

static int64_t time_of(const struct reference *r, uint32_t warp)
{
    return world_criticality(r->world.view.provider, warp, r->world.now);
}

/* Is x slower than y, or as slow and older? */
static bool is_before(const struct reference *r, uint32_t x, uint32_t y)
{
    int64_t mine = time_of(r, x), theirs = time_of(r, y);
    return mine > theirs || (mine == theirs && r->world.warps[x].age < r->world.warps[y].age);
}

/* --- CAWS --- */

/* How many live warps are slower, of all or of the warp's CTA only. */
static uint32_t n_slower(const struct reference *r, uint32_t warp, bool in_cta)
{
    const struct sched_warp *warps = r->world.warps;
    uint32_t n = 0;
    for (uint32_t w = 0; w < r->world.view.n_warps; w++)
        if (warps[w].live && (!in_cta || warps[w].cta_slot == warps[warp].cta_slot))
            n += w != warp && is_before(r, w, warp);
    return n;
}

static uint32_t n_ctas(const struct reference *r)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < WORLD_CTA_SLOTS; c++)
        n += world_cta(&r->world, c) != 0;
    return n;
}

static double mean_time(const struct reference *r)
{
    double sum = 0, n = 0;
    for (uint32_t w = 0; w < r->world.view.n_warps; w++)
        if (r->world.warps[w].live) {
            sum += (double)time_of(r, w);
            n++;
        }
    return sum / n;
}

/* Of 48: 40 for a critical warp, 60 for a fast one. */
static int64_t period_of_48(const struct reference *r, uint32_t warp)
{
    if (strcmp(r->name, "caws_blk") == 0)
        return n_slower(r, warp, true) == 0 ? 40 : 48;
    if (strcmp(r->name, "caws_sm") == 0)
        return n_slower(r, warp, false) < n_ctas(r) ? 40 : 48;
    double time = (double)time_of(r, warp), mean = mean_time(r), rounding = 1e-9 * mean;
    if (time > 1.2 * mean + rounding)
        return 40;
    return time < 0.8 * mean - rounding ? 60 : 48;
}

static int64_t pool_size(const struct reference *r)
{
    return (r->world.view.n_warps + r->world.view.n_slots - 1) / r->world.view.n_slots;
}

/* Of two turns at the same time that of the lower slot comes first. */
static double place_of(const struct reference *r, uint32_t warp)
{
    return 1e-6 * (warp / r->world.view.n_slots);
}

static double period_of(const struct reference *r, uint32_t warp)
{
    return (double)(pool_size(r) * period_of_48(r, warp)) / 48;
}

/* Its turns are a period apart; one that has passed is lost. */
static double next_turn(const struct reference *r, uint32_t warp)
{
    double turn = r->turns[warp] + place_of(r, warp);
    double clock = r->clocks[warp % r->world.view.n_slots] + 1e-9;
    while (turn < clock)
        turn += period_of(r, warp);
    return turn;
}

static bool has_turn_first(const struct reference *r, uint32_t x, uint32_t y)
{
    return next_turn(r, x) < next_turn(r, y);
}

static void caws_issue(struct reference *r, uint32_t slot, uint32_t warp)
{
    double turn = next_turn(r, warp);
    r->clocks[slot] = turn;
    r->turns[warp] = turn - place_of(r, warp) + period_of(r, warp);
}

/* It waits for the turn of its place, which is 1 for the first place in the first round. */
static void caws_start(struct reference *r, uint32_t warp)
{
    r->turns[warp] = 1 + (double)(warp / r->world.view.n_slots);
    while (r->turns[warp] + place_of(r, warp) < r->clocks[warp % r->world.view.n_slots] + 1e-9)
        r->turns[warp] += (double)pool_size(r);
}

/* --- both --- */

static bool goes_first(const struct reference *r, uint32_t slot, uint32_t x, uint32_t y)
{
    if (strcmp(r->name, "gcaws") != 0)
        return has_turn_first(r, x, y);
    if ((int)x == r->greedy[slot] || (int)y == r->greedy[slot])
        return (int)x == r->greedy[slot];
    return is_before(r, x, y);
}

/* The first ready warp of the order, and all that come before it. */
static struct sched_pick pick_by_rule(const struct reference *r, uint32_t slot, uint64_t ready)
{
    struct sched_pick pick = {.warp = -1};
    for (uint32_t w = slot; w < r->world.view.n_warps; w += r->world.view.n_slots)
        if (ready >> w & 1 && (pick.warp < 0 || goes_first(r, slot, w, (uint32_t)pick.warp)))
            pick.warp = (int)w;
    for (uint32_t w = slot; w < r->world.view.n_warps; w += r->world.view.n_slots)
        if ((int)w == pick.warp ||
            (r->world.warps[w].live && goes_first(r, slot, w, (uint32_t)pick.warp)))
            pick.visited |= UINT64_C(1) << w;
    return pick;
}

static void note(struct reference *r, const struct world_event *e)
{
    for (uint32_t w = 0; w < r->world.view.n_warps; w++)
        if (e->kind == EV_CTA_START && e->warps >> w & 1)
            caws_start(r, w);
}

/* Greed ends with the warp. */
static void forget_the_dead(struct reference *r)
{
    for (uint32_t slot = 0; slot < r->world.view.n_slots; slot++) {
        const struct sched_warp *w = &r->world.warps[r->greedy[slot] < 0 ? 0 : r->greedy[slot]];
        if (r->greedy[slot] >= 0 && (!w->live || w->uid != r->greedy_uid[slot]))
            r->greedy[slot] = -1;
    }
}

static bool compare_slot(struct reference *r, struct scheduler *s, uint32_t slot)
{
    struct world *w = &r->world;
    uint64_t ready = world_awake(w, slot) & (random_u64(&w->random) | random_u64(&w->random));
    if (!ready)
        return false;
    struct sched_pick rule = pick_by_rule(r, slot, ready);
    struct sched_pick picked = s->desc->pick(s, slot, ready, 0, w->now);
    if (picked.warp != rule.warp || picked.visited != rule.visited)
        fail_msg("%s, %u warps in %u slots, cycle %llu: picked %d visiting %llx, the rule says %d "
                 "visiting %llx",
                 r->name, w->view.n_warps, w->view.n_slots, (unsigned long long)w->now, picked.warp,
                 (unsigned long long)picked.visited, rule.warp, (unsigned long long)rule.visited);
    uint32_t warp = (uint32_t)picked.warp;
    world_issue(w, slot, warp);
    world_tell(w, &w->log[w->n_log - 1], s);
    caws_issue(r, slot, warp);
    r->greedy[slot] = picked.warp;
    r->greedy_uid[slot] = w->warps[warp].uid;
    return true;
}

static void compare(const char *name, uint64_t seed, uint32_t n_warps, uint32_t n_slots)
{
    static struct reference r;
    memset(&r, 0, sizeof r);
    r.name = name;
    for (uint32_t slot = 0; slot < n_slots; slot++)
        r.greedy[slot] = -1;
    world_init(&r.world, seed, n_warps, n_slots);
    struct scheduler *s = scheduler_create(scheduler_find(name), NULL, &r.world.view, seed);
    uint32_t n_issued = 0;
    for (uint32_t cycle = 0, told = 0; cycle < 400 && world_step(&r.world); cycle++) {
        for (; told < r.world.n_log; told++) {
            note(&r, &r.world.log[told]);
            world_tell(&r.world, &r.world.log[told], s);
        }
        forget_the_dead(&r);
        for (uint32_t slot = 0; slot < n_slots; slot++)
            n_issued += compare_slot(&r, s, slot);
        told = r.world.n_log;
    }
    assert_true(n_issued > 100);
    scheduler_destroy(s);
}

static void criticality_decides_as_the_rules_say(void **state)
{
    (void)state;
    static const char *const names[] = {"gcaws", "caws_blk", "caws_sm", "caws_avg"};
    static const uint32_t n_slots[] = {1, 2, 4, 3};
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t seed = 1; seed <= 24; seed++)
            compare(names[i], seed, seed < 8 ? 64 : 4 + seed, n_slots[seed % 4]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(criticality_decides_as_the_rules_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
