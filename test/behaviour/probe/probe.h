/* A simulated GPU to be measured from inside: small PTX kernels of probes.ptx, their clocks and the
 * machine's statistics. What a measurement should be is computed in the tests from the configured
 * stages, not taken from an earlier run. */
#ifndef HEDDLE_TEST_PROBE_H
#define HEDDLE_TEST_PROBE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sim.h"

struct probe {
    struct heddle_sim *sim;
    struct heddle_module *module;
    const struct machine_config *config;
};

/* The settings end with NULL; none = NULL. Launches are cut off after `max_cycles`; 0 = never. */
static inline struct heddle_sim *probe_create(const char *gpu, const char *const *settings,
                                              uint64_t max_cycles)
{
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = gpu,
                               .timing = true,
                               .settings = settings,
                               .max_cycles = max_cycles};
    while (settings && settings[o.n_settings])
        o.n_settings++;
    struct heddle_sim *sim;
    if (heddle_create(&o, &sim) != HEDDLE_OK)
        fail_msg("%s", heddle_error(sim));
    return sim;
}

static inline struct probe probe_open_text(const char *gpu, const char *const *settings,
                                           const char *text)
{
    struct probe p = {.sim = probe_create(gpu, settings, 0)};
    if (heddle_load(p.sim, HEDDLE_PTX, "probe", text, strlen(text), NULL, &p.module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p.sim));
    p.config = p.sim->config;
    return p;
}

static inline struct probe probe_open_for(const char *gpu, const char *const *settings,
                                          uint64_t max_cycles)
{
    struct probe p = {.sim = probe_create(gpu, settings, max_cycles)};
    const char *path = HEDDLE_SOURCE_DIR "/test/behaviour/probe/probes.ptx";
    if (heddle_load_file(p.sim, path, NULL, &p.module) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p.sim));
    p.config = p.sim->config;
    return p;
}

static inline struct probe probe_open(const char *gpu, const char *const *settings)
{
    return probe_open_for(gpu, settings, 0);
}

static inline void probe_close(struct probe *p)
{
    heddle_destroy(p->sim);
}

/* A buffer whose address is a multiple of `alignment`. */
static inline uint64_t probe_alloc(struct probe *p, uint64_t bytes, uint64_t alignment)
{
    uint64_t address;
    assert_int_equal(heddle_alloc(p->sim, bytes + alignment, "probe", &address), HEDDLE_OK);
    return (address + alignment - 1) / alignment * alignment;
}

enum { PROBE_MAX_ARGS = 6 };

/* Arguments are 64 bits wide each. */
static inline enum heddle_status probe_start(struct probe *p, const char *kernel, uint32_t n_ctas,
                                             uint32_t n_threads, uint32_t n_args,
                                             const uint64_t *args)
{
    struct heddle_arg a[PROBE_MAX_ARGS];
    for (uint32_t i = 0; i < n_args; i++)
        a[i] = (struct heddle_arg){&args[i], sizeof args[i], false};
    struct heddle_launch l = {.grid = {n_ctas}, .block = {n_threads}, .args = a, .n_args = n_args};
    return heddle_launch(p->sim, p->module, kernel, &l);
}

static inline void probe_launch(struct probe *p, const char *kernel, uint32_t n_ctas,
                                uint32_t n_threads, uint32_t n_args, const uint64_t *args)
{
    if (probe_start(p, kernel, n_ctas, n_threads, n_args, args) != HEDDLE_OK)
        fail_msg("%s", heddle_error(p->sim));
}

#define PROBE_LAUNCH(p, kernel, n_ctas, n_threads, ...)                                            \
    probe_launch(p, kernel, n_ctas, n_threads,                                                     \
                 sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

/* The launch does not end by itself. */
#define PROBE_CUT(p, kernel, n_ctas, n_threads, ...)                                               \
    assert_int_equal(probe_start(p, kernel, n_ctas, n_threads,                                     \
                                 sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),             \
                                 (uint64_t[]){__VA_ARGS__}),                                       \
                     HEDDLE_KERNEL_FAULT)

static inline uint64_t probe_count(const struct probe *p, const char *name)
{
    struct heddle_stat s;
    if (!heddle_stat_find(p->sim, name, &s))
        fail_msg("there is no statistic '%s'", name);
    return s.count;
}

static inline void probe_read(struct probe *p, uint64_t address, void *data, uint64_t bytes)
{
    assert_int_equal(heddle_read(p->sim, address, data, bytes), HEDDLE_OK);
}

/* --- what issued when on SM 0 --- */

enum { PROBE_MAX_ISSUES = 65536 };
struct issue_trace {
    struct sm_issue items[PROBE_MAX_ISSUES];
    uint32_t n;
};

static inline void probe_note_issue(void *user, const struct sm_issue *i)
{
    struct issue_trace *t = user;
    if (t->n < PROBE_MAX_ISSUES)
        t->items[t->n++] = *i;
}

static inline void probe_trace(struct probe *p, struct issue_trace *t)
{
    t->n = 0;
    machine_sm(p->sim->machine, 0)->issue.watcher = probe_note_issue;
    machine_sm(p->sim->machine, 0)->issue.watcher_user = t;
}

#endif
