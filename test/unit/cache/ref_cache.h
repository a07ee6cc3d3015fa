/* What the references of policy_refs.h keep: lines, tables and the rules of a policy. */
#ifndef HEDDLE_TEST_REF_CACHE_H
#define HEDDLE_TEST_REF_CACHE_H

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
    bool bypass_reserved, count_merges;
    struct ref_victim vta[REF_SETS][REF_WAYS];
    uint32_t sample_period, agg_max;
    bool agg_hold;
    uint32_t critical_ways, ccbp_threshold, region_bits;
    uint32_t chosen_pc, second_pc;
    bool coin_says_around; /* pc_prob: what the generator said, which cannot be predicted */
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
    /* Before a way is looked for: does the load bypass? */
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
    bool instead_of_waiting; /* a load that would have to wait bypasses */
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
            return strncmp(word + length + 1, "true", 4) == 0
                       ? 1
                       : (uint32_t)strtoul(word + length + 1, NULL, 10);
    }
    return otherwise;
}

/* Do the words hold this one? */
static inline bool ref_says(const struct ref_cache *r, const char *word)
{
    size_t length = strlen(word);
    const char *at = strstr(r->words, word);
    while (at && at[length] && at[length] != ' ')
        at = strstr(at + 1, word);
    return at;
}

/* The row of a table that an instruction uses: the low bits of its PC. */
static inline struct ref_row *ref_row(struct ref_cache *r, uint32_t pc)
{
    return &r->rows[pc % r->n_rows];
}

/* LRU, which is underneath of much. */
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

#endif
