/* Kernels report what they need, modules can be unloaded, and a simulation continues after a launch
 * that was cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heddle/heddle.h"

static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter[1024];\n"
    ".visible .entry count(.param .u64 .ptr .global .align 4 x, .param .u32 n) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
    "  ld.param.u64 %rd1, [x];\n  ld.param.u32 %r1, [n];\n"
    "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n"
    ".visible .entry spin(.param .u64 .ptr .global .align 4 x) {\n"
    "AGAIN:\n  bra AGAIN;\n}\n"
    ".visible .entry fault(.param .u64 .ptr .global .align 4 x) {\n"
    "  .reg .b64 %rd<3>;\n  ld.param.u64 %rd1, [x];\n  st.global.u64 [%rd1+4096], %rd1;\n  "
    "ret;\n}\n";

static struct heddle_sim *sim_create(bool timing)
{
    struct heddle_options o = {.struct_size = sizeof o,
                               .timing = timing,
                               .max_cycles = timing ? 20000 : 0,
                               .max_insts = timing ? 0 : 20000};
    struct heddle_sim *sim;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    return sim;
}

static struct heddle_module *load(struct heddle_sim *sim)
{
    struct heddle_module *m;
    assert_int_equal(heddle_load(sim, HEDDLE_PTX, "test.ptx", text, strlen(text), NULL, &m),
                     HEDDLE_OK);
    return m;
}

static enum heddle_status launch(struct heddle_sim *sim, struct heddle_module *m,
                                 const char *kernel, uint64_t x, uint32_t n)
{
    struct heddle_arg args[] = {{.data = &x, .bytes = 8}, {.data = &n, .bytes = 4}};
    struct heddle_launch l = {.args = args, .n_args = strcmp(kernel, "count") == 0 ? 2 : 1};
    return heddle_launch(sim, m, kernel, &l);
}

static uint64_t stat(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    assert_true(heddle_stat_find(sim, name, &s));
    return s.count;
}

static void kernels_tell_what_they_need(void **state)
{
    (void)state;
    struct heddle_sim *sim = sim_create(false);
    struct heddle_module *m = load(sim);
    struct heddle_kernel_info info;
    struct heddle_param_info param;
    assert_true(heddle_kernel_find(m, "count", &info));
    assert_int_equal(info.n_params, 2);
    assert_int_equal(info.required_block[0], 0);
    assert_true(heddle_kernel_param(m, "count", 0, &param));
    assert_int_equal(param.bytes, 8);
    assert_int_equal(param.space, HEDDLE_PARAM_GLOBAL);
    assert_true(heddle_kernel_param(m, "count", 1, &param));
    assert_int_equal(param.bytes, 4);
    assert_int_equal(param.space, HEDDLE_PARAM_VALUE);
    assert_false(heddle_kernel_param(m, "count", 2, &param));
    assert_false(heddle_kernel_find(m, "none", &info));
    heddle_destroy(sim);
}

/* Its variables are freed, and the statistics of its kernels continue under their names. */
static void unloaded_modules_leave_their_statistics(void **state)
{
    (void)state;
    struct heddle_sim *sim = sim_create(true);
    uint64_t x, before, after;
    assert_int_equal(heddle_alloc(sim, 64, "x", &x), HEDDLE_OK);
    struct heddle_module *m = load(sim);
    assert_int_equal(launch(sim, m, "count", x, 5), HEDDLE_OK);
    heddle_unload(sim, m);
    assert_int_equal(heddle_alloc(sim, 4096, "y", &before), HEDDLE_OK);
    assert_int_equal(heddle_free(sim, before), HEDDLE_OK);
    m = load(sim);
    heddle_unload(sim, m);
    heddle_unload(sim, NULL);
    assert_int_equal(heddle_alloc(sim, 4096, "y", &after), HEDDLE_OK);
    assert_int_equal(before, after);
    m = load(sim);
    assert_int_equal(launch(sim, m, "count", x, 6), HEDDLE_OK);
    assert_int_equal(heddle_launched_count(sim), 1);
    assert_string_equal(heddle_launched_name(sim, 0), "count");
    assert_int_equal(stat(sim, "launches"), 2);
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++)
        if (strcmp(heddle_last_stat_at(sim, i).name, "launches") == 0)
            assert_int_equal(heddle_last_stat_at(sim, i).count, 1);
    heddle_destroy(sim);
}

static void a_simulation_goes_on(bool timing, const char *kernel)
{
    struct heddle_sim *sim = sim_create(timing);
    struct heddle_module *m = load(sim);
    uint64_t x;
    uint32_t value = 0, *seen;
    void *host;
    assert_int_equal(heddle_alloc(sim, 64, "x", &x), HEDDLE_OK);
    assert_int_equal(launch(sim, m, "count", x, 5), HEDDLE_OK);
    uint64_t cycles = timing ? stat(sim, "cycles") : 0, insts = stat(sim, "warp_insts");
    assert_int_equal(launch(sim, m, kernel, x, 0), HEDDLE_KERNEL_FAULT);
    if (timing)
        assert_int_equal(launch(sim, m, "count", x, 7), HEDDLE_KERNEL_FAULT);
    assert_int_equal(heddle_recover(sim), HEDDLE_OK);
    assert_int_equal(heddle_read(sim, x, &value, 4), HEDDLE_OK);
    assert_int_equal(value, 5); /* memory is as it was */
    assert_int_equal(launch(sim, m, "count", x, 8), HEDDLE_OK);
    assert_int_equal(heddle_map(sim, x, 4, &host), HEDDLE_OK);
    seen = host;
    assert_int_equal(*seen, 8);
    if (timing) { /* the same launch takes the same time, and a limit counts */
        uint64_t all = stat(sim, "cycles");
        if (strcmp(kernel, "fault") == 0) /* of which nothing counts */
            assert_int_equal(stat(sim, "warp_insts"), 2 * insts);
        assert_int_equal(all, 2 * cycles + (strcmp(kernel, "spin") == 0 ? 20000 : 0));
    }
    assert_int_equal(heddle_recover(sim), HEDDLE_OK); /* nothing to do */
    heddle_destroy(sim);
}

static void simulations_survive_limits_and_faults(void **state)
{
    (void)state;
    a_simulation_goes_on(true, "spin");
    a_simulation_goes_on(true, "fault");
    a_simulation_goes_on(false, "spin");
    a_simulation_goes_on(false, "fault");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_tell_what_they_need),
        cmocka_unit_test(unloaded_modules_leave_their_statistics),
        cmocka_unit_test(simulations_survive_limits_and_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
