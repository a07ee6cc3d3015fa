#include "stats/run_stats.h"

#include <assert.h>

static double per_second(uint64_t n, double seconds)
{
    return seconds > 0 ? (double)n / seconds : 0;
}

static uint64_t insts_of_all_classes(const struct run_stats *s)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < PTX_N_CLASSES; c++)
        sum += s->insts[c];
    return sum;
}

enum {
    N_STATS = 0
#define COUNTER(field, text, measure, meaning)   +1
#define GAUGE(field, text, measure, meaning)     +1
#define CLASS_COUNTERS                           +PTX_N_CLASSES
#define RATE(text, measure, meaning, expression) +1
#include "stats/run_stats.def"
};

uint32_t run_stats_count(void)
{
    return N_STATS;
}

/* Builds the whole list to return one entry: it is requested once per run, and this way a row needs
 * neither an offset nor a function. */
struct heddle_stat run_stats_at(const struct run_stats *s, uint32_t i)
{
    assert(i < N_STATS);
    const struct heddle_stat all[N_STATS] = {
#define COUNTER(field, text, measure, meaning)                                                     \
    {.name = text, .unit = measure, .help = meaning, .count = s->field},
#define GAUGE(field, text, measure, meaning)                                                       \
    {.name = text, .unit = measure, .help = meaning, .count = s->field},
#define CLASS(id, text, meaning)                                                                   \
    {.name = "insts." text,                                                                        \
     .unit = "instructions",                                                                       \
     .help = meaning,                                                                              \
     .count = s->insts[PTX_CLASS_##id]},
#define CLASS_COUNTERS PTX_CLASSES(CLASS)
#define RATE(text, measure, meaning, expression)                                                   \
    {.name = text, .unit = measure, .help = meaning, .is_real = true, .real = (expression)},
#include "stats/run_stats.def"
#undef CLASS
    };
    return all[i];
}

void run_stats_add(struct run_stats *into, const struct run_stats *from)
{
#define COUNTER(field, text, measure, meaning) into->field += from->field;
#define GAUGE(field, text, measure, meaning)                                                       \
    if (into->field < from->field)                                                                 \
        into->field = from->field;
#define CLASS_COUNTERS                                                                             \
    for (uint32_t c = 0; c < PTX_N_CLASSES; c++)                                                   \
        into->insts[c] += from->insts[c];
#include "stats/run_stats.def"
    into->host_seconds += from->host_seconds;
}

void run_stats_subtract(struct run_stats *from, const struct run_stats *before)
{
#define COUNTER(field, text, measure, meaning) from->field -= before->field;
#define CLASS_COUNTERS                                                                             \
    for (uint32_t c = 0; c < PTX_N_CLASSES; c++)                                                   \
        from->insts[c] -= before->insts[c];
#include "stats/run_stats.def"
    from->host_seconds -= before->host_seconds;
}

bool run_stats_check(const struct run_stats *s, struct strbuf *why)
{
    bool ok = true;
#define IDENTITY(expression)                                                                       \
    if (!(expression)) {                                                                           \
        ok = false;                                                                                \
        strbuf_add(why, "statistics are inconsistent; violated: " #expression "\n");               \
    }
#include "stats/run_stats.def"
    return ok;
}
