/* heddle cache bypass: what if one load bypassed the cache most of the time? Each chosen load in
 * turn inserts its misses with probability 1/2^N, N from 0 to 7, under the policy pc_prob (S3
 * Figure 5.5, in hits; only a run shows the effect on time). All replays take one pass. */
#include <stdlib.h>
#include <string.h>

#include "analysis/lab_map.h"
#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"
#include "config/number.h"

#define NO_PC UINT32_MAX

enum { MAX_N = 7, N_CHANCES = MAX_N + 1, MAX_LOADS = 64, LOADS_IF_NOT_GIVEN = 8 };

/* A load, two together (those of an unrolled loop), or all of them. */
struct trial {
    const char *name;
    uint32_t pc, also; /* NO_PC = no second one */
    uint64_t n_loads;
    uint64_t hits[N_CHANCES]; /* of all loads of the stream */
};

struct trials {
    struct trial items[MAX_LOADS + 1];
    uint32_t n;
    uint64_t n_loads;
    struct arena arena;
};

/* --- which loads --- */

static int by_pc(const void *x, const void *y)
{
    const struct trial *a = x, *b = y;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

static int by_loads(const void *x, const void *y)
{
    const struct trial *a = x, *b = y;
    int order = (a->n_loads < b->n_loads) - (a->n_loads > b->n_loads);
    return order ? order : by_pc(x, y);
}

/* All PCs with loads, the busiest first; free it. */
static struct trial *count_loads(const struct lab_stream *s, uint32_t *n_pcs, uint64_t *n_loads)
{
    struct lab_map loads_of = {0};
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].kind == LAB_LOAD) {
            ++*lab_map_at(&loads_of, s->items[i].pc, 0);
            ++*n_loads;
        }
    struct trial *pcs = xcalloc(loads_of.n + 1, sizeof *pcs);
    *n_pcs = 0;
    for (size_t i = 0; i < loads_of.cap; i++)
        if (loads_of.entries[i].key)
            pcs[(*n_pcs)++] = (struct trial){.pc = (uint32_t)(loads_of.entries[i].key - 1),
                                             .also = NO_PC,
                                             .n_loads = loads_of.entries[i].value};
    qsort(pcs, *n_pcs, sizeof *pcs, by_loads);
    lab_map_destroy(&loads_of);
    return pcs;
}

/* The loads at a PC, as the user writes it. */
static enum heddle_status find_load(const char *word, const char *given, const struct trial *pcs,
                                    uint32_t n_pcs, const struct trial **found)
{
    uint64_t pc;
    if (!number_parse_u64(word, &pc)) {
        output_error("--pcs %s: expected numbers, such as 40,43, or 73+86 for two together", given);
        return HEDDLE_BAD_INPUT;
    }
    for (uint32_t i = 0; i < n_pcs; i++)
        if (pcs[i].pc == pc) {
            *found = &pcs[i];
            return HEDDLE_OK;
        }
    output_error("--pcs %s: there are no loads at PC %s; `heddle cache reuse` lists PCs", given,
                 word);
    return HEDDLE_BAD_INPUT;
}

/* "73" or "73+86" */
static enum heddle_status add_given(struct trials *t, char *word, const char *given,
                                    const struct trial *pcs, uint32_t n_pcs)
{
    const char *name = arena_strdup(&t->arena, word), *first = strsep(&word, "+");
    const struct trial *load, *other = NULL;
    enum heddle_status status = find_load(first, given, pcs, n_pcs, &load);
    if (status == HEDDLE_OK && word)
        status = find_load(word, given, pcs, n_pcs, &other);
    if (status != HEDDLE_OK)
        return status;
    if (load == other) {
        output_error("--pcs %s: the loads at PC %u are given twice", given, load->pc);
        return HEDDLE_BAD_INPUT;
    }
    t->items[t->n++] = (struct trial){.name = name,
                                      .pc = load->pc,
                                      .also = other ? other->pc : NO_PC,
                                      .n_loads = load->n_loads + (other ? other->n_loads : 0)};
    return HEDDLE_OK;
}

static enum heddle_status choose_given(struct trials *t, const char *given, const struct trial *pcs,
                                       uint32_t n_pcs)
{
    char *rest = arena_strdup(&t->arena, given);
    enum heddle_status status = HEDDLE_OK;
    for (char *word; status == HEDDLE_OK && (word = strsep(&rest, ","));) {
        if (t->n == MAX_LOADS) {
            output_error("--pcs %s: at most %d are possible", given, MAX_LOADS);
            return HEDDLE_BAD_INPUT;
        }
        status = add_given(t, word, given, pcs, n_pcs);
    }
    return status;
}

static void choose_busiest(struct trials *t, const struct trial *pcs, uint32_t n_pcs)
{
    for (uint32_t i = 0; i < n_pcs && i < LOADS_IF_NOT_GIVEN; i++) {
        t->items[t->n] = pcs[i];
        t->items[t->n++].name = arena_printf(&t->arena, "%u", pcs[i].pc);
    }
}

static enum heddle_status choose(const struct cache_options *o, const struct lab_stream *s,
                                 struct trials *t)
{
    uint32_t n_pcs;
    struct trial *pcs = count_loads(s, &n_pcs, &t->n_loads);
    enum heddle_status status = HEDDLE_OK;
    if (o->pcs)
        status = choose_given(t, o->pcs, pcs, n_pcs);
    else
        choose_busiest(t, pcs, n_pcs);
    qsort(t->items, t->n, sizeof *t->items, by_pc);
    t->items[t->n++] =
        (struct trial){.name = "all", .pc = NO_PC, .also = NO_PC, .n_loads = t->n_loads};
    free(pcs);
    return status;
}

/* --- replays --- */

/* For pc_prob, NO_PC as the first PC means all loads. */
static void set_job(struct lab_job *job, struct param_set *params, const struct trial *t,
                    uint32_t n)
{
    struct diag_list diags = {0};
    const struct cache_policy_desc *p = job->config.policy;
    void *values = arena_alloc(&params->settings.arena, p->params_bytes);
    settings_add_word(&params->settings, arena_printf(&diags.arena, "pc=%u", t->pc), &diags);
    settings_add_word(&params->settings, arena_printf(&diags.arena, "also=%u", t->also), &diags);
    settings_add_word(&params->settings, arena_printf(&diags.arena, "n=%u", n), &diags);
    param_set_bind(params, "", p->params, p->n_params, values, &diags);
    param_set_finish(params, &diags);
    job->config.params = values;
    diag_list_destroy(&diags);
}

/* With N = 0 nothing is bypassed for any load: one replay serves all of them. */
static enum heddle_status replay(struct trials *t, const struct lab_stream *s,
                                 const struct lab_config *shape)
{
    uint32_t n_jobs = t->n * MAX_N + 1;
    struct lab_job *jobs = xcalloc(n_jobs, sizeof *jobs);
    struct param_set *params = xcalloc(n_jobs, sizeof *params);
    for (uint32_t i = 0; i < n_jobs; i++) {
        jobs[i].config = *shape;
        jobs[i].config.policy = lab_policy_find("pc_prob");
        set_job(&jobs[i], &params[i], &t->items[i / MAX_N % t->n],
                i == n_jobs - 1 ? 0 : i % MAX_N + 1);
    }
    bool ok = lab_replay_all(s, jobs, n_jobs);
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t n = 0; n < N_CHANCES; n++)
            t->items[i].hits[n] = jobs[n ? i * MAX_N + n - 1 : n_jobs - 1].result.stats.hits;
    for (uint32_t i = 0; i < n_jobs; i++)
        param_set_destroy(&params[i]);
    free(params);
    free(jobs);
    return ok ? HEDDLE_OK : HEDDLE_ENVIRONMENT;
}

/* The most hits; of equals the smallest N. */
static uint32_t best_of(const struct trial *t)
{
    uint32_t best = 0;
    for (uint32_t n = 1; n < N_CHANCES; n++)
        if (t->hits[n] > t->hits[best])
            best = n;
    return best;
}

/* --- printing --- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_table(const struct trials *t, struct strbuf *out)
{
    static const char *const titles[] = {"PC",    "loads", "N = 0", "N = 1", "N = 2", "N = 3",
                                         "N = 4", "N = 5", "N = 6", "N = 7", "best"};
    struct table rows = {.titles = titles, .n_columns = 3 + N_CHANCES, .right = "rrrrrrrrrrr"};
    strbuf_add(out, "Hits of all ");
    text_quantity(out, t->n_loads, "load");
    strbuf_add(out, ", in percent, when one load inserts with probability 1/2^N:\n");
    for (uint32_t i = 0; i < t->n; i++) {
        table_cell(&rows, "%s", t->items[i].name);
        table_count(&rows, t->items[i].n_loads);
        for (uint32_t n = 0; n < N_CHANCES; n++)
            table_cell(&rows, "%.2f", percent(t->items[i].hits[n], t->n_loads));
        table_cell(&rows, "%u", best_of(&t->items[i]));
    }
    table_print(&rows, out);
    table_destroy(&rows);
}

static void print_json(const struct trials *t, struct strbuf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_uint(&w, "loads", t->n_loads);
    json_begin_array(&w, "bypassed");
    for (uint32_t i = 0; i < t->n; i++) {
        json_begin_object(&w, NULL);
        json_string(&w, "pc", t->items[i].name);
        json_uint(&w, "loads", t->items[i].n_loads);
        json_begin_array(&w, "hits");
        for (uint32_t n = 0; n < N_CHANCES; n++)
            json_uint(&w, NULL, t->items[i].hits[n]);
        json_end_array(&w);
        json_uint(&w, "best_n", best_of(&t->items[i]));
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

enum heddle_status cache_lab_bypass(const struct cache_options *o, struct lab_stream *s,
                                    struct strbuf *out)
{
    struct trials *t = xcalloc(1, sizeof *t);
    struct lab_config *shapes;
    uint32_t n_shapes;
    enum heddle_status status = cache_lab_shapes(o, s, true, &shapes, &n_shapes);
    if (status == HEDDLE_OK && n_shapes > 1) {
        output_error("only a replay can use several caches at once");
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK)
        status = choose(o, s, t);
    if (status == HEDDLE_OK)
        status = replay(t, s, &shapes[0]);
    if (status == HEDDLE_OK)
        (o->json ? print_json : print_table)(t, out);
    free(shapes);
    arena_destroy(&t->arena);
    free(t);
    return status;
}
