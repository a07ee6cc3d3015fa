/* heddle cache replay --timed: does the policy reproduce the recording from its accesses and
 * fills? */
#include <inttypes.h>
#include <string.h>

#include "analysis/lab_params.h"
#include "analysis/lab_timed.h"
#include "base/json.h"
#include "cli/cache_lab.h"
#include "cli/output.h"
#include "cli/table.h"

/* What a recording depends on, from its header. */
struct recorded {
    const struct cache_policy_desc *policy;
    struct param_set params;
    const void *values;
    bool has_criticality, has_insts, has_params;
};

/* The recorded parameters, then those that the user gives. */
static enum heddle_status bind(struct recorded *r, const struct l1d_header *h, const char *path,
                               const struct cache_options *o)
{
    struct strbuf why = {0};
    struct diag_list diags = {0};
    enum heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < o->settings.n && status == HEDDLE_OK; i++)
        if (!cache_lab_speaks_to(r->policy->name, o->settings.items[i]))
            status = cache_lab_refuse_setting(o, o->settings.items[i]);
    if (status == HEDDLE_OK && !lab_params_take(&h->params, r->policy, &r->params.settings, &why)) {
        output_error("%s: %s", path, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK &&
        !cache_lab_bind(r->policy, &o->settings, &r->params, &r->values, &diags))
        status = output_complaints(&diags);
    strbuf_destroy(&why);
    diag_list_destroy(&diags);
    return status;
}

/* Reports a file that is not a recording, or whose policy is not loaded. */
static enum heddle_status take_header(struct recorded *r, const char *path,
                                      const struct cache_options *o)
{
    struct strbuf why = {0};
    enum heddle_status status = HEDDLE_BAD_INPUT;
    struct l1d_reader *reader = l1d_reader_open(path, &why);
    const struct l1d_header *h = reader ? l1d_reader_header(reader) : NULL;
    if (!h) {
        output_error("%s: %s", path, strbuf_text(&why));
    } else if (!(r->policy = cache_policy_find(h->policy))) {
        output_error(
            "%s: recorded under the policy %s, which is not available; load it with --plugin", path,
            h->policy);
    } else {
        r->has_criticality = h->criticality[0];
        r->has_insts = h->has_insts;
        r->has_params = h->params.are_told;
        status = bind(r, h, path, o);
    }
    l1d_reader_close(reader);
    strbuf_destroy(&why);
    return status;
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
        strbuf_add(out, "all ");
        text_count(out, t->n_accesses);
        strbuf_add(out, " accesses have the recorded outcome\n");
        return;
    }
    const struct l1d_event *e = &t->first_event;
    text_count(out, t->n_different);
    strbuf_add(out, " of ");
    text_count(out, t->n_accesses);
    strbuf_addf(out,
                " accesses have another outcome; the first has index %" PRIu64
                " (SM %u, cycle %" PRIu64 ", line 0x%" PRIx64 "): %s here, %s recorded\n",
                t->first_different, e->sm, e->cycle, e->line, t->first_outcome,
                l1d_outcome_names[e->outcome]);
}

/* Why a correct policy may differ. */
static void warn_of_difference(const struct recorded *r, bool is_told_params)
{
    const struct cache_policy_desc *p = r->policy;
    const char *unknown =
        p->would_stall && !r->has_insts
            ? "stalls, which this file of an earlier version does not contain: record the run again"
        : p->on_insts && !r->has_insts ? "executed instructions, which this file of an earlier "
                                         "version does not contain: record the run again"
        : p->criticality && !r->has_criticality
            ? "which warps are critical, which only --record-criticality records"
            : NULL;
    struct strbuf text = {0};
    if (unknown)
        strbuf_addf(
            &text,
            "heddle: warning: %s also depends on %s: that may be why it differs from the run\n",
            p->name, unknown);
    if (p->n_params && !r->has_params && !is_told_params)
        strbuf_addf(&text,
                    "heddle: warning: give the parameters of %s that the run had set again with "
                    "--set: this file of an earlier version does not contain them\n",
                    p->name);
    output_warnings(strbuf_text(&text));
    strbuf_destroy(&text);
}

/* The cache is the recorded one, so no other option may describe it. */
static bool says_too_much(const struct cache_options *o)
{
    if (!o->policy && !o->sets && !o->ways && !o->lines && !o->index && !o->stores && !o->log &&
        !o->whole_lines && !o->no_compulsory && !o->n_thread_insts.is_given &&
        !(o->format && strcmp(o->format, "l1d") != 0))
        return false;
    output_error("--timed replays a recording as it was: it can be combined only with --set, "
                 "--plugin and --json");
    return true;
}

enum heddle_status cache_lab_timed(const struct cache_options *o, const char *path,
                                   struct strbuf *out)
{
    if (says_too_much(o))
        return HEDDLE_BAD_INPUT;
    struct recorded r = {0};
    struct strbuf why = {0};
    struct lab_timed t;
    enum heddle_status status = take_header(&r, path, o);
    if (status == HEDDLE_OK && !lab_timed_replay(path, r.policy, r.values, &t, &why)) {
        output_error("%s: %s", path, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK) {
        (o->json ? print_json : print_table)(&t, out);
        if (t.n_different) {
            warn_of_difference(&r, o->settings.n);
            status = HEDDLE_WRONG_RESULT;
        }
    }
    strbuf_destroy(&why);
    param_set_destroy(&r.params);
    return status;
}
