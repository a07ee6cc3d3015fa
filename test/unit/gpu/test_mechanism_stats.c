/* The tables of statistics that mechanisms declare: every row of every descriptor, what is refused,
 * and how instances, launches and looks join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/mechanisms.h"
#include "gpu/sim.h"

static const struct mechanism *const kinds[] = {&scheduler_mechanism, &cache_policy_mechanism,
                                                &criticality_mechanism};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* Add new units here, so that there are never two names for the same unit. */
static const char *const units[] = {
    "accesses", "entries",  "fraction",    "hits",  "lines",        "points", "samples",
    "steps",    "switches", "warp cycles", "warps", "instructions", "loads"};

static bool is_known(const char *unit)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i], unit) == 0)
            return true;
    return false;
}

static void check_row(const struct plugin *p, const struct plugin_stat *s)
{
    size_t n = strlen(s->help);
    if (!is_known(s->unit) || !n || s->help[n - 1] == '.' || n > 90)
        fail_msg("%s of %s: unit '%s', '%s'", s->name, p->name, s->unit, s->help);
    for (uint32_t i = 0; i < p->n_stats; i++)
        if (&p->stats[i] != s)
            assert_string_not_equal(p->stats[i].name, s->name);
    for (uint32_t i = 0; i < p->n_params; i++)
        assert_string_not_equal(p->params[i].name, s->name);
}

static void every_row_has_a_name_of_its_own_a_known_unit_and_a_meaning(void **state)
{
    (void)state;
    uint32_t n = 0;
    for (int k = 0; k < N_KINDS; k++)
        for (uint32_t i = 0; i < kinds[k]->count(); i++)
            for (uint32_t s = 0; s < kinds[k]->at(i)->n_stats; s++, n++)
                check_row(kinds[k]->at(i), &kinds[k]->at(i)->stats[s]);
    assert_true(n > 30);
}

static void the_list_has_each_name_once_with_all_who_have_it(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint32_t n, n_shared = 0;
    const struct mechanism_listed *list = mechanism_stats_list(&arena, &n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(list[k].stat.name, list[i].stat.name);
        n_shared += strcmp(list[i].stat.name, "l1d.policy.vta_hits") == 0 &&
                    strcmp(list[i].owners, "pdp, dlp") == 0;
        n_shared += strcmp(list[i].stat.name, "scheduler.vta_hits") == 0 &&
                    strcmp(list[i].owners, "ccws, ccws_authors") == 0;
    }
    assert_int_equal(n_shared, 2);
    arena_destroy(&arena);
}

/* --- what parts declare --- */

static const struct machine_part_kind *const part_kinds[] = {
#define KIND(kind) &kind,
    MACHINE_PART_KINDS(KIND)
#undef KIND
};
enum { N_PART_KINDS = sizeof part_kinds / sizeof part_kinds[0] };

static uint32_t times_listed(const struct part_counter *c)
{
    uint32_t n = 0;
    for (uint32_t i = machine_first_declared_stat(NULL); i < machine_stat_count(NULL); i++) {
        struct heddle_stat s = machine_stat_at(NULL, i);
        n += strcmp(s.name, c->name) == 0 && strcmp(s.unit, c->unit) == 0 &&
             strcmp(s.help, c->help) == 0;
    }
    return n;
}

static void the_list_has_every_counter_of_every_kind_of_part(void **state)
{
    (void)state;
    uint32_t n = 0;
    for (int k = 0; k < N_PART_KINDS; k++)
        for (uint32_t i = 0; i < part_kinds[k]->n_counters; i++, n++)
            assert_int_equal(times_listed(&part_kinds[k]->counters[i]), 1);
    assert_true(n > 0);
    assert_int_equal(machine_stat_count(NULL) - machine_first_declared_stat(NULL), n);
}

/* --- what is refused --- */

struct mock_stats {
    uint64_t misses;
};

static struct stat_reading one(const void *instance, uint64_t now)
{
    (void)instance, (void)now;
    return (struct stat_reading){1, 1};
}

/* The number of the instance: of L1Ds from 1 on. */
static struct stat_reading number(const void *instance, uint64_t now)
{
    (void)now;
    const struct cache_policy *p = instance;
    return (struct stat_reading){p->seed, 1};
}

static struct stat_reading misses_so_far(const void *instance, uint64_t now)
{
    (void)now;
    const struct cache_policy *p = instance;
    return (struct stat_reading){.value = ((const struct mock_stats *)p->stats)->misses};
}

static struct stat_reading cycle(const void *instance, uint64_t now)
{
    (void)instance;
    return (struct stat_reading){now, 1};
}

static int mock_decide(const struct cache_policy *p, const struct cache_set *s,
                       const struct mem_access *a)
{
    (void)p, (void)a;
    return cache_set_lru(s);
}

static void mock_on_miss(struct cache_policy *p, const struct cache_set *s, int way,
                         const struct mem_access *a)
{
    (void)s, (void)way, (void)a;
    ((struct mock_stats *)p->stats)->misses++;
}

static uint64_t mock_cost_bits(const struct cache_geometry *g, const void *params,
                               struct strbuf *parts)
{
    (void)g, (void)params, (void)parts;
    return 0;
}

static const struct plugin_stat mock_stats[] = {
    STAT_COUNT(struct mock_stats, misses, "accesses", "misses"),
    STAT_NOW("instances", "entries", "instances", STAT_SUM, one),
    STAT_NOW("middle", "entries", "mean number", STAT_MEAN, number),
    STAT_NOW("last", "entries", "largest number", STAT_MAX, number),
    STAT_NOW("misses_so_far", "accesses", "misses, as a state", STAT_SUM, misses_so_far),
    STAT_WHILE_RUNNING("cycle", "steps", "mean cycle of the looks", STAT_MEAN, cycle),
    STAT_WHILE_RUNNING("looked_at", "entries", "instances", STAT_SUM, one),
};

#define MOCK(rows)                                                                                 \
    {                                                                                              \
        .abi_version = CACHE_POLICY_ABI, .struct_size = sizeof(struct cache_policy_desc),          \
        .name = "mock", .summary = "LRU that counts", .citation = "this test",                     \
        PLUGIN_STATS(rows, struct mock_stats), .cost_bits = mock_cost_bits, .decide = mock_decide, \
        .on_miss = mock_on_miss,                                                                   \
    }
static const struct cache_policy_desc mock = MOCK(mock_stats);

static void rows_that_say_too_little_or_too_much_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct plugin_stat row;
        const char *reason;
    } unfit[] = {
        {{"Misses", "accesses", "x", .kind = STAT_COUNTER}, "lower-case"},
        {{"l1d.misses", "accesses", "x", .kind = STAT_COUNTER}, "lower-case"},
        {{"misses", "", "x", .kind = STAT_COUNTER}, "no unit"},
        {{"misses", "accesses", NULL, .kind = STAT_COUNTER}, "no meaning"},
        {{"misses", "accesses", "x", .kind = STAT_COUNTER, .join = STAT_MAX}, "is a counter"},
        {{"misses", "accesses", "x", .kind = STAT_COUNTER, .read = one}, "is a counter"},
        {{"misses", "accesses", "x", .kind = STAT_COUNTER, .offset = 8}, "outside"},
        {{"misses", "accesses", "x", .kind = STAT_GAUGE}, "lacks read()"},
        {{"vta_hits", "accesses", "x", .kind = STAT_COUNTER},
         "has the unit accesses, that of 'pdp' has"},
        {{"twice", "accesses", "x", .kind = STAT_COUNTER}, "is listed twice"},
    };
    struct strbuf why = {0};
    for (size_t i = 0; i < sizeof unfit / sizeof unfit[0]; i++) {
        bool is_twice = strcmp(unfit[i].row.name, "twice") == 0;
        const struct plugin_stat rows[] = {unfit[i].row, mock_stats[1 - is_twice]};
        const struct plugin_stat same[] = {unfit[i].row, unfit[i].row};
        struct cache_policy_desc d = MOCK(rows);
        d.stats = is_twice ? same : rows;
        strbuf_clear(&why);
        assert_false(cache_policy_is_sound(&d, &why));
        if (!strstr(strbuf_text(&why), unfit[i].reason))
            fail_msg("'%s' does not say '%s'", strbuf_text(&why), unfit[i].reason);
    }
    struct cache_policy_desc d = MOCK(mock_stats);
    d.n_stats = PLUGIN_MAX_STATS + 1;
    assert_false(cache_policy_is_sound(&d, &why));
    d.n_stats = 1;
    d.stats = NULL;
    assert_false(cache_policy_is_sound(&d, &why));
    strbuf_destroy(&why);
}

/* --- how they join --- */

static const char kernels[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry a(.param .u64 p) {\n"
    ".reg .pred %q; .reg .b32 %r<8>; .reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n"
    "L: mad.lo.u32 %r2, %r0, 36, %r1; and.b32 %r2, %r2, 65532; cvt.u64.u32 %b, %r2;\n"
    "add.u64 %b, %a, %b; ld.global.u32 %r3, [%b]; add.u32 %r4, %r3, %r4; st.global.u32 [%b], %r4;\n"
    "add.u32 %r1, %r1, 260; setp.lt.u32 %q, %r1, 9000; @%q bra L; ret; }\n"
    /* Takes shared memory from L1D where they share it, so that its policy is reset. */
    ".visible .entry b(.param .u64 p) {\n"
    ".shared .b32 s[8192]; .reg .b32 %r<3>; .reg .b64 %a;\n"
    "ld.param.u64 %a, [p]; ld.global.u32 %r0, [%a]; st.shared.u32 [s], %r0; ret; }\n";

static struct heddle_stat find(const struct heddle_sim *sim, int kernel, const char *name)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++)
        if (strcmp(heddle_stat_at(sim, i).name, name) == 0)
            return kernel < 0 ? heddle_stat_at(sim, i)
                              : heddle_launched_stat_at(sim, (uint32_t)kernel, i);
    fail_msg("there is no %s", name);
    return (struct heddle_stat){0};
}

static void instances_launches_and_looks_join(void **state)
{
    (void)state;
    static const char *const settings[] = {"n_sms=5", "memory.n_partitions=4", "l1d.policy=mock",
                                           "l2.policy=mock"};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "v100",
                               .timing = true,
                               .settings = settings,
                               .n_settings = 4};
    struct heddle_sim *sim;
    struct heddle_module *module;
    uint64_t buffer;
    if (heddle_create(&o, &sim) != HEDDLE_OK ||
        heddle_load(sim, HEDDLE_PTX, "k", kernels, strlen(kernels), NULL, &module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    assert_int_equal(heddle_alloc(sim, 65536, "buffer", &buffer), HEDDLE_OK);
    struct heddle_arg arg = {&buffer, sizeof buffer, false};
    struct heddle_launch l = {.grid = {10}, .block = {64}, .args = &arg, .n_args = 1};
    static const char *const order[] = {"a", "b", "a"};
    uint64_t after[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(heddle_launch(sim, module, order[i], &l), HEDDLE_OK);
        after[i] = find(sim, -1, "l1d.policy.misses").count;
    }
    uint64_t end = machine_cycle(sim->machine);
    uint32_t slices = 4 * sim->config->memory.banks;
    assert_int_equal(find(sim, -1, "l1d.policy.misses").count, find(sim, -1, "l1d.misses").count);
    /* Counters: differences, which add up although the policies have been reset. */
    assert_int_equal(find(sim, 1, "l1d.policy.misses").count, after[1] - after[0]);
    assert_int_equal(find(sim, 0, "l1d.policy.misses").count, after[2] - after[1] + after[0]);
    assert_true(after[1] > after[0]);
    /* Gauges: as it was when the kernel last ended. */
    assert_int_equal(find(sim, 1, "l1d.policy.misses_so_far").count, after[1]);
    assert_int_equal(find(sim, 0, "l1d.policy.misses_so_far").count, after[2]);
    assert_int_equal(find(sim, -1, "l1d.policy.misses_so_far").count, after[2]);
    assert_int_equal(find(sim, 0, "l1d.policy.instances").count, 5);
    assert_int_equal(find(sim, 0, "l2.policy.instances").count, slices);
    assert_true(find(sim, -1, "l1d.policy.middle").real == 3);
    assert_int_equal(find(sim, -1, "l1d.policy.last").count, 5);
    /* Looks: at 1000, 2000, ... */
    uint64_t n_looks = end / STAT_SAMPLE_CYCLES;
    assert_true(n_looks > 2);
    assert_true(find(sim, -1, "l1d.policy.cycle").real ==
                (double)STAT_SAMPLE_CYCLES * (double)(n_looks + 1) / 2);
    assert_true(find(sim, -1, "l1d.policy.looked_at").real == 5);
    assert_true(find(sim, -1, "l2.policy.looked_at").real == slices);
    heddle_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_name_of_its_own_a_known_unit_and_a_meaning),
        cmocka_unit_test(the_list_has_each_name_once_with_all_who_have_it),
        cmocka_unit_test(the_list_has_every_counter_of_every_kind_of_part),
        cmocka_unit_test(rows_that_say_too_little_or_too_much_are_refused),
        cmocka_unit_test(instances_launches_and_looks_join),
    };
    struct strbuf why = {0};
    if (!cache_policy_register(&mock, &why)) {
        print_error("%s\n", strbuf_text(&why));
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
