/* Calls into the program: never with a lock held. */
#ifndef HEDDLE_ICD_NOTIFY_H
#define HEDDLE_ICD_NOTIFY_H

#include "icd/object.h"

/* A function to be called when an object goes, in the reverse order of registration. */
struct destructor {
    void(CL_CALLBACK *call)(void *object, void *user);
    void *user;
    struct destructor *next;
};
/* With the lock. */
void destructor_add(struct destructor **list, void(CL_CALLBACK *call)(void *, void *), void *user);

/* With the lock: the calls are made by whoever releases the lock next, in the order given here. The
 * object's memory stays readable, as that of every object does. */
void notify_destructors(struct destructor *list, void *object);
void notify_error(void(CL_CALLBACK *call)(const char *, const void *, size_t, void *), void *user,
                  const char *text);
/* Made in a thread of their own, one after the other: a callback of an event may wait for others.
 */
void notify_event(void(CL_CALLBACK *call)(cl_event, cl_int, void *), cl_event event, cl_int status,
                  void *user);
/* With the lock: waits for the calls due now. Programs free what a callback uses, or read what it
 * wrote, once they have waited for the event. A callback that does not return, because it wants a
 * lock that the waiting thread has, holds it up for a second. */
void notify_settle(void);
/* Ends that thread when it has made the calls it knows of. Without the lock. */
void notify_stop(void);

/* What icd_unlock() does last. */
struct notification *notify_take(void);
void notify_make(struct notification *list);

#endif
