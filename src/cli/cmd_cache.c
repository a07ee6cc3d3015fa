/* heddle cache: the cache laboratory, where recorded accesses meet caches without a machine. */
#include <string.h>

#include "cli/cache_lab.h"
#include "cli/command.h"
#include "cli/lab_common.h"
#include "cli/output.h"
#include "cli/plugin_files.h"
#include "cli/table.h"

static const struct option options[] = {
    OPTION_TEXT("format", struct cache_options, format, "FORMAT",
                "of FILE, from the list below; l1d if not given"),
    OPTION_TEXT("policy", struct cache_options, policy, "NAME[,NAME]...",
                "with replay: cache policies (`heddle show policies`), or belady and "
                "belady_bypass, which know the future; lru if not given"),
    OPTION_TEXT("sets", struct cache_options, sets, "N[,N]...",
                "sets; the recorded cache's if not given. Several sets, ways, lines and policies "
                "are replayed in one pass, each with each"),
    OPTION_TEXT("ways", struct cache_options, ways, "N[,N]...",
                "ways, 1 to 64; the recorded cache's if not given"),
    OPTION_TEXT("line", struct cache_options, lines, "BYTES[,BYTES]...",
                "bytes of a line, a power of two; the recorded cache's if not given"),
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
    OPTION_FLAG("no-compulsory", struct cache_options, no_compulsory,
                "with replay and curve: also the miss rate of the loads that are not the first of "
                "their line by an SM, which no cache could have hit (S2 Figure 4)"),
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
    enum heddle_status (*act)(const struct cache_options *o, struct lab_stream *s,
                              struct strbuf *out);
} verbs[] = {
    {"replay", "the accesses through a cache with immediate fills", cache_lab_replay},
    {"reuse", "reuse distances, localities, compulsory misses", cache_lab_reuse},
    {"curve", "miss ratios of LRU caches of all numbers of ways", cache_lab_curve},
};
enum { N_VERBS = sizeof verbs / sizeof verbs[0] };

/* --- what FILE is --- */

static enum heddle_status read_text(struct lab_stream *s, const char *path)
{
    struct diag_list diags = {0};
    enum heddle_status status =
        lab_stream_read_text(s, path, &diags) ? HEDDLE_OK : output_complaints(&diags);
    diag_list_destroy(&diags);
    return status;
}

static const struct format {
    const char *name, *help;
    bool (*read)(struct lab_stream *s, const char *path, struct strbuf *why); /* NULL = text */
} formats[] = {
    {"l1d", "what `heddle run --record-l1d` writes; if no format is given",
     lab_stream_open_recording},
    {"text",
     "an access a line: cycle sm warp thread pc kind address; kind L (load) or S (store), "
     "the address hexadecimal, # begins a comment",
     NULL},
    {"champsim", "instructions of ChampSim, 64 bytes each; lines of 64 bytes if not given",
     lab_stream_read_champsim},
    {"oracleGeneral", "requests of libCacheSim, 24 bytes each; an object is a line",
     lab_stream_read_oracle_general},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

/* With `may_come_later` a recording is only opened. */
static enum heddle_status read_stream(const struct cache_options *o, const char *path,
                                      bool may_come_later, struct lab_stream *s)
{
    const char *names[N_FORMATS];
    const struct format *f = o->format ? NULL : &formats[0];
    for (int i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i].name;
        if (o->format && strcmp(o->format, names[i]) == 0)
            f = &formats[i];
    }
    if (!f)
        return output_unknown("format", o->format, names, N_FORMATS,
                              "`heddle help cache` lists them");
    if (!f->read)
        return read_text(s, path);
    struct strbuf why = {0};
    bool ok = f->read(s, path, &why) && (may_come_later || lab_stream_load(s, &why));
    if (!ok)
        output_error("%s: %s", path, strbuf_text(&why));
    strbuf_destroy(&why);
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
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
    if (status == HEDDLE_OK)
        status = lab_check_readable(path);
    if (status == HEDDLE_OK && !o->timed)
        status = read_stream(o, path, v->act == cache_lab_replay, &s);
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

static void list_words(struct strbuf *out)
{
    strbuf_add(out, "Experiments:\n");
    struct table t = {.n_columns = 2};
    for (int i = 0; i < N_VERBS; i++) {
        table_cell(&t, "  %s", verbs[i].name);
        table_cell(&t, "%s", verbs[i].help);
    }
    table_print(&t, out);
    table_destroy(&t);
    strbuf_add(out, "\nFormats:\n");
    t = (struct table){.n_columns = 2};
    for (int i = 0; i < N_FORMATS; i++) {
        table_cell(&t, "  %s", formats[i].name);
        table_cell(&t, "%s", formats[i].help);
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
    .more_help = list_words,
    .run = run_cache,
};
