#include "gpu/mechanism_stats.h"

#include <string.h>

#include "gpu/machine.h"
#include "gpu/mechanisms.h"

/* --- places --- */

/* An instance of a mechanism, and its counters. */
struct instance {
    const void *self, *stats;
};

static uint32_t n_sms(const struct machine *m)
{
    return machine_n_sms(m);
}

static uint32_t n_slices(const struct machine *m)
{
    return machine_n_slices(m) * m->config->memory.banks;
}

static struct instance scheduler_instance(const struct machine *m, uint32_t i)
{
    const struct scheduler *s = machine_sm(m, i)->scheduler;
    return (struct instance){s, s->stats};
}

static struct instance criticality_instance(const struct machine *m, uint32_t i)
{
    const struct criticality *c = machine_sm(m, i)->criticality;
    return (struct instance){c, c->stats};
}

static struct instance l1d_instance(const struct machine *m, uint32_t i)
{
    const struct cache_policy *p = cache_get_policy(machine_sm(m, i)->l1d);
    return (struct instance){p, p->stats};
}

static struct instance l2_instance(const struct machine *m, uint32_t i)
{
    uint32_t banks = m->config->memory.banks;
    const struct cache_policy *p =
        cache_get_policy(machine_slice(m, i / banks)->banks[i % banks].cache);
    return (struct instance){p, p->stats};
}

static struct instance atomics_instance(const struct machine *m, uint32_t i)
{
    const struct mutex_unit *u = machine_sm(m, i)->atomics.mutexes;
    return (struct instance){u, u ? &u->stats : NULL};
}

static const struct place {
    const char *prefix;
    const struct mechanism *mechanism; /* what may be there */
    uint32_t clock;
    uint32_t (*count)(const struct machine *m);
    struct instance (*at)(const struct machine *m, uint32_t i);
} places[N_MECHANISM_PLACES] = {
    [AT_SCHEDULER] = {"scheduler", &scheduler_mechanism, CLOCK_CORE, n_sms, scheduler_instance},
    [AT_CRITICALITY] = {"criticality", &criticality_mechanism, CLOCK_CORE, n_sms,
                        criticality_instance},
    [AT_L1D] = {"l1d.policy", &cache_policy_mechanism, CLOCK_CORE, n_sms, l1d_instance},
    [AT_L2] = {"l2.policy", &cache_policy_mechanism, CLOCK_L2, n_slices, l2_instance},
    [AT_ATOMICS] = {"atomics", &atomics_mechanism, CLOCK_CORE, n_sms, atomics_instance},
};

/* --- those of a machine --- */

static void add_rows(struct mechanism_stats *s, enum mechanism_place place, const struct plugin *p,
                     struct arena *arena)
{
    for (uint32_t i = 0; i < p->n_stats; i++)
        s->rows[s->n++] = (struct mechanism_row){
            &p->stats[i], arena_printf(arena, "%s.%s", places[place].prefix, p->stats[i].name),
            place};
}

void mechanism_stats_init(struct mechanism_stats *s, const struct machine_config *c,
                          struct arena *arena)
{
    *s = (struct mechanism_stats){0};
    add_rows(s, AT_SCHEDULER, &c->scheduler->plugin, arena);
    add_rows(s, AT_CRITICALITY, &c->criticality->plugin, arena);
    add_rows(s, AT_L1D, &c->l1d_policy->plugin, arena);
    add_rows(s, AT_L2, &c->l2_policy->plugin, arena);
    add_rows(s, AT_ATOMICS, &c->atomics->plugin, arena);
}

bool mechanism_stats_are_sampled(const struct mechanism_stats *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->rows[i].stat->kind == STAT_SAMPLED)
            return true;
    return false;
}

static struct stat_reading read_instance(const struct plugin_stat *stat, struct instance it,
                                         uint64_t now)
{
    struct stat_reading r = {0};
    if (stat->kind != STAT_COUNTER)
        return stat->read(it.self, now);
    memcpy(&r.value, (const char *)it.stats + stat->offset, sizeof r.value);
    return r;
}

/* Of all instances together. */
static struct stat_reading read_row(const struct mechanism_row *row, const struct machine *m,
                                    uint64_t cycle)
{
    const struct place *at = &places[row->place];
    sim_time t = cycle * m->clocks[CLOCK_CORE].period;
    uint64_t now = clock_cycle_at(&m->clocks[at->clock], t);
    struct stat_reading all = {0};
    for (uint32_t i = 0; i < at->count(m); i++) {
        struct stat_reading one = read_instance(row->stat, at->at(m, i), now);
        if (row->stat->join != STAT_MAX)
            all.value += one.value;
        else if (one.value > all.value)
            all.value = one.value;
        all.n += one.n;
    }
    if (row->stat->join != STAT_MEAN)
        all.n = 1;
    return all;
}

void mechanism_stats_sample(struct mechanism_stats *s, const struct machine *m, uint64_t cycle)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->rows[i].stat->kind != STAT_SAMPLED)
            continue;
        struct stat_reading now = read_row(&s->rows[i], m, cycle);
        s->looked_at[i].value += now.value;
        s->looked_at[i].n += now.n;
    }
}

/* --- totals --- */

void mechanism_totals_take(const struct machine *m, uint64_t cycle, struct mechanism_totals *t)
{
    const struct mechanism_stats *s = &m->mechanisms;
    t->of = s;
    for (uint32_t i = 0; i < s->n; i++)
        t->sums[i] = s->rows[i].stat->kind == STAT_SAMPLED ? s->looked_at[i]
                                                           : read_row(&s->rows[i], m, cycle);
}

void mechanism_totals_add(struct mechanism_totals *into, const struct mechanism_totals *from)
{
    into->of = from->of;
    for (uint32_t i = 0; from->of && i < from->of->n; i++) {
        bool replaces = from->of->rows[i].stat->kind == STAT_GAUGE;
        struct stat_reading *sum = &into->sums[i];
        sum->value = (replaces ? 0 : sum->value) + from->sums[i].value;
        sum->n = (replaces ? 0 : sum->n) + from->sums[i].n;
    }
}

void mechanism_totals_subtract(struct mechanism_totals *from, const struct mechanism_totals *before)
{
    for (uint32_t i = 0; from->of && i < from->of->n; i++)
        if (from->of->rows[i].stat->kind != STAT_GAUGE) {
            from->sums[i].value -= before->sums[i].value;
            from->sums[i].n -= before->sums[i].n;
        }
}

static struct heddle_stat stat_of(const struct mechanism_row *row, struct stat_reading r,
                                  bool is_mean)
{
    struct heddle_stat s = {.name = row->name,
                            .unit = row->stat->unit,
                            .help = row->stat->help,
                            .is_real = is_mean,
                            .count = is_mean ? 0 : r.value};
    if (is_mean && r.n)
        s.real = (double)r.value / (double)r.n;
    return s;
}

struct heddle_stat mechanism_totals_stat(const struct mechanism_totals *t, uint32_t i)
{
    const struct mechanism_row *row = &t->of->rows[i];
    return stat_of(row, t->sums[i],
                   row->stat->join == STAT_MEAN || row->stat->kind == STAT_SAMPLED);
}

struct heddle_stat mechanism_stat_now(const struct mechanism_totals *t, const struct machine *m,
                                      uint32_t i, uint64_t cycle)
{
    const struct mechanism_row *row = &t->of->rows[i];
    struct stat_reading r = row->stat->kind == STAT_SAMPLED ? read_row(row, m, cycle) : t->sums[i];
    return stat_of(row, r, row->stat->join == STAT_MEAN);
}

/* --- all statistics --- */

static uint32_t most_stats(void)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < N_MECHANISM_PLACES; p++)
        n += places[p].mechanism->count() * PLUGIN_MAX_STATS;
    return n;
}

static struct mechanism_listed *find_listed(struct mechanism_listed *list, uint32_t n,
                                            const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].stat.name, name) == 0)
            return &list[i];
    return NULL;
}

const struct mechanism_listed *mechanism_stats_list(struct arena *arena, uint32_t *n)
{
    struct mechanism_listed *list = ARENA_ARRAY(arena, struct mechanism_listed, most_stats());
    *n = 0;
    for (uint32_t p = 0; p < N_MECHANISM_PLACES; p++)
        for (uint32_t i = 0; i < places[p].mechanism->count(); i++) {
            const struct plugin *owner = places[p].mechanism->at(i);
            if (p == AT_L1D && cache_policy_find(owner->name)->l2_only)
                continue;
            for (uint32_t k = 0; k < owner->n_stats; k++) {
                const struct plugin_stat *stat = &owner->stats[k];
                const char *name = arena_printf(arena, "%s.%s", places[p].prefix, stat->name);
                struct mechanism_listed *known = find_listed(list, *n, name);
                if (known)
                    known->owners = arena_printf(arena, "%s, %s", known->owners, owner->name);
                else
                    list[(*n)++] = (struct mechanism_listed){
                        {.name = name, .unit = stat->unit, .help = stat->help}, owner->name};
            }
        }
    return list;
}
