/* Hosts of the kernels of kernels.cl. */
#include "bench/kernels.h"

#include <stdlib.h>

#include "base/arena.h"
#include "stats/host.h"

enum {
    BLOCK = 256,
    FMA_ITERATIONS = 64,
    GEMM_N = BENCH_GEMM_ROWS * 32,
    GEMM_COLUMNS = 32,
    GATHER_VALUES = 1 << 16,
    THRASH_FLOATS = 32,
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
        values[i] = workload_rng_unit(&rng);
    device_buffer b = device_alloc_from(m->device, values, n * sizeof *values, "input");
    free(values);
    return b;
}

void bench_fma_loop(struct measurement *m)
{
    size_t bytes = (size_t)m->capacity * BLOCK * sizeof(float);
    device_buffer out = device_alloc(m->device, bytes, "out");
    const struct device_arg args[] = {device_arg_buffer(out), device_arg_i32(FMA_ITERATIONS)};
    launch_1d(m, "fma_loop", args, 2);
    read_back(m, out, bytes);
}

void bench_naive_gemm(struct measurement *m)
{
    size_t n = (size_t)GEMM_N * GEMM_N;
    device_buffer a = random_floats(m, n, 1), b = random_floats(m, n, 2);
    device_buffer c = device_alloc(m->device, n * sizeof(float), "c");
    const struct device_arg args[] = {device_arg_buffer(a), device_arg_buffer(b),
                                      device_arg_buffer(c), device_arg_i32(GEMM_N)};
    launch(m, "naive_gemm", (const uint32_t[3]){GEMM_N, m->size * BENCH_GEMM_ROWS, 1},
           (const uint32_t[3]){GEMM_COLUMNS, BENCH_GEMM_ROWS, 1}, args, 4);
    read_back(m, c, n * sizeof(float));
}

void bench_vector_add(struct measurement *m)
{
    size_t n = (size_t)m->capacity * BLOCK;
    device_buffer a = random_floats(m, n, 1), b = random_floats(m, n, 2);
    device_buffer c = device_alloc(m->device, n * sizeof(float), "c");
    const struct device_arg args[] = {device_arg_buffer(a), device_arg_buffer(b),
                                      device_arg_buffer(c), device_arg_i32((int32_t)n)};
    launch_1d(m, "vector_add", args, 4);
    read_back(m, c, n * sizeof(float));
}

/* Lists of 0 to 31 entries. */
void bench_divergent_gather(struct measurement *m)
{
    size_t n = (size_t)m->capacity * BLOCK;
    struct workload_rng rng = {3};
    int32_t *first = xcalloc(n + 1, sizeof *first);
    for (size_t i = 0; i < n; i++)
        first[i + 1] = first[i] + (int32_t)workload_rng_below(&rng, 32);
    size_t n_index = (size_t)first[n];
    int32_t *index = xcalloc(n_index + 1, sizeof *index);
    for (size_t i = 0; i < n_index; i++)
        index[i] = (int32_t)workload_rng_below(&rng, GATHER_VALUES);
    const struct device_arg args[] = {
        device_arg_buffer(device_alloc_from(m->device, first, (n + 1) * sizeof *first, "first")),
        device_arg_buffer(device_alloc_from(m->device, index, n_index * sizeof *index, "index")),
        device_arg_buffer(random_floats(m, GATHER_VALUES, 4)),
        device_arg_buffer(device_alloc(m->device, n * sizeof(float), "out")),
    };
    launch_1d(m, "divergent_gather", args, 4);
    read_back(m, args[3].buffer, n * sizeof(float));
    free(first);
    free(index);
}

/* Each thread reads its own row, a line at every step: as K-means reads its features. */
void bench_thrash(struct measurement *m)
{
    size_t n = (size_t)m->capacity * BLOCK;
    const struct device_arg args[] = {
        device_arg_buffer(random_floats(m, n * THRASH_FLOATS, 5)),
        device_arg_buffer(device_alloc(m->device, n * sizeof(float), "out")),
        device_arg_i32(THRASH_FLOATS),
    };
    launch_1d(m, "thrash", args, 3);
    read_back(m, args[1].buffer, n * sizeof(float));
}
