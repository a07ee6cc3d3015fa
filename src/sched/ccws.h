/* Shared by the two files of CCWS: ccws.c receives the events of L1D, issue and warps, and finds
 * lost locality (S4 section 3.3.3); ccws_scores.c keeps the scores that follow from it (3.3.4 and
 * 3.3.5). */
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

struct ccws_stats {
    uint64_t vta_hits; /* includes warps that have ended */
};
enum { N_CCWS_STATS = 5 };
extern const struct plugin_stat ccws_stats[N_CCWS_STATS];
struct ccws_queue {
    uint8_t warps[SCHED_MAX_WARPS];
    uint32_t n;
};

/* A counting hash of lines: tells for certain that no warp has the tag of a line. */
enum { CCWS_TAG_BUCKETS = 4096 };

struct ccws {
    /* Scores after the decay of `time`; see ccws_scores.c. */
    struct ccws_queue high;            /* above the base, highest first */
    struct ccws_queue tied;            /* all, in tie-break order */
    uint64_t is_high, unscored, known; /* in `high`; without a score; in `tied` */
    uint64_t level[SCHED_MAX_WARPS];   /* for those in `high`: score + falls so far */
    uint32_t raise[SCHED_MAX_WARPS];   /* by VTA hits of `time`: take effect in the next cycle */
    uint64_t raised;                   /* the warps with a `raise` */
    uint64_t time, advanced;           /* of the scores; of the last advance() */
    uint64_t falls;                    /* falls of the scores until `time` */
    uint64_t next;                     /* the cycle in which time alone lets another warp load */
    uint64_t cap_falls;                /* the cycle in which a lower cap may take effect */
    uint64_t may_load;
    uint64_t vta_hits, insts_issued; /* the inputs of LLDS */
    uint64_t hits_of[SCHED_MAX_WARPS], insts_of[SCHED_MAX_WARPS];
    struct vta vta;
    uint16_t n_tags[CCWS_TAG_BUCKETS]; /* over all warps */
    uint32_t tags_at;                  /* offset in `store` of the warps' arrays */
    uint32_t words_per_warp;           /* of the VTA */
    struct scheduler baseline;
    _Alignas(16) unsigned char store[]; /* the baseline's parameters, statistics and
                                         * state, then the tags */
};

/* Live warps x base. */
uint32_t ccws_cutoff(const struct scheduler *s);
/* The score that a VTA hit gives, before it is limited to the configured bits. */
uint64_t ccws_llds(const struct scheduler *s);
/* Begins the score of a warp that starts, or ends that of a warp that ends; call ccws_test_cutoff()
 * afterwards. */
void ccws_start_score(struct scheduler *s, uint32_t warp);
void ccws_end_score(struct scheduler *s, uint32_t warp);
/* Recomputes which warps may load, after scores or warps have changed. */
void ccws_test_cutoff(struct scheduler *s);
/* How often scores have fallen: in the cycles divisible by `decay_cycles`. */
static inline uint64_t ccws_falls_by(const struct scheduler *s, uint64_t cycle)
{
    const struct ccws_params *params = s->params;
    return params->decay_cycles == 1 ? cycle : cycle / params->decay_cycles;
}

/* Does any score rise or get capped, or may another warp load, by cycle `now`? Otherwise scores
 * only fall. */
static inline bool ccws_changes_by(const struct ccws *c, uint64_t now)
{
    return now > c->time && (c->raised || now >= c->next || now >= c->cap_falls);
}

/* ccws_decay_to() for the case that scores do not only fall. */
void ccws_change_to(struct scheduler *s, uint64_t now);

/* Brings the scores to what they are in cycle `now`, before its VTA hits. */
static inline void ccws_decay_to(struct scheduler *s, uint64_t now)
{
    struct ccws *c = s->state;
    if (ccws_changes_by(c, now)) {
        ccws_change_to(s, now);
    } else if (now > c->time) {
        c->falls = ccws_falls_by(s, now);
        c->time = now;
    }
}

/* Raises a warp's score to `to` in the next cycle, if it is lower. */
void ccws_raise_score(struct scheduler *s, uint32_t warp, uint32_t to);
/* LLDS may have fallen since cycle `now`: if it caps scores, some may have to fall to it. */
void ccws_cap_has_fallen(struct scheduler *s, uint64_t now);
/* The first cycle at which time alone changes which warps may load. */
uint64_t ccws_next_change(const struct scheduler *s, uint64_t now);

#endif
