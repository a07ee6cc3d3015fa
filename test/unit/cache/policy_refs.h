/* The L1D policies once more, written from their descriptions and not from src/cache/policies:
 * arrays, linear searches, counters as plain numbers, every rule in the order in which the papers
 * tell it. Slow and plain, to be compared with, decision by decision.
 *
 * The cache around them is an L1D with write-evict that allocates on a miss: a load finds its line,
 * joins one that is being fetched, inserts, goes around, or waits for a line or an MSHR. Left out:
 * sectors, write-back, local memory. */
#ifndef HEDDLE_TEST_POLICY_REFS_H
#define HEDDLE_TEST_POLICY_REFS_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem_access.h"

enum { REF_SETS = 32, REF_WAYS = 16, REF_TABLE = 256, REF_LINE_BYTES = 128 };
enum { REF_GOES_AROUND = -1, REF_WAITS = -2 }; /* instead of a way */
enum ref_answer { REF_HIT, REF_MERGE, REF_INSERT, REF_BYPASS, REF_STALL };

struct ref_line {
    bool present, reserved, reused;
    uint64_t line, used, fetch; /* used: when last; fetch: which one will fill it */
    uint32_t insert_pc, warp;   /* warp slot that brought it in */
    uint32_t n_waiters;
    uint32_t rrpv;            /* RRIP and what is built on it */
    uint32_t id, life;        /* DLP: of the load that used it last; how long it is protected */
    uint32_t signature;       /* CACP */
    bool c_reused, nc_reused; /* CACP: by a critical warp, by another one */
};

struct ref_victim {
    bool present;
    uint64_t line, used;
    uint32_t id;
};

/* One instruction's row, whatever the table is called. */
struct ref_row {
    uint32_t counter;                /* SHiP, pc_bypass, CACP's SHiP */
    uint32_t ccbp;                   /* CACP */
    uint32_t agg, byp, zero, insert; /* Ctrl-C */
    uint32_t tda_hits, vta_hits, pd; /* DLP */
};

struct ref_cache {
    const struct ref_rules *rules;
    const char *words; /* parameters that differ from the defaults */
    uint32_t n_sets, n_ways, n_mshrs, mshr_merges;
    struct ref_line lines[REF_SETS][REF_WAYS];
    uint32_t n_outstanding;
    uint64_t clock, n_fetches;

    struct ref_row rows[REF_TABLE];
    uint32_t n_rows, counter_max;
    uint32_t brrip_period, n_brrip_insertions;
    uint32_t leader_sets, psel, psel_max, psel_middle;
    uint32_t sample_accesses, max_sample_insns, n_sampled;
    uint64_t n_sampled_insns;
    uint32_t vta_ways, pd_max, pd_step_down;
    struct ref_victim vta[REF_SETS][REF_WAYS];
    uint32_t sample_period, agg_max;
    bool agg_hold;
    uint32_t critical_ways;
    uint32_t chosen_pc;
    bool coin_says_around; /* pc_prob: what the generator said, which nobody can know beforehand */
};

struct ref_decision {
    enum ref_answer answer;
    int way; /* -1 = none */
    bool has_victim;
    uint64_t victim;
    uint32_t victim_warp;
    uint64_t fetch; /* of INSERT: to be handed to ref_fill() */
};

/* What a policy does. All but `victim` may be NULL. */
struct ref_rules {
    const char *name;
    void (*init)(struct ref_cache *r);
    /* Before a way is looked for: does the load go around? */
    bool (*goes_around)(const struct ref_cache *r, uint32_t set, const struct mem_access *a);
    /* In a full set: a way, REF_GOES_AROUND or REF_WAITS. */
    int (*victim)(const struct ref_cache *r, uint32_t set, const struct mem_access *a);
    /* What an accepted load changes, in this order. */
    void (*access)(struct ref_cache *r, uint32_t set);
    void (*hit)(struct ref_cache *r, uint32_t set, int way, const struct mem_access *a);
    void (*miss)(struct ref_cache *r, uint32_t set, const struct mem_access *a);
    void (*around)(struct ref_cache *r, uint32_t set, const struct mem_access *a);
    void (*replaced)(struct ref_cache *r, uint32_t set, int way, const struct mem_access *a);
    void (*inserted)(struct ref_cache *r, uint32_t set, int way, const struct mem_access *a);
    void (*served)(struct ref_cache *r);
    bool instead_of_waiting; /* a load that would have to wait goes around */
};

static inline uint32_t ref_up(uint32_t value, uint32_t by, uint32_t max)
{
    return value + by > max ? max : value + by;
}

static inline uint32_t ref_down(uint32_t value, uint32_t by)
{
    return value < by ? 0 : value - by;
}

/* A parameter's value: that of the words, or the default. */
static inline uint32_t ref_param(const struct ref_cache *r, const char *name, uint32_t otherwise)
{
    size_t length = strlen(name);
    for (const char *word = r->words; word && *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return strcmp(word + length + 1, "true") == 0
                       ? 1
                       : (uint32_t)strtoul(word + length + 1, NULL, 10);
    }
    return otherwise;
}

/* --- LRU --- */

static inline int ref_lru_victim(const struct ref_cache *r, uint32_t set,
                                 const struct mem_access *a)
{
    (void)a;
    int victim = REF_WAITS;
    for (int w = 0; w < (int)r->n_ways; w++)
        if (!r->lines[set][w].reserved &&
            (victim < 0 || r->lines[set][w].used < r->lines[set][victim].used))
            victim = w;
    return victim;
}

/* --- RRIP: SRRIP, BRRIP, DRRIP, SHiP (MECHANISMS 3 and 11; Jaleel et al., ISCA 2010) --- */

/* The lowest way at 3 of those from `first` to before `end`; while there is none all grow by 1. */
static inline int ref_rrip_search(struct ref_line *ways, int first, int end)
{
    bool any = false;
    for (int w = first; w < end; w++)
        any = any || !ways[w].reserved;
    while (any) {
        for (int w = first; w < end; w++)
            if (!ways[w].reserved && ways[w].rrpv == 3)
                return w;
        for (int w = first; w < end; w++)
            ways[w].rrpv = ref_up(ways[w].rrpv, 1, 3);
    }
    return REF_WAITS;
}

static inline int ref_rrip_victim(const struct ref_cache *r, uint32_t set,
                                  const struct mem_access *a)
{
    (void)a;
    struct ref_line copy[REF_WAYS];
    memcpy(copy, r->lines[set], sizeof copy);
    return ref_rrip_search(copy, 0, (int)r->n_ways);
}

static inline void ref_rrip_replaced(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    (void)way;
    (void)a;
    ref_rrip_search(r->lines[set], 0, (int)r->n_ways);
}

static inline void ref_rrip_hit(struct ref_cache *r, uint32_t set, int way,
                                const struct mem_access *a)
{
    (void)a;
    r->lines[set][way].rrpv = 0;
}

static inline void ref_srrip_inserted(struct ref_cache *r, uint32_t set, int way,
                                      const struct mem_access *a)
{
    (void)a;
    r->lines[set][way].rrpv = 2;
}

static inline void ref_brrip_init(struct ref_cache *r)
{
    r->brrip_period = ref_param(r, "brrip_period", 32);
}

static inline void ref_brrip_inserted(struct ref_cache *r, uint32_t set, int way,
                                      const struct mem_access *a)
{
    (void)a;
    r->n_brrip_insertions++;
    r->lines[set][way].rrpv = r->n_brrip_insertions % r->brrip_period == 0 ? 2 : 3;
}

static inline void ref_drrip_init(struct ref_cache *r)
{
    ref_brrip_init(r);
    uint32_t eighth = r->n_sets / 8 ? r->n_sets / 8 : 1;
    uint32_t bits = ref_param(r, "psel_bits", 10);
    r->leader_sets = ref_param(r, "leader_sets", eighth);
    r->psel_max = (1u << bits) - 1;
    r->psel_middle = 1u << (bits - 1);
    r->psel = ref_param(r, "psel_init", 512);
}

enum ref_leader { REF_FOLLOWS, REF_LEADS_SRRIP, REF_LEADS_BRRIP };

static inline enum ref_leader ref_drrip_leader(const struct ref_cache *r, uint32_t set)
{
    uint32_t stride = r->n_sets / r->leader_sets;
    for (uint32_t i = 0; i < r->leader_sets; i++)
        if (set == i * stride)
            return REF_LEADS_SRRIP;
    for (uint32_t i = 0; i < r->leader_sets; i++)
        if (set == i * stride + stride / 2)
            return REF_LEADS_BRRIP;
    return REF_FOLLOWS;
}

static inline void ref_drrip_miss(struct ref_cache *r, uint32_t set, const struct mem_access *a)
{
    (void)a;
    if (ref_drrip_leader(r, set) == REF_LEADS_SRRIP)
        r->psel = ref_up(r->psel, 1, r->psel_max);
    if (ref_drrip_leader(r, set) == REF_LEADS_BRRIP)
        r->psel = ref_down(r->psel, 1);
}

static inline void ref_drrip_inserted(struct ref_cache *r, uint32_t set, int way,
                                      const struct mem_access *a)
{
    enum ref_leader leader = ref_drrip_leader(r, set);
    bool is_brrip = leader == REF_FOLLOWS ? r->psel >= r->psel_middle : leader == REF_LEADS_BRRIP;
    if (is_brrip)
        ref_brrip_inserted(r, set, way, a);
    else
        ref_srrip_inserted(r, set, way, a);
}

static inline struct ref_row *ref_row(struct ref_cache *r, uint32_t pc)
{
    return &r->rows[pc % r->n_rows];
}

static inline void ref_ship_init(struct ref_cache *r)
{
    r->n_rows = ref_param(r, "entries", 256);
    r->counter_max = (1u << ref_param(r, "counter_bits", 2)) - 1;
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].counter = ref_param(r, "counter_init", 1);
}

static inline void ref_ship_hit(struct ref_cache *r, uint32_t set, int way,
                                const struct mem_access *a)
{
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    ref_rrip_hit(r, set, way, a);
    row->counter = ref_up(row->counter, 1, r->counter_max);
}

static inline void ref_ship_replaced(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    ref_rrip_replaced(r, set, way, a);
    if (!r->lines[set][way].reused)
        row->counter = ref_down(row->counter, 1);
}

static inline void ref_ship_inserted(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    r->lines[set][way].rrpv = ref_row(r, a->pc)->counter == 0 ? 3 : 2;
}

/* --- Bypassing by PC (thesis section 5.3.1; MECHANISMS 11) --- */

static inline void ref_pc_bypass_init(struct ref_cache *r)
{
    r->n_rows = ref_param(r, "entries", 128);
    r->counter_max = (1u << ref_param(r, "conf_bits", 3)) - 1;
}

static inline bool ref_pc_bypass_goes_around(const struct ref_cache *r, uint32_t set,
                                             const struct mem_access *a)
{
    (void)set;
    return r->rows[a->pc % r->n_rows].counter == r->counter_max;
}

static inline void ref_pc_bypass_hit(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    (void)a;
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    row->counter = ref_down(row->counter, 1);
}

static inline void ref_pc_bypass_replaced(struct ref_cache *r, uint32_t set, int way,
                                          const struct mem_access *a)
{
    (void)a;
    struct ref_row *row = ref_row(r, r->lines[set][way].insert_pc);
    if (!r->lines[set][way].reused)
        row->counter = ref_up(row->counter, 1, r->counter_max);
}

/* The coin itself is the policy's; all that follows from it is not. */
static inline void ref_pc_prob_init(struct ref_cache *r)
{
    r->chosen_pc = ref_param(r, "pc", UINT32_MAX);
}

static inline bool ref_pc_prob_goes_around(const struct ref_cache *r, uint32_t set,
                                           const struct mem_access *a)
{
    (void)set;
    return r->coin_says_around && (r->chosen_pc == UINT32_MAX || r->chosen_pc == a->pc);
}

/* --- Ctrl-C (thesis, Algorithms 11 and 12) --- */

static inline void ref_ctrl_c_init(struct ref_cache *r)
{
    r->n_rows = 128;
    r->sample_period = ref_param(r, "sample_period", 1024);
    r->agg_max = ref_param(r, "agg_max", 7);
    r->agg_hold = ref_param(r, "agg_hold", 0);
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].agg = ref_param(r, "agg_init", 0);
}

static inline bool ref_ctrl_c_goes_around(const struct ref_cache *r, uint32_t set,
                                          const struct mem_access *a)
{
    (void)set;
    const struct ref_row *ctrl = &r->rows[a->pc % r->n_rows];
    return ctrl->byp < (1u << ctrl->agg) - 1;
}

static inline void ref_ctrl_c_around(struct ref_cache *r, uint32_t set, const struct mem_access *a)
{
    (void)set;
    ref_row(r, a->pc)->byp++;
}

static inline void ref_ctrl_c_replaced(struct ref_cache *r, uint32_t set, int way,
                                       const struct mem_access *a)
{
    (void)a;
    struct ref_row *ctrl = ref_row(r, r->lines[set][way].insert_pc);
    ctrl->insert++;
    if (!r->lines[set][way].reused)
        ctrl->zero++;
    if (ctrl->insert < r->sample_period >> ctrl->agg)
        return;
    if (!r->agg_hold && 5 * ctrl->zero > 2 * ctrl->insert)
        ctrl->agg = ref_up(ctrl->agg, 1, r->agg_max);
    else if (!r->agg_hold && 10 * ctrl->zero < ctrl->insert)
        ctrl->agg = ref_down(ctrl->agg, 1);
    ctrl->insert = ctrl->zero = 0;
}

static inline void ref_ctrl_c_inserted(struct ref_cache *r, uint32_t set, int way,
                                       const struct mem_access *a)
{
    (void)set;
    (void)way;
    ref_row(r, a->pc)->byp = 0;
}

/* --- DLP and PDP (Zhu et al., ICPP 2018, section 4; MECHANISMS 3 and 11) --- */

static inline void ref_dlp_init(struct ref_cache *r)
{
    r->n_rows = 128;
    r->sample_accesses = ref_param(r, "sample_accesses", 200);
    r->max_sample_insns = ref_param(r, "max_sample_insns", 20000);
    r->vta_ways = ref_param(r, "vta_ways", r->n_ways);
    r->pd_max = ref_param(r, "pd_max", 15);
    r->pd_step_down = ref_param(r, "pd_step_down", r->vta_ways);
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
    bool any = false;
    for (int w = 0; w < (int)r->n_ways; w++) {
        const struct ref_line *l = &r->lines[set][w];
        if (ref_down(l->life, 1) > 0)
            continue;
        any = true;
        if (!l->reserved && (victim < 0 || l->used < r->lines[set][victim].used))
            victim = w;
    }
    return !any ? REF_GOES_AROUND : victim < 0 ? REF_WAITS : victim;
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

/* --- CACP (thesis, Algorithms 7 to 9) --- */

static inline void ref_cacp_init(struct ref_cache *r)
{
    r->n_rows = 256;
    r->critical_ways = ref_param(r, "critical_ways", r->n_ways / 2);
    for (uint32_t i = 0; i < r->n_rows; i++)
        r->rows[i].ccbp = r->rows[i].counter = 1;
}

static inline uint32_t ref_cacp_signature(const struct mem_access *a)
{
    return (uint32_t)((a->pc ^ a->line) % 256);
}

static inline int ref_cacp_search(const struct ref_cache *r, struct ref_line *ways, bool critical)
{
    return critical ? ref_rrip_search(ways, 0, (int)r->critical_ways)
                    : ref_rrip_search(ways, (int)r->critical_ways, (int)r->n_ways);
}

static inline int ref_cacp_victim(const struct ref_cache *r, uint32_t set,
                                  const struct mem_access *a)
{
    struct ref_line copy[REF_WAYS];
    memcpy(copy, r->lines[set], sizeof copy);
    return ref_cacp_search(r, copy, r->rows[ref_cacp_signature(a)].ccbp > 1);
}

static inline void ref_cacp_hit(struct ref_cache *r, uint32_t set, int way,
                                const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    struct ref_row *row = &r->rows[l->signature];
    l->rrpv = 0;
    if (a->is_critical) {
        l->c_reused = true;
        row->ccbp = ref_up(row->ccbp, 1, 3);
    } else {
        l->nc_reused = true;
    }
    row->counter = ref_up(row->counter, 1, 3);
}

static inline void ref_cacp_replaced(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    (void)a;
    struct ref_line *l = &r->lines[set][way];
    struct ref_row *row = &r->rows[l->signature];
    bool is_critical = way < (int)r->critical_ways;
    ref_cacp_search(r, r->lines[set], is_critical);
    if (!l->c_reused && l->nc_reused && is_critical)
        row->ccbp = ref_down(row->ccbp, 1);
    else if (!l->c_reused && !l->nc_reused)
        row->counter = ref_down(row->counter, 1);
}

static inline void ref_cacp_inserted(struct ref_cache *r, uint32_t set, int way,
                                     const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    l->signature = ref_cacp_signature(a);
    l->rrpv = r->rows[l->signature].counter > 0 ? 2 : 3;
}

/* --- The policies by name --- */

static const struct ref_rules ref_policies[] = {
    {.name = "lru", .victim = ref_lru_victim},
    {.name = "srrip",
     .victim = ref_rrip_victim,
     .hit = ref_rrip_hit,
     .replaced = ref_rrip_replaced,
     .inserted = ref_srrip_inserted},
    {.name = "brrip",
     .init = ref_brrip_init,
     .victim = ref_rrip_victim,
     .hit = ref_rrip_hit,
     .replaced = ref_rrip_replaced,
     .inserted = ref_brrip_inserted},
    {.name = "drrip",
     .init = ref_drrip_init,
     .victim = ref_rrip_victim,
     .hit = ref_rrip_hit,
     .miss = ref_drrip_miss,
     .replaced = ref_rrip_replaced,
     .inserted = ref_drrip_inserted},
    {.name = "ship",
     .init = ref_ship_init,
     .victim = ref_rrip_victim,
     .hit = ref_ship_hit,
     .replaced = ref_ship_replaced,
     .inserted = ref_ship_inserted},
    {.name = "stall_bypass", .victim = ref_lru_victim, .instead_of_waiting = true},
    {.name = "pc_bypass",
     .init = ref_pc_bypass_init,
     .goes_around = ref_pc_bypass_goes_around,
     .victim = ref_lru_victim,
     .hit = ref_pc_bypass_hit,
     .replaced = ref_pc_bypass_replaced},
    {.name = "pc_prob",
     .init = ref_pc_prob_init,
     .goes_around = ref_pc_prob_goes_around,
     .victim = ref_lru_victim},
    {.name = "ctrl_c",
     .init = ref_ctrl_c_init,
     .goes_around = ref_ctrl_c_goes_around,
     .victim = ref_lru_victim,
     .around = ref_ctrl_c_around,
     .replaced = ref_ctrl_c_replaced,
     .inserted = ref_ctrl_c_inserted},
    {.name = "dlp",
     .init = ref_dlp_init,
     .victim = ref_dlp_victim,
     .access = ref_dlp_access,
     .hit = ref_dlp_hit,
     .miss = ref_dlp_miss,
     .around = ref_dlp_around,
     .replaced = ref_dlp_replaced,
     .inserted = ref_dlp_inserted,
     .served = ref_dlp_served},
    {.name = "pdp",
     .init = ref_pdp_init,
     .victim = ref_dlp_victim,
     .access = ref_dlp_access,
     .hit = ref_dlp_hit,
     .miss = ref_dlp_miss,
     .around = ref_dlp_around,
     .replaced = ref_dlp_replaced,
     .inserted = ref_dlp_inserted,
     .served = ref_dlp_served},
    {.name = "cacp",
     .init = ref_cacp_init,
     .victim = ref_cacp_victim,
     .hit = ref_cacp_hit,
     .replaced = ref_cacp_replaced,
     .inserted = ref_cacp_inserted},
};

/* --- The cache around them --- */

static inline void ref_init(struct ref_cache *r, const char *policy, const char *words,
                            uint32_t n_sets, uint32_t n_ways)
{
    *r = (struct ref_cache){
        .words = words, .n_sets = n_sets, .n_ways = n_ways, .n_mshrs = 1, .mshr_merges = 1};
    for (size_t i = 0; i < sizeof ref_policies / sizeof ref_policies[0]; i++)
        if (strcmp(ref_policies[i].name, policy) == 0)
            r->rules = &ref_policies[i];
    assert(r->rules && n_sets <= REF_SETS && n_ways <= REF_WAYS);
    if (r->rules->init)
        r->rules->init(r);
}

static inline int ref_find(const struct ref_cache *r, uint32_t set, uint64_t line)
{
    for (uint32_t w = 0; w < r->n_ways; w++)
        if (r->lines[set][w].present && r->lines[set][w].line == line)
            return (int)w;
    return -1;
}

static inline struct ref_decision ref_found(struct ref_cache *r, uint32_t set, int way,
                                            const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    if (r->rules->access)
        r->rules->access(r, set);
    if (r->rules->hit)
        r->rules->hit(r, set, way, a);
    l->reused = true;
    l->used = ++r->clock;
    l->n_waiters += l->reserved;
    if (r->rules->served)
        r->rules->served(r);
    return (struct ref_decision){.answer = l->reserved ? REF_MERGE : REF_HIT, .way = way};
}

static inline struct ref_decision ref_around(struct ref_cache *r, uint32_t set,
                                             const struct mem_access *a)
{
    if (r->rules->access)
        r->rules->access(r, set);
    if (r->rules->miss)
        r->rules->miss(r, set, a);
    if (r->rules->around)
        r->rules->around(r, set, a);
    if (r->rules->served)
        r->rules->served(r);
    return (struct ref_decision){.answer = REF_BYPASS, .way = -1};
}

static inline struct ref_decision ref_insert(struct ref_cache *r, uint32_t set, int way,
                                             const struct mem_access *a)
{
    struct ref_line *l = &r->lines[set][way];
    struct ref_decision d = {.answer = REF_INSERT, .way = way, .has_victim = l->present};
    if (r->rules->access)
        r->rules->access(r, set);
    if (r->rules->miss)
        r->rules->miss(r, set, a);
    if (l->present) {
        d.victim = l->line;
        d.victim_warp = l->warp;
        if (r->rules->replaced)
            r->rules->replaced(r, set, way, a);
    }
    d.fetch = ++r->n_fetches;
    *l = (struct ref_line){.present = true,
                           .reserved = true,
                           .line = a->line,
                           .fetch = d.fetch,
                           .used = ++r->clock,
                           .insert_pc = a->pc,
                           .warp = a->warp_slot,
                           .n_waiters = 1};
    r->n_outstanding++;
    if (r->rules->inserted)
        r->rules->inserted(r, set, way, a);
    if (r->rules->served)
        r->rules->served(r);
    return d;
}

static inline struct ref_decision ref_wait(struct ref_cache *r, uint32_t set,
                                           const struct mem_access *a)
{
    if (r->rules->instead_of_waiting)
        return ref_around(r, set, a);
    return (struct ref_decision){.answer = REF_STALL, .way = -1};
}

static inline struct ref_decision ref_load(struct ref_cache *r, const struct mem_access *a)
{
    uint32_t set = (uint32_t)(a->line / REF_LINE_BYTES % r->n_sets);
    int way = ref_find(r, set, a->line);
    if (way >= 0 && r->lines[set][way].reserved && r->lines[set][way].n_waiters == r->mshr_merges)
        return ref_wait(r, set, a);
    if (way >= 0)
        return ref_found(r, set, way, a);
    if (r->rules->goes_around && r->rules->goes_around(r, set, a))
        return ref_around(r, set, a);
    for (uint32_t w = 0; w < r->n_ways && way < 0; w++)
        if (!r->lines[set][w].present)
            way = (int)w;
    if (way < 0)
        way = r->rules->victim(r, set, a);
    if (way == REF_GOES_AROUND)
        return ref_around(r, set, a);
    if (way == REF_WAITS || r->n_outstanding == r->n_mshrs)
        return ref_wait(r, set, a);
    return ref_insert(r, set, way, a);
}

/* A store removes the line and goes on; policies are not told. */
static inline bool ref_store(struct ref_cache *r, const struct mem_access *a)
{
    uint32_t set = (uint32_t)(a->line / REF_LINE_BYTES % r->n_sets);
    int way = ref_find(r, set, a->line);
    if (way >= 0)
        r->lines[set][way].present = false;
    return way >= 0;
}

/* The data that an insertion asked for are here; nobody waits for them if a store came between. */
static inline void ref_fill(struct ref_cache *r, uint64_t fetch)
{
    r->n_outstanding--;
    for (uint32_t s = 0; s < r->n_sets; s++)
        for (uint32_t w = 0; w < r->n_ways; w++)
            if (r->lines[s][w].present && r->lines[s][w].fetch == fetch)
                r->lines[s][w].reserved = false;
}

#endif
