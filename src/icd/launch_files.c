#include "icd/launch_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/series.h"
#include "base/hash.h"
#include "gpu/sim.h"
#include "lab/model.h"
#include "lab/point.h"
#include "lab/store.h"

/* --- growing files --- */

struct growing_file {
    FILE *file;
    char *path, *partial;
};

static bool grow(void *user, const void *data, size_t bytes)
{
    struct growing_file *f = user;
    return fwrite(data, 1, bytes, f->file) == bytes;
}

/* The first device's file has the given name; those of others have a number appended. */
static struct growing_file *open_file(const struct _cl_device_id *d, const char *path)
{
    struct growing_file *f = xcalloc(1, sizeof *f);
    struct strbuf name = {0}, partial = {0};
    uint32_t number = 0;
    while (d->platform->devices[number] && d->platform->devices[number] != d)
        number++;
    if (number)
        strbuf_addf(&name, "%s.%u", path, number);
    else
        strbuf_add(&name, path);
    strbuf_addf(&partial, "%s.%ld", strbuf_text(&name), (long)getpid());
    f->path = name.text;
    f->partial = partial.text;
    f->file = fopen(f->partial, "wb");
    if (f->file)
        return f;
    icd_complain("%s: %s", f->partial, strerror(errno));
    free(f->path);
    free(f->partial);
    free(f);
    return NULL;
}

static void close_file(struct growing_file **at, bool keep)
{
    struct growing_file *f = *at;
    *at = NULL;
    if (!f)
        return;
    bool ok = fclose(f->file) == 0;
    if (keep && ok)
        ok = rename(f->partial, f->path) == 0;
    else
        remove(f->partial);
    if (!ok)
        icd_complain("%s: %s", f->path, strerror(errno));
    free(f->path);
    free(f->partial);
    free(f);
}

/* --- trace and series --- */

static void begin_trace(struct _cl_device_id *d, const char *path)
{
    struct strbuf origin = {0};
    launch_command_line(&origin);
    d->files->trace = open_file(d, path);
    if (d->files->trace &&
        heddle_record(d->sim, strbuf_text(&origin), grow, d->files->trace) != HEDDLE_OK) {
        icd_complain("%s", heddle_error(d->sim));
        close_file(&d->files->trace, false);
    }
    strbuf_destroy(&origin);
}

static void begin_series(struct _cl_device_id *d, const struct icd_settings *s)
{
    struct strbuf why = {0};
    struct launch_files *files = d->files;
    files->series_file = open_file(d, s->series_out);
    if (files->series_file)
        files->series = series_create(d->sim->machine, s->series, s->series_columns,
                                      (struct sink){grow, files->series_file}, &why);
    if (files->series_file && !files->series) {
        icd_complain("HEDDLE_SERIES_COLUMNS: %s", strbuf_text(&why));
        close_file(&files->series_file, false);
    }
    strbuf_destroy(&why);
}

void launch_files_begin(struct _cl_device_id *d)
{
    const struct icd_settings *s = &d->platform->settings;
    d->files = xcalloc(1, sizeof *d->files);
    bool timed = !s->functional;
    if (!timed && (s->record || s->series_out))
        icd_complain("a run without timing has nothing to record and no time series");
    if (timed && s->record)
        begin_trace(d, s->record);
    if (timed && s->series && s->series_out)
        begin_series(d, s);
    if (s->store && (store_open(s->store, STORE_WRITE, &d->files->store) != HEDDLE_OK ||
                     store_note_plugins(d->files->store) != HEDDLE_OK)) {
        icd_complain("%s", strbuf_text(&d->files->store->error));
        store_close(d->files->store);
        d->files->store = NULL;
    }
}

void launch_files_end(struct _cl_device_id *d, bool is_whole)
{
    struct launch_files *files = d->files;
    if (!files)
        return;
    bool launched = d->n_launches > 0;
    if (files->trace) {
        bool ok = heddle_record_end(d->sim) == HEDDLE_OK && is_whole && launched;
        if (!ok && launched)
            icd_complain("%s: a launch was cut off, so there is no trace", files->trace->path);
        close_file(&files->trace, ok);
    }
    if (files->series)
        close_file(&files->series_file, series_finish(files->series) && launched);
    series_destroy(files->series);
    files->series = NULL;
}

void launch_files_close(struct _cl_device_id *d)
{
    launch_files_end(d, true);
    if (d->files)
        store_close(d->files->store);
    free(d->files);
    d->files = NULL;
}

/* --- the store --- */

/* Each launch of each run of the program is a separate result. */
static void make_key(const struct _cl_device_id *d, const char *document, char key[HASH_TEXT_BYTES])
{
    struct hash h;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long unique[] = {(long)getpid(), (long)now.tv_sec, now.tv_nsec, (long)d->n_launches};
    hash_init(&h);
    hash_add_field(&h, document);
    hash_add(&h, unique, sizeof unique);
    hash_finish(&h, key);
}

void launch_files_store(struct _cl_device_id *d, const struct logged_launch *l,
                        const char *document)
{
    if (!d->files || !d->files->store)
        return;
    char key[HASH_TEXT_BYTES];
    struct strbuf command = {0}, settings = {0};
    const struct icd_settings *s = &d->platform->settings;
    int64_t id;
    launch_command_line(&command);
    for (uint32_t i = 0; i < s->n_words; i++)
        strbuf_addf(&settings, "%s%s", i ? " " : "", s->words[i]);
    make_key(d, document, key);
    struct store_result r = {.key = key,
                             .document = document,
                             .workload = l->kernel,
                             .size = strbuf_text(&command),
                             .gpu = d->config->gpu->name,
                             .settings = strbuf_text(&settings),
                             .seed = d->n_launches,
                             .model = model_engine_version(),
                             .exit_status = (int)l->status,
                             .message = l->status == HEDDLE_OK ? NULL : heddle_error(d->sim)};
    if (store_put(d->files->store, &r, &id) != HEDDLE_OK)
        icd_complain("%s", strbuf_text(&d->files->store->error));
    strbuf_destroy(&command);
    strbuf_destroy(&settings);
}
