/* The parts of `heddle hetero`. */
#ifndef HEDDLE_CLI_HETERO_H
#define HEDDLE_CLI_HETERO_H

#include "cli/options.h"
#include "heddle/heddle.h"

struct hetero_options {
    bool json, no_prune, no_pairs, machine, quick, stored_only;
    const char *model, *features, *out, *build_options, *size, *gpu, *natives;
    const char *on, *with, *store, *measured;
    struct given_u64 threads, buffer, folds, passes, seed, llc, repeats, launch, jobs;
    struct text_list settings;
    const struct text_list *words; /* the step, and what follows it */
};

enum heddle_status hetero_cmd_features(const struct hetero_options *o, const char *what,
                                       struct strbuf *out);
enum heddle_status hetero_cmd_predict(const struct hetero_options *o, const char *none,
                                      struct strbuf *out);
enum heddle_status hetero_cmd_train(const struct hetero_options *o, const char *path,
                                    struct strbuf *out);
enum heddle_status hetero_cmd_choose(const struct hetero_options *o, const char *path,
                                     struct strbuf *out);
enum heddle_status hetero_cmd_bubble(const struct hetero_options *o, const char *program,
                                     struct strbuf *out);
enum heddle_status hetero_cmd_models(const struct hetero_options *o, const char *name,
                                     struct strbuf *out);
/* On the testbed. */
enum heddle_status hetero_cmd_run(const struct hetero_options *o, const char *workload,
                                  struct strbuf *out);
enum heddle_status hetero_cmd_rows(const struct hetero_options *o, const char *workload,
                                   struct strbuf *out);
enum heddle_status hetero_cmd_mixes(const struct hetero_options *o, const char *none,
                                    struct strbuf *out);
enum heddle_status hetero_cmd_table(const struct hetero_options *o, const char *native,
                                    struct strbuf *out);

/* Makes the folder unless it is there; reports a failure. */
enum heddle_status hetero_make_folder(const char *path);

#endif
