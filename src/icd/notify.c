#include "icd/notify.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/event.h"

struct notification {
    void(CL_CALLBACK *destructor)(void *, void *);
    void(CL_CALLBACK *error)(const char *, const void *, size_t, void *);
    void(CL_CALLBACK *event)(cl_event, cl_int, void *);
    void *object, *user;
    char *text;
    cl_int status;
    struct notification *next;
};

struct list {
    struct notification *first, *last;
};

static struct list deferred, events;
static pthread_t thread;
static bool thread_runs, stop;
static uint64_t n_due, n_made; /* calls of events, ever */

static struct notification *append(struct list *l, struct notification n)
{
    struct notification *copy = xcalloc(1, sizeof *copy);
    *copy = n;
    if (l->last)
        l->last->next = copy;
    else
        l->first = copy;
    l->last = copy;
    return copy;
}

void destructor_add(struct destructor **list, void(CL_CALLBACK *call)(void *, void *), void *user)
{
    struct destructor *d = xcalloc(1, sizeof *d);
    *d = (struct destructor){.call = call, .user = user, .next = *list};
    *list = d;
}

void notify_destructors(struct destructor *list, void *object)
{
    for (struct destructor *d = list, *next; d; d = next) {
        next = d->next;
        append(&deferred,
               (struct notification){.destructor = d->call, .object = object, .user = d->user});
        free(d);
    }
}

void notify_error(void(CL_CALLBACK *call)(const char *, const void *, size_t, void *), void *user,
                  const char *text)
{
    append(&deferred, (struct notification){.error = call, .user = user, .text = strdup(text)});
}

struct notification *notify_take(void)
{
    struct notification *list = deferred.first;
    deferred = (struct list){0};
    return list;
}

static void make_one(struct notification *n)
{
    if (n->destructor)
        n->destructor(n->object, n->user);
    else if (n->error)
        n->error(n->text, NULL, 0, n->user);
    else
        n->event(n->object, n->status, n->user);
    free(n->text);
}

void notify_make(struct notification *list)
{
    for (struct notification *n = list, *next; n; n = next) {
        next = n->next;
        make_one(n);
        free(n);
    }
}

static void *run(void *nothing)
{
    icd_lock();
    while (!stop || events.first) {
        struct notification *n = events.first;
        if (!n) {
            icd_wait();
            continue;
        }
        events.first = n->next;
        if (!events.first)
            events.last = NULL;
        icd_unlock();
        make_one(n);
        icd_lock();
        n_made++;
        icd_changed();
        event_release(n->object);
        free(n);
    }
    icd_unlock();
    return nothing;
}

void notify_event(void(CL_CALLBACK *call)(cl_event, cl_int, void *), cl_event event, cl_int status,
                  void *user)
{
    if (!thread_runs && !stop)
        thread_runs = pthread_create(&thread, NULL, run, NULL) == 0;
    if (!thread_runs)
        return;
    object_retain(event);
    n_due++;
    append(&events,
           (struct notification){.event = call, .object = event, .status = status, .user = user});
    icd_changed();
}

void notify_settle(void)
{
    enum { PATIENCE_S = 1 };
    if (!thread_runs || pthread_equal(pthread_self(), thread))
        return;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    uint64_t due = n_due;
    while (n_made < due && icd_wait_until(&until))
        ;
}

void notify_stop(void)
{
    icd_lock();
    bool join = thread_runs;
    stop = true;
    thread_runs = false;
    icd_changed();
    icd_unlock();
    if (join)
        pthread_join(thread, NULL);
}
