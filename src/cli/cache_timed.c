/* heddle cache replay --timed: is the recording what its policy makes of its accesses and fills? */
#include <inttypes.h>
#include <string.h>

#include "analysis/lab_timed.h"
#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"

/* The policy that was recorded under, and whether with criticality and with instructions; NULL,
 * with the reason told, if there is none. */
static const struct cache_policy_desc *policy_of(const char *path, bool *has_criticality,
                                                 bool *has_insts)
{
    struct strbuf why = {0};
    const struct cache_policy_desc *policy = NULL;
    struct l1d_reader *r = l1d_reader_open(path, &why);
    if (!r)
        output_error("%s: %s", path, strbuf_text(&why));
    else if (!(policy = cache_policy_find(l1d_reader_header(r)->policy)))
        output_error("%s: recorded under the policy %s, which is not here; --plugin loads one",
                     path, l1d_reader_header(r)->policy);
    *has_criticality = r && l1d_reader_header(r)->criticality[0];
    *has_insts = r && l1d_reader_header(r)->has_insts;
    l1d_reader_close(r);
    strbuf_destroy(&why);
    return policy;
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
        if (!is_recorded)
            json_uint(&w, "sector_miss", t->stats.sector_misses);
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

/* Why a policy that is sound may come out otherwise. */
static void warn_of_difference(const struct cache_policy_desc *p, bool has_criticality,
                               bool has_insts, bool is_told_params)
{
    const char *unknown = p->would_stall && !has_insts
                              ? "stalls, which this file of an earlier version does not tell: "
                                "record the run again"
                          : p->on_insts && !has_insts
                              ? "instructions executed, which this file of an earlier version does "
                                "not tell: record the run again"
                          : p->criticality && !has_criticality
                              ? "which warps are critical, which is recorded with "
                                "--record-criticality only"
                              : NULL;
    struct strbuf text = {0};
    if (unknown)
        strbuf_addf(
            &text, "heddle: warning: %s also goes by %s: that may be why it differs from the run\n",
            p->name, unknown);
    if (p->n_params && !is_told_params)
        strbuf_addf(&text,
                    "heddle: warning: parameters of %s that the run had set are to be given again "
                    "with --set\n",
                    p->name);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* The cache is the recorded one, so nothing else may be said of it. */
static bool says_too_much(const struct cache_options *o)
{
    if (!o->policy && !o->sets && !o->ways && !o->lines && !o->index && !o->stores && !o->log &&
        !o->whole_lines && !o->no_compulsory && !o->n_thread_insts &&
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
    bool has_criticality, has_insts;
    const struct cache_policy_desc *policy = policy_of(path, &has_criticality, &has_insts);
    if (!policy)
        return HEDDLE_BAD_INPUT;
    struct param_set params = {0};
    struct diag_list diags = {0};
    struct strbuf why = {0};
    const void *values = NULL;
    struct lab_timed t;
    enum heddle_status status = HEDDLE_OK;
    if (!cache_lab_bind(policy, &o->settings, &params, &values, &diags)) {
        status = output_complaints(&diags);
    } else if (!lab_timed_replay(path, policy, values, &t, &why)) {
        output_error("%s: %s", path, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    } else {
        if (t.n_different)
            warn_of_difference(policy, has_criticality, has_insts, o->settings.n);
        (o->json ? print_json : print_table)(&t, out);
    }
    strbuf_destroy(&why);
    diag_list_destroy(&diags);
    param_set_destroy(&params);
    return status;
}
