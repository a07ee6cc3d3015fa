/* DLP and Global-Protection (S2 = X. Zhu, R. Wernsman, J. Zambreno: Improving first level cache
 * efficiency for GPUs using dynamic line protection. ICPP 2018, section 4), on a cache whose sets
 * have one line. Examples are seen from outside: how long a line of an instruction keeps others out
 * is its PD. */
#ifndef HEDDLE_TEST_DLP_STAGE_H
#define HEDDLE_TEST_DLP_STAGE_H

#include "paper/l1d_stage.h"

enum { N_SETS = 256, SAMPLE = 200, N_ASC = 4, OTHER = 100 };
enum { A = 1, B, C, D };

struct dlp {
    struct l1d l1d;
    uint32_t n_used; /* sets, so that examples do not interfere */
};

static inline void dlp_init(struct dlp *d, const char *policy, const char *words)
{
    l1d_init(&d->l1d, policy, words, N_SETS, 1);
    d->n_used = 1; /* set 0 is for loads that hit nothing */
}

static inline uint32_t new_set(struct dlp *d)
{
    assert_true(d->n_used < N_SETS);
    return d->n_used++;
}

/* Loads of the instruction OTHER until the line is replaced; how many bypass before. */
static inline uint32_t drive_out(struct dlp *d, uint32_t set)
{
    uint32_t n = 0;
    while (load_fresh(&d->l1d, set, OTHER) == CACHE_BYPASSED)
        assert_true(++n < 100);
    return n;
}

/* A hit in the TDA that belongs to `pc`, whose load was the last to use the line. */
static inline void hit_in_tda(struct dlp *d, uint32_t pc)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    assert_int_equal(load(&d->l1d, set, 0, OTHER), CACHE_HIT);
}

/* A hit in the VTA that belongs to `pc`: its line is evicted, and requested again. */
static inline void hit_in_vta(struct dlp *d, uint32_t pc)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    drive_out(d, set);
    assert_int_not_equal(load(&d->l1d, set, 0, OTHER), CACHE_HIT);
}

static inline void give_hits(struct dlp *d, uint32_t pc, uint32_t vta_hits, uint32_t tda_hits)
{
    for (uint32_t i = 0; i < vta_hits; i++)
        hit_in_vta(d, pc);
    for (uint32_t i = 0; i < tda_hits; i++)
        hit_in_tda(d, pc);
}

/* Loads that hit in neither array, until the sample is full. */
static inline void end_sample(struct dlp *d)
{
    do
        load_fresh(&d->l1d, 0, OTHER);
    while (d->l1d.n_loads % SAMPLE);
}

/* 4.1.1: a line whose PD is d has PL = d; the loads that find it above 0 after taking 1 from it
 * bypass, d - 1 of them. A PD of 0 and one of 1 protect from none: both are 0 here. */
static inline uint32_t pd_of(struct dlp *d, uint32_t pc)
{
    uint32_t set = new_set(d);
    load(&d->l1d, set, 0, pc);
    uint32_t n = drive_out(d, set);
    return n ? n + 1 : 0;
}

/* A has a PD of 4 and B one of 15. */
static inline void start_with_pds_of_4_and_15(struct dlp *d)
{
    dlp_init(d, "dlp", "vta_ways=4");
    give_hits(d, A, 1, 1);
    give_hits(d, B, 1, 0);
    end_sample(d);
}

#endif
