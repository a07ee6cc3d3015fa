#include "analysis/series.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gpu/machine_totals.h"

/* One row of the file, and one column for each line here: COLUMN(name, format, value). */
struct interval {
    uint64_t cycle, cycles; /* at its end; its length */
    struct machine_totals counted;
    uint32_t resident_warps, resident_ctas; /* at its end */
    uint64_t vta_hits;                      /* in it */
    struct sched_throttle throttle; /* at its end: of all SMs, the top score the highest of all */
};

struct series {
    struct machine *machine;
    struct sink sink;
    uint64_t last_cycle;
    struct machine_totals last;
    uint64_t last_vta_hits;
    bool failed;
};

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

#define COLUMNS(COLUMN)                                                                            \
    COLUMN(cycle, "%" PRIu64, i->cycle)                                                            \
    COLUMN(warp_insts, "%" PRIu64, i->counted.run.warp_insts)                                      \
    COLUMN(thread_insts, "%" PRIu64, i->counted.run.thread_insts)                                  \
    COLUMN(ipc, "%.6f", ratio(i->counted.run.thread_insts, i->cycles))                             \
    COLUMN(l1d.loads, "%" PRIu64, i->counted.l1d.loads)                                            \
    COLUMN(l1d.hits, "%" PRIu64, i->counted.l1d.hits)                                              \
    COLUMN(l1d.merges, "%" PRIu64, i->counted.l1d.merges)                                          \
    COLUMN(l1d.misses, "%" PRIu64, i->counted.l1d.misses)                                          \
    COLUMN(l1d.bypasses, "%" PRIu64, i->counted.l1d.bypasses)                                      \
    COLUMN(l1d.hit_rate, "%.6f",                                                                   \
           ratio(i->counted.l1d.hits + i->counted.l1d.merges,                                      \
                 i->counted.l1d.loads - i->counted.l1d.bypasses))                                  \
    COLUMN(l1d.evictions, "%" PRIu64, i->counted.l1d.evictions)                                    \
    COLUMN(l2.accesses, "%" PRIu64, i->counted.partition.accesses)                                 \
    COLUMN(l2.misses, "%" PRIu64, i->counted.l2.misses)                                            \
    COLUMN(dram.bytes, "%" PRIu64, i->counted.dram.bytes)                                          \
    COLUMN(resident_warps, "%" PRIu32, i->resident_warps)                                          \
    COLUMN(resident_ctas, "%" PRIu32, i->resident_ctas)                                            \
    COLUMN(warps_may_load, "%" PRIu32, i->throttle.may_load)                                       \
    COLUMN(vta_hits, "%" PRIu64, i->vta_hits)                                                      \
    COLUMN(score_sum, "%" PRIu64, i->throttle.score_sum)                                           \
    COLUMN(top_score, "%" PRIu32, i->throttle.top_score)

static void write_line(struct series *s, struct strbuf *line)
{
    line->text[line->len - 1] = '\n'; /* instead of the last comma */
    s->failed = s->failed || !s->sink.write(s->sink.user, line->text, line->len);
    strbuf_destroy(line);
}

static void write_titles(struct series *s)
{
    struct strbuf line = {0};
#define COLUMN(name, format, value) strbuf_add(&line, #name ",");
    COLUMNS(COLUMN)
#undef COLUMN
    write_line(s, &line);
}

static void write_interval(struct series *s, const struct interval *i)
{
    struct strbuf line = {0};
#define COLUMN(name, format, value) strbuf_addf(&line, format ",", value);
    COLUMNS(COLUMN)
#undef COLUMN
    write_line(s, &line);
}

/* A scheduler that does not tell holds no warp back. */
static void add_throttle(const struct sm *sm, uint64_t cycle, struct sched_throttle *sum)
{
    struct sched_throttle t = {.may_load = (uint32_t)__builtin_popcountll(sm->view.live)};
    if (sm->sched->observe)
        sm->sched->observe(sm->scheduler, cycle, &t);
    sum->vta_hits += t.vta_hits;
    sum->may_load += t.may_load;
    sum->score_sum += t.score_sum;
    sum->top_score = t.top_score > sum->top_score ? t.top_score : sum->top_score;
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct series *s = user;
    struct interval i = {.cycle = cycle, .cycles = cycle - s->last_cycle};
    struct machine_totals now;
    machine_totals_take(m, &now);
    i.counted = now;
    machine_totals_subtract(&i.counted, &s->last);
    for (uint32_t k = 0; k < machine_n_sms(m); k++) {
        i.resident_warps += (uint32_t)__builtin_popcountll(machine_sm(m, k)->view.live);
        i.resident_ctas += machine_sm(m, k)->n_resident;
        add_throttle(machine_sm(m, k), cycle, &i.throttle);
    }
    i.vta_hits = i.throttle.vta_hits - s->last_vta_hits;
    write_interval(s, &i);
    s->last = now;
    s->last_vta_hits = i.throttle.vta_hits;
    s->last_cycle = cycle;
}

struct series *series_create(struct machine *m, uint64_t period_cycles, struct sink sink)
{
    struct series *s = xcalloc(1, sizeof *s);
    s->machine = m;
    s->sink = sink;
    machine_watch(
        m, (struct machine_watcher){.period_cycles = period_cycles, .look = look, .user = s});
    write_titles(s);
    return s;
}

bool series_finish(struct series *s)
{
    uint64_t end = s->machine->kernel_free_at / s->machine->clocks[CLOCK_CORE].period;
    if (end > s->last_cycle)
        look(s, s->machine, end);
    return !s->failed;
}

void series_destroy(struct series *s)
{
    free(s);
}
