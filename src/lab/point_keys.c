/* The keys of points: what a result depends on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/locality.h"
#include "base/file_status.h"
#include "config/gpu_files.h"
#include "cpu/programs.h"
#include "front/front.h"
#include "gpu/machine_config.h"
#include "lab/idle_mechanisms.h"
#include "lab/model.h"
#include "lab/point.h"

/* Hashed once and shared by several points. */
struct digest_entry {
    char *name;
    char digest[HASH_TEXT_BYTES]; /* "" = not available, which has been reported */
};

struct digests {
    struct digest_entry *items;
    uint32_t n, cap;
};

struct keys {
    const struct point_context *context;
    struct diag_list *diags;
    struct digests machines;          /* by GPU and all words */
    struct digests files;             /* plug-ins and files that parameters name, by path */
    struct digests cpu_programs;      /* their recordings */
    char (*kernels)[HASH_TEXT_BYTES]; /* by workload; "" = not compiled yet */
    bool failed_here;                 /* because of the environment */
};

/* The entry of that name. A new one has an empty digest. */
static struct digest_entry *digest_entry(struct digests *d, const char *name, bool *is_new)
{
    /* The points of one machine are usually consecutive. */
    *is_new = false;
    for (uint32_t i = d->n; i-- > 0;)
        if (strcmp(d->items[i].name, name) == 0)
            return &d->items[i];
    *is_new = true;
    ARRAY_RESERVE(d->items, d->cap, d->n + 1);
    d->items[d->n] = (struct digest_entry){.name = strdup(name)};
    return &d->items[d->n++];
}

static void destroy_digests(struct digests *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        free(d->items[i].name);
    free(d->items);
}

/* Every point whose machine has the error repeats it. */
static bool is_known_complaint(const struct diag_list *list, const struct diag *d, uint32_t line)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i].line == line && strcmp(list->items[i].message, d->message) == 0)
            return true;
    return false;
}

/* The position in the experiment's file that an error about a machine refers to. */
static const struct point_word *guilty_word(const struct point *p, const struct diag *d)
{
    static const char prefix[] = "--set ";
    const char *file = d->file ? d->file : "";
    if (strncmp(file, prefix, sizeof prefix - 1) == 0)
        for (uint32_t i = 0; i < p->n_words; i++)
            if (strcmp(p->words[i].text, file + sizeof prefix - 1) == 0)
                return &p->words[i];
    return d->line ? NULL : &p->gpu; /* a GPU's own file has its own lines */
}

static void pass_on(struct keys *k, const struct point *p, const struct diag_list *found)
{
    for (uint32_t i = 0; i < found->n; i++) {
        const struct diag *d = &found->items[i];
        const struct point_word *w = guilty_word(p, d);
        uint32_t line = w ? w->line : d->line, col = w ? w->col : d->col;
        if (d->severity != DIAG_ERROR || is_known_complaint(k->diags, d, line))
            continue;
        bool has_place = w && w->line && k->context->file;
        const char *file = has_place ? k->context->file
                           : d->file ? arena_strdup(&k->diags->arena, d->file)
                                     : NULL;
        const char *hint = d->hint ? arena_strdup(&k->diags->arena, d->hint) : NULL;
        struct diag *mine =
            diag_add(k->diags, DIAG_ERROR, file, has_place ? k->context->text : NULL, line, col,
                     hint, "%s", d->message);
        if (mine && !has_place && d->excerpt)
            mine->excerpt = arena_strdup(&k->diags->arena, d->excerpt);
    }
}

static bool names_a_file(const struct bound_param *b, const char *value)
{
    static const char ending[] = ".file";
    size_t n = strlen(b->name);
    return b->param->type == PARAM_TYPE_STRING && n >= sizeof ending - 1 && *value &&
           strcmp(b->name + n - (sizeof ending - 1), ending) == 0;
}

static void mark_file(void *user, const char *path)
{
    struct file_marks *marks = user;
    if (marks)
        file_marks_add(marks, path);
}

static void digest_file(struct keys *k, const char *what, const char *path,
                        char digest[HASH_TEXT_BYTES])
{
    struct strbuf content = {0};
    mark_file(k->context->files, path);
    int error = strbuf_read_file(&content, path);
    if (error) {
        diag_add(k->diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "%s: cannot read '%s': %s", what,
                 path, strerror(error));
        k->failed_here |= file_read_status(error) == HEDDLE_ENVIRONMENT;
    } else {
        hash_of(strbuf_text(&content), content.len, digest);
    }
    strbuf_destroy(&content);
}

/* Of its recording, which is made first if there is none. */
static void digest_cpu_program(struct keys *k, const char *name, char digest[HASH_TEXT_BYTES])
{
    struct strbuf path = {0}, why = {0};
    const struct cpu_watch nobody = {0};
    enum heddle_status s = cpu_program_trace(name, &nobody, &path, &why);
    if (s == HEDDLE_OK)
        digest_file(k, "cpu.programs", strbuf_text(&path), digest);
    else
        diag_add(k->diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "cpu.programs: %s",
                 strbuf_text(&why));
    k->failed_here |= s == HEDDLE_ENVIRONMENT;
    strbuf_destroy(&path);
    strbuf_destroy(&why);
}

/* Adds the content of a file, a plug-in or one that a parameter names: another oracle gives another
 * result. False if it cannot be read. */
static bool hash_file(struct keys *k, struct hash *h, const char *what, const char *path)
{
    bool is_new;
    struct digest_entry *e = digest_entry(&k->files, path, &is_new);
    if (is_new)
        digest_file(k, what, path, e->digest);
    hash_add_field(h, e->digest);
    return e->digest[0] != 0;
}

static bool hash_cpu_program(struct keys *k, struct hash *h, const char *name)
{
    if (cpu_is_bubble(name))
        return true;
    bool is_new;
    struct digest_entry *e = digest_entry(&k->cpu_programs, name, &is_new);
    if (is_new)
        digest_cpu_program(k, name, e->digest);
    hash_add_field(h, e->digest);
    return e->digest[0] != 0;
}

/* The mechanism's own source, or the plug-in that it comes from. */
static bool hash_mechanism(struct keys *k, struct hash *h, const char *kind,
                           const struct plugin *mechanism)
{
    const char *digest = model_part_digest(kind, mechanism->name);
    if (!digest)
        return hash_file(k, h, "plug-in", plugin_file(mechanism));
    hash_add_field(h, digest);
    return true;
}

static bool hash_machine(struct keys *k, const struct machine_config *c,
                         char digest[HASH_TEXT_BYTES])
{
    struct hash h;
    struct strbuf value = {0};
    bool ok = true;
    hash_init(&h);
    ok &= hash_mechanism(k, &h, "scheduler", &c->scheduler->plugin);
    ok &= hash_mechanism(k, &h, "cache policy", &c->l1d_policy->plugin);
    ok &= hash_mechanism(k, &h, "cache policy", &c->l2_policy->plugin);
    if (c->host_memory.is_separate)
        ok &= hash_mechanism(k, &h, "cache policy", &c->host_memory.llc_policy->plugin);
    ok &= hash_mechanism(k, &h, "criticality", &c->criticality->plugin);
    ok &= hash_mechanism(k, &h, "atomics", &c->atomics->plugin);
    for (uint32_t i = 0; i < c->gpu->params.n; i++) {
        const struct bound_param *b = &c->gpu->params.items[i];
        strbuf_clear(&value);
        param_print(b->param, b->values, &value);
        hash_add_field(&h, b->name);
        hash_add_field(&h, strbuf_text(&value));
        if (names_a_file(b, strbuf_text(&value)))
            ok &= hash_file(k, &h, b->name, strbuf_text(&value));
    }
    for (uint32_t i = 0; i < c->cpu_programs.n; i++)
        ok &= hash_cpu_program(k, &h, c->cpu_programs.names[i]);
    strbuf_destroy(&value);
    hash_finish(&h, digest);
    return ok;
}

/* The digest is "" if the machine cannot be built. */
static void load_machine(struct keys *k, const struct point *p, char digest[HASH_TEXT_BYTES])
{
    struct diag_list found = {0};
    const char **words = xcalloc(p->n_words + 1, sizeof *words);
    for (uint32_t i = 0; i < p->n_words; i++)
        words[i] = p->words[i].text;
    gpu_files_list(p->gpu.text, mark_file, k->context->files);
    struct machine_config *c = machine_config_load(p->gpu.text, words, p->n_words, &found);
    if (c)
        idle_mechanisms_check(c, &found);
    pass_on(k, p, &found);
    if (!c || found.n_errors || !hash_machine(k, c, digest))
        digest[0] = 0;
    machine_config_destroy(c);
    free(words);
    diag_list_destroy(&found);
}

static const char *machine_digest(struct keys *k, const struct point *p)
{
    struct strbuf name = {0};
    bool is_new;
    strbuf_add(&name, p->gpu.text);
    for (uint32_t i = 0; i < p->n_words; i++)
        strbuf_addf(&name, "\n%s", p->words[i].text);
    struct digest_entry *e = digest_entry(&k->machines, strbuf_text(&name), &is_new);
    if (is_new)
        load_machine(k, p, e->digest);
    strbuf_destroy(&name);
    return e->digest;
}

/* The kernel as it will run: its PTX, which depends on the compiler. For a program, its files. */
static const char *kernel_digest(struct keys *k, const struct point *p)
{
    const struct workload *w = p->workload;
    uint32_t at = 0;
    if (p->program)
        return p->program->digest;
    if (p->kernel)
        return p->kernel->digest;
    if (point_is_idle(p))
        return point_idle_gpu.name;
    while (workload_list[at] != w)
        at++;
    if (k->kernels[at][0])
        return k->kernels[at];
    struct strbuf ptx = {0}, error = {0}, name = {0};
    strbuf_addf(&name, "%s.cl", w->name);
    if (front_compile(FRONT_OPENCL_C, strbuf_text(&name), w->source, strlen(w->source),
                      w->build_options, &ptx, &error) == HEDDLE_OK) {
        hash_of(strbuf_text(&ptx), ptx.len, k->kernels[at]);
    } else {
        diag_add(k->diags, DIAG_ERROR, NULL, NULL, 0, 0, NULL, "%s", strbuf_text(&error));
        k->failed_here = true;
    }
    strbuf_destroy(&ptx);
    strbuf_destroy(&error);
    strbuf_destroy(&name);
    return k->kernels[at];
}

static void hash_number(struct hash *h, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    hash_add_field(h, text);
}

/* The workload, its kernel and its input, under this model. */
static void make_input_key(struct point *p, const char *kernel)
{
    struct hash h;
    hash_init(&h);
    hash_add_field(&h, model_engine_version());
    hash_add_field(&h, p->workload->name);
    hash_add_field(&h, p->program || p->kernel || point_is_idle(p)
                           ? ""
                           : model_part_digest("workload", p->workload->name));
    hash_add_field(&h, kernel);
    hash_add_field(&h, p->size->name);
    for (int i = 0; i < WORKLOAD_PARAMS; i++)
        hash_number(&h, (uint64_t)p->size->p[i]);
    hash_number(&h, p->seed);
    hash_finish(&h, p->input);
}

static void hash_point(const struct keys *k, const struct point *p, const char *machine,
                       uint64_t max_cycles, char key[HASH_TEXT_BYTES])
{
    struct hash h;
    hash_init(&h);
    hash_add_field(&h, "heddle result 2");
    hash_add_field(&h, p->input);
    hash_add_field(&h, machine);
    hash_number(&h, max_cycles);
    if (k->context->measures) {
        hash_number(&h, k->context->measures);
        hash_number(&h, LOCALITY_VERSION);
    }
    if (k->context->attribute)
        hash_add_field(&h, "attribute");
    if (k->context->per_pc)
        hash_add_field(&h, "per_pc");
    if (k->context->series_cycles) {
        hash_add_field(&h, "series");
        hash_number(&h, k->context->series_cycles);
        hash_add_field(&h, k->context->series_columns ? k->context->series_columns : "");
    }
    hash_finish(&h, key);
}

static void make_key(struct keys *k, struct point *p)
{
    const char *machine = machine_digest(k, p);
    const char *kernel = k->failed_here ? "" : kernel_digest(k, p);
    p->key[0] = p->input[0] = p->failure_key[0] = 0;
    if (!machine[0] || !kernel[0])
        return;
    make_input_key(p, kernel);
    hash_point(k, p, machine, 0, p->key);
    hash_point(k, p, machine, k->context->max_cycles, p->failure_key);
}

enum heddle_status point_make_keys(struct point *points, uint32_t n,
                                   const struct point_context *context, struct diag_list *diags)
{
    struct keys k = {.context = context, .diags = diags};
    uint32_t errors_before = diags->n_errors;
    k.kernels = xcalloc(workload_count, sizeof *k.kernels);
    for (uint32_t i = 0; i < n; i++)
        make_key(&k, &points[i]);
    destroy_digests(&k.machines);
    destroy_digests(&k.files);
    destroy_digests(&k.cpu_programs);
    free(k.kernels);
    if (diags->n_errors == errors_before)
        return HEDDLE_OK;
    return k.failed_here ? HEDDLE_ENVIRONMENT : HEDDLE_BAD_INPUT;
}
