/* Calls into the program: never while a lock is held. */
#ifndef HEDDLE_ICD_NOTIFY_H
#define HEDDLE_ICD_NOTIFY_H

#include "icd/object.h"

/* A function to be called when an object is destroyed, in the reverse order of registration. */
struct destructor {
    void(CL_CALLBACK *call)(void *object, void *user);
    void *user;
    struct destructor *next;
};
/* Needs the lock. */
void destructor_add(struct destructor **list, void(CL_CALLBACK *call)(void *, void *), void *user);

/* Needs the lock: the next icd_unlock() makes the calls, in the order given here. The object's
 * memory stays readable, like that of every object. */
void notify_destructors(struct destructor *list, void *object);
void notify_error(void(CL_CALLBACK *call)(const char *, const void *, size_t, void *), void *user,
                  const char *text);
/* Called in a separate thread, one after the other: a callback of an event may wait for others. */
void notify_event(void(CL_CALLBACK *call)(cl_event, cl_int, void *), cl_event event, cl_int status,
                  void *user);
/* Needs the lock: waits for the calls due now. Programs free what a callback uses, or read what it
 * wrote, once they have waited for the event. A callback that does not return, because it needs a
 * lock of the waiting thread, delays it by a second. */
void notify_settle(void);
/* Ends that thread after its pending calls. Call it without the lock. */
void notify_stop(void);

/* The last step of icd_unlock(). */
struct notification *notify_take(void);
void notify_make(struct notification *list);

#endif
