/* Queues, events, callbacks, simulated times. */
#include <pthread.h>
#include <unistd.h>

#include "icd_test.h"

static void queues_check_their_properties(void **state)
{
    struct gpu *g = *state;
    cl_command_queue q;
    const cl_queue_properties both[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties unknown[] = {0x7777, 1, 0};
    created(q, clCreateCommandQueueWithProperties(g->context, g->device, both, &err));
    cl_command_queue_properties p = 0;
    ok(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof p, &p, NULL));
    assert_int_equal(p, both[1]);
    cl_queue_properties list[3];
    ok(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, NULL));
    assert_memory_equal(list, both, sizeof list);
    fails(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof p, &p, NULL));
    ok(clReleaseCommandQueue(q));
    not_created(CL_INVALID_QUEUE_PROPERTIES,
                clCreateCommandQueueWithProperties(g->context, g->device, on_device, &err));
    not_created(CL_INVALID_VALUE,
                clCreateCommandQueueWithProperties(g->context, g->device, unknown, &err));
    not_created(CL_INVALID_VALUE, clCreateCommandQueue(g->context, g->device, 1 << 10, &err));
    not_created(CL_INVALID_DEVICE, clCreateCommandQueue(g->context, NULL, 0, &err));
    ok(clFlush(g->queue));
    ok(clFinish(g->queue));
}

static void an_in_order_queue_keeps_its_order(void **state)
{
    struct gpu *g = *state;
    int a = 1, b = 2, got = 0;
    cl_mem m = buffer(g, sizeof a, NULL);
    cl_event gate, first, second;
    cl_command_queue other;
    created(other, clCreateCommandQueue(g->context, g->device, 0, &err));
    created(gate, clCreateUserEvent(g->context, &err));
    ok(clEnqueueWriteBuffer(g->queue, m, CL_FALSE, 0, sizeof a, &a, 1, &gate, &first));
    ok(clEnqueueWriteBuffer(g->queue, m, CL_FALSE, 0, sizeof b, &b, 0, NULL, &second));
    ok(clEnqueueBarrier(other));
    ok(clFinish(other)); /* whatever could run before has run */
    assert_true(status_of(first) > CL_COMPLETE);
    assert_true(status_of(second) > CL_COMPLETE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    fails(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    assert_int_equal(got, 2);
    assert_int_equal(status_of(first), CL_COMPLETE);
    ok(clReleaseCommandQueue(other));
    ok(clReleaseEvent(second));
    ok(clReleaseEvent(first));
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(m));
}

/* A command that waits lets others of the queue pass, until a barrier. */
static void an_out_of_order_queue_runs_what_is_ready(void **state)
{
    struct gpu *g = *state;
    int a = 1, b = 2, got = 0;
    cl_mem m = buffer(g, 2 * sizeof a, NULL);
    cl_command_queue q;
    cl_event gate, waits, passes, behind;
    created(q, clCreateCommandQueue(g->context, g->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                    &err));
    created(gate, clCreateUserEvent(g->context, &err));
    ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof a, &a, 1, &gate, &waits));
    ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 4, sizeof b, &b, 0, NULL, &passes));
    ok(clWaitForEvents(1, &passes));
    assert_true(status_of(waits) > CL_COMPLETE);
    ok(clEnqueueBarrier(q));
    ok(clEnqueueReadBuffer(q, m, CL_FALSE, 0, sizeof got, &got, 0, NULL, &behind));
    assert_true(status_of(behind) > CL_COMPLETE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(q));
    assert_int_equal(got, 1);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(waits));
    ok(clReleaseEvent(passes));
    ok(clReleaseEvent(behind));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseMemObject(m));
}

static void CL_CALLBACK open_gate(cl_event e, cl_int status, void *gate)
{
    (void)e;
    assert_int_equal(status, CL_COMPLETE);
    clSetUserEventStatus(gate, CL_COMPLETE);
}

/* The first command waits for an event that the callback of the second one sets. */
static void a_callback_may_release_an_earlier_command(void **state)
{
    struct gpu *g = *state;
    int a = 1;
    cl_mem m = buffer(g, sizeof a, NULL);
    cl_command_queue q;
    cl_event gate, second;
    created(q, clCreateCommandQueue(g->context, g->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                    &err));
    created(gate, clCreateUserEvent(g->context, &err));
    ok(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof a, &a, 1, &gate, NULL));
    ok(clEnqueueMarkerWithWaitList(g->queue, 0, NULL, &second));
    ok(clSetEventCallback(second, CL_COMPLETE, open_gate, gate));
    ok(clFinish(q));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(second));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseMemObject(m));
}

/* What can run when a queue is released has run afterwards; what waits for the program does not
 * hold the release up. */
static void released_queues_finish_first(void **state)
{
    struct gpu *g = *state;
    int a = 7, back = 0;
    cl_mem m = buffer(g, sizeof a, &a);
    cl_command_queue q;
    cl_event gate;
    cl_kernel slow = kernel_of(g,
                               "kernel void f(volatile global int *x) {\n"
                               "  for (int i = 0; i < 1000; i++) x[0] += 2;\n"
                               "}\n",
                               "f");
    created(q, clCreateCommandQueue(g->context, g->device, 0, &err));
    ok(clSetKernelArg(slow, 0, sizeof m, &m));
    ok(clEnqueueTask(q, slow, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(q, m, CL_FALSE, 0, sizeof back, &back, 0, NULL, NULL));
    ok(clReleaseKernel(slow));
    ok(clReleaseCommandQueue(q));
    assert_int_equal(back, a + 2000);
    created(q, clCreateCommandQueue(g->context, g->device, 0, &err));
    created(gate, clCreateUserEvent(g->context, &err));
    ok(clEnqueueMarkerWithWaitList(q, 1, &gate, NULL));
    ok(clReleaseCommandQueue(q));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(m));
}

static void CL_CALLBACK note_end(cl_event e, cl_int status, void *end)
{
    assert_int_equal(status, CL_COMPLETE);
    *(_Atomic cl_ulong *)end = time_of(e, CL_PROFILING_COMMAND_END);
}

/* An event that commands wait for, or that has a callback, lives on when the program lets go. */
static void events_outlive_their_release(void **state)
{
    struct gpu *g = *state;
    int a = 1;
    _Atomic cl_ulong end = 0;
    cl_mem m = buffer(g, sizeof a, NULL);
    cl_event gate, written;
    created(gate, clCreateUserEvent(g->context, &err));
    ok(clEnqueueWriteBuffer(g->queue, m, CL_FALSE, 0, sizeof a, &a, 1, &gate, &written));
    ok(clSetEventCallback(written, CL_COMPLETE, note_end, &end));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(written));
    fails(CL_INVALID_EVENT, clReleaseEvent(gate));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(g->queue));
    assert_int_not_equal(end, 0);
    ok(clReleaseMemObject(m));
}

/* Takes its time, as a loaded machine may, and tells that it has ended. */
static void CL_CALLBACK note_late(cl_event e, cl_int status, void *n_made)
{
    (void)e, (void)status;
    usleep(20000);
    ++*(_Atomic int *)n_made;
}

static void CL_CALLBACK wait_for_lock(cl_event e, cl_int status, void *lock)
{
    (void)e, (void)status;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

/* After waiting, programs use what a callback wrote and free what it uses. A callback that needs a
 * lock of the waiting thread does not block that thread forever. */
static void callbacks_have_been_made_when_the_host_has_waited(void **state)
{
    struct gpu *g = *state;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    _Atomic int n_made = 0;
    cl_event done;
    ok(clEnqueueMarkerWithWaitList(g->queue, 0, NULL, &done));
    ok(clSetEventCallback(done, CL_COMPLETE, note_late, (void *)&n_made));
    ok(clSetEventCallback(done, CL_SUBMITTED, note_late, (void *)&n_made));
    ok(clFinish(g->queue));
    assert_int_equal(n_made, 2);
    ok(clSetEventCallback(done, CL_COMPLETE, note_late, (void *)&n_made));
    ok(clWaitForEvents(1, &done));
    assert_int_equal(n_made, 3);
    pthread_mutex_lock(&lock);
    ok(clSetEventCallback(done, CL_COMPLETE, wait_for_lock, &lock));
    ok(clFinish(g->queue));
    pthread_mutex_unlock(&lock);
    ok(clReleaseEvent(done));
}

static void failures_reach_those_who_wait(void **state)
{
    struct gpu *g = *state;
    int a = 1, got = 0;
    cl_mem m = buffer(g, sizeof a, NULL);
    cl_event gate, next, after;
    created(gate, clCreateUserEvent(g->context, &err));
    ok(clEnqueueWriteBuffer(g->queue, m, CL_FALSE, 0, sizeof a, &a, 1, &gate, &next));
    ok(clEnqueueMarkerWithWaitList(g->queue, 1, &next, &after));
    fails(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
    ok(clSetUserEventStatus(gate, -5));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &after));
    assert_int_equal(status_of(gate), -5);
    assert_int_equal(status_of(next), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    /* The program failed these itself; a command that does not wait for them succeeds. */
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 4, &got, 1, &gate, NULL));
    ok(clEnqueueReadBuffer(g->queue, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    assert_int_equal(got, 0); /* the write was not made */
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(next));
    ok(clReleaseEvent(after));
    ok(clReleaseMemObject(m));
}

static void wait_lists_are_checked(void **state)
{
    struct gpu *g = *state;
    cl_event mine, other;
    cl_context c;
    created(c, clCreateContext(NULL, 1, &g->device, NULL, NULL, &err));
    created(other, clCreateUserEvent(c, &err));
    created(mine, clCreateUserEvent(g->context, &err));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(g->queue, 1, NULL, NULL));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(g->queue, 0, &mine, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(g->queue, 1, &other, NULL));
    cl_event two[] = {mine, other};
    fails(CL_INVALID_CONTEXT, clWaitForEvents(2, two));
    fails(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    fails(CL_INVALID_VALUE, clSetEventCallback(mine, 7, open_gate, NULL));
    ok(clReleaseEvent(mine));
    ok(clReleaseEvent(other));
    ok(clReleaseContext(c));
}

static const char spin[] = "kernel void spin(global int *x, int n)\n"
                           "{ for (int i = 0; i < n; i++) x[get_global_id(0)] += i; }\n";

static cl_event launched(struct gpu *g, cl_kernel k, cl_mem m, cl_int n)
{
    const size_t global = 256, local = 64;
    cl_event e;
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof n, &n));
    ok(clEnqueueNDRangeKernel(g->queue, k, 1, NULL, &global, &local, 0, NULL, &e));
    return e;
}

/* Times are simulated: they follow each other, and are the same for the same work. */
static void times_are_simulated(void **state)
{
    struct gpu *g = *state;
    cl_kernel k = kernel_of(g, spin, "spin");
    cl_mem m = buffer(g, 1024, NULL);
    cl_event e[3];
    for (int i = 0; i < 3; i++)
        e[i] = launched(g, k, m, i == 1 ? 400 : 100);
    ok(clFinish(g->queue));
    cl_ulong last = 0, took[3];
    for (int i = 0; i < 3; i++) {
        cl_ulong queued = time_of(e[i], CL_PROFILING_COMMAND_QUEUED);
        cl_ulong submit = time_of(e[i], CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong start = time_of(e[i], CL_PROFILING_COMMAND_START);
        cl_ulong end = time_of(e[i], CL_PROFILING_COMMAND_END);
        assert_true(queued <= submit && submit <= start && start < end && start >= last);
        last = end;
        took[i] = end - start;
        ok(clReleaseEvent(e[i]));
    }
    assert_true(took[1] > 3 * took[2] && took[1] < 5 * took[2]);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
}

/* There is one machine for kernels of all queues. */
static void kernels_of_two_queues_follow_each_other(void **state)
{
    struct gpu *g = *state, second = *g;
    created(second.queue,
            clCreateCommandQueue(g->context, g->device, CL_QUEUE_PROFILING_ENABLE, &err));
    cl_kernel k = kernel_of(g, spin, "spin");
    cl_mem m = buffer(g, 1024, NULL);
    cl_event e[2] = {launched(g, k, m, 100), launched(&second, k, m, 100)};
    ok(clWaitForEvents(2, e));
    assert_true(time_of(e[1], CL_PROFILING_COMMAND_START) >=
                time_of(e[0], CL_PROFILING_COMMAND_END));
    ok(clReleaseEvent(e[0]));
    ok(clReleaseEvent(e[1]));
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(second.queue));
}

static void times_need_profiling(void **state)
{
    struct gpu *g = *state;
    cl_command_queue q;
    cl_event e, user;
    cl_ulong ns;
    created(q, clCreateCommandQueue(g->context, g->device, 0, &err));
    created(user, clCreateUserEvent(g->context, &err));
    ok(clEnqueueMarker(q, &e));
    ok(clFinish(q));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL));
    fails(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL));
    fails(CL_INVALID_VALUE, clGetEventProfilingInfo(e, 0x7777, sizeof ns, &ns, NULL));
    ok(clReleaseEvent(e));
    ok(clReleaseEvent(user));
    ok(clReleaseCommandQueue(q));
}

/* As the configuration says about PCIe. */
static void transfers_take_time(void **state)
{
    struct gpu *g = *state;
    enum { BYTES = 1 << 20 };
    char *data = calloc(1, BYTES);
    cl_mem m = buffer(g, BYTES, NULL);
    cl_ulong took[2];
    for (int i = 0; i < 2; i++) {
        cl_event e;
        ok(clEnqueueWriteBuffer(g->queue, m, CL_TRUE, 0, i ? BYTES : 64, data, 0, NULL, &e));
        took[i] = time_of(e, CL_PROFILING_COMMAND_END) - time_of(e, CL_PROFILING_COMMAND_START);
        ok(clReleaseEvent(e));
    }
    /* gtx480: 10,000 ns, and 6000 bytes a microsecond. */
    assert_int_equal(took[0], 10000 + 11);
    assert_int_equal(took[1], 10000 + 174763);
    ok(clReleaseMemObject(m));
    free(data);
}

static void events_tell_what_they_are(void **state)
{
    struct gpu *g = *state;
    cl_event e;
    cl_command_type type = 0;
    cl_command_queue q = NULL;
    cl_context c = NULL;
    ok(clEnqueueMarkerWithWaitList(g->queue, 0, NULL, &e));
    ok(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_MARKER);
    ok(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL));
    assert_ptr_equal(q, g->queue);
    ok(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof c, &c, NULL));
    assert_ptr_equal(c, g->context);
    ok(clWaitForEvents(1, &e));
    ok(clReleaseEvent(e));
    fails(CL_INVALID_EVENT, clReleaseEvent(e));
    fails(CL_INVALID_VALUE, clEnqueueMarker(g->queue, NULL));
    fails(CL_INVALID_VALUE, clEnqueueWaitForEvents(g->queue, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(queues_check_their_properties),
                                       TEST(an_in_order_queue_keeps_its_order),
                                       TEST(an_out_of_order_queue_runs_what_is_ready),
                                       TEST(a_callback_may_release_an_earlier_command),
                                       TEST(events_outlive_their_release),
                                       TEST(callbacks_have_been_made_when_the_host_has_waited),
                                       TEST(released_queues_finish_first),
                                       TEST(failures_reach_those_who_wait),
                                       TEST(wait_lists_are_checked),
                                       TEST(times_are_simulated),
                                       TEST(kernels_of_two_queues_follow_each_other),
                                       TEST(times_need_profiling),
                                       TEST(transfers_take_time),
                                       TEST(events_tell_what_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
