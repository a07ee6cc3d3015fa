#include "icd/hetero_usage.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

enum { LINE_BYTES = 64 };

struct usage_meter {
    const struct hetero_native *natives;
    uint32_t n;
    uint64_t sample_us;
    int *counters; /* one per native program; NULL = misses cannot be counted */
    pthread_mutex_t lock;
    struct usage last; /* of the last whole period */
};

/* MODEL: a counted miss of the host's last-level cache moves one line of 64 bytes: write-backs and
 * prefetches are not counted. */
struct usage usage_from_counts(uint64_t misses, uint64_t ns)
{
    double seconds = (double)ns / 1e9;
    return (struct usage){.llc_misses = (double)misses / seconds,
                          .dram_bandwidth = (double)(misses * LINE_BYTES) / seconds / 1e9,
                          .source = "perf"};
}

static int open_counter(pid_t pid)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_HW_CACHE_MISSES,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool open_counters(struct usage_meter *m)
{
    m->counters = xcalloc(m->n + 1, sizeof *m->counters);
    bool ok = m->n > 0;
    for (uint32_t i = 0; ok && i < m->n; i++) {
        m->counters[i] = m->natives[i].pid ? open_counter((pid_t)m->natives[i].pid) : -1;
        ok = m->counters[i] >= 0;
        if (!ok)
            while (i-- > 0)
                close(m->counters[i]);
    }
    return ok;
}

static uint64_t read_misses(const struct usage_meter *m)
{
    uint64_t sum = 0, one;
    for (uint32_t i = 0; i < m->n; i++)
        if (read(m->counters[i], &one, sizeof one) == sizeof one)
            sum += one;
    return sum;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *sample(void *user)
{
    struct usage_meter *m = user;
    const struct timespec period = {.tv_sec = (time_t)(m->sample_us / 1000000),
                                    .tv_nsec = (long)(m->sample_us % 1000000) * 1000};
    uint64_t misses = read_misses(m), at = now_ns();
    for (;;) {
        nanosleep(&period, NULL);
        uint64_t next_misses = read_misses(m), next_at = now_ns();
        pthread_mutex_lock(&m->lock);
        m->last = usage_from_counts(next_misses - misses, next_at - at);
        pthread_mutex_unlock(&m->lock);
        misses = next_misses;
        at = next_at;
    }
    return NULL;
}

static struct usage stated(const struct usage_meter *m)
{
    struct usage u = {.source = m->n ? "stated" : "none"};
    for (uint32_t i = 0; i < m->n; i++) {
        u.llc_misses += m->natives[i].llc_misses;
        u.dram_bandwidth += m->natives[i].own.dram_gbps;
    }
    return u;
}

struct usage_meter *usage_meter_new(const struct hetero_native *natives, uint32_t n,
                                    uint64_t sample_us)
{
    struct usage_meter *m = xcalloc(1, sizeof *m);
    pthread_t thread;
    *m = (struct usage_meter){.natives = natives, .n = n, .sample_us = sample_us};
    m->last = stated(m); /* until a period has passed, and if nothing can be counted */
    pthread_mutex_init(&m->lock, NULL);
    if (open_counters(m) && pthread_create(&thread, NULL, sample, m) == 0)
        pthread_detach(thread);
    return m;
}

struct usage usage_now(struct usage_meter *m)
{
    pthread_mutex_lock(&m->lock);
    struct usage u = m->last;
    pthread_mutex_unlock(&m->lock);
    return u;
}
