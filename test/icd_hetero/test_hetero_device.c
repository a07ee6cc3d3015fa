/* Heddle HeteroPDP: launches move between the targets, contents stay right.
 *
 *     test_hetero_device moving | building | cold | failing | failing-checkpoint | failing-cmp |
 *                        failing-bound | faulty | own-library
 *
 * ctest sets the environment of each: how targets are chosen, a target that fails, or a limit that
 * one launch exceeds on the GPU. */
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icd/icd_test.h"

static const char source[] =
    "kernel void step(global int *y, global const int *x, int a, int n)\n"
    "{ int i = get_global_id(0); if (i < n) y[i] = a * y[i] + x[i] + (int)get_global_size(0); }\n"
    "kernel void count(global int *y, int loops)\n"
    "{ int i = get_global_id(0); int v = y[i];\n"
    "  for (int k = 0; k < loops; k++) v = v * 3 + k;\n"
    "  y[i] = v; }\n"
    "kernel void brighten(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, read_imageui(from, s, at) + (uint4)(1, 2, 3, 4)); }\n"
    "kernel void add_local(global int *y, local int *t)\n"
    "{ int l = get_local_id(0); t[l] = y[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  y[get_global_id(0)] += t[get_local_size(0) - 1 - l]; }\n";

enum { N = 256, N_BUFFERS = 4, PART_AT = 32, PART_N = 64 };

static uint32_t seed;
static uint32_t pick(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* --- random commands against arrays of the host --- */

struct world {
    struct gpu *g;
    cl_kernel step;
    cl_mem buffers[N_BUFFERS], parts[N_BUFFERS]; /* a part: PART_N elements from PART_AT on */
    int32_t expected[N_BUFFERS][N];
};

static void launch_step(struct world *w)
{
    uint32_t y = pick(N_BUFFERS), x = pick(N_BUFFERS);
    bool on_part = pick(2), from_part = pick(2);
    int a = (int)pick(7) - 3, n = on_part || from_part ? PART_N : N;
    size_t global = (size_t)n + (pick(2) ? 32 : 0), local = 32;
    if (x == y)
        return;
    ok(clSetKernelArg(w->step, 0, sizeof(cl_mem), on_part ? &w->parts[y] : &w->buffers[y]));
    ok(clSetKernelArg(w->step, 1, sizeof(cl_mem), from_part ? &w->parts[x] : &w->buffers[x]));
    ok(clSetKernelArg(w->step, 2, sizeof a, &a));
    ok(clSetKernelArg(w->step, 3, sizeof n, &n));
    ok(clEnqueueNDRangeKernel(w->g->queue, w->step, 1, NULL, &global, &local, 0, NULL, NULL));
    int32_t *to = w->expected[y] + (on_part ? PART_AT : 0);
    const int32_t *from = w->expected[x] + (from_part ? PART_AT : 0);
    for (int i = 0; i < n; i++)
        to[i] = (int32_t)((uint32_t)a * (uint32_t)to[i] + (uint32_t)from[i] + (uint32_t)global);
}

static void check_buffer(struct world *w)
{
    uint32_t b = pick(N_BUFFERS), at = pick(N), n = 1 + pick(N - at);
    int32_t got[N];
    ok(clEnqueueReadBuffer(w->g->queue, w->buffers[b], CL_TRUE, at * 4, n * 4, got, 0, NULL, NULL));
    assert_memory_equal(got, w->expected[b] + at, n * 4);
}

static void write_buffer(struct world *w)
{
    uint32_t b = pick(N_BUFFERS), at = pick(N), n = 1 + pick(N - at);
    for (uint32_t i = 0; i < n; i++)
        w->expected[b][at + i] = (int32_t)pick(1000);
    ok(clEnqueueWriteBuffer(w->g->queue, w->buffers[b], CL_TRUE, at * 4, n * 4, w->expected[b] + at,
                            0, NULL, NULL));
}

static void map_part(struct world *w)
{
    uint32_t b = pick(N_BUFFERS);
    bool writes = pick(2);
    int32_t *p;
    created(p, clEnqueueMapBuffer(w->g->queue, w->parts[b], CL_TRUE,
                                  writes ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ, 0, PART_N * 4,
                                  0, NULL, NULL, &err));
    assert_memory_equal(p, w->expected[b] + PART_AT, PART_N * 4);
    for (uint32_t i = 0; writes && i < PART_N; i += 3)
        p[i] = w->expected[b][PART_AT + i] = (int32_t)i + 7;
    ok(clEnqueueUnmapMemObject(w->g->queue, w->parts[b], p, 0, NULL, NULL));
}

static void copy_or_fill(struct world *w)
{
    uint32_t from = pick(N_BUFFERS), to = pick(N_BUFFERS), at = pick(N / 2);
    const int32_t value = 5;
    if (from == to) {
        ok(clEnqueueFillBuffer(w->g->queue, w->buffers[to], &value, 4, at * 4, N / 2 * 4, 0, NULL,
                               NULL));
        for (uint32_t i = 0; i < N / 2; i++)
            w->expected[to][at + i] = value;
        return;
    }
    ok(clEnqueueCopyBuffer(w->g->queue, w->buffers[from], w->buffers[to], at * 4, 0, N / 2 * 4, 0,
                           NULL, NULL));
    memcpy(w->expected[to], w->expected[from] + at, N / 2 * 4);
}

static void contents_stay_right_while_kernels_move(void **state)
{
    static void (*const commands[])(struct world *) = {
        launch_step, launch_step, launch_step, check_buffer, write_buffer, map_part, copy_or_fill};
    struct world w = {.g = *state};
    w.step = kernel_of(w.g, source, "step");
    for (uint32_t round = 1; round <= 20; round++) {
        seed = round;
        for (uint32_t b = 0; b < N_BUFFERS; b++) {
            for (uint32_t i = 0; i < N; i++)
                w.expected[b][i] = (int32_t)(b * 1000 + i);
            cl_buffer_region part = {PART_AT * 4, PART_N * 4};
            w.buffers[b] = buffer(w.g, sizeof w.expected[b], w.expected[b]);
            created(w.parts[b],
                    clCreateSubBuffer(w.buffers[b], 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err));
        }
        for (int i = 0; i < 60; i++)
            commands[pick(COUNT(commands))](&w);
        for (uint32_t b = 0; b < N_BUFFERS; b++) {
            int32_t got[N];
            ok(clEnqueueReadBuffer(w.g->queue, w.buffers[b], CL_TRUE, 0, sizeof got, got, 0, NULL,
                                   NULL));
            assert_memory_equal(got, w.expected[b], sizeof got);
            ok(clReleaseMemObject(w.parts[b]));
            ok(clReleaseMemObject(w.buffers[b]));
        }
    }
    ok(clReleaseKernel(w.step));
}

/* --- images, samplers, local memory --- */

static void images_move_too(void **state)
{
    enum { W = 8, H = 4, ROUNDS = 5 };
    struct gpu *g = *state;
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1}, global[2] = {W, H};
    unsigned char in[W * H * 4], out[W * H * 4];
    cl_mem images[2];
    cl_sampler s;
    cl_kernel k = kernel_of(g, source, "brighten");
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    for (int i = 0; i < 2; i++)
        created(images[i],
                clCreateImage(g->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err));
    created(s, clCreateSampler(g->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST,
                               &err));
    ok(clEnqueueWriteImage(g->queue, images[0], CL_TRUE, origin, region, 0, 0, in, 0, NULL, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        ok(clSetKernelArg(k, 0, sizeof(cl_mem), &images[i % 2]));
        ok(clSetKernelArg(k, 1, sizeof(cl_mem), &images[1 - i % 2]));
        ok(clSetKernelArg(k, 2, sizeof s, &s));
        ok(clEnqueueNDRangeKernel(g->queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    }
    ok(clEnqueueReadImage(g->queue, images[ROUNDS % 2], CL_TRUE, origin, region, 0, 0, out, 0, NULL,
                          NULL));
    for (size_t i = 0; i < sizeof in; i++)
        assert_int_equal(out[i], (unsigned char)(in[i] + ROUNDS * (i % 4 + 1)));
    for (int i = 0; i < 2; i++)
        ok(clReleaseMemObject(images[i]));
    ok(clReleaseSampler(s));
    ok(clReleaseKernel(k));
}

static void local_memory_is_the_targets(void **state)
{
    enum { ITEMS = 64, GROUP = 16, ROUNDS = 4 };
    struct gpu *g = *state;
    int32_t expected[ITEMS], got[ITEMS];
    const size_t global = ITEMS, local = GROUP;
    for (int i = 0; i < ITEMS; i++)
        expected[i] = i;
    cl_mem y = buffer(g, sizeof expected, expected);
    cl_kernel k = kernel_of(g, source, "add_local");
    ok(clSetKernelArg(k, 0, sizeof y, &y));
    ok(clSetKernelArg(k, 1, GROUP * sizeof(int32_t), NULL));
    for (int r = 0; r < ROUNDS; r++) {
        int32_t before[ITEMS];
        memcpy(before, expected, sizeof before);
        for (int i = 0; i < ITEMS; i++)
            expected[i] += before[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
        ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    ok(clEnqueueReadBuffer(g->queue, y, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, expected, sizeof got);
    ok(clReleaseMemObject(y));
    ok(clReleaseKernel(k));
}

static void limits_are_the_smaller_ones(void **state)
{
    struct gpu *g = *state;
    size_t group = 0;
    char name[64] = "";
    ok(clGetDeviceInfo(g->device, CL_DEVICE_NAME, sizeof name, name, NULL));
    assert_string_equal(name, "Heddle HeteroPDP");
    ok(clGetDeviceInfo(g->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    assert_int_equal(group, 1024); /* of gtx480; PoCL's is greater */
    assert_int_equal(g->n_devices, 1);
    size_t bytes = 0;
    cl_uint n = 0;
    ok(clGetDeviceInfo(g->device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof bytes, &bytes, NULL));
    assert_in_range(bytes, 1, 1024); /* of PoCL; ours is 4096 */
    ok(clGetDeviceInfo(g->device, CL_DEVICE_MAX_CONSTANT_ARGS, sizeof n, &n, NULL));
    assert_in_range(n, 1, 8); /* of PoCL; ours is 16 */
}

/* --- variables of programs --- */

static cl_kernel kernel_of_cl2(struct gpu *g, const char *text, const char *name)
{
    cl_program p;
    cl_kernel k;
    created(p, clCreateProgramWithSource(g->context, 1, &text, NULL, &err));
    ok(clBuildProgram(p, 1, &g->device, "-cl-std=CL2.0", NULL, NULL));
    created(k, clCreateKernel(p, name, &err));
    ok(clReleaseProgram(p));
    return k;
}

static int run_one(struct gpu *g, cl_kernel k, cl_mem y)
{
    const size_t one = 1;
    int got = 0;
    ok(clSetKernelArg(k, 0, sizeof y, &y));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(g->queue, y, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    return got;
}

static void programs_with_variables_stay_on_a_target(void **state)
{
    static const char *const texts[] = {
        "global int n = 5; kernel void f(global int *y) { n += 1; y[0] = n; }",
        "global int n = 5; global int *p = &n; kernel void f(global int *y) { y[0] = *p += 1; }",
        "global int n = 5; kernel void f(global int *y) { y[0] = atomic_inc(&n) + 1; }"};
    struct gpu *g = *state;
    cl_mem y = buffer(g, sizeof(int), NULL);
    for (size_t t = 0; t < COUNT(texts); t++) {
        cl_kernel k = kernel_of_cl2(g, texts[t], "f");
        for (int i = 0; i < 4; i++)
            assert_int_equal(run_one(g, k, y), 6 + i);
        ok(clReleaseKernel(k));
    }
    ok(clReleaseMemObject(y));
}

/* --- threads --- */

enum { N_THREADS = 4 };
static pthread_barrier_t all_ready;

static void *build_and_launch(void *user)
{
    struct gpu *g = user;
    int32_t y[N] = {0};
    pthread_barrier_wait(&all_ready);
    cl_kernel k = kernel_of(g, source, "count");
    const int loops = 1;
    const size_t global = N;
    cl_command_queue q;
    created(q, clCreateCommandQueue(g->context, g->device, 0, &err));
    cl_mem m = buffer(g, sizeof y, y);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof loops, &loops));
    for (int i = 0; i < 4; i++)
        ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL));
    assert_int_equal(y[1], 0); /* 0 * 3 + 0 */
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseKernel(k));
    return NULL;
}

/* The first builds in the process: they open the targets. */
static void threads_open_each_target_once(void **state)
{
    pthread_t threads[N_THREADS];
    pthread_barrier_init(&all_ready, NULL, N_THREADS);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, build_and_launch, *state), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* --- measurements --- */

/* The value in the last line of the log, and what follows. */
static const char *last_value(const char *key)
{
    static char last[4096];
    char line[4096], pattern[64];
    FILE *f = fopen(getenv("HEDDLE_HETERO_LOG"), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        memcpy(last, line, sizeof last);
    fclose(f);
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    const char *at = strstr(last, pattern);
    assert_non_null(at);
    at += strlen(pattern);
    return at + strspn(at, " ");
}

static double last_logged(const char *key)
{
    return strtod(last_value(key), NULL);
}

static void assert_logged(const char *key, const char *text)
{
    const char *value = last_value(key);
    if (*value != '"' || strncmp(value + 1, text, strlen(text)) != 0 ||
        value[strlen(text) + 1] != '"')
        fail_msg("%s is not '%s': %.60s", key, text, value);
}

static void a_buffer_is_judged_by_all_its_arguments(void **state)
{
    static const char text[] = "kernel void f(global const int *a, global int *b)\n"
                               "{ int i = get_global_id(0); b[i] = a[i] + 1; }\n"
                               "kernel void g(global int *b, global const int *a)\n"
                               "{ int i = get_global_id(0); b[i] = a[i] + 1; }\n";
    struct gpu *g = *state;
    const size_t global = N;
    cl_mem m = buffer(g, N * sizeof(int32_t), NULL);
    for (int i = 0; i < 2; i++) {
        cl_kernel k = kernel_of(g, text, i ? "g" : "f");
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        ok(clSetKernelArg(k, 1, sizeof m, &m));
        ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
        ok(clFinish(g->queue));
        assert_int_equal((int)last_logged("transfer"), 2 * N * (int)sizeof(int32_t));
        ok(clReleaseKernel(k));
    }
    ok(clReleaseMemObject(m));
}

static void uploads_of_what_is_not_read_do_not_count(void **state)
{
    enum { ELEMENTS = 1 << 16 };
    static const char text[] = "kernel void f(global int *y) { y[get_global_id(0)] = 7; }";
    struct gpu *g = *state;
    const size_t global = N;
    static int32_t contents[ELEMENTS], got[ELEMENTS];
    double seconds[2];
    for (int i = 0; i < ELEMENTS; i++)
        contents[i] = i;
    cl_kernel k = kernel_of(g, text, "f");
    for (int i = 0; i < 2; i++) {
        cl_mem m;
        created(m,
                clCreateBuffer(g->context,
                               (i ? CL_MEM_WRITE_ONLY : CL_MEM_READ_WRITE) | CL_MEM_COPY_HOST_PTR,
                               sizeof contents, contents, &err));
        ok(clSetKernelArg(k, 0, sizeof m, &m));
        ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int e = 0; e < ELEMENTS; e++)
            assert_int_equal(got[e], e < N ? 7 : e); /* what it does not write stays */
        seconds[i] = last_logged("transfer_s");
        ok(clReleaseMemObject(m));
    }
    assert_true(seconds[1] > 0.4 * seconds[0] && seconds[1] < 0.6 * seconds[0]);
    ok(clReleaseKernel(k));
}

/* --- a target that fails --- */

static cl_int run_count(struct gpu *g, cl_kernel k, cl_mem y, int loops)
{
    const size_t global = N;
    ok(clSetKernelArg(k, 0, sizeof y, &y));
    ok(clSetKernelArg(k, 1, sizeof loops, &loops));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    return clFinish(g->queue);
}

static void count_on_host(int32_t *y, int loops)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < loops; k++)
            y[i] = (int32_t)((uint32_t)y[i] * 3u + (uint32_t)k);
}

static bool keeps_checkpoints;
enum { FEW_LOOPS = 10, TOO_MANY_LOOPS = 200000 }; /* for the limit of the faulty kernel */

/* Once a target has failed, the other one runs all launches. */
static void the_other_target_takes_over(void **state)
{
    struct gpu *g = *state;
    int32_t expected[N], got[N];
    for (int i = 0; i < N; i++)
        expected[i] = i;
    cl_mem y = buffer(g, sizeof expected, expected);
    cl_kernel k = kernel_of(g, source, "count");
    /* The target then has the only copy, unless there are checkpoints. */
    ok(run_count(g, k, y, FEW_LOOPS));
    cl_int code = run_count(g, k, y, TOO_MANY_LOOPS);
    if (!keeps_checkpoints) {
        assert_int_equal(code, CL_OUT_OF_RESOURCES);
        ok(run_count(g, k, y, TOO_MANY_LOOPS)); /* with contents that are lost */
        ok(clEnqueueWriteBuffer(g->queue, y, CL_TRUE, 0, sizeof expected, expected, 0, NULL, NULL));
        code = run_count(g, k, y, TOO_MANY_LOOPS);
    } else {
        count_on_host(expected, FEW_LOOPS);
    }
    assert_int_equal(code, CL_SUCCESS);
    count_on_host(expected, TOO_MANY_LOOPS);
    ok(run_count(g, k, y, FEW_LOOPS)); /* and continues */
    count_on_host(expected, FEW_LOOPS);
    ok(clEnqueueReadBuffer(g->queue, y, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, expected, sizeof got);
    ok(clReleaseMemObject(y));
    ok(clReleaseKernel(k));
}

/* The same program without its source, which only the GPU can run. */
static cl_kernel kernel_of_binary(struct gpu *g, const char *name)
{
    cl_kernel k = kernel_of(g, source, name);
    cl_program p;
    size_t n;
    ok(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof p, &p, NULL));
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL));
    unsigned char *bytes = malloc(n);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    ok(clReleaseKernel(k));
    created(p, clCreateProgramWithBinary(g->context, 1, &g->device, &n,
                                         (const unsigned char **)&bytes, NULL, &err));
    free(bytes);
    ok(clBuildProgram(p, 1, &g->device, "", NULL, NULL));
    created(k, clCreateKernel(p, name, &err));
    ok(clReleaseProgram(p));
    return k;
}

static void what_only_the_gpu_can_run_runs_there(void **state)
{
    struct gpu *g = *state;
    int32_t expected[N] = {0}, got[N];
    cl_mem y = buffer(g, sizeof expected, expected);
    cl_kernel k = kernel_of_binary(g, "count");
    ok(run_count(g, k, y, FEW_LOOPS));
    count_on_host(expected, FEW_LOOPS);
    ok(clEnqueueReadBuffer(g->queue, y, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, expected, sizeof got);
    ok(clReleaseMemObject(y));
    ok(clReleaseKernel(k));
}

/* The GPU fails in its launches 2 and 3. It stays a failed target, which runs only what the other
 * one cannot. */
static void a_failed_target_runs_what_is_bound_to_it(void **state)
{
    static const char text[] =
        "global int n = 5; kernel void f(global int *y) { n += 1; y[0] = n; }";
    struct gpu *g = *state;
    const int32_t zeros[N] = {0};
    const size_t one = 1;
    cl_kernel bound = kernel_of_cl2(g, text, "f"), k = kernel_of(g, source, "count");
    cl_mem n = buffer(g, sizeof(int), NULL), y = buffer(g, sizeof zeros, zeros);
    assert_int_equal(run_one(g, bound, n), 6);
    ok(run_count(g, k, y, FEW_LOOPS)); /* launch 2 */
    assert_logged("ran_on", "cmp");
    assert_logged("reason", "the mode names this target");
    ok(clEnqueueNDRangeKernel(g->queue, bound, 1, NULL, &one, NULL, 0, NULL, NULL)); /* launch 3 */
    fails(CL_OUT_OF_RESOURCES, clFinish(g->queue));
    ok(run_count(g, k, y, FEW_LOOPS));
    assert_logged("ran_on", "cmp");
    assert_logged("reason", "the other target has failed");
    assert_int_equal(run_one(g, bound, n), 7);
    assert_logged("ran_on", "gpu");
    ok(clReleaseMemObject(n));
    ok(clReleaseMemObject(y));
    ok(clReleaseKernel(bound));
    ok(clReleaseKernel(k));
}

/* --- a kernel that is at fault --- */

static void CL_CALLBACK remember(const char *text, const void *more, size_t bytes, void *user)
{
    (void)more, (void)bytes;
    snprintf(user, 1000, "%s", text);
}

/* Runs on the GPU, and leaves `before` in y. */
static void assert_gpu_still_runs(struct gpu *g, cl_kernel k, cl_mem y, int32_t *before)
{
    int32_t got[N];
    assert_logged("ran_on", "gpu");
    assert_int_equal((int)last_logged("status"), CL_OUT_OF_RESOURCES);
    ok(run_count(g, k, y, FEW_LOOPS));
    assert_logged("ran_on", "gpu");
    count_on_host(before, FEW_LOOPS);
    ok(clEnqueueReadBuffer(g->queue, y, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, before, sizeof got);
}

/* As on the GPU alone: nobody takes over, and contents stay as the kernel has left them. */
static void a_faulty_kernel_is_the_programs_affair(void **state)
{
    static const char text[] =
        "kernel void out(global int *y, int at) { y[get_global_id(0)] = 1; y[at] = 1; }";
    char said[1000] = "";
    struct gpu g = **(struct gpu **)state;
    int32_t expected[N] = {0};
    const int far = 100000;
    const size_t global = 1;
    created(g.context, clCreateContext(NULL, 1, &g.device, remember, said, &err));
    created(g.queue, clCreateCommandQueue(g.context, g.device, 0, &err));
    cl_mem y = buffer(&g, sizeof expected, expected);
    cl_kernel k = kernel_of(&g, source, "count"), out = kernel_of(&g, text, "out");
    fails(CL_OUT_OF_RESOURCES, run_count(&g, k, y, TOO_MANY_LOOPS));
    assert_non_null(strstr(said, "kernel 'count': the launch was stopped after"));
    assert_gpu_still_runs(&g, k, y, expected);
    ok(clSetKernelArg(out, 0, sizeof y, &y));
    ok(clSetKernelArg(out, 1, sizeof far, &far));
    ok(clEnqueueNDRangeKernel(g.queue, out, 1, NULL, &global, NULL, 0, NULL, NULL));
    fails(CL_OUT_OF_RESOURCES, clFinish(g.queue));
    assert_non_null(strstr(said, "kernel 'out': bad access"));
    expected[0] = 1; /* written before the bad access */
    assert_gpu_still_runs(&g, k, y, expected);
    ok(clReleaseMemObject(y));
    ok(clReleaseKernel(k));
    ok(clReleaseKernel(out));
    ok(clReleaseCommandQueue(g.queue));
    ok(clReleaseContext(g.context));
}

/* --- */

/* In a separate process: another vendor's library may abort where it does not work. */
static bool has_targets(void)
{
    pid_t child = fork();
    if (child == 0) {
        cl_platform_id p;
        cl_uint n = 0;
        _exit(clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS ||
              clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, NULL, &n) != CL_SUCCESS || n == 0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest moving[] = {
        TEST(contents_stay_right_while_kernels_move),
        TEST(images_move_too),
        TEST(local_memory_is_the_targets),
        TEST(limits_are_the_smaller_ones),
        TEST(programs_with_variables_stay_on_a_target),
    };
    const struct CMUnitTest building[] = {TEST(threads_open_each_target_once)};
    const struct CMUnitTest cold[] = {
        TEST(a_buffer_is_judged_by_all_its_arguments),
        TEST(uploads_of_what_is_not_read_do_not_count),
    };
    const struct CMUnitTest failing[] = {TEST(the_other_target_takes_over)};
    const struct CMUnitTest failing_cmp[] = {TEST(the_other_target_takes_over),
                                             TEST(what_only_the_gpu_can_run_runs_there)};
    const struct CMUnitTest bound[] = {TEST(a_failed_target_runs_what_is_bound_to_it)};
    const struct CMUnitTest faulty[] = {TEST(a_faulty_kernel_is_the_programs_affair)};
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "own-library") == 0) /* as its own CPU device: refused, without a wait */
        return has_targets();
    if (!has_targets()) {
        printf("SKIPPED: Heddle HeteroPDP: no OpenCL device of type CPU but our own\n");
        return 77;
    }
    if (strcmp(argv[1], "building") == 0)
        return cmocka_run_group_tests(building, NULL, NULL);
    if (strcmp(argv[1], "cold") == 0)
        return cmocka_run_group_tests(cold, NULL, NULL);
    if (strcmp(argv[1], "faulty") == 0)
        return cmocka_run_group_tests(faulty, NULL, NULL);
    if (strcmp(argv[1], "failing-bound") == 0)
        return cmocka_run_group_tests(bound, NULL, NULL);
    if (strcmp(argv[1], "failing-cmp") == 0)
        return cmocka_run_group_tests(failing_cmp, NULL, NULL);
    keeps_checkpoints = strcmp(argv[1], "failing-checkpoint") == 0;
    return strcmp(argv[1], "moving") == 0 ? cmocka_run_group_tests(moving, NULL, NULL)
                                          : cmocka_run_group_tests(failing, NULL, NULL);
}
