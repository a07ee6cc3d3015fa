#include "icd/event.h"

#include <stdlib.h>

#include "base/arena.h"
#include "icd/notify.h"
#include "icd/queue.h"

static uint64_t host_ns;

uint64_t host_now_ns(void)
{
    return host_ns;
}

void host_advance_ns(uint64_t ns)
{
    if (ns > host_ns)
        host_ns = ns;
}

struct _cl_event *event_create(struct _cl_context *context, struct _cl_command_queue *queue,
                               cl_command_type type)
{
    struct _cl_event *e = object_create(ICD_EVENT, sizeof *e);
    e->context = context;
    e->queue = queue;
    e->type = type;
    e->status = queue ? CL_QUEUED : CL_SUBMITTED;
    e->ns[TIME_QUEUED] = e->ns[TIME_SUBMIT] = host_ns;
    object_retain(context);
    if (queue)
        object_retain(queue);
    return e;
}

void event_release(struct _cl_event *e)
{
    if (!object_release(e))
        return;
    for (struct event_callback *c = e->callbacks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    strbuf_destroy(&e->fault);
    if (e->queue)
        queue_release(e->queue);
    context_release(e->context);
    object_destroy(e, ICD_EVENT);
}

/* Calls the callbacks of the status that the event has reached; a failure calls all of them. */
static void call_back(struct _cl_event *e)
{
    for (struct event_callback **at = &e->callbacks, *c; (c = *at);) {
        if (e->status > c->status) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        notify_event(c->call, e, e->status < 0 ? e->status : c->status, c->user);
        free(c);
    }
}

void event_set_status(struct _cl_event *e, cl_int status)
{
    e->status = status;
    call_back(e);
    icd_changed();
}

cl_int event_wait_unseen(struct _cl_event *e)
{
    object_retain(e);
    while (e->status > CL_COMPLETE)
        icd_wait();
    cl_int status = e->status;
    event_release(e);
    return status;
}

void event_wait(struct _cl_event *e)
{
    object_retain(e);
    event_wait_unseen(e);
    notify_settle();
    host_advance_ns(e->ns[TIME_END]);
    event_release(e);
}

cl_int event_check_list(const struct _cl_context *context, cl_uint n, const cl_event *list)
{
    if ((n == 0) != (list == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(list[i], ICD_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++)
        if (list[i]->context != context)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

cl_int icd_clWaitForEvents(cl_uint n, const cl_event *list)
{
    if (n == 0 || !list)
        return CL_INVALID_VALUE;
    icd_lock();
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < n && code == CL_SUCCESS; i++)
        if (!object_is(list[i], ICD_EVENT))
            code = CL_INVALID_EVENT;
        else if (list[i]->context != list[0]->context)
            code = CL_INVALID_CONTEXT;
    bool failed = false;
    for (cl_uint i = 0; i < n && code == CL_SUCCESS; i++) {
        event_wait(list[i]);
        failed |= list[i]->status < 0;
    }
    icd_unlock();
    if (code == CL_SUCCESS)
        devices_collect();
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : code;
}

static cl_int event_info(const struct _cl_event *e, cl_event_info param, size_t size, void *value,
                         size_t *size_ret)
{
    switch (param) {
    case CL_EVENT_COMMAND_QUEUE:
        return INFO(cl_command_queue, e->queue);
    case CL_EVENT_CONTEXT:
        return INFO(cl_context, e->context);
    case CL_EVENT_COMMAND_TYPE:
        return INFO(cl_command_type, e->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        if (e->status <= CL_COMPLETE)
            host_advance_ns(e->ns[TIME_END]);
        return INFO(cl_int, e->status);
    case CL_EVENT_REFERENCE_COUNT:
        return INFO(cl_uint, e->base.users);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetEventInfo(cl_event e, cl_event_info param, size_t size, void *value,
                          size_t *size_ret)
{
    icd_lock();
    cl_int code =
        object_is(e, ICD_EVENT) ? event_info(e, param, size, value, size_ret) : CL_INVALID_EVENT;
    icd_unlock();
    return code;
}

static cl_int profiling_info(const struct _cl_event *e, cl_profiling_info param, size_t size,
                             void *value, size_t *size_ret)
{
    uint32_t which;
    switch (param) {
    case CL_PROFILING_COMMAND_QUEUED:
        which = TIME_QUEUED;
        break;
    case CL_PROFILING_COMMAND_SUBMIT:
        which = TIME_SUBMIT;
        break;
    case CL_PROFILING_COMMAND_START:
        which = TIME_START;
        break;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
        which = TIME_END;
        break;
    default:
        return CL_INVALID_VALUE;
    }
    if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
        e->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return INFO(cl_ulong, e->ns[which]);
}

cl_int icd_clGetEventProfilingInfo(cl_event e, cl_profiling_info param, size_t size, void *value,
                                   size_t *size_ret)
{
    icd_lock();
    cl_int code = object_is(e, ICD_EVENT) ? profiling_info(e, param, size, value, size_ret)
                                          : CL_INVALID_EVENT;
    icd_unlock();
    return code;
}

cl_int icd_clRetainEvent(cl_event e)
{
    icd_lock();
    bool ok = object_is(e, ICD_EVENT) && object_user_retain(e);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_EVENT;
}

cl_int icd_clReleaseEvent(cl_event e)
{
    icd_lock();
    bool ok = object_is(e, ICD_EVENT) && object_user_release(e);
    if (ok)
        event_release(e);
    icd_unlock();
    return ok ? CL_SUCCESS : CL_INVALID_EVENT;
}

cl_event icd_clCreateUserEvent(cl_context context, cl_int *errcode)
{
    icd_lock();
    struct _cl_event *e =
        object_is(context, ICD_CONTEXT) ? event_create(context, NULL, CL_COMMAND_USER) : NULL;
    icd_unlock();
    fail_with(errcode, e ? CL_SUCCESS : CL_INVALID_CONTEXT);
    return e;
}

cl_int icd_clSetUserEventStatus(cl_event e, cl_int status)
{
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(e, ICD_EVENT) || e->queue)
        code = CL_INVALID_EVENT;
    else if (status > CL_COMPLETE)
        code = CL_INVALID_VALUE;
    else if (e->status <= CL_COMPLETE)
        code = CL_INVALID_OPERATION;
    if (code == CL_SUCCESS) {
        e->ns[TIME_START] = e->ns[TIME_END] = host_ns;
        event_set_status(e, status);
    }
    icd_unlock();
    return code;
}

cl_int icd_clSetEventCallback(cl_event e, cl_int status,
                              void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *user)
{
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!object_is(e, ICD_EVENT))
        code = CL_INVALID_EVENT;
    else if (!call || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS) {
        struct event_callback **last = &e->callbacks;
        while (*last)
            last = &(*last)->next;
        *last = xcalloc(1, sizeof **last);
        **last = (struct event_callback){.call = call, .user = user, .status = status};
        call_back(e);
    }
    icd_unlock();
    return code;
}
