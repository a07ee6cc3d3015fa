#ifndef HEDDLE_ICD_EVENT_H
#define HEDDLE_ICD_EVENT_H

#include "icd/context.h"

enum { TIME_QUEUED, TIME_SUBMIT, TIME_START, TIME_END, N_TIMES };

struct event_callback {
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *user;
    cl_int status; /* the status at which it is called */
    struct event_callback *next;
};

struct _cl_event {
    struct icd_object base;
    struct _cl_context *context;
    struct _cl_command_queue *queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status; /* CL_QUEUED .. CL_COMPLETE, or an error */
    uint64_t ns[N_TIMES];
    struct event_callback *callbacks;
    /* What is wrong with the kernel; empty if it did not fail, or if its device did. */
    struct strbuf fault;
};

/* All need the lock. */
struct _cl_event *event_create(struct _cl_context *context, struct _cl_command_queue *queue,
                               cl_command_type type);
void event_release(struct _cl_event *e);
void event_set_status(struct _cl_event *e, cl_int status);
/* Sleeps until it is complete or has failed. The host's simulated time then includes it. */
void event_wait(struct _cl_event *e);
/* The same without advancing the host's clock, for the targets of a device, which the program does
 * not see. Returns its status. */
cl_int event_wait_unseen(struct _cl_event *e);
/* Checks the event list of an enqueue command according to the specification. */
cl_int event_check_list(const struct _cl_context *context, cl_uint n, const cl_event *list);

/* Simulated time of the host. MODEL: the host's own work takes no time; its clock advances when it
 * waits for the device. */
uint64_t host_now_ns(void);
void host_advance_ns(uint64_t ns);

#endif
