#include "lab/idle_mechanisms.h"

#include <inttypes.h>
#include <string.h>

#include "config/number.h"

/* False if the scheduler has no such number. */
static bool number_of(const struct machine_config *c, const char *name, uint64_t *value)
{
    const struct bound_param *b = param_set_find(&c->gpu->params, name);
    struct strbuf text = {0};
    if (b)
        param_print(b->param, b->values, &text);
    bool ok = b && number_parse_u64(strbuf_text(&text), value);
    strbuf_destroy(&text);
    return ok;
}

/* A score that begins at its maximum never rises: no warp is ever held back. */
static void check_scores(const struct machine_config *c, struct diag_list *diags)
{
    uint64_t base, bits;
    if (!number_of(c, "scheduler.base_score", &base) ||
        !number_of(c, "scheduler.score_bits", &bits))
        return;
    uint64_t top = (1ull << bits) - 1;
    if (base >= top)
        param_set_complain(&c->gpu->params, DIAG_ERROR, "scheduler",
                           PARAM_NAMES("base_score", "score_bits"), NULL, diags,
                           "scheduler.base_score (%" PRIu64 ") must be less than %" PRIu64
                           ", the largest score of scheduler.score_bits (%" PRIu64
                           "): otherwise no score could rise, and no warp would be held back",
                           base, top, bits);
}

/* A partial set is not possible. */
static void check_victim_tags(const struct machine_config *c, struct diag_list *diags)
{
    uint64_t entries, ways;
    if (!number_of(c, "scheduler.vta_entries_per_warp", &entries) ||
        !number_of(c, "scheduler.vta_ways", &ways) || ways >= entries || entries % ways == 0)
        return;
    param_set_complain(&c->gpu->params, DIAG_ERROR, "scheduler",
                       PARAM_NAMES("vta_entries_per_warp", "vta_ways"), NULL, diags,
                       "scheduler.vta_entries_per_warp (%" PRIu64
                       ") must be a multiple of scheduler.vta_ways (%" PRIu64
                       "): otherwise only %" PRIu64 " tags would be in complete sets",
                       entries, ways, entries / ways * ways);
}

static void check_criticality(const struct machine_config *c, struct diag_list *diags)
{
    if (c->scheduler->criticality && c->criticality == criticality_find("none"))
        param_set_complain(&c->gpu->params, DIAG_WARNING, "", PARAM_NAMES("criticality"), NULL,
                           diags,
                           "scheduler %s depends on the criticality of warps, but criticality is "
                           "none: all warps are equal (its own provider is %s)",
                           c->scheduler->name, c->scheduler->criticality);
}

void idle_mechanisms_check(const struct machine_config *c, struct diag_list *diags)
{
    check_scores(c, diags);
    check_victim_tags(c, diags);
    check_criticality(c, diags);
}

bool idle_mechanisms_has_atomics(const struct heddle_sim *sim)
{
    struct heddle_stat s;
    return heddle_stat_find(sim, "atomics.requests", &s) && s.count;
}

void idle_mechanisms_no_atomics(const struct machine_config *c, struct strbuf *warning)
{
    if (c->atomics != atomics_at(0))
        strbuf_addf(warning,
                    "warning: the atomics unit %s had nothing to do: no atomic on global memory "
                    "was executed (atomics.requests is 0; those on shared memory never reach it)\n",
                    c->atomics->name);
}
