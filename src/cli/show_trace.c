/* The content of a trace: its origin, its launches, and whether they depend on timing; also checks
 * that it is undamaged, so that a long replay does not fail midway. */
#include "base/json.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/table.h"
#include "trace/file.h"

struct launch_row {
    struct trace_launch launch;
    struct trace_launch_end end;
};

static bool depends_on_time(const struct trace_launch_end *end)
{
    for (uint32_t k = 0; k < N_TRACE_REASONS; k++)
        if (end->reasons[k])
            return true;
    return false;
}

/* Sums over the launches. */
struct totals {
    uint64_t warp_insts, stream_bytes;
    uint32_t n_dependent;
};

/* Calls `each`, if any, for every launch, and sums up; false after a failure. */
static bool walk(struct trace_reader *r, struct totals *t, struct strbuf *why,
                 void (*each)(void *user, uint32_t i, const struct launch_row *row), void *user)
{
    *t = (struct totals){0};
    for (uint32_t i = 0; i < trace_reader_launches(r); i++) {
        struct launch_row row;
        if (!trace_reader_launch(r, i, &row.launch, &row.end, why))
            return false;
        t->warp_insts += row.end.warp_insts;
        t->stream_bytes += row.end.piece_bytes;
        t->n_dependent += depends_on_time(&row.end);
        if (each)
            each(user, i, &row);
    }
    return true;
}

static double bytes_per_inst(const struct trace_reader *r, const struct totals *t)
{
    return t->warp_insts ? (double)trace_reader_bytes(r) / (double)t->warp_insts : 0;
}

/* --- is it undamaged? --- */

static void show_progress(void *user, uint64_t bytes)
{
    const uint64_t all = trace_reader_bytes(user);
    output_progress("checking: %llu %% of %llu MB", (unsigned long long)(100 * bytes / all),
                    (unsigned long long)(all / 1000000));
}

/* The state of the check; `unchecked` = it was not done. */
static bool check(struct trace_reader *r, bool unchecked, struct trace_check *found,
                  struct strbuf *why)
{
    *found = (struct trace_check){0};
    bool ok = unchecked || trace_reader_check(r, found, show_progress, r, why);
    output_progress_end();
    return ok;
}

/* --- as text --- */

struct text_output {
    struct table launches;
    struct strbuf reasons;
};

static void cell_shape(struct table *t, const uint32_t v[3])
{
    if (v[2] > 1)
        table_cell(t, "%ux%ux%u", v[0], v[1], v[2]);
    else if (v[1] > 1)
        table_cell(t, "%ux%u", v[0], v[1]);
    else
        table_cell(t, "%u", v[0]);
}

static void add_row(void *user, uint32_t i, const struct launch_row *row)
{
    struct text_output *o = user;
    table_cell(&o->launches, "%u", i + 1);
    table_cell(&o->launches, "%s", row->launch.kernel);
    cell_shape(&o->launches, row->launch.grid);
    cell_shape(&o->launches, row->launch.block);
    table_count(&o->launches, row->end.warp_insts);
    table_count(&o->launches, row->end.piece_bytes);
    table_cell(&o->launches, "%s", depends_on_time(&row->end) ? "yes" : "no");
    for (uint32_t k = 0; k < N_TRACE_REASONS; k++)
        if (row->end.reasons[k])
            strbuf_addf(&o->reasons, "  launch %u (%s): %s\n    first at %s\n", i + 1,
                        row->launch.kernel, trace_reason_texts[k], row->end.reasons[k]);
}

static void print_check(const struct trace_check *found, struct strbuf *out)
{
    if (found->n_parts)
        strbuf_addf(out, "  checked: none of its %llu parts is damaged\n\n",
                    (unsigned long long)found->n_parts);
    else
        strbuf_add(out, "  not checked for damage (--unchecked)\n\n");
}

static bool print_trace(struct trace_reader *r, const char *path, const struct trace_check *found,
                        struct strbuf *out, struct strbuf *why)
{
    static const char *const titles[] = {"launch",          "kernel",     "CTAs",
                                         "threads of each", "warp insts", "stream bytes",
                                         "timing-dependent"};
    struct text_output o = {.launches = {.titles = titles, .n_columns = 7, .right = "rlrrrrl"}};
    const struct trace_about *about = trace_reader_about(r);
    struct totals t;
    bool ok = walk(r, &t, why, add_row, &o);
    if (ok) {
        strbuf_addf(out, "%s: %s\n  recorded on %s by Heddle %s, format %d\n", path,
                    about->origin[0] ? about->origin : "a trace", about->gpu, about->heddle_version,
                    (int)trace_reader_version(r));
        strbuf_add(out, "  ");
        text_quantity(out, trace_reader_bytes(r), "byte");
        strbuf_addf(out, ", %.3f for each of ", bytes_per_inst(r, &t));
        text_quantity(out, t.warp_insts, "warp instruction");
        strbuf_add_char(out, '\n');
        print_check(found, out);
        table_print(&o.launches, out);
        strbuf_addf(out, "\n%s\n%s",
                    t.n_dependent
                        ? "Timing-dependent: it is valid only for the machine it was recorded on."
                        : "Not timing-dependent: it can be replayed on any machine that "
                          "holds its CTAs.",
                    strbuf_text(&o.reasons));
    }
    table_destroy(&o.launches);
    strbuf_destroy(&o.reasons);
    return ok;
}

/* --- as JSON --- */

static void json_shape(struct json_writer *j, const char *name, const uint32_t v[3])
{
    json_begin_array(j, name);
    for (int i = 0; i < 3; i++)
        json_uint(j, NULL, v[i]);
    json_end_array(j);
}

static void json_launch(void *user, uint32_t i, const struct launch_row *row)
{
    struct json_writer *j = user;
    (void)i;
    json_begin_object(j, NULL);
    json_string(j, "kernel", row->launch.kernel);
    json_shape(j, "grid", row->launch.grid);
    json_shape(j, "block", row->launch.block);
    json_uint(j, "shared_bytes", row->launch.shared_bytes);
    json_uint(j, "warp_insts", row->end.warp_insts);
    json_uint(j, "stream_bytes", row->end.piece_bytes);
    json_bool(j, "timing_dependent", depends_on_time(&row->end));
    json_begin_array(j, "reasons");
    for (uint32_t k = 0; k < N_TRACE_REASONS; k++) {
        if (!row->end.reasons[k])
            continue;
        json_begin_object(j, NULL);
        json_string(j, "reason", trace_reason_words[k]);
        json_string(j, "meaning", trace_reason_texts[k]);
        json_string(j, "first_at", row->end.reasons[k]);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void json_notes(const struct trace_reader *r, struct json_writer *j)
{
    uint32_t n;
    const struct trace_note *notes = trace_reader_notes(r, &n);
    json_begin_object(j, "notes");
    for (uint32_t i = 0; i < n; i++)
        json_string(j, notes[i].name, notes[i].value);
    json_end_object(j);
}

static bool json_trace(struct trace_reader *r, const char *path, const struct trace_check *found,
                       struct strbuf *out, struct strbuf *why)
{
    const struct trace_about *about = trace_reader_about(r);
    struct json_writer j = {.out = out};
    struct totals t;
    if (!walk(r, &t, why, NULL, NULL))
        return false;
    json_begin_object(&j, NULL);
    json_string(&j, "file", path);
    json_uint(&j, "format", trace_reader_version(r));
    json_string(&j, "heddle_version", about->heddle_version);
    json_string(&j, "origin", about->origin);
    json_notes(r, &j);
    json_string(&j, "gpu", about->gpu);
    json_uint(&j, "bytes", trace_reader_bytes(r));
    json_bool(&j, "checked", found->n_parts > 0);
    json_uint(&j, "warp_insts", t.warp_insts);
    json_uint(&j, "stream_bytes", t.stream_bytes);
    json_double(&j, "bytes_per_warp_inst", bytes_per_inst(r, &t));
    json_bool(&j, "timing_dependent", t.n_dependent > 0);
    json_begin_array(&j, "launches");
    bool ok = walk(r, &t, why, json_launch, &j);
    json_end_array(&j);
    json_end_object(&j);
    return ok;
}

enum heddle_status show_trace(const struct show_options *o, const char *name, struct strbuf *out)
{
    struct strbuf why = {0};
    bool cannot_read;
    struct trace_reader *r = trace_reader_open(name, &cannot_read, &why);
    struct trace_check found;
    bool ok = r && check(r, o->unchecked, &found, &why) &&
              (o->json ? json_trace : print_trace)(r, name, &found, out, &why);
    if (!ok)
        output_error("%s: %s", name, strbuf_text(&why));
    trace_reader_close(r);
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : !r && cannot_read ? HEDDLE_ENVIRONMENT : HEDDLE_BAD_INPUT;
}
