#include "icd/launch_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/l2_report.h"
#include "base/json.h"
#include "icd/launch_files.h"
#include "icd/program_result.h"
#include "lab/demangle.h"
#include "lab/idle_mechanisms.h"
#include "lab/result_json.h"

void launch_log_begin(struct _cl_device_id *d)
{
    launch_files_begin(d);
}

void launch_log_cut(struct _cl_device_id *d)
{
    launch_files_end(d, false);
}

void launch_command_line(struct strbuf *out)
{
    struct strbuf text = {0};
    if (strbuf_read_file(&text, "/proc/self/cmdline") == 0)
        for (size_t at = 0; at < text.len; at += strlen(text.text + at) + 1)
            strbuf_addf(out, "%s%s", at ? " " : "", text.text + at);
    strbuf_destroy(&text);
}

/* The program's command line, from the host's kernel. */
static void add_command_line(struct json_writer *w)
{
    struct strbuf text = {0};
    json_begin_array(w, "command");
    if (strbuf_read_file(&text, "/proc/self/cmdline") == 0)
        for (size_t at = 0; at < text.len; at += strlen(text.text + at) + 1)
            json_string(w, NULL, text.text + at);
    json_end_array(w);
    strbuf_destroy(&text);
}

static void add_dim3(struct json_writer *w, const char *name, const uint32_t v[3])
{
    json_begin_array(w, name);
    for (int i = 0; i < 3; i++)
        json_uint(w, NULL, v[i]);
    json_end_array(w);
}

static void add_statistics(struct json_writer *w, const struct heddle_sim *sim)
{
    json_begin_object(w, "stats");
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_last_stat_at(sim, i);
        result_json_stat(w, &s);
    }
    json_end_object(w);
}

void launch_json_origin(struct json_writer *w)
{
    json_string(w, "heddle_version", heddle_version());
    add_command_line(w);
    json_uint(w, "process", (uint64_t)getpid());
}

/* One line: several processes may append to the file, each record with a single write. */
static void make_line(struct strbuf *text)
{
    size_t to = 0;
    bool quoted = false, escaped = false;
    for (size_t i = 0; i < text->len; i++) {
        char c = text->text[i];
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        if (quoted || (c != '\n' && c != ' '))
            text->text[to++] = c;
    }
    text->len = to;
    strbuf_add_char(text, '\n');
}

/* A file that cannot be written is named once. */
static void append(const char *path, const char *what, const struct strbuf *text)
{
    static const char *named;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && write(fd, text->text, text->len) == (ssize_t)text->len;
    if (!ok && named != path) {
        named = path;
        icd_complain("cannot write %s to %s: %s", what, path, strerror(errno));
    }
    if (fd >= 0)
        close(fd);
}

void launch_append_line(const char *path, const char *what, struct strbuf *text)
{
    make_line(text);
    append(path, what, text);
}

void launch_log_add(struct _cl_device_id *d, const struct logged_launch *l)
{
    const struct icd_settings *s = &d->platform->settings;
    d->n_launches++;
    d->n_failed += l->status != HEDDLE_OK;
    if (!s->json && !s->store)
        return;
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w, NULL);
    launch_json_origin(&w);
    result_json_machine(d->config->gpu, s->functional ? NULL : d->config, &w);
    json_uint(&w, "launch", d->n_launches);
    json_string(&w, "kernel", l->kernel);
    add_dim3(&w, "grid", l->grid);
    add_dim3(&w, "block", l->block);
    json_bool(&w, "complete", l->status == HEDDLE_OK);
    json_uint(&w, "ns", l->ns);
    add_statistics(&w, d->sim);
    json_end_object(&w);
    launch_files_store(d, l, strbuf_text(&text));
    if (s->json)
        launch_append_line(s->json, "the records of launches", &text);
    strbuf_destroy(&text);
}

/* --- the summary --- */

static void add_sums(const struct heddle_sim *sim, struct strbuf *out)
{
    static const char *const names[] = {"launches",   "cycles",     "warp_insts",
                                        "ipc",        "l1d.loads",  "l1d.hits",
                                        "l1d.misses", "dram.bytes", "occupancy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct heddle_stat s;
        struct strbuf number = {0};
        if (!heddle_stat_find(sim, names[i], &s))
            continue;
        if (s.is_real)
            strbuf_addf(&number, "%.3f", s.real);
        else
            strbuf_add_count(&number, s.count);
        strbuf_addf(out, "  %-10s %14s  %s\n", s.name, strbuf_text(&number), s.unit);
        strbuf_destroy(&number);
    }
}

/* One statistic of a kernel; false if the simulation does not have it. */
static bool kernel_count(const struct heddle_sim *sim, uint32_t kernel, const char *name,
                         uint64_t *out)
{
    for (uint32_t i = 0; i < heddle_stat_count(sim); i++) {
        struct heddle_stat s = heddle_launched_stat_at(sim, kernel, i);
        if (strcmp(s.name, name) != 0)
            continue;
        *out = s.count;
        return true;
    }
    return false;
}

static void add_kernels(const struct heddle_sim *sim, struct strbuf *out)
{
    static const char *const names[] = {"launches", "cycles", "warp_insts", "l1d.misses"};
    struct arena arena = {0};
    for (uint32_t k = 0; k < heddle_launched_count(sim); k++) {
        strbuf_addf(out, "  %s:", demangle_kernel(&arena, heddle_launched_name(sim, k)));
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            uint64_t n;
            if (!kernel_count(sim, k, names[i], &n))
                continue;
            strbuf_addf(out, "%s %s ", i ? "," : "", names[i]);
            strbuf_add_count(out, n);
        }
        strbuf_add(out, "\n");
    }
    arena_destroy(&arena);
}

/* --- marks for L2 --- */

/* Annotations of kernels that were never launched, and reads of data that L2 had dropped. */
static void warn_of_marks(const struct _cl_device_id *d)
{
    struct diag_list diags = {0};
    struct strbuf text = {0};
    uint32_t n = heddle_launched_count(d->sim);
    const char **names = ARENA_ARRAY(&diags.arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = heddle_launched_name(d->sim, i);
    if (!d->n_failed)
        annotations_check_launched(&d->config->annotations, names, n, &diags);
    diag_format(&diags, &text);
    if (d->sim->warned_of_stale)
        strbuf_add(&text, heddle_warnings(d->sim));
    if (text.len)
        icd_complain("%s", strbuf_text(&text));
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
}

static void warn_of_no_atomics(const struct _cl_device_id *d)
{
    struct strbuf text = {0};
    if (!d->n_failed && !idle_mechanisms_has_atomics(d->sim))
        idle_mechanisms_no_atomics(d->config, &text);
    if (text.len)
        icd_complain("%s", strbuf_text(&text));
    strbuf_destroy(&text);
}

static void report_l2(struct _cl_device_id *d, const char *path)
{
    struct strbuf text = {0};
    l2_report_write(d->sim, d->advice, d->n_failed, &text);
    append(path, "the report of L2", &text);
    strbuf_destroy(&text);
}

void launch_log_end(struct _cl_device_id *d)
{
    const struct icd_settings *s = &d->platform->settings;
    launch_files_close(d);
    if (d->sim && d->n_launches && !s->functional) {
        warn_of_marks(d);
        warn_of_no_atomics(d);
    }
    if (s->l2_report && d->sim && d->n_launches && !s->functional)
        report_l2(d, s->l2_report);
    l2_advice_destroy(d->advice);
    d->advice = NULL;
    if (s->result && d->sim && d->n_launches)
        program_result_write(d, s->result);
    if (!d->sim || !s->summary)
        return;
    struct strbuf text = {0};
    strbuf_addf(&text, "%s%s\n", strbuf_text(&d->name), s->functional ? ", without timing" : "");
    add_sums(d->sim, &text);
    if (s->kernels)
        add_kernels(d->sim, &text);
    icd_complain("%s", strbuf_text(&text));
    strbuf_destroy(&text);
}
