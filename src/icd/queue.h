/* Queues, and the commands in them.
 *
 * A command waits for the events of its list and for what its queue's order requires. The thread of
 * the device runs the first command whose dependencies are met, in the order of submission. So
 * results and simulated times depend only on the order of the program's calls. */
#ifndef HEDDLE_ICD_QUEUE_H
#define HEDDLE_ICD_QUEUE_H

#include "icd/event.h"

struct _cl_mem;

struct _cl_command_queue {
    struct icd_object base;
    struct _cl_context *context;
    struct _cl_device_id *device;
    cl_command_queue_properties properties;
    cl_queue_properties *given; /* list of clCreateCommandQueueWithProperties(), including its 0 */
    size_t n_given;
    struct _cl_event *last;    /* in-order queue: the last command, while it is not done */
    struct _cl_event *barrier; /* out-of-order queue: the last barrier, while it is not done */
    uint64_t end_ns;           /* of all finished commands */
    uint64_t barrier_ns;       /* end of the last finished barrier */
    uint32_t n_commands;       /* not done */
    cl_int error;              /* of a failed command, until the program has received it */
};

struct command_wait {
    struct _cl_event *event;
    bool is_listed; /* by the program: if it fails, the command fails */
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
    bool moves_memory; /* run() itself updates the copies of the memory it uses */
    void *data;        /* depends on the command */
    /* Called in the device's thread with the simulation's lock; NULL = nothing to do. Sets the
     * engine it occupied, and for how long. */
    cl_int (*run)(struct icd_command *c);
    void (*drop)(struct icd_command *c); /* frees what data holds; NULL = nothing. Called with the
                                          * lock */
    enum icd_engine engine;
    uint64_t cost_ns;
    struct strbuf message; /* of a failure */
    bool is_fault;         /* the kernel failed, not the device */
};

/* All need the lock. */
void queue_release(struct _cl_command_queue *q);
/* One of its commands runs, or can run. */
bool queue_makes_progress(const struct _cl_command_queue *q);

/* Begins a command of a valid queue: checks the event list. `data` has that many zeroed bytes. */
cl_int command_create(struct _cl_command_queue *q, cl_command_type type, cl_uint n_events,
                      const cl_event *events, size_t data_bytes, struct icd_command **out);
/* The command reads or writes the object and keeps it alive. */
void command_use(struct icd_command *c, struct _cl_mem *mem, bool writes);
/* Submits the command. With `is_blocking` it returns when the command is done, with its status.
 * `event` may be NULL. */
cl_int command_submit(struct icd_command *c, bool is_blocking, cl_event *event);
/* Discards a command that is not submitted. */
void command_cancel(struct icd_command *c);
/* Waits for all earlier commands: a barrier or marker. */
void command_wait_for_all(struct icd_command *c);

/* The thread of a device. */
void *worker_main(void *device);

/* Frees device memory of destroyed objects. Called where the program waits, so that addresses
 * depend only on its calls. Call it without the lock. */
void devices_collect(void);

#endif
