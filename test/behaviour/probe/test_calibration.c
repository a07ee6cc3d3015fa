/* Two kernels whose time on GPGPU-Sim 4.2's GTX 480 model is known, on ours. doc/machine.md says
 * why we differ where we differ, and has our numbers: they are those that are measured here. Bounds
 * follow from the kernels and the machine. */
#include <string.h>

#include "probe.h"

/* Cycles and warp instructions there; our warp instructions; cycles that it takes at least and at
 * most. */
struct point {
    const char *kernel;
    uint64_t their_cycles, their_insts, our_insts, least, most;
};

static struct probe open_calibration(void)
{
    struct probe p = {.sim = probe_create("gtx480", NULL, 0)};
    const char *path = HEDDLE_SOURCE_DIR "/test/behaviour/probe/calibration.cu";
    if (heddle_load_file(p.sim, path, NULL, &p.module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p.sim));
    p.config = p.sim->config;
    return p;
}

/* In a row such as | Heddle | 180,224 | 14,009 (-34 %) | */
static void the_page_has(uint64_t cycles)
{
    char cell[32], page[1 << 16];
    FILE *f = fopen(HEDDLE_SOURCE_DIR "/doc/machine.md", "r");
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    snprintf(cell, sizeof cell, "| %u,%03u (", (unsigned)(cycles / 1000),
             (unsigned)(cycles % 1000));
    if (!strstr(page, cell))
        fail_msg("doc/machine.md has no '%s'", cell);
}

static void compare(struct probe *p, const struct point *at)
{
    uint64_t cycles = probe_count(p, "cycles"), insts = probe_count(p, "warp_insts");
    print_message("%s: %u cycles, %u warp instructions; GPGPU-Sim %u and %u; %+.1f %% in cycles\n",
                  at->kernel, (unsigned)cycles, (unsigned)insts, (unsigned)at->their_cycles,
                  (unsigned)at->their_insts,
                  100.0 * ((double)cycles / (double)at->their_cycles - 1));
    assert_int_equal(insts, at->our_insts);
    assert_in_range(cycles, at->least, at->most);
    the_page_has(cycles);
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
    const struct machine_config *m = p.config;
    double per_cycle = (double)m->memory.n_partitions * m->dram.bus_bytes_per_cycle *
                       m->run.dram_clock_mhz / m->gpu->core_clock_mhz;
    double l2_bytes = (double)m->l2.n_sets * m->l2.n_ways * m->l2.line_bytes * m->memory.banks *
                      m->memory.n_partitions;
    /* At least: what is read, and what is written but does not stay in L2, at DRAM's bandwidth. At
     * most: all of it, at the part of the bandwidth that turns of the bus and rows leave at worst
     * (test_bandwidth.c: 0.87 x 0.94), after the 281 cycles of a first load. */
    struct point adding = {"vector_add",
                           21196,
                           180224,
                           180224,
                           (uint64_t)((3.0 * 4 * n - l2_bytes) / per_cycle),
                           (uint64_t)(3.0 * 4 * n / (per_cycle * 0.87 * 0.94)) + 281};
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
    /* At least: the eleven CTAs of the busiest of 15 SMs, 1,239 instructions for each of their
     * eight warps, two a cycle. At most: as long as there, where nothing is shorter and each result
     * takes four cycles more. */
    static const struct point looping = {"fma_loop",        75148, 1589760, 1280 * 1239,
                                         11 * 8 * 1239 / 2, 75148};
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
