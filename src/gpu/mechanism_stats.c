#include "gpu/mechanism_stats.h"

#include <string.h>

#include "gpu/machine.h"

/* --- places --- */

/* An instance of a mechanism, and its counters. */
struct instance {
    const void *self, *stats;
};

static uint32_t n_sms(const struct machine *m)
{
    return machine_n_sms(m);
}

static uint32_t n_banks(const struct machine *m, const struct machine_memory *memory)
{
    return m->graph.groups[memory->group].n * memory->slices.memory.banks;
}

static uint32_t n_l2_banks(const struct machine *m)
{
    return n_banks(m, &m->memory);
}

static uint32_t n_llc_banks(const struct machine *m)
{
    return n_banks(m, &m->host_memory);
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

static struct instance bank_instance(const struct machine *m, const struct machine_memory *memory,
                                     uint32_t i)
{
    uint32_t banks = memory->slices.memory.banks;
    const struct slice *s = (const struct slice *)part_at(&m->graph, memory->group, i / banks);
    const struct cache_policy *p = cache_get_policy(s->banks[i % banks].cache);
    return (struct instance){p, p->stats};
}

static struct instance l2_instance(const struct machine *m, uint32_t i)
{
    return bank_instance(m, &m->memory, i);
}

static struct instance llc_instance(const struct machine *m, uint32_t i)
{
    return bank_instance(m, &m->host_memory, i);
}

static struct instance atomics_instance(const struct machine *m, uint32_t i)
{
    const struct mutex_unit *u = machine_sm(m, i)->atomics.mutexes;
    return (struct instance){u, u ? &u->stats : NULL};
}

static const struct place {
    uint32_t clock;
    uint32_t (*count)(const struct machine *m);
    struct instance (*at)(const struct machine *m, uint32_t i);
} places[N_MECHANISM_PLACES] = {
    [AT_SCHEDULER] = {CLOCK_CORE, n_sms, scheduler_instance},
    [AT_CRITICALITY] = {CLOCK_CORE, n_sms, criticality_instance},
    [AT_L1D] = {CLOCK_CORE, n_sms, l1d_instance},
    [AT_L2] = {CLOCK_L2, n_l2_banks, l2_instance},
    [AT_ATOMICS] = {CLOCK_CORE, n_sms, atomics_instance},
    [AT_HOST_LLC] = {CLOCK_HOST_LLC, n_llc_banks, llc_instance},
};

/* --- those of a machine --- */

static void add_rows(struct mechanism_stats *s, enum mechanism_place place, const struct plugin *p,
                     struct arena *arena)
{
    const char *prefix = mechanism_sections[place].prefix;
    for (uint32_t i = 0; i < p->n_stats; i++)
        s->rows[s->n++] = (struct mechanism_row){
            &p->stats[i], arena_printf(arena, "%s.%s", prefix, p->stats[i].name), place};
}

void mechanism_stats_init(struct mechanism_stats *s, const struct machine_config *c,
                          struct arena *arena)
{
    *s = (struct mechanism_stats){0};
    for (uint32_t place = 0; place < N_MECHANISM_PLACES; place++) {
        const struct plugin *p = mechanism_sections[place].in_use(c);
        if (p)
            add_rows(s, place, p, arena);
    }
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

static struct stat_reading take_row(const struct machine *m, uint64_t cycle, uint32_t i)
{
    const struct mechanism_stats *s = &m->mechanisms;
    return s->rows[i].stat->kind == STAT_SAMPLED ? s->looked_at[i]
                                                 : read_row(&s->rows[i], m, cycle);
}

void mechanism_totals_take(const struct machine *m, uint64_t cycle, struct mechanism_totals *t)
{
    t->of = &m->mechanisms;
    for (uint32_t i = 0; i < m->mechanisms.n; i++)
        t->sums[i] = take_row(m, cycle, i);
}

void mechanism_totals_take_host(const struct machine *m, uint64_t cycle, struct mechanism_totals *t)
{
    for (uint32_t i = 0; i < m->mechanisms.n; i++)
        if (m->mechanisms.rows[i].place == AT_HOST_LLC)
            t->sums[i] = take_row(m, cycle, i);
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
        n += mechanism_sections[p].mechanism->count() * PLUGIN_MAX_STATS;
    return n;
}

struct listing {
    struct mechanism_listed *list;
    uint32_t n;
    struct arena *arena;
};

static struct mechanism_listed *find_listed(const struct listing *l, const char *name)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (strcmp(l->list[i].stat.name, name) == 0)
            return &l->list[i];
    return NULL;
}

static void list_stats(struct listing *l, const char *prefix, const struct plugin *owner)
{
    for (uint32_t k = 0; k < owner->n_stats; k++) {
        const struct plugin_stat *stat = &owner->stats[k];
        const char *name = arena_printf(l->arena, "%s.%s", prefix, stat->name);
        struct mechanism_listed *known = find_listed(l, name);
        if (known)
            known->owners = arena_printf(l->arena, "%s, %s", known->owners, owner->name);
        else
            l->list[l->n++] = (struct mechanism_listed){
                {.name = name, .unit = stat->unit, .help = stat->help}, owner->name};
    }
}

const struct mechanism_listed *mechanism_stats_list(struct arena *arena, uint32_t *n)
{
    struct listing l = {ARENA_ARRAY(arena, struct mechanism_listed, most_stats()), 0, arena};
    for (uint32_t p = 0; p < N_MECHANISM_PLACES; p++) {
        const struct mechanism_section *s = &mechanism_sections[p];
        for (uint32_t i = 0; i < s->mechanism->count(); i++)
            if (mechanism_section_accepts(p, s->mechanism->at(i)))
                list_stats(&l, s->prefix, s->mechanism->at(i));
    }
    *n = l.n;
    return l.list;
}
