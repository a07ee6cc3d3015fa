#include "analysis/l2_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t stat_of(const struct heddle_sim *sim, const char *name)
{
    struct heddle_stat s;
    return heddle_stat_find(sim, name, &s) ? s.count : 0;
}

struct l2_traffic l2_traffic_of(const struct heddle_sim *sim)
{
    return (struct l2_traffic){.reads = stat_of(sim, "dram.reads"),
                               .writes = stat_of(sim, "dram.writes"),
                               .bytes = stat_of(sim, "dram.bytes"),
                               .stale = stat_of(sim, "l2.stale_reads"),
                               .cycles = stat_of(sim, "cycles")};
}

/* The kernel and the buffer come last, because names may contain spaces. */
static void write_site(const struct l2_site *s, struct strbuf *out)
{
    strbuf_addf(out,
                "site %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 " %" PRIu64 " %s %s\n",
                s->argument, s->written, s->read_later, s->shared, s->read_again, s->refetched,
                s->loaded, s->loaded_by_others, s->loaded_again, s->kernel, s->buffer);
}

void l2_report_write(const struct heddle_sim *sim, const struct l2_advice *advice,
                     uint64_t n_failed, struct strbuf *out)
{
    struct l2_traffic t = l2_traffic_of(sim);
    strbuf_addf(out,
                "device %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                n_failed, t.reads, t.writes, t.bytes, t.stale, t.cycles);
    for (uint32_t i = 0; advice && i < l2_advice_count(advice); i++)
        write_site(l2_advice_site(advice, i), out);
}

static bool read_device(struct l2_report *r, const char *line)
{
    struct l2_traffic t;
    uint64_t n_failed;
    if (sscanf(line, "device %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
               &n_failed, &t.reads, &t.writes, &t.bytes, &t.stale, &t.cycles) != 6)
        return false;
    r->n_devices++;
    r->n_failed += n_failed;
    r->sum.reads += t.reads;
    r->sum.writes += t.writes;
    r->sum.bytes += t.bytes;
    r->sum.stale += t.stale;
    r->sum.cycles += t.cycles;
    return true;
}

static bool read_site(struct l2_report *r, char *line)
{
    struct l2_site s;
    int at = 0;
    if (sscanf(line,
               "site %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %n",
               &s.argument, &s.written, &s.read_later, &s.shared, &s.read_again, &s.refetched,
               &s.loaded, &s.loaded_by_others, &s.loaded_again, &at) != 9 ||
        !at)
        return false;
    char *kernel = line + at, *space = strchr(kernel, ' ');
    if (!space)
        return false;
    *space = '\0';
    s.kernel = kernel;
    s.buffer = space + 1;
    if (r->advice)
        l2_advice_add(r->advice, &s);
    return true;
}

bool l2_report_read(struct l2_report *r, const char *text)
{
    bool ok = true;
    struct strbuf line = {0};
    for (const char *end; ok && *text; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        strbuf_clear(&line);
        strbuf_add_n(&line, text, (size_t)(end - text));
        ok = read_device(r, strbuf_text(&line)) || (line.text && read_site(r, line.text));
    }
    strbuf_destroy(&line);
    return ok;
}
