#include "cli/run_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/decisions.h"
#include "analysis/l1d_stream.h"
#include "analysis/pc_profile.h"
#include "analysis/series.h"
#include "analysis/timeline.h"
#include "cli/output.h"
#include "cli/run_timeline.h"
#include "cli/table.h"
#include "gpu/sim.h"

static enum heddle_status begin_timeline(struct run_watch *w, const struct run_options *o,
                                         struct machine *m)
{
    struct arena arena = {0};
    struct strbuf why = {0};
    struct timeline_window window;
    enum heddle_status status = HEDDLE_OK;
    if (!timeline_window_parse(o->timeline_cycles, o->timeline_sms, machine_n_sms(m), &arena,
                               &window, &why)) {
        output_error("%s", strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    } else if (!(w->timeline_file = timeline_file_open(o->timeline))) {
        status = HEDDLE_ENVIRONMENT;
    } else {
        window.max_bytes = o->timeline_limit;
        w->timeline =
            timeline_create(m, &window, (struct sink){timeline_file_add, w->timeline_file});
    }
    strbuf_destroy(&why);
    arena_destroy(&arena);
    return status;
}

static bool add_to_text(void *user, const void *data, size_t bytes)
{
    strbuf_add_n(user, data, bytes);
    return true;
}

static enum heddle_status begin_series(struct run_watch *w, const struct run_options *o,
                                       struct machine *m)
{
    struct strbuf why = {0};
    struct sink sink = {add_to_text, &w->series_text};
    if (o->series_out) {
        if (!(w->series_file = output_open(o->series_out)))
            return HEDDLE_ENVIRONMENT;
        sink = (struct sink){output_add, w->series_file};
    }
    w->series = series_create(m, o->series, o->series_columns, sink, &why);
    if (!w->series)
        output_error("--series-columns: %s", strbuf_text(&why));
    strbuf_destroy(&why);
    return w->series ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static enum heddle_status begin_trace(struct run_watch *w, const struct run_options *o,
                                      struct heddle_sim *sim, const char *origin)
{
    if (!(w->trace = output_open(o->record)))
        return HEDDLE_ENVIRONMENT;
    enum heddle_status status = heddle_record(sim, origin, output_add, w->trace);
    if (status != HEDDLE_OK)
        output_failure(heddle_error(sim));
    return status;
}

/* --- locality --- */

static uint32_t locality_parts(const struct run_options *o)
{
    return (o->locality ? LOCALITY_RUN : 0) | (o->belady ? LOCALITY_BOUNDS : 0);
}

static bool add_to_file(void *user, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, user) == bytes)
        return true;
    if (!output_has_failed())
        output_write_failure("the temporary file of --locality and --belady");
    return false;
}

static enum heddle_status begin_locality(struct run_watch *w, const struct run_options *o,
                                         struct machine *m)
{
    const struct cache_config *l1d = &m->config->sm.l1d;
    if (o->belady && l1d->sector_bytes < l1d->line_bytes) {
        output_error("--belady: the L1D of %s has sectors, for which optimal replacement is not "
                     "known; --locality works",
                     m->config->gpu->name);
        return HEDDLE_BAD_INPUT;
    }
    if (!(w->stream_file = tmpfile())) {
        output_error("cannot create a temporary file: %s", strerror(errno));
        return HEDDLE_ENVIRONMENT;
    }
    w->stream = l1d_recorder_create(m, false, (struct sink){add_to_file, w->stream_file});
    return HEDDLE_OK;
}

static uint64_t count_of(const struct run_watch *w, const char *name)
{
    struct heddle_stat s = {0};
    heddle_stat_find(w->sim, name, &s);
    return s.count;
}

/* Every hit must have an owner; otherwise the recording is not of this run. */
static bool check_locality(const struct run_watch *w, struct strbuf *why)
{
    const struct locality *l = &w->locality;
    uint64_t told = l->intra_thread + l->inter_thread + l->inter_warp;
    uint64_t hits = count_of(w, "l1d.hits") + count_of(w, "l1d.merges");
    if (!(l->parts & LOCALITY_RUN) || told == hits)
        return true;
    strbuf_addf(why,
                "the statistics contradict each other, which is a bug in the simulator: %" PRIu64
                " hits and merges have an owner, of %" PRIu64,
                told, hits);
    return false;
}

static enum heddle_status end_locality(struct run_watch *w, const struct run_options *o)
{
    struct strbuf why = {0};
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(w->stream_file));
    bool is_written = l1d_recorder_finish(w->stream) && fflush(w->stream_file) == 0;
    if (!is_written && !output_has_failed())
        strbuf_addf(&why, "cannot write to a temporary file: %s", strerror(errno));
    bool is_read = is_written && locality_measure(path, &w->sim->machine->config->sm.l1d,
                                                  locality_parts(o), &w->locality, &why);
    w->locality.n_thread_insts = count_of(w, "thread_insts");
    bool ok = is_read && check_locality(w, &why);
    if (why.len)
        output_error("%s", strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : is_read ? HEDDLE_KERNEL_FAULT : HEDDLE_ENVIRONMENT;
}

/* A machine has a limited number of observers. */
static bool check_places(const struct run_options *o, const struct machine *m)
{
    int wanted = (locality_parts(o) != 0) + (o->series != 0) + (o->record_l1d != NULL) +
                 (o->record_decisions != NULL) + (o->timeline != NULL);
    if (!m || m->n_watchers + (uint32_t)wanted <= MACHINE_MAX_WATCHERS)
        return true;
    output_error("too many observers for one run: leave out one of --locality, --belady, --series, "
                 "--record-l1d, --record-decisions and --timeline");
    return false;
}

enum heddle_status run_watch_begin(struct run_watch *w, const struct run_options *o,
                                   struct heddle_sim *sim, const char *origin)
{
    struct machine *m = sim->machine;
    w->sim = sim;
    w->options = o;
    if (!check_places(o, m))
        return HEDDLE_BAD_INPUT;
    if (locality_parts(o)) {
        enum heddle_status status = begin_locality(w, o, m);
        if (status != HEDDLE_OK)
            return status;
    }
    if (o->per_pc)
        w->pc_profile = pc_profile_create(m);
    if (o->series) {
        enum heddle_status status = begin_series(w, o, m);
        if (status != HEDDLE_OK)
            return status;
    }
    if (o->record_l1d) {
        if (!(w->recording = output_open(o->record_l1d)))
            return HEDDLE_ENVIRONMENT;
        w->recorder =
            l1d_recorder_create(m, o->record_criticality, (struct sink){output_add, w->recording});
    }
    if (o->record_decisions) {
        if (!(w->decisions_file = output_open(o->record_decisions)))
            return HEDDLE_ENVIRONMENT;
        w->decisions = decision_recorder_create(m, (struct sink){output_add, w->decisions_file});
    }
    if (o->attribute_out) {
        if (!(w->attribution.file = output_open(o->attribute_out)))
            return HEDDLE_ENVIRONMENT;
        run_attribution_titles(w->attribution.file);
    }
    enum heddle_status status = o->timeline ? begin_timeline(w, o, m) : HEDDLE_OK;
    return status == HEDDLE_OK && o->record ? begin_trace(w, o, sim, origin) : status;
}

void run_watch_note(struct run_watch *w, const char *name, const char *value)
{
    if (w->trace)
        heddle_record_note(w->sim, name, value);
    if (w->attribution.file && !strpbrk(value, ", \"\n")) /* it must be a single field of a row */
        strbuf_addf(&w->attribution.origin, "%s%s=%s", w->attribution.origin.len ? " " : "", name,
                    value);
}

/* A window outside the run is a mistake, but the run's results are still valid. */
static void warn_of_empty_timeline(const struct run_watch *w)
{
    const struct run_options *o = w->options;
    struct strbuf text = {0};
    uint64_t end;
    if (!timeline_is_empty(w->timeline, &end))
        return;
    strbuf_add(&text, "heddle: warning: the timeline is empty: nothing ran");
    if (o->timeline_cycles)
        strbuf_addf(&text, " in the cycles %s", o->timeline_cycles);
    if (o->timeline_sms)
        strbuf_addf(&text, " on the SMs %s", o->timeline_sms);
    strbuf_addf(&text, "; the run ended at cycle %" PRIu64 "\n", end);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

static void warn_of_cut_timeline(const struct run_watch *w)
{
    struct strbuf text = {0};
    uint64_t end;
    if (!timeline_is_cut(w->timeline, &end))
        return;
    strbuf_addf(&text,
                "heddle: warning: the timeline ends at cycle %" PRIu64
                ", where it reached --timeline-limit\n",
                end);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* `is_complete` says whether all of it was written. */
static enum heddle_status end_file(struct output_stream **file, bool is_complete)
{
    struct output_stream *f = *file;
    *file = NULL;
    if (is_complete)
        return output_finish(f);
    output_abandon(f);
    return HEDDLE_ENVIRONMENT;
}

static enum heddle_status first_failure(enum heddle_status a, enum heddle_status b)
{
    return a != HEDDLE_OK ? a : b;
}

/* Time-based files: valid up to where a run was cut off. */
static enum heddle_status end_views(struct run_watch *w)
{
    enum heddle_status status = HEDDLE_OK;
    if (w->series) {
        bool is_complete = series_finish(w->series);
        status = w->series_file ? end_file(&w->series_file, is_complete) : HEDDLE_OK;
    }
    if (w->attribution.file) {
        run_attribution_origin(&w->attribution);
        status = first_failure(status, end_file(&w->attribution.file, true));
    }
    if (w->timeline) {
        struct timeline_file *file = w->timeline_file;
        w->timeline_file = NULL;
        status = first_failure(status, timeline_file_finish(file, timeline_finish(w->timeline)));
        warn_of_empty_timeline(w);
        warn_of_cut_timeline(w);
    }
    return status;
}

/* Files that are replayed or measured as a whole. */
static enum heddle_status end_recordings(struct run_watch *w)
{
    enum heddle_status status = HEDDLE_OK;
    if (w->recorder)
        status = end_file(&w->recording, l1d_recorder_finish(w->recorder));
    if (w->decisions)
        status = first_failure(
            status, end_file(&w->decisions_file, decision_recorder_finish(w->decisions)));
    if (w->trace)
        status = first_failure(status, end_file(&w->trace, heddle_record_end(w->sim) == HEDDLE_OK));
    if (w->stream)
        status = first_failure(status, end_locality(w, w->options));
    return status;
}

/* A user may look for them. */
static void tell_what_is_missing(const struct run_watch *w)
{
    const struct run_options *o = w->options;
    const char *const missing[] = {o->record_l1d, o->record_decisions, o->record};
    for (uint32_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (missing[i])
            output_error("%s is not written: the run was stopped, and a recording must be complete",
                         missing[i]);
    if (w->stream)
        output_error("--locality and --belady have no results: the run was stopped");
}

enum heddle_status run_watch_end(struct run_watch *w, enum run_extent extent)
{
    if (extent == RUN_UNKNOWN)
        return HEDDLE_OK;
    enum heddle_status status = end_views(w);
    if (extent == RUN_WHOLE)
        return first_failure(status, end_recordings(w));
    tell_what_is_missing(w);
    return status;
}

void run_watch_destroy(struct run_watch *w)
{
    l1d_recorder_destroy(w->stream);
    if (w->stream_file)
        fclose(w->stream_file);
    output_abandon(w->series_file);
    strbuf_destroy(&w->series_text);
    output_abandon(w->recording);
    output_abandon(w->attribution.file);
    strbuf_destroy(&w->attribution.origin);
    timeline_file_abandon(w->timeline_file);
    output_abandon(w->decisions_file);
    output_abandon(w->trace);
    pc_profile_destroy(w->pc_profile);
    series_destroy(w->series);
    l1d_recorder_destroy(w->recorder);
    timeline_destroy(w->timeline);
    decision_recorder_destroy(w->decisions);
}

/* --- by instruction --- */

static void print_profile(const struct run_watch *w, struct strbuf *out)
{
    static const char *const titles[] = {"kernel", "PC", "PTX line", "source",
#define COUNTER(field, help) #field,
                                         PC_COUNTERS(COUNTER)
#undef COUNTER
                                             "instruction"};
    enum { N_COLUMNS = sizeof titles / sizeof titles[0] };
    _Static_assert(N_COLUMNS <= (int)TABLE_MAX_COLUMNS, "the table is too wide");
    struct table t = {.titles = titles, .n_columns = N_COLUMNS, .right = "lrrlrrrrrrrl"};
    uint32_t n;
    const struct pc_row *rows = pc_profile_rows(w->pc_profile, &n);
    for (const struct pc_row *r = rows; r < rows + n; r++) {
        table_cell(&t, "%s", r->kernel);
        table_cell(&t, "%u", r->pc);
        table_cell(&t, "%u", r->ptx_line);
        if (r->source_file)
            table_cell(&t, "%s:%u", r->source_file, r->source_line);
        else
            table_cell(&t, "-");
#define COUNTER(field, help) table_count(&t, r->counts.field);
        PC_COUNTERS(COUNTER)
#undef COUNTER
        table_cell(&t, "%s", r->text);
    }
    table_print(&t, out);
    table_destroy(&t);
}

void run_watch_print(const struct run_watch *w, const struct run_options *o,
                     const struct heddle_sim *sim, struct strbuf *out)
{
    if (run_is_attributed(o))
        run_attribution_print(&w->attribution, sim, out);
    if (w->pc_profile)
        print_profile(w, out);
}

void run_watch_print_result(const struct run_watch *w, const struct run_options *o,
                            const struct heddle_sim *sim, struct strbuf *out)
{
    if (run_is_attributed(o))
        run_print_beside_attribution(sim, &w->locality, out);
    else
        run_print_stats(sim, &w->locality, out);
    if (o->kernels)
        run_print_kernels(sim, out);
    run_watch_print(w, o, sim, out);
}

static void json_profile(const struct run_watch *w, struct json_writer *j)
{
    uint32_t n;
    const struct pc_row *rows = pc_profile_rows(w->pc_profile, &n);
    json_begin_array(j, "per_pc");
    for (const struct pc_row *r = rows; r < rows + n; r++) {
        json_begin_object(j, NULL);
        json_string(j, "kernel", r->kernel);
        json_uint(j, "pc", r->pc);
        json_uint(j, "ptx_line", r->ptx_line);
        json_string(j, "instruction", r->text);
        json_string(j, "source_file", r->source_file);
        json_uint(j, "source_line", r->source_line);
#define COUNTER(field, help) json_uint(j, #field, r->counts.field);
        PC_COUNTERS(COUNTER)
#undef COUNTER
        json_end_object(j);
    }
    json_end_array(j);
}

/* A line of CSV without quotes as a list, of texts or of numbers. */
static void json_line(struct json_writer *j, const char *key, const char *line, size_t len,
                      bool is_text)
{
    struct strbuf field = {0};
    json_begin_array(j, key);
    for (const char *at = line, *end = line + len; at < end;) {
        size_t n = strcspn(at, ",\n");
        strbuf_clear(&field);
        strbuf_add_n(&field, at, n);
        if (is_text)
            json_string(j, NULL, strbuf_text(&field));
        else if (strchr(strbuf_text(&field), '.'))
            json_double(j, NULL, strtod(strbuf_text(&field), NULL));
        else
            json_uint(j, NULL, strtoull(strbuf_text(&field), NULL, 10));
        at += n + 1;
    }
    json_end_array(j);
    strbuf_destroy(&field);
}

static void json_series(const struct run_watch *w, uint64_t period_cycles, struct json_writer *j)
{
    const char *text = strbuf_text(&w->series_text);
    json_begin_object(j, "series");
    json_uint(j, "period_cycles", period_cycles);
    size_t n = strcspn(text, "\n");
    json_line(j, "columns", text, n, true);
    text += n + (text[n] != 0);
    json_begin_array(j, "rows");
    for (; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "\n");
        json_line(j, NULL, text, n, false);
    }
    json_end_array(j);
    json_end_object(j);
}

void run_watch_json(const struct run_watch *w, const struct run_options *o, struct json_writer *j)
{
    if (run_is_attributed(o))
        run_attribution_json(&w->attribution, j);
    if (w->pc_profile)
        json_profile(w, j);
    if (w->series_text.len)
        json_series(w, o->series, j);
}
