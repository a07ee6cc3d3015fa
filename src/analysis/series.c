#include "analysis/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "gpu/machine_totals.h"

/* One row of the file. */
struct interval {
    uint64_t cycle, cycles; /* at its end; its length */
    struct machine_totals counted;
    uint32_t resident_warps, resident_ctas; /* at its end */
};

/* Where the values of a column come from. */
enum source { OF_CYCLE, OF_RESIDENT_WARPS, OF_RESIDENT_CTAS, OF_MACHINE, OF_RUN };
struct column {
    const char *name;
    enum source source;
    uint32_t index; /* index of a statistic of the machine or of the run */
};

struct series {
    struct machine *machine;
    struct sink sink;
    uint64_t last_cycle;
    struct machine_totals last;
    struct column *columns;
    uint32_t n_columns;
    struct arena arena;
    bool failed;
};

/* The first column is the cycle. */
static const char usual[] = "warp_insts,thread_insts,ipc,l1d.loads,l1d.hits,l1d.merges,l1d.misses,"
                            "l1d.bypasses,l1d.hit_rate,l1d.evictions,l2.accesses,l2.misses,"
                            "dram.bytes,resident_warps,resident_ctas";

/* --- columns --- */

static const struct run_stats none;

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Counters kept outside the machine, or only updated when a launch ends, have no value over time.
 * Waits at L1D are counted in one piece or in several, depending on the engine. */
static bool has_course(const char *name)
{
    return !begins_with(name, "host.") && !begins_with(name, "l1d.reservation_fails") &&
           strcmp(name, "launches") != 0 && strcmp(name, "wait_cycles") != 0 &&
           strcmp(name, "elapsed_cycles") != 0;
}

/* All possible columns. */
static struct column *list_columns(const struct machine *m, struct arena *arena, uint32_t *n)
{
    uint32_t n_machine = machine_stat_count(m), n_run = run_stats_count();
    struct column *list = ARENA_ARRAY(arena, struct column, n_machine + n_run + 3);
    uint32_t at = 0;
    list[at++] = (struct column){"cycle", OF_CYCLE, 0};
    list[at++] = (struct column){"resident_warps", OF_RESIDENT_WARPS, 0};
    list[at++] = (struct column){"resident_ctas", OF_RESIDENT_CTAS, 0};
    for (uint32_t i = 0; i < n_run; i++)
        if (has_course(run_stats_at(&none, i).name))
            list[at++] = (struct column){run_stats_at(&none, i).name, OF_RUN, i};
    for (uint32_t i = 0; i < n_machine; i++)
        if (has_course(machine_stat_at(m, i).name))
            list[at++] = (struct column){machine_stat_at(m, i).name, OF_MACHINE, i};
    *n = at;
    return list;
}

static const struct column *find_column(const struct column *list, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void complain(const struct column *list, uint32_t n, const char *name, struct strbuf *why)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, n);
    for (uint32_t i = 0; i < n; i++)
        names[i] = list[i].name;
    const char *near = suggest_nearest(name, names, n);
    strbuf_addf(why, "a time series of this machine has no column '%s'%s%s%s", name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    arena_destroy(&arena);
}

static bool add_columns(struct series *s, const struct column *list, uint32_t n, const char *names,
                        struct strbuf *why)
{
    char *text = arena_strdup(&s->arena, names), *rest = NULL;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        const struct column *c = find_column(list, n, name);
        if (!c) {
            complain(list, n, name, why);
            return false;
        }
        if (!find_column(s->columns, s->n_columns, name))
            s->columns[s->n_columns++] = *c;
    }
    return true;
}

static bool choose_columns(struct series *s, const char *names, struct strbuf *why)
{
    uint32_t n, first = machine_first_declared_stat(s->machine);
    struct column *list = list_columns(s->machine, &s->arena, &n);
    if (names && strcmp(names, "all") == 0) {
        s->columns = list;
        s->n_columns = n;
        return true;
    }
    s->columns = ARENA_ARRAY(&s->arena, struct column, n);
    s->columns[s->n_columns++] = list[0];
    if (!add_columns(s, list, n, names ? names : usual, why))
        return false;
    for (uint32_t i = 0; i < n && !names; i++)
        if (list[i].source == OF_MACHINE && list[i].index >= first)
            s->columns[s->n_columns++] = list[i];
    return true;
}

/* --- rows --- */

static void write_line(struct series *s, struct strbuf *line)
{
    line->text[line->len - 1] = '\n'; /* replaces the last comma */
    s->failed = s->failed || !s->sink.write(s->sink.user, line->text, line->len);
    strbuf_destroy(line);
}

static void write_titles(struct series *s)
{
    struct strbuf line = {0};
    for (uint32_t i = 0; i < s->n_columns; i++)
        strbuf_addf(&line, "%s,", s->columns[i].name);
    write_line(s, &line);
}

static struct heddle_stat value_of(const struct series *s, const struct interval *i,
                                   const struct column *c)
{
    uint32_t first = machine_first_mechanism_stat(s->machine);
    switch (c->source) {
    case OF_CYCLE:
        return (struct heddle_stat){.count = i->cycle};
    case OF_RESIDENT_WARPS:
        return (struct heddle_stat){.count = i->resident_warps};
    case OF_RESIDENT_CTAS:
        return (struct heddle_stat){.count = i->resident_ctas};
    case OF_RUN:
        return run_stats_at(&i->counted.run, c->index);
    case OF_MACHINE:
        break;
    }
    return c->index < first
               ? machine_totals_stat(&i->counted, c->index)
               : mechanism_stat_now(&i->counted.mechanisms, s->machine, c->index - first, i->cycle);
}

static void write_interval(struct series *s, const struct interval *i)
{
    struct strbuf line = {0};
    for (uint32_t k = 0; k < s->n_columns; k++) {
        struct heddle_stat v = value_of(s, i, &s->columns[k]);
        if (v.is_real)
            strbuf_addf(&line, "%.6f,", v.real);
        else
            strbuf_addf(&line, "%" PRIu64 ",", v.count);
    }
    write_line(s, &line);
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct series *s = user;
    struct interval i = {.cycle = cycle, .cycles = cycle - s->last_cycle};
    struct machine_totals now;
    machine_totals_take(m, cycle, &now);
    i.counted = now;
    machine_totals_subtract(&i.counted, &s->last);
    i.counted.cycles = i.cycles; /* the machine's own count covers finished launches only */
    for (uint32_t k = 0; k < machine_n_sms(m); k++) {
        i.resident_warps += (uint32_t)__builtin_popcountll(machine_sm(m, k)->view.live);
        i.resident_ctas += machine_sm(m, k)->n_resident;
    }
    write_interval(s, &i);
    s->last = now;
    s->last_cycle = cycle;
}

struct series *series_create(struct machine *m, uint64_t period_cycles, const char *columns,
                             struct sink sink, struct strbuf *why)
{
    struct series *s = xcalloc(1, sizeof *s);
    s->machine = m;
    s->sink = sink;
    if (!choose_columns(s, columns, why)) {
        series_destroy(s);
        return NULL;
    }
    machine_watch(
        m, (struct machine_watcher){.period_cycles = period_cycles, .look = look, .user = s});
    write_titles(s);
    return s;
}

bool series_finish(struct series *s)
{
    uint64_t end = machine_cycle(s->machine);
    if (end > s->last_cycle)
        look(s, s->machine, end);
    return !s->failed;
}

void series_destroy(struct series *s)
{
    if (s)
        arena_destroy(&s->arena);
    free(s);
}
