/* Latency attribution: where the cycles of each warp went.
 * S3 = S.-Y. Lee: Intelligent scheduling and memory management techniques for modern GPU
 * architectures. PhD thesis, Arizona State University 2017, section 3.2.2. In S3's order:
 *
 * Algorithm 1, each cycle: visit warps in the scheduling order, up to the first that is ready;
 *     probe each of them; the ready one issues. If none is ready all have been visited.
 * Algorithm 2, probe(w):
 *     line 3-5   Scheduling += CurrTime - PrevTime [- 1]; PrevTime := CurrTime
 *     line 6     at a barrier:                     Sync + 1
 *     line 8     instruction buffer empty:         Fetch + 1
 *     line 10    branch taken:                     CtrlHazard + 1
 *     line 12    data dependency on a cache miss:  DataHazard + 1 in the first cycle on that load,
 *                                                  then DataCacheMiss + 1 (or MSHR + 1)
 *     line 21    another data dependency:          DataHazard + 1
 *     line 23    functional unit unavailable:      StrlHazard + 1
 *     line 26    otherwise it issues:              Exec + 1
 *
 * As printed there is no "- 1". A warp that is visited in every cycle then gets 1 for Scheduling
 * and 1 for its cause in each of them, so Scheduling is always at least half of the sum. With
 * "- 1", the default, Scheduling is the cycles in which no scheduler visited the warp, and the
 * categories sum up to its lifetime, from its assignment to its own exit, both cycles included;
 * what follows the last visit goes to Scheduling. `sm.scheduling_delay` chooses.
 *
 * Watches only: nothing simulated depends on it. An SM without one does no work for it. */
#ifndef HEDDLE_SM_ATTRIBUTION_H
#define HEDDLE_SM_ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/scheduler.h"
#include "sm/sm_config.h"

/* LATENCY(id, name in statistics, title, meaning), in the order in which causes are tested. */
#define LATENCIES(LATENCY)                                                                         \
    LATENCY(SCHEDULING, "scheduling", "Scheduling",                                                \
            "not visited: other warps came first, or the policy held it back")                     \
    LATENCY(SYNC, "sync", "Sync", "at a barrier, or until its stores and atomics are visible")     \
    LATENCY(FETCH, "fetch", "Fetch", "no instruction in the buffer")                               \
    LATENCY(CTRL_HAZARD, "ctrl_hazard", "CtrlHazard",                                              \
            "a taken branch emptied the buffer, and its target is not fetched yet")                \
    LATENCY(DATA_HAZARD, "data_hazard", "DataHazard",                                              \
            "an operand is not there yet; also the first cycle on a load that misses")             \
    LATENCY(DATA_CACHE_MISS, "data_cache_miss", "DataCacheMiss",                                   \
            "an operand comes from a load that misses")                                            \
    LATENCY(MSHR, "mshr", "MSHR", "that load waits for an MSHR or another miss resource")          \
    LATENCY(STRUCTURAL_HAZARD, "structural_hazard", "StructuralHazard",                            \
            "no execution unit is free")                                                           \
    LATENCY(EXEC, "exec", "Exec", "it issues")

enum latency {
#define LATENCY(id, name, title, help) LATENCY_##id,
    LATENCIES(LATENCY)
#undef LATENCY
        N_LATENCIES
};

/* The unit that a structural hazard waits for, by enum sm_unit. */
extern const char *const latency_unit_titles[N_UNITS];

/* How the warps of CTAs kept pace (sm/pace.h), summed over finished CTAs. */
struct pace_stats {
    /* For CTAs of more than one warp: their number and that of their warps. */
    uint64_t ctas, warps;
    uint64_t slowest[N_LATENCIES], fastest[N_LATENCIES]; /* of the slowest and the fastest warps */
    uint64_t slowest_cycles, fastest_cycles;             /* their lives */
    uint64_t slowest_twice, fastest_twice;               /* see warp_latency */
    uint64_t cta_warp_cycles;                            /* warps x the lifetime of the slowest */
    uint64_t idle_cycles; /* the part of them after the warps had ended */
    /* Of these, with an oracle: CTAs whose slowest warp is not the predicted one; CTAs whose
     * slowest warp was predicted to be faster than the mean. */
    uint64_t inversions, inversions_by_fast;
    /* For all CTAs, samples of the warp that was slowest in the end: their number, those with no
     * other live warp in its CTA, those in which it was rated slow among all warps of its CTA, and
     * among the live ones if there were others. */
    uint64_t samples, samples_alone, slow, slow_among_others;
};

/* Summed over the warps of an SM that have ended, or were still alive when a launch was cut off. */
struct latency_stats {
    uint64_t cycles[N_LATENCIES];
    uint64_t structural[N_UNITS]; /* STRUCTURAL_HAZARD by the unit that was needed, including live
                              * warps */
    uint64_t warps;
    uint64_t cut; /* of these: still alive */
    struct pace_stats pace;
    /* L1D loads by warps that the criticality provider rates critical at that time. */
    uint64_t critical_loads, critical_hits;
    uint64_t twice;  /* cycles counted both for their cause and for Scheduling: none, or as
                      * printed */
    uint64_t broken; /* warps whose categories do not sum to their lifetime: none, unless there is a
                      * bug */
};

/* A warp that has ended, or is still alive at the cut-off. */
struct warp_latency {
    uint32_t sm, slot, cta_slot, launch, warp_in_cta;
    uint64_t cta;
    uint64_t start, end; /* the first cycle, and one past the last */
    bool is_cut;         /* still alive: the launch was cut off before the cycle `end` */
    bool is_last_of_cta; /* its CTA ends with it */
    uint64_t cycles[N_LATENCIES];
    uint64_t twice; /* cycles that also count for Scheduling */
};

/* Consecutive cycles of one warp in one category, as long as possible. */
struct latency_span {
    uint32_t slot;
    enum latency latency;
    uint64_t from, to; /* to: one past the last cycle */
    uint32_t pc;       /* at its first cycle: the instruction that issues, or would */
};

/* Called as it happens, in time order for each warp; any may be NULL. */
struct attribution_listener {
    void (*on_warp_start)(void *user, uint32_t slot, uint64_t now);
    void (*on_span)(void *user, const struct latency_span *s);
    void (*on_warp_end)(void *user, const struct warp_latency *w); /* or is still alive */
    void *user;
};
enum { ATTRIBUTION_MAX_LISTENERS = 2 };

struct attribution;
struct sm;

/* Call it before the first launch; once is enough. */
void attribution_create(struct sm *sm);
void attribution_destroy(struct attribution *a); /* NULL is fine */
void attribution_listen(struct attribution *a, const struct attribution_listener *l);
const struct latency_stats *attribution_stats(const struct attribution *a);

/* Called every ATTRIBUTION_SAMPLE_CYCLES core cycles, before any event of that cycle: samples the
 * criticality provider. The period is chosen: the source only calls it periodic. */
enum { ATTRIBUTION_SAMPLE_CYCLES = 256 };
void attribution_sample(struct sm *sm, uint64_t now);

/* --- called by the SM, which must have an attribution --- */
void attribution_start(struct sm *sm, uint32_t slot, uint64_t now);
void attribution_end(struct sm *sm, uint32_t slot, uint64_t now);
/* The launch is cut off before cycle `now`: closes the accounts of live warps. */
void attribution_cut(struct sm *sm, uint64_t now);
/* Scheduler `s` visited warps in cycle `now` and is about to issue p.warp, if any. */
void attribution_visit(struct sm *sm, uint32_t s, struct sched_pick p, uint64_t now);
/* The warp has issued the instruction at `pc`. */
void attribution_issued(struct sm *sm, uint32_t slot, uint32_t pc);
/* Attributes the skipped cycles before `now`, in which nothing could change. */
void attribution_catch_up(struct sm *sm, uint64_t now);

#endif
