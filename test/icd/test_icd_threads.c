/* Eight threads, each with its own queue, buffers, program and kernel, in one context. */
#include <pthread.h>

#include "icd_test.h"

enum { N_THREADS = 8, N_ROUNDS = 12, N = 256 };

static struct gpu *shared;

static void one_round(cl_command_queue q, cl_kernel k, int thread, int round)
{
    int in[N], out[N];
    cl_event written, ran;
    for (int i = 0; i < N; i++)
        in[i] = i * thread + round;
    cl_mem m = buffer(shared, sizeof in, NULL);
    const size_t global = N;
    cl_int add = thread * 100 + round;
    ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof in, in, 0, NULL, &written));
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof add, &add));
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 1, &written, &ran));
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 1, &ran, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], in[i] + add);
    ok(clReleaseEvent(written));
    ok(clReleaseEvent(ran));
    ok(clReleaseMemObject(m));
}

static void *work(void *number)
{
    int thread = *(int *)number;
    cl_command_queue q;
    cl_program p =
        built(shared, "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }");
    cl_kernel k;
    created(k, clCreateKernel(p, "add", &err));
    created(q, clCreateCommandQueue(shared->context, shared->device,
                                    thread % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &err));
    for (int round = 0; round < N_ROUNDS; round++)
        one_round(q, k, thread, round);
    ok(clFinish(q));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    ok(clReleaseCommandQueue(q));
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t threads[N_THREADS];
    int numbers[N_THREADS];
    shared = *state;
    for (int i = 0; i < N_THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(threads_do_not_disturb_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
