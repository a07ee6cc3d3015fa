/* The topics of `heddle show`. Each appends its text, or reports an error and returns its
 * status. */
#ifndef HEDDLE_CLI_SHOW_H
#define HEDDLE_CLI_SHOW_H

#include "cli/options.h"
#include "heddle/heddle.h"

struct show_options {
    bool json, markdown, unchecked;
    const char *gpu;
    struct text_list settings, plugins;
};

struct show_topic {
    const char *word;
    const char *long_word; /* another word for the same, or NULL */
    const char *name_word; /* what the word after it names, or NULL if there is none */
    const char *help;
    enum heddle_status (*show)(const struct show_options *o, const char *name, struct strbuf *out);
    bool takes_gpu;                       /* --gpu has a meaning */
    bool takes_settings;                  /* --set has a meaning */
    bool takes_unchecked;                 /* --unchecked has a meaning */
    void (*markdown)(struct strbuf *out); /* the page in doc/, or NULL */
};

enum heddle_status show_workloads(const struct show_options *o, const char *name,
                                  struct strbuf *out);
enum heddle_status show_workload(const struct show_options *o, const char *name,
                                 struct strbuf *out);
enum heddle_status show_kernels(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_gpus(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_gpu(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_classes(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_trace(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_stats(const struct show_options *o, const char *name, struct strbuf *out);

enum heddle_status show_schedulers(const struct show_options *o, const char *name,
                                   struct strbuf *out);
enum heddle_status show_scheduler(const struct show_options *o, const char *name,
                                  struct strbuf *out);
enum heddle_status show_policies(const struct show_options *o, const char *name,
                                 struct strbuf *out);
enum heddle_status show_policy(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_atomics(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_atomics_unit(const struct show_options *o, const char *name,
                                     struct strbuf *out);

enum heddle_status show_terms(const struct show_options *o, const char *name, struct strbuf *out);
enum heddle_status show_term(const struct show_options *o, const char *name, struct strbuf *out);
/* Adds the meaning of a term, in any case of letters. False if there is no such term. */
bool show_meaning(const char *word, struct strbuf *out);

/* doc/workloads.md, doc/statistics.md and doc/glossary.md. */
void show_workloads_markdown(struct strbuf *out);
void show_stats_markdown(struct strbuf *out);
void show_terms_markdown(struct strbuf *out);

/* Adds what S2 and the like stand for, for those mentioned in the text so far. */
void show_papers(struct strbuf *out);

#endif
