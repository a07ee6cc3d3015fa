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

#include "base/arena.h"
#include "heddle/heddle.h"
#include "stats/host.h"
#include "workloads/workload.h"

extern const char bench_kernels_source[];

enum {
    BLOCK = 256,
    FMA_ITERATIONS = 64,
    GEMM_N = 256,
    GEMM_COLUMNS = 32,
    GEMM_ROWS = 8,
    GATHER_VALUES = 1 << 16
};

struct measurement {
    struct device *device;
    uint32_t size, capacity; /* CTAs to run, and to have inputs for */
    uint32_t repeats;
    double best_seconds;
};

struct bench {
    const char *name;
    uint32_t budget; /* host instructions per warp instruction, AVX2 variant */
    uint32_t small, large, timed;
    void (*run)(struct measurement *m);
};

static void launch(struct measurement *m, const char *kernel, const uint32_t global[3],
                   const uint32_t local[3], const struct device_arg *args, uint32_t n_args)
{
    for (uint32_t i = 0; i < m->repeats; i++) {
        double start = host_now_seconds();
        device_launch(m->device, kernel, global, local, args, n_args);
        double seconds = host_now_seconds() - start;
        if (i == 0 || seconds < m->best_seconds)
            m->best_seconds = seconds;
    }
}

static void launch_1d(struct measurement *m, const char *kernel, const struct device_arg *args,
                      uint32_t n_args)
{
    launch(m, kernel, (const uint32_t[3]){m->size * BLOCK, 1, 1}, (const uint32_t[3]){BLOCK, 1, 1},
           args, n_args);
}

/* The result is downloaded so that its hash can be compared between devices. */
static void read_back(struct measurement *m, device_buffer b, size_t bytes)
{
    void *data = xcalloc(1, bytes);
    device_download(m->device, b, 0, data, bytes);
    free(data);
}

static device_buffer random_floats(struct measurement *m, size_t n, uint64_t seed)
{
    struct workload_rng rng = {seed};
    float *values = xcalloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = rng_unit(&rng);
    device_buffer b = device_alloc_from(m->device, values, n * sizeof *values, "input");
    free(values);
    return b;
}

static void run_fma_loop(struct measurement *m)
{
    size_t bytes = (size_t)m->capacity * BLOCK * sizeof(float);
    device_buffer out = device_alloc(m->device, bytes, "out");
    const struct device_arg args[] = {arg_buffer(out), arg_i32(FMA_ITERATIONS)};
    launch_1d(m, "fma_loop", args, 2);
    read_back(m, out, bytes);
}

static void run_naive_gemm(struct measurement *m)
{
    size_t n = (size_t)GEMM_N * GEMM_N;
    device_buffer a = random_floats(m, n, 1), b = random_floats(m, n, 2);
    device_buffer c = device_alloc(m->device, n * sizeof(float), "c");
    const struct device_arg args[] = {arg_buffer(a), arg_buffer(b), arg_buffer(c), arg_i32(GEMM_N)};
    launch(m, "naive_gemm", (const uint32_t[3]){GEMM_N, m->size * GEMM_ROWS, 1},
           (const uint32_t[3]){GEMM_COLUMNS, GEMM_ROWS, 1}, args, 4);
    read_back(m, c, n * sizeof(float));
}

static void run_vector_add(struct measurement *m)
{
    size_t n = (size_t)m->capacity * BLOCK;
    device_buffer a = random_floats(m, n, 1), b = random_floats(m, n, 2);
    device_buffer c = device_alloc(m->device, n * sizeof(float), "c");
    const struct device_arg args[] = {arg_buffer(a), arg_buffer(b), arg_buffer(c),
                                      arg_i32((int32_t)n)};
    launch_1d(m, "vector_add", args, 4);
    read_back(m, c, n * sizeof(float));
}

/* Lists of 0 to 31 entries. */
static void run_divergent_gather(struct measurement *m)
{
    size_t n = (size_t)m->capacity * BLOCK;
    struct workload_rng rng = {3};
    int32_t *first = xcalloc(n + 1, sizeof *first);
    for (size_t i = 0; i < n; i++)
        first[i + 1] = first[i] + (int32_t)rng_below(&rng, 32);
    size_t n_index = (size_t)first[n];
    int32_t *index = xcalloc(n_index + 1, sizeof *index);
    for (size_t i = 0; i < n_index; i++)
        index[i] = (int32_t)rng_below(&rng, GATHER_VALUES);
    const struct device_arg args[] = {
        arg_buffer(device_alloc_from(m->device, first, (n + 1) * sizeof *first, "first")),
        arg_buffer(device_alloc_from(m->device, index, n_index * sizeof *index, "index")),
        arg_buffer(random_floats(m, GATHER_VALUES, 4)),
        arg_buffer(device_alloc(m->device, n * sizeof(float), "out")),
    };
    launch_1d(m, "divergent_gather", args, 4);
    read_back(m, args[3].buffer, n * sizeof(float));
    free(first);
    free(index);
}

static const struct bench benches[] = {
    {"fma_loop", 100, 4, 36, 4096, run_fma_loop},
    {"naive_gemm", 180, 1, 2, GEMM_N / GEMM_ROWS, run_naive_gemm},
    {"vector_add", 200, 32, 832, 16384, run_vector_add},
    {"divergent_gather", 350, 2, 22, 2048, run_divergent_gather},
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
