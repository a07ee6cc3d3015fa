/* Two kernels whose time on GPGPU-Sim 4.2's GTX 480 model is known, on ours. doc/machine.md says
 * why we differ where we differ; a change of the model that moves these numbers changes that page
 * too. */
#include "probe.h"

/* cycles and warp instructions there; ours of doc/machine.md */
struct point {
    const char *kernel;
    uint64_t their_cycles, their_insts, our_cycles, our_insts;
};

static const struct point adding = {"vector_add", 21196, 180224, 14009, 180224};
static const struct point looping = {"fma_loop", 75148, 1589760, 67064, 1585920};

static struct probe open_calibration(void)
{
    struct probe p = {.sim = probe_create("gtx480", NULL)};
    const char *path = HEDDLE_SOURCE_DIR "/test/behaviour/probe/calibration.cu";
    if (heddle_load_file(p.sim, path, NULL, &p.module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p.sim));
    p.config = p.sim->config;
    return p;
}

static void compare(struct probe *p, const struct point *at)
{
    uint64_t cycles = probe_count(p, "cycles"), insts = probe_count(p, "warp_insts");
    print_message("%s: %u cycles, %u warp instructions; GPGPU-Sim %u and %u; %+.1f %% in cycles\n",
                  at->kernel, (unsigned)cycles, (unsigned)insts, (unsigned)at->their_cycles,
                  (unsigned)at->their_insts,
                  100.0 * ((double)cycles / (double)at->their_cycles - 1));
    assert_int_equal(insts, at->our_insts);
    assert_in_range(cycles, at->our_cycles * 95 / 100, at->our_cycles * 105 / 100);
}

static void launch(struct probe *p, const char *kernel, uint32_t n_ctas,
                   const struct heddle_arg *args, uint32_t n_args)
{
    struct heddle_launch l = {.grid = {n_ctas}, .block = {256}, .args = args, .n_args = n_args};
    if (heddle_launch(p->sim, p->module, kernel, &l) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p->sim));
}

static void vector_add_of_262144_floats(void **state)
{
    (void)state;
    struct probe p = open_calibration();
    uint32_t n = 262144;
    uint64_t a = probe_alloc(&p, 4 * n, 256), b = probe_alloc(&p, 4 * n, 256);
    uint64_t c = probe_alloc(&p, 4 * n, 256);
    const struct heddle_arg args[] = {
        {&a, 8, false}, {&b, 8, false}, {&c, 8, false}, {&n, 4, false}};
    launch(&p, "vector_add", n / 256, args, 4);
    /* Three lines a warp, and nothing is used twice. */
    assert_int_equal(probe_count(&p, "l1d.loads") + probe_count(&p, "l1d.stores"), 24576);
    assert_int_equal(probe_count(&p, "l1d.hits"), 0);
    compare(&p, &adding);
    probe_close(&p);
}

static void fma_loop_of_160_ctas(void **state)
{
    (void)state;
    struct probe p = open_calibration();
    uint64_t out = probe_alloc(&p, 4 * 160 * 256, 256);
    float k = 0.5f, y = 1.0f;
    const struct heddle_arg args[] = {{&out, 8, false}, {&k, 4, false}, {&y, 4, false}};
    launch(&p, "fma_loop", 160, args, 3);
    compare(&p, &looping);
    probe_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_add_of_262144_floats),
        cmocka_unit_test(fma_loop_of_160_ctas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
