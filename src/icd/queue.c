#include "icd/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/notify.h"

static const cl_command_queue_properties known_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

void queue_release(struct _cl_command_queue *q)
{
    if (!object_release(q))
        return;
    context_release(q->context);
    free(q->given);
    object_destroy(q, ICD_QUEUE);
}

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties,
                                     const cl_queue_properties *given, size_t n_given,
                                     cl_int *errcode)
{
    icd_lock();
    cl_int code = CL_SUCCESS;
    struct _cl_command_queue *q = NULL;
    if (!object_is(context, ICD_CONTEXT))
        code = CL_INVALID_CONTEXT;
    else if (!object_is(device, ICD_DEVICE) ||
             context_device_index(context, device) == context->n_devices)
        code = CL_INVALID_DEVICE;
    else {
        q = object_create(ICD_QUEUE, sizeof *q);
        q->context = context;
        q->device = device;
        q->properties = properties;
        if (n_given) {
            q->given = xcalloc(n_given, sizeof *q->given);
            memcpy(q->given, given, n_given * sizeof *given);
            q->n_given = n_given;
        }
        object_retain(context);
    }
    icd_unlock();
    fail_with(errcode, code);
    return q;
}

cl_command_queue icd_clCreateCommandQueue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int *errcode)
{
    if (properties & ~known_properties)
        return fail_with(errcode, properties & ~(known_properties | 0xc)
                                      ? CL_INVALID_VALUE
                                      : CL_INVALID_QUEUE_PROPERTIES);
    return create_queue(context, device, properties, NULL, 0, errcode);
}

cl_command_queue icd_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                        const cl_queue_properties *given,
                                                        cl_int *errcode)
{
    cl_command_queue_properties properties = 0;
    size_t n = 0;
    for (; given && given[n]; n += 2) {
        if (given[n] == CL_QUEUE_SIZE)
            return fail_with(errcode, CL_INVALID_QUEUE_PROPERTIES);
        if (given[n] != CL_QUEUE_PROPERTIES)
            return fail_with(errcode, CL_INVALID_VALUE);
        properties = given[n + 1];
    }
    if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
        return fail_with(errcode, CL_INVALID_QUEUE_PROPERTIES);
    if (properties & ~known_properties)
        return fail_with(errcode, CL_INVALID_VALUE);
    return create_queue(context, device, properties, given, given ? n + 1 : 0, errcode);
}

cl_int icd_clRetainCommandQueue(cl_command_queue q)
{
    icd_lock();
    bool ok = object_is(q, ICD_QUEUE) && object_user_retain(q);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int icd_clReleaseCommandQueue(cl_command_queue q)
{
    icd_lock();
    bool ok = object_is(q, ICD_QUEUE) && object_user_release(q);
    /* Programs that do not wait for their last read lose its memory with the frame of main(). */
    while (ok && q->base.users == 0 && queue_makes_progress(q))
        icd_wait();
    if (ok)
        queue_release(q);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static cl_int queue_info(const struct _cl_command_queue *q, cl_command_queue_info param,
                         size_t size, void *value, size_t *size_ret)
{
    switch (param) {
    case CL_QUEUE_CONTEXT:
        return INFO(cl_context, q->context);
    case CL_QUEUE_DEVICE:
        return INFO(cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return INFO(cl_uint, q->base.users);
    case CL_QUEUE_PROPERTIES:
        return INFO(cl_command_queue_properties, q->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return info_answer(q->given, q->n_given * sizeof *q->given, size, value, size_ret);
    case CL_QUEUE_SIZE:
        return CL_INVALID_COMMAND_QUEUE; /* for device queues */
    case CL_QUEUE_DEVICE_DEFAULT:
        return INFO(cl_command_queue, NULL);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info param, size_t size,
                                 void *value, size_t *size_ret)
{
    icd_lock();
    cl_int code = object_is(q, ICD_QUEUE) ? queue_info(q, param, size, value, size_ret)
                                          : CL_INVALID_COMMAND_QUEUE;
    icd_unlock();
    return code;
}

cl_int icd_clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties,
                                     cl_bool enable, cl_command_queue_properties *old)
{
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(q, ICD_QUEUE))
        code = CL_INVALID_COMMAND_QUEUE;
    else if (properties & ~known_properties)
        code = CL_INVALID_VALUE;
    else {
        if (old)
            *old = q->properties;
        q->properties = enable ? q->properties | properties : q->properties & ~properties;
    }
    icd_unlock();
    return code;
}

/* Commands are submitted to the device at once; there is nothing to flush. */
cl_int icd_clFlush(cl_command_queue q)
{
    icd_lock();
    bool ok = object_is(q, ICD_QUEUE);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int icd_clFinish(cl_command_queue q)
{
    icd_lock();
    if (!object_is(q, ICD_QUEUE)) {
        icd_unlock();
        return CL_INVALID_COMMAND_QUEUE;
    }
    object_retain(q);
    while (q->n_commands)
        icd_wait();
    notify_settle();
    host_advance_ns(q->end_ns);
    cl_int code = q->error;
    q->error = CL_SUCCESS;
    queue_release(q);
    icd_unlock();
    devices_collect();
    return code;
}

/* --- markers and barriers --- */

static cl_int enqueue_sync(cl_command_queue q, cl_command_type type, cl_uint n,
                           const cl_event *events, cl_event *event)
{
    icd_lock();
    struct icd_command *c;
    cl_int code = object_is(q, ICD_QUEUE) ? command_create(q, type, n, events, 0, &c)
                                          : CL_INVALID_COMMAND_QUEUE;
    if (code == CL_SUCCESS) {
        if (n == 0)
            command_wait_for_all(c);
        code = command_submit(c, false, event);
    }
    icd_unlock();
    return code;
}

cl_int icd_clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n, const cl_event *events,
                                       cl_event *event)
{
    return enqueue_sync(q, CL_COMMAND_MARKER, n, events, event);
}

cl_int icd_clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint n, const cl_event *events,
                                        cl_event *event)
{
    return enqueue_sync(q, CL_COMMAND_BARRIER, n, events, event);
}

cl_int icd_clEnqueueMarker(cl_command_queue q, cl_event *event)
{
    return event ? enqueue_sync(q, CL_COMMAND_MARKER, 0, NULL, event) : CL_INVALID_VALUE;
}

cl_int icd_clEnqueueBarrier(cl_command_queue q)
{
    return enqueue_sync(q, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

cl_int icd_clEnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *events)
{
    if (n == 0 || !events)
        return CL_INVALID_VALUE;
    cl_int code = enqueue_sync(q, CL_COMMAND_BARRIER, n, events, NULL);
    return code == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : code;
}
