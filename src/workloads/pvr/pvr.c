/* PVR: pages by how often they were viewed, as a MapReduce job (Mars PageViewRank; S2 Table 2,
 * 250,000; S3 Table 5.3, 1 M entries).
 *
 * Each task reads a line of the log byte by byte, copies the address and reads the number; then a
 * bitonic sort orders the records by their numbers, which it finds through the directory. Access
 * pattern: a warp reads single bytes of 32 lines of text side by side, of different lengths; the
 * sort streams the directory and gathers keys that lie ever more at random.
 *
 * S3's table names the category of a group of rows; PVR is taken for the first of the sensitive
 * ones. The log is drawn from the seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/mars.h"

extern const char workload_pvr_source[];

enum { MIN_ADDRESS = 12, MAX_ADDRESS = 40, MAX_VIEWS = 20000, LINE_BYTES = MAX_ADDRESS + 8 };

struct page {
    int32_t views;
    uint32_t line; /* in the log */
    int32_t address_at, address_bytes;
    int32_t value_at; /* in the output: after the addresses of the lines before */
};

struct pvr {
    struct arena arena;
    uint32_t n;
    char *text;
    uint32_t text_bytes;
    struct page *page; /* by line, then by rank */
    struct mars_output out;
};

static void write_line(struct pvr *s, struct workload_rng *rng, struct page *page)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789/.-";
    char *line = s->text + s->text_bytes;
    page->address_at = (int32_t)s->text_bytes;
    page->address_bytes =
        MIN_ADDRESS + (int32_t)workload_rng_below(rng, MAX_ADDRESS - MIN_ADDRESS + 1);
    page->views = 1 + (int32_t)workload_rng_below(rng, MAX_VIEWS);
    for (int32_t i = 0; i < page->address_bytes; i++)
        line[i] = letters[workload_rng_below(rng, sizeof letters - 1)];
    int rest =
        snprintf(line + page->address_bytes, LINE_BYTES - MAX_ADDRESS, "\t%d\n", (int)page->views);
    s->text_bytes += (uint32_t)page->address_bytes + (uint32_t)rest;
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct pvr *s = state;
    struct workload_rng rng = {seed};
    s->n = (uint32_t)size->p[0];
    s->text = ARENA_ARRAY(&s->arena, char, (size_t)s->n *LINE_BYTES);
    s->page = ARENA_ARRAY(&s->arena, struct page, s->n);
    int32_t value_at = 0;
    for (uint32_t line = 0; line < s->n; line++) {
        struct page *page = &s->page[line];
        page->line = line;
        page->value_at = value_at;
        write_line(s, &rng, page);
        value_at += page->address_bytes;
    }
}

static void run(void *state, struct device *d)
{
    struct pvr *s = state;
    int32_t *lines;
    uint32_t n_lines = mars_lines((const uint8_t *)s->text, s->text_bytes, &s->arena, &lines);
    const struct mars_job job = {
        .count_kernel = "pvr_map_count",
        .map_kernel = "pvr_map",
        .sort_kernel = "pvr_sort",
        .shared = {device_arg_buffer(device_alloc_from(d, s->text, s->text_bytes, "log"))},
        .n_shared = 1,
        .n_tasks = n_lines,
        .values = lines,
        .words_per_value = 2,
    };
    s->out = mars_run(&job, d, &s->arena);
}

static int compare_rank(const void *a, const void *b)
{
    const struct page *left = a, *right = b;
    if (left->views != right->views)
        return left->views > right->views ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static void reference(void *state)
{
    struct pvr *s = state;
    qsort(s->page, s->n, sizeof *s->page, compare_rank);
}

/* Are directory entry, key and value of the record at a rank those of the page that belongs
 * there? */
static bool record_is(const struct pvr *s, const struct mars_entry *e, const struct page *page)
{
    const char *values = s->out.values;
    const int32_t *keys = s->out.keys;
    return e->key_at == (int32_t)(page->line * sizeof(int32_t)) &&
           e->key_bytes == (int32_t)sizeof(int32_t) && e->value_at == page->value_at &&
           e->value_bytes == page->address_bytes && keys[page->line] == page->views &&
           memcmp(values + e->value_at, s->text + page->address_at, (size_t)page->address_bytes) ==
               0;
}

static bool check(const void *state, struct strbuf *why)
{
    const struct pvr *s = state;
    if (s->out.n_records != s->n || !s->out.directory) {
        strbuf_addf(why, "%llu records were counted, there are %u",
                    (unsigned long long)s->out.n_records, s->n);
        return false;
    }
    for (uint32_t rank = 0; rank < s->n; rank++) {
        const struct mars_entry *e = &s->out.directory[rank];
        if (record_is(s, e, &s->page[rank]))
            continue;
        strbuf_addf(why, "rank %u should be line %u with %d views; its record is %d, %d, %d, %d",
                    rank, s->page[rank].line, (int)s->page[rank].views, (int)e->key_at,
                    (int)e->key_bytes, (int)e->value_at, (int)e->value_bytes);
        return false;
    }
    return true;
}

static void teardown(void *state)
{
    struct pvr *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {2500}},        {"small", {20000}}, {"paper-s2", {250000}},
    {"paper-s3", {1000000}}, {NULL, {0}},
};

const struct workload workload_pvr = {
    .name = "pvr",
    .paper_name = "PVR",
    .title = "Page view rank",
    .summary = "One map task per line of a log reads a page's address and views byte by byte; a "
               "bitonic sort then ranks the pages, gathering keys through a directory.",
    .origin = "Mars",
    .categories = {.s2 = "cache-insufficient", .s3_ch5 = "cache-sensitive"},
    .source = workload_pvr_source,
    .param_names = {"entries"},
    .sizes = sizes,
    .state_bytes = sizeof(struct pvr),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
