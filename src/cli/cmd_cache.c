/* heddle cache: the cache laboratory, where recorded accesses meet caches without a machine. */
#include <string.h>

#include "cli/cache_lab.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/plugin_files.h"
#include "cli/table.h"
#include "gpu/machine_config.h"

static const struct option options[] = {
    OPTION_TEXT("format", struct cache_options, format, "FORMAT",
                "of FILE: l1d, what `heddle run --record-l1d` writes (if not given), or text, "
                "one access a line: cycle sm warp thread pc kind address"),
    OPTION_TEXT("policy", struct cache_options, policy, "NAME[,NAME]...",
                "with replay: cache policies (`heddle show policies`), or belady and "
                "belady_bypass, which know the future; lru if not given"),
    OPTION_U64("sets", struct cache_options, n_sets, "N",
               "sets; the recorded cache's if not given"),
    OPTION_U64("ways", struct cache_options, n_ways, "N",
               "ways; the recorded cache's if not given"),
    OPTION_BYTES("line", struct cache_options, line_bytes, "BYTES",
                 "bytes of a line; the recorded cache's if not given"),
    OPTION_TEXT("index", struct cache_options, index, "linear|hash",
                "how lines find their set; as on the recorded GPU if not given, else linear"),
    OPTION_TEXT("stores", struct cache_options, stores, "evict|keep",
                "what a store does to its line; as on the recorded GPU if not given, else evict"),
    OPTION_LIST("set", struct cache_options, settings, "NAME=VALUE",
                "with replay: a parameter of the policy (`heddle show policy NAME`); may be "
                "repeated"),
    OPTION_TEXT("log", struct cache_options, log, "FILE",
                "with replay of one policy: write a line for each load, "
                "index,hit|miss|bypass,victim"),
    OPTION_FLAG("timed", struct cache_options, timed,
                "with replay: fills where they were recorded, in the recorded cache and policy; "
                "says which accesses come out otherwise than recorded"),
    OPTION_TEXT("ranges", struct cache_options, ranges, "N,N,...",
                "with reuse: the upper ends of the ranges of distances; 4,8,64 if not given"),
    OPTION_U64("insts", struct cache_options, n_thread_insts, "N",
               "thread instructions of the run, for misses per 1000 of them and the memory access "
               "ratio"),
    OPTION_LIST("plugin", struct cache_options, plugins, "FILE",
                "load cache policies from a shared object first; may be repeated"),
    OPTION_FLAG("json", struct cache_options, json, "print JSON instead of text"),
};

static const struct verb {
    const char *name, *help;
    enum heddle_status (*act)(const struct cache_options *o, const struct lab_stream *s,
                              struct strbuf *out);
} verbs[] = {
    {"replay", "the accesses through a cache with immediate fills", cache_lab_replay},
    {"reuse", "reuse distances, localities, compulsory misses", cache_lab_reuse},
    {"curve", "miss ratios of LRU caches of all numbers of ways", cache_lab_curve},
};
enum { N_VERBS = sizeof verbs / sizeof verbs[0] };

/* What recordings do not tell is taken from the GPU they name, if it is a shipped one. */
static void take_from_gpu(const char *gpu, struct lab_config *out)
{
    for (uint32_t i = 0; gpu && i < n_gpu_names; i++) {
        if (strcmp(gpu, gpu_names[i]) != 0)
            continue;
        struct diag_list diags = {0};
        struct machine_config *m = machine_config_load(gpu, NULL, 0, &diags);
        if (m) {
            out->index = m->sm.l1d.index;
            out->stores_keep = !m->sm.l1d.write_evict;
            if (m->sm.l1d.sector_bytes < m->sm.l1d.line_bytes)
                output_warnings("heddle: warning: the recorded L1D has sectors; here whole lines "
                                "are fetched\n");
        }
        machine_config_destroy(m);
        diag_list_destroy(&diags);
    }
}

/* One of two words: 0 or 1; what it is already if no word is given. */
static enum heddle_status choose_word(const char *option, const char *given,
                                      const char *const words[2], uint32_t *out)
{
    for (uint32_t i = 0; given && i < 2; i++)
        if (strcmp(given, words[i]) == 0) {
            *out = i;
            return HEDDLE_OK;
        }
    if (!given)
        return HEDDLE_OK;
    output_error("--%s %s: expected %s or %s", option, given, words[0], words[1]);
    return HEDDLE_BAD_INPUT;
}

static enum heddle_status choose(const char *option, uint64_t given, uint32_t recorded,
                                 uint32_t *out)
{
    *out = given ? (uint32_t)given : recorded;
    if (*out && given <= 1u << 30)
        return HEDDLE_OK;
    output_error(given ? "--%s is too large" : "the cache's --%s is missing: no recording tells",
                 option);
    return HEDDLE_BAD_INPUT;
}

enum heddle_status cache_lab_geometry(const struct cache_options *o, const struct lab_stream *s,
                                      bool has_ways, struct lab_config *out)
{
    *out = (struct lab_config){.policy = lab_policy_find("lru")};
    enum heddle_status status = choose("sets", o->n_sets, s->n_sets, &out->n_sets);
    if (status == HEDDLE_OK)
        status = choose("ways", o->n_ways, has_ways ? s->n_ways : 1, &out->n_ways);
    if (status == HEDDLE_OK)
        status = choose("line", o->line_bytes, s->line_bytes, &out->line_bytes);
    static const char *const indices[] = {"linear", "hash"}, *const stores[] = {"evict", "keep"};
    take_from_gpu(s->gpu, out);
    if (status == HEDDLE_OK)
        status = choose_word("index", o->index, indices, &out->index);
    if (status == HEDDLE_OK)
        status = choose_word("stores", o->stores, stores, &out->stores_keep);
    struct strbuf why = {0};
    if (status == HEDDLE_OK && !lab_config_check(out, &why)) {
        output_error("%s", strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    strbuf_destroy(&why);
    return status;
}

static enum heddle_status read_stream(const struct cache_options *o, const char *path,
                                      struct lab_stream *s)
{
    bool is_text = o->format && strcmp(o->format, "text") == 0;
    if (o->format && !is_text && strcmp(o->format, "l1d") != 0) {
        output_error("--format %s: expected l1d or text", o->format);
        return HEDDLE_BAD_INPUT;
    }
    struct strbuf why = {0};
    struct diag_list diags = {0};
    enum heddle_status status = HEDDLE_OK;
    if (is_text && !lab_stream_read_text(s, path, &diags))
        status = output_complaints(&diags);
    if (!is_text && !lab_stream_read_recording(s, path, &why)) {
        output_error("%s: %s", path, strbuf_text(&why));
        status = HEDDLE_BAD_INPUT;
    }
    diag_list_destroy(&diags);
    strbuf_destroy(&why);
    return status;
}

static enum heddle_status run_verb(const struct verb *v, const struct cache_options *o,
                                   const char *path)
{
    struct lab_stream s = {0};
    struct strbuf out = {0};
    enum heddle_status status = plugin_files_load(&o->plugins);
    if (status == HEDDLE_OK && o->timed && v->act != cache_lab_replay) {
        output_error("--timed has no meaning with heddle cache %s", v->name);
        status = HEDDLE_BAD_INPUT;
    }
    if (status == HEDDLE_OK && !o->timed)
        status = read_stream(o, path, &s);
    if (status == HEDDLE_OK)
        status = o->timed ? cache_lab_timed(o, path, &out) : v->act(o, &s, &out);
    if (status == HEDDLE_OK)
        status = output_take(&out);
    strbuf_destroy(&out);
    lab_stream_destroy(&s);
    return status;
}

static enum heddle_status run_cache(const void *values, const struct text_list *operands)
{
    const char *words[N_VERBS];
    for (int i = 0; i < N_VERBS; i++) {
        words[i] = verbs[i].name;
        if (strcmp(operands->items[0], verbs[i].name) == 0)
            return run_verb(&verbs[i], values, operands->items[1]);
    }
    return output_unknown("experiment", operands->items[0], words, N_VERBS,
                          "`heddle help cache` lists them");
}

static void list_verbs(struct strbuf *out)
{
    strbuf_add(out, "Experiments:\n");
    struct table t = {.n_columns = 2};
    for (int i = 0; i < N_VERBS; i++) {
        table_cell(&t, "  %s", verbs[i].name);
        table_cell(&t, "%s", verbs[i].help);
    }
    table_print(&t, out);
    table_destroy(&t);
}

static const char *const examples[] = {
    "heddle run bfs --record-l1d bfs.zst",
    "first, a recording",
    "heddle cache replay bfs.zst --policy lru,dlp,belady",
    "its loads under three policies, in the cache it was recorded at",
    "heddle cache replay bfs.zst --sets 64 --policy ctrl_c --set sample_period=500",
    "in a cache of twice the sets, with a parameter of the policy",
    "heddle cache replay mine.txt --format text --sets 32 --ways 4 --line 128 --log mine.csv",
    "accesses from anywhere, every decision written down",
    "heddle cache replay bfs.zst --timed",
    "as it was in the run, access by access",
    "heddle cache reuse bfs.zst --ranges 8,16,32",
    "how far apart loads of a line are, over all and for each PC",
    "heddle cache curve bfs.zst --sets 1",
    "miss ratios of fully associative caches of all sizes",
    NULL,
};

const struct command command_cache = {
    .name = "cache",
    .operands = "EXPERIMENT FILE",
    .summary = "try caches and policies on recorded accesses, without a machine",
    .description =
        "The cache laboratory. Takes the accesses that the L1Ds of a run were asked for, SM by SM, "
        "and replays them through any cache, with the policies of the timing model and with those "
        "that know the future. doc/cache-lab.md says what is counted and what is left out.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .options_bytes = sizeof(struct cache_options),
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .more_help = list_verbs,
    .run = run_cache,
};
