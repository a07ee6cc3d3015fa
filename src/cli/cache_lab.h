/* Shared by the parts of `heddle cache`: its options, and the stream and cache they name. */
#ifndef HEDDLE_CLI_CACHE_LAB_H
#define HEDDLE_CLI_CACHE_LAB_H

#include "analysis/lab_replay.h"
#include "cli/options.h"
#include "heddle/heddle.h"

struct cache_options {
    const char *format, *policy, *index, *stores, *log, *ranges, *distance, *svg, *pcs;
    const char *sets, *ways, *lines; /* numbers separated by commas */
    struct given_u64 n_thread_insts;
    struct text_list settings, plugins;
    const char *sampling;
    struct given_u64 gpu_app, sector;
    bool shared;
    bool json, timed, no_compulsory, whole_lines, critical, flush;
};

/* Each receives the stream, which for replays may only have been opened, and writes its answer to
 * `out`. */
enum heddle_status cache_lab_replay(const struct cache_options *o, struct lab_stream *s,
                                    struct strbuf *out);
enum heddle_status cache_lab_curve(const struct cache_options *o, struct lab_stream *s,
                                   struct strbuf *out);

enum heddle_status cache_lab_bypass(const struct cache_options *o, struct lab_stream *s,
                                    struct strbuf *out);

/* For several files. */
enum heddle_status cache_lab_reuse(const struct cache_options *o, const char *const *paths,
                                   uint32_t n, struct strbuf *out);

/* The accesses of a file. With `may_come_later` a recording is only opened. */
enum heddle_status cache_lab_read(const struct cache_options *o, const char *path,
                                  bool may_come_later, struct lab_stream *s);

/* Warns if a stream that has been read to its end contains no loads. */
void cache_lab_warn_of_nothing(const char *path, const struct lab_stream *s);

/* The values of a policy's parameters, by their own names, from the settings already in `params`
 * and then the words NAME=VALUE (or POLICY.NAME=VALUE); they live as long as `params`. A name that
 * the policy does not have is an error: false, with a message in `diags`. */
bool cache_lab_bind(const struct cache_policy_desc *p, const struct text_list *words,
                    struct param_set *params, const void **values, struct diag_list *diags);

/* Does such a word apply to that policy? */
bool cache_lab_speaks_to(const char *policy, const char *word);
/* Reports a word that applies to none of the replayed policies: it would be ignored silently. */
enum heddle_status cache_lab_refuse_setting(const struct cache_options *o, const char *word);

/* Replays the recording at that path with its recorded fills. HEDDLE_WRONG_RESULT, with the answer
 * in `out`, if the outcome of an access differs. */
enum heddle_status cache_lab_timed(const struct cache_options *o, const char *path,
                                   struct strbuf *out);

/* The caches that the options name, with the recorded one as the default, under lru until changed;
 * free them in any case. Without `has_ways` a single way is enough. Reports what is missing or
 * impossible. */
enum heddle_status cache_lab_shapes(const struct cache_options *o, const struct lab_stream *s,
                                    bool has_ways, struct lab_config **out, uint32_t *n);
/* For a single cache whose ways do not matter. */
enum heddle_status cache_lab_shape(const struct cache_options *o, const struct lab_stream *s,
                                   struct lab_config *out);

#endif
