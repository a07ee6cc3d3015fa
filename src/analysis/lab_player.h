/* How replays are fed: some accesses at a time, with where they go in one geometry, to any number
 * of players one after the other, while they are at hand. A player keeps the caches of all SMs. */
#ifndef HEDDLE_ANALYSIS_LAB_PLAYER_H
#define HEDDLE_ANALYSIS_LAB_PLAYER_H

#include "analysis/lab_replay.h"

enum { LAB_BATCH = 512 };

struct lab_batch {
    const struct lab_access *items; /* NULL = in columns, which is for plain LRU */
    const uint64_t *line_numbers, *offsets, *warps, *threads;
    const uint8_t *firsts; /* first bytes of recorded events */
    uint32_t sm;
    uint64_t line_bytes;           /* of the lines that are numbered */
    const int64_t *criticality;    /* of each; NULL = not recorded */
    const struct lab_bytes *bytes; /* of each; NULL = whole lines */
    size_t position;               /* of the first one in the stream */
    size_t place;                  /* of the first one in memory, as instructions tell theirs */
    const struct lab_insts *insts;
    size_t first_insts, end_insts; /* those that came before one of them or behind the last */
    uint64_t index;                /* accesses before it: flushes are none */
    uint32_t n;
    uint64_t lines[LAB_BATCH]; /* of the geometry of the player whose turn it is */
    uint32_t sets[LAB_BATCH];
};

/* The decisions as text, one load a line. */
struct lab_log {
    const struct sink *sink;
    struct strbuf lines; /* not yet written */
    bool failed;
};

enum lab_decision { LAB_HIT, LAB_MISS, LAB_BYPASS, LAB_DROP };
#define LAB_NO_VICTIM UINT64_MAX

void lab_log_load(struct lab_log *log, uint64_t index, enum lab_decision decision, uint64_t victim);
/* Of a cache that writes back: any access, and whether the victim was. */
void lab_log_access(struct lab_log *log, uint64_t index, enum lab_decision decision,
                    uint64_t victim, bool writeback);
void lab_log_finish(struct lab_log *log);

struct lab_player {
    /* `next_uses` is NULL unless the policy knows the future. The configuration outlives it. */
    void *(*create)(const struct lab_config *config, uint32_t n_sms, const uint64_t *next_uses);
    /* `log` may be NULL. */
    void (*play)(void *player, const struct lab_batch *b, struct lab_log *log);
    /* Says what became of the accesses (how many there were is not its business), and ends the
     * player's life. */
    void (*finish)(void *player, struct lab_result *out);
};

/* The timing model's cache of such a configuration; one MSHR, for fills are immediate. */
struct cache_config lab_cache_config(const struct lab_config *c);

/* LRU, which most replays want and which all are compared with. */
extern const struct lab_player lab_player_lru;
/* One cache for all SMs, which writes back, as L2 does. */
extern const struct lab_player lab_player_l2;
/* One cache that applications share, as a last-level cache is. */
extern const struct lab_player lab_player_shared;
/* Any policy, through its events. */
extern const struct lab_player lab_player_policy;

#endif
