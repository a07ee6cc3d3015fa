/* Recordings of L1D that tests make, damage and read. */
#ifndef HEDDLE_TEST_L1D_RECORDING_H
#define HEDDLE_TEST_L1D_RECORDING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/l1d_stream.h"
#include "gpu/sim.h"

/* Loads with reuse, stores and atomics, over more lines than L1D has; lines that are stored to, or
 * counted in, while they come; local memory; loads that bypass; fewer lanes at times. */
static const char recorded_kernel[] =
    "__kernel void mix(__global int *x, __global int *y, __global int *n) {\n"
    "    int i = get_global_id(0), sum = 0, own[8];\n"
    "    for (int k = 0; k < 6; k++) {\n"
    "        int at = (i * 37 + k * 911) & 16383;\n"
    "        sum += own[(i + k) & 7] = x[at] * x[at ^ 16];\n"
    "        for (int j = 0; j < (i ^ k) % 5; j++)\n"
    "            sum = sum * 5 + (sum >> j);\n"
    "    }\n"
    "    sum += own[sum & 7 ? i & 1 : 2] + n[i & 63] + y[i ^ 64];\n"
    "    atomic_add(&n[i & 63], sum);\n"
    "    y[i] = sum + ((volatile __global int *)x)[i & 255];\n"
    "}\n";

struct memory_file {
    uint8_t *bytes;
    size_t n, cap;
};

static inline bool add_bytes(void *user, const void *data, size_t bytes)
{
    struct memory_file *f = user;
    ARRAY_RESERVE(f->bytes, f->cap, f->n + bytes);
    memcpy(f->bytes + f->n, data, bytes);
    f->n += bytes;
    return true;
}

enum { N_SETTINGS = 6 };

/* Two launches with all settings before the first NULL; `watch`, if there is one, is called before.
 */
static inline struct heddle_sim *record_watched(const char *const settings[N_SETTINGS],
                                                struct memory_file *file,
                                                void (*watch)(struct heddle_sim *sim, void *user),
                                                void *user)
{
    struct heddle_options o = {.struct_size = sizeof o, .timing = true, .settings = settings};
    while (o.n_settings < N_SETTINGS && settings[o.n_settings])
        o.n_settings++;
    struct heddle_sim *sim;
    struct heddle_module *module;
    uint64_t x, y, n;
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    if (watch)
        watch(sim, user);
    struct l1d_recorder *r =
        l1d_recorder_create(sim->machine, false, (struct sink){add_bytes, file});
    assert_int_equal(heddle_load(sim, HEDDLE_OPENCL_C, "mix.cl", recorded_kernel,
                                 sizeof recorded_kernel - 1, NULL, &module),
                     HEDDLE_OK);
    heddle_alloc(sim, 65536, "x", &x);
    heddle_alloc(sim, 65536, "y", &y);
    heddle_alloc(sim, 256, "n", &n);
    const struct heddle_arg args[] = {{&x, 8, false}, {&y, 8, false}, {&n, 8, false}};
    const struct heddle_launch launch = {.grid = {32}, .block = {256}, .args = args, .n_args = 3};
    for (int i = 0; i < 2; i++)
        if (heddle_launch(sim, module, "mix", &launch) != HEDDLE_OK)
            fail_msg("%s", heddle_error(sim));
    assert_true(l1d_recorder_finish(r));
    l1d_recorder_destroy(r);
    return sim;
}

static inline struct heddle_sim *record(const char *policy, struct memory_file *file)
{
    return record_watched((const char *const[N_SETTINGS]){policy, "n_sms=3"}, file, NULL, NULL);
}

/* The path of a file with those bytes; the test is over before another one needs it. */
static const char *on_disk(const uint8_t *bytes, size_t n)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/heddle-l1d-%ld", (long)getpid());
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

struct counts {
    uint64_t by_outcome[N_L1D_KINDS][N_L1D_OUTCOMES];
    uint64_t all, thread_insts;
};

static inline void add_event(struct counts *c, const struct l1d_event *e,
                             const struct l1d_header *h, uint64_t *last_cycle)
{
    assert_true(e->sm < h->n_sms);
    c->thread_insts += (uint64_t)e->n_issues * e->n_lanes;
    if (e->kind == L1D_INSTS) /* tells no cycle */
        return;
    assert_true(e->cycle >= last_cycle[e->sm]);
    assert_int_equal(e->line % h->l1d.line_bytes, 0);
    if (e->kind == L1D_LOAD || e->kind == L1D_STORE || e->kind == L1D_ATOMIC) {
        assert_true(e->address >= e->line && e->address < e->line + h->l1d.line_bytes);
        assert_true(e->launch < 2 && e->thread < 32 * 256);
    }
    last_cycle[e->sm] = e->cycle;
    c->by_outcome[e->kind][e->outcome]++;
    c->all++;
}

/* How reading ends; what was read is in `c`, the reason of a failure in `why`. */
static inline enum l1d_read read_all(const char *path, struct counts *c, struct strbuf *why)
{
    uint64_t last_cycle[3] = {0};
    struct l1d_event e;
    enum l1d_read read;
    memset(c, 0, sizeof *c);
    struct l1d_reader *r = l1d_reader_open(path, why);
    if (!r)
        return L1D_READ_BAD;
    const struct l1d_header *h = l1d_reader_header(r);
    assert_int_equal(h->n_sms, 3);
    while ((read = l1d_reader_next(r, &e, why)) == L1D_READ_EVENT)
        add_event(c, &e, h, last_cycle);
    l1d_reader_close(r);
    return read;
}

#endif
