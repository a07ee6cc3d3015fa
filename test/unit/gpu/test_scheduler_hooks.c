/* Schedulers that listen to what none of Heddle's own does, or whose answers change with time
 * alone: to every stall, to commits, to the clock. What they are told decides which warp issues, so
 * that statistics show whatever a fast path leaves out; fast paths, engines and quanta must not
 * matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sim.h"
#include "unit/gpu/sim_stats.h"

/* Half of the warps may issue in one tide, the other half in the next. */
enum { TIDE_CYCLES = 7 };

struct spy_state {
    uint64_t time;
    uint64_t score[SCHED_MAX_WARPS]; /* the warp with the highest one issues */
};

struct spy_stats {
    uint64_t told; /* events */
    uint64_t late; /* issues in another cycle than the scheduler has been advanced to */
};

static const struct plugin_stat spy_stats[] = {
    STAT_COUNT(struct spy_stats, told, "events", "that the scheduler decides by"),
    STAT_COUNT(struct spy_stats, late, "instructions", "issued in a cycle it was not told of"),
};

static size_t spy_state_bytes(uint32_t n_warps, uint32_t n_slots, const void *params)
{
    (void)n_warps, (void)n_slots, (void)params;
    return sizeof(struct spy_state);
}

static uint64_t no_cost(const struct sched_geometry *g, const void *params, struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

static void on_start(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    ((struct spy_state *)s->state)->score[warp] = 0;
}

static void add_score(struct scheduler *s, uint32_t warp, uint64_t points)
{
    ((struct spy_state *)s->state)->score[warp] += points;
    ((struct spy_stats *)s->stats)->told++;
}

static struct sched_pick pick_highest(const struct scheduler *s, uint32_t slot, uint64_t ready,
                                      uint64_t ready_loads, uint64_t now)
{
    (void)ready_loads, (void)now;
    const struct spy_state *spy = s->state;
    int best = __builtin_ctzll(ready);
    for (uint64_t m = ready; m; m &= m - 1)
        if (spy->score[__builtin_ctzll(m)] > spy->score[best])
            best = __builtin_ctzll(m);
    return (struct sched_pick){.warp = best, .visited = s->view->live & s->slot_warps[slot]};
}

static int pick_and_issue_highest(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    return pick_highest(s, slot, ready, 0, now).warp;
}

#define SPIES                                                                                      \
    .abi_version = SCHEDULER_ABI, .struct_size = sizeof(struct scheduler_desc),                    \
    .summary = "listens", .citation = "this test", PLUGIN_STATS(spy_stats, struct spy_stats),      \
    .state_bytes = spy_state_bytes, .cost_bits = no_cost, .pick = pick_highest,                    \
    .on_warp_start = on_start

/* --- every stall --- */

static void on_stall(struct scheduler *s, uint32_t warp, enum stall_cause cause, uint64_t now)
{
    (void)now;
    add_score(s, warp, cause);
}

static void on_wake(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    add_score(s, warp, 1);
}

static const struct scheduler_desc stalls = {SPIES, .name = "stalls",
                                             .pick_and_issue = pick_and_issue_highest,
                                             .on_stall = on_stall, .on_wake = on_wake};

/* --- commits --- */

static void on_commit(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    add_score(s, warp, 1);
}

static const struct scheduler_desc commits = {
    SPIES, .name = "commits", .pick_and_issue = pick_and_issue_highest, .on_commit = on_commit};

/* --- time --- */

static void advance(struct scheduler *s, uint64_t dt)
{
    ((struct spy_state *)s->state)->time += dt;
}

static uint64_t may_issue(const struct scheduler *s, enum issue_class class)
{
    const struct spy_state *spy = s->state;
    uint64_t even = UINT64_C(0x5555555555555555);
    return (spy->time / TIDE_CYCLES + (class == ISSUE_LOAD)) % 2 ? even : ~even;
}

static uint64_t next_change(const struct scheduler *s, uint64_t now)
{
    const struct spy_state *spy = s->state;
    return now + TIDE_CYCLES - spy->time % TIDE_CYCLES;
}

static void on_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                     uint32_t pc, uint64_t now)
{
    (void)slot, (void)class, (void)pc;
    ((struct spy_stats *)s->stats)->late += ((const struct spy_state *)s->state)->time != now;
    add_score(s, warp, 1);
}

static const struct scheduler_desc tide = {SPIES,
                                           .name = "tide",
                                           .may_issue = may_issue,
                                           .advance = advance,
                                           .next_change = next_change,
                                           .on_issue = on_issue};

/* --- time, with a hold --- */

static uint64_t may_issue_in_turn(const struct scheduler *s, enum issue_class class)
{
    (void)class;
    return may_issue(s, ISSUE_ALU);
}

static void keep_hold(struct scheduler *s, uint64_t dt)
{
    const struct spy_state *spy = s->state;
    advance(s, dt);
    s->hold.all = ~may_issue_in_turn(s, ISSUE_ALU);
    s->hold.until = next_change(s, spy->time);
}

static void count_end(struct scheduler *s, uint32_t warp, uint64_t now)
{
    (void)now;
    add_score(s, warp, 1);
}

static const struct scheduler_desc held = {SPIES,
                                           .name = "held",
                                           .pick_and_issue = pick_and_issue_highest,
                                           .may_issue = may_issue_in_turn,
                                           .keeps_hold = true,
                                           .advance = keep_hold,
                                           .on_warp_end = count_end,
                                           .next_change = next_change};

/* --- events of L1D --- */

static void on_l1d(struct scheduler *s, const struct cache_event_info *e)
{
    add_score(s, e->access ? e->access->warp_slot : 0, 1);
}

/* Which half may issue changes with each third event, and with time, so that none waits for ever.
 */
static uint64_t may_issue_by_events(const struct scheduler *s, enum issue_class class)
{
    const struct spy_stats *n = s->stats;
    return may_issue(s, class) ^ ((n->told / 3) % 2 ? 0 : UINT64_MAX);
}

static const struct scheduler_desc events = {SPIES,
                                             .name = "events",
                                             .may_issue = may_issue_by_events,
                                             .advance = advance,
                                             .next_change = next_change,
                                             .on_l1d = on_l1d};

/* --- long stalls --- */

static void hear_long_stalls(struct scheduler *s)
{
    s->hears = HEARS_LONG_STALLS;
}

static const struct scheduler_desc long_stalls = {SPIES,
                                                  .name = "long_stalls",
                                                  .init = hear_long_stalls,
                                                  .pick_and_issue = pick_and_issue_highest,
                                                  .on_stall = on_stall,
                                                  .on_wake = on_wake};

/* --- every issue --- */

static void count_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                        uint32_t pc, uint64_t now)
{
    (void)slot, (void)class, (void)pc, (void)now;
    add_score(s, warp, 1);
}

static int pick_and_count(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    int warp = pick_highest(s, slot, ready, 0, now).warp;
    count_issue(s, slot, (uint32_t)warp, ISSUE_OTHER, 0, now);
    return warp;
}

static const struct scheduler_desc issues = {SPIES, .name = "issues", .hears_each_issue = true,
                                             .pick_and_issue = pick_and_count,
                                             .on_issue = count_issue};

/* --- criticality as a warp issues --- */

static void ask_at_issue(struct scheduler *s, uint32_t slot, uint32_t warp, enum issue_class class,
                         uint32_t pc, uint64_t now)
{
    (void)slot, (void)class, (void)pc;
    add_score(s, warp, (uint64_t)s->view->criticality_of(s->view->provider, warp, now) % 3);
}

static int pick_and_ask(struct scheduler *s, uint32_t slot, uint64_t ready, uint64_t now)
{
    int warp = pick_highest(s, slot, ready, 0, now).warp;
    ask_at_issue(s, slot, (uint32_t)warp, ISSUE_OTHER, 0, now);
    return warp;
}

static const struct scheduler_desc asks = {SPIES,
                                           .name = "asks",
                                           .hears_each_issue = true,
                                           .asks_at_issue = true,
                                           .pick_and_issue = pick_and_ask,
                                           .on_issue = ask_at_issue};

struct issue_counts {
    uint64_t n[SCHED_MAX_WARPS];
};

static size_t counts_bytes(uint32_t n_warps, const void *params)
{
    (void)n_warps, (void)params;
    return sizeof(struct issue_counts);
}

static uint64_t counts_cost(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)n_warps, (void)params, (void)parts;
    return 0;
}

static int64_t counts_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    return (int64_t)((const struct issue_counts *)c->state)->n[warp];
}

static bool counts_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    return counts_value(c, warp, now) % 2;
}

static void counts_on_issue(struct criticality *c, uint32_t warp, uint32_t pc, uint64_t now)
{
    (void)pc, (void)now;
    ((struct issue_counts *)c->state)->n[warp]++;
}

static const struct criticality_desc counts = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "counts",
    .summary = "counts the issues of a warp",
    .citation = "this test",
    .state_bytes = counts_bytes,
    .cost_bits = counts_cost,
    .value = counts_value,
    .is_critical = counts_is_critical,
    .on_issue = counts_on_issue,
};

/* --- the runs --- */

/* Loads of many lines and of one, arithmetic that takes its time, a barrier and an atomic. */
static const char kernel[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<8>; .reg .f32 %f<2>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r1, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 36, %r1; mad.lo.u32 %r2, %r6, 1052, %r2; and.b32 %r2, %r2, 16380;\n"
    "cvt.u64.u32 %b, %r2; add.u64 %b, %a, %b;\n"
    "ld.global.u32 %r3, [%b]; cvt.rn.f32.u32 %f0, %r0; sqrt.approx.f32 %f1, %f0;\n"
    "cvt.rzi.u32.f32 %r7, %f1; add.u32 %r4, %r3, %r4; add.u32 %r4, %r4, %r7;\n"
    "and.b32 %r5, %r1, 511; setp.eq.u32 %q, %r5, 0; @%q st.global.u32 [%b], %r4;\n"
    "@%q red.global.add.u32 [%b+4], 1; bar.sync 0;\n"
    "add.u32 %r1, %r1, 260; setp.lt.u32 %q, %r1, 6000; @%q bra L; ret; }\n";

struct manner {
    bool every_cycle, no_fast_paths;
    uint32_t quantum;
};

static const struct manner manners[] = {
    {0}, {.no_fast_paths = true}, {.every_cycle = true}, {.quantum = 1}, {.quantum = 3}};

static struct heddle_sim *create(const char *scheduler, const char *criticality, struct manner how)
{
    const char *const settings[] = {"n_sms=2", "memory.n_partitions=2", scheduler, criticality};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "gtx480",
                               .timing = true,
                               .settings = settings,
                               .n_settings = sizeof settings / sizeof settings[0],
                               .quantum = how.quantum,
                               .every_cycle = how.every_cycle,
                               .no_fast_paths = how.no_fast_paths};
    struct heddle_sim *sim;
    if (heddle_create(&o, &sim) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    return sim;
}

/* Many warps, then a single one on each SM. */
static void launch(struct heddle_sim *sim)
{
    static const uint32_t blocks[] = {96, 32}, grids[] = {6, 2};
    struct heddle_module *module = NULL;
    uint64_t buffer;
    if (heddle_load(sim, HEDDLE_PTX, "k", kernel, strlen(kernel), NULL, &module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    assert_int_equal(heddle_alloc(sim, 32768, "buffer", &buffer), HEDDLE_OK);
    struct heddle_arg arg = {&buffer, sizeof buffer, false};
    for (uint32_t i = 0; i < 2; i++) {
        struct heddle_launch l = {
            .grid = {grids[i]}, .block = {blocks[i]}, .args = &arg, .n_args = 1};
        if (heddle_launch(sim, module, "k", &l) != HEDDLE_OK)
            fail_msg("%s", heddle_error(sim));
    }
}

static void run(const char *scheduler, const char *criticality, struct manner how,
                struct strbuf *out)
{
    struct heddle_sim *sim = create(scheduler, criticality, how);
    launch(sim);
    assert_true(count_of(sim, "scheduler.told") > (strcmp(scheduler, "scheduler=held") ? 500 : 0));
    assert_int_equal(count_of(sim, "scheduler.late"), 0);
    add_stats(sim, out);
    heddle_destroy(sim);
}

static void expect_the_same(const char *scheduler, const char *criticality)
{
    struct strbuf first = {0}, other = {0};
    run(scheduler, criticality, manners[0], &first);
    for (size_t i = 1; i < sizeof manners / sizeof manners[0]; i++) {
        strbuf_clear(&other);
        run(scheduler, criticality, manners[i], &other);
        assert_string_equal(strbuf_text(&other), strbuf_text(&first));
    }
    strbuf_destroy(&first);
    strbuf_destroy(&other);
}

static void every_stall_is_told(void **state)
{
    (void)state;
    expect_the_same("scheduler=stalls", "criticality=none");
}

/* The provider counts commits ahead where no scheduler listens to them. */
static void every_commit_is_told(void **state)
{
    (void)state;
    expect_the_same("scheduler=commits", "criticality=none");
    expect_the_same("scheduler=commits", "criticality=cpl");
}

static void time_alone_lets_warps_issue(void **state)
{
    (void)state;
    expect_the_same("scheduler=tide", "criticality=none");
    expect_the_same("scheduler=held", "criticality=none");
}

static void an_event_of_l1d_lets_warps_issue(void **state)
{
    (void)state;
    expect_the_same("scheduler=events", "criticality=none");
}

static void every_long_stall_is_told(void **state)
{
    (void)state;
    expect_the_same("scheduler=long_stalls", "criticality=none");
}

static void every_issue_is_told(void **state)
{
    (void)state;
    expect_the_same("scheduler=issues", "criticality=none");
}

/* The provider hears of an issue before the scheduler does. */
static void criticality_is_that_after_the_issue(void **state)
{
    (void)state;
    expect_the_same("scheduler=asks", "criticality=counts");
}

static void count_watched(void *user, const struct sm_issue *i)
{
    (void)i;
    ++*(uint64_t *)user;
}

static void who_watches_issues_sees_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        struct heddle_sim *sim = create("scheduler=gto", "criticality=none", manners[i]);
        uint64_t n_watched = 0;
        for (uint32_t sm = 0; sm < machine_n_sms(sim->machine); sm++) {
            machine_sm(sim->machine, sm)->issue.watcher = count_watched;
            machine_sm(sim->machine, sm)->issue.watcher_user = &n_watched;
        }
        launch(sim);
        assert_int_equal(n_watched, count_of(sim, "sm.issued"));
        heddle_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stall_is_told),
        cmocka_unit_test(every_commit_is_told),
        cmocka_unit_test(time_alone_lets_warps_issue),
        cmocka_unit_test(an_event_of_l1d_lets_warps_issue),
        cmocka_unit_test(every_long_stall_is_told),
        cmocka_unit_test(every_issue_is_told),
        cmocka_unit_test(criticality_is_that_after_the_issue),
        cmocka_unit_test(who_watches_issues_sees_each),
    };
    struct strbuf why = {0};
    if (!scheduler_register(&stalls, &why) || !scheduler_register(&commits, &why) ||
        !scheduler_register(&tide, &why) || !scheduler_register(&held, &why) ||
        !scheduler_register(&events, &why) || !scheduler_register(&long_stalls, &why) ||
        !scheduler_register(&issues, &why) || !scheduler_register(&asks, &why) ||
        !criticality_register(&counts, &why)) {
        print_error("%s\n", strbuf_text(&why));
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
