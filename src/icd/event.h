#ifndef HEDDLE_ICD_EVENT_H
#define HEDDLE_ICD_EVENT_H

#include "icd/context.h"

enum { TIME_QUEUED, TIME_SUBMIT, TIME_START, TIME_END, N_TIMES };

struct event_callback {
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *user;
    cl_int status; /* to be called at this one */
    struct event_callback *next;
};

struct _cl_event {
    struct icd_object base;
    struct _cl_context *context;
    struct _cl_command_queue *queue; /* NULL: a user's event */
    cl_command_type type;
    cl_int status; /* CL_QUEUED .. CL_COMPLETE, or an error */
    uint64_t ns[N_TIMES];
    struct event_callback *callbacks;
};

/* All with the lock. */
struct _cl_event *event_create(struct _cl_context *context, struct _cl_command_queue *queue,
                               cl_command_type type);
void event_release(struct _cl_event *e);
void event_set_status(struct _cl_event *e, cl_int status);
/* Sleeps until it is complete or has failed. The host has then come as far in simulated time. */
void event_wait(struct _cl_event *e);
/* The same without the clock of the host, for the targets of a device that it does not see; its
 * status. */
cl_int event_wait_unseen(struct _cl_event *e);
/* An event list of an enqueue command, as the specification has it. */
cl_int event_check_list(const struct _cl_context *context, cl_uint n, const cl_event *list);

/* Simulated time of the host. MODEL: its own work takes none; it advances when it waits for the
 * device. */
uint64_t host_now_ns(void);
void host_advance_ns(uint64_t ns);

#endif
