#include "lab/result_json.h"

#include <stdlib.h>

void result_json_machine(const struct gpu_config *gpu, const struct machine_config *machine,
                         struct json_writer *w)
{
    json_string(w, "gpu", gpu->name);
    json_string(w, "mode", machine ? "timing" : "functional");
    json_string(w, "scheduler", machine ? machine->scheduler->name : NULL);
    json_string(w, "l1d_policy", machine ? machine->l1d_policy->name : NULL);
    json_string(w, "l2_policy", machine ? machine->l2_policy->name : NULL);
    json_string(w, "criticality", machine ? machine->criticality->name : NULL);
    json_string(w, "atomics", machine ? machine->atomics->name : NULL);
}

void result_json_stat(struct json_writer *w, const struct heddle_stat *s)
{
    if (s->is_real)
        json_double(w, s->name, s->real);
    else
        json_uint(w, s->name, s->count);
}

/* Of what parts and mechanisms declare: a plug-in's units are not known wherever the result is
 * read. */
static void json_units(const struct machine *m, const struct heddle_stat *stats,
                       struct json_writer *w)
{
    json_begin_object(w, "units");
    for (uint32_t i = m ? machine_first_declared_stat(m) : 0; m && i < machine_stat_count(m); i++)
        json_string(w, stats[i].name, stats[i].unit);
    json_end_object(w);
}

void result_json_stats(const struct heddle_sim *sim, const struct locality *l,
                       struct json_writer *w)
{
    uint32_t n = sim ? heddle_stat_count(sim) : 0;
    struct heddle_stat *stats = xcalloc(n + 1, sizeof *stats);
    if (sim)
        sim_take_stats(sim, stats);
    json_begin_object(w, "stats");
    for (uint32_t i = 0; i < n; i++)
        result_json_stat(w, &stats[i]);
    for (uint32_t i = 0; sim && l && i < locality_stat_count(); i++) {
        struct heddle_stat s = locality_stat_at(l, i);
        if (l->parts & locality_stat_part(i))
            result_json_stat(w, &s);
    }
    json_end_object(w);
    if (sim)
        json_units(sim->machine, stats, w);
    free(stats);
}
