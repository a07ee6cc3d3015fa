/* How replays are fed: a batch of accesses at a time, with their sets in one geometry, goes to any
 * number of players one after the other while it is in the host's cache. A player keeps the caches
 * of all SMs. */
#ifndef HEDDLE_ANALYSIS_LAB_PLAYER_H
#define HEDDLE_ANALYSIS_LAB_PLAYER_H

#include "analysis/lab_replay.h"

enum { LAB_BATCH = 512 };

struct lab_batch {
    const struct lab_access *items; /* NULL = in columns, which only plain LRU reads */
    const uint64_t *line_numbers, *offsets, *warps, *threads;
    const uint8_t *firsts; /* first bytes of recorded events */
    uint32_t sm;
    uint64_t line_bytes;           /* size of the numbered lines */
    const int64_t *criticality;    /* per access; NULL = not recorded */
    const struct lab_bytes *bytes; /* per access; NULL = whole lines */
    size_t position;               /* of the first access in the stream */
    size_t place;                  /* of the first access in memory, as the instructions count */
    const struct lab_insts *insts;
    size_t first_insts, end_insts; /* those before one of these accesses or after the last */
    uint64_t index;                /* accesses before this batch, without flushes */
    uint32_t n;
    uint64_t lines[LAB_BATCH]; /* in the geometry of the current player */
    uint32_t sets[LAB_BATCH];
};

/* The decisions as text, one load a line. */
struct lab_log {
    const struct sink *sink;
    struct strbuf lines; /* not written yet */
    bool failed;
};

enum lab_decision { LAB_HIT, LAB_MISS, LAB_BYPASS, LAB_DROP };
#define LAB_NO_VICTIM UINT64_MAX

void lab_log_load(struct lab_log *log, uint64_t index, enum lab_decision decision, uint64_t victim);
/* For a cache that writes back: any access, and whether the victim was written back. */
void lab_log_access(struct lab_log *log, uint64_t index, enum lab_decision decision,
                    uint64_t victim, bool writeback);
void lab_log_finish(struct lab_log *log);

struct lab_player {
    /* `next_uses` is NULL unless the policy knows the future. The configuration must outlive the
     * player. */
    void *(*create)(const struct lab_config *config, uint32_t n_sms, const uint64_t *next_uses);
    /* `log` may be NULL. */
    void (*play)(void *player, const struct lab_batch *b, struct lab_log *log);
    /* Writes the outcomes of the accesses (not their number) to `out` and destroys the player. */
    void (*finish)(void *player, struct lab_result *out);
};

/* The timing model's cache in such a configuration, with one MSHR because fills are immediate. */
struct cache_config lab_cache_config(const struct lab_config *c);

/* LRU, which most replays use and all are compared with. */
extern const struct lab_player lab_player_lru;
/* One write-back cache for all SMs, like L2. */
extern const struct lab_player lab_player_l2;
/* One cache shared by applications, like a last-level cache. */
extern const struct lab_player lab_player_shared;
/* Any policy, through its event functions. */
extern const struct lab_player lab_player_policy;

#endif
