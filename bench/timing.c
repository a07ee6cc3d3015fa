/* One measurement of the cycle-level machine: a kernel of kernels.cl at a size, on a GPU.
 * bench/timing.sh makes a table of many.
 *
 *     bench_timing list                NAME SMALL LARGE TIMED, a line per kernel
 *     bench_timing NAME SIZE[xREPEATS] GPU ISA [THREADS [SETTING...]]
 *                                      WARP_INSTS L1D_MISSES CYCLES SECONDS PEAK_RSS_BYTES
 *                                      CMP_INSTS CMP_L2_MISSES
 *
 * L1D_MISSES counts what L1D sends on: misses and bypasses of loads. Inputs are made for LARGE at
 * least, so that the counts at SMALL and LARGE differ by the simulation alone; at SMALL every SM of
 * the larger GPU has work already. The last two columns are of kernels on CPU cores
 * (testbed.on=cmp), 0 on other machines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/kernels.h"
#include "heddle/heddle.h"

struct bench {
    const char *name;
    uint32_t small, large, timed;
    void (*run)(struct measurement *m);
};

static const struct bench benches[] = {
    {"fma_loop", 30, 45, 600, bench_fma_loop},
    {"naive_gemm", 2, 3, 16, bench_naive_gemm},
    {"vector_add", 90, 270, 6000, bench_vector_add},
    {"divergent_gather", 8, 12, 120, bench_divergent_gather},
    {"thrash", 15, 17, 60, bench_thrash},
};
enum { N_BENCHES = sizeof benches / sizeof benches[0] };

static uint64_t count(struct heddle_sim *sim, const char *name)
{
    struct heddle_stat stat = {0};
    heddle_stat_find(sim, name, &stat);
    return stat.count;
}

/* `how_much` is SIZE or SIZExREPEATS. */
static int measure(const struct bench *b, const char *how_much,
                   const struct heddle_options *options)
{
    char *end;
    uint32_t size = (uint32_t)strtoul(how_much, &end, 10);
    struct heddle_sim *sim = NULL;
    if (heddle_create(options, &sim) != HEDDLE_OK) {
        fprintf(stderr, "%s", heddle_error(sim));
        heddle_destroy(sim);
        return 1;
    }
    struct measurement m = {.device = device_create_heddle(sim),
                            .size = size,
                            .capacity = size < b->large ? b->large : size,
                            .repeats = *end == 'x' ? (uint32_t)strtoul(end + 1, NULL, 10) : 1};
    device_load(m.device, "kernels", bench_kernels_source, NULL);
    b->run(&m);
    bool ok = device_ok(m.device);
    if (ok)
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.6f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               count(sim, "warp_insts"), count(sim, "l1d.misses") + count(sim, "l1d.bypasses"),
               count(sim, "cycles"), m.best_seconds, count(sim, "host.peak_rss_bytes"),
               count(sim, "cmp.insts"), count(sim, "cmp.l2_misses"));
    else
        fprintf(stderr, "%s\n", device_error(m.device));
    device_destroy(m.device);
    heddle_destroy(sim);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (const struct bench *b = benches; b < benches + N_BENCHES; b++)
            printf("%s %u %u %u\n", b->name, b->small, b->large, b->timed);
        return 0;
    }
    for (const struct bench *b = benches; argc >= 5 && b < benches + N_BENCHES; b++) {
        if (strcmp(b->name, argv[1]) != 0)
            continue;
        struct heddle_options options = {.struct_size = sizeof options,
                                         .gpu = argv[3],
                                         .timing = true,
                                         .host_isa = strcmp(argv[4], "best") == 0 ? NULL : argv[4],
                                         .threads =
                                             argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : 1,
                                         .settings = (const char *const *)argv + 6,
                                         .n_settings = argc > 6 ? (uint32_t)argc - 6 : 0};
        return measure(b, argv[2], &options);
    }
    fprintf(stderr, "usage: bench_timing list | NAME SIZE[xREPEATS] GPU ISA [THREADS "
                    "[SETTING...]]\n");
    return 2;
}
