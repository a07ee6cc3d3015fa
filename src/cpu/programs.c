/* Stored recordings: NAME-KEY.cpu in the folder "cpu" of the cache. The key covers everything that
 * a recording depends on, so that an outdated one is simply not found. The recording process holds
 * the lock NAME.lock; the trace is written under another name and renamed, so that others see all
 * of it or nothing. */
#include "cpu/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_status.h"
#include "base/hash.h"
#include "cpu/program_list.h"
#include "cpu/trace.h"
#include "front/cache.h"
#include "front/process.h"
#include "front/scratch.h"

uint32_t cpu_program_count(void)
{
    return program_list_n;
}

const struct cpu_program *cpu_program_at(uint32_t i)
{
    return &program_list[i].program;
}

const struct cpu_program *cpu_program_find(const char *name)
{
    for (uint32_t i = 0; i < program_list_n; i++)
        if (strcmp(program_list[i].program.name, name) == 0)
            return &program_list[i].program;
    return NULL;
}

/* --- what is run --- */

/* The newest file that matches the pattern. */
static bool find_file(const char *pattern, struct strbuf *path)
{
    glob_t found = {0};
    const char *newest = NULL;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (!newest || strverscmp(found.gl_pathv[i], newest) > 0)
                newest = found.gl_pathv[i];
    if (newest)
        strbuf_add(path, newest);
    globfree(&found);
    return newest != NULL;
}

bool cpu_program_file(const struct cpu_program *p, struct strbuf *path)
{
    struct strbuf folder = {0}, pattern = {0};
    bool own = !strchr(p->file, '/'), ok = !own || cpu_find_libexec(&folder);
    if (own)
        strbuf_addf(&pattern, "%s/", strbuf_text(&folder));
    strbuf_add(&pattern, p->file);
    ok = ok && find_file(strbuf_text(&pattern), path);
    strbuf_destroy(&folder);
    strbuf_destroy(&pattern);
    return ok;
}

/* Identical for all programs, with nothing seeded at random. Without a PWD, Debian's `valgrind`, a
 * shell script, would add the folder's path, and its length would move the stack. */
static const char *const fixed_env[] = {
    "PATH=/usr/bin:/bin", "HOME=/",           "LC_ALL=C",           "TZ=UTC", "PERL_HASH_SEED=0",
    "OMP_NUM_THREADS=1",  "PYTHONHASHSEED=0", "PWD=/proc/self/cwd", NULL};

/* --- its key --- */

/* Heddle's own programs by content, others by size and modification time. */
static bool hash_program(struct hash *h, const char *path, bool own)
{
    struct strbuf text = {0};
    struct stat st;
    bool ok = stat(path, &st) == 0 && (!own || strbuf_read_file(&text, path) == 0);
    if (!own) {
        hash_add_field(h, path);
        strbuf_addf(&text, "%lld %lld", (long long)st.st_size, (long long)st.st_mtime);
    }
    hash_add_field_n(h, strbuf_text(&text), text.len);
    strbuf_destroy(&text);
    return ok;
}

static bool find_key(const struct listed_program *l, char key[HASH_TEXT_BYTES])
{
    const struct cpu_program *p = &l->program;
    struct strbuf text = {0}, path = {0};
    struct hash h;
    hash_init(&h);
    bool ok =
        cpu_program_file(p, &path) && hash_program(&h, strbuf_text(&path), !strchr(p->file, '/'));
    strbuf_addf(&text, "%u %llu %llu", CPU_RECORDER_VERSION, (unsigned long long)p->skip,
                (unsigned long long)p->max_insts);
    hash_add_field(&h, strbuf_text(&text));
    for (const char *const *arg = l->argv; *arg; arg++)
        hash_add_field(&h, *arg);
    for (const char *const *e = fixed_env; *e; e++)
        hash_add_field(&h, *e);
    for (uint32_t i = 0; i < PROGRAM_INPUTS && l->inputs[i].name; i++) {
        strbuf_clear(&text);
        l->inputs[i].make(&text);
        hash_add_field_n(&h, strbuf_text(&text), text.len);
    }
    hash_finish(&h, key);
    strbuf_destroy(&text);
    strbuf_destroy(&path);
    return ok;
}

/* --- its place --- */

/* Everything that belongs to a recording. */
struct place {
    struct arena arena;
    const char *trace, *part, *lock, *folder; /* folder: where it runs */
};

static bool find_place(const struct listed_program *l, struct place *at, struct strbuf *why)
{
    char key[HASH_TEXT_BYTES];
    const char *name = l->program.name, *cache = disk_cache_folder(&at->arena);
    if (!find_key(l, key)) {
        strbuf_addf(why, "%s is not installed (%s%s)", name, l->program.package ? "Debian: " : "",
                    l->program.package ? l->program.package : "it comes with Heddle's recorder");
        return false;
    }
    if (!cache) {
        strbuf_add(why, "no cache folder is writable; name one with HEDDLE_CACHE");
        return false;
    }
    const char *folder = arena_printf(&at->arena, "%s/cpu", cache);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        strbuf_addf(why, "cannot make %s: %s", folder, strerror(errno));
        return false;
    }
    at->trace = arena_printf(&at->arena, "%s/%s-%.16s.cpu", folder, name, key);
    at->part = arena_printf(&at->arena, "%s/%s.part", folder, name);
    at->lock = arena_printf(&at->arena, "%s/%s.lock", folder, name);
    at->folder = arena_printf(&at->arena, "%s/%s.run", folder, name);
    return true;
}

bool cpu_program_is_recorded(const struct cpu_program *p, struct strbuf *path)
{
    struct place at = {0};
    struct strbuf why = {0};
    bool known = find_place((const struct listed_program *)p, &at, &why);
    if (known)
        strbuf_add(path, at.trace);
    bool is_there = known && cpu_trace_is_intact(at.trace);
    arena_destroy(&at.arena);
    strbuf_destroy(&why);
    return is_there;
}

/* --- recording it --- */

struct part_file {
    int fd, error; /* errno of what failed, or 0 */
};

static bool write_part(void *user, const void *data, size_t bytes)
{
    struct part_file *f = user;
    const char *at = data;
    while (bytes && !f->error) {
        ssize_t n = write(f->fd, at, bytes);
        if (n < 0 && errno != EINTR)
            f->error = errno;
        if (n > 0) {
            at += n;
            bytes -= (size_t)n;
        }
    }
    return !f->error;
}

static bool write_inputs(const struct listed_program *l, const struct place *at, struct strbuf *why)
{
    bool ok = mkdir(at->folder, 0777) == 0 || errno == EEXIST;
    for (uint32_t i = 0; ok && i < PROGRAM_INPUTS && l->inputs[i].name; i++) {
        struct strbuf path = {0}, text = {0};
        strbuf_addf(&path, "%s/%s", at->folder, l->inputs[i].name);
        l->inputs[i].make(&text);
        ok = disk_cache_write_file(strbuf_text(&path), text.text, text.len);
        strbuf_destroy(&path);
        strbuf_destroy(&text);
    }
    if (!ok)
        strbuf_addf(why, "cannot write the input of %s to %s: %s", l->program.name, at->folder,
                    strerror(errno));
    return ok;
}

static enum heddle_status record_to(const struct listed_program *l, const struct place *at,
                                    const struct cpu_watch *watch, struct part_file *file,
                                    struct strbuf *why)
{
    const struct cpu_program *p = &l->program;
    struct strbuf path = {0};
    const char *argv[PROGRAM_ARGS + 1] = {0};
    uint64_t n = 0;
    cpu_program_file(p, &path);
    memcpy(argv, l->argv, sizeof l->argv);
    argv[0] = strbuf_text(&path);
    struct cpu_recording r = {.name = p->name,
                              .argv = argv,
                              .env = fixed_env,
                              .folder = at->folder,
                              .quiet = true,
                              .skip = p->skip,
                              .max_insts = p->max_insts};
    if (watch)
        r.watch = *watch;
    enum heddle_status status = cpu_record(&r, (struct sink){write_part, file}, &n, why);
    if (status == HEDDLE_OK && n < p->max_insts) {
        strbuf_addf(why, "%s ended after %llu of %llu instructions to be recorded", p->name,
                    (unsigned long long)n, (unsigned long long)p->max_insts);
        status = HEDDLE_ENVIRONMENT;
    }
    strbuf_destroy(&path);
    return status;
}

/* With the lock held. */
static enum heddle_status record(const struct listed_program *l, const struct place *at,
                                 const struct cpu_watch *watch, struct strbuf *why)
{
    struct part_file file = {.fd = -1};
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    scratch_remove(at->folder); /* left by a killed recording */
    if (write_inputs(l, at, why)) {
        file.fd = open(at->part, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
        file.error = file.fd < 0 ? errno : 0;
        if (!file.error)
            status = record_to(l, at, watch, &file, why);
        if (file.fd >= 0 && close(file.fd) != 0)
            file.error = errno;
        if (status == HEDDLE_OK && !file.error && rename(at->part, at->trace) != 0)
            file.error = errno;
        if (file.error) {
            strbuf_addf(why, "cannot write %s: %s", at->part, strerror(file.error));
            status = HEDDLE_ENVIRONMENT;
        }
        if (status != HEDDLE_OK)
            unlink(at->part);
    }
    scratch_remove(at->folder);
    return status;
}

/* Another process may have recorded it while this one waited for the lock. */
static enum heddle_status record_locked(const struct listed_program *l, const struct place *at,
                                        const struct cpu_watch *watch, struct strbuf *why)
{
    sigset_t ends = process_ends(), before;
    int lock = open(at->lock, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        strbuf_addf(why, "cannot lock %s: %s", at->lock, strerror(errno));
        if (lock >= 0)
            close(lock);
        return HEDDLE_ENVIRONMENT;
    }
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    enum heddle_status status =
        cpu_trace_is_intact(at->trace) ? HEDDLE_OK : record(l, at, watch, why);
    close(lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* --- names and paths --- */

void cpu_program_unknown(const char *name, struct strbuf *why)
{
    const char *names[64];
    uint32_t n = 0;
    for (; n < program_list_n && n < sizeof names / sizeof names[0]; n++)
        names[n] = program_list[n].program.name;
    const char *meant = suggest_nearest(name, names, n);
    strbuf_addf(why, "there is no CPU program '%s'", name);
    if (meant)
        strbuf_addf(why, "; did you mean '%s'?", meant);
    else
        strbuf_add(why, "; `heddle cpu list` lists them; a trace is given as a path");
}

/* Splits `NAME:SKIP+N`; false if the word does not have that form. */
static bool split_part(const char *word, struct strbuf *name, struct cpu_part *part)
{
    const char *colon = strrchr(word, ':');
    unsigned long long skip = 0, n = 0;
    int end = 0;
    bool has_part = colon && strspn(colon + 1, "0123456789+") == strlen(colon + 1) &&
                    sscanf(colon, ":%llu+%llu%n", &skip, &n, &end) == 2 && !colon[end] && n;
    strbuf_add_n(name, word, has_part ? (size_t)(colon - word) : strlen(word));
    if (has_part)
        *part = (struct cpu_part){.skip = skip, .n_counted = n};
    return has_part;
}

static enum heddle_status use_file(const char *name, struct strbuf *path, struct strbuf *why)
{
    if (access(name, R_OK) == 0) {
        strbuf_add(path, name);
        return HEDDLE_OK;
    }
    strbuf_addf(why, "cannot read %s: %s", name, strerror(errno));
    return file_read_status(errno);
}

static enum heddle_status find_trace(const char *name_or_path, const struct cpu_watch *watch,
                                     struct strbuf *path, struct strbuf *why)
{
    const struct cpu_program *p = cpu_program_find(name_or_path);
    struct place at = {0};
    if (!p && strpbrk(name_or_path, "/."))
        return use_file(name_or_path, path, why);
    if (!p) {
        cpu_program_unknown(name_or_path, why);
        return HEDDLE_BAD_INPUT;
    }
    const struct listed_program *l = (const struct listed_program *)p;
    enum heddle_status status = HEDDLE_ENVIRONMENT;
    if (find_place(l, &at, why))
        status = cpu_trace_is_intact(at.trace) ? HEDDLE_OK : record_locked(l, &at, watch, why);
    if (status == HEDDLE_OK)
        strbuf_add(path, at.trace);
    arena_destroy(&at.arena);
    return status;
}

enum heddle_status cpu_program_trace(const char *word, const struct cpu_watch *watch,
                                     struct strbuf *path, struct strbuf *why)
{
    struct strbuf name = {0};
    struct cpu_part part;
    split_part(word, &name, &part);
    enum heddle_status status = find_trace(strbuf_text(&name), watch, path, why);
    strbuf_destroy(&name);
    return status;
}

struct cpu_source *cpu_program_open(const char *name_or_path, const struct cpu_open *o,
                                    enum heddle_status *status, struct strbuf *why)
{
    struct strbuf path = {0}, name = {0};
    struct cpu_part part = {.max_insts = o->max_insts};
    struct cpu_source *source = cpu_bubble_open(name_or_path, &o->machine, o->max_insts);
    *status = HEDDLE_OK;
    if (source)
        return source;
    split_part(name_or_path, &name, &part);
    *status = find_trace(strbuf_text(&name), &o->watch, &path, why);
    if (*status == HEDDLE_OK) {
        int error;
        source = cpu_source_open(strbuf_text(&path), part, &error, why);
        if (!source)
            *status = error ? file_read_status(error) : HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&path);
    strbuf_destroy(&name);
    return source;
}
