/* How kernels use their buffers, as L2 sees it: which buffers they write that a later launch reads,
 * and which they stream. This tells which annotations for L2 are worth trying (policy
 * write_buffering), and why some cannot be sound. */
#ifndef HEDDLE_ANALYSIS_L2_ADVICE_H
#define HEDDLE_ANALYSIS_L2_ADVICE_H

#include "gpu/sim.h"

enum { L2_MAX_SITES = 512 };

/* A buffer argument of a kernel, whichever buffer it is at each launch. Lines are L2 lines, counted
 * once per launch. */
struct l2_site {
    const char *kernel, *buffer; /* the label of the first one */
    uint32_t argument;           /* from 1 */
    /* Lines that the kernel stores to; of these: */
    uint64_t written;
    uint64_t read_later; /* a later launch reads them before the next store */
    uint64_t shared;     /* ... and then another SM reads them too */
    uint64_t read_again; /* ... or the same SM again, or another launch */
    uint64_t refetched;  /* ... or a partial store fetches the rest */
    /* Lines that the kernel loads; of these: */
    uint64_t loaded;
    uint64_t loaded_by_others; /* another SM loads them in the same launch */
    uint64_t loaded_again;     /* the same SM loads them again */
};

struct l2_advice;

struct l2_advice *l2_advice_create(void);
void l2_advice_destroy(struct l2_advice *a);
/* Call it before the first launch of a timed simulation; it observes until the simulation ends. */
void l2_advice_watch(struct l2_advice *a, struct heddle_sim *sim);

/* In the order in which kernels first used them. */
uint32_t l2_advice_count(const struct l2_advice *a);
const struct l2_site *l2_advice_site(const struct l2_advice *a, uint32_t i);
/* Adds the counts of another simulation of the program; false if the table of sites is full. */
bool l2_advice_add(struct l2_advice *a, const struct l2_site *site);
/* Arguments that were not observed because the table of sites was full. */
uint32_t l2_advice_left_out(const struct l2_advice *a);

#endif
