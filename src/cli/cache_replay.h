/* Replays, shared by the code that runs them and the code that prints them. */
#ifndef HEDDLE_CLI_CACHE_REPLAY_H
#define HEDDLE_CLI_CACHE_REPLAY_H

#include "cli/cache_lab.h"

/* The replays, policy by policy in each cache. */
struct replays {
    struct lab_job *jobs;
    struct param_set *params;
    uint32_t n;
    bool one_shape;
    uint64_t n_thread_insts; /* 0 = not told */
    uint64_t *compulsory;    /* one per replay, NULL = not requested */
    struct lab_stream *stream;
};

void cache_replays_json(const struct replays *r, struct strbuf *out);
void cache_replays_table(const struct replays *r, struct strbuf *out);
/* The same with --stores write_back. */
void cache_replays_l2_json(const struct replays *r, struct strbuf *out);
void cache_replays_l2_table(const struct replays *r, struct strbuf *out);
/* The same with --shared. */
void cache_replays_shared_json(const struct replays *r, struct strbuf *out);
void cache_replays_shared_table(const struct replays *r, struct strbuf *out);
/* Applies --shared, --gpu-app and --sampling to every shape. Free `samples`. */
enum heddle_status cache_lab_share(const struct cache_options *o, const struct lab_stream *s,
                                   struct lab_config *shapes, uint32_t n, uint64_t (**samples)[2]);

#endif
