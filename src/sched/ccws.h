/* What the two files of CCWS share: ccws.c is told of L1D, issue and warps, and finds lost locality
 * (S4 section 3.3.3); ccws_scores.c keeps the scores that follow from it (3.3.4),
 * and tells of them. */
#ifndef HEDDLE_SCHED_CCWS_H
#define HEDDLE_SCHED_CCWS_H

#include "sched/order.h"
#include "sched/vta.h"

enum { TIES_AGE, TIES_SLOT };
struct ccws_params {
    uint32_t k_throttle, base_score, score_bits, vta_entries_per_warp, vta_ways;
    uint32_t prioritise, ties, decay_cycles;
    bool llds_caps, keeps_tags, keeps_vta, live_totals, probes_merges, starts_at_zero;
};

/* A load that has missed, until its victim has left. */
struct probe {
    bool due;
    uint32_t warp;
    uint64_t uid, id, line, cycle;
};

struct ccws_stats {
    uint64_t vta_hits; /* of warps that have ended too */
};
enum { N_CCWS_STATS = 5 };
extern const struct plugin_stat ccws_stats[N_CCWS_STATS];

struct ccws {
    uint32_t score[SCHED_MAX_WARPS]; /* after the decay of `time` */
    uint32_t raise[SCHED_MAX_WARPS]; /* by VTA hits of `time`: act from the next cycle on */
    bool raised;
    bool above_base;         /* some score may be */
    uint64_t time, advanced; /* cycle of the scores; cycle that advance() has told */
    uint64_t may_load;
    uint64_t vta_hits, insts_issued; /* what LLDS is made of */
    uint64_t hits_of[SCHED_MAX_WARPS], insts_of[SCHED_MAX_WARPS];
    struct probe probe;
    struct vta vta;
    uint32_t tags_at; /* in `store`: of each warp's array */
    struct scheduler order;
    _Alignas(16) unsigned char store[]; /* the order's parameters, statistics and state, then
                                         * the tags */
};

/* Live warps x base. */
uint32_t ccws_cutoff(const struct scheduler *s);
/* What a VTA hit raises a score to, without a limit of bits. */
uint64_t ccws_llds(const struct scheduler *s);
/* Who may load, after scores or warps have changed. */
void ccws_test_cutoff(struct scheduler *s);
/* Brings the scores to what they are in cycle `now`, before its VTA hits. */
void ccws_decay_to(struct scheduler *s, uint64_t now);
/* Acts from the next cycle on. */
void ccws_raise_score(struct ccws *c, uint32_t warp, uint32_t to);
/* The first cycle at which time alone changes who may load. */
uint64_t ccws_next_change(const struct scheduler *s, uint64_t now);

#endif
