/* What kernels do with the buffers they are given, as L2 sees it: which they write that a later
 * launch reads, and which they stream. From that it follows which marks for L2 are worth a trial
 * (policy write_buffering), and why some cannot be sound. */
#ifndef HEDDLE_ANALYSIS_L2_ADVICE_H
#define HEDDLE_ANALYSIS_L2_ADVICE_H

#include "gpu/sim.h"

enum { L2_MAX_SITES = 512 };

/* An argument of a kernel that is a buffer, whichever it is at each launch. Lines are those of L2,
 * counted once a launch. */
struct l2_site {
    const char *kernel, *buffer; /* the label of the first one */
    uint32_t argument;           /* from 1 */
    /* Lines that the kernel stores to, and of these: */
    uint64_t written;
    uint64_t read_later; /* a later launch reads them before they are stored to again */
    uint64_t shared;     /* ... and then another SM reads them too */
    uint64_t read_again; /* ... or the same SM once more, or another launch */
    uint64_t refetched;  /* ... or a store to a part of them fetches the rest */
    /* Lines that the kernel loads from, and of these: */
    uint64_t loaded;
    uint64_t loaded_by_others; /* another SM loads them in the same launch */
    uint64_t loaded_again;     /* the same SM does */
};

struct l2_advice;

struct l2_advice *l2_advice_create(void);
void l2_advice_destroy(struct l2_advice *a);
/* To be called before the first launch of a timed simulation; it is watched until it ends. */
void l2_advice_watch(struct l2_advice *a, struct heddle_sim *sim);

/* In the order in which kernels first used them. */
uint32_t l2_advice_count(const struct l2_advice *a);
const struct l2_site *l2_advice_site(const struct l2_advice *a, uint32_t i);
/* Adds what another simulation of the program counted; false if there is no room for the site. */
bool l2_advice_add(struct l2_advice *a, const struct l2_site *site);
/* Arguments that were not watched, for want of room. */
uint32_t l2_advice_left_out(const struct l2_advice *a);

#endif
