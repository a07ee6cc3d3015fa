/* Queues, and the commands in them.
 *
 * A command waits for the events of its list and for what its queue's order asks; the thread of the
 * device runs the first one that waits for nothing, in the order in which they were submitted. So
 * results and simulated times depend on the order of the program's calls alone. */
#ifndef HEDDLE_ICD_QUEUE_H
#define HEDDLE_ICD_QUEUE_H

#include "icd/event.h"

struct _cl_mem;

struct _cl_command_queue {
    struct icd_object base;
    struct _cl_context *context;
    struct _cl_device_id *device;
    cl_command_queue_properties properties;
    cl_queue_properties *given; /* list of clCreateCommandQueueWithProperties(), with its 0 */
    size_t n_given;
    struct _cl_event *last;    /* in order: the last command, while it is not done */
    struct _cl_event *barrier; /* out of order: the last barrier, while it is not done */
    uint64_t end_ns;           /* of all commands that are done */
    uint64_t barrier_ns;       /* end of the last barrier that is done */
    uint32_t n_commands;       /* not done */
    cl_int error;              /* of a command that failed, until the program has been told */
};

struct command_wait {
    struct _cl_event *event;
    bool is_listed; /* by the program: its failure is a failure of the command */
};

struct command_use {
    struct _cl_mem *mem;
    bool writes;
};

struct icd_command {
    struct _cl_event *event;
    struct _cl_device_id *device;
    struct icd_command *next;
    struct command_wait *waits;
    uint32_t n_waits, cap_waits;
    uint64_t earliest_ns;
    struct command_use *uses;
    uint32_t n_uses, cap_uses;
    bool moves_memory; /* brings the contents of what it uses to where they are needed itself */
    void *data;        /* of its kind */
    /* In the device's thread, with the simulation's lock; NULL = nothing is to be done. Says what
     * it kept busy, and for how long. */
    cl_int (*run)(struct icd_command *c);
    void (*drop)(struct icd_command *c); /* frees what data holds; NULL = nothing. With the lock */
    enum icd_engine engine;
    uint64_t cost_ns;
    struct strbuf message; /* of a failure */
};

/* All with the lock. */
void queue_release(struct _cl_command_queue *q);
/* A command of it runs, or can. */
bool queue_makes_progress(const struct _cl_command_queue *q);

/* Begins a command of a valid queue: checks the list of events. `data` has so many zeroed bytes. */
cl_int command_create(struct _cl_command_queue *q, cl_command_type type, cl_uint n_events,
                      const cl_event *events, size_t data_bytes, struct icd_command **out);
/* It reads or writes the object, which lives at least as long. */
void command_use(struct icd_command *c, struct _cl_mem *mem, bool writes);
/* Hands it to the device. With `is_blocking` it returns when the command is done, and says how it
 * went. `event` may be NULL. */
cl_int command_submit(struct icd_command *c, bool is_blocking, cl_event *event);
/* It will not be submitted. */
void command_cancel(struct icd_command *c);
/* Waits for all that came before: a barrier or marker. */
void command_wait_for_all(struct icd_command *c);

/* The thread of a device. */
void *worker_main(void *device);

/* Frees device memory of objects that are gone. Called where the program waits, so that addresses
 * depend on its calls alone. Without the lock. */
void devices_collect(void);

#endif
