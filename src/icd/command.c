#include <stdlib.h>

#include "base/arena.h"
#include "icd/memory.h"
#include "icd/queue.h"

static void add_wait(struct icd_command *c, struct _cl_event *event, bool is_listed)
{
    ARRAY_RESERVE(c->waits, c->cap_waits, c->n_waits + 1);
    c->waits[c->n_waits++] = (struct command_wait){event, is_listed};
    object_retain(event);
}

cl_int command_create(struct _cl_command_queue *q, cl_command_type type, cl_uint n_events,
                      const cl_event *events, size_t data_bytes, struct icd_command **out)
{
    cl_int code = event_check_list(q->context, n_events, events);
    if (code != CL_SUCCESS)
        return code;
    struct icd_command *c = xcalloc(1, sizeof *c);
    c->event = event_create(q->context, q, type);
    c->device = q->device;
    c->engine = ENGINE_NONE;
    c->data = data_bytes ? xcalloc(1, data_bytes) : NULL;
    for (cl_uint i = 0; i < n_events; i++)
        add_wait(c, events[i], true);
    *out = c;
    return CL_SUCCESS;
}

void command_use(struct icd_command *c, struct _cl_mem *mem, bool writes)
{
    ARRAY_RESERVE(c->uses, c->cap_uses, c->n_uses + 1);
    c->uses[c->n_uses++] = (struct command_use){mem, writes};
    object_retain(mem);
}

static void command_destroy(struct icd_command *c)
{
    if (c->drop)
        c->drop(c);
    for (uint32_t i = 0; i < c->n_waits; i++)
        event_release(c->waits[i].event);
    for (uint32_t i = 0; i < c->n_uses; i++)
        mem_release(c->uses[i].mem);
    free(c->waits);
    free(c->uses);
    free(c->data);
    strbuf_destroy(&c->message);
    free(c);
}

void command_cancel(struct icd_command *c)
{
    struct _cl_event *e = c->event;
    object_user_release(e);
    event_release(e);
    command_destroy(c);
}

void command_wait_for_all(struct icd_command *c)
{
    const struct _cl_command_queue *q = c->event->queue;
    for (struct icd_command *other = c->device->first; other; other = other->next)
        if (other->event->queue == q)
            add_wait(c, other->event, false);
    if (q->end_ns > c->earliest_ns)
        c->earliest_ns = q->end_ns;
}

/* The dependences that the queue's order requires. */
static void add_order(struct icd_command *c)
{
    struct _cl_command_queue *q = c->event->queue;
    bool in_order = !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    struct _cl_event *before = in_order ? q->last : q->barrier;
    uint64_t end = in_order ? q->end_ns : q->barrier_ns;
    if (before)
        add_wait(c, before, false);
    if (end > c->earliest_ns)
        c->earliest_ns = end;
    q->last = c->event;
    if (c->event->type == CL_COMMAND_BARRIER)
        q->barrier = c->event;
}

/* What a blocking command returns. If an earlier command of the queue has failed, it is not that
 * command's code: programs that take CL_OUT_OF_RESOURCES for a lack of memory would call again, and
 * not notice the failure. */
static cl_int outcome(struct _cl_event *e)
{
    struct _cl_command_queue *q = e->queue;
    bool has_failed = q->error != CL_SUCCESS;
    q->error = CL_SUCCESS;
    if (e->status < 0)
        return e->status;
    return has_failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int command_submit(struct icd_command *c, bool is_blocking, cl_event *event)
{
    struct _cl_device_id *d = c->device;
    struct _cl_event *e = c->event;
    cl_int code = CL_SUCCESS;
    add_order(c);
    if (d->last)
        d->last->next = c;
    else
        d->first = c;
    d->last = c;
    e->queue->n_commands++;
    object_retain(e); /* our reference, while it runs */
    event_set_status(e, CL_SUBMITTED);
    if (is_blocking) {
        event_wait(e);
        code = outcome(e);
    }
    if (event) {
        *event = e;
    } else {
        object_user_release(e);
        event_release(e);
    }
    return code;
}

/* --- in the thread of the device --- */

static bool is_ready(const struct icd_command *c)
{
    for (uint32_t i = 0; i < c->n_waits; i++)
        if (c->waits[i].event->status > CL_COMPLETE)
            return false;
    return true;
}

static bool waits_for_failure(const struct icd_command *c)
{
    for (uint32_t i = 0; i < c->n_waits; i++)
        if (c->waits[i].is_listed && c->waits[i].event->status < 0)
            return true;
    return false;
}

static struct icd_command *first_ready(struct _cl_device_id *d)
{
    struct icd_command *c = d->first;
    while (c && !is_ready(c))
        c = c->next;
    return c;
}

bool queue_makes_progress(const struct _cl_command_queue *q)
{
    for (const struct icd_command *c = q->device->first; c; c = c->next)
        if (c->event->queue == q && is_ready(c))
            return true;
    return false;
}

static void unlink_command(struct _cl_device_id *d, struct icd_command *c)
{
    struct icd_command **at = &d->first, *before = NULL;
    for (; *at != c; at = &(*at)->next)
        before = *at;
    *at = c->next;
    if (d->last == c)
        d->last = before;
}

static void set_times(struct icd_command *c)
{
    uint64_t *free_at = c->engine < N_ENGINES ? &c->device->free_at_ns[c->engine] : NULL;
    uint64_t start = c->event->ns[TIME_SUBMIT];
    if (start < c->earliest_ns)
        start = c->earliest_ns;
    for (uint32_t i = 0; i < c->n_waits; i++)
        if (start < c->waits[i].event->ns[TIME_END])
            start = c->waits[i].event->ns[TIME_END];
    if (free_at && start < *free_at)
        start = *free_at;
    c->event->ns[TIME_START] = start;
    /* Programs divide by the difference, so it is never 0. */
    c->event->ns[TIME_END] = start + (c->cost_ns ? c->cost_ns : 1);
    if (free_at)
        *free_at = c->event->ns[TIME_END];
}

static void finish(struct icd_command *c, cl_int code)
{
    struct _cl_event *e = c->event;
    struct _cl_command_queue *q = e->queue;
    set_times(c);
    unlink_command(c->device, c);
    if (q->end_ns < e->ns[TIME_END])
        q->end_ns = e->ns[TIME_END];
    if (q->last == e)
        q->last = NULL;
    if (e->type == CL_COMMAND_BARRIER && q->barrier_ns < e->ns[TIME_END])
        q->barrier_ns = e->ns[TIME_END];
    if (q->barrier == e)
        q->barrier = NULL;
    bool is_own = code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (code < 0 && is_own && q->error == CL_SUCCESS)
        q->error = code;
    if (c->is_fault)
        strbuf_add(&e->fault, strbuf_text(&c->message));
    if (c->message.len) {
        icd_complain("%s", strbuf_text(&c->message));
        context_report(e->context, strbuf_text(&c->message));
    }
    command_destroy(c);
    q->n_commands--;
    event_set_status(e, code < 0 ? code : CL_COMPLETE);
    event_release(e);
}

static void run_one(struct icd_command *c)
{
    cl_int code = CL_SUCCESS;
    if (waits_for_failure(c)) {
        finish(c, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        return;
    }
    event_set_status(c->event, CL_RUNNING);
    if (c->run) {
        icd_unlock();
        for (uint32_t i = 0; !c->moves_memory && i < c->n_uses; i++)
            mem_migrate(c->uses[i].mem, c->device, c->uses[i].writes);
        pthread_mutex_lock(&c->device->sim_lock);
        code = c->run(c);
        pthread_mutex_unlock(&c->device->sim_lock);
        icd_lock();
    }
    finish(c, code);
}

void *worker_main(void *device)
{
    struct _cl_device_id *d = device;
    icd_lock();
    for (;;) {
        struct icd_command *c = first_ready(d);
        if (c)
            run_one(c);
        else if (d->stop)
            break;
        else
            icd_wait();
    }
    icd_unlock();
    return NULL;
}
