#include "determinism/observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static uint32_t n_settings(const struct testbed *bed)
{
    uint32_t n = 0;
    while (bed->settings[n])
        n++;
    return n;
}

static void collect_text(void *user, const char *text, size_t len)
{
    strbuf_add_n(user, text, len);
}

static struct heddle_options options_of(const struct testbed *bed, const struct manner *how,
                                        uint64_t max_cycles, struct strbuf *printed)
{
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = bed->gpu,
                               .host_isa = how->host_isa,
                               .timing = true,
                               .every_cycle = how->every_cycle,
                               .quantum = how->quantum,
                               .threads = how->threads,
                               .no_fast_paths = how->no_fast_paths,
                               .max_cycles = max_cycles,
                               .settings = bed->settings,
                               .n_settings = n_settings(bed),
                               .attribute = how->attribute,
                               .print = collect_text,
                               .print_user = printed};
    return o;
}

static enum heddle_status create(const struct testbed *bed, const struct manner *how,
                                 uint64_t max_cycles, struct strbuf *printed,
                                 struct heddle_sim **sim)
{
    struct heddle_options o = options_of(bed, how, max_cycles, printed);
    return heddle_create(&o, sim);
}

/* --- recording --- */

static bool write_to(void *file, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, file) == bytes;
}

/* A path of NULL records nothing. */
static enum heddle_status begin_record(struct heddle_sim *sim, const char *path, FILE **file)
{
    *file = path ? fopen(path, "wb") : NULL;
    return *file ? heddle_record(sim, NULL, write_to, *file) : HEDDLE_OK;
}

static enum heddle_status end_record(struct heddle_sim *sim, FILE *file, enum heddle_status status)
{
    if (!file)
        return status;
    if (status == HEDDLE_OK)
        status = heddle_record_end(sim);
    return fclose(file) == 0 ? status : HEDDLE_ENVIRONMENT;
}

static void add_statistics(const struct heddle_sim *sim, struct strbuf *out)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_stat_at(sim, i);
        if (strncmp(s.name, "host.", 5) == 0)
            continue;
        if (s.is_real)
            strbuf_addf(out, "%s = %a\n", s.name, s.real);
        else
            strbuf_addf(out, "%s = %" PRIu64 "\n", s.name, s.count);
    }
}

static void add_outcome(enum heddle_status status, const char *error, const char *hash,
                        const struct strbuf *printed, struct strbuf *out)
{
    strbuf_addf(out, "status %d\n%s", (int)status, error);
    if (status != HEDDLE_OK)
        return;
    strbuf_addf(out, "output %s\nprinted <%s>\n", hash, strbuf_text(printed));
}

enum heddle_status observe_workload(const struct workload *w, const struct testbed *bed,
                                    const struct manner *how, struct strbuf *out)
{
    return record_workload(w, bed, how, NULL, out);
}

enum heddle_status record_workload(const struct workload *w, const struct testbed *bed,
                                   const struct manner *how, const char *path, struct strbuf *out)
{
    struct heddle_sim *sim = NULL;
    struct strbuf printed = {0};
    struct workload_result result = {0};
    enum heddle_status status = create(bed, how, 0, &printed, &sim);
    if (status == HEDDLE_OK) {
        struct device *d = device_create_heddle(sim);
        FILE *file;
        begin_record(sim, path, &file);
        workload_run(w, workload_find_size(w, "tiny"), WORKLOAD_DEFAULT_SEED, d, &result);
        status = end_record(sim, file, result.status);
        char hash[20];
        snprintf(hash, sizeof hash, "%016" PRIx64, result.output_hash);
        add_outcome(status, strbuf_text(&result.message), hash, &printed, out);
        if (status == HEDDLE_OK)
            add_statistics(sim, out);
        device_destroy(d);
    } else {
        add_outcome(status, heddle_error(sim), "", &printed, out);
    }
    workload_result_destroy(&result);
    strbuf_destroy(&printed);
    heddle_destroy(sim);
    return status;
}

/* --- kernels --- */

enum { MAX_BUFFERS = 8 };

struct kernel_run {
    const struct kernel_case *k;
    struct heddle_sim *sim;
    uint64_t address[MAX_BUFFERS];
};

static enum heddle_status prepare(struct kernel_run *r)
{
    enum heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; s == HEDDLE_OK && i < r->k->n_buffers; i++) {
        const struct kernel_buffer *b = &r->k->buffers[i];
        s = heddle_alloc(r->sim, b->bytes, "buffer", &r->address[i]);
        if (s == HEDDLE_OK && b->data)
            s = heddle_write(r->sim, r->address[i], b->data, b->bytes);
    }
    return s;
}

static enum heddle_status launch_all(struct kernel_run *r)
{
    const struct kernel_case *k = r->k;
    struct heddle_module *module = NULL;
    struct heddle_arg args[MAX_BUFFERS];
    enum heddle_status s =
        heddle_load(r->sim, HEDDLE_PTX, k->name, k->ptx, strlen(k->ptx), NULL, &module);
    for (uint32_t i = 0; i < k->n_buffers; i++)
        args[i] = (struct heddle_arg){.data = &r->address[i], .bytes = 8};
    for (uint32_t i = 0; s == HEDDLE_OK && i < k->n_launches; i++) {
        const struct kernel_launch *l = &k->launches[i];
        struct heddle_launch launch = {
            .grid = {l->grid}, .block = {l->block}, .args = args, .n_args = k->n_buffers};
        s = heddle_launch(r->sim, module, l->kernel, &launch);
    }
    return s == HEDDLE_OK ? heddle_finish(r->sim) : s;
}

/* Appends the bytes as they are; a strbuf may hold any. */
static enum heddle_status read_back(struct kernel_run *r, struct strbuf *contents)
{
    enum heddle_status s = HEDDLE_OK;
    for (uint32_t i = 0; s == HEDDLE_OK && i < r->k->n_buffers; i++) {
        const struct kernel_buffer *b = &r->k->buffers[i];
        if (!b->read_back)
            continue;
        char *copy = malloc(b->bytes);
        s = heddle_read(r->sim, r->address[i], copy, b->bytes);
        strbuf_add_n(contents, copy, b->bytes);
        free(copy);
    }
    return s;
}

static enum heddle_status run(struct kernel_run *r, struct strbuf *contents)
{
    enum heddle_status s = prepare(r);
    if (s == HEDDLE_OK)
        s = launch_all(r);
    return s == HEDDLE_OK ? read_back(r, contents) : s;
}

enum heddle_status run_kernel_case(const struct kernel_case *k, const struct testbed *bed,
                                   const struct manner *how, struct strbuf *contents,
                                   struct strbuf *error)
{
    struct strbuf printed = {0};
    struct kernel_run r = {.k = k};
    enum heddle_status s = create(bed, how, k->max_cycles, &printed, &r.sim);
    if (s == HEDDLE_OK)
        s = run(&r, contents);
    strbuf_add(error, heddle_error(r.sim));
    heddle_destroy(r.sim);
    strbuf_destroy(&printed);
    return s;
}

enum heddle_status observe_kernel(const struct kernel_case *k, const struct testbed *bed,
                                  const struct manner *how, struct strbuf *out)
{
    return record_kernel(k, bed, how, NULL, out);
}

enum heddle_status record_kernel(const struct kernel_case *k, const struct testbed *bed,
                                 const struct manner *how, const char *path, struct strbuf *out)
{
    struct strbuf printed = {0}, contents = {0};
    struct kernel_run r = {.k = k};
    enum heddle_status s = create(bed, how, k->max_cycles, &printed, &r.sim);
    FILE *file = NULL;
    if (s == HEDDLE_OK)
        s = begin_record(r.sim, path, &file);
    if (s == HEDDLE_OK)
        s = run(&r, &contents);
    s = end_record(r.sim, file, s);
    char hash[HASH_TEXT_BYTES];
    hash_of(strbuf_text(&contents), contents.len, hash);
    add_outcome(s, heddle_error(r.sim), hash, &printed, out);
    /* A limit cuts off all parts of the machine at the same time, a fault does not. */
    bool is_cut = s != HEDDLE_OK && strstr(heddle_error(r.sim), "--max-cycles");
    if (is_cut)
        strbuf_add(out, heddle_warnings(r.sim));
    if (s == HEDDLE_OK || is_cut)
        add_statistics(r.sim, out);
    heddle_destroy(r.sim);
    strbuf_destroy(&printed);
    strbuf_destroy(&contents);
    return s;
}

static bool is_before(void *cycle, const struct heddle_progress *p)
{
    return p->cycles < *(uint64_t *)cycle;
}

enum heddle_status observe_stopped(const struct kernel_case *k, uint64_t cycle,
                                   const struct testbed *bed, const struct manner *how,
                                   struct strbuf *out)
{
    struct strbuf printed = {0};
    struct kernel_run r = {.k = k};
    struct heddle_options o = options_of(bed, how, k->max_cycles, &printed);
    o.progress = is_before;
    o.progress_user = &cycle;
    enum heddle_status s = heddle_create(&o, &r.sim);
    if (s == HEDDLE_OK)
        s = run(&r, out); /* nothing is read back */
    strbuf_addf(out, "status %d\n", (int)s);
    if (s == HEDDLE_STOPPED)
        add_statistics(r.sim, out);
    heddle_destroy(r.sim);
    strbuf_destroy(&printed);
    return s;
}

enum heddle_status observe_functional(const struct kernel_case *k, struct strbuf *out)
{
    struct strbuf printed = {0}, contents = {0};
    struct kernel_run r = {.k = k};
    struct heddle_options o = {
        .struct_size = sizeof o, .print = collect_text, .print_user = &printed};
    enum heddle_status s = heddle_create(&o, &r.sim);
    if (s == HEDDLE_OK)
        s = run(&r, &contents);
    char hash[HASH_TEXT_BYTES];
    hash_of(strbuf_text(&contents), contents.len, hash);
    add_outcome(s, heddle_error(r.sim), hash, &printed, out);
    heddle_destroy(r.sim);
    strbuf_destroy(&printed);
    strbuf_destroy(&contents);
    return s;
}

/* --- replaying --- */

enum heddle_status observe_replay(const char *path, bool force, const struct testbed *bed,
                                  const struct manner *how, struct strbuf *out)
{
    struct strbuf printed = {0};
    struct heddle_sim *sim = NULL;
    enum heddle_status s = create(bed, how, 0, &printed, &sim);
    if (s == HEDDLE_OK)
        s = heddle_replay(sim, path, force);
    if (s == HEDDLE_OK) {
        strbuf_addf(out, "printed <%s>\n", strbuf_text(&printed));
        add_statistics(sim, out);
    } else {
        strbuf_add(out, heddle_error(sim));
    }
    heddle_destroy(sim);
    strbuf_destroy(&printed);
    return s;
}

void keep_what_replays(struct strbuf *observation)
{
    const char *begin = strstr(strbuf_text(observation), "printed <");
    if (!begin)
        return;
    size_t n = observation->len - (size_t)(begin - observation->text);
    memmove(observation->text, begin, n + 1);
    observation->len = n;
}

/* --- comparing --- */

/* A line of statistics that an observation without attribution does not have. */
static bool is_extra(const char *line, const struct strbuf *other)
{
    static const char name[] = "attribution.";
    return strncmp(line, name, sizeof name - 1) == 0 && !strstr(strbuf_text(other), name);
}

static const char *skip_extra(const char *line, const struct strbuf *other)
{
    while (is_extra(line, other))
        line += strcspn(line, "\n") + 1;
    return line;
}

bool observations_agree(const struct strbuf *a, const struct strbuf *b, struct strbuf *why)
{
    const char *x = strbuf_text(a), *y = strbuf_text(b);
    uint32_t shown = 0;
    while (shown < 10 && (*(x = skip_extra(x, b)) | *(y = skip_extra(y, a)))) {
        int n = (int)strcspn(x, "\n"), m = (int)strcspn(y, "\n");
        if (n != m || memcmp(x, y, (size_t)n) != 0) {
            strbuf_addf(why, "    %.*s   but   %.*s\n", n, x, m, y);
            shown++;
        }
        x += n + (x[n] != 0);
        y += m + (y[m] != 0);
    }
    return shown == 0;
}

void describe_testbed(const struct testbed *bed, struct strbuf *out)
{
    strbuf_add(out, bed->gpu ? bed->gpu : "default GPU");
    for (uint32_t i = 0; bed->settings[i]; i++)
        strbuf_addf(out, " --set %s", bed->settings[i]);
}
