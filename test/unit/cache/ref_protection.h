/* Dynamic line protection, per instruction and global: Zhu et al., ICPP 2018, section 4. A load
 * that finds its line in flight merges, which is no hit (section 2). */
#ifndef HEDDLE_TEST_REF_PROTECTION_H
#define HEDDLE_TEST_REF_PROTECTION_H

#include "unit/cache/ref_cache.h"

static inline void ref_dlp_init(struct ref_cache *r)
{
    r->n_rows = 128;
    r->sample_accesses = ref_param(r, "sample_accesses", 200);
    r->max_sample_insns = ref_param(r, "max_sample_insns", 20000);
    r->vta_ways = ref_param(r, "vta_ways", r->n_ways);
    r->pd_max = ref_param(r, "pd_max", 15);
    r->pd_step_down = ref_param(r, "pd_step_down", r->vta_ways);
    r->bypass_reserved = ref_param(r, "bypass_reserved", 0) != 0;
    r->count_merges = ref_param(r, "count_merges", 0) != 0;
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].pd = ref_param(r, "pd_init", 0);
}

static inline void ref_pdp_init(struct ref_cache *r)
{
    ref_dlp_init(r);
    r->n_rows = 1;
}

/* Every access to a set brings the protection of all its lines nearer to its end. */
static inline void ref_dlp_access(struct ref_cache *r, uint32_t set)
{
    for (uint32_t w = 0; w < r->n_ways; w++)
        r->lines[set][w].life = ref_down(r->lines[set][w].life, 1);
}

static inline void ref_dlp_use(struct ref_cache *r, uint32_t set, int way,
                               const struct mem_access *a)
{
    r->lines[set][way].id = a->pc % r->n_rows;
    r->lines[set][way].life = ref_row(r, a->pc)->pd;
}

static inline void ref_dlp_hit(struct ref_cache *r, uint32_t set, int way,
                               const struct mem_access *a)
{
    struct ref_row *previous = &r->rows[r->lines[set][way].id];
    bool merges = r->lines[set][way].reserved;
    if (!merges || r->count_merges)
        previous->tda_hits = ref_up(previous->tda_hits, 1, 255);
    ref_dlp_use(r, set, way, a);
}

static inline struct ref_victim *ref_dlp_tag(struct ref_cache *r, uint32_t set, uint64_t line)
{
    for (uint32_t w = 0; w < r->vta_ways; w++)
        if (r->vta[set][w].present && r->vta[set][w].line == line)
            return &r->vta[set][w];
    return NULL;
}

static inline void ref_dlp_miss(struct ref_cache *r, uint32_t set, const struct mem_access *a)
{
    const struct ref_victim *tag = ref_dlp_tag(r, set, a->line);
    if (tag)
        r->rows[tag->id].vta_hits = ref_up(r->rows[tag->id].vta_hits, 1, 1023);
}

/* The least recently used of the lines whose protection is over, this access counted. */
static inline int ref_dlp_victim(const struct ref_cache *r, uint32_t set,
                                 const struct mem_access *a)
{
    (void)a;
    int victim = -1;
    uint32_t over = 0;
    for (int w = 0; w < (int)r->n_ways; w++) {
        const struct ref_line *l = &r->lines[set][w];
        if (ref_down(l->life, 1) > 0)
            continue;
        over++;
        if (!l->reserved && (victim < 0 || l->used < r->lines[set][victim].used))
            victim = w;
    }
    if (victim >= 0)
        return victim;
    return over == 0 || (r->bypass_reserved && over < r->n_ways) ? REF_GOES_AROUND : REF_WAITS;
}

static inline void ref_dlp_around(struct ref_cache *r, uint32_t set, const struct mem_access *a)
{
    struct ref_victim *tag = ref_dlp_tag(r, set, a->line);
    if (tag)
        tag->used = ++r->clock;
}

static inline void ref_dlp_replaced(struct ref_cache *r, uint32_t set, int way,
                                    const struct mem_access *a)
{
    struct ref_victim *tag = ref_dlp_tag(r, set, a->line), *place = NULL;
    if (tag)
        tag->present = false;
    for (uint32_t w = 0; w < r->vta_ways; w++) {
        struct ref_victim *v = &r->vta[set][w];
        if (!v->present) {
            place = v;
            break;
        }
        if (!place || v->used < place->used)
            place = v;
    }
    const struct ref_line *l = &r->lines[set][way];
    *place = (struct ref_victim){true, l->line, ++r->clock, l->id};
}

static inline void ref_dlp_inserted(struct ref_cache *r, uint32_t set, int way,
                                    const struct mem_access *a)
{
    struct ref_victim *tag = ref_dlp_tag(r, set, a->line);
    if (tag) /* the way was empty: nothing was replaced */
        tag->present = false;
    ref_dlp_use(r, set, way, a);
}

static inline uint32_t ref_dlp_rise(uint32_t vta_hits, uint32_t tda_hits, uint32_t n)
{
    if (vta_hits == 0)
        return 0;
    if (vta_hits >= tda_hits * 4)
        return n * 4;
    if (vta_hits >= tda_hits * 2)
        return n * 2;
    if (vta_hits >= tda_hits)
        return n;
    return vta_hits >= tda_hits / 2 ? n / 2 : 0;
}

static inline void ref_dlp_sample(struct ref_cache *r)
{
    uint32_t vta_hits = 0, tda_hits = 0;
    for (uint32_t i = 0; i < r->n_rows; i++) {
        vta_hits += r->rows[i].vta_hits;
        tda_hits += r->rows[i].tda_hits;
    }
    for (uint32_t i = 0; i < r->n_rows; i++) {
        struct ref_row *row = &r->rows[i];
        if (vta_hits > tda_hits)
            row->pd =
                ref_up(row->pd, ref_dlp_rise(row->vta_hits, row->tda_hits, r->vta_ways), r->pd_max);
        else if (2 * vta_hits < tda_hits)
            row->pd = ref_down(row->pd, r->pd_step_down);
        row->vta_hits = row->tda_hits = 0;
    }
    r->n_sampled = 0;
    r->n_sampled_insns = 0;
}

static inline void ref_dlp_served(struct ref_cache *r)
{
    if (++r->n_sampled == r->sample_accesses)
        ref_dlp_sample(r);
}

/* Thread instructions were executed. */
static inline void ref_insts(struct ref_cache *r, uint64_t n)
{
    r->n_sampled_insns += n;
    if (r->max_sample_insns && r->n_sampled_insns >= r->max_sample_insns)
        ref_dlp_sample(r);
}

#endif
