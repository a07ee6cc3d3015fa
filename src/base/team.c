/* Threads wait for two words: members without work wait for `round`, the caller for `left`. Each
 * wait first spins for a while, because the next round is usually microseconds away, then sleeps
 * on a futex. A member claims an item by decrementing a seat's count of open items. A claim reads
 * what the caller wrote before it opened the seats, and the caller writes nothing until all
 * claimed items are done. So a member that comes late, even in the middle of the next round, does
 * no harm. */
#include "base/team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"

enum { CACHE_LINE = 64, SPINS = 2000 };

/* Padding keeps words that different members write a cache line apart. */
struct seat {
    atomic_int open; /* items of this member that are not claimed; < 1 = none */
    struct team *team;
    uint32_t number;
    pthread_t thread;
    char padding[CACHE_LINE];
};

struct team {
    team_work *work;
    void *user;
    uint32_t n_seats;
    uint32_t spins;
    uint32_t patience; /* of the caller: polls before it does items that others have not begun */
    atomic_bool over;  /* the round that begins is the last one and has no work */
    char padding[CACHE_LINE];
    atomic_uint round; /* number of rounds begun */
    atomic_uint sleepers;
    char more_padding[CACHE_LINE];
    atomic_uint left; /* items not done yet */
    atomic_bool caller_sleeps;
    char yet_more_padding[CACHE_LINE];
    struct seat seats[];
};

static void futex_wait(atomic_uint *word, uint32_t seen)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake_all(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

static void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* A member does the items of a seat. Returns how many. */
static uint32_t do_items(struct team *t, uint32_t s, uint32_t as_member)
{
    struct seat *seat = &t->seats[s];
    uint32_t done = 0;
    while (atomic_load_explicit(&seat->open, memory_order_relaxed) > 0) {
        int open = atomic_fetch_sub_explicit(&seat->open, 1, memory_order_acquire);
        if (open < 1)
            break;
        t->work(t->user, s + (uint32_t)(open - 1) * t->n_seats, as_member);
        done++;
    }
    return done;
}

static void report_done(struct team *t, uint32_t done)
{
    if (done && atomic_fetch_sub(&t->left, done) == done && atomic_load(&t->caller_sleeps))
        futex_wake_all(&t->left);
}

/* Waits for a round after `seen`. Returns its number. */
static uint32_t await_round(struct team *t, uint32_t seen)
{
    for (uint32_t i = 0; i < t->spins; i++, relax())
        if (atomic_load_explicit(&t->round, memory_order_acquire) != seen)
            return atomic_load_explicit(&t->round, memory_order_acquire);
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->round) == seen)
        futex_wait(&t->round, seen);
    atomic_fetch_sub(&t->sleepers, 1);
    return atomic_load(&t->round);
}

static bool is_all_done(struct team *t, uint32_t spins)
{
    for (uint32_t i = 0; i < spins; i++, relax())
        if (atomic_load_explicit(&t->left, memory_order_acquire) == 0)
            return true;
    return false;
}

/* An item that changes hands moves its data from one core's cache to another's and back, which
 * costs more than most items do. So the caller waits before it does other members' items, as long
 * as that wait has usually been enough. A member that the host does not run makes the caller less
 * patient. */
static void help(struct team *t)
{
    uint32_t done = 0;
    for (uint32_t s = 1; s < t->n_seats; s++)
        done += do_items(t, s, 0);
    report_done(t, done);
    t->patience = done ? t->patience / 2 : t->spins;
}

static void await_all_done(struct team *t)
{
    if (is_all_done(t, t->patience)) {
        t->patience = t->patience < t->spins / 2 ? t->patience + 1 : t->spins;
        return;
    }
    help(t);
    if (is_all_done(t, t->spins))
        return;
    atomic_store(&t->caller_sleeps, true);
    for (uint32_t left; (left = atomic_load(&t->left)) != 0;)
        futex_wait(&t->left, left);
    atomic_store(&t->caller_sleeps, false);
}

static void *member(void *arg)
{
    struct seat *seat = arg;
    struct team *t = seat->team;
    for (uint32_t seen = 0;;) {
        seen = await_round(t, seen);
        if (t->over)
            return NULL;
        report_done(t, do_items(t, seat->number, seat->number));
    }
}

/* Spinning occupies a core: with fewer cores than members, it would keep other members from
 * working. */
static uint32_t spins_for(uint32_t n_members)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && (uint32_t)CPU_COUNT(&cpus) < n_members)
        return 0;
    return SPINS;
}

/* Members block all signals; the caller handles them. */
static bool start_member(struct seat *seat)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&seat->thread, NULL, member, seat) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct team *team_create(uint32_t n_members)
{
    struct team *t = xcalloc(1, sizeof *t + n_members * sizeof t->seats[0]);
    t->n_seats = n_members;
    t->spins = t->patience = spins_for(n_members);
    for (uint32_t i = 0; i < n_members; i++) {
        t->seats[i].team = t;
        t->seats[i].number = i;
    }
    for (uint32_t i = 1; i < n_members; i++)
        if (!start_member(&t->seats[i])) {
            t->n_seats = i;
            break;
        }
    return t;
}

uint32_t team_size(const struct team *t)
{
    return t->n_seats;
}

static void begin_round(struct team *t)
{
    atomic_fetch_add(&t->round, 1);
    if (atomic_load(&t->sleepers))
        futex_wake_all(&t->round);
}

void team_destroy(struct team *t)
{
    if (!t)
        return;
    atomic_store(&t->over, true);
    begin_round(t);
    for (uint32_t i = 1; i < t->n_seats; i++)
        pthread_join(t->seats[i].thread, NULL);
    free(t);
}

/* Items s, s + n_seats, s + 2 * n_seats, ... below n_items. */
static int items_of_seat(const struct team *t, uint32_t s, uint32_t n_items)
{
    return s < n_items ? (int)((n_items - 1 - s) / t->n_seats + 1) : 0;
}

void team_run(struct team *t, uint32_t n_items, team_work *work, void *user)
{
    t->work = work;
    t->user = user;
    atomic_store_explicit(&t->left, n_items, memory_order_relaxed);
    for (uint32_t s = 0; s < t->n_seats; s++)
        atomic_store_explicit(&t->seats[s].open, items_of_seat(t, s, n_items),
                              memory_order_release);
    begin_round(t);
    report_done(t, do_items(t, 0, 0));
    await_all_done(t);
}
