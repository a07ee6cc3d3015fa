/* An oracle: how many cycles each warp took in a recorded run. S3 = S.-Y. Lee: Intelligent
 * scheduling and memory management techniques for modern GPU architectures. PhD thesis, Arizona
 * State University 2017, section 3.5: "I encode the oracle warp criticality information based on
 * the warp execution time with the baseline RR policy."
 *
 * The times come from a file that `heddle run ... --scheduler lrr --attribute-out FILE` writes. A
 * warp is identified by its launch, its CTA and its number in the CTA, which are the same in every
 * run. The slowest warp of a CTA is critical; of equals, the oldest. If the file lacks a warp, it
 * belongs to another program or input: an error, which is reported at the end of the run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crit/criticality.h"

struct oracle_params {
    const char *file;
};

static const struct param oracle_params[] = {
    PARAM_STRING(struct oracle_params, file, "",
                 "times of warps, as `heddle run --attribute-out` writes them"),
};

struct warp_time {
    uint64_t launch, cta, warp; /* launches are counted from 1 */
    int64_t cycles;
};

/* Sorted by key. */
struct oracle {
    struct warp_time *times;
    uint32_t n;
};

struct oracle_state {
    uint64_t n_unknown;
    int64_t cycles[]; /* per warp slot */
};

static int compare(const void *x, const void *y)
{
    const struct warp_time *a = x, *b = y;
    if (a->launch != b->launch)
        return a->launch < b->launch ? -1 : 1;
    if (a->cta != b->cta)
        return a->cta < b->cta ? -1 : 1;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

/* --- the file: comma-separated, the first line names the columns --- */

enum column { COL_RECORD, COL_LAUNCH, COL_CTA, COL_WARP, COL_START, COL_END, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"record", "launch",      "cta",
                                                    "warp",   "start_cycle", "end_cycle"};
enum { MAX_FIELDS = 64 };

/* Splits a line at its commas, except those in quotes; returns the number of fields. */
static uint32_t split(char *line, char **fields)
{
    uint32_t n = 0;
    bool quoted = false;
    fields[n++] = line;
    for (char *c = line; *c; c++) {
        quoted ^= *c == '"';
        if (*c == ',' && !quoted && n < MAX_FIELDS) {
            *c = 0;
            fields[n++] = c + 1;
        }
    }
    return n;
}

static bool find_columns(char *header, int *at, struct strbuf *why)
{
    char *fields[MAX_FIELDS];
    uint32_t n = split(header, fields);
    for (uint32_t k = 0; k < N_COLUMNS; k++) {
        at[k] = -1;
        for (uint32_t i = 0; i < n; i++)
            if (!strcmp(fields[i], column_names[k]))
                at[k] = (int)i;
        if (at[k] < 0) {
            strbuf_addf(why, "line 1: the column '%s' is missing", column_names[k]);
            return false;
        }
    }
    return true;
}

static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 10);
    return end != text && !*end && *text != '-';
}

/* Adds the line's warp, if it is a record of a warp. */
static bool read_line(char *line, const int *at, struct warp_time *t, bool *is_warp)
{
    char *fields[MAX_FIELDS];
    uint32_t n = split(line, fields);
    uint64_t start, end;
    for (uint32_t k = 0; k < N_COLUMNS; k++)
        if (at[k] >= (int)n)
            return false;
    *is_warp = !strcmp(fields[at[COL_RECORD]], "warp");
    if (!*is_warp)
        return true;
    if (!read_number(fields[at[COL_LAUNCH]], &t->launch) ||
        !read_number(fields[at[COL_CTA]], &t->cta) ||
        !read_number(fields[at[COL_WARP]], &t->warp) ||
        !read_number(fields[at[COL_START]], &start) || !read_number(fields[at[COL_END]], &end) ||
        end < start)
        return false;
    t->cycles = (int64_t)(end - start);
    return true;
}

static bool read_times(char *text, struct oracle *o, struct arena *arena, struct strbuf *why)
{
    int at[N_COLUMNS];
    uint32_t n_lines = 0, number = 1;
    for (const char *c = text; *c; c++)
        n_lines += *c == '\n';
    o->times = ARENA_ARRAY(arena, struct warp_time, n_lines + 1);
    char *rest = text, *line = strsep(&rest, "\n");
    if (!line || !find_columns(line, at, why))
        return false;
    while ((line = strsep(&rest, "\n"))) {
        bool is_warp = false;
        number++;
        if (*line && !read_line(line, at, &o->times[o->n], &is_warp)) {
            strbuf_addf(why, "line %u: not a record of a warp", number);
            return false;
        }
        o->n += is_warp;
    }
    qsort(o->times, o->n, sizeof *o->times, compare);
    return true;
}

static const void *oracle_load(const void *params, struct arena *arena, struct strbuf *why)
{
    const struct oracle_params *p = params;
    struct strbuf text = {0}, detail = {0};
    struct oracle *o = ARENA_NEW(arena, struct oracle);
    bool ok = false;
    if (!*p->file)
        strbuf_add(why, "the oracle needs the times of warps: record them with `heddle run ... "
                        "--scheduler lrr --attribute-out FILE`, then --set criticality.file=FILE");
    else if (strbuf_read_file(&text, p->file) != 0)
        strbuf_addf(why, "criticality.file: cannot read '%s'", p->file);
    else if (!(ok = read_times(text.text ? text.text : (char[1]){0}, o, arena, &detail)))
        strbuf_addf(why, "%s: %s", p->file, strbuf_text(&detail));
    strbuf_destroy(&text);
    strbuf_destroy(&detail);
    return ok ? o : NULL;
}

/* --- the provider --- */

static size_t oracle_state_bytes(uint32_t n_warps, const void *params)
{
    (void)params;
    return sizeof(struct oracle_state) + n_warps * sizeof(int64_t);
}

static uint64_t oracle_cost_bits(uint32_t n_warps, const void *params, struct strbuf *parts)
{
    (void)n_warps, (void)params, (void)parts;
    return 0; /* no hardware can implement it */
}

static int64_t oracle_value(const struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    const struct oracle_state *s = c->state;
    return s->cycles[warp];
}

static bool oracle_is_critical(const struct criticality *c, uint32_t warp, uint64_t now)
{
    const struct sched_warp *warps = c->view->warps;
    int64_t mine = oracle_value(c, warp, now);
    for (uint64_t rest = c->view->live; rest; rest &= rest - 1) {
        uint32_t other = (uint32_t)__builtin_ctzll(rest);
        if (other == warp || warps[other].cta_slot != warps[warp].cta_slot)
            continue;
        int64_t theirs = oracle_value(c, other, now);
        if (theirs > mine || (theirs == mine && warps[other].age < warps[warp].age))
            return false;
    }
    return true;
}

static void oracle_on_warp_start(struct criticality *c, uint32_t warp, uint64_t now)
{
    (void)now;
    const struct oracle *o = c->input;
    const struct sched_warp *w = &c->view->warps[warp];
    struct oracle_state *s = c->state;
    struct warp_time key = {.launch = w->launch + 1, .cta = w->cta, .warp = w->warp_in_cta};
    const struct warp_time *found = bsearch(&key, o->times, o->n, sizeof key, compare);
    s->cycles[warp] = found ? found->cycles : 0;
    s->n_unknown += !found;
}

static bool oracle_check(const struct criticality *c, struct strbuf *why)
{
    const struct oracle_state *s = c->state;
    if (s->n_unknown)
        strbuf_addf(why, "%" PRIu64 " warps are not in %s: it belongs to another program or input",
                    s->n_unknown, ((const struct oracle_params *)c->params)->file);
    return s->n_unknown == 0;
}

const struct criticality_desc criticality_oracle = {
    .abi_version = CRITICALITY_ABI,
    .struct_size = sizeof(struct criticality_desc),
    .name = "oracle",
    .summary = "knows from a recorded run how long each warp takes",
    .citation = "S.-Y. Lee, C.-J. Wu: CAWS: criticality-aware warp scheduling for GPGPU workloads. "
                "PACT 2014",
    .params = oracle_params,
    .n_params = sizeof oracle_params / sizeof oracle_params[0],
    .params_bytes = sizeof(struct oracle_params),
    .load = oracle_load,
    .state_bytes = oracle_state_bytes,
    .cost_bits = oracle_cost_bits,
    .is_fixed = true,
    .value = oracle_value,
    .is_critical = oracle_is_critical,
    .on_warp_start = oracle_on_warp_start,
    .check = oracle_check,
};
