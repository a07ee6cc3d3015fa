#include "analysis/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/timeline_args.h"
#include "base/json.h"
#include "gpu/machine.h"

/* Core cycles between two samples of the counters; finished events are written at each sample. */
enum { PERIOD_CYCLES = 256 };
/* Threads of an SM: warp slots, then CTA slots from here on. */
enum { FIRST_CTA_THREAD = 1000 };

enum event_kind { EVENT_SPAN, EVENT_EXIT, EVENT_CTA };

struct event {
    enum event_kind kind;
    uint64_t from, to;
    uint32_t thread;
    const char *kernel;
    const struct program *program; /* of a span */
    uint32_t pc;
    enum latency latency;
    enum sm_unit unit; /* the unit that it waits for, if any */
    uint64_t cta;      /* for the other kinds */
    uint32_t launch, warp, n_warps;
};

struct resident_cta {
    uint64_t start;
    uint32_t n_warps;
};

/* The events of one SM. Only its own callbacks write here while it runs. */
struct track {
    const struct timeline *timeline;
    const struct sm *sm;
    bool is_drawn;
    bool has_events;      /* ever had */
    struct event *events; /* not written yet */
    uint32_t n, cap;
    struct resident_cta ctas[SM_MAX_CTAS];
    uint64_t issued, misses; /* at the last sample */
    uint64_t shown_warps, shown_issued, shown_misses;
};

struct timeline {
    struct machine *machine;
    uint64_t from, to;
    struct track *tracks;
    uint64_t last_sample; /* cycle */
    struct sink sink;
    uint64_t n_bytes, max_bytes; /* of the document; max 0 = no limit */
    bool has_events, failed, is_cut;
    struct timeline_args args;
};

/* --- events on an SM --- */

static void keep(struct track *k, const struct event *e)
{
    const struct timeline *t = k->timeline;
    struct event clipped = *e;
    if (e->from < t->from)
        clipped.from = t->from;
    if (e->to > t->to)
        clipped.to = t->to;
    if (clipped.from >= clipped.to)
        return;
    ARRAY_RESERVE(k->events, k->cap, k->n + 1);
    k->events[k->n++] = clipped;
    k->has_events = true;
}

static const char *kernel_of(const struct track *k)
{
    return k->sm->emu.launch.func->func->name;
}

static void on_span(void *user, const struct latency_span *s)
{
    struct track *k = user;
    keep(k, &(struct event){.kind = EVENT_SPAN,
                            .from = s->from,
                            .to = s->to,
                            .thread = s->slot,
                            .kernel = kernel_of(k),
                            .program = k->sm->emu.program,
                            .pc = s->pc,
                            .latency = s->latency,
                            .unit = (enum sm_unit)k->sm->timing[s->pc].kind.unit});
}

static void end_cta(struct track *k, const struct warp_latency *w)
{
    struct resident_cta *cta = &k->ctas[w->cta_slot];
    keep(k, &(struct event){.kind = EVENT_CTA,
                            .from = cta->start,
                            .to = w->end,
                            .thread = FIRST_CTA_THREAD + w->cta_slot,
                            .cta = w->cta,
                            .launch = w->launch + 1,
                            .n_warps = cta->n_warps,
                            .kernel = kernel_of(k)});
    cta->n_warps = 0;
}

/* Ends with the last of its warps that are still alive. */
static void cut_cta(struct track *k, const struct warp_latency *w)
{
    if (k->ctas[w->cta_slot].n_warps == k->sm->ctas[w->cta_slot].n_warps)
        end_cta(k, w);
}

static void on_warp_end(void *user, const struct warp_latency *w)
{
    struct track *k = user;
    k->ctas[w->cta_slot].start = w->start; /* all warps of a CTA start together */
    k->ctas[w->cta_slot].n_warps++;
    if (w->is_cut) {
        cut_cta(k, w);
        return;
    }
    keep(k, &(struct event){.kind = EVENT_EXIT,
                            .from = w->end - 1,
                            .to = w->end,
                            .thread = w->slot,
                            .cta = w->cta,
                            .launch = w->launch + 1,
                            .warp = w->warp_in_cta});
    if (w->is_last_of_cta)
        end_cta(k, w);
}

/* --- writing --- */

static void write_text(struct timeline *t, struct strbuf *text)
{
    if (text->len && !t->sink.write(t->sink.user, text->text, text->len))
        t->failed = true;
    t->n_bytes += text->len;
    strbuf_destroy(text);
}

/* Warps and CTAs that are still running are drawn up to this point when they end. */
static void cut_when_full(struct timeline *t, uint64_t cycle)
{
    if (!t->max_bytes || t->n_bytes <= t->max_bytes || t->to <= cycle)
        return;
    t->to = cycle;
    t->is_cut = true;
}

/* The start of an event: its line, name and process. */
static void begin(struct timeline *t, const struct track *k, char phase, struct strbuf *out)
{
    strbuf_addf(out, "%s\n{\"ph\":\"%c\",\"pid\":%u", t->has_events ? "," : "", phase,
                k->sm->index);
    t->has_events = true;
}

static void add_name(struct timeline *t, const struct track *k, const char *what, uint32_t thread,
                     const char *name, uint32_t number, struct strbuf *out)
{
    begin(t, k, 'M', out);
    strbuf_addf(out, ",\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s %u\"}}", thread, what,
                name, number);
}

static void add_names(struct timeline *t, const struct track *k, struct strbuf *out)
{
    add_name(t, k, "process_name", 0, "SM", k->sm->index, out);
    for (uint32_t i = 0; i < k->sm->n_warps; i++)
        add_name(t, k, "thread_name", i, "warp slot", i, out);
    for (uint32_t i = 0; i < k->sm->n_cta_slots; i++)
        add_name(t, k, "thread_name", FIRST_CTA_THREAD + i, "CTA slot", i, out);
}

static void add_span(struct timeline *t, const struct event *e, struct strbuf *out)
{
    static const char *const names[] = {
#define LATENCY(id, name, title, help) title,
        LATENCIES(LATENCY)
#undef LATENCY
    };
    strbuf_addf(out, ",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"kernel\":\"%s\",%s",
                e->latency == LATENCY_EXEC ? "issue" : "stall", names[e->latency], e->kernel,
                timeline_args_of(&t->args, e->program, e->pc));
    if (e->latency == LATENCY_STRUCTURAL_HAZARD)
        strbuf_addf(out, ",\"unit\":\"%s\"", latency_unit_titles[e->unit]);
    strbuf_add(out, "}}");
}

static void add_event(struct timeline *t, const struct track *k, const struct event *e,
                      struct strbuf *out)
{
    begin(t, k, e->kind == EVENT_EXIT ? 'i' : 'X', out);
    strbuf_addf(out, ",\"tid\":%u,\"ts\":%" PRIu64, e->thread, e->from);
    if (e->kind != EVENT_EXIT)
        strbuf_addf(out, ",\"dur\":%" PRIu64, e->to - e->from);
    switch (e->kind) {
    case EVENT_SPAN:
        add_span(t, e, out);
        break;
    case EVENT_EXIT:
        strbuf_addf(out,
                    ",\"s\":\"t\",\"cat\":\"exit\",\"name\":\"exit\",\"args\":{\"launch\":%u,"
                    "\"cta\":%" PRIu64 ",\"warp\":%u}}",
                    e->launch, e->cta, e->warp);
        break;
    case EVENT_CTA:
        strbuf_addf(out,
                    ",\"cat\":\"cta\",\"name\":\"CTA %" PRIu64
                    "\",\"args\":{\"kernel\":\"%s\",\"launch\":%u,\"warps\":%u}}",
                    e->cta, e->kernel, e->launch, e->n_warps);
    }
}

static void add_counter(struct timeline *t, const struct track *k, const char *name, uint64_t at,
                        uint64_t value, uint64_t *shown, struct strbuf *out)
{
    if (value == *shown || at < t->from || at >= t->to)
        return;
    begin(t, k, 'C', out);
    strbuf_addf(out, ",\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%" PRIu64 "}}", at,
                name, value);
    *shown = value;
}

/* Resident warps now; counts since the last sample are drawn at its beginning. */
static void sample(struct timeline *t, struct track *k, uint64_t cycle, struct strbuf *out)
{
    uint64_t issued = k->sm->stats.issued, misses = cache_stats(k->sm->l1d)->misses;
    add_counter(t, k, "instructions issued", t->last_sample, issued - k->issued, &k->shown_issued,
                out);
    add_counter(t, k, "L1D misses", t->last_sample, misses - k->misses, &k->shown_misses, out);
    add_counter(t, k, "resident warps", cycle, (uint64_t)__builtin_popcountll(k->sm->view.live),
                &k->shown_warps, out);
    k->issued = issued;
    k->misses = misses;
}

/* Sorts by start time, whatever the order in which they ended. */
static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void flush(struct timeline *t, uint64_t cycle)
{
    struct strbuf out = {0};
    for (uint32_t i = 0; i < machine_n_sms(t->machine); i++) {
        struct track *k = &t->tracks[i];
        if (!k->is_drawn)
            continue;
        attribution_catch_up(machine_sm(t->machine, i), cycle);
        if (k->n)
            qsort(k->events, k->n, sizeof *k->events, by_time);
        for (uint32_t e = 0; e < k->n; e++)
            add_event(t, k, &k->events[e], &out);
        k->n = 0;
        sample(t, k, cycle, &out);
    }
    t->last_sample = cycle;
    write_text(t, &out);
    cut_when_full(t, cycle);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    (void)m;
    flush(user, cycle);
}

/* --- set-up --- */

static bool is_wanted(const struct timeline_window *w, uint32_t sm)
{
    for (uint32_t i = 0; i < w->n_sms; i++)
        if (w->sms[i] == sm)
            return true;
    return w->n_sms == 0;
}

static void begin_track(struct timeline *t, struct track *k, struct sm *sm, struct strbuf *out)
{
    *k = (struct track){.timeline = t, .sm = sm, .is_drawn = true};
    attribution_listen(
        sm->attribution,
        &(struct attribution_listener){.on_span = on_span, .on_warp_end = on_warp_end, .user = k});
    add_names(t, k, out);
}

/* The description of the run, then the list of events, which stays open. */
static void begin_document(const struct machine *m, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_begin_object(&w, "otherData");
    json_string(&w, "heddle_version", heddle_version());
    json_string(&w, "gpu", m->config->gpu->name);
    json_string(&w, "scheduler", m->config->scheduler->name);
    json_string(&w, "ts", "core cycles");
    json_end_object(&w);
    strbuf_add(out, ",\n\"traceEvents\": [");
}

struct timeline *timeline_create(struct machine *m, const struct timeline_window *w,
                                 struct sink sink)
{
    struct timeline *t = xcalloc(1, sizeof *t);
    struct strbuf out = {0};
    t->machine = m;
    t->from = w->from_cycle;
    t->to = w->to_cycle ? w->to_cycle : UINT64_MAX;
    t->max_bytes = w->max_bytes;
    t->sink = sink;
    t->tracks = xcalloc(machine_n_sms(m), sizeof *t->tracks);
    begin_document(m, &out);
    for (uint32_t i = 0; i < machine_n_sms(m); i++)
        if (is_wanted(w, i))
            begin_track(t, &t->tracks[i], machine_sm(m, i), &out);
    write_text(t, &out);
    machine_watch(
        m, (struct machine_watcher){.period_cycles = PERIOD_CYCLES, .look = look, .user = t});
    return t;
}

bool timeline_finish(struct timeline *t)
{
    uint64_t end = t->machine->kernel_free_at / t->machine->clocks[CLOCK_CORE].period;
    if (end > t->last_sample)
        flush(t, end);
    flush(t, t->last_sample); /* nothing happens after this point: counters fall to 0 */
    struct strbuf out = {0};
    strbuf_add(&out, "\n]}\n");
    write_text(t, &out);
    return !t->failed;
}

bool timeline_is_empty(const struct timeline *t, uint64_t *end)
{
    bool is_empty = true;
    for (uint32_t i = 0; i < machine_n_sms(t->machine); i++)
        is_empty &= !t->tracks[i].has_events;
    *end = t->last_sample;
    return is_empty;
}

bool timeline_is_cut(const struct timeline *t, uint64_t *end)
{
    *end = t->to;
    return t->is_cut;
}

void timeline_destroy(struct timeline *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < machine_n_sms(t->machine); i++)
        free(t->tracks[i].events);
    free(t->tracks);
    timeline_args_destroy(&t->args);
    free(t);
}
