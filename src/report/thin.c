#include "report/thin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "sm/attribution.h"

enum { MAX_STEPS = 8192, MAX_SLOTS = 256, MAX_SPANS = 200, CTA_SLOTS_FROM = 1000 };

static const char *const titles[] = {
#define LATENCY(id, name, title, help) title,
    LATENCIES(LATENCY)
#undef LATENCY
};

/* The cycles of a slot in each step, by category. */
struct slot {
    uint32_t (*counts)[N_LATENCIES]; /* MAX_STEPS of them; NULL = nothing happened */
};

struct span {
    char *kernel; /* JSON-escaped, without quotes */
    uint64_t from, to;
};

struct thinned {
    struct slot slots[MAX_SLOTS];
    uint64_t step, end;
    struct span spans[MAX_SPANS];
    uint32_t n_spans;
    uint64_t sm;
};

/* --- reading: one event per line, as timeline.c writes them --- */

static bool number_of(const char *line, const char *key, uint64_t *out)
{
    const char *at = strstr(line, key);
    char *end;
    if (!at)
        return false;
    *out = strtoull(at + strlen(key), &end, 10);
    return end != at + strlen(key);
}

/* The JSON-escaped text of a string. */
static const char *text_of(const char *line, const char *key, size_t *len)
{
    const char *at = strstr(line, key);
    if (!at)
        return NULL;
    at += strlen(key);
    for (*len = 0; at[*len] && at[*len] != '"'; ++*len)
        *len += at[*len] == '\\' && at[*len + 1];
    return at;
}

static int category_of(const char *line)
{
    size_t len;
    const char *name = text_of(line, "\"name\":\"", &len);
    for (int i = 0; name && i < N_LATENCIES; i++)
        if (strlen(titles[i]) == len && strncmp(titles[i], name, len) == 0)
            return i;
    return -1;
}

/* --- thinning --- */

static void double_step(struct thinned *t)
{
    for (uint32_t s = 0; s < MAX_SLOTS; s++)
        for (uint32_t i = 0; t->slots[s].counts && i < MAX_STEPS; i++)
            for (int c = 0; c < N_LATENCIES; c++) {
                bool is_kept = i < MAX_STEPS / 2;
                t->slots[s].counts[i][c] =
                    is_kept ? t->slots[s].counts[2 * i][c] + t->slots[s].counts[2 * i + 1][c] : 0;
            }
    t->step *= 2;
}

static void add_slice(struct thinned *t, uint64_t slot, uint64_t from, uint64_t cycles,
                      int category)
{
    uint64_t to = from + cycles;
    while (to > MAX_STEPS * t->step)
        double_step(t);
    t->end = to > t->end ? to : t->end;
    struct slot *s = &t->slots[slot];
    if (!s->counts)
        s->counts = xcalloc(MAX_STEPS, sizeof *s->counts);
    while (from < to) {
        uint64_t i = from / t->step, next = (i + 1) * t->step;
        uint64_t until = next < to ? next : to;
        s->counts[i][category] += (uint32_t)(until - from);
        from = until;
    }
}

static void note_kernel(struct thinned *t, const char *line, uint64_t from, uint64_t to)
{
    size_t len;
    const char *kernel = text_of(line, "\"kernel\":\"", &len);
    struct span *last = t->n_spans ? &t->spans[t->n_spans - 1] : NULL;
    if (!kernel)
        return;
    bool is_same = last && strlen(last->kernel) == len && strncmp(last->kernel, kernel, len) == 0;
    if (is_same && to > last->to)
        last->to = to;
    if (!is_same && t->n_spans < MAX_SPANS && (!last || from >= last->to))
        t->spans[t->n_spans++] = (struct span){strndup(kernel, len), from, to};
}

static void read_line(struct thinned *t, const char *line)
{
    uint64_t slot, from, cycles;
    if (!strstr(line, "\"ph\":\"X\"") || !number_of(line, "\"tid\":", &slot) ||
        !number_of(line, "\"ts\":", &from) || !number_of(line, "\"dur\":", &cycles))
        return;
    int category = category_of(line);
    if (slot >= MAX_SLOTS || slot >= CTA_SLOTS_FROM || category < 0)
        return;
    number_of(line, "\"pid\":", &t->sm);
    add_slice(t, slot, from, cycles, category);
    note_kernel(t, line, from, from + cycles);
}

/* --- writing --- */

/* The category with most cycles of a step; -1 if there are none. */
static int main_category(const uint32_t counts[N_LATENCIES])
{
    int best = 0;
    for (int c = 1; c < N_LATENCIES; c++)
        best = counts[c] > counts[best] ? c : best;
    return counts[best] ? best : -1;
}

static void add_runs(const struct slot *s, struct strbuf *out)
{
    uint32_t from = 0, end = 0;
    const char *comma = "";
    strbuf_add(out, "\"runs\":[");
    while (from < MAX_STEPS) {
        int category = main_category(s->counts[from]);
        uint32_t to = from + 1;
        while (to < MAX_STEPS && main_category(s->counts[to]) == category)
            to++;
        if (category >= 0) {
            strbuf_addf(out, "%s%u,%u,%d", comma, from - end, to - from, category);
            end = to;
            comma = ",";
        }
        from = to;
    }
    strbuf_add(out, "]");
}

static void add_names(const struct thinned *t, struct strbuf *out)
{
    strbuf_addf(out,
                "{\"sm\":\"SM %" PRIu64 "\",\"step\":%" PRIu64 ",\"cycles\":%" PRIu64
                ",\"categories\":[",
                t->sm, t->step, t->end);
    for (int i = 0; i < N_LATENCIES; i++)
        strbuf_addf(out, "%s\"%s\"", i ? "," : "", titles[i]);
    strbuf_add(out, "],\"kernels\":[");
    for (uint32_t i = 0; i < t->n_spans; i++)
        strbuf_addf(out, "%s{\"name\":\"%s\",\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}",
                    i ? "," : "", t->spans[i].kernel, t->spans[i].from, t->spans[i].to);
}

static void add_thinned(const struct thinned *t, struct strbuf *out)
{
    const char *comma = "";
    add_names(t, out);
    strbuf_add(out, "],\"slots\":[");
    for (uint32_t i = 0; i < MAX_SLOTS; i++) {
        if (!t->slots[i].counts)
            continue;
        strbuf_addf(out, "%s{\"name\":\"warp slot %u\",", comma, i);
        add_runs(&t->slots[i], out);
        strbuf_add(out, "}");
        comma = ",\n";
    }
    strbuf_add(out, "]}");
}

static void destroy(struct thinned *t)
{
    for (uint32_t i = 0; i < MAX_SLOTS; i++)
        free(t->slots[i].counts);
    for (uint32_t i = 0; i < t->n_spans; i++)
        free(t->spans[i].kernel);
    free(t);
}

enum heddle_status thin_timeline(const char *path, struct strbuf *out, struct strbuf *error)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        strbuf_addf(error, "cannot read %s: %s\n", path, strerror(errno));
        return HEDDLE_ENVIRONMENT;
    }
    struct thinned *t = xcalloc(1, sizeof *t);
    t->step = 1;
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, file) > 0)
        read_line(t, line);
    free(line);
    fclose(file);
    add_thinned(t, out);
    destroy(t);
    return HEDDLE_OK;
}
