#include "icd/object.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "icd/notify.h"

enum { QUARANTINE = 1024 /* dead objects of a kind before the oldest is reused */ };
#define MARK_LIVE 0x4844434cu
#define MARK_DEAD 0xdeadc1u

/* Dead objects of a kind, oldest first, linked through `reserved`. */
static struct graveyard {
    struct icd_object *first, *last;
    uint32_t n;
} graveyards[ICD_N_KINDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void icd_lock(void)
{
    pthread_mutex_lock(&lock);
}

void icd_unlock(void)
{
    struct notification *list = notify_take();
    pthread_mutex_unlock(&lock);
    notify_make(list);
}

void icd_wait(void)
{
    pthread_cond_wait(&changed, &lock);
}

bool icd_wait_until(const struct timespec *time)
{
    return pthread_cond_timedwait(&changed, &lock, time) == 0;
}

void icd_changed(void)
{
    pthread_cond_broadcast(&changed);
}

/* --- all addresses that have ever been objects ---
 *
 * The memory of an object is never unmapped, so a pointer found here may be dereferenced, whatever
 * a program has passed as an object. */
static struct registry {
    pthread_mutex_t lock;
    const void **places; /* open addressing; NULL = free */
    size_t n, cap;       /* a power of two */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The slot of the address, or the free one for it. */
static size_t find_place(const void *object)
{
    size_t at = ((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15u >> 20;
    while (registry.places[at &= registry.cap - 1] && registry.places[at] != object)
        at++;
    return at;
}

static void grow_registry(void)
{
    const void **old = registry.places;
    size_t n = registry.cap;
    registry.cap = n ? 2 * n : 1024;
    registry.places = xcalloc(registry.cap, sizeof *registry.places);
    for (size_t i = 0; i < n; i++)
        if (old[i])
            registry.places[find_place(old[i])] = old[i];
    free(old);
}

static void register_object(const void *object)
{
    pthread_mutex_lock(&registry.lock);
    if (2 * registry.n >= registry.cap)
        grow_registry();
    registry.places[find_place(object)] = object;
    registry.n++;
    pthread_mutex_unlock(&registry.lock);
}

static bool was_object(const void *object)
{
    pthread_mutex_lock(&registry.lock);
    bool found = object && registry.cap && registry.places[find_place(object)];
    pthread_mutex_unlock(&registry.lock);
    return found;
}

/* --- life --- */

static struct icd_object *take_grave(struct graveyard *g)
{
    struct icd_object *o = g->first;
    g->first = o->reserved;
    if (!g->first)
        g->last = NULL;
    g->n--;
    return o;
}

void *object_create(enum icd_kind kind, size_t bytes)
{
    struct graveyard *g = &graveyards[kind];
    bool is_new = g->n <= QUARANTINE;
    struct icd_object *o = is_new ? xcalloc(1, bytes) : take_grave(g);
    memset(o, 0, bytes);
    o->dispatch = &icd_dispatch;
    o->mark = MARK_LIVE + kind;
    o->users = o->refs = 1;
    if (is_new)
        register_object(o);
    return o;
}

bool object_is(const void *object, enum icd_kind kind)
{
    const struct icd_object *o = object;
    return was_object(o) && o->mark == MARK_LIVE + kind;
}

void object_retain(void *object)
{
    struct icd_object *o = object;
    o->refs++;
}

bool object_release(void *object)
{
    struct icd_object *o = object;
    return --o->refs == 0;
}

bool object_user_retain(void *object)
{
    struct icd_object *o = object;
    o->users++;
    o->refs++;
    return true;
}

bool object_user_release(void *object)
{
    struct icd_object *o = object;
    if (o->users == 0)
        return false;
    o->users--;
    return true;
}

void object_destroy(void *object, enum icd_kind kind)
{
    struct graveyard *g = &graveyards[kind];
    struct icd_object *o = object;
    o->mark = MARK_DEAD;
    o->reserved = NULL;
    if (g->last)
        g->last->reserved = o;
    else
        g->first = o;
    g->last = o;
    g->n++;
}

cl_int info_answer(const void *data, size_t bytes, size_t size, void *value, size_t *size_ret)
{
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value && bytes)
        memcpy(value, data, bytes);
    if (size_ret)
        *size_ret = bytes;
    return CL_SUCCESS;
}

cl_int info_text(const char *text, size_t size, void *value, size_t *size_ret)
{
    return info_answer(text, strlen(text) + 1, size, value, size_ret);
}
