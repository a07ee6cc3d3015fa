#include "icd/launch_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

void launch_log_begin(struct _cl_device_id *d)
{
    (void)d;
}

/* The program's command line, as the kernel of the host has it. */
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
        if (s.is_real)
            json_double(w, s.name, s.real);
        else
            json_uint(w, s.name, s.count);
    }
    json_end_object(w);
}

/* One line: several processes may append to the file, each record with one write. */
static void make_line(struct strbuf *text)
{
    size_t to = 0;
    bool quoted = false;
    for (size_t i = 0; i < text->len; i++) {
        char c = text->text[i];
        if (c == '"' && (i == 0 || text->text[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted || (c != '\n' && c != ' '))
            text->text[to++] = c;
    }
    text->len = to;
    strbuf_add_char(text, '\n');
}

static void append(const char *path, const struct strbuf *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && write(fd, text->text, text->len) == (ssize_t)text->len;
    if (!ok)
        icd_complain("%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

void launch_log_add(struct _cl_device_id *d, const struct logged_launch *l)
{
    const struct icd_settings *s = &d->platform->settings;
    d->n_launches++;
    if (!s->json)
        return;
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w, NULL);
    json_string(&w, "heddle_version", heddle_version());
    add_command_line(&w);
    json_uint(&w, "process", (uint64_t)getpid());
    json_string(&w, "gpu", d->config->gpu->name);
    json_uint(&w, "launch", d->n_launches);
    json_string(&w, "kernel", l->kernel);
    add_dim3(&w, "grid", l->grid);
    add_dim3(&w, "block", l->block);
    json_bool(&w, "complete", l->status == HEDDLE_OK);
    json_uint(&w, "ns", l->ns);
    add_statistics(&w, d->sim);
    json_end_object(&w);
    make_line(&text);
    append(s->json, &text);
    strbuf_destroy(&text);
}

void launch_log_end(struct _cl_device_id *d)
{
    (void)d;
}
