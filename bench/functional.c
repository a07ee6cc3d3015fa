/* One measurement of functional execution: a kernel of kernels.cl at a size, on Heddle or on an
 * OpenCL device. bench/functional.sh makes a table of many.
 *
 *     bench_functional list                     NAME BUDGET SMALL LARGE TIMED, a line per kernel
 *     bench_functional NAME SIZE ISA [REPEATS]  WARP_INSTS BEST_SECONDS OUTPUT_HASH
 *
 * ISA is a host variant, "best", or "opencl". A size is a number of CTAs (of rows of CTAs for the
 * GEMM). Inputs are made for LARGE at least, so that the counts at SMALL and LARGE differ by the
 * execution of warps alone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/kernels.h"
#include "heddle/heddle.h"

struct bench {
    const char *name;
    uint32_t budget; /* host instructions per warp instruction, AVX2 variant */
    uint32_t small, large, timed;
    void (*run)(struct measurement *m);
};

static const struct bench benches[] = {
    {"fma_loop", 100, 4, 36, 4096, bench_fma_loop},
    {"naive_gemm", 180, 1, 2, 32, bench_naive_gemm},
    {"vector_add", 200, 32, 832, 16384, bench_vector_add},
    {"divergent_gather", 350, 2, 22, 2048, bench_divergent_gather},
};
enum { N_BENCHES = sizeof benches / sizeof benches[0] };

static int measure(const struct bench *b, uint32_t size, const char *isa, uint32_t repeats)
{
    struct heddle_options options = {.struct_size = sizeof options,
                                     .host_isa = strcmp(isa, "best") == 0 ? NULL : isa};
    struct heddle_sim *sim = NULL;
    struct measurement m = {
        .size = size, .capacity = size < b->large ? b->large : size, .repeats = repeats};
    if (strcmp(isa, "opencl") == 0) {
        m.device = device_create_opencl(NULL);
    } else if (heddle_create(&options, &sim) == HEDDLE_OK) {
        m.device = device_create_heddle(sim);
    } else {
        fprintf(stderr, "%s", heddle_error(sim));
        heddle_destroy(sim);
        return 1;
    }
    device_load(m.device, "kernels", bench_kernels_source, NULL);
    b->run(&m);
    struct heddle_stat stat = {0};
    if (sim)
        heddle_stat_find(sim, "warp_insts", &stat);
    bool ok = device_ok(m.device);
    if (ok)
        printf("%" PRIu64 " %.6f %016" PRIx64 "\n", stat.count / repeats, m.best_seconds,
               device_output_hash(m.device));
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
            printf("%s %u %u %u %u\n", b->name, b->budget, b->small, b->large, b->timed);
        return 0;
    }
    for (const struct bench *b = benches; argc >= 4 && b < benches + N_BENCHES; b++)
        if (strcmp(b->name, argv[1]) == 0)
            return measure(b, (uint32_t)strtoul(argv[2], NULL, 10), argv[3],
                           argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 1);
    fprintf(stderr, "usage: bench_functional list | NAME SIZE ISA [REPEATS]\n");
    return 2;
}
