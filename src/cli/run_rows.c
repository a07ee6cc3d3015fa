#include "cli/run_rows.h"

#include <string.h>

#include "cli/table.h"

/* The statistics among the columns. */
enum column_use { ALWAYS, TIMED, UNTIMED };
static const struct column {
    const char *title, *stat;
    int width;
    enum column_use use;
} columns[] = {
    {"launches", "launches", 8, ALWAYS},
    {"warp insts", "warp_insts", 11, ALWAYS},
    {"thread insts", "thread_insts", 13, UNTIMED},
    {"cycles", "cycles", 11, TIMED},
    {"IPC", "ipc", 6, TIMED},
    {"L1D MPKI", "l1d.mpki", 8, TIMED},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };
enum { TIME_WIDTH = 8, RATE_WIDTH = 14 };

static const char name_title[] = "workload", size_title[] = "size";

static bool is_used(const struct run_rows *rows, const struct column *c)
{
    return c->use == ALWAYS || (c->use == TIMED) == rows->is_timed;
}

void run_rows_fit(struct run_rows *rows, const char *name, const char *size)
{
    int name_width = (int)strlen(name), size_width = (int)strlen(size);
    if (rows->name_width < name_width)
        rows->name_width = name_width;
    if (rows->size_width < size_width)
        rows->size_width = size_width;
}

static void begin_row(const struct run_rows *rows, const char *name, const char *size,
                      struct strbuf *out)
{
    struct run_rows widths = *rows;
    run_rows_fit(&widths, name_title, size_title);
    strbuf_addf(out, "%-*s  %-*s", widths.name_width, name, widths.size_width, size);
}

void run_rows_titles(const struct run_rows *rows, struct strbuf *out)
{
    begin_row(rows, name_title, size_title, out);
    for (int i = 0; i < N_COLUMNS; i++)
        if (is_used(rows, &columns[i]))
            strbuf_addf(out, "  %*s", columns[i].width, columns[i].title);
    strbuf_addf(out, "  %*s  %*s  verified\n", TIME_WIDTH, "time", RATE_WIDTH, "M warp insts/s");
}

static void add_stat(const struct heddle_sim *sim, const struct column *c, struct strbuf *out)
{
    struct heddle_stat s;
    struct strbuf text = {0};
    if (!sim || !heddle_stat_find(sim, c->stat, &s))
        strbuf_add_char(&text, '-');
    else if (s.is_real)
        strbuf_addf(&text, "%.1f", s.real);
    else
        text_count(&text, s.count);
    strbuf_addf(out, "  %*s", c->width, strbuf_text(&text));
    strbuf_destroy(&text);
}

static void add_rate(const struct heddle_sim *sim, double seconds, struct strbuf *out)
{
    struct heddle_stat s;
    if (sim && seconds > 0 && heddle_stat_find(sim, "warp_insts", &s))
        strbuf_addf(out, "  %*.1f", RATE_WIDTH, (double)s.count / seconds / 1e6);
    else
        strbuf_addf(out, "  %*s", RATE_WIDTH, "-");
}

void run_rows_add(const struct run_rows *rows, const char *name, const char *size,
                  const struct heddle_sim *sim, const struct workload_result *r, struct strbuf *out)
{
    begin_row(rows, name, size, out);
    for (int i = 0; i < N_COLUMNS; i++)
        if (is_used(rows, &columns[i]))
            add_stat(sim, &columns[i], out);
    strbuf_addf(out, "  %*.2f s", TIME_WIDTH - 2, r->seconds);
    add_rate(sim, r->seconds, out);
    strbuf_addf(out, "  %s\n", r->verified ? "yes" : r->ok ? "NO: WRONG RESULT" : "NO: FAILED");
}
