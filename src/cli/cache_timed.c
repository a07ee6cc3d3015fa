/* heddle cache replay --timed: is the recording what its policy makes of its accesses and fills? */
#include <inttypes.h>
#include <string.h>

#include "analysis/lab_timed.h"
#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"
#include "gpu/machine_config.h"

/* The machine that the recording names, with the policy's parameters of --set. */
static struct machine_config *machine_of(const struct cache_options *o, const char *path)
{
    struct strbuf why = {0};
    struct diag_list diags = {0};
    struct arena arena = {0};
    struct machine_config *m = NULL;
    struct l1d_reader *r = l1d_reader_open(path, &why);
    if (r) {
        const struct l1d_header *h = l1d_reader_header(r);
        const char **words = ARENA_ARRAY(&arena, const char *, o->settings.n + 1);
        words[0] = arena_printf(&arena, "l1d.policy=%s", h->policy);
        for (uint32_t i = 0; i < o->settings.n; i++)
            words[i + 1] = arena_printf(&arena, "l1d.policy.%s", o->settings.items[i]);
        m = machine_config_load(h->gpu, words, o->settings.n + 1, &diags);
        if (!m)
            output_complaints(&diags);
    } else {
        output_error("%s: %s", path, strbuf_text(&why));
    }
    l1d_reader_close(r);
    arena_destroy(&arena);
    diag_list_destroy(&diags);
    strbuf_destroy(&why);
    return m;
}

static void print_json(const struct lab_timed *t, struct strbuf *out)
{
    const uint64_t here[] = {t->stats.hits, t->stats.merges, t->stats.misses, t->stats.bypasses};
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_uint(&w, "accesses", t->n_accesses);
    json_uint(&w, "different", t->n_different);
    for (int is_recorded = 0; is_recorded < 2; is_recorded++) {
        json_begin_object(&w, is_recorded ? "recorded" : "replayed");
        for (int i = 0; i < N_L1D_OUTCOMES; i++)
            json_uint(&w, l1d_outcome_names[i], is_recorded ? t->recorded[i] : here[i]);
        json_end_object(&w);
    }
    json_end_object(&w);
    strbuf_add_char(out, '\n');
}

static void print_table(const struct lab_timed *t, struct strbuf *out)
{
    static const char *const titles[] = {"loads", "hit", "merge", "miss", "bypass"};
    const uint64_t here[] = {t->stats.hits, t->stats.merges, t->stats.misses, t->stats.bypasses};
    struct table rows = {.titles = titles, .n_columns = 5, .right = "lrrrr"};
    table_cell(&rows, "replayed");
    for (int i = 0; i < N_L1D_OUTCOMES; i++)
        table_count(&rows, here[i]);
    table_cell(&rows, "recorded");
    for (int i = 0; i < N_L1D_OUTCOMES; i++)
        table_count(&rows, t->recorded[i]);
    table_print(&rows, out);
    table_destroy(&rows);
    if (!t->n_different) {
        strbuf_addf(out, "all %" PRIu64 " accesses came out as recorded\n", t->n_accesses);
        return;
    }
    const struct l1d_event *e = &t->first_event;
    strbuf_addf(out,
                "%" PRIu64 " of %" PRIu64
                " accesses came out otherwise, first the one of index %" PRIu64
                " (SM %u, cycle %" PRIu64 ", line 0x%" PRIx64 "): %s here, %s recorded\n",
                t->n_different, t->n_accesses, t->first_different, e->sm, e->cycle, e->line,
                t->first_outcome, l1d_outcome_names[e->outcome]);
}

/* The cache is the recorded one, so nothing else may be said of it. */
static bool says_too_much(const struct cache_options *o)
{
    if (!o->policy && !o->sets && !o->ways && !o->lines && !o->index && !o->stores && !o->log &&
        !(o->format && strcmp(o->format, "l1d") != 0))
        return false;
    output_error("--timed replays a recording as it was: it goes with --set and --json alone");
    return true;
}

enum heddle_status cache_lab_timed(const struct cache_options *o, const char *path,
                                   struct strbuf *out)
{
    if (says_too_much(o))
        return HEDDLE_BAD_INPUT;
    struct machine_config *m = machine_of(o, path);
    if (!m)
        return HEDDLE_BAD_INPUT;
    struct lab_timed t;
    struct strbuf why = {0};
    bool ok = lab_timed_replay(path, &m->sm.l1d, m->l1d_policy, m->l1d_params, &t, &why);
    if (!ok)
        output_error("%s: %s", path, strbuf_text(&why));
    else
        (o->json ? print_json : print_table)(&t, out);
    strbuf_destroy(&why);
    machine_config_destroy(m);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}
